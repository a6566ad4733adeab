/*
 * GPUs of the node, numbered from 0: their memory, and the copies and kernels of their engines.
 */
#ifndef HOST_GPU_H
#define HOST_GPU_H

#include <stdbool.h>
#include <stdint.h>

#define HOST_GPU_PAGE 65536u /* granule of GPU memory behind a BAR (GPUDirect RDMA) */

struct host;

/** One end of a GPU's copy: an offset in that GPU's own memory, or a bus address. */
struct host_copy_end {
    bool device;
    uint64_t addr;
    bool peer; /* a bus address of another device: the copy ends when its bytes are there */
    uint64_t row_bytes, pitch; /* if device: rows, `pitch` bytes apart; 0: no gaps */
};

/** A GPU has one engine for copies from it to the bus, 1, one for other copies, 0, and one for
 * kernels, 2. Each number of a job shows which one has it. */
#define HOST_COPY_ENGINES  2u
#define HOST_KERNEL_ENGINE HOST_COPY_ENGINES
#define HOST_GPU_ENGINES   3u
#define HOST_KERNELS       (UINT64_C(1) << 63) /* numbers of kernels begin behind it */
static inline unsigned host_gpu_engine(uint64_t number)
{
    return number >= HOST_KERNELS ? HOST_KERNEL_ENGINE : number % HOST_COPY_ENGINES;
}

/** What a kernel computes, and a function of the program that does it (NULL: none). */
struct host_kernel {
    uint64_t sp_operations, dp_operations; /* of single and double precision */
    uint64_t read_bytes, written_bytes;    /* GPU memory */
    void (*run)(void *arg);
    void *arg;
};

/** When a job of a GPU has ended. */
struct host_stamp {
    bool ended;
    uint64_t time_ps;
    /* the back end's own */
    uint64_t number;
    struct host_stamp *next;
};

struct host_gpu_ops {
    unsigned (*number)(struct host *h);
    /** The rank's CUDA_VISIBLE_DEVICES, as it is now. @return NULL: not set */
    const char *(*visible)(struct host *h);
    uint16_t (*bdf)(struct host *h, unsigned gpu);
    uint64_t (*memory_bytes)(struct host *h, unsigned gpu);
    uint64_t (*cache_bytes)(struct host *h, unsigned gpu); /* of its level-2 cache */
    void *(*alloc)(struct host *h, unsigned gpu, uint64_t bytes, uint64_t align);
    /** @return the bytes it had; 0: no such allocation. */
    uint64_t (*free)(struct host *h, unsigned gpu, void *p);
    /** Both multiples of HOST_GPU_PAGE. @return the offset in the GPU's BAR, or HOST_NO_BUS. */
    uint64_t (*pin)(struct host *h, unsigned gpu, uint64_t offset, uint64_t bytes);
    void (*unpin)(struct host *h, unsigned gpu, uint64_t bar_offset, uint64_t bytes);
    /** Starts a copy. Jobs of one engine (host_gpu_engine()) run in order, those of several side by
     * side; it does not begin before that of the number `after` has ended (0: none).
     * @return its number, for wait(); those of one engine rise. */
    uint64_t (*copy)(struct host *h, unsigned gpu, struct host_copy_end dst,
                     struct host_copy_end src, uint64_t bytes, uint64_t after);
    /** Starts a kernel likewise. Its function runs when it ends, above the rank and in no simulated
     * time; a call in it ends the rank. @return 0: out of memory */
    uint64_t (*kernel)(struct host *h, unsigned gpu, const struct host_kernel *what,
                       uint64_t after);
    void (*wait)(struct host *h, unsigned gpu, uint64_t number);
    /** Copies of this GPU so far that ended without all of their bytes. */
    uint64_t (*failures)(struct host *h, unsigned gpu);
    /** Has count[], HOST_COPY_ENGINES words from alloc() of the host's memory, hold the number of
     * the last copy of each of these engines that has ended, from now on. So a loop which polls
     * memory sees that too. NULL: no longer. Each user (net.h) may have its own. */
    void (*count)(struct host *h, unsigned user, unsigned gpu, volatile uint64_t *count);
    bool (*ended)(struct host *h, unsigned gpu, uint64_t number);
    /** Fills in the time when the job ends, or the present one when it has ended. *stamp must stay
     * until then. */
    void (*stamp)(struct host *h, unsigned gpu, uint64_t number, struct host_stamp *stamp);
};

#endif /* HOST_GPU_H */
