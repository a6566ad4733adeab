#include "tools/lab/rows/experiment.h"

#include "tools/lab/bounds/bounds_traffic.h"
#include "tools/load/find.h"

#include <string.h>

const char *const lab_experiment_keys[] = { "description", "workload", "platform", "machine",
                                            "setup",       "series",   NULL };

/* ---- reading ------------------------------------------------------------------------ */

/** What a series, and the whole file, may set beside keys of setups. @return false: it is one of
 * those. */
static bool set_own(struct lab_series *series, const struct load_tree *item, const char *where)
{
    const struct {
        const char *key, **text, **at;
    } own[] = { { "workload", &series->workload, &series->at.workload },
                { "platform", &series->platform, &series->at.platform },
                { "machine", &series->machine, &series->at.machine },
                { "name", &series->name, NULL } };

    for (unsigned i = 0; i < SIM_COUNT(own); i++) {
        if (strcmp(own[i].key, item->key) != 0)
            continue;
        if (item->type != LOAD_SCALAR)
            load_fail(item, NULL, "expected a single value");
        *own[i].text = item->text;
        if (own[i].at != NULL)
            *own[i].at = where;
        return true;
    }
    return false;
}

static const char *place_of(const struct load_tree *item, struct load_arena *arena)
{
    return load_text(arena, "%s:%u", item->file, item->line);
}

static void put_all(const struct load_tree *map, struct lab_series *series,
                    struct load_arena *arena)
{
    for (unsigned i = 0; i < map->n; i++) {
        const struct load_tree *item = &map->items[i];
        const char *where = place_of(item, arena);

        if (set_own(series, item, where))
            continue;
        if (item->type != LOAD_SCALAR)
            load_fail(item, NULL, "expected a single value");
        lab_setup_put(&series->setup, item->key, item->text, where);
    }
}

static void find_points(struct lab_series *series, struct load_arena *arena)
{
    for (unsigned i = 0; i < series->setup.n; i++) {
        const struct lab_key *key = &series->setup.keys[i];

        if (strchr(key->value, '|') == NULL && strstr(key->value, "..") == NULL)
            continue;
        if (series->key != NULL)
            load_raise(SIM_ERR_CONFIG, "%s: %s = %s: expected one list, %s has it", key->where,
                       key->key, key->value, series->key);
        series->key = key->key;
        series->list = lab_list_parse(key->key, key->value, key->where, arena);
    }
    if (series->key == NULL) { /* a single point */
        const char *given, *absent;

        lab_workload_point(series->workload, arena, &series->key, &absent);
        given = lab_setup_get(&series->setup, series->key);
        lab_list_add(&series->list, given != NULL ? given : absent, series->where, arena);
    }
}

static void read_series(const struct load_tree *root, const struct load_tree *item,
                        struct load_arena *arena, struct lab_series *series)
{
    const struct load_tree *setup = load_tree_get(root, "setup");

    series->where = place_of(item, arena);
    if (item->type != LOAD_MAP)
        load_fail(item, NULL, "expected a mapping with a name");
    if (setup != NULL && setup->type != LOAD_MAP)
        load_fail(setup, NULL, "expected a mapping");
    for (unsigned i = 0; i < root->n; i++)
        (void)set_own(series, &root->items[i], place_of(&root->items[i], arena));
    if (setup != NULL)
        put_all(setup, series, arena);
    put_all(item, series, arena);
    series->of_file = series->platform;
    if (series->name == NULL)
        lab_words_fail_unnamed(item);
    if (series->workload == NULL)
        load_fail(item, NULL, "expected the key workload, here or in the file");
    lab_plan_check_keys(series->at.workload, series->workload, &series->setup);
    lab_words_values(series->workload, &series->setup, arena);
    find_points(series, arena);
}

void lab_experiment_read(const char *path, struct load_arena *arena, struct lab_experiment *exp)
{
    const struct load_tree *root = load_tree_read(path, arena), *list;

    *exp = (struct lab_experiment){ .description = "" };
    exp->name = load_find_stem(path, arena);
    load_tree_only(root, lab_experiment_keys);
    load_tree_text(root, "description", &exp->description);
    list = load_tree_need(root, "series", LOAD_LIST);
    exp->n = list->n;
    exp->series = load_alloc(arena, list->n * sizeof(*exp->series));
    for (unsigned i = 0; i < list->n; i++)
        read_series(root, &list->items[i], arena, &exp->series[i]);
}

void lab_experiment_replace_platform(struct lab_experiment *exp, const char *platform)
{
    for (unsigned i = 0; platform != NULL && i < exp->n; i++) {
        exp->series[i].platform = platform;
        exp->series[i].at.platform = NULL;
    }
}

