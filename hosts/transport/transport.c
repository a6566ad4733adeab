/* Which transports there are, and which one a rank uses. */
#include "hosts/transport/transport.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hosts/driver/driver.h"

/* Those of this build. Of two for one network the first is the machine's own. */
#define TRANSPORTS(X) X(net) X(mbcf) X(tcp) X(ib) X(peach2) X(tca)

#define DECLARE(name) extern const struct transport_ops transport_##name;
TRANSPORTS(DECLARE)
#define OPS(name) &transport_##name,
const struct transport_ops *transports[TRANSPORTS_MAX + 1] = { TRANSPORTS(OPS) NULL };

#define CHOICE(name) "|" #name
static char choices[sizeof("own") + TRANSPORTS_MAX * TRANSPORT_NAME_BYTES] =
    "own" TRANSPORTS(CHOICE);
#define NAMES (choices + sizeof("own")) /* without "own" */

static const struct library {
    const char *name, *title;
    const char *transport; /* where none is chosen; NULL: the machine's own */
} libraries[TRANSPORT_LIBRARIES] = {
    [TRANSPORT_MPI] = { "mpi", "MPI", NULL },
    [TRANSPORT_GASNET] = { "gasnet", "GASNet", "net" },
};
_Static_assert(TRANSPORT_LIBRARIES <= HOST_USERS, "each is a user of its own");

/** What a rank has opened. */
struct opened {
    struct host_state kept;
    struct transport *by[TRANSPORT_LIBRARIES];
};

/* 0 and "own": as the transport has it */
static struct host_param params[] = {
    HOST_PARAM_CHOICE(
        "mpi.transport", 0, choices, 0,
        "the network that MPI uses; own = the first of hubs, ib and Ethernet that joins all nodes"),
    HOST_PARAM_CHOICE("mpi.progress", 0, "calls|helper", 1,
                      "what goes on with pending operations while a program computes: its next "
                      "call of MPI, or a helper that interrupts wake"),
    HOST_PARAM_CHOICE("mpi.requests", 0, "own|on|off", 2,
                      "whether receives that find nothing announce their address to senders"),
    HOST_PARAM_BYTES("mpi.eager_bytes", 0,
                     "longest message that is sent without asking; 0 = the transport's own limit"),
    HOST_PARAM_BYTES("mpi.write_bytes", 0,
                     "shortest message written to the address that a receive announced; 0 = the "
                     "transport's own"),
    HOST_PARAM_BYTES("mpi.fifo_bytes", 0,
                     "longest entry of a FIFO, if shorter than the transport's own; 0 = that, else "
                     "256 or more"),
    HOST_PARAM_NUMBER("mpi.ring_entries", "1", TRANSPORT_ENTRIES_MAX,
                      "longest entries of each sender that a receiver has room for, 2 or more: "
                      "tca any, others no more than their own; 0 = that, of tca 16"),
    HOST_PARAM_BYTES("mpi.gpu_loop_bytes", 0,
                     "most data that the network brings between a GPU and memory of the library; "
                     "more a copy engine does; 0 = 512"),
    HOST_PARAM_BYTES(
        "mpi.gpu_pinned_bytes", 0,
        "memory of the library for a broadcast or allgather so long is pinned, so that "
        "the copy engine needs no help by a core; 0 = none"),
    HOST_PARAM_PS(
        "mpi.gpu_pageable_ps", 0,
        "what a copy of other memory of the library by an engine costs beside cuda_copy_ps"),
    HOST_PARAM_PS("mpi.gpu_pageable_kb_ps", 0,
                  "what other memory of the library costs beside the engine, each 1024 bytes; 0 = "
                  "copy_kb_ps"),
    HOST_PARAM_PS("mpi.gpu_copy_ps", 0,
                  "what the library does beside each copy between a GPU and memory of its own"),
    HOST_PARAM_CHOICE("mpi.gpu_allreduce_both", 0, "off|on", 1,
                      "whether an allreduce of GPU memory also brings what the receive buffer "
                      "held to the host"),
    HOST_PARAM_BYTES("mpi.gpu_bcast_host_bytes", 0,
                     "longest broadcast of GPU memory that goes by way of the host; 0 = none"),
    HOST_PARAM_BYTES("mpi.gpu_allgather_host_bytes", 0,
                     "longest block of an allgather of GPU memory that goes by way of the host; "
                     "0 = none"),
    HOST_PARAM_CHOICE("mpi.gpu_beside", 0, "off|on", 1,
                      "whether an engine brings blocks that come one by one from pinned memory of "
                      "the library to the GPU beside the next ones, not all of them at the end"),
    HOST_PARAM_END
};
static struct host_param gasnet_params[] = {
    HOST_PARAM_CHOICE("gasnet.transport", 0, NULL, 0, "the network that GASNet uses"),
    HOST_PARAM_BYTES("gasnet.fifo_bytes", 0,
                     "longest entry of a FIFO, if shorter than the transport's own; 0 = that, else "
                     "256 or more"),
    HOST_PARAM_NUMBER("gasnet.ring_entries", "1", TRANSPORT_ENTRIES_MAX,
                      "longest entries of each sender that a receiver has room for, 2 or more: "
                      "tca any, others no more than their own; 0 = that, of tca 16"),
    HOST_PARAM_PS("gasnet.entry_ps", 0,
                  "GASNet makes or examines one header; 0 = the transport's own"),
    HOST_PARAM_END
};
const struct host_param transport_cost_params[] = {
    HOST_PARAM_PS("mpi.entry_ps", 0, "MPI makes or examines one header; 0 = the transport's own"),
    HOST_PARAM_END
};

