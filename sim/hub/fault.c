/* The faults of a hub: those of its ports, and what it does wrong as a completer. */
#include "hub/hub.h"
#include "hub/internal.h"
#include "pcie/lossy/misbehave_params.h"

PCIE_FAULT_TABLES;
PCIE_MISDEED_TABLES;

const struct machine_fault_kind hub_faults[] = { PCIE_FAULT_KINDS, PCIE_MISDEEDS,
                                                 MACHINE_FAULT_END };

int hub_fault(void *component, const char *port, const struct machine_fault_kind *what,
              const void *config, struct sim_error *err)
{
    unsigned index = (unsigned)(what - hub_faults);
    struct pcie_misbehavior how;

    if (index < PCIE_FAULT_KINDS_COUNT)
        return pcie_port_add_fault(hub_kind.port(component, port).end, (enum pcie_fault_kind)index,
                                   config, err);
    how = pcie_misbehavior_of((enum pcie_misdeed)(index - PCIE_FAULT_KINDS_COUNT), config);
    return hub_misbehave(component, &how, err);
}
