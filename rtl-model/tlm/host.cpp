#include "host.h"

#include <sys/mman.h>

#include "core/sim.h"
#include "hosts/driver/driver.h"
#include "node/host.h"
#include "software.h"

namespace hubsim
{

/* Ranks start at a multiple of this, as those of hosts/launch. */
constexpr sim_time_t kStartGrid = 100 * SIM_US;
constexpr int kStackBytes = 1 << 20;

/* DRAM of which no page is there before it is touched. */
struct Host::Memory {
    void *bytes = MAP_FAILED;
    size_t size = 0;

    ~Memory()
    {
        if (bytes != MAP_FAILED)
            munmap(bytes, size);
    }
    static void *map(void *arg, unsigned, const char *, uint64_t size)
    {
        auto *m = static_cast<Memory *>(arg);

        m->size = size;
        m->bytes = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        return m->bytes != MAP_FAILED ? m->bytes : nullptr;
    }
};

/* The node's software: the driver's part, and the rank. */
struct Host::Software {
    Node node;
    Thread kernel, irq, rank;

    Software(const Board &board, const launch_software &costs)
        : node(board, costs), kernel(node, false), irq(node, false), rank(node, true)
    {
    }
};

Host::Host(sc_core::sc_module_name, const Machine &machine, unsigned index, Program &p,
           const std::string &of)
    : Part(machine, index, of), program(p), memory(std::make_unique<Memory>())
{
    const machine_component_desc &desc = machine.component(index, of, node_host_kind);
    std::vector<char> cfg(node_host_kind.config_bytes);
    machine_place place = {};
    sim_error err = {};

    machine_component_config(&desc, cfg.data());
    place.dom = dom;
    place.path = path().c_str();
    place.node = index;
    place.map = Memory::map;
    place.map_arg = memory.get();
    place.net_bytes_per_us = machine.desc().net_bytes_per_us;
    check(node_host_kind.create(&place, cfg.data(), &component, &err), err);
    for (unsigned i = 0; i < node_host_ports(static_cast<node_host *>(component)); i++)
        add_plug(node_host_kind.ports[i],
                 static_cast<pcie_port *>(node_host_kind.port(component, i).end));
    software = std::make_unique<Software>(Board{ static_cast<node_host *>(component), index,
                                                 machine.desc().nnodes, [this] { enter(); },
                                                 [this] { leave(); } },
                                          machine.software(index));
    program.booting++;
    program.running++;

    SC_HAS_PROCESS(Host);
    SC_THREAD(boot_and_run);
    set_stack_size(kStackBytes);
    SC_THREAD(interrupts);
    set_stack_size(kStackBytes);
}

Host::~Host()
{
    software.reset();
    node_host_kind.destroy(component);
}

void Host::begin()
{
    sim_error err = {};

    check(node_host_kind.start(component, &err), err);
}

void Host::interrupts()
{
    software->irq.serve();
}

void Host::boot_and_run()
{
    software->kernel.begin(node_host_core(static_cast<node_host *>(component), 0));
    if (driver_boot(&software->kernel.host) != DRIVER_OK)
        throw Error(path() + ": boot failed: expected a hub behind one of its ports");
    if (--program.booting == 0) {
        program.start = (now_ps() / kStartGrid + 1) * kStartGrid;
        program.booted.notify(sc_core::SC_ZERO_TIME);
    } else {
        sc_core::wait(program.booted);
    }
    sc_core::wait(sc_core::sc_time::from_value(program.start +
                                               software->node.late_ps(sim_seed(dom)) - now_ps()));
    software->rank.begin(software->node.rank_core());
    program.main(node());
    program.running--;
}

} // namespace hubsim
