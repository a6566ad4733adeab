/*
 * What the experiments of configs/ show at many sizes, at one size each: sixteen nodes come within
 * 10 % of what link loads allow, and never beyond it.
 */
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "tests/built.h"
#include "tests/tools/attempt.h"
#include "tools/lab/rows/experiment.h"

namespace
{

class Collectives : public testing::Test
{
  protected:
    void SetUp() override
    {
        lab_pool_config cfg = {};

        load_roots_add(&site.roots, "configs");
        snprintf(site.programs, sizeof(site.programs), "%s", test::WORKLOADS.c_str());
        cfg.workers = 2;
        cfg.execute = lab_simulate;
        cfg.execute_arg = &site;
        ev.pool = lab_pool_create(&cfg);
        ev.arena = &arena;
        ev.protocol = lab_protocol_short;
        ev.seed = 1;
    }
    void TearDown() override
    {
        lab_pool_destroy(ev.pool);
        load_arena_fini(&arena);
    }
    /** The series of an experiment that ships, at other sizes than it lists. */
    lab_samples samples(const std::string &name, std::vector<const char *> bytes)
    {
        lab_experiment exp;
        lab_samples got = {};
        std::string path = "configs/experiments/" + name + ".yaml";

        EXPECT_EQ(SIM_OK, attempt(&err,
                                  [&] {
                                      lab_experiment_read(path.c_str(), &arena, &exp);
                                      EXPECT_LE(bytes.size(), exp.n);
                                      exp.n = (unsigned)bytes.size();
                                      for (unsigned s = 0; s < exp.n; s++)
                                          exp.series[s].list =
                                              lab_list_parse("bytes", bytes[s], "test", &arena);
                                      got = lab_experiment_run(&exp, &ev, &site);
                                  }))
            << err.text;
        for (unsigned i = 0; i < got.n; i++)
            EXPECT_EQ(nullptr, got.samples[i].failure) << got.samples[i].failure;
        return got;
    }
    static double share(const lab_sample &s) { return s.bytes_per_s / s.bound.bytes_per_s; }
    lab_site site = {};
    begun_arena arena;
    lab_evaluator ev = {};
    sim_error err = {};
};

TEST_F(Collectives, LargeAllgathersComeWithinTenPercentOfTheBound)
{
    lab_samples got = samples("allgather", { "65536", "32768" });

    ASSERT_EQ(2u, got.n);
    for (unsigned i = 0; i < got.n; i++) {
        EXPECT_GT(share(got.samples[i]), 0.9) << got.samples[i].series->name;
        EXPECT_LE(share(got.samples[i]), 1) << got.samples[i].series->name;
    }
}

TEST_F(Collectives, LargeBroadcastsComeWithinTenPercentOfTheBound)
{
    lab_samples got = samples("broadcast", { "2097152", "65536" });

    ASSERT_EQ(2u, got.n);
    for (unsigned i = 0; i < got.n; i++) {
        EXPECT_GT(share(got.samples[i]), 0.9) << got.samples[i].series->name;
        EXPECT_LE(share(got.samples[i]), 1) << got.samples[i].series->name;
    }
}

TEST_F(Collectives, SmallMessagesStayBelowTheBoundToo)
{
    for (const char *name : { "allgather", "broadcast" }) {
        lab_samples got = samples(name, { "64..4096", "64..4096" });

        for (unsigned i = 0; i < got.n; i++)
            EXPECT_LT(share(got.samples[i]), 1) << got.samples[i].x;
    }
}

TEST_F(Collectives, NarrowerCablesMoveBoundAndTime)
{
    const char *sets[] = { "node*.hub.e.link.lanes=4", "node*.hub.w.link.lanes=4",
                           "node*.hub.s.link.lanes=4" };
    double wide = samples("allgather", { "65536" }).samples[0].bytes_per_s;

    ev.sets = sets;
    ev.nsets = 3;
    lab_sample narrow = samples("allgather", { "65536" }).samples[0];
    EXPECT_LT(narrow.bytes_per_s, 0.7 * wide);
    EXPECT_STREQ("link", narrow.bound.name);
    EXPECT_GT(share(narrow), 0.9);
    EXPECT_LE(share(narrow), 1);
}

} // namespace
