/* The beginning of a job, and what a rank may ask of it. */
#include <stdlib.h>
#include <string.h>

#include "hosts/gasnet/coll/coll.h"
#include "hosts/gasnet/core/exit.h"
#include "hosts/gasnet/core/message.h"
#include "hosts/gasnet/core/settings.h"
#include "hosts/gasnet/extended/extended.h"
#include "hosts/gasnet/vis/vis.h"

#define MEDIUM_LEAST 512u   /* specification 1.8, "gasnet_AMMaxMedium" */
#define MEDIUM_MOST  16384u /* what other conduits have is 4 to 64 KiB */
#define SEGMENT_MOST (UINT64_C(16) << 30)

static void release_rank(struct gasnet_rank *gr)
{
    struct gasnet_deferred *d;

    gasnet_coll_release(gr);
    gasnet_vis_release(gr);
    gasnet_extended_release(gr);
    while ((d = STAILQ_FIRST(&gr->deferred)) != NULL) {
        STAILQ_REMOVE_HEAD(&gr->deferred, in_list);
        free(d);
    }
    if (gr->transport != NULL)
        gr->transport->ops->destroy(gr->transport);
    free(gr->tickets.list);
    free(gr->scratch.bytes);
    for (struct gasnet_handled *in = gr->handled; in != NULL; in = in->outer) {
        free(in->copy.bytes);
        free(in->deferred);
    }
    free(gr->peers);
    free(gr->sent);
    free(gr);
}

/* ---- init ---- */

static gasnet_system_fn note_attached, note_ready;

static void open_transport(struct gasnet_rank *gr)
{
    char why[TRANSPORT_WHY_BYTES];
    uint32_t room;

    if (!transport_open(gr->host, "gasnet", why, &gr->transport))
        gasnet_fail(gr, "%s", why);
    room = gr->transport->caps.fifo_bytes - (uint32_t)sizeof(struct gasnet_head);
    gr->medium_max = room < MEDIUM_MOST ? room & ~7u : MEDIUM_MOST;
    gr->packed_bytes = (uint32_t)transport_setting(gr->host, "gasnet.packed_bytes", 0);
    if (gr->packed_bytes > gr->medium_max)
        gr->packed_bytes = gr->medium_max;
    if (gr->medium_max < MEDIUM_LEAST)
        gasnet_fail(gr, "entries of %u bytes of transport %s: expected at least %zu",
                    gr->transport->caps.fifo_bytes, gr->transport->ops->name,
                    MEDIUM_LEAST + sizeof(struct gasnet_head));
}

int gasneti_init(int *argc, char ***argv, gasneti_getenv_fn *environment)
{
    static const char call[] = "gasnet_init";
    struct host *h = host_self();
    struct gasnet_rank *gr = gasnet_self();
    struct gasnet_visit v;

    (void)argc;
    (void)argv;
    if (h == NULL)
        gasnet_end_outside(call, __builtin_return_address(0));
    if (gr == NULL) {
        gr = calloc(1, sizeof(*gr));
        if (gr == NULL)
            return GASNET_ERR_RESOURCE;
        gr->host = h;
        gr->environment = environment;
        STAILQ_INIT(&gr->deferred);
        gr->release = release_rank;
        gr->look = gasnet_look;
        h->ends_all = true;
        host_state_add(&h->states, &gr->kept, gasnet_rank_release);
    } else {
        v = gasnet_enter(call, __builtin_return_address(0), GASNET_NEEDS_INIT);
        gasnet_fail(gr, "called twice");
    }
    v = gasnet_enter(call, __builtin_return_address(0), GASNET_NEEDS_INIT);
    gr->peers = gasnet_need(gr, calloc(h->size, sizeof(*gr->peers)));
    gr->sent = gasnet_need(gr, calloc(h->size, sizeof(*gr->sent)));
    gasnet_system_set(gr, GASNET_SYS_ATTACHED, note_attached);
    gasnet_system_set(gr, GASNET_SYS_READY, note_ready);
    gasnet_exit_init(gr);
    gasnet_extended_init(gr);
    gasnet_vis_start(gr);
    gasnet_coll_start(gr);
    open_transport(gr);
    gasnet_environment_check(gr);
    gasnet_leave(&v);
    return GASNET_OK;
}

