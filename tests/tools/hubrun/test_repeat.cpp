/* What a program finds in bytes that it never set is the same in each run. */
#include "tests/tools/hubcc/programs.h"

namespace
{

class Repeat : public Programs
{
  protected:
    void SetUp() override
    {
        Programs::SetUp();
        ASSERT_EQ(0, sh("hubcc -O1 -w " PROGRAMS "/unset.c -o unset")) << errors;
    }
    std::string run(const std::string &before)
    {
        EXPECT_EQ(0, sh(before + " hubrun -n 2 -m ring4 --label --fingerprint ./unset")) << errors;
        return out + errors;
    }
};

TEST_F(Repeat, BytesThatWereNeverSetAreTheSameEverywhere)
{
    if (test::SANITIZED)
        GTEST_SKIP() << "the sanitizers' own memory lies between";
    std::string first = run("");

    ASSERT_NE(std::string::npos, first.find("fingerprint ")) << first;
    if (first.find("addresses are random here") != std::string::npos)
        GTEST_SKIP() << "as the system has it";
    for (const char *other :
         { "", "LONG=$(seq 1 2000 | tr '\\n' ' ')", "env -i PATH=$PATH", "ulimit -s unlimited;",
           "mkdir -p a/long/way/below && cp unset a/long/way/below && cd a/long/way/below &&",
           "setarch -R" })
        EXPECT_EQ(first, run(other)) << other;
}

TEST_F(Repeat, AKeptResultOfThemPassesItsCheck)
{
    if (test::SANITIZED)
        GTEST_SKIP() << "the sanitizers' own memory lies between";
    ASSERT_EQ(0, sh("hubrun -q -n 2 --out kept ./unset")) << errors;
    if (errors.find("addresses are random here") != std::string::npos)
        GTEST_SKIP() << "as the system has it";
    EXPECT_EQ(0, sh("hubsim check kept/unset")) << out << errors;
}

TEST_F(Repeat, BytesThatWereNeverSetAreTheSameWhateverFolderKeepsThem)
{
    if (test::SANITIZED)
        GTEST_SKIP() << "the sanitizers' own memory lies between";
    ASSERT_EQ(0, sh("hubrun -q -n 2 --label --out k ./unset | sort")) << errors;
    const std::string first = out;

    if (errors.find("addresses are random here") != std::string::npos)
        GTEST_SKIP() << "as the system has it";
    for (const char *folder : { "kept", "kept-in-a-folder", "kept/in/a/folder/below/others" }) {
        EXPECT_EQ(0, sh(std::string("hubrun -q -n 2 --label --out ") + folder + " ./unset | sort"));
        EXPECT_EQ(first, out) << folder;
    }
}

TEST_F(Repeat, WhereAddressesAreRandomTheResultSaysSo)
{
    const std::string refused = "HUBSIM_STARTED_AGAIN=1 hubrun -q -n 2 ";

    EXPECT_EQ(0, sh(refused + "--out kept ./unset")) << errors;
    EXPECT_EQ(0u, errors.find("hubrun: addresses are random here")) << errors;
    EXPECT_EQ(0, sh(refused + "./unset"));
    EXPECT_EQ("", errors);
    EXPECT_EQ(0, sh("setarch -R env " + refused + "--out kept ./unset"));
    EXPECT_EQ("", errors);
}

} // namespace
