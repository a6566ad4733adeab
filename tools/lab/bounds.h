/*
 * Closed forms that stand beside simulated points: what no simulation may exceed.
 * Payload bandwidths in bytes per second.
 */
#ifndef LAB_BOUNDS_H
#define LAB_BOUNDS_H

#include "machine/machine.h"

SIM_BEGIN_DECLS

/** Bytes per second of a link after line coding; 0 for a generation that does not exist. */
double lab_link_rate(uint64_t gen, uint64_t lanes);
/** Its share for payload. */
double lab_link_payload_rate(uint64_t gen, uint64_t lanes, uint64_t payload_bytes,
                             uint64_t overhead_bytes);

/** A value of a component by its key, or `absent`. */
uint64_t lab_value(const struct machine_desc *desc, unsigned node, const char *component,
                   const char *key, uint64_t absent);

/** The least of the links' and the hub's bus on the way; name NULL: nothing is known. */
struct lab_bound {
    double bytes_per_s;
    const char *name; /* "link" or "bus" */
};
/**
 * For payload that goes through the hub of node 0, to another node or back to its own.
 * @param packet_bytes largest packet, 0: Max_Payload_Size
 */
struct lab_bound lab_path_bound(const struct machine_desc *desc, bool remote,
                                uint64_t packet_bytes);

SIM_END_DECLS
#endif /* LAB_BOUNDS_H */
