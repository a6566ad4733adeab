#include "observe/waves.h"

#include "observe/fan.h"
#include "observe/map.h"

#include <stdlib.h>
#include <string.h>

/* Domains are within a lookahead of each other, at most 1 us (core/sim.c): when one has come so far
 * beyond a change, no other reports an earlier one. */
#define WAIT_PS (2 * SIM_US)

struct series {
    const struct sim_signal *signal;
    char *path; /* "node0.hub.e.tx.p.queue": a copy, since the machine may be gone at the end */
    uint32_t handle;
    bool known;     /* it has a value, */
    uint64_t value; /* the last one, written or waiting */
};

struct change {
    sim_time_t time;
    uint64_t order; /* decides between changes of one time */
    uint64_t value;
    uint32_t series; /* its index */
};

struct observe_waves {
    struct sim_probe probe;
    struct observe_wave_writer writer;
    bool declared, nomem;
    uint64_t changes;            /* so far */
    sim_time_t latest, written;  /* the latest present; the last change in the file */
    struct observe_table series; /* of struct series, by place and signal */
    uint64_t nheap;
    uint32_t heap_room;
    struct change *heap; /* the earliest first */
};

static struct series *series_at(const struct observe_waves *w, uint32_t index)
{
    return (struct series *)w->series.items + index;
}

/* ---- changes that wait ---- */

static bool is_before(const struct change *a, const struct change *b)
{
    return a->time != b->time ? a->time < b->time : a->order < b->order;
}

static bool push_change(struct observe_waves *w, const struct change *c)
{
    uint64_t at = w->nheap;

    if (!observe_grow(&w->heap, w->nheap, &w->heap_room, sizeof(*w->heap)))
        return false;
    for (w->nheap++; at > 0 && is_before(c, &w->heap[(at - 1) / 2]); at = (at - 1) / 2)
        w->heap[at] = w->heap[(at - 1) / 2];
    w->heap[at] = *c;
    return true;
}

static struct change pop_change(struct observe_waves *w)
{
    struct change first = w->heap[0], last = w->heap[--w->nheap];
    uint64_t at = 0, child;

    while ((child = 2 * at + 1) < w->nheap) {
        if (child + 1 < w->nheap && is_before(&w->heap[child + 1], &w->heap[child]))
            child++;
        if (!is_before(&w->heap[child], &last))
            break;
        w->heap[at] = w->heap[child];
        at = child;
    }
    w->heap[at] = last;
    return first;
}

/* ---- the hierarchy ---- */

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

static int compare_series(const void *a, const void *b)
{
    const struct series *const *x = a, *const *y = b;

    return compare_paths((*x)->path, (*y)->path);
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

static void close_scopes(struct observe_waves *w, const char *path)
{
    for (; *path != '\0'; path++)
        if (*path == '.')
            w->writer.upscope(w->writer.arg);
}

/** From the scopes of `open` to those of a signal, and the signal in them. */
static void declare_signal(struct observe_waves *w, const char *open, struct series *s)
{
    const struct observe_wave_writer *to = &w->writer;
    size_t same = common_scopes(open, s->path);
    char *rest = s->path + same, *dot;

    close_scopes(w, open + same);
    for (; (dot = strchr(rest, '.')) != NULL; rest = dot + 1) {
        *dot = '\0';
        to->scope(to->arg, rest);
        *dot = '.';
    }
    s->handle = to->signal(to->arg, s->signal, rest);
}

static void declare_all(struct observe_waves *w)
{
    uint32_t n = w->series.n;
    struct series **order = malloc((n + 1) * sizeof(struct series *));
    const char *open = "";

    w->declared = true;
    w->nomem |= order == NULL;
    if (order == NULL)
        return;
    for (uint32_t i = 0; i < n; i++)
        order[i] = series_at(w, i);
    qsort(order, n, sizeof(struct series *), compare_series);
    for (uint32_t i = 0; i < n; i++) {
        declare_signal(w, open, order[i]);
        open = order[i]->path;
    }
    close_scopes(w, open);
    free(order);
}

/* ---- the probe ---- */

static bool change_is_due(const struct observe_waves *w, sim_time_t until)
{
    return w->nheap != 0 && w->heap[0].time < until && !w->nomem;
}

/** Changes before `until`. */
static void write_changes(struct observe_waves *w, sim_time_t until)
{
    if (change_is_due(w, until) && !w->declared)
        declare_all(w);
    while (change_is_due(w, until)) {
        struct change c = pop_change(w);
        const struct series *s = series_at(w, c.series);

        w->written = c.time;
        w->writer.change(w->writer.arg, c.time, s->handle, s->signal, c.value);
    }
}

/** NULL: out of memory. */
static struct series *series_of(struct observe_waves *w, const struct sim_signal *signal,
                                const char *where)
{
    struct series *s = observe_table_at(&w->series, where, signal);

    if (s == NULL || s->signal != NULL)
        return s;
    SIM_ASSERT(!w->declared); /* models report all signals before anything happens */
    s->signal = signal;
    s->path = observe_join(where, ".", signal->name);
    return s->path != NULL ? s : NULL;
}

static void take_level(void *arg, const struct sim_level *level)
{
    struct observe_waves *w = arg;
    struct series *s = series_of(w, level->signal, level->where);
    struct change c = { level->from, w->changes++, level->value, 0 };

    if (s != NULL && s->known && s->value == level->value)
        return;
    SIM_ASSERT(level->from >= w->written);
    if (s != NULL)
        c.series = (uint32_t)(s - series_at(w, 0));
    w->nomem |= s == NULL || !push_change(w, &c);
    if (w->nomem)
        return;
    s->known = true;
    s->value = level->value;
    w->latest = level->now > w->latest ? level->now : w->latest;
    if (w->latest > WAIT_PS)
        write_changes(w, w->latest - WAIT_PS);
}

struct observe_waves *observe_waves_create(const struct observe_wave_writer *writer)
{
    struct observe_waves *w = calloc(1, sizeof(*w));

    if (w == NULL)
        return NULL;
    w->writer = *writer;
    w->series.size = sizeof(struct series);
    w->probe = (struct sim_probe){
        .mark = observe_ignore_mark, .hold = observe_ignore_hold, .level = take_level, .arg = w
    };
    return w;
}

void observe_waves_destroy(struct observe_waves *w)
{
    if (w == NULL)
        return;
    for (uint32_t i = 0; i < w->series.n; i++)
        free(series_at(w, i)->path);
    observe_table_fini(&w->series);
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
