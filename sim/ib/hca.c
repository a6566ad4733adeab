/* The adapter as a kind: parameters, creation, ports; and the pool of packets. */
#include "ib/internal.h"

#include <stdio.h>
#include <stdlib.h>

#define ROW(...)                MACHINE_PARAM(struct ib_config, __VA_ARGS__)
#define PS(field, def, meaning) ROW(field, "ps", 0, SIM_MS, def, meaning)

/* Defaults make a ConnectX-3 with QDR ports; what is not published is a guess of the right order.
 */
static const struct machine_param params[] = {
    ROW(ports, "1", 1, IB_PORTS, 1, "ports that are in use"),
    { "link.speed", "choice", 0, 5, 2, offsetof(struct ib_config, link.speed),
      "signalling of a lane: 2.5, 5, 10 Gb/s with 8b/10b, 10.3125, 14.0625, 25.78125 Gb/s with "
      "64b/66b",
      "sdr|ddr|qdr|fdr10|fdr|edr" },
    ROW(link.lanes, "1", 1, 12, 4, "lanes of a port: 1, 4, 8 or 12"),
    ROW(link.mtu_bytes, "bytes", 256, IB_MTU_MAX, 2048, "most data of one packet; a power of two"),
    PS(link.phy_ps, 50000, "coding and serialiser at each end of a link"),
    ROW(link.fabric_ps, "ps", 1000, SIM_MS, 150000,
        "cables and the switch between two adapters: from one to the other where nothing waits"),
    ROW(link.vls, "1", 1, IB_LANES, 1, "virtual lanes for data"),
    ROW(link.credit_blocks, "64 bytes", 128, 65535, 1024, "receive buffer for each virtual lane"),
    ROW(link.switch_blocks, "64 bytes", 128, 65535, 512,
        "what the switch takes from this port, for each virtual lane, before it has passed it on"),
    PS(command_ps, 1000000, "the adapter carries out a command of the driver"),
    PS(wqe_ps, 100000, "a work request at hand until its data are asked for"),
    PS(key_ps, 100000,
       "finding where a request's local region lies, before its data are asked for"),
    ROW(packet_ps, "ps", 1, SIM_MS, 30000, "the requester begins one packet, and the next after"),
    PS(tx_ps, 100000, "a packet's data at hand until it is handed to the link"),
    PS(rx_ps, 100000,
       "a packet received until its data, or the answer that it means, go to the host"),
    PS(ack_ps, 50000, "a packet received until its acknowledgement goes to the link"),
    ROW(read_bytes, "bytes", 64, 4096, 512,
        "largest read request; requests end at multiples of it; a power of two"),
    ROW(read_tags, "1", 1, IB_TAGS_MAX, 32, "read requests in flight"),
    ROW(tx_packets, "1", 1, 256, 8, "packets of a port that are being made or wait for the link"),
    ROW(write_tlps, "1", 16, 4096, 64,
        "writes that wait for the bus before packets are left in the receive buffer"),
    ROW(completion_timeout_ps, "ps", 0, PCIE_TIMEOUT_MAX_PS, PCIE_TIMEOUT_PS,
        "longest wait for the answer to a read request; 0: without end"),
    PS(loop_ps, 50000, "a packet from the adapter to itself, instead of the fabric"),
    ROW(rnr_ps, "ps", 1000, 1000 * SIM_MS, 10 * SIM_US,
        "wait after the far side had no receive request"),
    MACHINE_PARAM_END
};

static const struct machine_group groups[] = {
    { .key = "port.",
      .rows = pcie_port_params,
      .offset = offsetof(struct ib_config, port),
      .defaults =
          &(const struct pcie_port_config){
              .gen = 3, .lanes = 8, .tx_latency_ps = 40000, .rx_latency_ps = 40000 } },
    { .key = NULL },
};

static const char *const port_names[] = { "pcie", "p1", "p2", NULL };

/* ---- work ---------------------------------------------------------------------------- */

/** Each part may give work to the ones behind it at this very time; the order is that of a packet
 * that comes in, so that one pass sees nearly all and the next, at once, the rest. */
