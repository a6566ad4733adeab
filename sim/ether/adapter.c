/*
 * An adapter: rings of frames in the host's memory, which it reads and writes
 * over the expansion bus in bursts, a small buffer each way, and an interrupt.
 * A frame goes out when its first bytes are here, and its bytes go to memory
 * while it still arrives.
 */
#include "ether/bus.h"
#include "ether/mac.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DESCRIPTOR_BYTES 16u

struct adapter_config {
    uint64_t rate_mbps, duplex, phy_ps, gives_up;
    struct {
        uint64_t slots, fifo_bytes, threshold_bytes, doorbell_ps;
    } tx;
    struct {
        uint64_t slots, loss_ppm;
    } rx;
    uint64_t irq_ps;
    struct ether_bus_config bus;
};

struct rx_slot {
    struct ether_frame frame;
    sim_time_t began;
    uint32_t total, moved; /* bytes for memory: without check sequence, with padding */
    uint32_t turn;         /* counts the uses of the slot */
    bool ended;
};

struct ether_adapter {
    struct ether_mac mac;
    struct adapter_config cfg;
    const char *path;
    uint64_t where; /* for the fingerprint */
    uint8_t address[ETHER_ADDRESS_BYTES];
    struct ether_bus bus;
    struct adapter_tx {
        struct ether_bus_master master;
        struct ether_frame *slots;
        uint64_t posted, known, fetched, taken, sent; /* frames so far; slot = count mod slots */
        uint64_t fifo_bytes; /* of frames that are here, or being fetched */
        uint32_t at;         /* bytes of frame `fetched` that are here */
        bool described;      /* its descriptor is here */
        struct sim_event doorbell;
    } tx;
    struct adapter_rx {
        struct ether_bus_master master;
        struct rx_slot *slots;
        uint64_t in, moved, out; /* frames begun, in memory, released */
        uint32_t turn, asked;    /* asked: the slot's turn for which a burst is on its way */
        bool arriving, describes;
        struct sim_event timer; /* the bytes of the next burst have come */
        struct sim_stream loss;
        uint64_t missed, lost, others;
    } rx;
    uint64_t want_room; /* interrupt when so many slots are free; 0: no */
    bool listens;
    struct sim_event irq; /* SIM_CLOCK */
    ether_irq_fn irq_fn;
    void *irq_arg;
    uint64_t interrupts;
};

#define ROW(...) MACHINE_PARAM(struct adapter_config, __VA_ARGS__)
static const struct machine_param params[] = {
    ETHER_RATE_ROW(struct adapter_config),
    { "duplex", "choice", 0, 1, 0, offsetof(struct adapter_config, duplex),
      "both ways at once, or one at a time", "full|half" },
    ROW(phy_ps, "ps", 1000, SIM_MS, 30000, "through the transceiver, each way"),
    ETHER_GIVES_UP_ROW(struct adapter_config),
    ROW(tx.slots, "1", 1, 1024, 32, "frames that the transmit ring holds"),
    ROW(tx.fifo_bytes, "bytes", 1536, 65536, 4096,
        "buffer for frames that are to be sent; the next is fetched when it fits as a whole"),
    ROW(tx.threshold_bytes, "bytes", 1, 1518, 128,
        "a frame may go out when so much of it is here, or all"),
    ROW(tx.doorbell_ps, "ps", 1, SIM_MS, 200000,
        "the driver's store until the adapter asks for the descriptor"),
    ROW(rx.slots, "1", 1, 1024, 64, "frames that the receive ring holds"),
    ROW(rx.loss_ppm, "1", 0, 1000000, 0,
        "of a million whole frames, so many are lost at random on arrival"),
    ROW(irq_ps, "ps", 1, SIM_MS, 500000,
        "an interrupt of the adapter until its processor is interrupted"),
    ROW(bus.khz, "kHz", 1, 1000000, 25000, "clock of the expansion bus"),
    ROW(bus.width_bytes, "bytes", 1, 64, 4, "moved in a cycle"),
    ROW(bus.burst_bytes, "bytes", 16, 1024, 64, "longest burst of its DMA"),
    ROW(bus.overhead_cycles, "1", 0, 1000, 8,
        "cycles of a burst without data: arbitration, translation, memory"),
    MACHINE_PARAM_END
};

