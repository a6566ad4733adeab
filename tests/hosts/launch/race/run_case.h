/* Runs a case of races.c. */
#ifndef TESTS_RUN_CASE_H
#define TESTS_RUN_CASE_H

#include "tests/built.h"
#include "tests/hosts/cluster.h"

namespace test
{
inline const std::string RACES = BUILD + "/tests/hosts/launch/test_races.so";

struct Seen {
    std::vector<std::string> found, remarks;
    uint64_t visible = 0, wire = 0, mistakes = 0;
};

inline Seen run_case(const std::string &name, unsigned checks, const sim_order &order = {})
{
    ClusterConfig config;
    config.order = order;
    Cluster c(config);
    Seen seen;
    launch_config cfg = {};

    cfg.checks = checks;
    EXPECT_EQ(SIM_OK, c.run_program(RACES, { name }, cfg)) << c.err.text;
    EXPECT_TRUE(c.all_well()) << name;
    seen.found = c.found;
    seen.remarks = c.remarks;
    seen.mistakes = c.result.found;
    seen.visible = c.fingerprint().visible;
    seen.wire = c.fingerprint().wire;
    return seen;
}
} // namespace test
#endif /* TESTS_RUN_CASE_H */
