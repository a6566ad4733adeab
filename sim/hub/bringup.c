/*
 * What the management processor does on each root port: find the endpoint of the
 * neighbour's hub, let its BAR claim the whole window on the cables' common base,
 * set the payload size, and enable it. One configuration request at a time.
 */
#include "hub/internal.h"

#define NEIGHBOUR_ID 0x0100u /* bus 1, device 0, function 0 behind a root port */

struct access {
    bool write;
    uint32_t reg, value;
};

static struct access access_of(const struct hub_port *port)
{
    uint32_t mps = pcie_port_mps(port->edge.pcie);

    switch (port->bringup) {
    case BRINGUP_BAR_LOW:
        return (struct access){ true, PCIE_CFG_BAR(0), (uint32_t)HUB_CABLE_BASE };
    case BRINGUP_BAR_HIGH:
        return (struct access){ true, PCIE_CFG_BAR(1), (uint32_t)(HUB_CABLE_BASE >> 32) };
    case BRINGUP_CONTROL: /* Max_Payload_Size and Max_Read_Request_Size: 128 << code (7.8.4) */
        return (struct access){ true, PCIE_CFG_DEVICE_CONTROL,
                                (uint32_t)(__builtin_ctz(mps) - 7) << 5 | 5u << 12 };
    case BRINGUP_COMMAND:
        return (struct access){ true, PCIE_CFG_COMMAND, PCIE_COMMAND_MEMORY | PCIE_COMMAND_MASTER };
    default:
        return (struct access){ false, PCIE_CFG_ID, 0 };
    }
}

/* `late`: cycles from now at which the answer before it is there. */
static void send_access(struct hub_port *port, uint64_t late)
{
    struct hub *hub = port->hub;
    struct access a = access_of(port);
    struct pcie_tlp tlp = {
        .kind = a.write ? PCIE_CFGWR0 : PCIE_CFGRD0,
        .tag = HUB_BRINGUP_TAG,
        .first_be = 0xf,
        .length_dw = 1,
        .completer_id = NEIGHBOUR_ID,
        .addr = a.reg,
    };

    if (a.write) {
        tlp.payload = mem_payload_alloc(hub->pool, 4);
        sim_store(tlp.payload->data, a.value, 4);
    }
    port->request = tlp;
    port->request_edge = hub_clock_edge(hub) + late + hub->cfg.bringup_cycles - 1;
    hub->bringups |= 1u << port->index;
    hub_wake(hub, port->request_edge);
}

static bool waits_to_join(const struct hub_port *port)
{
    return (port->hub->bringups >> port->index & 1) != 0;
}

void bringup_joined(struct hub_port *port)
{
    port->hub->bringups &= ~(1u << port->index);
    port->deadline = hub_request_sent(port->hub);
}

/* The processor's requests join behind all that the hub itself has for this edge. */
uint64_t bringup_step(struct hub *hub, uint64_t edge)
{
    uint64_t next = UINT64_MAX;

    for (uint32_t left = hub->bringups; left != 0; left &= left - 1) {
        struct hub_port *port = &hub->ports[__builtin_ctz(left)];
        uint64_t at = sim_max(port->request_edge, hub->local_edge);

        if (at > edge) {
            next = sim_min(next, at);
            continue;
        }
        bringup_joined(port);
        hub_push_local(hub, &port->request, port->index, edge + 1);
        hub->local_edge = edge + 1;
    }
    return next;
}

void bringup_start(struct hub_port *port)
{
    port->bringup = BRINGUP_ID;
    send_access(port, 0);
}

static bool waits_for_answer(const struct hub_port *port)
{
    return port->bringup != BRINGUP_IDLE && port->bringup < BRINGUP_DONE && !waits_to_join(port);
}

uint64_t bringup_timeout(struct hub_port *port, uint64_t edge)
{
    if (!waits_for_answer(port))
        return UINT64_MAX;
    if (port->deadline > edge)
        return port->deadline;
    port->bringup = BRINGUP_FAILED;
    hub_request_ended(port->hub);
    pcie_port_error(port->edge.pcie, PCIE_ERR_TIMEOUT, NULL);
    return UINT64_MAX;
}

void bringup_completion(struct hub_port *port, const struct pcie_tlp *tlp, uint64_t late)
{
    uint32_t id = 0;

    if (!waits_for_answer(port) || tlp->tag != HUB_BRINGUP_TAG) {
        pcie_port_advisory(port->edge.pcie, PCIE_ERR_UNEXPECTED, tlp); /* dropped (2.3.2) */
        return;
    }
    hub_request_ended(port->hub);
    pcie_port_answered(port->edge.pcie, tlp);
    if (tlp->status == PCIE_CPL_SC && tlp->payload != NULL)
        id = sim_load32(tlp->payload->data);
    if (tlp->status != PCIE_CPL_SC || tlp->poisoned ||
        (port->bringup == BRINGUP_ID && id != (HUB_DEVICE_ID << 16 | HUB_VENDOR_ID))) {
        port->bringup = BRINGUP_FAILED;
        return;
    }
    port->bringup++;
    if (port->bringup < BRINGUP_DONE)
        send_access(port, late);
}
