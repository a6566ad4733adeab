#define _POSIX_C_SOURCE 200809L /* fnmatch */
#include "tools/lab/score.h"
#include "tools/lab/software.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#define CHANGE_PCT      10
#define SMALLEST_CHANGE 0.1 /* percent; less is not told */

/** One parameter of one platform, moved one way. */
struct trial {
    const char *platform, *key;
    const char **sets; /* those of the evaluator and this one */
};

struct study {
    const struct lab_evaluator *ev;
    const char *pattern, *platform;
    unsigned n, room;
    struct {
        struct trial down, up;
    } * pairs;
};

static struct trial make_trial(struct study *study, const char *key, uint64_t value)
{
    struct load_arena *arena = study->ev->arena;
    unsigned n = study->ev->nsets;
    struct trial trial = { study->platform, key, load_alloc(arena, (n + 1) * sizeof(char *)) };

    for (unsigned i = 0; i < n; i++)
        trial.sets[i] = study->ev->sets[i];
    trial.sets[n] = load_text(arena, "node*%s=%" PRIu64, strchr(key, '.'), value);
    return trial;
}

static uint64_t within(const struct machine_param *param, uint64_t value)
{
    return value < param->min ? param->min : value > param->max ? param->max : value;
}

static void add_parameter(void *arg, const char *path, const struct machine_value *value)
{
    struct study *study = arg;
    const struct machine_param *param = value->param;
    uint64_t step = (value->value * CHANGE_PCT + 50) / 100;
    const char *key = load_text(study->ev->arena, "%s.%s", path, param->key);

    if (param->choices != NULL || step == 0 || strncmp(path, "node", 4) != 0)
        return;
    if (study->pattern != NULL && fnmatch(study->pattern, key, 0) != 0)
        return;
    if (study->n == study->room) {
        void *bigger;

        study->room = study->room * 2 + 64;
        bigger = load_alloc(study->ev->arena, study->room * sizeof(*study->pairs));
        if (study->n > 0)
            memcpy(bigger, study->pairs, study->n * sizeof(*study->pairs));
        study->pairs = bigger;
    }
    study->pairs[study->n].down = make_trial(study, key, within(param, value->value - step));
    study->pairs[study->n].up = make_trial(study, key, within(param, value->value + step));
    study->n++;
}

static int collect(struct study *study, const struct lab_site *site, struct sim_error *err)
{
    const struct lab_rows *rows = study->ev->rows;
    int rc = SIM_OK;

    for (unsigned i = 0; i < rows->n && rc == SIM_OK; i++) {
        struct load_options opt = { .roots = &site->roots, .kinds = lab_kinds() };
        struct load_machine *platform;
        bool seen = false;

        for (unsigned k = 0; k < i; k++)
            seen |= strcmp(rows->rows[k].platform, rows->rows[i].platform) == 0;
        if (seen)
            continue;
        study->platform = rows->rows[i].platform;
        rc = load_platform_create(study->platform, &opt, &platform, err);
        if (rc != SIM_OK)
            break;
        load_machine_each(platform, add_parameter, study);
        load_machine_destroy(platform);
    }
    return rc;
}

static int evaluate(const struct study *study, const struct trial *trial, const struct lab_row *row,
                    struct lab_score *score, struct sim_error *err)
{
    struct lab_evaluator ev = *study->ev;

    if (trial != NULL) {
        ev.sets = trial->sets;
        ev.nsets = study->ev->nsets + 1;
        ev.base = study->ev;
    }
    return lab_evaluate(&ev, row, score, err);
}

static void set_change(struct lab_table *t, unsigned row, unsigned column,
                       const struct lab_score *base, const struct lab_score *moved)
{
    if (moved->has_value)
        lab_table_set(t, row, column, "%.2f", (moved->simulated / base->simulated - 1) * 100);
    else
        lab_table_set(t, row, column, "%s", "");
}

static double change(const struct lab_score *base, const struct lab_score *moved)
{
    return moved->has_value ? fabs(moved->simulated / base->simulated - 1) * 100 : 0;
}

/** Both ways of one parameter for one row; the first walk only tells the pool what is wanted. */
static int try_row(const struct study *study, unsigned pair, const struct lab_row *row,
                   struct lab_table *table, struct sim_error *err)
{
    struct lab_score base, down, up;
    int rc = evaluate(study, NULL, row, &base, err);

    if (rc == SIM_OK)
        rc = evaluate(study, &study->pairs[pair].down, row, &down, err);
    if (rc == SIM_OK)
        rc = evaluate(study, &study->pairs[pair].up, row, &up, err);
    if (rc != SIM_OK || table == NULL || !base.has_value || base.simulated == 0)
        return rc;
    if (change(&base, &down) >= SMALLEST_CHANGE || change(&base, &up) >= SMALLEST_CHANGE) {
        unsigned r = lab_table_add(table);

        lab_table_set(table, r, 0, "%s", study->pairs[pair].down.platform);
        lab_table_set(table, r, 1, "%s", study->pairs[pair].down.key);
        lab_table_set(table, r, 2, "%s", row->id);
        set_change(table, r, 3, &base, &down);
        set_change(table, r, 4, &base, &up);
    }
    return SIM_OK;
}

/** Places on a grid do not move by little. */
static bool is_asked(const struct lab_row *row)
{
    return strcmp(row->role, "history") != 0 && !row->needs_mpi && row->relation != LAB_PEAK_AT &&
           row->relation != LAB_CROSSOVER;
}

/** The unchanged machine first: its results choose the places of lists. */
static int make_base(const struct study *study, struct sim_error *err)
{
    int rc = SIM_OK;

    for (unsigned i = 0; i < study->ev->rows->n && rc == SIM_OK; i++) {
        struct lab_score unused;

        if (is_asked(&study->ev->rows->rows[i]))
            rc = evaluate(study, NULL, &study->ev->rows->rows[i], &unused, err);
    }
    return rc == SIM_OK ? lab_pool_work(study->ev->pool, err) : rc;
}

static int walk(const struct study *study, struct lab_table *table, struct sim_error *err)
{
    const struct lab_rows *rows = study->ev->rows;
    int rc = SIM_OK;

    for (unsigned p = 0; p < study->n; p++) {
        for (unsigned i = 0; i < rows->n && rc == SIM_OK; i++) {
            const struct lab_row *row = &rows->rows[i];

            if (strcmp(row->platform, study->pairs[p].down.platform) == 0 && is_asked(row))
                rc = try_row(study, p, row, table, err);
        }
    }
    return rc;
}

int lab_sensitivity(const struct lab_evaluator *ev, const struct lab_site *site,
                    const char *pattern, struct lab_table *table, struct sim_error *err)
{
    static const struct lab_column columns[] = { { "platform", false },
                                                 { "key", false },
                                                 { "id", false },
                                                 { "minus10_change_pct", true },
                                                 { "plus10_change_pct", true } };
    struct study study = { .ev = ev, .pattern = pattern };
    int rc = collect(&study, site, err);

    lab_table_init(table, columns, sizeof(columns) / sizeof(columns[0]));
    if (rc == SIM_OK && study.n == 0)
        rc = sim_error_set(err, SIM_ERR_CONFIG, "%s: matches no parameter",
                           pattern != NULL ? pattern : "*");
    if (rc == SIM_OK)
        rc = make_base(&study, err);
    if (rc == SIM_OK)
        rc = walk(&study, NULL, err);
    if (rc == SIM_OK)
        rc = lab_pool_work(ev->pool, err);
    return rc == SIM_OK ? walk(&study, table, err) : rc;
}
