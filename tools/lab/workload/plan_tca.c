/* Runs of programs that use the board: between two ranks, inside of one node, or of many ranks. */
#include "tools/lab/bounds/bounds.h"
#include "tools/lab/workload/plan_parts.h"

#include <string.h>

int lab_plan_machine(const struct lab_point *pt, struct lab_run *run, struct sim_error *err)
{
    static const struct {
        const char *name;
        uint64_t nodes, hops; /* the farthest two nodes */
    } machines[] = { { "two-node", 2, 1 },
                     { "line3", 3, 2 },
                     { "ring4", 4, 2 },
                     { "ring8", 8, 4 },
                     { "subcluster16", 16, 5 } };
    bool cuda = strncmp(lab_plan_text(pt->setup, "api", ""), "cuda", 4) == 0;
    bool local = cuda || strcmp(pt->workload, "dma-chain") == 0;
    uint64_t nodes = lab_plan_number(pt->setup, "nodes", local ? 1 : 2);
    uint64_t hops = lab_plan_number(pt->setup, "hops", 1);

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
        return lab_plan_fail(pt, err, "hops", "1 .. 5 where there are two nodes");
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
    return lab_plan_fail(pt, err, hops > 5 ? "hops" : "nodes",
                         "a distance and a size that a machine has");
}

static void add_notify(const struct lab_point *pt, struct lab_run *run, struct load_arena *arena)
{
    if (lab_setup_get(pt->setup, "notify") != NULL)
        lab_plan_arg(run, arena, "notify", lab_plan_text(pt->setup, "notify", ""));
    if (lab_setup_get(pt->setup, "notify_self") != NULL)
        lab_plan_arg(run, arena, "notify_self", lab_plan_text(pt->setup, "notify_self", ""));
}

static int plan_pingpong(const struct lab_point *pt, const char *mode, struct lab_plan *plan,
                         struct lab_run *run, struct load_arena *arena, struct sim_error *err)
{
    plan->bytes = lab_plan_number(pt->setup, "bytes", 0);
    if (plan->bytes == 0)
        return lab_plan_fail(pt, err, "bytes", "at least 1");
    lab_plan_arg_number(run, arena, "bytes", plan->bytes);
    if (lab_plan_says(pt->setup, "staging", "host")) {
        run->program = "staged";
        return SIM_OK;
    }
    plan->stores = strcmp(mode, "pio") == 0;
    run->program = "pingpong";
    lab_plan_arg(run, arena, "mode", mode);
    lab_plan_memories(pt, strcmp(mode, "pio") == 0, run, arena);
    add_notify(pt, run, arena);
    return SIM_OK;
}

static int plan_chain(const struct lab_point *pt, const char *mode, struct lab_plan *plan,
                      struct lab_run *run, struct load_arena *arena, struct sim_error *err)
{
    uint64_t bytes = lab_plan_number(pt->setup, "bytes", 0),
             count = lab_plan_number(pt->setup, "count", 1);

    if (bytes == 0 || count == 0)
        return lab_plan_fail(pt, err, bytes == 0 ? "bytes" : "count", "at least 1");
    if (strcmp(mode, "pio") == 0)
        return lab_plan_fail(pt, err, "mode", "a DMA mode");
    plan->bytes = bytes * count;
    run->program = "dma-chain";
    lab_plan_arg(run, arena, "mode", mode);
    lab_plan_arg_number(run, arena, "bytes", bytes);
    lab_plan_arg_number(run, arena, "count", count);
    lab_plan_memories(pt, strcmp(mode, "pio") == 0, run, arena);
    return SIM_OK;
}

static int plan_stride(const struct lab_point *pt, const char *mode, struct lab_plan *plan,
                       struct lab_run *run, struct load_arena *arena, struct sim_error *err)
{
    struct lab_shape shape;
    int rc = lab_plan_shape(pt, &shape, err);

    if (rc != SIM_OK)
        return rc;
    plan->bytes = shape.blocks * shape.block_bytes;
    run->program = "block-stride";
    lab_plan_arg(run, arena, "mode", mode);
    lab_plan_arg_number(run, arena, "blocks", shape.blocks);
    lab_plan_arg_number(run, arena, "block_bytes", shape.block_bytes);
    lab_plan_arg_number(run, arena, "pitch_bytes", shape.pitch_bytes);
    lab_plan_memories(pt, strcmp(mode, "pio") == 0, run, arena);
    add_notify(pt, run, arena);
    return SIM_OK;
}

static int plan_stream(const struct lab_point *pt, const char *mode, struct lab_plan *plan,
                       struct lab_run *run, struct load_arena *arena, struct sim_error *err)
{
    uint64_t bytes = lab_plan_number(pt->setup, "bytes", 0);
    uint64_t channels = lab_plan_number(pt->setup, "channels", 1);
    bool both = lab_plan_says(pt->setup, "direction", "both"), pio = strcmp(mode, "pio") == 0;

