/*
 * The routing unit: it owns the ranges of the window and the bases of areas.
 */
#ifndef HUB_ROUTE_H
#define HUB_ROUTE_H

#include "machine/kind.h"

SIM_BEGIN_DECLS

struct hub;

#define HUB_ROUTE_NONE 0xffu

/** A (lower, upper) pair of the routing unit. */
struct hub_range {
    uint64_t lower, upper; /* offsets in the window, both inclusive */
    uint32_t port;
};

/** Where a window offset goes: a port, OUT_SELF, or HUB_ROUTE_NONE. */
uint32_t hub_route(const struct hub *hub, uint64_t offset);
/** The k-th pair of a port; NULL: it has fewer. */
const struct hub_range *hub_range(const struct hub *hub, uint32_t port, uint32_t k);
/** Offset in the window of a bus address at the N port; false when it lies outside. */
bool hub_window_offset(const struct hub *hub, uint64_t addr, uint64_t *offset_p);
/** The address a packet carries when it leaves by `out`: translated by area at N. False: closed
 * area. */
bool hub_leave(const struct hub *hub, uint32_t out, uint64_t offset, uint64_t *addr_p);
int hub_set_routes(void *component, const struct machine_routes *routes, struct sim_error *err);
const char *hub_route_of(void *component, unsigned slot);

SIM_END_DECLS
#endif
