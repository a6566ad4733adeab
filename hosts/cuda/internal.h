/* Inside of the CUDA library. */
#ifndef CUDA_INTERNAL_H
#define CUDA_INTERNAL_H

#include "hosts/cuda/include/cuda_runtime.h"
#include "hosts/driver/driver.h"

/** Pageable memory is copied through two pinned buffers of this size in turns. */
#define CUDA_BOUNCE_BYTES 65536u

/** A copy or a kernel by its GPU and its number there; number 0: none. */
struct cuda_last {
    unsigned gpu;
    uint64_t number;
};

/** What one engine does in one go. */
struct cuda_job {
    unsigned gpu;
    struct host_copy_end dst, src;
    uint64_t bytes;
    bool flush; /* it is to be read from before the end can be trusted */
};

/** What a rank knows of an engine: jobs up to these numbers. */
struct cuda_engine {
    uint64_t issued;  /* were given to it */
    uint64_t settled; /* have ended, and their bytes are at their places */
};

struct cuda_device {
    struct cuda_engine engine[HOST_GPU_ENGINES];
    bool flush;      /* of jobs that are not settled; one engine's may wait for the other's */
    bool used;       /* by this rank */
    uint64_t failed; /* failures before this rank used it, or forgotten by a reset */
};

struct cuda_stamp;
struct cuda_object;
enum cuda_kind { CUDA_STREAM, CUDA_EVENT, CUDA_KINDS };

/** A device as the driver's calls name it (cuda.h). */
struct CUctx_st {
    unsigned uses; /* created or retained, and not yet given back */
};

/** Of one rank, made at its first call. */
struct cuda_rank {
    struct host_state kept; /* first: see cuda_enter() */
    struct host *h;
    struct driver *d;
    const struct driver_visible *seen; /* its devices; all else here goes by GPU of the node */
    cudaError_t last;
    uint8_t *bounce;            /* two buffers; NULL until needed */
    uint8_t peers[DRIVER_GPUS]; /* bit per GPU that it may access */
    struct cuda_device device[DRIVER_GPUS];
    struct cuda_last null_stream[DRIVER_GPUS];
    struct cuda_object *objects[CUDA_KINDS];
    struct cuda_stamp *stamps;
    bool driver; /* cuInit() was called */
    struct CUctx_st contexts[DRIVER_GPUS];
    struct gdr *gdrs;          /* gdr.c; open ones */
    unsigned long gdr_handles; /* given out so far */
};

/** NULL outside a rank, without memory, or where it sees no GPU. Costs `cost`. */
struct cuda_rank *cuda_enter(enum host_cost cost);
/** The GPU of a device. @return false: there is no such device, or `cr` is NULL */
bool cuda_gpu_of(const struct cuda_rank *cr, int device, unsigned *gpu_p);
/** The device of a GPU that the rank sees. */
int cuda_device_of(const struct cuda_rank *cr, unsigned gpu);
/** Remembers the code for cudaGetLastError(). @return it; cudaErrorNoDevice when `cr` is NULL */
cudaError_t cuda_leave(struct cuda_rank *cr, cudaError_t code);

/** A copy for an engine, behind that of the number `after`. @return its number */
uint64_t cuda_give(struct cuda_rank *cr, unsigned gpu, struct host_copy_end dst,
                   struct host_copy_end src, uint64_t bytes, uint64_t after);

/* announce.c */
/** For the check for races, where that is on: the call at `place` uses these rows. */
void cuda_race_used(const struct cuda_rank *cr, struct host_rows rows, enum host_use use,
                    struct host_place place);
/** Gives back memory of the host or of a GPU, as the check sees. @return its bytes; 0: none begins
 * there */
uint64_t cuda_free(struct cuda_rank *cr, void *p, struct host_place place);

/* stream.c */
/** Gives the job to its engine, behind the copy `after` of the same GPU, 0: none. */
struct cuda_last cuda_start(struct cuda_rank *cr, const struct cuda_job *job, uint64_t after);
/** Starts a kernel on the current device, behind the stream's last job, and is that then. */
cudaError_t cuda_start_kernel(struct cuda_rank *cr, struct cuda_last *last,
                              const struct host_kernel *kernel);
/** Waits until the job has ended and its bytes are at their place. */
void cuda_settle(struct cuda_rank *cr, struct cuda_last last);
/** The same for all that this rank has started. */
void cuda_settle_all(struct cuda_rank *cr);
/** The stream's last job; NULL: no such stream, or no rank. */
struct cuda_last *cuda_stream(struct cuda_rank *cr, cudaStream_t stream);
void cuda_streams_free(struct cuda_rank *cr);

/* gdr.c */
/** The program has given this memory of a GPU back. */
void cuda_gdr_freed(struct cuda_rank *cr, const void *p, uint64_t bytes);
void cuda_gdr_release(struct cuda_rank *cr);

#endif /* CUDA_INTERNAL_H */
