#include "tools/hubrun/errors.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char tail[] = ".errors.uncorrectable";

struct look {
    unsigned n;       /* ports so far */
    uint64_t *counts; /* by port; NULL: they are counted only */
    const struct errors *since;
    bool any;
};

static void look_at(void *arg, const char *path, const char *unit, const char *meaning,
                    uint64_t value)
{
    struct look *l = arg;
    size_t n = strlen(path), k = sizeof(tail) - 1;
    uint64_t news;

    (void)unit;
    (void)meaning;
    if (n <= k || strcmp(path + n - k, tail) != 0)
        return;
    if (l->counts != NULL)
        l->counts[l->n] = value;
    news = l->since != NULL && l->n < l->since->n ? value - l->since->before[l->n] : 0;
    l->n++;
    if (news == 0)
        return;
    l->any = true;
    fprintf(stderr, "hubrun: %.*s has seen %" PRIu64 " uncorrectable error%s\n", (int)(n - k), path,
            news, news == 1 ? "" : "s");
}

void errors_begin(struct errors *e, const struct sim *sim, struct load_arena *arena)
{
    struct look ports = { 0 }, counts = { 0 };

    sim_stat_each(sim, look_at, &ports);
    counts.counts = load_alloc(arena, (ports.n + 1) * sizeof(*counts.counts));
    sim_stat_each(sim, look_at, &counts);
    *e = (struct errors){ counts.n, counts.counts };
}

bool errors_report(const struct errors *e, const struct sim *sim)
{
    struct look l = { .since = e };

    sim_stat_each(sim, look_at, &l);
    return l.any;
}
