/*
 * Rows of many ranks: one collective, or the faces of a stencil, by the board or by a library over
 * InfiniBand. Barriers and set-up of programs that use the board are MPI's, by the library that the
 * other programs of their source had.
 */
#include "tools/lab/run/mpi_library.h"
#include "tools/lab/workload/plan_parts.h"

#include <stdlib.h>
#include <string.h>

#define LIBRARY  "mvapich2-gdr-2.2"
#define DOUBLING "recursive-doubling"
#define COPYING  DOUBLING " and the first step also copies the own block locally"

/* ---- where ranks run ------------------------------------------------------------------ */

/** "2|1|3|4|5 or 15|16|14|13|12": the first of the lists counts. Nodes of the real machine are
 * numbered from 1. In an experiment, where | parts points, they stand with commas. */
static void place_as_said(const struct lab_planning *p)
{
    const char *at = lab_plan_text(p, "placement", "");

    p->run->nranks = 0;
    for (char *end;; at = end + 1) {
        unsigned long node = strtoul(at, &end, 10);

        if (end == at || node < 1 || p->run->nranks == LAB_RANKS_MAX)
            lab_plan_fail(p, "placement", "nodes such as 2|1|3 or 2,1,3, from 1");
        p->run->nodes[p->run->nranks++] = (unsigned)node - 1;
        if (*end != '|' && *end != ',')
            break;
    }
    if (p->run->nranks != lab_plan_number(p, "nodes", p->run->nranks))
        lab_plan_fail(p, "placement", "a node for each of nodes");
}

static void place_ranks(const struct lab_planning *p)
{
    static const char *const keys[] = { "placement", "rank_k_on_node", NULL };

    if (lab_plan_first(p, keys) != NULL && p->pt->machine == NULL)
        p->run->machine = "subcluster16"; /* whose nodes they name */
    if (lab_plan_given(p, "placement"))
        place_as_said(p);
    else
        lab_plan_place(p);
}

/* ---- collectives ------------------------------------------------------------------------ */

static void add_start(const struct lab_planning *p)
{
    if (lab_plan_given(p, "barrier"))
        lab_plan_arg(p, "start", "barrier");
}

/** By the board, as the public programs put their lists: no descriptor before the last one's end.
 */
static void add_board(const struct lab_planning *p, const char *program, uint64_t bytes)
{
    place_ranks(p);
    p->run->program = program;
    lab_plan_arg_number(p, "bytes", bytes);
    lab_plan_arg_memory(p, "memory", lab_plan_mpi_memory(p, "src"));
    lab_plan_arg(p, "mode", p->mode);
    lab_plan_arg(p, "notify", "internal");
    lab_plan_arg(p, "pipeline", "off");
    add_start(p);
}

static void plan_broadcast(const struct lab_planning *p)
{
    p->plan->bytes = lab_plan_multiple(p, "bytes", 8, 4);
    add_board(p, "broadcast", p->plan->bytes);
    lab_plan_arg(p, "algorithm", "tree");
    lab_plan_arg(p, "channels", "1");
}

static void plan_allgather(const struct lab_planning *p)
{
    uint64_t bytes = lab_plan_multiple(p, "bytes_per_rank", 16, 16);

    p->plan->bytes = bytes * lab_plan_number(p, "nodes", 2);
    add_board(p, "allgather", bytes);
    lab_plan_arg(p, "algorithm", "doubling");
    lab_plan_arg(p, "order", "up");
    lab_plan_arg(p, "lists", "kept");
    if (lab_plan_says(p, "algo", COPYING))
        lab_plan_arg(p, "own", "copied");
}

static void add_call(const struct lab_planning *p, const char *op, uint64_t bytes)
{
    static const char *const of_board[] = { "algo", "mode", "notify_self", NULL };

    lab_plan_refuse(p, of_board, "nothing beside an MPI library");
    place_ranks(p);
    p->run->program = "mpi-collective";
    lab_plan_arg(p, "op", op);
    lab_plan_arg_number(p, "bytes", bytes);
    lab_plan_arg_memory(p, "memory", lab_plan_mpi_memory(p, "src"));
    add_start(p);
    p->plan->bytes = bytes;
}

static void plan_mpi_broadcast(const struct lab_planning *p)
{
    add_call(p, "broadcast", lab_plan_mpi_bytes(p, "bytes", 8, LAB_CALL_WORD));
}

static void plan_mpi_allgather(const struct lab_planning *p)
{
    add_call(p, "allgather", lab_plan_mpi_bytes(p, "bytes_per_rank", 16, LAB_CALL_WORD));
    p->plan->bytes *= p->run->nranks;
}

static void plan_mpi_allreduce(const struct lab_planning *p)
{
    bool doubles = lab_plan_says(p, "op", "sum of doubles");

    add_call(p, "allreduce",
             lab_plan_mpi_bytes(p, "bytes", 8, doubles ? sizeof(double) : LAB_CALL_WORD));
    if (doubles)
        lab_plan_arg(p, "type", "double");
}

static void plan_no_board(const struct lab_planning *p)
{
    lab_plan_fail(p, "api", "an MPI library of configs/mpi");
}

