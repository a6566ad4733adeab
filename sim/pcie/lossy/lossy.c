/* Making a link lossy: timers, the plan of outages, statistics. */
#include "pcie/lossy/lossy_impl.h"

#include <stdlib.h>

/**
 * The replay timer (3.5.2.1): three times the limit of an ACK, in whose place the other end's own
 * setting may be. The specification's table knows no length of the cable; its tolerance of +100 %
 * covers that of boards, and longer ones must add it, or each TLP would be sent twice. So the
 * round trip is added always.
 */
static void set_replay_timer(struct pcie_port *p, uint64_t limit)
{
    struct pcie_lossy *l = p->lossy;
    uint64_t symbols = p->cfg.replay_timer_symbols * p->phy.lanes;
    uint64_t far_ack = l->far_ack_symbols * p->phy.lanes;

    if (symbols == 0)
        symbols = 3 * sim_max(far_ack, limit);
    l->replay_ps = pcie_phy_ps(&p->phy, symbols);
    if (p->cfg.replay_timer_symbols == 0)
        l->replay_ps += p->in_ps + p->out_ps;
}

/* ---- the plan ---- */

static void plan_add(struct pcie_lossy *l, const struct plan_entry *e)
{
    size_t i = l->plan_count++;

    for (; i > 0 && l->plan[i - 1].at > e->at; i--)
        l->plan[i] = l->plan[i - 1];
    l->plan[i] = *e;
}

static void plan_faults(struct pcie_lossy *l, const struct pcie_port *of)
{
    const struct pcie_fault_config *cfg = &of->lossy->wire.cfg;

    for (size_t i = 0; i < cfg->outage_count; i++) {
        const struct pcie_fault_outage *o = &cfg->outages[i];

        plan_add(l, &(struct plan_entry){
                        .at = o->at_ps, .end = o->at_ps + o->duration_ps, .down = o->down });
    }
    for (size_t i = 0; i < cfg->degrade_count; i++) {
        const struct pcie_fault_degrade *d = &cfg->degrades[i];

        plan_add(l, &(struct plan_entry){ .at = d->at_ps,
                                          .end = d->at_ps + of->cfg.recovery_ps,
                                          .gen = (uint32_t)d->gen,
                                          .lanes = (uint32_t)d->lanes });
    }
}

int pcie_lossy_plan(struct pcie_port *p)
{
    struct pcie_lossy *l = p->lossy;
    const struct pcie_fault_config *a = &l->wire.cfg, *b = &p->far->lossy->wire.cfg;
    size_t n = a->outage_count + a->degrade_count + b->outage_count + b->degrade_count;
    struct plan_entry *plan = realloc(l->plan, (n + 1) * sizeof(*plan));

    if (plan == NULL)
        return SIM_ERR_NOMEM;
    l->plan = plan;
    l->plan_count = l->plan_next = 0;
    plan_faults(l, p);
    plan_faults(l, p->far);
    l->next_outage = n != 0 ? plan[0].at : SIM_TIME_NEVER;
    return SIM_OK;
}

static void add_stats(struct pcie_port *p)
{
    struct pcie_lossy *l = p->lossy;
    const struct {
        const uint64_t *value;
        const char *name, *meaning;
    } stats[] = {
        { &l->wire.bit_errors, "tx.bit_errors", "bits of packets sent that the wire inverted" },
        { &l->stat.hit_tlps, "tx.corrupted_tlps", "TLPs sent of which not all arrived as sent" },
        { &l->stat.hit_dllps, "tx.corrupted_dllps", "DLLPs sent that did not arrive as sent" },
        { &l->stat.nullified, "tx.nullified_tlps", "TLPs sent with EDB and inverted LCRC" },
        { &l->stat.naks, "tx.naks", "NAKs sent" },
        { &l->stat.replays, "tx.replays", "replays begun, by NAK or time-out" },
        { &l->stat.timeouts, "tx.replay_timeouts", "replays begun because the timer ran out" },
        { &l->stat.replayed, "tx.replayed_tlps", "TLPs sent again" },
        { &l->stat.discarded, "tx.discarded_tlps", "TLPs lost because the link was down" },
        { &l->stat.rx_naks, "rx.naks", "NAKs received" },
        { &l->stat.bad_lcrc, "rx.bad_lcrc", "TLPs received with a wrong LCRC or symbol" },
        { &l->stat.bad_dllp, "rx.bad_dllps", "DLLPs received with a wrong CRC or symbol" },
        { &l->stat.duplicates, "rx.duplicates", "TLPs received that had been received before" },
        { &l->stat.rx_nullified, "rx.nullified_tlps", "nullified TLPs received and ignored" },
        { &l->stat.framing, "rx.framing_errors", "framing tokens broken: the link was retrained" },
        { &l->stat.retrains, "retrains", "retrainings that an end of the link asked for" },
        { &l->stat.outages, "outages", "outages and changes of rate by plan" },
    };

    for (size_t i = 0; i < SIM_COUNT(stats); i++)
        pcie_port_add_stat(p, stats[i].value, stats[i].name, "1", stats[i].meaning);
}

static uint64_t digest(const struct pcie_port *p)
{
    const struct pcie_lossy *l = p->lossy;
    sim_time_t now = sim_now(p->dom);
    const uint64_t state[] = {
        (uint64_t)l->stage << 32 | (uint64_t)l->got_init << 8 | l->fc_lost,
        (uint64_t)l->replay_num << 32 | (uint32_t)l->resent << 1 | (l->replaying ? 1 : 0),
        l->replay_deadline == SIM_TIME_NEVER ? l->replay_deadline : l->replay_deadline - now,
        (l->nak_scheduled ? 1u : 0) | (l->nak_since != SIM_TIME_NEVER ? 2u : 0) |
            (l->dup_since != SIM_TIME_NEVER ? 4u : 0) | (l->recovering ? 8u : 0) |
            (l->partner_trains ? 16u : 0),
        l->plan_next,
    };

    return sim_hash_bytes(l->wire.clean_bits, state, sizeof(state));
}

static void free_lossy(struct pcie_port *p)
{
    pcie_fault_list_free(p->lossy->given);
    free(p->lossy->plan);
    free(p->lossy->wire.lists);
    free(p->lossy);
}

static const struct pcie_lossy_ops ops = {
    .work = pcie_lossy_work,
    .send = pcie_lossy_send,
    .receive = pcie_lossy_receive,
    .receive_dllps = pcie_lossy_receive_dllps,
    .take_stale = pcie_lossy_take_stale,
    .stale = pcie_lossy_stale,
    .discards = pcie_lossy_discards,
    .state = pcie_lossy_state,
    .stands = pcie_lossy_stands,
    .set_rate = set_replay_timer,
    .digest = digest,
    .free = free_lossy,
};

int pcie_lossy_attach(struct pcie_port *p)
{
    struct pcie_lossy *l = p->lossy;

    if (l != NULL)
        return SIM_OK;
    l = p->lossy = sim_calloc(sizeof(*l));
    if (l == NULL)
        return SIM_ERR_NOMEM;
    p->lossy_ops = &ops;
    l->replay_deadline = l->nak_since = l->dup_since = l->seen_active = SIM_TIME_NEVER;
    l->next_outage = l->wanted_at = l->replay_left = SIM_TIME_NEVER;
    l->init_lost = true;
    l->far_ack_symbols = p->far->cfg.ack_latency_symbols;
    p->init_send = 0;
    pcie_link_set_rate(p, p->gen, p->phy.lanes);
    add_stats(p);
    return SIM_OK;
}
