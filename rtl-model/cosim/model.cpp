/* Verilator's model of hub_core behind the calls of model.h. */
#include "rtl-model/cosim/model.h"

#include "Vhub_core.h"
#include "Vhub_core__Dpi.h"
#include "verilated.h"
#if VM_TRACE
#include "verilated_fst_c.h"
#endif

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>

namespace
{
constexpr unsigned kPorts = PARAM_Ports, kBus = PARAM_BusBytes, kPairs = PARAM_Pairs;
constexpr unsigned kClasses = 3 + PARAM_Vc1, kOutputs = kPorts + MODEL_INSIDE;

constexpr unsigned bits_of(unsigned values)
{
    return values <= 2 ? 1 : 1 + bits_of((values + 1) / 2);
}
constexpr unsigned kPlaces = bits_of(PARAM_DdrTlps + 1);

/* A vector of the module is an integer of up to 64 bits, or an array of words of 32 bits. Fields
 * are at most 64 bits wide. */
template <typename T> void put(T &vector, unsigned at, unsigned n, uint64_t value)
{
    auto *bytes = reinterpret_cast<unsigned char *>(&vector);

    if (n % 8 == 0 && at % 8 == 0) {
        memcpy(bytes + at / 8, &value, n / 8);
        return;
    }
    for (unsigned i = at; n > 0; i++, n--, value >>= 1)
        bytes[i / 8] =
            static_cast<unsigned char>((bytes[i / 8] & ~(1u << i % 8)) | (value & 1) << i % 8);
}
template <typename T> uint64_t get(const T &vector, unsigned at, unsigned n)
{
    const auto *bytes = reinterpret_cast<const unsigned char *>(&vector);
    uint64_t value = 0;

    for (unsigned i = 0; i < n; i++)
        value |= static_cast<uint64_t>(bytes[(at + i) / 8] >> (at + i) % 8 & 1) << i;
    return value;
}
template <typename T> unsigned char *beat(T &vector, unsigned index)
{
    return reinterpret_cast<unsigned char *>(&vector) + static_cast<size_t>(index) * kBus;
}
} // namespace

struct model {
    VerilatedContext context;
    Vhub_core top{ &context };
    model_in last; /* what is on the inputs */
    uint64_t time = 0;
    std::deque<std::array<unsigned char, kBus>> ddr[kPorts]; /* a FIFO of beats for each port */
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

    void show_streams(const model_port_in *in, unsigned p)
    {
        put(top.rx_valid_i, p, 1, in->rx_valid);
        put(top.rx_sop_i, p, 1, in->rx_sop);
        put(top.rx_hit_i, p, 1, in->rx_hit);
        if (!in->rx_valid)
            return;
        put(top.rx_class_i, 2 * p, 2, in->rx_class);
        memcpy(beat(top.rx_data_i, p), in->rx_data, kBus);
    }

    void show_port(const model_port_state *in, unsigned p)
    {
        put(top.tx_ready_i, p * kClasses, kClasses, in->tx_ready);
        put(top.tx_empty_i, p * kClasses, kClasses, in->tx_empty);
        for (unsigned c = 0; c < kClasses; c++) {
            unsigned at = p * kClasses + c;

            put(top.tx_limit_h_i, at * 8, 8, in->tx_limit_h[c]);
            put(top.tx_first_h_i, at * 8, 8, in->tx_first_h[c]);
            put(top.tx_limit_d_i, at * 12, 12, in->tx_limit_d[c]);
            put(top.tx_first_d_i, at * 12, 12, in->tx_first_d[c]);
        }
        put(top.cfg_mps_i, p * 3, 3, in->cfg_mps);
        put(top.cfg_id_i, p * 16, 16, in->cfg_id);
        put(top.cfg_master_i, p, 1, in->cfg_master);
        put(top.cfg_memory_i, p, 1, in->cfg_memory);
        put(top.link_up_i, p, 1, in->link_up);
        put(top.vc1_i, p, 1, in->vc1);
        for (unsigned k = 0; k < 2; k++)
            put(top.aer_i, p * 64 + k * 32, 32, in->errors[k]);
    }