/* ---- attach ---- */

static void register_handler(struct gasnet_rank *gr, gasnet_handlerentry_t *e)
{
    if (e->fnptr == NULL)
        gasnet_fail(gr, "handler %u: expected a function, not NULL", e->index);
    if (e->index == 0) { /* any: the same on all nodes that have the same table */
        unsigned free_one = GASNET_FIRST_CLIENT;

        while (free_one < GASNET_HANDLERS && gr->handlers[free_one] != NULL)
            free_one++;
        if (free_one == GASNET_HANDLERS)
            gasnet_fail(gr, "more handlers than indexes %u .. 255", GASNET_FIRST_CLIENT);
        e->index = (gasnet_handler_t)free_one;
    } else if (e->index < GASNET_FIRST_CLIENT) {
        gasnet_fail(gr, "handler %u: expected 0 or %u .. 255", e->index, GASNET_FIRST_CLIENT);
    } else if (gr->handlers[e->index] != NULL) {
        gasnet_fail(gr, "handler %u: registered twice", e->index);
    }
    gr->handlers[e->index] = e->fnptr;
}

static void register_handlers(struct gasnet_rank *gr, gasnet_handlerentry_t *table, int n)
{
    for (int i = 0; i < n; i++)
        if (table[i].index != 0)
            register_handler(gr, &table[i]);
    for (int i = 0; i < n; i++)
        if (table[i].index == 0)
            register_handler(gr, &table[i]);
}

/* "host", or "gpu" and its number. */
static void segment_place(struct gasnet_rank *gr)
{
    const struct host_setting *s = host_setting_of(gr->host, "gasnet.segment");
    unsigned n = gr->host->gpus->number(gr->host);

    gr->segment_on_gpu = s != NULL && strncmp(s->word, "gpu", 3) == 0;
    if (!gr->segment_on_gpu)
        return;
    gr->segment_gpu = (unsigned)strtoul(s->word + 3, NULL, 10);
    if (gr->segment_gpu >= n)
        gasnet_fail(gr, "segment=%s: node %u has %u GPUs", s->word, gr->host->node->index, n);
}

static void make_segment(struct gasnet_rank *gr, uint64_t bytes)
{
    struct host *h = gr->host;

    segment_place(gr);
    if (bytes == 0)
        return;
    gr->segment = gr->segment_on_gpu ? h->gpus->alloc(h, gr->segment_gpu, bytes, HOST_GPU_PAGE)
                                     : h->memory->alloc(h, bytes, GASNET_PAGESIZE);
    if (gr->segment == NULL)
        gasnet_fail(gr, "segsize = %llu: node %u has not so much memory left",
                    (unsigned long long)bytes, h->node->index);
    gr->segment_bytes = bytes;
}

static void note_attached(struct gasnet_rank *gr, struct gasneti_token *token, void *data,
                          uint32_t bytes, const int32_t *args, unsigned nargs)
{
    const struct gasnet_peer *peers = data;
    unsigned count = bytes / (uint32_t)sizeof(*peers);

    (void)token;
    (void)nargs;
    for (unsigned i = 0; i < count; i++)
        memcpy(&gr->peers[((unsigned)args[0] + i) % gr->host->size], &peers[i], sizeof(*peers));
}

static void note_ready(struct gasnet_rank *gr, struct gasneti_token *token, void *data,
                       uint32_t bytes, const int32_t *args, unsigned nargs)
{
    (void)token;
    (void)data;
    (void)bytes;
    (void)args;
    (void)nargs;
    gr->ready++;
}

static void tell(struct gasnet_rank *gr, unsigned to, enum gasnet_system what, const void *data,
                 uint32_t bytes, const int32_t *arg)
{
    const struct gasnet_am am = { .category = GASNET_MEDIUM,
                                  .dest = to,
                                  .handler = (gasnet_handler_t)what,
                                  .from = data,
                                  .bytes = bytes,
                                  .nargs = arg != NULL,
                                  .args = arg };

    gasnet_send(gr, &am);
}

