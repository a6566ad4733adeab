#include "device.h"

#include <algorithm>

#include "endpoint.h"
#include "kernel.h"
#include "machine.h"
#include "pcie/lossy/fault.h"

/* So that files may name it: see lab_kinds(). */
extern "C" {
extern const struct machine_kind *const machine_more_kinds[];
const struct machine_kind *const machine_more_kinds[] = { &hubsim::systemc_kind, nullptr };
}

/* SystemC's own main() calls it. A program with another main(), as hubrun has, leaves it out. */
__attribute__((weak)) int sc_main(int, char **)
{
    return 1;
}

namespace hubsim
{

namespace
{

BridgeConfig config_of(const machine_component_desc &desc)
{
    BridgeConfig cfg = {};

    machine_component_config(&desc, &cfg);
    return cfg;
}

Kernel &the_kernel()
{
    return Kernel::get();
}

/* Programs set it before main() begins, in any order. */
Builder &the_builder()
{
    static Builder builder;

    return builder;
}

/** Modules with a time of their own: SystemC wakes their domain. */
struct Modules {
    sim_event run; /* first */
    sim_domain *dom = nullptr;
    unsigned components = 0;
    bool over = false; /* processes of modules that are gone cannot be taken back */
    std::vector<sc_core::sc_event *> due; /* at the present time */

    void attach(const machine_place &place);
    void detach();
    void wake(sc_core::sc_event &event);
    void step();
};

Modules modules;

void Modules::attach(const machine_place &place)
{
    if (over)
        throw Error(std::string(place.path) + ": SystemC has processes of another machine: "
                                              "expected one machine in a process with such "
                                              "components");
    if (components != 0 && dom != place.dom)
        throw Error(std::string(place.path) + ": SystemC is part of " + sim_domain_name(dom) +
                    ": expected all components of kind systemc in one node");
    the_kernel().attach(place.path);
    if (components++ != 0)
        return;
    dom = place.dom;
    sim_event_init(&run, [](sim_event *ev) { reinterpret_cast<Modules *>(ev)->step(); });
    sim_schedule_at(dom, &run, 0, SIM_TASK); /* processes begin */
}

void Modules::detach()
{
    if (--components == 0)
        sim_cancel(dom, &run);
    over = true;
}

/* SystemC's time may lag behind until step(). */
void Modules::wake(sc_core::sc_event &event)
{
    if (std::find(due.begin(), due.end(), &event) == due.end())
        due.push_back(&event);
    sim_schedule_by(dom, &run, sim_now(dom), SIM_TASK);
}

/* Phase SIM_TASK: all packets of this time have come. */
void Modules::step()
{
    sim_time_t now = sim_now(dom), later;

    if (the_kernel().stopped()) /* packets still come until the simulation ends */
        return;
    the_kernel().advance(now);
    for (sc_core::sc_event *event : due)
        event->notify(sc_core::SC_ZERO_TIME);
    due.clear();
    later = the_kernel().run();
    if (the_kernel().stopped())
        sim_stop(dom);
    else if (later != SIM_TIME_NEVER)
        sim_schedule_by(dom, &run, later, SIM_TASK);
}

/** A part in Modules, also of a device that cannot be made. */
struct Attached {
    explicit Attached(const machine_place &place) { modules.attach(place); }
    ~Attached() { modules.detach(); }
    Attached(const Attached &) = delete;
    Attached &operator=(const Attached &) = delete;
};

struct Device {
    explicit Device(const machine_place &place, const BridgeConfig &cfg)
        : attached(place), path(place.path),
          bridge(name_of(path).c_str(),
                 { place.dom, path, [] {}, [] {},
                   [](sc_core::sc_event &event) { modules.wake(event); } },
                 cfg)
    {
        if (the_builder())
            the_builder()(path, bridge);
    }
    static std::string name_of(std::string name)
    {
        std::replace(name.begin(), name.end(), '.', '_'); /* which separates levels there */
        return name;
    }

    Attached attached;
    std::string path;
    Bridge bridge;
};

int create(const machine_place *place, const void *config, void **component_p, sim_error *err)
{
    try {
        *component_p = new Device(*place, *static_cast<const BridgeConfig *>(config));
    } catch (const Error &e) {
        *err = e.about;
        return SIM_ERR_CONFIG;
    } catch (const std::exception &e) {
        return sim_error_set(err, SIM_ERR_CONFIG, "%s", e.what());
    }
    return SIM_OK;
}

machine_port port(void *component, unsigned)
{
    return { "pcie", static_cast<Device *>(component)->bridge.port(), pcie_link_join };
}

int start(void *component, sim_error *)
{
    static_cast<Device *>(component)->bridge.start();
    return SIM_OK;
}

void destroy(void *component)
{
    delete static_cast<Device *>(component);
}

int fault(void *, void *end, const machine_fault_kind *what, const void *config, sim_error *err)
{
    if (end == nullptr)
        return sim_error_set(err, SIM_ERR_CONFIG, "expected its port: a module does no wrong");
    return pcie_port_add_fault(static_cast<pcie_port *>(end), what,
                               static_cast<const pcie_fault_values *>(config), err);
}

const char *const ports[] = { "link", nullptr };

machine_kind make_kind()
{
    machine_kind kind = {};

    kind.name = "systemc";
    kind.summary = "modules of SystemC";
    kind.params = bridge_params;
    kind.groups = bridge_groups;
    kind.config_bytes = sizeof(BridgeConfig);
    kind.ports = ports;
    kind.create = create;
    kind.port = port;
    kind.start = start;
    kind.destroy = destroy;
    kind.faults = pcie_faults;
    kind.fault = fault;
    return kind;
}
} // namespace

const machine_kind systemc_kind = make_kind();

void set_builder(Builder builder)
{
    the_builder() = std::move(builder);
}

Endpoint::Endpoint(sc_core::sc_module_name, const Machine &machine, unsigned node,
                   const std::string &of)
    : Part(machine, node, of),
      bridge("bridge",
             { dom, path(), [this] { enter(); }, [this] { leave(); },
               [](sc_core::sc_event &event) { event.notify(sc_core::SC_ZERO_TIME); } },
             config_of(machine.component(node, of, systemc_kind)))
{
    add_plug("link", bridge.port());
}

} // namespace hubsim
