/*
 * A store-and-forward switch. A frame that has come in whole has its address looked
 * up, which takes time. Then it goes into the queue of the port by which its receiver
 * last sent, or of all ports when it has sent nothing yet.
 */
#include "ether/mac.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SWITCH_ENTRIES 64u /* in the address table */

struct switch_config {
    uint64_t rate_mbps, duplex, forward_ps, phy_ps, gives_up, queue_frames;
};

struct switch_port {
    struct ether_mac mac;
    struct ether_switch *sw;
    char path[96];
    struct ether_frame *arriving; /* NULL: none, or there was no buffer for it */
    struct sim_list in, out;      /* looked up; to be sent, */
    uint64_t queued;              /* so many */
    uint64_t queue_drops, buffer_drops, queue_peak;
};

struct ether_switch {
    struct sim_domain *dom;
    struct switch_config cfg;
    struct sim_list unused;
    struct ether_frame *buffers;
    struct switch_entry {
        uint8_t address[ETHER_ADDRESS_BYTES];
        unsigned port;
    } table[SWITCH_ENTRIES];
    unsigned nentries, oldest;
    struct sim_event forward; /* SIM_CLOCK */
    uint64_t floods;
    struct switch_port ports[ETHER_PORTS];
};

#define ROW(...) MACHINE_PARAM(struct switch_config, __VA_ARGS__)
static const struct machine_param params[] = {
    ETHER_RATE_ROW(struct switch_config),
    { "duplex", "choice", 0, 1, 0, offsetof(struct switch_config, duplex),
      "of all its ports: both ways at once, or one at a time", "full|half" },
    ROW(forward_ps, "ps", 0, SIM_MS, 5000000,
        "a frame that has come in whole until it is in the queue of its port"),
    ROW(phy_ps, "ps", 1000, SIM_MS, 30000, "through a transceiver, each way"),
    ETHER_GIVES_UP_ROW(struct switch_config),
    ROW(queue_frames, "1", 1, 4096, 64,
        "frames that may wait to leave by one port; others are dropped"),
    MACHINE_PARAM_END
};

/* ---- addresses ------------------------------------------------------------------------- */

static struct switch_entry *find_entry(struct ether_switch *sw, const uint8_t *address)
{
    for (unsigned i = 0; i < sw->nentries; i++)
        if (memcmp(sw->table[i].address, address, ETHER_ADDRESS_BYTES) == 0)
            return &sw->table[i];
    return NULL;
}

static void learn_address(struct ether_switch *sw, const uint8_t *address, unsigned port)
{
    struct switch_entry *entry = find_entry(sw, address);

    if (entry == NULL && sw->nentries < SWITCH_ENTRIES)
        entry = &sw->table[sw->nentries++];
    if (entry == NULL)
        entry = &sw->table[sw->oldest++ % SWITCH_ENTRIES];
    memcpy(entry->address, address, ETHER_ADDRESS_BYTES);
    entry->port = port;
}

/* ---- queues ------------------------------------------------------------------------------ */

static void queue_frame(struct switch_port *port, struct ether_frame *frame)
{
    if (port->mac.end.out == NULL || port->queued >= port->sw->cfg.queue_frames) {
        port->queue_drops += port->mac.end.out != NULL;
        sim_list_push(&port->sw->unused, &frame->link);
        return;
    }
    sim_list_push(&port->out, &frame->link);
    port->queue_peak = sim_max(port->queue_peak, ++port->queued);
    ether_mac_kick(&port->mac);
}

static void flood_frame(struct ether_switch *sw, unsigned from, struct ether_frame *frame)
{
    sw->floods++;
    for (unsigned i = 0; i < ETHER_PORTS; i++) {
        struct ether_frame *copy;

        if (i == from || sw->ports[i].mac.end.out == NULL)
            continue;
        copy = sim_list_pop(&sw->unused);
        if (copy == NULL) {
            sw->ports[i].queue_drops++;
            continue;
        }
        memcpy(copy, frame, offsetof(struct ether_frame, data) + frame->data_bytes);
        queue_frame(&sw->ports[i], copy);
    }
    sim_list_push(&sw->unused, &frame->link);
}

static void forward_frame(struct ether_switch *sw, unsigned from, struct ether_frame *frame)
{
    const struct switch_entry *entry;

    learn_address(sw, frame->data + ETHER_ADDRESS_BYTES, from);
    entry = (frame->data[0] & 1) != 0 ? NULL : find_entry(sw, frame->data); /* 1: to a group */
    if (entry == NULL)
        flood_frame(sw, from, frame);
    else if (entry->port == from) /* both are behind it */
        sim_list_push(&sw->unused, &frame->link);
    else
        queue_frame(&sw->ports[entry->port], frame);
}

