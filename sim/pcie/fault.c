/* The faults of a port: checked and kept. */
#include "pcie/fault.h"
#include "pcie/port_impl.h"

static int refuse(struct sim_error *err, const struct pcie_port *p, const char *what, size_t index,
                  uint64_t value, const char *expected)
{
    return sim_error_set(err, SIM_ERR_CONFIG, "%s: fault %s[%zu] = %llu: expected %s", p->path,
                         what, index, (unsigned long long)value, expected);
}

static int check_nth(const struct pcie_port *p, const struct pcie_fault_config *cfg,
                     struct sim_error *err)
{
    for (size_t i = 0; i < cfg->nth_count; i++) {
        const struct pcie_fault_nth *f = &cfg->nth[i];

        if (f->n == 0)
            return refuse(err, p, "nth", i, f->n, "a number from 1");
        if (f->packet == PCIE_FAULT_DLLP && f->effect > PCIE_FAULT_DROP)
            return refuse(err, p, "effect", i, f->effect, "corrupt or drop for a DLLP");
    }
    return SIM_OK;
}

static int check_bursts(const struct pcie_port *p, const struct pcie_fault_config *cfg,
                        struct sim_error *err)
{
    sim_time_t free_from = 0;

    for (size_t i = 0; i < cfg->burst_count; i++) {
        const struct pcie_fault_burst *b = &cfg->bursts[i];

        if (b->ber_e18 > PCIE_BER_MAX)
            return refuse(err, p, "burst", i, b->ber_e18, "at most 10^17, one bit in ten");
        if (b->duration_ps == 0 || b->duration_ps > SIM_TIME_NEVER - b->at_ps)
            return refuse(err, p, "burst", i, b->duration_ps, "a duration of 1 ps or more");
        if (b->at_ps < free_from)
            return refuse(err, p, "burst", i, b->at_ps, "a time after the burst before");
        free_from = b->at_ps + b->duration_ps;
    }
    return SIM_OK;
}

static int check_link(const struct pcie_port *p, const struct pcie_fault_config *cfg,
                      struct sim_error *err)
{
    for (size_t i = 0; i < cfg->outage_count; i++) {
        const struct pcie_fault_outage *o = &cfg->outages[i];

        if (o->duration_ps == 0 || o->duration_ps > SIM_TIME_NEVER - o->at_ps)
            return refuse(err, p, "outage", i, o->duration_ps, "a duration of 1 ps or more");
    }
    for (size_t i = 0; i < cfg->stuck_count; i++) {
        if (cfg->stuck[i].cls >= PCIE_CLASSES)
            return refuse(err, p, "stuck", i, cfg->stuck[i].cls, "a class");
    }
    for (size_t i = 0; i < cfg->degrade_count; i++) {
        const struct pcie_fault_degrade *d = &cfg->degrades[i];

        if (d->gen > 5)
            return refuse(err, p, "degrade.gen", i, d->gen, "0 to 5");
        if (d->lanes > 16 || (d->lanes & (d->lanes - 1)) != 0)
            return refuse(err, p, "degrade.lanes", i, d->lanes, "0, 1, 2, 4, 8 or 16");
    }
    return SIM_OK;
}

int pcie_port_set_faults(struct pcie_port *p, const struct pcie_fault_config *cfg,
                         struct sim_error *err)
{
    int rc;

    if (!pcie_port_connected(p))
        return sim_error_set(err, SIM_ERR_CONFIG, "%s: a port that is not connected has no faults",
                             p->path);
    if (cfg->ber_e18 > PCIE_BER_MAX)
        return refuse(err, p, "ber_e18", 0, cfg->ber_e18, "at most 10^17, one bit in ten");
    rc = check_nth(p, cfg, err);
    if (rc == SIM_OK)
        rc = check_bursts(p, cfg, err);
    if (rc == SIM_OK)
        rc = check_link(p, cfg, err);
    if (rc != SIM_OK)
        return rc;
    if (cfg->ber_e18 != 0 || cfg->nth_count + cfg->burst_count + cfg->outage_count +
                                     cfg->stuck_count + cfg->degrade_count !=
                                 0)
        return sim_error_set(err, SIM_ERR_CONFIG, "%s: this link loses nothing yet", p->path);
    return SIM_OK;
}
