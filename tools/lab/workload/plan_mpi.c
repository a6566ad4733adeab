/*
 * Runs of programs that use MPI, or the facility below it. The row's platform names a network: the
 * nodes of mbcf-hub and mbcf-switch are the same, and api= says which library runs on them.
 */
#include "tools/lab/run/mpi_library.h"
#include "tools/lab/workload/plan_parts.h"

#include <inttypes.h>
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
    else if (pt->platform == NULL)
        return sim_error_set(err, SIM_ERR_CONFIG,
                             "%s: workload = %s: expected a platform or a machine beside it, which "
                             "says what network its MPI is on",
                             pt->where, pt->workload);
    else if (strcmp(pt->platform, "mbcf-hub") == 0)
        run->machine = "mbcf-hub";
    else if (is_mbcf(pt->platform))
        run->machine =
            lab_plan_says(pt->setup, "duplex", "half") ? "mbcf-switch-half" : "mbcf-switch";
    else
        return lab_plan_machine(pt, run, err);
    return SIM_OK;
}

/** A word of the row's that has no meaning here, so that none is passed over in silence. */
static int refuse(const struct lab_point *pt, const char *const *keys, const char *why,
                  struct sim_error *err)
{
    for (; *keys != NULL; keys++)
        if (lab_setup_get(pt->setup, *keys) != NULL)
            return lab_plan_fail(pt, err, *keys, why);
    return SIM_OK;
}

static void fix(struct lab_run *run, const char *set)
{
    SIM_ASSERT(run->nfixed < LAB_FIXED_MAX);
    run->fixed[run->nfixed++] = set;
}

/** The signalling that `net` names; "ib" alone is the platform's own. "-dual": both ports. */
static int choose_link(const struct lab_point *pt, struct lab_run *run, bool *dual_p,
                       struct sim_error *err)
{
    static const struct {
        const char *net, *set;
    } known[] = {
        { "ib", NULL },
        { "ib-sdr", "node*.ib.link.speed=sdr" },
        { "ib-ddr", "node*.ib.link.speed=ddr" },
        { "ib-qdr", "node*.ib.link.speed=qdr" },
        { "ib-fdr10", "node*.ib.link.speed=fdr10" },
        { "ib-fdr", "node*.ib.link.speed=fdr" },
        { "ib-edr", "node*.ib.link.speed=edr" },
    };
    const char *net = lab_plan_text(pt->setup, "net", "ib");
    const char *dual = strstr(net, "-dual");
    size_t n = dual != NULL && dual[5] == '\0' ? (size_t)(dual - net) : strlen(net);

    *dual_p = net[n] != '\0';
    for (unsigned i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (strlen(known[i].net) != n || strncmp(known[i].net, net, n) != 0)
            continue;
        if (known[i].set != NULL)
            fix(run, known[i].set);
        return SIM_OK;
    }
    return lab_plan_fail(pt, err, "net",
                         "ib, ib-sdr, ib-ddr, ib-qdr, ib-fdr10, ib-fdr or ib-edr, or one of these "
                         "with -dual");
}

/** As many ports of the adapters as the row says; they have so many then. 0: as the library has. */
static int choose_rails(const struct lab_point *pt, bool dual, struct lab_run *run,
                        uint64_t *rails_p, struct sim_error *err)
{
    uint64_t rails = lab_plan_number(pt->setup, "rails", dual ? 2 : 0);
    uint64_t ports = lab_plan_number(pt->setup, "ports", rails);

    if (lab_setup_get(pt->setup, "rails") != NULL && (rails < 1 || rails > 2))
        return lab_plan_fail(pt, err, "rails", "1 or 2");
    if (lab_setup_get(pt->setup, "ports") != NULL &&
        (ports < 1 || ports > 2 || (rails != 0 && ports != rails)))
        return lab_plan_fail(pt, err, "ports", "1 or 2, as rails and net");
    if (dual && rails != 2)
        return lab_plan_fail(pt, err, "rails", "2, as net");
    *rails_p = ports;
    if (ports == 2)
        fix(run, "node*.ib.ports=2");
    return SIM_OK;
}

/** Which library: the one of HPCS 2016 where the row says no more than its paper. */
static const char *library_of(const struct lab_point *pt)
{
    bool paper = lab_plan_says(pt->setup, "system", "mpi-ib");

    return lab_mpi_library_of(lab_plan_text(pt->setup, "api", paper ? "mvapich2-gdr" : ""));
}

/** A library over InfiniBand, and what the row says of its settings. */
static int choose_ib(const struct lab_point *pt, struct lab_run *run, struct load_arena *arena,
                     struct sim_error *err)
{
    static const char *const foreign[] = { "mpi", NULL };
    const char *library = library_of(pt), *gdr = lab_setup_get(pt->setup, "gdr");
    const char *text;
    uint64_t limit = lab_plan_number(pt->setup, "gdr_limit", UINT64_MAX), rails = 0;
    bool dual = false;
    int rc;

