/*
 * One hub in C whose DMA channels work for a host, and all that they see and do: what hub_dma is
 * given, and what it has to do.
 */
#ifndef TB_DMA_RECORD_H
#define TB_DMA_RECORD_H

#include "dma.h"

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

struct DmaTraffic {
    uint64_t seed = 1;
    uint64_t send_ps = 60000000; /* for so long the host acts */
    uint64_t pause_ps = 200000;  /* between its acts: 0 to this */
    unsigned wrong = 1;          /* of 100 answers */
    unsigned longest = 1500;     /* double words of one descriptor */
    uint64_t hold_ps = 300000;   /* until a far end takes a packet: 0 to this */
    uint64_t stores_ps = 500000; /* between stores to internal memory by a far end; 0: none */
};

struct DmaPacket {
    uint64_t edge; /* of its grant; own packets: from which it may be granted */
    uint32_t out;  /* or, of completions, the port by which it came */
    std::array<uint8_t, 16> header;
    std::vector<uint8_t> data;
};

/** A beat of a write to the hub's own area takes effect. */
struct DmaBeat {
    uint64_t edge, addr;
    std::array<uint8_t, kDmaBus> data;
    uint32_t enable; /* by byte */
};

/** What is seen behind each edge. */
struct DmaEdge {
    uint16_t read_addr; /* a register, one at random, */
    uint64_t value;     /* and what it shows */
    uint32_t irq;       /* bits of the lists that end at this edge */
    bool unexpected, timeout;
};

struct DmaRecord {
    std::vector<DmaPacket> put[kDmaSources], granted[kDmaSources], completions;
    std::vector<DmaBeat> beats;
    std::vector<std::pair<uint64_t, DmaState>> states; /* from this edge on */
    std::vector<DmaEdge> edges;
    std::map<std::string, unsigned> events;
};

DmaRecord record_dma(const DmaParams &params, const DmaTraffic &traffic);

#endif
