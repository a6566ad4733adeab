/*
 * The kind "hub.rtl": the ports of hub.c round the core in SystemVerilog, cycle by cycle. The clock
 * of a core that is quiet stops.
 */
#include "rtl-model/cosim/cosim.h"

#include "pcie/lossy/fault.h"
#include "pcie/port/port_impl.h"
#include "rtl-model/cosim/library.h"
#include "rtl-model/cosim/mirror.h"
#include "rtl-model/cosim/parameters.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** A packet whose beats come or go. */
struct flow {
    struct pcie_tlp tlp;
    uint64_t edge; /* of its first beat */
    uint32_t done; /* bytes of data that have come or gone */
    bool busy;
};

/** Packets for a receive stream: the one under way, and one behind it. */
struct rx_flow {
    struct flow flow[2];
    bool hit[2];
    uint32_t n;
};

struct core {
    struct hub *hub;
    const struct model_ops *ops; /* once it has started: a library is made if it is not there */
    char parameters[1024];       /* which the library has */
    struct model *model;
    uint32_t bus; /* bytes of a beat */
    struct mirror mirror;
    struct rx_flow rx[HUB_MAX_PORTS];
    struct flow tx[HUB_MAX_PORTS + MODEL_INSIDE];
    struct model_in in;
    struct model_out out;
    uint64_t still, stages; /* edges since something has happened; what cannot take longer inside */
    uint64_t none_waited;   /* the last edge at which no request waited for its answer */
    bool traced;
};

/* ---- what comes in ---- */

static void core_received(void *arg, uint64_t edge, uint32_t port, struct pcie_tlp *tlp, bool hit)
{
    struct core *core = arg;
    struct rx_flow *rx = &core->rx[port];

    mirror_received(&core->mirror, port, tlp);
    SIM_ASSERT(rx->n < 2); /* streams have no gaps and no packet before its turn */
    rx->flow[rx->n] = (struct flow){ .tlp = *tlp, .edge = edge, .busy = true };
    rx->hit[rx->n++] = hit;
    hub_wake(core->hub, edge);
}

/** The beat that the hard block has registered at the edge before. */
static void show_received(struct core *core, uint32_t port, uint64_t edge)
{
    struct model_port_in *in = &core->in.port[port];
    struct rx_flow *rx = &core->rx[port];
    struct flow *f = &rx->flow[0];
    uint32_t bytes, n;

    in->rx_valid = in->rx_sop = false;
    if (rx->n == 0 || f->edge >= edge)
        return;
    in->rx_valid = true;
    in->rx_sop = f->edge + 1 == edge;
    in->rx_hit = rx->hit[0];
    in->rx_class = (uint8_t)pcie_tlp_class(&f->tlp);
    memset(in->rx_data, 0, core->bus);
    bytes = pcie_tlp_data_bytes(&f->tlp);
    if (in->rx_sop) {
        (void)pcie_tlp_encode(&f->tlp, in->rx_data);
    } else {
        SIM_ASSERT(f->tlp.payload != NULL);
        n = bytes - f->done < core->bus ? bytes - f->done : core->bus;
        memcpy(in->rx_data, f->tlp.payload->data + f->done, n);
        f->done += n;
    }
    if (f->done < bytes)
        return;
    pcie_tlp_drop(&f->tlp);
    rx->flow[0] = rx->flow[1];
    rx->hit[0] = rx->hit[1];
    rx->n--;
}

static uint32_t errors_of(const struct hub_edge *edge, uint32_t reg)
{
    return pcie_function_read(&edge->function, reg);
}

