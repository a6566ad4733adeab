/* A packet that no memory took is an error of the run, though each rank has ended well. */
#include "tests/tools/hubcc/programs.h"

namespace
{

class Errors : public Programs
{
  protected:
    void SetUp() override
    {
        Programs::SetUp();
        ASSERT_EQ(0, sh("hubcc " PROGRAMS "/astray.c -o astray")) << errors;
    }
    /* In the next area of the window, where the GPU has pinned nothing. */
    const std::string astray = " ./astray 0x200000000";
};

TEST_F(Errors, ARunWithoutOnesEndsWell)
{
    EXPECT_EQ(0, sh("hubrun -q ./astray 0"));
    EXPECT_EQ("", errors);
}

TEST_F(Errors, AreNamedWithTheirPlace)
{
    EXPECT_EQ(1, sh("hubrun -q" + astray));
    EXPECT_EQ("hubrun: node1.gpu0.pcie has seen 1 uncorrectable error\n"
              "hubrun: packets were refused or lost, and no rank has failed: --allow-errors lets "
              "such a run end well\n",
              errors);
}

TEST_F(Errors, MayBeAllowed)
{
    EXPECT_EQ(0, sh("hubrun -q --allow-errors" + astray));
    EXPECT_EQ("", errors);
}

/* They are reported with the faults then. */
TEST_F(Errors, AreExpectedOfAFault)
{
    EXPECT_EQ(0, sh("hubrun -q --faults '{link: node0.hub.e, bit_error_rate: 1e-9}'" + astray));
    EXPECT_EQ("", errors);
}

/* Drivers look for the registers of their hubs in each part of the window, and are refused in all
 * others (subcluster16 has parts in another order than nodes). */
TEST_F(Errors, OfBringUpDoNotCount)
{
    EXPECT_EQ(0, sh("hubrun -q -n 2 -m subcluster16 ./astray 0"));
    EXPECT_EQ("", errors);
}

} // namespace
