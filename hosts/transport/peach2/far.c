/*
 * Where all inboxes are, and ranks that no cable leads to. Entries for them, and data of remote
 * writes with their notes, are messages of the control network, which keeps the order of each pair.
 */
#include <stdlib.h>
#include <string.h>

#include "hosts/transport/peach2/dma.h"
#include "hosts/transport/peach2/far.h"

/* Instead of a FIFO: */
#define TABLE UINT16_MAX  /* addresses; all have been taken before p2_exchange() returns */
#define WRITE UINT16_C(8) /* a write, and the FIFO of its note */
_Static_assert(TRANSPORT_FIFOS <= WRITE && WRITE + TRANSPORT_FIFOS <= TABLE,
               "each of them is no FIFO, and addresses are no write");

#define BOUNCE 65536u /* bytes; as cudaMemcpy() */

struct far_header {
    uint16_t what; /* an enum transport_fifo, or one of the above */
    uint16_t head_bytes;
    uint32_t area;   /* where a write goes */
    uint64_t offset; /* in the area */
};

/** What a rank announces to the others of itself. */
struct record {
    uint32_t node;
    uint16_t slot, subcluster;
    uint64_t inbox; /* offset in the host area */
    uint64_t across;
};

struct p2_far_message {
    struct p2_far_message *next;
    struct host_message msg; /* its bytes are `data` */
    uint8_t data[];
};

/* ---- addresses ------------------------------------------------------------------------ */

static bool keep_early(struct p2 *p2, const struct host_message *msg)
{
    struct p2_far_message *m = malloc(sizeof(*m) + msg->bytes);

    if (m == NULL)
        return false;
    m->next = NULL;
    m->msg = *msg;
    m->msg.data = memcpy(m->data, msg->data, msg->bytes);
    *p2->early_end = m;
    p2->early_end = &m->next;
    return true;
}

/* The next message about addresses. Others may be a step further on. */
static bool receive_table(struct p2 *p2, struct host_message *msg_p)
{
    struct host *h = p2->t.host;

    for (;;) {
        struct far_header hdr;

        transport_receive(&p2->t, msg_p);
        p2->net_taken++;
        memcpy(&hdr, msg_p->data, sizeof(hdr));
        if (hdr.what == TABLE) {
            transport_spend_copy(h, msg_p->bytes);
            return true;
        }
        if (!keep_early(p2, msg_p))
            return false;
    }
}

/* To rank 0 and from there to all. `packet` has room for the header and all records. */
static bool collect_records(struct p2 *p2, uint8_t *packet, struct record own)
{
    const struct far_header hdr = { .what = TABLE };
    struct host *h = p2->t.host;
    struct record *all = (struct record *)(void *)(packet + sizeof(hdr));
    size_t bytes = sizeof(hdr) + p2->nranks * sizeof(own);
    struct host_message msg;

    memcpy(packet, &hdr, sizeof(hdr));
    all[0] = own;
    if (p2->me != 0) {
        transport_spend_copy(h, sizeof(own));
        transport_send(&p2->t, 0, packet, sizeof(hdr) + sizeof(own));
        if (!receive_table(p2, &msg))
            return false;
        memcpy(packet, msg.data, bytes);
        return true;
    }
    for (unsigned i = 1; i < p2->nranks; i++) {
        if (!receive_table(p2, &msg))
            return false;
        memcpy(&all[msg.from], msg.data + sizeof(hdr), sizeof(own));
    }
    for (unsigned r = 1; r < p2->nranks; r++) {
        transport_spend_copy(h, bytes);
        transport_send(&p2->t, r, packet, (uint32_t)bytes);
    }
    return true;
}

static void note_peers(struct p2 *p2, const struct record *all)
{
    const struct driver *d = p2->d;

    for (unsigned r = 0; r < p2->nranks; r++) {
        struct p2_peer *peer = &p2->peers[r];

        peer->node = all[r].node;
        peer->slot = all[r].slot;
        peer->subcluster = all[r].subcluster;
        peer->across = (uint32_t)all[r].across;
        peer->far = all[r].subcluster != d->subcluster;
        peer->inbox = driver_window(d, all[r].slot, HUB_AREA_HOST, all[r].inbox) - d->window_bus;
        p2->has_far |= peer->far;
        if (peer->slot == d->slot && !peer->far) /* all pinned memory of a node is one piece */
            peer->local = p2->inbox + (int64_t)(all[r].inbox - p2->inbox_offset);
    }
}

bool p2_exchange(struct p2 *p2)
{
    struct record own = { p2->t.host->node->index, (uint16_t)p2->d->slot,
                          (uint16_t)p2->d->subcluster, p2->inbox_offset, p2_read_across(p2) };
    uint8_t *packet =
        transport_room(&p2->packet, sizeof(struct far_header) + p2->nranks * sizeof(own));

    if (packet == NULL || !collect_records(p2, packet, own))
        return false;
    note_peers(p2, (const struct record *)(const void *)(packet + sizeof(struct far_header)));
    return true;
}

