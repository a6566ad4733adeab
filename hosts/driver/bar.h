/*
 * The only way from software to hardware: what a library under hosts/ may ask of
 * the machine it runs on. A back end fills the table (hosts/launch: the
 * simulation; bar_file.h: a device file of the operating system). Every operation belongs to the
 * calling rank's core and returns when that core may go on; others run meanwhile.
 */
#ifndef DRIVER_BAR_H
#define DRIVER_BAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HOST_NEVER    UINT64_MAX
#define HOST_NO_BUS   UINT64_MAX /* no bus address */
#define HOST_PAGE     4096u
#define HOST_GPU_PAGE 65536u     /* granule of GPU memory behind a BAR (GPUDirect RDMA) */
#define HOST_ALL_ONES UINT64_MAX /* what a load returns that nobody answers */

enum host_mapping { HOST_UNCACHED, HOST_WRITE_COMBINING };

/** A range of bus addresses that was mapped into the program. */
struct host_bar {
    uint64_t bus;
    uint64_t bytes;
    enum host_mapping mapping;
    void *cpu; /* the back end's own */
};

/** What joins the nodes, the fastest first. */
enum host_network { HOST_NETWORK_HUBS, HOST_NETWORK_IB, HOST_NETWORK_ETHER, HOST_NETWORK_CONTROL };

enum host_pointer_kind { HOST_PAGEABLE, HOST_PINNED, HOST_GPU };

/** What a pointer of the program points to. */
struct host_pointer {
    enum host_pointer_kind kind;
    unsigned gpu;    /* of HOST_GPU */
    uint64_t offset; /* of HOST_GPU: in the device's memory; of HOST_PINNED: the bus address */
};

/** One end of a GPU's copy: an offset in that GPU's own memory, or a bus address. */
struct host_copy_end {
    bool device;
    uint64_t addr;
};

/** A GPU has one engine for copies from it to the bus, 1, and one for others, 0: which one has the
 * copy of this number. */
#define HOST_COPY_ENGINES 2u
static inline unsigned host_copy_engine(uint64_t number)
{
    return number % HOST_COPY_ENGINES;
}

/** When a copy of a GPU has ended. */
struct host_stamp {
    bool ended;
    uint64_t time_ps;
    /* the back end's own */
    uint64_t number;
    struct host_stamp *next;
};

/** Software costs by kind of operation; the back end knows the platform's numbers. */
enum host_cost {
    HOST_COST_CALL,      /* entering a library function */
    HOST_COST_SYSCALL,   /* into the kernel and back */
    HOST_COST_INTERRUPT, /* from the message to the first instruction of the handler */
    HOST_COST_HELPER,    /* a rank's helper gets its core, and gives it back */
    HOST_COST_CUDA_CALL, /* a call of the CUDA runtime that starts nothing */
    HOST_COST_CUDA_COPY, /* starting a copy and learning of its end */
    HOST_COST_COPY_KB,   /* the CPU copies 1024 bytes from memory to memory */
    HOST_COST_PIN,       /* the kernel pins a page and gives it a bus address */
    /* an operation in a loop of the program, by the kinds of hub-work.h in their order */
    HOST_COST_LOOP,
    HOST_COST_LOOP_LAST = HOST_COST_LOOP + 6,
    HOST_COSTS
};

struct host;
struct host_profile;

struct host_message {
    unsigned from; /* rank */
    uint32_t bytes;
    const uint8_t *data; /* until the next net_receive() of this rank */
};

/** Runs as a task of higher priority; `h` is the host to use inside. */
typedef void (*host_interrupt_fn)(struct host *h, void *arg, uint32_t vector);

/**
 * What runs above a rank, on its core. Both are called with the rank's own host; it stands still
 * inside of run().
 */
struct host_helper {
    bool (*wanted)(void *arg); /* is there anything to do, and may the rank be interrupted? */
    void (*run)(void *arg);
    void *arg;
};

/** Why the kernel's handler of an Ethernet adapter is called. */
enum host_ether_event {
    HOST_ETHER_FRAMES, /* frames have come, or room that was wanted was made */
    HOST_ETHER_TIMER,
    HOST_ETHER_EVENTS
};
typedef void (*host_ether_fn)(struct host *h, void *arg, enum host_ether_event what);

