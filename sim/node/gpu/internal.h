/*
 * The parts of a GPU: what its port takes in and answers (reads.c), the cache
 * that decides how long an answer takes (l2.c), the order of jobs (engine.c),
 * what copies (copy.c) and kernels (roofline.c) do, and what binds them (gpu.c).
 */
#ifndef NODE_GPU_INTERNAL_H
#define NODE_GPU_INTERNAL_H

#include "core/probe.h"
#include "node/gpu.h"
#include "node/packet.h"
#include "pcie/port/aer.h"

SIM_BEGIN_DECLS

#define GPU_PAGE_SHIFT 16 /* GPUDirect RDMA pins pages of 64 KiB */
#define GPU_PAGE_BYTES (UINT64_C(1) << GPU_PAGE_SHIFT)
#define GPU_CHUNK      256u /* what an L2 slice serves at once, aligned */
#define GPU_CHUNKS     (PCIE_MAX_PAYLOAD / GPU_CHUNK + 1)
#define GPU_TAGS_MAX   254u
#define GPU_FLUSH_TAGS 2u /* behind them, for reads that push writes to a peer */
#define GPU_COPIES     2u /* engines, the first ones of enum node_gpu_engine */

struct gpu_config {
    uint64_t memory_bytes, bar_bytes;
    uint64_t write_ps, write_interval_ps, write_ack_ps, read_ps, reads, completion_bytes;
    struct gpu_l2_config {
        uint64_t bytes, ways, line_bytes, slices, interleave_bytes;
        uint64_t service_ps, dram_ps, dram_service_ps;
    } l2;
    struct gpu_copy_config {
        uint64_t setup_ps, read_bytes, tags, local_bytes_per_us, bus_bytes_per_us;
        uint64_t completion_timeout_ps;
    } copy;
    struct gpu_kernel_config {
        uint64_t launch_ps, peak_sp_gflops, peak_dp_gflops, memory_gb_per_s;
    } kernel;
    struct pcie_port_config port;
};

/* ---- level-2 cache: tags and times; the bytes are in device memory --------------- */

struct gpu_l2 {
    const struct gpu_l2_config *cfg;
    uint64_t sets; /* of one slice; 0: no cache, every access goes to DRAM */
    struct gpu_l2_line {
        uint64_t tag; /* its number + 1; 0: empty */
        uint64_t age; /* time of the last use, in uses */
    } * lines;        /* [(slice * sets + set) * ways + way] */
    uint64_t uses;
    sim_time_t *busy;      /* by slice: serves requests until */
    uint64_t hits, misses; /* of reads, by chunk */
};

/** Free `lines` and `busy`. */
int gpu_l2_init(struct gpu_l2 *l2, const struct gpu_l2_config *cfg);
/** [offset, offset + bytes), within one GPU_CHUNK, is asked for now. @return when its slice has
 * it. */
sim_time_t gpu_l2_read(struct gpu_l2 *l2, uint64_t offset, uint64_t bytes, sim_time_t now);
void gpu_l2_write(struct gpu_l2 *l2, uint64_t offset, uint64_t bytes);

/* ---- reads in progress -------------------------------------------------------------- */

struct gpu_read {
    struct gpu_read *next; /* accepted after this one */
    struct node_packet *packet;
    const uint8_t *from; /* device memory at packet->addr */
    uint64_t chunk;      /* packet->addr / GPU_CHUNK when it was accepted */
    sim_time_t ready[GPU_CHUNKS];
    uint64_t mark[GPU_CHUNKS]; /* when each chunk was ready, for the probe */
};

/* ---- engines -------------------------------------------------------------------------- */

struct node_gpu_job {
    struct sim_link link;
    struct gpu_engine *engine;
    struct node_gpu_after after;
    bool rung;       /* its bell has left the root complex, */
    uint64_t behind; /* and arrives when so many writes of the bus are visible */
    node_gpu_done_fn done;
    void *arg;
    struct node_gpu_end dst, src; /* a copy's ends, */
    uint64_t bytes;               /* and what it moves */
    sim_time_t kernel_ps;         /* a kernel takes, without its launch */
};