/** To rank `to`: the segments of `count` ranks from this one on, as many as a message takes. */
static void tell_segments(struct gasnet_rank *gr, unsigned to, unsigned count)
{
    const unsigned most = gr->medium_max / (uint32_t)sizeof(*gr->peers), n = gr->host->size;

    for (unsigned done = 0, some; done < count; done += some) {
        unsigned first = (gr->host->rank + done) % n;
        const int32_t arg = (int32_t)first;

        some = count - done < most ? count - done : most;
        some = n - first < some ? n - first : some;
        tell(gr, to, GASNET_SYS_ATTACHED, &gr->peers[first], some * (uint32_t)sizeof(*gr->peers),
             &arg);
    }
}

/** Are those of `count` ranks from this one on known? */
static bool knows(const struct gasnet_rank *gr, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (!gr->peers[(gr->host->rank + i) % gr->host->size].attached)
            return false;
    return true;
}

/* By dissemination: in each round a rank passes on what it knows, so few ranks have to do with each
 * other. It answers for what it has attached itself: no message of a program comes before it knows
 * all of them, since the first rank says when all do. */
static void exchange_segments(struct gasnet_rank *gr)
{
    struct transport *t = gr->transport;
    unsigned n = gr->host->size, me = gr->host->rank;
    struct gasnet_peer *own = &gr->peers[me]; /* zero up to here, for it is sent as it lies there */

    own->segment = (uint64_t)(uintptr_t)gr->segment;
    own->bytes = gr->segment_bytes;
    own->on_gpu = gr->segment_on_gpu;
    own->exposed = gr->segment_bytes > 0 && t->ops->expose != NULL &&
                   t->ops->expose(t, gr->segment, gr->segment_bytes, &own->key);
    own->attached = true;
    for (unsigned have = 1; have < n; have *= 2) {
        unsigned more = have < n - have ? have : n - have;

        gasnet_waits_begin(gr, "gasnet_attach() of", (int)((me + have) % n));
        tell_segments(gr, (me + n - have) % n, more);
        while (!knows(gr, have + more))
            gasnet_progress(gr);
    }
    gr->phase = GASNET_IS_ATTACHED; /* a message of one that has heard so may come before READY */
    if (n > 1 && me != 0)
        tell(gr, 0, GASNET_SYS_READY, NULL, 0, NULL);
    gasnet_waits_begin(gr, "gasnet_attach() of", me == 0 ? -1 : 0);
    while (me == 0 ? gr->ready + 1 < n : gr->ready == 0)
        gasnet_progress(gr);
    for (unsigned i = 1; me == 0 && i < n; i++)
        tell(gr, i, GASNET_SYS_READY, NULL, 0, NULL);
    gasnet_waits_end(gr);
}

int gasnet_attach(gasnet_handlerentry_t *table, int n, uintptr_t segsize, uintptr_t minheapoffset)
{
    struct gasnet_visit v = GASNET_ENTER(GASNET_NEEDS_INIT);
    struct gasnet_rank *gr = v.gr;

    (void)minheapoffset; /* the heap is not beside the segment */
    if (gr->phase != GASNET_IS_INIT)
        gasnet_fail(gr, "called twice");
    if (segsize % GASNET_PAGESIZE != 0)
        gasnet_fail(gr, "segsize = %llu: expected a multiple of %u", (unsigned long long)segsize,
                    (unsigned)GASNET_PAGESIZE);
    if (segsize > gasnet_getMaxLocalSegmentSize())
        gasnet_fail(gr, "segsize = %llu: expected at most %llu, gasnet_getMaxLocalSegmentSize()",
                    (unsigned long long)segsize,
                    (unsigned long long)gasnet_getMaxLocalSegmentSize());
    register_handlers(gr, table, n);
    make_segment(gr, segsize);
    exchange_segments(gr);
    gasnet_leave(&v);
    return GASNET_OK;
}