static const char *const port_names[] = { "cable", NULL };

/* ---- interrupts ----------------------------------------------------------------------- */

/* What happens on the cable or the bus at the time of an interrupt calls for another one: so the
 * interrupt comes a picosecond after all of its instant. */
static void raise_irq(struct ether_adapter *a)
{
    if (!sim_event_scheduled(&a->irq))
        sim_schedule_in(a->mac.end.dom, &a->irq, a->cfg.irq_ps + 1, SIM_CLOCK);
}

static void irq_event(struct sim_event *ev)
{
    struct ether_adapter *a = SIM_CONTAINER_OF(ev, struct ether_adapter, irq);

    a->listens = false;
    a->interrupts++;
    if (a->irq_fn != NULL)
        a->irq_fn(a->irq_arg);
}

void ether_adapter_set_irq(struct ether_adapter *a, ether_irq_fn fn, void *arg)
{
    a->irq_fn = fn;
    a->irq_arg = arg;
}

void ether_adapter_listen(struct ether_adapter *a)
{
    a->listens = true;
    if (a->rx.out < a->rx.moved)
        raise_irq(a);
}

void ether_adapter_want_room(struct ether_adapter *a, unsigned places)
{
    a->want_room = places;
    if (ether_adapter_room(a) >= places) {
        a->want_room = 0;
        raise_irq(a);
    }
}

/* ---- transmit ring --------------------------------------------------------------------- */

static struct ether_frame *tx_slot(struct ether_adapter *a, uint64_t count)
{
    return &a->tx.slots[count % a->cfg.tx.slots];
}

unsigned ether_adapter_room(const struct ether_adapter *a)
{
    return (unsigned)(a->cfg.tx.slots - (a->tx.posted - a->tx.sent));
}

bool ether_adapter_half_duplex(const struct ether_adapter *a)
{
    return a->mac.end.half_duplex;
}

bool ether_adapter_post(struct ether_adapter *a, const void *frame, uint32_t bytes)
{
    struct ether_frame *slot = tx_slot(a, a->tx.posted);

    SIM_ASSERT(bytes >= ETHER_HEADER_BYTES && bytes <= ETHER_ROOM);
    if (ether_adapter_room(a) == 0)
        return false;
    slot->data_bytes = bytes;
    slot->bytes = (uint32_t)sim_max(bytes + ETHER_FCS_BYTES, ETHER_MIN_BYTES);
    memcpy(slot->data, frame, bytes);
    a->tx.posted++;
    sim_schedule_by(a->mac.end.dom, &a->tx.doorbell,
                    sim_now(a->mac.end.dom) + a->cfg.tx.doorbell_ps, SIM_CLOCK);
    return true;
}

/** The next burst: of a descriptor, or of its frame when that fits into the buffer. */
static void tx_fetch(struct ether_adapter *a)
{
    struct adapter_tx *tx = &a->tx;
    const struct ether_frame *frame = tx_slot(a, tx->fetched);

    if (tx->master.asks != 0 || tx->fetched == tx->known)
        return;
    if (!tx->described) {
        if (tx->fifo_bytes != 0 && tx->fifo_bytes + frame->data_bytes > a->cfg.tx.fifo_bytes)
            return;
        tx->fifo_bytes += frame->data_bytes;
        ether_bus_ask(&a->bus, &tx->master, DESCRIPTOR_BYTES);
        return;
    }
    ether_bus_ask(&a->bus, &tx->master,
                  (uint32_t)sim_min(frame->data_bytes - tx->at, a->cfg.bus.burst_bytes));
}

