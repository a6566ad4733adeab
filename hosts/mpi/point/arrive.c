/* Messages from the receiver's side. */
#include <string.h>

#include "hosts/mpi/point/protocol.h"

/** The receive has its message: no other one may be for it. */
static void claim_message(struct mpi_rank *mr, struct mpi_request *rq, struct mpi_peer *peer,
                          const struct mpi_entry *e)
{
    int code = e->bytes > rq->room ? MPI_ERR_TRUNCATE : MPI_SUCCESS;

    mpi_opened(mr, rq);
    mpi_match_unpost(mr, rq);
    if (mr->check != NULL && rq->of_program)
        mpi_check_received(mr, peer->rank, rq->context, e->tag);
    rq->far = peer;
    rq->matched = true;
    rq->bytes = rq->arrived_bytes = e->bytes;
    rq->copies = (e->flags & MPI_FLAG_PACKED) != 0;
    rq->in_slot = (e->flags & MPI_FLAG_SLOT) != 0;
    rq->filled = 0;
    rq->status = mpi_status(e->source, e->tag, code, mpi_least(e->bytes, rq->room));
}

static void finish_receive(struct mpi_rank *mr, struct mpi_request *rq)
{
    unsigned copies = mpi_least(rq->copies, MPIX_HUB_COPIES - 1);

    mr->counts.copies[copies]++;
    mr->counts.copied_bytes[copies] += mpi_status_bytes(&rq->status);
    mpi_ended(mr, rq);
}

/* All of the data, or as much as there is room for. */
static void deliver_data(struct mpi_rank *mr, struct mpi_request *rq, const uint8_t *data)
{
    uint32_t bytes = mpi_least(rq->bytes, rq->room);
    uint8_t *to;

    if (rq->in_slot && mpi_is_flat(rq, &to)) { /* that is where the network has written it */
        if (bytes > 0)
            memcpy(to, data, bytes);
        finish_receive(mr, rq);
        return;
    }
    if (mpi_is_flat(rq, &to))
        mpi_copy(mr, to, data, bytes);
    else
        mpi_unpack(mr, rq, data, bytes);
    rq->copies++;
    finish_receive(mr, rq);
}

/* All of the data are there: where they are to be, or packed. */
static void finish_unpacked(struct mpi_rank *mr, struct mpi_request *rq)
{
    if (rq->packed != NULL)
        deliver_data(mr, rq, rq->packed);
    else
        finish_receive(mr, rq);
}

static void confirm_sync(struct mpi_rank *mr, struct mpi_peer *peer, const struct mpi_entry *e)
{
    if ((e->flags & MPI_FLAG_SYNC) != 0)
        mpi_answer(mr, peer, MPI_GOT, e->own_id, 0);
}

/* ---- data in pieces ------------------------------------------------------------------- */

/* The next piece for a receive that knows where it goes. @return whether it was the last. */
static bool take_piece(struct mpi_rank *mr, struct mpi_request *rq, const uint8_t *data,
                       uint32_t bytes)
{
    uint32_t fits = rq->filled < rq->room ? mpi_least(bytes, rq->room - rq->filled) : 0;
    uint8_t *to;

    if (rq->device != NULL) {
        mpi_copy(mr, rq->packed + rq->filled, data, fits);
    } else if (rq->packed != NULL) {
        memcpy(rq->packed + rq->filled, data, fits);
        mpi_spend_copy(mr, fits);
    } else if (mpi_is_flat(rq, &to)) {
        mpi_copy(mr, to + rq->filled, data, fits);
    }
    rq->filled += bytes;
    if (rq->filled < rq->expected)
        return false;
    rq->copies++;
    finish_unpacked(mr, rq);
    return true;
}

/* A receive has its message, of which this is the first piece. */
static void first_piece(struct mpi_rank *mr, struct mpi_peer *peer, struct mpi_request *rq,
                        const uint8_t *data, uint32_t bytes)
{
    uint8_t *to;

    rq->expected = rq->bytes;
    if (!mpi_is_flat(rq, &to))
        mpi_pack_new(mr, rq, rq->in, rq->room);
    if (!take_piece(mr, rq, data, bytes))
        peer->into = rq;
}

