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

/** What the core shows behind an edge. */
struct model_out {
    struct model_stream tx[MODEL_PORTS + MODEL_INSIDE]; /* ports, SINK, SELF */
    uint64_t rx_free; /* bit of port * MODEL_CLASSES + class: a packet has left its queue, */
    uint16_t rx_free_units[MODEL_PORTS * MODEL_CLASSES]; /* and so much data */
    uint32_t ddr_free;        /* bit of each port: a packet has left it for DDR3, */
    uint16_t ddr_free_units;  /* with so much data */
    uint32_t ddr_beats;       /* in the fullest part of DDR3, which stands in the library */
    struct model_error error; /* SELF refused a packet */
    /* completions of N, by what is in the header */
    bool unexpected, poisoned, aborted, timeout; /* aborted: an error status; timeout: no header */
    uint8_t sink_header[16];
    uint32_t error_write; /* bit of 2 * port + half: AER registers are written */
    uint32_t error_data[MODEL_PORTS * 2];
    bool request_taken; /* before the edge */
    bool quiet;         /* nothing changes at further edges but by its inputs */
};

struct model;

/** All calls of a library. A set of parameters is fixed when it is made. */
struct model_ops {
    const char *parameters; /* "Ports=4 BusBytes=16 ..." */
    /** In reset, then in the state before edge 0. `trace`: an FST file, or NULL. */
    struct model *(*create)(uint64_t seed, const char *trace);
    void (*edge)(struct model *model, const struct model_in *in, struct model_out *out);
    void (*destroy)(struct model *model);
};
#define MODEL_SYMBOL "hub_model"

#ifdef __cplusplus
}
#endif

#endif
