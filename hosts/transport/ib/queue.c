/* Work requests: posted to queue pairs, and their ends. */
#include "hosts/transport/ib/internal.h"

bool ibt_take_completions(struct ibt *ib)
{
    struct verbs_done done;
    bool any = false;

    while (verbs_poll(&ib->v, &ib->cq, &done)) {
        struct ibt_qp *qp = ib->by_number[done.qp];
        struct ibt_op **op = &qp->op[done.number % (1u << IBT_SQ_LOG2)];

        any = ib->has_ended = true;
        qp->q.ended = done.number + 1;
        ib->under_way--;
        if (done.status != IB_OK) {
            ib->t.host->process->print(ib->t.host, "InfiniBand: a work request failed");
            ib->t.host->process->abort(ib->t.host, 1);
        }
        if (*op != NULL)
            (*op)->pending--;
        *op = NULL;
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
    qp->op[qp->q.posted % (1u << IBT_SQ_LOG2)] = op;
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

        if (op->pending != 0)
            continue;
        ib->tickets = next;
        op->ticket = next;
        return op;
    }
    return NULL;
}
