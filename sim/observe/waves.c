#include "observe/waves.h"

#include "observe/map.h"

#include <stdlib.h>
#include <string.h>

/* Domains are within a lookahead of each other, at most 1 us (core/sim.c): when one has come so far
 * beyond a change, no other tells an earlier one. */
#define WAIT_PS (2 * SIM_US)

struct series {
    const struct sim_signal *signal;
    char *where; /* of its own */
    uint32_t handle;
    uint64_t told; /* the last value, written or waiting */
};

struct change {
    sim_time_t time;
    uint64_t order; /* of those of one time, the first told first */
    uint64_t value;
    uint32_t series;
};

struct observe_waves {
    struct sim_probe probe;
    struct observe_wave_writer writer;
    bool declared, nomem;
    uint64_t marks, changes;    /* so far */
    sim_time_t latest, written; /* the latest present; the last change in the file */
    struct observe_map map;     /* (where, signal) to a number */
    uint32_t n, room;
    struct series *series; /* number i is series[i - 1] */
    uint64_t nheap;
    uint32_t heap_room;
    struct change *heap; /* the earliest first */
};

/* ---- changes that wait ---- */

static bool before(const struct change *a, const struct change *b)
{
    return a->time != b->time ? a->time < b->time : a->order < b->order;
}

static bool push(struct observe_waves *w, const struct change *c)
{
    struct change *more = observe_grow(w->heap, w->nheap, &w->heap_room, sizeof(*more));
    uint64_t at = w->nheap;

    if (more == NULL)
        return false;
    w->heap = more;
    for (w->nheap++; at > 0 && before(c, &w->heap[(at - 1) / 2]); at = (at - 1) / 2)
        w->heap[at] = w->heap[(at - 1) / 2];
    w->heap[at] = *c;
    return true;
}

static struct change pop(struct observe_waves *w)
{
    struct change first = w->heap[0], last = w->heap[--w->nheap];
    uint64_t at = 0, child;

    while ((child = 2 * at + 1) < w->nheap) {
        if (child + 1 < w->nheap && before(&w->heap[child + 1], &w->heap[child]))
            child++;
        if (!before(&w->heap[child], &last))
            break;
        w->heap[at] = w->heap[child];
        at = child;
    }
    w->heap[at] = last;
    return first;
}

/* ---- the hierarchy ---- */

/** A signal by its whole path, for sorting. */
struct entry {
    char *path;
    uint32_t series;
};

/** As text, but numbers in it by their value: node2 before node10. */
static int compare_paths(const char *a, const char *b)
{
    while (*a != '\0' && *b != '\0') {
        size_t na = strspn(a, "0123456789"), nb = strspn(b, "0123456789");

        if (na != 0 && nb != 0) {
            uint64_t x = strtoull(a, NULL, 10), y = strtoull(b, NULL, 10);

            if (x != y)
                return x < y ? -1 : 1;
            a += na;
            b += nb;
        } else if (*a != *b) {
            return *a == '.' || (*b != '.' && *a < *b) ? -1 : 1;
        } else {
            a++;
            b++;
        }
    }
    return (*a != '\0') - (*b != '\0');
}

static int compare_entries(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;

    return compare_paths(x->path, y->path);
}

/** How much of two paths is the same scopes. */
static size_t common_scopes(const char *a, const char *b)
{
    size_t same = 0;

    for (size_t i = 0; a[i] != '\0' && a[i] == b[i]; i++)
        if (a[i] == '.')
            same = i + 1;
    return same;
}

static unsigned count_scopes(const char *path)
{
    unsigned n = 0;

    for (; *path != '\0'; path++)
        n += *path == '.';
    return n;
}

/** From the scopes of `open` to those of the entry, and the signal in them. */
static void declare(struct observe_waves *w, const char *open, const struct entry *e)
{
    const struct observe_wave_writer *to = &w->writer;
    size_t same = common_scopes(open, e->path);
    struct series *s = &w->series[e->series - 1];
    char *rest = e->path + same, *dot;

    for (unsigned n = count_scopes(open + same); n > 0; n--)
        to->upscope(to->arg);
    for (; (dot = strchr(rest, '.')) != NULL; rest = dot + 1) {
        *dot = '\0';
        to->scope(to->arg, rest);
        *dot = '.';
    }
    s->handle = to->signal(to->arg, s->signal, rest);
}