/** The node's Ethernet adapter, for the kernel. They cost nothing: a driver spends what its
 * accesses and copies take. `open` before all others. */
struct host_ether_ops {
    /** The handler runs as interrupt; its rank stands still where there is one core. @return false:
     * the node has no adapter. */
    bool (*open)(struct host *h, host_ether_fn fn, void *arg);
    /** A frame of header and data goes into the transmit ring. @return false: that is full. */
    bool (*post)(struct host *h, const void *frame, uint32_t bytes);
    bool (*half_duplex)(struct host *h);
    unsigned (*room)(struct host *h);                   /* free places of the transmit ring */
    void (*want_room)(struct host *h, unsigned places); /* interrupts when they are free */
    /** The oldest frame of the receive ring until release(); NULL: none. */
    const uint8_t *(*frame)(struct host *h, uint32_t *bytes_p);
    void (*release)(struct host *h);
    void (*listen)(struct host *h);                  /* frames interrupt again */
    void (*timer)(struct host *h, uint64_t time_ps); /* the only one of the node; HOST_NEVER */
    unsigned (*node_of)(struct host *h, unsigned rank);
};

struct host_ops {
    const struct host_ether_ops *ether;

    /* firmware */
    uint32_t (*config_read)(struct host *h, uint16_t bdf, uint32_t reg);
    void (*config_write)(struct host *h, uint16_t bdf, uint32_t reg, uint32_t value);
    unsigned (*root_ports)(struct host *h);
    /** Hands [base, base + bytes) of the address map to a root port. False: overlap. */
    bool (*claim)(struct host *h, unsigned port, uint64_t base, uint64_t bytes);
    /** Bus addresses of devices may begin here: above DRAM. */
    uint64_t (*bus_start)(struct host *h);

    /* loads and stores */
    bool (*map)(struct host *h, uint64_t bus, uint64_t bytes, enum host_mapping mapping,
                struct host_bar *bar_p);
    /** 1 .. 8 bytes, naturally aligned when uncached. */
    void (*store)(struct host *h, const struct host_bar *bar, uint64_t offset, const void *bytes,
                  uint32_t size);
    /** Any size and alignment, in rising order of addresses, as 8-byte stores where it can. */
    void (*store_block)(struct host *h, const struct host_bar *bar, uint64_t offset,
                        const void *bytes, uint64_t size);
    uint64_t (*load)(struct host *h, const struct host_bar *bar, uint64_t offset, uint32_t size);
    /** Any size and alignment, in rising order of addresses, each load as wide as alignment allows:
     * 16 bytes from memory that is mapped write-combining, else 8. */
    void (*load_block)(struct host *h, const struct host_bar *bar, uint64_t offset, void *to,
                       uint64_t size);
    /** Empties write-combining buffers; returns when all stores left the core. */
    void (*fence)(struct host *h);
    /** Returns after another agent wrote to [p, p + size) of pinned host memory and the polling
     * loop saw it, or after a signal; the caller has just found the present contents wanting, and
     * looks again. */
    void (*wait_write)(struct host *h, const volatile void *p, uint32_t size);

    /* time */
    void (*spend)(struct host *h, uint64_t ps);
    uint64_t (*cost_ps)(struct host *h, enum host_cost cost);
    uint64_t (*tsc)(struct host *h);
    uint64_t (*tsc_khz)(struct host *h);
    uint64_t (*time_ps)(struct host *h); /* costs nothing */
    /** Until wake(), a signal or the time `deadline_ps`. @return false when the deadline ended it.
     */
    bool (*sleep)(struct host *h, uint64_t deadline_ps);
    void (*wake)(struct host *h, struct host *sleeper); /* of the same node */
    void (*set_interrupt)(struct host *h, host_interrupt_fn fn, void *arg);
    /**
     * From now on ring() of this rank runs the helper, copied, if it is wanted. Messages of the
     * control network and ends of copies of GPUs ring as well. @return false: there is no context
     * for it above the rank's core, or the rank has one.
     */
    bool (*set_helper)(struct host *h, const struct host_helper *helper);
    void (*ring)(struct host *h, struct host *rank); /* of the same node; by a handler */
    uint64_t (*msi_address)(struct host *h);

