#include "replay.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <deque>

namespace
{
constexpr size_t kShown = 12;   /* events of each side in a report */
constexpr unsigned kBusy = 300; /* cycles: the longest packet's, and some */

/* A stream of packets, beat by beat. */
struct Stream {
    const Packet *packet = nullptr; /* the one under way, or the last one */
    uint64_t edge = 0;              /* of its first beat */

    unsigned beats(unsigned bus) const
    {
        return 1 + static_cast<unsigned>((packet->data.size() + bus - 1) / bus);
    }
    /* The beat of this edge, or -1. */
    int beat(uint64_t at, unsigned bus) const
    {
        return packet != nullptr && at >= edge && at < edge + beats(bus)
                   ? static_cast<int>(at - edge)
                   : -1;
    }
    /* `to` has zeroes behind the last byte. */
    void show(int beat, unsigned bus, uint8_t *to) const
    {
        memset(to, 0, bus);
        if (beat == 0) {
            memcpy(to, packet->header.data(), packet->header.size());
        } else {
            size_t from = (static_cast<size_t>(beat) - 1) * bus;

            memcpy(to, packet->data.data() + from,
                   std::min<size_t>(bus, packet->data.size() - from));
        }
    }
};

std::string hex(const uint8_t *bytes, size_t n)
{
    std::string s;
    char text[4];

    for (size_t i = 0; i < n; i++) {
        snprintf(text, sizeof(text), i % 4 == 3 && i + 1 < n ? "%02x " : "%02x", bytes[i]);
        s += text;
    }
    return s;
}

struct Replay {
    const Record &record;
    ForwardParams params;
    unsigned bus, outputs, first_own;
    unsigned quiet_cycles; /* no longer than that */
    ForwardIn in;
    ForwardOut out;
    size_t state = 0, grant = 0, written = 0, fault = 0, beside = 0, cleared = 0, answer = 0;
    size_t work = 0;
    std::vector<bool> joined; /* requests of the management processor */
    size_t asked = 0;
    std::vector<size_t> rx_next;
    std::vector<Stream> rx, tx;
    std::deque<std::string> seen; /* what the RTL did last */

    Replay(const Record &r, const ForwardParams &p)
        : record(r), params(p), bus(p.bus_bytes), outputs(p.ports + 2),
          first_own(p.ports * p.classes), rx_next(p.ports), rx(p.ports), tx(outputs)
    {
        memset(&in, 0, sizeof(in));
        memset(&out, 0, sizeof(out));
        joined.resize(r.requests.size());
        quiet_cycles = p.receive + p.route + p.output + p.registers + p.dma.completion + p.gap +
                       p.ddr_cycles + kBusy;
    }

    uint8_t *bytes(uint32_t *words, unsigned index) const
    {
        return reinterpret_cast<uint8_t *>(words) + index * bus;
    }

    void give_state(uint64_t edge)
    {
        const std::vector<State> &states = record.states;

        if (state < states.size() && states[state].edge == edge)
            in = states[state++].in;
        in.cycle = edge;
        if (beside < record.beside.size() && record.beside[beside].edge + 1 == edge)
            memcpy(in.aer, record.beside[beside++].aer.data(), sizeof(in.aer));
    }

    /* The management processor has one request of a port at a time, and gives the first port's. */
    void give_request(uint64_t edge)
    {
        const Packet *first = nullptr;

        in.mgmt_valid = 0;
        asked = 0;
        for (size_t i = 0; i < record.requests.size(); i++) {
            const Packet &p = record.requests[i];

            if (!joined[i] && p.edge <= edge && (first == nullptr || p.out < first->out)) {
                first = &p;
                asked = i;
            }
        }
        if (first == nullptr)
            return;
        in.mgmt_valid = 1;
        in.mgmt_out = first->out;
        memcpy(in.mgmt_header, first->header.data(), 16);
        in.mgmt_data = 0;
        memcpy(&in.mgmt_data, first->data.data(), first->data.size());
    }

    /* What the IP has registered at the edge before. */
    void give_received(uint64_t edge)
    {
        in.rx_valid = in.rx_sop = in.rx_class = in.rx_hit = 0;
        for (unsigned p = 0; p < params.ports; p++) {
            Stream &s = rx[p];
            const std::vector<Packet> &list = record.received[p];
            int beat;

            if (rx_next[p] < list.size() && list[rx_next[p]].edge + 1 == edge)
                s = { &list[rx_next[p]++], edge };
            beat = s.beat(edge, bus);
            if (beat < 0)
                continue;
            s.show(beat, bus, bytes(in.rx_data, p));
            in.rx_valid |= 1u << p;
            in.rx_sop |= static_cast<uint32_t>(beat == 0) << p;
            in.rx_class |= (s.packet->out & 3) << 2 * p;
            in.rx_hit |= static_cast<uint32_t>(s.packet->hit) << p;
        }
    }

