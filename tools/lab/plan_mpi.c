/*
 * Runs of programs that use MPI, or the facility below it. The row's platform names a network: the
 * nodes of mbcf-hub and mbcf-switch are the same, and api= says which library runs on them.
 */
#include "tools/lab/mpi_library.h"
#include "tools/lab/plan_parts.h"

#include <string.h>

static bool is_mbcf(const char *platform)
{
    return platform != NULL &&
           (strcmp(platform, "mbcf-hub") == 0 || strcmp(platform, "mbcf-switch") == 0);
}

const char *lab_plan_platform(const char *platform, const struct lab_setup *setup)
{
    if (!is_mbcf(platform))
        return platform;
    return lab_plan_says(setup, "api", "mpich") ? "mbcf-sunos" : "mbcf";
}

/** One on each node, as many as the row says. */
static void ranks_in_order(const struct lab_point *pt, struct lab_run *run)
{
    run->nranks = (unsigned)lab_plan_number(pt->setup, "nodes", 2);
    for (unsigned i = 0; i < run->nranks; i++)
        run->nodes[i] = i;
}

/** By network and duplex; ranks on the first nodes. */
static int choose_network(const struct lab_point *pt, struct lab_run *run, struct sim_error *err)
{
    uint64_t nodes = lab_plan_number(pt->setup, "nodes", 2);

    if (nodes < 1 || nodes > LAB_RANKS_MAX)
        return lab_plan_fail(pt, err, "nodes", "1 .. 64");
    ranks_in_order(pt, run);
    if (pt->machine != NULL)
        run->machine = pt->machine;
    else if (strcmp(pt->platform, "mbcf-hub") == 0)
        run->machine = "mbcf-hub";
    else if (is_mbcf(pt->platform))
        run->machine =
            lab_plan_says(pt->setup, "duplex", "half") ? "mbcf-switch-half" : "mbcf-switch";
    else
        return lab_plan_machine(pt, run, err);
    return SIM_OK;
}

/** A library over InfiniBand, and what the row says of its settings. */
static int choose_ib(const struct lab_point *pt, struct lab_run *run, struct load_arena *arena,
                     struct sim_error *err)
{
    static const char *const keys[] = { "gdr", "gdr_limit", "rails", NULL };
    const char *library = lab_mpi_library_of(lab_plan_text(pt->setup, "api", ""));
    const char *text;

    if (library == NULL)
        return lab_plan_fail(pt, err, "api", "an MPI library of configs/mpi");
    text = load_text(arena, "library=%s", library);
    for (const char *const *key = keys; *key != NULL; key++)
        if (lab_setup_get(pt->setup, *key) != NULL)
            text = load_text(arena, "%s,%s=%s", text, *key, lab_setup_get(pt->setup, *key));
    run->mpi = text;
    return SIM_OK;
}

/** One library: with requests (SR) or without (NSR); else over InfiniBand, or as the platform says.
 */
static int choose_library(const struct lab_point *pt, struct lab_run *run, struct load_arena *arena,
                          struct sim_error *err)
{
    const char *api = lab_plan_text(pt->setup, "api", "sr");

    if (!is_mbcf(pt->platform))
        return lab_setup_get(pt->setup, "api") != NULL ? choose_ib(pt, run, arena, err) : SIM_OK;
    if (strcmp(api, "nsr") == 0)
        run->mpi = "mbcf,requests=off";
    else if (strcmp(api, "sr") != 0 && strcmp(api, "mpich") != 0)
        return lab_plan_fail(pt, err, "api", "sr, nsr or mpich");
    return SIM_OK;
}

/* The final synchronisation must not count for much; 1 MiB messages take their time anyhow. */
#define STREAM_BYTES     (UINT64_C(8) << 20)
#define STREAM_COUNT_MIN UINT64_C(8)
#define STREAM_COUNT_MAX UINT64_C(1024)

static uint64_t count_of(const struct lab_point *pt, uint64_t bytes)
{
    uint64_t count = bytes == 0 ? STREAM_COUNT_MAX : STREAM_BYTES / bytes;

    count = count < STREAM_COUNT_MIN ? STREAM_COUNT_MIN : count;
    count = count > STREAM_COUNT_MAX ? STREAM_COUNT_MAX : count;
    return lab_plan_number(pt->setup, "count", count);
}

/** GPU 0 has the board on its socket, GPU 2 the adapter, where there are two sockets of GPUs; rows
 * of MPI that name none mean the latter. */
static const char *memory_of(const struct lab_point *pt, const char *key)
{
    const char *word = lab_plan_text(pt->setup, key, "cpu");
    bool two = strcmp(pt->platform, "hapacs-tca") == 0;

    if (strcmp(word, "gpu") != 0 || !two || lab_plan_says(pt->setup, "gpu", "peach2-side"))
        return lab_plan_memory(word, false);
    return "gpu2";
}

static void add_memories(const struct lab_point *pt, struct lab_run *run, struct load_arena *arena)
{
    lab_plan_arg(run, arena, "src", memory_of(pt, "src"));
    lab_plan_arg(run, arena, "dst", memory_of(pt, "dst"));
}

