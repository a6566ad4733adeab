/* Entries in and out of the transport, and waiting for them. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "hosts/mpi/coll/schedule.h"
#include "hosts/mpi/point/waits.h"

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

/* ---- copies ------------------------------------------------------------------------- */

void mpi_spend_copy(struct mpi_rank *mr, uint64_t bytes)
{
    uint64_t kb_ps = mr->transport->caps.copy_kb_ps;

    if (kb_ps != 0 && bytes != 0)
        mr->host->ops->spend(mr->host, kb_ps * bytes / 1024);
}

void mpi_copy(struct mpi_rank *mr, void *to, const void *from, uint64_t bytes)
{
    struct transport *t = mr->transport;

    if (bytes == 0)
        return;
    if (t->ops->copy != NULL) {
        t->ops->copy(t, to, from, bytes);
        return;
    }
    memcpy(to, from, bytes);
    mpi_spend_copy(mr, bytes);
}

/* ---- entries out ------------------------------------------------------------------------ */

static void spend_entry(struct mpi_rank *mr)
{
    uint64_t ps = mr->transport->caps.entry_ps;

    if (ps != 0)
        mr->host->ops->spend(mr->host, ps);
}

static void came(struct mpi_rank *mr, struct mpi_peer *peer, enum transport_fifo fifo,
                 const struct mpi_entry *e, const uint8_t *data, uint32_t bytes)
{
    if (fifo == TRANSPORT_MESSAGE)
        mpi_message_came(mr, peer, e, data, bytes);
    else
        mpi_request_came(mr, peer, e);
}

bool mpi_put(struct mpi_rank *mr, struct mpi_peer *peer, enum transport_fifo fifo,
             const struct mpi_entry *e, const void *data, uint32_t bytes)
{
    struct transport *t = mr->transport;

    if (peer->self) {
        came(mr, peer, fifo, e, data, bytes);
        return true;
    }
    spend_entry(mr);
    if (!t->ops->append(t, peer->rank, fifo, e, mpi_entry_bytes(e), data, bytes))
        return false;
    mr->counts.entries++;
    return true;
}

void mpi_busy(struct mpi_rank *mr, struct mpi_peer *peer)
{
    if (peer->busy)
        return;
    peer->busy = true;
    peer->next_busy = mr->protocol.busy;
    mr->protocol.busy = peer;
}

void mpi_put_always(struct mpi_rank *mr, struct mpi_peer *peer, enum transport_fifo fifo,
                    const struct mpi_entry *e)
{
    struct mpi_kept *k;

    if (peer->kept == NULL && mpi_put(mr, peer, fifo, e, NULL, 0))
        return;
    k = mpi_need(mr, malloc(sizeof(*k) + sizeof(*e)));
    k->next = NULL;
    k->fifo = fifo;
    memcpy(k->bytes, e, sizeof(*e));
    *peer->kept_end = k;
    peer->kept_end = &k->next;
    mpi_busy(mr, peer);
}

bool mpi_write(struct mpi_rank *mr, struct mpi_peer *peer, const struct transport_key *key,
               const void *from, uint64_t bytes, const struct transport_strides *strides,
               const struct mpi_entry *note, transport_ticket *ticket_p)
{
    struct transport *t = mr->transport;

    *ticket_p = 0;
    if (peer->self) {
        void *to;

        memcpy(&to, key->bytes, sizeof(to));
        if (bytes > 0)
            memcpy(to, from, bytes);
        mpi_spend_copy(mr, bytes);
        came(mr, peer, TRANSPORT_MESSAGE, note, NULL, 0);
        return true;
    }
    spend_entry(mr);
    if (strides != NULL)
        return t->ops->write_strided(t, peer->rank, key, 0, from, strides, note,
                                     mpi_entry_bytes(note), ticket_p);
    return t->ops->write(t, peer->rank, key, 0, from, bytes, note, mpi_entry_bytes(note), ticket_p);
}

bool mpi_expose(struct mpi_rank *mr, struct mpi_peer *peer, struct mpi_request *rq, void *p,
                uint64_t bytes)
{
    struct transport *t = mr->transport;

    if (peer->self) {
        memset(&rq->key, 0, sizeof(rq->key));
        memcpy(rq->key.bytes, &p, sizeof(p));
        return true;
    }
    rq->exposed = t->ops->expose(t, p, bytes, &rq->key);
    return rq->exposed;
}

void mpi_hide(struct mpi_rank *mr, struct mpi_request *rq)
{
    if (rq->exposed)
        mr->transport->ops->hide(mr->transport, &rq->key);
    rq->exposed = false;
}

void mpi_opened(struct mpi_rank *mr, struct mpi_request *rq)
{
    mr->protocol.open += !rq->open;
    rq->open = true;
}

