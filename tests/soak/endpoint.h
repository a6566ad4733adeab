/* The source and sink of the soak: a kind "soak" with one PCI Express port, p0. */
#ifndef TESTS_SOAK_ENDPOINT_H
#define TESTS_SOAK_ENDPOINT_H

#include "machine/kind.h"
#include "pcie/port/port.h"

SIM_BEGIN_DECLS

#define SOAK_NODES 8u

struct soak_node {
    struct sim_domain *dom;
    unsigned index;
    uint64_t where;
    struct mem_pool *pool;
    struct pcie_port *port;
    struct sim_event step;
    unsigned setup; /* packets of the set-up sent so far */
    bool stopped;
    struct sim_stream stream; /* who is written to, and when a word is read back */
    uint64_t sent[SOAK_NODES], taken[SOAK_NODES]; /* to, and from */
    uint64_t bytes, reads;
    uint64_t word, word_asked; /* last written into the hub's memory; when the read went out */
    bool reading;
    uint8_t tag;
    struct sim_error err; /* the first thing that was wrong */
};

extern const struct machine_kind soak_kind;

SIM_END_DECLS
#endif /* TESTS_SOAK_ENDPOINT_H */
