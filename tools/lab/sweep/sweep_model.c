/* What makes the results of a sweep, in two hashes: its points, and the model they run on. */
#define _POSIX_C_SOURCE 200809L
#include "tools/lab/sweep/sweep_parts.h"

#include "tools/lab/result/manifest.h"
#include "tools/lab/workload/elf.h"

#include <stdio.h>
#include <string.h>

static uint64_t hash_text(uint64_t hash, const char *text)
{
    return sim_hash_bytes(hash, text, strlen(text) + 1);
}

static uint64_t hash_number(uint64_t hash, uint64_t number)
{
    return sim_hash_bytes(hash, &number, sizeof(number));
}

/* ---- machines ------------------------------------------------------------------------------ */

/** What the point sets is part of the point; faults that a machine's file has are in no value. */
uint64_t lab_sweep_hash_machine(const struct lab_site *site, const struct lab_run *run,
                                const struct load_machine *machine)
{
    struct load_arena scratch = { 0 };
    const char *path = load_find(&site->roots, "machines", run->machine, &scratch);
    uint64_t hash = lab_hash_file(lab_hash_machine(machine, false), path);

    load_arena_fini(&scratch);
    return hash;
}

uint64_t lab_sweep_hash_program(const struct lab_site *site, const struct lab_run *run)
{
    struct load_arena scratch = { 0 };
    uint64_t hash;

    if (run->program == NULL)
        return 0;
    hash = lab_hash_file(0, lab_program_path(site, run->program, &scratch));
    load_arena_fini(&scratch);
    return hash;
}

uint64_t lab_sweep_hash_faults(const struct lab_site *site, const struct lab_run *run)
{
    struct load_arena scratch = { 0 };
    uint64_t all = 0, hash = 0;

    for (unsigned i = 0; i < run->nfaults; i++) {
        const char *path = load_find_first(&site->roots, "faults", run->faults[i], &scratch);

        if (path == NULL)
            continue; /* one that is written out is part of the point itself */
        hash = lab_hash_file(hash, path);
        all = hash_number(all, hash);
    }
    load_arena_fini(&scratch);
    return all;
}

/* ---- points on their machine --------------------------------------------------------------- */

/** A name of a file in `folder` that an axis gives. */
static void check_name(const struct lab_site *site, const struct lab_sweep_series *series,
                       enum lab_axis_kind kind, const char *folder, const char *name,
                       struct load_arena *arena)
{
    const char *const folders[] = { folder, NULL };
    const struct lab_axis *axis = lab_sweep_axis_of(series, kind);

    if (axis != NULL && load_find_first(&site->roots, folder, name, arena) == NULL)
        load_find_fail(&site->roots, load_text(arena, "%s: %s = ", axis->where, axis->key), folders,
                       name);
}

/** Does the setup say the same of both machines? */
static bool same_fixed(const struct lab_run *a, const struct lab_run *b)
{
    bool same = a->nfixed == b->nfixed;

    for (unsigned i = 0; same && i < a->nfixed; i++)
        same = strcmp(a->fixed[i], b->fixed[i]) == 0;
    return same;
}

static bool same_machine(const struct lab_sweep_point *a, const struct lab_sweep_point *b)
{
    return a->series == b->series && strcmp(a->run.machine, b->run.machine) == 0 &&
           strcmp(a->run.platform != NULL ? a->run.platform : "",
                  b->run.platform != NULL ? b->run.platform : "") == 0 &&
           same_fixed(&a->run, &b->run);
}

struct placing {
    const struct lab_run *run;
    const struct machine_desc *desc;
    unsigned arg;
    struct load_arena *scratch;
};

static void place_memory(void *arg)
{
    const struct placing *placing = arg;

    (void)lab_run_place_memory(placing->run, placing->desc, placing->arg, placing->scratch);
}

/** The n-th argument's axis: each axis of that kind gives one. */
static const struct lab_axis *arg_axis(const struct lab_sweep_series *series, unsigned n)
{
    unsigned i = 0;

    while (i < series->naxes && (series->axes[i].kind != LAB_AXIS_ARG || n-- != 0))
        i++;
    SIM_ASSERT(i < series->naxes);
    return &series->axes[i];
}