/* ---- running -------------------------------------------------------------------------- */

static struct lab_point sample_point(const struct lab_series *series, const char *x,
                                     struct lab_setup *setup)
{
    *setup = series->setup;
    if (x[0] != '\0') /* else it is the program's own */
        lab_setup_put(setup, series->key, x, lab_setup_where(setup, series->key, series->where));
    return (struct lab_point){ series->where, series->platform, series->workload, setup,
                               series->machine };
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
static void bound_traffic(const struct machine_desc *desc, const struct lab_run *run,
                          struct load_arena *arena, struct lab_sample *sample)
{
    struct lab_traffic traffic = lab_traffic_read(run, sample->result, arena);
    struct lab_traffic_time time = lab_traffic_bound(desc, &traffic);

    sample->bound = (struct lab_bound){ .bytes_per_s = (double)sample->bytes / time.all,
                                        .name = time.link > time.bus ? "link" : "bus" };
}

static void bound_sample(const struct machine_desc *desc, const struct lab_evaluator *ev,
                         const struct lab_plan *plan, struct lab_sample *sample)
{
    struct lab_run run = lab_run_with(ev, &plan->runs[0]);

    if (sample->result != NULL && sample->result->ntraffic > 0)
        bound_traffic(desc, &run, ev->arena, sample);
    else if (plan->directions != 0)
        sample->bound = lab_run_bound(desc, &run, plan->stores);
    if (plan->directions > 1)
        lab_bound_scale(&sample->bound, plan->directions);
}

/** On the machine as it is really built, so that --set moves ranks and bounds, too. */
static void read_on_machine(const struct lab_site *site, const struct lab_evaluator *ev,
                            const struct lab_point *point, struct lab_plan *plan,
                            struct lab_sample *sample)
{
    struct lab_run run = lab_run_with(ev, &plan->runs[0]);
    struct load_machine *machine = lab_plan_load(site, point, plan, &run);

    read_sample(ev, plan, sample);
    bound_sample(load_machine_desc(machine), ev, plan, sample);
    load_machine_destroy(machine);
}

static void check_name(const struct load_roots *roots, const char *where, const char *key,
                       const char *name, const char *folder)
{
    struct load_arena scratch = { 0 };
    const char *folders[] = { folder, NULL };

    if (where != NULL && load_find_first(roots, folder, name, &scratch) == NULL)
        load_find_fail(roots, load_text(&scratch, "%s: %s = ", where, key), folders, name);
    load_arena_fini(&scratch);
}

/** Names of files, which else would be missed where nothing knows who has named them. */
static void check_names(const struct lab_experiment *exp, const struct load_roots *roots)
{
    for (unsigned i = 0; i < exp->n; i++) {
        const struct lab_series *s = &exp->series[i];

        check_name(roots, s->at.machine, "machine", s->machine, "machines");
        if (s->at.platform != NULL)
            check_name(roots, s->at.platform, "platform", lab_plan_platform(s->platform, &s->setup),
                       "platforms");
    }
}

struct lab_samples lab_experiment_want(const struct lab_experiment *exp,
                                       const struct lab_evaluator *ev, const struct lab_site *site)
{
    struct lab_samples samples = { 0 };
    unsigned n = 0;

    for (unsigned s = 0; s < exp->n; s++)
        n += exp->series[s].list.n;
    if (site != NULL)
        check_names(exp, &site->roots);
    samples.samples = load_alloc(ev->arena, (n + 1) * sizeof(*samples.samples));
    for (unsigned s = 0; s < exp->n; s++) {
        const struct lab_series *series = &exp->series[s];

        for (unsigned i = 0; i < series->list.n; i++) {
            struct lab_sample *sample = &samples.samples[samples.n++];
            struct lab_setup setup;
            struct lab_point point = sample_point(series, series->list.items[i], &setup);
            struct lab_plan plan = lab_plan_make(&point, &ev->protocol, ev->arena);

            *sample = (struct lab_sample){ .series = series, .x = series->list.items[i] };
            if (site != NULL && plan.nruns > 0)
                read_on_machine(site, ev, &point, &plan, sample);
            else
                read_sample(ev, &plan, sample);
        }
    }
    return samples;
}

struct lab_samples lab_experiment_run(const struct lab_experiment *exp,
                                      const struct lab_evaluator *ev, const struct lab_site *site)
{
    (void)lab_experiment_want(exp, ev, site);
    lab_pool_work(ev->pool);
    return lab_experiment_want(exp, ev, site);
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
