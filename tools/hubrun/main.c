/* hubrun: runs a program made by hubcc on the simulated nodes of a machine. */
#define _DEFAULT_SOURCE /* on_exit */
#include "hosts/launch/launch.h"
#include "tools/hubrun/keep.h"
#include "tools/hubrun/options.h"
#include "tools/hubrun/place.h"
#include "tools/hubrun/profile.h"
#include "tools/hubrun/repeat.h"
#include "tools/lab/format/out.h"
#include "tools/lab/result/write.h"
#include "tools/lab/rows/repairs.h"
#include "tools/lab/run/simulate.h"
#include "tools/lab/run/software.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STALL_LINES 100u
#define NOBODY      UINT_MAX

struct listener {
    bool label;
    struct keep *keep;         /* NULL: nothing is kept */
    int codes[OUTPUT_STREAMS]; /* error numbers of what could not be written */
};

static void print_line(void *arg, unsigned rank, enum output_stream stream, sim_time_t time,
                       const char *line)
{
    struct listener *listener = arg;
    FILE *out = stream == OUTPUT_STDERR ? stderr : stdout;

    (void)time;
    if (listener->label)
        fprintf(out, "%u: ", rank);
    if (fprintf(out, "%s\n", line) < 0 && listener->codes[stream] == 0)
        listener->codes[stream] = errno;
    if (listener->keep != NULL)
        keep_line(listener->keep, rank, stream == OUTPUT_STDOUT, line);
}

static void print_remark(void *arg, const char *line)
{
    (void)arg;
    fprintf(stderr, "hubrun: %s\n", line);
}

static void report_end(unsigned r, const struct launch_rank_result *rank)
{
    double us = (double)rank->end_ps / 1e6;

    if (rank->signal != 0)
        fprintf(stderr, "hubrun: rank %u on node %u was ended by signal %d (%s) at %.3f us\n", r,
                rank->node, rank->signal, strsignal(rank->signal), us);
    else
        fprintf(stderr, "hubrun: rank %u on node %u ended with status %d at %.3f us\n", r,
                rank->node, rank->exit_code, us);
}

/* Where each rank was when the run ended early; that of `reported` is known. */
static void report_where(const struct launch_result *result, unsigned reported)
{
    for (unsigned r = 0; r < result->nranks; r++) {
        const struct launch_rank_result *rank = &result->ranks[r];

        if (r == reported)
            continue;
        if (rank->ended)
            report_end(r, rank);
        else
            fprintf(stderr, "hubrun: rank %u on node %u at %.3f us: %s\n", r, rank->node,
                    (double)result->end_ps / 1e6, rank->where);
    }
}

/* Where each rank was when the run was blocked, and the packets that cannot go on. */
static void report_stall(const struct machine *machine, const struct launch_result *result,
                         unsigned reported)
{
    fflush(stdout);
    report_where(result, reported);
    (void)machine_stall_report(machine, STALL_LINES, print_remark, NULL);
}

static int status_of(int code)
{
    return (code & 0xff) != 0 ? code & 0xff : CMD_FAILED;
}

/* The status is that of the first rank that failed; its number goes to *reported_p. */
static int conclude_run(const struct launch_result *result, unsigned *reported_p)
{
    fflush(stdout);
    *reported_p = NOBODY;
    if (result->signal != 0) {
        report_where(result, NOBODY);
        return 128 + result->signal;
    }
    if (result->aborted) {
        int code = result->ranks[result->abort_rank].exit_code;

        fprintf(stderr, "hubrun: rank %u ended all %u ranks with status %d at %.3f us\n",
                result->abort_rank, result->nranks, code,
                (double)result->ranks[result->abort_rank].end_ps / 1e6);
        return status_of(code);
    }
    for (unsigned r = 0; r < result->nranks; r++) {
        int code = result->ranks[r].exit_code;

        if (!result->ranks[r].ended || code == 0)
            continue;
        *reported_p = r;
        if (result->ranks[r].signal != 0)
            report_end(r, &result->ranks[r]);
        else
            fprintf(stderr, "hubrun: rank %u ended with status %d at %.3f us\n", r, code,
                    (double)result->ranks[r].end_ps / 1e6);
        return status_of(code);
    }
    return CMD_OK;
}

static void add_stat(void *arg, const char *path, const char *unit, const char *meaning,
                     uint64_t value)
{
    (void)unit;
    (void)meaning;
    lab_repairs_add(arg, path, value);
}

/* Also when the run came to no good end: then most of all. */
static void print_faults(const struct load_machine *file, struct machine *machine)
{
    struct lab_repairs repairs = { { 0 } };

    sim_stat_each(machine_sim(machine), add_stat, &repairs);
    lab_repairs_write_faults(file, "hubrun: fault: ", stderr);
    lab_repairs_write(&repairs, "hubrun: ", stderr);
}

/* Also of a run that failed. @return the first thing that went wrong. */
static int show_profile(const char *path, const struct launch_result *result, int rc,
                        struct sim_error *err)
{
    struct sim_error own = { 0 };
    int written;

