#include "crosses.h"

#include <algorithm>
#include <cstdio>

namespace
{
enum Wait { kNothing, kOrder, kRoom, kMaster, kBubble, kCredit, kOther, kWaits };
const char *const kWaitNames[kWaits] = { "nothing", "order",  "room",         "Bus Master",
                                         "bubble",  "credit", "other packets" };
enum Kind { kWrite, kWriteVc1, kRead, kCompletion, kData, kConfiguration, kIo, kMessage, kKinds };
const char *const kKindNames[kKinds] = { "write", "write of VC1",  "read", "completion",
                                         "data",  "configuration", "I/O",  "message" };

/* A packet of one source, and when it came, might go and went. */
struct Passage {
    uint64_t came, from, went, busy; /* busy: until then its source is */
    uint32_t out;
    Kind kind;
    unsigned cls; /* that it leaves in */
    bool in_ddr;
    unsigned waits; /* bits of Wait */
};

Kind kind_of(const Packet &p, bool vc1)
{
    unsigned type = p.header[0] & 0x1f;
    bool data = (p.header[0] & 0x40) != 0;

    if (type == 0)
        return !data ? kRead : vc1 ? kWriteVc1 : kWrite;
    if (type == 0x0a)
        return data ? kData : kCompletion;
    return type >= 0x10 ? kMessage : type == 2 ? kIo : kConfiguration;
}

unsigned class_of(const Packet &p, unsigned classes)
{
    switch (kind_of(p, false)) {
    case kWrite:
        return classes == kClasses && (p.header[1] >> 4 & 7) == 1 ? 3 : 0;
    case kMessage:
        return 0;
    case kData:
    case kCompletion:
        return 2;
    default:
        return 1;
    }
}

bool is_request(Kind kind)
{
    return kind != kCompletion && kind != kData;
}

struct Crosses {
    const Record &record;
    const ForwardParams &params;
    Report *report;
    unsigned first_own, outputs;
    std::vector<std::vector<Passage>> passages; /* by source */
    std::vector<size_t> head;
    std::vector<uint64_t> source_free, out_free;
    size_t state = 0, self = 0;

    Crosses(const Record &r, const ForwardParams &p, Report *to)
        : record(r), params(p), report(to), first_own(p.ports * p.classes), outputs(p.ports + 2),
          passages(first_own + kOwn), head(first_own + kOwn), source_free(first_own + kOwn),
          out_free(outputs)
    {
    }
    void happen(Event event, uint64_t times = 1) { report->events[event] += times; }
    bool is_own(unsigned source) const { return source >= first_own; }
    unsigned class_in(unsigned source) const
    {
        return is_own(source) ? kClasses : source % params.classes;
    }

    void collect()
    {
        std::vector<size_t> next(passages.size());

        for (const Packet &p : record.granted) {
            uint64_t beats = 1 + (p.data.size() + params.bus_bytes - 1) / params.bus_bytes;
            Kind kind = kind_of(p, class_in(p.source) == 3);

            passages[p.source].push_back({ 0, 0, p.edge,
                                           p.edge + beats + (p.data.empty() ? 0 : params.gap),
                                           p.out, kind, class_of(p, params.classes), p.in_ddr, 0 });
        }
        for (unsigned port = 0; port < params.ports; port++)
            for (const Packet &p : record.received[port]) {
                unsigned source = port * params.classes + p.out;

                came(source, &next[source], p.edge, p.edge + params.receive + params.route);
            }
        for (const Packet &p : record.put)
            came(p.source, &next[p.source], p.edge, p.edge);
    }
    void came(unsigned source, size_t *next, uint64_t edge, uint64_t from)
    {
        if (*next == passages[source].size())
            return;
        Passage &p = passages[source][(*next)++];
        p.came = edge;
        p.from = from + (!is_own(source) && p.out < params.ports ? params.output : 0);
    }

    /* A posted packet of VC0 that came before it has not gone so far. */
    bool is_behind(unsigned source, const Passage &p) const
    {
        unsigned posted = source - source % params.classes;

        return !is_own(source) && (class_in(source) == 1 || class_in(source) == 2) &&
               head[posted] < passages[posted].size() &&
               passages[posted][head[posted]].came < p.came;
    }

