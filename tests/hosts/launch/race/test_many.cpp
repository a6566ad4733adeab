/* The check's time grows with the number of pieces in use, not with its square. */
#include <ctime>

#include "tests/hosts/launch/race/run_case.h"

namespace
{

class Many : public testing::TestWithParam<const char *>
{
};

double seconds()
{
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/* A second at most with trees, and minutes where each piece is compared with each other one. */
TEST_P(Many, PiecesTakeLittleTime)
{
    const double before = seconds();
    const test::Seen seen = test::run_case(GetParam(), HOST_CHECK_RACES);

    EXPECT_GT(10, seconds() - before);
    EXPECT_TRUE(seen.found.empty()) << testing::PrintToString(seen.found);
}
INSTANTIATE_TEST_SUITE_P(Pieces, Many,
                         testing::Values("ok_many_requests", "ok_many_operations", "ok_many_pieces",
                                         "ok_many_puts"));

} // namespace
