/*
 * Kernels: no code of a GPU runs here. One takes as long as a roofline has it, of what its caller
 * says that it computes: the peak of its operations or the rate of memory, whichever is slower.
 */
#include "node/gpu/internal.h"

#define LONGEST_NS (UINT64_C(1) << 50) /* times 1000 it is still a time; two weeks */

/** `n` of which there are `per_ns` in a nanosecond, as Gflop/s and GB/s say; 0: no limit. */
static sim_time_t time_of(uint64_t n, uint64_t per_ns)
{
    if (per_ns == 0)
        return 0;
    return sim_min(n / per_ns, LONGEST_NS) * SIM_NS + n % per_ns * SIM_NS / per_ns;
}

struct node_gpu_job *node_gpu_kernel(struct node_gpu *gpu, struct node_gpu_after after,
                                     const struct node_gpu_work *work, node_gpu_done_fn done,
                                     void *arg)
{
    const struct gpu_kernel_config *cfg = &gpu->cfg.kernel;
    struct node_gpu_job *job = gpu_engine_add(&gpu->kernels, after, done, arg);
    sim_time_t operations = time_of(work->sp_operations, cfg->peak_sp_gflops) +
                            time_of(work->dp_operations, cfg->peak_dp_gflops);
    sim_time_t memory = time_of(work->read_bytes, cfg->memory_gb_per_s) +
                        time_of(work->written_bytes, cfg->memory_gb_per_s);

    job->kernel_ps = operations > memory ? operations : memory;
    return job;
}

sim_time_t gpu_kernel_run(struct node_gpu *gpu)
{
    struct gpu_engine *e = &gpu->kernels;

    while (e->queue.head != NULL) {
        const struct node_gpu_job *job = e->queue.head;
        sim_time_t next;

        if (!gpu_engine_begun(e, &next))
            return next;
        if (e->start + job->kernel_ps > sim_now(gpu->dom))
            return e->start + job->kernel_ps;
        gpu_engine_end(e);
    }
    return SIM_TIME_NEVER;
}
