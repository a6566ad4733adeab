/* The host as a kind: parameters, creation, and the firmware's view of its address map. */
#include "node/host/internal.h"
#include "pcie/lossy/fault.h"

#include <stdio.h>
#include <stdlib.h>

#define ROW(...)                MACHINE_PARAM(struct host_config, __VA_ARGS__)
#define PS(field, def, meaning) ROW(field, "ps", 0, SIM_MS, def, meaning)
#define SOCKET(n)                                                                                  \
    {                                                                                              \
        "p" #n ".socket", "1", 0, 1, 0, offsetof(struct host_config, socket[n]),                   \
            "the socket that root port " #n " belongs to", NULL                                    \
    }

/*
 * Defaults make a plain two-socket Xeon: with a Gen2 endpoint a posted store takes about 0.2 us, a
 * register read 0.6 us and a read of DRAM by the device 0.5 us. Platforms give their own values.
 */
static const struct machine_param host_params[] = {
    ROW(ram_bytes, "bytes", 1 << 16, UINT64_C(1) << 40, UINT64_C(1) << 28, "size of DRAM"),
    ROW(ram_base, "bytes", 0, UINT64_C(1) << 46, UINT64_C(1) << 32,
        "bus address of the first byte of DRAM"),
    ROW(cores, "1", 1, HOST_CORES_MAX, 16, "CPU cores that may run software"),
    ROW(tsc_khz, "kHz", 1, 10000000, 2600000, "rate of the time-stamp counter"),

    PS(cpu.store_ps, 400, "a store instruction that finds room keeps the core"),
    ROW(cpu.store_buffers, "1", 1, 1024, 36,
        "uncached stores that wait in the core; one more makes the core wait"),
    PS(cpu.store_uc_interval_ps, 80000,
       "an uncached store is accepted by the uncore, and the next may leave, after"),
    ROW(cpu.store_to_rc_ps, "ps", 1, SIM_MS, 40000,
        "a store leaves the core until the root complex has it"),
    ROW(cpu.wc_buffers, "1", 1, 64, 10,
        "write-combining buffers of 64 bytes; these are the line-fill buffers"),
    PS(cpu.wc_drain_ps, 80000, "a write-combining buffer that was emptied is free again after"),
    ROW(cpu.posted_writes, "1", 1, 1024, 32,
        "stores of one core that have left it and wait for their root port"),
    PS(cpu.fence_ps, 5000, "a store fence that finds nothing left to wait for"),
    PS(cpu.store_memory_ps, 5000, "a store to DRAM, cached"),
    PS(cpu.load_memory_ps, 80000, "a load from DRAM that misses the caches"),
    ROW(cpu.load_to_rc_ps, "ps", 1, SIM_MS, 40000,
        "an uncached load or configuration access leaves the core until the root complex has it"),
    PS(cpu.load_from_rc_ps, 60000, "a completion at the root port until the load ends"),
    PS(cpu.poll_detect_ps, 60000,
       "a write visible in DRAM until the loop that polls the cached line has left it"),
    PS(cpu.poll_jitter_ps, 0,
       "seeded, uniform delay, at most this, of a load that repeats the last load's address"),
    PS(cpu.tsc_read_ps, 10000, "reading the time-stamp counter"),
    PS(cpu.irq_ps, 1500000,
       "an interrupt message visible at the interrupt controller until its handler runs"),

    PS(rc.egress_ps, 30000, "a request of the CPU in the root complex until its port has it"),
    PS(rc.memory_write_ps, 100000, "a posted write at the root port until it is visible in DRAM"),
    PS(rc.memory_read_ps, 200000,
       "a read of DRAM at the root port until its first completion is handed to the port"),
    ROW(rc.memory_reads, "1", 1, 1024, 32,
        "reads of DRAM in progress, per root port; others wait in the receive buffer"),
    ROW(rc.completion_bytes, "bytes", 64, 4096, 64,
        "largest completion of a read of DRAM, never across a multiple of it; a power of two"),
    PS(rc.completion_interval_ps, 0, "between two completions that DRAM hands to one root port"),
    PS(rc.p2p_write_ps, 120000,
       "a posted write at one root port until another port of the socket has it"),
    PS(rc.p2p_read_ps, 120000,
       "a read at one root port until another port of the socket has it, and the same back"),
    ROW(rc.p2p_read_bytes, "bytes", 64, 1 << 16, 8192,
        "a read is forwarded while those not yet answered ask for fewer bytes, per requesting "
        "socket; others wait in the receive buffer"),
    PS(rc.socket_write_ps, 150000,
       "a forwarded write takes this longer when its ports are on different sockets"),
    PS(rc.socket_write_interval_ps, 0,
       "between two forwarded writes of a port that cross the sockets; 0 = no limit"),
    PS(rc.socket_read_ps, 150000,
       "a forwarded read takes this longer, each way, when its ports are on different sockets"),
    ROW(rc.socket_reads, "1", 1, 1024, 2,
        "forwarded reads not yet answered that cross the sockets, per requesting socket"),
    PS(rc.socket_hop_ps, 30000,
       "an access of a core to a port, or of a device to DRAM, takes this longer, each way, when "
       "they are on different sockets"),

    ROW(rc.completion_timeout_ps, "ps", 0, PCIE_TIMEOUT_MAX_PS, PCIE_TIMEOUT_PS,
        "longest wait for the answer to a load or configuration access of the CPU, or to a "
        "forwarded "
        "read; 0: without end"),

    ROW(net.latency_ps, "ps", 0, SIM_MS, 1000000,
        "control network: latency of the sending side, added to that of the network"),
    ROW(net.bytes_per_us, "bytes/us", 0, 1000000, 0,
        "control network: rate of this host's transmitter; 0 = that of the network"),

    SOCKET(0),
    SOCKET(1),
    SOCKET(2),
    SOCKET(3),
    SOCKET(4),
    SOCKET(5),
    SOCKET(6),
    SOCKET(7),
    MACHINE_PARAM_END
};

