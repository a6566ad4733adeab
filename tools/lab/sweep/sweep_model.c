/* What makes the results of a sweep, in two hashes: its points, and the model they run on. */
#define _POSIX_C_SOURCE 200809L
#include "tools/lab/sweep/sweep_parts.h"

#include "tools/lab/result/distance.h"
#include "tools/lab/result/manifest.h"
#include "tools/load/file.h"

#include <string.h>

static uint64_t hash_text(uint64_t hash, const char *text)
{
    return sim_hash_bytes(hash, text, strlen(text) + 1);
}

static uint64_t hash_number(uint64_t hash, uint64_t number)
{
    return sim_hash_bytes(hash, &number, sizeof(number));
}

static uint64_t hash_file(uint64_t hash, const char *path)
{
    struct load_arena scratch = { 0 };
    size_t n;
    const char *bytes = load_file_read(path, LOAD_FILE_BY_HUBSIM, &scratch, &n);

    hash = sim_hash_bytes(hash, bytes, n);
    load_arena_fini(&scratch);
    return hash;
}

/* ---- machines ------------------------------------------------------------------------------ */

/** What the point sets is part of the point; faults that a machine's file has are in no value. */
uint64_t lab_sweep_hash_machine(const struct lab_site *site, const struct lab_run *run,
                                const struct load_machine *machine)
{
    struct load_arena scratch = { 0 };
    const char *path = load_find(&site->roots, "machines", run->machine, &scratch);
    uint64_t hash = hash_file(lab_hash_machine(machine, false), path);

    load_arena_fini(&scratch);
    return hash;
}

uint64_t lab_sweep_hash_program(const struct lab_site *site, const struct lab_run *run)
{
    char path[1200];

    if (run->program == NULL)
        return 0;
    lab_program_path(site, run->program, path, sizeof(path));
    return hash_file(0, path);
}

uint64_t lab_sweep_hash_faults(const struct lab_site *site, const struct lab_run *run)
{
    struct load_arena scratch = { 0 };
    uint64_t all = 0, hash = 0;

    for (unsigned i = 0; i < run->nfaults; i++) {
        const char *path = load_find_first(&site->roots, "faults", run->faults[i], &scratch);

        if (path == NULL)
            continue; /* one that is written out is part of the point itself */
        hash = hash_file(hash, path);
        all = hash_number(all, hash);
    }
    load_arena_fini(&scratch);
    return all;
}

struct loading {
    const struct lab_site *site;
    const struct lab_run *run;
    struct load_machine *machine;
};

static void load_run(void *arg)
{
    struct loading *loading = arg;

    loading->machine = lab_load_run(loading->site, loading->run);
}

/** @return NULL, and why it cannot be loaded */
static struct load_machine *try_run(const struct lab_site *site, const struct lab_run *run,
                                    struct sim_error *why_p)
{
    struct loading loading = { .site = site, .run = run };

    (void)load_attempt(load_run, &loading, why_p);
    return loading.machine;
}

/** Where in the file a value is written that loading refused as "--set KEY=VALUE: ...". */
static _Noreturn void locate_set(const struct lab_sweep_series *series, const char *text,
                                 struct load_arena *arena)
{
    for (unsigned i = 0; i < series->naxes; i++) {
        const struct lab_axis *axis = &series->axes[i];

        for (unsigned v = 0; axis->kind == LAB_AXIS_SET && v < axis->list.n; v++) {
            const char *value = axis->list.items[v];
            const char *head = load_text(arena, "--set %s=%s: ", axis->key, value);

            if (strncmp(text, head, strlen(head)) == 0)
                load_raise(SIM_ERR_CONFIG, "%s: set %s = %s: %s", axis->where, axis->key, value,
                           text + strlen(head));
        }
    }
    load_raise(SIM_ERR_CONFIG, "%s: %s", series->where, text);
}

/** With all values of `set` at once: the last one of each key stays, but each is checked. */
static struct load_machine *load_with_all(const struct lab_site *site,
                                          const struct lab_sweep_point *point,
                                          struct load_arena *arena)
{
    const struct lab_sweep_series *series = point->series;
    struct lab_run run = point->run;
    struct load_machine *machine;
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
    machine = try_run(site, &run, &why);
    if (machine == NULL)
        locate_set(series, why.text, arena);
    return machine;
}

