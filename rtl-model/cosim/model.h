/*
 * One cycle of the hub's core in SystemVerilog: what a library that Verilator made and
 * its user exchange. Signals are those of docs/hub-spec.md; one bit is a bool, and classes are
 * those of enum pcie_class.
 */
#ifndef COSIM_MODEL_H
#define COSIM_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { MODEL_PORTS = 12, MODEL_CLASSES = 4, MODEL_PAIRS = 8, MODEL_BUS = 128 };
enum { MODEL_DDR_PACKETS = 16384 };            /* that a core keeps the order of, for each port */
enum { MODEL_SINK, MODEL_SELF, MODEL_INSIDE }; /* outputs behind those of ports */

/** What changes seldom, of one port. */
struct model_port_state {
    uint8_t tx_ready, tx_empty; /* bit of each class */
    uint8_t tx_limit_h[MODEL_CLASSES], tx_first_h[MODEL_CLASSES];
    uint16_t tx_limit_d[MODEL_CLASSES], tx_first_d[MODEL_CLASSES];
    uint8_t cfg_mps;
    uint16_t cfg_id;
    bool cfg_master, link_up, vc1;
    bool cfg_memory;    /* at a root port: the management processor has enabled the far side */
    uint32_t errors[2]; /* AER: uncorrectable, correctable */
};

/** What a port's hard block shows before an edge. */
struct model_port_in {
    bool rx_valid, rx_sop, rx_hit; /* one cycle behind the edge of the beat */
    uint8_t rx_class;
    uint8_t rx_data[MODEL_BUS];
    struct model_port_state state;
};

/** What changes seldom, of the host's port, and the straps. States are compared byte by byte, so
 * they are cleared before they are filled. */
struct model_state {
    uint8_t cfg_mrrs;
    uint64_t cfg_bar;
    bool cfg_msi;
    uint64_t cfg_msi_address;
    uint32_t cfg_msi_data;
    uint8_t window_log2, part_log2;
    uint16_t slot, subcluster, date_line;
    uint32_t ddr_places[MODEL_PORTS];
    uint64_t lower[MODEL_PORTS * MODEL_PAIRS], upper[MODEL_PORTS * MODEL_PAIRS];
};

struct model_in {
    uint64_t cycle; /* number of the edge */
    struct model_port_in port[MODEL_PORTS];
    struct model_state state;
    /* the management processor's request */
    bool request;
    uint8_t request_port;
    uint8_t request_header[16], request_data[4];
};

/** An error for the registers of a port. */
struct model_error {
    bool valid, advisory;
    uint8_t port, kind; /* kind: enum pcie_error */
    uint8_t header[16];
};

struct model_stream {
    bool valid, sop;
    uint8_t source; /* where the packet came from; see hub_forward */
    uint8_t data[MODEL_BUS];
};

/*
 * What happens inside at an edge, for observers and statistics, in the order in which it acts.
 * `where` is a channel if nothing else is said.
 */
enum model_event_kind {
    MODEL_ROUTED,     /* of port `where` and class `count`, at the edge before: to output `value` */
    MODEL_TAKEN,      /* by DDR3, a packet of port `where` */
    MODEL_ANSWERS,    /* SELF, to port `where`; value: a read, and above it where its bytes begin;
                         count: bytes; due */
    MODEL_FETCHED,    /* a descriptor: this one and the next three are of the next edge */
    MODEL_READ,       /* data of tag `value` */
    MODEL_LATE,       /* error `value` ends the list */
    MODEL_COMPLETION, /* that all this is of */
    MODEL_FILLED,     /* the write register, for output `count`; value: a status word, the last
                         data of tag value >> 8; address, and bytes as header */
    MODEL_ISSUED,     /* a request for `count` bytes; value: of internal RAM, the last one */
    MODEL_FETCHES,    /* a descriptor; value: of internal RAM; address */
    MODEL_BEGUN,      /* a descriptor; value: status, pipeline, internal, of the registers */
    MODEL_CUT,        /* the list ends; value: the error, 0: aborted */
    MODEL_DROPPED,    /* the oldest request */
    MODEL_ENDED,      /* the list; value: interrupts */
    MODEL_NOTIFIED,   /* the ring has one more */
    MODEL_LOST,       /* a notification */
    MODEL_APPENDED,   /* the same, as a packet for the host; due */
    MODEL_STARTED,    /* a list; value: it is a chain */
    MODEL_RAISED,     /* bits of HUB_IRQ_STATUS, but for those of channels */
    MODEL_REFUSED,    /* value: what HUB_UR_COUNT counts */
    MODEL_INTERRUPTS, /* the host; due */
    MODEL_REQUESTS,   /* the management processor, by port `where`; due */
    MODEL_WAITS,      /* value: for answers */
    MODEL_EVENT_KINDS
};
enum { MODEL_EVENTS = 96 }; /* at one edge, at most */

struct model_event {
    uint32_t kind, where, value, count;
    uint64_t at; /* an edge (due) or an address */
    uint8_t header[16];
};

/** What the core shows behind an edge. */
struct model_out {
    struct model_stream tx[MODEL_PORTS + MODEL_INSIDE]; /* ports, SINK, SELF */
    uint64_t rx_free; /* bit of port * MODEL_CLASSES + class: a packet has left its queue, */
    uint16_t rx_free_units[MODEL_PORTS * MODEL_CLASSES]; /* and so much data */
    uint32_t ddr_free;        /* bit of each port: a packet has left it for DDR3, */
    uint16_t ddr_free_units;  /* with so much data */
    struct model_error error; /* SELF refused a packet */
    /* completions of N, by what is in the header */
    bool unexpected, poisoned, aborted, timeout; /* aborted: an error status; timeout: no header */
    uint8_t sink_header[16];
    uint32_t error_write; /* bit of 2 * port + half: AER registers are written */
    uint32_t error_data[MODEL_PORTS * 2];
    bool request_taken; /* before the edge */
    uint32_t nevents;
    struct model_event event[MODEL_EVENTS];
    bool quiet; /* nothing changes at further edges but by its inputs */
};

struct model;

/** All calls of a library. A set of parameters is fixed when it is made. */
struct model_ops {
    const char *parameters; /* "Ports=4 BusBytes=16 ..." */
    /** In reset, then in the state before edge 0. `trace`: an FST file, or NULL. @return NULL: it
     * cannot be written */
    struct model *(*create)(uint64_t seed, const char *trace);
    void (*edge)(struct model *model, const struct model_in *in, struct model_out *out);
    void (*destroy)(struct model *model);
};
#define MODEL_SYMBOL "hub_model"

#ifdef __cplusplus
}
#endif

#endif