    if (library == NULL)
        return lab_plan_fail(pt, err, "api", "an MPI library of configs/mpi");
    if (lab_plan_says(pt->setup, "duplex", "half"))
        return lab_plan_fail(pt, err, "duplex", "full: InfiniBand has no other");
    if (lab_plan_says(pt->setup, "uva", "off"))
        return lab_plan_fail(pt, err, "uva", "on: MPI knows memories by their addresses");
    rc = refuse(pt, foreign, "nothing beside a library over InfiniBand", err);
    if (rc == SIM_OK)
        rc = choose_link(pt, run, &dual, err);
    if (rc == SIM_OK)
        rc = choose_rails(pt, dual, run, &rails, err);
    if (rc != SIM_OK)
        return rc;
    text = load_text(arena, "library=%s", library);
    if (gdr != NULL)
        text = load_text(arena, "%s,gdr=%s", text, gdr);
    if (limit != UINT64_MAX) /* 0 is the library's own to it */
        text = load_text(arena, "%s,gdr_limit=%" PRIu64, text, limit == 0 ? 1 : limit);
    if (rails != 0)
        text = load_text(arena, "%s,rails=%" PRIu64, text, rails);
    run->mpi = text;
    return SIM_OK;
}

/** Does the row speak of a library over InfiniBand, or of what only that has? */
static bool over_ib(const struct lab_point *pt)
{
    static const char *const keys[] = { "api",       "system", "net",   "gdr",
                                        "gdr_limit", "rails",  "ports", NULL };

    for (const char *const *key = keys; *key != NULL; key++)
        if (lab_setup_get(pt->setup, *key) != NULL)
            return true;
    return false;
}

/** The network that a row of the MBCF cluster names must be that of its platform. */
static int check_cluster_net(const struct lab_point *pt, struct sim_error *err)
{
    const char *own = strcmp(pt->platform, "mbcf-hub") == 0 ? "repeater-hub" : "switching-hub";

    return strcmp(lab_plan_text(pt->setup, "net", own), own) == 0
               ? SIM_OK
               : lab_plan_fail(pt, err, "net", own);
}

/** One library: with requests (SR) or without (NSR); else over InfiniBand, or as the platform says.
 */
static int choose_library(const struct lab_point *pt, struct lab_run *run, struct load_arena *arena,
                          struct sim_error *err)
{
    const char *api = lab_plan_text(pt->setup, "api", "sr");

    if (!is_mbcf(pt->platform))
        return over_ib(pt) ? choose_ib(pt, run, arena, err) : SIM_OK;
    if (check_cluster_net(pt, err) != SIM_OK)
        return SIM_ERR_CONFIG;
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

/** A GPU by the socket that it is on: the adapter's, or the board's where the row says so or MPI
 * goes over it. */
static const char *memory_of(const struct lab_point *pt, const char *key)
{
    const char *both = lab_plan_text(pt->setup, "memory", "cpu");
    const char *word = lab_plan_text(pt->setup, key, both);
    const char *side = over_ib(pt) ? "ib" : "hub";

    if (strncmp(word, "gpu", 3) != 0 || is_mbcf(pt->platform))
        return lab_plan_memory(word, false);
    if (lab_setup_get(pt->setup, "gpu") != NULL)
        side = lab_plan_says(pt->setup, "gpu", "peach2-side") ? "hub" : "ib";
    if (strcmp(word, "gpu-other-same-node") == 0)
        return strcmp(side, "ib") == 0 ? "gpu@ib+1" : "gpu@hub+1";
    if (strcmp(word, "gpu-across-qpi") == 0)
        return over_ib(pt) ? "gpu@!ib" : "gpu@!hub";
    return strcmp(side, "ib") == 0 ? "gpu@ib" : "gpu@hub";
}

static int add_memories(const struct lab_point *pt, struct lab_run *run, struct load_arena *arena,
                        struct sim_error *err)
{
    static const char *const keys[] = { "src", "dst", NULL };

    for (const char *const *key = keys; *key != NULL; key++) {
        if (lab_plan_says(pt->setup, *key, "cpu-store"))
            return lab_plan_fail(pt, err, *key, "cpu, or a GPU");
        lab_plan_arg(run, arena, *key, memory_of(pt, *key));
    }
    return SIM_OK;
}

/** Round trips one by one, of which the least counts, or many in a row for their mean. */
static int plan_pingpong(const struct lab_point *pt, struct lab_plan *plan, struct lab_run *run,
                         struct load_arena *arena, struct sim_error *err)
{
    static const char *const streams[] = { "count", "pattern", NULL };
    int rc = refuse(pt, streams, "nothing here: it is of mpi-bandwidth", err);

