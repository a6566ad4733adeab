/* Making, checking, joining and freeing ports. */
#include "pcie/port/dll.h"
#include "pcie/port/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LANES_OK (1u << 1 | 1u << 2 | 1u << 4 | 1u << 8 | 1u << 16)
#define MPS_OK   (128u | 256u | 512u | 1024u | 2048u | 4096u)

/* Of credits that are not yet used a receiver may announce at most half the counter (2.6.1). */
#define HDR_CREDITS_MAX  127u
#define DATA_CREDITS_MAX 2047u
/* Half the sequence numbers may be unacknowledged (3.5.2.2). */
#define REPLAY_MAX 2047u
/* TLPs that wait for the link, over all classes, are counted in 16 bits. */
#define QUEUE_MAX 4096u

static int refuse_value(struct sim_error *err, const char *path, const char *key, uint64_t value,
                        const char *expected)
{
    char head[256];

    snprintf(head, sizeof(head), "%s: ", path);
    return sim_error_value(err, SIM_ERR_CONFIG, head, key, value, "expected %s", expected);
}

static int check_range(struct sim_error *err, const char *path, const char *key, uint64_t value,
                       uint64_t min, uint64_t max)
{
    char expected[64];

    if (value >= min && value <= max)
        return SIM_OK;
    snprintf(expected, sizeof(expected), "%llu to %llu", (unsigned long long)min,
             (unsigned long long)max);
    return refuse_value(err, path, key, value, expected);
}

/** A finite data pool must hold one TLP of the largest size, or that TLP waits forever. */
static uint64_t data_min(uint64_t credits, uint64_t largest_bytes)
{
    return credits == 0 ? 0 : (largest_bytes + 15) / 16;
}

static int check_config(const char *path, const struct pcie_port_config *c, struct sim_error *err)
{
    const struct {
        const char *key;
        uint64_t value, min, max;
    } ranges[] = {
        { "ph_credits", c->ph_credits, 0, HDR_CREDITS_MAX },
        { "nph_credits", c->nph_credits, 0, HDR_CREDITS_MAX },
        { "cplh_credits", c->cplh_credits, 0, HDR_CREDITS_MAX },
        { "pd_credits", c->pd_credits, data_min(c->pd_credits, c->mps_bytes), DATA_CREDITS_MAX },
        { "npd_credits", c->npd_credits, data_min(c->npd_credits, 4), DATA_CREDITS_MAX },
        { "vc1_ph_credits", c->vc1_ph_credits, 0, HDR_CREDITS_MAX },
        { "vc1_pd_credits", c->vc1_pd_credits, data_min(c->vc1_pd_credits, c->mps_bytes),
          DATA_CREDITS_MAX },
        { "cpld_credits", c->cpld_credits, data_min(c->cpld_credits, c->mps_bytes),
          DATA_CREDITS_MAX },
        { "tx_queue_tlps", c->tx_queue_tlps, 1, QUEUE_MAX },
        { "replay_tlps", c->replay_tlps, 1, REPLAY_MAX },
    };
    int rc = check_range(err, path, "gen", c->gen, 1, 5);

    if (rc == SIM_OK && (c->lanes > 16 || (LANES_OK >> c->lanes & 1) == 0))
        rc = refuse_value(err, path, "lanes", c->lanes, "1, 2, 4, 8 or 16");
    if (rc == SIM_OK && ((c->mps_bytes & MPS_OK) != c->mps_bytes || c->mps_bytes == 0 ||
                         (c->mps_bytes & (c->mps_bytes - 1)) != 0))
        rc =
            refuse_value(err, path, "mps_bytes", c->mps_bytes, "128, 256, 512, 1024, 2048 or 4096");
    for (size_t i = 0; rc == SIM_OK && i < SIM_COUNT(ranges); i++)
        rc = check_range(err, path, ranges[i].key, ranges[i].value, ranges[i].min, ranges[i].max);
    return rc;
}

void pcie_port_add_stat(struct pcie_port *p, const uint64_t *value, const char *name,
                        const char *unit, const char *meaning)
{
    char path[256];

    snprintf(path, sizeof(path), "%s.%s", p->path, name);
    sim_stat_register(p->dom, value, path, unit, meaning);
}