static const char *const root_ports[] = { "p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7", NULL };

static const struct machine_group host_groups[] = {
    { .key = "port.",
      .rows = pcie_port_params,
      .offset = offsetof(struct host_config, port),
      .defaults =
          &(const struct pcie_port_config){
              .gen = 3, .lanes = 16, .tx_latency_ps = 40000, .rx_latency_ps = 40000 } },
    { .key = "*.port.",
      .names = root_ports,
      .rows = pcie_port_params,
      .offset = offsetof(struct host_config, own),
      .stride = sizeof(struct pcie_port_config),
      .unsaid = true },
    { .key = NULL },
};

static const char *const host_ports[] = { "p0", "p1", "p2", "p3",  "p4",
                                          "p5", "p6", "p7", "net", NULL };

static int check_config(const struct host_config *cfg, struct sim_error *err)
{
    uint64_t piece = cfg->rc.completion_bytes;

    if ((piece & (piece - 1)) != 0)
        return sim_error_value(err, SIM_ERR_CONFIG, "", "rc.completion_bytes", piece,
                               "expected a power of two");
    if (cfg->ram_base % 4096 != 0 || cfg->ram_bytes % 4096 != 0)
        return sim_error_value(err, SIM_ERR_CONFIG, "", "ram_base", cfg->ram_base,
                               "expected a multiple of 4096, as ram_bytes");
    if (cfg->ram_base < HOST_MSI_ADDRESS + HOST_MSI_BYTES &&
        cfg->ram_base + cfg->ram_bytes > HOST_MSI_ADDRESS)
        return sim_error_value(err, SIM_ERR_CONFIG, "", "ram_base", cfg->ram_base,
                               "DRAM covers the interrupt addresses at 0x%llx",
                               (unsigned long long)HOST_MSI_ADDRESS);
    return SIM_OK;
}

/** Cores, and one more context for the interrupts of a single one. */
static unsigned plain_contexts(const struct node_host *host)
{
    return host->cfg.cores == 1 ? 2 : (unsigned)host->cfg.cores;
}

unsigned node_host_contexts(const struct node_host *host)
{
    unsigned n = plain_contexts(host), all = n + (unsigned)host->cfg.cores;

    return all <= HOST_CORES_MAX ? all : n;
}

/** Cores of socket 0. */
static unsigned first_socket(const struct host_config *cfg)
{
    bool two = false;

    for (unsigned i = 0; i < HOST_PORTS; i++)
        two |= cfg->socket[i] != 0;
    return (unsigned)(two ? (cfg->cores + 1) / 2 : cfg->cores);
}

static void host_destroy(void *component)
{
    struct node_host *host = component;

    node_net_fini(&host->net);
    if (host->cores != NULL) {
        for (unsigned i = 0; i < node_host_contexts(host); i++)
            node_core_fini(&host->cores[i]);
    }
    free(host->cores);
    node_rc_fini(&host->rc);
    mem_ram_fini(&host->ram);
    sim_list_free(&host->packets.slabs);
    mem_pool_destroy(host->payloads);
    free(host);
}