static void work_event(struct sim_event *ev)
{
    struct ib_hca *hca = SIM_CONTAINER_OF(ev, struct ib_hca, work);
    sim_time_t next = SIM_TIME_NEVER;

    ib_target_run(hca);
    ib_timeout_run(hca);
    ib_receive_run(hca, &next);
    ib_command_run(hca, &next);
    ib_send_run(hca, &next);
    ib_dma_run(hca, &next);
    ib_link_run(hca, &next);
    if (next != SIM_TIME_NEVER)
        ib_wake(hca, next);
}

static void port_ready(void *user, enum pcie_class cls)
{
    struct ib_hca *hca = user;

    (void)cls;
    ib_wake_now(hca);
}

/* ---- creation -------------------------------------------------------------------------- */

static int check_config(const struct ib_config *cfg, struct sim_error *err)
{
    if ((cfg->link.mtu_bytes & (cfg->link.mtu_bytes - 1)) != 0)
        return sim_error_value(err, SIM_ERR_CONFIG, "", "link.mtu_bytes", cfg->link.mtu_bytes,
                               "expected a power of two");
    if ((cfg->read_bytes & (cfg->read_bytes - 1)) != 0)
        return sim_error_value(err, SIM_ERR_CONFIG, "", "read_bytes", cfg->read_bytes,
                               "expected a power of two");
    if (cfg->link.lanes != 1 && cfg->link.lanes % 4 != 0)
        return sim_error_value(err, SIM_ERR_CONFIG, "", "link.lanes", cfg->link.lanes,
                               "expected 1, 4, 8 or 12");
    return SIM_OK;
}

/** Picoseconds that a byte takes: 8 bits at the data rate of all lanes. */
static void set_rate(struct ib_hca *hca)
{
    static const struct {
        uint64_t num, den; /* of one lane */
    } rates[] = { { 4000, 1 }, { 2000, 1 }, { 1000, 1 }, { 800, 1 }, { 1760, 3 }, { 320, 1 } };

    hca->rate_num = rates[hca->cfg.link.speed].num;
    hca->rate_den = rates[hca->cfg.link.speed].den * hca->cfg.link.lanes;
}

static void register_port_stats(const struct ib_port *port)
{
    const struct sim_stat_row rows[] = {
        { &port->tx_packets, "tx.packets", "1", "sent" },
        { &port->tx_bytes, "tx.bytes", "bytes", "sent, with headers and checks" },
        { &port->rx_packets, "rx.packets", "1", "received" },
        { &port->rx_bytes, "rx.bytes", "bytes", "received, with headers and checks" },
        { &port->stall_credit_ps, "tx.stall_credit_ps", "ps",
          "the oldest packet waited for room in the switch" },
        { &port->rx_wait_ps, "rx.wait_ps", "ps",
          "packets waited at the switch's output for this port" },
    };
    char path[160];

    (void)snprintf(path, sizeof(path), "%s.%s", port->hca->path, port_names[port->index + 1]);
    sim_stats_register(port->hca->dom, path, rows, SIM_COUNT(rows));
}

static void register_stats(struct ib_hca *hca)
{
    const struct sim_stat_row rows[] = {
        { &hca->stat.commands, "commands", "1", "commands of the driver" },
        { &hca->stat.doorbells, "doorbells", "1", "doorbells of send and receive queues" },
        { &hca->stat.blueflames, "blueflames", "1", "work requests that came with their doorbell" },
        { &hca->stat.requests, "requests", "1", "work requests begun" },
        { &hca->stat.read_bytes, "read_bytes", "bytes", "read from the bus" },
        { &hca->stat.write_bytes, "write_bytes", "bytes", "written to the bus" },
        { &hca->stat.completions, "completions", "1", "entries of completion queues" },
        { &hca->stat.errors, "errors", "1", "work requests that failed" },
        { &hca->stat.rnr_naks, "rnr_naks", "1", "sends that found no receive request" },
        { &hca->stat.dropped, "dropped", "1", "packets dropped: not the next of their connection" },
        { &hca->stat.read_timeouts, "read_timeouts", "1", "read requests not answered in time" },
        { &hca->stat.stall_tag_ps, "stall_tag_ps", "ps", "a read waited for a free tag" },
    };

    sim_stats_register(hca->dom, hca->path, rows, SIM_COUNT(rows));
    for (unsigned i = 0; i < hca->cfg.ports; i++)
        register_port_stats(&hca->port[i]);
}

