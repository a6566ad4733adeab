/*
 * One edge of hub_dma, between the test and the library that Verilator's model is in. Vectors are
 * packed as the ports of the module are, 32 bits in a word.
 */
#ifndef TB_DMA_H
#define TB_DMA_H

#include <cstdint>

constexpr unsigned kDmaPorts = 6, kDmaPairs = 8, kDmaBus = 32, kDmaSources = 8;

/** What a library was made with. */
struct DmaParams {
    unsigned ports, bus_bytes, gap, output;
    unsigned start, decode, fetch_internal, fetch_host, prefetch, read_tags, read_bytes;
    unsigned read_issue, completion, timeout, status_register, status_host, status_internal;
};

/** What changes seldom. */
struct DmaState {
    uint64_t bar_base, area_base[3], lower[kDmaPorts * kDmaPairs], upper[kDmaPorts * kDmaPairs];
    uint32_t window_log2, part_log2, slot, memory, id, mrrs, mps;
    uint32_t pad; /* states are compared as bytes */
};

struct DmaIn {
    uint64_t cycle;
    const DmaState *state;
    bool state_is_new;
    bool write_valid;
    uint32_t write_addr, write_enable, write_data[kDmaBus / 4];
    uint32_t ram_data[kDmaBus / 4];
    bool sink_valid, sink_sop, sink_host;
    uint32_t sink_data[kDmaBus / 4];
    uint32_t own_grant, own_read;
    uint32_t read_addr; /* behind this edge */
};

struct DmaOut {
    /* before this edge */
    uint32_t own_valid, own_class, irq;
    uint8_t own_out[kDmaSources], own_header[kDmaSources][16];
    uint32_t own_data[kDmaSources * kDmaBus / 4];
    uint32_t ram_addr;
    /* behind it */
    bool unexpected, poisoned, timeout;
    uint64_t read_data;
};

struct Dma;
extern "C" {
DmaParams dma_params(void);
/** In reset, and then in the state before edge 0. `trace`: an FST file, or NULL. */
Dma *dma_create(const char *trace);
void dma_edge(Dma *rtl, const DmaIn *in, DmaOut *out);
void dma_destroy(Dma *rtl);
}

#endif
