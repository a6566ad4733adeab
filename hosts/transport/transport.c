/* Which transports there are, and which one a rank uses. */
#include "hosts/transport/transport.h"

#include <stdio.h>
#include <string.h>

extern const struct transport_ops transport_ib, transport_net, transport_mbcf, transport_tcp,
    transport_peach2;

const struct transport_ops *const transports[] = {
    &transport_ib, &transport_net, &transport_mbcf, &transport_tcp, &transport_peach2, NULL,
};

static const struct transport_ops *find(const char *name)
{
    for (const struct transport_ops *const *ops = transports; *ops != NULL; ops++)
        if (strcmp((*ops)->name, name) == 0)
            return *ops;
    return NULL;
}

/** The machine's own: the first one that goes over the network of its nodes. Rank 0 says which. */
static const struct transport_ops *find_own(struct host *h)
{
    static const char *const networks[] = { [HOST_NETWORK_HUBS] = "hubs",
                                            [HOST_NETWORK_IB] = "InfiniBand adapters",
                                            [HOST_NETWORK_ETHER] = "Ethernet",
                                            [HOST_NETWORK_CONTROL] = "control network" };
    enum host_network network = h->ops->network != NULL ? h->ops->network(h) : HOST_NETWORK_CONTROL;
    const struct transport_ops *const *ops = transports;
    char line[TRANSPORT_WHY_BYTES];

    while ((*ops)->network != network) /* each network has one */
        ops++;
    (void)snprintf(line, sizeof(line),
                   "MPI over %s (the %s of this machine); --mpi chooses another", (*ops)->name,
                   networks[network]);
    if (h->rank == 0 && h->ops->remark != NULL)
        h->ops->remark(h, line);
    return *ops;
}

/** @return `own` unless the platform or the user has set something else than 0. */
static uint64_t setting(const struct host *h, const char *key, uint64_t own)
{
    const struct host_setting *s = host_setting_of(h, key);

    return s != NULL && s->number != 0 ? s->number : own;
}

static void apply_settings(struct transport *t)
{
    const struct host_setting *requests = host_setting_of(t->host, "mpi.requests");
    struct transport_caps *caps = &t->caps;
    uint64_t fifo;

    if (requests != NULL && strcmp(requests->word, "own") != 0)
        caps->sends_requests = strcmp(requests->word, "on") == 0;
    caps->eager_bytes = (uint32_t)setting(t->host, "mpi.eager_bytes", caps->eager_bytes);
    caps->write_bytes = (uint32_t)setting(t->host, "mpi.write_bytes", caps->write_bytes);
    fifo = setting(t->host, "mpi.fifo_bytes", caps->fifo_bytes);
    if (fifo < caps->fifo_bytes)
        caps->fifo_bytes = fifo > TRANSPORT_ENTRY_LEAST ? (uint32_t)fifo : TRANSPORT_ENTRY_LEAST;
    caps->entry_ps = setting(t->host, "mpi.entry_ps", caps->entry_ps);
}

bool transport_open(struct host *h, char *why, struct transport **t_p)
{
    const struct host_setting *s = host_setting_of(h, "mpi.transport");
    bool own = s == NULL || strcmp(s->word, "own") == 0;
    const struct transport_ops *ops = own ? find_own(h) : find(s->word);
    struct transport *t;

    if (ops == NULL) {
        (void)snprintf(why, TRANSPORT_WHY_BYTES, "transport %s: not in this build", s->word);
        return false;
    }
    (void)snprintf(why, TRANSPORT_WHY_BYTES, "transport %s: out of memory", ops->name);
    t = ops->create(h, why);
    if (t == NULL)
        return false;
    t->ops = ops;
    t->host = h;
    *t_p = t;
    if (ops->connect != NULL && !ops->connect(t, why)) {
        *t_p = NULL;
        ops->destroy(t);
        return false;
    }
    apply_settings(t);
    return true;
}

bool transport_wants_helper(const struct host *h)
{
    const struct host_setting *s = host_setting_of(h, "mpi.progress");

    return s != NULL && strcmp(s->word, "helper") == 0;
}
