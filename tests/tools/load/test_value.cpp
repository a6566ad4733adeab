#include "config_test.h"

#include "tools/load/value.h"

namespace
{

TEST(Number, TakesDigitsSeparatorsHexAndByteSuffixes)
{
    uint64_t v = 0;

    EXPECT_TRUE(load_number("1_000_000", false, &v));
    EXPECT_EQ(1000000u, v);
    EXPECT_TRUE(load_number("0x10", false, &v));
    EXPECT_EQ(16u, v);
    EXPECT_TRUE(load_number("512GiB", true, &v));
    EXPECT_EQ(UINT64_C(512) << 30, v);
    EXPECT_TRUE(load_number("4 KiB", true, &v));
    EXPECT_EQ(4096u, v);
    EXPECT_TRUE(load_number("18446744073709551615", false, &v));
    EXPECT_EQ(UINT64_MAX, v);
}

TEST(Number, RefusesEverythingElse)
{
    uint64_t v = 7;

    for (const char *text : { "", "-1", "1.5", "1e3", "x", "1_", "_1", "1__0", "0x", "4KB", "4GiB",
                              "18446744073709551616", "1 2" })
        EXPECT_FALSE(load_number(text, false, &v)) << text;
    EXPECT_FALSE(load_number("18446744073709551615KiB", true, &v));
    EXPECT_FALSE(load_number("GiB", true, &v));
    EXPECT_EQ(7u, v);
}

TEST(Value, IsPrintedAsAFileWouldSayIt)
{
    const machine_param *params = box_params();
    char text[64];

    EXPECT_STREQ("wc", load_value_print(&params[2], 1, text, sizeof(text)));
    EXPECT_STREQ("8", load_value_print(&params[0], 8, text, sizeof(text)));
}

TEST(Value, ARangeIsGivenWithItsUnit)
{
    machine_param credits = { "pd", "16 bytes", 0, 2047, 0, 0, "credits", nullptr };
    char text[96];

    EXPECT_STREQ("expected a whole number, 1 .. 16",
                 load_value_expected(&box_params()[0], text, sizeof(text)));
    EXPECT_STREQ("expected a whole number, 0 .. 1000000 ps",
                 load_value_expected(&box_params()[1], text, sizeof(text)));
    EXPECT_STREQ("expected a whole number, 0 .. 2047, in units of 16 bytes",
                 load_value_expected(&credits, text, sizeof(text)));
}

} // namespace
