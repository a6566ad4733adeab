/*
 * The hub in C and hub_core in lock step: the same packets at the same edges, and then each beat
 * at each output. HUBSIM_RTL is the folder with libraries made by rtl-model/verilate,
 * HUBSIM_RTL_SEEDS the number of seeds of each kind of traffic, HUBSIM_RTL_FIRST the first one,
 * HUBSIM_RTL_TRACE an FST file to write. With HUBSIM_RTL_TLPS there are as many seeds as so many
 * packets take, and HUBSIM_RTL_REPORT is a file for what they made happen (rtl-model/campaign).
 */
#include "crosses.h"
#include "replay.h"

#include "regs/hub_regs.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <dlfcn.h>
#include <map>
#include <set>
#include <unistd.h>

namespace
{
struct Kind {
    const char *name;
    Traffic traffic;
};

Traffic full_queues()
{
    Traffic t;

    t.idle = 2;
    t.lists = 15;
    t.stop_ps = 4000000;
    t.outage_ps = 1000000;
    return t;
}
Traffic one_output()
{
    Traffic t;

    t.idle = 0;
    t.target = 2;
    t.to_self = 5;
    t.hold_ps = 0;
    return t;
}
Traffic back_pressure()
{
    Traffic t = full_queues();

    t.target = 1;
    t.hold_ps = 2000000;
    return t;
}
Traffic behind_posted()
{
    Traffic t;

    t.idle = 5;
    t.reads = 30;
    t.answers = 30;
    t.hold_ps = 1000000;
    return t;
}
Traffic new_routes()
{
    Traffic t;

    t.idle = 2;
    t.target = 0;
    t.to_self = 50;
    t.routes = 100;
    return t;
}
/* The ring is full, and so are the places beside it. */
Traffic notifications()
{
    Traffic t;

    t.idle = 1;
    t.reads = t.answers = 5;
    t.to_self = 95;
    t.notes = 85;
    t.tails = 1;
    t.routes = 5;
    t.hold_ps = 0;
    return t;
}
/* Entries are taken out as they come. */
Traffic full_ring()
{
    Traffic t = notifications();

    t.notes = 40;
    t.tails = 20;
    t.hold_ps = 100000;
    return t;
}
/* Links go down, and come up again. */
Traffic failing_links()
{
    Traffic t;

    t.idle = 10;
    t.lists = 20;
    t.outage_ps = 3000000;
    t.hold_ps = 200000;
    return t;
}
Traffic registers()
{
    Traffic t;

    t.idle = 1;
    t.lists = 20;
    t.to_self = 80;
    t.notes = 5;
    t.reads = 60;
    t.hold_ps = 0;
    return t;
}
/* Lists for all channels, beside little else. */
Traffic lists()
{
    Traffic t;

    t.send_ps = 60000000;
    t.idle = 60;
    t.lists = 75;
    t.to_self = 10;
    t.hold_ps = 50000;
    return t;
}
/* They wait for everything, and their answers are often wrong. */
Traffic hindered_lists()
{
    Traffic t = lists();

    t.lists = 40;
    t.wrong = 15;
    t.hold_ps = 1000000;
    return t;
}
/* Where routes begin and end, and one bit away from there, by all channels and ports. */
Traffic bounds()
{
    Traffic t;

    t.idle = 50;
    t.lists = 95;
    t.aims = true;
    t.bounds = 90;
    t.to_self = t.reads = 8;
    t.hold_ps = 0;
    return t;
}
Traffic any()
{
    Traffic t;

    t.lists = 25;
    return t;
}
const Kind kKinds[] = { { "any", any() },
                        { "full_queues", full_queues() },
                        { "one_output", one_output() },
                        { "back_pressure", back_pressure() },
                        { "behind_posted", behind_posted() },
                        { "new_routes", new_routes() },
                        { "notifications", notifications() },
                        { "full_ring", full_ring() },
                        { "registers", registers() },
                        { "lists", lists() },
                        { "hindered_lists", hindered_lists() },
                        { "bounds", bounds() },
                        { "failing_links", failing_links() } };

uint64_t number_of(const char *variable, uint64_t otherwise)
{
    const char *text = getenv(variable);

    return text != nullptr ? strtoull(text, nullptr, 0) : otherwise;
}

/* What the traffic made happen, from the record alone. */
struct Counts {
    uint64_t tlps = 0, edges = 0, records = 0;
    uint64_t tied = 0;    /* packets that wanted an output from the same edge on as another one */
    uint64_t behind = 0;  /* packets that could go but for a posted one before them */
    uint64_t own[3] = {}; /* from the local queue; reads of channels, their writes */
    unsigned waiting = 0; /* posted packets in one queue, at most */
    uint64_t in_ddr = 0;  /* packets that waited in DDR3 */
    uint64_t channel[2][2] = {}; /* writes by the virtual channels that they came and left in */
};

/* What SELF did, of all kinds of traffic. */
struct SelfCounts {
    uint64_t reads = 0, cuts = 0; /* answers with data, and completions before the last ones */
    uint64_t entries = 0, sent = 0, lost = 0; /* in the ring, of these in host memory; nowhere */
    uint64_t interrupts = 0, requests = 0;    /* the latter by the management processor */
    uint64_t ended[16] = {};                  /* lists of channels, by their error */
    std::map<uint32_t, uint64_t> errors;      /* by kind */
    std::set<uint32_t> read, written;         /* offsets of registers, and of their halves */
};

/* The packets of one source, and when they came, might go and went. */
struct Passage {
    uint64_t came, from, went;
    uint32_t out;
};

std::vector<Passage> passages(const Record &r, const ForwardParams &params, unsigned port,
                              unsigned cls)
{
    std::vector<Passage> list;
    size_t at = 0;

    for (const Packet &p : r.granted)
        if (p.source == port * params.classes + cls)
            list.push_back({ 0, 0, p.edge, p.out });
    for (const Packet &p : r.received[port]) {
        if (p.out != cls || at == list.size())
            continue;
        list[at].came = p.edge;
        list[at].from = p.edge + params.receive + params.route +
                        (list[at].out < params.ports ? params.output : 0);
        at++;
    }
    return list;
}

unsigned most_waiting(const std::vector<Passage> &list)
{
    std::map<uint64_t, int> change;
    int now = 0, most = 0;

    for (const Passage &p : list) {
        change[p.came]++;
        change[p.went]--;
    }
    for (const auto &at : change)
        most = std::max(most, now += at.second);
    return static_cast<unsigned>(most);
}

uint64_t held_behind(const std::vector<Passage> &posted, const std::vector<Passage> &list)
{
    uint64_t n = 0;

    for (const Passage &p : list) {
        bool held = false;

        for (size_t i = 0; i < posted.size() && posted[i].came < p.came; i++)
            held |= posted[i].went >= p.from;
        n += held;
    }
    return n;
}

void count(const Record &r, const ForwardParams &params, Counts *c)
{
    std::map<std::pair<uint64_t, uint32_t>, unsigned> want;

    c->tlps += r.granted.size();
    c->edges += r.edges - r.first;
    c->records++;
    c->in_ddr += r.written.size();
    for (const Packet &p : r.granted)
        if (p.source >= params.ports * params.classes)
            c->own[(p.source - params.ports * params.classes + 3) / 4]++;
    for (unsigned p = 0; p < params.ports; p++) {
        std::vector<Passage> posted = passages(r, params, p, 0);

        c->waiting = std::max(c->waiting, most_waiting(posted));
        for (unsigned cls = 0; cls < params.classes; cls++) {
            std::vector<Passage> list = passages(r, params, p, cls);

            for (const Passage &one : list)
                c->tied += want[{ one.from, one.out }]++ != 0;
            if (cls == 1 || cls == 2)
                c->behind += held_behind(posted, list);
        }
    }
}

void count_channels(const Record &r, const ForwardParams &params, Counts *c)
{
    for (const Packet &p : r.granted) {
        bool own = p.source >= params.ports * params.classes;
        bool write = (p.header[0] & 0x5f) == 0x40;

        if (p.out < params.ports && write)
            c->channel[!own && p.source % params.classes == 3][(p.header[1] >> 4 & 7) == 1]++;
    }
}

/* Where a packet for SELF begins in the registers, or UINT32_MAX. */
uint32_t register_of(const Packet &p, unsigned part_log2)
{
    const uint8_t *at = &p.header[(p.header[0] & 0x20) != 0 ? 12 : 8];
    uint64_t addr = (p.header[0] & 0x20) != 0 ? uint64_t{ p.header[11] } << 32 : 0;

    for (unsigned i = 0; i < 4; i++)
        addr |= uint64_t{ at[i] } << 8 * (3 - i);
    addr &= (UINT64_C(1) << (part_log2 - 2)) - 4; /* in its area */
    return addr < HUB_INTERNAL_OFFSET ? static_cast<uint32_t>(addr) : UINT32_MAX;
}

void count_local(const Packet &p, SelfCounts *c)
{
    uint64_t left = (p.header[6] & 0xfu) << 8 | p.header[7];

    if (p.header[0] == 0x4a)
        (p.data.size() - (p.header[11] & 3) < (left == 0 ? 4096 : left) ? c->cuts : c->reads)++;
    else if ((p.header[0] & 0x5f) == 0x40)
        (p.data.size() == 8 ? c->sent : c->interrupts)++;
}

void count_self(const Record &r, const ForwardParams &params, SelfCounts *c)
{
    for (const Packet &p : r.granted) {
        uint32_t at = register_of(p, r.states.front().in.part_log2);

        if (p.source == params.ports * params.classes)
            count_local(p, c);
        if (p.out != params.ports + 1 || (p.header[0] & 0x1f) != 0 || at == UINT32_MAX)
            continue;
        if (p.data.empty() && p.source < params.classes)
            c->read.insert(at & ~7u);
        for (uint32_t i = 0; i < p.data.size(); i += 4)
            c->written.insert(at + i);
    }
    for (const Fault &f : r.faults)
        c->errors[f.kind]++;
    c->entries += r.entries;
    c->lost += r.lost;
    c->requests += r.requests.size();
    for (unsigned i = 0; i < 16; i++)
        c->ended[i] += r.ended[i];
}

void expect_all_of_self(const SelfCounts &c)
{
    std::vector<uint32_t> registers = { HUB_ID,        HUB_SLOT,       HUB_LINK_STATUS,
                                        HUB_IRQ_RAISE, HUB_IRQ_STATUS, HUB_IRQ_MASK,
                                        HUB_UR_COUNT,  HUB_NOTIFY,     HUB_RING_BASE,
                                        HUB_RING_SIZE, HUB_RING_TAIL,  HUB_RING_HEAD,
                                        HUB_RING_LOST, HUB_ROUTE_MASK };

    for (uint32_t a = 0; a < HUB_AREA_SELF; a++)
        registers.push_back(HUB_AREA_BASE(a));
    registers.push_back(HUB_ERRORS(0));
    for (uint32_t offset : registers) {
        EXPECT_EQ(1u, c.read.count(offset)) << offset << " is never read";
        for (uint32_t half : { 0, 4 })
            EXPECT_EQ(1u, c.written.count(offset + half)) << offset + half << " is never written";
    }
    for (uint32_t kind : { 12, 15, 20 })
        EXPECT_EQ(1u, c.errors.count(kind)) << "no error " << kind;
    for (uint64_t n :
         { c.reads, c.cuts, c.sent, c.entries - c.sent, c.lost, c.interrupts, c.requests })
        EXPECT_GT(n, 0u) << "a part of SELF has nothing to do";
}

/* All ends that a list can have, but the rarest ones. */
void expect_all_of_lists(const SelfCounts &c)
{
    for (unsigned error : { 0u, HUB_DMA_ERR_LENGTH, HUB_DMA_ERR_ALIGN, HUB_DMA_ERR_SOURCE,
                            HUB_DMA_ERR_DEST, HUB_DMA_ERR_BUSY, HUB_DMA_ERR_TIMEOUT, 15u })
        EXPECT_GT(c.ended[error], 0u) << "no list ends with error " << error;
}

class LockStep : public ::testing::TestWithParam<const char *>
{
  protected:
    ForwardLibrary library = {};
    void *handle = nullptr;

