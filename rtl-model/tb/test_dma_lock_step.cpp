/*
 * The DMA channels of the hub in C and hub_dma in lock step: the same stores, completions and
 * grants at the same edges, and then each request and write, each beat of data, interrupts, errors
 * and registers. HUBSIM_RTL is the folder with libraries made by rtl-model/verilate --dma,
 * HUBSIM_RTL_SEEDS the number of seeds of each kind of traffic, HUBSIM_RTL_TRACE an FST file to
 * write.
 */
#include "dma_record.h"

#include <gtest/gtest.h>

extern "C" {
#include "regs/hub_regs.h"
}

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <unistd.h>

namespace
{
struct Library {
    DmaParams (*params)(void);
    Dma *(*create)(const char *trace);
    void (*edge)(Dma *rtl, const DmaIn *in, DmaOut *out);
    void (*destroy)(Dma *rtl);
};

std::string hex(const void *bytes, size_t n)
{
    std::string s;
    char text[4];

    for (size_t i = 0; i < n; i++) {
        snprintf(text, sizeof(text), i % 4 == 3 && i + 1 < n ? "%02x " : "%02x",
                 static_cast<const uint8_t *>(bytes)[i]);
        s += text;
    }
    return s;
}

struct Replay {
    const DmaRecord &record;
    DmaParams params;
    unsigned bus;
    DmaIn in = {};
    DmaOut out = {};
    size_t state = 0, beat = 0, completion = 0;
    size_t put[kDmaSources] = {}, granted[kDmaSources] = {};
    const DmaPacket *sending[kDmaSources] = {}, *coming = nullptr;
    std::vector<uint8_t> ram = std::vector<uint8_t>(HUB_INTERNAL_BYTES + kDmaBus);
    std::string wrong;

    Replay(const DmaRecord &r, const DmaParams &p) : record(r), params(p), bus(p.bus_bytes) {}

    /* Beat k of the data of a packet; zeroes behind the last byte. */
    void show(const DmaPacket &p, uint64_t k, void *to) const
    {
        size_t from = k * bus;

        memset(to, 0, bus);
        if (from < p.data.size())
            memcpy(to, &p.data[from], std::min<size_t>(bus, p.data.size() - from));
    }
    uint64_t beats(const DmaPacket &p) const { return (p.data.size() + bus - 1) / bus; }

    void give(uint64_t edge)
    {
        in.cycle = edge;
        in.state_is_new =
            state < record.states.size() && (state == 0 || record.states[state].first == edge);
        if (in.state_is_new)
            in.state = &record.states[state++].second;
        in.write_valid = beat < record.beats.size() && record.beats[beat].edge == edge &&
                         record.beats[beat].addr < HUB_INTERNAL_OFFSET;
        in.write_enable = 0;
        if (in.write_valid) {
            const DmaBeat &b = record.beats[beat];

            in.write_addr = static_cast<uint32_t>(b.addr);
            memcpy(in.write_data, b.data.data(), bus);
            for (unsigned i = 0; i < bus / 4; i++)
                in.write_enable |= static_cast<uint32_t>((b.enable >> 4 * i & 0xf) == 0xf) << i;
        }
        /* The crossbar shows what was granted from the edge on, so it counts for the next one. */
        in.sink_valid = in.sink_sop = false;
        if (completion < record.completions.size() &&
            record.completions[completion].edge + 1 == edge) {
            coming = &record.completions[completion++];
            in.sink_valid = in.sink_sop = true;
            in.sink_host = coming->out == 0;
            memset(in.sink_data, 0, sizeof(in.sink_data));
            memcpy(in.sink_data, coming->header.data(), 16);
        } else if (coming != nullptr && edge - coming->edge - 2 < beats(*coming)) {
            in.sink_valid = true;
            show(*coming, edge - coming->edge - 2, in.sink_data);
        }
        in.own_grant = in.own_read = 0;
        for (unsigned s = 0; s < kDmaSources; s++) {
            if (granted[s] < record.granted[s].size() && record.granted[s][granted[s]].edge == edge)
                in.own_grant |= 1u << s;
            if (sending[s] != nullptr && edge - sending[s]->edge - 1 < beats(*sending[s]))
                in.own_read |= 1u << s;
        }
        in.read_addr = record.edges[edge].read_addr;
    }

