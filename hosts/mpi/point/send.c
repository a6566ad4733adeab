/* Messages from the sender's side. */
#include "hosts/mpi/point/protocol.h"

/* The data as one piece; packed first, if they are not, which is a copy. */
static const uint8_t *data_of(struct mpi_rank *mr, struct mpi_request *rq)
{
    uint8_t *at;

    if (rq->packed != NULL)
        return rq->packed;
    if (mpi_is_flat(rq, &at))
        return rq->bytes > 0 ? at : NULL;
    mpi_pack(mr, rq);
    return rq->packed;
}

/* On this side. */
static bool is_copied(const struct mpi_request *rq)
{
    return rq->packed != NULL || rq->mode == MPI_MODE_BUFFERED;
}

static struct mpi_entry entry_of(const struct mpi_request *rq, enum mpi_kind kind)
{
    return (struct mpi_entry){ .kind = (uint8_t)kind,
                               .flags = is_copied(rq) ? MPI_FLAG_PACKED : 0,
                               .source = (uint16_t)rq->comm->rank,
                               .id = rq->context,
                               .tag = rq->tag,
                               .bytes = rq->bytes };
}

/* ---- remote write -------------------------------------------------------------------------- */

/* Blocks at one distance, which the transport can write without their being packed. */
static bool in_blocks(const struct mpi_rank *mr, const struct mpi_request *rq, uint32_t room,
                      struct transport_strides *s_p)
{
    const struct mpi_piece *piece = rq->type->pieces;

    if (!mr->transport->caps.write_strided || rq->far->self || is_copied(rq) || rq->bytes > room ||
        rq->count != 1 || rq->type->npieces != 1 || piece->child != NULL || piece->count < 2 ||
        piece->count > UINT32_MAX)
        return false;
    *s_p = (struct transport_strides){ .block = (uint32_t)piece->bytes,
                                       .nblocks = (uint32_t)piece->count,
                                       .from_step = piece->stride };
    return true;
}

static bool write_data(struct mpi_rank *mr, struct mpi_request *rq, const struct transport_key *key,
                       uint32_t id, uint32_t room, unsigned flags)
{
    struct transport_strides strides;
    bool blocks = in_blocks(mr, rq, room, &strides);
    const uint8_t *data =
        blocks ? (const uint8_t *)rq->out + rq->type->pieces[0].offset : data_of(mr, rq);
    struct mpi_entry note = entry_of(rq, MPI_NOTE);
    uint32_t bytes = mpi_least(rq->bytes, room);
    transport_ticket ticket;

    note.id = id;
    note.flags |= (uint8_t)flags;
    if (!mpi_write(mr, rq->far, key, data, bytes, blocks ? &strides : NULL, &note, &ticket))
        return false;
    if (!rq->far->self) {
        mr->counts.write_messages++;
        mr->counts.write_bytes += bytes;
    }
    rq->ticket = ticket;
    if (ticket == 0) {
        mpi_ended(mr, rq);
        return true;
    }
    rq->phase = MPI_SEND_WRITING;
    mpi_list_add(&mr->protocol->tickets, rq);
    return true;
}

/* ---- through the FIFO ------------------------------------------------------------------------ */

static void cancel_send(struct mpi_rank *mr, struct mpi_request *rq);

/* Counts an entry with data. A message counts with its first one. */
static void count_entry(struct mpi_rank *mr, const struct mpi_request *rq, bool first,
                        uint32_t bytes)
{
    if (rq->far->self)
        return;
    mr->counts.fifo_messages += first;
    mr->counts.fifo_bytes += bytes;
}

static void pieces_out(struct mpi_rank *mr, struct mpi_request *rq)
{
    bool waits = rq->mode == MPI_MODE_SYNCHRONOUS && rq->id != 0 && !rq->got;

    if (rq->phase == MPI_SEND_GRANTED || !(waits || rq->cancelling)) {
        mpi_ended(mr, rq);
        return;
    }
    rq->phase = MPI_SEND_SYNC;
    if (!rq->cancelling)
        return;
    rq->was_done = !waits;
    cancel_send(mr, rq);
}