    profile_report(result, stderr);
    if (*path == '\0')
        return rc;
    written = profile_write(result, path, rc == SIM_OK ? err : &own);
    return rc == SIM_OK ? written : rc;
}

/*
 * From here on malloc serves messages, each of which is copied where it waits. Pages that go back
 * to the kernel with every long one, and come as zeros with the next, took half of the time of a
 * bandwidth test. 32 MB is the most that the first of the limits may be (mallopt(3)).
 */
static void reuse_memory(void)
{
    (void)mallopt(M_MMAP_THRESHOLD, 32 * 1024 * 1024);
    (void)mallopt(M_TRIM_THRESHOLD, 256 * 1024 * 1024);
}

static int set_software(const struct options *opt, struct launch_software *software,
                        struct sim_error *err)
{
    if (opt->algorithm != NULL)
        lab_software_algorithms(software, opt->algorithm);
    return opt->mpi != NULL ? lab_software_mpi(software, opt->mpi, NULL, err) : SIM_OK;
}

static int run_program(const struct options *opt, struct machine *machine,
                       const struct launch_config *cfg, struct keep *keep, int *status_p,
                       struct sim_error *err)
{
    struct launch_result result = { 0 };
    unsigned reported;
    int rc;

    reuse_memory();
    rc = launch_run(machine, cfg, &result, err);
    *status_p = conclude_run(&result, &reported);
    if (rc == SIM_ERR_STALLED || (rc == SIM_ERR_LIMIT && result.signal == 0))
        report_stall(machine, &result, reported);
    if (rc == SIM_OK && keep != NULL)
        keep_ranks(keep, &result);
    if (rc == SIM_OK && *status_p == CMD_OK && !opt->quiet)
        fprintf(stderr, "hubrun: %u ranks ended well at %.3f us\n", result.nranks,
                (double)result.end_ps / 1e6);
    if (opt->profile != NULL && result.start_ps != 0) /* else no rank has begun */
        rc = show_profile(opt->profile, &result, rc, err);
    launch_result_fini(&result);
    return rc;
}

static int run_on(const struct options *opt, struct machine *machine, struct listener *listener,
                  int *status_p, struct sim_error *err)
{
    unsigned nnodes = launch_hosts(machine);
    unsigned nranks = opt->nranks != 0 ? opt->nranks : nnodes;
    unsigned *nodes = calloc(nranks, sizeof(*nodes));
    char *program = habits_find(opt->argv[0]);
    struct launch_software software = lab_software(machine, 0);
    struct launch_config cfg = { .program = program,
                                 .argc = opt->argc,
                                 .argv = (const char *const *)opt->argv,
                                 .nranks = nranks,
                                 .nodes = nodes,
                                 .max_time_ps = opt->max_time_ps,
                                 .patience_s = opt->patience_s,
                                 .profile = opt->profile != NULL,
                                 .signals = true,
                                 .compute = opt->compute,
                                 .block_ps = opt->block_ps,
                                 .output = print_line,
                                 .remark = opt->quiet ? NULL : print_remark,
                                 .output_arg = listener,
                                 .output_codes = listener->codes,
                                 .software = &software };
    int rc;

    if (nodes == NULL || program == NULL)
        rc = sim_error_set(err, SIM_ERR_NOMEM, "out of memory");
    else
        rc = place_ranks(opt->place, nranks, nnodes, nodes, err);
    if (rc == SIM_OK)
        rc = set_software(opt, &software, err);
    cfg.beside = lab_software_beside(&software, machine);
    if (rc == SIM_OK)
        rc = run_program(opt, machine, &cfg, listener->keep, status_p, err);
    free(program);
    free(nodes);
    return rc;
}

static int write_result(const struct options *opt, const struct load_machine *file,
                        struct keep *keep, struct sim_error *err)
{
    struct load_arena arena = { 0 };
    struct lab_out_machine machine = { opt->machine, opt->common.platform, file };
    struct lab_out out = { .kind = "program",
                           .description = "What each rank has printed",
                           .command = "hubrun",
                           .seed = opt->common.seed,
                           .nsets = opt->common.nsets,
                           .sets = opt->common.sets,
                           .nmachines = 1,
                           .machines = &machine };
    int rc;

    out.nwords = options_words(opt, &arena, &out.words);
    lab_report_faults(file, keep_stream(keep));
    rc = keep_write(keep, opt->out, opt->argv[0], &out, err);
    load_arena_fini(&arena);
    return rc;
}

static int run_observed(const struct options *opt, const struct load_machine *file,
                        const struct lab_watch *watch, struct listener *listener, int *status_p,
                        struct sim_error *err)
{
    struct keep *keep = listener->keep;
    struct sim_config cfg = { .seed = opt->common.seed,
                              .fingerprint = opt->fingerprint || keep != NULL,
                              .probe = lab_watch_probe(watch) };
    struct launch_memory *memory;
    struct machine *machine;
    int rc;

