/*
 * The hub in C and hub_forward in lock step: the same packets at the same edges, and then each beat
 * at each output. HUBSIM_RTL is the folder with libraries made by rtl-model/verilate,
 * HUBSIM_RTL_SEEDS the number of seeds of each kind of traffic, HUBSIM_RTL_TRACE an FST file to
 * write.
 */
#include "replay.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <dlfcn.h>
#include <map>
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
    t.stop_ps = 4000000;
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
const Kind kKinds[] = { { "any", Traffic() },
                        { "full_queues", full_queues() },
                        { "one_output", one_output() },
                        { "back_pressure", back_pressure() },
                        { "behind_posted", behind_posted() },
                        { "new_routes", new_routes() } };

uint64_t number_of(const char *variable, uint64_t otherwise)
{
    const char *text = getenv(variable);

    return text != nullptr ? strtoull(text, nullptr, 0) : otherwise;
}

/* What the traffic made happen, from the record alone. */
struct Counts {
    uint64_t tlps = 0, edges = 0;
    uint64_t tied = 0;    /* packets that wanted an output from the same edge on as another one */
    uint64_t behind = 0;  /* packets that could go but for a posted one before them */
    uint64_t own[3] = {}; /* from the local queue; reads of channels, their writes */
    unsigned waiting = 0; /* posted packets in one queue, at most */
    uint64_t in_ddr = 0;  /* packets that waited in DDR3 */
    uint64_t channel[2][2] = {}; /* writes by the virtual channels that they came and left in */
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
    c->edges += r.edges;
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
        path = std::string(folder) + "/" + GetParam() + ".so";
        if (access(path.c_str(), F_OK) != 0)
            GTEST_SKIP() << path << " is not there: rtl-model/verilate makes it";
        handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
        ASSERT_NE(nullptr, handle) << dlerror();
        load(library.params, "forward_params");
        load(library.create, "forward_create");
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
};

TEST_P(LockStep, EachBeatIsTheSame)
{
    uint64_t seeds = number_of("HUBSIM_RTL_SEEDS", 3), first = number_of("HUBSIM_RTL_FIRST", 1);
    ForwardParams params = library.params();
    uint64_t own[3] = {}, channel[2][2] = {};

    for (const Kind &kind : kKinds) {
        Counts c;

        for (uint64_t seed = first; seed < first + seeds; seed++) {
            Traffic t = kind.traffic;
            Record record;
            std::string difference;

            t.seed = seed;
            record = record_hub(params, t);
            ASSERT_FALSE(HasFatalFailure());
            difference = replay_record(library, record, getenv("HUBSIM_RTL_TRACE"));
            ASSERT_EQ("", difference) << GetParam() << ", " << kind.name << ", seed " << seed;
            count(record, params, &c);
            count_channels(record, params, &c);
        }
        printf("%-6s %-14s %7llu TLPs %8llu edges %6llu tied %6llu behind posted, own "
               "%llu %llu %llu, %u of %u wait, %llu in DDR3\n",
               GetParam(), kind.name, static_cast<unsigned long long>(c.tlps),
               static_cast<unsigned long long>(c.edges), static_cast<unsigned long long>(c.tied),
               static_cast<unsigned long long>(c.behind), static_cast<unsigned long long>(c.own[0]),
               static_cast<unsigned long long>(c.own[1]), static_cast<unsigned long long>(c.own[2]),
               c.waiting, params.headers[0], static_cast<unsigned long long>(c.in_ddr));
        EXPECT_GT(c.tlps, 300 * seeds) << kind.name;
        for (unsigned i = 0; i < 3; i++)
            own[i] += c.own[i];
        for (unsigned i = 0; i < 4; i++)
            channel[i / 2][i % 2] += c.channel[i / 2][i % 2];
        EXPECT_GT(c.tied, 0u) << kind.name << ": no two packets wanted an output at one edge";
        EXPECT_GT(c.behind, 0u) << kind.name << ": nothing had to stay behind a posted packet";
        if (kind.traffic.stop_ps != 0)
            EXPECT_LE(params.headers[0], c.waiting) << kind.name << ": no queue was full";
        if (params.ddr && kind.traffic.stop_ps != 0)
            EXPECT_GT(c.in_ddr, 20 * seeds) << kind.name << ": DDR3 had nothing to do";
    }
    for (uint64_t n : own)
        EXPECT_GT(n, 0u) << "a source of the hub's own had nothing to send";
    for (unsigned i = 0; i < 4 && params.classes == kClasses; i++)
        EXPECT_GT(channel[i / 2][i % 2], 50 * seeds) << "from channel " << i / 2 << " to " << i % 2;
}

INSTANTIATE_TEST_SUITE_P(Sets, LockStep,
                         ::testing::Values("least", "small", "wide", "tight", "deep"),
                         [](const auto &info) { return std::string(info.param); });
} // namespace
