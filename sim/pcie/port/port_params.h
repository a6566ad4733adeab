/*
 * The rows of a parameter table (machine/kind.h) that fill a struct pcie_port_config.
 * Only names of fields appear here, so that pcie includes nothing of machine.
 */
#ifndef PCIE_PORT_PARAMS_H
#define PCIE_PORT_PARAMS_H

#include "pcie/port/port.h"

/** A requester waits 50 us to 50 ms for a completion unless software says otherwise, and at most 64
 * seconds (2.8, 7.8.16). */
#define PCIE_TIMEOUT_PS     (50 * SIM_MS)
#define PCIE_TIMEOUT_MAX_PS (64000 * SIM_MS)

/* NOLINTBEGIN(bugprone-macro-parentheses): types and initialisers take none */

/**
 * Rows for `member`, a struct pcie_port_config in `type`; keys begin with `prefix` ("port.").
 * Generation, lanes and the latencies of the PHY and hard block differ most between devices,
 * so their defaults are arguments.
 */
/* One row of the table in two lines. */
/* clang-format off */
#define PCIE_PORT_PARAMS(prefix, type, member, gen_def, lanes_def, tx_ps_def, rx_ps_def)           \
    { prefix "gen", "1", 1, 5, gen_def, offsetof(type, member.gen),                                \
      "PCI Express generation of this end; the link runs at the smaller one of its ends", NULL },  \
    { prefix "lanes", "1", 1, 16, lanes_def, offsetof(type, member.lanes),                         \
      "lanes of this end (1, 2, 4, 8, 16); the link takes the smaller number", NULL },             \
    { prefix "mps_bytes", "bytes", 128, 4096, 256, offsetof(type, member.mps_bytes),               \
      "Max_Payload_Size in force", NULL },                                                         \
    { prefix "tx_latency_ps", "ps", 0, SIM_MS, tx_ps_def, offsetof(type, member.tx_latency_ps),    \
      "hard block and PHY, from the head of the transmit queue to the first symbol", NULL },       \
    { prefix "rx_latency_ps", "ps", 0, SIM_MS, rx_ps_def, offsetof(type, member.rx_latency_ps),    \
      "PHY and hard block, from the last symbol to the receive buffer", NULL },                    \
    { prefix "ph_credits", "1", 0, 127, 64, offsetof(type, member.ph_credits),                     \
      "receive buffer: posted headers; 0 = infinite", NULL },                                      \
    { prefix "pd_credits", "16 bytes", 0, 2047, 512, offsetof(type, member.pd_credits),            \
      "receive buffer: posted data; 0 = infinite", NULL },                                         \
    { prefix "nph_credits", "1", 0, 127, 32, offsetof(type, member.nph_credits),                   \
      "receive buffer: non-posted headers; 0 = infinite", NULL },                                  \
    { prefix "npd_credits", "16 bytes", 0, 2047, 32, offsetof(type, member.npd_credits),           \
      "receive buffer: non-posted data; 0 = infinite", NULL },                                     \
    { prefix "cplh_credits", "1", 0, 127, 0, offsetof(type, member.cplh_credits),                  \
      "receive buffer: completion headers; 0 = infinite, as endpoints must say (2.6.1)", NULL },   \
    { prefix "cpld_credits", "16 bytes", 0, 2047, 0, offsetof(type, member.cpld_credits),          \
      "receive buffer: completion data; 0 = infinite, as endpoints must say (2.6.1)", NULL },      \
    { prefix "tx_queue_tlps", "1", 1, 1024, 8, offsetof(type, member.tx_queue_tlps),               \
      "transmit queue of each class", NULL },                                                      \
    { prefix "replay_tlps", "1", 1, 1024, 64, offsetof(type, member.replay_tlps),                  \
      "replay buffer: TLPs sent and not yet acknowledged", NULL },                                 \
    { prefix "ack_latency_symbols", "symbols", 0, 65535, 0,                                        \
      offsetof(type, member.ack_latency_symbols),                                                  \
      "longest wait before an ACK; 0 = the limit of 3.5.3.1", NULL },                              \
    { prefix "fc_latency_symbols", "symbols", 0, 65535, 0,                                         \
      offsetof(type, member.fc_latency_symbols),                                                   \
      "longest wait before a credit update; 0 = the limit of 2.6.1.2", NULL },                     \
    { prefix "replay_timer_symbols", "symbols", 0, 1048576, 0,                                     \
      offsetof(type, member.replay_timer_symbols),                                                 \
      "where links fail: longest wait for an ACK; 0 = the limit of 3.5.2.1 and the wire's length", \
      NULL },                                                                                      \
    { prefix "recovery_ps", "ps", 0, 100 * SIM_MS, 4 * SIM_US, offsetof(type, member.recovery_ps), \
      "where links fail: a retraining, from when both ends take part in it", NULL },               \
    { prefix "skp_interval_symbols", "symbols", 0, 65535, 1538,                                    \
      offsetof(type, member.skp_interval_symbols),                                                 \
      "Gen1 and Gen2: symbol times between SKP ordered sets, 1180 to 1538 (4.2.7.3); 0 = none",    \
      NULL },                                                                                      \
    { prefix "skp_interval_blocks", "130 bits", 0, 4095, 375,                                      \
      offsetof(type, member.skp_interval_blocks),                                                  \
      "Gen3 on: blocks of a lane between SKP ordered sets, 370 to 375 (4.2.7.3); 0 = none", NULL }

/* NOLINTEND(bugprone-macro-parentheses) */
/* clang-format on */

#endif /* PCIE_PORT_PARAMS_H */
