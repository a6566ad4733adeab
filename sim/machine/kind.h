/* Kinds of component. */
#ifndef MACHINE_KIND_H
#define MACHINE_KIND_H

#include "core/param.h"

SIM_BEGIN_DECLS

/** What a component is given when it is made. Texts live as long as the machine. */
struct machine_place {
    struct sim_domain *dom;
    const char *path; /* "node0.hub" */
    unsigned node;    /* 0 .. nodes - 1 */
    /** Zeroed memory that host programs may use directly (NULL: out of memory); lives with the
     * machine. */
    void *(*map)(void *map_arg, unsigned node, const char *path, uint64_t bytes);
    void *map_arg;
    uint64_t net_bytes_per_us; /* the control network's rate at each node; 0: not limited */
};

/** Where a hub sends what: filled from the topology (machine/routes.h), in units of window parts.
 */
struct machine_routes {
    unsigned slot;         /* this node's part of the window */
    unsigned subcluster;   /* counts the groups of hubs that cables join */
    uint64_t window_bytes; /* a power of two */
    uint64_t part_bytes;
    unsigned nranges;
    struct machine_route_range {
        const char *port;     /* "e" */
        unsigned first, last; /* parts, both included */
    } ranges[64];
};

/** A place to plug a cable in. Two of one protocol may be joined, by `join` of either. */
struct machine_port {
    const char *protocol; /* "pcie"; NULL: there is no such port */
    void *end;            /* for "pcie" a struct pcie_port */
    int (*join)(void *end_a, void *end_b, sim_time_t wire_ps, struct sim_error *err);
};

/** A packet that cannot go on, for reports of a machine that deadlocks. Texts are literals. */
struct machine_block {
    const char *where; /* the port in whose receive buffer it stands, or a part: "dma0" */
    const char *port;  /* by which it is to leave; NULL: it ends here */
    const char *lacks; /* "posted data credits" of the far side; NULL: the port has other work */
    const char *what;  /* "a write" */
    unsigned slot;     /* the window part it is for; MACHINE_NO_SLOT: none */
    unsigned stands, leaves; /* virtual channels: of the buffer, and of what it waits for */
};
#define MACHINE_NO_SLOT UINT32_MAX
typedef void (*machine_block_fn)(void *arg, const struct machine_block *block);

/** Packets that come in by `partner` go straight on by a port, and so a ring can lead through. */
struct machine_ring {
    const char *partner; /* NULL: it carries no ring */
    bool vc1;            /* it has a virtual channel 1, */
    bool date_line;      /* and packets that go on by it change to that here */
};

struct machine_desc;
struct machine_component_desc;

struct machine_kind {
    const char *name; /* "hub.c" */
    const char *summary;
    /** NULL, or the own keys, MACHINE_PARAM_END at the end. Kinds with the same table are one
     * device in several makes: each may stand in for another. */
    const struct machine_param *params;
    const struct machine_group *groups; /* NULL, or what follows them: machine_table_create() */
    size_t config_bytes;
    const char *const *ports; /* their names, NULL at the end */
    /** NULL, or first parts of keys ("c" of "c.link.gen", NULL at the end) that a component rarely
     * has: they are shown only where a file sets one of that part. */
    const char *const *spare;
    /** NULL, or those of `ports`, NULL at the end, whose keys ("e.role", "p0.port.lanes") do
     * nothing where no link is. Other ports, or their keys, have a use without one. */
    const char *const *plugs;
    bool late; /* its packets are on their way before all of their bytes are known: payload.h */
    const char *host_port; /* where a router's own host is, and must be; NULL: nowhere */
    /** NULL or, of a router: what a port is in a ring. */
    struct machine_ring (*ring)(const void *config, const char *port);
    /** NULL, or refuses values that are in their ranges and do not go with the rest of the machine,
     * all of which is known. */
    int (*check)(const struct machine_desc *desc, unsigned node,
                 const struct machine_component_desc *component, struct sim_error *err);
    /** `config` holds values checked against its table; copied. */
    int (*create)(const struct machine_place *place, const void *config, void **component_p,
                  struct sim_error *err);
    /** The port of that place in `ports`; NULL where there are none. */
    struct machine_port (*port)(void *component, unsigned index);
    /** NULL where the kind is no router. Called once, after all links are connected. */
    int (*set_routes)(void *component, const struct machine_routes *routes, struct sim_error *err);
    /** NULL or called once after everything is connected and routed, before the simulation runs. */
    int (*start)(void *component, struct sim_error *err);
    void (*destroy)(void *component);
    /** The largest payload of a packet on the link at a port; 0: nothing is joined to it. What the
     * port itself takes is its parameter PORT.`payload_key`. NULL where the kind passes no packets
     * on. */
    uint64_t (*payload)(void *component, const char *port);
    const char *payload_key;
    /** The port, of `ports`, by which a write to window part `slot` leaves, as the component's
     * registers say; NULL: by none. NULL where the kind is no router, or one whose registers are
     * not read. */
    const char *(*route)(void *component, unsigned slot);
    /** NULL or reports each packet at the head of a queue that cannot go on. */
    void (*blocked)(void *component, machine_block_fn fn, void *arg);
    /** NULL, or what `fault` takes; name NULL at the end. */
    const struct machine_fault_kind *faults;
    /** Gives the component one more fault of a kind in `faults`; `config` holds values checked
     * against its rows; `end`: machine_port.end of a port, or NULL: of the whole component. After
     * everything is connected, before start(). */
    int (*fault)(void *component, void *end, const struct machine_fault_kind *what,
                 const void *config, struct sim_error *err);
};

/** All kinds, NULL at the end. Defined in sim/kinds.c, the one list of them. */
const struct machine_kind *const *machine_kinds(void);
/** Kinds that a program brings along, NULL at the end. Only a program that has some defines it. */
extern const struct machine_kind *const machine_more_kinds[] __attribute__((weak));

SIM_END_DECLS
#endif /* MACHINE_KIND_H */
