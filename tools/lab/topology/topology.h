/*
 * A machine as a graph: hubs, the cables between them, and the way that each pair
 * takes by the routes that the hubs are programmed with. Nothing is simulated.
 */
#ifndef LAB_TOPOLOGY_H
#define LAB_TOPOLOGY_H

#include "machine/machine.h"
#include "tools/lab/format/table.h"

SIM_BEGIN_DECLS

#define LAB_TOPO_NONE UINT32_MAX

/** One direction of a cable; links 2k and 2k + 1 are the two of cable k. */
struct lab_topo_link {
    unsigned from, to; /* hubs */
    const char *port_from, *port_to;
    uint64_t latency_ps; /* for a write of 8 bytes, from one hub's arbiter to the next one's */
    double bytes_per_s;  /* after line coding */
    uint64_t load;       /* messages when each hub sends one to each other */
    bool guarded[2];     /* its hub lets packets enter a ring of this virtual channel only while a
                            place stays free in it */
    bool endless;        /* the receive buffer behind it takes all that comes */
    const char *partner; /* packets that come to its hub by this port go straight on; or NULL */
    bool vc1;            /* it has a virtual channel 1, */
    bool date_line;      /* and packets change to that here */
    struct {
        uint64_t tlps, payload_bytes;
        double busy;    /* share of the time that packets were on the wire, */
        double stalled; /* and that it was free while some waited */
    } used;             /* by lab_topology_traffic() */
};

/** What a run has put on the links. */
struct lab_topo_traffic {
    uint64_t time_ps, max_payload;
    double max_busy;
};

struct lab_topology {
    const char *name; /* that the machine has */
    unsigned nnodes, nhubs, nlinks;
    const char **hubs; /* "node0.hub" */
    unsigned *node_of; /* a hub's node */
    struct lab_topo_link *links;
    const struct lab_topo_traffic *traffic; /* NULL: none, the links show what routes foretell */
    /* All [from * nhubs + to]. */
    unsigned *next;       /* the link taken, or LAB_TOPO_NONE */
    unsigned *hops;       /* LAB_TOPO_NONE: no route leads there */
    uint64_t *latency_ps; /* the sum over the links of the way */
    struct load_arena arena;
};

/** `desc` must outlive it. Raises SIM_ERR_CONFIG when the machine cannot be built. */
void lab_topology_create(const struct machine_desc *desc, struct lab_topology *topo);
void lab_topology_fini(struct lab_topology *topo);

/** Hops, latency and load over all ordered pairs of different hubs. */
struct lab_topo_summary {
    unsigned routed, unrouted; /* pairs */
    uint64_t total_hops;
    unsigned diameter;
    uint64_t total_latency_ps, max_latency_ps;
    uint64_t min_load, max_load;
    unsigned most_loaded, nmost_loaded; /* the first link of that load, and how many have it */
};
struct lab_topo_summary lab_topology_summarise(const struct lab_topology *topo);

/** The balanced split (sizes differ by at most one) that cuts fewest cables. */
struct lab_topo_cut {
    unsigned cables;
    double bytes_per_s; /* through the cut cables, one way */
    bool exact;         /* all splits were tried; else a local search, so an upper bound */
};
struct lab_topo_cut lab_topology_bisect(struct lab_topology *topo);

/**
 * A cycle among links of which some route takes each directly after the one before: with finite
 * buffers, packets along it can wait for each other. @param cycle 2 * nlinks entries
 * @return its length, 0: there is none
 */
unsigned lab_topology_cycle(struct lab_topology *topo, unsigned *cycle);
/**
 * The same when a ring, which is what packets take straight on through hubs that guard it, counts
 * as one link: it never fills up, so only what leads from ring to ring can close a cycle. Nothing
 * waits for a link into a buffer without end. Where packets change to virtual channel 1, a link is
 * two.
 */
unsigned lab_topology_deadlock(struct lab_topology *topo, unsigned *cycle);

/** quantity, unit, value */
void lab_topology_table(struct lab_topology *topo, struct lab_table *table);
/** from, to, hops, latency_ns */
void lab_topology_pairs(const struct lab_topology *topo, struct lab_table *table);
/** from, to, messages, latency_ns, GBps */
void lab_topology_links(const struct lab_topology *topo, struct lab_table *table);

SIM_END_DECLS
#endif /* LAB_TOPOLOGY_H */
