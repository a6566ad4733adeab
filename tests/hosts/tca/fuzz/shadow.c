#include "shadow.h"

#include <stdlib.h>
#include <string.h>

/* ---- where puts write and read ------------------------------------------------ */

static size_t extent(const struct place *place, const struct put *p)
{
    return (p->count - 1) * (p->count > 1 ? place->pitch : 0) + p->width;
}

static size_t row(const struct place *place, const struct put *p, size_t i)
{
    return place->off + (p->count > 1 ? i * place->pitch : 0);
}

/** From their first to their last byte; rows count with what lies between them. */
static bool meet(const struct put *a, const struct place *of_a, const struct put *b,
                 const struct place *of_b)
{
    return of_a->mem == of_b->mem && of_a->mem != MEMS_MAX &&
           of_a->off < of_b->off + extent(of_b, b) && of_b->off < of_a->off + extent(of_a, a);
}

static void set_vague(struct world *w, const struct put *p)
{
    struct mem *m = &w->mems[p->dst.mem];

    for (size_t i = 0; m->live && i < p->count; i++)
        memset(m->vague + row(&p->dst, p, i), 1, p->width);
}

/** And what may have read it there. */
static void blur(struct world *w, struct flight *f)
{
    if (f->vague)
        return;
    f->vague = true;
    set_vague(w, &f->put);
    for (size_t i = 0; i < w->nflights; i++)
        if (meet(&w->flights[i].put, &w->flights[i].put.src, &f->put, &f->put.dst))
            blur(w, &w->flights[i]);
}

/* ---- orders -------------------------------------------------------------------- */

static bool pipelined(const struct world *w, const struct flight *f)
{
    for (size_t i = 0; i < w->nflights; i++)
        if (w->flights[i].rank == f->rank && w->flights[i].channel == f->channel &&
            (w->flights[i].put.flags & tcaDMAPipeline) != 0)
            return true;
    return (f->put.flags & tcaDMAPipeline) != 0;
}

/** Does the later one write behind the earlier one? */
static bool follows(const struct flight *f, const struct flight *earlier)
{
    return f->rank == earlier->rank && f->channel == earlier->channel &&
           (f->channel != NO_CHANNEL || f->commits != earlier->commits);
}

/** What is under way and meets the new one. */
static void find_conflicts(struct world *w, struct flight *f)
{
    bool overtakes = pipelined(w, f);

    for (size_t i = 0; i < w->nflights; i++) {
        struct flight *e = &w->flights[i];
        bool done_first = follows(f, e) && !overtakes;

        if (meet(&f->put, &f->put.dst, &e->put, &e->put.dst) && !follows(f, e)) {
            blur(w, e);
            blur(w, f);
        }
        if (meet(&f->put, &f->put.src, &e->put, &e->put.dst) && (!done_first || e->vague))
            blur(w, f);
        if (!e->read && meet(&f->put, &f->put.dst, &e->put, &e->put.src) && !done_first)
            blur(w, e);
    }
    if (meet(&f->put, &f->put.dst, &f->put, &f->put.src))
        blur(w, f);
}

/** The CPU writes to [off, off + n). */
static void meet_cpu(struct world *w, unsigned mem, size_t off, size_t n)
{
    const struct put cpu = { .dst = { mem, off, 0 }, .width = n, .count = 1 };

    for (size_t i = 0; i < w->nflights; i++) {
        struct flight *f = &w->flights[i];

        if (meet(&f->put, &f->put.dst, &cpu, &cpu.dst)) {
            blur(w, f);
            set_vague(w, &cpu);
        }
        if (!f->read && meet(&f->put, &f->put.src, &cpu, &cpu.dst))
            blur(w, f);
    }
}

/* ---- bytes -------------------------------------------------------------------- */

void shadow_fill(struct world *w, unsigned mem, size_t off, size_t n)
{
    struct mem *m = &w->mems[mem];
    uint64_t word = 0;

    for (size_t i = 0; i < n; i++) {
        if (i % 8 == 0)
            word = dice_next(&w->dice);
        m->want[off + i] = (uint8_t)(word >> 8 * (i % 8));
        m->vague[off + i] = 0;
    }
    memcpy(m->p + off, m->want + off, n);
    if (n > 0)
        meet_cpu(w, mem, off, n);
}

/** Do two memories have an address in common? */
static bool share(const struct mem *a, const struct mem *b)
{
    return a->rank == b->rank && a->p < b->p + b->n && b->p < a->p + a->n;
}

