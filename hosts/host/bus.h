/*
 * Devices on the buses of the node: what firmware does to find them, and a core's loads and stores.
 */
#ifndef HOST_BUS_H
#define HOST_BUS_H

#include <stdbool.h>
#include <stdint.h>

#define HOST_NO_BUS UINT64_MAX /* no bus address */
#define HOST_PAGE   4096u

struct host;

/** `unit` is a power of two. */
static inline uint64_t host_round_up(uint64_t n, uint64_t unit)
{
    return (n + unit - 1) & ~(unit - 1);
}

enum host_mapping { HOST_UNCACHED, HOST_WRITE_COMBINING };

/** A range of bus addresses that is mapped into the program. */
struct host_bar {
    uint64_t bus;
    uint64_t bytes;
    enum host_mapping mapping;
};

struct host_bus_ops {
    /* firmware */
    uint32_t (*config_read)(struct host *h, uint16_t bdf, uint32_t reg);
    void (*config_write)(struct host *h, uint16_t bdf, uint32_t reg, uint32_t value);
    unsigned (*root_ports)(struct host *h);
    /** Which socket a root port is on, as firmware's tables say. */
    unsigned (*socket)(struct host *h, unsigned port);
    /** Hands [base, base + bytes) of the address map to a root port. False: overlap. */
    bool (*claim)(struct host *h, unsigned port, uint64_t base, uint64_t bytes);
    /** Bus addresses of devices may begin here: above DRAM. */
    uint64_t (*start)(struct host *h);
    uint64_t (*msi_address)(struct host *h);

    /* loads and stores */
    /** 1 .. 8 bytes, naturally aligned when uncached. */
    void (*store)(struct host *h, const struct host_bar *bar, uint64_t offset, const void *bytes,
                  uint32_t size);
    /** Any size and alignment, in rising order of addresses, as 8-byte stores where it can. */
    void (*store_block)(struct host *h, const struct host_bar *bar, uint64_t offset,
                        const void *bytes, uint64_t size);
    /** All ones when it is not answered. */
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
};

#endif /* HOST_BUS_H */
