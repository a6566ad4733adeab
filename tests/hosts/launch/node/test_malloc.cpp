/* What a program does wrong with its blocks, and where. */
#include "tests/hosts/cluster.h"

#include <csignal>
#include <regex>

#include "hosts/host/check.h"
#include "hosts/launch/process/task.h"
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
    std::vector<std::string> found, lines;
};

/** One rank, that all happens before any time passes. */
Outcome run(const std::string &how, unsigned checks)
{
    static std::vector<std::string> found;
    launch_config cfg = {};
    test::Cluster c;
    Outcome o = {};

    found.clear();
    cfg.nranks = 1;
    cfg.checks = checks;
    cfg.found = [](void *, const char *line) { found.emplace_back(line); };
    EXPECT_EQ(SIM_OK, c.run_program(PROGRAM, { how }, cfg)) << c.err.text;
    o.code = c.result.ranks[0].exit_code;
    o.signal = c.result.ranks[0].signal;
    EXPECT_EQ(found.size(), c.result.found);
    for (auto &line : found)
        o.found.push_back(readable(line, c.result.ranks[0].end_ps));
    for (auto &line : c.lines)
        o.lines.push_back(readable(line.text, line.time));
    return o;
}

TEST(Malloc, UsedWellIsNoMistake)
{
    for (const char *how : { "well", "line", "unloaded" }) {
        Outcome o = run(how, HOST_CHECK_HEAP);

        EXPECT_EQ(0, o.code) << how;
        EXPECT_EQ(std::vector<std::string>{}, o.found) << how;
    }
}

TEST(Malloc, WhatTrapsEndsTheRankWithItsPlace)
{
    const struct {
        const char *how, *found;
    } cases[] = {
        { "behind", "access to offset 48 of a block of 48 bytes in touch; allocated in allocate" },
        { "after", "access to offset 8 of a freed block of 48 bytes in touch; "
                   "allocated in allocate; freed in release" },
        { "resized", "access to offset 0 of a freed block of 48 bytes in touch; "
                     "allocated in allocate; freed in resize" },
        { "shrunk", "access to offset 32 of a block of 32 bytes in touch; allocated in resize" },
        { "string", "access to offset 48 of a block of 48 bytes in measure; "
                    "allocated in allocate" },
    };

    if (task_sanitized())
        GTEST_SKIP() << "the sanitizer reports accesses itself";
    for (auto &c : cases) {
        Outcome o = run(c.how, HOST_CHECK_HEAP);

        EXPECT_EQ(SIGSEGV, o.signal) << c.how;
        EXPECT_EQ(std::vector<std::string>{ std::string("rank 0 on node 0: ") + c.found }, o.found);
        EXPECT_EQ(std::vector<std::string>{}, o.lines) << c.how;
    }
}

TEST(Malloc, WhatDoesNotTrapIsFoundInItsBytes)
{
    const struct {
        const char *how, *found;
    } cases[] = {
        { "odd", "a write to offset 41 of a block of 41 bytes, found in release; "
                 "allocated in allocate" },
        { "left", "a write to offset 42 of a block of 41 bytes, found later; "
                  "allocated in allocate" },
        { "before", "a write to offset -3 of a block of 48 bytes, found in resize; "
                    "allocated in allocate" },
    };

    for (auto &c : cases) {
        Outcome o = run(c.how, HOST_CHECK_HEAP);

        EXPECT_EQ(0, o.code) << c.how;
        EXPECT_EQ(std::vector<std::string>{ std::string("rank 0 on node 0: ") + c.found }, o.found);
    }
}

/* In zones: the block is larger than its class by the alignment. */
TEST(Malloc, WithTooManyBlocksForPagesLooksAtTheirBytes)
{
    const std::string rank = "rank 0 on node 0: a write to offset ";
    Outcome o = run("many", HOST_CHECK_HEAP);

    EXPECT_EQ(0, o.code);
    EXPECT_EQ((std::vector<std::string>{
                  rank + "48 of a block of 48 bytes, found in release; allocated in allocate",
                  rank + "5 of a freed block of 48 bytes, found later; "
                         "allocated in allocate; freed in release" }),
              o.found);
}

TEST(Malloc, FreeOfNoBlockIsFoundAndHasNoEffect)
{
    const std::string rank = "rank 0 on node 0: free of ";

    EXPECT_EQ(std::vector<std::string>{ rank + "a freed block of 48 bytes in release; "
                                               "allocated in allocate; freed in release" },
              run("twice", HOST_CHECK_HEAP).found);
    EXPECT_EQ(std::vector<std::string>{ rank + "offset 16 of a block of 48 bytes in release; "
                                               "allocated in allocate" },
              run("inside", HOST_CHECK_HEAP).found);
    for (const char *how : { "stack", "static" }) {
        Outcome o = run(how, HOST_CHECK_HEAP);

        EXPECT_EQ(0, o.code) << how;
        ASSERT_EQ(1u, o.found.size()) << how;
        EXPECT_TRUE(std::regex_match(
            o.found[0], std::regex(rank + "0x[0-9a-f]+, which is no block of malloc in release")))
            << o.found[0];
    }
}

/* As libc does on a computer, and not the simulator with it. */
TEST(Malloc, FreeOfNoBlockEndsTheRankWithoutTheCheck)
{
    for (const char *how : { "twice", "inside", "stack", "static" }) {
        Outcome o = run(how, 0);

        EXPECT_EQ(SIGABRT, o.signal) << how;
        EXPECT_EQ(std::vector<std::string>{ "rank 0 on node 0: free of a block that was freed, or "
                                            "of no block of malloc in release" },
                  o.lines);
        EXPECT_EQ(std::vector<std::string>{}, o.found) << how;
    }
    for (const char *how : { "well", "line", "unloaded" })
        EXPECT_EQ(0, run(how, 0).code) << how;
}

} // namespace
