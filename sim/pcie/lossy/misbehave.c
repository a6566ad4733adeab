#include "pcie/lossy/misbehave.h"

#include <stdlib.h>

#define MILLION 1000000u

int pcie_misdeeds_add(struct pcie_misdeeds **m_p, const struct pcie_misbehavior *how, uint64_t seed,
                      const char *path, struct sim_error *err)
{
    if (*m_p == NULL) {
        *m_p = calloc(1, sizeof(**m_p));
        if (*m_p == NULL)
            return sim_error_set(err, SIM_ERR_NOMEM, "%s: out of memory", path);
        sim_stream_init(&(*m_p)->stream, seed ^ sim_path_hash("misbehave"), path);
    }
    if ((*m_p)->n == PCIE_MISDEEDS_MAX)
        return sim_error_set(err, SIM_ERR_LIMIT, "%s: more than %u faults", path,
                             PCIE_MISDEEDS_MAX);
    (*m_p)->how[(*m_p)->n++] = *how;
    return SIM_OK;
}

static bool in_force(const struct pcie_misbehavior *how, sim_time_t now)
{
    return how->from_ps <= now && now < how->to_ps;
}

/** Is this request one of those that suffer? */
static bool picks_request(struct pcie_misdeeds *m, unsigned i)
{
    const struct pcie_misbehavior *how = &m->how[i];
    uint64_t at = m->seen[i]++;

    if (at < how->skip || (how->count != 0 && at - how->skip >= how->count))
        return false;
    return how->ppm == 0 || sim_stream_below(&m->stream, MILLION) < how->ppm;
}

struct pcie_verdict pcie_misdeeds_judge(struct pcie_misdeeds *m, sim_time_t now)
{
    struct pcie_verdict v = { .late_ps = 0 };

    for (unsigned i = 0; i < m->n; i++) {
        const struct pcie_misbehavior *how = &m->how[i];

        if (how->deed == PCIE_STOPS_TAKING || !in_force(how, now) || !picks_request(m, i))
            continue;
        v.poison |= how->deed == PCIE_POISONS;
        v.abort |= how->deed == PCIE_ABORTS;
        v.silent |= how->deed == PCIE_IS_SILENT;
        v.late_ps += how->deed == PCIE_IS_LATE ? how->late_ps : 0;
    }
    return v;
}

sim_time_t pcie_misdeeds_stopped_until(const struct pcie_misdeeds *m, sim_time_t now)
{
    sim_time_t until = now;

    for (unsigned i = 0; i < m->n; i++)
        if (m->how[i].deed == PCIE_STOPS_TAKING && in_force(&m->how[i], now) &&
            m->how[i].to_ps > until)
            until = m->how[i].to_ps;
    return until;
}