/** Round trips one by one, of which the least counts, or many in a row for their mean. */
static int plan_pingpong(const struct lab_point *pt, struct lab_plan *plan, struct lab_run *run,
                         struct load_arena *arena)
{
    plan->bytes = lab_plan_number(pt->setup, "bytes", 0);
    run->program = "mpi-pingpong";
    lab_plan_arg_number(run, arena, "bytes", plan->bytes);
    add_memories(pt, run, arena);
    lab_plan_arg(run, arena, "receives", lab_plan_text(pt->setup, "receives", "called"));
    if (is_mbcf(pt->platform))
        plan->rounds = 1;
    return SIM_OK;
}

static int plan_bandwidth(const struct lab_point *pt, struct lab_plan *plan, struct lab_run *run,
                          struct load_arena *arena)
{
    uint64_t bytes = lab_plan_number(pt->setup, "bytes", 0), count = count_of(pt, bytes);

    plan->bytes = bytes * count;
    plan->rounds = 1; /* each stream is timed alone */
    run->program = "mpi-bandwidth";
    lab_plan_arg_number(run, arena, "bytes", bytes);
    lab_plan_arg_number(run, arena, "count", count);
    lab_plan_arg(run, arena, "pattern", lab_plan_text(pt->setup, "pattern", "one"));
    add_memories(pt, run, arena);
    return SIM_OK;
}

/** Remote writes or appends to a FIFO: one, or back to back. */
static int plan_facility(const struct lab_point *pt, struct lab_plan *plan, struct lab_run *run,
                         struct load_arena *arena, struct sim_error *err)
{
    uint64_t bytes = lab_plan_number(pt->setup, "bytes", 0);

    if (bytes == 0)
        return lab_plan_fail(pt, err, "bytes", "at least 1");
    if (!lab_plan_says(pt->setup, "api", "mbcf"))
        return lab_plan_fail(pt, err, "api", "mbcf");
    plan->bytes = bytes;
    plan->rounds = 1;
    run->program = pt->workload;
    lab_plan_arg_number(run, arena, "bytes", bytes);
    lab_plan_arg(run, arena, "op", lab_plan_text(pt->setup, "op", "write"));
    if (strcmp(pt->workload, "mbcf-stream") == 0) {
        lab_plan_arg_number(run, arena, "count", STREAM_COUNT_MAX);
        plan->bytes = bytes * STREAM_COUNT_MAX;
    }
    return SIM_OK;
}

static int plan_collective(const struct lab_point *pt, struct lab_plan *plan, struct lab_run *run,
                           struct load_arena *arena)
{
    run->program = "mpi-collective";
    lab_plan_arg(run, arena, "op", lab_plan_text(pt->setup, "op", "allreduce"));
    lab_plan_arg_number(run, arena, "bytes", lab_plan_number(pt->setup, "bytes", 8));
    lab_plan_arg(run, arena, "memory",
                 lab_plan_memory(lab_plan_text(pt->setup, "memory", "cpu"), false));
    plan->bytes = lab_plan_number(pt->setup, "bytes", 8);
    run->algorithms = lab_setup_get(pt->setup, "algorithm");
    if (strcmp(lab_plan_text(pt->setup, "mpi", ""), "peach2") == 0)
        lab_plan_arg(run, arena, "traffic", "on");
    if (lab_setup_get(pt->setup, "place") != NULL)
        return lab_plan_place(pt, run, NULL);
    ranks_in_order(pt, run);
    return SIM_OK;
}

int lab_plan_mpi(const struct lab_point *pt, struct lab_plan *plan, struct lab_run *run,
                 struct load_arena *arena, struct sim_error *err)
{
    int rc = choose_network(pt, run, err);

    if (rc == SIM_OK && strncmp(pt->workload, "mbcf-", 5) == 0)
        return plan_facility(pt, plan, run, arena, err);
    if (rc == SIM_OK)
        rc = choose_library(pt, run, arena, err);
    if (rc != SIM_OK)
        return rc;
    if (lab_setup_get(pt->setup, "mpi") != NULL)
        run->mpi = lab_setup_get(pt->setup, "mpi");
    if (strcmp(pt->workload, "mpi-bandwidth") == 0)
        return plan_bandwidth(pt, plan, run, arena);
    if (strcmp(pt->workload, "mpi-collective") == 0)
        return plan_collective(pt, plan, run, arena);
    return plan_pingpong(pt, plan, run, arena);
}

/** The iterations of a kernel are alike, so that few of them tell the time of all. */
int lab_plan_npb(const struct lab_point *pt, const struct lab_protocol *protocol,
                 struct lab_plan *plan, struct lab_run *run, struct load_arena *arena,
                 struct sim_error *err)
{
    int rc = choose_network(pt, run, err);

    if (rc == SIM_OK)
        rc = choose_library(pt, run, arena, err);
    if (rc != SIM_OK)
        return rc;
    run->program = pt->workload;
    plan->bytes = 0;
    lab_plan_arg(run, arena, "class", lab_plan_text(pt->setup, "class", "W"));
    if (lab_setup_get(pt->setup, "iterations") != NULL)
        lab_plan_arg(run, arena, "iterations", lab_setup_get(pt->setup, "iterations"));
    if (protocol->rounds != 0)
        lab_plan_arg_number(run, arena, "sample", protocol->rounds);
    return SIM_OK;
}
