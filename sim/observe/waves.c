#include "observe/waves.h"

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
    struct observe_wave_writer writer;
    bool declared, nomem;
    uint64_t changes;            /* so far */
    sim_time_t latest, until;    /* the latest present; changes before this are in the file */
    struct observe_table series; /* of struct series, by place and signal */
    uint64_t nwaiting;
    uint32_t waiting_room;
    struct change *waiting; /* the others, in any order */
};

static struct series *series_at(const struct observe_waves *w, uint32_t index)
{
    return (struct series *)w->series.items + index;
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

static int compare_changes(const void *a, const void *b)
{
    const struct change *x = a, *y = b;

    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

/** Changes before `until`. */
static void write_changes(struct observe_waves *w, sim_time_t until)
{
    uint64_t n = 0;

    w->until = until;
    if (w->nwaiting == 0 || w->nomem)
        return;
    qsort(w->waiting, w->nwaiting, sizeof(*w->waiting), compare_changes);
    if (!w->declared && w->waiting[0].time < until)
        declare_all(w);
    for (; n < w->nwaiting && w->waiting[n].time < until && !w->nomem; n++) {
        const struct change *c = &w->waiting[n];
        const struct series *s = series_at(w, c->series);

        w->writer.change(w->writer.arg, c->time, s->handle, s->signal, c->value);
    }
    w->nwaiting -= n;
    memmove(w->waiting, w->waiting + n, w->nwaiting * sizeof(*w->waiting));
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

    if (s != NULL && s->known && s->value == level->value)
        return;
    SIM_ASSERT(level->from >= w->until);
    w->nomem |=
        s == NULL || !observe_grow(&w->waiting, w->nwaiting, &w->waiting_room, sizeof(*w->waiting));
    if (w->nomem)
        return;
    w->waiting[w->nwaiting++] =
        (struct change){ level->from, w->changes++, level->value, (uint32_t)(s - series_at(w, 0)) };
    s->known = true;
    s->value = level->value;
    w->latest = sim_max(w->latest, level->now);
    if (w->latest > w->until + 2 * WAIT_PS) /* not more often: they are sorted each time */
        write_changes(w, w->latest - WAIT_PS);
}

struct observe_waves *observe_waves_create(const struct observe_wave_writer *writer,
                                           struct observe_fan *fan)
{
    struct observe_waves *w = calloc(1, sizeof(*w));

    if (w == NULL)
        return NULL;
    w->writer = *writer;
    w->series.size = sizeof(struct series);
    observe_fan_add(fan, &(struct sim_probe){ .level = take_level, .arg = w });
    return w;
}

void observe_waves_destroy(struct observe_waves *w)
{
    if (w == NULL)
        return;
    for (uint32_t i = 0; i < w->series.n; i++)
        free(series_at(w, i)->path);
    observe_table_fini(&w->series);
    free(w->waiting);
    free(w);
}

int observe_waves_finish(struct observe_waves *w)
{
    write_changes(w, SIM_TIME_NEVER);
    return w->nomem ? SIM_ERR_NOMEM : SIM_OK;
}
