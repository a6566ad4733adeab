/* Runs of programs that use the board: between two ranks, inside of one node, or of many ranks. */
#include "regs/hub_regs.h"
#include "tools/lab/bounds/bounds.h"
#include "tools/lab/workload/plan_parts.h"

#include <string.h>

#define DMA_BYTES   4u /* a DMA controller moves multiples of them */
#define STORE_BYTES 8u /* the programs' loops store these */

void lab_plan_machine(const struct lab_planning *p)
{
    static const struct {
        const char *name;
        uint64_t nodes, hops; /* the farthest two nodes */
        unsigned at[6];       /* a node at each distance; none: they are numbered along cables */
    } machines[] = {
        { "two-node", 2, 1, { 0 } },
        { "line3", 3, 2, { 0 } },
        { "ring4", 4, 2, { 0 } },
        { "ring8", 8, 4, { 0 } },
        { "subcluster16", 16, 5, { 0, 2, 4, 6, 7, 15 } }, /* round the first ring, then across */
    };
    bool cuda = strncmp(lab_plan_text(p, "api", ""), "cuda", 4) == 0;
    bool local = cuda || p->workload->one_node;
    uint64_t nodes = lab_plan_number(p, "nodes", local ? 1 : 2);
    uint64_t hops = lab_plan_number(p, "hops", 1);

    if (p->pt->machine != NULL) {
        if (nodes < 1 || nodes > 2)
            lab_plan_fail(p, "nodes", "1 or 2, of those that the key machine names");
        p->run->machine = p->pt->machine;
        p->run->nranks = (unsigned)nodes;
        p->run->nodes[1] = 1;
        return;
    }
    if (nodes == 0)
        lab_plan_fail(p, "nodes", "at least 1");
    if (nodes == 1) {
        p->run->machine = "one-node";
        p->run->nranks = 1;
        return;
    }
    if (hops == 0)
        lab_plan_fail(p, "hops", "1 .. 5 where there are two nodes");
    for (unsigned i = 0; i < SIM_COUNT(machines); i++) {
        if (machines[i].nodes < nodes || machines[i].hops < hops)
            continue;
        p->run->machine = machines[i].name;
        p->run->nranks = 2;
        p->run->nodes[1] = machines[i].at[1] != 0 ? machines[i].at[hops] : (unsigned)hops;
        return;
    }
    if (hops > 5)
        lab_plan_fail(p, "hops", "1 .. 5, or the key machine beside it");
    lab_plan_fail(p, "nodes", "at most 16, or the key machine beside it");
}

static void add_notify(const struct lab_planning *p)
{
    lab_plan_pass(p, "notify", NULL);
    lab_plan_pass(p, "notify_self", NULL);
}

/** The length of a transfer that the board does. */
static uint64_t moved_bytes(const struct lab_planning *p, const char *key, uint64_t absent)
{
    uint64_t bytes = lab_plan_multiple(p, key, absent, DMA_BYTES);

    if (bytes > UINT32_MAX)
        lab_plan_fail(p, key, "less than 4 GiB, as descriptors hold");
    return bytes;
}

/** A message of a ping-pong by stores; half a word is the shortest one. */
static uint64_t stored_bytes(const struct lab_planning *p)
{
    uint64_t bytes = lab_plan_number(p, "bytes", 0);

    if (bytes != STORE_BYTES / 2 && (bytes == 0 || bytes % STORE_BYTES != 0))
        lab_plan_fail(p, "bytes", "4 or a multiple of 8 with mode=pio");
    return bytes;
}

static void plan_pingpong(const struct lab_planning *p)
{
    bool pio = strcmp(p->mode, "pio") == 0, staged = lab_plan_says(p, "staging", "host");

    lab_plan_need_ranks(p, 2);
    p->plan->bytes = pio && !staged ? stored_bytes(p) : moved_bytes(p, "bytes", 0);
    lab_plan_arg_number(p, "bytes", p->plan->bytes);
    if (staged) {
        p->run->program = "staged";
        return;
    }
    p->plan->stores = pio;
    p->run->program = "pingpong";
    lab_plan_arg(p, "mode", p->mode);
    lab_plan_memories(p);
    add_notify(p);
}