    void take_request()
    {
        if (in.mgmt_valid != 0 && out.mgmt_ready != 0)
            joined[asked] = true;
    }

    std::string compare_output(uint64_t edge, unsigned o)
    {
        uint8_t expected[kMaxBus];
        int beat = tx[o].beat(edge, bus);
        bool valid = (out.tx_valid >> o & 1) != 0, sop = (out.tx_sop >> o & 1) != 0;

        if (valid != (beat >= 0) || (valid && sop != (beat == 0)))
            return std::string("C ") +
                   (beat < 0    ? "sends nothing"
                    : beat == 0 ? "grants"
                                : "sends data") +
                   ", the RTL " +
                   (!valid ? "sends nothing"
                    : sop  ? "grants"
                           : "sends data");
        if (!valid)
            return "";
        tx[o].show(beat, bus, expected);
        if (beat == 0) /* the mark of the routing unit, which SELF alone sees */
            bytes(out.tx_data, o)[1] &= o == outputs - 1 ? 0x7f : 0xff;
        if (memcmp(expected, bytes(out.tx_data, o), bus) != 0)
            return "beat " + std::to_string(beat) + ": C has " + hex(expected, bus) + ", the RTL " +
                   hex(bytes(out.tx_data, o), bus);
        if (out.tx_source[o] != tx[o].packet->source)
            return "C grants source " + std::to_string(tx[o].packet->source) + ", the RTL " +
                   std::to_string(out.tx_source[o]);
        return "";
    }

    std::string compare_faults(uint64_t edge)
    {
        uint32_t write = 0;
        bool same = true;

        for (; cleared < record.cleared.size() && record.cleared[cleared].edge == edge; cleared++) {
            const Bits &b = record.cleared[cleared];

            write |= 1u << b.index;
            same &= out.aer_data[b.index] == b.bits;
        }
        for (unsigned i = 0; i < 2 * params.ports; i++) /* the others are zeroes */
            same &= (write >> i & 1) != 0 || out.aer_data[i] == 0;
        if (!same || write != out.aer_write)
            return "C writes halves " + std::to_string(write) + " of error registers, the RTL " +
                   std::to_string(out.aer_write) + (same ? "" : " with other bits");
        if (fault == record.faults.size() || record.faults[fault].edge != edge)
            return out.err_valid != 0
                       ? "error: C reports none, the RTL kind " + std::to_string(out.err_kind)
                       : "";
        const Fault &f = record.faults[fault++];
        if (out.err_valid == 0)
            return "error: C reports kind " + std::to_string(f.kind) + ", the RTL none";
        if (f.port != out.err_port || f.kind != out.err_kind || f.advisory != out.err_advisory ||
            memcmp(f.header.data(), out.err_header, 16) != 0)
            return "error: C has port " + std::to_string(f.port) + ", kind " +
                   std::to_string(f.kind) + ", " + hex(f.header.data(), 16) + ", the RTL port " +
                   std::to_string(out.err_port) + ", kind " + std::to_string(out.err_kind) + ", " +
                   hex(out.err_header, 16);
        return "";
    }

    /* What a channel acts on at the next edge is shown before that. The record has to have it. */
    std::string compare_answers(uint64_t edge)
    {
        uint32_t errors = 0;
        bool same = true;

        if (edge + 1 == record.edges)
            return "";
        if (answer < record.answers.size() && record.answers[answer].edge == edge + 1) {
            const Answer &a = record.answers[answer++];

            errors = a.errors;
            same = (errors & ~kTimeout) == 0 || memcmp(a.header.data(), out.dma_header, 16) == 0;
        }
        if (errors != out.dma_errors || !same)
            return "answers: C has errors " + std::to_string(errors) + ", the RTL " +
                   std::to_string(out.dma_errors) + (same ? "" : " with another header");
        return "";
    }

