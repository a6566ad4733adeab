/* Settings, memory and connections: each rank has a connection for each rail to each other one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hosts/driver/driver.h"
#include "hosts/transport/ib/internal.h"

/* What a setting is by 0, where nothing was said; and so in its text. */
#define STRIPE_BYTES    16384
#define INLINE_BYTES    128
#define GDR_LIMIT       8192
#define GPU_LOAD_BYTES  16
#define GPU_STORE_BYTES 16
#define GPU_EAGER_BYTES 4096
#define CHUNK_BYTES     262144
#define CHUNKS          4
#define TEXT_OF(value)  #value
#define TEXT(value)     TEXT_OF(value)

#define BYTES(key, own, text)                                                                      \
    HOST_PARAM_BYTES("mpi." key, 0, "InfiniBand: " text "; 0 = " TEXT(own))
#define BYTES_OR_NONE(key, own, text)                                                              \
    HOST_PARAM_BYTES("mpi." key, 0, "InfiniBand: " text "; 0 = " TEXT(own) "; 1 = none")

const struct host_param ibt_params[] = {
    { "mpi.rails", "1", 0, 2, 0, "ports of the InfiniBand adapter that MPI uses; 0 = one", NULL,
      0 },
    BYTES("stripe_bytes", STRIPE_BYTES, "shortest write that is shared out among the rails"),
    BYTES("inline_bytes", INLINE_BYTES, "longest entry that travels inside of its work request"),
    HOST_PARAM_CHOICE("mpi.gdr", 0, "own|on|off", 2,
                      "InfiniBand: whether the adapter reads and writes GPU memory"),
    BYTES("gdr_limit", GDR_LIMIT, "longest message that the adapter moves from or to a GPU"),
    BYTES_OR_NONE("gpu_load_bytes", GPU_LOAD_BYTES, "most data that the core loads from a GPU"),
    BYTES_OR_NONE("gpu_store_bytes", GPU_STORE_BYTES, "most data that the core stores to a GPU"),
    HOST_PARAM_CHOICE(
        "mpi.gpu_gather", 0, "own|on|off", 2,
        "InfiniBand: eager data leave the GPU by the adapter, or are looped to the host first"),
    BYTES_OR_NONE("gpu_eager_bytes", GPU_EAGER_BYTES,
                  "longest message from a GPU that is sent without asking"),
    BYTES("chunk_bytes", CHUNK_BYTES, "piece of a message that is staged through the host"),
    { "mpi.chunks", "1", 0, IBT_SLOTS_MAX, 0,
      "InfiniBand: such pieces under way; 0 = " TEXT(CHUNKS), NULL, 0 },
    { "mpi.copies_ahead", "1", 0, IBT_SLOTS_MAX, 0,
      "InfiniBand: pieces copied out of the GPU before the first of them leaves; 0 = 1", NULL, 0 },
    { "mpi.gdr_rails", "1", 0, 2, 0,
      "InfiniBand: ports that move data of a GPU without staging; 0 = one", NULL, 0 },
    HOST_PARAM_PS("mpi.gpu_query_ps", 0,
                  "InfiniBand: finding out whose memory a pointer of a call points to"),
    HOST_PARAM_END
};

static uint32_t number_of(const struct host *h, const char *key, uint32_t own)
{
    return (uint32_t)transport_setting(h, key, own);
}

/** A number of bytes that may be none: "none" is 1, since 0 means that nothing was said. */
static uint32_t bytes_or_none(const struct host *h, const char *key, uint32_t own)
{
    uint32_t bytes = number_of(h, key, own);

    return bytes == 1 ? 0 : bytes;
}

static struct ibt_settings settings_of(const struct host *h)
{
    struct ibt_settings set = {
        .rails = number_of(h, "mpi.rails", 1),
        .stripe_bytes = number_of(h, "mpi.stripe_bytes", STRIPE_BYTES),
        .inline_bytes = number_of(h, "mpi.inline_bytes", INLINE_BYTES),
        .gdr = !transport_is_set(h, "mpi.gdr", "off"),
        .gdr_limit = number_of(h, "mpi.gdr_limit", GDR_LIMIT),
        .gpu_load_bytes = bytes_or_none(h, "mpi.gpu_load_bytes", GPU_LOAD_BYTES),
        .gpu_store_bytes = bytes_or_none(h, "mpi.gpu_store_bytes", GPU_STORE_BYTES),
        .gpu_gather = !transport_is_set(h, "mpi.gpu_gather", "off"),
        .gpu_eager_bytes = bytes_or_none(h, "mpi.gpu_eager_bytes", GPU_EAGER_BYTES),
        .chunk_bytes = number_of(h, "mpi.chunk_bytes", CHUNK_BYTES),
        .chunks = number_of(h, "mpi.chunks", CHUNKS),
        .copies_ahead = number_of(h, "mpi.copies_ahead", 1),
        .gdr_rails = number_of(h, "mpi.gdr_rails", 1),
        .gpu_query_ps = transport_setting(h, "mpi.gpu_query_ps", 0),
        .rings = transport_wants_helper(h),
    };

