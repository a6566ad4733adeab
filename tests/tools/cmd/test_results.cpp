/* `hubsim check` and `hubsim diff` as their users and their CI meet them. */
#include "tests/built.h"
#include "tests/folder.h"
#include <algorithm>
#include <csignal>

namespace
{

class Results : public test::Shell
{
  protected:
    void SetUp() override
    {
        Shell::SetUp();
        write("small.yaml", "description: a small one\n"
                            "workload: pingpong\n"
                            "platform: hapacs-tca\n"
                            "setup: {rounds: 2, repeats: 1, mode: pio}\n"
                            "series:\n"
                            "  - {name: PIO, bytes: 8..32}\n");
    }
    /** @return the exit status of `hubsim ARGS`, run in the folder */
    int hubsim(const std::string &args)
    {
        return sh("cd " + folder + " && " + test::HUBSIM + " " + args);
    }
    void change(const std::string &name, const std::string &from, const std::string &to)
    {
        std::string now = text(name);
        size_t at = now.find(from);

        ASSERT_NE(std::string::npos, at) << now;
        write(name, now.replace(at, from.size(), to));
    }
};

TEST_F(Results, AKeptResultIsTheSameAgainWhereverItLies)
{
    ASSERT_EQ(0, hubsim("run small.yaml --out kept")) << errors;
    ASSERT_EQ(0, sh("mv " + folder + "/kept/small " + folder + "/elsewhere && rm " + folder +
                    "/small.yaml"));
    EXPECT_EQ(0, hubsim("check elsewhere")) << errors;
    EXPECT_EQ("small: passed, 3 points: 3 equal\n", out);
    EXPECT_EQ(0, hubsim("check elsewhere --csv --jobs 1")) << errors;
    EXPECT_EQ("result,point,verdict,value,kept,now,change_pct,band,reason\n", out);
}

TEST_F(Results, AChangedValueIsStatusOneAndShown)
{
    ASSERT_EQ(0, hubsim("run small.yaml --out kept")) << errors;
    std::string row = text("kept/small/table.csv");
    row = row.substr(row.find("PIO,bytes,16,"));
    std::string latency = row.substr(13, row.find(',', 13) - 13);

    change("kept/small/table.csv", "16," + latency, "16,0.5");
    EXPECT_EQ(1, hubsim("check kept/small --csv")) << errors;
    EXPECT_EQ(0u, out.find("result,point,verdict,value,kept,now,change_pct,band,reason\n"
                           "small,\"PIO, bytes = 16\",value,latency_us_min,0.5," +
                           latency + ","))
        << out;
    EXPECT_EQ(1, hubsim("check kept/small --band 1%")) << errors;
    EXPECT_EQ(0, hubsim("check kept/small --band latency_us_min=10")) << errors;
    EXPECT_NE(std::string::npos,
              out.find("small: latency_us_min in its band, farthest at PIO, bytes = 16: " +
                       latency + " for 0.5\n"))
        << out;
}

TEST_F(Results, AChangedModelPassesOnlyWithABand)
{
    ASSERT_EQ(0, hubsim("run small.yaml --out kept")) << errors;
    std::string manifest = text("kept/small/manifest.json");
    size_t at = manifest.find("\"wire\": \"") + 9;

    write("kept/small/manifest.json", manifest.replace(at, 4, "0123"));
    EXPECT_EQ(1, hubsim("check kept/small")) << errors;
    EXPECT_NE(std::string::npos, out.find("model    fingerprint        wire")) << out;
    EXPECT_NE(std::string::npos,
              out.find("small: DIFFERS, 3 points: 2 equal, 1 with other fingerprints only"))
        << out;
    EXPECT_EQ(0, hubsim("check kept/small --band 0%")) << errors;
}

TEST_F(Results, ChangedParametersExplainAndAreKept)
{
    ASSERT_EQ(0, hubsim("run small.yaml --out kept --set 'node*.hub.route_cycles=9' --seed 2"))
        << errors;
    EXPECT_EQ(0, hubsim("check kept/small")) << out;
    change("kept/small/manifest.json", "\"--set\", \"node*.hub.route_cycles=9\", ", "");
    EXPECT_EQ(1, hubsim("check kept/small --out now")) << errors;
    EXPECT_NE(std::string::npos, out.find("small: parameter node*.hub.route_cycles was 9, is 4\n"))
        << out;
    EXPECT_EQ(1, hubsim("diff kept/small now/small")) << errors;
    EXPECT_NE(std::string::npos, out.find("parameter    node*.hub.route_cycles")) << out;
    EXPECT_EQ(1, hubsim("diff kept/small now/small --json")) << errors;
    EXPECT_NE(std::string::npos, out.find("\"what\": \"parameter\", \"name\": "
                                          "\"node*.hub.route_cycles\", \"unit\": \"\", \"n\": 2, "
                                          "\"of\": 2, \"before\": \"9\", \"after\": \"4\", "
                                          "\"change_pct\": -55.56, "))
        << out;
    EXPECT_EQ(0, hubsim("diff now/small now/small")) << errors;
    EXPECT_EQ("no difference in parameters, faults, points, values, fingerprints, statistics\n",
              out);
}

TEST_F(Results, AnotherMakeIsNamed)
{
    ASSERT_EQ(0, hubsim("run two-node --out kept --fingerprints")) << errors;
    const std::string table = out;
    ASSERT_EQ(0, hubsim("run two-node --out now --set node1.hub.kind=hub.c --fingerprints"))
        << errors;
    /* three simulations, with the same numbers */
    EXPECT_EQ(5, std::count(table.begin(), table.end(), '\n')) << table;
    EXPECT_EQ(table.substr(0, table.find(" two-node ")), out.substr(0, out.find(" two-node ")));
    (void)hubsim("diff kept/two-node now/two-node");
    EXPECT_NE(std::string::npos, out.find("parameter  node1.hub.kind")) << out;
}

TEST_F(Results, WhatIsForProgramsIsJson)
{
    ASSERT_EQ(0, hubsim("run small.yaml --out kept --set 'node*.hub.route_cycles=9'")) << errors;
    change("kept/small/manifest.json", "\"--set\", \"node*.hub.route_cycles=9\"",
           "\"--seed\", \"1\"");
    EXPECT_EQ(1, hubsim("check kept/small --out now --json > check.json")) << errors;
    EXPECT_EQ(1, hubsim("diff now/small kept/small --json > diff.json")) << errors;
    for (const char *file :
         { "check.json", "diff.json", "now/small/manifest.json", "now/small/statistics.json" })
        EXPECT_EQ(0, sh("python3 -m json.tool " + folder + "/" + file)) << errors << text(file);
}

TEST_F(Results, AMachineAloneIsKeptToo)
{
    ASSERT_EQ(0, hubsim("run line3 --out kept")) << errors;
    EXPECT_EQ(0, hubsim("check kept/line3 --out now")) << out << errors;
    EXPECT_EQ("line3: passed, 2 points: 2 equal\n", out);
    EXPECT_EQ(0, sh("diff -r " + folder + "/kept/line3 " + folder + "/now/line3")) << out;
}

/* No parameter says which route packets take. */
TEST_F(Results, OtherRoutesAreSeen)
{
    const std::string ring = "platform: hapacs-tca\nnodes: 3\nedges: |\n  0 1\n  1 2\n  2 0\n";

    write("ring.yaml", "# round and round\n" + ring);
    ASSERT_EQ(0, hubsim("run ./ring.yaml --out shortest")) << errors;
    write("ring.yaml", ring);
    EXPECT_EQ(0, hubsim("check shortest/ring")) << out << errors;
    EXPECT_EQ("ring: passed, 2 points: 2 equal\n", out);
    write("ring.yaml", ring + "routes: {one_way: e}\n");
    EXPECT_EQ(1, hubsim("check shortest/ring")) << out << errors;
    EXPECT_NE(std::string::npos,
              out.find("ring: parameter components, cables, routes or slots was hash "))
        << out;
}

TEST_F(Results, ANodeThatIsGoneIsOneLine)
{
    write("ring.yaml", "platform: hapacs-tca\nring: 4\n");
    ASSERT_EQ(0, hubsim("run ./ring.yaml --out kept")) << errors;
    write("ring.yaml", "platform: hapacs-tca\nring: 3\n");
    EXPECT_EQ(1, hubsim("check kept/ring --out now")) << out << errors;
    EXPECT_NE(std::string::npos, out.find("\nring: parameter nodes was 4, is 3\n"
                                          "ring: parameter cable3.length_mm was 2000, is none\n"
                                          "ring: DIFFERS"))
        << out;
    EXPECT_EQ(1, hubsim("diff kept/ring now/ring --csv")) << errors;
    EXPECT_NE(std::string::npos, out.find("\nparameter,nodes,")) << out;
    EXPECT_EQ(std::string::npos, out.find("\nparameter,node3.")) << out;
}

/* What is not the folder of a result, and which one is meant. */
TEST_F(Results, TheFolderAboveAndTheFileInItAreNamed)
{
    ASSERT_EQ(0, hubsim("run small.yaml --out kept")) << errors;
    EXPECT_EQ(2, hubsim("check kept"));
    EXPECT_EQ("hubsim: kept: a folder of results: expected one of them, such as kept/small\n",
              errors);
    EXPECT_EQ(2, hubsim("diff kept kept"));
    EXPECT_EQ("hubsim: kept: a folder of results: expected one of them, such as kept/small\n",
              errors);
    EXPECT_EQ(2, hubsim("check kept/small/manifest.json"));
    EXPECT_EQ("hubsim: kept/small/manifest.json: a file: expected the folder of a result\n",
              errors);
    ASSERT_EQ(0, sh("mkdir " + folder + "/empty"));
    EXPECT_EQ(2, hubsim("check empty"));
    EXPECT_EQ(0u, errors.find("hubsim: empty: no manifest.json: expected ")) << errors;
}

TEST_F(Results, FaultsAreKeptAndRunAgain)
{
    ASSERT_EQ(0, hubsim("run line3 --out kept")) << errors;
    ASSERT_EQ(0, hubsim("run line3 --out now --faults '{port: node0.hub.e, drop: {tlp: 9}}'"))
        << errors;
    EXPECT_EQ(0, hubsim("check now/line3")) << out << errors;
    EXPECT_EQ(1, hubsim("diff kept/line3 now/line3")) << errors;
    EXPECT_NE(std::string::npos, out.find("\nfault        port node0.hub.e drop tlp=9")) << out;
    EXPECT_NE(std::string::npos, out.find("node*.hub.e.tx.replays [1]")) << out;
}

TEST_F(Results, DiffLeavesOutWhatIsBeyondTheLimitAndCountsIt)
{
    ASSERT_EQ(0, hubsim("run small.yaml --out a")) << errors;
    ASSERT_EQ(0, hubsim("run small.yaml --out b --set 'node*.hub.e.link.lanes=4'")) << errors;
    EXPECT_EQ(1, hubsim("diff a/small b/small --limit 1"));
    EXPECT_NE(std::string::npos, out.find("\nand 5 more of value (--limit 0 shows all)\n")) << out;
    EXPECT_EQ(1, hubsim("diff a/small b/small --limit 0"));
    EXPECT_EQ(std::string::npos, out.find("--limit"));
    EXPECT_EQ(1, hubsim("diff a/small b/small --point '*= 16'"));
    EXPECT_NE(std::string::npos, out.find("1 of 1")) << out;
    EXPECT_EQ(std::string::npos, out.find("of 3")) << out;
    EXPECT_EQ(2, hubsim("diff a/small b/small --point 'DMA*'"));
    EXPECT_EQ("hubsim: --point DMA*: matches no point, such as PIO, bytes = 8\n", errors);
}

TEST_F(Results, JunitHasACaseForEachPointAndTheSchemaHolds)
{
    ASSERT_EQ(0, hubsim("run small.yaml --out kept")) << errors;
    std::string manifest = text("kept/small/manifest.json");
    change("kept/small/table.csv", "PIO,bytes,8,", "PIO,bytes,8,9");
    ASSERT_EQ(0, sh("cp -r " + folder + "/kept/small " + folder + "/bad"));
    change("bad/manifest.json", "\"small.yaml\"", "\"<none> & \\u0001\\\"quoted\\\".yaml\"");
    EXPECT_EQ(2, hubsim("check kept/small bad nowhere --junit junit.xml"));
    std::string xml = text("junit.xml");
    EXPECT_NE(std::string::npos,
              xml.find("<testsuite name=\"small\" tests=\"3\" failures=\"1\" errors=\"0\">"))
        << xml;
    EXPECT_NE(std::string::npos,
              xml.find("<failure message=\"a value differs by more than it may\" "
                       "type=\"value\">"))
        << xml;
    EXPECT_NE(std::string::npos,
              xml.find("<testcase classname=\"small\" name=\"PIO, bytes = 32\"/>"))
        << xml;
    EXPECT_NE(std::string::npos, xml.find("&lt;none&gt; &amp;  &quot;quoted&quot;.yaml")) << xml;
    EXPECT_EQ(0, sh("xmllint --noout --schema tests/tools/cmd/junit.xsd " + folder + "/junit.xml"))
        << errors << xml;
}

/* As of two branches: the second one would replace the first in the new folder. */
TEST_F(Results, ResultsOfOneNameHaveNoNewFolderInCommon)
{
    ASSERT_EQ(0, hubsim("run small.yaml --out a")) << errors;
    ASSERT_EQ(0, sh("cd " + folder + " && cp -r a b && cp -r a/small b/other"));
    for (const char *second : { "b/small", "b/other" }) { /* what counts is the name it gets */
        EXPECT_EQ(2, hubsim(std::string("check a/small ") + second + " --out now"));
        EXPECT_EQ("hubsim: " + std::string(second) +
                      ": --out now: expected results of different names: a/small is called small, "
                      "too\n",
                  errors);
        EXPECT_EQ("", out);
        EXPECT_FALSE(std::filesystem::exists(folder + "/now"));
    }
    EXPECT_EQ(0, hubsim("check a/small b/small")) << errors;
}

/* A row that changes at all, or leaves its band, is named with what it was and what was published.
 */
TEST_F(Results, ScoresAreKeptToTheDigitWithACaseForEachRow)
{
    const std::string head = "id,platform,workload,setup,quantity,relation,value,value2,unit,"
                             "tolerance_pct,source,role,needs\n",
                      setup = ",hapacs-tca,pingpong,bytes=8;mode=pio",
                      end = ",latency,le,0.95,,us,0,s,primary,\n";
    const std::string order = "order" + setup +
                              ";versus=a;versus_bytes=16,latency,less_than,,,us,"
                              "0,s,primary,\n";

    write("rows.csv",
          head + "a" + setup + end + "b" + setup.substr(0, setup.size() - 3) + "dma" + end + order);
    EXPECT_EQ(1, hubsim("score peach2 --rows rows.csv --out kept >/dev/null")); /* b fails */
    EXPECT_EQ(0u, text("kept/rows/table.csv")
                      .find("id,published,simulated,error_pct,verdict,role,calibrated\n"
                            "a,<=0.95 us,0.9039999999999999,0.00,pass,primary,no\nb,<=0.95 us,"))
        << text("kept/rows/table.csv");
    EXPECT_EQ(0, hubsim("check kept/rows --out now --junit junit.xml")) << out << errors;
    EXPECT_EQ("rows: passed, 3 points: 3 equal\n", out);
    EXPECT_EQ(0, hubsim("diff kept/rows now/rows")) << out;
    EXPECT_NE(std::string::npos,
              text("junit.xml").find("classname=\"rows\" name=\"order, published = &lt; a\"/>"))
        << text("junit.xml");

    change("kept/rows/table.csv", "us,0.9039999999999999,", "us,0.9040000000000001,");
    EXPECT_EQ(1, hubsim("check kept/rows --csv")) << out;
    EXPECT_NE(std::string::npos,
              out.find("\nrows,\"a, published = <=0.95 "
                       "us\",value,simulated,0.9040000000000001,0.9039999999999999,"))
        << out;
    EXPECT_EQ(3, std::count(out.begin(), out.end(), '\n') + 1) << out;
    EXPECT_EQ(0, hubsim("check kept/rows --band 'simulated=0.1%'")) << out;
    change("kept/rows/table.csv", "0.9040000000000001,0.00,pass", "0.9039999999999999,0.00,fail");
    EXPECT_EQ(1, hubsim("check kept/rows --band 1% --junit junit.xml")) << out;
    EXPECT_NE(std::string::npos, text("junit.xml").find("\nverdict: kept fail, now pass\n"))
        << text("junit.xml");
    EXPECT_EQ(1, hubsim("score peach2 --rows rows.csv --out kept --sensitivity"));
    EXPECT_EQ("hubsim: --sensitivity: expected no --out: it keeps no result\n", errors);
}

TEST_F(Results, OptionsOfAScoreAreUsedAgain)
{
    write("rows.csv",
          "id,platform,workload,setup,quantity,relation,value,value2,unit,tolerance_pct,"
          "source,role,needs\na,hapacs-tca,pingpong,bytes=8;mode=pio,latency,le,2,,us,"
          "0,s,primary,\n");
    ASSERT_EQ(0, hubsim("score peach2 --rows rows.csv --out kept --whole-protocol "
                        "--set 'node*.hub.route_cycles=9'"))
        << errors;
    EXPECT_EQ(0, hubsim("check kept/rows")) << out;
    EXPECT_NE(std::string::npos, text("kept/rows/manifest.json")
                                     .find("[\"score\", \"peach2\", \"--rows\", \"rows.csv\", "
                                           "\"--set\", \"node*.hub.route_cycles=9\", "
                                           "\"--whole-protocol\"]"));
    change("kept/rows/manifest.json", "\"score\", \"peach2\"", "\"run\", \"peach2\"");
    EXPECT_EQ(2, hubsim("check kept/rows"));
    EXPECT_NE(std::string::npos, errors.find(": arguments: expected score and a system\n"))
        << errors;
}

/* A run of hours is not the time to learn it. The simulations that would take them are the proof.
 */
TEST_F(Results, AFolderThatCannotBeWrittenIsRefusedBeforeTheRun)
{
    write("long.yaml", "workload: pingpong\nplatform: hapacs-tca\n"
                       "setup: {rounds: 1000000000, repeats: 1, mode: pio}\n"
                       "series:\n  - {name: PIO, bytes: 8..32}\n");
    write("file", "");
    for (const char *what : { "long.yaml --whole-protocol", "ring8", "ring8 --utilisation" }) {
        EXPECT_EQ(1, hubsim(std::string("run ") + what + " --out file")) << what;
        EXPECT_EQ("", out);
        EXPECT_EQ(0u, errors.find("hubsim: file/")) << errors;
        EXPECT_NE(std::string::npos,
                  errors.find(": Not a directory: expected a folder to write to"))
            << errors;
    }
}

TEST_F(Results, AReportThatCannotBeWrittenIsRefusedBeforeTheRun)
{
    ASSERT_EQ(0, hubsim("run small.yaml --out kept --whole-protocol")) << errors;
    change("kept/small/small.yaml", "rounds: 2", "rounds: 1000000000");
    EXPECT_EQ(2, hubsim("check kept/small --junit nowhere/j.xml"));
    EXPECT_EQ("hubsim: nowhere/j.xml: No such file or directory: expected a writable file\n",
              errors);
    EXPECT_EQ("", out);
}

TEST_F(Results, AReportIsNoFileOfAResult)
{
    ASSERT_EQ(0, hubsim("run small.yaml --out kept")) << errors;
    ASSERT_EQ(0, sh("ln " + folder + "/kept/small/table.csv " + folder + "/linked.xml"));
    for (const std::string report :
         { "kept/small/manifest.json", "kept/../kept/small/table.csv", "linked.xml" }) {
        const std::string before = text(report);

        EXPECT_EQ(2, hubsim("check kept/small --junit " + report));
        EXPECT_EQ(
            0u, errors.find("hubsim: --junit " + report + ": the same file as RESULT kept/small/"))
            << errors;
        EXPECT_EQ("", out);
        EXPECT_EQ(before, text(report));
    }
    EXPECT_EQ(0, hubsim("check kept/small --junit kept/small/report.xml")) << errors;
}

/* CI systems read what is there, also of a job that was cancelled. */
TEST_F(Results, ACheckThatIsEndedLeavesTheLastReport)
{
    ASSERT_EQ(0, hubsim("run small.yaml --out kept --whole-protocol")) << errors;
    change("kept/small/small.yaml", "rounds: 2", "rounds: 1000000000");
    write("last.xml", "<last/>\n");
    for (const char *name : { "last.xml", "new.xml" })
        EXPECT_EQ(128 + SIGTERM,
                  sh("cd " + folder + " && timeout --foreground --preserve-status 0.5 " +
                     test::HUBSIM + " check kept/small --junit " + name))
            << errors;
    EXPECT_EQ("<last/>\n", text("last.xml"));
    EXPECT_EQ(1, sh("test -e " + folder + "/new.xml"));
}

TEST_F(Results, AReportReplacesALongerOneAndGoesIntoPipes)
{
    ASSERT_EQ(0, hubsim("run small.yaml --out kept")) << errors;
    ASSERT_EQ(0, hubsim("check kept/small --junit first.xml")) << errors;
    write("j.xml", std::string(100000, 'x'));
    ASSERT_EQ(0, hubsim("check kept/small --junit j.xml")) << errors;
    EXPECT_EQ(text("first.xml"), text("j.xml"));
    ASSERT_EQ(0, sh("mkfifo " + folder + "/pipe"));
    EXPECT_EQ(0, sh("cd " + folder +
                    " && { timeout 20 cat pipe >piped.xml & } && for i in $(seq 200); do " +
                    test::HUBSIM + " check kept/small --junit pipe >printed && break; " +
                    "sleep .05; done && wait")) /* there may be no reader at first */
        << errors;
    EXPECT_EQ(0, hubsim("check kept/small --junit /dev/stdout | cat >both")) << errors;
    EXPECT_EQ(text("first.xml"), text("piped.xml"));
    EXPECT_NE(std::string::npos, text("both").find(text("first.xml")));
}

TEST_F(Results, AFullDiskIsTheReasonThatIsPrinted)
{
    const std::string mount = "unshare -rm sh -c 'mount -t tmpfs -o size=16k none tmp";

    ASSERT_EQ(0, hubsim("run small.yaml --out kept")) << errors;
    ASSERT_EQ(0, sh("mkdir " + folder + "/tmp"));
    if (sh("cd " + folder + " && " + mount + "'") != 0)
        GTEST_SKIP() << errors;
    EXPECT_EQ(2, sh("cd " + folder + " && " + mount + "; cat /dev/zero >tmp/all 2>/dev/null; " +
                    "TMPDIR=$PWD/tmp " + test::HUBSIM + " check kept/small'"));
    EXPECT_EQ(0u, errors.find("hubsim: kept/small: cannot be run again (status 1): ")) << errors;
    EXPECT_NE(std::string::npos, errors.find(": No space left on device")) << errors;
    EXPECT_EQ(1, std::count(errors.begin(), errors.end(), '\n')) << errors;
}

TEST_F(Results, AResultOfAnotherCommandIsNotReplacedWithoutARemark)
{
    for (const char *set : { "", "", " --seed 2" }) {
        ASSERT_EQ(0, hubsim(std::string("run small.yaml --out kept") + set)) << errors;
        EXPECT_EQ(set[0] == '\0' ? ""
                                 : "hubsim: kept/small: replaces the result of `hubsim run "
                                   "small.yaml`: --out DIR keeps both\n",
                  errors);
    }
    ASSERT_EQ(0, hubsim("run two-node --out kept")) << errors;
    ASSERT_EQ(0, hubsim("run two-node --out kept --seed 3")) << errors;
    EXPECT_EQ(0u,
              errors.find("hubsim: kept/two-node: replaces the result of `hubsim run two-node`"))
        << errors;
}

/* By Ctrl-C, or by a job that is cancelled: a run of hours is what is left of the kept one here. */
TEST_F(Results, ASignalEndsTheCheckAndWhatItHasBegun)
{
    ASSERT_EQ(0, hubsim("run small.yaml --out kept --whole-protocol")) << errors;
    change("kept/small/small.yaml", "rounds: 2", "rounds: 1000000000");
    const std::pair<std::string, int> signals[] = { { "TERM", SIGTERM },
                                                    { "INT", SIGINT },
                                                    { "HUP", SIGHUP } };
    for (const auto &[name, number] : signals) {
        (void)std::signal(number, SIG_DFL); /* a shell may have it ignored for all below */
        EXPECT_EQ(128 + number,
                  sh("cd " + folder + " && mkdir tmp && { TMPDIR=$PWD/tmp timeout --foreground " +
                     "--preserve-status -s " + name + " 0.5 " + test::HUBSIM +
                     " check kept/small kept/small; }"));
        EXPECT_NE(std::string::npos,
                  errors.find(": 0 of 2 results have been run again, none is compared\n"))
            << errors;
        EXPECT_EQ("", out);
        EXPECT_EQ(0, sh("rmdir " + folder + "/tmp")) << errors;
    }
    EXPECT_EQ(143,
              sh("cd " + folder + "; " + test::HUBSIM +
                 " check kept/small --out now & until test -d now || ! kill -0 $!; do sleep .01; "
                 "done; "
                 "kill -TERM $!; wait $!"));
    EXPECT_EQ("", out);
    EXPECT_EQ(0, sh("cd " + folder + " && rmdir now")) << errors;
}

TEST_F(Results, WhatCannotBeRunIsStatusTwoAndOneLine)
{
    EXPECT_EQ(2, hubsim("check nowhere"));
    EXPECT_EQ("hubsim: nowhere: no such folder: expected a folder that `hubsim run FILE` or "
              "`hubrun --out DIR PROGRAM` makes\n",
              errors);
    EXPECT_EQ("nowhere: NOT RUN\n", out);
    EXPECT_EQ(2, hubsim("check nowhere --out=/dev/null"));
    EXPECT_EQ("hubsim: /dev/null: Not a directory: expected a folder to write to\n", errors);
    EXPECT_EQ("", out);
    EXPECT_EQ(2, hubsim("check nowhere --csv"));
    EXPECT_NE(std::string::npos, out.find("\nnowhere,,not-run,,,,,,nowhere: no such folder: "))
        << out;
    EXPECT_EQ(2, hubsim("diff nowhere nowhere"));
    EXPECT_EQ(2, hubsim("check"));
    EXPECT_EQ(2, hubsim("diff one"));
    write("odd.yaml", "platform: hapacs-tca\nnodes: 2\ncables:\n"
                      "  - {from: node0.hub.e, to: node1.hub.w, length_mm: 1000}\n");
    ASSERT_EQ(0, hubsim("run ./odd.yaml --out kept")) << errors;
    ASSERT_EQ(0, sh("rm " + folder + "/odd.yaml"));
    EXPECT_EQ(2, hubsim("check kept/odd"));
    EXPECT_EQ("hubsim: kept/odd: cannot be run again (status 1): ./odd.yaml: no such file\n",
              errors);
    EXPECT_EQ(2, hubsim("check kept/odd --band colour=1%"));
    EXPECT_EQ("hubsim: --band colour=1%: expected a column of values of kept/odd/table.csv\n",
              errors);
    EXPECT_EQ(2, hubsim("check kept/odd --out kept"));
    EXPECT_EQ(
        "hubsim: kept/odd: --out kept: expected a folder that does not hold the kept result\n",
        errors);
    EXPECT_TRUE(std::filesystem::exists(folder + "/kept/odd/manifest.json"));
}

} // namespace
