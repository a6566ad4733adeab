/* Transport over InfiniBand: RDMA writes by reliable connections. See internal.h. */
#include <stdlib.h>
#include <string.h>

#include "hosts/driver/driver.h"
#include "hosts/transport/ib/region.h"
#include "hosts/transport/ib/stage.h"

/* Arrivals only interrupt; receive requests for more of them are posted anew. */
static void take_arrivals(struct ibt *ib)
{
    struct verbs_done done;

    while (verbs_poll(&ib->v, &ib->arrivals, &done)) {
        struct ibt_qp *qp = ibt_qp_of(ib, done.qp);

        if (done.status != IB_OK)
            ibt_fail(ib, &done);
        ib->t.rung = true;
        if (++qp->received < ib->rq_more)
            continue;
        qp->received = 0;
        verbs_post_empty(&qp->q, ib->rq_more);
    }
}

/* Takes completions in. @return whether the caller may find something new. */
static bool progress_queues(struct ibt *ib)
{
    bool any = ibt_take_completions(ib);

    if (ib->set.rings)
        take_arrivals(ib);
    return ibt_stage_run(ib) || any;
}

static void ib_destroy(struct transport *t)
{
    struct ibt *ib = ibt_of(t);

    ibt_cover_fini(&ib->cover);
    free(ib->regions);
    free(ib->by_number);
    free(ib->chunks);
    free(ib->qps);
    free(ib->peers);
    free(ib);
}

/* The adapter reads one GPU and writes to the other. */
static uint64_t read_gpu_bytes(const struct ibt *ib)
{
    uint64_t least = ib->set.gdr_limit < ib->set.gdr_receive_limit ? ib->set.gdr_limit
                                                                   : ib->set.gdr_receive_limit;

    return ib->set.gdr ? least : 0;
}

static void set_caps(struct ibt *ib)
{
    struct host *h = ib->t.host;

    ib->t.caps = (struct transport_caps){
        .gpu = h->gpus->number(h) > 0,
        .slots = true,
        .read_gpu_bytes = (uint32_t)read_gpu_bytes(ib),
        .fifo_bytes = ib->fifo_bytes,
        .eager_bytes = ib->fifo_bytes - TRANSPORT_HEAD_BYTES,
        .copy_kb_ps = h->cpu->cost_ps(h, HOST_COST_COPY_KB),
        .entry_ps = h->cpu->cost_ps(h, HOST_COST_CALL),
    };
}

static bool ib_connect(struct transport *t, char *why)
{
    struct ibt *ib = ibt_of(t);
    struct host *h = t->host;

    ib->nranks = h->size;
    ib->me = h->rank;
    if (!verbs_open(&ib->v, h))
        return transport_lacks(t, "InfiniBand adapter", "hapacs-tca", why);
    if (!ibt_set_up(ib, why))
        return false;
    set_caps(ib);
    return true;
}

static unsigned ib_next(struct transport *t, enum transport_fifo fifo, unsigned from)
{
    struct ibt *ib = ibt_of(t);

    (void)progress_queues(ib);
    for (unsigned r = from; r < ib->nranks; r++)
        if (r != ib->me && ibt_look(ib, r) && ib->peers[r].fifo == fifo)
            return r;
    return ib->nranks;
}

static bool ib_take(struct transport *t, enum transport_fifo fifo, unsigned source,
                    struct transport_taken *taken_p)
{
    struct ibt *ib = ibt_of(t);

    if (!ibt_look(ib, source) || ib->peers[source].fifo != fifo)
        return false;
    *taken_p = ib->peers[source].entry;
    return true;
}

static bool ib_expose(struct transport *t, void *p, uint64_t bytes, struct transport_key *key_p)
{
    struct ibt *ib = ibt_of(t);
    struct ibt_key key = { 0 };
    const struct verbs_region *region = NULL;
    struct host_pointer where;
    bool gpu = ibt_on_gpu(ib, p, &where);

    if (bytes == 0)
        return false;
    if (!gpu || ib->set.gdr)
        region = ibt_region(ib, p, bytes, &key.offset);
    if (!gpu && region == NULL)
        return false;
    /* Several ranks write to memory of a one-sided library at once: no chunks are shared. */
    if (gpu && t->one_sided && (region == NULL || !ibt_direct_in(ib, bytes)))
        return false;
    key.key = region != NULL ? region->key : 0;
    if (gpu) {
        key.gpu = (uint16_t)(where.gpu + 1);
        key.device = where.offset;
        if ((region == NULL || !ibt_direct_in(ib, bytes)) && !ibt_slots_take(ib, &key))
            return false;
    }
    memcpy(key_p, &key, sizeof(key));
    return true;
}