    if (set.copies_ahead > set.chunks)
        set.copies_ahead = set.chunks;
    if (set.inline_bytes > IB_WQE_INLINE_MAX)
        set.inline_bytes = IB_WQE_INLINE_MAX;
    return set;
}

/* ---- memory -------------------------------------------------------------------------- */

static uint8_t *alloc_region(struct ibt *ib, uint64_t bytes, uint32_t access,
                             struct verbs_region *region)
{
    uint8_t *p = ib->t.host->memory->alloc(ib->t.host, bytes, HOST_PAGE);

    if (p == NULL || !verbs_register(&ib->v, p, bytes, access, region))
        return NULL;
    return p;
}

/* Room for what all connections, each to one rank, may have under way. */
static bool make_arrivals(struct ibt *ib)
{
    uint32_t ranks_log2 = 0;

    while ((UINT32_C(1) << ranks_log2) < ib->nranks)
        ranks_log2++;
    ib->rq_log2 = IBT_RQ_LOG2;
    while (ib->rq_log2 + ranks_log2 > IBT_ARRIVALS_LOG2)
        ib->rq_log2--;
    ib->rq_more = IBT_RQ_MORE << 1 <= 1u << ib->rq_log2 ? IBT_RQ_MORE : 1;
    return verbs_cq_create(&ib->v, ib->rq_log2 + ranks_log2, NULL, &ib->arrivals) &&
           verbs_cq_events(&ib->v, &ib->arrivals) && verbs_cq_events(&ib->v, &ib->cq);
}

static bool make_memory(struct ibt *ib)
{
    uint64_t queue_at = ibt_words_at(ib, IBT_WORDS), bytes;

    ib->ring_bytes = transport_ring_bytes(ib->nranks, IBT_RING_MAX, IBT_RING_MIN, IBT_RINGS_MAX);
    ib->fifo_bytes = ib->ring_bytes / 4;
    ib->ring_room = ib->ring_bytes + ib->fifo_bytes + 2 * IBT_UNIT;
    ib->rings_at = ibt_round_up(queue_at + ((uint64_t)IB_CQE_BYTES << IBT_QUEUE_LOG2), HOST_PAGE);
    ib->inbox_bytes = ib->rings_at + (uint64_t)ib->nranks * ib->ring_room;
    ib->inbox =
        alloc_region(ib, ib->inbox_bytes, IB_ACCESS_LOCAL | IB_ACCESS_WRITE, &ib->inbox_region);
    ib->scratch_at = (uint64_t)ib->nranks * ib->ring_room;
    bytes = ib->scratch_at + ib->fifo_bytes;
    ib->mirror = alloc_region(ib, bytes, IB_ACCESS_LOCAL | IB_ACCESS_WRITE, &ib->mirror_region);
    if (ib->inbox == NULL || ib->mirror == NULL)
        return false;
    memset(ib->inbox, 0, ib->inbox_bytes);
    ib->copies = (volatile uint64_t *)(void *)ib->inbox;
    for (unsigned words = 0; words < IBT_WORDS; words++)
        ib->words[words] = ib->copies + ibt_words_at(ib, words) / 8;
    for (unsigned g = 0; g < ib->t.host->gpus->number(ib->t.host) && g < IBT_GPUS; g++)
        ib->t.host->gpus->count(ib->t.host, g, &ib->copies[HOST_COPY_ENGINES * g]);
    return verbs_cq_create(&ib->v, IBT_QUEUE_LOG2, ib->inbox + queue_at, &ib->cq) &&
           (!ib->set.rings || make_arrivals(ib));
}

/* ---- connections ------------------------------------------------------------------------ */

/** What a rank reports of itself to another one; then that it is ready, and rank 0 that all are. */
struct record {
    uint32_t what; /* 0: this; 1: ready; 2: all are */
    uint32_t lid, inbox_key, stage_key;
    uint32_t qp[IBT_RAILS];
};