    void expect(bool good, uint64_t edge, const std::string &what)
    {
        if (!good && wrong.empty())
            wrong = "edge " + std::to_string(edge) + ", " + what;
    }

    void compare_source(uint64_t edge, unsigned s)
    {
        const std::vector<DmaPacket> &list = record.put[s];
        bool valid = put[s] < list.size() && list[put[s]].edge <= edge;
        std::string name =
            (s < 4 ? "requests of channel " : "writes of channel ") + std::to_string(s % 4);

        expect(valid == ((out.own_valid >> s & 1) != 0), edge,
               name +
                   (valid
                        ? ": C has one that may be granted: " + hex(list[put[s]].header.data(), 16)
                        : ": the RTL has one that may be granted: " + hex(out.own_header[s], 16)));
        if (valid) {
            expect(memcmp(list[put[s]].header.data(), out.own_header[s], 16) == 0, edge,
                   name + ": C has " + hex(list[put[s]].header.data(), 16) + ", the RTL " +
                       hex(out.own_header[s], 16));
            expect(out.own_out[s] == list[put[s]].out, edge,
                   name + ": C sends to " + std::to_string(list[put[s]].out) + ", the RTL to " +
                       std::to_string(out.own_out[s]));
            expect((out.own_class >> 2 * s & 3) == (s < 4 ? 1 : 0), edge, name + ": class");
        }
        if ((in.own_read >> s & 1) != 0) {
            uint8_t expected[kDmaBus];
            const uint8_t *rtl = reinterpret_cast<const uint8_t *>(out.own_data) + s * bus;

            show(*sending[s], edge - sending[s]->edge - 1, expected);
            expect(memcmp(expected, rtl, bus) == 0, edge,
                   name + ", beat " + std::to_string(edge - sending[s]->edge - 1) + " of " +
                       std::to_string(beats(*sending[s])) + ": C has " + hex(expected, bus) +
                       ", the RTL " + hex(rtl, bus));
        }
        if ((in.own_grant >> s & 1) != 0) {
            sending[s] = &record.granted[s][granted[s]++];
            put[s]++;
        }
    }

    void compare(uint64_t edge)
    {
        const DmaEdge &e = record.edges[edge];

        for (unsigned s = 0; s < kDmaSources; s++)
            compare_source(edge, s);
        expect(out.irq == e.irq, edge,
               "C raises " + std::to_string(e.irq) + ", the RTL " + std::to_string(out.irq));
        expect(out.read_data == e.value, edge,
               "channel " + std::to_string(e.read_addr >> 8) + ", register " +
                   std::to_string(e.read_addr & 0xff) + ": C has " + std::to_string(e.value) +
                   ", the RTL " + std::to_string(out.read_data));
        if (edge + 1 < record.edges.size()) {
            expect(out.unexpected == record.edges[edge + 1].unexpected, edge,
                   "Unexpected Completion");
            expect(out.timeout == record.edges[edge + 1].timeout, edge, "Completion Timeout");
        }
    }

    /* Internal RAM: the read of this edge sees what was there before its writes. */
    void run_ram(uint64_t edge)
    {
        memcpy(in.ram_data, &ram[out.ram_addr], bus);
        for (; beat < record.beats.size() && record.beats[beat].edge == edge; beat++) {
            const DmaBeat &b = record.beats[beat];

            for (unsigned i = 0; i < bus && b.addr >= HUB_INTERNAL_OFFSET; i++)
                if ((b.enable >> i & 1) != 0)
                    ram[(b.addr + i) & (HUB_INTERNAL_BYTES - 1)] = b.data[i];
        }
    }

