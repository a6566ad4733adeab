#include "hosts/transport/tca/count.h"

#include "hosts/host/profile.h"
#include "hosts/transport/tca/internal.h"

const struct tct_counts *tct_counts_of(struct transport *t)
{
    return t->ops == &transport_tca ? &tct_of(t)->counts : NULL;
}

/* Also what did not happen, so that each rank has the same rows. */
void tct_profile(const struct transport *t, struct host_counts *to)
{
    static const char *const modes[TCT_MODES] = { "sent by way of both buffers (BtoB)",
                                                  "sent from source to target (MtoM)",
                                                  "sent from a send buffer (BtoM)",
                                                  "sent into the far ring (MtoB)" };
    static const char *const copies[TCT_MODES] = { "copy for BtoB", "copy for MtoM",
                                                   "copy for BtoM", "copy for MtoB" };
    const struct tct_counts *c = &((const struct tct *)t)->counts;

    for (unsigned mode = 0; mode < TCT_MODES; mode++)
        host_counts_set(to, modes[mode], c->mode[mode].transfers, c->mode[mode].bytes);
    for (unsigned mode = 0; mode < TCT_MODES; mode++)
        host_counts_set(to, copies[mode], c->mode[mode].copies, 0);
    host_counts_set(to, "packet stored by the core", c->stored, 0);
    host_counts_set(to, "packet moved by a channel", c->moved, 0);
    host_counts_set(to, "found no entry free", c->stalls, 0);
    host_counts_set(to, "acknowledgement sent", c->acks, 0);
    host_counts_set(to, "chain of a channel", c->transfers, 0);
    host_counts_set(to, "of them in strides of blocks", c->strided, 0);
    host_counts_set(to, "look at a channel's counter", c->looks, 0);
    host_counts_set(to, "piece staged by an engine", c->staged, 0);
    host_counts_set(to, "descriptor found", c->cache.hits, 0);
    host_counts_set(to, "descriptor made in host memory", c->cache.made_host, 0);
    host_counts_set(to, "descriptor made in the hub", c->cache.made_internal, 0);
    host_counts_set(to, "descriptor that made room",
                    c->cache.evicted_host + c->cache.evicted_internal, 0);
    host_counts_set(to, "descriptor made for one use", c->cache.passed, 0);
}
