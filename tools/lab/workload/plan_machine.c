/* What is wrong of a setup on its machine alone: nodes, memories and faults that are not there. */
#include "tools/lab/workload/plan.h"

#include "tools/lab/bounds/hops.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *fault_key(const struct lab_setup *setup, const char *fault)
{
    const char *faults = lab_setup_get(setup, "faults");

    if (faults != NULL && strcmp(faults, fault) == 0)
        return "faults";
    return lab_setup_get(setup, "fault_links") != NULL ? "fault_links" : "bit_error_rate";
}

_Noreturn void lab_plan_refuse_fault(const struct lab_setup *setup, const char *where,
                                     const char *fault, const struct sim_error *why)
{
    const char *key = fault_key(setup, fault);

    load_raise(SIM_ERR_CONFIG, "%s: setup %s=%s: %s", lab_setup_where(setup, key, where), key,
               lab_setup_get(setup, key), sim_error_why(why));
}

/** Which key has placed the ranks; NULL: the setup says nothing of it. */
static const char *placing_key(const struct lab_setup *setup)
{
    static const char *const keys[] = { "place", "placement", "nodes" };

    for (size_t i = 0; i < SIM_COUNT(keys); i++)
        if (lab_setup_get(setup, keys[i]) != NULL)
            return keys[i];
    return NULL;
}

static _Noreturn void refuse_node(const struct lab_point *pt, const struct lab_run *run,
                                  unsigned node, unsigned nnodes)
{
    const char *key = placing_key(pt->setup);

    if (key == NULL)
        load_raise(SIM_ERR_CONFIG, "%s: workload = %s: expected a machine of %u nodes: %s has %u",
                   pt->where, pt->workload, node + 1, run->machine, nnodes);
    load_raise(SIM_ERR_CONFIG, "%s: setup %s=%s: expected %s %u, as %s has %u nodes",
               lab_setup_where(pt->setup, key, pt->where), key, lab_setup_get(pt->setup, key),
               strcmp(key, "nodes") == 0 ? "at most" : "no node from", nnodes, run->machine,
               nnodes);
}

/* ---- memories ------------------------------------------------------------------------------ */

/** The key that has chosen the memory of argument `key`; NULL: the setup says nothing of it. */
static const char *memory_key(const struct lab_setup *setup, const char *key)
{
    const char *const keys[] = { key, "memory", "gpu" };

    for (size_t i = 0; i < SIM_COUNT(keys); i++)
        if (lab_setup_get(setup, keys[i]) != NULL)
            return keys[i];
    return NULL;
}

static _Noreturn void refuse_memory(const struct lab_point *pt, const struct lab_run *run,
                                    const char *argument, unsigned node)
{
    const char *key = memory_key(pt->setup, argument);

    if (key == NULL)
        load_raise(SIM_ERR_CONFIG,
                   "%s: workload = %s: %s: expected a GPU, which node%u of %s lacks", pt->where,
                   pt->workload, argument, node, run->machine);
    load_raise(SIM_ERR_CONFIG, "%s: setup %s=%s: expected a memory that node%u of %s has",
               lab_setup_where(pt->setup, key, pt->where), key, lab_setup_get(pt->setup, key), node,
               run->machine);
}

/** Rank r must have the GPU of argument i, if it is "dst=gpu1" or "dst=gpu@ib". */
static void check_memory(const struct lab_point *pt, const struct lab_run *run,
                         const struct machine_desc *desc, unsigned i, unsigned r)
{
    const char *memory = lab_run_memory(run, i);
    unsigned node = run->nodes[r], gpu;
    char key[64];

    if (memory == NULL || strncmp(memory, "gpu", 3) != 0 || lab_run_gpu(desc, node, memory, &gpu))
        return;
    (void)snprintf(key, sizeof(key), "%.*s", (int)(memory - 1 - run->args[i]), run->args[i]);
    refuse_memory(pt, run, key, node);
}

static void place_second(const struct lab_point *pt, const struct machine_desc *desc, uint64_t hops,
                         struct lab_run *run)
{
    unsigned node = lab_hops_first(desc, hops);

    if (node == desc->nnodes)
        load_raise(SIM_ERR_CONFIG, "%s: setup hops=%" PRIu64 ": expected a distance that %s has",
                   lab_setup_where(pt->setup, "hops", pt->where), hops, run->machine);
    run->nodes[1] = node;
}

void lab_plan_place_ranks(const struct lab_point *pt, const struct machine_desc *desc,
                          uint64_t hops, struct lab_run *run)
{
    if (hops != 0)
        place_second(pt, desc, hops, run);
    for (unsigned r = 0; r < run->nranks; r++)
        if (run->nodes[r] >= desc->nnodes)
            refuse_node(pt, run, run->nodes[r], desc->nnodes);
    for (unsigned r = 0; r < run->nranks; r++)
        for (unsigned i = 0; i < run->nargs; i++)
            check_memory(pt, run, desc, i, r);
}

/* ---- loading ----------------------------------------------------------------------------- */

struct loading {
    const struct lab_site *site;
    const struct lab_run *run;
    struct load_machine *machine;
};

static void load_run(void *arg)
{
    struct loading *loading = arg;

    loading->machine = lab_load_run(loading->site, loading->run);
}

static bool can_load(struct loading *loading, struct sim_error *why_p)
{
    return load_attempt(load_run, loading, why_p) == SIM_OK;
}

/** With one fault after the other: that of the first one with which the machine cannot be. */
static void refuse_fault(const struct lab_site *site, const struct lab_point *pt,
                         const struct lab_run *run, unsigned own_faults,
                         const struct sim_error *why)
{
    for (unsigned n = 0; n <= own_faults; n++) {
        struct lab_run some = *run;
        struct loading loading = { .site = site, .run = &some };

        some.nfaults = n;
        if (can_load(&loading, NULL)) {
            load_machine_destroy(loading.machine);
            continue;
        }
        if (n == 0) /* it is not for its faults */
            return;
        lab_plan_refuse_fault(pt->setup, pt->where, run->faults[n - 1], why);
    }
}

struct load_machine *lab_plan_load(const struct lab_site *site, const struct lab_point *pt,
                                   struct lab_plan *plan, const struct lab_run *run)
{
    struct loading loading = { .site = site, .run = run };
    struct sim_error why = { 0 };

    if (!can_load(&loading, &why)) {
        refuse_fault(site, pt, run, plan->runs[0].nfaults, &why);
        *load_error() = why;
        load_check(why.code);
    }
    for (unsigned i = 0; i < plan->nruns; i++)
        lab_plan_place_ranks(pt, load_machine_desc(loading.machine), plan->hops, &plan->runs[i]);
    return loading.machine;
}
