#define _POSIX_C_SOURCE 200809L
#include "tools/lab/run/simulate.h"

#include "hosts/launch/launch.h"
#include "tools/lab/process/processes.h"
#include "tools/lab/run/bare_link.h"
#include "tools/lab/run/software.h"
#include "tools/load/value.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void lab_site_init(struct lab_site *site)
{
    char exe[900];

    *site = (struct lab_site){ .max_time_ps = 0 };
    load_roots_init(&site->roots);
    if (load_find_self(exe, sizeof(exe)))
        (void)snprintf(site->programs, sizeof(site->programs), "%s/../lib/hubsim/workloads", exe);
}

const char *lab_program_path(const struct lab_site *site, const char *program,
                             struct load_arena *arena)
{
    return strchr(program, '/') != NULL ? program
                                        : load_text(arena, "%s/%s.so", site->programs, program);
}

/** What an experiment's setup says is what its rows are called by, so --set may not say otherwise.
 */
static void check_fixed(void *arg, const char *path, const struct machine_value *value)
{
    const struct lab_run *run = arg;
    char key[256];

    (void)snprintf(key, sizeof(key), "%s.%s", path, value->param->key);
    for (unsigned i = 0; i < run->nfixed; i++) {
        const char *text = strchr(run->fixed[i], '=') + 1;
        char pattern[256];
        uint64_t wanted = 0;

        (void)snprintf(pattern, sizeof(pattern), "%.*s", (int)(text - 1 - run->fixed[i]),
                       run->fixed[i]);
        if (fnmatch(pattern, key, 0) == 0 && load_value_parse(value->param, text, &wanted) &&
            wanted != value->value)
            load_check(sim_error_set_at(
                load_error(), SIM_ERR_CONFIG, "--set", 0,
                "%s: the experiment's setup or series says %s: expected no other value", key,
                text));
    }
}

struct load_machine *lab_load_run(const struct lab_site *site, const struct lab_run *run)
{
    struct load_arena arena = { 0 };
    const char **sets = load_alloc(&arena, (run->nfixed + run->nsets + 1) * sizeof(*sets));
    struct load_options opt = { .roots = &site->roots,
                                .kinds = lab_kinds(),
                                .platform = run->platform,
                                .sets = sets,
                                .nsets = run->nfixed + run->nsets,
                                .faults = run->faults,
                                .nfaults = run->nfaults };
    struct lab_run checked = *run;
    struct load_machine *machine;

    for (unsigned i = 0; i < opt.nsets; i++)
        sets[i] = i < run->nfixed ? run->fixed[i] : run->sets[i - run->nfixed];
    machine = load_machine_create(load_find(&site->roots, "machines", run->machine, &arena), &opt);
    load_arena_fini(&arena);
    load_machine_each(machine, check_fixed, &checked);
    return machine;
}

/* ---- the program's output --------------------------------------------------------- */

/** The last lines of a rank on stderr: the program's, and those of libraries. */
struct last_lines {
    char own[256], library[768]; /* a library may list all that it has expected */
};

struct listener {
    FILE *out;
    struct last_lines *ranks;
};

static void hear_line(void *arg, unsigned rank, enum output_stream stream, sim_time_t time,
                      const char *line)
{
    struct listener *listener = arg;
    struct last_lines *last = &listener->ranks[rank];

    (void)time;
    if (stream == OUTPUT_LIBRARY)
        (void)snprintf(last->library, sizeof(last->library), "%s", line);
    else if (stream == OUTPUT_STDERR && line[strspn(line, " \t")] != '\0')
        (void)snprintf(last->own, sizeof(last->own), "%s", line);
    else if (lab_line_body(line, LAB_LINE_RESULT) != NULL ||
             lab_line_body(line, LAB_LINE_TRAFFIC) != NULL)
        (void)fprintf(listener->out, "%s\n", line);
}

static void hear_refusal(void *arg, unsigned rank, const char *line)
{
    struct last_lines *last = &((struct listener *)arg)->ranks[rank];

    (void)snprintf(last->library, sizeof(last->library), "%s", line);
}

/** The rank that failed: that which ended all, the first one that says why, or the first one. Their
 * number: none has. */