static void plan_chain(const struct lab_planning *p)
{
    uint64_t bytes = moved_bytes(p, "bytes", 0);
    uint64_t count = lab_plan_number(p, "count", 1);

    if (strcmp(p->mode, "dma-register") == 0 && count != 1)
        lab_plan_fail(p, "count", "1 with mode=dma-register, which holds one transfer");
    if (strcmp(p->mode, "dma-chain-internal") == 0 && count > HUB_INTERNAL_DESCS)
        lab_plan_fail(p, "count",
                      load_text(p->arena,
                                "at most %u, the descriptors in the board's memory, or "
                                "mode=dma-chain-host beside it",
                                HUB_INTERNAL_DESCS));
    p->plan->bytes = bytes * count;
    p->run->program = "dma-chain";
    lab_plan_arg(p, "mode", p->mode);
    lab_plan_arg_number(p, "bytes", bytes);
    lab_plan_arg_number(p, "count", count);
    lab_plan_memories(p);
}

static void plan_stride(const struct lab_planning *p)
{
    struct lab_shape shape = lab_plan_shape(p);

    if (lab_plan_given(p, "method"))
        lab_plan_fail(p, "method", "nothing, or api= an MPI library beside it");
    lab_plan_need_ranks(p, 2);
    (void)moved_bytes(p, "block_bytes", shape.block_bytes);
    p->plan->bytes = shape.blocks * shape.block_bytes;
    p->run->program = "block-stride";
    lab_plan_arg(p, "mode", p->mode);
    lab_plan_arg_shape(p, &shape);
    lab_plan_memories(p);
    add_notify(p);
}

static void plan_stream(const struct lab_planning *p)
{
    bool both = lab_plan_says(p, "direction", "both"), pio = strcmp(p->mode, "pio") == 0;
    uint64_t bytes =
        pio ? lab_plan_multiple(p, "bytes", 0, STORE_BYTES) : moved_bytes(p, "bytes", 0);
    uint64_t channels = lab_plan_number(p, "channels", 1);

    lab_plan_need_ranks(p, 2);
    if (pio && (both || channels > 1))
        lab_plan_fail(p, both ? "direction" : "channels", "one stream of stores");
    p->plan->directions = both ? 2 : 1;
    p->plan->bytes = bytes * channels * p->plan->directions;
    p->plan->stores = pio;
    p->run->program = pio ? "pio-stream" : "streams";
    lab_plan_arg_number(p, "bytes", bytes);
    if (pio) {
        lab_plan_add_memory(p, "dst");
        return;
    }
    lab_plan_arg(p, "mode", p->mode);
    lab_plan_arg_number(p, "channels", channels);
    lab_plan_arg(p, "both_ways", both ? "on" : "off");
    lab_plan_memories(p);
}

static void plan_cuda(const struct lab_planning *p)
{
    p->plan->bytes = lab_plan_multiple(p, "bytes", 0, 1);
    p->run->program = "cuda-peer";
    lab_plan_arg_number(p, "bytes", p->plan->bytes);
    lab_plan_pass(p, "uva", "on");
}

void lab_plan_link(const struct lab_planning *p)
{
    uint64_t gen = lab_plan_number(p, "gen", 0), lanes = lab_plan_number(p, "lanes", 0);
    uint64_t payload = lab_plan_number(p, "payload_bytes", 0);

    if (payload != 0)
        p->plan->closed_form = lab_link_payload_rate(gen, lanes, payload,
                                                     lab_plan_number(p, "tlp_overhead_bytes", 24));
    if (p->plan->closed_form <= 0)
        lab_plan_fail(p,
                      payload == 0 ? "payload_bytes"
                      : lanes == 0 ? "lanes"
                                   : "gen",
                      "a link that exists");
}

/** A board's transfer says nothing of a library over InfiniBand. */
static void refuse_network(const struct lab_planning *p)
{
    const char *key = lab_plan_first_word(p, lab_words_ib);

    if (key != NULL)
        lab_plan_fail(p, key, "nothing, or api= an MPI library beside it");
}

/** By the board, or inside of a node by CUDA. */
static void plan_by_board(const struct lab_planning *p, lab_plan_fn plan)
{
    const char *api = lab_plan_text(p, "api", "tca");

    refuse_network(p);
    lab_plan_machine(p);
    if (strncmp(api, "cudaMemcpyPeer", 14) == 0)
        plan_cuda(p);
    else if (strcmp(api, "tca") == 0)
        plan(p);
    else
        lab_plan_fail(p, "api", "tca or cudaMemcpyPeer");
}

