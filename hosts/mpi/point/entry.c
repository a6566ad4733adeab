/* Entries in and out of the transport, and what requests hold of it. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "hosts/mpi/point/protocol.h"

uint32_t mpi_entry_bytes(const struct mpi_entry *e)
{
    if (e->kind == MPI_PIECE || e->kind == MPI_GOT || e->kind == MPI_WITHDRAW)
        return offsetof(struct mpi_entry, tag);
    if ((e->flags & MPI_FLAG_WHOLE) != 0)
        return offsetof(struct mpi_entry, bytes);
    if (e->kind == MPI_ASK || e->kind == MPI_UNSEND)
        return sizeof(*e);
    if ((e->flags & MPI_FLAG_KEY) != 0)
        return offsetof(struct mpi_entry, number);
    if ((e->flags & MPI_FLAG_SYNC) != 0 || e->kind == MPI_RTS || e->kind == MPI_CTS)
        return offsetof(struct mpi_entry, key);
    return offsetof(struct mpi_entry, own_id);
}

/* ---- entries out ------------------------------------------------------------------------ */

static void spend_entry(struct mpi_rank *mr)
{
    uint64_t ps = mr->transport->caps.entry_ps;

    if (ps != 0)
        mr->host->cpu->spend(mr->host, ps);
}

bool mpi_put(struct mpi_rank *mr, struct mpi_peer *peer, enum transport_fifo fifo,
             const struct mpi_entry *e, const void *data, uint32_t bytes)
{
    const struct transport_entry entry = { .fifo = fifo,
                                           .head = e,
                                           .data = data,
                                           .head_bytes = mpi_entry_bytes(e),
                                           .bytes = bytes,
                                           .in_slot = (e->flags & MPI_FLAG_SLOT) != 0 };
    struct transport *t = mr->transport;

    if (peer->self) {
        mr->protocol->came(mr, peer, fifo, e, data, bytes);
        return true;
    }
    if (fifo == TRANSPORT_REQUEST && mr->host->race != NULL)
        mr->host->race->answers(mr->host, peer->rank, peer->answers + 1);
    spend_entry(mr);
    if (!t->ops->append(t, peer->rank, &entry))
        return false;
    peer->answers += fifo == TRANSPORT_REQUEST;
    mr->counts.entries++;
    return true;
}

void mpi_busy(struct mpi_rank *mr, struct mpi_peer *peer)
{
    if (peer->busy)
        return;
    peer->busy = true;
    peer->next_busy = mr->protocol->busy;
    mr->protocol->busy = peer;
}

void mpi_put_always(struct mpi_rank *mr, struct mpi_peer *peer, enum transport_fifo fifo,
                    const struct mpi_entry *e)
{
    struct mpi_kept *k;

    if (STAILQ_EMPTY(&peer->kept) && mpi_put(mr, peer, fifo, e, NULL, 0))
        return;
    k = mpi_need(mr, malloc(sizeof(*k) + sizeof(*e)));
    k->fifo = fifo;
    memcpy(k->bytes, e, sizeof(*e));
    STAILQ_INSERT_TAIL(&peer->kept, k, in_list);
    mpi_busy(mr, peer);
}

void mpi_answer(struct mpi_rank *mr, struct mpi_peer *peer, enum mpi_kind kind, uint32_t id,
                uint32_t bytes)
{
    const struct mpi_entry e = { .kind = (uint8_t)kind, .id = id, .bytes = bytes };

    mpi_put_always(mr, peer, TRANSPORT_REQUEST, &e);
}

bool mpi_write(struct mpi_rank *mr, struct mpi_peer *peer, const struct transport_key *key,
               const void *from, uint64_t bytes, const struct transport_strides *strides,
               const struct mpi_entry *note, transport_ticket *ticket_p)
{
    const struct transport_write write = { .key = key,
                                           .from = from,
                                           .bytes = bytes,
                                           .strides = strides,
                                           .fifo = TRANSPORT_MESSAGE,
                                           .note = note,
                                           .note_bytes = mpi_entry_bytes(note) };
    struct transport *t = mr->transport;

    *ticket_p = 0;
    if (peer->self) {
        void *to;

        memcpy(&to, key->bytes, sizeof(to));
        if (bytes > 0)
            memcpy(to, from, bytes);
        mpi_spend_copy(mr, bytes);
        mr->protocol->came(mr, peer, TRANSPORT_MESSAGE, note, NULL, 0);
        return true;
    }
    spend_entry(mr);
    return t->ops->write(t, peer->rank, &write, ticket_p);
}