/** Each value of `faults` on the machine of the point. */
static void check_faults(const struct lab_site *site, const struct lab_sweep_point *point)
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
        machine = try_run(site, &run, &why);
        if (machine == NULL)
            load_raise(SIM_ERR_CONFIG, "%s: faults = %s: %s", axis->where, axis->list.items[v],
                       why.text);
        load_machine_destroy(machine);
    }
}

/* ---- points on their machine --------------------------------------------------------------- */

static bool same_machine(const struct lab_sweep_point *a, const struct lab_sweep_point *b)
{
    return a->series == b->series && strcmp(a->run.machine, b->run.machine) == 0 &&
           strcmp(a->run.platform != NULL ? a->run.platform : "",
                  b->run.platform != NULL ? b->run.platform : "") == 0;
}

/** The second rank of a workload stands on the first node at the distance that `hops` names. */
static void place_ranks(const struct machine_desc *desc, struct lab_sweep_point *point)
{
    const struct lab_axis *machine = lab_sweep_axis(point->series, "machine");
    struct lab_run *run = &point->run;

    if (point->planned && machine != NULL && run->nranks == 2) {
        unsigned hops = run->nodes[1], node = 1;

        while (node < desc->nnodes && lab_hops(desc, 0, node) != hops)
            node++;
        if (node == desc->nnodes)
            load_raise(SIM_ERR_CONFIG, "%s: hops = %u: expected a distance that %s has",
                       point->series->where, hops, run->machine);
        run->nodes[1] = node;
    }
    for (unsigned r = 0; r < run->nranks; r++)
        if (run->nodes[r] >= desc->nnodes)
            load_raise(SIM_ERR_CONFIG, "%s: ranks = %u: expected at most %u, the nodes of %s",
                       point->series->where, run->nranks, desc->nnodes, run->machine);
}

static void resolve_machine(struct lab_sweep *sweep, unsigned first, const struct lab_site *site,
                            struct load_arena *arena)
{
    const struct lab_sweep_point *point = &sweep->points[first];
    struct load_machine *machine = load_with_all(site, point, arena);
    uint64_t hash;

    check_faults(site, point);
    hash = lab_sweep_hash_machine(site, &point->run, machine);
    for (unsigned i = sweep->n; i-- > first;) {
        if (sweep->points[i].model != 0 || !same_machine(point, &sweep->points[i]))
            continue;
        sweep->points[i].model = hash;
        place_ranks(load_machine_desc(machine), &sweep->points[i]);
    }
    load_machine_destroy(machine);
}

struct program {
    const struct lab_site *site;
    const struct lab_run *run; /* the last one that was looked at */
    uint64_t hash;             /* of its program */
};

static void hash_program(void *arg)
{
    struct program *program = arg;

    program->hash = lab_sweep_hash_program(program->site, program->run);
}

/** Adds the program's hash to that of the machine; neighbours mostly share it. */
static void resolve_program(struct lab_sweep *sweep, struct lab_sweep_point *point,
                            struct program *program)
{
    bool same = point->run.program != NULL && program->run->program != NULL &&
                strcmp(point->run.program, program->run->program) == 0;

    program->run = &point->run;
    if (!same && load_attempt(hash_program, program, NULL) != SIM_OK)
        load_raise(SIM_ERR_CONFIG, "%s: program = %s: no such program", point->series->where,
                   point->run.program);
    point->model ^= program->hash ^ lab_sweep_hash_faults(program->site, &point->run);
    sweep->model = hash_number(sweep->model, point->model);
}

static uint64_t hash_point(uint64_t hash, const struct lab_sweep_point *point)
{
    struct load_arena scratch = { 0 };

    hash = hash_text(hash, point->series->name != NULL ? point->series->name : "");
    hash = hash_text(hash, lab_run_text(&point->run, &scratch));
    load_arena_fini(&scratch);
    return hash;
}

void lab_sweep_resolve(struct lab_sweep *sweep, const struct lab_site *site,
                       struct load_arena *arena)
{
    struct program program = { .site = site, .run = &(struct lab_run){ .program = "" } };

    sweep->model = hash_file(sweep->model, "/proc/self/exe");
    for (unsigned i = 0; i < sweep->n; i++)
        if (sweep->points[i].model == 0)
            resolve_machine(sweep, i, site, arena);
    for (unsigned i = 0; i < sweep->n; i++) {
        resolve_program(sweep, &sweep->points[i], &program);
        sweep->definition = hash_point(sweep->definition, &sweep->points[i]);
    }
}
