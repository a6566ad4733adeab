#include "hub.h"

#include <algorithm>

#include "hub/hub.h"
#include "machine/routes.h"

namespace hubsim
{

Hub::Hub(sc_core::sc_module_name, const Machine &machine, unsigned node, const std::string &of)
    : Part(machine, node, of)
{
    const machine_component_desc &desc = machine.component(node, of, hub_kind);
    hub_config cfg = {};
    machine_place place = {};
    sim_error err = {};

    kind = desc.kind;
    machine_component_config(&desc, &cfg);
    place.dom = dom;
    place.path = path().c_str();
    place.node = node;
    check(kind->create(&place, &cfg, &component, &err), err);
    for (unsigned i = 0; i < cfg.ports; i++)
        add_plug(kind->ports[i], static_cast<pcie_port *>(kind->port(component, i).end));
}

Hub::~Hub()
{
    kind->destroy(component);
}

void Hub::begin()
{
    sim_error err = {};

    check(kind->set_routes(component, &routes, &err), err);
    check(kind->start(component, &err), err);
}

sim_time_t wire_ps(const Machine &machine, uint64_t length_mm)
{
    return length_mm * machine.desc().ps_per_m / 1000;
}

void Cables::join(Hub &a, const std::string &port_a, Hub &b, const std::string &port_b,
                  uint64_t length_mm)
{
    hubsim::join(a.plug(port_a), b.plug(port_b), wire_ps(machine, length_mm));
    cables.push_back({ &a, &b, hub_port_names[hub_port_find(port_a.c_str())],
                       hub_port_names[hub_port_find(port_b.c_str())] });
}

static unsigned place_of(const std::vector<Hub *> &hubs, const Hub *hub)
{
    const auto found = std::find(hubs.begin(), hubs.end(), hub);

    if (found == hubs.end())
        throw Error(hub->path() + ": a cable leads there: expected it among the hubs");
    return static_cast<unsigned>(found - hubs.begin());
}

void Cables::route(const std::vector<Hub *> &hubs) const
{
    std::vector<machine_router> routers;
    std::vector<machine_edge> edges;
    std::vector<machine_routes> routes(hubs.size());
    machine_graph graph = {};
    sim_error err = {};

    for (const Hub *hub : hubs)
        routers.push_back({ hub_kind.ports, hub->path().c_str() });
    edges.reserve(cables.size());
    for (const Cable &c : cables)
        edges.push_back({ place_of(hubs, c.a), place_of(hubs, c.b), c.port_a, c.port_b });
    graph.nrouters = static_cast<unsigned>(routers.size());
    graph.nedges = static_cast<unsigned>(edges.size());
    graph.routers = routers.data();
    graph.edges = edges.data();
    graph.window_bytes = machine.desc().window_bytes;
    graph.part_bytes = machine.desc().part_bytes;
    check(machine_routes_compute(&graph, routes.data(), &err), err);
    for (size_t i = 0; i < hubs.size(); i++)
        hubs[i]->routes = routes[i];
}

} // namespace hubsim