static void show_port(struct core *core, uint32_t index)
{
    const struct hub_port *port = &core->hub->ports[index];
    const struct hub_edge *edge = &port->edge;
    struct model_port_state *in = &core->in.port[index].state;

    in->tx_ready = in->tx_empty = 0;
    for (uint32_t c = 0; c < PCIE_CLASSES; c++) {
        struct pcie_credits now = pcie_port_credits(edge->pcie, (enum pcie_class)c);

        in->tx_ready |= (uint8_t)(now.ready << c);
        in->tx_empty |= (uint8_t)(now.empty << c);
        in->tx_limit_h[c] = (uint8_t)now.hdr;
        in->tx_limit_d[c] = (uint16_t)(now.data & 0xfff);
        in->tx_first_h[c] = (uint8_t)now.hdr_first;
        in->tx_first_d[c] = now.data_first;
    }
    in->cfg_mps = (uint8_t)(__builtin_ctz(port->mps_bytes) - 7);
    in->cfg_id = edge->function.id;
    in->cfg_master = edge->masters;
    in->cfg_memory = edge->role == HUB_ROOT ? port->bringup == BRINGUP_DONE
                                            : pcie_function_memory_enabled(&edge->function);
    in->link_up = pcie_port_is_up(edge->pcie);
    in->vc1 = (core->hub->vc1 >> index & 1) != 0;
    in->errors[0] = errors_of(edge, PCIE_AER_UNCORRECTABLE);
    in->errors[1] = errors_of(edge, PCIE_AER_CORRECTABLE);
}

static void show_host(struct core *core)
{
    const struct pcie_function *fn = &hub_host(core->hub)->function;
    struct model_state *in = &core->in.state;

    in->cfg_bar = pcie_function_bar(fn, 0);
    in->cfg_mrrs = (uint8_t)(__builtin_ctz(pcie_function_mrrs(fn)) - 7);
    in->cfg_msi = pcie_function_msi(fn, &in->cfg_msi_address, &in->cfg_msi_data);
}

/* ---- what goes out ---- */

static void read_header(struct core *core, const uint8_t *bytes, struct flow *f)
{
    struct sim_error err;
    bool has_data;
    uint32_t n;

    f->tlp = (struct pcie_tlp){ .payload = NULL };
    n = (uint32_t)pcie_tlp_decode(bytes, PCIE_MAX_HEADER, &f->tlp, &has_data, &err);
    SIM_ASSERT((int)n > 0); /* the core sends what is a header */
    n = has_data ? f->tlp.length_dw * 4u : 0;
    if (n != 0) {
        f->tlp.payload = mem_payload_alloc(core->hub->pool, n);
        SIM_ASSERT(f->tlp.payload != NULL);
        f->tlp.payload->late = true;
    }
}

static void hash_flow(struct core *core, uint32_t port, const struct flow *f)
{
    struct hub *hub = core->hub;

    if (hub->hashed)
        sim_edge(hub->dom, hub->ports[port].out_hash, f->edge, pcie_tlp_hash(&f->tlp));
}

/* The link may begin to send while beats come. */
static void begin_sending(struct core *core, uint32_t port, uint64_t edge)
{
    struct hub *hub = core->hub;
    struct flow *f = &core->tx[port];
    const struct hub_edge *ip = &hub->ports[port].edge;
    sim_time_t end, lag;

    read_header(core, core->out.tx[port].data, f);
    f->tlp.trace_id = mirror_granted(&core->mirror, core->out.tx[port].source, port, f->tlp.kind,
                                     pcie_tlp_data_bytes(&f->tlp), edge);
    f->edge = edge;
    f->done = 0;
    f->busy = f->tlp.payload != NULL;
    end = sim_clock_time(&hub->clk, edge + hub_edge_beats(&f->tlp, core->bus));
    hub->ports[port].forwarded_tlps++;
    lag = hub_edge_lag(ip, &f->tlp, end - sim_now(hub->dom));
    if (hub->probe != NULL && lag != 0)
        f->tlp.trace_id = hub_probe_lag(hub, port, sim_now(hub->dom) + lag, f->tlp.trace_id);
    hub_edge_send(ip, &f->tlp, lag);
    if (!f->busy)
        hash_flow(core, port, f);
}

/** @return whether this was the last beat of data */
static bool take_data(struct core *core, struct flow *f, const uint8_t *data)
{
    uint32_t bytes = pcie_tlp_data_bytes(&f->tlp);
    uint32_t n = bytes - f->done < core->bus ? bytes - f->done : core->bus;

    SIM_ASSERT(f->tlp.payload != NULL);
    memcpy(f->tlp.payload->data + f->done, data, n);
    f->done += n;
    f->busy = f->done < bytes;
    return !f->busy;
}