    if (bytes == 0 || channels == 0)
        return lab_plan_fail(pt, err, bytes == 0 ? "bytes" : "channels", "at least 1");
    if (pio && (both || channels > 1))
        return lab_plan_fail(pt, err, both ? "direction" : "channels", "one stream of stores");
    plan->directions = both ? 2 : 1;
    plan->bytes = bytes * channels * plan->directions;
    plan->stores = pio;
    run->program = pio ? "pio-stream" : "streams";
    lab_plan_arg_number(run, arena, "bytes", bytes);
    if (pio) {
        lab_plan_arg(run, arena, "dst",
                     lab_plan_memory(lab_plan_text(pt->setup, "dst", "cpu"), false));
        return SIM_OK;
    }
    lab_plan_arg(run, arena, "mode", mode);
    lab_plan_arg_number(run, arena, "channels", channels);
    lab_plan_arg(run, arena, "both_ways", both ? "on" : "off");
    lab_plan_memories(pt, strcmp(mode, "pio") == 0, run, arena);
    return SIM_OK;
}

static int plan_cuda(const struct lab_point *pt, struct lab_plan *plan, struct lab_run *run,
                     struct load_arena *arena, struct sim_error *err)
{
    plan->bytes = lab_plan_number(pt->setup, "bytes", 0);
    if (plan->bytes == 0)
        return lab_plan_fail(pt, err, "bytes", "at least 1");
    run->program = "cuda-peer";
    lab_plan_arg_number(run, arena, "bytes", plan->bytes);
    lab_plan_arg(run, arena, "uva", lab_plan_text(pt->setup, "uva", "on"));
    return SIM_OK;
}

int lab_plan_link(const struct lab_point *pt, struct lab_plan *plan, struct sim_error *err)
{
    uint64_t gen = lab_plan_number(pt->setup, "gen", 0),
             lanes = lab_plan_number(pt->setup, "lanes", 0);
    uint64_t payload = lab_plan_number(pt->setup, "payload_bytes", 0);

    plan->closed_form =
        payload == 0 ? 0
                     : lab_link_payload_rate(gen, lanes, payload,
                                             lab_plan_number(pt->setup, "tlp_overhead_bytes", 24));
    if (plan->closed_form > 0)
        return SIM_OK;
    return lab_plan_fail(pt, err,
                         payload == 0 ? "payload_bytes"
                         : lanes == 0 ? "lanes"
                                      : "gen",
                         "a link that exists");
}

/** Its arguments are the words of the setup. */
static int plan_collective(const struct lab_point *pt, const char *mode, struct lab_plan *plan,
                           struct lab_run *run, struct load_arena *arena, struct sim_error *err)
{
    static const char *const args[] = { "bytes",    "n",          "algorithm",     "order", "shape",
                                        "channels", "part_bytes", "segment_bytes", NULL };

    if (strncmp(mode, "dma-chain", 9) != 0)
        return lab_plan_fail(pt, err, "mode", "dma-chain-host or dma-chain-internal");
    run->program = pt->workload;
    for (const char *const *key = args; *key != NULL; key++)
        if (lab_setup_get(pt->setup, *key) != NULL)
            lab_plan_arg(run, arena, *key, lab_setup_get(pt->setup, *key));
    lab_plan_arg(run, arena, "mode", mode);
    lab_plan_arg(run, arena, "memory",
                 lab_plan_memory(lab_plan_text(pt->setup, "memory", "cpu"), false));
    lab_plan_arg(run, arena, "traffic", "on");
    plan->bytes = 0;
    return lab_plan_place(pt, run, err);
}

int lab_plan_tca(const struct lab_point *pt, const char *mode, struct lab_plan *plan,
                 struct lab_run *run, struct load_arena *arena, struct sim_error *err)
{
    const char *api = lab_plan_text(pt->setup, "api", "tca");
    int rc = lab_plan_machine(pt, run, err);

    if (rc != SIM_OK)
        return rc;
    if (strncmp(api, "cudaMemcpyPeer", 14) == 0)
        return plan_cuda(pt, plan, run, arena, err);
    if (strcmp(api, "tca") != 0)
        return lab_plan_fail(pt, err, "api", "tca or cudaMemcpyPeer");
    if (strcmp(pt->workload, "pingpong") == 0)
        return plan_pingpong(pt, mode, plan, run, arena, err);
    if (strcmp(pt->workload, "dma-chain") == 0)
        return plan_chain(pt, mode, plan, run, arena, err);
    if (strcmp(pt->workload, "block-stride") == 0)
        return plan_stride(pt, mode, plan, run, arena, err);
    if (strcmp(pt->workload, "stream") == 0)
        return plan_stream(pt, mode, plan, run, arena, err);
    return plan_collective(pt, mode, plan, run, arena, err);
}
