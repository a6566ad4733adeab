/* The faults of hosts and GPUs: those of their ports, and what they do wrong as completers. */
#include "node/fault.h"

#include "node/gpu.h"
#include "node/host.h"
#include "pcie/lossy/fault.h"
#include "pcie/lossy/misbehave.h"

#include <string.h>

static int break_port(const struct machine_port *end, const char *port,
                      const struct machine_fault_kind *what, const void *config,
                      struct sim_error *err)
{
    if (strcmp(end->protocol, "pcie") != 0)
        return sim_error_set(err, SIM_ERR_CONFIG, "%s: expected a PCI Express port", port);
    return pcie_port_add_fault(end->end, what, config, err);
}

int node_host_fault(void *component, const char *port, const struct machine_fault_kind *what,
                    const void *config, struct sim_error *err)
{
    if (port != NULL) {
        const struct machine_port end = node_host_kind.port(component, port);

        return break_port(&end, port, what, config, err);
    }
    struct pcie_misbehavior how = pcie_misbehavior_of(what, config);

    return node_host_misbehave(component, &how, err);
}

int node_gpu_fault(void *component, const char *port, const struct machine_fault_kind *what,
                   const void *config, struct sim_error *err)
{
    if (port != NULL) {
        const struct machine_port end = node_gpu_kind.port(component, port);

        return break_port(&end, port, what, config, err);
    }
    struct pcie_misbehavior how = pcie_misbehavior_of(what, config);

    return node_gpu_misbehave(component, &how, err);
}
