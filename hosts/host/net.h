/*
 * What joins the nodes, and messages between ranks over the control network.
 */
#ifndef HOST_NET_H
#define HOST_NET_H

#include <stdint.h>

struct host;

/** The fastest first. */
enum host_network { HOST_NETWORK_HUBS, HOST_NETWORK_IB, HOST_NETWORK_ETHER, HOST_NETWORK_CONTROL };

struct host_message {
    unsigned from; /* rank */
    uint32_t bytes;
    const uint8_t *data; /* until the next receive() of this rank */
};

/** Messages of one pair of ranks arrive in order. */
struct host_net_ops {
    /** The first network that all nodes which may have ranks are part of, and that the program does
     * not drive by itself: the same for each rank. */
    enum host_network (*fastest)(struct host *h);
    void (*send)(struct host *h, unsigned to, const void *bytes, uint32_t size);
    /** Waits for the next message to this rank. */
    void (*receive)(struct host *h, struct host_message *msg_p);
    /** From now on *count, in memory from alloc(), is how many messages to this rank have come
     * since the beginning, written as by a device: a loop that polls other words sees messages,
     * too. */
    void (*count)(struct host *h, volatile uint64_t *count);
};

#endif /* HOST_NET_H */
