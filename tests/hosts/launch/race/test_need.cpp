/* A check for races without room in its trees. */
#include <dlfcn.h>
#include <search.h>

#include "tests/hosts/launch/race/run_case.h"

namespace
{
bool full;
}

/* In the place of the C library's. */
extern "C" void *tsearch(const void *key, void **root, int (*compare)(const void *, const void *))
{
    using add = void *(const void *, void **, int (*)(const void *, const void *));

    return full ? nullptr
                : reinterpret_cast<add *>(dlsym(RTLD_NEXT, "tsearch"))(key, root, compare);
}

namespace
{

/* It says why, and no result is taken for one without races. */
TEST(RaceNeed, WithoutRoomEndsTheRun)
{
    for (const char *name : { "loads_at_once", "loads_while_received", "ok_adds_twice" }) {
        test::Cluster c;
        launch_config cfg = {};
        unsigned said = 0;

        cfg.checks = HOST_CHECK_RACES;
        full = true;
        EXPECT_EQ(SIM_OK, c.run_program(test::RACES, { name }, cfg)) << c.err.text;
        full = false;
        EXPECT_FALSE(c.all_well());
        for (const auto &line : c.lines)
            said += line.error &&
                    line.text.find(": out of memory for the check for races") != std::string::npos;
        EXPECT_LE(1u, said) << name; /* by each rank that comes to it at that time */
    }
}

} // namespace