static char *path_of(const struct series *s)
{
    size_t n = strlen(s->where), m = strlen(s->signal->name);
    char *path = malloc(n + m + 2);

    if (path == NULL)
        return NULL;
    memcpy(path, s->where, n);
    path[n] = '.';
    memcpy(path + n + 1, s->signal->name, m + 1);
    return path;
}

static void declare_all(struct observe_waves *w)
{
    struct entry *entries = calloc(w->n + 1, sizeof(*entries));
    const char *open = "";

    w->declared = true;
    for (uint32_t i = 0; entries != NULL && i < w->n; i++) {
        entries[i] = (struct entry){ path_of(&w->series[i]), i + 1 };
        w->nomem |= entries[i].path == NULL;
    }
    w->nomem |= entries == NULL;
    if (!w->nomem) {
        qsort(entries, w->n, sizeof(*entries), compare_entries);
        for (uint32_t i = 0; i < w->n; i++) {
            declare(w, open, &entries[i]);
            open = entries[i].path;
        }
        for (unsigned n = count_scopes(open); n > 0; n--)
            w->writer.upscope(w->writer.arg);
    }
    for (uint32_t i = 0; entries != NULL && i < w->n; i++)
        free(entries[i].path);
    free(entries);
}

/* ---- the probe ---- */

/** Changes before `until`. */
static void write_changes(struct observe_waves *w, sim_time_t until)
{
    if (w->nheap != 0 && w->heap[0].time < until && !w->declared)
        declare_all(w);
    while (w->nheap != 0 && w->heap[0].time < until && !w->nomem) {
        struct change c = pop(w);
        const struct series *s = &w->series[c.series - 1];

        w->written = c.time;
        w->writer.change(w->writer.arg, c.time, s->handle, s->signal, c.value);
    }
}

/** 0: out of memory */
static uint32_t series_of(struct observe_waves *w, const struct sim_signal *signal,
                          const char *where)
{
    uint32_t *at = observe_map_at(&w->map, where, signal);
    struct series *more;

    if (at == NULL || *at != 0)
        return at != NULL ? *at : 0;
    SIM_ASSERT(!w->declared); /* all signals are told before anything happens */
    more = observe_grow(w->series, w->n, &w->room, sizeof(*more));
    if (more == NULL)
        return 0;
    w->series = more;
    /* Of a short run nothing is written before the end, when the machine and its names are gone. */
    more[w->n] = (struct series){ .signal = signal, .where = observe_copy(where) };
    return w->series[w->n].where == NULL ? 0 : (*at = ++w->n);
}

static void take_level(void *arg, const struct sim_level *level)
{
    struct observe_waves *w = arg;
    uint32_t before = w->n, number = series_of(w, level->signal, level->where);
    struct series *s = number != 0 ? &w->series[number - 1] : NULL;

    if (s != NULL && w->n == before && s->told == level->value)
        return;
    SIM_ASSERT(level->from >= w->written);
    w->nomem |=
        s == NULL || !push(w, &(struct change){ level->from, w->changes++, level->value, number });
    if (w->nomem)
        return;
    s->told = level->value;
    w->latest = level->now > w->latest ? level->now : w->latest;
    if (w->latest > WAIT_PS)
        write_changes(w, w->latest - WAIT_PS);
}

/** Ports tell levels where they tell marks. */
static uint64_t take_mark(void *arg, const struct sim_mark *mark)
{
    struct observe_waves *w = arg;

    (void)mark;
    return ++w->marks;
}

static void take_hold(void *arg, const struct sim_hold *hold)
{
    (void)arg;
    (void)hold;
}

struct observe_waves *observe_waves_create(const struct observe_wave_writer *writer)
{
    struct observe_waves *w = calloc(1, sizeof(*w));

    if (w == NULL)
        return NULL;
    w->writer = *writer;
    w->probe =
        (struct sim_probe){ .mark = take_mark, .hold = take_hold, .level = take_level, .arg = w };
    return w;
}

void observe_waves_destroy(struct observe_waves *w)
{
    if (w == NULL)
        return;
    observe_map_fini(&w->map);
    for (uint32_t i = 0; i < w->n; i++)
        free(w->series[i].where);
    free(w->series);
    free(w->heap);
    free(w);
}

const struct sim_probe *observe_waves_probe(struct observe_waves *w)
{
    return &w->probe;
}

int observe_waves_finish(struct observe_waves *w)
{
    write_changes(w, SIM_TIME_NEVER);
    return w->nomem ? SIM_ERR_NOMEM : SIM_OK;
}