static void doorbell_event(struct sim_event *ev)
{
    struct ether_adapter *a = SIM_CONTAINER_OF(ev, struct ether_adapter, tx.doorbell);

    a->tx.known = a->tx.posted;
    tx_fetch(a);
}

static void tx_done(struct ether_bus_master *master, uint32_t bytes)
{
    struct ether_adapter *a = SIM_CONTAINER_OF(master, struct ether_adapter, tx.master);
    struct adapter_tx *tx = &a->tx;

    if (!tx->described) {
        tx->described = true;
    } else {
        tx->at += bytes;
        if (tx->at == tx_slot(a, tx->fetched)->data_bytes) {
            tx->fetched++;
            tx->at = 0;
            tx->described = false;
        }
    }
    ether_mac_kick(&a->mac);
    tx_fetch(a);
}

static struct ether_frame *tx_next(struct ether_mac *mac)
{
    struct ether_adapter *a = SIM_CONTAINER_OF(mac, struct ether_adapter, mac);
    struct adapter_tx *tx = &a->tx;
    bool here = tx->taken < tx->fetched || (tx->taken < tx->known && tx->taken == tx->fetched &&
                                            tx->described && tx->at >= a->cfg.tx.threshold_bytes);

    return here ? tx_slot(a, tx->taken++) : NULL;
}

static void tx_sent(struct ether_mac *mac, struct ether_frame *frame, bool good)
{
    struct ether_adapter *a = SIM_CONTAINER_OF(mac, struct ether_adapter, mac);

    /* The bus is faster than the cable, or creation had failed: all of it has been here. */
    a->tx.sent++;
    a->tx.fifo_bytes -= frame->data_bytes;
    if (good && sim_fingerprint_on(mac->end.dom))
        sim_wire(mac->end.dom, a->where,
                 sim_hash_bytes(frame->bytes, frame->data, frame->data_bytes));
    if (a->want_room != 0 && ether_adapter_room(a) >= a->want_room) {
        a->want_room = 0;
        raise_irq(a);
    }
    tx_fetch(a);
}

/* ---- receive ring ------------------------------------------------------------------------ */

static struct rx_slot *rx_slot_of(struct ether_adapter *a, uint64_t count)
{
    return &a->rx.slots[count % a->cfg.rx.slots];
}

/** When `bytes` of a frame are here. */
static sim_time_t here_at(const struct ether_adapter *a, const struct rx_slot *slot, uint32_t bytes)
{
    return slot->began + 8ull * (ETHER_PREAMBLE_BYTES + bytes) * a->mac.end.bit_ps;
}

static void rx_step(struct ether_adapter *a)
{
    struct adapter_rx *rx = &a->rx;
    struct rx_slot *slot = rx_slot_of(a, rx->moved);
    uint32_t burst;
    sim_time_t t;

    if (rx->master.asks != 0 || rx->moved == rx->in)
        return;
    burst = (uint32_t)sim_min(slot->total - slot->moved, a->cfg.bus.burst_bytes);
    rx->describes = burst == 0;
    if (rx->describes) {
        if (!slot->ended)
            return;
        burst = DESCRIPTOR_BYTES;
    } else {
        t = here_at(a, slot, slot->moved + burst);
        if (t > sim_now(a->mac.end.dom)) {
            sim_schedule_by(a->mac.end.dom, &rx->timer, t, SIM_CLOCK);
            return;
        }
    }
    rx->asked = slot->turn;
    ether_bus_ask(&a->bus, &rx->master, burst);
}

static void rx_timer_event(struct sim_event *ev)
{
    rx_step(SIM_CONTAINER_OF(ev, struct ether_adapter, rx.timer));
}

