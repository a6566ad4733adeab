/*
 * One end of an Ethernet cable, and the access to the medium behind it: an
 * adapter, a port of a switch (struct ether_mac) or of a repeater (the end alone).
 */
#ifndef ETHER_MAC_H
#define ETHER_MAC_H

#include "core/list.h"
#include "ether/ether.h"

SIM_BEGIN_DECLS

/** A frame in a buffer: header and data; the check sequence is counted, not kept. */
struct ether_frame {
    struct sim_link link;
    uint32_t bytes; /* on the wire, ETHER_MIN_BYTES .. ETHER_MAX_BYTES */
    uint32_t data_bytes;
    sim_time_t due; /* its owner's */
    uint8_t data[ETHER_ROOM];
};

/** What crosses a cable: a carrier begins or ends. */
struct ether_signal {
    uint32_t on;         /* 1: begins */
    uint32_t whole;      /* at its end: a frame has come as it was sent */
    uint32_t bytes;      /* at its beginning: of the frame on the wire; 0: noise */
    uint32_t data_bytes; /* that follow */
    uint8_t data[];
};

/** The frame that begins with `s`. */
void ether_frame_receive(struct ether_frame *frame, const struct ether_signal *s);

struct ether_end {
    struct sim_domain *dom;
    const char *path;
    sim_time_t bit_ps;
    sim_time_t phy_ps; /* through the transceiver, each way */
    bool half_duplex;
    struct sim_channel *out;
    /** Phase SIM_ARRIVE. */
    void (*arrive)(struct ether_end *end, const struct ether_signal *s);
};

/** Names of the ports of a repeater or a switch: "p0" to "p15", then NULL. */
#define ETHER_PORTS 16u
extern const char *const ether_port_names[ETHER_PORTS + 1];
/** A bit must take whole picoseconds. @return SIM_OK or SIM_ERR_CONFIG, with the reason. */
int ether_check_rate(uint64_t mbps, struct sim_error *err);

/** Joins two ends of one rate and duplex mode; see struct machine_port. */
int ether_join(void *a, void *b, sim_time_t wire_ps, struct sim_error *err);
/** `frame` NULL: noise. */
void ether_signal_on(struct ether_end *end, const struct ether_frame *frame, sim_time_t depart);
void ether_signal_off(struct ether_end *end, bool whole, sim_time_t depart);

struct ether_mac_stats {
    uint64_t tx_frames, tx_bytes, rx_frames, rx_bytes, rx_bad;
    uint64_t collisions, late_collisions, deferrals, excess_collisions;
};

struct ether_mac;
/** Its owner. Called in SIM_CLOCK but for begins() and ends(), which are in SIM_ARRIVE. */
struct ether_mac_ops {
    /** The next frame to send, which stays until sent(); NULL: none, ether_mac_kick() will come. */
    struct ether_frame *(*next)(struct ether_mac *mac);
    void (*sent)(struct ether_mac *mac, struct ether_frame *frame, bool good);
    /** A frame begins to arrive; its bytes are the caller's. */
    void (*begins)(struct ether_mac *mac, const struct ether_signal *s);
    void (*ends)(struct ether_mac *mac, bool good);
};

enum ether_mac_state { ETHER_MAC_IDLE, ETHER_MAC_WAITS, ETHER_MAC_SENDS, ETHER_MAC_JAMS };

struct ether_mac {
    struct ether_end end;
    const struct ether_mac_ops *ops;
    enum ether_mac_state state;
    struct ether_frame *frame; /* being sent, or the next */
    unsigned attempts;         /* of it that ended in a collision */
    bool gives_up;             /* after 16 of them; else it counts anew */
    bool carrier, receives;    /* the far side's; it is a frame that is received */
    sim_time_t idle_since;     /* the medium, from the end of the last carrier on */
    sim_time_t backoff_until;
    sim_time_t began;       /* the present transmission */
    struct sim_event timer; /* SIM_CLOCK */
    struct sim_stream random;
    struct ether_mac_stats stat;
};

void ether_mac_init(struct ether_mac *mac, struct sim_domain *dom, const char *path, uint64_t mbps,
                    bool half_duplex, sim_time_t phy_ps, const struct ether_mac_ops *ops);
/** There is a frame to send. SIM_CLOCK. */
void ether_mac_kick(struct ether_mac *mac);

#define ETHER_GIVES_UP_ROW(type)                                                                   \
    {                                                                                              \
        "gives_up", "choice", 0, 1, 1, offsetof(type, gives_up),                                   \
            "a frame that met 16 collisions is dropped, or its attempts are counted anew",         \
            "off|on"                                                                               \
    }
#define ETHER_RATE_ROW(type)                                                                       \
    {                                                                                              \
        "rate_mbps", "Mbit/s", 1, 10000, 100, offsetof(type, rate_mbps), "rate of its cables",     \
            NULL                                                                                   \
    }

SIM_END_DECLS
#endif /* ETHER_MAC_H */
