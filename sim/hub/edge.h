/*
 * The edge of a hub: how packets pass between a port and the core. A packet is
 * atomic: it comes and goes as a whole, at its first edge of the core's clock, and
 * takes a number of beats on the core's bus. A core of another make (RTL, SystemC)
 * stands behind the same calls; what it adds is times.
 *
 * What else a core needs it asks the port itself, edge.pcie. pcie/port/port.h says
 * what is connected, the payload in force, what is queued, held or stalled.
 * pcie/port/aer.h records the errors that the core detects.
 *
 *   far side --> [receive buffer] --received()--> core --send()--> [port] --> far side
 *                       <---------release()-----       <--ready()---
 *
 * A core decides in phase SIM_CLOCK; received() and ready() only note and schedule.
 */
#ifndef HUB_EDGE_H
#define HUB_EDGE_H

#include "machine/kind.h"
#include "pcie/port/aer.h"

SIM_BEGIN_DECLS

enum hub_role { HUB_ENDPOINT, HUB_ROOT };

struct hub_edge {
    struct pcie_port *pcie;        /* see above */
    uint8_t role;                  /* enum hub_role */
    bool masters;                  /* it may make requests: a root, or by Bus Master Enable */
    struct pcie_function function; /* endpoints: what the far side configures */
};

/** `path` ("node0.hub.n") and `link` are copied; `core` hears of packets, room and the link. Free
 * with pcie_port_destroy(edge->pcie). */
int hub_edge_create(struct hub_edge *edge, struct sim_domain *dom, struct mem_pool *pool,
                    const char *path, enum hub_role role, const struct pcie_port_config *link,
                    const struct pcie_port_user *core, struct sim_error *err);
/** See struct machine_port. */
struct machine_port hub_edge_plug(struct hub_edge *edge);

/** Flow control is up and, at an endpoint, the far side has enabled memory space. */
bool hub_edge_up(const struct hub_edge *edge);
/** An answer without data. */
struct pcie_tlp hub_edge_completion(const struct hub_edge *edge, const struct pcie_tlp *request,
                                    enum pcie_cpl_status status);
/** Carries out a configuration request. @return its completion, for the core to send */
struct pcie_tlp hub_edge_configure(struct hub_edge *edge, struct mem_pool *pool,
                                   const struct pcie_tlp *request);

/** Beats of so many bytes of data. */
static inline uint64_t hub_data_beats(uint64_t bytes, uint64_t bus_bytes)
{
    return (bytes + bus_bytes - 1) >> __builtin_ctzll(bus_bytes); /* a power of two */
}
/** Beats of a packet on a bus: its header's, and those of data. */
static inline uint64_t hub_edge_beats(const struct pcie_tlp *tlp, uint64_t bus_bytes)
{
    return 1 + hub_data_beats(pcie_tlp_data_bytes(tlp), bus_bytes);
}
/** Requests of an endpoint wait for Bus Master Enable; its answers do not (7.5.1.1). */
static inline bool hub_edge_enabled(const struct hub_edge *edge, enum pcie_class cls)
{
    return edge->masters || cls == PCIE_COMPLETION;
}
/** May a packet of the class be sent? */
static inline bool hub_edge_ready(const struct hub_edge *edge, enum pcie_class cls)
{
    return hub_edge_enabled(edge, cls) && pcie_port_can_send(edge->pcie, cls);
}
/** May it, and has the far side credits for so many of the largest? */
static inline bool hub_edge_credits(const struct hub_edge *edge, enum pcie_class cls, uint32_t tlps)
{
    return hub_edge_enabled(edge, cls) && pcie_port_has_room(edge->pcie, cls, tlps);
}
/** How much later than now the link can begin a packet of which the last beat ends `bus_ps` from
 * now: it sends while the bus still delivers, and no symbol before its beat. */
static inline sim_time_t hub_edge_lag(const struct hub_edge *edge, const struct pcie_tlp *tlp,
                                      sim_time_t bus_ps)
{
    return pcie_port_lag(edge->pcie, tlp, bus_ps);
}
/** Takes the payload. hub_edge_ready() must hold. `lag_ps`: that of the packet. */
static inline void hub_edge_send(const struct hub_edge *edge, const struct pcie_tlp *tlp,
                                 sim_time_t lag_ps)
{
    pcie_port_send_lagging(edge->pcie, tlp, lag_ps);
}
/** A packet that was received has left the receive buffer. */
static inline void hub_edge_release(const struct hub_edge *edge, enum pcie_class cls,
                                    const struct pcie_tlp *tlp)
{
    pcie_port_consume(edge->pcie, cls, pcie_tlp_data_credits(tlp));
}

SIM_END_DECLS
#endif
