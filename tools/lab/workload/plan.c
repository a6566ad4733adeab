#include "tools/lab/workload/plan.h"

#include "tools/lab/run/mpi_library.h"
#include "tools/lab/run/params.h"
#include "tools/lab/run/software.h"
#include "tools/lab/workload/plan_parts.h"
#include "tools/load/quantity.h"

#include <inttypes.h>
#include <string.h>

const struct lab_protocol lab_protocol_short = {
    .warmup = 2, .rounds = 8, .repeats = 3, .bytes = 1u << 20
};

/** Does the setup compare an MPI library with the board? */
static bool is_over_mpi(const struct lab_planning *p)
{
    return p->workload->over_mpi != NULL &&
           (lab_mpi_library_of(lab_plan_text(p, "api", "")) != NULL ||
            lab_plan_says(p, "system", "mpi-ib"));
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

static void add_limited(const struct lab_planning *p, const char *key, uint64_t value)
{
    if (lab_workload_word(p->workload, key, NULL) != NULL)
        lab_plan_arg_number(p, key, value);
}

/** warmup, rounds (as many as `rounds` where the setup says nothing) and repeats. Rounds of large
 * transfers differ by nothing but their start, so a few of them are enough. */
static void add_rounds(const struct lab_planning *p, uint64_t bytes, uint64_t rounds)
{
    uint64_t fit = fitting(p->protocol->bytes, bytes);
    uint64_t repeats =
        at_most(at_most(lab_plan_number(p, "repeats", 10), p->protocol->repeats), fit);

    rounds = at_most(lab_plan_number(p, "rounds", rounds), p->protocol->rounds);
    if (fit != 0)
        rounds = at_most(rounds, fitting(fit, repeats));
    add_limited(p, "warmup",
                at_most(at_most(lab_plan_number(p, "warmup", 1), p->protocol->warmup), fit));
    add_limited(p, "rounds", rounds);
    add_limited(p, "repeats", repeats);
}

/** On a machine that the setup names, a distance is a node when that machine is there. */
static void plan_hops(const struct lab_planning *p)
{
    if (p->pt->machine != NULL && p->run->nranks == 2 &&
        lab_workload_word(p->workload, "hops", NULL) != NULL)
        p->plan->hops = lab_plan_multiple(p, "hops", 1, 1);
}

static void plan_run(const struct lab_planning *start, const char *mode)
{
    const struct lab_workload *workload = start->workload;
    struct lab_planning p = *start;

    p.mode = mode;
    p.run = &p.plan->runs[p.plan->nruns++];
    p.run->platform = lab_plan_platform(p.pt->platform, p.setup);
    if (is_over_mpi(&p))
        lab_plan_by_mpi(&p, workload->over_mpi);
    else
        workload->by(&p, workload->plan);
    plan_hops(&p);
    if (!workload->iterates)
        add_rounds(&p, p.plan->bytes != 0 ? p.plan->bytes : lab_plan_number(&p, "bytes", 0),
                   p.plan->rounds != 0 ? p.plan->rounds : 100);
    if (p.plan->bytes != 0 && p.plan->directions == 0)
        p.plan->directions = 1;
}

/** In errors of 10^18 bits. */
static uint64_t read_rate(const struct lab_planning *p)
{
    const struct machine_param *param = lab_fault_param(lab_kinds(), "bit_error_rate");
    const char *rate = lab_plan_text(p, "bit_error_rate", "0");
    char expected[256];
    uint64_t e18;

    SIM_ASSERT(param != NULL);
    if (!load_quantity_parse(param, rate, &e18))
        load_raise(SIM_ERR_CONFIG, "%s: setup bit_error_rate=%s: %s",
                   lab_setup_where(p->setup, "bit_error_rate", p->pt->where), rate,
                   load_quantity_expected(param, expected, sizeof(expected)));
    return e18;
}

/** `faults`, and `bit_error_rate` of the links `fault_links`, all cables if nothing is said. */
static void add_faults(const struct lab_planning *p, struct lab_run *run)
{
    const char *faults = lab_plan_text(p, "faults", "none");

    if (strcmp(faults, "none") != 0)
        run->faults[run->nfaults++] = faults;
    if (read_rate(p) != 0)
        run->faults[run->nfaults++] =
            load_text(p->arena, "{link: '%s', bit_error_rate: %s}",
                      lab_plan_text(p, "fault_links", "node*.hub.[ewsab]"),
                      lab_plan_text(p, "bit_error_rate", "0"));
}

/** Errors come at random, so rounds differ, and as many count as the setup says. */
static bool is_random(const struct lab_planning *p)
{
    return lab_plan_given(p, "faults") || lab_plan_given(p, "bit_error_rate");
}

/** Where the setup says nothing, what the workload's keys have. */
static void add_defaults(const struct lab_workload *workload, const char *where,
                         struct lab_setup *setup)
{
    if (workload->own == NULL)
        return;
    for (const struct hubsim_key *k = workload->own->keys; k->key[0] != '\0'; k++)
        if (k->value[0] != '\0' && lab_setup_get(setup, k->key) == NULL)
            lab_setup_put(setup, k->key, k->value, where);
}

/** The DMA modes that a transfer of the setup can have, or the one that it names. */
static void plan_modes(const struct lab_planning *p)
{
    static const char *const modes[] = { "dma-register", "dma-chain-host", "dma-chain-internal" };
    bool registers = p->workload->registers && lab_plan_number(p, "count", 1) == 1;
    const char *mode = lab_plan_text(p, "mode", "dma-chain-internal");

    if (strcmp(mode, "link-only") == 0)
        lab_plan_link(p);
    else if (strcmp(mode, "dma") != 0 || is_over_mpi(p))
        plan_run(p, mode);
    else
        for (unsigned i = registers ? 0 : 1; i < LAB_PLAN_RUNS; i++)
            plan_run(p, modes[i]);
}

struct lab_plan lab_plan_make(const struct lab_point *point, const struct lab_protocol *protocol,
                              struct load_arena *arena)
{
    static const struct lab_protocol whole = { .rounds = 0 };
    struct lab_plan plan = { .nruns = 0 };
    struct lab_setup setup = *point->setup;
    struct lab_planning p = { .workload = lab_workload_find(point->workload, point->setup, arena),
                              .pt = point,
                              .setup = &setup,
                              .plan = &plan,
                              .arena = arena };

    lab_words_check(point);
    add_defaults(p.workload, point->where, &setup);
    p.protocol = is_random(&p) ? &whole : protocol;
    plan.median = lab_plan_says(&p, "reduce", "median");
    plan_modes(&p);
    for (unsigned i = 0; i < plan.nruns; i++)
        add_faults(&p, &plan.runs[i]);
    return plan;
}
