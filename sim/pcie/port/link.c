/* Making, checking, joining and freeing ports. */
#include "pcie/port/dll.h"
#include "pcie/port/tap.h"

#include <stdio.h>
#include <stdlib.h>

static bool power_of_two(uint64_t n)
{
    return (n & (n - 1)) == 0;
}

static int refuse_value(struct sim_error *err, const char *path, const char *key, uint64_t value,
                        const char *expected)
{
    char head[256];

    snprintf(head, sizeof(head), "%s: ", path);
    return sim_error_value(err, SIM_ERR_CONFIG, head, key, value, "expected %s", expected);
}

/** What the ranges of pcie_port_params leave to say. */
static int check_config(const char *path, const struct pcie_port_config *c, struct sim_error *err)
{
    const struct {
        const char *key;
        uint64_t credits;
    } pools[] = {
        { "pd_credits", c->pd_credits },
        { "vc1_pd_credits", c->vc1_pd_credits },
        { "cpld_credits", c->cpld_credits },
    };
    uint64_t largest = c->mps_bytes / 16;

    if (!power_of_two(c->lanes))
        return refuse_value(err, path, "lanes", c->lanes, "1, 2, 4, 8 or 16");
    if (!power_of_two(c->mps_bytes))
        return refuse_value(err, path, "mps_bytes", c->mps_bytes,
                            "128, 256, 512, 1024, 2048 or 4096");
    for (size_t i = 0; i < SIM_COUNT(pools); i++) {
        char expected[64];

        /* A finite data pool must hold one TLP of the largest size, or that TLP waits forever. */
        snprintf(expected, sizeof(expected), "%u to 2047", (unsigned)largest);
        if (pools[i].credits != 0 && pools[i].credits < largest)
            return refuse_value(err, path, pools[i].key, pools[i].credits, expected);
    }
    return SIM_OK;
}

static void add_stats(const struct pcie_port *p)
{
    const struct sim_stat_row rows[] = {
        { &p->stat.tx_tlps, "tx.tlps", "1", "TLPs sent" },
        { &p->stat.tx_payload, "tx.payload_bytes", "bytes", "payload of the TLPs sent" },
        { &p->stat.tx_symbols, "tx.wire_symbols", "symbols",
          "symbols of TLPs and DLLPs sent, over all lanes; SKP ordered sets not counted" },
        { &p->stat.tx_dllps, "tx.dllps", "1", "ACK and flow-control DLLPs sent" },
        { &p->stat.stall_ps[PCIE_POSTED], "tx.stall_credit_p_ps", "ps",
          "the link was free, the oldest TLP waited for posted credits" },
        { &p->stat.stall_ps[PCIE_NONPOSTED], "tx.stall_credit_np_ps", "ps",
          "the link was free, the oldest TLP waited for non-posted credits" },
        { &p->stat.stall_ps[PCIE_COMPLETION], "tx.stall_credit_cpl_ps", "ps",
          "the link was free, the oldest TLP waited for completion credits" },
        { &p->stat.stall_ps[PCIE_POSTED_VC1], "tx.stall_credit_p1_ps", "ps",
          "the link was free, the oldest TLP waited for posted credits of virtual channel 1" },
        { &p->stat.stall_ps[TX_STALL_REPLAY], "tx.stall_replay_ps", "ps",
          "the link was free, TLPs waited for room in the replay buffer" },
        { &p->stat.stall_ps[TX_STALL_AGAIN], "tx.stall_replay_again_ps", "ps",
          "the link was free, TLPs waited for those sent again" },
        { &p->stat.stall_ps[TX_STALL_DOWN], "tx.stall_down_ps", "ps",
          "TLPs waited for the link to come up or to train" },
        { &p->stat.rx_tlps, "rx.tlps", "1", "TLPs received" },
        { &p->stat.rx_payload, "rx.payload_bytes", "bytes", "payload of the TLPs received" },
        { &p->stat.rx_bad_seq, "rx.bad_sequence", "1",
          "TLPs dropped for an unexpected sequence number" },
        { &p->stat.correctable, "errors.correctable", "1",
          "errors that the link layer repaired (docs/errors.md)" },
        { &p->stat.uncorrectable, "errors.uncorrectable", "1",
          "errors of the transaction layer that this port or its user detected" },
    };

    sim_stats_register(p->dom, p->path, rows, SIM_COUNT(rows));
}