static void next_piece(struct mpi_rank *mr, struct mpi_peer *peer, const struct mpi_entry *e,
                       const uint8_t *data, uint32_t bytes)
{
    struct mpi_request *rq = e->id != 0 ? mpi_id_find(mr, e->id) : peer->into;
    struct mpi_arrived *a = peer->arriving;

    if (rq != NULL) {
        if ((e->flags & MPI_FLAG_PACKED) != 0 && rq->filled + bytes >= rq->expected)
            rq->copies++;
        if (take_piece(mr, rq, data, bytes) && e->id == 0)
            peer->into = NULL;
        return;
    }
    memcpy(a->data + a->filled, data, bytes);
    mpi_spend_copy(mr, bytes);
    a->filled += bytes;
    if (a->filled < a->e.bytes)
        return;
    peer->arriving = NULL;
    if (a->rq != NULL) {
        deliver_data(mr, a->rq, a->data);
        mpi_arrived_free(mr, a);
    }
}

/* ---- messages whose data are still at the sender ------------------------------------------ */

void mpi_read_ended(struct mpi_rank *mr, struct mpi_request *rq)
{
    mpi_answer(mr, rq->far, MPI_GOT, rq->far_id, 0);
    finish_receive(mr, rq);
}

bool mpi_read_try(struct mpi_rank *mr, struct mpi_request *rq)
{
    struct transport *t = mr->transport;
    uint32_t bytes = mpi_least(rq->bytes, rq->room);
    uint8_t *to;

    if (!mpi_is_flat(rq, &to) ||
        !t->ops->read(t, rq->far->rank, &rq->far_key, 0, to, bytes, &rq->ticket))
        return false;
    mr->counts.read_bytes += bytes;
    if (rq->ticket == 0)
        mpi_read_ended(mr, rq);
    else
        mpi_list_add(&mr->protocol->tickets, rq);
    return true;
}

static void answer_rts(struct mpi_rank *mr, struct mpi_request *rq, struct mpi_peer *peer,
                       const struct mpi_entry *rts)
{
    struct mpi_entry e = { .kind = MPI_CTS, .id = rts->own_id, .bytes = rq->room };
    uint32_t bytes = mpi_least(rts->bytes, rq->room);
    uint8_t *to;
    bool flat = mpi_is_flat(rq, &to);

    if (flat && (rts->flags & MPI_FLAG_KEY) != 0) {
        rq->far_key = rts->key;
        rq->far_id = rts->own_id;
        if (!mpi_read_try(mr, rq)) {
            mpi_list_add_first(&peer->sends, rq);
            mpi_busy(mr, peer);
        }
        return;
    }
    rq->expected = bytes;
    mpi_id_free(mr, rq); /* of an ask that has become stale */
    mpi_hide(mr, rq);
    e.own_id = mpi_id_new(mr, rq);
    if (e.own_id == 0)
        (void)mpi_need(mr, NULL);
    if (!flat)
        mpi_pack_new(mr, rq, rq->in, rq->room);
    if ((flat || rq->device != NULL) && mpi_expose(mr, peer, rq, flat ? to : rq->packed, bytes)) {
        e.flags = MPI_FLAG_KEY;
        e.key = rq->key;
    }
    mpi_put_always(mr, peer, TRANSPORT_REQUEST, &e);
}

/* ---- messages ------------------------------------------------------------------------------ */

void mpi_receive_arrived(struct mpi_rank *mr, struct mpi_request *rq, struct mpi_arrived *a)
{
    struct mpi_peer *peer = a->from;

    claim_message(mr, rq, peer, &a->e);
    confirm_sync(mr, peer, &a->e);
    if (a->e.kind == MPI_RTS) {
        answer_rts(mr, rq, peer, &a->e);
        mpi_arrived_free(mr, a);
        return;
    }
    rq->copies += !rq->in_slot;
    if (a->filled < a->e.bytes) {
        a->rq = rq;
        return;
    }
    deliver_data(mr, rq, a->data);
    mpi_arrived_free(mr, a);
}

