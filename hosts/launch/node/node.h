/* Nodes: their memory, GPUs, Ethernet and interrupts. */
#ifndef LAUNCH_NODE_H
#define LAUNCH_NODE_H

#include "core/list.h"
#include "ether/ether.h"
#include "hosts/launch/run.h"
#include "memory/ram.h"
#include "node/gpu.h"

#define LAUNCH_RESERVED    (UINT64_C(1) << 20) /* bytes at the start of DRAM, not given out */
#define LAUNCH_KERNEL      (UINT64_C(8) << 20) /* bytes after them for the driver */
#define LAUNCH_ARENA_ALIGN UINT64_C(65536)

struct launch_gpu {
    struct launch_node *node;
    struct node_gpu *gpu;
    uint8_t *bytes;
    unsigned port; /* a root port, where there is one */
    uint16_t bdf;
    struct range_alloc memory; /* offsets */
    struct launch_engine {
        struct launch_gpu *gpu;
        uint64_t started, done; /* numbers of the last ones; the first of all: none */
        uint64_t step;          /* from one number to the next */
    } engines[HOST_GPU_ENGINES];
    struct host_stamp *stamps; /* of jobs that have not ended */
    struct sim_list kernels;   /* with functions, that have not ended: struct launch_kernel */
};

struct launch_node {
    struct launch *run;
    struct host_node shared;
    struct node_host *host;
    struct sim_domain *dom;
    struct mem_ram *ram;
    unsigned ngpus, nranks, arenas; /* arenas: given to ranks so far */
    struct launch_gpu gpus[LAUNCH_GPUS];
    struct launch_thread kernel, irq; /* boot; interrupt handlers */
    host_interrupt_fn irq_fn;
    void *irq_arg;
    uint32_t irq_pending;
    struct {
        struct ether_adapter *adapter; /* NULL: none */
        host_ether_fn fn;
        void *arg;
        uint32_t pending; /* bits by enum host_ether_event */
        bool handling;    /* from the interrupt to the end of its handler */
        struct sim_event timer;
    } ether;
    int boot_code;
    struct sim_event boot, send[LAUNCH_INBOX]; /* send: by enum launch_way */
};

extern const struct host launch_host; /* with the tables of operations (ops.c), and no rank */
extern const struct host_ether_ops launch_ether_ops;
extern const struct host_gpu_ops launch_gpu_ops;
extern const struct host_memory_ops launch_memory_ops;

/* gpu_kernel.c */
/** See host_gpu_ops.kernel. */
uint64_t launch_kernel(struct host *h, unsigned gpu, const struct host_kernel *what,
                       uint64_t after);

/* gpu.c */
struct launch_gpu *launch_gpu_of(struct host *h, unsigned gpu);
/** What a job of the number `after` means to the simulated GPU. */
struct node_gpu_after launch_gpu_after(uint64_t after);
/** A job of the engine (struct launch_engine) has ended. */
void launch_gpu_ended(void *engine);

/* ether.c */
void launch_ether_init(struct launch_node *node);
void launch_ether_fini(struct launch_node *node);
/** By the node's handler, before it looks for other interrupts and sleeps. */
void launch_ether_handle(struct launch_node *node);

/* place.c */
/** The root port of the node's host that leads to a component, "p0". NULL: none. */
const char *launch_root_port(const struct machine_node_desc *node, const char *component);
/** The core of the node's rank number `rank`: of its home first, never the one of interrupts. */
unsigned launch_core_of(const struct launch_node *node, unsigned rank);
/** Sets for the host whose memory is where: `share` bytes for each rank, from `first` on. */
void launch_set_home(struct launch_node *node, uint64_t first, uint64_t share);

/* pin.c */
/** @return false: not memory of the node. */
bool launch_bus_of(const struct launch_node *node, const volatile void *p, uint64_t *bus_p);
/** Writes a word of the node's memory, as a device does. No effect elsewhere, or on NULL. */
void launch_write_word(struct launch_node *node, const volatile void *p, uint64_t value);
/** The bus addresses at which [p, p + size) is pinned, at most `room`. @return how many. */
unsigned launch_pinned(const struct launch_thread *t, const volatile void *p, uint32_t size,
                       uint64_t *bus, unsigned room);
/** What was pinned of the `bytes` at `address` (launch_pin.address) is at `p` from now on. */
void launch_pins_move(struct launch_thread *t, uint64_t address, uint64_t bytes, void *p);
void launch_pins_fini(struct launch_thread *t);

/* malloc.c */
/** Heap of a rank's program, and its check if that is wanted. @return false: out of memory. */
bool launch_heap_init(struct launch_thread *t, struct hub_program_hooks *hooks);
void launch_heap_fini(struct launch_thread *t);
/** The check looks at what all ranks have left. */
void launch_heaps_end(struct launch *run);
/** The rank whose check knows what an access was that has trapped; NULL: none. Safe in a signal
 * handler. */
struct launch_thread *launch_heap_explain(struct launch *run, const void *p,
                                          struct guard_mistake *m_p);
/** A mistake of the rank, which has just left its task, or of a device. */
void launch_heap_report(struct launch_thread *t, const struct guard_mistake *m);

#endif /* LAUNCH_NODE_H */
