/* The ring of bench_hop in the simulator: hubs, and at each N port a host that only writes. */
#ifndef SIM_RING_H
#define SIM_RING_H

#include "bare_ring.h" /* struct ring_traffic; rate, latency and credits are the hub's own here */

struct sim_ring;

struct sim_ring *sim_ring_create(const struct ring_traffic *traffic);
void sim_ring_destroy(struct sim_ring *ring);
/** Runs on for `span_ps`. @return passages of a packet through a hub since the last call. */
uint64_t sim_ring_run(struct sim_ring *ring, uint64_t span_ps);
/** Packets that arrived, all of them with the bytes that were sent. */
uint64_t sim_ring_delivered(const struct sim_ring *ring);
uint64_t sim_ring_events(const struct sim_ring *ring);

#endif
