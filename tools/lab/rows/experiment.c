#include "tools/lab/rows/experiment.h"
#include "tools/lab/bounds/bounds_traffic.h"

#include "tools/load/find.h"

#include <inttypes.h>
#include <string.h>

static const char *const file_keys[] = { "description", "workload", "platform", "machine",
                                         "setup",       "series",   NULL };

/* ---- reading ------------------------------------------------------------------------ */

/** What a series, and the whole file, may set beside keys of setups. NULL: it is one of those. */
static const char **own_key(struct lab_series *series, const char *key)
{
    return strcmp(key, "workload") == 0   ? &series->workload
           : strcmp(key, "platform") == 0 ? &series->platform
           : strcmp(key, "machine") == 0  ? &series->machine
           : strcmp(key, "name") == 0     ? &series->name
                                          : NULL;
}

static int put_all(const struct load_tree *map, struct lab_series *series, struct sim_error *err)
{
    int rc = SIM_OK;

    for (unsigned i = 0; i < map->n && rc == SIM_OK; i++) {
        const struct load_tree *item = &map->items[i];
        const char **own = own_key(series, item->key);

        if (item->type != LOAD_SCALAR)
            return load_fail(err, item, NULL, "expected a single value");
        if (own != NULL)
            *own = item->text;
        else
            rc = lab_setup_put(&series->setup, item->key, item->text, series->where, err);
    }
    return rc;
}

static int find_points(struct lab_series *series, struct load_arena *arena, struct sim_error *err)
{
    for (unsigned i = 0; i < series->setup.n; i++) {
        const struct lab_key *key = &series->setup.keys[i];
        int rc;

        if (strchr(key->value, '|') == NULL && strstr(key->value, "..") == NULL)
            continue;
        if (series->key != NULL)
            return sim_error_set(err, SIM_ERR_CONFIG, "%s: %s = %s: expected one list, %s has it",
                                 series->where, key->key, key->value, series->key);
        series->key = key->key;
        rc = lab_list_parse(key->value, series->where, arena, &series->list, err);
        if (rc != SIM_OK)
            return rc;
    }
    if (series->key == NULL) { /* a single point */
        const char *given, *absent;

        lab_workload_point(series->workload, arena, &series->key, &absent);
        given = lab_setup_get(&series->setup, series->key);
        return lab_list_add(&series->list, given != NULL ? given : absent, series->where, arena,
                            err);
    }
    return SIM_OK;
}

static int read_series(const struct load_tree *root, const struct load_tree *item,
                       struct load_arena *arena, struct lab_series *series, struct sim_error *err)
{
    const struct load_tree *setup = load_tree_get(root, "setup");
    int rc = SIM_OK;

    series->where = load_text(arena, "%s:%u", item->file, item->line);
    if (item->type != LOAD_MAP)
        return load_fail(err, item, NULL, "expected a mapping with a name");
    if (setup != NULL && setup->type != LOAD_MAP)
        return load_fail(err, setup, NULL, "expected a mapping");
    for (unsigned i = 0; i < root->n && rc == SIM_OK; i++) {
        const char *key = root->items[i].key, **own = own_key(series, key);

        if (own != NULL)
            rc = load_tree_text(root, key, own, err);
    }
    if (rc == SIM_OK && setup != NULL)
        rc = put_all(setup, series, err);
    if (rc == SIM_OK)
        rc = put_all(item, series, err);
    if (rc == SIM_OK && series->name == NULL)
        rc = load_fail(err, item, NULL, "expected the key name");
    if (rc == SIM_OK && series->workload == NULL)
        rc = load_fail(err, item, NULL, "expected the key workload, here or in the file");
    if (rc == SIM_OK)
        rc = lab_plan_check_keys(series->where, series->workload, &series->setup, err);
    return rc == SIM_OK ? find_points(series, arena, err) : rc;
}

