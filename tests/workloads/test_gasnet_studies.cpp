/* The studies of the conduit tca: what they count is what its mechanisms have to do. */
#include "tests/workloads/gasnet_run.h"

namespace
{

using test::GasnetRun;
using test::number_of;
using test::run;

constexpr uint64_t KIB = 1024, MIB = 1024 * KIB;

std::string study(const std::string &program, std::vector<std::string> args,
                  const std::string &gasnet, unsigned ranks = 2)
{
    GasnetRun r;

    r.program = program;
    r.args = std::move(args);
    r.gasnet = gasnet;
    r.ranks = ranks;
    r.machine = "platform: hapacs-tca\nring: " + std::to_string(ranks) + "\n";
    return run(r);
}

/* Their keys say "1..". */
TEST(Studies, RefuseToCountNothing)
{
    for (const char *key : { "gasnet-modes count", "gasnet-modes rounds", "gasnet-modes repeats",
                             "gasnet-flood count", "gasnet-flood repeats", "gasnet-cache uses",
                             "gasnet-cache patterns", "gasnet-cache repeats",
                             "gasnet-staging rounds", "gasnet-staging repeats" }) {
        const std::string text = key;
        const size_t space = text.find(' ');
        GasnetRun r;

        r.program = text.substr(0, space);
        r.args = { text.substr(space + 1) + "=0" };
        r.gasnet = "tca-2016,segment=gpu";
        test::MachineFile file(r.machine, r.sets, r.faults);
        test::Cluster c(file.cluster());
        test::start_in(c, r);
        EXPECT_FALSE(c.all_well()) << key;
        ASSERT_FALSE(c.lines.empty()) << key;
        EXPECT_NE(std::string::npos, c.lines.back().text.find(text.substr(space + 1) + "=0"))
            << c.lines.back().text;
    }
}

TEST(Studies, CompareWhatCame)
{
    for (const char *order : { "cycle", "scatter", "hot" })
        EXPECT_EQ(1, number_of(study("gasnet-cache",
                                     { std::string("order=") + order, "uses=20", "repeats=1" },
                                     "tca-2016,segment=gpu"),
                               "verified"));
    for (const char *kind : { "short", "medium", "long" })
        EXPECT_EQ(1, number_of(study("gasnet-flood",
                                     { std::string("kind=") + kind, "bytes=64", "count=20" },
                                     "tca-2016", 3),
                               "verified"));
}

/* ---- data modes --------------------------------------------------------------------------- */

struct Mode {
    const char *name, *gasnet;
    unsigned here, there; /* copies of each piece */
    unsigned made;        /* descriptors of one pattern that a channel moves */
    bool moves;           /* to the hub's memory */
};

class Modes : public testing::TestWithParam<Mode>
{
  protected:
    static std::string measure(uint64_t bytes)
    {
        return study("gasnet-modes",
                     { std::string("data_mode=") + GetParam().name,
                       "bytes=" + std::to_string(bytes), "count=32", "rounds=2", "repeats=1" },
                     GetParam().gasnet);
    }
};

/* 4 KB are one piece. */
TEST_P(Modes, CopyAndDescribeAsOftenAsTheTableSays)
{
    const Mode &mode = GetParam();
    const std::string line = measure(4 * KIB);

    EXPECT_EQ(32 * mode.here, number_of(line, "copies_here")) << line;
    EXPECT_EQ(32 * mode.there, number_of(line, "copies_there")) << line;
    EXPECT_EQ(32, number_of(line, "chains")) << line;
    EXPECT_EQ(mode.made, number_of(line, "made_host")) << line;
    EXPECT_EQ(mode.moves ? mode.made : 0, number_of(line, "made_hub")) << line;
}

/* A channel is not started for what the core stores, and every other mode starts it. */
TEST_P(Modes, StoreFewBytesOfTheHostAlone)
{
    const std::string line = measure(8);

    EXPECT_EQ(std::string(GetParam().name) == "BtoB" ? 0 : 32, number_of(line, "chains")) << line;
}

INSTANTIATE_TEST_SUITE_P(Each, Modes,
                         testing::Values(Mode{ "BtoB", "tca-2016,segment=gpu2", 1, 1, 4, false },
                                         Mode{ "MtoM", "tca-2016,segment=gpu", 0, 0, 1, true },
                                         Mode{ "BtoM", "tca-2016,segment=gpu,btob_bytes=1", 1, 0, 2,
                                               true },
                                         Mode{ "MtoB", "tca-2016,segment=gpu2", 0, 1, 4, false }),
                         [](const auto &info) { return info.param.name; });

/* ---- the descriptor cache ---------------------------------------------------------------------
 */

constexpr unsigned ROOM = 16; /* in host memory, and as much in the hub */

struct Used {
    double hits, made, promotions, evictions, unkept, ps;
};

Used use(const std::string &policy, const std::string &order, unsigned patterns,
         const std::string &more = "")
{
    const std::string line =
        study("gasnet-cache",
              { "order=" + order, "patterns=" + std::to_string(patterns), "uses=256", "repeats=1" },
              "tca-2016,segment=gpu,cache_entries=" + std::to_string(ROOM) +
                  ",internal_entries=" + std::to_string(ROOM) + ",cache_policy=" + policy + more);

    return { number_of(line, "hits"),       number_of(line, "made_host"),
             number_of(line, "promotions"), number_of(line, "evictions"),
             number_of(line, "unkept"),     number_of(line, "latency_ps_min") };
}

TEST(Cache, WhatFitsIsMadeNoMore)
{
    for (const char *policy : { "lru", "lfu", "first" }) {
        const Used used = use(policy, "cycle", ROOM);

        EXPECT_EQ(256, used.hits) << policy;
        EXPECT_EQ(0, used.made + used.promotions + used.evictions + used.unkept) << policy;
    }
}

/* The one that is needed next has just made room. */
TEST(Cache, ACycleThatDoesNotFitFindsNothingUnlessTheFirstComeStay)
{
    for (const char *policy : { "lru", "lfu" }) {
        const Used used = use(policy, "cycle", 4 * ROOM);

        EXPECT_EQ(0, used.hits) << policy;
        EXPECT_EQ(256, used.evictions) << policy;
    }
    const Used first = use("first", "cycle", 4 * ROOM);

    EXPECT_EQ(256 / 2, first.hits); /* as many as both memories hold */
    EXPECT_EQ(256 / 2, first.unkept);
    EXPECT_EQ(0, first.evictions);
    EXPECT_LT(first.ps, use("lru", "cycle", 4 * ROOM).ps);
}

TEST(Cache, ScatterMakesMoreDescriptorsThanWhatFits)
{
    for (const char *policy : { "lru", "lfu", "first" }) {
        const Used fit = use(policy, "cycle", ROOM), scatter = use(policy, "scatter", 4 * ROOM);

        EXPECT_LT(fit.made + 32, scatter.made) << policy;
        EXPECT_LT(0, scatter.hits) << policy;
        EXPECT_LT(1.1 * fit.ps, scatter.ps) << policy;
    }
}

/* Many that are used once do not drive out what has moved to the hub; in one memory LFU keeps it.
 */
TEST(Cache, PromotionKeepsWhatIsUsedAgainAsLfuDoes)
{
    const Used lru = use("lru", "hot", 4 * ROOM), lfu = use("lfu", "hot", 4 * ROOM);
    const Used lru_host = use("lru", "hot", 4 * ROOM, ",promote=off");
    const Used lfu_host = use("lfu", "hot", 4 * ROOM, ",promote=off");

    EXPECT_EQ(128, lru.hits);
    EXPECT_EQ(lru.hits, lfu.hits);
    EXPECT_EQ(lru.hits, lfu_host.hits);
    EXPECT_GT(lfu_host.hits, lru_host.hits);
    EXPECT_LT(lru.ps, lru_host.ps - 0.25e6);
}

/* ---- staging ----------------------------------------------------------------------------------
 */

double staged_gb_per_s(uint64_t bytes, const std::string &op, const std::string &more)
{
    const std::string line = study(
        "gasnet-staging", { "bytes=" + std::to_string(bytes), "op=" + op, "rounds=1", "repeats=1" },
        "tca-2016,segment=gpu" + more);

    return number_of(line, "bandwidth_kBps") * 1e-6;
}

TEST(Staging, StopsTheFallBeyond512KB)
{
    for (const char *op : { "am-long", "get" }) {
        double longest = staged_gb_per_s(512 * KIB, op, "");
        double never = staged_gb_per_s(4 * MIB, op, ",stage_bytes=1GiB");
        double staged = staged_gb_per_s(4 * MIB, op, "");

        EXPECT_LT(never, 0.95 * longest) << op;
        EXPECT_GT(staged, 1.1 * longest) << op;
    }
}

TEST(Staging, OfFewDataCostsMoreThanItGains)
{
    EXPECT_LT(staged_gb_per_s(64 * KIB, "am-long", ",stage_bytes=64KiB"),
              0.8 * staged_gb_per_s(64 * KIB, "am-long", ""));
}

/* By the engine, then by the core into a buffer; a get's request is one copy more at each side. */
TEST(Staging, CopiesEachPieceOnceHereAndOfAGetOnceThere)
{
    const std::string sent =
        study("gasnet-staging", { "bytes=4MiB", "rounds=1", "repeats=1" }, "tca-2016,segment=gpu");
    const std::string got =
        study("gasnet-staging", { "bytes=4MiB", "op=get", "rounds=1", "repeats=1" },
              "tca-2016,segment=gpu");

    EXPECT_LT(2, number_of(sent, "staged"));
    EXPECT_EQ(number_of(sent, "staged"), number_of(sent, "copies"));
    EXPECT_EQ(number_of(sent, "staged"), number_of(sent, "chains"));
    EXPECT_EQ(2 * number_of(got, "staged") + 1, number_of(got, "copies"));
    EXPECT_EQ(number_of(got, "staged"), number_of(got, "chains"));
}

/* ---- floods -----------------------------------------------------------------------------------
 */

struct Flood {
    double rate, stalls, acks;
};

Flood flood(unsigned entries, const std::string &work_ns, unsigned ranks = 2)
{
    const std::string line =
        study("gasnet-flood", { "count=256", "repeats=1", "work_ns=" + work_ns },
              "tca-2016,ring_entries=" + std::to_string(entries), ranks);

    return { number_of(line, "requests_per_s"), number_of(line, "stalls"),
             number_of(line, "acks") };
}

TEST(Flood, OfARingOfTwoStallsForEachAcknowledgement)
{
    const Flood two = flood(2, "0"), long_ring = flood(64, "0");

    EXPECT_LE(128, two.stalls);
    EXPECT_LE(256, two.acks);
    EXPECT_EQ(0, long_ring.stalls);
    EXPECT_LT(3 * two.rate, long_ring.rate);
}

TEST(Flood, LongerRingsStallLessAndTakeNoFewer)
{
    Flood before = flood(2, "4000");

    for (unsigned entries : { 4u, 8u, 16u, 32u, 64u }) {
        const Flood now = flood(entries, "4000");

        EXPECT_LE(now.stalls, before.stalls) << entries;
        EXPECT_GE(now.rate, before.rate) << entries;
        before = now;
    }
}

/* What came meanwhile is a ring's entries at most. */
TEST(Flood, ARingBoundsWhatABusyReceiverTakes)
{
    for (unsigned entries : { 2u, 8u, 16u }) {
        const Flood busy = flood(entries, "16000");

        EXPECT_LT(busy.rate, entries / 16e-6) << entries;
        EXPECT_GT(busy.rate, 0.9 * entries / 16e-6) << entries;
    }
}

TEST(Flood, EachSenderHasARingOfItsOwn)
{
    EXPECT_GT(flood(2, "16000", 4).rate, 2.9 * flood(2, "16000").rate);
}

} // namespace