    /* The core may be quiet only while the hub in C has nothing to do, and is in the end. It sees a
     * request of the management processor at the edge before the local queue has it. */
    std::string compare_quiet(uint64_t edge)
    {
        while (work + 1 < record.work.size() && record.work[work + 1].edge < edge)
            work++;
        const Work &w = record.work[work];
        bool begins = in.mgmt_valid != 0 ||
                      (work + 1 < record.work.size() && record.work[work + 1].edge == edge);

        if (w.any && out.quiet != 0)
            return "the RTL is quiet, C has something to do";
        if (!w.any && !begins && edge > w.edge + quiet_cycles && out.quiet == 0)
            return "C has nothing to do, the RTL is not quiet";
        return "";
    }

    std::string compare(uint64_t edge)
    {
        uint32_t rx_free = 0;
        size_t first = grant;
        std::string beside_it = compare_faults(edge);

        if (beside_it.empty())
            beside_it = compare_answers(edge);
        if (beside_it.empty())
            beside_it = compare_quiet(edge);
        if (!beside_it.empty())
            return beside_it;

        for (; grant < record.granted.size() && record.granted[grant].edge == edge; grant++) {
            const Packet &p = record.granted[grant];

            tx[p.out] = { &p, edge };
            if (p.source < first_own && !p.in_ddr)
                rx_free |= 1u << p.source;
        }
        for (unsigned o = 0; o < outputs; o++) {
            std::string text = compare_output(edge, o);

            if (!text.empty())
                return "output " + std::to_string(o) + ": " + text;
        }
        if (rx_free != out.rx_free)
            return "C frees places " + std::to_string(rx_free) + ", the RTL " +
                   std::to_string(out.rx_free);
        for (; first < grant; first++) {
            const Packet &p = record.granted[first];

            if (p.source < first_own && !p.in_ddr &&
                out.rx_free_units[p.source] != (p.data.size() + 15) / 16)
                return "source " + std::to_string(p.source) + ": the RTL frees " +
                       std::to_string(out.rx_free_units[p.source]) + " units of data";
        }
        return compare_written(edge);
    }

    /* Some stream has beats from this edge on. */
    bool is_in_packet(uint64_t edge) const
    {
        bool is = false;

        for (const std::vector<Stream> *streams : { &rx, &tx })
            for (const Stream &s : *streams)
                is |= s.beat(edge, bus) > 0;
        return is;
    }

    std::string compare_written(uint64_t edge)
    {
        uint32_t free = 0, units = 0;

        if (written < record.written.size() && record.written[written].edge == edge) {
            free = 1u << record.written[written].port;
            units = record.written[written++].units;
        }
        if (free != out.ddr_free || (free != 0 && units != out.ddr_free_units))
            return "DDR3: C frees " + std::to_string(units) + " units by port bits " +
                   std::to_string(free) + ", the RTL " + std::to_string(out.ddr_free_units) +
                   " by " + std::to_string(out.ddr_free);
        return "";
    }

    void note(uint64_t edge)
    {
        for (unsigned o = 0; o < outputs; o++) {
            if ((out.tx_sop >> o & 1) == 0)
                continue;
            seen.push_back("  " + std::to_string(edge) + ": " + std::to_string(out.tx_source[o]) +
                           " -> " + std::to_string(o) + "  " + hex(bytes(out.tx_data, o), 16) +
                           "\n");
            if (seen.size() > kShown)
                seen.pop_front();
        }
    }

    std::string report(uint64_t edge, const std::string &what) const
    {
        std::string s =
            "edge " + std::to_string(edge) + ", " + what + "\nC, edge: source -> output  header\n";

        for (size_t i = grant > kShown ? grant - kShown : 0;
             i < std::min(grant + 2, record.granted.size()); i++) {
            const Packet &p = record.granted[i];

            s += "  " + std::to_string(p.edge) + ": " + std::to_string(p.source) + " -> " +
                 std::to_string(p.out) + "  " + hex(p.header.data(), 16) + "\n";
        }
        s += "RTL\n";
        for (const std::string &line : seen)
            s += line;
        return s;
    }
};
} // namespace

std::string replay_record(const ForwardLibrary &library, Forward *rtl, const Record &record,
                          bool *midst_p)
{
    Replay r(record, library.params());
    std::string what;

    library.reset(rtl, &record.begin);
    for (uint64_t edge = record.first; edge < record.edges; edge++) {
        r.give_state(edge);
        r.give_received(edge);
        r.give_request(edge);
        library.edge(rtl, &r.in, &r.out);
        r.take_request();
        what = r.compare(edge);
        r.note(edge);
        if (!what.empty()) {
            what = r.report(edge, what);
            break;
        }
    }
    *midst_p = r.is_in_packet(record.edges);
    return what;
}
