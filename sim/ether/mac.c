/*
 * Access to the medium (802.3 clause 4). In half duplex a station defers to a
 * carrier, leaves a gap, notices a carrier during its own transmission as a
 * collision, jams, and tries again after a random number of slot times.
 */
#include "ether/mac.h"

#include <string.h>

/* ---- frames and cables ---------------------------------------------------------- */

void ether_address(unsigned node, uint8_t address[ETHER_ADDRESS_BYTES])
{
    const uint8_t own[ETHER_ADDRESS_BYTES] = {
        0x02, 0, 0, 0, (uint8_t)(node >> 8), (uint8_t)node /* 02: administered locally */
    };

    memcpy(address, own, sizeof(own));
}

void ether_frame_receive(struct ether_frame *frame, const struct ether_signal *s)
{
    frame->bytes = s->bytes;
    frame->data_bytes = s->data_bytes;
    memcpy(frame->data, s->data, s->data_bytes);
}

static void send_signal(struct ether_end *end, const struct ether_signal *what, const uint8_t *data,
                        sim_time_t depart)
{
    struct ether_signal *s;

    if (end->out == NULL) /* no cable */
        return;
    s = sim_channel_reserve(end->out, (uint32_t)sizeof(*s) + what->data_bytes);
    *s = *what;
    memcpy(s->data, data, what->data_bytes);
    sim_channel_send(end->out, depart);
}

void ether_signal_on(struct ether_end *end, const struct ether_frame *frame, sim_time_t depart)
{
    static const struct ether_frame noise;
    const struct ether_frame *f = frame != NULL ? frame : &noise;

    send_signal(end, &(struct ether_signal){ 1, 0, f->bytes, f->data_bytes }, f->data, depart);
}

void ether_signal_off(struct ether_end *end, bool whole, sim_time_t depart)
{
    static const uint8_t nothing;

    send_signal(end, &(struct ether_signal){ 0, whole, 0, 0 }, &nothing, depart);
}

static void deliver_signal(void *arg, const void *record, uint32_t bytes)
{
    struct ether_end *end = arg;

    (void)bytes;
    end->arrive(end, record);
}

static int open_channel(struct ether_end *from, struct ether_end *to, sim_time_t wire_ps,
                        struct sim_error *err)
{
    const struct sim_channel_config cfg = { .from = from->dom,
                                            .to = to->dom,
                                            .latency_ps = from->phy_ps + wire_ps + to->phy_ps,
                                            .deliver = deliver_signal,
                                            .arg = to };

    from->out = sim_channel_create(&cfg, err);
    return from->out != NULL ? SIM_OK : SIM_ERR_CONFIG;
}

int ether_join(void *a, void *b, sim_time_t wire_ps, struct sim_error *err)
{
    struct ether_end *p = a, *q = b;
    int code;

    if (p->bit_ps != q->bit_ps)
        return sim_error_set(err, SIM_ERR_CONFIG, "rate_mbps = %llu: %s: expected that of %s, %llu",
                             (unsigned long long)(SIM_US / p->bit_ps), p->path, q->path,
                             (unsigned long long)(SIM_US / q->bit_ps));
    if (p->half_duplex != q->half_duplex)
        return sim_error_set(err, SIM_ERR_CONFIG, "duplex = %s: %s: expected that of %s, %s",
                             p->half_duplex ? "half" : "full", p->path, q->path,
                             q->half_duplex ? "half" : "full");
    code = open_channel(p, q, wire_ps, err);
    return code != SIM_OK ? code : open_channel(q, p, wire_ps, err);
}

/* ---- sending ---------------------------------------------------------------------- */

static sim_time_t bit_time(const struct ether_mac *mac, uint64_t n)
{
    return n * mac->end.bit_ps;
}

static void set_timer(struct ether_mac *mac, sim_time_t time)
{
    sim_schedule_at(mac->end.dom, &mac->timer, time, SIM_CLOCK);
}

/** When the frame may be sent, if no carrier comes. */
static sim_time_t earliest_start(const struct ether_mac *mac)
{
    sim_time_t t = mac->idle_since + bit_time(mac, ETHER_GAP_BITS);

    if (mac->idle_since == 0) /* nothing has been on the cable so far */
        t = 0;
    return sim_max(sim_max(t, mac->backoff_until), sim_now(mac->end.dom));
}

