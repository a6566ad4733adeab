#include "tools/lab/plan.h"

#include "tools/lab/bounds.h"
#include "tools/load/quantity.h"
#include "tools/load/value.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const struct lab_protocol lab_protocol_short = {
    .warmup = 2, .rounds = 8, .repeats = 3, .bytes = 1u << 20
};

/* ---- reading a setup whose words are right ------------------------------------ */

static const char *text_of(const struct lab_setup *setup, const char *key, const char *absent)
{
    const char *value = lab_setup_get(setup, key);

    return value != NULL ? value : absent;
}

static bool says(const struct lab_setup *setup, const char *key, const char *value)
{
    return strcmp(text_of(setup, key, ""), value) == 0;
}

static uint64_t number_of(const struct lab_setup *setup, const char *key, uint64_t absent)
{
    const char *text = lab_setup_get(setup, key);
    uint64_t value = absent;

    if (text != NULL)
        SIM_ASSERT(load_number(text, false, &value)); /* checked before */
    return value;
}

static int fail(const struct lab_point *pt, struct sim_error *err, const char *key,
                const char *expected)
{
    return sim_error_set(err, SIM_ERR_CONFIG, "%s: setup %s=%s: expected %s", pt->where, key,
                         text_of(pt->setup, key, "(absent)"), expected);
}

/* ---- machine and ranks -------------------------------------------------------- */

/** The smallest machine that has this distance (or these nodes), and two ranks at it. */
static int choose_machine(const struct lab_point *pt, struct lab_run *run, struct sim_error *err)
{
    static const struct {
        const char *name;
        uint64_t nodes, hops; /* the farthest two nodes */
    } machines[] = { { "two-node", 2, 1 },
                     { "line3", 3, 2 },
                     { "ring4", 4, 2 },
                     { "ring8", 8, 4 },
                     { "subcluster16", 16, 5 } };
    bool cuda = strncmp(text_of(pt->setup, "api", ""), "cuda", 4) == 0;
    bool local = cuda || strcmp(pt->workload, "dma-chain") == 0;
    uint64_t nodes = number_of(pt->setup, "nodes", local ? 1 : 2);
    uint64_t hops = number_of(pt->setup, "hops", 1);

    if (pt->machine != NULL) {
        run->machine = pt->machine;
        run->nranks = nodes == 1 ? 1 : 2;
        run->nodes[1] = (unsigned)hops;
        return SIM_OK;
    }
    if (nodes == 1) {
        run->machine = "one-node";
        run->nranks = 1;
        return SIM_OK;
    }
    if (hops == 0)
        return fail(pt, err, "hops", "1 .. 5 where there are two nodes");
    for (unsigned i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
        if (machines[i].nodes < nodes || machines[i].hops < hops)
            continue;
        run->machine = machines[i].name;
        run->nranks = 2;
        run->nodes[1] = (unsigned)hops; /* they number their nodes along the cables */
        if (machines[i].nodes == 16)    /* but for this one: round the first ring, then across */
            run->nodes[1] = (const unsigned[]){ 0, 2, 4, 6, 7, 15 }[hops];
        return SIM_OK;
    }
    return fail(pt, err, hops > 5 ? "hops" : "nodes", "a distance and a size that a machine has");
}

/* ---- programs and arguments ---------------------------------------------------- */

static void add_arg(struct lab_run *run, struct load_arena *arena, const char *key,
                    const char *value)
{
    SIM_ASSERT(run->nargs < LAB_ARGS_MAX);
    run->args[run->nargs++] = load_text(arena, "%s=%s", key, value);
}

static void add_number(struct lab_run *run, struct load_arena *arena, const char *key,
                       uint64_t value)
{
    SIM_ASSERT(run->nargs < LAB_ARGS_MAX);
    run->args[run->nargs++] = load_text(arena, "%s=%" PRIu64, key, value);
}

/** Words of the papers -> the programs' names of memories. CPU stores come from the CPU. */
static const char *memory_name(const char *word, bool pio_source)
{
    if (pio_source || strncmp(word, "cpu", 3) == 0)
        return "cpu";
    if (strcmp(word, "gpu-other-same-node") == 0)
        return "gpu1";
    return strcmp(word, "gpu-across-qpi") == 0 ? "gpu2" : "gpu0";
}

static void add_memories(const struct lab_point *pt, const char *mode, struct lab_run *run,
                         struct load_arena *arena)
{
    bool pio = strcmp(mode, "pio") == 0;

    add_arg(run, arena, "src", memory_name(text_of(pt->setup, "src", "cpu"), pio));
    add_arg(run, arena, "dst", memory_name(text_of(pt->setup, "dst", "cpu"), false));
}