static void take_sent(struct core *core, uint32_t port, uint64_t edge)
{
    const struct model_stream *tx = &core->out.tx[port];
    struct flow *f = &core->tx[port];

    if (!tx->valid)
        return;
    SIM_ASSERT(tx->sop != f->busy); /* beats of a packet follow each other */
    if (tx->sop) {
        begin_sending(core, port, edge);
    } else if (take_data(core, f, tx->data)) {
        f->tlp.payload->late = false;
        hash_flow(core, port, f);
    }
}

static void free_places(struct core *core)
{
    for (uint32_t left = core->out.ddr_free; left != 0; left &= left - 1)
        pcie_port_consume(core->hub->ports[__builtin_ctz(left)].edge.pcie, PCIE_POSTED,
                          core->out.ddr_free_units);
    for (uint64_t left = core->out.rx_free; left != 0; left &= left - 1) {
        uint32_t at = (uint32_t)__builtin_ctzll(left);

        pcie_port_consume(core->hub->ports[at / MODEL_CLASSES].edge.pcie,
                          (enum pcie_class)(at % MODEL_CLASSES), core->out.rx_free_units[at]);
    }
}

/* ---- errors, and the management processor ---- */

static void record_error(struct core *core, const struct model_error *e)
{
    struct pcie_port *port = core->hub->ports[e->port].edge.pcie;
    struct pcie_tlp tlp;
    struct sim_error err;
    bool has_data, known = pcie_tlp_decode(e->header, PCIE_MAX_HEADER, &tlp, &has_data, &err) > 0;

    if (e->advisory)
        pcie_port_advisory(port, (enum pcie_error)e->kind, known ? &tlp : NULL);
    else
        pcie_port_error(port, (enum pcie_error)e->kind, known ? &tlp : NULL);
}

/* What a channel, or none, has found in a completion. */
static void take_answer(struct core *core)
{
    struct pcie_port *host = hub_host(core->hub)->pcie;
    const struct model_out *out = &core->out;
    struct sim_error err;
    struct pcie_tlp tlp;
    bool has_data;

    if (out->timeout)
        pcie_port_error(host, PCIE_ERR_TIMEOUT, NULL);
    if (!out->unexpected && !out->poisoned && !out->aborted)
        return;
    if (pcie_tlp_decode(out->sink_header, PCIE_MAX_HEADER, &tlp, &has_data, &err) < 0)
        return;
    if (out->unexpected)
        pcie_port_advisory(host, PCIE_ERR_UNEXPECTED, &tlp);
    else
        pcie_port_answered(host, &tlp);
}

static void take_errors(struct core *core)
{
    if (core->out.error.valid)
        record_error(core, &core->out.error);
    take_answer(core);
    for (uint32_t left = core->out.error_write; left != 0; left &= left - 1) {
        uint32_t at = (uint32_t)__builtin_ctz(left);

        pcie_function_write(&core->hub->ports[at / 2].edge.function,
                            at % 2 == 0 ? PCIE_AER_UNCORRECTABLE : PCIE_AER_CORRECTABLE,
                            core->out.error_data[at], 0xf);
    }
}

/* One at a time, that of the first port which has one that is due. */
static struct hub_port *next_request(const struct core *core, uint64_t edge)
{
    for (uint32_t left = core->hub->bringups; left != 0; left &= left - 1) {
        struct hub_port *port = &core->hub->ports[__builtin_ctz(left)];

        if (port->request_edge <= edge)
            return port;
    }
    return NULL;
}

static void show_request(struct core *core, uint64_t edge)
{
    const struct hub_port *port = next_request(core, edge);
    struct model_in *in = &core->in;

    in->request = port != NULL;
    if (port == NULL)
        return;
    in->request_port = port->index;
    memset(in->request_header, 0, sizeof(in->request_header));
    (void)pcie_tlp_encode(&port->request, in->request_header);
    if (port->request.payload != NULL)
        memcpy(in->request_data, port->request.payload->data, sizeof(in->request_data));
}

static void take_request(struct core *core, uint64_t edge)
{
    struct hub_port *port = next_request(core, edge);

    if (!core->out.request_taken || port == NULL)
        return;
    bringup_joined(port);
    pcie_tlp_drop(&port->request);
}

static uint64_t next_request_edge(const struct core *core)
{
    uint64_t next = UINT64_MAX;

    for (uint32_t left = core->hub->bringups; left != 0; left &= left - 1)
        next = sim_min(next, core->hub->ports[__builtin_ctz(left)].request_edge);
    return next;
}

