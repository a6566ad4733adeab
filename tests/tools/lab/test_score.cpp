#include <gtest/gtest.h>
#include <string>

#include "tests/tools/attempt.h"
#include "tools/lab/rows/published.h"
#include "tools/lab/rows/score.h"

namespace
{

/** 1 us at the start; `--set` of *.clock_khz scales it. */
void execute(void *, const lab_run *run, FILE *out)
{
    double us = 1;

    for (unsigned i = 0; i < run->nsets; i++)
        if (const char *at = strstr(run->sets[i], "hub.clock_khz="))
            us *= 250000.0 / atof(at + strlen("hub.clock_khz="));
    unsigned long long ps = static_cast<unsigned long long>(us * 1e6);
    fprintf(out, "result latency_ps_min=%llu latency_ps_median=%llu verified=1\n", ps, ps);
}

class Score : public testing::Test
{
  protected:
    void SetUp() override
    {
        const std::string text =
            "id,platform,workload,setup,quantity,relation,value,value2,unit,tolerance_pct,source,"
            "role,needs\n"
            "good,hapacs-tca,pingpong,bytes=8;mode=pio,latency,eq,1,,us,3,s,primary,\n"
            "bad,hapacs-tca,pingpong,bytes=8;mode=pio,latency,eq,2,,us,3,s,primary,\n"
            "old,hapacs-tca,pingpong,bytes=8;mode=pio,latency,eq,3,,us,3,s,history,\n"
            "order,hapacs-tca,pingpong,bytes=8;mode=pio;versus=good,latency,less_than,,,us,0,s,"
            "primary,\n"
            "mpi,hapacs-tca,mpi-pingpong,bytes=8;api=mpi;net=ib,latency,eq,3,,us,3,s,primary,ib-"
            "mpi\n";
        lab_pool_config cfg = {};

        cfg.execute = execute;
        ev.pool = lab_pool_create(&cfg);
        ev.arena = &arena;
        ev.rows = &rows;
        load_roots_add(&site.roots, "configs");
        ASSERT_EQ(SIM_OK, attempt(&err,
                                  [&] {
                                      lab_csv csv =
                                          lab_csv_parse("t.csv", text.data(), text.size(), &arena);

                                      rows = lab_rows_from(&csv, &arena);
                                  }))
            << err.text;
    }
    void TearDown() override
    {
        lab_table_fini(&table);
        lab_pool_destroy(ev.pool);
        load_arena_fini(&arena);
    }
    int score_all()
    {
        return attempt(&err, [&] { scores = lab_score_all(&ev, &site); });
    }
    int sensitivity(const char *pattern)
    {
        return attempt(&err, [&] { lab_sensitivity(&ev, &site, pattern, &table); });
    }
    std::string csv_text()
    {
        char *bytes = nullptr;
        size_t n = 0;
        FILE *out = open_memstream(&bytes, &n);

        lab_table_write(&table, LAB_CSV, out);
        fclose(out);
        std::string s(bytes, n);
        free(bytes);
        return s;
    }
    begun_arena arena;
    lab_rows rows = {};
    lab_evaluator ev = {};
    lab_site site = {};
    lab_table table = {};
    lab_scores scores = {};
    sim_error err = {};
};

TEST_F(Score, TheTableHasOneLineForEachRow)
{
    ASSERT_EQ(SIM_OK, score_all()) << err.text;
    lab_score_table(&scores, &table);
    EXPECT_EQ("id,published,simulated,error_pct,verdict,role,calibrated,reason\n"
              "good,1,1,0.00,pass,primary,no,\n"
              "bad,2,1,-50.00,fail,primary,no,\n"
              "old,3,1,-66.67,fail,history,no,\n"
              "order,<,1,0.00,fail,primary,no,\n"
              "mpi,3,1,-66.67,fail,primary,no,\n",
              csv_text());
}

/* Each row can be built from what it says; what the runs then give is not looked at here. */
TEST_F(Score, NoRowOfTheBoardIsNotRun)
{
    ASSERT_EQ(SIM_OK,
              attempt(&err, [&] { rows = lab_rows_read("configs/published/peach2.csv", &arena); }))
        << err.text;
    ASSERT_EQ(SIM_OK, score_all()) << err.text;
    for (unsigned i = 0; i < scores.n; i++)
        EXPECT_NE(LAB_NOT_RUN, scores.rows[i].score.verdict)
            << rows.rows[i].id << ": " << scores.rows[i].score.reason;
    EXPECT_EQ(0u, scores.not_run);
}

TEST_F(Score, OnlyPrimaryRowsCount)
{
    ASSERT_EQ(SIM_OK, score_all());
    EXPECT_EQ(1u, scores.passed);
    EXPECT_EQ(3u, scores.failed);
}

TEST_F(Score, ARowThatIsWrongIsNotRunAndHasItsReason)
{
    rows.rows[1].workload = "telepathy";
    ASSERT_EQ(SIM_OK, score_all()) << err.text;
    EXPECT_EQ(1u, scores.passed);
    EXPECT_EQ(2u, scores.failed);
    EXPECT_EQ(1u, scores.not_run);
    EXPECT_EQ(LAB_NOT_RUN, scores.rows[1].score.verdict);
    EXPECT_FALSE(scores.rows[1].score.has_value);
    ASSERT_NE(nullptr, scores.rows[1].score.reason);
    EXPECT_NE(nullptr, strstr(scores.rows[1].score.reason, "workload = telepathy: expected"));
    EXPECT_TRUE(scores.rows[2].score.has_value);
}

/* Its run is wanted before the unit is looked at, and then by the other rows. */
TEST_F(Score, ARowThatIsWrongKeepsTheRunsThatItHasAskedFor)
{
    rows.rows[0].unit = "GB/s";
    ASSERT_EQ(SIM_OK, score_all()) << err.text;
    EXPECT_STREQ("t.csv:2: unit = GB/s: expected a unit of latency", scores.rows[0].score.reason);
    EXPECT_EQ(LAB_NOT_RUN, scores.rows[0].score.verdict);
    EXPECT_DOUBLE_EQ(1, scores.rows[1].score.simulated);
}

TEST_F(Score, AnUnknownPlatformIsAnError)
{
    rows.rows[0].platform = "atlantis";
    EXPECT_EQ(SIM_ERR_IO, score_all());
    EXPECT_STREQ("atlantis: not found in platforms/: `hubsim list` names what is there", err.text);
}

TEST_F(Score, SensitivityTellsWhatAParameterMoves)
{
    ASSERT_EQ(SIM_OK, sensitivity("node0.hub.*")) << err.text;
    EXPECT_EQ("platform,key,keys_alike,id,minus10_change_pct,plus10_change_pct\n"
              "hapacs-tca,node0.hub.clock_khz,1,good,11.11,-9.09\n"
              "hapacs-tca,node0.hub.clock_khz,1,bad,11.11,-9.09\n"
              "hapacs-tca,node0.hub.clock_khz,1,order,11.11,-9.09\n"
              "hapacs-tca,node0.hub.clock_khz,1,mpi,11.11,-9.09\n",
              csv_text());
    lab_table_fini(&table);
    EXPECT_EQ(SIM_ERR_CONFIG, sensitivity("node0.nothing.*"));
    table = {}; /* it has ended */
    EXPECT_STREQ("node0.nothing.*: matches no parameter", err.text);
}

} // namespace