    void show_state(const model_state *in)
    {
        top.window_log2_i = in->window_log2;
        top.part_log2_i = in->part_log2;
        top.slot_i = in->slot;
        top.subcluster_i = in->subcluster;
        put(top.date_line_i, 0, kPorts, in->date_line);
        for (unsigned p = 0; p < kPorts; p++)
            put(top.ddr_places_i, p * kPlaces, kPlaces, in->ddr_places[p]);
        for (unsigned i = 0; i < kPorts * kPairs; i++) {
            unsigned from = i / kPairs * MODEL_PAIRS + i % kPairs;

            put(top.route_lower_i, i * 64, 64, in->lower[from]);
            put(top.route_upper_i, i * 64, 64, in->upper[from]);
        }
        top.cfg_mrrs_i = in->cfg_mrrs;
        top.bar_base_i = in->cfg_bar;
        top.cfg_msi_i = in->cfg_msi;
        top.cfg_msi_addr_i = in->cfg_msi_address;
        top.cfg_msi_data_i = in->cfg_msi_data;
    }

    void show_request(const model_in *in)
    {
        top.mgmt_valid_i = in->request;
        if (!in->request)
            return;
        top.mgmt_out_i = in->request_port;
        memcpy(&top.mgmt_header_i, in->request_header, sizeof(in->request_header));
        memcpy(&top.mgmt_data_i, in->request_data, sizeof(in->request_data));
    }

    void show(const model_in *in)
    {
        top.cycle_i = in->cycle;
        for (unsigned p = 0; p < kPorts; p++) {
            const model_port_in *now = &in->port[p];

            show_streams(now, p);
            if (memcmp(&now->state, &last.port[p].state, sizeof(now->state)) != 0)
                show_port(&now->state, p);
        }
        if (memcmp(&in->state, &last.state, sizeof(in->state)) != 0)
            show_state(&in->state);
        show_request(in);
        last = *in;
    }

    void show_ddr()
    {
        for (unsigned p = 0; p < kPorts; p++)
            if (!ddr[p].empty())
                memcpy(beat(top.ddr_data_i, p), ddr[p].front().data(), kBus);
    }
    void step_ddr(uint32_t read, uint32_t write, const svBitVecVal *data)
    {
        for (unsigned p = 0; (read | write) >> p != 0; p++) {
            if ((read >> p & 1) != 0 && !ddr[p].empty())
                ddr[p].pop_front();
            if ((write >> p & 1) != 0) {
                ddr[p].emplace_back();
                memcpy(ddr[p].back().data(), data, kBus);
            }
        }
    }

    void see_streams(model_out *out)
    {
        constexpr unsigned kSource = bits_of(kPorts * kClasses + 9);

        for (unsigned o = 0; o < kOutputs; o++) {
            /* SINK and SELF have places of their own, whatever the number of ports. */
            model_stream *s = &out->tx[o < kPorts ? o : MODEL_PORTS + o - kPorts];

            s->valid = get(top.tx_valid_o, o, 1) != 0;
            if (!s->valid)
                continue;
            s->sop = get(top.tx_sop_o, o, 1) != 0;
            s->source = static_cast<uint8_t>(get(top.tx_source_o, o * kSource, kSource));
            memcpy(s->data, beat(top.tx_data_o, o), kBus);
        }
    }

    void see_places(model_out *out) const
    {
        uint64_t free = top.rx_free_o;

        out->ddr_free = static_cast<uint32_t>(top.ddr_free_o);
        out->ddr_free_units = static_cast<uint16_t>(top.ddr_free_units_o);
        out->rx_free = 0;
        for (unsigned at = 0; free != 0; at++, free >>= 1) {
            unsigned to = at / kClasses * MODEL_CLASSES + at % kClasses;

            if ((free & 1) == 0)
                continue;
            out->rx_free |= UINT64_C(1) << to;
            out->rx_free_units[to] = static_cast<uint16_t>(get(top.rx_free_units_o, at * 9, 9));
        }
    }

