/*
 * Runs of rows that compare GASNet over the hub, GASNet over InfiniBand and MPI over InfiniBand:
 * system= says which. Each uses the GPU that is on the socket of its own adapter.
 */
#include "tools/lab/run/mpi_library.h"
#include "tools/lab/workload/plan_parts.h"

#include <string.h>

static bool over_hub(const struct lab_planning *p)
{
    return strcmp(lab_plan_text(p, "system", "gasnet-tca"), "gasnet-tca") == 0;
}

static const char *side_of(const struct lab_planning *p)
{
    return over_hub(p) ? "hub" : "ib";
}

/** src or dst, as an argument of a program; a library chooses the place of its segment itself. */
static const char *memory_of(const struct lab_planning *p, const char *key)
{
    if (!lab_plan_says(p, key, "gpu"))
        return "cpu";
    return over_hub(p) ? "gpu@hub" : "gpu@ib";
}

static void choose_library(const struct lab_planning *p, bool on_gpu)
{
    const char *library = lab_mpi_system_of(lab_plan_text(p, "system", "gasnet-tca"))->library;
    bool polls = lab_plan_given(p, "completion") && over_hub(p);

    p->run->gasnet = load_text(p->arena, "%s,segment=%s%s", library, on_gpu ? "gpu" : "host",
                               polls ? ",fault=on" : "");
}

static void by_gasnet(const struct lab_planning *p, lab_plan_fn plan)
{
    if (lab_plan_number(p, "ports", 1) != 1)
        lab_plan_fail(p, "ports", "1");
    if (lab_plan_says(p, "system", "mpi-ib")) {
        lab_plan_by_mpi(p, plan);
        return;
    }
    lab_plan_network(p); /* one rank on each node, on the smallest machine that has them */
    plan(p);
}

/** Data go into a segment, or out of the far one with a get. */
static void plan_am_long(const struct lab_planning *p)
{
    const char *op = lab_plan_text(p, "op", "am-long");
    bool get = strcmp(op, "get") == 0;

    if (strcmp(op, "send-recv") == 0 || lab_plan_says(p, "system", "mpi-ib"))
        lab_plan_fail(p, "op", "am-long or get; messages of MPI are of mpi-pingpong");
    lab_plan_need_ranks(p, 2);
    choose_library(p, lab_plan_says(p, get ? "src" : "dst", "gpu"));
    p->plan->bytes = lab_plan_mpi_bytes(p, "bytes", 8, 1);
    p->run->program = "gasnet-pingpong";
    lab_plan_arg(p, "op", op);
    lab_plan_arg_number(p, "bytes", p->plan->bytes);
    if (get)
        lab_plan_arg_memory(p, "dst", memory_of(p, "dst"));
    else
        lab_plan_arg_memory(p, "src", memory_of(p, "src"));
}

static uint64_t face_bytes(const struct lab_planning *p)
{
    uint64_t n = lab_plan_number(p, "n", 0);

    if (n < 1 || n > 512)
        lab_plan_fail(p, "n", "1 .. 512");
    return 8 * n * n;
}

/** The same face over MPI is a ping-pong by a datatype. */
static void plan_mpi_face(const struct lab_planning *p)
{
    uint64_t n = lab_plan_number(p, "n", 0);
    const char *layout = lab_plan_text(p, "layout", "block-stride");
    struct lab_shape shape = { n, 8 * n, 8 * n * n };

    if (strcmp(layout, "block") == 0)
        shape = (struct lab_shape){ 1, 8 * n * n, 8 * n * n };
    else if (strcmp(layout, "stride") == 0)
        shape = (struct lab_shape){ n * n, 8, 8 * n };
    p->plan->bytes = face_bytes(p);
    p->run->program = "mpi-pingpong";
    lab_plan_arg_shape(p, &shape);
    lab_plan_arg_memory(p, "src", memory_of(p, "src"));
    lab_plan_arg_memory(p, "dst", memory_of(p, "dst"));
}