    /* memory of the node that devices can reach */
    void *(*alloc)(struct host *h, uint64_t bytes, uint64_t align); /* NULL: none left */
    bool (*free)(struct host *h, void *p); /* false: not from alloc() of this rank */
    struct host_pointer (*pointer)(struct host *h, const void *p);
    /**
     * Makes [p, p + bytes) reachable for devices at [result, + bytes), page by page: memory of the
     * program (heap, static, stack) or from alloc(), not of a library's own malloc(), whose pages
     * differ from run to run. It must stay until unpin(). Costs nothing by itself: a driver spends
     * a system call and HOST_COST_PIN for each page. HOST_NO_BUS: none left.
     */
    uint64_t (*pin)(struct host *h, const void *p, uint64_t bytes);
    /** `bus` from pin(). What devices still do there comes to nothing. */
    void (*unpin)(struct host *h, uint64_t bus);
    /** [*base_p, + *bytes_p): the bus addresses of all memory that alloc() gives out. */
    void (*pinned_range)(struct host *h, uint64_t *base_p, uint64_t *bytes_p);

    /* GPUs of the node, numbered from 0 */
    unsigned (*gpus)(struct host *h);
    uint16_t (*gpu_bdf)(struct host *h, unsigned gpu);
    void *(*gpu_alloc)(struct host *h, unsigned gpu, uint64_t bytes, uint64_t align);
    /** @return the bytes it had; 0: no such allocation. */
    uint64_t (*gpu_free)(struct host *h, unsigned gpu, void *p);
    /** Both multiples of HOST_GPU_PAGE. @return the offset in the GPU's BAR, or HOST_NO_BUS. */
    uint64_t (*gpu_pin)(struct host *h, unsigned gpu, uint64_t offset, uint64_t bytes);
    void (*gpu_unpin)(struct host *h, unsigned gpu, uint64_t bar_offset, uint64_t bytes);
    /** Starts a copy. Copies of one engine (host_copy_engine()) run in order, those of both side by
     * side; it does not begin before that of the number `after` has ended (0: none).
     * @return its number, for gpu_wait(); those of one engine rise. */
    uint64_t (*gpu_copy)(struct host *h, unsigned gpu, struct host_copy_end dst,
                         struct host_copy_end src, uint64_t bytes, uint64_t after);
    void (*gpu_wait)(struct host *h, unsigned gpu, uint64_t number);
    /** Copies of this GPU so far that ended without all of their bytes. */
    uint64_t (*gpu_failures)(struct host *h, unsigned gpu);
    /** Has count[], HOST_COPY_ENGINES words from alloc(), hold the number of the last copy of each
     * engine of this GPU that has ended, from now on, so that a loop which polls memory sees that
     * too. NULL: no longer. */
    void (*gpu_count)(struct host *h, unsigned gpu, volatile uint64_t *count);
    bool (*gpu_ended)(struct host *h, unsigned gpu, uint64_t number);
    /** Fills in the time when the copy ends, or the present one when it has ended. *stamp must stay
     * until then. */
    void (*gpu_stamp)(struct host *h, unsigned gpu, uint64_t number, struct host_stamp *stamp);

    /** May be NULL: HOST_NETWORK_CONTROL. The first that all nodes which may have ranks are part
     * of, and that the program does not drive by itself: the same for each rank. */
    enum host_network (*network)(struct host *h);

    /* messages between ranks; those of one pair arrive in order */
    void (*net_send)(struct host *h, unsigned to, const void *bytes, uint32_t size);
    /** Waits for the next message to this rank. */
    void (*net_receive)(struct host *h, struct host_message *msg_p);
    /** From now on *count, in memory from alloc(), is how many messages to this rank have come
     * since the beginning, written as by a device: a loop that polls other words sees messages,
     * too. */
    void (*net_count)(struct host *h, volatile uint64_t *count);

