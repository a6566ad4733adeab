/* Himeno's benchmark: its numbers are those of one node however the points are shared, and the
 * times that it prints are what they say. */
#include "tests/workloads/gasnet_run.h"

namespace
{

using test::GasnetRun;
using test::number_of;
using test::run;

const std::string NODES = "platform: hapacs-tca\nring: 8\n";

std::string himeno(const std::vector<std::string> &args, unsigned ranks,
                   const std::string &gasnet = "tca-2016")
{
    GasnetRun r;

    r.program = "himeno";
    r.args = args;
    r.ranks = ranks;
    r.machine = NODES;
    r.gasnet = gasnet + ",segment=gpu0";
    r.mpi = "ib";
    return run(r);
}

double residual(const std::string &size, unsigned iterations, const std::string &split,
                const std::string &library, unsigned ranks, const std::string &gasnet)
{
    return number_of(himeno({ "size=" + size, "split=" + split, "library=" + library,
                              "verify=" + std::to_string(iterations) },
                            ranks, gasnet),
                     "residual_e9");
}

/* The benchmark in a few lines: all points are those of one array. */
double reference(int ni, int nj, int nk, unsigned iterations)
{
    std::vector<float> p((size_t)ni * nj * nk), next;
    double sum = 0;

    for (int i = 0; i < ni; i++)
        for (int jk = 0; jk < nj * nk; jk++)
            p[(size_t)i * nj * nk + jk] =
                (float)((double)i * i / ((double)(ni - 1) * (double)(ni - 1)));
    for (unsigned n = 0; n < iterations; n++) {
        next = p;
        sum = 0;
        for (int i = 1; i < ni - 1; i++)
            for (int j = 1; j < nj - 1; j++)
                for (int k = 1; k < nk - 1; k++) {
                    const float *at = &p[((size_t)i * nj + j) * nk + k];
                    float around = at[nj * nk] + at[nk] + at[1] + at[-nj * nk] + at[-nk] + at[-1];
                    float ss = around * (1.0f / 6.0f) - at[0];

                    sum += (double)ss * (double)ss;
                    next[(size_t)(at - p.data())] = at[0] + 0.8f * ss;
                }
        p.swap(next);
    }
    return sum * 1e9;
}

void expect_one_residual(const std::string &size, unsigned iterations, double expected)
{
    for (const char *split : { "i", "j", "both" })
        for (unsigned ranks : { 1u, 2u, 4u, 8u })
            EXPECT_NEAR(expected, residual(size, iterations, split, "gasnet", ranks, "tca-2016"),
                        expected * 5e-7)
                << size << " split along " << split << " on " << ranks;
    for (const char *split : { "i", "j", "both" }) {
        EXPECT_NEAR(expected, residual(size, iterations, split, "gasnet", 4, "ibv-2016"),
                    expected * 5e-7)
            << split;
        EXPECT_NEAR(expected, residual(size, iterations, split, "mpi", 4, "net"), expected * 5e-7)
            << split;
    }
}

TEST(Himeno, ResidualsAreThoseOfOneNode)
{
    expect_one_residual("small", 20, reference(64, 64, 128, 20));
    expect_one_residual("middle", 3, reference(128, 128, 256, 3));
}

TEST(Himeno, PartsAddUpToTheWhole)
{
    for (const char *library : { "gasnet", "mpi" }) {
        std::string line =
            himeno({ "size=small", "sample=10", std::string("library=") + library }, 4);
        double whole = number_of(line, "latency_ps_median"), parts = 0;

        for (const char *part : { "calculation_ps", "halo_ps", "convergence_ps" }) {
            EXPECT_LT(0, number_of(line, part)) << part;
            parts += number_of(line, part);
        }
        EXPECT_NEAR(whole, parts, 0.01 * whole) << line;
        EXPECT_EQ(1000, number_of(line, "iterations"));
        EXPECT_EQ(10, number_of(line, "run"));
    }
}

/* What the first iterations make for all is no part of the others' time. */
TEST(Himeno, FewIterationsStandForAll)
{
    for (const char *gasnet : { "tca-2016", "ibv-2016" })
        for (const char *split : { "i", "both" }) {
            const std::vector<std::string> all = { "size=small", "iterations=200",
                                                   std::string("split=") + split };
            std::vector<std::string> few = all;

            few.emplace_back("sample=10");
            double whole = number_of(himeno(all, 4, gasnet), "latency_ps_median");

            EXPECT_NEAR(whole, number_of(himeno(few, 4, gasnet), "latency_ps_median"),
                        0.005 * whole)
                << gasnet << " split along " << split;
        }
}

} // namespace