/** Frames whose look-up has ended, in the order of ports. */
static void forward_event(struct sim_event *ev)
{
    struct ether_switch *sw = SIM_CONTAINER_OF(ev, struct ether_switch, forward);
    sim_time_t now = sim_now(sw->dom), next = SIM_TIME_NEVER;

    for (unsigned i = 0; i < ETHER_PORTS; i++) {
        struct sim_list *in = &sw->ports[i].in;
        const struct ether_frame *frame;

        while ((frame = in->head) != NULL && frame->due <= now)
            forward_frame(sw, i, sim_list_pop(in));
        if (frame != NULL)
            next = sim_min(next, frame->due);
    }
    if (next != SIM_TIME_NEVER)
        sim_schedule_by(sw->dom, &sw->forward, next, SIM_CLOCK);
}

/* ---- ports --------------------------------------------------------------------------------- */

static struct switch_port *port_of(struct ether_mac *mac)
{
    return SIM_CONTAINER_OF(mac, struct switch_port, mac);
}

static struct ether_frame *port_next(struct ether_mac *mac)
{
    struct switch_port *port = port_of(mac);
    struct ether_frame *frame = sim_list_pop(&port->out);

    port->queued -= frame != NULL;
    return frame;
}

static void port_sent(struct ether_mac *mac, struct ether_frame *frame, bool good)
{
    (void)good;
    sim_list_push(&port_of(mac)->sw->unused, &frame->link);
}

static void port_begins(struct ether_mac *mac, const struct ether_signal *s)
{
    struct switch_port *port = port_of(mac);

    if (port->arriving == NULL)
        port->arriving = sim_list_pop(&port->sw->unused);
    if (port->arriving == NULL) {
        port->buffer_drops++;
        return;
    }
    ether_frame_receive(port->arriving, s);
}

static void port_ends(struct ether_mac *mac, bool good)
{
    struct switch_port *port = port_of(mac);
    struct ether_switch *sw = port->sw;

    if (port->arriving == NULL || !good)
        return;
    mac->stat.rx_frames++;
    mac->stat.rx_bytes += port->arriving->bytes;
    port->arriving->due = sim_now(sw->dom) + sw->cfg.forward_ps;
    sim_schedule_by(sw->dom, &sw->forward, port->arriving->due, SIM_CLOCK);
    sim_list_push(&port->in, &port->arriving->link);
    port->arriving = NULL;
}

static const struct ether_mac_ops port_ops = { port_next, port_sent, port_begins, port_ends };

/* ---- the kind ------------------------------------------------------------------------------ */

static void port_init(struct ether_switch *sw, const char *path, unsigned i)
{
    struct switch_port *port = &sw->ports[i];
    const struct sim_stat_row rows[] = {
        { &port->queue_drops, "queue.drops", "frames", "dropped, since its queue was full" },
        { &port->buffer_drops, "buffer.drops", "frames", "dropped on arrival: no buffer was left" },
        { &port->queue_peak, "queue.peak", "frames", "the most that waited at once" },
    };

    port->sw = sw;
    (void)snprintf(port->path, sizeof(port->path), "%s.p%u", path, i);
    ether_mac_init(&port->mac, sw->dom, port->path, sw->cfg.rate_mbps, sw->cfg.duplex != 0,
                   sw->cfg.phy_ps, &port_ops);
    port->mac.gives_up = sw->cfg.gives_up != 0;
    sim_stats_register(sw->dom, port->path, rows, SIM_COUNT(rows));
}

static void switch_destroy(void *component)
{
    struct ether_switch *sw = component;

    free(sw->buffers);
    free(sw);
}

static int switch_create(const struct machine_place *place, const void *config, void **component_p,
                         struct sim_error *err)
{
    const struct switch_config *cfg = config;
    struct ether_switch *sw;
    uint64_t n;

    if (ether_check_rate(cfg->rate_mbps, err) != SIM_OK)
        return SIM_ERR_CONFIG;
    n = ETHER_PORTS * (cfg->queue_frames + 4); /* each queue full, and one on each way */
    sw = calloc(1, sizeof(*sw));
    if (sw != NULL)
        sw->buffers = calloc(n, sizeof(*sw->buffers));
    if (sw == NULL || sw->buffers == NULL) {
        free(sw);
        return sim_error_set(err, SIM_ERR_NOMEM, "%s: out of memory", place->path);
    }
    sw->dom = place->dom;
    sw->cfg = *cfg;
    for (uint64_t i = 0; i < n; i++)
        sim_list_push(&sw->unused, &sw->buffers[i].link);
    sim_event_init(&sw->forward, forward_event);
    for (unsigned i = 0; i < ETHER_PORTS; i++)
        port_init(sw, place->path, i);
    *component_p = sw;
    return SIM_OK;
}

static struct machine_port switch_port(void *component, unsigned index)
{
    struct ether_switch *sw = component;

    return (struct machine_port){ "ethernet", &sw->ports[index].mac.end, ether_join };
}

const struct machine_kind ether_switch_kind = {
    .name = "ether.switch",
    .summary = "store-and-forward switch of Ethernet",
    .params = params,
    .config_bytes = sizeof(struct switch_config),
    .ports = ether_port_names,
    .create = switch_create,
    .port = switch_port,
    .destroy = switch_destroy,
};
