/* The faults of a port, one by one as a machine file has them, gathered for pcie_port_set_faults().
 */
#include "pcie/lossy/fault_params.h"
#include "pcie/port/port_impl.h"

#include <stdlib.h>
#include <string.h>

/** What a port has been given so far. */
struct pcie_fault_list {
    struct pcie_fault_config cfg;
    struct pcie_fault_nth *nth;
    struct pcie_fault_burst *bursts;
    struct pcie_fault_outage *outages;
    struct pcie_fault_stuck *stuck;
    struct pcie_fault_degrade *degrades;
};

/** Appends to an array of `*n_p` items. False: out of memory. */
static bool append(void *array_p, size_t *n_p, const void *item, size_t bytes)
{
    char **array = array_p;
    char *bigger = realloc(*array, (*n_p + 1) * bytes);

    if (bigger == NULL)
        return false;
    memcpy(bigger + *n_p * bytes, item, bytes);
    *array = bigger;
    (*n_p)++;
    return true;
}

static bool add_nth(struct pcie_fault_list *l, enum pcie_fault_effect effect,
                    const struct pcie_fault_values *v)
{
    const struct pcie_fault_nth tlp = { PCIE_FAULT_TLP, effect, v->tlp };
    const struct pcie_fault_nth dllp = { PCIE_FAULT_DLLP, effect, v->dllp };

    return (v->tlp == 0 || append(&l->nth, &l->cfg.nth_count, &tlp, sizeof(tlp))) &&
           (v->dllp == 0 || append(&l->nth, &l->cfg.nth_count, &dllp, sizeof(dllp)));
}

static int by_time(const void *a, const void *b)
{
    const struct pcie_fault_burst *p = a, *q = b;

    return (p->at_ps > q->at_ps) - (p->at_ps < q->at_ps);
}

static bool add_bursts(struct pcie_fault_list *l, const struct pcie_fault_values *v)
{
    for (uint64_t i = 0; i < v->times; i++) {
        const struct pcie_fault_burst burst = { v->at_ps + i * v->every_ps, v->for_ps,
                                                v->rate_e18 };

        if (!append(&l->bursts, &l->cfg.burst_count, &burst, sizeof(burst)))
            return false;
    }
    if (l->bursts != NULL)
        qsort(l->bursts, l->cfg.burst_count, sizeof(*l->bursts), by_time);
    return true;
}

static bool add_outages(struct pcie_fault_list *l, bool down, const struct pcie_fault_values *v)
{
    for (uint64_t i = 0; i < v->times; i++) {
        const struct pcie_fault_outage outage = { v->at_ps + i * v->every_ps, v->for_ps, down };

        if (!append(&l->outages, &l->cfg.outage_count, &outage, sizeof(outage)))
            return false;
    }
    return true;
}

static bool add(struct pcie_fault_list *l, enum pcie_fault_kind kind,
                const struct pcie_fault_values *v)
{
    const struct pcie_fault_stuck stuck = { v->at_ps, v->for_ps != 0 ? v->for_ps : SIM_TIME_NEVER,
                                            (enum pcie_class)v->cls };
    const struct pcie_fault_degrade degrade = { v->at_ps, v->gen, v->lanes };

    switch (kind) {
    case PCIE_KIND_BIT_ERROR_RATE:
        l->cfg.ber_e18 = v->rate_e18;
        return true;
    case PCIE_KIND_BURST:
        return add_bursts(l, v);
    case PCIE_KIND_CORRUPT:
        return add_nth(l, PCIE_FAULT_CORRUPT, v);
    case PCIE_KIND_DROP:
        return add_nth(l, PCIE_FAULT_DROP, v);
    case PCIE_KIND_NULLIFY:
        return add_nth(l, PCIE_FAULT_NULLIFY, v);
    case PCIE_KIND_DUPLICATE:
        return add_nth(l, PCIE_FAULT_DUPLICATE, v);
    case PCIE_KIND_FLAP:
    case PCIE_KIND_DOWN:
        return add_outages(l, kind == PCIE_KIND_DOWN, v);
    case PCIE_KIND_STUCK_CREDIT:
        return append(&l->stuck, &l->cfg.stuck_count, &stuck, sizeof(stuck));
    default:
        SIM_ASSERT(kind == PCIE_KIND_DEGRADE);
        return append(&l->degrades, &l->cfg.degrade_count, &degrade, sizeof(degrade));
    }
}

/** What no row can say alone. */
static int check(const struct pcie_port *p, enum pcie_fault_kind kind,
                 const struct pcie_fault_values *v, struct sim_error *err)
{
    if ((kind == PCIE_KIND_CORRUPT || kind == PCIE_KIND_DROP) && v->tlp == 0 && v->dllp == 0)
        return sim_error_set(err, SIM_ERR_CONFIG, "%s: %s: expected tlp or dllp, from 1", p->path,
                             kind == PCIE_KIND_DROP ? "drop" : "corrupt");
    if (kind == PCIE_KIND_DEGRADE && v->gen == 0 && v->lanes == 0)
        return sim_error_set(err, SIM_ERR_CONFIG, "%s: degrade: expected gen or lanes", p->path);
    if (v->times > 1 && v->every_ps < v->for_ps)
        return sim_error_set(err, SIM_ERR_CONFIG,
                             "%s: every = %llu ps: expected at least `for`, %llu ps", p->path,
                             (unsigned long long)v->every_ps, (unsigned long long)v->for_ps);
    return SIM_OK;
}

int pcie_port_add_fault(struct pcie_port *p, enum pcie_fault_kind kind,
                        const struct pcie_fault_values *values, struct sim_error *err)
{
    struct pcie_fault_list *l = p->given;
    int rc = check(p, kind, values, err);

    if (rc != SIM_OK)
        return rc;
    if (l == NULL)
        l = p->given = calloc(1, sizeof(*l));
    if (l == NULL || !add(l, kind, values))
        return sim_error_set(err, SIM_ERR_NOMEM, "%s: out of memory", p->path);
    l->cfg.nth = l->nth;
    l->cfg.bursts = l->bursts;
    l->cfg.outages = l->outages;
    l->cfg.stuck = l->stuck;
    l->cfg.degrades = l->degrades;
    return pcie_port_set_faults(p, &l->cfg, err);
}

void pcie_fault_list_free(struct pcie_fault_list *l)
{
    if (l == NULL)
        return;
    free(l->nth);
    free(l->bursts);
    free(l->outages);
    free(l->stuck);
    free(l->degrades);
    free(l);
}
