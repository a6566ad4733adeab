/*
 * The routing unit: the offset in the window is masked and compared with
 * (lower, upper) pairs, ports in fixed priority; no tables. Leaving by N the
 * address is translated area by area; leaving by a cable it is put on the base
 * that all cables share.
 */
#include "hub/internal.h"

#include <stdio.h>

uint32_t hub_route(const struct hub *hub, uint64_t offset)
{
    uint32_t out = HUB_ROUTE_NONE;

    /* All pairs at once, as the hardware does; backwards, so that the first that matches stays. */
    for (uint32_t i = hub->nranges; i-- > 0;) {
        const struct hub_range *r = &hub->ranges[i];
        bool match = (offset >= r->lower) & (offset <= r->upper);

        out ^= (out ^ r->port) & -(uint32_t)match;
    }
    if (out == HUB_HOST && hub_area(hub, offset) == HUB_AREA_SELF)
        return OUT_SELF;
    return out;
}

bool hub_window_offset(const struct hub *hub, uint64_t addr, uint64_t *offset_p)
{
    if (pcie_function_claims(&hub->ports[HUB_HOST].edge.function, addr) != 0)
        return false;
    *offset_p = addr & (hub->window_bytes - 1);
    return true;
}

bool hub_leave(const struct hub *hub, uint32_t out, uint64_t offset, uint64_t *addr_p)
{
    uint64_t area = hub_area(hub, offset);

    if (out != HUB_HOST) {
        *addr_p = HUB_CABLE_BASE + offset;
        return true;
    }
    if (area >= HUB_AREA_SELF || hub->area_base[area] == 0)
        return false;
    *addr_p = hub->area_base[area] + hub_in_area(hub, offset);
    return true;
}

static uint32_t ranges_of_port(const struct hub *hub, uint32_t port)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < hub->nranges; i++)
        n += hub->ranges[i].port == port;
    return n;
}

const struct hub_range *hub_range(const struct hub *hub, uint32_t port, uint32_t k)
{
    for (uint32_t i = 0; i < hub->nranges; i++)
        if (hub->ranges[i].port == port && k-- == 0)
            return &hub->ranges[i];
    return NULL;
}

/* Behind those of its own port and of ports with higher priority. */
static void add_range(struct hub *hub, uint32_t port, uint64_t first_slot, uint64_t last_slot)
{
    uint32_t at = hub->nranges++;

    for (; at > 0 && hub->ranges[at - 1].port > port; at--)
        hub->ranges[at] = hub->ranges[at - 1];
    hub->ranges[at] = (struct hub_range){ first_slot * hub->part_bytes,
                                          (last_slot + 1) * hub->part_bytes - 1, port };
}

int hub_set_routes(void *component, const struct machine_routes *routes, struct sim_error *err)
{
    struct hub *hub = component;

    hub->window_bytes = routes->window_bytes;
    hub->part_bytes = routes->part_bytes;
    hub->area_log2 = (uint32_t)__builtin_ctzll(routes->part_bytes / HUB_AREAS);
    hub->slot = routes->slot;
    hub->subcluster = routes->subcluster;
    for (unsigned i = 0; i < routes->nranges; i++) {
        const struct machine_route_range *r = &routes->ranges[i];
        uint32_t p = hub_port_find(r->port);
        char head[160];

        if (p >= hub->nports)
            return sim_error_set(err, SIM_ERR_CONFIG, "%s.%s: the hub has only %u ports", hub->path,
                                 r->port, hub->nports);
        (void)snprintf(head, sizeof(head), "%s.%s: ", hub->path, r->port);
        if (ranges_of_port(hub, p) == hub->cfg.route_pairs)
            return sim_error_value(err, SIM_ERR_CONFIG, head, "route_pairs", hub->cfg.route_pairs,
                                   "its routes take more ranges of window parts: expected parts in "
                                   "the order of the ring (slots)");
        add_range(hub, p, r->first, r->last);
    }
    /* Routes say where the other parts lie; the own one belongs to the host. */
    if (ranges_of_port(hub, HUB_HOST) == 0)
        add_range(hub, HUB_HOST, hub->slot, hub->slot);
    return SIM_OK;
}

const char *hub_route_of(void *component, unsigned slot)
{
    const struct hub *hub = component;
    uint32_t out = hub_route(hub, slot * hub->part_bytes);

    return out == HUB_ROUTE_NONE ? NULL : hub_port_names[out];
}
