#include <cmath>
#include <gtest/gtest.h>

#include "tools/lab/rows/judge.h"

namespace
{

lab_row row(lab_relation relation, double value = 0, double value2 = 0, double tolerance = 0,
            double spread = 0)
{
    lab_row r = {};

    r.relation = relation;
    r.value = value;
    r.value2 = value2;
    r.tolerance_pct = tolerance;
    r.spread_pct = spread;
    return r;
}

bool pass(const lab_row &r, double simulated, double other = 0)
{
    return lab_judge(&r, simulated, other).pass;
}

TEST(Judge, AValueMayDifferByTheLargestOfToleranceSpreadAndFivePercent)
{
    EXPECT_TRUE(pass(row(LAB_EQ, 3.0, 0, 3), 3.15));
    EXPECT_FALSE(pass(row(LAB_EQ, 3.0, 0, 3), 3.151));
    EXPECT_TRUE(pass(row(LAB_EQ, 3.0, 0, 3), 2.85));
    EXPECT_FALSE(pass(row(LAB_APPROX, 100, 0, 10), 111));
    EXPECT_TRUE(pass(row(LAB_APPROX, 100, 0, 10), 110));
    EXPECT_TRUE(pass(row(LAB_EQ, 100, 0, 3, 9), 91));
    EXPECT_DOUBLE_EQ(-9, lab_judge(&(const lab_row &)row(LAB_EQ, 100, 0, 3, 9), 91, 0).error_pct);
}

TEST(Judge, BoundsAreWidenedByTheRowsToleranceOnly)
{
    EXPECT_TRUE(pass(row(LAB_BETWEEN, 2.3, 2.5, 3), 2.3 * 0.97 + 1e-9));
    EXPECT_FALSE(pass(row(LAB_BETWEEN, 2.3, 2.5, 3), 2.3 * 0.96));
    EXPECT_FALSE(pass(row(LAB_BETWEEN, 0.2, 0.3, 0), 0.301));
    EXPECT_TRUE(pass(row(LAB_BETWEEN, 0.2, 0.3, 0), 0.3));
    EXPECT_DOUBLE_EQ(0, lab_judge(&(const lab_row &)row(LAB_BETWEEN, 2, 3), 2.5, 0).error_pct);
    EXPECT_TRUE(pass(row(LAB_LE, 10, 0, 10), 11));
    EXPECT_FALSE(pass(row(LAB_LE, 10, 0, 0), 10.01));
    EXPECT_TRUE(pass(row(LAB_GE, 10, 0, 0), 1e9));
    EXPECT_FALSE(pass(row(LAB_RATIO_GE, 2, 0, 3), 1.9));
    EXPECT_TRUE(pass(row(LAB_RATIO_BETWEEN, 1.3, 1.4, 3), 1.43));
    EXPECT_FALSE(pass(row(LAB_RATIO_LE, 2, 0, 3), 2.1));
}

TEST(Judge, OrdersAreStrict)
{
    EXPECT_TRUE(pass(row(LAB_LESS_THAN), 1, 2));
    EXPECT_FALSE(pass(row(LAB_LESS_THAN), 2, 2));
    EXPECT_TRUE(pass(row(LAB_GREATER_THAN), 3, 2));
    EXPECT_FALSE(pass(row(LAB_GREATER_THAN), 2, 2));
    EXPECT_DOUBLE_EQ(50, lab_judge(&(const lab_row &)row(LAB_GREATER_THAN), 3, 2).error_pct);
}

TEST(Judge, APeakIsAPlaceOnTheGrid)
{
    EXPECT_TRUE(pass(row(LAB_PEAK_AT, 524288), 524288));
    EXPECT_FALSE(pass(row(LAB_PEAK_AT, 524288), 262144));
}

TEST(Judge, ACrossoverLiesBetweenItsTwoPlaces)
{
    EXPECT_TRUE(pass(row(LAB_CROSSOVER, 256, 512), 256, 512));
    EXPECT_FALSE(pass(row(LAB_CROSSOVER, 256, 512), 128, 256));
    EXPECT_FALSE(pass(row(LAB_CROSSOVER, 256, 512), 256, 1024));
    EXPECT_FALSE(pass(row(LAB_CROSSOVER, 256, 512), 1024, 512)); /* the first order came back */
    EXPECT_FALSE(pass(row(LAB_CROSSOVER, 256, 512), 1024, INFINITY));
}

} // namespace