/* Completions of other ports than N are for the management processor, at the edge of their grant.
 */
static void take_completion(struct core *core, uint64_t edge)
{
    const struct model_stream *s = &core->out.tx[MODEL_PORTS + MODEL_SINK];
    struct flow *f = &core->tx[MODEL_PORTS + MODEL_SINK];
    uint32_t port;

    if (!s->valid)
        return;
    if (s->sop) {
        read_header(core, s->data, f);
        (void)mirror_granted(&core->mirror, s->source, OUT_SINK, f->tlp.kind,
                             pcie_tlp_data_bytes(&f->tlp), edge);
        f->edge = edge;
        f->done = 0;
        f->busy = f->tlp.payload != NULL;
    } else if (!take_data(core, f, s->data)) {
        return;
    }
    if (f->busy)
        return;
    port = s->source / core->mirror.classes;
    if (port != HUB_HOST && core->hub->ports[port].edge.role == HUB_ROOT)
        bringup_completion(&core->hub->ports[port], &f->tlp, 0);
    else if (port != HUB_HOST)
        pcie_port_advisory(core->hub->ports[port].edge.pcie, PCIE_ERR_UNEXPECTED, &f->tlp);
    pcie_tlp_drop(&f->tlp);
}

/* What SELF takes is the core's own matter. */
static void see_self(struct core *core, uint64_t edge)
{
    const struct model_stream *s = &core->out.tx[MODEL_PORTS + MODEL_SELF];
    struct pcie_tlp tlp = { .payload = NULL };
    struct sim_error err;
    bool has_data;

    if (!s->valid || !s->sop ||
        pcie_tlp_decode(s->data, PCIE_MAX_HEADER, &tlp, &has_data, &err) <= 0)
        return;
    (void)mirror_granted(&core->mirror, s->source, OUT_SELF, tlp.kind,
                         has_data ? tlp.length_dw * 4u : 0, edge);
}

/* ---- an edge ---- */

/* Packets may wait for what is outside, for ever: then nothing changes until a port says so, or
 * until an answer is late. */
static bool is_still(struct core *core)
{
    const struct model_out *out = &core->out;
    bool moves = out->nevents != 0 || out->rx_free != 0 || out->ddr_free != 0 || core->in.request;

    for (uint32_t p = 0; p < core->hub->nports; p++)
        moves |= core->in.port[p].rx_valid || out->tx[p].valid;
    for (uint32_t inside = MODEL_PORTS; inside < MODEL_PORTS + MODEL_INSIDE; inside++)
        moves |= out->tx[inside].valid;
    core->still = moves ? 0 : core->still + 1;
    return core->still > core->stages;
}

/* No request that waits for its answer was sent before the last edge at which none waited. */
static uint64_t first_late_edge(struct core *core, uint64_t edge)
{
    uint64_t cycles = core->hub->timeout_cycles;

    if (core->mirror.waits == 0)
        core->none_waited = edge;
    return core->mirror.waits != 0 && cycles != 0 ? core->none_waited + cycles - 1 : UINT64_MAX;
}

static bool is_waiting(const struct core *core)
{
    bool waits = false;

    for (uint32_t p = 0; p < core->hub->nports; p++)
        waits |= core->rx[p].n != 0 || core->tx[p].busy;
    return waits;
}

static uint64_t core_edge(void *arg, uint64_t edge)
{
    struct core *core = arg;
    uint64_t next, late;

    core->in.cycle = edge;
    for (uint32_t p = 0; p < core->hub->nports; p++) {
        show_received(core, p, edge);
        show_port(core, p);
    }
    show_host(core);
    show_request(core, edge);
    core->ops->edge(core->model, &core->in, &core->out);
    mirror_steps(&core->mirror, &core->out, edge);
    free_places(core);
    for (uint32_t p = 0; p < core->hub->nports; p++)
        take_sent(core, p, edge);
    take_completion(core, edge);
    mirror_registers(&core->mirror, &core->out, edge);
    see_self(core, edge);
    take_errors(core);
    take_request(core, edge);
    late = first_late_edge(core, edge);
    if ((!core->out.quiet && !is_still(core)) || is_waiting(core))
        return edge + 1;
    core->still = 0;
    next = sim_min(next_request_edge(core), late);
    return next == UINT64_MAX ? next : sim_max(next, edge + 1);
}

