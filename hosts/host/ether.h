/*
 * The node's Ethernet adapter, as its kernel drives it.
 */
#ifndef HOST_ETHER_H
#define HOST_ETHER_H

#include <stdbool.h>
#include <stdint.h>

struct host;

/** Why the kernel's handler of an Ethernet adapter is called. */
enum host_ether_event {
    HOST_ETHER_FRAMES, /* frames have come, or room that was wanted was made */
    HOST_ETHER_TIMER,
    HOST_ETHER_EVENTS
};
typedef void (*host_ether_fn)(struct host *h, void *arg, enum host_ether_event what);

/** They cost nothing: a driver spends what its accesses and copies take. `open` before all others.
 */
struct host_ether_ops {
    /** The handler runs as interrupt; its rank is blocked where there is one core. @return false:
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

#endif /* HOST_ETHER_H */
