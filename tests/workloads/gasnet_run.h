/* A workload over GASNet, in a machine of hapacs-tca's nodes or another one. */
#ifndef TESTS_WORKLOADS_GASNET_RUN_H
#define TESTS_WORKLOADS_GASNET_RUN_H

#include "tests/built.h"
#include "tests/hosts/machine_file.h"

namespace test
{

struct GasnetRun {
    std::string program; /* a workload */
    std::vector<std::string> args;
    std::string gasnet = "tca-2016"; /* as of --gasnet */
    unsigned ranks = 2;
    std::string machine = "platform: hapacs-tca\nring: 2\n";
    std::vector<const char *> sets = {}, faults = {};
    std::string mpi = "own";
};

/** The number after " key=" in a result line; 0, and a failure, where there is none. */
inline double number_of(const std::string &line, const std::string &key)
{
    size_t at = line.find(" " + key + "=");

    EXPECT_NE(std::string::npos, at) << key << " in: " << line;
    return at == std::string::npos ? 0 : strtod(line.c_str() + at + key.size() + 2, nullptr);
}

/** Runs it in a cluster of that machine, to whatever end. */
inline void start_in(Cluster &c, const GasnetRun &r)
{
    launch_software software = lab_software(c.machine(), 0);
    launch_config cfg = {};
    load_arena arena = {};
    load_roots roots = {};
    sim_error err = {};

    load_roots_add(&roots, CONFIGS);
    EXPECT_EQ(SIM_OK,
              attempt(&err,
                      [&] {
                          lab_software_mpi(&software, nullptr, r.mpi.c_str(), &roots, &arena);
                          lab_software_gasnet(&software, nullptr, r.gasnet.c_str(), &roots, &arena);
                          lab_software_segment(&software, c.machine(), nullptr, r.ranks);
                      }))
        << err.text;
    cfg.nranks = r.ranks;
    cfg.software = &software;
    cfg.max_time_ps = 100000 * SIM_MS;
    EXPECT_EQ(SIM_OK, c.run_program(WORKLOADS + "/" + r.program + ".so", r.args, cfg))
        << c.err.text;
    load_arena_fini(&arena);
}

/** The same. @return its result line, "" when it has not ended well. */
inline std::string run_in(Cluster &c, const GasnetRun &r)
{
    std::string line;

    start_in(c, r);
    EXPECT_TRUE(c.all_well()) << (c.lines.empty() ? "" : c.lines.back().text);
    for (const auto &l : c.lines)
        if (l.text.rfind("result ", 0) == 0)
            line = l.text;
    return c.all_well() ? line : "";
}

inline std::string run(const GasnetRun &r)
{
    MachineFile file(r.machine, r.sets, r.faults);
    Cluster c(file.cluster());

    return run_in(c, r);
}

} // namespace test
#endif /* TESTS_WORKLOADS_GASNET_RUN_H */
