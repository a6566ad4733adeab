/* Everything that ships under configs/ can be read, and every point of it planned. */
#include <filesystem>
#include <gtest/gtest.h>
#include <string>

#include "tests/tools/attempt.h"
#include "tools/lab/figure/figure.h"
#include "tools/lab/rows/experiment.h"

namespace
{

class Configs : public testing::Test
{
  protected:
    void TearDown() override { load_arena_fini(&arena); }
    void plan_all()
    {
        lab_protocol protocol = { 2, 8, 3, 1 << 20 };

        for (unsigned s = 0; s < exp.n; s++) {
            for (unsigned i = 0; i < exp.series[s].list.n; i++) {
                lab_setup setup = exp.series[s].setup;
                lab_point point = { exp.series[s].where, exp.series[s].platform,
                                    exp.series[s].workload, &setup, exp.series[s].machine };

                ASSERT_EQ(SIM_OK, attempt(&err,
                                          [&] {
                                              lab_setup_put(&setup, exp.series[s].key,
                                                            exp.series[s].list.items[i],
                                                            point.where);
                                              lab_plan_make(&point, &protocol, &arena);
                                          }))
                    << err.text;
            }
        }
    }
    int read(const std::string &path)
    {
        return attempt(&err, [&] { lab_experiment_read(path.c_str(), &arena, &exp); });
    }
    begun_arena arena;
    lab_experiment exp = {};
    sim_error err = {};
};

TEST_F(Configs, ExperimentsAreReadAndPlanned)
{
    unsigned n = 0;

    for (const auto &file : std::filesystem::directory_iterator("configs/experiments")) {
        ASSERT_EQ(SIM_OK, read(file.path())) << err.text;
        EXPECT_STRNE("", exp.description);
        plan_all();
        n++;
    }
    EXPECT_GT(n, 8u);
}

TEST_F(Configs, FiguresNameExperimentsAndSeriesThatExist)
{
    for (const auto &file : std::filesystem::directory_iterator("configs/figures")) {
        lab_figure figure;

        ASSERT_EQ(SIM_OK,
                  attempt(&err, [&] { lab_figure_read(file.path().c_str(), &arena, &figure); }))
            << err.text;
        for (unsigned i = 0; i < figure.nexperiments; i++) {
            std::string path =
                std::string("configs/experiments/") + figure.experiments[i] + ".yaml";
            unsigned shown = 0;

            ASSERT_EQ(SIM_OK, read(path)) << err.text;
            for (unsigned s = 0; s < exp.n; s++)
                shown += lab_figure_shows(&figure, &exp.series[s]);
            EXPECT_GT(shown, 0u) << path;
        }
    }
}

class BadExperiment : public Configs
{
  protected:
    static std::string write(const std::string &text)
    {
        std::string path = testing::TempDir() + "bad.yaml";
        FILE *f = fopen(path.c_str(), "w");

        fputs(text.c_str(), f);
        fclose(f);
        return path;
    }
    std::string message(const std::string &text)
    {
        std::string path = write(text);

        err = {};
        EXPECT_NE(SIM_OK, read(path));
        return std::string(err.text).substr(path.size());
    }
};

TEST_F(BadExperiment, IsToldInOneLine)
{
    EXPECT_EQ(":1:1: expected the key series", message("workload: pingpong\n"));
    EXPECT_EQ(":2:5: expected the key name",
              message("series:\n  - {mode: pio, workload: pingpong}\n"));
    EXPECT_EQ(":2:26: nam = a: unknown key, did you mean name?",
              message("series:\n  - {workload: pingpong, nam: a}\n"));
    EXPECT_EQ(":2: setup bytes=1..3: doublings of 1 end at 2: expected that end, or steps as in "
              "1..3 by 1",
              message("series:\n  - {name: a, workload: pingpong, bytes: 1..3}\n"));
    EXPECT_EQ(":2:5: expected the key workload, here or in the file",
              message("series:\n  - {name: a}\n"));
    EXPECT_EQ(":2: setup byts=8: unknown key, did you mean bytes?",
              message("series:\n  - {name: a, workload: pingpong, byts: 8}\n"));
    EXPECT_EQ(":2: nodes = 1|2: expected one list, bytes has it",
              message("series:\n  - {name: a, workload: pingpong, bytes: 8..16, nodes: 1|2}\n"));
    EXPECT_EQ(":1:1: serie: unknown key, did you mean series?", message("serie: []\n"));
}

TEST_F(BadExperiment, IsLocatedWhereItIsWritten)
{
    const std::string tail = "series:\n  - {name: a}\n";

    EXPECT_EQ(0u, message("description: x\nworkload: pingpon\n" + tail)
                      .find(":2: workload = pingpon: unknown, did you mean pingpong?"));
    EXPECT_EQ(":3: setup byts=8: unknown key, did you mean bytes?",
              message("workload: pingpong\nsetup:\n  byts: 8\n" + tail));
    EXPECT_EQ(":3: setup bytes=16..8: expected the less first, as in 8..1024",
              message("workload: pingpong\nsetup:\n  bytes: 16..8\n" + tail));
    EXPECT_EQ(":4: nodes = 1|2: expected one list, bytes has it",
              message("workload: pingpong\nsetup:\n  bytes: 8|16\n  nodes: 1|2\n" + tail));
}

/* Values are looked at with each point. */
TEST_F(BadExperiment, IsLocatedWhereItIsWrittenWhenItIsPlanned)
{
    const std::string head = "workload: pingpong\nplatform: hapacs-tca\n";
    const std::pair<const char *, const char *> cases[] = {
        { "setup:\n  mode: poi\n  bytes: 8..16\n", ":4: setup mode=poi: expected " },
        { "setup:\n  bytes: x|8\n", ":4: setup bytes=x: expected " },
        { "setup:\n  mode: pio\n  bytes: 8\n  nodes: 2\n  hops: 9\n",
          ":7: setup hops=9: expected " },
    };
    for (const auto &c : cases) {
        const std::string path = write(head + c.first + "series:\n  - {name: a}\n");
        const std::string prefix = path + c.second;
        lab_evaluator ev = {};
        lab_protocol protocol = { 2, 8, 3, 1 << 20 };

        err = {};
        ASSERT_EQ(SIM_OK, read(path)) << err.text;
        EXPECT_EQ(SIM_ERR_CONFIG, attempt(&err, [&] {
                      ev.protocol = protocol;
                      ev.arena = &arena;
                      lab_experiment_want(&exp, &ev, nullptr);
                  }));
        EXPECT_EQ(prefix, std::string(err.text).substr(0, prefix.size()));
    }
}

} // namespace