/* ---- the kind ---- */

static unsigned traced; /* hubs that write HUBSIM_RTL_TRACE: one at most, in each process */

static int core_start(void *arg, struct hub *hub, struct sim_error *err)
{
    const char *trace = getenv("HUBSIM_RTL_TRACE");
    struct core *core = arg;
    struct model_state *in = &core->in.state;
    int rc;

    if (trace != NULL && *trace == '\0')
        trace = NULL;
    core->hub = core->mirror.hub = hub;
    in->window_log2 = (uint8_t)__builtin_ctzll(hub->window_bytes);
    in->part_log2 = (uint8_t)__builtin_ctzll(hub->part_bytes);
    in->slot = (uint16_t)hub->slot;
    in->subcluster = (uint16_t)hub->subcluster;
    in->date_line = hub->date_line;
    for (uint32_t p = 0; p < hub->nports; p++) /* a run that would need more ends: see mirror.c */
        in->ddr_places[p] = (uint32_t)sim_min(hub->ports[p].ddr_places, MODEL_DDR_PACKETS);
    for (uint32_t i = 0; i < MODEL_PORTS * MODEL_PAIRS; i++) {
        const struct hub_range *r = hub_range(hub, i / MODEL_PAIRS, i % MODEL_PAIRS);

        in->lower[i] = r != NULL ? r->lower : UINT64_MAX;
        in->upper[i] = r != NULL ? r->upper : 0;
    }
    if (trace != NULL && traced++ != 0)
        return sim_error_set(err, SIM_ERR_CONFIG,
                             "%s: HUBSIM_RTL_TRACE: expected one hub of kind hub.rtl", hub->path);
    core->traced = trace != NULL;
    rc = library_model(hub->path, core->parameters, &core->ops, err);
    if (rc != SIM_OK)
        return rc;
    core->model = core->ops->create(0, trace);
    if (core->model == NULL)
        return sim_error_set(err, SIM_ERR_IO, "%s: HUBSIM_RTL_TRACE=%s: cannot be written",
                             hub->path, trace);
    return SIM_OK;
}

static void core_destroy(void *arg)
{
    struct core *core = arg;

    if (core->model != NULL)
        core->ops->destroy(core->model);
    traced -= core->traced;
    free(core);
}

static const struct hub_core_ops ops = {
    .start = core_start,
    .received = core_received,
    .edge = core_edge,
    .destroy = core_destroy,
};

/* A queue of the core has a place for each credit, so these may not be infinite. Of completions all
 * that can be asked for is known, and data has an end where headers have one. */
static int check_credits(const char *head, const struct hub_config *cfg, struct sim_error *err)
{
    for (uint32_t p = 0; p < cfg->ports; p++) {
        const struct pcie_port_config *link = &cfg->port[p];
        const char *key = link->ph_credits == 0 ? "ph_credits" : "nph_credits";
        char name[48];

        if (link->ph_credits != 0 && link->nph_credits != 0)
            continue;
        (void)snprintf(name, sizeof(name), "%s.link.%s", hub_port_names[p], key);
        return sim_error_value(err, SIM_ERR_CONFIG, head, name, 0,
                               "hub.rtl expects 1 to 127: a queue holds no infinite credits");
    }
    return SIM_OK;
}

static int refuse_arbiter(const char *head, uint64_t arbiter, struct sim_error *err)
{
#define ARBITER_WORD(name, text) text,
    static const char *const words[] = { HUB_ARBITERS(ARBITER_WORD) }; /* "|oldest" */
#undef ARBITER_WORD
    const char *word = words[arbiter];

    return sim_error_choice(err, SIM_ERR_CONFIG, head, "arbiter", arbiter, word + (*word == '|'),
                            "hub.rtl expects round-robin");
}

/* What the core in SystemVerilog does not have. */
static int check_config(const struct machine_place *place, const struct hub_config *cfg,
                        struct sim_error *err)
{
    uint64_t timeout = core_timeout_cycles(cfg);
    char head[160];