/* The rest of the data, after the first piece or after the receiver's answer. */
static bool send_pieces(struct mpi_rank *mr, struct mpi_request *rq, uint32_t id, uint32_t bytes)
{
    struct mpi_entry e = { .kind = MPI_PIECE, .id = id };
    uint32_t most = mr->transport->caps.fifo_bytes - mpi_entry_bytes(&e);
    const uint8_t *data = data_of(mr, rq);

    if (is_copied(rq) && id != 0)
        e.flags = MPI_FLAG_PACKED;
    do {
        uint32_t n = mpi_least(bytes - rq->filled, most);

        if (!mpi_put(mr, rq->far, TRANSPORT_MESSAGE, &e, data != NULL ? data + rq->filled : NULL,
                     n))
            return false;
        count_entry(mr, rq, id != 0 && rq->filled == 0, n); /* without an id, an EAGER was first */
        rq->filled += n;
    } while (rq->filled < bytes);
    pieces_out(mr, rq);
    return true;
}

static void message_left(struct mpi_rank *mr, struct mpi_request *rq, bool missed)
{
    rq->far->sent++;
    if (missed)
        mpi_ask_missed(mr, rq->far, rq->number, rq->context, rq->tag);
}

static bool send_eager(struct mpi_rank *mr, struct mpi_request *rq, const struct mpi_ask *ask)
{
    const uint8_t *data = data_of(mr, rq);
    struct mpi_entry e = entry_of(rq, MPI_EAGER);
    uint32_t n;

    if (rq->mode == MPI_MODE_SYNCHRONOUS) {
        e.flags |= MPI_FLAG_SYNC;
        e.own_id = mpi_id_new(mr, rq);
        if (e.own_id == 0) /* no name that the answer could have: later, when one is free */
            return false;
    } else if (rq->bytes <= mr->transport->caps.fifo_bytes - mpi_entry_bytes(&e)) {
        e.flags |= (uint8_t)(rq->in_slot ? MPI_FLAG_WHOLE | MPI_FLAG_SLOT : MPI_FLAG_WHOLE);
    }
    n = rq->far->self ? rq->bytes
                      : mpi_least(rq->bytes, mr->transport->caps.fifo_bytes - mpi_entry_bytes(&e));
    rq->number = rq->far->sent + 1;
    if (!mpi_put(mr, rq->far, TRANSPORT_MESSAGE, &e, data, n))
        return false;
    count_entry(mr, rq, true, n);
    message_left(mr, rq, ask == NULL);
    if (ask != NULL) /* the receive will find the message */
        (void)mpi_ask_drop(mr, rq->far, ask->e.own_id);
    rq->filled = n;
    if (n < rq->bytes) {
        rq->phase = MPI_SEND_PIECES;
        return send_pieces(mr, rq, 0, rq->bytes);
    }
    pieces_out(mr, rq);
    return true;
}

/* Too long to be sent without asking. A transport that can read gets the address at once. */
static bool announce_message(struct mpi_rank *mr, struct mpi_request *rq)
{
    struct mpi_peer *peer = rq->far;
    uint32_t context = rq->context;
    int tag = rq->tag;
    struct mpi_entry e = entry_of(rq, MPI_RTS);
    uint8_t *at;

    e.own_id = mpi_id_new(mr, rq);
    if (e.own_id == 0)
        return false;
    if (mr->transport->caps.read && !peer->self && mpi_is_flat(rq, &at) &&
        (rq->exposed || mpi_expose(mr, peer, rq, at, rq->bytes))) {
        e.flags |= MPI_FLAG_KEY;
        e.key = rq->key;
    }
    rq->number = peer->sent + 1;
    rq->phase = MPI_SEND_ASKED;
    if (!mpi_put(mr, peer, TRANSPORT_MESSAGE, &e, NULL, 0)) {
        rq->phase = MPI_SEND_NEW;
        return false;
    }
    peer->sent++; /* to oneself it may be over, and the request gone */
    mpi_ask_missed(mr, peer, peer->sent, context, tag);
    return true;
}

