/* Active messages out. */
#include <stdlib.h>
#include <string.h>

#include "hosts/gasnet/core/count.h"
#include "hosts/gasnet/core/deliver.h"
#include "hosts/gasnet/core/ticket.h"

static uint32_t head_bytes(const struct gasnet_head *head)
{
    return (uint32_t)(offsetof(struct gasnet_head, args) + head->nargs * sizeof(head->args[0]));
}

static struct gasnet_head head_of(const struct gasnet_am *am)
{
    struct gasnet_head head = { .category = (uint8_t)am->category,
                                .handler = am->handler,
                                .nargs = (uint8_t)am->nargs,
                                .bytes = (uint32_t)am->bytes,
                                .to = am->to };

    if (am->nargs > 0)
        memcpy(head.args, am->args, am->nargs * sizeof(head.args[0]));
    return head;
}

static enum transport_fifo fifo_of(const struct gasnet_am *am)
{
    return am->is_reply ? TRANSPORT_REQUEST : TRANSPORT_MESSAGE;
}

static void append(struct gasnet_rank *gr, const struct gasnet_am *am,
                   const struct gasnet_head *head, const void *data, uint32_t bytes)
{
    const struct transport_entry entry = { .fifo = fifo_of(am),
                                           .head = head,
                                           .data = data,
                                           .head_bytes = head_bytes(head),
                                           .bytes = bytes };
    struct transport *t = gr->transport;

    while (!t->ops->append(t, am->dest, &entry))
        gasnet_wait_for_room(gr, am);
}

/* The last piece is the Long itself. */
static void send_pieces(struct gasnet_rank *gr, const struct gasnet_am *am)
{
    struct gasnet_head piece = { .category = GASNET_PIECE, .to = am->to };
    const uint8_t *from = am->from;
    uint64_t left = am->bytes;

    for (; left > 0; left -= piece.bytes, from += piece.bytes, piece.to += piece.bytes) {
        piece.bytes = left < gr->medium_max ? (uint32_t)left : gr->medium_max;
        append(gr, am, &piece, from, piece.bytes);
    }
}

static struct transport_write write_of(const struct gasnet_rank *gr, const struct gasnet_am *am,
                                       const struct gasnet_head *head)
{
    return (struct transport_write){ .key = am->key != NULL ? am->key : &gr->peers[am->dest].key,
                                     .at = am->to,
                                     .from = am->from,
                                     .bytes = am->bytes,
                                     .strides = am->strides,
                                     .fifo = fifo_of(am),
                                     .note = head,
                                     .note_bytes = head_bytes(head) };
}

bool gasnet_lays_out(struct gasnet_rank *gr, const struct gasnet_am *am)
{
    const struct gasnet_head head = head_of(am);
    const struct transport_write write = write_of(gr, am, &head);
    struct transport *t = gr->transport;

    return t->ops->lays_out != NULL && gr->peers[am->dest].exposed &&
           t->ops->lays_out(t, am->dest, &write);
}

static void write_segment(struct gasnet_rank *gr, const struct gasnet_am *am,
                          const struct gasnet_head *head)
{
    const struct transport_write write = write_of(gr, am, head);
    struct transport *t = gr->transport;
    transport_ticket ticket = 0;

    while (!t->ops->write(t, am->dest, &write, &ticket))
        gasnet_wait_for_room(gr, am);
    if (ticket == 0 || t->ops->done == NULL)
        return;
    if (am->is_async)
        gasnet_ticket_add(gr, &(struct gasnet_ticket){ .ticket = ticket });
    while (!am->is_async && !t->ops->done(t, ticket))
        gasnet_wait_for_room(gr, am);
}

/* No network, but the software of both ends: what an entry to another rank costs here, and there.
 */
static void send_to_self(struct gasnet_rank *gr, const struct gasnet_am *am)
{
    struct gasnet_head head = head_of(am);
    void *copy = NULL;

    host_phase(gr->host, HOST_PHASE_CALL);
    transport_spend(gr->transport, gr->transport->caps.entry_ps);
    if (am->category == GASNET_LONG)
        gasnet_copy(gr, gr->segment + am->to, am->from, am->bytes);
    if (am->category == GASNET_MEDIUM) { /* the handler's own: the source is free at return */
        copy = gasnet_need(gr, malloc(am->bytes > 0 ? am->bytes : 1));
        gasnet_copy(gr, copy, am->from, am->bytes);
    }
    host_phase(gr->host, HOST_PHASE_HANDLER);
    transport_spend(gr->transport, gr->transport->caps.entry_ps);
    gasnet_deliver(gr, gr->host->rank, !am->is_reply, &head, copy);
    free(copy);
}

/* Copies by cores at both ends: they pay where both are memory of hosts. */
static bool is_packed(const struct gasnet_rank *gr, const struct gasnet_am *am)
{
    if (am->bytes == 0)
        return true;
    return am->bytes <= gr->packed_bytes && am->key == NULL && am->strides == NULL &&
           !gr->peers[am->dest].on_gpu &&
           gr->host->memory->pointer(gr->host, am->from).kind != HOST_GPU;
}

void gasnet_send(struct gasnet_rank *gr, const struct gasnet_am *am)
{
    struct gasnet_head head;

    gasnet_count_sent(gr, am);
    if (am->dest == gr->host->rank) {
        send_to_self(gr, am);
        return;
    }
    gr->unlooked = 0;
    head = head_of(am);
    host_phase(gr->host, HOST_PHASE_CALL);
    transport_spend(gr->transport, gr->transport->caps.entry_ps);
    if (am->category != GASNET_LONG || is_packed(gr, am)) {
        append(gr, am, &head, am->from, (uint32_t)am->bytes);
    } else if (am->key != NULL || gr->peers[am->dest].exposed) {
        write_segment(gr, am, &head);
    } else {
        send_pieces(gr, am);
        append(gr, am, &head, NULL, 0);
    }
    gasnet_hand_over(gr);
}

void gasnet_hand_over(struct gasnet_rank *gr)
{
    if (gr->transport->ops->hand_over != NULL)
        gr->transport->ops->hand_over(gr->transport);
}
