/* The GPU as a kind: parameters, creation, pinning. */
#include "node/gpu/internal.h"
#include "pcie/lossy/fault.h"

#include <stdio.h>
#include <stdlib.h>

#define ROW(...)                MACHINE_PARAM(struct gpu_config, __VA_ARGS__)
#define PS(field, def, meaning) ROW(field, "ps", 0, SIM_MS, def, meaning)

/*
 * Sizes are those of a K20X: 256 MiB of memory BAR, PCI Express Gen2 x16, 1.5 MB of L2 with lines
 * of 128 bytes. Its slices and their interleaving are not published; two a memory controller here.
 */
static const struct machine_param gpu_params[] = {
    ROW(memory_bytes, "bytes", GPU_PAGE_BYTES, UINT64_C(1) << 40, UINT64_C(1) << 28,
        "device memory; a multiple of 65536"),
    ROW(bar_bytes, "bytes", GPU_PAGE_BYTES, UINT64_C(1) << 40, UINT64_C(1) << 28,
        "the BAR that pinned pages are seen through; a power of two"),
    PS(write_ps, 200000, "a write at the GPU's port until it is visible in device memory"),
    PS(write_interval_ps, 0,
       "between two writes that become visible; others wait in the receive buffer; 0 = no limit"),
    PS(write_ack_ps, 0,
       "a write at the GPU's port until memory has acknowledged it, which a read behind it waits "
       "for; while there are reads and writes, one goes at a time; 0 = they do not wait"),
    PS(read_ps, 500000,
       "a read at the GPU's port until its first completion is handed to the port, when the L2 "
       "holds the data and the slice is idle"),
    ROW(reads, "1", 1, 1024, 32, "reads of the bus in progress; others wait in the receive buffer"),
    ROW(completion_bytes, "bytes", 64, 4096, 128,
        "largest completion, never across a multiple of it; a power of two"),

    ROW(l2.bytes, "bytes", 0, UINT64_C(1) << 32, 1572864,
        "level-2 cache; 0 = every access goes to DRAM"),
    ROW(l2.ways, "1", 1, 64, 16, "lines of a set"),
    ROW(l2.line_bytes, "bytes", 32, GPU_CHUNK, 128, "cache line; a power of two"),
    ROW(l2.slices, "1", 1, 256, 12, "slices that work beside each other"),
    ROW(l2.interleave_bytes, "bytes", GPU_CHUNK, GPU_PAGE_BYTES, GPU_CHUNK,
        "neighbouring bytes that one slice holds; a power of two"),
    PS(l2.service_ps, 0, "a slice is busy with one piece of a read, up to 256 bytes; 0 = no limit"),
    PS(l2.dram_ps, 100000, "a piece that misses the L2 comes this later; 0 = misses cost nothing"),
    PS(l2.dram_service_ps, 0, "a slice is busy longer with a miss"),

    ROW(copy.setup_ps, "ps", 1, SIM_MS, 1000000,
        "a copy engine takes up a copy until it moves the first byte"),
    ROW(copy.read_bytes, "bytes", 128, 4096, 512,
        "largest read request of the copy engine; a power of two"),
    ROW(copy.tags, "1", 1, GPU_TAGS_MAX, 32, "read requests of the copy engine in flight"),
    ROW(copy.local_bytes_per_us, "bytes/us", 0, 10000000, 80000,
        "rate of a copy inside the device; 0 = no limit"),
    ROW(copy.bus_bytes_per_us, "bytes/us", 0, 1000000, 0,
        "rate of a copy between the device and the bus, each way; 0 = as fast as the link"),
    ROW(copy.completion_timeout_ps, "ps", 0, PCIE_TIMEOUT_MAX_PS, PCIE_TIMEOUT_PS,
        "longest wait for the answer to a read of the copy engine; 0: without end"),

    ROW(kernel.launch_ps, "ps", 1, SIM_MS, 5000000,
        "a kernel is taken up until its first operation"),
    ROW(kernel.peak_sp_gflops, "Gflop/s", 0, 10000000, 3950,
        "operations of single precision; 0 = no limit"),
    ROW(kernel.peak_dp_gflops, "Gflop/s", 0, 10000000, 1310,
        "operations of double precision; 0 = no limit"),
    ROW(kernel.memory_gb_per_s, "GB/s", 0, 1000000, 175,
        "what kernels read and write of device memory; 0 = no limit"),
    MACHINE_PARAM_END
};

