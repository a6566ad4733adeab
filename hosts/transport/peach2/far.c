/*
 * Where everybody's inbox is, and ranks that no cable leads to: entries for them, and data of
 * remote writes with their notes, are messages of the control network, which keeps the order of
 * each pair.
 */
#include <stdlib.h>
#include <string.h>

#include "hosts/transport/peach2/internal.h"

#define TABLE UINT16_MAX /* instead of a FIFO: addresses */
#define WRITE (UINT16_MAX - 1)

#define BOUNCE 65536u /* bytes; as cudaMemcpy() */

struct far_header {
    uint16_t what; /* an enum transport_fifo, or one of the above */
    uint16_t head_bytes;
    uint32_t area;   /* of a write */
    uint64_t offset; /* in the area */
};

/** What a rank tells the others of itself. */
struct record {
    uint32_t node;
    uint16_t slot, subcluster;
    uint64_t inbox; /* offset in the host area */
    uint64_t across;
};

struct p2_far_message {
    struct p2_far_message *next;
    unsigned from;
    uint32_t bytes;
    uint8_t data[];
};

/* ---- addresses ------------------------------------------------------------------------ */

static bool keep_early(struct p2 *p2, const struct host_message *msg)
{
    struct p2_far_message *m = malloc(sizeof(*m) + msg->bytes);

    if (m == NULL)
        return false;
    m->next = NULL;
    m->from = msg->from;
    m->bytes = msg->bytes;
    memcpy(m->data, msg->data, msg->bytes);
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

        h->net->receive(h, msg_p);
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
static bool collect(struct p2 *p2, uint8_t *packet, struct record own)
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
        h->net->send(h, 0, packet, sizeof(hdr) + sizeof(own));
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
        h->net->send(h, r, packet, (uint32_t)bytes);
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
        if (all[r].node == p2->t.host->node->index) /* all pinned memory of a node is one piece */
            peer->local = p2->inbox + (int64_t)(all[r].inbox - p2->inbox_offset);
    }
}

bool p2_exchange(struct p2 *p2)
{
    struct record own = { p2->t.host->node->index, (uint16_t)p2->d->slot,
                          (uint16_t)p2->d->subcluster, p2->inbox_offset, p2_read_across(p2) };
    uint8_t *packet = calloc(1, sizeof(struct far_header) + p2->nranks * sizeof(own));
    bool good;

    if (packet == NULL)
        return false;
    p2->packet = packet; /* an abort does not return */
    good = collect(p2, packet, own);
    if (good)
        note_peers(p2, (const struct record *)(const void *)(packet + sizeof(struct far_header)));
    return good;
}

void p2_far_fini(struct p2 *p2)
{
    while (p2->early != NULL) {
        struct p2_far_message *m = p2->early;

        p2->early = m->next;
        free(m);
    }
    free(p2->current);
    free(p2->packet);
}

/* ---- sending ---------------------------------------------------------------------------- */

/* Out of a GPU as by cudaMemcpy() to pageable memory: its engine fills one pinned buffer while the
 * core empties the other one. */
static bool from_gpu(struct p2 *p2, uint8_t *to, struct host_pointer from, uint64_t bytes)
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
                h, from.gpu, (struct host_copy_end){ false, bus + into * (uint64_t)BOUNCE },
                (struct host_copy_end){ true, from.offset + asked }, next, 0);
        }
        h->gpus->wait(h, from.gpu, number[which]);
        driver_flush_gpu(h, from.gpu); /* what it has sent has arrived */
        h->cpu->spend(h, h->cpu->cost_ps(h, HOST_COST_COPY_KB) * n / 1024);
        memcpy(to + at, p2->bounce + which * (size_t)BOUNCE, n);
    }
    return true;
}

static bool send(struct p2 *p2, unsigned dest, struct far_header hdr, const void *head,
                 const void *data, uint64_t bytes)
{
    struct host *h = p2->t.host;
    size_t size = sizeof(hdr) + hdr.head_bytes + bytes;
    uint8_t *at;

    if (size > p2->packet_room) {
        at = realloc(p2->packet, size);
        if (at == NULL)
            return false;
        p2->packet = at;
        p2->packet_room = size;
    }
    at = p2->packet;
    memcpy(at, &hdr, sizeof(hdr));
    if (hdr.head_bytes > 0)
        memcpy(at + sizeof(hdr), head, hdr.head_bytes);
    if (bytes > 0) {
        struct host_pointer from = h->memory->pointer(h, data);

        at += sizeof(hdr) + hdr.head_bytes;
        if (from.kind != HOST_GPU)
            memcpy(at, data, bytes);
        else if (!from_gpu(p2, at, from, bytes))
            return false;
        at = p2->packet;
    }
    transport_spend_copy(h, bytes);
    h->net->send(h, dest, at, (uint32_t)size);
    return true;
}

bool p2_far_append(struct p2 *p2, unsigned dest, enum transport_fifo fifo, const void *head,
                   uint32_t head_bytes, const void *data, uint32_t bytes)
{
    struct far_header hdr = { .what = (uint16_t)fifo, .head_bytes = (uint16_t)head_bytes };

    return send(p2, dest, hdr, head, data, bytes);
}

bool p2_far_write(struct p2 *p2, unsigned dest, uint32_t area, uint64_t offset, const void *from,
                  uint64_t bytes, const void *note, uint32_t note_bytes)
{
    struct far_header hdr = { WRITE, (uint16_t)note_bytes, area, offset };

    return send(p2, dest, hdr, note, from, bytes);
}

/* ---- receiving --------------------------------------------------------------------------- */

/* Data of a remote write, to host memory by the core, to a GPU by the hub. */
static void place(struct p2 *p2, const struct far_header *hdr, const uint8_t *data, uint64_t bytes)
{
    if (hdr->area == HUB_AREA_HOST)
        memcpy(p2->inbox + (int64_t)(hdr->offset - p2->inbox_offset), data, bytes);
    else
        p2_write_own(p2, hdr->area, hdr->offset, data, bytes);
}

static bool take(struct p2 *p2, unsigned from, const uint8_t *data, uint32_t bytes)
{
    struct far_header hdr;
    const uint8_t *head = data + sizeof(hdr);
    uint32_t left = bytes - (uint32_t)sizeof(hdr);

    memcpy(&hdr, data, sizeof(hdr));
    transport_spend_copy(p2->t.host, left - hdr.head_bytes);
    p2->far_source = from;
    p2->far_fifo = hdr.what == WRITE ? TRANSPORT_MESSAGE : (enum transport_fifo)hdr.what;
    p2->far_entry = (struct transport_taken){ head, hdr.what == WRITE ? hdr.head_bytes : left };
    p2->holds = p2->far_entry.size > 0;
    if (hdr.what == WRITE)
        place(p2, &hdr, head + hdr.head_bytes, left - hdr.head_bytes);
    return p2->holds;
}

bool p2_far_pull(struct p2 *p2)
{
    struct host *h = p2->t.host;
    volatile uint64_t *come = (volatile uint64_t *)(void *)p2->inbox;

    while (!p2->holds && p2->early != NULL) {
        free(p2->current);
        p2->current = p2->early;
        p2->early = p2->current->next;
        (void)take(p2, p2->current->from, p2->current->data, p2->current->bytes);
    }
    while (!p2->holds && *come != p2->net_taken) {
        struct host_message msg;

        h->net->receive(h, &msg);
        p2->net_taken++;
        (void)take(p2, msg.from, msg.data, msg.bytes);
    }
    return p2->holds;
}
