/*
 * The reference of bench_hop: the least that moves 256-byte packets round a ring of
 * hubs. An event loop on a 4-ary heap; links with rate, latency and credits; the
 * same copies as the simulator; address ranges compared at each hub. No protocol:
 * no headers, no acknowledgements, no packets that only carry credits.
 */
#ifndef BARE_RING_H
#define BARE_RING_H

#include <stdint.h>

struct ring_traffic {        /* for both the reference and the simulator */
    unsigned hubs, distance; /* each node writes to the one `distance` further on, eastwards */
    uint64_t interval_ps;    /* mean time between two writes of one node */
    uint64_t serialise_ps;   /* one packet on a link */
    uint64_t latency_ps;     /* each link's */
    uint32_t credits;        /* packets in a receive buffer */
    uint32_t payload_bytes;
};

struct bare_ring;

struct bare_ring *bare_ring_create(const struct ring_traffic *traffic);
void bare_ring_destroy(struct bare_ring *ring);
/** Runs on for `span_ps`. @return passages of a packet through a hub since the last call. */
uint64_t bare_ring_run(struct bare_ring *ring, uint64_t span_ps);
/** Packets that arrived, all of them with the bytes that were sent. */
uint64_t bare_ring_delivered(const struct bare_ring *ring);

#endif
