/*
 * Runs of programs that use MPI, or the facility below it. The row's platform names a network: the
 * nodes of mbcf-hub and mbcf-switch are the same, and api= says which library runs on them.
 */
#include "tools/lab/run/mpi_library.h"
#include "tools/lab/workload/plan_parts.h"
#include "tools/lab/workload/values.h"
#include "tools/load/value.h"

#include <inttypes.h>
#include <string.h>

static bool is_mbcf(const char *platform)
{
    return platform != NULL &&
           (strcmp(platform, "mbcf-hub") == 0 || strcmp(platform, "mbcf-switch") == 0);
}

const char *lab_plan_platform(const char *platform, const struct lab_setup *setup)
{
    const char *api = lab_setup_get(setup, "api");

    if (!is_mbcf(platform))
        return platform;
    return api != NULL && strcmp(api, "mpich") == 0 ? "mbcf-sunos" : "mbcf";
}

/** One on each node, as many as the row says. */
static void ranks_in_order(const struct lab_planning *p)
{
    p->run->nranks = (unsigned)lab_plan_number(p, "nodes", 2);
    for (unsigned i = 0; i < p->run->nranks; i++)
        p->run->nodes[i] = i;
}

void lab_plan_network(const struct lab_planning *p)
{
    uint64_t nodes = lab_plan_number(p, "nodes", 2);

    if (nodes < 1 || nodes > LAB_RANKS_MAX)
        lab_plan_fail(p, "nodes", "1 .. 64");
    ranks_in_order(p);
    if (p->pt->machine != NULL)
        p->run->machine = p->pt->machine;
    else if (p->pt->platform == NULL && p->workload->own == NULL)
        load_raise(SIM_ERR_CONFIG,
                   "%s: workload = %s: expected a platform or a machine beside it, which "
                   "says what network its MPI is on",
                   p->pt->where, p->pt->workload);
    else if (!is_mbcf(p->pt->platform))
        lab_plan_machine(p);
    else if (strcmp(p->pt->platform, "mbcf-hub") == 0)
        p->run->machine = "mbcf-hub";
    else
        p->run->machine = lab_plan_says(p, "duplex", "half") ? "mbcf-switch-half" : "mbcf-switch";
}

static void fix_value(struct lab_run *run, const char *set)
{
    SIM_ASSERT(run->nfixed < LAB_FIXED_MAX);
    run->fixed[run->nfixed++] = set;
}

/** The signalling that `net` names; "ib" alone is the platform's own. @return whether it is on both
 * ports: "-dual" */
static bool choose_link(const struct lab_planning *p)
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
    const char *net = lab_plan_text(p, "net", "ib");
    const char *dual = strstr(net, "-dual");
    size_t n = dual != NULL && dual[5] == '\0' ? (size_t)(dual - net) : strlen(net);

    for (unsigned i = 0; i < SIM_COUNT(known); i++) {
        if (strlen(known[i].net) != n || strncmp(known[i].net, net, n) != 0)
            continue;
        if (known[i].set != NULL)
            fix_value(p->run, known[i].set);
        return net[n] != '\0';
    }
    lab_plan_fail(p, "net",
                  "ib, ib-sdr, ib-ddr, ib-qdr, ib-fdr10, ib-fdr or ib-edr, or one of these "
                  "with -dual");
}

/** As many ports of the adapters as the row says; they have so many then. 0: as the library has. */
static uint64_t choose_rails(const struct lab_planning *p, bool dual)
{
    uint64_t rails = lab_plan_number(p, "rails", dual ? 2 : 0);
    uint64_t ports = lab_plan_number(p, "ports", rails);

    if (lab_plan_given(p, "rails") && (rails < 1 || rails > 2))
        lab_plan_fail(p, "rails", "1 or 2");
    if (lab_plan_given(p, "ports") && (ports < 1 || ports > 2 || (rails != 0 && ports != rails)))
        lab_plan_fail(p, "ports", "1 or 2, as rails and net");
    if (dual && rails != 2)
        lab_plan_fail(p, "rails", "2, as net");
    if (ports == 2)
        fix_value(p->run, "node*.ib.ports=2");
    return ports;
}

