/* What a GPU reports to an observer. Called only where one is attached. */
#include "node/gpu/internal.h"

#define STAGE(stage, name, kind, use, text)                                                        \
    [GPU_STAGE_##stage] = { (name), SIM_KIND_##kind, SIM_STAGE_##use, NULL, (text) }

static const struct sim_stage stages[GPU_STAGES] = {
    STAGE(WRITE, "GPU write", GPU, PLAIN, "from the port until visible in device memory"),
    STAGE(WRITE_TURN, "GPU write turn", GPU, PLAIN, "behind the reads and writes before it"),
    STAGE(VISIBLE, "GPU write turn", GPU, WROTE, "visible in device memory"),
    STAGE(SLOT, "GPU read slot", READ_LIMIT, PLAIN, "until one of the reads in progress has ended"),
    STAGE(READ_TURN, "GPU read turn", GPU, PLAIN, "until the write before it is acknowledged"),
    STAGE(SLICE, "GPU cache slice", GPU, PLAIN, "until its slice of the level-2 cache is free"),
    STAGE(DRAM, "GPU memory", GPU, PLAIN, "what the level-2 cache does not hold"),
    STAGE(READ, "GPU read", GPU, PLAIN, "from the port to the cache and back"),
    STAGE(ANSWER, "GPU answer", GPU, PLAIN, "an answer that needs no memory"),
    [GPU_STAGE_SEEN] = { .name = "until a poll reads it",
                         .kind = SIM_KIND_POLL,
                         .phase = "poll",
                         .use = SIM_STAGE_READ,
                         .meaning = "from the bytes in memory until a load of a polling loop" },
    STAGE(TURN, "GPU completion turn", GPU, QUEUE, "behind earlier writes or other completions"),
};

uint64_t gpu_probe_mark(const struct node_gpu *gpu, enum gpu_stage stage, sim_time_t time,
                        uint64_t cause)
{
    return sim_probe_mark(gpu->probe, &stages[stage], gpu->path, time, cause);
}

uint64_t gpu_probe_bytes(const struct node_gpu *gpu, enum gpu_stage stage, uint64_t offset,
                         uint64_t bytes, uint64_t cause)
{
    const struct sim_mark mark = {
        .stage = &stages[stage],
        .where = gpu->path,
        .time = sim_now(gpu->dom),
        .cause = { cause },
        .addr = offset,
        .bytes = bytes,
    };

    return gpu->probe->mark(gpu->probe->arg, &mark);
}

uint64_t gpu_probe_chunk(const struct node_gpu *gpu, sim_time_t ready, uint64_t dram_ps,
                         uint64_t cause)
{
    cause = gpu_probe_mark(gpu, GPU_STAGE_SLICE, ready - dram_ps, cause);
    cause = gpu_probe_mark(gpu, GPU_STAGE_DRAM, ready, cause);
    return gpu_probe_mark(gpu, GPU_STAGE_READ, ready + gpu->cfg.read_ps, cause);
}

uint64_t gpu_probe_send(const struct node_gpu *gpu, const struct gpu_read *r,
                        const struct pcie_tlp *cpl, uint32_t bytes)
{
    const struct node_packet *p = r->packet;
    uint64_t last = (p->addr - 1) / GPU_CHUNK - r->chunk, latest = last;
    struct sim_mark mark = {
        .stage = &stages[GPU_STAGE_TURN],
        .where = gpu->path,
        .time = sim_now(gpu->dom),
        .toward = pcie_port_path(gpu->port),
        .toward_queues = pcie_probe_queues(PCIE_COMPLETION, false),
    };
    uint64_t id;

    for (uint64_t c = (p->addr - bytes) / GPU_CHUNK - r->chunk; c < last; c++)
        if (r->ready[c] > r->ready[latest])
            latest = c;
    mark.cause[0] = r->mark[latest];
    id = gpu->probe->mark(gpu->probe->arg, &mark);
    if (cpl->requester_id >> 8 != 0)
        return id;
    return gpu_probe_bytes(gpu, GPU_STAGE_SEEN, (uint64_t)(r->from - gpu->memory.bytes), bytes, id);
}

void gpu_probe_engine(const struct gpu_engine *e, bool set_up)
{
    enum { IDLE, SET_UP, WORK };
    static const char *const copies[] = { "idle", "set-up", "copy", NULL };
    static const char *const kernels[] = { "idle", "launch", "run", NULL };
    static const struct sim_signal state[NODE_GPU_ENGINES] = {
        { "copy0.state", 2, copies, SIM_SIGNAL_STATE, "what the copy engine of other copies does" },
        { "copy1.state", 2, copies, SIM_SIGNAL_STATE,
          "what the copy engine from the device to the bus does" },
        { "kernel.state", 2, kernels, SIM_SIGNAL_STATE, "what the engine of kernels does" },
    };
    const struct node_gpu *gpu = e->gpu;
    bool busy = e->start != SIM_TIME_NEVER; /* one that waits for its bell does nothing */

    sim_probe_level(gpu->probe, &state[e->which], gpu->path, sim_now(gpu->dom),
                    !busy    ? IDLE
                    : set_up ? WORK
                             : SET_UP);
}