static uint64_t at_most(uint64_t value, uint64_t limit)
{
    return limit != 0 && value > limit ? limit : value;
}

/** How often `bytes` go into the budget, at least once. */
static uint64_t fitting(uint64_t budget, uint64_t bytes)
{
    return budget == 0 || bytes == 0 ? budget : bytes >= budget ? 1 : budget / bytes;
}

/** Rounds of large transfers differ by nothing but their start, so few of them tell as much. */
static void add_protocol(const struct lab_point *pt, const struct lab_protocol *protocol,
                         uint64_t bytes, struct lab_run *run, struct load_arena *arena)
{
    uint64_t fit = fitting(protocol->bytes, bytes);
    uint64_t repeats =
        at_most(at_most(number_of(pt->setup, "repeats", 10), protocol->repeats), fit);
    uint64_t rounds = at_most(number_of(pt->setup, "rounds", 100), protocol->rounds);

    if (fit != 0)
        rounds = at_most(rounds, fitting(fit, repeats));
    add_number(run, arena, "warmup",
               at_most(at_most(number_of(pt->setup, "warmup", 1), protocol->warmup), fit));
    add_number(run, arena, "rounds", rounds);
    add_number(run, arena, "repeats", repeats);
}

static void add_notify(const struct lab_point *pt, struct lab_run *run, struct load_arena *arena)
{
    if (lab_setup_get(pt->setup, "notify") != NULL)
        add_arg(run, arena, "notify", text_of(pt->setup, "notify", ""));
    if (lab_setup_get(pt->setup, "notify_self") != NULL)
        add_arg(run, arena, "notify_self", text_of(pt->setup, "notify_self", ""));
}

static int plan_pingpong(const struct lab_point *pt, const char *mode, struct lab_plan *plan,
                         struct lab_run *run, struct load_arena *arena, struct sim_error *err)
{
    plan->bytes = number_of(pt->setup, "bytes", 0);
    if (plan->bytes == 0)
        return fail(pt, err, "bytes", "at least 1");
    add_number(run, arena, "bytes", plan->bytes);
    if (says(pt->setup, "staging", "host")) {
        run->program = "staged";
        return SIM_OK;
    }
    plan->stores = strcmp(mode, "pio") == 0;
    run->program = "pingpong";
    add_arg(run, arena, "mode", mode);
    add_memories(pt, mode, run, arena);
    add_notify(pt, run, arena);
    return SIM_OK;
}

static int plan_chain(const struct lab_point *pt, const char *mode, struct lab_plan *plan,
                      struct lab_run *run, struct load_arena *arena, struct sim_error *err)
{
    uint64_t bytes = number_of(pt->setup, "bytes", 0), count = number_of(pt->setup, "count", 1);

    if (bytes == 0 || count == 0)
        return fail(pt, err, bytes == 0 ? "bytes" : "count", "at least 1");
    if (strcmp(mode, "pio") == 0)
        return fail(pt, err, "mode", "a DMA mode");
    plan->bytes = bytes * count;
    run->program = "dma-chain";
    add_arg(run, arena, "mode", mode);
    add_number(run, arena, "bytes", bytes);
    add_number(run, arena, "count", count);
    add_memories(pt, mode, run, arena);
    return SIM_OK;
}

/** A cube of n^3 doubles: n rows of n doubles, one from each plane. */
static int plan_stride(const struct lab_point *pt, const char *mode, struct lab_plan *plan,
                       struct lab_run *run, struct load_arena *arena, struct sim_error *err)
{
    uint64_t n = number_of(pt->setup, "n", 0);
    uint64_t blocks = number_of(pt->setup, "blocks", n);
    uint64_t block_bytes = number_of(pt->setup, "block_bytes", 8 * n);
    uint64_t pitch_bytes = number_of(pt->setup, "pitch_bytes", 8 * n * n);

    plan->bytes = blocks * block_bytes;
    if (plan->bytes == 0)
        return fail(pt, err, blocks == 0 ? "blocks" : "block_bytes", "at least 1, or n");
    if (number_of(pt->setup, "bytes", plan->bytes) != plan->bytes)
        return fail(pt, err, "bytes", "blocks * block_bytes");
    if (pitch_bytes < block_bytes)
        return fail(pt, err, "pitch_bytes", "at least block_bytes");
    run->program = "block-stride";
    add_arg(run, arena, "mode", mode);
    add_number(run, arena, "blocks", blocks);
    add_number(run, arena, "block_bytes", block_bytes);
    add_number(run, arena, "pitch_bytes", pitch_bytes);
    add_memories(pt, mode, run, arena);
    add_notify(pt, run, arena);
    return SIM_OK;
}