    memory = launch_memory_create();
    if (memory == NULL)
        return sim_error_set(err, SIM_ERR_NOMEM, "%s: no address space for its memories",
                             opt->machine);
    rc = machine_create(load_machine_desc(file), &cfg, launch_memory_map, memory, &machine, err);
    if (rc != SIM_OK)
        goto out_memory;
    rc = run_on(opt, machine, listener, status_p, err);
    if (rc == SIM_OK && opt->fingerprint)
        lab_report_prints(machine, stderr);
    if (rc == SIM_OK && keep != NULL) {
        lab_report_prints(machine, keep_stream(keep));
        lab_report_counts(machine, keep_stream(keep));
        rc = lab_watch_report(watch, sim_reached(machine_sim(machine)), keep_stream(keep), err);
    }
    if (!opt->quiet && machine_description(machine)->nfaults > 0)
        print_faults(file, machine);
    machine_destroy(machine);
out_memory:
    launch_memory_destroy(memory);
    return rc;
}

/* A run that a missing program or an output in the wrong place would end has no effect. */
static int check_files(const struct options *opt, const struct load_machine *file,
                       struct sim_error *err)
{
    bool profile = opt->profile != NULL && *opt->profile != '\0';
    char *matrix = profile ? profile_matrix_path(opt->profile) : NULL;
    char *program = habits_find(opt->argv[0]);
    struct lab_claims claims = { 0 };
    int rc = program != NULL ? habits_examine(program, err)
                             : sim_error_set(err, SIM_ERR_NOMEM, "out of memory");

    if (rc == SIM_OK)
        rc = lab_watch_claim(&opt->common.watch, &claims, err);
    if (rc == SIM_OK && profile)
        rc = lab_claims_add(&claims, "--profile", opt->profile, err);
    if (rc == SIM_OK && profile)
        rc = lab_claims_add(&claims, "--profile", matrix, err);
    if (rc == SIM_OK)
        rc = lab_claims_spare(&claims, "the program", program, err);
    if (rc == SIM_OK)
        rc = cmd_spare_inputs(&opt->common, "-m", opt->machine, &claims, err);
    if (rc == SIM_OK)
        rc = lab_claims_spare_machine(&claims, file, err);
    free(program);
    free(matrix);
    return rc;
}

static int run_machine(const struct options *opt, struct listener *listener, int *status_p,
                       struct sim_error *err)
{
    struct load_machine *file;
    struct lab_watch *watch;
    struct keep *keep = opt->out != NULL ? keep_create() : NULL;
    int rc = cmd_load(&opt->common, opt->machine, &file, err), closed;

    listener->label = opt->label;
    listener->keep = keep;
    if (rc != SIM_OK)
        goto out_keep;
    rc = check_files(opt, file, err);
    if (rc == SIM_OK)
        rc = lab_watch_open(&opt->common.watch, NULL, &watch, err);
    if (rc == SIM_OK) {
        rc = run_observed(opt, file, watch, listener, status_p, err);
        closed = lab_watch_close(watch, err);
        rc = rc != SIM_OK ? rc : closed;
    }
    if (rc == SIM_OK && keep != NULL)
        rc = write_result(opt, file, keep, err);
    load_machine_destroy(file);
out_keep:
    keep_destroy(keep);
    return rc;
}

/* A stream that could not take all is a failure, whichever way the process ends. */
static void close_streams(int status, void *arg)
{
    const struct listener *listener = arg;
    int code = fflush(stdout) != 0 ? errno : listener->codes[OUTPUT_STDOUT];
    bool out = ferror(stdout) != 0;

    if (out)
        fprintf(stderr, "hubrun: stdout: %s\n",
                code != 0 ? strerror(code) : "could not be written");
    if (out || ferror(stderr) != 0)
        _exit(status != 0 ? status : CMD_FAILED);
}

static int run_command(int argc, char **argv, bool repeats)
{
    static struct listener listener;
    static char lines[BUFSIZ]; /* not from malloc(), by the kind of file */
    struct options opt;
    struct sim_error err = { 0 };
    int status = CMD_FAILED;

    /* Large tables stay zero pages until they are used, of caches and BARs for example: once set,
     * the limit no longer follows what is freed. */
    (void)mallopt(M_MMAP_THRESHOLD, 128 * 1024);
    (void)setvbuf(stdout, lines, _IOLBF, BUFSIZ); /* people follow the lines of a run in a file */
    (void)on_exit(close_streams, &listener);
    options_parse(argc, argv, &opt);
    if (!repeats && (opt.out != NULL || opt.fingerprint))
        print_remark(NULL, "addresses are random here, as the system refuses to keep them fixed: a "
                           "program that sends its own, or bytes that it never set, does not "
                           "repeat");
    if (run_machine(&opt, &listener, &status, &err) == SIM_OK)
        return status;
    fflush(stdout);
    fprintf(stderr, "hubrun: %s\n", err.text);
    return status != CMD_OK ? status : CMD_FAILED;
}

int main(int argc, char **argv)
{
    lab_out_prepare();
    repeat_run(argc, argv, run_command);
}