int lab_experiment_read(const char *path, struct load_arena *arena, struct lab_experiment *exp,
                        struct sim_error *err)
{
    const struct load_tree *list;
    struct load_tree *root;
    int rc = load_tree_read(path, arena, &root, err);

    *exp = (struct lab_experiment){ .description = "" };
    exp->name = load_find_stem(path, arena);
    if (rc == SIM_OK)
        rc = load_tree_only(root, file_keys, err);
    if (rc == SIM_OK)
        rc = load_tree_text(root, "description", &exp->description, err);
    if (rc == SIM_OK)
        rc = load_tree_need(root, "series", LOAD_LIST, &list, err);
    if (rc != SIM_OK)
        return rc;
    exp->n = list->n;
    exp->series = load_alloc(arena, list->n * sizeof(*exp->series));
    for (unsigned i = 0; i < list->n && rc == SIM_OK; i++)
        rc = read_series(root, &list->items[i], arena, &exp->series[i], err);
    return rc;
}

/* ---- running -------------------------------------------------------------------------- */

static int plan_sample(const struct lab_series *series, const char *x,
                       const struct lab_evaluator *ev, struct lab_plan *plan, struct sim_error *err)
{
    struct lab_setup setup = series->setup;
    struct lab_point point = { series->where, series->platform, series->workload, &setup,
                               series->machine };
    int rc = SIM_OK;

    if (x[0] != '\0') /* else it is the program's own */
        rc = lab_setup_put(&setup, series->key, x, series->where, err);
    return rc == SIM_OK ? lab_plan_make(&point, &ev->protocol, ev->arena, plan, err) : rc;
}

/** The best of the plan's runs; all of them are wanted at once. */
static void read_sample(const struct lab_evaluator *ev, const struct lab_plan *plan,
                        struct lab_sample *sample)
{
    for (unsigned i = 0; i < plan->nruns; i++) {
        struct lab_run run = lab_run_with(ev, &plan->runs[i]);
        const struct lab_result *result;
        struct lab_times times = { 0, 0 };
        const char *failure;

        sample->runs[sample->nruns++] = lab_run_text(&run, ev->arena);
        result = lab_pool_get(ev->pool, &run);
        if (result == NULL)
            continue;
        failure = lab_read_times(result, &times);
        if (failure != NULL)
            sample->failure = failure;
        if (failure != NULL || (sample->min_s != 0 && sample->min_s <= times.min_s))
            continue;
        sample->min_s = times.min_s;
        sample->median_s = times.median_s;
        sample->result = result;
        sample->bytes = lab_read_bytes(plan->bytes, result);
        sample->bytes_per_s = (double)sample->bytes / times.min_s;
    }
}

/** The traffic that the program has printed, on the links of the machine. */
static int bound_traffic(const struct machine_desc *desc, const struct lab_run *run,
                         struct load_arena *arena, struct lab_sample *sample, struct sim_error *err)
{
    struct lab_traffic traffic;
    struct lab_traffic_time time;
    int rc = lab_traffic_read(run, sample->result, arena, &traffic, err);

    if (rc == SIM_OK)
        rc = lab_traffic_bound(desc, &traffic, &time, err);
    if (rc == SIM_OK)
        sample->bound = (struct lab_bound){ .bytes_per_s = (double)sample->bytes / time.all,
                                            .name = time.link > time.bus ? "link" : "bus" };
    return rc;
}

/** Of the machine that was really built, so that --set moves the bound too. */
static int bound_sample(const struct lab_site *site, const struct lab_evaluator *ev,
                        const struct lab_plan *plan, struct lab_sample *sample,
                        struct sim_error *err)
{
    struct lab_run run = lab_run_with(ev, &plan->runs[0]);
    struct load_machine *machine;
    int rc = lab_load_run(site, &run, &machine, err);
    if (rc != SIM_OK)
        return rc;
    if (sample->result != NULL && sample->result->ntraffic > 0)
        rc = bound_traffic(load_machine_desc(machine), &run, ev->arena, sample, err);
    else if (plan->directions != 0)
        sample->bound = lab_run_bound(load_machine_desc(machine), &run, plan->stores);
    if (plan->directions > 1)
        lab_bound_scale(&sample->bound, plan->directions);
    load_machine_destroy(machine);
    return rc;
}