/* Of data in GPU memory the limit may be another one. */
static bool goes_eagerly(struct mpi_rank *mr, const struct mpi_request *rq)
{
    const struct transport *t = mr->transport;
    struct host_pointer where = { .kind = HOST_PAGEABLE };

    if (t->ops->gpu_eager_bytes != NULL && t->caps.gpu && rq->bytes > 0)
        where = mr->host->memory->pointer(mr->host, rq->out);
    return rq->bytes <=
           (where.kind == HOST_GPU ? t->ops->gpu_eager_bytes(t, where.gpu) : t->caps.eager_bytes);
}

static bool begin_send(struct mpi_rank *mr, struct mpi_request *rq)
{
    const struct transport_caps *caps = &mr->transport->caps;
    const struct mpi_ask *ask = NULL;

    if (mr->host->race != NULL)
        mr->host->race->sends(mr->host, rq->far->rank, rq->far->sent + 1);
    if (caps->sends_requests && !rq->far->self) {
        mpi_take(mr, TRANSPORT_REQUEST, rq->far, NULL);
        ask = mpi_ask_find(rq->far, rq->context, rq->tag);
    }
    if (ask != NULL && rq->bytes >= caps->write_bytes) {
        uint32_t id = ask->e.own_id;
        struct transport_key key = ask->e.key;
        struct mpi_peer *peer = rq->far;

        rq->number = 0; /* cannot be taken back */
        if (!write_data(mr, rq, &key, id, ask->e.bytes, MPI_FLAG_ASKED))
            return false;
        peer->sent++;
        (void)mpi_ask_drop(mr, peer, id);
        return true;
    }
    if (ask != NULL || goes_eagerly(mr, rq))
        return send_eager(mr, rq, ask);
    return announce_message(mr, rq);
}

static bool go_on(struct mpi_rank *mr, struct mpi_request *rq)
{
    if (rq->far_exposed)
        return write_data(mr, rq, &rq->far_key, rq->far_id, rq->room, 0);
    return send_pieces(mr, rq, rq->far_id, mpi_least(rq->bytes, rq->room));
}

bool mpi_send_try(struct mpi_rank *mr, struct mpi_request *rq)
{
    if (rq->receives)
        return mpi_read_try(mr, rq);
    if (rq->phase == MPI_SEND_NEW)
        return begin_send(mr, rq);
    if (rq->phase == MPI_SEND_PIECES)
        return send_pieces(mr, rq, 0, rq->bytes);
    return go_on(mr, rq);
}

void mpi_send_start(struct mpi_rank *mr, struct mpi_request *rq)
{
    struct mpi_peer *peer = mpi_peer_of(mr, (unsigned)rq->comm->world[rq->peer]);

    mpi_refuse_interruption(mr);
    mpi_opened(mr, rq);
    rq->far = peer;
    rq->bytes = (uint32_t)(rq->count * rq->type->bytes);
    mr->counts.messages++;
    mr->counts.bytes += rq->bytes;
    peer->sent_messages++;
    peer->sent_bytes += rq->bytes;
    if (mr->check != NULL && rq->of_program)
        rq->sent = mpi_check_sent(mr, peer->rank, rq->comm, rq->tag, rq->bytes);
    if (TAILQ_EMPTY(&peer->sends) && mpi_send_try(mr, rq))
        return;
    mpi_list_add(&peer->sends, rq);
    mpi_busy(mr, peer);
}

/* ---- answers ---- */

static void send_granted(struct mpi_rank *mr, struct mpi_request *rq, const struct mpi_entry *e)
{
    rq->phase = MPI_SEND_GRANTED;
    rq->far_id = e->own_id;
    rq->far_exposed = (e->flags & MPI_FLAG_KEY) != 0;
    rq->far_key = e->key;
    rq->room = e->bytes;
    rq->filled = 0;
    if (mpi_send_try(mr, rq))
        return;
    mpi_list_add_first(&rq->far->sends, rq);
    mpi_busy(mr, rq->far);
}

static void send_received(struct mpi_rank *mr, struct mpi_request *rq)
{
    rq->got = true;
    if (rq->phase == MPI_SEND_SYNC || rq->phase == MPI_SEND_ASKED)
        mpi_ended(mr, rq);
}

static void end_cancelled(struct mpi_rank *mr, struct mpi_request *rq)
{
    rq->status = mpi_status(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_SUCCESS, 0);
    rq->status.hub_cancelled = 1;
    mpi_check_taken_back(mr, rq->sent);
    mpi_ended(mr, rq);
}

