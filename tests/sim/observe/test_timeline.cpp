/* What a timeline writes of what is reported to it. */
#include <gtest/gtest.h>

#include "observe/timeline.h"
#include "pcie/tlp/packet.h"

#include <string>
#include <vector>

namespace
{

const sim_stage store = { "store instruction", SIM_KIND_CPU, SIM_STAGE_STEP, nullptr, "a store" };
const sim_stage idle = { "library call", SIM_KIND_SOFTWARE, SIM_STAGE_STEP, nullptr, "between" };
const sim_stage poll = { "poll", SIM_KIND_POLL, SIM_STAGE_STEP, "poll", "a \"poll\"" };
const sim_stage wire = { "serialisation", SIM_KIND_SERIALISATION, SIM_STAGE_WIRE, nullptr, "" };
const sim_stage memory = { "memory write", SIM_KIND_MEMORY, SIM_STAGE_PLAIN, nullptr, "" };
const char *const states[] = { "idle", "fetch", "read", nullptr };
const sim_signal dma_state = { "dma0.state", 2, states, SIM_SIGNAL_STATE, "a channel" };
const sim_signal queue = { "rx.p.queue", 16, nullptr, SIM_SIGNAL_LENGTH, "a queue" };
const sim_signal credits = { "tx.p.hdr_credits", 8, nullptr, SIM_SIGNAL_PLAIN, "for waves" };

class Timeline : public ::testing::Test
{
  protected:
    void SetUp() override
    {
        const observe_sink sink = { take, this };
        timeline = observe_timeline_create(&sink, &fan);
        ASSERT_NE(nullptr, timeline);
        probe = observe_fan_probe(&fan);
    }
    void TearDown() override { observe_timeline_destroy(timeline); }

    static bool take(void *arg, const void *bytes, size_t n)
    {
        auto *self = static_cast<Timeline *>(arg);
        self->text.append(static_cast<const char *>(bytes), n);
        return !self->full;
    }
    uint64_t mark(const sim_stage &stage, const char *where, sim_time_t time, uint64_t cause)
    {
        return sim_probe_mark(probe, &stage, where, time, cause);
    }
    void level(const sim_signal &signal, sim_time_t time, uint64_t value)
    {
        sim_probe_level(probe, &signal, hub, time, value);
    }
    void packet(const char *from, const char *to, sim_time_t begin, sim_time_t end, uint32_t flags)
    {
        pcie_tlp tlp = {};
        pcie_packet p = {};

        tlp.kind = PCIE_MWR;
        tlp.length_dw = 64;
        p.packet.where = from;
        p.packet.toward = to;
        p.packet.begin = begin;
        p.packet.end = end;
        p.packet.flags = flags;
        p.tlp = &tlp;
        probe->packet(probe->arg, &p.packet);
    }
    std::string finish()
    {
        EXPECT_EQ(full ? SIM_ERR_IO : SIM_OK, observe_timeline_finish(timeline));
        return text;
    }

    observe_fan fan{};
    observe_timeline *timeline = nullptr;
    const sim_probe *probe = nullptr;
    std::string text;
    bool full = false;
    const char *core0 = "node0.host.core0", *core1 = "node1.host.core0", *hub = "node0.hub";
};

bool has(const std::string &text, const std::string &part)
{
    return text.find(part) != std::string::npos;
}

unsigned count(const std::string &text, const std::string &part)
{
    unsigned n = 0;
    for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; at++)
        n++;
    return n;
}

TEST_F(Timeline, TimesAreExactToThePicosecond)
{
    uint64_t a = mark(idle, core0, 1, 0);

    mark(store, core0, 123456789000001, a);
    EXPECT_TRUE(has(finish(), "\"ts\":0.000001,\"dur\":123456789.000000,"
                              "\"name\":\"store instruction\",\"cat\":\"CPU\""));
}

