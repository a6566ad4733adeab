/* What makes the results of a sweep, in two hashes: its points, and the model they run on. */
#define _POSIX_C_SOURCE 200809L
#include "tools/lab/sweep_parts.h"

#include "tools/lab/distance.h"

#include <errno.h>
#include <string.h>

static uint64_t hash_text(uint64_t hash, const char *text)
{
    return sim_hash_bytes(hash, text, strlen(text) + 1);
}

static uint64_t hash_number(uint64_t hash, uint64_t number)
{
    return sim_hash_bytes(hash, &number, sizeof(number));
}

static int hash_file(const char *path, uint64_t *hash, struct sim_error *err)
{
    FILE *f = fopen(path, "rb");
    char bytes[65536];
    bool failed;
    size_t n;

    if (f == NULL)
        return sim_error_set(err, SIM_ERR_IO, "%s: %s", path, strerror(errno));
    while ((n = fread(bytes, 1, sizeof(bytes), f)) > 0)
        *hash = sim_hash_bytes(*hash, bytes, n);
    failed = ferror(f) != 0;
    (void)fclose(f);
    return failed ? sim_error_set(err, SIM_ERR_IO, "%s: cannot be read", path) : SIM_OK;
}

/* ---- machines ------------------------------------------------------------------------------ */

static void hash_value(void *arg, const char *path, const struct machine_value *value)
{
    uint64_t *hash = arg;

    *hash = hash_number(hash_text(hash_text(*hash, path), value->param->key), value->value);
}

/** The file has the topology; what it includes has nothing but values, kinds and links. */
static int hash_machine(const struct lab_site *site, const struct lab_run *run,
                        const struct load_machine *machine, uint64_t *hash, struct sim_error *err)
{
    const struct machine_desc *desc = load_machine_desc(machine);
    char path[2048];
    int rc = load_find(&site->roots, "machines", run->machine, path, sizeof(path), err);

    load_machine_each(machine, hash_value, hash);
    for (unsigned n = 0; n < desc->nnodes; n++) {
        const struct machine_node_desc *node = &desc->nodes[n];

        for (unsigned i = 0; i < node->ncomponents; i++)
            *hash = hash_text(hash_text(*hash, node->components[i].name),
                              node->components[i].kind->name);
        for (unsigned i = 0; i < node->nlinks; i++) {
            const struct machine_link_desc *link = &node->links[i];

            *hash = hash_text(hash_text(*hash, link->component_a), link->port_a);
            *hash = hash_text(hash_text(*hash, link->component_b), link->port_b);
            *hash = hash_number(*hash, link->length_mm);
        }
    }
    return rc == SIM_OK ? hash_file(path, hash, err) : rc;
}

/** Where in the file a value is written that loading refused as "--set KEY=VALUE: ...". */
static int locate_set(const struct lab_sweep_series *series, const char *text,
                      struct load_arena *arena, struct sim_error *err)
{
    for (unsigned i = 0; i < series->naxes; i++) {
        const struct lab_axis *axis = &series->axes[i];

        for (unsigned v = 0; axis->kind == LAB_AXIS_SET && v < axis->list.n; v++) {
            const char *value = axis->list.items[v];
            const char *head = load_text(arena, "--set %s=%s: ", axis->key, value);

            if (strncmp(text, head, strlen(head)) == 0)
                return sim_error_set(err, SIM_ERR_CONFIG, "%s: set %s = %s: %s", axis->where,
                                     axis->key, value, text + strlen(head));
        }
    }
    return sim_error_set(err, SIM_ERR_CONFIG, "%s: %s", series->where, text);
}

/** With all values of `set` at once: the last one of each key stays, but each is checked. */
static int load_with_all(const struct lab_site *site, const struct lab_sweep_point *point,
                         struct load_arena *arena, struct load_machine **machine_p,
                         struct sim_error *err)
{
    const struct lab_sweep_series *series = point->series;
    struct lab_run run = point->run;
    struct sim_error why = { 0 };
    const char **sets;
    unsigned n = 0;

    for (unsigned i = 0; i < series->naxes; i++)
        n += series->axes[i].list.n;
    run.sets = sets = load_alloc(arena, (n + 1) * sizeof(*sets));
    run.nsets = 0;
    for (unsigned i = 0; i < series->naxes; i++)
        for (unsigned v = 0; series->axes[i].kind == LAB_AXIS_SET && v < series->axes[i].list.n;
             v++)
            sets[run.nsets++] =
                load_text(arena, "%s=%s", series->axes[i].key, series->axes[i].list.items[v]);
    if (lab_load_run(site, &run, machine_p, &why) == SIM_OK)
        return SIM_OK;
    return locate_set(series, why.text, arena, err);
}

