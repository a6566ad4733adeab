/* Verilator's model of hub_core behind the calls of forward.h. */
#include "forward.h"

#include "Vhub_core.h"
#ifndef MUTANTS
#include "Vhub_core___024root.h"
#endif
#ifdef CHANGES
#include "Vhub_core_hub_change.h"
#endif
#include "verilated.h"
#if VM_TRACE
#include "verilated_fst_c.h"
#endif
#if VM_COVERAGE
#include "toggles.h"
#include "verilated_cov.h"
#endif

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <string>

#ifndef PARAM_WindowBytes /* in few rows of tb/sets */
#define PARAM_WindowBytes 0
#endif
#ifndef PARAM_Vc1
#define PARAM_Vc1        0
#define PARAM_Vc1Headers 0
#define PARAM_Vc1Units   0
#endif
#ifndef PARAM_Ddr
#define PARAM_Ddr       0
#define PARAM_DdrTlps   64
#define PARAM_ChipTlps  0
#define PARAM_DdrBytes  0
#define PARAM_DdrCycles 0
#endif
#ifndef PARAM_LargestUnits
#define PARAM_LargestUnits 16
#endif

/* Ports of up to 64 bits are integers, others are arrays of words. */
template <typename T> static void set(T &port, const void *bits)
{
    memcpy(&port, bits, sizeof(port));
}
template <typename T> static void put_bits(T &port, unsigned at, unsigned n, uint64_t value)
{
    uint32_t words[(sizeof(port) + 3) / 4 + 2] = {};

    memcpy(words, &port, sizeof(port));
    for (unsigned i = 0; i < n; i++) {
        uint32_t bit = 1u << (at + i) % 32;

        words[(at + i) / 32] = (words[(at + i) / 32] & ~bit) | ((value >> i & 1) != 0 ? bit : 0);
    }
    memcpy(&port, words, sizeof(port));
}
template <typename T> static uint32_t get_bits(const T &port, unsigned at, unsigned n)
{
    uint32_t words[(sizeof(port) + 3) / 4 + 2] = {};
    uint64_t two;

    memcpy(words, &port, sizeof(port));
    two = words[at / 32] | static_cast<uint64_t>(words[at / 32 + 1]) << 32;
    return static_cast<uint32_t>(two >> at % 32) & ((1u << n) - 1u);
}
static unsigned bits_of(unsigned values)
{
    unsigned n = 1;

    while (1u << n < values)
        n++;
    return n;
}

/* What reset does not reach is random. */
static VerilatedContext *seeded(VerilatedContext *context, uint64_t seed)
{
    context->randReset(2);
    context->randSeed(static_cast<int>(seed % 0x7fffffff) + 1);
    return context;
}

/* A number in the environment, or 0. */
[[maybe_unused]] static int number_of(const char *variable)
{
    const char *text = getenv(variable);

    return text != nullptr ? atoi(text) : 0;
}

struct Forward {
    explicit Forward(uint64_t seed) : top(seeded(&context, seed)) {}
    VerilatedContext context;
    Vhub_core top;
    ForwardParams params = forward_params();
    ForwardIn last;
    std::deque<std::array<uint8_t, kMaxBus>> ddr[kMaxPorts];
    uint64_t time = 0;
    [[maybe_unused]] uint64_t resets = 0;
#if VM_TRACE
    VerilatedFstC fst;
#endif
#if VM_COVERAGE
    std::unique_ptr<Toggles> toggles;
    unsigned begun = 0; /* one when it is made, and one for each record */
#endif

    void eval()
    {
        top.eval();
#if VM_COVERAGE
        if (toggles != nullptr && top.clk_i == 0)
            toggles->sample();
#endif
#if VM_TRACE
        if (fst.isOpen())
            fst.dump(time);
#endif
        time++;
    }
};

