/* The soak in small: see soak.h. `build/tests/bin/soak 100000000` is the large one. */
#include "soak.h"
#include "tests/built.h"

#include <gtest/gtest.h>

namespace
{

struct Soak {
    soak_result result = {};
    sim_error err = {};
    int rc = SIM_ERR_IO;

    Soak(uint64_t tlps, uint64_t seed, std::vector<const char *> faults, sim_order order = {})
    {
        const soak_config cfg = { SOAK_FOLDER, faults.data(), static_cast<unsigned>(faults.size()),
                                  seed,        order,         tlps };

        rc = soak_run(&cfg, &result, nullptr, nullptr, &err);
    }
    bool operator==(const Soak &other) const
    {
        return result.print.visible == other.result.print.visible &&
               result.print.wire == other.result.print.wire && result.end_ps == other.result.end_ps;
    }
};

const unsigned LESS = test::SANITIZED ? 3 : 1;

const char *const ALL = SOAK_FOLDER "/faults.yaml";

TEST(Soak, WithoutFaultsEachWriteComesOnceInOrderAndUnchanged)
{
    const Soak soak(60000 / LESS, 1, {});

    EXPECT_EQ(SIM_OK, soak.rc) << soak.err.text;
    EXPECT_GT(soak.result.writes, 10000u / LESS);
    EXPECT_GT(soak.result.reads, 200u / LESS);
}

TEST(Soak, UnderFaultsToo)
{
    const Soak soak(150000 / LESS, 1, { ALL });

    EXPECT_EQ(SIM_OK, soak.rc) << soak.err.text;
    EXPECT_GT(soak.result.writes, 30000u / LESS);
    EXPECT_GT(soak.result.reads, 200u / LESS);
}

TEST(Soak, ASeedGivesOneResultInEveryOrderAndAnotherSeedAnother)
{
    const Soak one(30000, 7, { ALL }), again(30000, 7, { ALL });
    const Soak ties(30000, 7, { ALL }, { true, true, 3 }), other(30000, 8, { ALL });

    EXPECT_EQ(SIM_OK, one.rc) << one.err.text;
    EXPECT_TRUE(one == again);
    EXPECT_TRUE(one == ties);
    EXPECT_FALSE(one == other);
}

} // namespace