void mpi_ended(struct mpi_rank *mr, struct mpi_request *rq)
{
    mr->protocol.open -= rq->open;
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

static void defer(struct mpi_rank *mr, struct mpi_peer *peer, const struct transport_taken *taken)
{
    struct mpi_kept *k = mpi_need(mr, malloc(sizeof(*k) + taken->size));

    k->next = NULL;
    k->size = taken->size;
    memcpy(k->bytes, taken->bytes, taken->size);
    *peer->deferred_end = k;
    peer->deferred_end = &k->next;
}

static void decode(struct mpi_rank *mr, struct mpi_peer *peer, enum transport_fifo fifo,
                   const uint8_t *bytes, uint32_t size)
{
    struct mpi_entry e;
    uint32_t head;

    memcpy(&e, bytes, size < sizeof(e) ? size : sizeof(e));
    head = mpi_entry_bytes(&e);
    if ((e.flags & MPI_FLAG_WHOLE) != 0)
        e.bytes = size - head;
    came(mr, peer, fifo, &e, bytes + head, size - head);
}

void mpi_take(struct mpi_rank *mr, enum transport_fifo fifo, struct mpi_peer *peer,
              const bool *stop)
{
    struct transport *t = mr->transport;
    struct transport_taken taken;

    while (peer->deferred != NULL && fifo == TRANSPORT_MESSAGE && !peer->withdrawing) {
        struct mpi_kept *k = peer->deferred;

        peer->deferred = k->next;
        if (k->next == NULL)
            peer->deferred_end = &peer->deferred;
        decode(mr, peer, fifo, k->bytes, k->size);
        free(k);
    }
    while ((stop == NULL || !*stop) && t->ops->take(t, fifo, peer->rank, &taken)) {
        spend_entry(mr);
        if (fifo == TRANSPORT_MESSAGE && peer->withdrawing)
            defer(mr, peer, &taken);
        else
            decode(mr, peer, fifo, taken.bytes, taken.size);
        t->ops->release(t, fifo, peer->rank);
    }
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
        mr->protocol.turn[fifo] = from;
        mpi_take(mr, fifo, mpi_peer_of(mr, from), stop);
        from++;
    }
}

/* From the source after the last one on, so that none has to wait for ever. */
static void take_all(struct mpi_rank *mr, enum transport_fifo fifo, const bool *stop)
{
    unsigned next = mr->protocol.turn[fifo] + 1;

    take_range(mr, fifo, next, mr->host->size, stop);
    take_range(mr, fifo, 0, next, stop);
}

/* @return whether all that had found no room is out. */
static bool flush_peer(struct mpi_rank *mr, struct mpi_peer *peer)
{
    while (peer->kept != NULL) {
        struct mpi_kept *k = peer->kept;
        struct mpi_entry e;

        memcpy(&e, k->bytes, sizeof(e));
        if (!mpi_put(mr, peer, k->fifo, &e, NULL, 0))
            return false;
        peer->kept = k->next;
        if (k->next == NULL)
            peer->kept_end = &peer->kept;
        free(k);
    }
    while (peer->sends.first != NULL) {
        struct mpi_request *rq = peer->sends.first;

        mpi_list_remove(rq);
        if (!mpi_send_try(mr, rq)) {
            mpi_list_add_first(&peer->sends, rq);
            return false;
        }
    }
    return true;
}

static void flush(struct mpi_rank *mr)
{
    struct mpi_peer *peer = mr->protocol.busy;

    mr->protocol.busy = NULL;
    while (peer != NULL) {
        struct mpi_peer *next = peer->next_busy;

        peer->busy = false;
        if (!flush_peer(mr, peer))
            mpi_busy(mr, peer);
        peer = next;
    }
}

static void tickets(struct mpi_rank *mr)
{
    struct transport *t = mr->transport;

    for (struct mpi_request *rq = mr->protocol.tickets.first, *next; rq != NULL; rq = next) {
        next = rq->next;
        if (!t->ops->done(t, rq->ticket))
            continue;
        mpi_list_remove(rq);
        if (rq->receives)
            mpi_read_ended(mr, rq);
        else
            mpi_ended(mr, rq);
    }
}

int mpi_advance(struct mpi_rank *mr, const bool *stop)
{
    struct mpi_protocol *p = &mr->protocol;

    mpi_refuse_interruption(mr);
    take_all(mr, TRANSPORT_REQUEST, stop);
    take_all(mr, TRANSPORT_MESSAGE, stop);
    if (p->busy != NULL)
        flush(mr);
    if (p->tickets.first != NULL)
        tickets(mr);
    if (p->release)
        mpi_ask_release(mr);
    if (mr->schedules_ready)
        mpi_schedules_advance(mr);
    if (mr->windows_ready)
        mpi_windows_advance(mr);
    return MPI_SUCCESS;
}

int mpi_progress(struct mpi_rank *mr)
{
    mpi_refuse_interruption(mr);
    mr->transport->ops->wait(mr->transport);
    return mpi_advance(mr, NULL);
}

int mpi_poll(struct mpi_rank *mr)
{
    int code = MPI_SUCCESS;

    mpi_refuse_interruption(mr);
    while (code == MPI_SUCCESS && mr->transport->ops->poll(mr->transport))
        code = mpi_advance(mr, NULL);
    return code;
}

void mpi_hand_over(struct mpi_rank *mr)
{
    if (mr->transport->ops->hand_over != NULL)
        mr->transport->ops->hand_over(mr->transport);
}

static int wait_done(struct mpi_rank *mr, const struct mpi_request *rq)
{
    int code = mpi_advance(mr, &rq->done);

    while (code == MPI_SUCCESS && !rq->done) {
        mr->transport->ops->wait(mr->transport);
        code = mpi_advance(mr, &rq->done);
    }
    return code;
}

int mpi_wait(struct mpi_rank *mr, struct mpi_request *rq, const char *call)
{
    const struct mpi_waits w = { .mr = mr, .request = rq };
    int code = MPI_SUCCESS;

    mpi_waits_begin(&w, call);
    if (!rq->done)
        code = wait_done(mr, rq);
    if (code == MPI_SUCCESS)
        mpi_hand_over(mr);
    mpi_waits_end(&w);
    return code;
}