/** Which library: the one of HPCS 2016 where the row says no more than its paper. */
static const char *library_of(const struct lab_planning *p)
{
    bool paper = lab_plan_says(p, "system", "mpi-ib");

    return lab_mpi_library_of(
        lab_plan_text(p, "api", paper ? lab_mpi_system_of("mpi-ib")->library : ""));
}

/** A limit of the library where the row says one: N, or default-N, which is the library's own. */
static const char *add_limit(const struct lab_planning *p, const char *key, const char *text)
{
    const char *value = lab_plan_text(p, key, "default");
    uint64_t limit;

    if (strcmp(value, "default") == 0)
        return text;
    if (!load_number(strncmp(value, "default-", 8) == 0 ? value + 8 : value, false, &limit))
        lab_plan_fail(p, key, "a whole number, default, or default-N");
    /* 0 is the library's own to it */
    return load_text(p->arena, "%s,%s=%" PRIu64, text, key, limit == 0 ? 1 : limit);
}

void lab_plan_bind(const struct lab_planning *p, const char *gpu)
{
    if (strcmp(gpu, "ib-side") != 0)
        fix_value(p->run, "node*.software.rank_socket=0");
}

/** A switch of the library, which calls it so, too. */
static bool is_switch(const struct lab_word *word)
{
    return word->values != NULL && strcmp(word->values, "on|off") == 0;
}

void lab_plan_library(const struct lab_planning *p, const char *library)
{
    static const char *const foreign[] = { "mpi", NULL };
    const char *text;
    uint64_t rails;

    if (lab_plan_says(p, "duplex", "half"))
        lab_plan_fail(p, "duplex", "full: InfiniBand has no other");
    if (lab_plan_says(p, "uva", "off"))
        lab_plan_fail(p, "uva", "on: MPI knows memories by their addresses");
    lab_plan_refuse(p, foreign, "nothing beside a library over InfiniBand");
    rails = choose_rails(p, choose_link(p));
    text = load_text(p->arena, "library=%s", library);
    for (const struct lab_word *word = lab_words_ib; word->key != NULL; word++)
        if (is_switch(word) && lab_plan_given(p, word->key))
            text = load_text(p->arena, "%s,%s=%s", text, word->key,
                             lab_setup_get(p->setup, word->key));
    text = add_limit(p, "gdr_limit", text);
    text = add_limit(p, "gdr_receive_limit", text);
    if (rails != 0)
        text = load_text(p->arena, "%s,rails=%" PRIu64, text, rails);
    p->run->mpi = text;
}

/** A library over InfiniBand, and what the row says of its settings. */
static void choose_ib(const struct lab_planning *p)
{
    const char *library = library_of(p);

    if (library == NULL)
        lab_plan_fail(p, "api", "an MPI library of configs/mpi");
    lab_plan_library(p, library);
    if (lab_plan_says(p, "gpu", "across-qpi")) /* as the job scripts of these rows have it */
        lab_plan_bind(p, "across-qpi");
}

/** Does the row speak of a library over InfiniBand, or of what only that has? */
static bool over_ib(const struct lab_planning *p)
{
    static const char *const keys[] = { "api", "system", NULL };

    return lab_plan_first(p, keys) != NULL || lab_plan_first_word(p, lab_words_ib) != NULL;
}

/** The network that a row of the MBCF cluster names must be that of its platform. */
static void check_cluster_net(const struct lab_planning *p)
{
    const char *own = strcmp(p->pt->platform, "mbcf-hub") == 0 ? "repeater-hub" : "switching-hub";

    if (strcmp(lab_plan_text(p, "net", own), own) != 0)
        lab_plan_fail(p, "net", own);
}

/** One library: with requests (SR) or without (NSR); else over InfiniBand, or as the platform says.
 */
static void choose_library(const struct lab_planning *p)
{
    const char *api = lab_plan_text(p, "api", "sr");

    if (!is_mbcf(p->pt->platform)) {
        if (over_ib(p))
            choose_ib(p);
        return;
    }
    check_cluster_net(p);
    if (strcmp(api, "nsr") == 0)
        p->run->mpi = "mbcf,requests=off";
    else if (strcmp(api, "sr") != 0 && strcmp(api, "mpich") != 0)
        lab_plan_fail(p, "api", "sr, nsr or mpich");
}

