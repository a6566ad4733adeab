#include "kernel.h"

#include <algorithm>
#include <cstring>

#include "machine.h"

namespace hubsim
{

static sim_time_t now_of_kernel()
{
    return sc_core::sc_time_stamp().value();
}

Kernel &Kernel::get()
{
    static Kernel kernel;

    return kernel;
}

static bool has_processes()
{
    const auto &all = sc_core::sc_get_top_level_objects();

    return std::any_of(all.begin(), all.end(), [](sc_core::sc_object *object) {
        return std::strcmp(object->kind(), "sc_method_process") == 0;
    });
}

void Kernel::attach(const std::string &path)
{
    if (has_processes())
        throw Error(path + ": expected components of kind systemc or hub.sc, not both");
    if (sc_core::sc_get_status() >= sc_core::SC_RUNNING || now_of_kernel() != 0)
        throw Error(path + ": SystemC has run: expected one machine in a process with such "
                           "components");
    if (sc_core::sc_get_time_resolution() != sc_core::sc_time(1, sc_core::SC_PS))
        throw Error("the time resolution of SystemC: expected 1 ps");
}

void Kernel::advance(sim_time_t now)
{
    sim_time_t then = now_of_kernel();

    SIM_ASSERT(now >= then);
    if (now > then)
        sc_core::sc_start(sc_core::sc_time::from_value(now - then));
}

bool Kernel::stopped() const
{
    return sc_core::sc_get_status() == sc_core::SC_STOPPED;
}

sim_time_t Kernel::run()
{
    do
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
    while (!stopped() && sc_core::sc_pending_activity_at_current_time());
    if (stopped() || !sc_core::sc_pending_activity_at_future_time())
        return SIM_TIME_NEVER;
    return now_of_kernel() + sc_core::sc_time_to_pending_activity().value();
}

} // namespace hubsim
