/*
 * The control network of a host (Ethernet or InfiniBand as a plain latency-and-bandwidth pipe), for
 * MPI. It owns the messages on their way to the host, until the receiver has been given them.
 */
#ifndef NODE_NET_H
#define NODE_NET_H

#include "core/sim.h"

SIM_BEGIN_DECLS

typedef void (*node_net_fn)(void *arg, unsigned from, const void *bytes, uint32_t size);

struct node_net_config {
    struct sim_domain *dom;
    const char *path; /* the host's, for errors */
    unsigned node;    /* its number */
    uint64_t where;   /* fingerprint of what arrives */
    sim_time_t latency_ps;
    uint64_t bytes_per_us; /* the transmitter's; 0: not limited */
};

struct node_net {
    struct node_net_config cfg;
    struct net_peer *peers; /* by node */
    unsigned npeers;
    sim_time_t epoch; /* the transmitter is busy since, and has taken so many bytes: */
    uint64_t epoch_bytes;
    node_net_fn receive;
    void *arg;
    struct sim_event hand_over; /* SIM_CLOCK */
};

void node_net_init(struct node_net *net, const struct node_net_config *cfg);
void node_net_fini(struct node_net *net);
/** Joins two hosts (struct node_net); see struct machine_port. */
int node_net_join(void *a, void *b, sim_time_t wire_ps, struct sim_error *err);
/** `fn` NULL: messages that arrive are dropped. */
void node_net_set_receiver(struct node_net *net, node_net_fn fn, void *arg);
/** Copies `size` (<= 2 GiB) bytes, which leave the node as the pipe's bandwidth allows. Messages
 * between one pair of nodes arrive in order. */
void node_net_send(struct node_net *net, unsigned to, const void *bytes, uint32_t size);

SIM_END_DECLS
#endif /* NODE_NET_H */
