#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "tests/tools/attempt.h"
#include "tools/lab/rows/published.h"
#include "tools/lab/workload/plan.h"

namespace
{

class Setup : public testing::Test
{
  protected:
    void TearDown() override { load_arena_fini(&arena); }
    std::vector<std::string> list(const char *text)
    {
        lab_list l = {};

        EXPECT_EQ(SIM_OK,
                  attempt(&err, [&] { l = lab_list_parse("bytes", text, "t.csv:2", &arena); }))
            << err.text;
        return std::vector<std::string>(l.items, l.items + l.n);
    }
    std::string broken_list(const char *text)
    {
        err = {};
        EXPECT_EQ(SIM_ERR_CONFIG,
                  attempt(&err, [&] { lab_list_parse("bytes", text, "t.csv:2", &arena); }));
        return err.text;
    }
    std::string broken_setup(const char *text)
    {
        err = {};
        EXPECT_EQ(SIM_ERR_CONFIG, attempt(&err, [&] { lab_setup_parse(text, "t.csv:2", &arena); }));
        return err.text;
    }
    begun_arena arena;
    sim_error err = {};
};

TEST_F(Setup, ListsAreValuesAndRangesOfPowersOfTwo)
{
    EXPECT_EQ((std::vector<std::string>{ "8" }), list("8"));
    EXPECT_EQ((std::vector<std::string>{ "pio", "dma-register" }), list("pio|dma-register"));
    EXPECT_EQ((std::vector<std::string>{ "64", "128", "256", "512", "768" }), list("64..512|768"));
    EXPECT_EQ((std::vector<std::string>{ "8" }), list("8..8"));
    EXPECT_EQ(2u, list("4611686018427387904..9223372036854775808").size());
}

TEST_F(Setup, RangesMayHaveSteps)
{
    EXPECT_EQ((std::vector<std::string>{ "1", "3", "5" }), list("1..5 by 2"));
    EXPECT_EQ((std::vector<std::string>{ "0", "1", "9" }), list("0..1 by 1|9"));
    EXPECT_EQ((std::vector<std::string>{ "18446744073709551614", "18446744073709551615" }),
              list("18446744073709551614..18446744073709551615 by 1"));
    EXPECT_EQ(1000u, list("1..1000 by 1").size());
}

TEST_F(Setup, OfABrokenRangeThePartThatIsWrongIsNamed)
{
    const std::string number = ": expected a whole number, as in 8..1024 or 1..7 by 2; keys that "
                               "count bytes take 4KiB..64KiB, too";
    const std::pair<const char *, std::string> cases[] = {
        { "8..x", "x" + number },
        { "4KB..64KB", "4KB" + number },
        { "1..6 by x", "x" + number },
        { "1..6 by 0", "expected steps of at least 1" },
        { "6..1 by 1", "expected the less first, as in 8..1024" },
        { "16..8", "expected the less first, as in 8..1024" },
        { "0..8", "doublings of 0: expected at least 1, or steps as in 0..7 by 1" },
        { "1..3", "doublings of 1 end at 2: expected that end, or steps as in 1..3 by 1" },
        { "64..1000",
          "doublings of 64 end at 512: expected that end, or steps as in 64..1000 by 1" },
        { "1..6 by 2", "steps of 2 end at 5: expected that end" },
        { "3..18446744073709551615", "doublings of 3 end at 13835058055282163712: expected that "
                                     "end, or steps as in 3..18446744073709551615 by 1" },
        { "1..100001 by 1", "more than 100000 values: expected longer steps" },
    };

    for (const auto &[text, reason] : cases)
        EXPECT_EQ("t.csv:2: setup bytes=" + std::string(text) + ": " + reason, broken_list(text));
    EXPECT_EQ(100000u, list("1..100000 by 1").size());
    EXPECT_EQ("t.csv:2: expected at most 100000 values", broken_list("1..100000 by 1|7"));
}

TEST_F(Setup, APathIsNamedWhole)
{
    const std::string where = std::string(300, 'd') + "/t.csv:2";

    EXPECT_EQ(SIM_ERR_CONFIG, attempt(&(err = {}), [&] {
                  lab_list_parse("bytes", "16..8", where.c_str(), &arena);
              }));
    EXPECT_EQ(where + ": setup bytes=16..8: expected the less first, as in 8..1024", err.text);
}

TEST_F(Setup, APathWithoutEndLeavesRoomForWhy)
{
    const std::string where = std::string(2000, 'd') + "/t.csv:2";

    EXPECT_EQ(SIM_ERR_CONFIG, attempt(&(err = {}), [&] {
                  lab_list_parse("bytes", "16..8", where.c_str(), &arena);
              }));
    EXPECT_STREQ("expected the less first, as in 8..1024", sim_error_why(&err));
    EXPECT_NE(nullptr, strstr(err.text, "dd/t.csv:2: setup bytes=16..8: expected the less"));
}

TEST_F(Setup, BrokenEntriesAreLocated)
{
    EXPECT_EQ("t.csv:2: setup bytes: expected key=value", broken_setup("bytes"));
    EXPECT_EQ("t.csv:2: setup bytes=: expected key=value", broken_setup("bytes="));
    EXPECT_EQ("t.csv:2: setup bytes=16: expected each key once", broken_setup("bytes=8;bytes=16"));
}

TEST_F(Setup, SizesMayHaveAUnit)
{
    lab_setup s = {};

    ASSERT_EQ(SIM_OK, attempt(&err, [&] {
                  s = lab_setup_parse("bytes=4KiB..1MiB|3 MiB|0x40;part_bytes=1KiB..7KiB by 2KiB;"
                                      "gdr_limit=512KiB;eager_bytes=4KB;rounds=4KiB;"
                                      "versus_bytes=8KiB;versus_rounds=8KiB",
                                      "t.csv:2", &arena);
                  lab_words_values("pingpong", &s, &arena);
              }));
    EXPECT_STREQ("4096..1048576|3145728|64", lab_setup_get(&s, "bytes"));
    EXPECT_STREQ("1024..7168 by 2048", lab_setup_get(&s, "part_bytes"));
    EXPECT_STREQ("524288", lab_setup_get(&s, "gdr_limit"));
    EXPECT_STREQ("4KB", lab_setup_get(&s, "eager_bytes"));
    EXPECT_STREQ("4KiB", lab_setup_get(&s, "rounds")); /* counts no bytes */
    EXPECT_STREQ("8192", lab_setup_get(&s, "versus_bytes"));
    EXPECT_STREQ("8KiB", lab_setup_get(&s, "versus_rounds"));
}

TEST_F(Setup, PutReplacesAndDropRemoves)
{
    lab_setup s = {};

    ASSERT_EQ(SIM_OK, attempt(&err, [&] {
                  s = lab_setup_parse("a=1;b=2", "t.csv:2", &arena);
                  lab_setup_put(&s, "a", "3", "t.csv:2");
              }));
    EXPECT_STREQ("3", lab_setup_get(&s, "a"));
    lab_setup_drop(&s, "a");
    EXPECT_EQ(nullptr, lab_setup_get(&s, "a"));
    EXPECT_STREQ("2", lab_setup_get(&s, "b"));
    EXPECT_STREQ("t.csv:2", lab_setup_where(&s, "b", "nowhere"));
    EXPECT_STREQ("nowhere", lab_setup_where(&s, "a", "nowhere"));
}

/** Every published row of this system parses, and no key of it is unknown. */
TEST_F(Setup, TheWholePublishedTableIsUnderstood)
{
    lab_rows rows = {};

    ASSERT_EQ(SIM_OK, attempt(&err,
                              [&] {
                                  rows = lab_rows_read("configs/published/peach2.csv", &arena);
                                  for (unsigned i = 0; i < rows.n; i++)
                                      lab_plan_check_keys(rows.rows[i].where, rows.rows[i].workload,
                                                          &rows.rows[i].setup);
                              }))
        << err.text;
    EXPECT_EQ(187u, rows.n);
    const lab_row *row = lab_rows_find(&rows, "peach2.bench.pingpong.tca.16384");
    ASSERT_NE(nullptr, row);
    EXPECT_EQ(LAB_EQ, row->relation);
    EXPECT_DOUBLE_EQ(7.929, row->value);
    EXPECT_DOUBLE_EQ(5.2, row->spread_pct);
}

TEST_F(Setup, WrongRowsAreLocated)
{
    const std::string head = "id,platform,workload,setup,quantity,relation,value,value2,unit,"
                             "tolerance_pct,source\n";
    const std::pair<const char *, const char *> cases[] = {
        { "a,p,pingpong,bytes=8,latency,equal,1,,us,3,s\n",
          "t.csv:2: relation = equal: expected eq, approx, le, ge, ..." },
        { "a,p,pingpong,bytes=8,latency,eq,one,,us,3,s\n",
          "t.csv:2: value = one: expected a number" },
        { "a,p,pingpong,bytes=8,latency,eq,,,us,3,s\n",
          "t.csv:2: relation = eq: expected value and no value2" },
        { "a,p,pingpong,bytes=8,latency,between,1,,us,3,s\n",
          "t.csv:2: relation = between: expected value and value2" },
        { "a,p,pingpong,bytes=8,latency,less_than,1,,us,3,s\n",
          "t.csv:2: relation = less_than: expected no value" },
        { "a,p,w,b=8,latency,eq,1,,us,3,s\na,p,w,b=8,latency,eq,1,,us,3,s\n",
          "t.csv:3: id = a: expected each id once; also at t.csv:2" },
    };
    for (const auto &c : cases) {
        std::string text = head + c.first;
        err = {};
        EXPECT_EQ(SIM_ERR_CONFIG, attempt(&err, [&] {
                      lab_csv csv = lab_csv_parse("t.csv", text.data(), text.size(), &arena);

                      lab_rows_from(&csv, &arena);
                  }));
        EXPECT_STREQ(c.second, err.text);
    }
}

} // namespace