    void see_errors(model_out *out) const
    {
        model_error *e = &out->error;

        out->unexpected = top.dma_unexpected_o != 0;
        out->poisoned = top.dma_poisoned_o != 0;
        out->aborted = top.dma_master_abort_o != 0 || top.dma_target_abort_o != 0;
        out->timeout = top.dma_timeout_o != 0;
        memcpy(out->sink_header, &top.dma_header_o, sizeof(out->sink_header));
        e->valid = top.err_valid_o != 0;
        if (!e->valid)
            return;
        e->advisory = top.err_advisory_o != 0;
        e->port = static_cast<uint8_t>(top.err_port_o);
        e->kind = static_cast<uint8_t>(top.err_kind_o);
        memcpy(e->header, &top.err_header_o, sizeof(e->header));
    }
};

namespace
{
model *create(uint64_t seed, const char *trace)
{
    auto *m = new model;

    m->context.randReset(2); /* all that reset does not reach is random */
    m->context.randSeed(static_cast<int>(seed % 0x7fffffff) + 1);
    memset(static_cast<void *>(&m->last), 0xff, sizeof(m->last)); /* differs from all */
#if VM_TRACE
    if (trace != nullptr) {
        m->context.traceEverOn(true);
        m->top.trace(&m->fst, 99);
        m->fst.open(trace);
        if (!m->fst.isOpen()) {
            delete m;
            return nullptr;
        }
    }
#else
    (void)trace;
#endif
    m->top.rst_ni = 0;
    for (unsigned clock : { 0u, 1u, 0u }) {
        m->top.clk_i = clock;
        m->eval();
    }
    m->top.rst_ni = 1;
    m->eval();
    return m;
}

/* The model whose edge it is, and what gets what is seen there. */
thread_local model *evaluated;
thread_local model_out *seen;

void edge(model *m, const model_in *in, model_out *out)
{
    Verilated::threadContextp(&m->context); /* other hubs of this thread have their own */
    m->show(in);
    m->show_ddr();
    out->nevents = 0;
    evaluated = m;
    seen = out;
#if VM_TRACE
    m->top.clk_i = 0; /* waves show both levels of the clock */
    m->eval();
#endif
    m->top.clk_i = 1;
    m->eval();
    m->see_streams(out);
    m->see_places(out);
    m->see_errors(out);
    out->quiet = m->top.quiet_o != 0;
}

void destroy(model *m)
{
    Verilated::threadContextp(&m->context);
    m->top.final();
#if VM_TRACE
    if (m->fst.isOpen())
        m->fst.close();
#endif
    delete m;
}
} // namespace

void hub_before_seen(svBit mgmt_taken, unsigned aer_write, const svBitVecVal *aer_data,
                     unsigned ddr_read, unsigned ddr_write, const svBitVecVal *ddr_data)
{
#if !VM_TRACE
    /* The clock falls as soon as its edge is seen: each evaluation computes anew what depends on
     * inputs, a quarter of all time. Verilator looks for edges again after each round of them, so
     * it sees the low level before the evaluation returns, and the next edge as one. */
    evaluated->top.clk_i = 0;
#endif
    evaluated->step_ddr(ddr_read, ddr_write, ddr_data);
    seen->request_taken = mgmt_taken != 0;
    seen->error_write = aer_write;
    for (unsigned i = 0; aer_write != 0 && i < 2 * kPorts; i++)
        seen->error_data[i] = aer_data[i];
}

void hub_event_seen(unsigned kind, unsigned where, unsigned value, unsigned count,
                    unsigned long long at, const svBitVecVal *header)
{
    model_event *e;

    if (seen->nevents == MODEL_EVENTS) {
        (void)fprintf(stderr, "hub_core: more than %d events at an edge\n", MODEL_EVENTS);
        abort();
    }
    e = &seen->event[seen->nevents++];
    e->kind = kind;
    e->where = where;
    e->value = value;
    e->count = count;
    e->at = at;
    memcpy(e->header, header, sizeof(e->header));
}

extern "C" const model_ops hub_model = { PARAMETERS, create, edge, destroy };
