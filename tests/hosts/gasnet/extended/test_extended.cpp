/* What is said of a run of GASNet that cannot go on. */
#include "tests/tools/hubcc/programs.h"

namespace
{

class GasnetExtended : public Programs
{
};

TEST_F(GasnetExtended, StandstillsNameCallAndPeer)
{
    write("stuck.c", R"(
#include <gasnet.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    gasnet_seginfo_t s[3];
    long value = 1;

    gasnet_init(&argc, &argv);
    gasnet_attach(NULL, 0, 65536, 0);
    gasnet_getSegmentInfo(s, 3);
    if (gasnet_mynode() == 1)
        gasnet_barrier(0, 0);
    if (gasnet_mynode() == 2)
        gasnet_wait_syncnb(gasnet_get_nb(&value, 0, s[0].addr, 8));
    if (gasnet_mynode() == 0)
        sleep(1);
    return 0;
}
)");
    ASSERT_EQ(0, sh("hubcc -DGASNET_SEQ stuck.c -o stuck")) << errors;
    EXPECT_NE(0, sh("hubrun -q -n 3 -m ring4 --max-time=100ms ./stuck"));
    EXPECT_TRUE(has(errors, "rank 1 on node 1 ")) << errors;
    EXPECT_TRUE(has(errors, "in gasnet_barrier, waiting for the barrier's message of rank "))
        << errors;
    EXPECT_TRUE(has(errors, "in gasnet_wait_syncnb, waiting for an operation with rank 0"))
        << errors;
}

} // namespace