static void register_stats(struct node_host *host)
{
    const struct sim_stat_row rows[] = {
        { &host->failed_loads, "failed_loads", "1", "uncached loads that returned all ones" },
        { &host->dropped_stores, "dropped_stores", "1",
          "uncached stores dropped, since no device claims the address" },
    };

    sim_stats_register(host->dom, host->path, rows, SIM_COUNT(rows));
}

/** The transmitter has the lower of two rates: its own, and that of the network. */
static void init_net(struct node_host *host, const struct machine_place *place)
{
    uint64_t own = host->cfg.net.bytes_per_us, all = place->net_bytes_per_us;
    const struct node_net_config cfg = {
        .dom = host->dom,
        .path = host->path,
        .node = place->node,
        .where = host->ram_where,
        .latency_ps = host->cfg.net.latency_ps,
        .bytes_per_us = all != 0 && (own == 0 || all < own) ? all : own,
    };

    node_net_init(&host->net, &cfg);
}

static int host_init(struct node_host *host, const struct machine_place *place,
                     struct sim_error *err)
{
    char path[160];
    uint8_t *bytes;
    int code;

    (void)snprintf(path, sizeof(path), "%s.ram", place->path);
    host->ram_where = sim_path_hash(path);
    host->payloads = mem_pool_create();
    host->cores = calloc(node_host_contexts(host), sizeof(*host->cores));
    if (host->payloads == NULL || host->cores == NULL)
        return sim_error_set(err, SIM_ERR_NOMEM, "%s: out of memory", place->path);
    bytes = place->map(place->map_arg, place->node, path, host->cfg.ram_bytes);
    if (bytes == NULL)
        return sim_error_value(err, SIM_ERR_NOMEM, "", "ram_bytes", host->cfg.ram_bytes,
                               "out of memory");
    mem_ram_init(&host->ram, host->cfg.ram_base, host->cfg.ram_bytes, bytes);
    for (unsigned i = 0; i < node_host_contexts(host); i++) {
        unsigned plain = plain_contexts(host);

        host->cores[i].socket = host->cfg.cores > 1 && i >= first_socket(&host->cfg);
        code = node_core_init(&host->cores[i], host, i, i < plain ? NULL : &host->cores[i - plain],
                              err);
        if (code != SIM_OK)
            return code;
    }
    node_host_home(host, 0, UINT64_MAX, MEM_PINS_SEGMENTS);
    init_net(host, place);
    register_stats(host);
    return node_rc_init(&host->rc, host, err);
}

static int host_create(const struct machine_place *place, const void *config, void **component_p,
                       struct sim_error *err)
{
    struct node_host *host;
    int code = check_config(config, err);

    if (code != SIM_OK)
        return code;
    host = calloc(1, sizeof(*host));
    if (host == NULL)
        return sim_error_set(err, SIM_ERR_NOMEM, "%s: out of memory", place->path);
    host->dom = place->dom;
    host->path = place->path;
    host->cfg = *(const struct host_config *)config;
    host->probe = sim_probe_of(place->dom);
    code = host_init(host, place, err);
    if (code != SIM_OK) {
        host_destroy(host);
        return code;
    }
    *component_p = host;
    return SIM_OK;
}

static struct machine_port host_port(void *component, unsigned index)
{
    struct node_host *host = component;

    if (index < HOST_PORTS)
        return (struct machine_port){ "pcie", host->rc.port[index].port, pcie_link_join };
    return (struct machine_port){ "net", &host->net, node_net_join };
}

/** Packets go from port to port as they are, so all links must take the same payload (7.8.4). */
static int host_start(void *component, struct sim_error *err)
{
    struct node_host *host = component;
    const struct pcie_port *first = NULL;

    for (unsigned i = 0; i < HOST_PORTS; i++) {
        const struct pcie_port *port = host->rc.port[i].port;

        if (!pcie_port_connected(port))
            continue;
        if (first != NULL && pcie_port_mps(first) != pcie_port_mps(port))
            return sim_error_set(
                err, SIM_ERR_CONFIG,
                "%s.p%u: Max_Payload_Size (mps_bytes) of its link is %u, of another one %u: "
                "expected one size for all devices of a host",
                host->path, i, pcie_port_mps(port), pcie_port_mps(first));
        first = port;
    }
    return SIM_OK;
}

static int host_fault(void *component, void *end, const struct machine_fault_kind *what,
                      const void *config, struct sim_error *err)
{
    struct node_host *host = component;
    struct pcie_misbehavior how;

    if (end == &host->net)
        return sim_error_set(err, SIM_ERR_CONFIG, "net: expected a PCI Express port");
    if (end != NULL)
        return pcie_port_add_fault(end, what, config, err);
    how = pcie_misbehavior_of(what, config);
    return node_host_misbehave(host, &how, err);
}