static const struct machine_group gpu_groups[] = {
    { .key = "port.",
      .rows = pcie_port_params,
      .offset = offsetof(struct gpu_config, port),
      .defaults =
          &(const struct pcie_port_config){
              .gen = 2, .lanes = 16, .tx_latency_ps = 40000, .rx_latency_ps = 40000 } },
    { .key = NULL },
};

static const char *const gpu_ports[] = { "pcie", NULL };

/* NVIDIA Tesla K20X; class 3D controller. */
#define GPU_VENDOR 0x10deu
#define GPU_DEVICE 0x1021u
#define GPU_CLASS  0x030200u

static void gpu_ready(void *user, enum pcie_class cls)
{
    struct node_gpu *gpu = user;

    (void)cls;
    gpu_wake(gpu, sim_now(gpu->dom));
}

static void gpu_work(struct sim_event *ev)
{
    struct node_gpu *gpu = SIM_CONTAINER_OF(ev, struct node_gpu, work);
    sim_time_t now = sim_now(gpu->dom), next = now;

    if (gpu->misdeeds != NULL)
        next = pcie_misdeeds_stopped_until(gpu->misdeeds, now);
    if (next == now) {
        next = gpu_serve(gpu);
        next = sim_min(next, gpu_copy_run(gpu));
        next = sim_min(next, gpu_kernel_run(gpu));
    }
    if (next != SIM_TIME_NEVER)
        gpu_wake(gpu, next);
}

static bool power_of_two(uint64_t n)
{
    return (n & (n - 1)) == 0;
}

static int check_config(const struct gpu_config *cfg, struct sim_error *err)
{
    const struct {
        const char *key;
        uint64_t value;
    } powers[] = {
        { "bar_bytes", cfg->bar_bytes },
        { "completion_bytes", cfg->completion_bytes },
        { "l2.line_bytes", cfg->l2.line_bytes },
        { "l2.interleave_bytes", cfg->l2.interleave_bytes },
        { "copy.read_bytes", cfg->copy.read_bytes },
    };

    for (size_t i = 0; i < SIM_COUNT(powers); i++) {
        if (!power_of_two(powers[i].value))
            return sim_error_value(err, SIM_ERR_CONFIG, "", powers[i].key, powers[i].value,
                                   "expected a power of two");
    }
    if (cfg->memory_bytes % GPU_PAGE_BYTES != 0)
        return sim_error_value(err, SIM_ERR_CONFIG, "", "memory_bytes", cfg->memory_bytes,
                               "expected a multiple of %llu", (unsigned long long)GPU_PAGE_BYTES);
    return SIM_OK;
}

static void gpu_destroy(void *component)
{
    struct node_gpu *gpu = component;

    if (gpu->port != NULL)
        pcie_port_destroy(gpu->port);
    free(gpu->misdeeds);
    pcie_order_watch_destroy(gpu->order);
    pcie_order_end_destroy(gpu->end);
    gpu_copy_fini(gpu);
    gpu_engine_fini(&gpu->kernels);
    free(gpu->read_slots);
    free(gpu->l2.lines);
    free(gpu->l2.busy);
    free(gpu->bar_pages);
    sim_list_free(&gpu->packets.slabs);
    mem_pool_destroy(gpu->payloads);
    free(gpu);
}

