#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "machine.h"

#include "hosts/host/host.h"
#include "hosts/launch/launch.h"
#include "ranks.h"
#include "tools/lab/run/software.h"
#include "tools/load/machine.h"

#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Sequences take some ms, and 50 where a request times out. */
#define MAX_TIME_PS (2000 * SIM_MS)
#define LIMIT_S     30u /* of processor time, with sanitizers too */

struct machine_server {
    unsigned ranks;
    uint64_t seed;
    machine_work_fn work;
    void *arg;
    struct load_machine *file;
    struct machine *machine;
    struct launch_memory *memory;
    uint64_t errors; /* before the ranks begin */
    struct outcome *out;
    struct sequence sequence; /* its maker is gone where a copy goes on */
    jmp_buf copy;             /* where a copy of the process goes on */
};

/* Ranks share the program's variables. */
static struct world *world;

static void add_errors(void *arg, const char *path, const char *unit, const char *meaning,
                       uint64_t value)
{
    static const char tail[] = ".errors.uncorrectable";
    size_t n = strlen(path), k = sizeof(tail) - 1;

    (void)unit;
    (void)meaning;
    if (n > k && strcmp(path + n - k, tail) == 0)
        *(uint64_t *)arg += value;
}

static uint64_t count_errors(const struct machine_server *m)
{
    uint64_t n = 0;

    sim_stat_each(machine_sim(m->machine), add_errors, &n);
    return n;
}

static void take_line(void *arg, unsigned rank, const char *line)
{
    (void)arg;
    (void)rank;
    if (world == NULL)
        return;
    world->lines_now++;
    (void)snprintf(world->line, sizeof(world->line), "%s", line);
}

static int rank_entry(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    return ranks_main(world);
}

/* ---- one sequence ------------------------------------------------------------- */

static void begin_sequence(struct machine_server *m)
{
    const struct rlimit limit = { LIMIT_S, LIMIT_S + 1 };
    const struct sequence *s = &m->sequence;
    int nothing;

    (void)setrlimit(RLIMIT_CPU, &limit);
    if (s->quiet && (nothing = open("/dev/null", O_WRONLY)) >= 0)
        (void)dup2(nothing, 2);
    world = world_create(s->seed, s->number, m->ranks, m->out);
    world->lie = s->lie;
    world->again = s->again;
    ranks_plan(world, s->steps, s->left_out);
}

static _Noreturn void end_sequence(struct machine_server *m, int code,
                                   const struct launch_result *result, const struct sim_error *err)
{
    struct sim_fingerprint print = sim_fingerprint_of(machine_sim(m->machine));
    uint64_t errors = count_errors(m) - m->errors;

    if (code != SIM_OK)
        world_found(world, "hangs", "it hangs: %s", err->text);
    for (unsigned r = 0; r < result->nranks; r++)
        if (result->ranks[r].exit_code != 0)
            world_found(world, "rank ended", "rank %u ended with status %d", r,
                        result->ranks[r].exit_code);
    if (errors != 0 && !world->stray)
        world_found(world, "errors",
                    "the hardware has seen %" PRIu64 " uncorrectable errors, expected none",
                    errors);
    m->out->prints[0] = print.visible;
    m->out->prints[1] = print.wire;
    m->out->prints[2] = print.edge;
    m->out->ended = true;
    _exit(0);
}

struct outcome *machine_run(struct machine_server *m, const struct sequence *s)
{
    struct outcome *out = m->out;
    int status = 0;
    pid_t pid;

    memset(out, 0, offsetof(struct outcome, log) + 1);
    m->sequence = *s;
    (void)fflush(stdout);
    pid = fork();
    if (pid == 0)
        longjmp(m->copy, 1);
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        abort();
    if (out->ended)
        return out;
    if (out->nlog > 0 && out->nlog < sizeof(out->log) - 2 && out->log[out->nlog - 1] != '\n')
        memcpy(out->log + out->nlog, "\n", 2); /* the call in which it ended has no result */
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
        (void)snprintf(out->kind, sizeof(out->kind), "takes too long");
    else
        (void)snprintf(out->kind, sizeof(out->kind), "%s %d",
                       WIFSIGNALED(status) ? "signal" : "exit status",
                       WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    (void)snprintf(out->found, sizeof(out->found), "it ends early: %s", out->kind);
    return out;
}

unsigned machine_ranks(const struct machine_server *m)
{
    return m->ranks;
}

/* ---- the machine -------------------------------------------------------------- */

/* Of what it calls, only copies of the process return: each with its sequence. */
static void ranks_begin(void *arg)
{
    struct machine_server *m = arg;

    m->errors = count_errors(m);
    if (setjmp(m->copy) == 0) {
        m->work(m, m->arg);
        (void)fflush(stdout);
        _exit(0);
    }
    begin_sequence(m);
}

static void load(void *arg)
{
    static const char *const names[] = { "", "one-node", "two-node", "line3", "ring4" };
    struct machine_server *m = arg;
    struct load_roots roots = { 0 };
    char path[1024];

    load_roots_add(&roots, FUZZ_CONFIGS);
    (void)snprintf(path, sizeof(path), "%s/machines/%s.yaml", FUZZ_CONFIGS, names[m->ranks]);
    m->file =
        load_machine_create(path, &(struct load_options){ .roots = &roots, .kinds = lab_kinds() });
}

static int launch(struct machine_server *m, struct launch_result *result, struct sim_error *err)
{
    static const char *const argv[] = { "fuzz_tca" };
    const struct sim_config sim = { .seed = m->seed, .fingerprint = true, .check_order = true };
    struct launch_software software;
    struct launch_config cfg = { .entry = rank_entry,
                                 .argc = 1,
                                 .argv = argv,
                                 .max_time_ps = MAX_TIME_PS,
                                 .refused = take_line,
                                 .begins = ranks_begin,
                                 .output_arg = m,
                                 .software = &software };
    int code = load_attempt(load, m, err);

    m->memory = launch_memory_create();
    if (code == SIM_OK)
        code = machine_create(load_machine_desc(m->file), &sim, launch_memory_map, m->memory,
                              &m->machine, err);
    if (code != SIM_OK)
        return code;
    software = lab_software(m->machine, 0);
    return launch_run(m->machine, &cfg, result, err);
}

static _Noreturn void serve(struct machine_server *m)
{
    struct launch_result result = { 0 };
    struct sim_error err = { 0 };
    int code;

    m->out = mmap(NULL, sizeof(*m->out), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (m->out == MAP_FAILED)
        abort();
    code = launch(m, &result, &err);
    if (world != NULL) /* a copy */
        end_sequence(m, code, &result, &err);
    (void)fprintf(stderr, "fuzz_tca: %s\n", err.text);
    _exit(1);
}

bool machine_serve(unsigned ranks, uint64_t seed, machine_work_fn work, void *arg)
{
    struct machine_server m = { .ranks = ranks, .seed = seed, .work = work, .arg = arg };
    int status = 1;
    pid_t pid;

    (void)fflush(stdout);
    pid = fork();
    if (pid == 0)
        serve(&m);
    return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}