    if (rc == SIM_OK && lab_setup_get(pt->setup, "op") != NULL &&
        !lab_plan_says(pt->setup, "op", "send-recv"))
        return lab_plan_fail(pt, err, "op", "send-recv");
    plan->bytes = lab_plan_number(pt->setup, "bytes", 0);
    run->program = "mpi-pingpong";
    lab_plan_arg_number(run, arena, "bytes", plan->bytes);
    if (rc == SIM_OK)
        rc = add_memories(pt, run, arena, err);
    lab_plan_arg(run, arena, "receives", lab_plan_text(pt->setup, "receives", "called"));
    if (is_mbcf(pt->platform))
        plan->rounds = 1;
    return rc;
}

/** The same of blocks at one distance, by a datatype. */
static int plan_blocks(const struct lab_point *pt, struct lab_plan *plan, struct lab_run *run,
                       struct load_arena *arena, struct sim_error *err)
{
    struct lab_shape shape;
    int rc = lab_plan_shape(pt, &shape, err);

    if (rc != SIM_OK)
        return rc;
    plan->bytes = shape.blocks * shape.block_bytes;
    run->program = "mpi-pingpong";
    lab_plan_arg_number(run, arena, "blocks", shape.blocks);
    lab_plan_arg_number(run, arena, "block_bytes", shape.block_bytes);
    lab_plan_arg_number(run, arena, "pitch_bytes", shape.pitch_bytes);
    return add_memories(pt, run, arena, err);
}

static int plan_bandwidth(const struct lab_point *pt, struct lab_plan *plan, struct lab_run *run,
                          struct load_arena *arena, struct sim_error *err)
{
    uint64_t bytes = lab_plan_number(pt->setup, "bytes", 0), count = count_of(pt, bytes);
    bool both = lab_plan_says(pt->setup, "direction", "both");
    const char *pattern = lab_plan_text(pt->setup, "pattern", both ? "both" : "one");
    int rc;

    if (lab_setup_get(pt->setup, "direction") != NULL && both != (strcmp(pattern, "both") == 0))
        return lab_plan_fail(pt, err, "direction", "the same as pattern");
    plan->directions = strcmp(pattern, "both") == 0 ? 2 : 1;
    plan->rounds = 1; /* each stream is timed alone */
    run->program = "mpi-bandwidth";
    lab_plan_arg_number(run, arena, "bytes", bytes);
    lab_plan_arg_number(run, arena, "count", count);
    lab_plan_arg(run, arena, "pattern", pattern);
    rc = add_memories(pt, run, arena, err);
    plan->bytes = bytes * count * plan->directions;
    return rc;
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
                           struct load_arena *arena, struct sim_error *err)
{
    run->program = "mpi-collective";
    lab_plan_arg(run, arena, "op", lab_plan_text(pt->setup, "op", "allreduce"));
    lab_plan_arg_number(run, arena, "bytes", lab_plan_number(pt->setup, "bytes", 8));
    lab_plan_arg(run, arena, "memory", memory_of(pt, "memory"));
    plan->bytes = lab_plan_number(pt->setup, "bytes", 8);
    run->algorithms = lab_setup_get(pt->setup, "algorithm");
    if (strcmp(lab_plan_text(pt->setup, "mpi", ""), "peach2") == 0)
        lab_plan_arg(run, arena, "traffic", "on");
    if (lab_setup_get(pt->setup, "place") != NULL)
        return lab_plan_place(pt, run, err);
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
    if (strcmp(pt->workload, "block-stride") == 0)
        return plan_blocks(pt, plan, run, arena, err);
    if (strcmp(pt->workload, "mpi-collective") == 0)
        return plan_collective(pt, plan, run, arena, err);
    if (strcmp(pt->workload, "mpi-bandwidth") == 0 || lab_plan_says(pt->setup, "direction", "both"))
        return plan_bandwidth(pt, plan, run, arena, err);
    return plan_pingpong(pt, plan, run, arena, err);
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
    ranks_in_order(pt, run); /* not the pair that some machines are chosen with */
    run->program = pt->workload;
    plan->bytes = 0;
    lab_plan_arg(run, arena, "class", lab_plan_text(pt->setup, "class", "W"));
    if (lab_setup_get(pt->setup, "iterations") != NULL)
        lab_plan_arg(run, arena, "iterations", lab_setup_get(pt->setup, "iterations"));
    if (protocol->rounds != 0)
        lab_plan_arg_number(run, arena, "sample", protocol->rounds);
    return SIM_OK;
}
