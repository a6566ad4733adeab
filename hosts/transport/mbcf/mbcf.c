/*
 * Transport over the Memory-Based Communication Facility. Entries are appends to
 * FIFOs in the receiver's memory, one for each source and kind; data go by remote
 * write, and so does the note behind them, into a table that the receiver looks
 * at without a system call. Both kinds of arrivals of one source keep one order:
 * a note says how many entries were appended before it.
 *
 * Room in FIFOs and tables is counted by the sender. The receiver writes back
 * how much it has taken, each time that it is half of what there is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hosts/transport/mbcf/internal.h"

#define MESSAGE_BYTES 65536u
#define REQUEST_BYTES 16384u

static uint32_t longest_entry(void)
{
    return (uint32_t)mbcf_entry_bytes(MBCF_PACKET_BYTES);
}

static uint32_t ring_bytes(const struct mbcft *m, enum transport_fifo fifo)
{
    uint32_t bytes = fifo == TRANSPORT_MESSAGE ? MESSAGE_BYTES : REQUEST_BYTES;
    uint32_t own = bytes / longest_entry(), entries = transport_ring_entries(&m->t, own);

    return entries < own ? entries * longest_entry() : bytes;
}

/* Where a FIFO has room for few entries, what an entry leaves free at its end counts, too: no room
 * may be left that the sender does not know of. */
static uint32_t report_bytes(const struct mbcft *m, enum transport_fifo fifo)
{
    uint32_t bytes = ring_bytes(m, fifo);

    return bytes / 2 >= 2 * longest_entry() ? bytes / 2 : 1;
}

/* ---- setting up -------------------------------------------------------------------- */

static void mbcf_destroy(struct transport *t)
{
    struct mbcft *m = mbcft_of(t);

    for (unsigned i = 0; m->pairs != NULL && i < m->size; i++)
        free(m->pairs[i].notes);
    free(m->pairs);
    free(m->rings);
    free(m);
}

/* All ranks give the same numbers to the same things, so none has to be sent. */
static bool open_pair(struct mbcft *m, unsigned other, uint8_t *rings)
{
    struct mbcft_pair *p = &m->pairs[other];

    p->notes = calloc(TRANSPORT_FIFOS * MBCFT_NOTES, sizeof(*p->notes));
    if (p->notes == NULL)
        return false;
    m->task->regions[mbcft_notes_region(m, other)] =
        (struct mbcf_region){ (uint8_t *)p->notes,
                              TRANSPORT_FIFOS * MBCFT_NOTES * sizeof(*p->notes) };
    m->task->regions[mbcft_room_region(m, other)] =
        (struct mbcf_region){ (uint8_t *)&p->room, sizeof(p->room) };
    for (enum transport_fifo f = 0; f < TRANSPORT_FIFOS; f++) {
        p->far[f].room = ring_bytes(m, f);
        m->task->fifos[mbcft_fifo(m, other, f)] =
            (struct mbcf_fifo){ .ring = rings, .room = p->far[f].room };
        rings += p->far[f].room;
    }
    return true;
}

static bool make_pairs(struct mbcft *m)
{
    const uint64_t each = MESSAGE_BYTES + REQUEST_BYTES;

    m->pairs = calloc(m->size, sizeof(*m->pairs));
    m->rings = calloc(m->size, each);
    if (m->pairs == NULL || m->rings == NULL)
        return false;
    for (unsigned i = 0; i < m->size; i++)
        if (!open_pair(m, i, m->rings + i * each))
            return false;
    return true;
}

/* GASNet has the last numbers of the task, MPI the first ones. */
static void choose_numbers(struct mbcft *m)
{
    if (m->t.user == TRANSPORT_MPI)
        return;
    m->first_fifo = MBCF_FIFOS - TRANSPORT_FIFOS * m->size;
    m->first_region = MBCF_REGIONS - 2 * m->size;
}

/** Does another library of the rank use the facility? */
static bool has_other(const struct mbcft *m)
{
    const struct transport *t =
        transport_of(m->t.host, m->t.user == TRANSPORT_MPI ? TRANSPORT_GASNET : TRANSPORT_MPI);

    return t != NULL && t->ops->destroy == m->t.ops->destroy;
}

/* Packets of two nodes come in one order. One for a library that its rank has not initialised would
 * delay those of the other one, so all ranks are there first. */
static void meet_all(struct transport *t)
{
    struct host *h = t->host;
    struct host_message msg;

    for (unsigned r = 1; r < h->size && h->rank == 0; r++)
        transport_receive(t, &msg);
    for (unsigned r = 0; r < h->size; r++) {
        if (r == h->rank || (r != 0 && h->rank != 0))
            continue;
        host_spend_cost(h, HOST_COST_SYSCALL);
        transport_send(t, r, "", 1);
    }
    if (h->rank != 0)
        transport_receive(t, &msg);
}

static void set_caps(struct mbcft *m)
{
    m->t.caps = (struct transport_caps){
        .sends_requests = true,
        .itself = true,
        .fifo_bytes = MBCF_PACKET_BYTES,
        .eager_bytes = TRANSPORT_BYTES_MAX,
        .copy_kb_ps = mbcft_costs(m)->copy_kb,
    };
}