ForwardParams forward_params(void)
{
    return { PARAM_Ports,
             PARAM_BusBytes,
             PARAM_GapCycles,
             PARAM_ReceiveCycles,
             PARAM_RouteCycles,
             PARAM_OutputCycles,
             PARAM_RegisterCycles,
             PARAM_BubbleTlps,
             3 + PARAM_Vc1,
             { PARAM_PostedHeaders, PARAM_NonpostedHeaders, PARAM_CompletionHeaders,
               PARAM_Vc1Headers },
             { PARAM_PostedUnits, PARAM_NonpostedUnits, PARAM_CompletionUnits, PARAM_Vc1Units },
             PARAM_Ddr != 0,
             PARAM_DdrTlps,
             PARAM_ChipTlps,
             PARAM_DdrBytes,
             PARAM_DdrCycles,
             PARAM_LargestUnits,
             { PARAM_StartCycles, PARAM_DecodeCycles, PARAM_FetchInternalCycles,
               PARAM_FetchHostCycles, PARAM_Prefetch, PARAM_ReadTags, PARAM_WindowBytes,
               PARAM_ReadBytes, PARAM_ReadIssueCycles, PARAM_CompletionCycles, PARAM_TimeoutCycles,
               PARAM_StatusRegisterCycles, PARAM_StatusHostCycles, PARAM_StatusInternalCycles } };
}

Forward *forward_create(uint64_t seed, const char *trace)
{
    auto *rtl = new Forward(seed);

#if VM_TRACE
    if (trace != nullptr) {
        rtl->context.traceEverOn(true);
        rtl->top.trace(&rtl->fst, 99);
        rtl->fst.open(trace);
    }
#else
    (void)trace;
#endif
    ForwardBegin begin = {};
    forward_reset(rtl, &begin);
    return rtl;
}

/* Internal RAM holds what it held; the hub in C begins with zeroes. */
static void clear_memories(Forward *rtl)
{
    for (auto &fifo : rtl->ddr)
        fifo.clear();
#ifdef MUTANTS /* rtl-model/mutate: it begins with zeroes */
    uint64_t seed = rtl->resets + 1;

    rtl->~Forward();
    new (rtl) Forward(seed);
    rtl->resets = seed;
    rtl->top.mutant = static_cast<uint16_t>(number_of("HUBSIM_RTL_MUTANT"));
#else
    auto &even = rtl->top.rootp->hub_core__DOT__u_ram__DOT__u_even__DOT__mem;
    auto &odd = rtl->top.rootp->hub_core__DOT__u_ram__DOT__u_odd__DOT__mem;

    memset(&even, 0, sizeof(even));
    memset(&odd, 0, sizeof(odd));
#endif
}

#ifndef MUTANTS /* where they are inputs */
static void begin_counters(Forward *rtl, const ForwardBegin *begin)
{
    auto *root = rtl->top.rootp;

    root->hub_core__DOT__u_registers__DOT__u_notify__DOT__head_q = begin->ring_head;
    root->hub_core__DOT__u_registers__DOT__u_notify__DOT__lost_q = begin->ring_lost;
    root->hub_core__DOT__u_registers__DOT__ring_tail_q = begin->ring_tail;
    root->hub_core__DOT__u_registers__DOT__refused_q = begin->refused;
#define LIST(c, q)                                                                                 \
    hub_core__DOT__u_dma__DOT__g_channel__BRA__##c##__KET____DOT__u_channel__DOT__u_list__DOT__##q
#define BEGIN_CHANNEL(c)                                                                           \
    root->LIST(c, bytes_q) = begin->bytes[c];                                                      \
    root->LIST(c, ended_q) = begin->ended[c]
    BEGIN_CHANNEL(0);
    BEGIN_CHANNEL(1);
    BEGIN_CHANNEL(2);
    BEGIN_CHANNEL(3);
#undef BEGIN_CHANNEL
#undef LIST
}
#endif

