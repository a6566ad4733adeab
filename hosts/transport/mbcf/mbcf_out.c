/*
 * Transport over the Memory-Based Communication Facility, the sender's side.
 *
 * Calls of the facility do not wait for the far side. So a write goes as far as packets find room,
 * in the window to its node and in the adapter's ring; the rest follows when there is more, and the
 * rank can send to others meanwhile.
 */
#include <string.h>

#include "hosts/transport/mbcf/internal.h"

#define NOTE_HEAD 16u /* bytes of a note before its data */

static void send_acked(struct mbcft *m, unsigned dest, uint32_t region, uint64_t offset,
                       const void *from, uint32_t bytes, bool cold, volatile uint32_t *ack)
{
    const struct mbcf_call call = { .op = MBCF_OP_WRITE,
                                    .task = dest,
                                    .object = region,
                                    .offset = offset,
                                    .pieces = { { from, bytes } },
                                    .cold = cold,
                                    .ack = ack };

    mbcf_send(m->task, &call);
}

void mbcft_send(struct mbcft *m, unsigned dest, uint32_t region, uint64_t offset, const void *from,
                uint32_t bytes, bool cold)
{
    send_acked(m, dest, region, offset, from, bytes, cold, NULL);
}

/** The next packet of a write: within one page, as the handler checks it. */
static uint32_t next_bytes(const struct mbcft_write *w)
{
    uint64_t page = HOST_PAGE - (w->offset + w->at) % HOST_PAGE, left = w->bytes - w->at;

    left = left < page ? left : page;
    return left < MBCF_PACKET_BYTES ? (uint32_t)left : MBCF_PACKET_BYTES;
}

/** As far as packets find room. @return whether all of it has gone. */
static bool go_on(struct mbcft *m, unsigned dest)
{
    struct mbcft_write *w = &m->pairs[dest].write;

    while (w->at < w->bytes && mbcf_room(m->task, dest, false)) {
        uint32_t n = next_bytes(w);

        w->at += n;
        send_acked(m, dest, w->region, w->offset + w->at - n, w->from + w->at - n, n, true,
                   w->at == w->bytes ? w->ack : NULL);
    }
    if (w->at < w->bytes)
        return false;
    w->from = NULL;
    if (w->note.bytes == 0)
        return true;
    mbcft_send(m, dest, mbcft_notes_region(m, m->t.host->rank),
               mbcft_note_of(w->fifo, w->note.turn - 1) * sizeof(w->note), &w->note,
               NOTE_HEAD + w->note.bytes, false);
    return true;
}

/** @return whether nothing is on its way to `dest` that others may not overtake. */
static bool clear_to(struct mbcft *m, unsigned dest)
{
    return m->pairs[dest].write.from == NULL || go_on(m, dest);
}

/** A write to a socket, which a full piece does not end. */
static uint64_t socket_write_ps(const struct mbcft *m, uint32_t bytes)
{
    const struct mbcf_costs *costs = mbcft_costs(m);

    return bytes == MBCF_PACKET_BYTES ? 0 : costs->trap_in + costs->socket + costs->trap_out;
}

bool mbcft_append(struct transport *t, unsigned dest, const struct transport_entry *e)
{
    struct mbcft *m = mbcft_of(t);
    struct mbcft_pair *p = &m->pairs[dest];
    struct mbcf_fifo *far = &p->far[e->fifo];
    uint32_t bytes = e->head_bytes + e->bytes;
    const struct mbcf_call call = { .op = MBCF_OP_APPEND,
                                    .task = dest,
                                    .object = mbcft_fifo(m, t->host->rank, e->fifo),
                                    .pieces = { { e->head, e->head_bytes }, { e->data, e->bytes } },
                                    .cold = e->bytes != 0,
                                    .inside = m->sockets };

    if (!clear_to(m, dest))
        return false;
    far->head = p->room.fifo[e->fifo];
    if (!mbcf_fifo_reserve(far, bytes))
        return false;
    p->appended[e->fifo]++;
    if (m->sockets)
        transport_spend(t, socket_write_ps(m, bytes));
    mbcf_send(m->task, &call);
    return true;
}

static struct mbcft_watched *free_watched(struct mbcft *m)
{
    for (unsigned i = 0; i < MBCFT_WATCHED; i++)
        if (m->watched[i].ticket == 0)
            return &m->watched[i];
    return NULL;
}

bool mbcft_write(struct transport *t, unsigned dest, const struct transport_write *write,
                 transport_ticket *ticket_p)
{
    struct mbcft *m = mbcft_of(t);
    struct mbcft_pair *p = &m->pairs[dest];
    struct mbcft_write *w = &p->write;
    uint32_t number = w->number + 1;

    bool noted = write->note_bytes > 0, watched = write->watched && write->bytes > 0;
    struct mbcft_watched *watch = watched ? free_watched(m) : NULL;

    if (!clear_to(m, dest) || (watched && watch == NULL) ||
        (noted && p->sent_notes[write->fifo] - p->room.notes[write->fifo] >= MBCFT_NOTES))
        return false;
    p->sent_notes[write->fifo] += noted;
    *w = (struct mbcft_write){ .from = write->from,
                               .bytes = write->bytes,
                               .offset = write->at,
                               .number = number,
                               .fifo = write->fifo,
                               .note = { .turn = p->sent_notes[write->fifo],
                                         .after = p->appended[write->fifo],
                                         .bytes = write->note_bytes } };
    memcpy(&w->region, write->key->bytes, sizeof(w->region));
    if (noted)
        memcpy(w->note.data, write->note, write->note_bytes);
    if (watched) {
        *watch = (struct mbcft_watched){ (uint64_t)number << 32 | (dest + 1), 1 };
        w->ack = &watch->left;
    }
    *ticket_p = go_on(m, dest) && !watched ? 0 : (uint64_t)number << 32 | (dest + 1);
    return true;
}

/* Packets are acknowledged when they are in their place, in the order of their sending. */
bool mbcft_placed(struct transport *t, transport_ticket ticket)
{
    struct mbcft *m = mbcft_of(t);

    if (!mbcft_done(t, ticket))
        return false;
    for (unsigned i = 0; i < MBCFT_WATCHED && ticket != 0; i++) {
        if (m->watched[i].ticket != ticket)
            continue;
        if (m->watched[i].left != 0)
            return false;
        m->watched[i].ticket = 0;
    }
    return true;
}

bool mbcft_done(struct transport *t, transport_ticket ticket)
{
    struct mbcft *m = mbcft_of(t);
    unsigned dest = (uint32_t)ticket - 1;

    return ticket == 0 || m->pairs[dest].write.number != ticket >> 32 || clear_to(m, dest);
}

bool mbcft_can_go_on(struct mbcft *m, bool waits)
{
    for (unsigned i = 0; i < m->size; i++)
        if (m->pairs[i].write.from != NULL && mbcf_room(m->task, i, waits))
            return true;
    return false;
}