static unsigned failed_rank(const struct launch_result *result, const struct listener *listener)
{
    unsigned failed = result->nranks;

    if (result->aborted && result->ranks[result->abort_rank].exit_code != 0)
        return result->abort_rank;
    for (unsigned r = 0; r < result->nranks; r++) {
        const struct last_lines *last = &listener->ranks[r];

        if (result->ranks[r].exit_code == 0)
            continue;
        if (last->own[0] != '\0' || last->library[0] != '\0')
            return r;
        if (failed == result->nranks)
            failed = r;
    }
    return failed;
}

/** What a failed rank says counts more than that others wait for it without end. */
static void check_ranks(const struct lab_run *run, const struct launch_result *result,
                        const struct listener *listener)
{
    unsigned r = failed_rank(result, listener);
    const struct launch_rank_result *rank = &result->ranks[r];
    const struct last_lines *last = &listener->ranks[r];
    char how[64];

    if (r == result->nranks)
        return;
    if (rank->signal != 0)
        (void)snprintf(how, sizeof(how), "was ended by signal %d", rank->signal);
    else
        (void)snprintf(how, sizeof(how), "ended with status %d", rank->exit_code);
    *load_error() = (struct sim_error){ 0 };
    load_raise(SIM_ERR_IO, "%s: rank %u %s%s%s%s%s", run->program, r, how,
               last->own[0] != '\0' ? ": " : "", last->own, last->library[0] != '\0' ? ": " : "",
               last->library);
}

/* Packets that a deadlock holds, behind what its ranks wait for. */
#define STALL_LINES 4u

static void append_line(void *arg, const char *line)
{
    struct sim_error *err = arg;
    size_t n = strlen(err->text);

    (void)snprintf(err->text + n, sizeof(err->text) - n, "; %s", line);
}

static void fini_result(void *result)
{
    launch_result_fini(result);
}

static void launch_program(const struct lab_site *site, const struct lab_run *run,
                           struct machine *machine, FILE *out)
{
    const char *argv[LAB_ARGS_MAX + 2] = { run->program };
    struct launch_software software = lab_software(machine, 0);
    struct listener listener = { .out = out };
    struct load_arena arena = { 0 };
    struct launch_result result;
    const char *path = lab_program_path(site, run->program, &arena);
    unsigned nranks = run->nranks > 0 ? run->nranks : machine_description(machine)->nnodes;
    int rc;

    listener.ranks = load_alloc(&arena, nranks * sizeof(*listener.ranks));
    for (unsigned i = 0; i < run->nargs; i++)
        argv[i + 1] = lab_run_place_memory(run, machine_description(machine), i, &arena);
    if (run->mpi != NULL)
        lab_software_mpi(&software, machine, run->mpi, &site->roots, &arena);
    if (run->gasnet != NULL)
        lab_software_gasnet(&software, machine, run->gasnet, &site->roots, &arena);
    lab_software_segment(&software, machine, run->nranks > 0 ? run->nodes : NULL, nranks);
    if (run->algorithms != NULL)
        lab_software_algorithms(&software, run->algorithms);
    rc = launch_run(machine,
                    &(struct launch_config){ .program = path,
                                             .argc = (int)run->nargs + 1,
                                             .argv = argv,
                                             .nranks = nranks,
                                             .nodes = run->nranks > 0 ? run->nodes : NULL,
                                             .beside = lab_software_beside(&software, machine),
                                             .max_time_ps = site->max_time_ps,
                                             .output = hear_line,
                                             .refused = hear_refusal,
                                             .output_arg = &listener,
                                             .software = &software },
                    &result, load_error());
    load_own(&arena, fini_result, &result);
    check_ranks(run, &result, &listener);
    if ((rc == SIM_ERR_STALLED || rc == SIM_ERR_LIMIT) &&
        load_error()->cause != SIM_CAUSE_DEADLOCK) /* a circle says it all */
        (void)machine_stall_report(machine, STALL_LINES, append_line, load_error());
    load_check(rc);
    load_arena_fini(&arena);
}

/* ---- what it leaves --------------------------------------------------------------- */

