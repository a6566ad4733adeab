#define _POSIX_C_SOURCE 200809L /* fnmatch */
#include "tools/lab/rows/score.h"
#include "tools/lab/run/software.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#define CHANGE_PCT      10
#define SHARED_MAX      16u
#define SMALLEST_CHANGE 0.1 /* percent; less is left out */

/**
 * One parameter of one platform. Components of one kind, and ports of one component, that have the
 * same value share it: four GPUs have one size of cache.
 */
struct parameter {
    const char *platform, *key, *component;
    const struct machine_param *param; /* while its platform is open */
    uint64_t min, max, value;
    unsigned nkeys;
    const char *keys[SHARED_MAX]; /* ".gpu0.l2.bytes" */
    const char **down, **up;      /* the evaluator's own sets and one for each key */
};

struct study {
    const struct lab_evaluator *ev;
    const char *pattern, *platform;
    unsigned n, room;
    struct parameter *parameters;
};

/** ".link.gen" of "n.link.gen" and of "e.link.gen". */
static bool is_other_port(const struct machine_param *a, const struct machine_param *b)
{
    const char *x = strchr(a->key, '.'), *y = strchr(b->key, '.');

    return x != NULL && y != NULL && strcmp(x, y) == 0 && strcmp(a->meaning, b->meaning) == 0;
}

static bool shares_parameter(const struct study *study, const struct parameter *p,
                             const char *component, const struct machine_value *value)
{
    if (strcmp(p->platform, study->platform) != 0 || p->value != value->value ||
        p->nkeys == SHARED_MAX)
        return false;
    return p->param == value->param ||
           (strcmp(p->component, component) == 0 && is_other_port(p->param, value->param));
}

static struct parameter *add_slot(struct study *study)
{
    study->parameters = load_grow(study->ev->arena, study->parameters, study->n, &study->room,
                                  sizeof(*study->parameters));
    return &study->parameters[study->n++];
}

static void add_parameter(void *arg, const char *path, const struct machine_value *value)
{
    struct study *study = arg;
    const char *key = load_text(study->ev->arena, "%s.%s", path, value->param->key);
    struct parameter *p = NULL;

    if (value->param->choices != NULL || strncmp(path, "node", 4) != 0)
        return;
    if (study->pattern != NULL && fnmatch(study->pattern, key, 0) != 0)
        return;
    for (unsigned i = 0; i < study->n && p == NULL; i++)
        if (shares_parameter(study, &study->parameters[i], path, value))
            p = &study->parameters[i];
    if (p == NULL) {
        p = add_slot(study);
        *p = (struct parameter){ .platform = study->platform,
                                 .key = key,
                                 .component = load_text(study->ev->arena, "%s", path),
                                 .param = value->param,
                                 .min = value->param->min,
                                 .max = value->param->max,
                                 .value = value->value };
    }
    p->keys[p->nkeys++] = strchr(key, '.');
}

static uint64_t within(const struct parameter *p, uint64_t value)
{
    return value < p->min ? p->min : value > p->max ? p->max : value;
}

static const char **make_sets(const struct lab_evaluator *ev, const struct parameter *p,
                              uint64_t value)
{
    const char **sets = load_alloc(ev->arena, (ev->nsets + p->nkeys) * sizeof(*sets));

    for (unsigned i = 0; i < ev->nsets; i++)
        sets[i] = ev->sets[i];
    for (unsigned i = 0; i < p->nkeys; i++)
        sets[ev->nsets + i] =
            load_text(ev->arena, "node*%s=%" PRIu64, p->keys[i], within(p, value));
    return sets;
}

/** Leaves out what is too small to be moved by a tenth. */
static void make_trials(struct study *study)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < study->n; i++) {
        struct parameter *p = &study->parameters[i];
        uint64_t step = (p->value * CHANGE_PCT + 50) / 100;

        if (step == 0)
            continue;
        p->down = make_sets(study->ev, p, p->value - step);
        p->up = make_sets(study->ev, p, p->value + step);
        study->parameters[kept++] = *p;
    }
    study->n = kept;
}