TEST_F(Timeline, AnArrowLeadsFromTheStoreThroughTheWireToThePoll)
{
    uint64_t begin = mark(idle, core0, 1000, 0), id;
    const uint64_t polls = mark(idle, core1, 500, 0);

    mark(store, core0, 1005, begin);
    packet("node0.hub.e", "node1.hub.w", 1100, 1170, 0);
    id = mark(wire, "node0.hub.e", 1100, begin);
    id = mark(wire, "node0.hub.e", 1170, id);
    id = mark(memory, "node1.host", 1300, id);
    const sim_mark seen = { &poll, core1, 1400, { polls, id }, nullptr, 0, 0, 0, 0, 0 };
    (void)probe->mark(probe->arg, &seen);
    finish();
    EXPECT_TRUE(has(text, "\"hub.e \u2192 node1.hub.w\""));
    EXPECT_TRUE(has(text, "\"ts\":0.001100,\"dur\":0.000070,\"name\":\"MWr 256 B\""));
    EXPECT_TRUE(has(text, "\"ph\":\"s\",\"pid\":1,\"tid\":1,\"ts\":0.001000"));
    EXPECT_TRUE(has(text, "\"ph\":\"t\",\"pid\":1,\"tid\":3,\"ts\":0.001100"));
    EXPECT_TRUE(has(text, "\"ph\":\"f\",\"pid\":2,\"tid\":2,\"ts\":0.001300"));
    EXPECT_TRUE(has(text, "\"dur\":0.000800,\"name\":\"polling\"")); /* 500 to 1300 */
    EXPECT_TRUE(has(text, "a \\\"poll\\\""));
}

TEST_F(Timeline, WhoWaitsForNobodyGetsNoArrow)
{
    uint64_t a = mark(idle, core0, 1000, 0);

    a = mark(poll, core0, 1100, a);
    mark(store, core0, 1200, a);
    finish();
    EXPECT_EQ(0u, count(text, "\"ph\":\"s\""));
}

TEST_F(Timeline, SlicesThatOverlapLieOnLanes)
{
    const char *host = "node0.host";

    for (sim_time_t t : { 100, 150, 200, 300 })
        mark(memory, host, t + 100, mark(idle, core0, t, 0));
    finish();
    EXPECT_EQ(1u, count(text, "\"host memory\""));
    EXPECT_EQ(1u, count(text, "\"host memory (2)\"")); /* 150 to 250 */
    EXPECT_EQ(0u, count(text, "\"host memory (3)\""));
}

TEST_F(Timeline, StatesAreSlicesAndLengthsAreCounters)
{
    for (sim_time_t t : { 0, 100, 250, 400 })
        level(dma_state, t, t == 0 || t == 400 ? 0 : t == 100 ? 1 : 2);
    level(dma_state, 500, 1); /* until the end of what is known */
    mark(idle, core0, 700, 0);
    level(queue, 10, 3);
    level(queue, 20, 3);
    level(queue, 30, 0);
    level(credits, 30, 7);
    finish();
    EXPECT_TRUE(has(text, "\"hub.dma0\""));
    EXPECT_TRUE(has(text, "\"ts\":0.000100,\"dur\":0.000150,\"name\":\"fetch\""));
    EXPECT_TRUE(has(text, "\"ts\":0.000250,\"dur\":0.000150,\"name\":\"read\""));
    EXPECT_TRUE(has(text, "\"ts\":0.000500,\"dur\":0.000200,\"name\":\"fetch\""));
    EXPECT_EQ(0u, count(text, "\"idle\""));
    EXPECT_EQ(2u, count(text, "\"ph\":\"C\""));
    EXPECT_TRUE(has(text, "\"name\":\"hub rx.p.queue\",\"args\":{\"value\":3}"));
}

TEST_F(Timeline, DamagedPacketsSaySo)
{
    packet("node0.hub.n", "node0.host.p0", 10, 20, SIM_PACKET_CORRUPT);
    packet("node0.hub.n", "node0.host.p0", 20, 30, SIM_PACKET_LOST | SIM_PACKET_CORRUPT);
    packet("node0.hub.n", "node0.host.p0", 30, 40, SIM_PACKET_REPLAY);
    finish();
    EXPECT_TRUE(has(text, "\"hub.n \u2192 host.p0\""));
    EXPECT_TRUE(has(text, "\"MWr 256 B, corrupt\",\"cat\":\"damaged\""));
    EXPECT_TRUE(has(text, "\"MWr 256 B, lost\",\"cat\":\"damaged\""));
    EXPECT_TRUE(has(text, "\"MWr 256 B\",\"cat\":\"replay\""));
}

/* However long a run is: what came long ago is forgotten, and nothing begins there. */
TEST_F(Timeline, OldMarksAreForgotten)
{
    uint64_t old = mark(idle, core0, 10, 0);

    for (unsigned i = 0; i < 2200000; i++)
        mark(memory, "node1.host", 20, 0);
    mark(memory, "node0.host", 5000, old);
    finish();
    EXPECT_EQ(0u, count(text, "\"memory write\""));
}

TEST_F(Timeline, AFullDiskIsAnError)
{
    full = true;
    mark(idle, core0, 10, 0);
    finish();
}

} // namespace