    /** May be NULL. From now on what the rank computes is (no longer) a library's, which spends
     * what it costs: the run may give the program's own computing a time, not that of a library.
     * While a handler of a signal runs, and after it has jumped, it is the program's.
     * @return what it was before */
    bool (*library)(struct host *h, bool inside);
    /** Ends the calling rank; does not return. */
    void (*exit)(struct host *h, int code);
    /** Ends all ranks, at once; does not return. */
    void (*abort)(struct host *h, int code);
    /** Writes a line to the rank's stderr. */
    void (*tell)(struct host *h, const char *line);
    /** May be NULL. A line to whoever runs the program, which is no output of the rank. */
    void (*remark)(struct host *h, const char *line);
};

/** What a library keeps for a rank or for a node; released when the run ends. */
struct host_state {
    void *data;
    void (*release)(void *data);
};

enum host_rank_slot {
    HOST_RANK_MPI,
    HOST_RANK_TCA,
    HOST_RANK_CUDA,
    HOST_RANK_PEACH2,
    HOST_RANK_MBCF,
    HOST_RANK_SLOTS
};
enum host_node_slot { HOST_NODE_DRIVER, HOST_NODE_CUDA, HOST_NODE_ETHER, HOST_NODE_SLOTS };

/** Of all ranks of one node: what a kernel driver would keep. */
struct host_node {
    unsigned index;
    struct host_state state[HOST_NODE_SLOTS];
};

/** What the platform or the user has set for a library: "mpi.transport" for example. */
struct host_setting {
    const char *key;
    uint64_t number;
    char word[16];    /* of a choice; else empty */
    const char *text; /* of a setting that is neither; else NULL */
};

/** A message that a rank waits for. */
struct host_wait {
    bool sends;     /* for its receiver; else for its sender */
    int peer;       /* rank; -1: any */
    int tag;        /* -1: any; -2: of a collective, which has none */
    uint64_t bytes; /* of one that is sent */
    bool other;     /* one that nobody has received has come instead: */
    int other_peer, other_tag;
    char group[64]; /* "MPI_COMM_WORLD" */
};

/** The library function that a rank waits in, for reports. */
struct host_call {
    const char *name;         /* NULL: in none */
    unsigned part, slot, tag; /* a notification's source, slot and tag, */
    int channel;              /* or, when not -1, a DMA channel */
    /** Of MPI, instead of these: the i-th message that it waits for; false: no more. NULL: of
     * another library. Read after the run has ended. */
    bool (*waits)(const void *arg, unsigned i, struct host_wait *wait_p);
    const void *waits_arg;
    bool waits_any; /* one of them is enough */
};

/** Library functions that look and do not wait (MPI_Test), for reports of ranks that call them for
 * ever. The library counts them; the back end forgets the call when the rank does anything else,
 * but for reading a timer. */
struct host_looks {
    bool inside; /* of one of them */
    uint64_t found, vain;
    struct host_call call; /* the last one, which found nothing; or it has no name */
};

/** The rank that runs now. A back end embeds it. */
struct host {
    unsigned rank, size;
    struct host_node *node;
    const struct host_ops *ops;
    enum host_mapping pio_mapping; /* of the window, for PIO */
    unsigned gpu;                  /* current device of the rank */
    struct host_state state[HOST_RANK_SLOTS];
    struct host_call call;
    struct host_looks looks;
    const struct host_setting *settings; /* the last one has no key; NULL: none */
    struct host_profile *profile;        /* see profile.h; NULL: nobody asks */
};

/** NULL outside a rank. Set at each task switch; the only thread-local of the project. */
struct host *host_self(void);
void host_set_self(struct host *h);
/** @return NULL: not set. */
const struct host_setting *host_setting_of(const struct host *h, const char *key);
void host_release_states(struct host_state *states, unsigned n);

static inline void host_spend_cost(struct host *h, enum host_cost cost)
{
    h->ops->spend(h, h->ops->cost_ps(h, cost));
}

#ifdef __cplusplus
}
#endif
#endif /* DRIVER_BAR_H */