void shadow_begin(struct world *w, unsigned mem)
{
    struct mem *m = &w->mems[mem];

    m->want = calloc(m->n + 1, 1);
    m->vague = calloc(m->n + 1, 1);
    if (m->want == NULL || m->vague == NULL)
        abort();
    for (unsigned i = 0; w->stray && i < mem; i++)
        m->unchecked |= !w->mems[i].live && share(m, &w->mems[i]);
    shadow_fill(w, mem, 0, m->n);
}

/** Nothing is known about its bytes any more, nor where they are put. */
static void leave_unchecked(struct world *w, unsigned mem)
{
    w->mems[mem].unchecked = true;
    for (size_t i = 0; i < w->nflights; i++)
        if (w->flights[i].put.src.mem == mem && !w->flights[i].read)
            blur(w, &w->flights[i]);
}

/** A transfer reads or writes memory that was freed: it may fail, and it may meet other memory that
 * has the address now. */
static void go_astray(struct world *w, struct flight *f)
{
    const unsigned mems[] = { f->put.dst.mem, f->put.src.mem };

    w->stray = true;
    if (f->channel != NO_CHANNEL)
        w->channels[f->rank][f->channel].broken = true;
    blur(w, f);
    for (unsigned k = 0; k < 2; k++)
        for (unsigned i = 0; mems[k] != MEMS_MAX && !w->mems[mems[k]].live && i < w->nmems; i++)
            if (w->mems[i].live && share(&w->mems[i], &w->mems[mems[k]]))
                leave_unchecked(w, i);
    if (f->to_note != NO_NOTE)
        w->notes[f->to_note].vague = true;
    if (f->self_note != NO_NOTE)
        w->notes[f->self_note].vague = true;
}

void shadow_free(struct world *w, unsigned mem)
{
    w->mems[mem].live = false;
    for (size_t i = 0; i < w->nflights; i++) {
        struct flight *f = &w->flights[i];

        if (f->put.dst.mem == mem || (f->put.src.mem == mem && !f->read))
            go_astray(w, f);
    }
    /* A list ends at its first error, and what follows never runs. */
    for (size_t i = 0; i < w->nflights; i++) {
        struct flight *f = &w->flights[i];

        if (f->channel != NO_CHANNEL && w->channels[f->rank][f->channel].broken)
            go_astray(w, f);
    }
}

/** Adds it, with what it writes. `f` may be vague already. */
static struct flight *add_flight(struct world *w, const struct flight *f)
{
    if (w->nflights == w->flights_room) {
        w->flights_room = 2 * w->flights_room + 64;
        w->flights = realloc(w->flights, w->flights_room * sizeof(*f));
        if (w->flights == NULL)
            abort();
    }
    w->flights[w->nflights] = *f;
    return &w->flights[w->nflights++];
}

static void copy_rows(struct world *w, const struct put *p)
{
    struct mem *to = &w->mems[p->dst.mem];
    const struct mem *from = &w->mems[p->src.mem];

    for (size_t i = 0; i < p->count; i++) {
        memmove(to->want + row(&p->dst, p, i), from->want + row(&p->src, p, i), p->width);
        if (from->unchecked)
            memset(to->vague + row(&p->dst, p, i), 1, p->width);
        else
            memmove(to->vague + row(&p->dst, p, i), from->vague + row(&p->src, p, i), p->width);
    }
}

static int send_note(struct world *w, unsigned to, unsigned from, const struct put *p)
{
    struct note *note = world_note(w, to, from, p->slot, p->tag);

    if (note == NULL)
        return NO_NOTE;
    note->sent++;
    return (int)(note - w->notes);
}

static void start_put(struct world *w, unsigned rank, unsigned channel, const struct put *p,
                      bool sure)
{
    bool live = w->mems[p->dst.mem].live && w->mems[p->src.mem].live;
    unsigned to = w->mems[p->dst.mem].rank;
    struct flight f = {
        .rank = rank, .channel = (int)channel, .put = *p, .to_note = NO_NOTE, .self_note = NO_NOTE
    };
    struct flight *added;

    if ((p->flags & tcaDMANotify) != 0)
        f.to_note = send_note(w, to, rank, p);
    if ((p->flags & tcaDMANotifySelf) != 0)
        f.self_note = send_note(w, rank, rank, p);
    if (f.to_note != NO_NOTE && f.to_note == f.self_note) /* one or two of them */
        w->notes[f.to_note].vague = true;
    find_conflicts(w, &f);
    if (live)
        copy_rows(w, p);
    added = add_flight(w, &f);
    if (added->vague)
        set_vague(w, p);
    if (!live || !sure)
        go_astray(w, added);
}

void shadow_start(struct world *w, unsigned rank, unsigned channel, bool sure)
{
    const struct channel *c = &w->channels[rank][channel];
    bool odd;

    sure &= !puts_stale(w, &c->puts, &odd); /* a list may end at any of its puts */
    for (size_t i = 0; i < c->puts.n; i++)
        start_put(w, rank, channel, &c->puts.put[i], sure);
}

