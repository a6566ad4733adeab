/*
 * What bit errors leave of a full link's bandwidth: the closed form of docs/faults.md.
 */
#ifndef LAB_BOUNDS_ERRORS_H
#define LAB_BOUNDS_ERRORS_H

#include "machine/machine.h"

SIM_BEGIN_DECLS

/** A link that carries nothing but TLPs of one size in this direction, and DLLPs in the other. */
struct lab_lossy_link {
    uint64_t gen, lanes, mps_bytes;
    uint64_t tlp_symbols;         /* with header, sequence number, LCRC and framing */
    double there_ps, back_ps;     /* from the last symbol sent until it counts at the other end */
    double bit_error_rate;        /* in this direction; */
    double back_bit_error_rate;   /* in the other */
    uint64_t ack_latency_symbols; /* 0: the table of 3.5.3.1 */
};

/** The share of its time in which a link moves TLPs that count: 1 without errors. */
double lab_lossy_share(const struct lab_lossy_link *link);

/** That share for the link at a port of a hub; 1 where that has no bit error rate. */
double lab_error_share(const struct machine_desc *desc, unsigned node, const char *hub,
                       const char *port, uint64_t tlp_symbols);

SIM_END_DECLS
#endif /* LAB_BOUNDS_ERRORS_H */
