/* `hubsim run --timeline` and what else observes a run, as users meet them. */
#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace
{

struct Result {
    int status;
    std::string text; /* stdout and stderr */
};

Result run(const std::string &command)
{
    FILE *p = popen((command + " 2>&1").c_str(), "r");
    Result r = { -1, "" };
    char buffer[4096];

    for (size_t n; (n = fread(buffer, 1, sizeof(buffer), p)) > 0;)
        r.text.append(buffer, n);
    r.status = WEXITSTATUS(pclose(p));
    return r;
}

class Watch : public ::testing::Test
{
  protected:
    void SetUp() override
    {
        char name[] = "/tmp/hubsim-watch-XXXXXX";

        ASSERT_NE(nullptr, mkdtemp(name));
        folder = name;
    }
    void TearDown() override { (void)run("rm -rf " + folder); }

    std::string hubsim(const std::string &args) { return HUBSIM " " + args; }

    std::string folder;
};

bool has(const std::string &text, const std::string &part)
{
    return text.find(part) != std::string::npos;
}

TEST_F(Watch, TimelineOfEachSimulationOfAMachineIsRight)
{
    for (int n = 1; n <= 3; n++) { /* stores, a small and a large transfer by DMA */
        const std::string file = folder + "/timeline.json.gz";
        Result r =
            run(hubsim("run two-node --timeline " + file + " --observe ") + std::to_string(n));

        ASSERT_EQ(0, r.status) << r.text;
        EXPECT_TRUE(has(r.text, "observed simulation " + std::to_string(n) + " of 3")) << r.text;
        r = run("scripts/timeline " + file);
        EXPECT_EQ(0, r.status) << r.text;
        EXPECT_TRUE(has(r.text, "cables/node0.hub.e → node1.hub.w")) << r.text;
    }
}

TEST_F(Watch, MistakesNameTheOption)
{
    Result r = run(hubsim("run two-node --observe 4 --timeline " + folder + "/x.gz"));

    EXPECT_EQ(1, r.status);
    EXPECT_TRUE(has(r.text, "two-node: --observe 4: expected 1 .. 3")) << r.text;
    r = run(hubsim("run two-node --timeline " + folder + "/none/x.gz"));
    EXPECT_EQ(1, r.status);
    EXPECT_TRUE(has(r.text, folder + "/none/x.gz: cannot be written")) << r.text;
}

TEST_F(Watch, DrawingRefusesWhatIsNoTimeline)
{
    const std::string file = folder + "/x.json";
    Result r = run("echo '{\"traceEvents\":[{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":0,"
                   "\"dur\":1,\"name\":\"a\",\"cat\":\"b\"}]}' > " +
                   file + " && scripts/timeline " + file);

    EXPECT_EQ(1, r.status);
    EXPECT_TRUE(has(r.text, "process 1 has no name yet")) << r.text;
}

} // namespace
