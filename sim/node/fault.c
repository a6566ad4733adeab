/* The faults of hosts and GPUs: those of their ports. */
#include "node/fault.h"

#include "node/gpu.h"
#include "node/host.h"
#include "pcie/fault_params.h"

#include <string.h>

PCIE_FAULT_TABLES;

const struct machine_fault_kind node_faults[] = { PCIE_FAULT_KINDS, MACHINE_FAULT_END };

static int break_port(const struct machine_kind *kind, void *component, const char *port,
                      const struct machine_fault_kind *what, const void *config,
                      struct sim_error *err)
{
    const struct machine_port end = kind->port(component, port);

    if (strcmp(end.protocol, "pcie") != 0)
        return sim_error_set(err, SIM_ERR_CONFIG, "%s: expected a PCI Express port", port);
    return pcie_port_add_fault(end.end, (enum pcie_fault_kind)(what - node_faults), config, err);
}

int node_host_fault(void *component, const char *port, const struct machine_fault_kind *what,
                    const void *config, struct sim_error *err)
{
    return break_port(&node_host_kind, component, port, what, config, err);
}

int node_gpu_fault(void *component, const char *port, const struct machine_fault_kind *what,
                   const void *config, struct sim_error *err)
{
    return break_port(&node_gpu_kind, component, port, what, config, err);
}