    Wait wait_of(unsigned source, const Passage &p, const ForwardIn &in) const
    {
        unsigned at = p.out * params.classes + p.cls;

        if (is_behind(source, p))
            return kOrder;
        if (p.out < params.ports) {
            if ((in.tx_ready >> at & 1) == 0)
                return kRoom;
            if ((in.master >> p.out & 1) == 0 && is_request(p.kind))
                return kMaster;
            if ((record.enters[p.out] >> source & 1) != 0 && (in.up >> p.out & 1) != 0) {
                if ((in.tx_empty >> at & 1) == 0)
                    return kBubble;
                if (!has_credits(in, p.out, at))
                    return kCredit;
            }
        }
        if (p.out == outputs - 1 && record.self[self].local_full)
            return kRoom;
        return kOther;
    }
    bool has_credits(const ForwardIn &in, unsigned out, unsigned at) const
    {
        unsigned units = 8u << (in.mps >> 3 * out & 7);
        bool many = (in.tx_first_h[at] == 0 || in.tx_limit_h[at] >= params.bubble) &&
                    (in.tx_first_d[at] == 0 || in.tx_limit_d[at] >= units * params.bubble);

        return many || ((in.tx_first_h[at] == 0 || in.tx_limit_h[at] == in.tx_first_h[at]) &&
                        (in.tx_first_d[at] == 0 || in.tx_limit_d[at] == in.tx_first_d[at]));
    }

    void look(uint64_t edge)
    {
        uint32_t granted = 0;

        for (unsigned s = 0; s < passages.size(); s++)
            if (head[s] < passages[s].size() && passages[s][head[s]].went == edge)
                granted |= 1u << passages[s][head[s]].out;
        for (unsigned s = 0; s < passages.size(); s++) {
            if (head[s] == passages[s].size())
                continue;
            Passage &p = passages[s][head[s]];

            if (p.went == edge || p.in_ddr || p.from > edge || source_free[s] > edge)
                continue;
            Wait wait = wait_of(s, p, record.states[state].in);
            p.waits |= 1u << wait;
            if (wait == kOther && out_free[p.out] <= edge && (granted >> p.out & 1) == 0 &&
                !(p.out == outputs - 1 && record.self[self].busy))
                report->unexplained++;
        }
    }

    void leave(uint64_t edge)
    {
        for (unsigned s = 0; s < passages.size(); s++) {
            if (head[s] == passages[s].size() || passages[s][head[s]].went != edge)
                continue;
            const Passage &p = passages[s][head[s]++];

            source_free[s] = out_free[p.out] = p.busy;
            for (unsigned w = 0; w < kWaits; w++)
                if ((p.waits >> w & 1) != 0 || (w == kNothing && p.waits == 0))
                    cross(p.kind, s, p.out, static_cast<Wait>(w), 1);
            for (unsigned w = kOrder; w < kWaits; w++)
                if ((p.waits >> w & 1) != 0)
                    happen(static_cast<Event>(kEventBlockedByOrder + w - kOrder));
        }
    }

    std::string source_name(unsigned s) const
    {
        return !is_own(s)                  ? "port " + std::to_string(s / params.classes)
               : s == first_own            ? "local"
               : s <= first_own + kOwn / 2 ? "channels, reads"
                                           : "channels, writes";
    }
    void cross(Kind kind, unsigned source, unsigned out, Wait wait, uint64_t times)
    {
        std::string to = out < params.ports    ? "port " + std::to_string(out)
                         : out == params.ports ? "SINK"
                                               : "SELF";

        report->crosses[std::string(kKindNames[kind]) + ", " + source_name(source) + " to " + to +
                        ": " + kWaitNames[wait]] += times;
    }

    /* All that may wait there does so for any of these. */
    void reach(Kind kind, unsigned source, unsigned out)
    {
        bool host_or_endpoint = out < params.ports && (record.endpoints >> out & 1) != 0;

        cross(kind, source, out, kNothing, 0);
        cross(kind, source, out, kOther, 0);
        if (!is_own(source) && (class_in(source) == 1 || class_in(source) == 2))
            cross(kind, source, out, kOrder, 0);
        if (out != params.ports)
            cross(kind, source, out, kRoom, 0);
        if (host_or_endpoint && is_request(kind))
            cross(kind, source, out, kMaster, 0);
        if (out < params.ports && (record.enters[out] >> source & 1) != 0) {
            cross(kind, source, out, kBubble, 0);
            cross(kind, source, out, kCredit, 0);
        }
    }
    void reach_all()
    {
        for (unsigned s = 0; s < first_own; s++)
            reach_received(s);
        for (unsigned out = 0; out < params.ports; out++) {
            reach(kCompletion, first_own, out);
            if ((record.endpoints >> out & 1) == 0)
                reach(kConfiguration, first_own, out);
            reach(kWrite, first_own + kOwn - 1, out);
        }
        reach(kWrite, first_own + kOwn - 1, outputs - 1);
        reach(kData, first_own, 0);
        reach(kWrite, first_own, 0);
        reach(kRead, first_own + 1, 0);
    }
    void reach_received(unsigned s)
    {
        unsigned port = s / params.classes, self_out = outputs - 1;

        switch (class_in(s)) {
        case 3:
            if ((record.states.back().in.vc1 >> port & 1) == 0)
                break;
            [[fallthrough]];
        case 0:
            for (unsigned out = 0; out < params.ports; out++)
                if (out != port)
                    reach(class_in(s) == 3 ? kWriteVc1 : kWrite, s, out);
            reach(class_in(s) == 3 ? kWriteVc1 : kWrite, s, self_out);
            if (class_in(s) == 0)
                reach(kMessage, s, self_out);
            break;
        case 1:
            reach(kRead, s, self_out);
            reach(kIo, s, self_out);
            break;
        default:
            reach(kCompletion, s, params.ports);
            reach(kData, s, params.ports);
            break;
        }
    }