void p2_far_fini(struct p2 *p2)
{
    while (p2->early != NULL) {
        struct p2_far_message *m = p2->early;

        p2->early = m->next;
        free(m);
    }
    free(p2->current);
    free(p2->packet.bytes);
}

/* ---- sending ---------------------------------------------------------------------------- */

/* Out of a GPU as by cudaMemcpy() to pageable memory: its engine fills one pinned buffer while the
 * core empties the other one. */
static bool copy_from_gpu(struct p2 *p2, uint8_t *to, struct host_pointer from, uint64_t bytes)
{
    struct host *h = p2->t.host;
    uint64_t number[2], asked = 0, bus;

    if (p2->bounce == NULL)
        p2->bounce = h->memory->alloc(h, 2 * (uint64_t)BOUNCE, HOST_PAGE);
    if (p2->bounce == NULL)
        return false;
    bus = h->memory->pointer(h, p2->bounce).offset;
    host_spend_cost(h, HOST_COST_CUDA_COPY);
    for (uint64_t at = 0; at < bytes; at += BOUNCE) {
        unsigned which = at / BOUNCE & 1;
        uint64_t n = bytes - at < BOUNCE ? bytes - at : BOUNCE;

        for (; asked < bytes && asked < at + 2 * (uint64_t)BOUNCE; asked += BOUNCE) {
            uint64_t next = bytes - asked < BOUNCE ? bytes - asked : BOUNCE;
            unsigned into = asked / BOUNCE & 1;

            number[into] = h->gpus->copy(
                h, from.gpu,
                (struct host_copy_end){ .device = false, .addr = bus + into * (uint64_t)BOUNCE },
                (struct host_copy_end){ .device = true, .addr = from.offset + asked }, next, 0);
        }
        h->gpus->wait(h, from.gpu, number[which]);
        driver_flush_gpu(h, from.gpu); /* what it has sent has arrived */
        transport_copy(&p2->t, to + at, p2->bounce + which * (size_t)BOUNCE, n);
    }
    return true;
}

/* An entry; or a write, with its note as header. */
static bool send_packet(struct p2 *p2, unsigned dest, struct far_header hdr,
                        const struct transport_write *w)
{
    size_t head_bytes = sizeof(hdr) + hdr.head_bytes;
    uint8_t *packet = transport_room(&p2->packet, head_bytes + w->bytes);
    struct host *h = p2->t.host;
    struct host_pointer from = h->memory->pointer(h, w->from);

    if (packet == NULL)
        return false;
    memcpy(packet, &hdr, sizeof(hdr));
    if (hdr.head_bytes > 0)
        memcpy(packet + sizeof(hdr), w->note, hdr.head_bytes);
    if (w->bytes > 0 && from.kind != HOST_GPU)
        memcpy(packet + head_bytes, w->from, w->bytes);
    else if (w->bytes > 0 && !copy_from_gpu(p2, packet + head_bytes, from, w->bytes))
        return false;
    transport_spend_copy(h, w->bytes);
    transport_send(&p2->t, dest, packet, (uint32_t)(head_bytes + w->bytes));
    return true;
}

bool p2_far_append(struct p2 *p2, unsigned dest, const struct transport_entry *e)
{
    const struct transport_write w = { .note = e->head, .from = e->data, .bytes = e->bytes };

    return send_packet(p2, dest,
                       (struct far_header){ (uint16_t)e->fifo, (uint16_t)e->head_bytes, 0, 0 }, &w);
}

bool p2_far_write(struct p2 *p2, unsigned dest, uint32_t area, uint64_t offset,
                  const struct transport_write *w)
{
    return send_packet(
        p2, dest,
        (struct far_header){ (uint16_t)(WRITE + w->fifo), (uint16_t)w->note_bytes, area, offset },
        w);
}

/* ---- receiving --------------------------------------------------------------------------- */

static void take_message(struct p2 *p2, const struct host_message *msg)
{
    const uint8_t *head = msg->data + sizeof(struct far_header);
    uint32_t left = msg->bytes - (uint32_t)sizeof(struct far_header);
    struct far_header hdr;
    bool writes;

    memcpy(&hdr, msg->data, sizeof(hdr));
    writes = hdr.what >= WRITE;
    transport_spend_copy(p2->t.host, left - hdr.head_bytes);
    p2->far_source = msg->from;
    p2->far_fifo = (enum transport_fifo)(hdr.what - (writes ? WRITE : 0));
    p2->far_entry = (struct transport_taken){ head, writes ? hdr.head_bytes : left };
    p2->holds = !writes || hdr.head_bytes > 0;
    if (writes)
        p2->place_data(p2, hdr.area, hdr.offset, head + hdr.head_bytes, left - hdr.head_bytes);
}

bool p2_far_pull(struct p2 *p2)
{
    struct host_message msg;

    while (!p2->holds && p2->early != NULL) {
        free(p2->current);
        p2->current = p2->early;
        p2->early = p2->current->next;
        take_message(p2, &p2->current->msg);
    }
    while (!p2->holds && *p2->come != p2->net_taken) {
        transport_receive(&p2->t, &msg);
        p2->net_taken++;
        take_message(p2, &msg);
    }
    return p2->holds;
}