static uint64_t count_transports(void)
{
    uint64_t n = 0;

    while (transports[n] != NULL)
        n++;
    return n;
}

const struct host_param *transport_params(void)
{
    params[0].most = count_transports();
    return params;
}

const struct host_param *transport_gasnet_params(void)
{
    gasnet_params[0].choices = NAMES;
    gasnet_params[0].most = count_transports() - 1;
    return gasnet_params;
}

bool transport_add(const struct transport_ops *ops)
{
    size_t end = strlen(choices);
    unsigned n = 0;

    while (transports[n] != NULL && strcmp(transports[n]->name, ops->name) != 0)
        n++;
    if (n == TRANSPORTS_MAX || transports[n] != NULL || strlen(ops->name) >= TRANSPORT_NAME_BYTES)
        return false;
    transports[n] = ops;
    (void)snprintf(choices + end, sizeof(choices) - end, "|%s", ops->name);
    return true;
}

static const struct transport_ops *find_transport(const char *name)
{
    const struct transport_ops **ops = transports;

    while (*ops != NULL && strcmp((*ops)->name, name) != 0)
        ops++;
    return *ops;
}

/** The machine's own: the first one that goes over the network of its nodes. Rank 0 says which. */
static const struct transport_ops *find_own(struct host *h)
{
    static const char *const networks[] = { [HOST_NETWORK_HUBS] = "hubs",
                                            [HOST_NETWORK_IB] = "InfiniBand adapters",
                                            [HOST_NETWORK_ETHER] = "Ethernet",
                                            [HOST_NETWORK_CONTROL] = "control network" };
    enum host_network network = h->net->fastest(h);
    const struct transport_ops **ops = transports;
    char line[TRANSPORT_WHY_BYTES];

    while ((*ops)->network != network) /* each network has one */
        ops++;
    (void)snprintf(line, sizeof(line),
                   "MPI over %s (the %s of this machine); --mpi chooses another", (*ops)->name,
                   networks[network]);
    if (h->rank == 0)
        h->process->remark(h, line);
    return *ops;
}

uint64_t transport_setting(const struct host *h, const char *key, uint64_t own)
{
    const struct host_setting *s = host_setting_of(h, key);

    return s != NULL && s->number != 0 ? s->number : own;
}

bool transport_is_set(const struct host *h, const char *key, const char *word)
{
    const struct host_setting *s = host_setting_of(h, key);

    return s != NULL && strcmp(s->word, word) == 0;
}

static const struct host_setting *find_setting(const struct host *h, const char *library,
                                               const char *key)
{
    char whole[64];

    (void)snprintf(whole, sizeof(whole), "%s.%s", library, key);
    return host_setting_of(h, whole);
}

uint64_t transport_number(const struct transport *t, const char *key, uint64_t own)
{
    const struct host_setting *s = find_setting(t->host, t->library, key);

    return s != NULL && s->number != 0 ? s->number : own;
}

bool transport_has_word(const struct transport *t, const char *key, const char *word)
{
    const struct host_setting *s = find_setting(t->host, t->library, key);

    return s != NULL && strcmp(s->word, word) == 0;
}

const char *transport_title(const struct transport *t)
{
    return libraries[t->user].title;
}

uint32_t transport_fifo_bytes(const struct transport *t, uint32_t own)
{
    uint64_t fifo = transport_number(t, "fifo_bytes", own);

    if (fifo >= own)
        return own;
    return fifo > TRANSPORT_ENTRY_LEAST ? (uint32_t)fifo : TRANSPORT_ENTRY_LEAST;
}

uint32_t transport_ring_entries(const struct transport *t, uint32_t own)
{
    uint64_t entries = transport_number(t, "ring_entries", own);

    if (entries >= own)
        return own;
    return entries > 2 ? (uint32_t)entries : 2;
}

