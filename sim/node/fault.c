/* The faults of hosts and GPUs: those of their ports, and what they do wrong as completers. */
#include "node/fault.h"

#include "node/gpu.h"
#include "node/host.h"
#include "pcie/lossy/misbehave_params.h"

#include <string.h>

PCIE_FAULT_TABLES;
PCIE_MISDEED_TABLES;

const struct machine_fault_kind node_faults[] = { PCIE_FAULT_KINDS, PCIE_MISDEEDS,
                                                  MACHINE_FAULT_END };

static int break_port(const struct machine_port *end, const char *port,
                      const struct machine_fault_kind *what, const void *config,
                      struct sim_error *err)
{
    if (strcmp(end->protocol, "pcie") != 0)
        return sim_error_set(err, SIM_ERR_CONFIG, "%s: expected a PCI Express port", port);
    return pcie_port_add_fault(end->end, (enum pcie_fault_kind)(what - node_faults), config, err);
}

static struct pcie_misbehavior misbehavior_of(const struct machine_fault_kind *what,
                                              const void *config)
{
    return pcie_misbehavior_of((enum pcie_misdeed)(what - node_faults - PCIE_FAULT_KINDS_COUNT),
                               config);
}

int node_host_fault(void *component, const char *port, const struct machine_fault_kind *what,
                    const void *config, struct sim_error *err)
{
    if (port != NULL) {
        const struct machine_port end = node_host_kind.port(component, port);

        return break_port(&end, port, what, config, err);
    }
    struct pcie_misbehavior how = misbehavior_of(what, config);

    return node_host_misbehave(component, &how, err);
}

int node_gpu_fault(void *component, const char *port, const struct machine_fault_kind *what,
                   const void *config, struct sim_error *err)
{
    if (port != NULL) {
        const struct machine_port end = node_gpu_kind.port(component, port);

        return break_port(&end, port, what, config, err);
    }
    struct pcie_misbehavior how = misbehavior_of(what, config);

    return node_gpu_misbehave(component, &how, err);
}
