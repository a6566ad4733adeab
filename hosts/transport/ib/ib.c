/* Transport over InfiniBand: RDMA writes by reliable connections. See internal.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hosts/driver/driver.h"
#include "hosts/transport/ib/internal.h"

/* They only interrupt; requests for more of them are posted anew. */
static void take_arrivals(struct ibt *ib)
{
    struct verbs_done done;

    while (verbs_poll(&ib->v, &ib->arrivals, &done)) {
        struct ibt_qp *qp = ib->by_number[done.qp];

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

    ibt_regions_fini(ib);
    free(ib->by_number);
    free(ib->peers);
    free(ib);
}

static void set_caps(struct ibt *ib)
{
    struct host *h = ib->t.host;

    ib->t.caps = (struct transport_caps){
        .gpu = h->gpus->number(h) > 0,
        .fifo_bytes = ib->fifo_bytes,
        .eager_bytes = ib->fifo_bytes - TRANSPORT_HEAD_BYTES,
        .gpu_eager_bytes = ib->set.gpu_eager_bytes != 0 ? ib->set.gpu_eager_bytes : 1,
        .copy_kb_ps = h->cpu->cost_ps(h, HOST_COST_COPY_KB),
        .entry_ps = h->cpu->cost_ps(h, HOST_COST_CALL),
    };
}

static struct transport *ib_create(struct host *h, char *why)
{
    struct ibt *ib = calloc(1, sizeof(*ib));

    (void)why;
    if (ib == NULL)
        return NULL;
    ib->nranks = h->size;
    ib->me = h->rank;
    return &ib->t;
}

static bool ib_connect(struct transport *t, char *why)
{
    struct ibt *ib = ibt_of(t);
    struct host *h = t->host;

    if (!verbs_open(&ib->v, h)) {
        (void)snprintf(
            why, TRANSPORT_WHY_BYTES,
            "transport ib: node %u has no InfiniBand adapter (platform hapacs-tca has one)",
            h->node->index);
        return false;
    }
    if (!ibt_set_up(ib, why))
        return false;
    set_caps(ib);
    return true;
}

static bool ib_append(struct transport *t, unsigned dest, enum transport_fifo fifo,
                      const void *head, uint32_t head_bytes, const void *data, uint32_t bytes)
{
    return ibt_append(ibt_of(t), dest, fifo, head, head_bytes, data, bytes);
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

static void ib_release(struct transport *t, enum transport_fifo fifo, unsigned source)
{
    (void)fifo;
    ibt_release(ibt_of(t), source);
}

static bool ib_expose(struct transport *t, void *p, uint64_t bytes, struct transport_key *key_p)
{
    struct ibt *ib = ibt_of(t);
    struct ibt_key key = { 0 };
    const struct verbs_region *region = NULL;
    struct host_pointer where;
    bool gpu = ibt_on_gpu(ib, p, &where);
    unsigned first = 0;

    if (bytes == 0)
        return false;
    if (!gpu || ib->set.gdr)
        region = ibt_region(ib, p, bytes, &key.offset);
    if (!gpu && region == NULL)
        return false;
    key.key = region != NULL ? region->key : 0;
    if (gpu) {
        key.gpu = (uint16_t)(where.gpu + 1);
        key.device = where.offset;
        if (region == NULL || !ibt_direct(ib, bytes)) {
            key.nslots = (uint8_t)ibt_slots_take(ib, &first);
            key.first_slot = (uint8_t)first;
            if (key.nslots == 0)
                return false;
        }
    }
    memset(key_p, 0, sizeof(*key_p));
    memcpy(key_p, &key, sizeof(key));
    return true;
}

static void ib_hide(struct transport *t, const struct transport_key *key_p)
{
    struct ibt_key key;

    memcpy(&key, key_p, sizeof(key));
    if (key.nslots != 0)
        ibt_slots_give(ibt_of(t), key.first_slot, key.nslots);
}

static bool ib_write(struct transport *t, unsigned dest, const struct transport_key *key_p,
                     uint64_t offset, const void *from, uint64_t bytes, const void *note,
                     uint32_t note_bytes, transport_ticket *ticket_p)
{
    struct ibt_key key;

    memcpy(&key, key_p, sizeof(key));
    return ibt_write(ibt_of(t), dest, &key, offset, from, bytes, note, note_bytes, ticket_p);
}

static bool ib_read(struct transport *t, unsigned source, const struct transport_key *key_p,
                    uint64_t offset, void *to, uint64_t bytes, transport_ticket *ticket_p)
{
    struct ibt_key key;

    memcpy(&key, key_p, sizeof(key));
    return ibt_read(ibt_of(t), source, &key, offset, to, bytes, ticket_p);
}

static bool ib_done(struct transport *t, transport_ticket ticket)
{
    struct ibt *ib = ibt_of(t);
    const struct ibt_op *op = &ib->ops[ticket % IBT_OPS];

    (void)progress_queues(ib);
    return ticket == 0 || op->ticket != ticket || op->pending == 0;
}

static void ib_copy(struct transport *t, void *to, const void *from, uint64_t bytes)
{
    ibt_copy(ibt_of(t), to, from, bytes);
}

/* Some of what it finds takes time, in which more may come that would wake nobody afterwards. */
static bool look(struct ibt *ib)
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

    if (!look(ib))
        t->host->bus->wait_write(t->host, ib->inbox, (uint32_t)ib->inbox_bytes);
    ib->room_made = false; /* they try again */
}

static bool ib_poll(struct transport *t)
{
    struct ibt *ib = ibt_of(t);
    bool any;

    host_spend_cost(t->host, HOST_COST_CALL);
    any = look(ib);
    ib->room_made = false;
    return any;
}

/* For the kernel, which reads the queues. */
static bool has_completions(const void *arg)
{
    const struct ibt *ib = arg;

    return verbs_ready(&ib->cq, 0) || verbs_ready(&ib->arrivals, 0);
}

/* Receive requests have to be posted anew, even if nobody waits for a message. */
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
    .params = ibt_params,
    .create = ib_create,
    .connect = ib_connect,
    .destroy = ib_destroy,
    .append = ib_append,
    .next = ib_next,
    .take = ib_take,
    .release = ib_release,
    .expose = ib_expose,
    .hide = ib_hide,
    .write = ib_write,
    .read = ib_read,
    .done = ib_done,
    .copy = ib_copy,
    .wait = ib_wait,
    .poll = ib_poll,
    .ring = ib_ring,
    .queued = ib_queued,
};
