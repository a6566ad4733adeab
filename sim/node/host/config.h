/* What a host is made with: values of its parameters, and limits. */
#ifndef NODE_HOST_CONFIG_H
#define NODE_HOST_CONFIG_H

#include "pcie/port/port.h"

SIM_BEGIN_DECLS

#define HOST_PORTS     8
#define HOST_CORES_MAX 48 /* tag = turn * this + core */
#define HOST_CLAIMS    32
#define HOST_LINE      64 /* bytes of a cache line and of a write-combining buffer */

struct host_config {
    uint64_t ram_bytes, ram_base;
    uint64_t cores, tsc_khz;
    struct host_cpu_config {
        uint64_t store_ps, store_buffers, store_uc_interval_ps, store_to_rc_ps;
        uint64_t store_memory_ps, load_memory_ps;
        uint64_t wc_buffers, wc_drain_ps, posted_writes, fence_ps;
        uint64_t load_to_rc_ps, load_from_rc_ps;
        uint64_t poll_detect_ps, poll_jitter_ps, tsc_read_ps, irq_ps;
    } cpu;
    struct host_rc_config {
        uint64_t egress_ps, memory_write_ps, memory_read_ps, memory_reads;
        uint64_t completion_bytes, completion_interval_ps;
        uint64_t p2p_write_ps, p2p_read_ps, p2p_read_bytes;
        uint64_t socket_write_ps, socket_write_interval_ps, socket_read_ps, socket_reads;
        uint64_t socket_hop_ps;
        uint64_t completion_timeout_ps;
    } rc;
    struct {
        uint64_t latency_ps, bytes_per_us;
    } net;
    uint64_t socket[HOST_PORTS];
    struct pcie_port_config port;            /* of all root ports, */
    struct pcie_port_config own[HOST_PORTS]; /* but for what is said of one of them */
};

SIM_END_DECLS
#endif /* NODE_HOST_CONFIG_H */
