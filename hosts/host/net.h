/*
 * What joins the nodes, and messages between ranks over the control network.
 *
 * A rank may use several libraries that communicate at once. Each is a user of its own, as with
 * ports of a socket: it receives what the same user of another rank has sent, and nothing else.
 */
#ifndef HOST_NET_H
#define HOST_NET_H

#include <stdint.h>

struct host;

#define HOST_USERS 2u /* of one rank, numbered from 0 */

/** The fastest first. */
enum host_network { HOST_NETWORK_HUBS, HOST_NETWORK_IB, HOST_NETWORK_ETHER, HOST_NETWORK_CONTROL };

struct host_message {
    unsigned from; /* rank */
    uint32_t bytes;
    const uint8_t *data; /* until the next receive() of this user */
};

/** Messages of one pair of ranks and one user arrive in order. */
struct host_net_ops {
    /** The first network that all nodes which may have ranks are part of, and that the program does
     * not drive by itself: the same for each rank. */
    enum host_network (*fastest)(struct host *h);
    void (*send)(struct host *h, unsigned user, unsigned to, const void *bytes, uint32_t size);
    /** Waits for the next message to this user of the rank. */
    void (*receive)(struct host *h, unsigned user, struct host_message *msg_p);
    /** From now on *count, in memory from alloc(), is how many messages to this user have come
     * since the beginning, written as by a device: a loop that polls other words sees messages,
     * too. */
    void (*count)(struct host *h, unsigned user, volatile uint64_t *count);
};

#endif /* HOST_NET_H */
