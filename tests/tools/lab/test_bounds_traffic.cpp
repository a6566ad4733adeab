/* Loads that can be counted by hand: packets of 256 bytes take 18 cycles of 4 ns on the bus of a
 * hub and a header beat for their read request, on a cable 280 symbols at 4 GB/s. */
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "tests/tools/attempt.h"
#include "tools/lab/bounds/bounds_traffic.h"
#include "tools/lab/run/software.h"
#include "tools/load/machine.h"

namespace
{

const uint64_t BYTES = 256 * 1000;

class TrafficBound : public testing::Test
{
  protected:
    void TearDown() override { load_arena_fini(&arena); }
    lab_traffic_time bound(std::vector<lab_message> messages, std::vector<const char *> sets = {},
                           const char *path = "configs/machines/ring8.yaml")
    {
        load_roots roots;
        load_options opt = {};
        load_machine *machine = nullptr;
        lab_traffic traffic = { (unsigned)messages.size(), messages.data() };
        lab_traffic_time t = {};

        load_roots_init(&roots);
        load_roots_add(&roots, "configs");
        opt.roots = &roots;
        opt.kinds = lab_kinds();
        opt.sets = sets.data();
        opt.nsets = (unsigned)sets.size();
        rc = attempt(&err, [&] {
            machine = load_machine_create(path, &opt);
            t = lab_traffic_bound(load_machine_desc(machine), &traffic);
            load_machine_destroy(machine);
        });
        return t;
    }
    lab_result parse(const std::string &text)
    {
        lab_result result;

        EXPECT_EQ(SIM_OK, lab_result_try(text.c_str(), &arena, &result, &err)) << err.text;
        return result;
    }
    begun_arena arena;
    sim_error err = {};
    int rc = SIM_OK;
};

TEST_F(TrafficBound, OneMessageTakesTheBusOfOneHub)
{
    lab_traffic_time t = bound({ { 0, 0, 1, BYTES, 1 } });

    EXPECT_NEAR(72e-6, t.bus, 1e-12);
    EXPECT_NEAR(70e-6, t.link, 1e-12);
    EXPECT_NEAR(72e-6, t.all, 1e-12);
}

TEST_F(TrafficBound, DistanceCostsNothingButSharedLinksDo)
{
    EXPECT_NEAR(72e-6, bound({ { 0, 0, 3, BYTES, 1 } }).all, 1e-12);
    EXPECT_NEAR(144e-6, bound({ { 0, 0, 2, BYTES, 1 }, { 0, 1, 3, BYTES, 1 } }).all, 1e-12);
    EXPECT_NEAR(72e-6, bound({ { 0, 0, 2, BYTES, 1 }, { 0, 2, 4, BYTES, 1 } }).all, 76e-6 - 72e-6);
}

TEST_F(TrafficBound, WhoReceivesAndSendsPaysForItsReadRequests)
{
    EXPECT_NEAR(76e-6, bound({ { 0, 0, 1, BYTES, 1 }, { 0, 1, 0, BYTES, 1 } }).all, 1e-12);
}

TEST_F(TrafficBound, StepsFollowEachOtherInWhateverOrderTheyAreTold)
{
    lab_message ahead = { 1, 1, 2, BYTES, 1 }, first = { 0, 0, 1, 2 * BYTES, 1 };

    EXPECT_NEAR(72e-6 + 144e-6, bound({ ahead, first }).all, 1e-12);
}

TEST_F(TrafficBound, NarrowCablesCount)
{
    lab_traffic_time t = bound({ { 0, 0, 1, BYTES, 1 } }, { "node*.hub.e.link.lanes=4" });

    EXPECT_NEAR(140e-6, t.all, 1e-12);
    EXPECT_NEAR(72e-6, t.bus, 1e-12);
}

/* 276 symbols for 256 bytes; one lane of Gen2 carries 500 MB/s. */
TEST_F(TrafficBound, NarrowPortsOfAHostCount)
{
    const char *narrow = "node1.host.p0.port.lanes=1";

    EXPECT_NEAR(552e-6, bound({ { 0, 0, 1, BYTES, 1 } }, { narrow }).all, 1e-12);
    EXPECT_NEAR(72e-6, bound({ { 0, 0, 7, BYTES, 1 } }, { narrow }).all, 1e-12);
    EXPECT_NEAR(552e-6, bound({ { 0, 0, 7, BYTES, 1 } }, { "node*.host.port.lanes=1" }).all, 1e-12);
}

TEST_F(TrafficBound, TheHubsThatRanksUseCount)
{
    const char *narrow = "node*.hub1.e.link.lanes=1", *rails = "examples/hubs/rails.yaml";

    EXPECT_NEAR(72e-6, bound({ { 0, 0, 1, BYTES, 1 } }, { narrow }, rails).all, 1e-12);
    EXPECT_NEAR(
        560e-6,
        bound({ { 0, 0, 1, BYTES, 1 } }, { narrow, "node*.software.rank_hub=1" }, rails).all,
        1e-12);
    bound({ { 0, 0, 1, BYTES, 1 } }, { "node*.software.rank_hub=turn" }, rails);
    EXPECT_STREQ("rails: software.rank_hub = turn: a bound from link loads counts one hub of a "
                 "node: expected its number",
                 err.text);
}

TEST_F(TrafficBound, SmallPiecesPayTheirHeaders)
{
    /* A header beat, a beat of data and the gap for each double. */
    EXPECT_NEAR(100 * 12e-9, bound({ { 0, 0, 1, 800, 100 } }).all, 1e-12);
}

TEST_F(TrafficBound, NodesThatAreNotThereAreRefused)
{
    bound({ { 0, 0, 8, BYTES, 1 } });
    EXPECT_NE(SIM_OK, rc);
    EXPECT_NE(nullptr, strstr(err.text, "node8: expected nodes with a hub")) << err.text;
}

TEST_F(TrafficBound, RanksBecomeTheNodesTheyRunOn)
{
    lab_run run = {};
    lab_traffic traffic;
    lab_result result = parse("result bytes=8\ntraffic step=2 src=0 dst=1 bytes=64 blocks=4\n");

    run.program = "test";
    run.nranks = 2;
    run.nodes[0] = 5;
    run.nodes[1] = 3;
    ASSERT_EQ(1u, result.nlines);
    auto read = [&] {
        return attempt(&err, [&] { traffic = lab_traffic_read(&run, &result, &arena); });
    };
    ASSERT_EQ(SIM_OK, read()) << err.text;
    ASSERT_EQ(1u, traffic.n);
    EXPECT_EQ(2u, traffic.messages[0].step);
    EXPECT_EQ(5u, traffic.messages[0].src);
    EXPECT_EQ(3u, traffic.messages[0].dst);
    EXPECT_EQ(4u, traffic.messages[0].blocks);
    result = parse("traffic step=0 src=0 dst=2 bytes=64\n");
    EXPECT_NE(SIM_OK, read());
    EXPECT_STREQ("test: traffic without dst: expected a rank from 0 to 1", err.text);
}

} // namespace