    std::string run(const Library &library, const char *trace)
    {
        Dma *rtl = library.create(trace);

        for (uint64_t edge = 0; edge < record.edges.size() && wrong.empty(); edge++) {
            give(edge);
            library.edge(rtl, &in, &out);
            compare(edge);
            run_ram(edge);
        }
        library.destroy(rtl);
        return wrong;
    }
};

struct Kind {
    const char *name;
    DmaTraffic traffic;
};

DmaTraffic short_ones()
{
    DmaTraffic t;

    t.pause_ps = 100000;
    t.longest = 40;
    t.hold_ps = 0;
    return t;
}
DmaTraffic wrong_answers()
{
    DmaTraffic t;

    t.wrong = 25;
    t.longest = 200;
    t.pause_ps = 100000;
    return t;
}
DmaTraffic full_ports()
{
    DmaTraffic t;

    t.hold_ps = 2000000;
    return t;
}
DmaTraffic stores()
{
    DmaTraffic t;

    t.stores_ps = 100000;
    t.longest = 600;
    return t;
}
const Kind kKinds[] = { { "any", DmaTraffic() },
                        { "short", short_ones() },
                        { "wrong", wrong_answers() },
                        { "full", full_ports() },
                        { "stores", stores() } };

uint64_t number_of(const char *variable, uint64_t otherwise)
{
    const char *text = getenv(variable);

    return text != nullptr ? strtoull(text, nullptr, 0) : otherwise;
}

class DmaLockStep : public ::testing::TestWithParam<const char *>
{
  protected:
    Library library = {};
    void *handle = nullptr;

    void SetUp() override
    {
        const char *folder = getenv("HUBSIM_RTL");
        std::string path;

        if (folder == nullptr)
            GTEST_SKIP() << "HUBSIM_RTL is not set: expected a folder made by rtl-model/verilate";
        path = std::string(folder) + "/dma_" + GetParam() + ".so";
        if (access(path.c_str(), F_OK) != 0)
            GTEST_SKIP() << path << " is not there: rtl-model/verilate --dma makes it";
        handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
        ASSERT_NE(nullptr, handle) << dlerror();
        load(library.params, "dma_params");
        load(library.create, "dma_create");
        load(library.edge, "dma_edge");
        load(library.destroy, "dma_destroy");
    }
    template <typename F> void load(F &function, const char *name)
    {
        function = reinterpret_cast<F>(dlsym(handle, name));
        ASSERT_NE(nullptr, function) << name;
    }
    void TearDown() override
    {
        if (handle != nullptr)
            dlclose(handle);
    }
};

TEST_P(DmaLockStep, EachStepIsTheSame)
{
    uint64_t seeds = number_of("HUBSIM_RTL_SEEDS", 2), first = number_of("HUBSIM_RTL_FIRST", 1);
    DmaParams params = library.params();
    std::map<std::string, unsigned> events;

    for (const Kind &kind : kKinds) {
        for (uint64_t seed = first; seed < first + seeds; seed++) {
            DmaTraffic t = kind.traffic;
            std::string difference;

            t.seed = seed;
            DmaRecord record = record_dma(params, t);
            ASSERT_FALSE(HasFatalFailure());
            difference = Replay(record, params).run(library, getenv("HUBSIM_RTL_TRACE"));
            ASSERT_EQ("", difference) << GetParam() << ", " << kind.name << ", seed " << seed;
            for (const auto &e : record.events)
                events[e.first] += e.second;
            events["edges"] += static_cast<unsigned>(record.edges.size());
            for (unsigned s = 0; s < kDmaSources; s++)
                events[s < 4 ? "requests" : "writes"] +=
                    static_cast<unsigned>(record.granted[s].size());
        }
    }
    printf("%s:", GetParam());
    for (const auto &e : events)
        printf(" %s %u", e.first.c_str(), e.second);
    printf("\n");
    for (const char *what : { "done", "failed", "aborted", "length", "align", "source", "dest",
                              "fetch", "busy", "timeout", "poison", "abort", "unexpected" })
        EXPECT_GE(events[what], seeds) << what;
    EXPECT_GT(events["writes"], 400 * seeds);
}

INSTANTIATE_TEST_SUITE_P(Sets, DmaLockStep, ::testing::Values("least", "small", "wide", "odd"),
                         [](const auto &info) { return std::string(info.param); });
} // namespace
