#include <gtest/gtest.h>
#include <string>

#include "tools/lab/format/fit.h"
#include "tools/lab/format/table.h"

namespace
{

class Table : public testing::Test
{
  protected:
    void SetUp() override
    {
        static const lab_column columns[] = { { "name", false }, { "value", true } };

        lab_table_init(&t, columns, 2);
        lab_table_add(&t);
        lab_table_set(&t, 0, 0, "%s", "a, \"b\" | c");
        lab_table_set(&t, 0, 1, "%d", 12);
        lab_table_add(&t);
        lab_table_set(&t, 1, 0, "%s", "x");
    }
    void TearDown() override { lab_table_fini(&t); }
    std::string text(lab_format format)
    {
        char *bytes = nullptr;
        size_t n = 0;
        FILE *out = open_memstream(&bytes, &n);

        lab_table_write(&t, format, out);
        fclose(out);
        std::string s(bytes, n);
        free(bytes);
        return s;
    }
    lab_table t = {};
};

TEST_F(Table, IsWrittenForPeopleAndForPrograms)
{
    EXPECT_EQ("name        value\n"
              "a, \"b\" | c     12\n"
              "x\n",
              text(LAB_TEXT));
    EXPECT_EQ("name,value\n\"a, \"\"b\"\" | c\",12\nx,\n", text(LAB_CSV));
    EXPECT_EQ("[\n  {\"name\": \"a, \\\"b\\\" | c\", \"value\": 12},\n"
              "  {\"name\": \"x\", \"value\": null}\n]\n",
              text(LAB_JSON));
    EXPECT_EQ("| name | value |\n|---|---:|\n| a, \"b\" \\| c | 12 |\n| x |  |\n",
              text(LAB_MARKDOWN));
}

/* Columns of numbers hold words too: choices among parameters, "1 + 7" hops, what a program
 * printed. */
TEST_F(Table, WhatIsNoNumberInJsonIsText)
{
    const char *const numbers[] = { "0", "-1", "10.50", "1e9", "2.5E-3", "123456789012345678901" };
    const char *const words[] = { "uc",  "+1.5", "007", ".5",   "5.",    "1e",
                                  "inf", "nan",  "0x8", "1 +7", "1.5us", "-" };

    for (const char *number : numbers) {
        lab_table_set(&t, 1, 1, "%s", number);
        EXPECT_NE(std::string::npos,
                  text(LAB_JSON).find(std::string("\"value\": ") + number + "}"));
    }
    for (const char *word : words) {
        lab_table_set(&t, 1, 1, "%s", word);
        EXPECT_NE(std::string::npos,
                  text(LAB_JSON).find(std::string("\"value\": \"") + word + "\"}"));
    }
}

TEST_F(Table, GrowsWithoutLosingRows)
{
    for (int i = 0; i < 1000; i++)
        lab_table_set(&t, lab_table_add(&t), 1, "%d", i);
    EXPECT_STREQ("12", lab_table_get(&t, 0, 1));
    EXPECT_STREQ("999", lab_table_get(&t, 1001, 1));
    EXPECT_STREQ("", lab_table_get(&t, 1001, 0));
}

/* Text of a table that fits `width`. */
std::string fitted(const lab_table &t, unsigned width)
{
    char *bytes = nullptr;
    size_t n = 0;
    FILE *out = open_memstream(&bytes, &n);

    lab_fit_write(&t, width, out);
    fclose(out);
    std::string s(bytes, n);
    free(bytes);
    return s;
}

/* Rows of a part begin with what they differ by, if that leaves half of the width. */
TEST(TableThatFits, RepeatsTheColumnsThatNameARow)
{
    static const lab_column columns[] = {
        { "what", false }, { "name", false }, { "before", true }, { "after", true }
    };
    static const char *const rows[][4] = { { "value", "busy", "100", "101" },
                                           { "point", "busy", "1", "2" },
                                           { "value", "idle", "7", "8" },
                                           { "value", "idle", "7", "8" } };
    lab_table t = {};

    lab_table_init(&t, columns, 4);
    for (unsigned r = 0; r < 4; r++) {
        lab_table_add(&t);
        for (unsigned c = 0; c < 4; c++)
            lab_table_set(&t, r, c, "%s", rows[r][c]);
    }
    EXPECT_EQ("what   name  before  after\n"
              "value  busy     100    101\n"
              "point  busy       1      2\n"
              "value  idle       7      8\n"
              "value  idle       7      8\n",
              fitted(t, 26));
    EXPECT_EQ("what   name  before\n"
              "value  busy     100\n"
              "point  busy       1\n"
              "value  idle       7\n"
              "value  idle       7\n"
              "\n"
              "what   name  after\n"
              "value  busy    101\n"
              "point  busy      2\n"
              "value  idle      8\n"
              "value  idle      8\n",
              fitted(t, 25));
    EXPECT_EQ("what   name  before\n"
              "value  busy     100\n"
              "point  busy       1\n"
              "value  idle       7\n"
              "value  idle       7\n"
              "\n"
              "what   after\n"
              "value    101\n"
              "point      2\n"
              "value      8\n"
              "value      8\n",
              fitted(t, 21));
    lab_table_fini(&t);
}

TEST(TableThatFits, WrapsTextAndComesInParts)
{
    static const lab_column columns[] = {
        { "key", false }, { "n", true }, { "meaning", false }, { "source", false }
    };
    lab_table t = {};

    lab_table_init(&t, columns, 4);
    lab_table_add(&t);
    lab_table_set(&t, 0, 0, "hub.gap\t%d\t%s\t%s", 7, "idle cycles behind each packet",
                  "averyveryverylongword");
    EXPECT_EQ("key      n  meaning                         source\n"
              "hub.gap  7  idle cycles behind each packet  averyveryverylongword\n",
              fitted(t, 0));
    EXPECT_EQ(fitted(t, 0), fitted(t, 65));
    EXPECT_EQ("key      n  meaning               source\n"
              "hub.gap  7  idle cycles behind    averyveryverylongword\n"
              "            each packet\n",
              fitted(t, 55));
    EXPECT_EQ("key      n  meaning           source\n"
              "hub.gap  7  idle cycles       averyveryverylon\n"
              "            behind each       gword\n"
              "            packet\n",
              fitted(t, 46));
    EXPECT_EQ("key      n  meaning\n"
              "hub.gap  7  idle cycles behind\n"
              "            each packet\n"
              "\n"
              "key      source\n"
              "hub.gap  averyveryverylongword\n",
              fitted(t, 31));
    /* What cannot be narrower stays whole. */
    EXPECT_EQ("key      n\n"
              "hub.gap  7\n"
              "\n"
              "key      meaning\n"
              "hub.gap  idle cycles\n"
              "         behind each\n"
              "         packet\n"
              "\n"
              "key      source\n"
              "hub.gap  averyveryverylon\n"
              "         gword\n",
              fitted(t, 5));
    lab_table_fini(&t);
}

TEST_F(Table, KeepsTheRowsThatAreChosen)
{
    lab_table_choose(&t, 0, "*x*");
    ASSERT_EQ(1u, t.nrows);
    EXPECT_STREQ("x", lab_table_get(&t, 0, 0));
    lab_table_choose(&t, 0, "y");
    EXPECT_EQ(0u, t.nrows);
}

} // namespace