/** Waits for its time, or for the end of the carrier. */
static void wait_turn(struct ether_mac *mac)
{
    mac->state = ETHER_MAC_WAITS;
    if (mac->end.half_duplex && mac->carrier) {
        mac->stat.deferrals++;
        return;
    }
    set_timer(mac, earliest_start(mac));
}

void ether_mac_kick(struct ether_mac *mac)
{
    if (mac->state != ETHER_MAC_IDLE)
        return;
    mac->frame = mac->ops->next(mac);
    if (mac->frame == NULL)
        return;
    mac->attempts = 0;
    wait_turn(mac);
}

/** The jam goes out after the preamble, and so does all of that (4.2.4.1). */
static void collide(struct ether_mac *mac)
{
    sim_time_t now = sim_now(mac->end.dom);
    sim_time_t preamble = mac->began + bit_time(mac, 8u * ETHER_PREAMBLE_BYTES);

    mac->stat.collisions++;
    if (now - mac->began > bit_time(mac, ETHER_SLOT_BITS))
        mac->stat.late_collisions++;
    mac->state = ETHER_MAC_JAMS;
    sim_cancel(mac->end.dom, &mac->timer);
    set_timer(mac, sim_max(now, preamble) + bit_time(mac, ETHER_JAM_BITS));
}

static void begin_frame(struct ether_mac *mac)
{
    sim_time_t now = sim_now(mac->end.dom);

    mac->state = ETHER_MAC_SENDS;
    mac->began = now;
    ether_signal_on(&mac->end, mac->frame, now);
    if (mac->end.half_duplex && mac->carrier) {
        collide(mac);
        return;
    }
    set_timer(mac, now + bit_time(mac, 8ull * (ETHER_PREAMBLE_BYTES + mac->frame->bytes)));
}

static void release_frame(struct ether_mac *mac, bool good)
{
    struct ether_frame *frame = mac->frame;

    mac->frame = NULL;
    mac->state = ETHER_MAC_IDLE;
    mac->backoff_until = 0;
    mac->ops->sent(mac, frame, good);
    ether_mac_kick(mac);
}

static void end_of_frame(struct ether_mac *mac)
{
    sim_time_t now = sim_now(mac->end.dom);

    ether_signal_off(&mac->end, true, now);
    mac->idle_since = now;
    mac->stat.tx_frames++;
    mac->stat.tx_bytes += mac->frame->bytes;
    release_frame(mac, true);
}

/** Truncated binary exponential backoff (4.2.3.2.5). */
static void end_of_jam(struct ether_mac *mac)
{
    sim_time_t now = sim_now(mac->end.dom);
    uint64_t slots;

    ether_signal_off(&mac->end, false, now);
    mac->idle_since = now;
    if (++mac->attempts == ETHER_ATTEMPTS) {
        mac->stat.excess_collisions++;
        mac->attempts = 1;
        if (mac->gives_up) {
            release_frame(mac, false);
            return;
        }
    }
    slots = UINT64_C(1) << sim_min(mac->attempts, ETHER_BACKOFF_LIMIT);
    mac->backoff_until =
        now + sim_stream_below(&mac->random, slots) * bit_time(mac, ETHER_SLOT_BITS);
    wait_turn(mac);
}

static void timer_event(struct sim_event *ev)
{
    struct ether_mac *mac = SIM_CONTAINER_OF(ev, struct ether_mac, timer);

    switch (mac->state) {
    case ETHER_MAC_IDLE:
        break;
    case ETHER_MAC_WAITS:
        begin_frame(mac);
        break;
    case ETHER_MAC_SENDS:
        end_of_frame(mac);
        break;
    case ETHER_MAC_JAMS:
        end_of_jam(mac);
        break;
    }
}

/* ---- the far side's carrier --------------------------------------------------------- */

/** In the last third of the gap a station no longer listens, so that none can be kept from ever
 * sending (4.2.3.2.2). */
