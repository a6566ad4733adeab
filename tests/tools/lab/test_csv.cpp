#include <gtest/gtest.h>
#include <string>

#include "tests/tools/attempt.h"
#include "tools/lab/format/csv.h"

namespace
{

class Csv : public testing::Test
{
  protected:
    void TearDown() override { load_arena_fini(&arena); }
    int parse(const std::string &text)
    {
        err = {};
        return attempt(&err,
                       [&] { csv = lab_csv_parse("t.csv", text.data(), text.size(), &arena); });
    }
    begun_arena arena;
    lab_csv csv = {};
    sim_error err = {};
};

TEST_F(Csv, QuotedFieldsMayHoldCommasQuotesAndLineBreaks)
{
    ASSERT_EQ(SIM_OK, parse("a,b,c\r\n1,\"x, \"\"y\"\"\nz\",3\n\n4,,6\n")) << err.text;
    ASSERT_EQ(2u, csv.nrows);
    EXPECT_STREQ("x, \"y\"\nz", lab_csv_cell(&csv, 0, "b"));
    EXPECT_STREQ("3", lab_csv_cell(&csv, 0, "c"));
    EXPECT_STREQ("", lab_csv_cell(&csv, 1, "b"));
    EXPECT_STREQ("6", lab_csv_cell(&csv, 1, "c"));
    EXPECT_STREQ("", lab_csv_cell(&csv, 1, "no such column"));
    EXPECT_EQ(2u, csv.row_lines[0]);
    EXPECT_EQ(5u, csv.row_lines[1]);
}

TEST_F(Csv, TheLastLineNeedsNoNewline)
{
    ASSERT_EQ(SIM_OK, parse("a,b\n1,2"));
    EXPECT_EQ(1u, csv.nrows);
    EXPECT_STREQ("2", lab_csv_cell(&csv, 0, "b"));
}

TEST_F(Csv, BrokenTablesAreLocated)
{
    EXPECT_EQ(SIM_ERR_CONFIG, parse("a,b\n1\n"));
    EXPECT_STREQ("t.csv:2: 1 fields: expected 2 as in the header", err.text);
    EXPECT_EQ(SIM_ERR_CONFIG, parse("a,b\n\"1,2\n"));
    EXPECT_STREQ("t.csv:2: \": expected a closing quote", err.text);
    EXPECT_EQ(SIM_ERR_CONFIG, parse("a,b\n\"1\"x,2\n"));
    EXPECT_STREQ("t.csv:2: \": expected a comma behind it", err.text);
}

TEST_F(Csv, AMarkOfUtf8BelongsToNoColumn)
{
    ASSERT_EQ(SIM_OK, parse("\xef\xbb\xbf"
                            "a,b\n1,2\n"))
        << err.text;
    EXPECT_STREQ("1", lab_csv_cell(&csv, 0, "a"));
}

TEST_F(Csv, NeededColumnsAreThereOnce)
{
    static const char *const needed[] = { "a", "b", NULL };
    auto why = [&](const std::string &text) {
        EXPECT_EQ(SIM_OK, parse(text)) << err.text;
        return attempt(&err, [&] { lab_csv_need(&csv, needed); }) == SIM_OK ? "" : err.text;
    };

    EXPECT_STREQ("", why("c,b,a\n1,2,3\n"));
    EXPECT_STREQ("", why("a,b,c,c\n"));
    EXPECT_STREQ("t.csv:1: expected a column a", why(""));
    EXPECT_STREQ("t.csv:1: expected a column b", why("a,c\n"));
    EXPECT_STREQ("t.csv:1: expected one column a", why("a,b,a\n1,2,3\n"));
}

TEST_F(Csv, BytesOfZeroAreNoText)
{
    EXPECT_EQ(SIM_ERR_CONFIG, parse(std::string("a,b\n1,\0\n", 8)));
    EXPECT_STREQ("t.csv: has bytes of 0: expected text", err.text);
}

TEST_F(Csv, WhatIsWrittenIsReadAgain)
{
    const std::string field = "a \"quoted\", two-\nline field";
    char *text = nullptr;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);

    fputs("k\n", out);
    lab_csv_write(out, field.c_str());
    fclose(out);
    ASSERT_EQ(SIM_OK, parse(std::string(text, n)));
    EXPECT_EQ(field, lab_csv_cell(&csv, 0, "k"));
    free(text);
}

} // namespace
