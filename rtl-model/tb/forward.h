/*
 * One edge of hub_core, between the test and the library that Verilator's model is in: one
 * library for each set of parameters. Vectors are packed as the ports of the module are, 32 bits in
 * a word.
 */
#ifndef TB_FORWARD_H
#define TB_FORWARD_H

#include <cstdint>

constexpr unsigned kMaxPorts = 6, kMaxBus = 32, kPairs = 8, kOwn = 9, kChannels = 4;
constexpr unsigned kClasses = 4; /* at most; those of a library are the first ones */
constexpr unsigned kMaxOutputs = kMaxPorts + 2;

/** What a library was made with. */
struct ForwardParams {
    unsigned ports, bus_bytes, gap, receive, route, output, registers, bubble;
    unsigned classes; /* 3, or 4 with a virtual channel 1; a source is port * classes + class */
    unsigned headers[kClasses], units[kClasses];
    bool ddr; /* DDR3 is there; it stands in the library */
    unsigned ddr_tlps, chip_tlps, ddr_bytes, ddr_cycles;
    unsigned largest; /* units of 16 bytes that a place in it has */
    struct {          /* DMA channels */
        unsigned start, decode, fetch_internal, fetch_host, prefetch, read_tags, window_bytes;
        unsigned read_bytes, read_issue, completion, timeout, status_register, status_host,
            status_internal;
    } dma;
};

struct ForwardIn {
    uint32_t rx_valid, rx_sop, rx_class, rx_hit;
    uint32_t rx_data[kMaxPorts * kMaxBus / 4];
    uint32_t tx_ready, tx_empty;
    uint8_t tx_limit_h[kMaxPorts * kClasses], tx_first_h[kMaxPorts * kClasses];
    uint16_t tx_limit_d[kMaxPorts * kClasses], tx_first_d[kMaxPorts * kClasses];
    uint32_t mps, master, up, memory, msi;
    uint32_t vc1, date_line;
    uint32_t window_log2, part_log2, slot, subcluster;
    uint64_t lower[kMaxPorts * kPairs], upper[kMaxPorts * kPairs];
    uint32_t ddr_places[kMaxPorts];
    uint16_t id[kMaxPorts];
    uint32_t msi_data;
    uint64_t msi_addr, bar;
    uint32_t mrrs;
    /* What stands beside the core: the management processor, error registers. */
    uint32_t mgmt_valid, mgmt_out, mgmt_data;
    uint8_t mgmt_header[16];
    uint64_t cycle, aer[kMaxPorts]; /* no padding before them: states are compared as bytes */
};

struct ForwardOut {
    uint32_t mgmt_ready, aer_write, aer_data[2 * kMaxPorts]; /* at this edge */
    uint32_t rx_free;                                        /* from here on, behind this edge */
    uint16_t rx_free_units[kMaxPorts * kClasses];
    uint32_t ddr_free; /* on top of that, after a write to DDR3 */
    uint32_t ddr_free_units;
    uint32_t tx_valid, tx_sop;
    uint8_t tx_source[kMaxOutputs];
    uint32_t tx_data[kMaxOutputs * kMaxBus / 4];
    uint32_t err_valid, err_port, err_kind, err_advisory;
    uint8_t err_header[16];
    uint32_t dma_errors, quiet; /* bits of enum ForwardDmaError */
    uint8_t dma_header[16];
};

/* What channels find in completions of N, or miss. */
enum ForwardDmaError {
    kUnexpected = 1,
    kPoisoned = 2,
    kTimeout = 4,
    kMasterAbort = 8,
    kTargetAbort = 16,
};

/* Counters that the host reads, before edge 0. Hardware begins with zeroes: others make all of
 * their bits count. */
struct ForwardBegin {
    uint64_t ring_head, ring_tail, ring_lost, refused;
    uint64_t bytes[kChannels];
    uint32_t ended[kChannels];
};

struct Forward;
extern "C" {
ForwardParams forward_params(void);
/** After reset, in the state before edge 0. What reset does not reach follows from `seed`. `trace`:
 * an FST file, or NULL. */
Forward *forward_create(uint64_t seed, const char *trace);
/** The same, whatever it does. Internal RAM is cleared. */
void forward_reset(Forward *rtl, const ForwardBegin *begin);
void forward_edge(Forward *rtl, const ForwardIn *in, ForwardOut *out);
void forward_destroy(Forward *rtl);
}

#endif