void forward_reset(Forward *rtl, const ForwardBegin *begin)
{
    clear_memories(rtl);
    memset(&rtl->last, 0xff, sizeof(rtl->last)); /* differs from all */
#ifdef CHANGES                                   /* rtl-model/refute */
    rtl->top.__PVT__hub_change->change = number_of("HUBSIM_RTL_CHANGE");
#endif
    rtl->context.assertOn(false); /* what is random may break any rule */
#ifdef MUTANTS
    static_assert(sizeof(rtl->top.begin) == sizeof(*begin), "all of them");
    memcpy(&rtl->top.begin, begin, sizeof(*begin));
#endif
    rtl->top.clk_i = 0;
    rtl->top.rst_ni = 1; /* it has to fall, lest the next edge writes what is random to memories */
    rtl->eval();
    rtl->top.rst_ni = 0;
    rtl->eval();
    rtl->top.clk_i = 1;
    rtl->eval();
    rtl->top.clk_i = 0;
    rtl->top.rst_ni = 1;
#ifndef MUTANTS
    begin_counters(rtl, begin);
#endif
    rtl->eval();
    rtl->context.assertOn(true);
#if VM_COVERAGE /* in the first record, what reset does not reach is still random */
    if (rtl->begun++ == 2) {
        rtl->toggles = std::make_unique<Toggles>(rtl->context);
        rtl->context.coveragep()->zero();
    }
#endif
}

/* What changes seldom. */
static void set_state(Forward *rtl, const ForwardIn *in)
{
    Vhub_core &top = rtl->top;
    unsigned ports = rtl->params.ports;

    for (unsigned i = 0; i < ports * rtl->params.classes; i++) {
        put_bits(top.tx_limit_h_i, i * 8, 8, in->tx_limit_h[i]);
        put_bits(top.tx_first_h_i, i * 8, 8, in->tx_first_h[i]);
        put_bits(top.tx_limit_d_i, i * 12, 12, in->tx_limit_d[i]);
        put_bits(top.tx_first_d_i, i * 12, 12, in->tx_first_d[i]);
    }
    for (unsigned p = 0; p < ports; p++)
        put_bits(top.ddr_places_i, p * bits_of(PARAM_DdrTlps + 1), bits_of(PARAM_DdrTlps + 1),
                 in->ddr_places[p]);
    set(top.route_lower_i, in->lower);
    set(top.route_upper_i, in->upper);
}

/* Each port's part of DDR3 is a FIFO of beats that shows the next one. */
static void show_ddr(Forward *rtl)
{
    uint8_t data[kMaxPorts * kMaxBus] = {};
    unsigned bus = rtl->params.bus_bytes;

    for (unsigned p = 0; p < rtl->params.ports; p++)
        if (!rtl->ddr[p].empty())
            memcpy(data + p * bus, rtl->ddr[p].front().data(), bus);
    set(rtl->top.ddr_data_i, data);
}
static void step_ddr(Forward *rtl, uint32_t read, uint32_t write)
{
    std::array<uint8_t, kMaxBus> beat = {};

    memcpy(beat.data(), &rtl->top.ddr_data_o, rtl->params.bus_bytes);
    for (unsigned p = 0; p < rtl->params.ports; p++) {
        if ((read >> p & 1) != 0 && !rtl->ddr[p].empty())
            rtl->ddr[p].pop_front();
        if ((write >> p & 1) != 0)
            rtl->ddr[p].push_back(beat);
    }
}

