/* What makes the results of a sweep, in two hashes: its points, and the model they run on. */
#define _POSIX_C_SOURCE 200809L
#include "tools/lab/sweep/sweep_parts.h"

#include "tools/lab/result/distance.h"
#include "tools/lab/result/manifest.h"
#include "tools/load/file.h"

#include <stdlib.h>
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
    char *bytes = NULL;
    size_t n = 0;
    int rc = load_file_read(path, LOAD_FILE_BY_HUBSIM, &bytes, &n, err);

    if (rc == SIM_OK)
        *hash = sim_hash_bytes(*hash, bytes, n);
    free(bytes);
    return rc;
}

/* ---- machines ------------------------------------------------------------------------------ */

/** What the point sets is part of the point; faults that a machine's file has are in no value. */
int lab_sweep_hash_machine(const struct lab_site *site, const struct lab_run *run,
                           const struct load_machine *machine, uint64_t *hash_p,
                           struct sim_error *err)
{
    uint64_t hash = lab_hash_machine(machine, false);
    char path[2048];
    int rc = load_find(&site->roots, "machines", run->machine, path, sizeof(path), err);

    if (rc == SIM_OK)
        rc = hash_file(path, &hash, err);
    if (rc == SIM_OK)
        *hash_p = hash;
    return rc;
}

int lab_sweep_hash_program(const struct lab_site *site, const struct lab_run *run, uint64_t *hash_p,
                           struct sim_error *err)
{
    uint64_t hash = 0;
    char path[1200];
    int rc;

    lab_program_path(site, run->program, path, sizeof(path));
    rc = hash_file(path, &hash, err);
    if (rc == SIM_OK)
        *hash_p = hash;
    return rc;
}

uint64_t lab_sweep_hash_faults(const struct lab_site *site, const struct lab_run *run)
{
    uint64_t all = 0, hash = 0;
    char path[2048];

    for (unsigned i = 0; i < run->nfaults; i++) {
        if (load_find(&site->roots, "faults", run->faults[i], path, sizeof(path), NULL) != SIM_OK)
            continue; /* one that is written out is part of the point itself */
        if (hash_file(path, &hash, NULL) == SIM_OK)
            all = hash_number(all, hash);
    }
    return all;
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

/** Each value of `faults` on the machine of the point. */
static int check_faults(const struct lab_site *site, const struct lab_sweep_point *point,
                        struct sim_error *err)
{
    const struct lab_axis *axis = lab_sweep_axis(point->series, "faults");

    for (unsigned v = 0; axis != NULL && axis->kind == LAB_AXIS_FAULTS && v < axis->list.n; v++) {
        struct lab_run run = point->run;
        struct load_machine *machine;
        struct sim_error why = { 0 };

        if (strcmp(axis->list.items[v], "none") == 0)
            continue;
        run.nfaults = 1;
        run.faults[0] = axis->list.items[v];
        if (lab_load_run(site, &run, &machine, &why) != SIM_OK)
            return sim_error_set(err, SIM_ERR_CONFIG, "%s: faults = %s: %s", axis->where,
                                 axis->list.items[v], why.text);
        load_machine_destroy(machine);
    }
    return SIM_OK;
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
                           struct load_arena *arena, struct sim_error *err)
{
    const struct lab_sweep_point *point = &sweep->points[first];
    struct load_machine *machine;
    uint64_t hash = 0;
    int rc = load_with_all(site, point, arena, &machine, err);

    if (rc != SIM_OK)
        return rc;
    rc = check_faults(site, point, err);
    if (rc == SIM_OK)
        rc = lab_sweep_hash_machine(site, &point->run, machine, &hash, err);
    for (unsigned i = sweep->n; i-- > first && rc == SIM_OK;) {
        if (sweep->points[i].model != 0 || !same_machine(point, &sweep->points[i]))
            continue;
        sweep->points[i].model = hash;
        rc = place_ranks(load_machine_desc(machine), &sweep->points[i], err);
    }
    load_machine_destroy(machine);
    return rc;
}

/** Adds the program's hash to that of the machine; neighbours mostly share it. */
static int resolve_program(struct lab_sweep *sweep, unsigned i, const struct lab_site *site,
                           const char **last, uint64_t *hash, struct sim_error *err)
{
    struct lab_sweep_point *point = &sweep->points[i];

    if (strcmp(point->run.program, *last) != 0 &&
        lab_sweep_hash_program(site, &point->run, hash, NULL) != SIM_OK)
        return sim_error_set(err, SIM_ERR_CONFIG, "%s: program = %s: no such program",
                             point->series->where, point->run.program);
    *last = point->run.program;
    point->model ^= *hash;
    point->model ^= lab_sweep_hash_faults(site, &point->run);
    sweep->model = hash_number(sweep->model, point->model);
    return SIM_OK;
}

static uint64_t hash_point(uint64_t hash, const struct lab_sweep_point *point)
{
    struct load_arena scratch = { 0 };

    hash = hash_text(hash, point->series->name != NULL ? point->series->name : "");
    hash = hash_text(hash, lab_run_text(&point->run, &scratch));
    load_arena_fini(&scratch);
    return hash;
}

int lab_sweep_resolve(struct lab_sweep *sweep, const struct lab_site *site,
                      struct load_arena *arena, struct sim_error *err)
{
    const char *program = "";
    uint64_t hash = 0;
    int rc = hash_file("/proc/self/exe", &sweep->model, err);

    for (unsigned i = 0; i < sweep->n && rc == SIM_OK; i++)
        if (sweep->points[i].model == 0)
            rc = resolve_machine(sweep, i, site, arena, err);
    for (unsigned i = 0; i < sweep->n && rc == SIM_OK; i++) {
        rc = resolve_program(sweep, i, site, &program, &hash, err);
        sweep->definition = hash_point(sweep->definition, &sweep->points[i]);
    }
    return rc;
}
