#include "ether/bus.h"

#include "ether/mac.h"

static uint64_t cycles_of(const struct ether_bus *bus, uint32_t bytes)
{
    return bus->cfg.overhead_cycles + (bytes + bus->cfg.width_bytes - 1) / bus->cfg.width_bytes;
}

/** The first edge of the clock at or after `t`. */
static sim_time_t edge_from(const struct ether_bus *bus, sim_time_t t)
{
    return sim_clock_time(&bus->clock, sim_clock_edge(&bus->clock, t));
}

/** At an edge of the clock with a free bus. Who asks at this very edge is seen at the next one, in
 * whatever order its askers and the arbiter come. */
static void grant_bus(struct ether_bus *bus)
{
    bool later = false;

    for (unsigned i = 0; i < ETHER_BUS_MASTERS; i++) {
        unsigned index = (bus->turn + i) % ETHER_BUS_MASTERS;
        struct ether_bus_master *master = bus->masters[index];
        sim_time_t end;
        uint64_t edge;

        if (master == NULL || master->asks == 0)
            continue;
        if (master->since == sim_now(bus->dom)) {
            later = true;
            continue;
        }
        bus->turn = (index + 1) % ETHER_BUS_MASTERS;
        bus->holds = master;
        edge = sim_clock_edge(&bus->clock, sim_now(bus->dom));
        end = sim_clock_time(&bus->clock, edge + cycles_of(bus, master->asks));
        bus->bursts++;
        bus->bytes += master->asks;
        bus->busy_ps += end - sim_now(bus->dom);
        sim_schedule_at(bus->dom, &bus->step, end, SIM_CLOCK);
        return;
    }
    if (later)
        sim_schedule_at(bus->dom, &bus->step, edge_from(bus, sim_now(bus->dom) + 1), SIM_CLOCK);
}

static void step_event(struct sim_event *ev)
{
    struct ether_bus *bus = SIM_CONTAINER_OF(ev, struct ether_bus, step);
    struct ether_bus_master *master = bus->holds;

    if (master != NULL) {
        uint32_t bytes = master->asks;

        bus->holds = NULL;
        master->asks = 0;
        master->done(master, bytes); /* may ask again, and then waits for its turn */
    }
    if (bus->holds == NULL && !sim_event_scheduled(&bus->step))
        grant_bus(bus);
}

void ether_bus_ask(struct ether_bus *bus, struct ether_bus_master *master, uint32_t bytes)
{
    SIM_ASSERT(master->asks == 0 && bytes > 0 && bytes <= bus->cfg.burst_bytes);
    master->asks = bytes;
    master->since = edge_from(
        bus, sim_now(bus->dom)); /* between two edges it counts as asked at the next one */
    if (bus->holds == NULL && !sim_event_scheduled(&bus->step))
        sim_schedule_at(bus->dom, &bus->step, edge_from(bus, master->since + 1), SIM_CLOCK);
}

void ether_bus_init(struct ether_bus *bus, struct sim_domain *dom, const char *path,
                    const struct ether_bus_config *cfg)
{
    const struct sim_stat_row rows[] = {
        { &bus->bursts, "bus.bursts", "1", "bursts of its DMA on the expansion bus" },
        { &bus->bytes, "bus.bytes", "bytes", "moved by them" },
        { &bus->busy_ps, "bus.busy_ps", "ps", "that the bus was held" },
    };

    bus->dom = dom;
    bus->cfg = *cfg;
    sim_clock_init(&bus->clock, cfg->khz);
    sim_event_init(&bus->step, step_event);
    sim_stats_register(dom, path, rows, SIM_COUNT(rows));
}