const struct machine_kind node_host_kind = {
    .name = "host",
    .summary = "CPU cores, DRAM and root complex",
    .params = host_params,
    .groups = host_groups,
    .config_bytes = sizeof(struct host_config),
    .ports = host_ports,
    .plugs = root_ports,
    .create = host_create,
    .port = host_port,
    .start = host_start,
    .destroy = host_destroy,
    .blocked = node_host_blocked,
    .faults = pcie_faults,
    .fault = host_fault,
};

struct node_net *node_host_net(struct node_host *host)
{
    return &host->net;
}

unsigned node_host_cores(const struct node_host *host)
{
    return (unsigned)host->cfg.cores;
}

struct node_core *node_host_core(struct node_host *host, unsigned core)
{
    SIM_ASSERT(core < host->cfg.cores);
    return &host->cores[core];
}

struct node_core *node_host_interrupt_core(struct node_host *host)
{
    return &host->cores[host->cfg.cores == 1 ? 1 : first_socket(&host->cfg) - 1];
}

struct node_core *node_core_above(struct node_core *core)
{
    return core->above;
}

unsigned node_host_core_socket(const struct node_host *host, unsigned core)
{
    SIM_ASSERT(core < host->cfg.cores);
    return host->cores[core].socket;
}

unsigned node_host_port_socket(const struct node_host *host, unsigned port)
{
    SIM_ASSERT(port < HOST_PORTS);
    return (unsigned)host->cfg.socket[port];
}

void node_host_home(struct node_host *host, unsigned socket, uint64_t end, unsigned segments)
{
    host->home.socket = socket;
    host->home.end = end;
    host->home.segments = segments;
}

struct mem_ram *node_host_ram(struct node_host *host)
{
    return &host->ram;
}

struct sim_domain *node_host_domain(struct node_host *host)
{
    return host->dom;
}

uint64_t node_host_tsc_khz(const struct node_host *host)
{
    return host->cfg.tsc_khz;
}

unsigned node_host_ports(const struct node_host *host)
{
    (void)host;
    return HOST_PORTS;
}

void node_host_set_irq(struct node_host *host, node_irq_fn fn, void *arg)
{
    host->irq = fn;
    host->irq_arg = arg;
}

uint64_t node_host_msi_address(const struct node_host *host)
{
    (void)host;
    return HOST_MSI_ADDRESS;
}

static bool ranges_overlap(uint64_t a, uint64_t a_size, uint64_t b, uint64_t b_size)
{
    return a < b + b_size && b < a + a_size;
}

int node_host_claim(struct node_host *host, unsigned port, uint64_t base, uint64_t size,
                    struct sim_error *err)
{
    struct node_rc *rc = &host->rc;
    const unsigned long long at = base, bytes = size;

    if (port >= HOST_PORTS || size == 0 || base % 4096 != 0 || size % 4096 != 0 ||
        base + size < base)
        return sim_error_set(err, SIM_ERR_CONFIG,
                             "%s.p%u: window of 0x%llx bytes at 0x%llx: expected multiples of 4096",
                             host->path, port, bytes, at);
    if (ranges_overlap(base, size, host->ram.base, host->ram.size) ||
        ranges_overlap(base, size, MEM_PINS_BASE, MEM_PINS_SEGMENTS * MEM_PINS_SEGMENT) ||
        ranges_overlap(base, size, HOST_MSI_ADDRESS, HOST_MSI_BYTES))
        return sim_error_set(err, SIM_ERR_CONFIG,
                             "%s.p%u: window of 0x%llx bytes at 0x%llx overlaps DRAM or interrupts",
                             host->path, port, bytes, at);
    for (unsigned i = 0; i < rc->nclaims; i++) {
        if (ranges_overlap(base, size, rc->claims[i].base, rc->claims[i].size))
            return sim_error_set(
                err, SIM_ERR_CONFIG,
                "%s.p%u: window of 0x%llx bytes at 0x%llx overlaps one of p%u at 0x%llx",
                host->path, port, bytes, at, rc->claims[i].port,
                (unsigned long long)rc->claims[i].base);
    }
    if (rc->nclaims == HOST_CLAIMS)
        return sim_error_set(err, SIM_ERR_LIMIT, "%s.p%u: more than %d windows", host->path, port,
                             HOST_CLAIMS);
    rc->claims[rc->nclaims++] = (struct rc_claim){ base, size, port };
    return SIM_OK;
}

int node_host_misbehave(struct node_host *host, const struct pcie_misbehavior *how,
                        struct sim_error *err)
{
    return pcie_misdeeds_add(&host->rc.misdeeds, how, sim_seed(host->dom), host->path, err);
}