static void ib_hide(struct transport *t, const struct transport_key *key_p)
{
    const struct ibt_key key = ibt_key_of(key_p, 0);

    ibt_slots_give(ibt_of(t), &key);
}

static bool ib_done(struct transport *t, transport_ticket ticket)
{
    struct ibt *ib = ibt_of(t);
    const struct ibt_op *op = &ib->ops[ticket % IBT_OPS];

    (void)progress_queues(ib);
    return ticket == 0 || op->ticket != ticket || op->pending == 0;
}

/* Each request reports its end when the far adapter has acknowledged its data. */
static bool ib_placed(struct transport *t, transport_ticket ticket)
{
    struct ibt *ib = ibt_of(t);
    const struct ibt_op *op = &ib->ops[ticket % IBT_OPS];

    (void)progress_queues(ib);
    return ticket == 0 || op->ticket != ticket || ibt_op_placed(ib, op);
}

/* Some of what it finds takes time. What comes meanwhile would not end a wait that begins then. */
static bool look_for_news(struct ibt *ib)
{
    struct host *h = ib->t.host;
    uint64_t since_ps;
    bool any;

    do {
        since_ps = h->cpu->time_ps(h);
        any = progress_queues(ib);
        any |= ibt_news(ib) || ib->has_ended;
        ib->has_ended = false;
    } while (!any && h->cpu->time_ps(h) != since_ps);
    return any;
}

static void ib_wait(struct transport *t)
{
    struct ibt *ib = ibt_of(t);

    if (!look_for_news(ib))
        t->host->bus->wait_write(t->host, ib->inbox, (uint32_t)ib->inbox_bytes);
    ib->room_made = false; /* they try again */
}

static bool ib_poll(struct transport *t)
{
    struct ibt *ib = ibt_of(t);
    bool any;

    host_spend_cost(t->host, HOST_COST_CALL);
    any = look_for_news(ib);
    ib->room_made = false;
    return any;
}

/* For the kernel, which reads the queues. */
static bool has_completions(const void *arg)
{
    const struct ibt *ib = arg;

    return verbs_ready(&ib->cq, 0) || verbs_ready(&ib->arrivals, 0);
}

/* Receive requests have to be posted anew, even where no call waits for a message. */
static bool ib_queued(const struct transport *t)
{
    const struct ibt *ib = (const struct ibt *)t;

    return ib->set.rings && verbs_ready(&ib->arrivals, ib->rq_more - 1);
}

static bool ib_ring(struct transport *t)
{
    const struct driver_helper helper = { .h = t->host, .news = has_completions, .arg = ibt_of(t) };

    return ibt_of(t)->set.rings && driver_helper_add(driver_of(t->host), &helper);
}

const struct transport_ops transport_ib = {
    .name = "ib",
    .network = HOST_NETWORK_IB,
    .params = { [TRANSPORT_MPI] = ibt_mpi_params, [TRANSPORT_GASNET] = ibt_gasnet_params },
    .bytes = sizeof(struct ibt),
    .connect = ib_connect,
    .destroy = ib_destroy,
    .append = ibt_append,
    .next = ib_next,
    .take = ib_take,
    .release = ibt_release,
    .expose = ib_expose,
    .hide = ib_hide,
    .write = ibt_write,
    .lays_out = ibt_lays_out,
    .read = ibt_read,
    .done = ib_done,
    .placed = ib_placed,
    .gpu_eager_bytes = ibt_gpu_eager_bytes,
    .copy = ibt_copy,
    .wait = ib_wait,
    .poll = ib_poll,
    .ring = ib_ring,
    .queued = ib_queued,
};
