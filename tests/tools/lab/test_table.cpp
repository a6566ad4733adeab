#include <gtest/gtest.h>
#include <string>

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
              "x                \n",
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

} // namespace