static bool note_qp(struct ibt *ib, struct ibt_qp *qp)
{
    if (qp->q.number >= IB_QPS)
        return false;
    ib->by_number[qp->q.number] = qp;
    return true;
}

static bool make_queue(struct ibt *ib, struct ibt_qp *qp, unsigned rail)
{
    const struct verbs_cq *arrivals = ib->set.rings ? &ib->arrivals : &ib->cq;

    if (!verbs_qp_create(&ib->v, &ib->cq, arrivals, IBT_SQ_LOG2, ib->rq_log2, rail, &qp->q) ||
        !note_qp(ib, qp))
        return false;
    if (ib->set.rings && rail == 0) /* the only one that such writes go by */
        verbs_post_empty(&qp->q, 1u << ib->rq_log2);
    return true;
}

static bool make_queues(struct ibt *ib)
{
    ib->peers = calloc(ib->nranks, sizeof(*ib->peers));
    ib->by_number = calloc(IB_QPS, sizeof(*ib->by_number));
    if (ib->peers == NULL || ib->by_number == NULL)
        return false;
    for (unsigned r = 0; r < ib->nranks; r++)
        for (unsigned rail = 0; rail < ib->set.rails; rail++) {
            struct ibt_qp *qp = r == ib->me ? &ib->loop : &ib->peers[r].qp[rail];

            if (r == ib->me && rail > 0)
                continue;
            if (!make_queue(ib, qp, rail))
                return false;
        }
    return verbs_qp_connect(&ib->loop.q, ib->v.lid, ib->loop.q.number);
}

static void send_record(struct ibt *ib, unsigned rank, const struct record *record)
{
    host_spend_cost(ib->t.host, HOST_COST_SYSCALL);
    ib->t.host->net->send(ib->t.host, rank, record, sizeof(*record));
}

static bool connect_peer(struct ibt *ib, unsigned rank, const struct record *far)
{
    struct ibt_peer *peer = &ib->peers[rank];

    peer->inbox_key = far->inbox_key;
    peer->stage_key = far->stage_key;
    peer->ring_there = ib->rings_at + (uint64_t)ib->me * ib->ring_room;
    for (unsigned rail = 0; rail < ib->set.rails; rail++)
        if (!verbs_qp_connect(&peer->qp[rail].q, far->lid, far->qp[rail]))
            return false;
    return true;
}

static void send_records(struct ibt *ib)
{
    for (unsigned i = 1; i < ib->nranks; i++) {
        unsigned r = (ib->me + i) % ib->nranks;
        struct record own = { 0, ib->v.lid, ib->inbox_region.key, ib->stage_region.key, { 0 } };

        for (unsigned rail = 0; rail < ib->set.rails; rail++)
            own.qp[rail] = ib->peers[r].qp[rail].q.number;
        send_record(ib, r, &own);
    }
}

/* A request that came before its connection is ready would be lost. */
static bool connect_all(struct ibt *ib)
{
    struct record word = { .what = 1 };
    unsigned known = 0, ready = 0;
    bool go = ib->me == 0;

    send_records(ib);
    while (known + 1 < ib->nranks || !go || (ib->me == 0 && ready + 1 < ib->nranks)) {
        struct host_message msg;
        struct record far;

        ib->t.host->net->receive(ib->t.host, &msg);
        memcpy(&far, msg.data, sizeof(far));
        if (far.what == 0 && !connect_peer(ib, msg.from, &far))
            return false;
        known += far.what == 0;
        ready += far.what == 1;
        go |= far.what == 2;
        if (far.what == 0 && known + 1 == ib->nranks && ib->me != 0)
            send_record(ib, 0, &word);
    }
    word.what = 2;
    for (unsigned r = 1; ib->me == 0 && r < ib->nranks; r++)
        send_record(ib, r, &word);
    return true;
}

bool ibt_set_up(struct ibt *ib, char *why)
{
    ib->set = settings_of(ib->t.host);
    if (ib->set.rails > ib->v.ports) {
        (void)snprintf(why, TRANSPORT_WHY_BYTES,
                       "transport ib: rails = %u: the adapter of node %u has %u port in use",
                       ib->set.rails, ib->t.host->node->index, ib->v.ports);
        return false;
    }
    return make_memory(ib) && ibt_stage_init(ib) && make_queues(ib) && connect_all(ib);
}
