#include "tools/lab/workload/plan.h"

#include "tools/lab/run/mpi_library.h"
#include "tools/lab/workload/plan_parts.h"
#include "tools/load/quantity.h"

#include <inttypes.h>
#include <string.h>

const struct lab_protocol lab_protocol_short = {
    .warmup = 2, .rounds = 8, .repeats = 3, .bytes = 1u << 20
};

static bool starts(const char *text, const char *head)
{
    return strncmp(text, head, strlen(head)) == 0;
}

/** A ping-pong by an MPI library, compared with one of the board. */
static bool is_mpi_pingpong(const struct lab_point *pt)
{
    return (strcmp(pt->workload, "pingpong") == 0 || strcmp(pt->workload, "block-stride") == 0) &&
           (lab_mpi_library_of(lab_plan_text(pt->setup, "api", "")) != NULL ||
            lab_plan_says(pt->setup, "system", "mpi-ib"));
}

/** A board's transfer says nothing of a library over InfiniBand. */
static int refuse_network(const struct lab_point *pt, struct sim_error *err)
{
    static const char *const keys[] = { "net", "gdr", "gdr_limit", "rails", "ports", NULL };

    for (const char *const *key = keys; *key != NULL; key++)
        if (lab_setup_get(pt->setup, *key) != NULL)
            return lab_plan_fail(pt, err, *key, "nothing, or api= an MPI library beside it");
    return SIM_OK;
}

static int plan_run(const struct lab_point *pt, const struct lab_protocol *protocol,
                    const char *mode, struct load_arena *arena, struct lab_plan *plan,
                    struct sim_error *err)
{
    struct lab_run *run = &plan->runs[plan->nruns++];
    int rc;

    run->platform = lab_plan_platform(pt->platform, pt->setup);
    if (starts(pt->workload, "npb-"))
        return lab_plan_npb(pt, protocol, plan, run, arena, err);
    if (starts(pt->workload, "mpi-") || starts(pt->workload, "mbcf-") || is_mpi_pingpong(pt))
        rc = lab_plan_mpi(pt, plan, run, arena, err);
    else if ((rc = refuse_network(pt, err)) == SIM_OK)
        rc = lab_plan_tca(pt, mode, plan, run, arena, err);
    if (rc == SIM_OK)
        lab_plan_rounds(pt, protocol,
                        plan->bytes != 0 ? plan->bytes : lab_plan_number(pt->setup, "bytes", 0),
                        plan->rounds != 0 ? plan->rounds : 100, run, arena);
    return rc;
}

/** `faults`, and `bit_error_rate` of the links `fault_links`, all cables if nothing is said. */
static int add_faults(const struct lab_point *pt, struct lab_run *run, struct load_arena *arena,
                      struct sim_error *err)
{
    const char *rate = lab_setup_get(pt->setup, "bit_error_rate");
    uint64_t e18 = 0;

    if (strcmp(lab_plan_text(pt->setup, "faults", "none"), "none") != 0)
        run->faults[run->nfaults++] = lab_setup_get(pt->setup, "faults");
    if (rate != NULL && !load_decimal(rate, NULL, 18, &e18))
        return lab_plan_fail(pt, err, "bit_error_rate", "a rate such as 1e-9");
    if (e18 != 0)
        run->faults[run->nfaults++] =
            load_text(arena, "{link: '%s', bit_error_rate: %s}",
                      lab_plan_text(pt->setup, "fault_links", "node*.hub.[ewsab]"), rate);
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
           (strcmp(pt->workload, "dma-chain") == 0 && lab_plan_number(pt->setup, "count", 1) == 1);
}

int lab_plan_make(const struct lab_point *point, const struct lab_protocol *protocol,
                  struct load_arena *arena, struct lab_plan *plan_p, struct sim_error *err)
{
    const char *mode = lab_plan_text(point->setup, "mode", "dma-chain-internal");
    static const struct lab_protocol whole = { .rounds = 0 };
    struct lab_plan plan = { .median = lab_plan_says(point->setup, "reduce", "median") };
    int rc = lab_words_check(point, err);

    if (is_random(point))
        protocol = &whole;

    if (rc != SIM_OK)
        return rc;
    if (strcmp(mode, "link-only") == 0) {
        rc = lab_plan_link(point, &plan, err);
    } else if (strcmp(mode, "dma") == 0 && !is_mpi_pingpong(point)) {
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