bool mpi_expose(struct mpi_rank *mr, struct mpi_peer *peer, struct mpi_request *rq, void *p,
                uint64_t bytes)
{
    struct transport *t = mr->transport;

    memset(&rq->key, 0, sizeof(rq->key));
    if (peer->self) {
        memcpy(rq->key.bytes, &p, sizeof(p));
        return true;
    }
    rq->exposed = t->ops->expose != NULL && t->ops->expose(t, p, bytes, &rq->key);
    return rq->exposed;
}

void mpi_hide(struct mpi_rank *mr, struct mpi_request *rq)
{
    if (rq->exposed && mr->transport->ops->hide != NULL)
        mr->transport->ops->hide(mr->transport, &rq->key);
    rq->exposed = false;
}

void mpi_opened(struct mpi_rank *mr, struct mpi_request *rq)
{
    mr->protocol->open += !rq->open;
    rq->open = true;
}

void mpi_ended(struct mpi_rank *mr, struct mpi_request *rq)
{
    if (rq->mode == MPI_MODE_SYNCHRONOUS && rq->far != NULL && mr->host->race != NULL)
        mr->host->race->received(mr->host, rq->far->rank);
    mr->protocol->open -= rq->open;
    rq->open = false;
    mpi_id_free(mr, rq);
    mpi_hide(mr, rq);
    mpi_pack_free(rq);
    rq->done = true;
    if (rq->ended != NULL)
        rq->ended(mr, rq);
    if (rq->freed)
        mpi_request_drop(mr, rq);
}

/* ---- entries in --------------------------------------------------------------------------- */

static void defer_entry(struct mpi_rank *mr, struct mpi_peer *peer,
                        const struct transport_taken *taken)
{
    struct mpi_kept *k = mpi_need(mr, malloc(sizeof(*k) + taken->size));

    k->size = taken->size;
    memcpy(k->bytes, taken->bytes, taken->size);
    STAILQ_INSERT_TAIL(&peer->deferred, k, in_list);
}

static void decode_entry(struct mpi_rank *mr, struct mpi_peer *peer, enum transport_fifo fifo,
                         const uint8_t *bytes, uint32_t size)
{
    struct mpi_entry e;
    uint32_t head;

    memcpy(&e, bytes, size < sizeof(e) ? size : sizeof(e));
    head = mpi_entry_bytes(&e);
    if ((e.flags & MPI_FLAG_WHOLE) != 0)
        e.bytes = size - head;
    mr->protocol->came(mr, peer, fifo, &e, bytes + head, size - head);
}

void mpi_take(struct mpi_rank *mr, enum transport_fifo fifo, struct mpi_peer *peer,
              const bool *stop)
{
    struct transport *t = mr->transport;
    struct transport_taken taken;
    struct mpi_kept *k;

    while (fifo == TRANSPORT_MESSAGE && !peer->withdrawing &&
           (k = STAILQ_FIRST(&peer->deferred)) != NULL) {
        STAILQ_REMOVE_HEAD(&peer->deferred, in_list);
        decode_entry(mr, peer, fifo, k->bytes, k->size);
        free(k);
    }
    while ((stop == NULL || !*stop) && t->ops->take(t, fifo, peer->rank, &taken)) {
        spend_entry(mr);
        if (fifo == TRANSPORT_MESSAGE && peer->withdrawing)
            defer_entry(mr, peer, &taken);
        else
            decode_entry(mr, peer, fifo, taken.bytes, taken.size);
        t->ops->release(t, fifo, peer->rank);
    }
}