/* ---- the workloads ----------------------------------------------------------------- */

static const struct lab_word pingpong_words[] = {
    { "poll", "cpu-reads-mapped-gpu-memory", "", "",
      "how the receiver sees a message in memory of a GPU" },
    { "uva", "on|off", "", "on", "whether addresses tell memories apart, with api=cudaMemcpyPeer" },
    { "staging", "host", "", "", "copies of GPU memory through the hosts, by CUDA" },
    { 0 },
};

static const struct lab_word board_words[] = {
    { "notify", "internal", "", "", "notifications set up in the memory of the board" },
    { "notify_self", "on|off", "", "", "whether the sender waits for its own end, too" },
    { "system", "native|mpi-ib", "", "native", "the TCA library, or MPI over InfiniBand" },
    { 0 },
};

static const struct lab_word chain_words[] = {
    { "mode", "dma|dma-register|dma-chain-host|dma-chain-internal|link-only", "",
      "dma-chain-internal", "where descriptors lie; dma: the fastest; link-only: a formula" },
    { "count", "1..", "1", "1", "descriptors of a chain" },
    { "gen", HUBSIM_NUMBER, "1", "", "of the link, with mode=link-only" },
    { "lanes", HUBSIM_NUMBER, "1", "", "of the link, with mode=link-only" },
    { "payload_bytes", HUBSIM_NUMBER, HUBSIM_BYTES, "", "of a packet, with mode=link-only" },
    { "tlp_overhead_bytes", HUBSIM_NUMBER, HUBSIM_BYTES, "24",
      "of a packet beside its payload, with mode=link-only" },
    { "timing", "driver-tsc", "", "", "as it is: measured in the driver" },
    { "end", "send-complete", "", "", "as it is: up to the end of sending" },
    { 0 },
};

#define METHODS LAB_METHOD_PACK "|MPI_Type_vector"

static const struct lab_word stride_words[] = {
    { "mode", "dma|" LAB_CHAIN_MODES, "", "dma-chain-internal",
      "where descriptors lie; dma: the faster" },
    { "n", "1..", "1", "",
      "a cube of n^3 doubles, of which n rows go; in place of the next three" },
    { "blocks", HUBSIM_NUMBER, "1", "n", "blocks of a message" },
    { "block_bytes", HUBSIM_NUMBER, HUBSIM_BYTES, "8 n", "of each block" },
    { "pitch_bytes", HUBSIM_NUMBER, HUBSIM_BYTES, "8 n n", "from one block to the next" },
    { "method", METHODS, "", "", "how MPI gathers blocks" },
    { 0 },
};

static const struct lab_word stream_words[] = {
    { "mode", "pio|dma|" LAB_CHAIN_MODES, "", "dma-chain-internal",
      "stores, or where the descriptors of DMA lie; dma: the faster DMA" },
    { "channels", "1..4", "1", "1", "DMA channels, a message on each" },
    { "direction", "one|both", "", "one", "whether both nodes send" },
    { 0 },
};

const struct lab_workload lab_workloads_tca[] = {
    { "pingpong",
      { lab_words_transfer, pingpong_words, board_words, lab_words_pair, lab_words_ib },
      .by = plan_by_board,
      .plan = plan_pingpong,
      .over_mpi = lab_plan_mpi_pingpong,
      .registers = true,
      .prints = LAB_PRINTS ", races" },
    { "dma-chain",
      { chain_words, lab_words_transfer, board_words, lab_words_pair },
      .by = plan_by_board,
      .plan = plan_chain,
      .one_node = true,
      .registers = true,
      .prints = LAB_PRINTS ", count" },
    { "block-stride",
      { stride_words, lab_words_transfer, board_words, lab_words_pair, lab_words_ib },
      .by = plan_by_board,
      .plan = plan_stride,
      .over_mpi = lab_plan_mpi_blocks,
      .prints = LAB_PRINTS ", blocks, block_bytes, pitch_bytes" },
    { "mpi-pingpong",
      { lab_words_transfer, lab_words_mpi, lab_words_pair, lab_words_ib },
      .by = lab_plan_by_mpi,
      .plan = lab_plan_mpi_pingpong,
      .prints = LAB_PRINTS },
    { "stream",
      { stream_words, lab_words_transfer, lab_words_pair },
      .by = plan_by_board,
      .plan = plan_stream,
      .prints = LAB_PRINTS ", channels" },
    { 0 },
};
