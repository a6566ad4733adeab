/*
 * The routing unit: the offset in the window is masked and compared with
 * (lower, upper) pairs, ports in fixed priority; no tables. Leaving by N the
 * address is translated area by area; leaving by a cable it is put on the base
 * that all cables share.
 */
#include "hub/internal.h"

#include <string.h>

uint32_t hub_route(const struct hub *hub, uint64_t offset)
{
    for (uint32_t p = 0; p < hub->nports; p++) {
        const struct hub_port *port = &hub->ports[p];

        for (uint32_t k = 0; k < port->npairs; k++) {
            if (offset < port->pairs[k].lower || offset > port->pairs[k].upper)
                continue;
            if (p == 0 && (offset & (hub->part_bytes - 1)) / hub->area_bytes == HUB_AREA_SELF)
                return OUT_SELF;
            return p;
        }
    }
    return HUB_ROUTE_NONE;
}

bool hub_window_offset(const struct hub *hub, uint64_t addr, uint64_t *offset_p)
{
    if (pcie_function_claims(&hub->ports[0].function, addr) != 0)
        return false;
    *offset_p = addr & (hub->window_bytes - 1);
    return true;
}

bool hub_leave(const struct hub *hub, uint32_t out, uint64_t offset, uint64_t *addr_p)
{
    uint64_t in_part = offset & (hub->part_bytes - 1);
    uint64_t area = in_part / hub->area_bytes;

    if (out != 0) {
        *addr_p = HUB_CABLE_BASE + offset;
        return true;
    }
    if (area >= HUB_AREA_SELF || hub->area_base[area] == 0)
        return false;
    *addr_p = hub->area_base[area] + (in_part & (hub->area_bytes - 1));
    return true;
}

static int port_index(const char *name)
{
    static const char *const names = "newsab";
    const char *at = name[0] != '\0' && name[1] == '\0' ? strchr(names, name[0]) : NULL;

    return at != NULL ? (int)(at - names) : -1;
}

int hub_set_routes(void *component, const struct machine_routes *routes, struct sim_error *err)
{
    struct hub *hub = component;

    hub->window_bytes = routes->window_bytes;
    hub->part_bytes = routes->part_bytes;
    hub->area_bytes = routes->part_bytes / HUB_AREAS;
    hub->slot = routes->slot;
    for (unsigned i = 0; i < routes->nranges; i++) {
        const struct machine_route_range *r = &routes->ranges[i];
        int p = port_index(r->port);
        struct hub_port *port;

        if (p < 0 || (uint32_t)p >= hub->nports)
            return sim_error_set(err, SIM_ERR_CONFIG, "%s: route by port %s: expected n, e, w or s",
                                 hub->path, r->port);
        port = &hub->ports[p];
        if (port->npairs == HUB_ROUTE_PAIRS)
            return sim_error_set(err, SIM_ERR_CONFIG,
                                 "%s.%s: more than %u ranges of slots: expected fewer, number the "
                                 "nodes along the ring",
                                 hub->path, r->port, HUB_ROUTE_PAIRS);
        port->pairs[port->npairs].lower = r->first * hub->part_bytes;
        port->pairs[port->npairs].upper = (r->last + UINT64_C(1)) * hub->part_bytes - 1;
        port->npairs++;
    }
    /* Routes say where the other parts lie; the own one belongs to the host. */
    if (hub->ports[0].npairs == 0) {
        hub->ports[0].pairs[0].lower = hub->slot * hub->part_bytes;
        hub->ports[0].pairs[0].upper = (hub->slot + UINT64_C(1)) * hub->part_bytes - 1;
        hub->ports[0].npairs = 1;
    }
    return SIM_OK;
}
