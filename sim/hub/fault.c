/* The faults of a hub: those of its ports. */
#include "hub/internal.h"
#include "pcie/fault_params.h"

PCIE_FAULT_TABLES;

const struct machine_fault_kind hub_faults[] = { PCIE_FAULT_KINDS, MACHINE_FAULT_END };

int hub_fault(void *component, const char *port, const struct machine_fault_kind *what,
              const void *config, struct sim_error *err)
{
    return pcie_port_add_fault(hub_kind.port(component, port).end,
                               (enum pcie_fault_kind)(what - hub_faults), config, err);
}
