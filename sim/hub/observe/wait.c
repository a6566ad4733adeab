/*
 * What the heads of sources wait for: statistics, one cause for each picosecond.
 *
 * A head can go when it has come through the pipeline and the beats of the packet
 * before it from the same source are over. If it goes at that edge, nothing is
 * counted. Else the output was taken by another source, until the arbiter looks at
 * it; and what it lacks then holds until a look finds something else. A port that
 * has no room waits for something itself: so much of the time as its link carried
 * nothing counts under that, the rest under the link.
 */
#include "hub/internal.h"

#include <stdio.h>

static const struct {
    const char *name, *meaning;
} causes[SIM_STALL_CAUSES] = {
    [SIM_STALL_CREDIT] = { "credit", "waited for credits of the next receiver" },
    [SIM_STALL_REPLAY] = { "replay", "waited for the replay buffer of the port it leaves by" },
    [SIM_STALL_DOWN] = { "down", "waited for the link it leaves by to come up" },
    [SIM_STALL_LINK] = { "link", "waited for the link it leaves by, which carried others" },
    [SIM_STALL_ARBITER] = { "arbiter", "waited while another input had the output" },
    [SIM_STALL_ORDER] = { "order", "waited behind a posted write that it may not pass" },
    [SIM_STALL_TAG] = { "tag", "wanted to read and had no free tag or room in the window" },
    [SIM_STALL_MEMORY] = { "memory", "waited for the hub's own memory or for room for answers" },
};

static unsigned place_of(uint32_t source)
{
    if (source < SRC_LOCAL)
        return source / PCIE_CLASSES;
    if (source == SRC_LOCAL)
        return HUB_PLACE_LOCAL;
    return HUB_PLACE_DMA + (source - SRC_DMA_READ) % HUB_DMA_CHANNELS;
}

static const char *part_of(unsigned place)
{
    static const char *const names[HUB_DMA_CHANNELS + 1] = { "dma0", "dma1", "dma2", "dma3",
                                                             "local" };

    return place < HUB_PLACE_DMA ? "rx" : names[place - HUB_PLACE_DMA];
}

void hub_wait_register(struct hub *hub)
{
    for (unsigned place = 0; place < HUB_PLACES; place++) {
        bool port = place < HUB_MAX_PORTS;

        if (port && place >= hub->nports)
            continue;
        for (unsigned i = 0; i < SIM_STALL_CAUSES; i++) {
            char name[64], meaning[160];
            const struct sim_stat_row row = { &hub->stall_ps[place][i], name, "ps", meaning };

            if (i == SIM_STALL_TAG && (port || place == HUB_PLACE_LOCAL))
                continue;
            (void)snprintf(name, sizeof(name), "%s%s%s.stall_%s_ps",
                           port ? hub_port_names[place] : "", port ? "." : "", part_of(place),
                           causes[i].name);
            (void)snprintf(meaning, sizeof(meaning), "%s %s",
                           i == SIM_STALL_TAG ? "the channel" : "the first packet of a queue",
                           causes[i].meaning);
            sim_stats_register(hub->dom, hub->path, &row, 1);
        }
    }
}

static void add_stall(struct hub *hub, unsigned place, enum sim_stall_cause cause, sim_time_t from,
                      sim_time_t to)
{
    if (from == to)
        return;
    hub->stall_ps[place][cause] += to - from;
    if (hub->probe != NULL)
        sim_probe_stall(hub->probe,
                        place < HUB_MAX_PORTS ? pcie_port_path(hub->ports[place].edge.pcie)
                                              : hub->path,
                        part_of(place), cause, from, to);
}

/** The port's own waits since then, and what is left; in which order they came is not known. */
static void add_room(struct hub *hub, uint32_t source, uint32_t out)
{
    const struct hub_wait *w = &hub->wait[source];
    struct pcie_stalls now = pcie_port_stalls(hub->ports[out].edge.pcie);
    sim_time_t replay = sim_now(hub->dom) - (now.replay_ps - w->before.replay_ps);
    sim_time_t credit = replay - (now.credit_ps - w->before.credit_ps);
    sim_time_t down = credit - (now.down_ps - w->before.down_ps);
    unsigned place = place_of(source);

    add_stall(hub, place, SIM_STALL_LINK, w->since, down);
    add_stall(hub, place, SIM_STALL_DOWN, down, credit);
    add_stall(hub, place, SIM_STALL_CREDIT, credit, replay);
    add_stall(hub, place, SIM_STALL_REPLAY, replay, sim_now(hub->dom));
}

/** What the head was found waiting for has come to its end, now. */
static void close_wait(struct hub *hub, uint32_t source, uint32_t out)
{
    static const enum sim_stall_cause cause_of[] = { [HUB_WAITS_ORDER] = SIM_STALL_ORDER,
                                                     [HUB_WAITS_CREDIT] = SIM_STALL_CREDIT,
                                                     [HUB_WAITS_SELF] = SIM_STALL_MEMORY };

    if (hub->fifo[source].waits == HUB_WAITS_ROOM)
        add_room(hub, source, out);
    else
        add_stall(hub, place_of(source), cause_of[hub->fifo[source].waits], hub->wait[source].since,
                  sim_now(hub->dom));
}

static void add_arbiter(struct hub *hub, uint32_t source, uint64_t at)
{
    add_stall(hub, place_of(source), SIM_STALL_ARBITER, sim_clock_time(&hub->clk, at),
              sim_now(hub->dom));
}

void hub_wait_found(struct hub *hub, uint32_t source, uint32_t out, uint64_t at,
                    enum hub_waits waits)
{
    struct hub_wait *w = &hub->wait[source];

    if (hub->fifo[source].waits == HUB_WAITS_NOT)
        add_arbiter(hub, source, at);
    else
        close_wait(hub, source, out);
    hub->fifo[source].waits = (uint8_t)waits;
    w->since = sim_now(hub->dom);
    if (waits == HUB_WAITS_ROOM)
        w->before = pcie_port_stalls(hub->ports[out].edge.pcie);
}

void hub_wait_over(struct hub *hub, uint32_t source, uint32_t out, uint64_t at)
{
    const struct hub_fifo *f = &hub->fifo[source];
    const struct hub_entry *e = fifo_head(f);

    if (e->in_ddr && e->edge > f->free_edge)
        add_stall(hub, place_of(source), SIM_STALL_MEMORY, sim_clock_time(&hub->clk, f->free_edge),
                  sim_clock_time(&hub->clk, e->edge));
    if (hub->fifo[source].waits == HUB_WAITS_NOT) {
        add_arbiter(hub, source, at);
        return;
    }
    close_wait(hub, source, out);
    hub->fifo[source].waits = HUB_WAITS_NOT;
}

void hub_wait_tag(struct hub *hub, uint32_t channel, uint64_t from)
{
    add_stall(hub, HUB_PLACE_DMA + channel, SIM_STALL_TAG, sim_clock_time(&hub->clk, from),
              sim_now(hub->dom));
}
