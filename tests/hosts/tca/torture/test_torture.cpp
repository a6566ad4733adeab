/* What a tortured machine has counted: nothing is lost or made up on any cable. */
#include "tests/built.h"
#include "tests/hosts/cluster.h"

#include <cinttypes>

namespace
{

using Stats = std::map<std::string, uint64_t>;

Stats stats_of(struct machine *m)
{
    Stats stats;

    sim_stat_each(
        machine_sim(m),
        [](void *arg, const char *path, const char *, const char *, uint64_t value) {
            (*static_cast<Stats *>(arg))[path] = value;
        },
        &stats);
    return stats;
}

bool ends_in(const std::string &text, const std::string &end)
{
    return text.size() >= end.size() &&
           text.compare(text.size() - end.size(), end.size(), end) == 0;
}

uint64_t sum(const Stats &stats, const std::string &end)
{
    uint64_t total = 0;

    for (const auto &[path, value] : stats)
        total += ends_in(path, end) ? value : 0;
    return total;
}

class Torture : public testing::TestWithParam<unsigned>
{
};

TEST_P(Torture, WhatLeavesOneEndOfACableComesInAtTheOther)
{
    test::ClusterConfig cfg;

    cfg.nodes = GetParam();
    cfg.closed_ring = cfg.nodes > 2;
    test::Cluster c(cfg);
    ASSERT_EQ(SIM_OK,
              c.run_program(test::BUILD + "/tests/bin/torture", { std::to_string(cfg.nodes), "4" }))
        << c.err.text;
    ASSERT_TRUE(c.all_well()) << (c.lines.empty() ? "" : c.lines.back().text);

    Stats s = stats_of(c.machine());
    for (unsigned i = 0; i + (cfg.closed_ring ? 0 : 1) < cfg.nodes; i++) {
        std::string w = "node" + std::to_string(i) + ".hub.w.";
        std::string e = "node" + std::to_string((i + 1) % cfg.nodes) + ".hub.e.";

        for (const char *what : { "tlps", "payload_bytes" }) {
            EXPECT_GT(s.at(e + "tx." + what), 0u);
            EXPECT_EQ(s.at(e + "tx." + what), s.at(w + "rx." + what)) << e << what;
            EXPECT_EQ(s.at(w + "tx." + what), s.at(e + "rx." + what)) << w << what;
        }
    }
    EXPECT_EQ(sum(s, ".tx.tlps"), sum(s, ".rx.tlps"));
    EXPECT_EQ(sum(s, ".tx.payload_bytes"), sum(s, ".rx.payload_bytes"));
    EXPECT_EQ(0u, sum(s, ".rx.bad_sequence"));
    EXPECT_EQ(0u, sum(s, ".unsupported_requests"));
}

/* The channels count data, not the words that notify. */
TEST_P(Torture, ChannelsWriteWhatWasPut)
{
    test::ClusterConfig cfg;
    unsigned long puts = 0, bytes = 0;

    cfg.nodes = GetParam();
    cfg.closed_ring = cfg.nodes > 2;
    test::Cluster c(cfg);
    ASSERT_EQ(SIM_OK, c.run_program(test::BUILD + "/tests/bin/torture", { "9", "3" }))
        << c.err.text;
    ASSERT_TRUE(c.all_well());
    ASSERT_EQ(1u, c.lines.size());
    ASSERT_EQ(2, sscanf(c.lines[0].text.c_str(), "%*[^:]: %lu puts of %lu", &puts, &bytes));
    uint64_t written = 0;
    Stats s = stats_of(c.machine());
    for (unsigned ch = 0; ch < 4; ch++)
        written += sum(s, ".dma" + std::to_string(ch) + ".bytes");
    EXPECT_EQ(bytes, written);
}

INSTANTIATE_TEST_SUITE_P(Nodes, Torture, testing::Values(2, 4));

} // namespace
