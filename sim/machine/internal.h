/* What building (machine.c) and wiring (wiring.c) share. */
#ifndef MACHINE_INTERNAL_H
#define MACHINE_INTERNAL_H

#include "machine/machine.h"

SIM_BEGIN_DECLS

#define PATH_BYTES 96

struct component {
    char path[PATH_BYTES];
    const struct machine_component_desc *desc;
    void *it; /* NULL until created */
    unsigned node;
    struct machine_routes *routes; /* of a router */
};

struct machine {
    const struct machine_desc *desc;
    struct sim *sim;
    struct sim_domain **domains; /* by node */
    struct component *components;
    unsigned ncomponents, created;
    unsigned *first; /* component of a node; [nnodes] is their number */
    struct machine_routes *routes;
    struct mapped {
        struct mapped *next;
        void *bytes;
    } * maps;
    void *(*map)(void *, unsigned, const char *, uint64_t);
    void *map_arg;
};

/** The value that a kind's error is about; NULL: about none, or none that was given. */
const struct machine_value *machine_value_of(const struct component *component,
                                             const struct sim_error *why);
/** NULL: there is none. */
struct component *machine_find(const struct machine *m, unsigned node, const char *name);

/** Joins all links, cables and the control network. */
int machine_join(const struct machine *m, struct sim_error *err);
/** Gives all faults to their components. */
int machine_break(const struct machine *m, struct sim_error *err);
/** No router is to pass on a packet that a link behind it does not take. */
int machine_check_payloads(const struct machine *m, struct sim_error *err);
/** Computes the routes, tells them to the routers and walks along their registers. */
int machine_route(struct machine *m, struct sim_error *err);

SIM_END_DECLS
#endif /* MACHINE_INTERNAL_H */
