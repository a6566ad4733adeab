/*
 * Closed forms that stand beside simulated points: what no simulation may exceed.
 * Payload bandwidths in bytes per second.
 */
#ifndef LAB_BOUNDS_H
#define LAB_BOUNDS_H

#include "tools/lab/run/run.h"
#include "tools/lab/topology/link.h"

SIM_BEGIN_DECLS

/* 4-DW header 16, sequence number 2, LCRC 4, framing 2 (PCIe Base 2.2.1, 3.5.2, 4.2.2): the
 * window lies above 4 GiB, so writes into it carry 64-bit addresses. */
#define LAB_TLP_OVERHEAD_BYTES 24u

/** Payload of a hub's bus: a header beat, the data beats and the gap for each packet. 0: no bus. */
double lab_bus_rate(uint64_t bus_bytes, uint64_t clock_khz, uint64_t gap_cycles,
                    uint64_t packet_bytes);

/** What limits payload on its way; 0: not known. The least counts, `name` is that one's. */
struct lab_bound {
    double link_bytes_per_s, bus_bytes_per_s;
    double bytes_per_s;
    const char *name; /* "link" or "bus"; NULL: nothing is known */
};
/**
 * For payload that goes through the hub of a node and back to its own host.
 * @param stores the CPU stores it, so packets are as large as the mapping of the window makes them
 */
struct lab_bound lab_local_bound(const struct machine_desc *desc, unsigned node, bool stores);
/** The largest packet that a node's stores into the window make: uncached a word, write-combining a
 * line. */
uint64_t lab_store_bytes(const struct machine_desc *desc, unsigned node);
/**
 * For payload between the InfiniBand adapters of two nodes: `rails` links, full packets in full
 * messages, and the bus of one adapter.
 */
struct lab_bound lab_ib_bound(const struct machine_desc *desc, uint64_t rails);
/** The one of the network that the run's ranks use. */
struct lab_bound lab_run_bound(const struct machine_desc *desc, const struct lab_run *run,
                               bool stores);
/** As a line; nothing where no bound is known. */
void lab_bound_write(const struct lab_bound *bound, FILE *out);
/** From the line that `text` begins with; unchanged where that is another one. */
void lab_bound_parse(const char *text, struct lab_bound *bound);
/** bytes_per_s and its name: the lesser of both counts. */
void lab_bound_name(struct lab_bound *bound);
/** For `n` such paths at once. */
void lab_bound_scale(struct lab_bound *bound, uint64_t n);

SIM_END_DECLS
#endif /* LAB_BOUNDS_H */