    (void)snprintf(head, sizeof(head), "%s.", place->path);
    if (cfg->arbiter != HUB_ARBITER_round_robin)
        return refuse_arbiter(head, cfg->arbiter, err);
    if (cfg->bus_bytes != 16 && cfg->bus_bytes != 32)
        return sim_error_value(err, SIM_ERR_CONFIG, head, "bus_bytes", cfg->bus_bytes,
                               "hub.rtl expects 16 or 32");
    if (timeout == 1 || timeout > UINT32_MAX)
        return sim_error_value(err, SIM_ERR_CONFIG, head, "completion_timeout_ps",
                               cfg->completion_timeout_ps,
                               "hub.rtl expects 0, or 2 to 2^32 - 1 cycles of its clock");
    if (cfg->ddr_bytes != 0 && cfg->ddr_bytes_per_cycle < 4)
        return sim_error_value(err, SIM_ERR_CONFIG, head, "ddr.bytes_per_cycle",
                               cfg->ddr_bytes_per_cycle, "hub.rtl expects at least 4");
    if (cfg->ddr_bytes != 0 && cfg->ddr_cycles * cfg->ddr_bytes_per_cycle < core_largest_data(cfg))
        return sim_error_value(err, SIM_ERR_CONFIG, head, "ddr.cycles", cfg->ddr_cycles,
                               "hub.rtl expects what a packet of mps_bytes takes to write");
    if (cfg->ddr_bytes != 0 && cfg->ddr_chip_tlps >= core_posted_headers(cfg))
        return sim_error_value(err, SIM_ERR_CONFIG, head, "ddr.chip_tlps", cfg->ddr_chip_tlps,
                               "hub.rtl expects less than %" PRIu64 ", the packets of a queue",
                               core_posted_headers(cfg));
    return check_credits(head, cfg, err);
}

static uint64_t stages_of(const struct hub_config *cfg)
{
    return cfg->receive_cycles + cfg->route_cycles + cfg->output_cycles + cfg->register_cycles +
           cfg->bus_gap_cycles + cfg->ddr_cycles + cfg->dma_start_cycles + cfg->dma_decode_cycles +
           cfg->dma_fetch_internal_cycles + cfg->dma_fetch_host_cycles +
           cfg->dma_read_issue_cycles + cfg->dma_completion_cycles + cfg->status_register_cycles +
           cfg->status_host_cycles + cfg->status_internal_cycles + 4096 / cfg->bus_bytes;
}

static int create(const struct machine_place *place, const void *config, void **component_p,
                  struct sim_error *err)
{
    const struct hub_config *cfg = config;
    struct core *core;
    int rc = hub_check_config(place, cfg, err);

    if (rc == SIM_OK)
        rc = check_config(place, cfg, err);
    if (rc != SIM_OK)
        return rc;
    core = sim_calloc(sizeof(*core));
    if (core == NULL)
        return SIM_ERR_NOMEM;
    rc = core_parameters(cfg, core->parameters, sizeof(core->parameters));
    if (rc != SIM_OK) {
        free(core);
        return rc;
    }
    core->bus = (uint32_t)cfg->bus_bytes;
    core->stages = stages_of(cfg);
    core->mirror.classes = cfg->vc1_ph_credits != 0 ? PCIE_CLASSES : PCIE_CLASSES - 1;
    return hub_create_around(&ops, core, place, config, component_p, err);
}

/* Links may err. A packet whose last beats come would be lost with a link that goes down, and the
 * core itself does no wrong. */
static int fault(void *component, void *end, const struct machine_fault_kind *what,
                 const void *config, struct sim_error *err)
{
    const struct hub *hub = component;

    if (end == NULL || strcmp(what->name, "down") == 0)
        return sim_error_set(err, SIM_ERR_CONFIG,
                             "%s: kind hub.rtl has no fault %s: expected hub.c", hub->path,
                             what->name);
    return pcie_port_add_fault(end, what, config, err);
}

const struct machine_kind *cosim_hub_rtl(void)
{
    static struct machine_kind kind;

    kind = hub_kind;
    kind.name = "hub.rtl";
    kind.summary = "The hub with its core in SystemVerilog, by Verilator.";
    kind.create = create;
    kind.late = true;
    kind.fault = fault;
    return &kind;
}
