/*
 * A machine: components by node, links inside the nodes, cables between them.
 * The description is plain data, made by tools/load from YAML or by a test in C.
 */
#ifndef MACHINE_MACHINE_H
#define MACHINE_MACHINE_H

#include "machine/routes.h"

SIM_BEGIN_DECLS

/** A configured value and where it was written, for messages and reports. */
struct machine_value {
    const struct machine_param *param;
    uint64_t value;
    const char *file; /* NULL: the table's default */
    unsigned line;
    const char *source;            /* NULL or why it is so */
    const char *const *calibrated; /* NULL or ids of the rows it was fitted to, NULL at the end */
    unsigned ncalibrated;
};

struct machine_component_desc {
    const char *name; /* "hub"; unique within the node */
    const struct machine_kind *kind;
    /** One for each row of the kind's table and in its range; `param` NULL ends them. */
    struct machine_value *values;
};

struct machine_link_desc {
    unsigned node_a, node_b;
    const char *component_a, *port_a; /* "hub", "e" */
    const char *component_b, *port_b;
    uint64_t length_mm;
    const char *file; /* where it was written, or NULL */
    unsigned line;
};

/** NULL: there is no such key. */
struct machine_value *machine_value_find(const struct machine_component_desc *desc,
                                         const char *key);
/** Is it a component of this kind, in whatever make? Makes have one table of parameters. */
bool machine_is_kind(const struct machine_component_desc *desc, const struct machine_kind *kind);
/** Does it forward packets for others, a hub of any kind? Routes are computed for those. */
bool machine_is_router(const struct machine_component_desc *desc);
/** Fills the kind's configuration of `kind->config_bytes` from the values. */
void machine_component_config(const struct machine_component_desc *desc, void *config);

struct machine_node_desc {
    const char *platform; /* "hapacs-tca" */
    unsigned ncomponents;
    struct machine_component_desc *components;
    unsigned nlinks;
    struct machine_link_desc *links; /* inside the node */
};

/** Have both the same components, values and links inside? Which end of its cable a port is makes
 * no difference. */
bool machine_node_alike(const struct machine_node_desc *a, const struct machine_node_desc *b);

/** One fault of one component or port. */
struct machine_fault_desc {
    unsigned node;
    const char *component, *port; /* port NULL: the whole component */
    const struct machine_fault_kind *kind;
    const uint64_t *values; /* one for each row of kind->params, in its range */
    const char *file;       /* where it was written, or NULL */
    unsigned line;
};

/** Routes by hand: the port of a hub for what is meant for nodes `first` to `last`. */
struct machine_hand_desc {
    unsigned node;
    const char *component, *port;
    unsigned first, last;
    const char *file;
    unsigned line;
};

/** All zero: shortest ways. See struct machine_policy. */
struct machine_routing_desc {
    unsigned ndimensions;
    const struct machine_dimension *dimensions;
    bool by_hand;
    unsigned nhand;
    const struct machine_hand_desc *hand;
    const char *file; /* where it was written, or NULL */
    unsigned line;
};

struct machine_desc {
    const char *name;
    uint64_t window_bytes, part_bytes; /* powers of two */
    const unsigned *slot_order;        /* nodes in the order of their parts; NULL: as they are */
    struct machine_routing_desc routing;
    uint64_t ps_per_m; /* of cables and traces */
    unsigned nnodes;
    struct machine_node_desc *nodes;
    unsigned ncables;
    struct machine_link_desc *cables;
    uint64_t net_latency_ps, net_bytes_per_us; /* the control network for MPI between nodes */
    unsigned nfaults;
    const struct machine_fault_desc *faults;
};

struct machine;

/** `map`: see machine_place; NULL takes calloc(). `desc` must outlive the machine. */
int machine_create(const struct machine_desc *desc, const struct sim_config *cfg,
                   void *(*map)(void *, unsigned, const char *, uint64_t), void *map_arg,
                   struct machine **machine_p, struct sim_error *err);
void machine_destroy(struct machine *m);

/** The routes that the hub at node and name has; NULL: there is no such hub. */
const struct machine_routes *machine_routes_of(const struct machine *m, unsigned node,
                                               const char *name);

typedef void (*machine_line_fn)(void *arg, const char *line);
/**
 * Reports a deadlock: a line for each packet that cannot go on, followed by what it waits for, as
 * far as a circle or the end of the chain. At most `max` lines. @return how many packets there are.
 */
unsigned machine_stall_report(const struct machine *m, unsigned max, machine_line_fn fn, void *arg);
/**
 * A circle of waits, if there is one: "node0.hub.e -> node1.hub.e -> node0.hub.e", the links whose
 * buffers are full, each waiting for the next, and the first one again; as much as fits into
 * `size` bytes.
 */
bool machine_stall_circle(const struct machine *m, char *text, size_t size);

struct sim *machine_sim(struct machine *m);
const struct machine_desc *machine_description(const struct machine *m);
struct sim_domain *machine_domain(struct machine *m, unsigned node);
/** The component at node and name, or NULL; its kind in *kind_p when not NULL. */
void *machine_component(struct machine *m, unsigned node, const char *name,
                        const struct machine_kind **kind_p);

SIM_END_DECLS
#endif /* MACHINE_MACHINE_H */
