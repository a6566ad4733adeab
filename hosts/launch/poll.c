/*
 * Loops of the program itself that poll memory which devices write: volatile and
 * atomic loads (see shim/poll.c). The first load of a word is like any other code
 * between two calls and takes no simulated time. A repeated one that finds the same
 * value is a turn of a loop, of which there are two kinds. A loop is closed when the
 * program is in the very state of the last turn. Nothing but a write to the words
 * that it loads ever ends that one, so it sleeps until the loop sees one. In another
 * loop the turns differ, by a counter perhaps. Each takes its time, and many are
 * taken at once when the loop has lasted long. A loop that looks at a timer as well
 * is one, too: what a device writes meanwhile, the next load at the same place has
 * to fetch.
 */
#include "hosts/launch/poll.h"
#include "hosts/launch/compute.h"
#include "hosts/launch/node/node.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TURN_PS     SIM_NS /* load, compare and branch, some three cycles */
#define UNPAID_MAX  64u    /* loads in no loop that are let pass before they cost a turn each */
#define CHUNK_SHARE 32u    /* turns at once last at most this part of the time in the loop */
#define FRAME_BYTES 1024u  /* compared of the stack, on either end of a frame */

/** One place in the program that loads one word. */
struct polled {
    uint64_t addr, from, state;
    uint64_t turn; /* when it was last loaded; counts all loads of the loop */
    uint32_t size;
    uint8_t value[16];
};

/** A place that was loaded from before the program read a timer. */
struct glance {
    struct mem_watch watch;
    uint64_t from;
    bool written;
};

struct launch_polls {
    unsigned n; /* places, since the rank last did anything else */
    unsigned unpaid;
    uint64_t turn, written; /* the last turn; the last one before something was written */
    uint64_t credit;        /* turns whose time has passed */
    sim_time_t since;
    struct polled places[LAUNCH_POLL_WORDS];
    struct node_poll_word words[LAUNCH_POLL_WORDS];
    unsigned nwords;          /* waited for now */
    const struct polled *now; /* the place that waits */
    struct glance glances[LAUNCH_POLL_WORDS];
    unsigned nglances;
};

static void glance_written(struct mem_watch *w)
{
    SIM_CONTAINER_OF(w, struct glance, watch)->written = true;
}

static void glances_end(struct launch_thread *t)
{
    struct launch_polls *polls = t->polls;

    for (unsigned i = 0; i < polls->nglances; i++)
        mem_ram_unwatch(t->node->ram, &polls->glances[i].watch);
    polls->nglances = 0;
}

static void glances_begin(struct launch_thread *t)
{
    struct launch_polls *polls = t->polls;

    for (unsigned i = 0; i < polls->n; i++) {
        const struct polled *p = &polls->places[i];
        struct glance *g = &polls->glances[i];

        *g = (struct glance){ { .addr = p->addr, .size = p->size, .fn = glance_written },
                              p->from,
                              false };
        mem_ram_watch(t->node->ram, &g->watch);
    }
    polls->nglances = polls->n;
}

void launch_polls_end(struct launch_thread *t, bool timer)
{
    glances_end(t);
    if (timer)
        glances_begin(t);
    t->polls->n = 0;
    t->polls->unpaid = 0;
    t->polls->credit = 0;
}

void launch_polls_fini(struct launch_thread *t)
{
    if (t->polls != NULL)
        glances_end(t);
    free(t->polls);
}

/* The first load after a timer. The word that a device has written since is no longer in the
 * cache, as for a loop without a timer. */
static void look_again(struct launch_thread *t, uint64_t addr, uint64_t from)
{
    struct launch_polls *polls = t->polls;
    bool written = false;

    for (unsigned i = 0; i < polls->nglances; i++) {
        struct glance *g = &polls->glances[i];

        if (g->watch.addr != addr || g->from != from)
            continue;
        written = g->written;
        mem_ram_unwatch(t->node->ram, &g->watch); /* from here on it is a loop like others */
        g->from = 0;
    }
    if (!written)
        return;
    node_core_spend(t->core, node_host_poll_detect_ps(t->node->host), launch_done, t);
    launch_wait(t, "polling memory");
}

void launch_polls_printed(struct launch_thread *t)
{
    if (t->polls != NULL)
        t->polls->written = t->polls->turn;
}

/* ---- the state of the program ------------------------------------------------------ */

__attribute__((no_sanitize("address"))) static uint64_t mix(uint64_t h, const uint64_t *from,
                                                            const uint64_t *to)
{
    for (; from < to; from++)
        h = ((h ^ *from) * UINT64_C(0x9e3779b97f4a7c15)) ^ (h >> 29);
    return h;
}

/* Registers that survive a call, and the frame of the loop: from its lower end, and down from the
 * frame pointer if that is one, since compilers keep small variables there. Others are reached by
 * writes, which the program reports. */
static uint64_t state_of(const struct launch_thread *t, const struct hub_program_place *place)
{
    uintptr_t end = (uintptr_t)task_stack_end(t->task), low = (uintptr_t)place->frame;
    uintptr_t high = low + FRAME_BYTES, base = place->base & ~(uintptr_t)7;
    uint64_t h;

    h = mix(1, place->frame, (const uint64_t *)(high < end ? high : end));
    if (base > high && base < end)
        h = mix(h, (const uint64_t *)(base - high > FRAME_BYTES ? base - FRAME_BYTES : high),
                (const uint64_t *)base);
    return h;
}

