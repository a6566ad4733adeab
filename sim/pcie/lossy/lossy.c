/* Making a link lossy: timers, statistics. */
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

static void add_stats(const struct pcie_port *p)
{
    const struct pcie_lossy *l = p->lossy;
    const struct sim_stat_row rows[] = {
        { &l->wire.bit_errors, "tx.bit_errors", "1",
          "bits of packets sent that the wire inverted" },
        { &l->stat.hit_tlps, "tx.corrupted_tlps", "1",
          "TLPs sent of which not all arrived as sent" },
        { &l->stat.hit_dllps, "tx.corrupted_dllps", "1", "DLLPs sent that did not arrive as sent" },
        { &l->stat.nullified, "tx.nullified_tlps", "1", "TLPs sent with EDB and inverted LCRC" },
        { &l->stat.naks, "tx.naks", "1", "NAKs sent" },
        { &l->stat.replays, "tx.replays", "1", "replays begun, by NAK or time-out" },
        { &l->stat.timeouts, "tx.replay_timeouts", "1", "replays begun because the timer ran out" },
        { &l->stat.replayed, "tx.replayed_tlps", "1", "TLPs sent again" },
        { &l->stat.discarded, "tx.discarded_tlps", "1", "TLPs lost because the link was down" },
        { &l->stat.rx_naks, "rx.naks", "1", "NAKs received" },
        { &l->stat.bad_lcrc, "rx.bad_lcrc", "1", "TLPs received with a wrong LCRC or symbol" },
        { &l->stat.bad_dllp, "rx.bad_dllps", "1", "DLLPs received with a wrong CRC or symbol" },
        { &l->stat.duplicates, "rx.duplicates", "1",
          "TLPs received that had been received before" },
        { &l->stat.rx_nullified, "rx.nullified_tlps", "1", "nullified TLPs received and ignored" },
        { &l->stat.framing, "rx.framing_errors", "1",
          "framing tokens broken: the link was retrained" },
        { &l->stat.retrains, "retrains", "1", "retrainings that an end of the link asked for" },
        { &l->stat.outages, "outages", "1", "outages and changes of rate by plan" },
    };

    sim_stats_register(p->dom, p->path, rows, SIM_COUNT(rows));
}

static void free_lossy(struct pcie_port *p)
{
    free(p->lossy->plan);
    free(p->lossy->wire.nth);
    free(p->lossy->wire.bursts);
    free(p->lossy->wire.stuck);
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
    .free = free_lossy,
};

bool pcie_lossy_attach(struct pcie_port *p)
{
    struct pcie_lossy *l = p->lossy;

    if (l != NULL)
        return true;
    l = p->lossy = sim_calloc(sizeof(*l));
    if (l == NULL)
        return false;
    p->lossy_ops = &ops;
    l->replay_deadline = l->nak_since = l->dup_since = l->seen_active = SIM_TIME_NEVER;
    l->next_outage = l->wanted_at = l->replay_left = SIM_TIME_NEVER;
    l->init_lost = true;
    l->far_ack_symbols = p->far->cfg.ack_latency_symbols;
    p->init_send = 0;
    pcie_link_set_rate(p, p->gen, p->phy.lanes);
    add_stats(p);
    return true;
}