/* The final synchronisation must not count for much; 1 MiB messages take their time anyhow. */
#define STREAM_BYTES     (UINT64_C(8) << 20)
#define STREAM_COUNT_MIN UINT64_C(8)
#define STREAM_COUNT_MAX UINT64_C(1024)

static uint64_t count_of(const struct lab_planning *p, uint64_t bytes)
{
    uint64_t count = bytes == 0 ? STREAM_COUNT_MAX : STREAM_BYTES / bytes;

    count = count < STREAM_COUNT_MIN ? STREAM_COUNT_MIN : count;
    count = count > STREAM_COUNT_MAX ? STREAM_COUNT_MAX : count;
    return lab_plan_number(p, "count", count);
}

/** A GPU by the socket that it is on: the adapter's, or the board's where the row says so or MPI
 * goes over it. */
const char *lab_plan_mpi_memory(const struct lab_planning *p, const char *key)
{
    const char *both = lab_plan_text(p, "memory", "cpu");
    const char *word = lab_plan_text(p, key, both);
    const char *side = over_ib(p) ? "ib" : "hub";

    if (strncmp(word, "gpu", 3) != 0 || is_mbcf(p->pt->platform))
        return lab_plan_memory(word, false);
    if (lab_plan_given(p, "gpu"))
        side = lab_plan_says(p, "gpu", "ib-side") ? "ib" : "hub";
    if (strcmp(word, "gpu-other-same-node") == 0)
        return strcmp(side, "ib") == 0 ? "gpu@ib+1" : "gpu@hub+1";
    if (strcmp(word, "gpu-across-qpi") == 0)
        return over_ib(p) ? "gpu@!ib" : "gpu@!hub";
    return strcmp(side, "ib") == 0 ? "gpu@ib" : "gpu@hub";
}

static void add_memories(const struct lab_planning *p)
{
    static const char *const keys[] = { "src", "dst", NULL };

    for (const char *const *key = keys; *key != NULL; key++) {
        if (lab_plan_says(p, *key, "cpu-store"))
            lab_plan_fail(p, *key, "cpu, or a GPU");
        lab_plan_arg_memory(p, *key, lab_plan_mpi_memory(p, *key));
    }
}

/** The same of blocks at one distance, by a datatype. */
void lab_plan_mpi_blocks(const struct lab_planning *p)
{
    struct lab_shape shape = lab_plan_shape(p);

    p->plan->bytes = shape.blocks * shape.block_bytes;
    p->run->program = "mpi-pingpong";
    lab_plan_arg_shape(p, &shape);
    if (lab_plan_says(p, "method", LAB_METHOD_PACK))
        lab_plan_arg(p, "pack", "copy");
    add_memories(p);
}

uint64_t lab_plan_mpi_bytes(const struct lab_planning *p, const char *key, uint64_t absent,
                            uint64_t unit)
{
    uint64_t bytes = lab_plan_number(p, key, absent);

    if (bytes > UINT64_C(1) << 30) /* workloads/mpi-common.c */
        lab_plan_fail(p, key, "at most 1 GiB");
    if (bytes % unit != 0)
        lab_plan_fail(p, key, load_text(p->arena, "a multiple of %" PRIu64, unit));
    return bytes;
}

static void plan_bandwidth(const struct lab_planning *p)
{
    uint64_t bytes = lab_plan_mpi_bytes(p, "bytes", 0, 1), count = count_of(p, bytes);
    bool both = lab_plan_says(p, "direction", "both");
    const char *pattern = lab_plan_text(p, "pattern", both ? "both" : "one");

    if (lab_plan_given(p, "direction") && both != (strcmp(pattern, "both") == 0))
        lab_plan_fail(p, "direction", "the same as pattern");
    lab_plan_need_ranks(p, 2);
    p->plan->directions = strcmp(pattern, "both") == 0 ? 2 : 1;
    p->plan->rounds = 1; /* each stream is timed alone */
    p->run->program = "mpi-bandwidth";
    lab_plan_arg_number(p, "bytes", bytes);
    lab_plan_arg_number(p, "count", count);
    lab_plan_arg(p, "pattern", pattern);
    add_memories(p);
    p->plan->bytes = bytes * count * p->plan->directions;
}