struct gpu_engine {
    struct node_gpu *gpu;
    enum node_gpu_engine which;
    sim_time_t setup_ps;                     /* each job's; at least 1 */
    struct sim_list queue, finished, unused; /* struct node_gpu_job */
    uint64_t ended;
    sim_time_t start; /* the head of the queue begins; SIM_TIME_NEVER: it waits for its bell or for
                       * another engine */
    bool held;        /* by writes that its job is behind */
    struct sim_event done; /* SIM_TASK */
};

/** A read request of the copy engine that is not answered in full. */
struct gpu_copy_read {
    bool busy;
    uint8_t tag;
    uint32_t left; /* bytes to come */
    uint64_t at;   /* where the next byte is in the job */
    sim_time_t deadline_ps;
};

struct gpu_copy {
    struct gpu_engine engine; /* first */
    sim_time_t next;          /* the next piece over the bus, not before */
    uint64_t asked, got;      /* bytes of the job: requested, at hand */
    uint64_t sent;            /* bytes of the job that left as writes or need none */
    struct gpu_copy_read reads[GPU_TAGS_MAX];
    unsigned busy_tags;
    bool flushing; /* all of the job's writes to a peer have left, and a read behind them */
    sim_time_t tagless_since; /* SIM_TIME_NEVER: no tag is missing */
    bool unanswered;          /* a read of this job was given up, */
    unsigned turn;            /* so the next job uses other tags */
    bool failed;              /* the job at work */
    uint64_t failures;        /* jobs that failed */
    struct sim_list writes;   /* to be sent */
    struct sim_event timeout; /* scheduled, for an early deadline, while reads are busy */
};

/* ---- the GPU ------------------------------------------------------------------------------ */

struct node_gpu {
    struct sim_domain *dom;
    const char *path;
    uint64_t where; /* fingerprint of its memory */
    struct gpu_config cfg;
    struct mem_pool *payloads;
    struct node_packet_pool packets;
    struct pcie_port *port;
    struct pcie_function fn;
    struct mem_ram memory;
    uint32_t *bar_pages; /* page of the BAR -> page of memory + 1; 0: not pinned */
    struct gpu_l2 l2;
    struct sim_event work;        /* all that the GPU decides; SIM_CLOCK */
    struct sim_list held, writes; /* that wait for their turn; whose way to memory has begun */
    struct sim_list requests, completions, answers;
    sim_time_t request_since, write_since; /* those before the heads of `requests`, `held` left */
    sim_time_t fetched, acknowledged;      /* by then the reads, the writes that have begun are */
    uint64_t requests_in, requests_begun, writes_begun;
    uint64_t write_mark; /* for the probe: of the last write that has begun */
    uint64_t posted_in, posted_done;
    uint64_t lost_before;  /* of `posted_in`: before the link was down last */
    sim_time_t next_write; /* the next write may become visible */
    struct gpu_read *read_slots, *free_reads, *active; /* accepted reads, oldest first */
    struct gpu_copy copy[GPU_COPIES];                  /* by enum node_gpu_engine */
    struct gpu_engine kernels;
    struct pcie_order_watch *order; /* of writes and requests; NULL: not watched */
    struct pcie_order_end *end;
    uint32_t arrivals;
    struct pcie_misdeeds *misdeeds; /* NULL, or what it does wrong on purpose */
    const struct sim_probe *probe;
    struct {
        uint64_t read_bytes, write_bytes, unpinned_reads, unpinned_writes, copy_errors;
        uint64_t stall_memory_ps, copy_stall_tag_ps;
        uint64_t poisoned_writes;
    } stat;
};

/** Wakes the GPU at `at`, the present time from phase SIM_ARRIVE or SIM_CLOCK only. */
static inline void gpu_wake(struct node_gpu *gpu, sim_time_t at)
{
    sim_schedule_by(gpu->dom, &gpu->work, at, SIM_CLOCK);
}

/** A packet of its own goes to the port. */
static inline void gpu_send(struct node_gpu *gpu, struct pcie_tlp *tlp)
{
    if (gpu->end != NULL)
        pcie_order_begin(gpu->end, tlp);
    pcie_port_send(gpu->port, tlp);
}