static void rx_complete(struct ether_adapter *a, const struct rx_slot *slot)
{
    a->rx.moved++;
    a->mac.stat.rx_frames++;
    a->mac.stat.rx_bytes += slot->frame.bytes;
    if (sim_fingerprint_on(a->mac.end.dom))
        sim_wire(a->mac.end.dom, a->where + 1,
                 sim_hash_bytes(slot->frame.bytes, slot->frame.data, slot->frame.data_bytes));
    if (a->listens)
        raise_irq(a);
}

static void rx_done(struct ether_bus_master *master, uint32_t bytes)
{
    struct ether_adapter *a = SIM_CONTAINER_OF(master, struct ether_adapter, rx.master);
    struct adapter_rx *rx = &a->rx;
    struct rx_slot *slot = rx_slot_of(a, rx->moved);

    if (rx->moved < rx->in && slot->turn == rx->asked) { /* else it broke off meanwhile */
        if (rx->describes)
            rx_complete(a, slot);
        else
            slot->moved += bytes;
    }
    rx_step(a);
}

static bool for_us(const struct ether_adapter *a, const struct ether_signal *s)
{
    return s->data_bytes >= ETHER_HEADER_BYTES &&
           ((s->data[0] & 1) != 0 || memcmp(s->data, a->address, ETHER_ADDRESS_BYTES) == 0);
}

static void rx_begins(struct ether_mac *mac, const struct ether_signal *s)
{
    struct ether_adapter *a = SIM_CONTAINER_OF(mac, struct ether_adapter, mac);
    struct adapter_rx *rx = &a->rx;
    struct rx_slot *slot = rx_slot_of(a, rx->in);

    rx->arriving = false;
    if (!for_us(a, s)) {
        rx->others++;
        return;
    }
    if (rx->in - rx->out == a->cfg.rx.slots) {
        rx->missed++;
        return;
    }
    rx->arriving = true;
    ether_frame_receive(&slot->frame, s);
    slot->began = sim_now(mac->end.dom);
    slot->total = s->bytes - ETHER_FCS_BYTES;
    slot->moved = 0;
    slot->turn = ++rx->turn;
    slot->ended = false;
    rx->in++;
    sim_schedule_by(mac->end.dom, &rx->timer, slot->began, SIM_CLOCK);
}

static void rx_ends(struct ether_mac *mac, bool good)
{
    struct ether_adapter *a = SIM_CONTAINER_OF(mac, struct ether_adapter, mac);
    struct adapter_rx *rx = &a->rx;

    if (!rx->arriving)
        return;
    rx->arriving = false;
    if (good && a->cfg.rx.loss_ppm != 0 &&
        sim_stream_below(&rx->loss, 1000000) < a->cfg.rx.loss_ppm) {
        rx->lost++;
        good = false;
    }
    if (good)
        rx_slot_of(a, rx->in - 1)->ended = true;
    else
        rx->in--;
    sim_schedule_by(mac->end.dom, &rx->timer, sim_now(mac->end.dom), SIM_CLOCK);
}

const uint8_t *ether_adapter_frame(const struct ether_adapter *a, uint32_t *bytes_p)
{
    const struct rx_slot *slot = &a->rx.slots[a->rx.out % a->cfg.rx.slots];

    if (a->rx.out == a->rx.moved)
        return NULL;
    *bytes_p = slot->frame.data_bytes;
    return slot->frame.data;
}

void ether_adapter_release(struct ether_adapter *a)
{
    SIM_ASSERT(a->rx.out < a->rx.moved);
    a->rx.out++;
}

static const struct ether_mac_ops adapter_ops = { tx_next, tx_sent, rx_begins, rx_ends };

/* ---- the kind ------------------------------------------------------------------------------ */