static void by_board(const struct lab_planning *p, lab_plan_fn plan)
{
    if (!lab_plan_says(p, "api", "tca"))
        lab_plan_fail(p, "api", "tca, or an MPI library of configs/mpi");
    lab_plan_network(p);
    lab_plan_library(p, LIBRARY);
    lab_plan_bind(p, "peach2-side");
    plan(p);
}

/* ---- stencil -------------------------------------------------------------------------- */

#define STENCIL_RANKS 5u /* one and its four neighbours */

#define BY_BOARD    "two contiguous faces by " LIBRARY " and two block-stride faces in one TCA chain"
#define BY_MESSAGES LIBRARY " with GPU kernels packing two faces"

static void plan_stencil(const struct lab_planning *p)
{
    uint64_t n = lab_plan_number(p, "n", 0);

    p->plan->bytes = 8 * n * n;
    if (n == 0 || lab_plan_number(p, "bytes", p->plan->bytes) != p->plan->bytes)
        lab_plan_fail(p, n == 0 ? "n" : "bytes", "n * n doubles");
    place_ranks(p);
    lab_plan_need_ranks(p, STENCIL_RANKS);
    p->run->program = "stencil";
    lab_plan_arg_number(p, "n", n);
    lab_plan_arg(p, "rows", lab_plan_says(p, "api", BY_BOARD) ? "board" : "copy");
    lab_plan_arg_memory(
        p, "memory", lab_plan_says(p, "gpu", "ib-side") ? "gpu@ib" : "gpu@hub"); /* of all data */
    if (lab_plan_given(p, "rounds"))
        lab_plan_arg_number(p, "of", lab_plan_number(p, "rounds", 0));
}

static void by_both(const struct lab_planning *p, lab_plan_fn plan)
{
    if (!lab_plan_given(p, "api"))
        lab_plan_fail(p, "api", BY_BOARD "|" BY_MESSAGES);
    lab_plan_network(p);
    lab_plan_library(p, LIBRARY);
    /* MV2_USE_GPUDIRECT_GDRCOPY=0 is in the job scripts of the rows that go by the board. */
    if (lab_plan_says(p, "api", BY_BOARD) && !lab_plan_given(p, "gdrcopy"))
        p->run->mpi = load_text(p->arena, "%s,gdrcopy=off", p->run->mpi);
    lab_plan_bind(p, lab_plan_text(p, "gpu", "peach2-side"));
    plan(p);
}

/* ---- the workloads ----------------------------------------------------------------------- */

static const struct lab_word group_words[] = {
    { "mode", "dma|" LAB_CHAIN_MODES, "", "dma-chain-internal",
      "where descriptors lie; dma: the faster" },
    { "bytes_per_rank", HUBSIM_NUMBER, HUBSIM_BYTES, "16", "of each block of an allgather" },
    { "barrier", "before-each", "", "", "a barrier before each call" },
    { "rank_k_on_node", "k+1", "", "", "on the nodes of subcluster16, in their order" },
    { "notify_self", "on", "", "", "as it is: the sender waits for its own end, too" },
    { 0 },
};

static const struct lab_word broadcast_words[] = {
    { "algo", "binomial-tree with one chained start per parent", "", "", "as it is" },
    { 0 },
};

static const struct lab_word allgather_words[] = {
    { "algo", DOUBLING "|" COPYING, "", "", "who copies the own block" },
    { 0 },
};

static const struct lab_word allreduce_words[] = {
    { "op", "sum of doubles", "", "", "else of whole numbers" },
    { 0 },
};

static const struct lab_word stencil_words[] = {
    { "n", "2..512 by 2", "1", "", "a cube of n^3 doubles on each rank" },
    { "api", BY_BOARD "|" BY_MESSAGES, "", "", "what moves the faces" },
    { "placement", NULL, "", "", "nodes of the ranks, such as 2|1|3 or 2,1,3, from 1" },
    { "pattern", "rank 0 sends one face to each of ranks 1-4 and none replies", "", "",
      "as it is" },
    { 0 },
};

const struct lab_workload lab_workloads_group[] = {
    { "bcast",
      { broadcast_words, group_words, lab_words_transfer, lab_words_pair, lab_words_ib },
      .by = by_board,
      .plan = plan_broadcast,
      .over_mpi = plan_mpi_broadcast,
      .prints = LAB_PRINTS },
    { "allgather",
      { allgather_words, group_words, lab_words_transfer, lab_words_pair, lab_words_ib },
      .by = by_board,
      .plan = plan_allgather,
      .over_mpi = plan_mpi_allgather,
      .of_rows = true,
      .prints = LAB_PRINTS },
    { "allreduce",
      { allreduce_words, group_words, lab_words_transfer, lab_words_pair, lab_words_ib },
      .by = by_board,
      .plan = plan_no_board,
      .over_mpi = plan_mpi_allreduce,
      .prints = LAB_PRINTS },
    { "stencil",
      { stencil_words, lab_words_transfer, lab_words_pair, lab_words_ib },
      .by = by_both,
      .plan = plan_stencil,
      .prints = LAB_PRINTS },
    { 0 },
};