static void taken_back(struct mpi_rank *mr, struct mpi_request *rq, bool found)
{
    if (rq->phase != MPI_SEND_CANCEL)
        return;
    if (found)
        end_cancelled(mr, rq);
    else if (rq->was_done || rq->got)
        mpi_ended(mr, rq);
    else
        rq->phase = goes_eagerly(mr, rq) ? MPI_SEND_SYNC : MPI_SEND_ASKED;
}

static void receive_withdrawn(struct mpi_rank *mr, struct mpi_peer *peer, struct mpi_request *rq,
                              bool found)
{
    peer->withdrawing--;
    if (found && rq != NULL && !rq->matched) {
        mpi_match_unpost(mr, rq);
        end_cancelled(mr, rq);
    }
    mpi_take(mr, TRANSPORT_MESSAGE, peer, NULL);
}

void mpi_request_came(struct mpi_rank *mr, struct mpi_peer *peer, const struct mpi_entry *e)
{
    struct mpi_request *rq = e->kind != MPI_ASK ? mpi_id_find(mr, e->id) : NULL;

    peer->answered++;
    if (mr->host->race != NULL && !peer->self)
        mr->host->race->answered(mr->host, peer->rank, peer->answered);
    if (e->kind == MPI_ASK)
        mpi_ask_came(mr, peer, e);
    else if (e->kind == MPI_WITHDRAW)
        mpi_answer(mr, peer, MPI_WITHDRAWN, e->id, mpi_ask_drop(mr, peer, e->id));
    else if (e->kind == MPI_WITHDRAWN)
        receive_withdrawn(mr, peer, rq, e->bytes != 0);
    else if (rq == NULL)
        return;
    else if (e->kind == MPI_CTS)
        send_granted(mr, rq, e);
    else if (e->kind == MPI_GOT)
        send_received(mr, rq);
    else if (e->kind == MPI_UNSENT)
        taken_back(mr, rq, e->bytes != 0);
}

/* ---- ends without a message ------------------------------------------------------------------ */

static void cancel_send(struct mpi_rank *mr, struct mpi_request *rq)
{
    struct mpi_entry e = { .kind = MPI_UNSEND, .number = rq->number };

    if (rq->phase == MPI_SEND_NEW && !rq->done) {
        mpi_list_remove(rq);
        end_cancelled(mr, rq);
        return;
    }
    /* What takes it back may not overtake its pieces. */
    rq->cancelling = rq->phase == MPI_SEND_PIECES && mpi_id_new(mr, rq) != 0;
    if (rq->number == 0 ||
        (!rq->done && rq->phase != MPI_SEND_ASKED && rq->phase != MPI_SEND_SYNC) ||
        rq->phase == MPI_SEND_WRITING || rq->phase == MPI_SEND_GRANTED)
        return;
    e.own_id = mpi_id_new(mr, rq);
    if (e.own_id == 0)
        return;
    mpi_opened(mr, rq);
    rq->was_done |= rq->done;
    rq->done = false;
    rq->phase = MPI_SEND_CANCEL;
    mpi_put_always(mr, rq->far, TRANSPORT_MESSAGE, &e);
}

static void cancel_receive(struct mpi_rank *mr, struct mpi_request *rq)
{
    if (rq->matched)
        return;
    if (!rq->asked) {
        mpi_match_unpost(mr, rq);
        end_cancelled(mr, rq);
        return;
    }
    if (rq->cancelling)
        return;
    rq->cancelling = true;
    rq->far->withdrawing++;
    mpi_answer(mr, rq->far, MPI_WITHDRAW, rq->id, 0);
}

void mpi_cancel(struct mpi_rank *mr, struct mpi_request *rq)
{
    mpi_refuse_interruption(mr);
    if (rq->generalized != NULL)
        mpi_generalized_cancel(mr, rq);
    if (!rq->active || rq->peer == MPI_PROC_NULL || rq->generalized != NULL ||
        rq->collective != NULL)
        return;
    if (!rq->receives)
        cancel_send(mr, rq);
    else if (!rq->done)
        cancel_receive(mr, rq);
}