static void adapter_init(struct ether_adapter *a, const struct machine_place *place)
{
    char path[160];
    const struct sim_stat_row rows[] = {
        { &a->rx.missed, "rx.missed", "frames", "for it, that found the receive ring full" },
        { &a->rx.lost, "rx.lost", "frames", "for it, lost at random" },
        { &a->rx.others, "rx.others", "frames", "that are not for it" },
        { &a->interrupts, "interrupts", "1", "of its host" },
    };

    a->path = place->path;
    a->where = sim_path_hash(a->path);
    ether_address(place->node, a->address);
    ether_mac_init(&a->mac, place->dom, a->path, a->cfg.rate_mbps, a->cfg.duplex != 0,
                   a->cfg.phy_ps, &adapter_ops);
    a->mac.gives_up = a->cfg.gives_up != 0;
    ether_bus_init(&a->bus, place->dom, a->path, &a->cfg.bus);
    a->tx.master.done = tx_done;
    a->rx.master.done = rx_done;
    a->bus.masters[0] = &a->rx.master;
    a->bus.masters[1] = &a->tx.master;
    sim_event_init(&a->tx.doorbell, doorbell_event);
    sim_event_init(&a->rx.timer, rx_timer_event);
    sim_event_init(&a->irq, irq_event);
    (void)snprintf(path, sizeof(path), "%s.rx.loss", a->path);
    sim_stream_init(&a->rx.loss, sim_seed(place->dom), path);
    sim_stats_register(place->dom, a->path, rows, SIM_COUNT(rows));
}

/* A frame that has begun must not run dry, and one that comes must find the bus in time. */
static int check_bus(const struct adapter_config *cfg, struct sim_error *err)
{
    uint64_t words = (cfg->bus.burst_bytes + cfg->bus.width_bytes - 1) / cfg->bus.width_bytes;
    uint64_t cycles = words + cfg->bus.overhead_cycles + 1;
    /* bytes/s of bursts, against twice the cable's */
    uint64_t rate = cfg->bus.khz * 1000 / cycles * cfg->bus.burst_bytes;

    if (rate >= 2 * cfg->rate_mbps * 125000)
        return SIM_OK;
    return sim_error_value(err, SIM_ERR_CONFIG, "", "bus.khz", cfg->bus.khz,
                           "its bursts move %llu bytes/us, expected twice the cable's, %llu",
                           (unsigned long long)(rate / 1000000),
                           (unsigned long long)(cfg->rate_mbps / 4));
}

static void adapter_destroy(void *component)
{
    struct ether_adapter *a = component;

    free(a->tx.slots);
    free(a->rx.slots);
    free(a);
}

static int adapter_create(const struct machine_place *place, const void *config, void **component_p,
                          struct sim_error *err)
{
    const struct adapter_config *cfg = config;
    struct ether_adapter *a;
    int code = ether_check_rate(cfg->rate_mbps, err);

    if (code == SIM_OK)
        code = check_bus(cfg, err);
    if (code != SIM_OK)
        return code;
    a = calloc(1, sizeof(*a));
    if (a != NULL) {
        a->cfg = *cfg;
        a->tx.slots = calloc(cfg->tx.slots, sizeof(*a->tx.slots));
        a->rx.slots = calloc(cfg->rx.slots, sizeof(*a->rx.slots));
    }
    if (a == NULL || a->tx.slots == NULL || a->rx.slots == NULL) {
        if (a != NULL)
            adapter_destroy(a);
        return sim_error_set(err, SIM_ERR_NOMEM, "%s: out of memory", place->path);
    }
    adapter_init(a, place);
    *component_p = a;
    return SIM_OK;
}

static struct machine_port adapter_port(void *component, unsigned index)
{
    struct ether_adapter *a = component;

    (void)index; /* it has one */
    return (struct machine_port){ "ethernet", &a->mac.end, ether_join };
}

const struct machine_kind ether_adapter_kind = {
    .name = "ether.adapter",
    .summary = "adapter for Ethernet on an expansion bus",
    .params = params,
    .config_bytes = sizeof(struct adapter_config),
    .ports = port_names,
    .create = adapter_create,
    .port = adapter_port,
    .destroy = adapter_destroy,
};
