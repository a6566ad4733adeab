/*
 * An InfiniBand host channel adapter: a PCIe endpoint with work queues in host
 * memory (regs/ib_regs.h) and one or two ports of a fabric that joins all
 * adapters of a machine. Reliable connections: send and receive, RDMA write with
 * and without immediate data, RDMA read.
 */
#ifndef IB_IB_H
#define IB_IB_H

#include "machine/kind.h"

SIM_BEGIN_DECLS

extern const struct machine_kind ib_hca_kind;

SIM_END_DECLS
#endif /* IB_IB_H */
