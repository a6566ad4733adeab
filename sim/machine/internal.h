/* What building (machine.c) and wiring (wiring.c) share. */
#ifndef MACHINE_INTERNAL_H
#define MACHINE_INTERNAL_H

#include "core/list.h"
#include "machine/machine.h"

SIM_BEGIN_DECLS

#define PATH_BYTES 96

struct component {
    char path[PATH_BYTES];
    const struct machine_component_desc *desc;
    void *it; /* NULL until created */
    unsigned node;
    struct machine_routes *routes; /* a router has them */
};

struct machine {
    const struct machine_desc *desc;
    struct sim *sim;
    struct sim_domain **domains; /* by node */
    struct component *components;
    unsigned ncomponents, created;
    unsigned *first; /* component of a node; [nnodes] is their number */
    struct machine_routes *routes;
    struct sim_list maps; /* what default_map() gave */
    void *(*map)(void *, unsigned, const char *, uint64_t);
    void *map_arg;
};

/** What a kind has refused (`code` SIM_OK: nothing), with the place of the value that it is about,
 * or else with `file` and `line`. @return `code` */
int machine_located(const struct component *c, int code, struct sim_error *why, const char *file,
                    unsigned line, struct sim_error *err);
/** Which end of the link this port is: 'a' or 'b'; 0: neither. */
char machine_link_end(const struct machine_link_desc *link, unsigned node, const char *component,
                      const char *port);
/** The component's port of that name; protocol NULL: it has none. */
struct machine_port machine_port_of(const struct component *c, const char *name);
/** NULL: there is none. */
struct component *machine_find(const struct machine *m, unsigned node, const char *name);

/** Joins all links, cables and the control network. */
int machine_join(const struct machine *m, struct sim_error *err);
/** Gives all faults to their components. */
int machine_break(const struct machine *m, struct sim_error *err);
/** No router is to pass on a packet that a link behind it does not take. */
int machine_check_payloads(const struct machine *m, struct sim_error *err);
/** Computes the routes, gives them to the routers and walks along them. */
int machine_route(struct machine *m, struct sim_error *err);

SIM_END_DECLS
#endif /* MACHINE_INTERNAL_H */