/* ---- points on their machine --------------------------------------------------------------- */

static bool same_machine(const struct lab_sweep_point *a, const struct lab_sweep_point *b)
{
    return a->series == b->series && strcmp(a->run.machine, b->run.machine) == 0 &&
           strcmp(a->run.platform != NULL ? a->run.platform : "",
                  b->run.platform != NULL ? b->run.platform : "") == 0;
}

/** The second rank of a workload stands on the first node at the distance that `hops` names. */
static int place_ranks(const struct machine_desc *desc, struct lab_sweep_point *point,
                       struct sim_error *err)
{
    const struct lab_axis *machine = lab_sweep_axis(point->series, "machine");
    struct lab_run *run = &point->run;

    if (point->planned && machine != NULL && run->nranks == 2) {
        unsigned hops = run->nodes[1], node = 1;

        while (node < desc->nnodes && lab_hops(desc, 0, node) != hops)
            node++;
        if (node == desc->nnodes)
            return sim_error_set(err, SIM_ERR_CONFIG,
                                 "%s: hops = %u: expected a distance that %s has",
                                 point->series->where, hops, run->machine);
        run->nodes[1] = node;
    }
    for (unsigned r = 0; r < run->nranks; r++)
        if (run->nodes[r] >= desc->nnodes)
            return sim_error_set(err, SIM_ERR_CONFIG,
                                 "%s: ranks = %u: expected at most %u, the nodes of %s",
                                 point->series->where, run->nranks, desc->nnodes, run->machine);
    return SIM_OK;
}

static int resolve_machine(struct lab_sweep *sweep, unsigned first, const struct lab_site *site,
                           struct load_arena *arena, bool *resolved, struct sim_error *err)
{
    struct load_machine *machine;
    int rc = load_with_all(site, &sweep->points[first], arena, &machine, err);

    if (rc != SIM_OK)
        return rc;
    rc = hash_machine(site, &sweep->points[first].run, machine, &sweep->model, err);
    for (unsigned i = first; i < sweep->n && rc == SIM_OK; i++) {
        if (resolved[i] || !same_machine(&sweep->points[first], &sweep->points[i]))
            continue;
        resolved[i] = true;
        rc = place_ranks(load_machine_desc(machine), &sweep->points[i], err);
    }
    load_machine_destroy(machine);
    return rc;
}

/** The ranks' programs: each once. */
static int hash_programs(struct lab_sweep *sweep, const struct lab_site *site,
                         struct sim_error *err)
{
    const char *last = "";
    int rc = hash_file("/proc/self/exe", &sweep->model, err);

    for (unsigned i = 0; i < sweep->n && rc == SIM_OK; i++) {
        const struct lab_sweep_point *point = &sweep->points[i];
        char path[1200];

        if (strcmp(point->run.program, last) == 0)
            continue;
        last = point->run.program;
        lab_program_path(site, last, path, sizeof(path));
        if (hash_file(path, &sweep->model, NULL) != SIM_OK)
            rc = sim_error_set(err, SIM_ERR_CONFIG, "%s: program = %s: no such program",
                               point->series->where, last);
    }
    return rc;
}

int lab_sweep_resolve(struct lab_sweep *sweep, const struct lab_site *site,
                      struct load_arena *arena, struct sim_error *err)
{
    bool *resolved = load_alloc(arena, sweep->n * sizeof(*resolved));
    int rc = hash_programs(sweep, site, err);

    for (unsigned i = 0; i < sweep->n && rc == SIM_OK; i++)
        if (!resolved[i])
            rc = resolve_machine(sweep, i, site, arena, resolved, err);
    for (unsigned i = 0; i < sweep->n && rc == SIM_OK; i++) {
        const struct lab_sweep_point *point = &sweep->points[i];
        struct load_arena scratch = { 0 };

        if (point->series->name != NULL)
            sweep->definition = hash_text(sweep->definition, point->series->name);
        sweep->definition = hash_text(sweep->definition, lab_run_text(&point->run, &scratch));
        load_arena_fini(&scratch);
    }
    return rc;
}