static void plan_face(const struct lab_planning *p)
{
    lab_plan_need_ranks(p, 2);
    if (lab_plan_says(p, "system", "mpi-ib")) {
        plan_mpi_face(p);
        return;
    }
    if (!lab_plan_says(p, "src", "gpu") || !lab_plan_says(p, "dst", "gpu"))
        lab_plan_fail(p, "src", "gpu, as dst: the cube lies in the segment");
    choose_library(p, true);
    p->plan->bytes = face_bytes(p);
    p->run->program = "gasnet-halo";
    lab_plan_pass(p, "n", NULL);
    lab_plan_pass(p, "layout", "block-stride");
    lab_plan_pass(p, "elem", "double");
}

/** Iterations are alike, so the time of all follows from a few. */
static void plan_himeno(const struct lab_planning *p)
{
    bool mpi = lab_plan_says(p, "system", "mpi-ib");

    if (!mpi)
        choose_library(p, true);
    lab_plan_place(p); /* on all of its nodes, not on two */
    p->run->program = "himeno";
    p->plan->bytes = 0;
    lab_plan_arg(p, "library", mpi ? "mpi" : "gasnet");
    lab_plan_pass(p, "size", "small");
    lab_plan_pass(p, "split", "i");
    lab_plan_pass(p, "iterations", NULL);
    lab_plan_arg_memory(p, "gpu", strcmp(side_of(p), "hub") == 0 ? "gpu@hub" : "gpu@ib");
    if (p->protocol->rounds != 0)
        lab_plan_arg_number(p, "sample", p->protocol->rounds);
}

/* ---- the workloads ----------------------------------------------------------------- */

static const struct lab_word system_words[] = {
    { "system", "gasnet-tca|gasnet-ib|mpi-ib", "", "gasnet-tca", "library and network" },
    { "ports", "1", "1", "1", "of the InfiniBand adapters" },
    { "completion", "poll performance counter", "", "",
      "how the end of a channel is found: by its registers" },
    { 0 },
};

static const struct lab_word am_words[] = {
    { "op", "am-long|get", "", "am-long", "what is timed" },
    { 0 },
};

static const struct lab_word face_words[] = {
    { "n", "1..512", "1", "", "elements along each side of the cube" },
    { "layout", "block|block-stride|stride", "", "block-stride", "which of its faces" },
    { "elem", "double", "", "double", "an element" },
    { "method", NULL, "", "", "without effect: what the programs do, in words" },
    { 0 },
};

static const struct lab_word himeno_words[] = {
    { "size", "small|middle|large", "", "small", "of the benchmark" },
    { "split", "i|j|both", "", "i", "the axes that ranks share" },
    { "ijk", NULL, "", "", "without effect: that of the size, in words" },
    { "iterations", HUBSIM_NUMBER, "1", "1000", "whose time is wanted" },
    { "nodes", "1..16", "1", "2", "ranks, one on each" },
    { 0 },
};

#define HIMENO_PRINTS                                                                              \
    "latency_ps_min, latency_ps_median, calculation_ps, halo_ps, convergence_ps, iterations, "     \
    "run, residual_e9, bytes, verified"

const struct lab_workload lab_workloads_gasnet[] = {
    { "gasnet-am-long",
      { am_words, system_words, lab_words_transfer, lab_words_pair },
      .by = by_gasnet,
      .plan = plan_am_long,
      .prints = LAB_PRINTS },
    { "halo",
      { face_words, system_words, lab_words_transfer, lab_words_pair },
      .by = by_gasnet,
      .plan = plan_face,
      .of_rows = true,
      .prints = LAB_PRINTS },
    { "himeno",
      { himeno_words, system_words, lab_words_transfer, lab_words_pair },
      .by = by_gasnet,
      .plan = plan_himeno,
      .iterates = true,
      .of_rows = true,
      .prints = HIMENO_PRINTS },
    { 0 },
};
