/* Everything that ships under configs/ can be read, and every point of it planned. */
#include <filesystem>
#include <gtest/gtest.h>
#include <string>

#include "tests/tools/attempt.h"
#include "tools/lab/figure/figure.h"

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
    std::string message(const std::string &text)
    {
        std::string path = testing::TempDir() + "bad.yaml";
        FILE *f = fopen(path.c_str(), "w");

        fputs(text.c_str(), f);
        fclose(f);
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
    EXPECT_EQ(":2:5: expected the key workload, here or in the file",
              message("series:\n  - {name: a}\n"));
    EXPECT_EQ(":2: setup byts=8: unknown key, did you mean bytes?",
              message("series:\n  - {name: a, workload: pingpong, byts: 8}\n"));
    EXPECT_EQ(":2: nodes = 1|2: expected one list, bytes has it",
              message("series:\n  - {name: a, workload: pingpong, bytes: 8..16, nodes: 1|2}\n"));
    EXPECT_EQ(":1:1: serie: unknown key, did you mean series?", message("serie: []\n"));
}

} // namespace