void shadow_pio(struct world *w, const struct pio *pio, size_t off, const uint8_t *bytes, size_t n)
{
    struct mem *m = &w->mems[pio->mem];
    struct flight f = { .rank = pio->rank,
                        .channel = NO_CHANNEL,
                        .put = { .dst = { pio->mem, pio->off + off, 0 },
                                 .src = { .mem = MEMS_MAX },
                                 .width = n,
                                 .count = 1 },
                        .to_note = NO_NOTE,
                        .self_note = NO_NOTE,
                        .commits = w->commits[pio->rank],
                        .read = true };
    struct flight *added;

    if (n == 0)
        return;
    find_conflicts(w, &f);
    if (m->live) {
        memcpy(m->want + f.put.dst.off, bytes, n);
        memset(m->vague + f.put.dst.off, 0, n);
    }
    added = add_flight(w, &f);
    if (added->vague)
        set_vague(w, &added->put);
    if (!m->live)
        go_astray(w, added);
}

/* ---- what has come to an end -------------------------------------------------- */

void shadow_idle(struct world *w, unsigned rank, unsigned channel)
{
    for (size_t i = 0; i < w->nflights; i++)
        if (w->flights[i].rank == rank && w->flights[i].channel == (int)channel)
            w->flights[i].read = true;
    w->channels[rank][channel].earlier = 0;
}

static bool differs(struct world *w, const struct mem *m, size_t off, size_t n, const char *when)
{
    for (size_t i = off; !m->unchecked && i < off + n; i++) {
        if (m->vague[i] || m->p[i] == m->want[i])
            continue;
        world_found(w, "wrong bytes", "byte %zu of m%u is 0x%02x %s, expected 0x%02x", i,
                    (unsigned)(m - w->mems), m->p[i], when, m->want[i]);
        return true;
    }
    w->out->bytes += (unsigned)n;
    return false;
}

/** May something else under way write there? */
static bool others_write(const struct world *w, size_t flight)
{
    const struct put *p = &w->flights[flight].put;

    for (size_t i = 0; i < w->nflights; i++)
        if (i != flight && !w->flights[i].landed &&
            meet(&w->flights[i].put, &w->flights[i].put.dst, p, &p->dst))
            return true;
    return false;
}

static void compare_landed(struct world *w, size_t flight)
{
    const struct put *p = &w->flights[flight].put;
    const struct mem *m = &w->mems[p->dst.mem];

    if (!m->live || others_write(w, flight))
        return;
    for (size_t i = 0; i < p->count; i++)
        if (differs(w, m, row(&p->dst, p, i), p->width, "behind the notification"))
            return;
}

/** This one and those before it on its channel, to the same node, are there. */
static void land_up_to(struct world *w, size_t last)
{
    const struct flight *f = &w->flights[last];
    unsigned node = w->mems[f->put.dst.mem].rank;

    for (size_t i = 0; i <= last; i++) {
        struct flight *e = &w->flights[i];

        if (e->rank == f->rank && e->channel == f->channel && w->mems[e->put.dst.mem].rank == node)
            e->landed = e->read = true;
    }
}

static void read_up_to(struct world *w, size_t last)
{
    const struct flight *f = &w->flights[last];

    for (size_t i = 0; i <= last; i++)
        if (w->flights[i].rank == f->rank && w->flights[i].channel == f->channel)
            w->flights[i].read = true;
}

static void remove_landed(struct world *w)
{
    size_t n = 0;

    for (size_t i = 0; i < w->nflights; i++)
        if (!w->flights[i].landed)
            w->flights[n++] = w->flights[i];
    w->nflights = n;
}

void shadow_taken(struct world *w, struct note *note)
{
    int number = (int)(note - w->notes);

    note->taken++;
    if (note->taken != note->sent || note->vague)
        return;
    for (size_t i = 0; i < w->nflights; i++) {
        if (w->flights[i].to_note == number)
            land_up_to(w, i);
        if (w->flights[i].self_note == number)
            read_up_to(w, i);
    }
    for (size_t i = 0; i < w->nflights; i++)
        if (w->flights[i].landed)
            compare_landed(w, i);
    remove_landed(w);
}

void shadow_quiet(struct world *w)
{
    w->nflights = 0;
}

void shadow_compare(struct world *w, unsigned mem)
{
    struct mem *m = &w->mems[mem];

    if (m->unchecked || differs(w, m, 0, m->n, "when all is done"))
        return;
    memcpy(m->want, m->p, m->n);
    memset(m->vague, 0, m->n);
}