static bool mbcf_connect(struct transport *t, char *why)
{
    struct mbcft *m = mbcft_of(t);
    const char *name = t->ops->name;
    struct host *h = t->host;
    int code = mbcf_task_open(h, &m->task);
    bool other = code == MBCF_OK && has_other(m);
    unsigned most = MBCF_FIFOS / TRANSPORT_FIFOS / (other ? 2 : 1);

    m->size = h->size;
    if (h->size > most)
        (void)snprintf(why, TRANSPORT_WHY_BYTES, "transport %s: %u ranks%s: expected at most %u",
                       name, h->size, other ? " of two libraries" : "", most);
    else if (code == MBCF_ERR_NO_NETWORK)
        return transport_lacks(t, "Ethernet adapter",
                               strcmp(name, "tcp") == 0 ? "mbcf-sunos" : "mbcf", why);
    if (h->size > most || code != MBCF_OK)
        return false;
    choose_numbers(m);
    if (!make_pairs(m))
        return false;
    set_caps(m);
    if (other || t->user != TRANSPORT_MPI)
        meet_all(t);
    return true;
}

/** Of those between the two libraries' own ones. @return false: none is free. */
static bool find_region(const struct mbcft *m, uint32_t *region_p)
{
    for (uint32_t r = 2 * m->size; r < MBCF_REGIONS - 2 * m->size; r++) {
        if (m->task->regions[r].p != NULL)
            continue;
        *region_p = r;
        return true;
    }
    return false;
}

static bool mbcf_expose_memory(struct transport *t, void *p, uint64_t bytes,
                               struct transport_key *key_p)
{
    struct mbcft *m = mbcft_of(t);
    uint32_t region;

    if (!find_region(m, &region))
        return false;
    m->task->regions[region] = (struct mbcf_region){ p, bytes };
    memcpy(key_p->bytes, &region, sizeof(region));
    return true;
}

static void mbcf_hide_memory(struct transport *t, const struct transport_key *key)
{
    struct mbcft *m = mbcft_of(t);
    uint32_t region;

    memcpy(&region, key->bytes, sizeof(region));
    m->task->regions[region].p = NULL;
}

/* ---- receiving -------------------------------------------------------------------------- */

/** The note that comes next from a source, if it is there and all entries before it are taken. */
static const struct mbcft_note *next_note(const struct mbcft_pair *p, enum transport_fifo fifo)
{
    const struct mbcft_note *n = &p->notes[mbcft_note_of(fifo, p->taken.notes[fifo])];

    return n->turn == p->taken.notes[fifo] + 1 && n->after == p->entries[fifo] ? n : NULL;
}

static bool has_entry(const struct mbcft *m, unsigned source, enum transport_fifo fifo)
{
    return m->task->fifos[mbcft_fifo(m, source, fifo)].entries != 0;
}

static unsigned mbcf_next(struct transport *t, enum transport_fifo fifo, unsigned from)
{
    const struct mbcft *m = mbcft_of(t);

    while (from < m->size && !has_entry(m, from, fifo) && next_note(&m->pairs[from], fifo) == NULL)
        from++;
    return from;
}

/** A line of the table; the rest of what it holds comes with it. */
static bool take_note(struct mbcft *m, struct mbcft_pair *p, enum transport_fifo fifo,
                      struct transport_taken *taken_p)
{
    const struct mbcft_note *n = next_note(p, fifo);

    if (n == NULL)
        return false;
    if (!p->noted[fifo])
        transport_spend(&m->t, mbcft_costs(m)->line);
    p->noted[fifo] = true;
    *taken_p = (struct transport_taken){ n->data, n->bytes };
    return true;
}

/** The system call that takes bytes out. */
static uint64_t take_ps(const struct mbcft *m, uint64_t bytes)
{
    const struct mbcf_costs *costs = mbcft_costs(m);

    return mbcf_take_ps(costs, bytes) + (m->sockets ? costs->socket : 0);
}

static bool mbcf_take(struct transport *t, enum transport_fifo fifo, unsigned source,
                      struct transport_taken *taken_p)
{
    struct mbcft *m = mbcft_of(t);
    struct mbcft_pair *p = &m->pairs[source];
    uint32_t bytes;

    if (take_note(m, p, fifo, taken_p))
        return true;
    if (!has_entry(m, source, fifo))
        return false;
    /* A system call for the header; what follows a full entry comes to its place in one. */
    if (!p->looked[fifo] && !(fifo == TRANSPORT_MESSAGE && p->follows))
        transport_spend(t, take_ps(m, 0));
    p->looked[fifo] = true;
    m->reading = m->sockets && fifo == TRANSPORT_MESSAGE && p->follows;
    taken_p->bytes = mbcf_oldest(&m->task->fifos[mbcft_fifo(m, source, fifo)], &bytes);
    taken_p->size = bytes;
    return true;
}

