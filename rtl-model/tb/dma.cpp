/* Verilator's model of hub_dma behind the calls of dma.h. */
#include "dma.h"

#include "Vhub_dma.h"
#include "verilated.h"
#if VM_TRACE
#include "verilated_fst_c.h"
#endif

#include <cstring>

/* Ports of up to 64 bits are integers, others are arrays of words. */
template <typename T> static void set(T &port, const void *bits)
{
    memcpy(&port, bits, sizeof(port));
}

struct Dma {
    VerilatedContext context;
    Vhub_dma top{ &context };
    DmaParams params = dma_params();
    uint64_t time = 0;
#if VM_TRACE
    VerilatedFstC fst;
#endif

    void eval()
    {
        top.eval();
#if VM_TRACE
        if (fst.isOpen())
            fst.dump(time);
#endif
        time++;
    }
};

DmaParams dma_params(void)
{
    return { PARAM_Ports,
             PARAM_BusBytes,
             PARAM_GapCycles,
             PARAM_OutputCycles,
             PARAM_StartCycles,
             PARAM_DecodeCycles,
             PARAM_FetchInternalCycles,
             PARAM_FetchHostCycles,
             PARAM_Prefetch,
             PARAM_ReadTags,
             PARAM_ReadBytes,
             PARAM_ReadIssueCycles,
             PARAM_CompletionCycles,
             PARAM_TimeoutCycles,
             PARAM_StatusRegisterCycles,
             PARAM_StatusHostCycles,
             PARAM_StatusInternalCycles };
}

Dma *dma_create(const char *trace)
{
    auto *rtl = new Dma;

#if VM_TRACE
    if (trace != nullptr) {
        rtl->context.traceEverOn(true);
        rtl->top.trace(&rtl->fst, 99);
        rtl->fst.open(trace);
    }
#else
    (void)trace;
#endif
    rtl->top.clk_i = 0;
    rtl->top.rst_ni = 0;
    rtl->eval();
    rtl->top.clk_i = 1;
    rtl->eval();
    rtl->top.clk_i = 0;
    rtl->top.rst_ni = 1;
    rtl->eval();
    return rtl;
}

static void set_state(Dma *rtl, const DmaState *s)
{
    Vhub_dma &top = rtl->top;

    top.window_log2_i = s->window_log2;
    top.part_log2_i = s->part_log2;
    top.slot_i = s->slot;
    top.bar_base_i = s->bar_base;
    top.cfg_memory_i = s->memory;
    top.cfg_id_i = s->id;
    top.cfg_mrrs_i = s->mrrs;
    top.cfg_mps_i = s->mps;
    set(top.area_base_i, s->area_base);
    set(top.route_lower_i, s->lower);
    set(top.route_upper_i, s->upper);
}

void dma_edge(Dma *rtl, const DmaIn *in, DmaOut *out)
{
    Vhub_dma &top = rtl->top;
    unsigned out_bits = 1;

    while (1u << out_bits < rtl->params.ports + 2)
        out_bits++;
    if (in->state_is_new)
        set_state(rtl, in->state);
    top.cycle_i = in->cycle;
    top.write_addr_i = in->write_addr;
    top.write_enable_i = in->write_valid ? in->write_enable : 0;
    set(top.write_data_i, in->write_data);
    set(top.ram_data_i, in->ram_data);
    top.sink_valid_i = in->sink_valid;
    top.sink_sop_i = in->sink_sop;
    top.sink_host_i = in->sink_host;
    set(top.sink_data_i, in->sink_data);
    top.own_grant_i = in->own_grant;
    top.own_read_i = in->own_read;
    top.clk_i = 0;
    rtl->eval();
    out->own_valid = top.own_valid_o;
    out->own_class = top.own_class_o;
    for (unsigned k = 0; k < kDmaSources; k++)
        out->own_out[k] = top.own_out_o >> k * out_bits & ((1u << out_bits) - 1);
    memcpy(out->own_header, &top.own_header_o, sizeof(out->own_header));
    memcpy(out->own_data, &top.own_data_o, sizeof(top.own_data_o));
    out->irq = top.dma_irq_o;
    out->ram_addr = top.ram_addr_o;
    top.clk_i = 1;
    rtl->eval();
    top.cycle_i = in->cycle + 1;
    top.dma_read_addr_i = in->read_addr >> 3;
    rtl->eval();
    out->unexpected = top.err_unexpected_o;
    out->poisoned = top.err_poisoned_o;
    out->timeout = top.err_timeout_o;
    out->read_data = top.dma_read_data_o;
}

void dma_destroy(Dma *rtl)
{
    rtl->top.final();
#if VM_TRACE
    if (rtl->fst.isOpen())
        rtl->fst.close();
#endif
    delete rtl;
}