static void collect_parameters(struct study *study, const struct lab_site *site)
{
    struct load_options opt = { .roots = &site->roots, .kinds = lab_kinds() };
    const struct lab_rows *rows = study->ev->rows;

    for (unsigned i = 0; i < rows->n; i++) {
        struct load_machine *platform;
        bool seen = false;

        for (unsigned k = 0; k < i; k++)
            seen |= strcmp(rows->rows[k].platform, rows->rows[i].platform) == 0;
        if (seen)
            continue;
        study->platform = rows->rows[i].platform;
        platform = load_platform_create(study->platform, &opt);
        load_machine_each(platform, add_parameter, study);
        load_machine_destroy(platform);
    }
}

/** @param sets of a trial, NULL: the machine as it is */
static struct lab_score evaluate_trial(const struct study *study, const struct parameter *p,
                                       const char *const *sets, const struct lab_row *row)
{
    struct lab_evaluator ev = *study->ev;

    if (sets != NULL) {
        ev.sets = sets;
        ev.nsets = study->ev->nsets + p->nkeys;
        ev.base = study->ev;
    }
    return lab_evaluate(&ev, row);
}

static void set_change(struct lab_table *t, unsigned row, unsigned column,
                       const struct lab_score *base, const struct lab_score *moved)
{
    if (moved->has_value)
        lab_table_set(t, row, column, "%.2f", (moved->simulated / base->simulated - 1) * 100);
}

static double change_pct(const struct lab_score *base, const struct lab_score *moved)
{
    return moved->has_value ? fabs(moved->simulated / base->simulated - 1) * 100 : 0;
}

/** Both ways of one parameter for one row; the first walk only asks the pool for it. */
static void try_row(const struct study *study, const struct parameter *p, const struct lab_row *row,
                    struct lab_table *table)
{
    struct lab_score base = evaluate_trial(study, p, NULL, row);
    struct lab_score down = evaluate_trial(study, p, p->down, row);
    struct lab_score up = evaluate_trial(study, p, p->up, row);

    if (table == NULL || !base.has_value || base.simulated == 0)
        return;
    if (change_pct(&base, &down) >= SMALLEST_CHANGE || change_pct(&base, &up) >= SMALLEST_CHANGE) {
        unsigned r = lab_table_add(table);

        lab_table_set(table, r, 0, "%s\t%s\t%u\t%s", p->platform, p->key, p->nkeys, row->id);
        set_change(table, r, 4, &base, &down);
        set_change(table, r, 5, &base, &up);
    }
}

/** Places on a grid do not move by little. */
static bool is_asked(const struct lab_row *row)
{
    return strcmp(row->role, "history") != 0 && row->relation != LAB_PEAK_AT &&
           row->relation != LAB_CROSSOVER;
}

/** The unchanged machine first: its results choose the places of lists. */
static void make_base(const struct study *study)
{
    for (unsigned i = 0; i < study->ev->rows->n; i++)
        if (is_asked(&study->ev->rows->rows[i]))
            (void)evaluate_trial(study, NULL, NULL, &study->ev->rows->rows[i]);
    lab_pool_work(study->ev->pool);
}

static void walk_trials(const struct study *study, struct lab_table *table)
{
    const struct lab_rows *rows = study->ev->rows;

    for (unsigned p = 0; p < study->n; p++) {
        for (unsigned i = 0; i < rows->n; i++) {
            const struct lab_row *row = &rows->rows[i];

            if (strcmp(row->platform, study->parameters[p].platform) == 0 && is_asked(row))
                try_row(study, &study->parameters[p], row, table);
        }
    }
}

void lab_sensitivity(const struct lab_evaluator *ev, const struct lab_site *site,
                     const char *pattern, struct lab_table *table)
{
    struct study study = { .ev = ev, .pattern = pattern };

    collect_parameters(&study, site);
    make_trials(&study);
    lab_table_begin(table,
                    "platform, key, keys_alike#, id, minus10_change_pct#, plus10_change_pct#");
    if (study.n == 0)
        load_raise(SIM_ERR_CONFIG, "%s: matches no parameter", pattern != NULL ? pattern : "*");
    make_base(&study);
    walk_trials(&study, NULL);
    lab_pool_work(ev->pool);
    walk_trials(&study, table);
}
