/*
 * A traffic generator: one end of a bare PCI Express link. It sends memory writes or reads, or
 * both, back to back and for ever, answers the reads of the far end, and counts the payload that
 * arrives.
 */
#ifndef TRAFFIC_TRAFFIC_H
#define TRAFFIC_TRAFFIC_H

#include "machine/kind.h"
#include "pcie/port/port.h"

SIM_BEGIN_DECLS

/** All fields in the units of their names. */
struct traffic_config {
    uint64_t write_bytes;   /* payload of each write, at most the link's MPS; 0: it sends none */
    uint64_t read_bytes;    /* that each read asks for; 0: it sends none */
    uint64_t tags;          /* reads under way at once */
    uint64_t address_bits;  /* of requests: enum traffic_address */
    uint64_t warmup_bytes;  /* payload received before the measured time begins, */
    uint64_t measure_bytes; /* and at least so much in it */
    struct pcie_port_config link;
};

/** Requests with an address below 4 GiB have a header of 3 DW, others one of 4 (2.2.4.1). */
enum traffic_address { TRAFFIC_ADDRESS_32, TRAFFIC_ADDRESS_64 };

/** Kind "traffic", port "link". */
extern const struct machine_kind traffic_kind;

/** What an end has received, as payload of writes and of completions. */
struct traffic_count {
    uint64_t received_bytes; /* up to now */
    uint64_t bytes;          /* between two arrivals, the second one being the last that counts, */
    sim_time_t ps;           /* and the time between them; 0: the measured time has not ended */
    uint64_t refused;        /* reads that an answer with an error status has ended */
    uint64_t wrong; /* packets with other bytes than were sent, or that answer no request */
};

/** `component` is of traffic_kind. */
struct traffic_count traffic_counted(const void *component);

SIM_END_DECLS
#endif /* TRAFFIC_TRAFFIC_H */
