/* What a program does wrong with its blocks, and where. */
#include "tests/hosts/cluster.h"

#include <csignal>
#include <regex>

#include "tests/built.h"

namespace
{

const std::string PROGRAM = test::BUILD + "/tests/hosts/launch/test_blocks.so";

/** "release": the function that has the address. */
std::string function_at(const std::string &address)
{
    FILE *p = popen(("addr2line -f -e " + PROGRAM + " " + address).c_str(), "r");
    char line[200] = "";

    EXPECT_NE(nullptr, fgets(line, sizeof(line), p));
    pclose(p);
    return std::string(line).substr(0, strcspn(line, "\n"));
}

/** With functions in the place of addresses, and without the time, which is the rank's end. */
std::string readable(std::string line, sim_time_t end)
{
    const std::regex place(R"( at test_blocks\.so\+(0x[0-9a-f]+)( \(called at [^)]*\))?)");
    char time[64];
    std::smatch m;

    while (std::regex_search(line, m, place))
        line = m.prefix().str() + " in " + function_at(m[1]) + m.suffix().str();
    snprintf(time, sizeof(time), " at %.6f us", (double)end * 1e-6);
    if (line.find(time) != std::string::npos)
        line.erase(line.find(time), strlen(time));
    return line;
}

struct Outcome {
    int code, signal;
    std::vector<std::string> lines;
};

/** One rank, that all happens before any time passes. */
Outcome run(const std::string &how)
{
    launch_config cfg = {};
    test::Cluster c;
    Outcome o = {};

    cfg.nranks = 1;
    EXPECT_EQ(SIM_OK, c.run_program(PROGRAM, { how }, cfg)) << c.err.text;
    o.code = c.result.ranks[0].exit_code;
    o.signal = c.result.ranks[0].signal;
    for (auto &line : c.lines)
        o.lines.push_back(readable(line.text, line.time));
    return o;
}

/* As libc does on a computer, and not the simulator with it. */
TEST(Malloc, FreeOfNoBlockEndsTheRank)
{
    for (const char *how : { "twice", "inside", "stack", "static" }) {
        Outcome o = run(how);

        EXPECT_EQ(SIGABRT, o.signal) << how;
        EXPECT_EQ(std::vector<std::string>{ "rank 0 on node 0: free of a block that was freed, or "
                                            "of no block of malloc in release" },
                  o.lines);
    }
    for (const char *how : { "well", "line", "unloaded" })
        EXPECT_EQ(0, run(how).code) << how;
}

} // namespace
