/* The ring of bench_hop and bench_cores: hubs, and at each N port a host that only writes. */
#ifndef SIM_RING_H
#define SIM_RING_H

#include "bare_ring.h" /* struct ring_traffic; rate, latency and credits are the hub's own here */
#include "machine/kind.h"

struct sim_ring;

/** `kind`: hub.c, or another make of it. */
struct sim_ring *sim_ring_create(const struct ring_traffic *traffic,
                                 const struct machine_kind *kind);
void sim_ring_destroy(struct sim_ring *ring);
/** From now on hosts make a packet in this time; 0: none. */
void sim_ring_set_interval(struct sim_ring *ring, uint64_t interval_ps);
/** Runs on for `span_ps`. @return passages of a packet through a hub since the last call. */
uint64_t sim_ring_run(struct sim_ring *ring, uint64_t span_ps);
/** Packets that arrived, all of them with the bytes that were sent. */
uint64_t sim_ring_delivered(const struct sim_ring *ring);
uint64_t sim_ring_events(const struct sim_ring *ring);

#endif
