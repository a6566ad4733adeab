#include <gtest/gtest.h>
#include <map>
#include <string>

#include "tests/tools/attempt.h"
#include "tools/lab/rows/evaluate.h"

namespace
{

/** A machine with one law: 1 us and 0.25 ns a byte, 0.4 us for each hop behind the first; the CPU
 * is twice as fast as others, chains fail. */
void obey_law(const lab_run *run, FILE *out, bool &refused)
{
    std::map<std::string, std::string> args;

    for (unsigned i = 0; i < run->nargs; i++) {
        std::string text = run->args[i];
        args[text.substr(0, text.find('='))] = text.substr(text.find('=') + 1);
    }
    const std::string program = run->program;
    if (program == "npb-cg" || program == "npb-is") { /* a second on all ranks together */
        fprintf(out,
                "result bytes=5000000 messages=700 write_bytes=1000000 %slatency_ps_min=%llu "
                "latency_ps_median=%llu verified=1\n",
                program == "npb-is" ? "whole_ps=2000000000000 " : "",
                1000000000000ULL / run->nranks, 1000000000000ULL / run->nranks);
        return;
    }
    if (args["mode"] == "dma-chain-host") {
        refused = true;
        return;
    }
    uint64_t bytes = std::stoull(args["bytes"]), ps = 1000000 + bytes * 250;
    if (bytes > 1024)
        ps += 5000000; /* so that bandwidth has a peak at 1024 */
    if (run->nranks == 2)
        ps += (run->nodes[1] - 1) * 400000;
    if (args["mode"] == "pio")
        ps /= 2;
    if (args["src"] == "gpu0")
        ps += 100 * bytes;
    fprintf(out, "result bytes=%llu latency_ps_min=%llu latency_ps_median=%llu verified=%d\n",
            (unsigned long long)bytes, (unsigned long long)ps, (unsigned long long)ps + 50000,
            args["dst"] != "gpu1");
}

void execute(void *, const lab_run *run, FILE *out)
{
    bool refused = false;

    obey_law(run, out, refused);
    if (refused) /* here, where no destructors wait */
        load_raise(SIM_ERR_CONFIG, "no chains here");
}

class Evaluate : public testing::Test
{
  protected:
    void SetUp() override
    {
        lab_pool_config cfg = {};

        cfg.execute = execute;
        ev.pool = lab_pool_create(&cfg);
        ev.arena = &arena;
        ev.rows = &rows;
        ev.protocol = { 1, 1, 1, 0 };
    }
    void TearDown() override
    {
        lab_pool_destroy(ev.pool);
        load_arena_fini(&arena);
    }
    int try_score(const std::string &lines)
    {
        std::string text = "id,platform,workload,setup,quantity,relation,value,value2,unit,"
                           "tolerance_pct,source,role,needs\n" +
                           lines;
        auto read = [&] {
            lab_csv csv = lab_csv_parse("t.csv", text.data(), text.size(), &arena);

            rows = lab_rows_from(&csv, &arena);
        };

        err = {};
        EXPECT_EQ(SIM_OK, attempt(&err, read)) << err.text;
        return attempt(&err, [&] {
            score = lab_evaluate(&ev, &rows.rows[0]);
            if (score.verdict != LAB_PENDING)
                return;
            lab_pool_work(ev.pool);
            score = lab_evaluate(&ev, &rows.rows[0]);
        });
    }
    /** The first row is scored; others are there for versus=. */
    double value_of(const std::string &lines)
    {
        EXPECT_EQ(SIM_OK, try_score(lines)) << err.text;
        EXPECT_NE(LAB_PENDING, score.verdict);
        EXPECT_TRUE(score.has_value) << (score.reason != nullptr ? score.reason : "");
        return score.simulated;
    }
    std::string message(const std::string &lines)
    {
        EXPECT_EQ(SIM_ERR_CONFIG, try_score(lines));
        return err.text;
    }
    begun_arena arena;
    lab_rows rows = {};
    lab_evaluator ev = {};
    lab_score score = {};
    sim_error err = {};
};

const char BASE[] = "b,p,pingpong,bytes=8;mode=dma-register,latency,eq,1,,us,3,s,primary,\n";

TEST_F(Evaluate, LatencyAndBandwidthInTheRowsUnit)
{
    EXPECT_DOUBLE_EQ(1.002,
                     value_of("a,p,pingpong,bytes=8;mode=dma-register,latency,eq,1,,us,3,s,,\n"));
    EXPECT_EQ(LAB_PASS, score.verdict);
    EXPECT_DOUBLE_EQ(501, value_of("a,p,pingpong,bytes=8;mode=pio,latency,eq,0.4,,ns,3,s,,\n"));
    EXPECT_EQ(LAB_FAIL, score.verdict);
    EXPECT_NEAR(8 / 1.002,
                value_of("a,p,pingpong,bytes=8;mode=dma-register,bandwidth,eq,8,,MB/s,3,s,,\n"),
                1e-9);
    EXPECT_DOUBLE_EQ(1.052, value_of("a,p,pingpong,bytes=8;mode=dma-register;reduce=median,latency,"
                                     "eq,1,,us,3,s,,\n"));
}

TEST_F(Evaluate, RatesSharesAndSpeedupComeFromTheMessagesOfARun)
{
    const std::string head = "a,mbcf-switch,npb-cg,api=sr;nodes=4;class=W;duplex=half;";

    EXPECT_DOUBLE_EQ(0.25, value_of(head + "size=7000,time,eq,1,,s,3,s,,\n"));
    EXPECT_DOUBLE_EQ(20, value_of(head + "measure=bytes sent by all nodes per second,rate,eq,1,,"
                                         "MB/s,3,s,,\n"));
    EXPECT_DOUBLE_EQ(2800, value_of(head + "measure=messages sent by all nodes per second,rate,eq,"
                                           "1,,1/s,3,s,,\n"));
    EXPECT_DOUBLE_EQ(20, value_of(head + "measure=share of bytes sent by remote write,share,eq,1,,"
                                         "percent,3,s,,\n"));
    EXPECT_DOUBLE_EQ(
        4, value_of(head + "versus=b,speedup,eq,4,,x,3,s,,\n"
                           "b,mbcf-switch,npb-cg,api=sr;nodes=1;class=W,time,eq,1,,s,3,s,,\n"));
    EXPECT_NEAR(2.004,
                value_of("a,mbcf-hub,mpi-pingpong,bytes=8;api=sr;nodes=2;reduce=min;"
                         "receives=preposted,round_trip,eq,2,,us,3,s,,\n"),
                1e-9);
    EXPECT_EQ("t.csv:2: setup versus=(absent): expected the id of a row",
              message(head + "size=7000,speedup,eq,4,,x,3,s,,\n"));
}

/** What a program counts from its beginning to its end is divided by that time. */
TEST_F(Evaluate, RatesAreThoseOfTheWholeProgram)
{
    const std::string head = "a,mbcf-switch,npb-is,api=sr;nodes=4;class=W;duplex=half,";

    EXPECT_DOUBLE_EQ(0.25, value_of(head + "time,eq,1,,s,3,s,,\n"));
    EXPECT_DOUBLE_EQ(2.5, value_of(head + "rate,eq,1,,MB/s,3,s,,\n"));
    EXPECT_DOUBLE_EQ(350, value_of(head + "rate,eq,1,,1/s,3,s,,\n"));
}

TEST_F(Evaluate, TakeIsOneNumberOverAList)
{
    EXPECT_NEAR(1024 / 1.256,
                value_of("a,p,pingpong,bytes=8..4096;take=max;mode=dma-register,"
                         "bandwidth,eq,800,,MB/s,3,s,,\n"),
                1e-9);
    EXPECT_DOUBLE_EQ(0.501, value_of("a,p,pingpong,bytes=8;over=mode:pio|dma-register;take=min,"
                                     "latency,eq,0.5,,us,3,s,,\n"));
    EXPECT_EQ("t.csv:2: setup bytes=8..16: expected take or over beside a list",
              message("a,p,pingpong,bytes=8..16,latency,eq,1,,us,3,s,,\n"));
    EXPECT_EQ("t.csv:2: setup take=max: expected a key with a list of values beside it",
              message("a,p,pingpong,bytes=8;take=max,latency,eq,1,,us,3,s,,\n"));
}

TEST_F(Evaluate, APeakIsThePlaceOfTheLargestBandwidth)
{
    EXPECT_DOUBLE_EQ(1024,
                     value_of("a,p,pingpong,bytes=8..4096;mode=dma-register;grid=powers of two,"
                              "bandwidth,peak_at,1024,,B,0,s,,\n"));
    EXPECT_EQ(LAB_PASS, score.verdict);
}

TEST_F(Evaluate, OverHoldsAtEachValueAndTellsTheWorst)
{
    /* 1.002 at 8 is nearest; 1.256 at 1024 is worst. */
    EXPECT_DOUBLE_EQ(1.256,
                     value_of("a,p,pingpong,over=bytes:8..1024;mode=dma-register,latency,eq,1,"
                              ",us,3,s,,\n"));
    EXPECT_EQ(LAB_FAIL, score.verdict);
    EXPECT_NEAR(25.6, score.error_pct, 1e-9);
}

TEST_F(Evaluate, RatiosCompareAtTheSameValue)
{
    /* The versus row says 8 bytes, the list replaces that on both sides. */
    double worst = value_of(std::string("a,p,pingpong,over=bytes:8..1024;mode=dma-register;src=gpu;"
                                        "measure=latency;versus=b,ratio,approx,1,,x,10,s,,\n") +
                            BASE);
    EXPECT_NEAR((1.256 + 0.1024) / 1.256, worst, 1e-9);
    EXPECT_EQ(LAB_PASS, score.verdict);
    EXPECT_NEAR(0.5,
                value_of(std::string("a,p,pingpong,bytes=8;mode=pio;versus=b,latency,ratio_between,"
                                     "0.4,0.6,x,0,s,,\n") +
                         BASE),
                1e-9);
}

TEST_F(Evaluate, ShareIsPercentOfTheVersusRow)
{
    EXPECT_NEAR(
        50,
        value_of(std::string("a,p,pingpong,bytes=8;mode=pio;versus=b,share,eq,50,,percent,3,"
                             "s,,\n") +
                 BASE),
        1e-9);
    EXPECT_NEAR(
        100 * (8 / 1.002e-6) / 4e9,
        value_of("a,p,pingpong,bytes=8;mode=dma-register;versus=b,share,eq,90,,percent,3,s,,\n"
                 "b,p,dma-chain,gen=2;lanes=8;payload_bytes=256;tlp_overhead_bytes=0;"
                 "mode=link-only,bandwidth,eq,4,,GB/s,3,s,,\n"),
        1e-9);
}

TEST_F(Evaluate, OrdersCompareWithTheVersusRow)
{
    value_of(std::string("a,p,pingpong,bytes=8;mode=pio;versus=b,latency,less_than,,,us,0,s,,\n") +
             BASE);
    EXPECT_EQ(LAB_PASS, score.verdict);
    value_of(
        std::string("a,p,pingpong,bytes=8;mode=pio;versus=b,latency,greater_than,,,us,0,s,,\n") +
        BASE);
    EXPECT_EQ(LAB_FAIL, score.verdict);
}

TEST_F(Evaluate, ARowMayCompareWithItselfChanged)
{
    EXPECT_NEAR(2,
                value_of("a,p,pingpong,bytes=8;mode=dma-register;measure=latency;versus=a;"
                         "versus_mode=pio,ratio,eq,2,,x,3,s,,\n"),
                1e-9);
}

TEST_F(Evaluate, AMeasureMayCombineTwoTerms)
{
    EXPECT_NEAR(0.4,
                value_of("a,p,pingpong,bytes=8;mode=dma-register;hops=2;measure=latency minus "
                         "latency at hops=1,latency,between,0.3,0.5,us,0,s,,\n"),
                1e-9);
    EXPECT_NEAR(2,
                value_of("a,p,pingpong,bytes=8;mode=dma-register;measure=latency over latency at "
                         "mode=pio,latency,eq,2,,x,0,s,,\n"),
                1e-9);
    EXPECT_EQ(
        "t.csv:2: setup measure=speed: expected latency or bandwidth [minus|plus|over ... [at "
        "key=value]]",
        message("a,p,pingpong,bytes=8;measure=speed,latency,eq,2,,us,0,s,,\n"));
    EXPECT_EQ(
        "t.csv:2: setup measure=latency times latency: expected minus, plus or over between "
        "two terms",
        message("a,p,pingpong,bytes=8;mode=pio;measure=latency times latency,latency,eq,2,,us,"
                "0,s,,\n"));
}

TEST_F(Evaluate, ACrossoverIsWhereTheOrderTurns)
{
    /* Leaving the GPU costs 0.1 ns a byte, the second hop 400 ns: equal at 4000 bytes. */
    const std::string sides =
        "a,p,pingpong,over=bytes:8..8192;mode=dma-register;src=gpu;versus=b,"
        "latency,crossover,%,B,0,s,,\n"
        "b,p,pingpong,bytes=8;hops=2;mode=dma-register,latency,eq,1,,us,3,s,,\n";
    auto with = [&](const char *places) {
        return std::string(sides).replace(sides.find('%'), 1, places);
    };

    EXPECT_DOUBLE_EQ(2048, value_of(with("2048,4096")));
    EXPECT_EQ(LAB_PASS, score.verdict);
    value_of(with("1024,2048"));
    EXPECT_EQ(LAB_FAIL, score.verdict);
    value_of(with("4096,8192"));
    EXPECT_EQ(LAB_FAIL, score.verdict);
}

TEST_F(Evaluate, ARowWithoutAValueSaysWhy)
{
    ASSERT_EQ(SIM_OK,
              try_score("a,p,pingpong,bytes=8;mode=dma-chain-host,latency,eq,1,,us,3,s,,\n"));
    EXPECT_EQ(LAB_NOT_RUN, score.verdict);
    EXPECT_FALSE(score.has_value);
    EXPECT_STREQ("no chains here", score.reason);
    ASSERT_EQ(SIM_OK,
              try_score("a,p,pingpong,bytes=8;mode=pio;dst=gpu-other-same-node,latency,eq,1,"
                        ",us,3,s,,\n"));
    EXPECT_EQ(LAB_FAIL, score.verdict);
    EXPECT_STREQ("the received bytes are not those that were sent", score.reason);
}

TEST_F(Evaluate, RowsOfMpiNameALibrary)
{
    EXPECT_EQ("t.csv:2: setup colour=red: unknown key",
              message("a,p,mpi-pingpong,bytes=8;colour=red,latency,eq,1,,us,3,s,,ib-mpi\n"));
    EXPECT_EQ("t.csv:2: setup api=mpich-9: expected an MPI library of configs/mpi",
              message("a,p,mpi-pingpong,bytes=8;api=mpich-9,latency,eq,1,,us,3,s,,ib-mpi\n"));
}

TEST_F(Evaluate, WrongRowsAreLocated)
{
    EXPECT_EQ("t.csv:2: setup versus=nobody: expected the id of a row",
              message("a,p,pingpong,bytes=8;versus=nobody,ratio,eq,1,,x,3,s,,\n"));
    EXPECT_EQ("t.csv:2: unit = GB/s: expected a unit of latency",
              message("a,p,pingpong,bytes=8;mode=pio,latency,eq,1,,GB/s,3,s,,\n"));
    EXPECT_EQ("t.csv:2: setup versus=(absent): expected the id of a row",
              message("a,p,pingpong,bytes=8;mode=pio,latency,less_than,,,us,3,s,,\n"));
    EXPECT_EQ("t.csv:2: setup over=bytes: expected KEY:LIST",
              message("a,p,pingpong,over=bytes;mode=pio,latency,eq,1,,us,3,s,,\n"));
    EXPECT_EQ("t.csv:2: setup measure=(absent): expected latency or bandwidth",
              message("a,p,pingpong,bytes=8;mode=pio,speed,eq,1,,us,3,s,,\n"));
}

} // namespace
