#include "hub/internal.h"

#include <stdlib.h>

bool fifo_init(struct hub_fifo *f, uint32_t entries)
{
    uint32_t room = 4;

    while (room < entries)
        room *= 2;
    f->ring = sim_calloc(room * sizeof(*f->ring));
    f->mask = room - 1;
    f->head = f->tail = 0;
    return f->ring != NULL;
}

/* Packets in DDR3, or of a receive buffer that announced no end. */
static __attribute__((noinline)) void fifo_grow(struct hub_fifo *f)
{
    uint32_t n = f->mask + 1;
    struct hub_entry *ring = sim_calloc(2 * (size_t)n * sizeof(*ring));

    SIM_ASSERT(ring != NULL);
    for (uint32_t i = 0; i < n; i++)
        ring[i] = f->ring[(f->head + i) & f->mask];
    free(f->ring);
    f->ring = ring;
    f->mask = 2 * n - 1;
    f->head = 0;
    f->tail = n;
}

struct hub_entry *fifo_add(struct hub_fifo *f)
{
    if (__builtin_expect(f->tail - f->head > f->mask, 0))
        fifo_grow(f);
    return &f->ring[f->tail++ & f->mask];
}

void fifo_fini(struct hub_fifo *f)
{
    free(f->ring);
}

uint64_t hub_clock_edge(struct hub *hub)
{
    sim_time_t now = sim_now(hub->dom);

    if (hub->edge_now != now) {
        hub->edge_now = now;
        hub->edge_value = sim_clock_edge(&hub->clk, now);
    }
    return hub->edge_value;
}

void hub_wake(struct hub *hub, uint64_t edge)
{
    edge = sim_max(edge, hub->next_edge);
    if (sim_event_scheduled(&hub->tick) && hub->tick_edge <= edge)
        return;
    hub->tick_edge = edge;
    sim_schedule_by(hub->dom, &hub->tick, sim_clock_time(&hub->clk, edge), SIM_CLOCK);
}

/*
 * Packets change to virtual channel 1 at the date line of their ring. So those in channel 0 wait
 * for no link behind the line, those in channel 1 for none before it, and no circle of waits
 * closes (Dally and Seitz 1987). Each cable is a hierarchy of its own, in which the hub makes the
 * request: its Traffic Class is the hub's to choose, and where the way leaves the ring it is 0.
 */
static __attribute__((noinline)) void choose_channel(const struct hub *hub, uint32_t source,
                                                     struct pcie_tlp *tlp, uint32_t out)
{
    bool crosses = (hub->date_line >> out & 1) != 0;
    bool stays = tlp->tc == PCIE_TC_VC1 && hub_goes_on(hub, source, out);

    if (tlp->kind != PCIE_MWR || out >= HUB_MAX_PORTS) /* an answer has its request's class */
        return;
    tlp->tc = (hub->vc1 >> out & 1) != 0 && (crosses || stays) ? PCIE_TC_VC1 : 0;
}

struct hub_entry *hub_put(struct hub *hub, uint32_t source, const struct pcie_tlp *tlp,
                          uint32_t out, uint64_t edge)
{
    struct hub_fifo *f = &hub->fifo[source];
    struct hub_entry *e;

    if (fifo_empty(f))
        hub_want(hub, source, out);
    e = fifo_add(f);
    e->tlp = *tlp;
    if (__builtin_expect(hub->vc1 != 0, 0))
        choose_channel(hub, source, &e->tlp, out);
    e->edge = edge;
    e->out = (uint8_t)out;
    e->in_ddr = e->refused = false;
    e->order = hub->arrivals++;
    if (__builtin_expect(hub->watch != NULL, 0) && source >= SRC_LOCAL)
        hub->watch->put(hub->watch->user, source, out, &e->tlp, edge);
    if (hub->watched && source < SRC_LOCAL)
        pcie_order_enter(hub->ports[source / PCIE_CLASSES].order, e->order, tlp, out);
    return e;
}

void hub_push(struct hub *hub, uint32_t source, const struct pcie_tlp *tlp, uint32_t out,
              uint64_t edge)
{
    (void)hub_put(hub, source, tlp, out, edge);
    hub_wake(hub, edge);
}

void hub_push_local(struct hub *hub, const struct pcie_tlp *tlp, uint32_t out, uint64_t edge)
{
    hub->local_units += pcie_tlp_data_credits(tlp);
    hub_push(hub, SRC_LOCAL, tlp, out, edge);
}

bool hub_local_room(const struct hub *hub)
{
    const struct hub_fifo *f = &hub->fifo[SRC_LOCAL];

    return f->tail - f->head + HUB_ANSWERS_TLPS <= HUB_LOCAL_TLPS &&
           hub->local_units + HUB_ANSWERS_UNITS <= HUB_LOCAL_UNITS;
}