static void write_stat(void *arg, const char *path, const char *unit, const char *meaning,
                       uint64_t value)
{
    (void)meaning;
    if (value != 0)
        lab_result_write_stat(arg, &(struct lab_stat){ path, unit, value });
}

void lab_report_prints(struct machine *machine, FILE *out)
{
    lab_result_write_prints(out, sim_fingerprint_of(machine_sim(machine)));
}

void lab_report_counts(struct machine *machine, FILE *out)
{
    write_stat(out, LAB_STAT_TIME, "ps", "", sim_reached(machine_sim(machine)));
    sim_stat_each(machine_sim(machine), write_stat, out);
}

static void write_fault(void *arg, const struct load_fault *fault)
{
    lab_line_write(arg, LAB_LINE_FAULT, "target=%s pattern=%s kind=%s %s places=%u\n",
                   fault->target, fault->pattern, fault->kind, fault->pairs, fault->places);
}

void lab_report_faults(const struct load_machine *machine, FILE *out)
{
    load_machine_each_fault(machine, write_fault, out);
}

/* ---- the machine ------------------------------------------------------------------ */

static void destroy_memory(void *memory)
{
    launch_memory_destroy(memory);
}

static void destroy_machine(void *machine)
{
    machine_destroy(machine);
}

_Static_assert(LOAD_NODES_MAX == LAUNCH_NODES_MAX,
               "what a file may ask for is what there is room for");

struct machine *lab_machine(const struct machine_desc *desc, const struct sim_config *cfg,
                            struct load_arena *arena)
{
    struct launch_memory *memory = launch_memory_create();
    struct machine *machine;

    if (memory == NULL)
        load_raise(SIM_ERR_NOMEM, "%s: no address space for its memories", desc->name);
    load_own(arena, destroy_memory, memory);
    load_check(machine_create(desc, cfg, launch_memory_map, memory, &machine, load_error()));
    load_own(arena, destroy_machine, machine);
    lab_processes_share(machine, desc);
    return machine;
}

struct simulation {
    const struct lab_site *site;
    const struct lab_run *run;
    const struct machine_desc *desc;
    FILE *out;
};

static void simulate(void *arg)
{
    const struct simulation *s = arg;
    const struct lab_site *site = s->site;
    struct lab_watch *watch = lab_watch_open(&site->watch, site->probe);
    struct sim_config cfg = { .seed = s->run->seed,
                              .fingerprint = site->fingerprint,
                              .probe = lab_watch_probe(watch) };
    struct load_arena arena = { 0 };
    struct machine *machine = lab_machine(s->desc, &cfg, &arena);

    if (s->run->program != NULL)
        launch_program(site, s->run, machine, s->out);
    else
        lab_measure_flows(site, machine, s->out);
    if (site->fingerprint)
        lab_report_prints(machine, s->out);
    if (site->statistics)
        lab_report_counts(machine, s->out);
    lab_watch_report(watch, sim_reached(machine_sim(machine)), s->out);
    if (site->ended != NULL)
        site->ended(site->ended_arg);
    load_arena_fini(&arena);
    lab_watch_close(watch);
}

void lab_simulate_on(const struct lab_site *site, const struct lab_run *run,
                     const struct load_machine *machine, FILE *out)
{
    struct simulation s = { site, run, load_machine_desc(machine), out };
    struct lab_claims claims = { 0 };
    struct sim_error why = { 0 };
    int rc;

    lab_watch_claim(&site->watch, &claims);
    lab_claims_spare_machine(&claims, machine);
    lab_watch_check(&site->watch, s.desc);
    if (site->later != NULL)
        lab_watch_check(site->later, s.desc);
    rc = load_attempt(simulate, &s, &why);
    lab_report_faults(machine, out);
    if (rc != SIM_OK)
        load_check(sim_error_set_at(load_error(), rc, why.located ? NULL : run->machine, 0, "%s",
                                    why.text));
}

void lab_simulate(void *site, const struct lab_run *run, FILE *out)
{
    struct load_machine *machine = lab_load_run(site, run);

    lab_simulate_on(site, run, machine, out);
    load_machine_destroy(machine);
}