void forward_edge(Forward *rtl, const ForwardIn *in, ForwardOut *out)
{
    Vhub_core &top = rtl->top;
    unsigned outputs = rtl->params.ports + 2, queues = rtl->params.ports * rtl->params.classes,
             source_bits = bits_of(queues + kOwn);

    top.rx_valid_i = in->rx_valid;
    top.rx_sop_i = in->rx_sop;
    top.rx_class_i = in->rx_class;
    top.rx_hit_i = in->rx_hit;
    set(top.rx_data_i, in->rx_data);
    top.tx_ready_i = in->tx_ready;
    top.tx_empty_i = in->tx_empty;
    top.cfg_mps_i = in->mps;
    top.cfg_master_i = in->master;
    top.link_up_i = in->up;
    top.vc1_i = static_cast<uint8_t>(in->vc1);
    top.date_line_i = static_cast<uint8_t>(in->date_line);
    top.window_log2_i = in->window_log2;
    top.part_log2_i = in->part_log2;
    top.slot_i = static_cast<uint16_t>(in->slot);
    top.subcluster_i = static_cast<uint16_t>(in->subcluster);
    top.cfg_memory_i = in->memory;
    set(top.cfg_id_i, in->id);
    top.cfg_msi_i = in->msi;
    top.cfg_msi_addr_i = in->msi_addr;
    top.cfg_msi_data_i = in->msi_data;
    top.cycle_i = in->cycle;
    set(top.aer_i, in->aer);
    top.bar_base_i = in->bar;
    top.cfg_mrrs_i = in->mrrs;
    top.mgmt_valid_i = in->mgmt_valid;
    top.mgmt_out_i = in->mgmt_out;
    top.mgmt_data_i = in->mgmt_data;
    set(top.mgmt_header_i, in->mgmt_header);
    if (memcmp(in->tx_limit_h, rtl->last.tx_limit_h,
               offsetof(ForwardIn, mps) - offsetof(ForwardIn, tx_limit_h)) != 0 ||
        memcmp(in->lower, rtl->last.lower, offsetof(ForwardIn, id) - offsetof(ForwardIn, lower)) !=
            0)
        set_state(rtl, in);
    rtl->last = *in;
    show_ddr(rtl);
    top.clk_i = 0;
    rtl->eval();
    step_ddr(rtl, top.ddr_read_o, top.ddr_write_o);
    out->mgmt_ready = top.mgmt_ready_o;
    out->aer_write = top.aer_write_o;
    memcpy(out->aer_data, &top.aer_data_o, sizeof(top.aer_data_o));
    top.clk_i = 1;
    rtl->eval();
    out->err_valid = top.err_valid_o;
    out->err_port = top.err_port_o;
    out->err_kind = top.err_kind_o;
    out->err_advisory = top.err_advisory_o;
    memcpy(out->err_header, &top.err_header_o, sizeof(out->err_header));
    out->dma_errors =
        (top.dma_unexpected_o != 0 ? kUnexpected : 0) | (top.dma_poisoned_o != 0 ? kPoisoned : 0) |
        (top.dma_timeout_o != 0 ? kTimeout : 0) | (top.dma_master_abort_o != 0 ? kMasterAbort : 0) |
        (top.dma_target_abort_o != 0 ? kTargetAbort : 0);
    memcpy(out->dma_header, &top.dma_header_o, sizeof(out->dma_header));
    out->quiet = top.quiet_o;
    out->rx_free = top.rx_free_o;
    out->ddr_free = top.ddr_free_o;
    out->ddr_free_units = top.ddr_free_units_o;
    out->tx_valid = top.tx_valid_o;
    out->tx_sop = top.tx_sop_o;
    memcpy(out->tx_data, &top.tx_data_o, sizeof(top.tx_data_o));
    for (unsigned o = 0; o < outputs; o++)
        out->tx_source[o] =
            static_cast<uint8_t>(get_bits(top.tx_source_o, o * source_bits, source_bits));
    for (unsigned i = 0; out->rx_free != 0 && i < queues; i++)
        out->rx_free_units[i] = static_cast<uint16_t>(get_bits(top.rx_free_units_o, i * 9, 9));
}

#if VM_COVERAGE /* rtl-model/coverage */
static void write_coverage(Forward *rtl, const char *file)
{
    if (file == nullptr || rtl->toggles == nullptr)
        return;
    rtl->context.coveragep()->write((std::string(file) + ".lines").c_str());
    if (!rtl->toggles->write(std::string(file) + ".toggles"))
        fprintf(stderr, "%s.toggles: cannot be written\n", file);
}
#endif

void forward_destroy(Forward *rtl)
{
    rtl->top.final();
#if VM_TRACE
    if (rtl->fst.isOpen())
        rtl->fst.close();
#endif
#if VM_COVERAGE
    write_coverage(rtl, getenv("HUBSIM_RTL_COVERAGE"));
#endif
    delete rtl;
}