static void hca_destroy(void *component)
{
    struct ib_hca *hca = component;

    if (hca->pcie != NULL)
        pcie_port_destroy(hca->pcie);
    for (unsigned i = 0; i < IB_PORTS; i++)
        ib_port_fini(&hca->port[i]);
    sim_list_free(&hca->free_packets);
    sim_list_free(&hca->writes);
    sim_list_free(&hca->answers);
    sim_list_free(&hca->free_writes);
    sim_list_free(&hca->free_work);
    for (uint32_t i = 0; i < hca->nqps; i++)
        ib_qp_destroy(hca->qp[i]);
    free(hca->regions);
    sim_list_free(&hca->incoming);
    mem_pool_destroy(hca->payloads);
    free(hca);
}

static int hca_init(struct ib_hca *hca, struct sim_error *err)
{
    struct pcie_port_user user = { .received = ib_received, .ready = port_ready, .user = hca };
    char path[160];
    int code;

    sim_event_init(&hca->work, work_event);
    ib_timeout_init(hca);
    set_rate(hca);
    for (unsigned i = 0; i < IB_PORTS; i++)
        ib_port_init(&hca->port[i], hca, i);
    hca->payloads = mem_pool_create();
    if (hca->payloads == NULL)
        return sim_error_set(err, SIM_ERR_NOMEM, "%s: out of memory", hca->path);
    (void)snprintf(path, sizeof(path), "%s.pcie", hca->path);
    code = pcie_port_create(hca->dom, hca->payloads, path, &hca->cfg.port, &user, &hca->pcie, err);
    if (code != SIM_OK)
        return code;
    pcie_port_set_facing(hca->pcie, PCIE_ENDPOINT_END);
    pcie_function_init(&hca->fn, IB_VENDOR_ID, IB_DEVICE_ID, IB_CLASS_CODE);
    pcie_function_add_bar(&hca->fn, 0, IB_REGS_BYTES);
    pcie_function_add_bar(&hca->fn, 2, IB_PAGES_BYTES);
    pcie_port_set_function(hca->pcie, &hca->fn);
    register_stats(hca);
    return SIM_OK;
}

static int hca_create(const struct machine_place *place, const void *config, void **component_p,
                      struct sim_error *err)
{
    struct ib_hca *hca;
    int code = check_config(config, err);

    if (code != SIM_OK)
        return code;
    hca = calloc(1, sizeof(*hca));
    if (hca == NULL)
        return sim_error_set(err, SIM_ERR_NOMEM, "%s: out of memory", place->path);
    hca->dom = place->dom;
    hca->path = place->path;
    hca->lid = (uint16_t)(place->node + 1);
    hca->cfg = *(const struct ib_config *)config;
    code = hca_init(hca, err);
    if (code != SIM_OK) {
        hca_destroy(hca);
        return code;
    }
    *component_p = hca;
    return SIM_OK;
}

static struct machine_port hca_port(void *component, unsigned index)
{
    struct ib_hca *hca = component;

    if (index == 0)
        return (struct machine_port){ "pcie", hca->pcie, pcie_link_join };
    if (index > hca->cfg.ports)
        return (struct machine_port){ NULL, NULL, NULL };
    return (struct machine_port){ index == 1 ? "ib" : "ib2", &hca->port[index - 1], ib_port_join };
}

const struct machine_kind ib_hca_kind = {
    .name = "ib.hca",
    .summary = "InfiniBand host channel adapter",
    .params = params,
    .groups = groups,
    .config_bytes = sizeof(struct ib_config),
    .ports = port_names,
    .create = hca_create,
    .port = hca_port,
    .destroy = hca_destroy,
};
