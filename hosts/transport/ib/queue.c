/* Work requests: posted to queue pairs, and their ends. */
#include <stdio.h>

#include "hosts/transport/ib/internal.h"

/** "to rank 1", "within node 0" */
static void peer_text(const struct ibt *ib, const struct ibt_qp *qp, const char *way, char *text,
                      size_t room)
{
    if (qp != &ib->loop)
        (void)snprintf(text, room, "%s rank %u", way, (unsigned)(qp - ib->qps) / ib->set.rails);
    else
        (void)snprintf(text, room, "within node %u", ib->t.host->node->index);
}

/** "a write of 2048 bytes to rank 1"; of one that the adapter could not read nothing is known. */
static void request_text(const struct ibt *ib, const struct verbs_done *done, char *text,
                         size_t room)
{
    unsigned op = done->op & ~IB_CQE_RECEIVE;
    char peer[32];

    peer_text(ib, ibt_qp_of(ib, done->qp),
              done->op == IB_WQE_WRITE || done->op == 0 ? "to" : "from", peer, sizeof(peer));
    if (op != done->op)
        (void)snprintf(text, room, "a receive request for what comes %s", peer);
    else if (op == 0)
        (void)snprintf(text, room, "a request %s", peer);
    else
        (void)snprintf(text, room, "a %s of %u bytes %s", op == IB_WQE_READ ? "read" : "write",
                       done->bytes, peer);
}

static const char *reason_text(unsigned status)
{
    switch (status) {
    case IB_ERR_LOCAL:
        return "the adapter could not read the memory of this node";
    case IB_ERR_REMOTE:
        return "the adapter there could not reach the memory of its node, or may not";
    default: /* IB_ERR_LENGTH */
        return "it is longer than what was to receive it";
    }
}

/** Nothing of the connection works any more, so that ranks would wait for ever. */
void ibt_fail(struct ibt *ib, const struct verbs_done *done)
{
    struct host *h = ib->t.host;
    char place[128] = "", request[100], line[500];

    if (h->entry.name != NULL)
        h->process->place(h, h->entry.from, place, sizeof(place));
    request_text(ib, done, request, sizeof(request));
    (void)snprintf(line, sizeof(line),
                   "rank %u on node %u at %.6f us: %s%s%s%s over InfiniBand failed: %s", h->rank,
                   h->node->index, (double)h->cpu->time_ps(h) * 1e-6,
                   h->entry.name != NULL ? h->entry.name : "", place,
                   h->entry.name != NULL ? ": " : "", request, reason_text(done->status));
    h->process->print(h, line);
    h->process->abort(h, 1);
}

static void end_all(struct ibt *ib, struct ibt_op *op)
{
    const struct verbs_region lent = op->lent;

    if (op->to != NULL)
        transport_copy(&ib->t, op->to, op->from, op->bytes);
    op->to = NULL;
    op->lent.key = 0;
    if (lent.key != 0)
        verbs_deregister(&ib->v, &lent);
}

/* It is not over before what waits for its end is done, too. */
static void end_part(struct ibt *ib, struct ibt_op *op)
{
    if (op->pending == 1)
        end_all(ib, op);
    op->pending--;
}

/* The data of a flushed request may not be there, so what waits for it goes on waiting. The request
 * that failed is reported behind it, or to the other rank, and ends all ranks with the reason. */
bool ibt_take_completions(struct ibt *ib)
{
    struct verbs_done done;
    bool any = false;

    while (verbs_poll(&ib->v, &ib->cq, &done)) {
        struct ibt_qp *qp = ibt_qp_of(ib, done.qp);
        unsigned op = qp->op[done.number % (1u << IBT_SQ_LOG2)];

        any = ib->has_ended = true;
        qp->q.ended = done.number + 1;
        ib->under_way--;
        if (done.status != IB_OK && done.status != IB_ERR_FLUSHED)
            ibt_fail(ib, &done);
        if (op != 0 && done.status == IB_OK)
            end_part(ib, &ib->ops[op - 1]);
    }
    return any;
}

static void wait_completion(struct ibt *ib)
{
    if (!ibt_take_completions(ib))
        ib->t.host->bus->wait_write(ib->t.host, verbs_next(&ib->cq), IB_CQE_BYTES);
}

/* Each request reports its end, as those of MVAPICH2 do (IBV_SEND_SIGNALED in its vbuf.h). */
void ibt_post(struct ibt *ib, struct ibt_qp *qp, struct verbs_send *send, struct ibt_op *op)
{
    while (!verbs_has_room(&qp->q) || ib->under_way == 1u << IBT_QUEUE_LOG2)
        wait_completion(ib);
    if (op != NULL)
        op->pending++;
    send->signaled = true;
    ib->under_way++;
    qp->op[qp->q.posted % (1u << IBT_SQ_LOG2)] = op != NULL ? (uint8_t)(op - ib->ops + 1) : 0;
    (void)verbs_post(&qp->q, send);
}

void ibt_report(struct ibt *ib, unsigned rank, enum ibt_words words, uint64_t count)
{
    struct ibt_peer *peer = &ib->peers[rank];
    struct verbs_send s = { .op = IB_WQE_WRITE,
                            .bytes = 8,
                            .far_offset = ibt_words_at(ib, words) + ib->me * UINT64_C(8),
                            .far_key = peer->inbox_key,
                            .immediate = ib->set.rings && words != IBT_MARKS,
                            .data = &count };

    ibt_post(ib, &peer->qp[words == IBT_MARKS ? 1 : 0], &s, NULL);
}

void ibt_wait_op(struct ibt *ib, const struct ibt_op *op)
{
    while (op->pending != 0)
        wait_completion(ib);
}

struct ibt_op *ibt_op_new(struct ibt *ib)
{
    for (unsigned i = 0; i < IBT_OPS; i++) {
        transport_ticket next = ib->tickets + 1 + i;
        struct ibt_op *op = &ib->ops[next % IBT_OPS];

        if (op->pending != 0 || (op->watched && !ibt_op_placed(ib, op)))
            continue;
        ib->tickets = next;
        *op = (struct ibt_op){ .ticket = next, .pending = 1 };
        return op;
    }
    return NULL;
}

void ibt_op_posted(struct ibt *ib, struct ibt_op *op)
{
    end_part(ib, op);
}