static int plan_stream(const struct lab_point *pt, const char *mode, struct lab_plan *plan,
                       struct lab_run *run, struct load_arena *arena, struct sim_error *err)
{
    uint64_t bytes = number_of(pt->setup, "bytes", 0);
    uint64_t channels = number_of(pt->setup, "channels", 1);
    bool both = says(pt->setup, "direction", "both"), pio = strcmp(mode, "pio") == 0;

    if (bytes == 0 || channels == 0)
        return fail(pt, err, bytes == 0 ? "bytes" : "channels", "at least 1");
    if (pio && (both || channels > 1))
        return fail(pt, err, both ? "direction" : "channels", "one stream of stores");
    plan->directions = both ? 2 : 1;
    plan->bytes = bytes * channels * plan->directions;
    plan->stores = pio;
    run->program = pio ? "pio-stream" : "streams";
    add_number(run, arena, "bytes", bytes);
    if (pio) {
        add_arg(run, arena, "dst", memory_name(text_of(pt->setup, "dst", "cpu"), false));
        return SIM_OK;
    }
    add_arg(run, arena, "mode", mode);
    add_number(run, arena, "channels", channels);
    add_arg(run, arena, "both_ways", both ? "on" : "off");
    add_memories(pt, mode, run, arena);
    return SIM_OK;
}

/* ---- programs of many ranks ------------------------------------------------------ */

static bool is_collective(const char *workload)
{
    static const char *const names[] = { "broadcast", "allgather", "all-to-all", "neighbour",
                                         "halo" };

    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(names[i], workload) == 0)
            return true;
    return false;
}

/** The node of each rank: as they are numbered, or `place`, a list with commas. */
static int place_ranks(const struct lab_point *pt, struct lab_run *run, struct sim_error *err)
{
    const char *place = text_of(pt->setup, "place", NULL);
    uint64_t nodes = number_of(pt->setup, "nodes", 2);

    if (nodes < 2 || nodes > LAB_RANKS_MAX)
        return fail(pt, err, "nodes", "2 .. 64");
    run->nranks = (unsigned)nodes;
    for (unsigned i = 0; i < run->nranks; i++) {
        char *end;

        run->nodes[i] = place != NULL ? (unsigned)strtoul(place, &end, 10) : i;
        if (place == NULL)
            continue;
        if (end == place || *end != (i + 1 < run->nranks ? ',' : '\0'))
            return fail(pt, err, "place", "a node for each rank, with commas");
        place = end + 1;
    }
    return SIM_OK;
}

/** Its arguments are the words of the setup. */
static int plan_collective(const struct lab_point *pt, const char *mode, struct lab_plan *plan,
                           struct lab_run *run, struct load_arena *arena, struct sim_error *err)
{
    static const char *const args[] = { "bytes",    "n",          "algorithm",     "order", "shape",
                                        "channels", "part_bytes", "segment_bytes", NULL };

    if (strncmp(mode, "dma-chain", 9) != 0)
        return fail(pt, err, "mode", "dma-chain-host or dma-chain-internal");
    run->program = pt->workload;
    for (const char *const *key = args; *key != NULL; key++)
        if (lab_setup_get(pt->setup, *key) != NULL)
            add_arg(run, arena, *key, lab_setup_get(pt->setup, *key));
    add_arg(run, arena, "mode", mode);
    add_arg(run, arena, "memory", memory_name(text_of(pt->setup, "memory", "cpu"), false));
    add_arg(run, arena, "traffic", "on");
    plan->bytes = 0;
    return place_ranks(pt, run, err);
}

static int plan_cuda(const struct lab_point *pt, struct lab_plan *plan, struct lab_run *run,
                     struct load_arena *arena, struct sim_error *err)
{
    plan->bytes = number_of(pt->setup, "bytes", 0);
    if (plan->bytes == 0)
        return fail(pt, err, "bytes", "at least 1");
    run->program = "cuda-peer";
    add_number(run, arena, "bytes", plan->bytes);
    add_arg(run, arena, "uva", text_of(pt->setup, "uva", "on"));
    return SIM_OK;
}

static int plan_run(const struct lab_point *pt, const struct lab_protocol *protocol,
                    const char *mode, struct load_arena *arena, struct lab_plan *plan,
                    struct sim_error *err)
{
    struct lab_run *run = &plan->runs[plan->nruns++];
    const char *api = text_of(pt->setup, "api", "tca");
    int rc;

