/* The one list of kinds. A new device adds its line here. */
#include "ether/ether.h"
#include "hub/hub.h"
#include "ib/ib.h"
#include "machine/kind.h"
#include "node/gpu.h"
#include "node/host.h"
#include "traffic/traffic.h"

static const struct machine_kind *const kinds[] = {
    &node_host_kind,     &node_gpu_kind,       &hub_kind,
    &ether_adapter_kind, &ether_repeater_kind, &ether_switch_kind,
    &ib_hca_kind,        &traffic_kind,        NULL,
};

const struct machine_kind *const *machine_kinds(void)
{
    return kinds;
}
