/*
 * Sources, outputs and channels of struct hub as the core in SystemVerilog has them, from what it
 * shows: its grants are seen on its outputs, all else are its events. What hub.c says of its own
 * to observers, statistics and reports of deadlocks is then said of this core.
 */
#ifndef COSIM_MIRROR_H
#define COSIM_MIRROR_H

#include "hub/internal.h"
#include "rtl-model/cosim/model.h"

SIM_BEGIN_DECLS

struct mirror {
    struct hub *hub;
    uint32_t classes;            /* that a port has in the core */
    uint64_t self;               /* the mark of the packet that SELF has */
    bool last[HUB_DMA_CHANNELS]; /* the write register has the last data of its request */
    uint32_t waits;              /* channels with requests that wait for answers */
    uint32_t later;              /* channels' events for the next edge, */
    struct model_event event[MODEL_EVENTS];
};

/** A packet has come by a port, with its mark; where it goes is not known. */
void mirror_received(struct mirror *mirror, uint32_t port, const struct pcie_tlp *tlp);
/** Steps of this edge that come before packets move. */
void mirror_steps(struct mirror *mirror, const struct model_out *out, uint64_t edge);
/** `source`, as the core counts, is granted to an output: OUT_SELF last. `bytes`: of
 * data. @return the packet's mark */
uint64_t mirror_granted(struct mirror *mirror, uint32_t source, uint32_t out,
                        enum pcie_tlp_kind kind, uint32_t bytes, uint64_t edge);
/** Steps that come behind them, before the grant of OUT_SELF. */
void mirror_registers(struct mirror *mirror, const struct model_out *out, uint64_t edge);
/** The output of struct hub for one of the core. */
uint32_t mirror_output(const struct mirror *mirror, uint32_t out);

SIM_END_DECLS
#endif
