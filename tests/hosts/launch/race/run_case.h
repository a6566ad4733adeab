/* Runs a case of races.c. */
#ifndef TESTS_RUN_CASE_H
#define TESTS_RUN_CASE_H

#include <algorithm>
#include <cstdio>

#include "tests/built.h"
#include "tests/hosts/cluster.h"

namespace test
{
inline const std::string RACES = BUILD + "/tests/hosts/launch/test_races.so";
inline const std::string AT = " at test_races.so+";

struct Seen {
    std::vector<std::string> found, remarks;
    uint64_t visible = 0, wire = 0, mistakes = 0;
    sim_time_t end = 0;
};

/** @param ranks 0: one on each node */
inline Seen run_case_on(const ClusterConfig &config, const std::string &name, unsigned checks,
                        unsigned ranks = 0)
{
    Cluster c(config);
    Seen seen;
    launch_config cfg = {};

    cfg.checks = checks;
    cfg.nranks = ranks;
    EXPECT_EQ(SIM_OK, c.run_program(RACES, { name }, cfg)) << c.err.text;
    EXPECT_TRUE(c.all_well()) << name;
    seen.found = c.found;
    seen.remarks = c.remarks;
    seen.mistakes = c.result.found;
    seen.visible = c.fingerprint().visible;
    seen.wire = c.fingerprint().wire;
    seen.end = sim_reached(machine_sim(c.machine()));
    return seen;
}

inline Seen run_case(const std::string &name, unsigned checks, const sim_order &order = {})
{
    ClusterConfig config;

    config.order = order;
    return run_case_on(config, name, checks);
}

/** The function of the program that has this offset. */
inline std::string function_of(const std::string &offset)
{
    const std::string command = "addr2line -f -e " + RACES + " " + offset;
    char name[200] = "";
    FILE *f = popen(command.c_str(), "r");

    if (f == nullptr || fscanf(f, "%199s", name) != 1)
        ADD_FAILURE() << command;
    if (f != nullptr)
        pclose(f);
    return std::string(name).substr(0, std::string(name).find('.')); /* without .constprop.0 */
}

/** The functions of the place that stands behind `from`, the innermost first, and where it ends. */
inline std::vector<std::string> functions_at(const std::string &line, size_t from, size_t *end_p)
{
    const std::string called = " (called at ";
    const char *const digits = "0123456789abcdefx";
    std::vector<std::string> functions;
    size_t begin = line.find(AT, from);

    if (begin == std::string::npos)
        return { "no place" };
    for (begin += AT.size();; begin = *end_p + 2) {
        *end_p = std::min(line.find_first_not_of(digits, begin), line.size());
        functions.push_back(function_of(line.substr(begin, *end_p - begin)));
        if (line.compare(*end_p, called.size(), called) == 0)
            *end_p += called.size() - 2;
        else if (functions.size() == 1 || line.compare(*end_p, 1, ",") != 0)
            break;
    }
    *end_p += functions.size() > 1; /* the bracket */
    return functions;
}
} // namespace test
#endif /* TESTS_RUN_CASE_H */
