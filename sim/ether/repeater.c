/*
 * A repeater hub (802.3 clause 27): what comes in at one port goes out at all
 * others, a moment later; when two ports have a carrier at once, all get a jam
 * until the last carrier has ended.
 */
#include "ether/mac.h"

#include <stdio.h>
#include <stdlib.h>

#define REPEATER_JAM_BITS 96u /* at least (27.3.1.4.2) */

struct repeater_config {
    uint64_t rate_mbps, delay_ps, phy_ps;
};

struct repeater_port {
    struct ether_end end; /* first: what a machine port yields */
    struct repeater *hub;
    char path[96];
    bool in, began; /* a carrier comes in; since the last evaluation */
    bool ended, whole;
    bool out; /* a carrier goes out */
    struct ether_frame frame;
};

struct repeater {
    struct sim_domain *dom;
    const char *path;
    struct repeater_config cfg;
    bool jams;
    unsigned source; /* the port that is repeated; ETHER_PORTS: none */
    sim_time_t jam_until, last_out;
    struct sim_event evaluate; /* SIM_CLOCK */
    struct repeater_port ports[ETHER_PORTS];
    uint64_t frames, collisions;
};

#define ROW(...) MACHINE_PARAM(struct repeater_config, __VA_ARGS__)
static const struct machine_param params[] = {
    ETHER_RATE_ROW(struct repeater_config),
    ROW(delay_ps, "ps", 0, SIM_MS, 400000,
        "a bit at one port until it leaves by the others, between the transceivers"),
    ROW(phy_ps, "ps", 1000, SIM_MS, 30000, "through a transceiver, each way"), MACHINE_PARAM_END
};

/* ---- signals out --------------------------------------------------------------------- */

/** Signals leave in the order in which they were caused. */
static sim_time_t departure_time(struct repeater *hub, sim_time_t at)
{
    hub->last_out = sim_max(hub->last_out, at + hub->cfg.delay_ps);
    return hub->last_out;
}

/** `frame`, or (NULL) noise, by all ports but `source`. */
static void all_on(struct repeater *hub, const struct ether_frame *frame, unsigned source)
{
    sim_time_t depart = departure_time(hub, sim_now(hub->dom));

    for (unsigned i = 0; i < ETHER_PORTS; i++) {
        struct repeater_port *port = &hub->ports[i];

        if (i == source || port->out)
            continue;
        port->out = true;
        ether_signal_on(&port->end, frame, depart);
    }
}

static void all_off(struct repeater *hub, bool whole, sim_time_t at)
{
    sim_time_t depart = departure_time(hub, at);

    hub->source = ETHER_PORTS;
    for (unsigned i = 0; i < ETHER_PORTS; i++) {
        struct repeater_port *port = &hub->ports[i];

        if (port->out)
            ether_signal_off(&port->end, whole, depart);
        port->out = false;
    }
}

/* ---- what goes on -------------------------------------------------------------------- */

static unsigned count_carriers(const struct repeater *hub, unsigned *first_p)
{
    unsigned n = 0;

    for (unsigned i = ETHER_PORTS; i-- > 0;) {
        if (hub->ports[i].in) {
            *first_p = i;
            n++;
        }
    }
    return n;
}

static void begin_jam(struct repeater *hub)
{
    hub->jams = true;
    hub->collisions++;
    hub->jam_until = sim_now(hub->dom) + REPEATER_JAM_BITS * hub->ports[0].end.bit_ps;
    all_on(hub, NULL, ETHER_PORTS);
}

static void end_jam(struct repeater *hub)
{
    hub->jams = false;
    all_off(hub, false, sim_max(sim_now(hub->dom), hub->jam_until));
}

static void begin_repeat(struct repeater *hub, unsigned source)
{
    hub->source = source;
    hub->frames++;
    all_on(hub, &hub->ports[source].frame, source);
}

/** All that arrives at one time has arrived. */
static void evaluate_event(struct sim_event *ev)
{
    struct repeater *hub = SIM_CONTAINER_OF(ev, struct repeater, evaluate);
    unsigned first = ETHER_PORTS, n;

    if (!hub->jams && hub->source != ETHER_PORTS && hub->ports[hub->source].ended)
        all_off(hub, hub->ports[hub->source].whole, sim_now(hub->dom));
    for (unsigned i = 0; i < ETHER_PORTS; i++)
        hub->ports[i].ended = false;
    n = count_carriers(hub, &first);
    if (hub->jams) {
        if (n == 0)
            end_jam(hub);
        return;
    }
    if (n > 1)
        begin_jam(hub);
    else if (n == 1 && hub->source == ETHER_PORTS)
        begin_repeat(hub, first);
}

static void port_arrive(struct ether_end *end, const struct ether_signal *s)
{
    struct repeater_port *port = SIM_CONTAINER_OF(end, struct repeater_port, end);

    port->in = s->on != 0;
    if (s->on != 0) {
        ether_frame_receive(&port->frame, s);
    } else {
        port->ended = true;
        port->whole = s->whole != 0;
    }
    sim_schedule_by(end->dom, &port->hub->evaluate, sim_now(end->dom), SIM_CLOCK);
}

/* ---- the kind ------------------------------------------------------------------------ */

static void port_init(struct repeater *hub, unsigned i)
{
    struct repeater_port *port = &hub->ports[i];

    (void)snprintf(port->path, sizeof(port->path), "%s.p%u", hub->path, i);
    port->hub = hub;
    port->end = (struct ether_end){ .dom = hub->dom,
                                    .path = port->path,
                                    .bit_ps = SIM_US / hub->cfg.rate_mbps,
                                    .phy_ps = hub->cfg.phy_ps,
                                    .half_duplex = true,
                                    .arrive = port_arrive };
}

static void register_stats(struct repeater *hub)
{
    const struct sim_stat_row rows[] = {
        { &hub->frames, "frames", "frames", "whose repetition began" },
        { &hub->collisions, "collisions", "1", "carriers at two ports at once" },
    };

    sim_stats_register(hub->dom, hub->path, rows, SIM_COUNT(rows));
}

static int repeater_create(const struct machine_place *place, const void *config,
                           void **component_p, struct sim_error *err)
{
    const struct repeater_config *cfg = config;
    struct repeater *hub;

    if (ether_check_rate(cfg->rate_mbps, err) != SIM_OK)
        return SIM_ERR_CONFIG;
    hub = calloc(1, sizeof(*hub));
    if (hub == NULL)
        return sim_error_set(err, SIM_ERR_NOMEM, "%s: out of memory", place->path);
    hub->dom = place->dom;
    hub->path = place->path;
    hub->cfg = *cfg;
    hub->source = ETHER_PORTS;
    sim_event_init(&hub->evaluate, evaluate_event);
    for (unsigned i = 0; i < ETHER_PORTS; i++)
        port_init(hub, i);
    register_stats(hub);
    *component_p = hub;
    return SIM_OK;
}

static struct machine_port repeater_port(void *component, unsigned index)
{
    struct repeater *hub = component;

    return (struct machine_port){ "ethernet", &hub->ports[index].end, ether_join };
}

const struct machine_kind ether_repeater_kind = {
    .name = "ether.repeater",
    .summary = "repeater hub of Ethernet, half duplex",
    .params = params,
    .config_bytes = sizeof(struct repeater_config),
    .ports = ether_port_names,
    .create = repeater_create,
    .port = repeater_port,
    .destroy = free,
};