/* ---- what a rank may ask ---- */

gasnet_node_t gasnet_mynode(void)
{
    struct gasnet_visit v = GASNET_ENTER(GASNET_NEEDS_INIT);

    gasnet_leave(&v);
    return v.gr->host->rank;
}

gasnet_node_t gasnet_nodes(void)
{
    struct gasnet_visit v = GASNET_ENTER(GASNET_NEEDS_INIT);

    gasnet_leave(&v);
    return v.gr->host->size;
}

/* What the user or the program's environment allows, in whole pages, of which there is one. */
static uint64_t segment_limit(struct gasnet_rank *gr)
{
    uint64_t most = transport_setting(gr->host, "gasnet.max_segment_bytes", SEGMENT_MOST);

    most = gasnet_environment_bytes(gr, "GASNET_MAX_SEGSIZE", most) / GASNET_PAGESIZE;
    if (most > SEGMENT_MOST / GASNET_PAGESIZE)
        most = SEGMENT_MOST / GASNET_PAGESIZE;
    return most > 0 ? most * GASNET_PAGESIZE : GASNET_PAGESIZE;
}

static bool has_room(struct gasnet_rank *gr, uint64_t bytes)
{
    struct host *h = gr->host;
    void *p = gr->segment_on_gpu ? h->gpus->alloc(h, gr->segment_gpu, bytes, HOST_GPU_PAGE)
                                 : h->memory->alloc(h, bytes, GASNET_PAGESIZE);

    if (p != NULL && gr->segment_on_gpu)
        h->gpus->free(h, gr->segment_gpu, p);
    else if (p != NULL)
        h->memory->free(h, p);
    return p != NULL;
}

/* Half of the largest power of two that there is room for, or the limit if that is less. */
uintptr_t gasnet_getMaxLocalSegmentSize(void)
{
    struct gasnet_visit v = GASNET_ENTER(GASNET_NEEDS_INIT);
    uint64_t limit = segment_limit(v.gr), most = SEGMENT_MOST;

    segment_place(v.gr);
    while (most > GASNET_PAGESIZE && !has_room(v.gr, most))
        most /= 2;
    most /= 2;
    gasnet_leave(&v);
    return most < limit ? most : limit;
}

uintptr_t gasnet_getMaxGlobalSegmentSize(void)
{
    return gasnet_getMaxLocalSegmentSize();
}

int gasnet_getSegmentInfo(gasnet_seginfo_t *table, int n)
{
    struct gasnet_visit v = GASNET_ENTER(GASNET_NEEDS_ATTACH);

    if (table == NULL && n > 0)
        gasnet_fail(v.gr, "no table: expected one for %d nodes", n);
    for (int i = 0; i < n; i++) {
        const struct gasnet_peer *peer = (unsigned)i < v.gr->host->size ? &v.gr->peers[i] : NULL;

        table[i].addr = peer != NULL ? (void *)(uintptr_t)peer->segment : NULL; /* NOLINT */
        table[i].size = peer != NULL ? peer->bytes : 0;
    }
    gasnet_leave(&v);
    return GASNET_OK;
}

int gasnet_getNodeInfo(gasnet_nodeinfo_t *table, int n)
{
    struct gasnet_visit v = GASNET_ENTER(GASNET_NEEDS_INIT);

    if (table == NULL && n > 0)
        gasnet_fail(v.gr, "no table: expected one for %d nodes", n);
    for (int i = 0; i < n; i++)
        table[i] = (gasnet_nodeinfo_t){ (uint32_t)i, (uint32_t)i };
    gasnet_leave(&v);
    return GASNET_OK;
}

int gasnet_set_waitmode(int mode)
{
    struct gasnet_visit v = GASNET_ENTER(GASNET_NEEDS_INIT);

    gasnet_leave(&v);
    return mode >= GASNET_WAIT_SPIN && mode <= GASNET_WAIT_SPINBLOCK ? GASNET_OK
                                                                     : GASNET_ERR_BAD_ARG;
}