/** Reports room to the sender when half of anything has been taken since the last report. */
static void report_room(struct mbcft *m, unsigned source)
{
    struct mbcft_pair *p = &m->pairs[source];
    bool due = false;

    for (enum transport_fifo f = 0; f < TRANSPORT_FIFOS; f++)
        due |= p->taken.notes[f] - p->reported.notes[f] >= MBCFT_NOTES / 2 ||
               p->taken.fifo[f] - p->reported.fifo[f] >= report_bytes(m, f);
    if (!due)
        return;
    p->reported = p->taken;
    mbcft_send(m, source, mbcft_room_region(m, m->t.host->rank), 0, &p->reported,
               sizeof(p->reported), false);
}

static void mbcf_release(struct transport *t, enum transport_fifo fifo, unsigned source)
{
    struct mbcft *m = mbcft_of(t);
    struct mbcft_pair *p = &m->pairs[source];
    struct mbcf_fifo *f = &m->task->fifos[mbcft_fifo(m, source, fifo)];
    uint32_t bytes;

    if (p->noted[fifo]) {
        p->noted[fifo] = false;
        p->taken.notes[fifo]++;
    } else {
        p->looked[fifo] = false;
        if (fifo == TRANSPORT_MESSAGE)
            p->follows = mbcf_oldest(f, &bytes) != NULL && bytes == MBCF_PACKET_BYTES;
        p->entries[fifo]++;
        mbcf_drop(f);
        p->taken.fifo[fifo] = f->head;
    }
    report_room(m, source);
}

/** A system call takes data out of a FIFO. */
static void mbcf_copy(struct transport *t, void *to, const void *from, uint64_t bytes)
{
    const struct mbcft *m = mbcft_of(t);
    uint64_t at = (uint64_t)((const uint8_t *)from - m->rings);
    const struct mbcf_costs *costs = mbcft_costs(m);

    memcpy(to, from, bytes);
    transport_spend(t, at < m->size * (uint64_t)(MESSAGE_BYTES + REQUEST_BYTES) && !m->reading
                           ? take_ps(m, bytes)
                           : mbcf_copy_ps(costs, bytes, 0));
}

/** Is there anything that was not taken yet? */
static bool any_entry(struct transport *t)
{
    return mbcf_next(t, TRANSPORT_REQUEST, 0) < mbcft_of(t)->size ||
           mbcf_next(t, TRANSPORT_MESSAGE, 0) < mbcft_of(t)->size;
}

/* A turn of the loop is a system call for each FIFO, which finds nothing. What comes finds it half
 * through one, on average; then two FIFOs' heads and a note are
 * not in the cache. */
static void mbcf_wait_any(struct transport *t)
{
    struct mbcft *m = mbcft_of(t);
    struct mbcf_task *task = m->task;
    const struct mbcf_costs *costs = mbcft_costs(m);
    uint64_t select_ps = costs->trap_in + costs->socket + costs->trap_out;
    uint64_t ps = m->sockets ? select_ps : 3 * costs->line;
    bool slept = false;

    for (; task->events == m->seen && !any_entry(t) && !mbcft_can_go_on(m, true); slept = true)
        (void)t->host->cpu->sleep(t->host, HOST_NEVER);
    task->blocked = false;
    m->seen = task->events;
    if (slept)
        ps += m->sockets ? costs->wake
                         : TRANSPORT_FIFOS * (costs->trap_in + costs->line + costs->trap_out) / 2;
    transport_spend(t, ps);
}

/* A handler has the one core of the node: what it did at this instant is seen, or it comes later.
 */
static bool mbcf_poll(struct transport *t)
{
    struct mbcft *m = mbcft_of(t);
    bool news;

    transport_spend(t, mbcft_costs(m)->line);
    news = m->task->events != m->seen || mbcft_can_go_on(m, false);
    m->seen = m->task->events;
    return news;
}

/* From now on the kernel's handler rings whenever it has something for the task. */
static bool mbcf_ring(struct transport *t)
{
    mbcft_of(t)->task->rings = true;
    return true;
}

/* MPICH's way over sockets: no remote writes; short ones at once, long ones when they are asked
 * for. */
static bool tcp_connect(struct transport *t, char *why)
{
    if (!mbcf_connect(t, why))
        return false;
    mbcft_of(t)->sockets = true;
    t->caps.sends_requests = false;
    t->caps.itself = false;
    return true;
}

/* What both do alike; see struct mbcft.sockets for what differs. */
#define MBCF_CALLS                                                                                 \
    .network = HOST_NETWORK_ETHER, .bytes = sizeof(struct mbcft), .destroy = mbcf_destroy,         \
    .append = mbcft_append, .next = mbcf_next, .take = mbcf_take, .release = mbcf_release,         \
    .copy = mbcf_copy, .wait = mbcf_wait_any, .poll = mbcf_poll, .ring = mbcf_ring

const struct transport_ops transport_mbcf = { .name = "mbcf",
                                              .connect = mbcf_connect,
                                              .expose = mbcf_expose_memory,
                                              .hide = mbcf_hide_memory,
                                              .write = mbcft_write,
                                              .done = mbcft_done,
                                              .placed = mbcft_placed,
                                              MBCF_CALLS };
const struct transport_ops transport_tcp = { .name = "tcp", .connect = tcp_connect, MBCF_CALLS };