/** The line code has its own rule (4.2.7.3). */
static void init_phy(struct pcie_port *p, uint32_t gen, uint32_t lanes)
{
    uint64_t skp_interval =
        gen <= 2 ? p->cfg.skp_interval_symbols : p->cfg.skp_interval_blocks * PCIE_BLOCK_SYMBOLS;

    pcie_phy_init(&p->phy, gen, lanes, skp_interval);
}

static void init_state(struct pcie_port *p)
{
    const struct pcie_port_config *c = &p->cfg;
    const uint64_t hdr[PCIE_CLASSES] = { c->ph_credits, c->nph_credits, c->cplh_credits,
                                         c->vc1_ph_credits };
    const uint64_t data[PCIE_CLASSES] = { c->pd_credits, c->npd_credits, c->cpld_credits,
                                          c->vc1_pd_credits };

    for (unsigned i = 0; i < PCIE_CLASSES; i++) {
        p->rx[i].hdr_total = p->rx[i].hdr_alloc = (uint16_t)hdr[i];
        p->rx[i].data_total = p->rx[i].data_alloc = (uint16_t)data[i];
    }
    p->classes = PCIE_POSTED_VC1;
    p->queue_tlps = (uint16_t)c->tx_queue_tlps;
    p->replay_room = (uint16_t)c->replay_tlps;
    p->stalled_by = TX_STALLS;
    p->dllp_due = SIM_TIME_NEVER;
    p->mps = (uint32_t)c->mps_bytes;
    init_phy(p, (uint32_t)c->gen, (uint32_t)c->lanes);
    sim_event_init(&p->work, pcie_port_work);
}

static bool allocate_rings(struct pcie_port *p)
{
    p->replay = calloc(p->cfg.replay_tlps, sizeof(*p->replay));
    for (unsigned i = 0; i < PCIE_CLASSES; i++)
        p->tx[i].ring = calloc(p->cfg.tx_queue_tlps, sizeof(*p->tx[i].ring));
    return p->replay != NULL && p->tx[0].ring != NULL && p->tx[1].ring != NULL &&
           p->tx[2].ring != NULL && p->tx[3].ring != NULL;
}

int pcie_port_create(struct sim_domain *dom, struct mem_pool *pool, const char *path,
                     const struct pcie_port_config *cfg, const struct pcie_port_user *user,
                     struct pcie_port **port_p, struct sim_error *err)
{
    struct pcie_port *p;
    int rc = check_config(path, cfg, err);

    if (rc != SIM_OK)
        return rc;
    p = sim_calloc(sizeof(*p));
    if (p == NULL)
        return SIM_ERR_NOMEM;
    p->dom = dom;
    p->pool = pool;
    p->cfg = *cfg;
    p->user = *user;
    snprintf(p->path, sizeof(p->path), "%s", path);
    if (!allocate_rings(p) || pcie_tap_create(p) != SIM_OK) {
        pcie_port_destroy(p);
        return SIM_ERR_NOMEM;
    }
    init_state(p);
    add_stats(p);
    *port_p = p;
    return SIM_OK;
}

void pcie_port_destroy(struct pcie_port *p)
{
    if (p == NULL)
        return;
    sim_cancel(p->dom, &p->work);
    for (unsigned i = 0; i < PCIE_CLASSES; i++) {
        struct tx_class *q = &p->tx[i];

        for (; q->count > 0; q->count--) {
            pcie_tlp_drop(&q->ring[q->head].tlp);
            q->head = (uint16_t)((q->head + 1) % p->queue_tlps);
        }
        free(q->ring);
    }
    for (; p->replay_count > 0; p->replay_count--) {
        pcie_tlp_drop(&p->replay[p->replay_head]);
        p->replay_head = (uint16_t)((p->replay_head + 1) % p->replay_room);
    }
    pcie_tap_destroy(p);
    if (p->lossy != NULL)
        p->lossy_ops->free(p);
    free(p->replay);
    free(p);
}

/* ---- joining ---- */

/** TLPs and DLLPs of one direction share the wire, but only TLPs need an event each. */
static int open_channels(struct pcie_port *from, struct pcie_port *to, sim_time_t wire_ps,
                         struct sim_error *err)
{
    struct sim_channel_config cfg = {
        .from = from->dom,
        .to = to->dom,
        .latency_ps = from->cfg.tx_latency_ps + wire_ps + to->cfg.rx_latency_ps,
        .deliver = pcie_dll_receive,
        .arg = to,
    };

