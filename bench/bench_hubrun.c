/*
 * What running a program costs: a ping-pong between two nodes by hubrun and a program made by
 * hubcc, its start included. It is compared with the same source linked in and called on a machine
 * that is made here, without loading, output or hooks. One operation is one turn.
 */
#include "bench.h"
#include "hosts/launch/launch.h"
#include "process.h"
#include "tools/lab/run/software.h"
#include "tools/load/machine.h"

#include <stdio.h>
#include <stdlib.h>

int pingpong_main(int argc, char **argv);

struct scenario {
    uint64_t rounds, bytes;
    char rounds_text[24], bytes_text[24];
    struct load_machine *file;
    char hubrun[4096];
};

static const char program[] = PROGRAM;

static void give_up(const struct sim_error *err)
{
    fprintf(stderr, "%s\n", err->text);
    exit(1);
}

static uint64_t run_bare(void *arg)
{
    const struct scenario *s = arg;
    const char *argv[] = { program, s->rounds_text, s->bytes_text };
    struct launch_memory *memory = launch_memory_create();
    struct sim_config cfg = { .seed = 1 };
    struct launch_software software;
    struct launch_result result = { 0 };
    struct sim_error err = { 0 };
    struct machine *m = NULL;

    if (memory == NULL || machine_create(load_machine_desc(s->file), &cfg, launch_memory_map,
                                         memory, &m, &err) != SIM_OK)
        give_up(&err);
    software = lab_software(m, 0);
    if (launch_run(m,
                   &(struct launch_config){ .entry = pingpong_main,
                                            .argc = 3,
                                            .argv = argv,
                                            .nranks = 2,
                                            .software = &software },
                   &result, &err) != SIM_OK)
        give_up(&err);
    bench_use(result.end_ps);
    launch_result_fini(&result);
    machine_destroy(m);
    launch_memory_destroy(memory);
    return 2 * s->rounds;
}

static uint64_t run_hubrun(void *arg)
{
    const struct scenario *s = arg;
    const char *argv[] = { s->hubrun,  "-q",    "-n",           "2",           "-m",
                           "two-node", program, s->rounds_text, s->bytes_text, NULL };

    (void)process_run(argv);
    return 2 * s->rounds;
}

static void compare(struct scenario *s, uint64_t rounds, uint64_t bytes, unsigned repeats)
{
    struct bench_case cases[] = { { .name = "bare", .run = run_bare, .arg = s },
                                  { .name = "hubrun", .run = run_hubrun, .arg = s } };

    s->rounds = rounds;
    s->bytes = bytes;
    (void)snprintf(s->rounds_text, sizeof(s->rounds_text), "%llu", (unsigned long long)rounds);
    (void)snprintf(s->bytes_text, sizeof(s->bytes_text), "%llu", (unsigned long long)bytes);
    bench_compare(cases, 2, repeats);
    printf("%8llu %10llu %9.2f us %9.2f us %8.2f (at most 1.25)\n", (unsigned long long)bytes,
           (unsigned long long)rounds, cases[1].ns / 1e3, cases[0].ns / 1e3, cases[1].ratio);
}

static void read_machine(void *arg)
{
    struct scenario *s = arg;
    struct load_arena arena = { 0 };
    struct load_roots roots;
    struct load_options options = { .roots = &roots, .kinds = lab_kinds() };

    load_roots_init(&roots);
    s->file = load_machine_create(load_find(&roots, "machines", "two-node", &arena), &options);
    load_arena_fini(&arena);
}

int main(int argc, char **argv)
{
    bool smoke = bench_smoke(argc, argv);
    struct sim_error err = { 0 };
    struct scenario s = { .rounds = 0 };

    process_beside("hubrun", s.hubrun, sizeof(s.hubrun));
    if (load_attempt(read_machine, &s, &err) != SIM_OK)
        give_up(&err);
    printf("   bytes     rounds       hubrun         bare    ratio\n");
    compare(&s, smoke ? 10 : 20000, 8, smoke ? 1 : 11);
    compare(&s, smoke ? 2 : 500, 65536, smoke ? 1 : 11);
    load_machine_destroy(s.file);
    return 0;
}
