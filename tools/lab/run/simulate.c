#define _POSIX_C_SOURCE 200809L
#include "tools/lab/run/simulate.h"

#include "hosts/launch/launch.h"
#include "tools/lab/run/software.h"

#include <inttypes.h>
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

void lab_program_path(const struct lab_site *site, const char *program, char *path, size_t size)
{
    if (strchr(program, '/') != NULL)
        (void)snprintf(path, size, "%s", program);
    else
        (void)snprintf(path, size, "%s/%s.so", site->programs, program);
}

int lab_load_run(const struct lab_site *site, const struct lab_run *run,
                 struct load_machine **machine_p, struct sim_error *err)
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
    char path[2048];
    int rc = load_find(&site->roots, "machines", run->machine, path, sizeof(path), err);

    for (unsigned i = 0; i < opt.nsets; i++)
        sets[i] = i < run->nfixed ? run->fixed[i] : run->sets[i - run->nfixed];
    if (rc == SIM_OK)
        rc = load_machine_create(path, &opt, machine_p, err);
    load_arena_fini(&arena);
    return rc;
}

/* ---- the program's output --------------------------------------------------------- */

struct listener {
    FILE *out;
    char last_error[256]; /* the last line on stderr of any rank */
};

static void hear_line(void *arg, unsigned rank, enum output_stream stream, sim_time_t time,
                      const char *line)
{
    struct listener *listener = arg;

    (void)rank;
    (void)time;
    if (stream == OUTPUT_STDERR)
        (void)snprintf(listener->last_error, sizeof(listener->last_error), "%s", line);
    else if (lab_line_body(line, LAB_LINE_RESULT) != NULL ||
             lab_line_body(line, LAB_LINE_TRAFFIC) != NULL)
        (void)fprintf(listener->out, "%s\n", line);
}

static int check_ranks(const struct lab_run *run, const struct launch_result *result,
                       const struct listener *listener, struct sim_error *err)
{
    for (unsigned r = 0; r < result->nranks; r++) {
        const struct launch_rank_result *rank = &result->ranks[r];
        char how[64];

        if (rank->exit_code == 0)
            continue;
        if (rank->signal != 0)
            (void)snprintf(how, sizeof(how), "was ended by signal %d", rank->signal);
        else
            (void)snprintf(how, sizeof(how), "ended with status %d", rank->exit_code);
        return sim_error_set(err, SIM_ERR_IO, "%s: rank %u %s%s%s", run->program, r, how,
                             listener->last_error[0] != '\0' ? ": " : "", listener->last_error);
    }
    return SIM_OK;
}

/* Packets that a deadlock holds, behind what its ranks wait for. */
#define STALL_LINES 4u

static void append_line(void *arg, const char *line)
{
    struct sim_error *err = arg;
    size_t n = strlen(err->text);

    (void)snprintf(err->text + n, sizeof(err->text) - n, "; %s", line);
}

/** "src=gpu@ib" by the machine: see struct lab_run. */
static int place_memory(const struct lab_run *run, const struct machine *machine,
                        struct load_arena *arena, const char **arg_p, struct sim_error *err)
{
    const char *at = strstr(*arg_p, "=gpu@"), *plus;
    unsigned node = run->nranks > 0 ? run->nodes[0] : 0, gpu, skip = 0;
    const char *component;
    bool beside;

    if (at == NULL)
        return SIM_OK;
    beside = at[5] != '!';
    component = at + 5 + !beside;
    plus = strchr(component, '+');
    if (plus != NULL)
        skip = (unsigned)strtoul(plus + 1, NULL, 10);
    component = load_text(arena, "%.*s", (int)strcspn(component, "+"), component);
    if (!launch_gpu_by(machine_description(machine), node, component, beside, skip, &gpu))
        return sim_error_set(err, SIM_ERR_CONFIG,
                             "node%u: %s: expected a GPU %s the socket of %s, which has none", node,
                             *arg_p, beside ? "on" : "beyond", component);
    *arg_p = load_text(arena, "%.*s=gpu%u", (int)(at - *arg_p), *arg_p, gpu);
    return SIM_OK;
}

static int launch_program(const struct lab_site *site, const struct lab_run *run,
                          struct machine *machine, FILE *out, struct sim_error *err)
{
    const char *argv[LAB_ARGS_MAX + 2] = { run->program };
    struct launch_software software = lab_software(machine, 0);
    struct listener listener = { .out = out };
    struct load_arena arena = { 0 };
    struct launch_result result;
    struct sim_error failed = { 0 };
    char path[1200];
    int rc = SIM_OK;

