/* `hubsim run --timeline` and what else observes a run, as users meet them. */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <map>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "tests/built.h"

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

    std::string hubsim(const std::string &args) { return test::HUBSIM + " " + args; }

    std::string folder;
};

bool has(const std::string &text, const std::string &part)
{
    return text.find(part) != std::string::npos;
}

TEST_F(Watch, TimelineOfEachSimulationOfAMachineIsRight)
{
    const int first = test::SANITIZED ? 3 : 1;

    for (int n = first; n <= 3; n++) { /* stores, a small and a large transfer by DMA */
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
    Result r = run("scripts/utilisation " + folder + "/two-node --out " + folder +
                   "/x.png && head -c 4 " + folder + "/x.png | tail -c 3");
    EXPECT_EQ(0, r.status) << r.text;
    EXPECT_TRUE(has(r.text, "/x.png\nPNG")) << r.text;
    /* how it may be more than 100 % */
    r = run("scripts/utilisation " + folder + "/two-node --out " + folder +
            "/use.svg && grep -c 'waiting, %, queues of a place added: two at once are 200 ([0-9]* "
            "places)' " +
            folder + "/use.svg");
    EXPECT_EQ(0, r.status) << r.text;
    r = run(hubsim("topology two-node --csv --traffic " + folder + "/two-node --svg " + folder +
                   "/x.svg"));
    EXPECT_EQ(0, r.status) << r.text;
    EXPECT_TRUE(has(r.text, "\nnode1.hub.w,node0.hub.e,")) << r.text;
    EXPECT_TRUE(has(r.text, ",100.0,100.0\n")) << r.text; /* a ping-pong: both ways alike */
    r = run(hubsim("topology ring8 --traffic " + folder + "/two-node"));
    EXPECT_EQ(1, r.status);
    EXPECT_TRUE(has(r.text, "run 2 was on two-node of 2 nodes: expected ring8 of 8")) << r.text;
    r = run("scripts/utilisation " + folder + "/two-node --out " + folder + "/none/a.png");
    EXPECT_EQ(1, r.status);
    EXPECT_EQ("utilisation: " + folder +
                  "/none/a.png: No such file or directory: expected a name "
                  "of a picture, .png, .svg or .pdf\n",
              r.text);
    r = run("scripts/matrix " + folder + "/none.csv");
    EXPECT_EQ(1, r.status);
    EXPECT_EQ("matrix: " + folder +
                  "/none.csv: No such file or directory: expected what hubrun "
                  "--profile writes\n",
              r.text);
    r = run("scripts/utilisation " + folder);
    EXPECT_EQ(1, r.status);
    EXPECT_TRUE(has(r.text, folder + "/usage.csv: No such file or directory: expected")) << r.text;
}

TEST_F(Watch, MistakesNameTheOption)
{
    Result r = run(hubsim("run two-node --observe 4 --timeline " + folder + "/x.gz"));

    EXPECT_EQ(1, r.status);
    EXPECT_TRUE(has(r.text, "two-node: --observe 4: expected 1 .. 3")) << r.text;
    r = run(hubsim("run two-node --timeline " + folder + "/none/x.gz"));
    EXPECT_EQ(1, r.status);
    EXPECT_TRUE(has(r.text, folder + "/none/x.gz: No such file or directory")) << r.text;
    r = run(hubsim("run two-node --waves " + folder + "/none/x.fst"));
    EXPECT_EQ(1, r.status);
    EXPECT_TRUE(has(r.text, folder + "/none/x.fst: ")) << r.text;
    r = run(hubsim("run two-node --utilisation=3"));
    EXPECT_EQ(2, r.status);
    EXPECT_TRUE(has(r.text, "--utilisation 3: expected a number and ps, ns")) << r.text;
    for (const char *words : { "run two-node --pcap-links x", "run two-node --observe 2",
                               "topology two-node --run 2" }) {
        r = run(hubsim(words));
        EXPECT_EQ(2, r.status) << words;
        EXPECT_TRUE(has(r.text, ", too\n")) << r.text;
    }
}

TEST_F(Watch, FifosAreRefusedAtOnce)
{
    const std::string ff = folder + "/ff";

    ASSERT_EQ(0, run("mkfifo " + ff).status);
    for (const std::string &args :
         { "run " + ff, "run two-node --faults " + ff, "capture " + ff, "run two-node --pcap " + ff,
           "run two-node --timeline " + ff, "topology two-node --svg " + ff, "sweep " + ff,
           "explain " + ff, "score peach2 --rows " + ff }) {
        Result r = run("timeout 10 " + hubsim(args));

        EXPECT_EQ(1, r.status) << args;
        EXPECT_TRUE(has(r.text, ff + ": ")) << args << r.text;
    }
}

TEST_F(Watch, OutputsSpareWhatIsRead)
{
    const std::string m = folder + "/m.yaml";
    Result r = run("printf 'platform: hapacs-tca\\nnodes: 2\\ncables: []\\n' > " + m);

    r = run(hubsim("run " + m + " --pcap " + folder + "/./m.yaml"));
    EXPECT_EQ(1, r.status);
    EXPECT_TRUE(has(r.text, "m.yaml: the same file as FILE " + m)) << r.text;
    r = run(hubsim("run two-node --pcap " + folder + "/a --timeline " + folder + "/a"));
    EXPECT_EQ(1, r.status);
    EXPECT_TRUE(has(r.text, "/a: the same file as --pcap " + folder + "/a")) << r.text;
    r = run("ls " + folder + "; head -1 " + m);
    EXPECT_EQ("m.yaml\nplatform: hapacs-tca\n", r.text);
}

TEST_F(Watch, TimelineOfARunByHandIsDrawn)
{
    const std::string file = folder + "/timeline.json.gz", picture = folder + "/picture.svg";
    Result r = run(test::HUBRUN + " -q -n 2 -m ring4 --timeline " + file + " " + test::WORKLOADS +
                   "/all-to-all.so bytes=2048 repeats=1");

    ASSERT_EQ(0, r.status) << r.text;
    const std::string last =
        "scripts/timeline " + file + " --message -1 --tracks '*core0,*dma?,*→*node*' --out ";
    r = run(last + picture + " && wc -c < " + picture);
    EXPECT_EQ(0, r.status) << r.text;
    EXPECT_GT(atoi(r.text.c_str()), 20000);
    EXPECT_EQ(0, run("grep -q '<!-- route of a message -->' " + picture).status) << "its arrows";
    /* Names of the legend have colours of their own. */
    r = run("cd scripts && ./python -c 'import timeline as t\n"
            "named = set(t.COLOURS.items()) | set(t.STATES.items()) | {(\"route\", t.ARROW)}\n"
            "print(len(named) - len({colour for name, colour in named}))'");
    EXPECT_EQ("0\n", r.text);
    /* What a file is shows in its bytes, not in its name. */
    const std::string check = "scripts/timeline ", json = folder + "/plain";
    r = run("gunzip -c " + file + " > " + json + ".gz && cp " + file + " " + json + " && " + check +
            json + " > " + json + ".a && " + check + json + ".gz > " + json + ".b && " + check +
            file + " | cmp - " + json + ".a && cmp " + json + ".a " + json + ".b");
    EXPECT_EQ(0, r.status) << r.text;
    for (const char *out : { "/none/a.svg", "/a.foo" }) {
        r = run(last + folder + out);
        EXPECT_EQ(1, r.status);
        EXPECT_EQ(0u, r.text.find("timeline: " + folder + out + ": ")) << r.text;
        EXPECT_EQ(1, std::count(r.text.begin(), r.text.end(), '\n')) << r.text;
    }
    r = run("scripts/timeline " + file + " --message 0 --out " + picture);
    EXPECT_EQ(1, r.status);
    EXPECT_TRUE(has(r.text, "--message 0: expected 1 .. ")) << r.text;
    r = run("scripts/timeline " + file + " --tracks nothing --out " + picture);
    EXPECT_EQ(1, r.status);
    EXPECT_TRUE(has(r.text, "--tracks nothing: nothing of it happens")) << r.text;
}

TEST_F(Watch, TimelineShowsWhatAnOutageDoes)
{
    const std::string file = folder + "/outage.json.gz";
    Result r = run(test::HUBRUN +
                   " -q -m ring4 --faults '{link: node0.hub.e, flap: {at: 526us, for: 3us}}'"
                   " --timeline " +
                   file + " " + test::WORKLOADS + "/all-to-all.so bytes=16384 repeats=1");

    ASSERT_EQ(0, r.status) << r.text;
    r = run("scripts/timeline " + file);
    EXPECT_EQ(0, r.status) << r.text;
    r = run("zcat " + file +
            " | grep -o '\"name\":\"re[a-z]*\",\"cat\":\"state\"' | sort | uniq -c | tr -s ' '");
    EXPECT_TRUE(has(r.text, " 2 \"name\":\"retrain\"")) << r.text; /* both ends */
    EXPECT_TRUE(has(r.text, "\"name\":\"replay\"")) << r.text;
}

/* Both follow causes, the one afterwards, the other while the run goes on. */
TEST_F(Watch, ArrowsAreAsLongAsExplanationsTell)
{
    for (const char *kind : { "pio", "register" }) {
        const std::string file = folder + "/explained.json.gz";
        Result r = run(hubsim(std::string("explain ring8 --to 3 --kind ") + kind + " --timeline " +
                              file + " | head -n 1"));
        const size_t at = r.text.find("3 hops: "), end = r.text.find(" ns", at);

        ASSERT_EQ(0, r.status) << r.text;
        ASSERT_NE(std::string::npos, at) << r.text;
        const std::string ns = r.text.substr(at + 8, end - at - 8);
        r = run("scripts/timeline " + file + " --messages | grep ' " + ns + "$'");
        EXPECT_TRUE(has(r.text, "node0/host.core0     node3/host.core0")) << ns << r.text;
    }
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

/* ---- captures ---- */

std::map<std::string, std::vector<std::string>> table(const std::string &csv)
{
    std::map<std::string, std::vector<std::string>> rows;
    std::istringstream lines(csv);

    for (std::string line; std::getline(lines, line);) {
        std::vector<std::string> cells;
        std::istringstream row(line);

        for (std::string cell; std::getline(row, cell, ',');)
            cells.push_back(cell);
        rows[cells.at(0)] = cells;
    }
    return rows;
}

TEST_F(Watch, CaptureIsSummedUp)
{
    const std::string file = folder + "/packets.pcapng";
    Result r = run(hubsim("run two-node --observe 2 --pcap ") + file);

    ASSERT_EQ(0, r.status) << r.text;
    r = run(hubsim("capture --csv ") + file);
    ASSERT_EQ(0, r.status) << r.text;
    auto rows = table(r.text);
    EXPECT_EQ(1u + 26, rows.size())
        << r.text; /* a head; four GPUs, a hub, an adapter each; the cable */
    ASSERT_EQ(1u, rows.count("node0.hub.e")) << r.text;
    EXPECT_EQ("posted", rows["port"][1]);
    EXPECT_GT(std::stoul(rows["node0.hub.e"][1]), 0u);
    for (size_t i = 9; i <= 12; i++) /* replayed, nullified, corrupted, lost */
        EXPECT_EQ("0", rows["node0.hub.e"][i]) << r.text;
}

TEST_F(Watch, CaptureOfSomeLinksHoldsTheSameOfThem)
{
    const std::string all = folder + "/all.pcapng", some = folder + "/some.pcapng";
    Result r = run(hubsim("run two-node --pcap ") + all);

    ASSERT_EQ(0, r.status) << r.text;
    r = run(hubsim("run two-node --pcap-links 'node*.hub.w' --pcap ") + some);
    ASSERT_EQ(0, r.status) << r.text;
    auto of_all = table(run(hubsim("capture --csv ") + all).text);
    auto of_some = table(run(hubsim("capture --csv ") + some).text);
    EXPECT_EQ(1u + 2, of_some.size());
    for (const char *port : { "node0.hub.e", "node1.hub.w" }) {
        ASSERT_EQ(1u, of_some.count(port));
        of_all[port].pop_back(); /* of another time */
        of_some[port].pop_back();
        EXPECT_EQ(of_all[port], of_some[port]);
    }
}

TEST_F(Watch, CaptureShowsWhatFaultsDo)
{
    const std::string file = folder + "/faults.pcapng";
    Result r = run(hubsim("run two-node --observe 3 --faults '{link: node0.hub.e, bit_error_rate: "
                          "1e-6}' --pcap-links node0.hub.e --pcap ") +
                   file);

    ASSERT_EQ(0, r.status) << r.text;
    r = run(hubsim("capture --csv ") + file);
    ASSERT_EQ(0, r.status) << r.text;
    auto rows = table(r.text);
    EXPECT_GT(std::stoul(rows["node0.hub.e"][9]), 0u) << r.text;  /* replayed */
    EXPECT_GT(std::stoul(rows["node0.hub.e"][11]), 0u) << r.text; /* corrupted */
    EXPECT_GT(std::stoul(rows["node1.hub.w"][6]), 0u) << r.text;  /* NAKs */
}

/* The one that is wanted most: what happened before it went wrong. */
TEST_F(Watch, SimulationThatFailsIsObserved)
{
    const std::string file = folder + "/down.pcapng";
    Result r = run(hubsim("run two-node --faults '{link: node0.hub.e, down: {at: 400us, for: "
                          "20us}}' --pcap-links node0.hub.e --pcap ") +
                   file);

    EXPECT_EQ(1, r.status);
    EXPECT_TRUE(has(r.text, "observed simulation 3 of 3")) << r.text;
    EXPECT_TRUE(has(r.text, "the received bytes are not those that were sent")) << r.text;
    r = run(hubsim("capture --csv ") + file);
    ASSERT_EQ(0, r.status) << r.text;
    EXPECT_GT(std::stoul(table(r.text)["node0.hub.e"][1]), 100u) << r.text;
}

TEST_F(Watch, CaptureRefusesWhatItCannotDo)
{
    const std::string file = folder + "/packets.pcapng";
    Result r = run(hubsim("run two-node --pcap-links 'node0.hub.x' --pcap ") + file);

    EXPECT_EQ(1, r.status);
    EXPECT_TRUE(has(r.text, "--pcap-links node0.hub.x: matches no port that has sent, such as "
                            "node0.host.p0"))
        << r.text;
    /* before anything runs, and without a file */
    std::filesystem::remove(file);
    const std::string rtl = " two-node --set node0.hub.kind=hub.rtl --pcap " + file;
    for (const std::string &command :
         { hubsim("run") + rtl, hubsim("explain") + rtl + " --pcap-links node1.hub.w",
           test::HUBRUN + " -m" + rtl + " /bin/true" }) {
        r = run(command);
        EXPECT_EQ(1, r.status);
        EXPECT_TRUE(has(r.text, ": " + file +
                                    ": node0.hub: kind hub.rtl sends packets whose bytes come "
                                    "later: expected hub.c, or --pcap-links without the links "
                                    "that it is at either end of\n"))
            << r.text;
        EXPECT_FALSE(std::filesystem::exists(file)) << command;
    }
    r = run(hubsim("run two-node --pcap ") + folder);
    EXPECT_EQ(1, r.status);
    EXPECT_TRUE(has(r.text, folder + ": Is a directory")) << r.text;
    r = run(hubsim("run two-node --pcap /dev/full"));
    EXPECT_EQ(1, r.status);
    EXPECT_TRUE(has(r.text, "/dev/full: writing failed: No space left on device")) << r.text;
    r = run(hubsim("capture configs/machines/two-node.yaml"));
    EXPECT_EQ(1, r.status);
    EXPECT_TRUE(has(r.text, "two-node.yaml: byte 0: type of the first block")) << r.text;
}

} // namespace
