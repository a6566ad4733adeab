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
        EXPECT_TRUE(has(r.text, "node0/hub.e → node1.hub.w")) << r.text;
    }
}

/* Windows of another length hold the same in all, for each simulation. */
TEST_F(Watch, UtilisationIsKeptWithTheResult)
{
    const std::string sum =
        "; awk -F, 'NR == 1 { for (i = 6; i <= NF; i++) name[i] = $i } NR > 1 { last[$1] = $5; "
        "for (i = 6; i <= NF; i++) if (name[i] != \"skp_ps\") s[$1 \",\" $2 \",\" $3 \",\" "
        "name[i]] "
        "+= $i } END { for (k in s) if (s[k]) print k, s[k] }' " +
        folder + "/two-node/usage.csv | sort";
    std::string sums[2];

    for (int i = 0; i < 2; i++) {
        Result r = run(hubsim("run two-node --out " + folder + " --utilisation" +
                              (i != 0 ? "=3us" : "") + " > /dev/null" + sum));

        EXPECT_EQ(0, r.status);
        for (const char *used : { "0,node0.hub.e,tx,payload_ps ", "1,node1.hub.n,tx,dllp_ps ",
                                  "2,node0.hub,dma0,stall_tag_ps " })
            EXPECT_TRUE(has(r.text, used)) << used << r.text;
        sums[i] = r.text;
    }
    EXPECT_EQ(sums[0], sums[1]);
}

TEST_F(Watch, MistakesNameTheOption)
{
    Result r = run(hubsim("run two-node --observe 4 --timeline " + folder + "/x.gz"));

    EXPECT_EQ(1, r.status);
    EXPECT_TRUE(has(r.text, "two-node: --observe 4: expected 1 .. 3")) << r.text;
    r = run(hubsim("run two-node --timeline " + folder + "/none/x.gz"));
    EXPECT_EQ(1, r.status);
    EXPECT_TRUE(has(r.text, folder + "/none/x.gz: cannot be written")) << r.text;
    r = run(hubsim("run two-node --utilisation=3"));
    EXPECT_EQ(2, r.status);
    EXPECT_TRUE(has(r.text, "--utilisation 3: expected a number and ps, ns")) << r.text;
}

TEST_F(Watch, TimelineOfARunByHandIsDrawn)
{
    const std::string file = folder + "/timeline.json.gz", picture = folder + "/picture.svg";
    Result r = run(HUBRUN " -q -m ring4 --timeline " + file +
                   " " WORKLOADS "/all-to-all.so bytes=2048 repeats=1");

    ASSERT_EQ(0, r.status) << r.text;
    r = run("scripts/timeline " + file + " --message -1 --tracks '*core0,*dma?,*→*node*' --out " +
            picture + " && wc -c < " + picture);
    EXPECT_EQ(0, r.status) << r.text;
    EXPECT_GT(atoi(r.text.c_str()), 20000);
    r = run("scripts/timeline " + file + " --message 0 --out " + picture);
    EXPECT_EQ(1, r.status);
    EXPECT_TRUE(has(r.text, "--message 0: expected 1 .. ")) << r.text;
    r = run("scripts/timeline " + file + " --tracks nothing --out " + picture);
    EXPECT_EQ(1, r.status);
    EXPECT_TRUE(has(r.text, "--tracks nothing: nothing of it happens")) << r.text;
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
