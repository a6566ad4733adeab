/* What a run writes of itself is what is read of it. */
#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <string>

#include "tests/tools/attempt.h"
#include "tools/lab/bounds/bounds.h"
#include "tools/lab/run/run.h"

namespace
{

class Lines : public testing::Test
{
  protected:
    void SetUp() override { out = open_memstream(&text, &size); }
    void TearDown() override
    {
        load_arena_fini(&arena);
        free(text);
    }
    FILE *out = nullptr;
    char *text = nullptr;
    size_t size = 0;
    begun_arena arena;
};

TEST_F(Lines, OfEachKindComeBack)
{
    const lab_stat stat = { "node0.hub.e.tx.tlps", "1", UINT64_MAX };
    lab_result result = {};
    uint64_t value = 0;

    lab_line_write(out, LAB_LINE_RESULT, "bytes=%u name=x\n", 8u);
    lab_line_write(out, LAB_LINE_TRAFFIC, "step=%d\n", 3);
    lab_line_write(out, LAB_LINE_FAULT, "kind=flap\n");
    lab_line_write(out, LAB_LINE_USAGE, "place=node0.hub.e");
    fputs(" dllp_ps=4\n", out);
    lab_result_write_stat(out, &stat);
    lab_result_write_prints(out, { 0x0123456789abcdef, UINT64_MAX, 5 });
    fclose(out);
    ASSERT_EQ(SIM_OK, lab_result_try(text, &arena, &result, nullptr));
    ASSERT_EQ(1u, result.nlines);
    EXPECT_TRUE(lab_line_get(&result.lines[0], "bytes", &value));
    EXPECT_EQ(8u, value);
    EXPECT_FALSE(lab_line_get(&result.lines[0], "name", &value)) << "no number";
    EXPECT_STREQ("x", result.lines[0].pairs[1].value);
    ASSERT_EQ(1u, result.ntraffic);
    EXPECT_STREQ("3", result.traffic[0].pairs[0].value);
    ASSERT_EQ(1u, result.nfaults);
    EXPECT_STREQ("flap", result.faults[0].pairs[0].value);
    ASSERT_EQ(1u, result.nusage);
    EXPECT_EQ(2u, result.usage[0].n);
    ASSERT_EQ(1u, result.nstats);
    EXPECT_STREQ(stat.path, result.stats[0].path);
    EXPECT_STREQ(stat.unit, result.stats[0].unit);
    EXPECT_EQ(stat.value, result.stats[0].value);
    EXPECT_EQ(0x0123456789abcdefu, result.print.visible);
    EXPECT_EQ(UINT64_MAX, result.print.wire);
    EXPECT_EQ(5u, result.print.edge);
}

TEST_F(Lines, OfBoundsComeBackExactly)
{
    const lab_bound bounds[] = { { 4e9 / 3, 1e10 / 7, 4e9 / 3, "link" }, { 4e9, 0.1, 0.1, "bus" } };

    for (const lab_bound &bound : bounds) {
        lab_bound read = {};

        rewind(out);
        lab_bound_write(&bound, out);
        fflush(out);
        lab_bound_parse(text, &read);
        EXPECT_EQ(bound.link_bytes_per_s, read.link_bytes_per_s);
        EXPECT_EQ(bound.bus_bytes_per_s, read.bus_bytes_per_s);
        EXPECT_EQ(bound.bytes_per_s, read.bytes_per_s);
        EXPECT_STREQ(bound.name, read.name);
    }
    fclose(out);
}

/* A row of a database that something else has written. */
TEST(Bounds, AreNoneWhereTheLineIsNot)
{
    for (const char *text : { "", "bound", "bound ", "bound link", "bound link link=", "result x=1",
                              "bound bus link=1 x=2\n" }) {
        lab_bound bound = {};

        lab_bound_parse(text, &bound);
        EXPECT_EQ(nullptr, bound.name) << text;
    }
}

} // namespace