static void register_stats(struct node_gpu *gpu)
{
    const struct sim_stat_row rows[] = {
        { &gpu->stat.read_bytes, "read_bytes", "bytes", "read from device memory by the bus" },
        { &gpu->stat.write_bytes, "write_bytes", "bytes", "written to device memory by the bus" },
        { &gpu->stat.unpinned_reads, "unpinned_reads", "1",
          "requests answered with Unsupported Request, since no page is pinned there" },
        { &gpu->stat.unpinned_writes, "unpinned_writes", "1",
          "writes dropped, since no page is pinned there" },
        { &gpu->stat.stall_memory_ps, "pcie.rx.stall_memory_ps", "ps",
          "the first read or write waited for one before it" },
        { &gpu->stat.copy_stall_tag_ps, "copy.stall_tag_ps", "ps",
          "the copy engine wanted to read and had no free tag" },
        { &gpu->stat.poisoned_writes, "poisoned_writes", "1",
          "writes dropped, since their data is poisoned" },
        { &gpu->stat.copy_errors, "copy_errors", "1", "reads of the copy engine that failed" },
        { &gpu->l2.hits, "l2_hits", "1", "pieces of bus reads that the L2 held" },
        { &gpu->l2.misses, "l2_misses", "1", "pieces of bus reads that came from DRAM" },
    };

    sim_stats_register(gpu->dom, gpu->path, rows, SIM_COUNT(rows));
}

/* Both ends of a link go down at one planned time, so what the root port has counted for bells
 * since it came up is what may come. */
static void link_changed(void *user, bool up)
{
    struct node_gpu *gpu = user;

    if (!up) {
        gpu_engines_lost(gpu);
        gpu_wake(gpu, sim_now(gpu->dom));
    }
}

static int gpu_init(struct node_gpu *gpu, const struct machine_place *place, struct sim_error *err)
{
    struct pcie_port_user user = {
        .received = gpu_received, .ready = gpu_ready, .link = link_changed, .user = gpu
    };
    uint64_t pages = gpu->cfg.bar_bytes >> GPU_PAGE_SHIFT;
    uint8_t *bytes = place->map(place->map_arg, place->node, place->path, gpu->cfg.memory_bytes);
    char path[160];
    int code;

    if (bytes == NULL)
        return sim_error_value(err, SIM_ERR_NOMEM, "", "memory_bytes", gpu->cfg.memory_bytes,
                               "out of memory");
    mem_ram_init(&gpu->memory, 0, gpu->cfg.memory_bytes, bytes);
    gpu->payloads = mem_pool_create();
    gpu->bar_pages = calloc(pages, sizeof(*gpu->bar_pages));
    if (gpu->payloads == NULL || gpu->bar_pages == NULL || gpu_reads_init(gpu) != SIM_OK ||
        gpu_l2_init(&gpu->l2, &gpu->cfg.l2) != SIM_OK)
        return sim_error_set(err, SIM_ERR_NOMEM, "%s: out of memory", place->path);
    pcie_function_init(&gpu->fn, GPU_VENDOR, GPU_DEVICE, GPU_CLASS);
    pcie_function_add_bar(&gpu->fn, 0, gpu->cfg.bar_bytes);
    gpu_copy_init(gpu);
    gpu_engine_init(&gpu->kernels, gpu, NODE_GPU_KERNEL, gpu->cfg.kernel.launch_ps);
    gpu->order = pcie_order_watch_create(gpu->dom, gpu->path, "device memory");
    gpu->end = pcie_order_end_create(gpu->dom, gpu->path);
    register_stats(gpu);
    (void)snprintf(path, sizeof(path), "%s.pcie", place->path);
    code = pcie_port_create(gpu->dom, gpu->payloads, path, &gpu->cfg.port, &user, &gpu->port, err);
    if (code == SIM_OK)
        pcie_port_set_function(gpu->port, &gpu->fn);
    return code;
}

static int gpu_create(const struct machine_place *place, const void *config, void **component_p,
                      struct sim_error *err)
{
    struct node_gpu *gpu;
    int code = check_config(config, err);

    if (code != SIM_OK)
        return code;
    gpu = calloc(1, sizeof(*gpu));
    if (gpu == NULL)
        return sim_error_set(err, SIM_ERR_NOMEM, "%s: out of memory", place->path);
    gpu->dom = place->dom;
    gpu->path = place->path;
    gpu->where = sim_path_hash(place->path);
    gpu->cfg = *(const struct gpu_config *)config;
    gpu->probe = sim_probe_of(gpu->dom);
    sim_event_init(&gpu->work, gpu_work);
    code = gpu_init(gpu, place, err);
    if (code != SIM_OK) {
        gpu_destroy(gpu);
        return code;
    }
    *component_p = gpu;
    return SIM_OK;
}

static struct machine_port gpu_port(void *component, unsigned index)
{
    struct node_gpu *gpu = component;

