/*
 * Puts by networks that report when the far memory has them, and gets by those whose devices read
 * the memory of other nodes. Few bytes go by way of slots, memory of the library: gets for memory
 * that is not pinned, since pinning takes far longer than they do, and puts whose source is to be
 * free at once.
 */
#include "hosts/gasnet/extended/direct.h"

#include <string.h>

#include "hosts/gasnet/core/count.h"
#include "hosts/gasnet/core/deliver.h"
#include "hosts/gasnet/core/ticket.h"
#include "hosts/gasnet/extended/internal.h"

#define SLOT_BYTES 1024u /* about what a core copies while the kernel pins a page */

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static bool reads(const struct gasnet_rank *gr, const struct gasnet_get *get)
{
    const struct transport *t = gr->transport;
    struct host *h = gr->host;
    bool gpu =
        gr->segment_on_gpu || (get->to != NULL && h->memory->pointer(h, get->to).kind == HOST_GPU);

    return t->ops->read != NULL && gr->peers[get->node].exposed &&
           (!gpu || get->bytes <= t->caps.read_gpu_bytes);
}

/* ---- by way of slots ---- */

static uint8_t *slot_at(const struct gasnet_rank *gr, uint64_t i)
{
    return gr->extended->slots + i * SLOT_BYTES;
}

static bool have_slots(struct gasnet_rank *gr)
{
    struct host *h = gr->host;

    if (gr->extended->slots == NULL)
        gr->extended->slots =
            h->memory->alloc(h, (uint64_t)GASNET_SLOTS * SLOT_BYTES, GASNET_PAGESIZE);
    return gr->extended->slots != NULL;
}

static void slot_ended(struct gasnet_rank *gr, uint64_t i)
{
    struct gasnet_slot *s = &gr->extended->slot[i];

    if (!s->put && s->to != NULL)
        gasnet_copy(gr, s->to, slot_at(gr, i), s->bytes);
    else if (!s->put)
        memcpy(&gr->extended->ops[s->op].value, slot_at(gr, i), s->bytes);
    s->used = false;
    gasnet_op_end(gr, s->op);
}

static void wait_room(struct gasnet_rank *gr, gasnet_node_t node)
{
    gasnet_wait_for_room(gr, &(struct gasnet_am){ .dest = node });
}

/* @return its number */
static uint64_t slot_take(struct gasnet_rank *gr, gasnet_node_t node,
                          const struct gasnet_slot *slot)
{
    struct gasnet_slot *all = gr->extended->slot;
    uint64_t i = 0;

    while (all[i].used) {
        if (++i == GASNET_SLOTS) {
            wait_room(gr, node);
            i = 0;
        }
    }
    all[i] = *slot;
    all[i].used = true;
    return i;
}

static void ended(struct gasnet_rank *gr, uint64_t op)
{
    gasnet_op_end(gr, (uint32_t)op);
}

/* ---- writes ---- */

static transport_ticket write_piece(struct gasnet_rank *gr, gasnet_node_t node, uint64_t at,
                                    const void *from, uint64_t bytes, struct gasnet_ticket ticket)
{
    const struct transport_write write = {
        .key = &gr->peers[node].key, .at = at, .from = from, .bytes = bytes, .watched = true
    };
    struct transport *t = gr->transport;

    gasnet_count_write(gr, node, bytes);
    while (!t->ops->write(t, node, &write, &ticket.ticket))
        wait_room(gr, node);
    ticket.places = true;
    if (ticket.ticket == 0)
        ticket.ended(gr, ticket.arg);
    else
        gasnet_ticket_add(gr, &ticket);
    return ticket.ticket;
}

static void write_from_slot(struct gasnet_rank *gr, uint32_t op, const struct gasnet_put *put,
                            uint64_t at)
{
    const struct gasnet_slot slot = { .put = true, .bytes = (uint32_t)put->bytes, .op = op };
    uint64_t i = slot_take(gr, put->node, &slot);

    gasnet_op_begin(gr, op);
    gasnet_copy(gr, slot_at(gr, i), put->from, put->bytes);
    (void)write_piece(gr, put->node, at, slot_at(gr, i), put->bytes,
                      (struct gasnet_ticket){ .ended = slot_ended, .arg = i });
}

bool gasnet_write_start(struct gasnet_rank *gr, uint32_t op, const struct gasnet_put *put,
                        uint64_t at)
{
    struct transport *t = gr->transport;
    transport_ticket ticket;

    if (t->ops->placed == NULL || !gr->peers[put->node].exposed)
        return false;
    if (!put->bulk && t->caps.slots && put->bytes <= SLOT_BYTES && have_slots(gr)) {
        write_from_slot(gr, op, put, at);
        gasnet_hand_over(gr);
        return true;
    }
    for (uint64_t done = 0, n; done < put->bytes; done += n) {
        n = least(put->bytes - done, TRANSPORT_BYTES_MAX);
        gasnet_op_begin(gr, op);
        ticket = write_piece(gr, put->node, at + done, (const uint8_t *)put->from + done, n,
                             (struct gasnet_ticket){ .ended = ended, .arg = op });
        while (!put->bulk && !t->ops->done(t, ticket))
            wait_room(gr, put->node);
    }
    gasnet_hand_over(gr);
    return true;
}

/* ---- reads ---- */

static void read_piece(struct gasnet_rank *gr, gasnet_node_t node, uint64_t at, void *to,
                       uint64_t bytes, struct gasnet_ticket ticket)
{
    struct transport *t = gr->transport;

    while (!t->ops->read(t, node, &gr->peers[node].key, at, to, bytes, &ticket.ticket))
        wait_room(gr, node);
    if (ticket.ticket == 0)
        ticket.ended(gr, ticket.arg);
    else
        gasnet_ticket_add(gr, &ticket);
}

static void read_to_slot(struct gasnet_rank *gr, uint32_t op, const struct gasnet_get *get,
                         uint64_t at)
{
    const struct gasnet_slot slot = { .to = get->to, .bytes = (uint32_t)get->bytes, .op = op };
    uint64_t i = slot_take(gr, get->node, &slot);

    gasnet_op_begin(gr, op);
    read_piece(gr, get->node, at, slot_at(gr, i), get->bytes,
               (struct gasnet_ticket){ .ended = slot_ended, .arg = i });
}

bool gasnet_read_start(struct gasnet_rank *gr, uint32_t op, const struct gasnet_get *get,
                       uint64_t at)
{
    struct host *h = gr->host;

    if (!reads(gr, get))
        return false;
    if (get->bytes <= SLOT_BYTES && have_slots(gr) &&
        (get->to == NULL || h->memory->pointer(h, get->to).kind == HOST_PAGEABLE)) {
        read_to_slot(gr, op, get, at);
        return true;
    }
    for (uint64_t done = 0, n; done < get->bytes; done += n) {
        n = least(get->bytes - done, TRANSPORT_BYTES_MAX);
        gasnet_op_begin(gr, op);
        read_piece(gr, get->node, at + done, (uint8_t *)get->to + done, n,
                   (struct gasnet_ticket){ .ended = ended, .arg = op });
    }
    return true;
}