/** Round trips one by one, of which the least counts, or many in a row for their mean. */
void lab_plan_mpi_pingpong(const struct lab_planning *p)
{
    static const char *const streams[] = { "count", "pattern", NULL };

    if (lab_plan_says(p, "direction", "both")) {
        plan_bandwidth(p);
        return;
    }
    lab_plan_refuse(p, streams, "nothing here: it is of mpi-bandwidth");
    if (lab_plan_given(p, "op") && !lab_plan_says(p, "op", "send-recv"))
        lab_plan_fail(p, "op", "send-recv");
    lab_plan_need_ranks(p, 2);
    p->plan->bytes = lab_plan_mpi_bytes(p, "bytes", 0, 1);
    p->run->program = "mpi-pingpong";
    lab_plan_arg_number(p, "bytes", p->plan->bytes);
    add_memories(p);
    lab_plan_pass(p, "receives", "called");
    if (is_mbcf(p->pt->platform))
        p->plan->rounds = 1;
}

/** Remote writes or appends to a FIFO: one, or back to back. */
static void plan_facility(const struct lab_planning *p)
{
    uint64_t bytes = lab_plan_multiple(p, "bytes", 0, 1);

    lab_plan_need_ranks(p, 2);
    if (!lab_plan_says(p, "api", "mbcf"))
        lab_plan_fail(p, "api", "mbcf");
    p->plan->bytes = bytes;
    p->plan->rounds = 1;
    p->run->program = p->pt->workload;
    lab_plan_arg_number(p, "bytes", bytes);
    lab_plan_pass(p, "op", "write");
}

static void plan_facility_stream(const struct lab_planning *p)
{
    plan_facility(p);
    lab_plan_arg_number(p, "count", STREAM_COUNT_MAX);
    p->plan->bytes *= STREAM_COUNT_MAX;
}

static void plan_collective(const struct lab_planning *p)
{
    uint64_t bytes = lab_plan_mpi_bytes(p, "bytes", 8, LAB_CALL_WORD);

    p->run->program = "mpi-collective";
    lab_plan_pass(p, "op", "allreduce");
    lab_plan_arg_number(p, "bytes", bytes);
    lab_plan_arg_memory(p, "memory", lab_plan_mpi_memory(p, "memory"));
    p->plan->bytes = bytes;
    p->run->algorithms = lab_setup_get(p->setup, "algorithm");
    if (strcmp(lab_plan_text(p, "mpi", ""), "peach2") == 0)
        lab_plan_arg(p, "traffic", "on");
    if (lab_plan_given(p, "place"))
        lab_plan_place(p);
    else
        ranks_in_order(p);
}

/** The iterations of a kernel are alike, so the time of all follows from a few. */
static void plan_kernel(const struct lab_planning *p)
{
    ranks_in_order(p); /* not the pair that some machines are chosen with */
    p->run->program = p->pt->workload;
    p->plan->bytes = 0;
    lab_plan_pass(p, "class", "W");
    lab_plan_pass(p, "iterations", NULL);
    if (p->protocol->rounds != 0)
        lab_plan_arg_number(p, "sample", p->protocol->rounds);
}

static void plan_by_facility(const struct lab_planning *p, lab_plan_fn plan)
{
    lab_plan_network(p);
    plan(p);
}

void lab_plan_by_mpi(const struct lab_planning *p, lab_plan_fn plan)
{
    lab_plan_network(p);
    choose_library(p);
    p->run->mpi = lab_plan_text(p, "mpi", p->run->mpi);
    plan(p);
}

/* ---- the workloads ----------------------------------------------------------------- */

const struct lab_word lab_words_mpi[] = {
    { "count", "1..", "1", "", "messages of a stream; else 8 MiB of them" },
    { "direction", "one|both", "", "one", "whether both nodes send" },
    { "memory", "cpu|gpu", "", "cpu", "of both ranks, where src and dst say nothing" },
    { "mpi", LAB_VALUES_MPI, "", "", "what is below MPI, as of hubrun --mpi" },
    { "system", "native|mpi-ib", "", "",
      "mpi-ib: over InfiniBand, by the library of the TCA papers" },
    { "uva", "on|off", "", "on", "as it is: MPI knows memories by their addresses" },
    { "duplex", "half|full", "", "full", "of the cables of the MBCF cluster" },
    { "receives", "preposted|called", "", "called", "before the message comes, or after" },
    { "pattern", "one|both|rate", "", "one",
      "streams one way, both ways, or windows of short messages" },
    { "op", NULL, "", "send-recv", "as it is" },
    { 0 },
};