/** Bytes from the bus reach device memory at `offset`. */
void gpu_wrote(struct node_gpu *gpu, uint64_t offset, uint64_t bytes);

int gpu_reads_init(struct node_gpu *gpu);
void gpu_received(void *user, struct pcie_tlp *tlp);
/** Writes that are due, requests that may begin, completions that are ready. @return when next. */
sim_time_t gpu_serve(struct node_gpu *gpu);

/** All of the engine is zero but what else is set here. */
void gpu_engine_init(struct gpu_engine *e, struct node_gpu *gpu, enum node_gpu_engine which,
                     sim_time_t setup_ps);
void gpu_engine_fini(struct gpu_engine *e);
/** A new job behind all others of the engine, with what they have in common. */
struct node_gpu_job *gpu_engine_add(struct gpu_engine *e, struct node_gpu_after after,
                                    node_gpu_done_fn done, void *arg);
/** Whether the head of the queue, of which there is one, has been set up. @return false: look again
 * at *next_p, or not before something happens */
bool gpu_engine_begun(struct gpu_engine *e, sim_time_t *next_p);
/** The head of the queue has ended. */
void gpu_engine_end(struct gpu_engine *e);
/** The link is down: no job waits for writes that have not come. */
void gpu_engines_lost(struct node_gpu *gpu);

/** From the first of so many bytes of an end in device memory to the last one. */
uint64_t gpu_rows_span(struct node_gpu_end end, uint64_t bytes);
/** Its bytes from `at` on, without the gaps between rows. */
void gpu_rows_put(struct node_gpu *gpu, struct node_gpu_end to, uint64_t at, const uint8_t *bytes,
                  uint64_t n);
void gpu_rows_get(const struct node_gpu *gpu, struct node_gpu_end from, uint64_t at, uint8_t *bytes,
                  uint64_t n);
void gpu_copy_init(struct node_gpu *gpu);
void gpu_copy_fini(struct node_gpu *gpu);
/** @return when the engines have to be looked at again, apart from what wakes it anyway. */
sim_time_t gpu_copy_run(struct node_gpu *gpu);
sim_time_t gpu_kernel_run(struct node_gpu *gpu);

/* ---- probe.c: where a probe is attached ------------------------------------------------------ */

enum gpu_stage {
    GPU_STAGE_WRITE,
    GPU_STAGE_WRITE_TURN,
    GPU_STAGE_VISIBLE,
    GPU_STAGE_SLOT,
    GPU_STAGE_READ_TURN,
    GPU_STAGE_SLICE,
    GPU_STAGE_DRAM,
    GPU_STAGE_READ,
    GPU_STAGE_ANSWER,
    GPU_STAGE_SEEN,
    GPU_STAGE_TURN,
    GPU_STAGES
};

SIM_PROBE_ONLY uint64_t gpu_probe_mark(const struct node_gpu *gpu, enum gpu_stage stage,
                                       sim_time_t time, uint64_t cause);
/** Bytes of device memory are written, or read, now. */
SIM_PROBE_ONLY uint64_t gpu_probe_bytes(const struct node_gpu *gpu, enum gpu_stage stage,
                                        uint64_t offset, uint64_t bytes, uint64_t cause);
/** A chunk is ready at its slice at `ready`; its way from DRAM takes `dram_ps` of that. */
SIM_PROBE_ONLY uint64_t gpu_probe_chunk(const struct node_gpu *gpu, sim_time_t ready,
                                        uint64_t dram_ps, uint64_t cause);
/** A completion with the `bytes` before r->packet->addr, from r->from on, leaves now. */
SIM_PROBE_ONLY uint64_t gpu_probe_send(const struct node_gpu *gpu, const struct gpu_read *r,
                                       const struct pcie_tlp *cpl, uint32_t bytes);
/** The engine has a head of its queue or none, and now begins it or its set-up is over. */
SIM_PROBE_ONLY void gpu_probe_engine(const struct gpu_engine *e, bool set_up);

SIM_END_DECLS
#endif /* NODE_GPU_INTERNAL_H */
