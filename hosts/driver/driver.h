/*
 * The kernel driver's part, shared by the ranks of a node. One per node: PCI
 * functions and their BARs, pinned GPU memory. One per hub: its window, the
 * notification ring, descriptor memory and the state of DMA channels. A rank
 * uses one hub of its node.
 */
#ifndef DRIVER_DRIVER_H
#define DRIVER_DRIVER_H

#include "hosts/driver/notify.h"
#include "hosts/host/host.h"
#include "hosts/host/range.h"
#include "regs/hub_regs.h"

#ifdef __cplusplus
extern "C" {
#endif

struct descriptor;

enum driver_status {
    DRIVER_OK = 0,
    DRIVER_ERR_NOMEM = -1,   /* memory, BAR room or descriptors are used up */
    DRIVER_ERR_CLAIM = -2,   /* two devices would have the same bus addresses */
    DRIVER_ERR_NO_HUB = -3,  /* none on this node, or it does not answer */
    DRIVER_ERR_ADDRESS = -4, /* not reachable by the device */
    DRIVER_ERR_DMA = -5      /* the channel reports an error */
};

#define DRIVER_FUNCTIONS   32u
#define DRIVER_GPUS        8u
#define DRIVER_BARS        6u
#define DRIVER_NO_AREA     0xffu
#define DRIVER_RING_LOG2   12u    /* entries of the notification ring: 4096, eight pages */
#define DRIVER_OWN_DESCS   4u     /* see driver_own_descs() */
#define DRIVER_TABLE_DESCS 32768u /* host descriptor table: 1 MiB for all channels */
/* Ranks of a node that have helpers: a host has numbers for 48 contexts, and each takes its core
 * and one above it. */
#define DRIVER_HELPERS 24u
/* Bits of HUB_IRQ_STATUS that ring helpers, below HUB_IRQ_RING; more ranks than bits share them. */
#define DRIVER_HELPER_BIT  UINT32_C(0x10000) /* the node's first rank has it */
#define DRIVER_HELPER_BITS 15u

struct driver_function {
    uint16_t bdf, vendor, device;
    unsigned port, socket;
    struct {
        uint64_t bus, bytes; /* bytes 0: no BAR begins here */
    } bar[DRIVER_BARS];
};

/** Pinned pages of a GPU, all multiples of HOST_GPU_PAGE. */
struct driver_pin {
    uint64_t offset, bytes, bar_offset;
};

struct driver_gpu {
    unsigned socket;
    uint64_t bar_bus, bar_bytes;
    struct host_bar bar;   /* uncached */
    uint64_t flush_offset; /* in the BAR: the driver's own page, for driver_flush_gpu() */
    struct driver_pin *pins;
    unsigned npins, pins_room;
};

/** Descriptors of one list: in internal memory, in the host table, or in both. */
struct driver_chain {
    uint64_t internal_first, host_first; /* descriptor numbers, or RANGE_NONE */
    uint32_t internal_count, host_count;
    uint32_t head;           /* pointer that starts it */
    uint64_t until;          /* retired: free once so many chains of the channel have ended */
    struct host *by;         /* the rank that has installed it, */
    struct host_place place; /* and the call that did so */
    struct driver_chain *next;
};

struct driver_channel {
    uint64_t started, ended; /* chains; equal when the channel is known to be idle */
    struct driver_chain *installed, *retired;
};

/** A rank whose helper interrupts ring: those of the hub that have raised `bits` of HUB_IRQ_STATUS,
 * or those of another device when `news` says so. */
struct driver_helper {
    struct host *h;
    uint32_t bits;
    bool (*news)(const void *arg);
    const void *arg;
};

/** A hub as its driver knows it, with what its node has: struct driver_node has one for each. A
 * node without a hub has one, too, where has_hub is false: its ranks use GPUs and other devices. */
struct driver {
    unsigned nfunctions, ngpus;
    const struct driver_function *functions; /* the node's, shared by its hubs */
    struct driver_gpu *gpus;                 /* the node's, too */

    bool has_hub;
    uint64_t window_bus, window_bytes, part_bytes, area_bytes;
    unsigned slot, slots;
    unsigned subcluster;               /* nodes of others have no part of this window */
    uint64_t area_base[HUB_AREA_SELF]; /* local bus address; HOST_NO_BUS: closed */
    struct host_bar regs, internal, window;

    struct notify_ring ring;
    uint64_t tail_written;
    struct notify_counts counts;
    struct driver_channel channel[HUB_DMA_CHANNELS];
    uint8_t *table; /* host descriptors */
    uint64_t table_bus;
    struct range_alloc table_free, internal_free; /* in descriptors */
    uint64_t own_descs[HOST_USERS]; /* RANGE_NONE: not asked for yet, or there were too few */

    struct driver_helper helpers[DRIVER_HELPERS];
    unsigned nhelpers;
    uint32_t helper_bits; /* all of them */
    unsigned hub_vector;

    uint32_t irq_seen; /* bits of HUB_IRQ_STATUS that no rank has waited for yet */
    struct host *irq_waiter;
};

struct driver_node {
    struct host_state kept; /* first: see driver_of() */
    unsigned nfunctions, ngpus;
    struct driver_function functions[DRIVER_FUNCTIONS];
    struct driver_gpu gpus[DRIVER_GPUS];
    /* In the order of their root ports; a single one, with has_hub false, where there is no hub. */
    struct driver *hubs;
    unsigned nhubs;
};

/**
 * What firmware and driver do before programs start: enumerates, assigns bus addresses, enables
 * devices, sets up the hub. Once per node, on a task of that node. A node without a hub is fine.
 */
int driver_boot(struct host *h);
/** That of the rank's hub, see host.hub; NULL before driver_boot(). */
struct driver *driver_of(struct host *h);
const struct driver_function *driver_find(const struct driver *d, uint16_t vendor, uint16_t device,
                                          unsigned index);

/* GPUs that a rank sees */
struct driver_visible {
    struct host_state kept; /* first: see driver_visible() */
    unsigned n;
    uint8_t gpus[DRIVER_GPUS]; /* by device of the rank: the number in its node */
};
/**
 * What a value of CUDA_VISIBLE_DEVICES means where there are `ngpus`: numbers of GPUs, up to the
 * first entry that is none; none at all where one comes twice. NULL: all. @return how many
 */
unsigned driver_visible_parse(const char *text, unsigned ngpus, uint8_t gpus[DRIVER_GPUS]);
/** As the variable was at the rank's first call that needed it, of whichever library; from then on
 * the first of them is its current device (host.gpu) until it chooses another. */
const struct driver_visible *driver_visible(struct host *h);

/* addresses */
/** The bus address of device memory, pinning the pages around it when they are not. */
int driver_pin_gpu(struct host *h, unsigned gpu, uint64_t offset, uint64_t bytes, uint64_t *bus_p);
/** The same for loads and stores of a core: the memory is at *offset_p of *bar_p. */
int driver_map_gpu(struct host *h, const struct host_pointer *where, uint64_t bytes,
                   enum host_mapping mapping, struct host_bar *bar_p, uint64_t *offset_p);
/** The first of these bus addresses that is in the BAR of a GPU, where no memory is pinned.
 * HOST_NO_BUS: none. */
uint64_t driver_gpu_unpinned(struct host *h, uint64_t bus, uint64_t bytes);
/** Memory of a GPU that is pinned in one piece. */
typedef void (*driver_part_fn)(void *arg, const struct host_freed *part);
/** Calls `fn` for each pinned part of these bytes; for none where they are no memory of a GPU. */
void driver_pinned_gpu(struct host *h, const void *p, uint64_t bytes, driver_part_fn fn, void *arg);
/** Gives memory of a GPU back and unpins its pages; `fn` (or NULL) is called for each part before
 * that is unpinned. @return its bytes; 0: no such allocation. */
uint64_t driver_free_gpu(struct host *h, void *p, driver_part_fn fn, void *arg);
/** Reads from a GPU: what it wrote before, and what was on its way to it, has arrived then. */
void driver_flush_gpu(struct host *h, unsigned gpu);
/** All of these, bit per GPU. */
void driver_flush_gpus(struct host *h, unsigned gpus);
/**
 * The bus address of pinned host or GPU memory and the area of the window where other nodes find
 * it (DRIVER_NO_AREA: they cannot) with the offset there.
 */
int driver_address(struct host *h, void *p, uint64_t bytes, uint64_t *bus_p, unsigned *area_p,
                   uint64_t *offset_p);
/** Bus address, in the hub's window, of an offset in an area of a node's part. */
static inline uint64_t driver_window(const struct driver *d, unsigned slot, unsigned area,
                                     uint64_t offset)
{
    return d->window_bus + slot * d->part_bytes + area * d->area_bytes + offset;
}
static inline uint64_t driver_notify_address(const struct driver *d, unsigned slot)
{
    return driver_window(d, slot, HUB_AREA_SELF, HUB_NOTIFY);
}

/* registers */
static inline void driver_write(struct host *h, struct driver *d, uint32_t reg, uint64_t value)
{
    h->bus->store(h, &d->regs, reg, &value, 8);
}
static inline uint64_t driver_read(struct host *h, struct driver *d, uint32_t reg)
{
    return h->bus->load(h, &d->regs, reg, 8);
}

/* notifications */
/** Takes new entries out of the ring, until at the time of return there are none. From time to
 * time it writes to the hub how far it has come. */
void driver_ring_drain(struct host *h, struct driver *d);
/** Waits for and consumes one notification; `false` when the hub or its ring is not there. */
bool driver_wait_notify(struct host *h, struct driver *d, unsigned source, unsigned slot,
                        uint32_t tag);
/** Waits for one of these bits of HUB_IRQ_STATUS. @return those seen, now taken. */
uint32_t driver_wait_irq(struct host *h, struct driver *d, uint32_t bits);

/** The bit that rings the helper of the node's rank number `local`; free for other uses where no
 * rank has a helper. */
static inline uint32_t driver_helper_bit(unsigned local)
{
    return DRIVER_HELPER_BIT << local % DRIVER_HELPER_BITS;
}
/** Copied. @return false: the node has too many. */
bool driver_helper_add(struct driver *d, const struct driver_helper *helper);

/* chains */
/** Room for a list; waits for the channel where only that frees some. */
int driver_chain_alloc(struct host *h, struct driver *d, unsigned channel, uint32_t internal,
                       uint32_t host, struct driver_chain **chain_p);
/** Writes a descriptor of a chain to where `pointer` finds it. */
void driver_descriptor_write(struct host *h, struct driver *d, uint32_t pointer,
                             const struct descriptor *desc);
/** Makes it the channel's list; the former one goes when the channel no longer runs it. */
void driver_chain_install(struct host *h, struct driver *d, unsigned channel,
                          struct driver_chain *chain);
/** Starts the installed list: one store when the channel is known to be idle, else waits first. */
int driver_chain_start(struct host *h, struct driver *d, unsigned channel);
/**
 * For a library that keeps lists of its own: the first of `sets` times DRIVER_OWN_DESCS descriptors
 * in internal memory for each channel, in each set those of channel 0 first. All ranks ask for as
 * many, and get the same ones; each user (hosts/host/net.h) others. RANGE_NONE: none are left.
 */
uint64_t driver_own_descs(struct driver *d, unsigned user, unsigned sets);
/** False when a chain of any rank goes on, as far as the ring shows. */
bool driver_channel_idle(struct host *h, struct driver *d, unsigned channel);
/** Starts the list at this pointer by one store, on a channel that is idle. The list itself
 * announces its end to its user, who calls driver_chain_ended() then. @return its number. */
uint64_t driver_chain_begin(struct host *h, struct driver *d, unsigned channel, uint32_t head);
void driver_chain_ended(struct driver *d, unsigned channel, uint64_t number);
/** Until the channel is idle; polls its state over PCIe when the ring does not know. */
int driver_channel_wait(struct host *h, struct driver *d, unsigned channel);

#ifdef __cplusplus
}
#endif
#endif /* DRIVER_DRIVER_H */