    if (cfg.latency_ps < SIM_NS) {
        return sim_error_set(err, SIM_ERR_CONFIG,
                             "%s to %s: tx_latency_ps + wire + rx_latency_ps = %llu: expected at "
                             "least 1000",
                             from->path, to->path, (unsigned long long)cfg.latency_ps);
    }
    from->out = sim_channel_create(&cfg, err);
    cfg.deliver = pcie_dll_receive_dllps;
    cfg.lazy = true;
    from->out_dllp = to->in_dllp = sim_channel_create(&cfg, err);
    from->out_ps = to->in_ps = cfg.latency_ps;
    return from->out != NULL && from->out_dllp != NULL ? SIM_OK : SIM_ERR_NOMEM;
}

void pcie_link_set_rate(struct pcie_port *p, uint32_t gen, uint32_t lanes)
{
    uint64_t limit = pcie_dll_latency_symbols(gen, lanes, p->mps);
    uint64_t ack = p->cfg.ack_latency_symbols, fc = p->cfg.fc_latency_symbols;

    init_phy(p, gen, lanes);
    p->gen = gen;
    p->ack_ps = pcie_phy_ps(&p->phy, (ack != 0 ? ack : limit) * lanes);
    p->fc_ps = pcie_phy_ps(&p->phy, (fc != 0 ? fc : limit) * lanes);
    if (p->lossy != NULL)
        p->lossy_ops->set_rate(p, limit * lanes);
}

void pcie_link_settle(struct pcie_port *p, const struct pcie_port_config *far, const char *far_path)
{
    p->far_path = far_path;
    if (p->cfg.vc1_ph_credits != 0 && far->vc1_ph_credits != 0)
        p->classes = PCIE_CLASSES;
    p->mps = (uint32_t)sim_min(p->cfg.mps_bytes, far->mps_bytes);
    pcie_link_set_rate(p, (uint32_t)sim_min(p->cfg.gen, far->gen),
                       (uint32_t)sim_min(p->cfg.lanes, far->lanes));
    p->init_send = 1;
    sim_channel_listen(p->in_dllp, true);
    p->dllp_due = sim_now(p->dom);
    sim_schedule_at(p->dom, &p->work, p->dllp_due, SIM_ARRIVE);
}

void pcie_port_set_facing(struct pcie_port *p, enum pcie_facing facing)
{
    p->facing = facing;
}

int pcie_link_check(const struct pcie_port *a, enum pcie_facing far, const char *far_path,
                    struct sim_error *err)
{
    if (a->out != NULL)
        return sim_error_set(err, SIM_ERR_CONFIG, "%s to %s: %s is connected already", a->path,
                             far_path, a->path);
    if (a->facing != PCIE_ANY_END && a->facing == far)
        return sim_error_set(err, SIM_ERR_CONFIG,
                             "%s to %s: both are the %s of their link: expected one of each role",
                             a->path, far_path, far == PCIE_ROOT_END ? "root" : "endpoint");
    return SIM_OK;
}

int pcie_link_connect(struct pcie_port *a, struct pcie_port *b, sim_time_t wire_ps,
                      struct sim_error *err)
{
    int rc;

    if (a == b || (b->out != NULL && a->out == NULL))
        return sim_error_set(err, SIM_ERR_CONFIG, "%s to %s: %s is connected already", a->path,
                             b->path, b->path);
    rc = pcie_link_check(a, b->facing, b->path, err);
    if (rc == SIM_OK)
        rc = open_channels(a, b, wire_ps, err);
    if (rc == SIM_OK)
        rc = open_channels(b, a, wire_ps, err);
    if (rc != SIM_OK)
        return rc;
    a->far = b;
    b->far = a;
    pcie_link_settle(a, &b->cfg, b->path);
    pcie_link_settle(b, &a->cfg, a->path);
    if (a->tap != NULL && b->tap != NULL) {
        (void)pcie_tap_levels(a);
        (void)pcie_tap_levels(b);
    }
    return SIM_OK;
}

int pcie_link_join(void *end_a, void *end_b, sim_time_t wire_ps, struct sim_error *err)
{
    return pcie_link_connect(end_a, end_b, wire_ps, err);
}
