/* What a machine file may set of a port. */
#include "pcie/port/port.h"

#include <string.h>

#define ROW(...) MACHINE_PARAM(struct pcie_port_config, __VA_ARGS__)

const struct machine_param pcie_port_params[] = {
    ROW(gen, "1", 1, 5, 2,
        "PCI Express generation of this end; the link runs at the smaller one of its ends"),
    ROW(lanes, "1", 1, 16, 8,
        "lanes of this end (1, 2, 4, 8, 16); the link takes the smaller number"),
    ROW(mps_bytes, "bytes", 128, 4096, 256, "Max_Payload_Size in force"),
    ROW(tx_latency_ps, "ps", 0, SIM_MS, 0,
        "hard block and PHY, from the head of the transmit queue to the first symbol"),
    ROW(rx_latency_ps, "ps", 0, SIM_MS, 0,
        "PHY and hard block, from the last symbol to the receive buffer"),
    ROW(ph_credits, "1", 0, 127, 64, "receive buffer: posted headers; 0 = infinite"),
    ROW(pd_credits, "16 bytes", 0, 2047, 512, "receive buffer: posted data; 0 = infinite"),
    ROW(nph_credits, "1", 0, 127, 32, "receive buffer: non-posted headers; 0 = infinite"),
    ROW(npd_credits, "16 bytes", 0, 2047, 32, "receive buffer: non-posted data; 0 = infinite"),
    ROW(cplh_credits, "1", 0, 127, 0,
        "receive buffer: completion headers; 0 = infinite, as endpoints must say (2.6.1)"),
    ROW(cpld_credits, "16 bytes", 0, 2047, 0,
        "receive buffer: completion data; 0 = infinite, as endpoints must say (2.6.1)"),
    ROW(tx_queue_tlps, "1", 1, 1024, 8, "transmit queue of each class"),
    ROW(replay_tlps, "1", 1, 1024, 64, "replay buffer: TLPs sent and not yet acknowledged"),
    ROW(ack_latency_symbols, "symbols", 0, 65535, 0,
        "longest wait before an ACK; 0 = the limit of 3.5.3.1"),
    ROW(fc_latency_symbols, "symbols", 0, 65535, 0,
        "longest wait before a credit update; 0 = the limit of 2.6.1.2"),
    ROW(ack_tlps, "1", 1, 4095, 8,
        "TLPs behind which an ACK goes out at once, so that small ones do not fill the sender's "
        "replay buffer while the timer, made for large ones, runs"),
    ROW(fc_urgent_part, "1", 1, 4095, 4,
        "credits go out at once when one part in so many of those advertised is free"),
    ROW(replay_timer_symbols, "symbols", 0, 1048576, 0,
        "where links fail: longest wait for an ACK; 0 = the limit of 3.5.2.1 and the wire's "
        "length"),
    ROW(recovery_ps, "ps", 0, 100 * SIM_MS, 4 * SIM_US,
        "where links fail: a retraining, from when both ends take part in it"),
    ROW(skp_interval_symbols, "symbols", 0, 65535, 1538,
        "Gen1 and Gen2: symbol times between SKP ordered sets, 1180 to 1538 (4.2.7.3); 0 = none"),
    ROW(skp_interval_blocks, "130 bits", 0, 4095, 375,
        "Gen3 on: blocks of a lane between SKP ordered sets, 370 to 375 (4.2.7.3); 0 = none"),
    MACHINE_PARAM_END
};

void pcie_port_config_complete(struct pcie_port_config *own, const struct pcie_port_config *all)
{
    for (const struct machine_param *row = pcie_port_params; row->key != NULL; row++) {
        uint64_t value;

        memcpy(&value, (const char *)own + row->offset, sizeof(value));
        if (value == MACHINE_UNSAID)
            memcpy((char *)own + row->offset, (const char *)all + row->offset, sizeof(value));
    }
}
