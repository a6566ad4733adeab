#include "hub_sc.h"

#include <algorithm>
#include <map>
#include <memory>

#include "hub/hub.h"
#include "hub/internal.h"
#include "kernel.h"
#include "machine.h"

namespace hubsim
{

namespace
{

/** The core of a hub. */
class Core : public sc_core::sc_module
{
  public:
    Core(const sc_core::sc_module_name &name, sim_event *of_hub) : sc_module(name), tick(of_hub)
    {
        SC_HAS_PROCESS(Core);
        SC_METHOD(clocked);
        sensitive << edge;
        dont_initialize();
        step = tick->fn;
    }
    sc_core::sc_event edge;

  private:
    void clocked() { step(tick); }

    sim_event *tick;
    sim_event_fn step;
};

using Cores = std::map<const void *, std::unique_ptr<Core>>; /* by hub */

Cores &cores()
{
    static Cores all;

    return all;
}

/* An edge at which the core has something to do. The process runs now, in this domain. */
void on_edge(sim_event *ev)
{
    struct hub *hub = SIM_CONTAINER_OF(ev, struct hub, tick);

    Kernel::get().advance(sim_now(hub->dom));
    cores()[hub]->edge.notify(sc_core::SC_ZERO_TIME);
    (void)Kernel::get().run();
}

int create(const machine_place *place, const void *config, void **component_p, sim_error *err)
{
    void *component;
    int code;

    try {
        Kernel::get().attach(place->path, true);
    } catch (const Error &e) {
        return sim_error_set(err, SIM_ERR_CONFIG, "%s", e.what());
    }
    code = hub_kind.create(place, config, &component, err);
    if (code != SIM_OK) {
        Kernel::get().detach();
        return code;
    }
    std::string name = place->path;
    std::replace(name.begin(), name.end(), '.', '_'); /* which separates levels there */
    struct hub *hub = static_cast<struct hub *>(component);

    cores()[hub] = std::make_unique<Core>(name.c_str(), &hub->tick);
    hub->tick.fn = on_edge;
    sim_keep_step(place->dom);
    *component_p = component;
    return SIM_OK;
}

void destroy(void *component)
{
    cores().erase(component);
    hub_kind.destroy(component);
    Kernel::get().detach();
}

machine_kind make_kind()
{
    machine_kind kind = hub_kind;

    kind.name = "hub.sc";
    kind.summary = "The hub of kind hub.c, with its core in a process of SystemC.";
    kind.create = create;
    kind.destroy = destroy;
    return kind;
}
} // namespace

const machine_kind hub_sc_kind = make_kind();

} // namespace hubsim
