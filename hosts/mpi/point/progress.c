/* All that has come, and waiting for it. */
#include <stdlib.h>
#include <string.h>

#include "hosts/mpi/point/protocol.h"

void mpi_came(struct mpi_rank *mr, struct mpi_peer *peer, enum transport_fifo fifo,
              const struct mpi_entry *e, const uint8_t *data, uint32_t bytes)
{
    if (fifo == TRANSPORT_MESSAGE)
        mpi_message_came(mr, peer, e, data, bytes);
    else
        mpi_request_came(mr, peer, e);
}

/* Sources from `from` to `to`. */
static void take_range(struct mpi_rank *mr, enum transport_fifo fifo, unsigned from, unsigned to,
                       const bool *stop)
{
    struct transport *t = mr->transport;

    while ((stop == NULL || !*stop) && from < to) {
        from = t->ops->next(t, fifo, from);
        if (from >= to)
            return;
        mr->protocol->turn[fifo] = from;
        mpi_take(mr, fifo, mpi_peer_of(mr, from), stop);
        from++;
    }
}

/* From the source after the last one on, so that none has to wait for ever. */
static void take_all(struct mpi_rank *mr, enum transport_fifo fifo, const bool *stop)
{
    unsigned next = mr->protocol->turn[fifo] + 1;

    take_range(mr, fifo, next, mr->host->size, stop);
    take_range(mr, fifo, 0, next, stop);
}

/* @return whether all that had found no room is out. */
static bool flush_peer(struct mpi_rank *mr, struct mpi_peer *peer)
{
    struct mpi_kept *k;
    struct mpi_request *rq;

    while ((k = STAILQ_FIRST(&peer->kept)) != NULL) {
        struct mpi_entry e;

        memcpy(&e, k->bytes, sizeof(e));
        if (!mpi_put(mr, peer, k->fifo, &e, NULL, 0))
            return false;
        STAILQ_REMOVE_HEAD(&peer->kept, in_list);
        free(k);
    }
    while ((rq = TAILQ_FIRST(&peer->sends)) != NULL) {
        mpi_list_remove(rq);
        if (!mpi_send_try(mr, rq)) {
            mpi_list_add_first(&peer->sends, rq);
            return false;
        }
    }
    return true;
}

static void flush_peers(struct mpi_rank *mr)
{
    struct mpi_peer *peer = mr->protocol->busy;

    mr->protocol->busy = NULL;
    while (peer != NULL) {
        struct mpi_peer *next = peer->next_busy;

        peer->busy = false;
        if (!flush_peer(mr, peer))
            mpi_busy(mr, peer);
        peer = next;
    }
}

static void end_transfers(struct mpi_rank *mr)
{
    struct transport *t = mr->transport;

    for (struct mpi_request *rq = TAILQ_FIRST(&mr->protocol->tickets), *next; rq != NULL;
         rq = next) {
        next = TAILQ_NEXT(rq, in_list);
        if (!t->ops->done(t, rq->ticket))
            continue;
        mpi_list_remove(rq);
        if (rq->receives)
            mpi_read_ended(mr, rq);
        else
            mpi_ended(mr, rq);
    }
}

void mpi_advance(struct mpi_rank *mr, const bool *stop)
{
    struct mpi_protocol *p = mr->protocol;

    mpi_refuse_interruption(mr);
    take_all(mr, TRANSPORT_REQUEST, stop);
    take_all(mr, TRANSPORT_MESSAGE, stop);
    if (p->busy != NULL)
        flush_peers(mr);
    if (!TAILQ_EMPTY(&p->tickets))
        end_transfers(mr);
    if (p->release)
        mpi_ask_release(mr);
    for (unsigned i = 0; i < MPI_FOLLOWERS; i++)
        if (mr->follows[i].due)
            mr->follows[i].advance(mr);
}

void mpi_progress(struct mpi_rank *mr)
{
    mpi_refuse_interruption(mr);
    mr->transport->ops->wait(mr->transport);
    mpi_advance(mr, NULL);
}

void mpi_poll(struct mpi_rank *mr)
{
    mpi_refuse_interruption(mr);
    while (mr->transport->ops->poll(mr->transport))
        mpi_advance(mr, NULL);
}

void mpi_hand_over(struct mpi_rank *mr)
{
    if (mr->transport->ops->hand_over != NULL)
        mr->transport->ops->hand_over(mr->transport);
}

void mpi_wait(struct mpi_rank *mr, struct mpi_request *rq, const char *call)
{
    const struct mpi_waits w = { .mr = mr, .request = rq };

    mpi_waits_begin(&w, call);
    if (!rq->done)
        mpi_advance(mr, &rq->done);
    while (!rq->done) {
        mr->transport->ops->wait(mr->transport);
        mpi_advance(mr, &rq->done);
    }
    mpi_hand_over(mr);
    mpi_waits_end(&w);
}
