#include "tools/lab/rows/tune.h"

#include <string.h>

enum { BYTES, FASTEST, TIME, CHOSEN, LOSS };

static const char *algorithm_of(const struct lab_series *series)
{
    return lab_setup_get(&series->setup, "algorithm");
}

static void check_series(const struct lab_series *series, const char *first)
{
    const char *a = algorithm_of(series);

    if (strcmp(series->key, "bytes") != 0)
        load_raise(SIM_ERR_CONFIG,
                   "%s: a series over %s: expected one over bytes, as in bytes: 8..65536",
                   series->where, series->key);
    if (a == NULL ||
        (strcspn(a, "@/,") == strlen(a) && strncmp(a, first, strcspn(first, "=") + 1) == 0))
        return;
    load_raise(SIM_ERR_CONFIG, "%s: algorithm = %s: expected one, of the same collective as %s",
               series->where, a, first);
}

void lab_tune_check(const struct lab_experiment *exp)
{
    const char *first = NULL;
    bool own = false;

    for (unsigned i = 0; i < exp->n; i++) {
        const char *a = algorithm_of(&exp->series[i]);

        own |= a == NULL;
        first = first != NULL ? first : a;
    }
    if (first == NULL || !own)
        load_raise(SIM_ERR_CONFIG,
                   "%s: expected series with algorithm: COLLECTIVE=NAME, and one without, "
                   "in which the library chooses",
                   exp->name);
    for (unsigned i = 0; i < exp->n; i++)
        check_series(&exp->series[i], first);
}

/** The fastest at size `x`; of equal ones the library's own choice, then the first. */
static const struct lab_sample *fastest_at(const struct lab_samples *samples, const char *x,
                                           const struct lab_sample **own_p)
{
    const struct lab_sample *best = NULL;

    *own_p = NULL;
    for (unsigned i = 0; i < samples->n; i++) {
        const struct lab_sample *s = &samples->samples[i];

        if (strcmp(s->x, x) != 0 || s->min_s <= 0)
            continue;
        if (algorithm_of(s->series) == NULL)
            *own_p = s;
        if (best == NULL || s->min_s < best->min_s ||
            (s->min_s <= best->min_s && algorithm_of(s->series) == NULL))
            best = s;
    }
    return best;
}

/** Sizes of which one algorithm is said, until another one, or the library's own, is better. */
struct range {
    const char *algorithm, *from; /* algorithm NULL: none */
    bool first;
};

static void end_range(struct range *r, const char *below, const char *ranks,
                      struct load_arena *arena, const char **choices_p)
{
    const char *from = r->first ? "" : r->from, *bytes = "", *among = "";

    if (r->algorithm == NULL)
        return;
    if (*from != '\0' || *below != '\0')
        bytes = load_text(arena, "@%s..%s", from, below);
    if (ranks != NULL)
        among = load_text(arena, "/%s", ranks);
    *choices_p = load_text(arena, "%s%s%s%s%s", *choices_p, **choices_p != '\0' ? "," : "",
                           r->algorithm, bytes, among);
    r->algorithm = NULL;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static void add_row(struct lab_table *table, const struct lab_sample *best,
                    const struct lab_sample *own)
{
    unsigned row = lab_table_add(table);
    const char *a = algorithm_of(best->series);

    lab_table_set(table, row, BYTES, "%s\t%s\t%.3f", best->x, a != NULL ? a : best->series->name,
                  best->min_s * 1e6);
    if (own == NULL)
        return;
    lab_table_set(table, row, CHOSEN, "%.3f\t%.1f", own->min_s * 1e6,
                  100 * (own->min_s / best->min_s - 1));
}

void lab_tune(const struct lab_samples *samples, double margin_pct, struct load_arena *arena,
              struct lab_table *table, const char **choices_p)
{
    const struct lab_list *sizes = &samples->samples[0].series->list;
    const char *ranks = lab_setup_get(&samples->samples[0].series->setup, "nodes");
    struct range range = { 0 };

    lab_table_begin(table, "bytes#, fastest, latency_us#, chosen_us#, loss_pct#");
    *choices_p = "";
    for (unsigned i = 0; i < sizes->n; i++) {
        const struct lab_sample *own, *best = fastest_at(samples, sizes->items[i], &own);
        const char *said = NULL;

        if (best == NULL)
            continue;
        add_row(table, best, own);
        if (own == NULL || own->min_s > best->min_s * (1 + margin_pct / 100))
            said = algorithm_of(best->series);
        if (same_text(said, range.algorithm))
            continue;
        end_range(&range, sizes->items[i], ranks, arena, choices_p);
        range = (struct range){ said, sizes->items[i], i == 0 };
    }
    end_range(&range, "", ranks, arena, choices_p);
}
