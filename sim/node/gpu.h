/*
 * A GPU as the bus sees it: memory behind a BAR, pinned pages (GPUDirect RDMA),
 * a level-2 cache and read engine with limits, two copy engines that master the
 * bus, and one engine for kernels. Kind "gpu", port "pcie". Its memory is ordinary memory of the
 * process (machine_place.map), so host programs may hold pointers into it.
 */
#ifndef NODE_GPU_H
#define NODE_GPU_H

#include "core/sim.h"
#include "machine/kind.h"
#include "pcie/lossy/misbehave.h"

SIM_BEGIN_DECLS

struct node_gpu;
extern const struct machine_kind node_gpu_kind;

uint8_t *node_gpu_bytes(struct node_gpu *gpu); /* device memory */
uint64_t node_gpu_memory_bytes(const struct node_gpu *gpu);
uint64_t node_gpu_cache_bytes(const struct node_gpu *gpu); /* of its level-2 cache */
/** Whether configuration has reached it: before, it may issue no request (2.2.6.2). */
bool node_gpu_is_configured(const struct node_gpu *gpu);

/**
 * Pins [offset, offset + size) of device memory (both multiples of 64 KiB) into the BAR.
 * @return SIM_OK and the BAR offset, or SIM_ERR_LIMIT when the BAR has no room.
 */
int node_gpu_pin(struct node_gpu *gpu, uint64_t offset, uint64_t size, uint64_t *bar_offset_p);
void node_gpu_unpin(struct node_gpu *gpu, uint64_t bar_offset, uint64_t size);

/** Makes it answer requests of the bus wrongly on purpose (pcie/lossy/misbehave.h). */
int node_gpu_misbehave(struct node_gpu *gpu, const struct pcie_misbehavior *how,
                       struct sim_error *err);

typedef void (*node_gpu_done_fn)(void *arg);

/** One end of a copy: a bus address (host memory, or a peer's BAR), or this device's memory. */
struct node_gpu_end {
    bool device; /* addr is an offset in this GPU's memory, else a bus address */
    uint64_t addr;
    bool peer; /* which another device has: a copy to it ends when its bytes are there */
    uint64_t row_bytes, pitch; /* of device memory: rows, `pitch` bytes apart; 0: without gaps */
};
/** Engines work side by side, each on its jobs in order. */
enum node_gpu_engine {
    NODE_GPU_COPY,     /* all copies but: */
    NODE_GPU_COPY_OUT, /* from the device to the bus */
    NODE_GPU_KERNEL,
    NODE_GPU_ENGINES
};
static inline enum node_gpu_engine node_gpu_copy_engine(struct node_gpu_end dst,
                                                        struct node_gpu_end src)
{
    return src.device && !dst.device ? NODE_GPU_COPY_OUT : NODE_GPU_COPY;
}
/** A job does not begin before so many of that engine have ended; 0: at once. */
struct node_gpu_after {
    enum node_gpu_engine engine;
    uint64_t jobs;
};
struct node_gpu_job;
/**
 * Reads and writes of the bus are real TLPs at the GPU's port. Jobs of one engine run in the order
 * of these calls, whichever bell is rung first. `done` in phase SIM_TASK after the last byte was
 * read and sent.
 * Rows of device memory are one copy to or from the bus, where they follow each other.
 * @return the `job` of node_gpu_ring(), to be called once; the copy waits for that.
 */
struct node_gpu_job *node_gpu_copy(struct node_gpu *gpu, struct node_gpu_after after,
                                   struct node_gpu_end dst, struct node_gpu_end src, uint64_t bytes,
                                   node_gpu_done_fn done, void *arg);

/** What a kernel computes. */
struct node_gpu_work {
    uint64_t sp_operations, dp_operations; /* of floating point, in single and double precision */
    uint64_t read_bytes, written_bytes;    /* of device memory, beyond its caches */
};
/** It takes its launch, and then the longer one of its operations at their peak and of its bytes at
 * the memory's rate. What it does to memory is the caller's, in `done`: no other job that waits for
 * this one looks there before. Else as node_gpu_copy(). */
struct node_gpu_job *node_gpu_kernel(struct node_gpu *gpu, struct node_gpu_after after,
                                     const struct node_gpu_work *work, node_gpu_done_fn done,
                                     void *arg);
/**
 * The bell of a job is rung (a node_done_fn for node_core_ring()): its set-up begins. No TLP
 * stands for it; it takes the way of a store, so the job sees all that the root port was handed
 * before it.
 * @param job struct node_gpu_job
 * @param posted as node_core_ring() has it for the GPU's root port; 0: nothing is before it
 */
void node_gpu_ring(void *job, uint64_t posted);
/** Copies that read what was poisoned, not answered in time, or refused: they ended, and all ones
 * stand in place of that. */
uint64_t node_gpu_failed_copies(const struct node_gpu *gpu);

SIM_END_DECLS
#endif /* NODE_GPU_H */