    run->platform = pt->platform;
    rc = choose_machine(pt, run, err);
    if (rc != SIM_OK)
        return rc;
    if (strncmp(api, "cudaMemcpyPeer", 14) == 0)
        rc = plan_cuda(pt, plan, run, arena, err);
    else if (strcmp(api, "tca") != 0)
        rc = fail(pt, err, "api", "tca or cudaMemcpyPeer");
    else if (strcmp(pt->workload, "pingpong") == 0)
        rc = plan_pingpong(pt, mode, plan, run, arena, err);
    else if (strcmp(pt->workload, "dma-chain") == 0)
        rc = plan_chain(pt, mode, plan, run, arena, err);
    else if (strcmp(pt->workload, "block-stride") == 0)
        rc = plan_stride(pt, mode, plan, run, arena, err);
    else if (strcmp(pt->workload, "stream") == 0)
        rc = plan_stream(pt, mode, plan, run, arena, err);
    else if (is_collective(pt->workload))
        rc = plan_collective(pt, mode, plan, run, arena, err);
    else
        rc = sim_error_set(err, SIM_ERR_CONFIG, "%s: workload = %s: expected needs = ib-mpi",
                           pt->where, pt->workload);
    if (rc == SIM_OK)
        add_protocol(pt, protocol,
                     plan->bytes != 0 ? plan->bytes : number_of(pt->setup, "bytes", 0), run, arena);
    return rc;
}

static int plan_link(const struct lab_point *pt, struct lab_plan *plan, struct sim_error *err)
{
    uint64_t gen = number_of(pt->setup, "gen", 0), lanes = number_of(pt->setup, "lanes", 0);
    uint64_t payload = number_of(pt->setup, "payload_bytes", 0);

    plan->closed_form = payload == 0
                            ? 0
                            : lab_link_payload_rate(gen, lanes, payload,
                                                    number_of(pt->setup, "tlp_overhead_bytes", 24));
    if (plan->closed_form > 0)
        return SIM_OK;
    return fail(pt, err,
                payload == 0 ? "payload_bytes"
                : lanes == 0 ? "lanes"
                             : "gen",
                "a link that exists");
}

/** `faults`, and `bit_error_rate` of the links `fault_links`, all cables if nothing is said. */
static int add_faults(const struct lab_point *pt, struct lab_run *run, struct load_arena *arena,
                      struct sim_error *err)
{
    const char *rate = lab_setup_get(pt->setup, "bit_error_rate");
    uint64_t e18 = 0;

    if (strcmp(text_of(pt->setup, "faults", "none"), "none") != 0)
        run->faults[run->nfaults++] = lab_setup_get(pt->setup, "faults");
    if (rate != NULL && !load_decimal(rate, NULL, 18, &e18))
        return fail(pt, err, "bit_error_rate", "a rate such as 1e-9");
    if (e18 != 0)
        run->faults[run->nfaults++] =
            load_text(arena, "{link: '%s', bit_error_rate: %s}",
                      text_of(pt->setup, "fault_links", "node*.hub.[ewsab]"), rate);
    return SIM_OK;
}

/** Errors come at random, so rounds differ, and as many count as the setup says. */
static bool is_random(const struct lab_point *pt)
{
    return lab_setup_get(pt->setup, "faults") != NULL ||
           lab_setup_get(pt->setup, "bit_error_rate") != NULL;
}

static const char *const dma_modes[] = { "dma-register", "dma-chain-host", "dma-chain-internal" };

/** The registers hold one transfer in one piece. */
static bool registers_do(const struct lab_point *pt)
{
    return strcmp(pt->workload, "pingpong") == 0 ||
           (strcmp(pt->workload, "dma-chain") == 0 && number_of(pt->setup, "count", 1) == 1);
}

int lab_plan_make(const struct lab_point *point, const struct lab_protocol *protocol,
                  struct load_arena *arena, struct lab_plan *plan_p, struct sim_error *err)
{
    const char *mode = text_of(point->setup, "mode", "dma-chain-internal");
    static const struct lab_protocol whole = { .rounds = 0 };
    struct lab_plan plan = { .median = says(point->setup, "reduce", "median") };
    int rc = lab_words_check(point, err);

    if (is_random(point))
        protocol = &whole;

    if (rc != SIM_OK)
        return rc;
    if (strcmp(mode, "link-only") == 0) {
        rc = plan_link(point, &plan, err);
    } else if (strcmp(mode, "dma") == 0) {
        for (unsigned i = registers_do(point) ? 0 : 1; i < 3 && rc == SIM_OK; i++)
            rc = plan_run(point, protocol, dma_modes[i], arena, &plan, err);
    } else {
        rc = plan_run(point, protocol, mode, arena, &plan, err);
    }
    for (unsigned i = 0; i < plan.nruns && rc == SIM_OK; i++)
        rc = add_faults(point, &plan.runs[i], arena, err);
    if (rc == SIM_OK)
        *plan_p = plan;
    return rc;
}
