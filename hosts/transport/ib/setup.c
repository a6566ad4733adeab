/* Settings, memory and connections: each rank has a connection for each rail to each other one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hosts/driver/driver.h"
#include "hosts/transport/ib/region.h"
#include "hosts/transport/ib/stage.h"

#define ROW(key, unit, most, meaning)                                                              \
    {                                                                                              \
        key, unit, 0, most, 0, meaning, NULL, 0                                                    \
    }
#define MPI_NUMBER(member, unit, most, own, meaning) ROW("mpi." #member, unit, most, meaning),
#define MPI_SWITCH(member, meaning)                  HOST_PARAM_CHOICE("mpi." #member, 0, "own|on|off", 2, meaning),
const struct host_param ibt_mpi_params[] = { IBT_SETTINGS(MPI_NUMBER, MPI_SWITCH) HOST_PARAM_END };
#define GASNET_NUMBER(member, unit, most, own, meaning) ROW("gasnet." #member, unit, most, meaning),
#define GASNET_SWITCH(member, meaning)                                                             \
    HOST_PARAM_CHOICE("gasnet." #member, 0, "own|on|off", 2, meaning),
const struct host_param ibt_gasnet_params[] = { IBT_SETTINGS(GASNET_NUMBER, GASNET_SWITCH)
                                                    HOST_PARAM_END };

/* Of bytes that may be none: "none" is 1, since 0 means that nothing was said. */
static void make_none(uint32_t *bytes)
{
    if (*bytes == 1)
        *bytes = 0;
}

static struct ibt_settings settings_of(const struct transport *t)
{
    struct ibt_settings set = { .rings = transport_wants_helper(t) };

#define READ_NUMBER(member, unit, most, own, meaning)                                              \
    set.member = (uint32_t)transport_number(t, #member, own);
#define READ_SWITCH(member, meaning) set.member = !transport_has_word(t, #member, "off");
    IBT_SETTINGS(READ_NUMBER, READ_SWITCH)
    if (set.gdr_receive_limit == 0)
        set.gdr_receive_limit = set.gdr_limit;
    make_none(&set.gpu_load_bytes);
    make_none(&set.gpu_store_bytes);
    make_none(&set.gpu_eager_bytes);
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
    uint32_t longest, entries;

    ib->ring_bytes = transport_ring_bytes(ib->nranks, IBT_RING_MAX, IBT_RING_MIN, IBT_RINGS_MAX);
    ib->fifo_bytes = ib->ring_bytes / 4;
    longest = ibt_longest_entry(transport_fifo_bytes(&ib->t, ib->fifo_bytes));
    entries = transport_ring_entries(&ib->t, ib->ring_bytes / longest);
    if (entries < ib->ring_bytes / longest)
        ib->ring_bytes = entries * longest;
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
    host_clear(ib->inbox, ib->inbox_bytes);
    ib->copies = (volatile uint64_t *)(void *)ib->inbox;
    for (unsigned words = 0; words < IBT_WORDS; words++)
        ib->words[words] = ib->copies + ibt_words_at(ib, words) / 8;
    for (unsigned g = 0; g < ib->t.host->gpus->number(ib->t.host) && g < IBT_GPUS; g++)
        ib->t.host->gpus->count(ib->t.host, ib->t.user, g, &ib->copies[HOST_COPY_ENGINES * g]);
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
    uint32_t at, n;
    struct ibt_qp **more;

    if (ib->numbers == 0)
        ib->first_number = qp->q.number;
    at = qp->q.number - ib->first_number;
    if (at >= ib->numbers) {
        n = at + at / 2 + 16;
        more = realloc(ib->by_number, n * sizeof(struct ibt_qp *));
        if (more == NULL)
            return false;
        ib->by_number = more;
        ib->numbers = n;
    }
    ib->by_number[at] = qp;
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

static bool make_peers(struct ibt *ib)
{
    ib->peers = calloc(ib->nranks, sizeof(*ib->peers));
    ib->qps = calloc((size_t)ib->nranks * ib->set.rails, sizeof(*ib->qps));
    ib->chunks = malloc((size_t)ib->nranks * IBT_SLOTS_MAX * sizeof(*ib->chunks));
    if (ib->peers == NULL || ib->qps == NULL || ib->chunks == NULL)
        return false;
    for (unsigned r = 0; r < ib->nranks; r++) {
        ib->peers[r].qp = &ib->qps[(size_t)r * ib->set.rails];
        ib->peers[r].chunk = &ib->chunks[(size_t)r * IBT_SLOTS_MAX];
    }
    return true;
}

static bool make_queues(struct ibt *ib)
{
    if (!make_peers(ib))
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
    transport_send(&ib->t, rank, record, sizeof(*record));
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

        transport_receive(&ib->t, &msg);
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
    ib->set = settings_of(&ib->t);
    if (ib->set.rails > ib->v.ports) {
        (void)snprintf(why, TRANSPORT_WHY_BYTES,
                       "transport ib: rails = %u: the adapter of node %u has %u port in use",
                       ib->set.rails, ib->t.host->node->index, ib->v.ports);
        return false;
    }
    return make_memory(ib) && ibt_stage_init(ib) && ibt_bounce_init(ib) && make_queues(ib) &&
           connect_all(ib);
}