    void SetUp() override
    {
        const char *folder = getenv("HUBSIM_RTL");
        std::string path;

        if (folder == nullptr)
            GTEST_SKIP() << "HUBSIM_RTL is not set: expected a folder made by rtl-model/verilate";
        ASSERT_EQ(0, access(folder, X_OK))
            << "HUBSIM_RTL = " << folder << ": expected a folder made by rtl-model/verilate";
        path = std::string(folder) + "/" + GetParam() + ".so";
        if (access(path.c_str(), F_OK) != 0)
            GTEST_SKIP() << path << " is not there: rtl-model/verilate makes it";
        handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
        ASSERT_NE(nullptr, handle) << dlerror();
        load(library.params, "forward_params");
        load(library.create, "forward_create");
        load(library.reset, "forward_reset");
        load(library.edge, "forward_edge");
        load(library.destroy, "forward_destroy");
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

    /* The hub's record, and the core's. */
    void compare(const Kind &kind, uint64_t seed, Counts *c, SelfCounts *self)
    {
        ForwardParams params = library.params();
        Traffic t = kind.traffic;
        bool midst = false;

        t.seed = seed;
        if (number_of("HUBSIM_RTL_TLPS", 0) != 0) { /* each record has a clock of its own, */
            t.seed = seed * 16 + static_cast<uint64_t>(&kind - kKinds);
            t.rest_ps = seed % 8 == 0 ? t.rest_ps : 0; /* and most end in mid-packet */
        }
        Record record = record_hub(params, t);
        ASSERT_FALSE(HasFatalFailure());
        ASSERT_EQ("", replay_record(library, rtl, record, &midst))
            << GetParam() << ", " << kind.name << ", seed " << t.seed;
        count(record, params, c);
        count_channels(record, params, c);
        count_self(record, params, self);
        count_crosses(record, params, &report);
        report.events[kEventResetInPacket] += midst;
    }

    /* As many seeds as are asked for. */
    void compare_all(Counts *counts, SelfCounts *self)
    {
        uint64_t first = number_of("HUBSIM_RTL_FIRST", 1), seeds = number_of("HUBSIM_RTL_SEEDS", 3);
        uint64_t tlps = number_of("HUBSIM_RTL_TLPS", 0);

        rtl = library.create(first, getenv("HUBSIM_RTL_TRACE"));
        for (uint64_t n = 0; tlps != 0 ? report.tlps < tlps : n < seeds; n++)
            for (const Kind &kind : kKinds) {
                compare(kind, first + n, &counts[&kind - kKinds], self);
                ASSERT_FALSE(HasFatalFailure());
            }
        library.destroy(rtl);
        rtl = nullptr;
    }

    Forward *rtl = nullptr;
    Report report;
};

using Number = unsigned long long;

void print_kind(const char *set, const char *kind, const Counts &c, unsigned places)
{
    printf("%-6s %-14s %7llu TLPs %8llu edges %6llu tied %6llu behind posted, own "
           "%llu %llu %llu, %u of %u wait, %llu in DDR3\n",
           set, kind, Number{ c.tlps }, Number{ c.edges }, Number{ c.tied }, Number{ c.behind },
           Number{ c.own[0] }, Number{ c.own[1] }, Number{ c.own[2] }, c.waiting, places,
           Number{ c.in_ddr });
}

void expect_work(const Kind &kind, const Counts &c, const ForwardParams &params)
{
    EXPECT_GT(c.tlps, 200 * c.records) << kind.name;
    EXPECT_GT(c.tied, 0u) << kind.name << ": no two packets wanted an output at one edge";
    EXPECT_GT(c.behind, 0u) << kind.name << ": nothing had to stay behind a posted packet";
    if (kind.traffic.stop_ps == 0)
        return;
    EXPECT_LE(params.headers[0], c.waiting) << kind.name << ": no queue was full";
    if (params.ddr)
        EXPECT_GT(c.in_ddr, 20 * c.records) << kind.name << ": DDR3 had nothing to do";
}

void print_self(const char *set, const SelfCounts &self)
{
    printf("%-6s SELF: %llu reads, %llu entries of the ring, %llu lost, %llu interrupts\n", set,
           Number{ self.reads }, Number{ self.entries }, Number{ self.lost },
           Number{ self.interrupts });
    printf("%-6s lists by their error, 15 aborted:", set);
    for (uint64_t n : self.ended)
        printf(" %llu", Number{ n });
    printf("\n");
}

TEST_P(LockStep, EachBeatIsTheSame)
{
    ForwardParams params = library.params();
    const char *file = getenv("HUBSIM_RTL_REPORT");
    Counts counts[std::size(kKinds)], all;
    SelfCounts self;

    compare_all(counts, &self);
    ASSERT_FALSE(HasFatalFailure());
    if (file != nullptr)
        ASSERT_TRUE(write_report(report, file)) << file << ": cannot be written";
    for (const Kind &kind : kKinds) {
        const Counts &c = counts[&kind - kKinds];

        print_kind(GetParam(), kind.name, c, params.headers[0]);
        expect_work(kind, c, params);
        for (unsigned i = 0; i < 3; i++)
            all.own[i] += c.own[i];
        for (unsigned i = 0; i < 4; i++)
            all.channel[i / 2][i % 2] += c.channel[i / 2][i % 2];
    }
    for (uint64_t n : all.own)
        EXPECT_GT(n, 0u) << "a source of the hub's own had nothing to send";
    for (unsigned i = 0; i < 4 && params.classes == kClasses; i++)
        EXPECT_GT(all.channel[i / 2][i % 2], 150u) << "from channel " << i / 2 << " to " << i % 2;
    EXPECT_EQ(0u, report.unexplained) << "edges at which a packet could have gone";
    print_self(GetParam(), self);
    expect_all_of_self(self);
    expect_all_of_lists(self);
    EXPECT_TRUE(params.dma.window_bytes == 0 || report.events[kEventNoWindow] > 0)
        << "no window of reads was full";
}

INSTANTIATE_TEST_SUITE_P(Sets, LockStep,
                         ::testing::Values("least", "small", "wide", "tight", "deep", "roomy",
                                           "broad", "slim", "squat", "odd"),
                         [](const auto &info) { return std::string(info.param); });
} // namespace