    for (unsigned i = 0; i < run->nargs && rc == SIM_OK; i++) {
        argv[i + 1] = run->args[i];
        rc = place_memory(run, machine, &arena, &argv[i + 1], err);
    }
    if (rc == SIM_OK && run->mpi != NULL)
        rc = lab_software_mpi(&software, run->mpi, &site->roots, err);
    if (rc != SIM_OK) {
        load_arena_fini(&arena);
        return rc;
    }
    if (run->algorithms != NULL)
        lab_software_algorithms(&software, run->algorithms);
    lab_program_path(site, run->program, path, sizeof(path));
    rc = launch_run(machine,
                    &(struct launch_config){ .program = path,
                                             .argc = (int)run->nargs + 1,
                                             .argv = argv,
                                             .nranks = run->nranks,
                                             .nodes = run->nranks > 0 ? run->nodes : NULL,
                                             .beside = lab_software_beside(&software, machine),
                                             .max_time_ps = site->max_time_ps,
                                             .output = hear_line,
                                             .output_arg = &listener,
                                             .software = &software },
                    &result, err);
    if (check_ranks(run, &result, &listener, &failed) != SIM_OK) {
        *err = failed; /* for which others may wait without end */
        rc = failed.code;
    } else if ((rc == SIM_ERR_STALLED || rc == SIM_ERR_LIMIT) &&
               err->cause != SIM_CAUSE_DEADLOCK) /* a circle says it all */
        (void)machine_stall_report(machine, STALL_LINES, append_line, err);
    launch_result_fini(&result);
    load_arena_fini(&arena);
    return rc;
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
    struct sim_fingerprint print = sim_fingerprint_of(machine_sim(machine));

    lab_result_write_prints(out, print.visible, print.wire);
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

static int simulate_machine(const struct lab_site *site, const struct lab_run *run,
                            const struct machine_desc *desc, const struct lab_watch *watch,
                            FILE *out, struct sim_error *err)
{
    struct sim_config cfg = { .seed = run->seed,
                              .fingerprint = site->fingerprint,
                              .probe = lab_watch_probe(watch) };
    struct launch_memory *memory = launch_memory_create();
    struct machine *machine;
    int rc;

    if (memory == NULL)
        return sim_error_set(err, SIM_ERR_NOMEM, "%s: no address space for its memories",
                             desc->name);
    rc = machine_create(desc, &cfg, launch_memory_map, memory, &machine, err);
    if (rc == SIM_OK) {
        rc = launch_program(site, run, machine, out, err);
        if (rc == SIM_OK && site->fingerprint)
            lab_report_prints(machine, out);
        if (rc == SIM_OK && site->statistics)
            lab_report_counts(machine, out);
        if (rc == SIM_OK)
            rc = lab_watch_report(watch, sim_reached(machine_sim(machine)), out, err);
        if (rc == SIM_OK && site->ended != NULL)
            rc = site->ended(site->ended_arg, err);
        machine_destroy(machine);
    }
    launch_memory_destroy(memory);
    return rc;
}

static int simulate_watched(const struct lab_site *site, const struct lab_run *run,
                            const struct machine_desc *desc, FILE *out, struct sim_error *err)
{
    struct lab_watch *watch;
    int rc = lab_watch_open(&site->watch, site->probe, &watch, err), closed;

    if (rc != SIM_OK)
        return rc;
    rc = simulate_machine(site, run, desc, watch, out, err);
    closed = lab_watch_close(watch, err);
    return rc != SIM_OK ? rc : closed;
}

int lab_simulate_on(const struct lab_site *site, const struct lab_run *run,
                    const struct load_machine *machine, FILE *out, struct sim_error *err)
{
    struct lab_claims claims = { 0 };
    struct sim_error why = { 0 };
    int rc = lab_watch_claim(&site->watch, &claims, err);

    if (rc == SIM_OK)
        rc = lab_claims_spare_machine(&claims, machine, err);
    if (rc != SIM_OK)
        return rc;
    rc = simulate_watched(site, run, load_machine_desc(machine), out, &why);

    lab_report_faults(machine, out);
    if (rc != SIM_OK)
        (void)sim_error_set_at(err, rc, why.located ? NULL : run->machine, 0, "%s", why.text);
    return rc;
}

int lab_simulate(void *site, const struct lab_run *run, FILE *out, struct sim_error *err)
{
    struct load_machine *machine;
    int rc = lab_load_run(site, run, &machine, err);

    if (rc != SIM_OK)
        return rc;
    rc = lab_simulate_on(site, run, machine, out, err);
    load_machine_destroy(machine);
    return rc;
}
