/* Which packets wait in the root complex and why, for reports of a machine that is blocked. */
#include "node/host/internal.h"

static void report_lane(struct node_rc *rc, unsigned target, enum pcie_class cls,
                        machine_block_fn fn, void *arg)
{
    static const char *const what[PCIE_CLASSES] = { "a write", "a read", "a completion" };
    const char *const *names = node_host_kind.ports;
    const struct rc_lane *lane = &rc->lane[target][cls];

    for (uint64_t left = lane->arbiter.requests; left != 0; left &= left - 1) {
        unsigned source = (unsigned)__builtin_ctzll(left);
        const char *where = source < HOST_PORTS        ? names[source]
                            : source == RC_FROM_MEMORY ? "memory"
                                                       : "cpu";

        fn(arg, &(struct machine_block){ .where = where,
                                         .port = names[target],
                                         .lacks = pcie_port_lacks(rc->port[target].port, cls),
                                         .what = what[cls],
                                         .slot = MACHINE_NO_SLOT });
    }
}

void node_host_blocked(void *component, machine_block_fn fn, void *arg)
{
    struct node_host *host = component;

    for (unsigned target = 0; target < HOST_PORTS; target++)
        for (unsigned cls = 0; cls < PCIE_CLASSES; cls++)
            if (!pcie_port_can_send(host->rc.port[target].port, (enum pcie_class)cls))
                report_lane(&host->rc, target, (enum pcie_class)cls, fn, arg);
}