static bool too_late_to_defer(const struct ether_mac *mac)
{
    sim_time_t gap = bit_time(mac, ETHER_GAP_BITS), now = sim_now(mac->end.dom);

    return mac->idle_since != 0 && mac->timer.time == mac->idle_since + gap &&
           now >= mac->timer.time - gap / 3;
}

static void carrier_on(struct ether_mac *mac)
{
    mac->carrier = true;
    if (!mac->end.half_duplex)
        return;
    if (mac->state == ETHER_MAC_SENDS) {
        collide(mac);
    } else if (mac->state == ETHER_MAC_WAITS && !too_late_to_defer(mac)) {
        sim_cancel(mac->end.dom, &mac->timer);
        mac->stat.deferrals++;
    }
}

static void carrier_off(struct ether_mac *mac)
{
    mac->carrier = false;
    if (!mac->end.half_duplex)
        return;
    mac->idle_since = sim_now(mac->end.dom);
    if (mac->state == ETHER_MAC_WAITS) {
        sim_cancel(mac->end.dom, &mac->timer);
        set_timer(mac, earliest_start(mac));
    }
}

static void mac_arrive(struct ether_end *end, const struct ether_signal *s)
{
    struct ether_mac *mac = SIM_CONTAINER_OF(end, struct ether_mac, end);

    if (s->on != 0) {
        bool clear =
            !end->half_duplex || (mac->state != ETHER_MAC_SENDS && mac->state != ETHER_MAC_JAMS);

        carrier_on(mac);
        mac->receives = clear && s->bytes != 0;
        if (mac->receives)
            mac->ops->begins(mac, s);
        return;
    }
    carrier_off(mac);
    if (!mac->receives)
        return;
    mac->receives = false;
    mac->stat.rx_bad += s->whole == 0;
    mac->ops->ends(mac, s->whole != 0);
}

/* ---- creation ------------------------------------------------------------------------- */

const char *const ether_port_names[ETHER_PORTS + 1] = { "p0",  "p1",  "p2",  "p3",  "p4",  "p5",
                                                        "p6",  "p7",  "p8",  "p9",  "p10", "p11",
                                                        "p12", "p13", "p14", "p15", NULL };

int ether_check_rate(uint64_t mbps, struct sim_error *err)
{
    if (SIM_US % mbps == 0)
        return SIM_OK;
    return sim_error_value(err, SIM_ERR_CONFIG, "", "rate_mbps", mbps,
                           "expected a divisor of 1000000, so that a bit takes whole picoseconds");
}

void ether_mac_init(struct ether_mac *mac, struct sim_domain *dom, const char *path, uint64_t mbps,
                    bool half_duplex, sim_time_t phy_ps, const struct ether_mac_ops *ops)
{
    struct ether_mac_stats *stat = &mac->stat;
    const struct sim_stat_row rows[] = {
        { &stat->tx_frames, "tx.frames", "frames", "sent to their end" },
        { &stat->tx_bytes, "tx.bytes", "bytes", "of them, header to check sequence" },
        { &stat->rx_frames, "rx.frames", "frames", "received that are for it" },
        { &stat->rx_bytes, "rx.bytes", "bytes", "of them, header to check sequence" },
        { &stat->rx_bad, "rx.bad", "frames", "that broke off" },
        { &stat->collisions, "tx.collisions", "1", "transmissions that met another" },
        { &stat->late_collisions, "tx.late_collisions", "1", "of these, later than a slot time" },
        { &stat->deferrals, "tx.deferrals", "1", "times that a frame waited for a carrier" },
        { &stat->excess_collisions, "tx.excess_collisions", "frames", "that met 16 collisions" },
    };

    mac->end = (struct ether_end){ .dom = dom,
                                   .path = path,
                                   .bit_ps = SIM_US / mbps,
                                   .phy_ps = phy_ps,
                                   .half_duplex = half_duplex,
                                   .arrive = mac_arrive };
    mac->ops = ops;
    sim_event_init(&mac->timer, timer_event);
    sim_stream_init(&mac->random, sim_seed(dom), path);
    sim_stats_register(dom, path, rows, SIM_COUNT(rows));
}