static int walk_points(const struct lab_experiment *exp, const struct lab_evaluator *ev,
                       const struct lab_site *site, struct lab_samples *out, struct sim_error *err)
{
    int rc = SIM_OK;

    out->n = 0;
    for (unsigned s = 0; s < exp->n; s++) {
        const struct lab_series *series = &exp->series[s];

        for (unsigned i = 0; i < series->list.n && rc == SIM_OK; i++) {
            struct lab_sample *sample = &out->samples[out->n++];
            struct lab_plan plan;

            *sample = (struct lab_sample){ .series = series, .x = series->list.items[i] };
            rc = plan_sample(series, sample->x, ev, &plan, err);
            if (rc != SIM_OK)
                break;
            read_sample(ev, &plan, sample);
            if (rc == SIM_OK && site != NULL && plan.nruns > 0)
                rc = bound_sample(site, ev, &plan, sample, err);
        }
    }
    return rc;
}

int lab_experiment_want(const struct lab_experiment *exp, const struct lab_evaluator *ev,
                        const struct lab_site *site, struct lab_samples *samples_p,
                        struct sim_error *err)
{
    struct lab_samples samples = { 0 };
    int rc;

    for (unsigned s = 0; s < exp->n; s++)
        samples.n += exp->series[s].list.n;
    samples.samples = load_alloc(ev->arena, (samples.n + 1) * sizeof(*samples.samples));
    rc = walk_points(exp, ev, site, &samples, err);
    if (rc == SIM_OK)
        *samples_p = samples;
    return rc;
}

int lab_experiment_run(const struct lab_experiment *exp, const struct lab_evaluator *ev,
                       const struct lab_site *site, struct lab_samples *samples_p,
                       struct sim_error *err)
{
    int rc = lab_experiment_want(exp, ev, site, samples_p, err);

    if (rc == SIM_OK)
        rc = lab_pool_work(ev->pool, err);
    return rc == SIM_OK ? lab_experiment_want(exp, ev, site, samples_p, err) : rc;
}

/* ---- the table ------------------------------------------------------------------------- */

enum { SERIES, KEY, X, MIN, MEDIAN, BANDWIDTH, BOUND, SHARE, LIMIT, FAILURE };

void lab_samples_table(const struct lab_samples *samples, struct lab_table *table)
{

    lab_table_begin(table, "series, key, x#, latency_us_min#, latency_us_median#, bandwidth_MBps#, "
                           "bound_MBps#, of_bound_pct#, bound, failure");
    for (unsigned i = 0; i < samples->n; i++) {
        const struct lab_sample *s = &samples->samples[i];
        unsigned row = lab_table_add(table);

        lab_table_set(table, row, SERIES, "%s\t%s\t%s", s->series->name, s->series->key, s->x);
        if (s->failure != NULL)
            lab_table_set(table, row, FAILURE, "%s", s->failure);
        if (s->min_s > 0) {
            lab_table_set(table, row, MIN, "%.6f\t%.6f\t%.3f", s->min_s * 1e6, s->median_s * 1e6,
                          s->bytes_per_s * 1e-6);
        }
        if (s->bound.bytes_per_s > 0) {
            lab_table_set(table, row, BOUND, "%.3f", s->bound.bytes_per_s * 1e-6);
            lab_table_set(table, row, LIMIT, "%s", s->bound.name);
            if (s->min_s > 0)
                lab_table_set(table, row, SHARE, "%.1f",
                              100 * s->bytes_per_s / s->bound.bytes_per_s);
        }
    }
}