/** The memories of a program that are GPUs, by number or by place. */
static void check_places(const struct machine_desc *desc, const struct lab_sweep_point *point)
{
    struct load_arena scratch = { 0 };
    struct placing placing = { .run = &point->run, .desc = desc, .scratch = &scratch };
    struct sim_error why = { 0 };

    for (; placing.arg < point->run.nargs; placing.arg++)
        if (load_attempt(place_memory, &placing, &why) != SIM_OK) {
            load_arena_fini(&scratch);
            load_raise(SIM_ERR_CONFIG, "%s: args %s", arg_axis(point->series, placing.arg)->where,
                       why.text);
        }
    load_arena_fini(&scratch);
}

static void place_ranks(const struct machine_desc *desc, struct lab_sweep_point *point)
{
    const struct lab_axis *ranks = lab_sweep_axis_of(point->series, LAB_AXIS_RANKS);
    struct lab_run *run = &point->run;
    struct lab_setup setup;
    struct lab_point pt = lab_sweep_setup(point, &setup);

    if (point->planned)
        lab_plan_place_ranks(&pt, desc, point->hops, run);
    else if (run->nranks > desc->nnodes)
        load_raise(SIM_ERR_CONFIG, "%s: ranks = %u: expected at most %u, the nodes of %s",
                   lab_sweep_where(point->series, ranks), run->nranks, desc->nnodes, run->machine);
    else
        check_places(desc, point);
}

static void resolve_machine(struct lab_sweep *sweep, unsigned first, const struct lab_site *site,
                            struct load_arena *arena)
{
    const struct lab_sweep_point *point = &sweep->points[first];
    struct lab_list checked = { 0 };
    struct load_machine *machine;
    uint64_t hash;

    check_name(site, point->series, LAB_AXIS_MACHINE, "machines", point->run.machine, arena);
    check_name(site, point->series, LAB_AXIS_PLATFORM, "platforms", point->run.platform, arena);
    machine = lab_sweep_build(site, point);
    hash = lab_sweep_hash_machine(site, &point->run, machine);
    for (unsigned i = sweep->n; i-- > first;) {
        if (sweep->points[i].model != 0 || !same_machine(point, &sweep->points[i]))
            continue;
        sweep->points[i].model = hash;
        lab_sweep_check_faults(site, &sweep->points[i], &checked, arena);
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
    struct load_arena scratch = { 0 };
    bool same = point->run.program != NULL && program->run->program != NULL &&
                strcmp(point->run.program, program->run->program) == 0;

    program->run = &point->run;
    if (!same && load_attempt(hash_program, program, NULL) != SIM_OK)
        load_raise(
            SIM_ERR_CONFIG, "%s: program = %s: no such program%s",
            lab_sweep_where(point->series, lab_sweep_axis_of(point->series, LAB_AXIS_PROGRAM)),
            point->run.program,
            load_find_is_path(point->run.program) ? load_find_here(point->run.program, &scratch)
                                                  : "");
    if (!same && point->run.program != NULL &&
        !lab_elf_is_program(lab_program_path(program->site, point->run.program, &scratch)))
        load_raise(
            SIM_ERR_CONFIG, "%s: program = %s: expected a program made by hubcc",
            lab_sweep_where(point->series, lab_sweep_axis_of(point->series, LAB_AXIS_PROGRAM)),
            point->run.program);
    load_arena_fini(&scratch);
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

    sweep->model = lab_hash_file(sweep->model, "/proc/self/exe");
    for (unsigned i = 0; i < sweep->n; i++)
        if (sweep->points[i].model == 0)
            resolve_machine(sweep, i, site, arena);
    for (unsigned i = 0; i < sweep->n; i++) {
        resolve_program(sweep, &sweep->points[i], &program);
        sweep->definition = hash_point(sweep->definition, &sweep->points[i]);
    }
}