static void add_stats(struct pcie_port *p)
{
    static const char *const stall[TX_STALLS][2] = {
        { "tx.stall_credit_p_ps", "the link was free, the oldest TLP waited for posted credits" },
        { "tx.stall_credit_np_ps",
          "the link was free, the oldest TLP waited for non-posted credits" },
        { "tx.stall_credit_cpl_ps",
          "the link was free, the oldest TLP waited for completion credits" },
        { "tx.stall_credit_p1_ps",
          "the link was free, the oldest TLP waited for posted credits of virtual channel 1" },
        { "tx.stall_replay_ps", "the link was free, TLPs waited for room in the replay buffer" },
        { "tx.stall_replay_again_ps", "the link was free, TLPs waited for those sent again" },
        { "tx.stall_down_ps", "TLPs waited for the link to come up or to train" },
    };

    pcie_port_add_stat(p, &p->stat.tx_tlps, "tx.tlps", "1", "TLPs sent");
    pcie_port_add_stat(p, &p->stat.tx_payload, "tx.payload_bytes", "bytes",
                       "payload of the TLPs sent");
    pcie_port_add_stat(
        p, &p->stat.tx_symbols, "tx.wire_symbols", "symbols",
        "symbols of TLPs and DLLPs sent, over all lanes; SKP ordered sets not counted");
    pcie_port_add_stat(p, &p->stat.tx_dllps, "tx.dllps", "1", "ACK and flow-control DLLPs sent");
    for (unsigned i = 0; i < TX_STALLS; i++)
        pcie_port_add_stat(p, &p->stat.stall_ps[i], stall[i][0], "ps", stall[i][1]);
    pcie_port_add_stat(p, &p->stat.rx_tlps, "rx.tlps", "1", "TLPs received");
    pcie_port_add_stat(p, &p->stat.rx_payload, "rx.payload_bytes", "bytes",
                       "payload of the TLPs received");
    pcie_port_add_stat(p, &p->stat.rx_bad_seq, "rx.bad_sequence", "1",
                       "TLPs dropped for an unexpected sequence number");
    pcie_port_add_stat(p, &p->stat.correctable, "errors.correctable", "1",
                       "errors that the link layer repaired (docs/errors.md)");
    pcie_port_add_stat(p, &p->stat.uncorrectable, "errors.uncorrectable", "1",
                       "errors of the transaction layer that this port or its user detected");
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

static bool allocate_rings(struct pcie_port *p, const char *path)
{
    size_t n = strlen(path) + 1;

    p->path = malloc(n);
    p->replay = calloc(p->cfg.replay_tlps, sizeof(*p->replay));
    for (unsigned i = 0; i < PCIE_CLASSES; i++)
        p->tx[i].ring = calloc(p->cfg.tx_queue_tlps, sizeof(*p->tx[i].ring));
    if (p->path == NULL || p->replay == NULL || p->tx[0].ring == NULL || p->tx[1].ring == NULL ||
        p->tx[2].ring == NULL || p->tx[3].ring == NULL)
        return false;
    memcpy(p->path, path, n);
    return true;
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
        return sim_error_set(err, SIM_ERR_NOMEM, "%s: out of memory", path);
    p->dom = dom;
    p->pool = pool;
    p->cfg = *cfg;
    p->user = *user;
    if (!allocate_rings(p, path) || pcie_tap_create(p) != SIM_OK) {
        pcie_port_destroy(p);
        return sim_error_set(err, SIM_ERR_NOMEM, "%s: out of memory", path);
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
    free(p->path);
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
        (void)sim_error_set(err, SIM_ERR_CONFIG,
                            "%s to %s: tx_latency_ps + wire + rx_latency_ps = %llu: expected at "
                            "least 1000",
                            from->path, to->path, (unsigned long long)cfg.latency_ps);
        return SIM_ERR_CONFIG;
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

/** What training and enumeration settle: the smaller value of both ends. */
static void settle_link(struct pcie_port *p, uint32_t gen, uint32_t lanes, uint32_t mps)
{
    p->mps = mps;
    pcie_link_set_rate(p, gen, lanes);
    p->init_send = 1;
    sim_channel_listen(p->in_dllp, true);
    p->dllp_due = sim_now(p->dom);
    sim_schedule_at(p->dom, &p->work, p->dllp_due, SIM_ARRIVE);
}

void pcie_port_set_facing(struct pcie_port *p, enum pcie_facing facing)
{
    p->facing = facing;
}

int pcie_link_connect(void *end_a, void *end_b, sim_time_t wire_ps, struct sim_error *err)
{
    struct pcie_port *a = end_a, *b = end_b;
    uint32_t gen = (uint32_t)sim_min(a->cfg.gen, b->cfg.gen);
    uint32_t lanes = (uint32_t)sim_min(a->cfg.lanes, b->cfg.lanes);
    uint32_t mps = (uint32_t)sim_min(a->cfg.mps_bytes, b->cfg.mps_bytes);
    struct pcie_port *used = a->out != NULL ? a : b;
    int rc;

    if (a == b || used->out != NULL)
        return sim_error_set(err, SIM_ERR_CONFIG, "%s to %s: %s is connected already", a->path,
                             b->path, used->path);
    if (a->facing != PCIE_ANY_END && a->facing == b->facing)
        return sim_error_set(err, SIM_ERR_CONFIG,
                             "%s to %s: both are the %s of their link: expected one of each role",
                             a->path, b->path, a->facing == PCIE_ROOT_END ? "root" : "endpoint");
    rc = open_channels(a, b, wire_ps, err);
    if (rc == SIM_OK)
        rc = open_channels(b, a, wire_ps, err);
    if (rc != SIM_OK)
        return rc;
    if (a->cfg.vc1_ph_credits != 0 && b->cfg.vc1_ph_credits != 0)
        a->classes = b->classes = PCIE_CLASSES;
    a->far_path = b->path;
    b->far_path = a->path;
    a->far = b;
    b->far = a;
    settle_link(a, gen, lanes, mps);
    settle_link(b, gen, lanes, mps);
    if (a->tap != NULL && b->tap != NULL) {
        (void)pcie_tap_levels(a);
        (void)pcie_tap_levels(b);
    }
    return SIM_OK;
}

/* ---- digest ---- */

static uint64_t mix_state(uint64_t h, uint64_t v)
{
    return sim_hash_bytes(h, &v, sizeof(v));
}

/** Times are relative to now, 0 for the past, so that equal states at different times agree. */
static uint64_t time_ahead(const struct pcie_port *p, sim_time_t t)
{
    sim_time_t now = sim_now(p->dom);

    return t == SIM_TIME_NEVER ? UINT64_MAX : t > now ? t - now : 0;
}

static uint64_t digest_tx(uint64_t h, const struct tx_class *q, uint32_t room)
{
    h = mix_state(h, (uint64_t)q->hdr_avail << 32 | q->data_avail);
    for (uint32_t i = 0; i < q->count; i++)
        h = mix_state(h, pcie_tlp_hash(&q->ring[(q->head + i) % room].tlp));
    return h;
}

static uint64_t digest_rx(uint64_t h, const struct rx_class *r)
{
    h = mix_state(h, (uint64_t)r->hdr_held << 32 | r->data_held);
    return mix_state(h, (uint64_t)(r->hdr_freed + r->hdr_fresh) << 32 |
                            (r->data_freed + r->data_fresh));
}

const char *pcie_port_path(const struct pcie_port *p)
{
    return p->path;
}

uint64_t pcie_port_digest(struct pcie_port *p)
{
    uint64_t h;

    if (p->in_dllp != NULL)
        sim_channel_settle(p->in_dllp);
    h = mix_state(0, (uint64_t)p->up << 32 | p->waiting);

    for (unsigned i = 0; i < PCIE_CLASSES; i++) {
        h = digest_tx(h, &p->tx[i], p->queue_tlps);
        h = digest_rx(h, &p->rx[i]);
    }
    h = mix_state(h, (uint64_t)p->replay_count << 32 | p->unacked);
    h = mix_state(h, time_ahead(p, p->phy.free_ps));
    h = mix_state(h, time_ahead(p, p->dllp_due));
    return p->lossy != NULL ? mix_state(h, p->lossy_ops->digest(p)) : h;
}
