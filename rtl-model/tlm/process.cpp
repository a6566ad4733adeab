/* Behind the calls of process.h: one kernel of SystemC, whose time goes on from machine to machine.
 */
#include "rtl-model/cosim/process.h"

#include <algorithm>
#include <string>

#define SC_INCLUDE_DYNAMIC_PROCESSES /* sc_spawn() */
#include <systemc>

/* SystemC's own main() calls it, which is not there. */
int sc_main(int, char **)
{
    return 1;
}

struct process {
    sc_core::sc_event due;
    sc_core::sc_process_handle handle;
};

namespace
{
uint64_t start_ps; /* time 0 of the machine */
unsigned processes;

uint64_t now_of_kernel()
{
    return sc_core::sc_time_stamp().value();
}

bool has_modules()
{
    const auto &all = sc_core::sc_get_top_level_objects();

    return std::any_of(all.begin(), all.end(), [](sc_core::sc_object *object) {
        return dynamic_cast<sc_core::sc_module *>(object) != nullptr;
    });
}

process *create(const char *path, void (*step)(void *), void *arg)
{
    std::string name = path;
    sc_core::sc_spawn_options options;

    if (has_modules())
        return nullptr;
    auto *p = new process;

    std::replace(name.begin(), name.end(), '.', '_'); /* which separates levels there */
    options.spawn_method();
    options.dont_initialize();
    options.set_sensitivity(&p->due);
    /* One that has ended keeps its name until the kernel runs again. */
    p->handle = sc_core::sc_spawn([step, arg] { step(arg); },
                                  sc_core::sc_gen_unique_name(name.c_str()), &options);
    if (processes++ == 0)
        start_ps = now_of_kernel();
    return p;
}

bool run(process *p, uint64_t now_ps)
{
    uint64_t then = now_of_kernel(), now = start_ps + now_ps;

    if (now < then)
        return false;
    if (now > then)
        sc_core::sc_start(sc_core::sc_time::from_value(now - then));
    p->due.notify(sc_core::SC_ZERO_TIME);
    while (sc_core::sc_pending_activity_at_current_time())
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
    return true;
}

void destroy(process *p)
{
    processes--;
    if (!sc_core::sc_is_running()) /* a process that cannot end yet stays, and never runs */
        return;
    p->handle.kill();
    delete p;
}
} // namespace

extern "C" const process_ops hub_process = { create, run, destroy };