static void apply_settings(struct transport *t)
{
    struct transport_caps *caps = &t->caps;

    if (transport_has_word(t, "requests", "on"))
        caps->sends_requests = true;
    else if (transport_has_word(t, "requests", "off"))
        caps->sends_requests = false;
    caps->eager_bytes = (uint32_t)transport_number(t, "eager_bytes", caps->eager_bytes);
    caps->write_bytes = (uint32_t)transport_number(t, "write_bytes", caps->write_bytes);
    caps->fifo_bytes = transport_fifo_bytes(t, caps->fifo_bytes);
    caps->entry_ps = transport_number(t, "entry_ps", caps->entry_ps);
}

/** NULL: the machine's own. */
static const char *chosen_transport(const struct host *h, const struct library *library)
{
    const struct host_setting *s = find_setting(h, library->name, "transport");

    return s == NULL || strcmp(s->word, "own") == 0 ? library->transport : s->word;
}

enum host_network transport_network(const struct host *h, enum host_network fastest)
{
    const char *name = chosen_transport(h, &libraries[TRANSPORT_MPI]);
    const struct transport_ops *ops = name != NULL ? find_transport(name) : NULL;

    if (name == NULL)
        return fastest;
    return ops != NULL ? ops->network : HOST_NETWORK_CONTROL;
}

static void release_opened(void *opened)
{
    free(opened);
}

struct transport *transport_of(const struct host *h, enum transport_library library)
{
    const struct opened *o = host_state_of(h->states, release_opened);

    return o != NULL ? o->by[library] : NULL;
}

/** @return false: out of memory. */
static bool note_open(struct transport *t)
{
    struct opened *o = host_state_of(t->host->states, release_opened);

    if (o == NULL) {
        o = calloc(1, sizeof(*o));
        if (o == NULL)
            return false;
        host_state_add(&t->host->states, &o->kept, release_opened);
    }
    o->by[t->user] = t;
    return true;
}

bool transport_open(struct host *h, const char *library, char *why, struct transport **t_p)
{
    unsigned user = strcmp(library, libraries[TRANSPORT_GASNET].name) == 0;
    const char *name = chosen_transport(h, &libraries[user]);
    const struct transport_ops *ops = name == NULL ? find_own(h) : find_transport(name);
    struct transport *t;

    if (ops == NULL) {
        (void)snprintf(why, TRANSPORT_WHY_BYTES, "transport %s: not in this build", name);
        return false;
    }
    (void)snprintf(why, TRANSPORT_WHY_BYTES, "transport %s: out of memory", ops->name);
    t = calloc(1, ops->bytes);
    if (t == NULL)
        return false;
    t->ops = ops;
    t->host = h;
    t->library = libraries[user].name;
    t->user = user;
    t->one_sided = user != TRANSPORT_MPI;
    *t_p = t;
    if (!ops->connect(t, why) || !note_open(t)) {
        *t_p = NULL;
        ops->destroy(t);
        return false;
    }
    apply_settings(t);
    return true;
}

bool transport_wants_helper(const struct transport *t)
{
    return transport_has_word(t, "progress", "helper");
}

bool transport_lacks(const struct transport *t, const char *device, const char *platform, char *why)
{
    (void)snprintf(why, TRANSPORT_WHY_BYTES,
                   "transport %s: node %u has no %s (platform %s has one)", t->ops->name,
                   t->host->node->index, device, platform);
    return false;
}

uint32_t transport_ring_bytes(uint32_t n, uint32_t most, uint32_t least, uint32_t all)
{
    while (most > least && (uint64_t)most * n > all)
        most /= 2;
    return most;
}

uint8_t *transport_room(struct transport_buffer *buffer, size_t bytes)
{
    uint8_t *more = bytes > buffer->room ? realloc(buffer->bytes, bytes) : buffer->bytes;

    if (more == NULL)
        return NULL;
    buffer->bytes = more;
    buffer->room = bytes > buffer->room ? bytes : buffer->room;
    return more;
}

void transport_copy(struct transport *t, void *to, const void *from, uint64_t bytes)
{
    transport_spend(t, t->caps.copy_kb_ps * bytes / 1024);
    memcpy(to, from, bytes);
}

void transport_copy_gpu(struct transport *t, const struct host_pointer *gpu, uint64_t bus, bool in,
                        uint64_t bytes)
{
    const struct host_copy_end device = { .device = true, .addr = gpu->offset },
                               pinned = { .device = false, .addr = bus };
    struct host *h = t->host;

    host_spend_cost(h, HOST_COST_CUDA_COPY);
    h->gpus->wait(h, gpu->gpu,
                  h->gpus->copy(h, gpu->gpu, in ? device : pinned, in ? pinned : device, bytes, 0));
    if (!in)
        driver_flush_gpu(h, gpu->gpu); /* what it has sent has arrived */
}

void transport_spend_copy(struct host *h, uint64_t bytes)
{
    h->cpu->spend(h, h->cpu->cost_ps(h, HOST_COST_SYSCALL) +
                         h->cpu->cost_ps(h, HOST_COST_COPY_KB) * bytes / 1024);
}