    void run()
    {
        collect();
        for (uint64_t edge = record.first; edge < record.edges; edge++) {
            while (state + 1 < record.states.size() && record.states[state + 1].edge <= edge)
                state++;
            while (self + 1 < record.self.size() && record.self[self + 1].edge <= edge)
                self++;
            look(edge);
            leave(edge);
        }
    }
};

/* A link that goes down, and which streams of its port are busy then. */
void count_outages(const Record &r, const ForwardParams &params, Report *report)
{
    for (size_t i = 1; i < r.states.size(); i++) {
        uint32_t down = r.states[i - 1].in.up & ~r.states[i].in.up;
        uint64_t edge = r.states[i].edge;
        auto covers = [&](const Packet &p) {
            return p.edge < edge &&
                   edge <= p.edge + (p.data.size() + params.bus_bytes - 1) / params.bus_bytes;
        };
        auto later = [](uint64_t at, const Packet &p) { return at < p.edge; };

        for (; down != 0; down &= down - 1) {
            const std::vector<Packet> &in = r.received[__builtin_ctz(down)];
            auto got = std::upper_bound(in.begin(), in.end(), edge, later);
            auto sent = std::upper_bound(r.granted.begin(), r.granted.end(), edge, later);

            report->events[kEventDownReceiving] += got != in.begin() && covers(got[-1]);
            for (int n = 0; n < 600 && sent != r.granted.begin(); n++, sent--)
                if (sent[-1].out == static_cast<uint32_t>(__builtin_ctz(down))) {
                    report->events[kEventDownSending] += covers(sent[-1]);
                    break;
                }
        }
    }
}

void count_headers(const Record &r, Report *report)
{
    for (const Packet &p : r.granted) {
        bool memory = (p.header[0] & 0x1f) == 0;
        unsigned first = p.header[7] & 0xf;

        if (!memory)
            continue;
        report->events[(p.header[0] & 0x20) != 0 ? kEventLongHeader : kEventShortHeader]++;
        report->events[kEventOddBegin] += first != 0xf && first != 0;
    }
}
} // namespace

void count_crosses(const Record &record, const ForwardParams &params, Report *report)
{
    Crosses crosses(record, params, report);

    report->tlps += record.granted.size();
    report->edges += record.edges - record.first;
    report->records++;
    report->clocks["phase " + std::to_string(record.clock_phase_ps / 100 * 100) + " ps"]++;
    if (record.clock_khz > 249000 && record.clock_khz < 251000)
        report
            ->clocks[std::to_string((static_cast<int>(record.clock_khz) - 250000) * 4) + " ppm"]++;
    for (unsigned i = 0; i < kEvents; i++)
        report->events[i] += record.events[i];
    for (unsigned i = 0; i <= kEventEndAbort - kEventEndLength; i++)
        report->events[kEventEndLength + i] += record.ended[1 + i];
    for (size_t i = 1; i < record.self.size(); i++)
        report->events[kEventLocalFull] +=
            record.self[i].local_full && !record.self[i - 1].local_full;
    for (const Fault &f : record.faults)
        report->events[f.kind == 12   ? kEventPoisoned
                       : f.kind == 15 ? kEventCompleterAbort
                                      : kEventUnsupported]++;
    count_outages(record, params, report);
    count_headers(record, report);
    crosses.reach_all();
    crosses.run();
}

bool write_report(const Report &report, const char *file)
{
#define NAME(name, text) text,
    static const char *const names[] = { RECORD_EVENTS(NAME) };
    FILE *f = fopen(file, "w");

    if (f == nullptr)
        return false;
    fprintf(f, "total | TLPs | %llu\n", static_cast<unsigned long long>(report.tlps));
    fprintf(f, "total | edges | %llu\n", static_cast<unsigned long long>(report.edges));
    fprintf(f, "total | records | %llu\n", static_cast<unsigned long long>(report.records));
    for (unsigned i = 0; i < kEvents; i++)
        fprintf(f, "event | %s | %llu\n", names[i],
                static_cast<unsigned long long>(report.events[i]));
    for (const auto &clock : report.clocks)
        fprintf(f, "clock | %s | %llu\n", clock.first.c_str(),
                static_cast<unsigned long long>(clock.second));
    for (const auto &cross : report.crosses)
        fprintf(f, "cross | %s | %llu\n", cross.first.c_str(),
                static_cast<unsigned long long>(cross.second));
    return fclose(f) == 0;
}