/* ---- places ------------------------------------------------------------------------- */

static const uint8_t *bytes_of(const struct launch_thread *t, const struct polled *p)
{
    const struct mem_ram *ram = t->node->ram;

    return ram->bytes + (p->addr - ram->base);
}

static bool is_unchanged(const struct launch_thread *t, const struct polled *p)
{
    return memcmp(bytes_of(t, p), p->value, p->size) == 0;
}

static struct polled *find_place(struct launch_polls *polls, uint64_t addr, uint32_t size,
                                 uint64_t from)
{
    for (unsigned i = 0; i < polls->n; i++) {
        struct polled *p = &polls->places[i];

        if (p->addr == addr && p->from == from && p->size == size)
            return p;
    }
    return NULL;
}

/* ---- turns ---------------------------------------------------------------------------- */

/* Loads that are no turn of a loop that is known: a scan, or a loop over more words than places. */
static void count_unpaid(struct launch_thread *t, struct launch_polls *polls)
{
    if (++polls->unpaid < UNPAID_MAX)
        return;
    node_core_spend(t->core, UNPAID_MAX * TURN_PS, launch_done, t);
    launch_wait(t, "computing");
}

static void first_load(struct launch_thread *t, struct launch_polls *polls, uint64_t addr,
                       uint32_t size, const struct hub_program_place *place)
{
    struct polled *p;

    if (polls->n == LAUNCH_POLL_WORDS)
        polls->n = 0;
    if (polls->n == 0) {
        polls->since = sim_now(t->dom);
        polls->turn = polls->written = 0;
        polls->credit = 0;
    }
    p = &polls->places[polls->n++];
    *p = (struct polled){ .addr = addr, .size = size, .from = place->from };
    p->turn = ++polls->turn;
    p->state = state_of(t, place);
    memcpy(p->value, bytes_of(t, p), size);
    count_unpaid(t, polls);
}

/* The words of the loop, those loaded since `turn`. @return false when one has changed. */
static bool loop_words(struct launch_thread *t, struct launch_polls *polls, uint64_t turn)
{
    polls->nwords = 0;
    for (unsigned i = 0; i < polls->n; i++) {
        const struct polled *p = &polls->places[i];

        if (p->turn < turn)
            continue;
        if (!is_unchanged(t, p))
            return false;
        polls->words[polls->nwords++].watch =
            (struct mem_watch){ .addr = p->addr, .size = p->size };
    }
    return true;
}

static void next_turn(struct launch_thread *t, struct launch_polls *polls, struct polled *p,
                      const struct hub_program_place *place)
{
    sim_time_t now = sim_now(t->dom), turns;
    uint64_t state = state_of(t, place);
    uint64_t last = p->turn;
    bool closed = state == p->state && polls->written < last;

    p->turn = ++polls->turn;
    p->state = state;
    if (!loop_words(t, polls, last)) {
        count_unpaid(t, polls);
        return;
    }
    turns = (now - polls->since) / CHUNK_SHARE / TURN_PS;
    turns = turns == 0 ? 1 : turns;
    polls->now = p;
    polls->unpaid = 0;
    node_core_poll_any(t->core, polls->words, polls->nwords,
                       closed ? SIM_TIME_NEVER : now + turns * TURN_PS, launch_done, t);
    launch_suspend(t, "polling memory"); /* not an operation that ends the loop */
    if (t->value != 0) {
        polls->credit = turns - 1;
        t->node->run->idle_turns++;
    }
}

void launch_poll(struct launch_thread *t, const volatile void *at, uint32_t size,
                 const struct hub_program_place *place)
{
    struct launch_polls *polls = t->polls;
    struct polled *p;
    uint64_t addr;

    if (!launch_bus_of(t->node, at, &addr) || !mem_ram_holds(t->node->ram, addr, size))
        return;
    if (polls == NULL) {
        polls = t->polls = calloc(1, sizeof(*polls));
        if (polls == NULL)
            return;
    }
    if (polls->n == 0)
        launch_charge(t);
    look_again(t, addr, place->from);
    if (place->written)
        polls->written = polls->turn;
    p = find_place(polls, addr, size, place->from);
    if (p != NULL && !is_unchanged(t, p)) {
        polls->n = 0;
        p = NULL;
    }
    if (p == NULL)
        first_load(t, polls, addr, size, place);
    else if (polls->credit > 0)
        polls->credit--;
    else
        next_turn(t, polls, p, place);
    if (p != NULL)
        launch_charged(t); /* that is what a turn takes */
}

bool launch_polled(const struct launch_thread *t, char *text, size_t room)
{
    const struct launch_polls *polls = t->polls;
    const struct polled *p;
    char place[128];
    uint64_t value = 0;

    if (polls == NULL || polls->n == 0 || t->waits == NULL)
        return false;
    p = polls->now;
    memcpy(&value, bytes_of(t, p), p->size < sizeof(value) ? p->size : sizeof(value));
    program_place(t->program, p->from, place, sizeof(place));
    (void)snprintf(text, room,
                   "polling %u bytes at %p, which hold 0x%" PRIx64 "%s, since %.3f us%s",
                   (unsigned)p->size, (const void *)bytes_of(t, p), value, place,
                   (double)polls->since / 1e6, polls->nwords > 1 ? ", and other words" : "");
    return true;
}