void mpi_receive_start(struct mpi_rank *mr, struct mpi_request *rq)
{
    struct mpi_arrived *a;

    mpi_refuse_interruption(mr);
    rq->far = mpi_source_of(mr, rq);
    rq->room = (uint32_t)(rq->count * rq->type->bytes);
    a = mpi_match_arrived(mr, rq);
    if (a != NULL) {
        mpi_arrived_unlist(mr, a);
        mpi_receive_arrived(mr, rq, a);
        return;
    }
    mpi_match_post(mr, rq);
    /* Its message may be in the FIFO: only when that is empty it asks. */
    if (mr->transport->caps.sends_requests && rq->far != NULL && !rq->far->self)
        mpi_take(mr, TRANSPORT_MESSAGE, rq->far, &rq->matched);
    if (!rq->matched)
        mpi_ask(mr, rq);
}

static void keep_unexpected(struct mpi_rank *mr, struct mpi_peer *peer, const struct mpi_entry *e,
                            const uint8_t *data, uint32_t bytes)
{
    struct mpi_arrived *a = mpi_arrived_new(mr, peer, e, e->kind == MPI_EAGER ? e->bytes : 0);

    if (bytes > 0) {
        memcpy(a->data, data, bytes);
        if ((e->flags & MPI_FLAG_SLOT) == 0)
            mpi_spend_copy(mr, bytes);
    }
    a->filled = bytes;
    mpi_arrived_list(mr, a);
    mr->counts.unexpected++;
    if (e->kind == MPI_EAGER && bytes < e->bytes)
        peer->arriving = a;
}

static void message_taken(struct mpi_rank *mr, struct mpi_peer *peer)
{
    peer->taken++;
    if (mr->host->race != NULL)
        mr->host->race->heard(mr->host, peer->rank, peer->taken);
}

static void new_message(struct mpi_rank *mr, struct mpi_peer *peer, const struct mpi_entry *e,
                        const uint8_t *data, uint32_t bytes)
{
    struct mpi_request *rq = mpi_match_posted(mr, peer, e);

    message_taken(mr, peer);
    if (rq == NULL) {
        keep_unexpected(mr, peer, e, data, bytes);
        return;
    }
    claim_message(mr, rq, peer, e);
    confirm_sync(mr, peer, e);
    if (e->kind == MPI_RTS)
        answer_rts(mr, rq, peer, e);
    else if (bytes == e->bytes)
        deliver_data(mr, rq, data);
    else
        first_piece(mr, peer, rq, data, bytes);
}

static void take_note(struct mpi_rank *mr, struct mpi_peer *peer, const struct mpi_entry *e)
{
    struct mpi_request *rq = mpi_id_find(mr, e->id);

    if (rq == NULL)
        return;
    if ((e->flags & MPI_FLAG_ASKED) != 0) {
        message_taken(mr, peer);
        claim_message(mr, rq, peer, e);
    } else if ((e->flags & MPI_FLAG_PACKED) != 0) {
        rq->copies++;
    }
    finish_unpacked(mr, rq);
}

static void take_back(struct mpi_rank *mr, struct mpi_peer *peer, const struct mpi_entry *e)
{
    struct mpi_arrived *a = TAILQ_FIRST(&peer->arrived);
    bool found;

    while (a != NULL && a->number != e->number)
        a = TAILQ_NEXT(a, in_peer);
    found = a != NULL && (a->e.kind == MPI_RTS || a->filled == a->e.bytes);
    if (found) {
        mpi_arrived_unlist(mr, a);
        mpi_arrived_free(mr, a);
    }
    mpi_answer(mr, peer, MPI_UNSENT, e->own_id, found);
}

void mpi_message_came(struct mpi_rank *mr, struct mpi_peer *peer, const struct mpi_entry *e,
                      const uint8_t *data, uint32_t bytes)
{
    switch (e->kind) {
    case MPI_EAGER:
    case MPI_RTS:
        new_message(mr, peer, e, data, bytes);
        return;
    case MPI_PIECE:
        next_piece(mr, peer, e, data, bytes);
        return;
    case MPI_NOTE:
        take_note(mr, peer, e);
        return;
    case MPI_UNSEND:
        take_back(mr, peer, e);
        return;
    default:
        return;
    }
}
