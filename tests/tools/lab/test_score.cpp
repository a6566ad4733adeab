#include <gtest/gtest.h>
#include <string>

#include "tools/lab/rows/score.h"

namespace
{

/** 1 us at the start; `--set` of *.clock_khz scales it. */
int execute(void *, const lab_run *run, FILE *out, sim_error *)
{
    double us = 1;

    for (unsigned i = 0; i < run->nsets; i++)
        if (const char *at = strstr(run->sets[i], "hub.clock_khz="))
            us *= 250000.0 / atof(at + strlen("hub.clock_khz="));
    unsigned long long ps = static_cast<unsigned long long>(us * 1e6);
    fprintf(out, "result latency_ps_min=%llu latency_ps_median=%llu verified=1\n", ps, ps);
    return SIM_OK;
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
        lab_csv csv = {};

        cfg.execute = execute;
        ev.pool = lab_pool_create(&cfg);
        ev.arena = &arena;
        ev.rows = &rows;
        load_roots_add(&site.roots, "configs");
        ASSERT_EQ(SIM_OK, lab_csv_parse("t.csv", text.data(), text.size(), &arena, &csv, &err));
        ASSERT_EQ(SIM_OK, lab_rows_from(&csv, &arena, &rows, &err)) << err.text;
    }
    void TearDown() override
    {
        lab_table_fini(&table);
        lab_pool_destroy(ev.pool);
        load_arena_fini(&arena);
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
    load_arena arena = {};
    lab_rows rows = {};
    lab_evaluator ev = {};
    lab_site site = {};
    lab_table table = {};
    sim_error err = {};
};

TEST_F(Score, TheTableHasOneLineForEachRow)
{
    lab_scores scores;

    ASSERT_EQ(SIM_OK, lab_score_all(&ev, &site, &scores, &err)) << err.text;
    lab_score_table(&scores, &table);
    EXPECT_EQ("id,published,simulated,error_pct,verdict,role,calibrated,reason\n"
              "good,1,1,0.00,pass,primary,no,\n"
              "bad,2,1,-50.00,fail,primary,no,\n"
              "old,3,1,-66.67,fail,history,no,\n"
              "order,<,1,0.00,fail,primary,no,\n"
              "mpi,3,1,-66.67,fail,primary,no,\n",
              csv_text());
}

TEST_F(Score, OnlyPrimaryRowsCount)
{
    lab_scores scores;

    ASSERT_EQ(SIM_OK, lab_score_all(&ev, &site, &scores, &err));
    EXPECT_EQ(1u, scores.passed);
    EXPECT_EQ(3u, scores.failed);
}

TEST_F(Score, ARowThatIsWrongIsNotRunAndHasItsReason)
{
    lab_scores scores;

    rows.rows[1].workload = "telepathy";
    ASSERT_EQ(SIM_OK, lab_score_all(&ev, &site, &scores, &err)) << err.text;
    EXPECT_EQ(1u, scores.passed);
    EXPECT_EQ(2u, scores.failed);
    EXPECT_EQ(1u, scores.not_run);
    EXPECT_EQ(LAB_NOT_RUN, scores.rows[1].score.verdict);
    EXPECT_FALSE(scores.rows[1].score.has_value);
    ASSERT_NE(nullptr, scores.rows[1].score.reason);
    EXPECT_NE(nullptr, strstr(scores.rows[1].score.reason, "workload = telepathy: expected"));
    EXPECT_TRUE(scores.rows[2].score.has_value);
}

TEST_F(Score, AnUnknownPlatformIsAnError)
{
    lab_scores scores;

    rows.rows[0].platform = "atlantis";
    EXPECT_EQ(SIM_ERR_IO, lab_score_all(&ev, &site, &scores, &err));
    EXPECT_STREQ("atlantis: not found in platforms/: `hubsim list` names what is there", err.text);
}

TEST_F(Score, SensitivityTellsWhatAParameterMoves)
{
    ASSERT_EQ(SIM_OK, lab_sensitivity(&ev, &site, "node0.hub.*", &table, &err)) << err.text;
    EXPECT_EQ("platform,key,keys_alike,id,minus10_change_pct,plus10_change_pct\n"
              "hapacs-tca,node0.hub.clock_khz,1,good,11.11,-9.09\n"
              "hapacs-tca,node0.hub.clock_khz,1,bad,11.11,-9.09\n"
              "hapacs-tca,node0.hub.clock_khz,1,order,11.11,-9.09\n"
              "hapacs-tca,node0.hub.clock_khz,1,mpi,11.11,-9.09\n",
              csv_text());
    lab_table_fini(&table);
    EXPECT_EQ(SIM_ERR_CONFIG, lab_sensitivity(&ev, &site, "node0.nothing.*", &table, &err));
    EXPECT_STREQ("node0.nothing.*: matches no parameter", err.text);
}

} // namespace