    (void)index; /* it has one */
    return (struct machine_port){ "pcie", gpu->port, pcie_link_join };
}

/** The link has settled on a payload size by now. */
static int gpu_start(void *component, struct sim_error *err)
{
    struct node_gpu *gpu = component;

    (void)err;
    gpu->cfg.completion_bytes = sim_min(gpu->cfg.completion_bytes, pcie_port_mps(gpu->port));
    return SIM_OK;
}

static int gpu_fault(void *component, void *end, const struct machine_fault_kind *what,
                     const void *config, struct sim_error *err)
{
    struct pcie_misbehavior how;

    if (end != NULL)
        return pcie_port_add_fault(end, what, config, err);
    how = pcie_misbehavior_of(what, config);
    return node_gpu_misbehave(component, &how, err);
}

const struct machine_kind node_gpu_kind = {
    .name = "gpu",
    .summary = "GPU: memory behind a BAR, level-2 cache, engines for copies and kernels",
    .params = gpu_params,
    .groups = gpu_groups,
    .config_bytes = sizeof(struct gpu_config),
    .ports = gpu_ports,
    .create = gpu_create,
    .port = gpu_port,
    .start = gpu_start,
    .destroy = gpu_destroy,
    .faults = pcie_faults,
    .fault = gpu_fault,
};

uint8_t *node_gpu_bytes(struct node_gpu *gpu)
{
    return gpu->memory.bytes;
}

bool node_gpu_is_configured(const struct node_gpu *gpu)
{
    return gpu->fn.id != 0;
}

uint64_t node_gpu_memory_bytes(const struct node_gpu *gpu)
{
    return gpu->cfg.memory_bytes;
}

uint64_t node_gpu_cache_bytes(const struct node_gpu *gpu)
{
    return gpu->cfg.l2.bytes;
}

/** The first run of `n` free pages of the BAR, or the number of its pages. */
static uint64_t free_run(const struct node_gpu *gpu, uint64_t n)
{
    uint64_t pages = gpu->cfg.bar_bytes >> GPU_PAGE_SHIFT, run = 0;

    for (uint64_t i = 0; i < pages; i++) {
        run = gpu->bar_pages[i] == 0 ? run + 1 : 0;
        if (run == n)
            return i + 1 - n;
    }
    return pages;
}

int node_gpu_pin(struct node_gpu *gpu, uint64_t offset, uint64_t size, uint64_t *bar_offset_p)
{
    uint64_t n = size >> GPU_PAGE_SHIFT, first;

    SIM_ASSERT(size != 0 && size % GPU_PAGE_BYTES == 0 && offset % GPU_PAGE_BYTES == 0);
    SIM_ASSERT(mem_ram_holds(&gpu->memory, offset, size));
    first = free_run(gpu, n);
    if (first + n > gpu->cfg.bar_bytes >> GPU_PAGE_SHIFT)
        return SIM_ERR_LIMIT;
    for (uint64_t i = 0; i < n; i++)
        gpu->bar_pages[first + i] = (uint32_t)((offset >> GPU_PAGE_SHIFT) + i + 1);
    *bar_offset_p = first << GPU_PAGE_SHIFT;
    return SIM_OK;
}

void node_gpu_unpin(struct node_gpu *gpu, uint64_t bar_offset, uint64_t size)
{
    uint64_t first = bar_offset >> GPU_PAGE_SHIFT, n = size >> GPU_PAGE_SHIFT;

    SIM_ASSERT(bar_offset % GPU_PAGE_BYTES == 0 && size % GPU_PAGE_BYTES == 0);
    SIM_ASSERT(bar_offset + size <= gpu->cfg.bar_bytes);
    for (uint64_t i = 0; i < n; i++)
        gpu->bar_pages[first + i] = 0;
}

int node_gpu_misbehave(struct node_gpu *gpu, const struct pcie_misbehavior *how,
                       struct sim_error *err)
{
    return pcie_misdeeds_add(&gpu->misdeeds, how, sim_seed(gpu->dom), gpu->path, err);
}

uint64_t node_gpu_failed_copies(const struct node_gpu *gpu)
{
    return gpu->copy[0].failures + gpu->copy[1].failures;
}
