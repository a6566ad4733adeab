#include "world.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static void *take(void *p)
{
    if (p == NULL)
        abort();
    return p;
}

struct world *world_create(uint64_t seed, uint64_t number, unsigned ranks, struct outcome *out)
{
    struct world *w = take(calloc(1, sizeof(*w)));

    w->seed = seed;
    w->number = number;
    w->ranks = ranks;
    w->out = out;
    w->tables = take(calloc(TABLES_MAX, sizeof(*w->tables)));
    for (unsigned r = 0; r < ranks; r++) /* each board's own memory */
        w->tables[w->ntables++] = (struct table){ .rank = r, .capacity = TABLE_ROOM, .live = true };
    return w;
}

void puts_add(struct puts *puts, const struct put *put)
{
    if (puts->n == puts->room) {
        puts->room = 2 * puts->room + 8;
        puts->put = take(realloc(puts->put, puts->room * sizeof(*put)));
    }
    puts->put[puts->n++] = *put;
}

void puts_copy(struct puts *to, const struct puts *from)
{
    to->n = 0;
    for (size_t i = 0; i < from->n; i++)
        puts_add(to, &from->put[i]);
}

void world_log(struct world *w, const char *format, ...)
{
    struct outcome *out = w->out;
    size_t room = sizeof(out->log) - out->nlog;
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(out->log + out->nlog, room, format, args);
    va_end(args);
    out->nlog += (size_t)n < room ? (size_t)n : room - 1;
}

void world_found(struct world *w, const char *kind, const char *format, ...)
{
    struct outcome *out = w->out;
    va_list args;

    if (out->found[0] != '\0')
        return;
    va_start(args, format);
    (void)vsnprintf(out->found, sizeof(out->found), format, args);
    va_end(args);
    (void)snprintf(out->kind, sizeof(out->kind), "%s", kind);
}

struct note *world_note(struct world *w, unsigned to, unsigned from, int slot, int tag)
{
    unsigned i = 0;

    while (i < w->nnotes && (w->notes[i].to != to || w->notes[i].from != from ||
                             w->notes[i].slot != slot || w->notes[i].tag != tag))
        i++;
    if (i == NOTES_MAX)
        return NULL;
    if (i == w->nnotes)
        w->notes[w->nnotes++] = (struct note){ .to = to, .from = from, .slot = slot, .tag = tag };
    return &w->notes[i];
}

unsigned world_mem_at(const struct world *w, unsigned rank, const uint8_t *p, bool live)
{
    for (unsigned i = 0; i < w->nmems; i++) {
        const struct mem *m = &w->mems[i];

        if (m->rank == rank && m->live == live && p >= m->p &&
            (size_t)(p - m->p) < (m->n != 0 ? m->n : 1))
            return i;
    }
    return MEMS_MAX;
}

bool world_in_use(const struct world *w, unsigned mem)
{
    for (size_t i = 0; i < w->nflights; i++)
        if (w->flights[i].put.dst.mem == mem || w->flights[i].put.src.mem == mem)
            return true;
    return false;
}

bool puts_stale(const struct world *w, const struct puts *puts, bool *odd_p)
{
    bool stale = false;

    *odd_p = false;
    for (size_t i = 0; i < puts->n; i++) {
        const struct put *p = &puts->put[i];

        *odd_p |= p->odd;
        stale |= !p->odd && (!w->mems[p->dst.mem].live || !w->mems[p->src.mem].live);
    }
    return stale;
}