static const struct lab_word cluster_words[] = {
    { "api", NULL, "", "", "the library: sr, nsr or mpich of MBCF, or one of configs/mpi" },
    { "net", NULL, "", "", "the network, as the platform has it, or of InfiniBand" },
    { "duplex", "half|full", "", "full", "of the cables of the MBCF cluster" },
    { 0 },
};

static const struct lab_word collective_words[] = {
    { "memory", "cpu|gpu", "", "cpu", "of all data" },
    { "algorithm", NULL, "", "", "as of hubrun --algorithm" },
    { "mpi", LAB_VALUES_MPI, "", "", "what is below MPI, as of hubrun --mpi" },
    { "place", NULL, "", "", "the node of each rank, with commas" },
    { "op", "barrier|broadcast|reduce|allreduce|gather|allgather|scatter|alltoall", "", "allreduce",
      "the collective" },
    { 0 },
};

static const struct lab_word kernel_words[] = {
    { "class", "S|W", "", "W", "size of the problem" },
    { "size", NULL, "", "", "without effect: that of the class, in words" },
    { "iterations", HUBSIM_NUMBER, "1", "", "else those of the class" },
    { "version", NULL, "", "", "without effect: of the benchmarks" },
    { 0 },
};

/* How many ranks kernels can share their work among. */
#define RANKS(name, list)                                                                          \
    static const struct lab_word ranks_##name[] = {                                                \
        { "nodes", list, "1", "2", "ranks, one on each" }, { 0 }                                   \
    }
RANKS(any, "1..64");
RANKS(to_8, "1|2|4|8");
RANKS(to_16, "1|2|4|8|16");
RANKS(to_64, "1|2|4|8|16|32|64");
RANKS(square, "1|4|9|16|25|36|49|64");

static const struct lab_word facility_words[] = {
    { "count", "1..", "1", "", "without effect: a stream has 1024" },
    { "api", NULL, "", "", "mbcf" },
    { "duplex", "half|full", "", "full", "of the cables" },
    { "op", "write|fifo", "", "write", "fifo: appends to a queue" },
    { 0 },
};

/* npb/npb.c prints these. */
#define KERNEL(name, ranks)                                                                        \
    {                                                                                              \
        name, { lab_words_transfer, kernel_words, cluster_words, ranks },                          \
            .by = lab_plan_by_mpi, .plan = plan_kernel, .iterates = true,                          \
            .prints = "latency_ps_min, latency_ps_median, whole_ps, bytes, "                       \
                      "messages, write_bytes, iterations, run, verified"                           \
    }
const struct lab_workload lab_workloads_mpi[] = {
    { "mpi-bandwidth",
      { lab_words_transfer, lab_words_mpi, lab_words_pair, lab_words_ib },
      .by = lab_plan_by_mpi,
      .plan = plan_bandwidth,
      .prints = LAB_PRINTS ", messages" },
    { "mpi-collective",
      { lab_words_transfer, collective_words, cluster_words },
      .by = lab_plan_by_mpi,
      .plan = plan_collective,
      .prints = LAB_PRINTS },
    KERNEL("npb-ep", ranks_any),
    KERNEL("npb-mg", ranks_to_8),
    KERNEL("npb-cg", ranks_to_16),
    KERNEL("npb-is", ranks_to_64),
    KERNEL("npb-lu", ranks_to_64),
    KERNEL("npb-sp", ranks_square),
    KERNEL("npb-bt", ranks_square),
    { "mbcf-oneway",
      { lab_words_transfer, facility_words },
      .by = plan_by_facility,
      .plan = plan_facility,
      .prints = LAB_PRINTS },
    { "mbcf-stream",
      { lab_words_transfer, facility_words },
      .by = plan_by_facility,
      .plan = plan_facility_stream,
      .prints = LAB_PRINTS },
    { 0 },
};
