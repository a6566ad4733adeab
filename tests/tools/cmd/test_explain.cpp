/* `hubsim explain` as its users meet it. */
#include <cstdint>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <vector>

#include "tests/built.h"

namespace
{

struct Result {
    int status;
    std::string text; /* stdout and stderr */
};

Result explain(const std::string &args)
{
    FILE *p = popen((test::HUBSIM + " explain " + args + " 2>&1").c_str(), "r");
    Result r = { -1, "" };
    char buffer[4096];

    for (size_t n; (n = fread(buffer, 1, sizeof(buffer), p)) > 0;)
        r.text.append(buffer, n);
    r.status = WEXITSTATUS(pclose(p));
    return r;
}

std::vector<std::string> cells(const std::string &line)
{
    std::vector<std::string> all;
    std::stringstream in(line);

    for (std::string cell; std::getline(in, cell, ',');)
        all.push_back(cell);
    return all;
}

/** Column `name` of a CSV without quoted commas before that column's. */
std::vector<uint64_t> column(const std::string &csv, unsigned at)
{
    std::vector<uint64_t> values;
    std::stringstream in(csv);
    std::string line;

    std::getline(in, line);
    while (std::getline(in, line)) {
        std::string unquoted;
        bool inside = false;

        for (char c : line) {
            inside ^= c == '"';
            unquoted += c == ',' && inside ? ';' : c;
        }
        values.push_back(std::stoull(cells(unquoted).at(at)));
    }
    return values;
}

/* What the last line of the table sums up to is what the title says. */
TEST(ExplainCommand, PrintsATableThatSumsUpToItsTitle)
{
    Result r = explain("line3 --kind pio --to 2");

    ASSERT_EQ(0, r.status) << r.text;
    EXPECT_EQ(0u, r.text.find("line3: pio, 8 bytes, node0 cpu to node2 cpu, 2 hops: "));
    size_t colon = r.text.find("hops: ") + 6;
    std::string ns = r.text.substr(colon, r.text.find(" ns") - colon);
    EXPECT_NE(std::string::npos, r.text.find(ns + "\n\nphase")) << r.text;
}

TEST(ExplainCommand, NeedsNoGpu)
{
    const Result r = explain("examples/hubs/triangle.yaml --kind chain");

    EXPECT_EQ(0, r.status) << r.text;
}

TEST(ExplainCommand, WritesEachIntervalInPicoseconds)
{
    for (const char *args :
         { "two-node --csv", "two-node --csv --kind chain --src gpu --dst gpu --bytes 512",
           "two-node --csv --kind 2d --descriptors host", "two-node --csv --kind register",
           "two-node --csv --kind pio --dst gpu",
           "two-node --csv --kind long --src gpu --dst gpu --bytes 2MiB",
           "two-node --csv --kind long --dst gpu", "two-node --csv --kind get --src gpu2 --dst gpu",
           "two-node --csv --kind get --bytes 100001 --from 1 --to 0",
           "ring8 --csv --to 3 --bytes 4096 --contend 1,2" }) {
        Result r = explain(args);
        std::vector<uint64_t> from, to, ps;

        ASSERT_EQ(0, r.status) << args << r.text;
        from = column(r.text, 4);
        to = column(r.text, 5);
        ps = column(r.text, 6);
        ASSERT_FALSE(from.empty()) << args;
        EXPECT_EQ(0u, from[0]) << args;
        for (size_t i = 0; i < from.size(); i++) {
            EXPECT_EQ(ps[i], to[i] - from[i]) << args;
            EXPECT_TRUE(i == 0 || from[i] == to[i - 1]) << args;
        }
    }
}

/** Phases in their order, and the time of each, in ns. */
std::vector<std::pair<std::string, double>> phases(const std::string &args)
{
    std::vector<std::pair<std::string, double>> all;
    const Result r = explain(args);
    std::stringstream in(r.text.substr(std::min(r.text.find("\n\nphase "), r.text.size())));
    std::string line;

    EXPECT_EQ(0, r.status) << r.text;
    while (std::getline(in, line) && line.rfind("phase  ", 0) != 0)
        ;
    for (size_t tables = 0; std::getline(in, line) && tables < 2;) {
        const size_t end = line.find("  ");

        tables += line.rfind("phase  ", 0) == 0 || line.rfind("kind  ", 0) == 0;
        if (tables == 1 && !line.empty() && line.rfind("phase  ", 0) != 0)
            all.emplace_back(line.substr(0, end), atof(line.c_str() + end));
    }
    return all;
}

std::string names(const std::vector<std::pair<std::string, double>> &all)
{
    std::string text;

    for (const auto &phase : all)
        text += (text.empty() ? "" : ", ") + phase.first;
    return text;
}

double time_of(const std::vector<std::pair<std::string, double>> &all, const std::string &name)
{
    for (const auto &phase : all)
        if (phase.first == name)
            return phase.second;
    return 0;
}

/* From the call to the handler; a get goes there by a packet, and its answer comes as a Long does.
 */
TEST(ExplainCommand, TakesMessagesOfGasnetApart)
{
    const auto sent = phases("two-node --kind long --src gpu --dst gpu");
    const auto got = phases("two-node --kind get --src gpu --dst cpu --bytes 4096");
    const auto stored = phases("two-node --kind long --dst gpu");

    EXPECT_EQ("call, cache, write descriptor, doorbell, descriptor, data read, notification, poll, "
              "handler",
              names(sent));
    EXPECT_EQ("call, packet, poll, handler, cache, doorbell, descriptor, data read, data write, "
              "notification, landing",
              names(got));
    EXPECT_EQ("call, packet, poll, landing, handler", names(stored));
    EXPECT_DOUBLE_EQ(100, time_of(sent, "cache"));
    EXPECT_DOUBLE_EQ(20, time_of(sent, "handler"));
    EXPECT_GT(time_of(stored, "landing"), 350);
}

/* One in host memory is read over PCIe; one that is new is written before. */
TEST(ExplainCommand, ShowsWhereADescriptorOfGasnetLies)
{
    const std::string message = "two-node --kind long --src gpu --dst gpu --gasnet tca-2016";
    const auto hub = phases(message), host = phases(message + ",promote=off");
    const auto none = phases(message + ",promote=off,cache_policy=first,cache_entries=1 "
                                       "--bytes 1MiB");

    EXPECT_GT(time_of(host, "descriptor"), time_of(hub, "descriptor") + 500);
    EXPECT_GT(time_of(none, "write descriptor"), 100);
}

TEST(ExplainCommand, RefusesWhatGasnetHasNot)
{
    const std::vector<std::pair<std::string, std::string>> wrong = {
        { "two-node --gasnet tca", "--gasnet: expected --kind long|get beside it, not dma" },
        { "two-node --kind long --contend 1",
          "--contend: expected --kind pio|register|dma|chain|2d beside it, not long" },
        { "two-node --kind get --to 0", "--kind get from node 0 to itself: expected another node" },
        { "two-node --kind long --gasnet tca,segment=gpu",
          "expected no segment: --src and --dst say where it lies" },
        { "two-node --kind long --gasnet pigeon", "GASNet: transport = pigeon: expected net or" },
    };

    for (const auto &[args, why] : wrong) {
        const Result r = explain(args);

        EXPECT_NE(0, r.status) << args;
        EXPECT_NE(std::string::npos, r.text.find(why)) << args << ": " << r.text;
    }
}

size_t occurrences(const std::string &text, const std::string &words)
{
    size_t n = 0;

    for (size_t at = text.find(words); at != std::string::npos; at = text.find(words, at + 1))
        n++;
    return n;
}

TEST(ExplainCommand, DrawsAPicture)
{
    char name[] = "/tmp/hubsim-explain-XXXXXX";
    int file = mkstemp(name);

    ASSERT_GE(file, 0);
    EXPECT_EQ(0, explain(std::string("two-node --svg ") + name).status);
    std::ifstream in(name);
    std::string svg((std::istreambuf_iterator<char>(in)), {});
    EXPECT_EQ(0u, svg.find("<svg "));
    EXPECT_NE(std::string::npos, svg.find("node1.hub.w"));
    EXPECT_EQ(1u, occurrences(svg, ">in all, ns</text>"))
        << "the column on the right has a heading";
    EXPECT_EQ("</svg>\n", svg.substr(svg.size() - 7));
    EXPECT_LT(8u, occurrences(svg, "height=\"22\""));
    EXPECT_EQ(occurrences(svg, "height=\"22\""), occurrences(svg, " %</text>")) << "all are named";
    remove(name);
    Result r = explain("two-node --svg /nowhere/a.svg");
    EXPECT_EQ(1, r.status);
    EXPECT_NE(std::string::npos,
              r.text.find("hubsim: /nowhere/a.svg: No such file or directory: expected a "
                          "writable file\n"));
}

TEST(ExplainCommand, NamesWhatIsWrong)
{
    EXPECT_EQ("hubsim: two-node: --to 2: expected 0 .. 1\n", explain("two-node --to 2").text);
    EXPECT_EQ("hubsim: two-node: --contend 5: expected 0 .. 1\n",
              explain("two-node --contend 5").text);
    EXPECT_EQ("hubsim: two-node: --dst gpu7: expected cpu or a GPU of node1\n",
              explain("two-node --dst gpu7").text);
    for (const std::string kind : { "pio", "register", "dma", "chain", "2d" })
        for (const char *socket : { "0", "1" }) /* wherever the board is */
            EXPECT_EQ("hubsim: two-node: --dst gpu2: memory that no window reaches: expected that "
                      "of the host or of GPU 0 .. 1\n",
                      explain("two-node --kind " + kind +
                              " --dst gpu2 --set node*.host.p0.socket=" + socket)
                          .text);
    EXPECT_EQ(0, explain("two-node --dst gpu0 --set node*.host.p0.socket=1").status);
    EXPECT_EQ(0, explain("two-node --src gpu2 --dst gpu1").status);
    EXPECT_NE(std::string::npos, explain("two-node --kind pio --to 0").text.find("to itself"));
    const std::pair<const char *, const char *> usage[] = {
        { "--bytes 0", "--bytes 0: expected at least 1 and less than 4GiB\n" },
        { "--puts 0", "--puts 0: expected at least 1\n" },
        { "--blocks 5000000000", "--blocks 5000000000: expected less than 4294967295\n" },
        { "--contend ,", "--contend ,: expected nodes, such as 1,2\n" },
        { "--contend 1,", "--contend 1,: expected nodes, such as 1,2\n" },
        { "--contend 1,0,1", "--contend: 1 twice: expected each node once\n" },
        { "--pcap-links x", "--pcap-links x: expected --pcap FILE, too\n" },
        { "--kind dma --blocks 5", "--blocks: expected --kind 2d beside it, not dma\n" },
        { "--puts 4", "--puts: expected --kind chain beside it, not dma\n" },
        { "--kind pio --pitch 64", "--pitch: expected --kind 2d beside it, not pio\n" },
        { "--kind pio --descriptors host",
          "--descriptors: expected --kind dma|chain|2d beside it, not pio\n" },
        { "--kind register --descriptors internal",
          "--descriptors: expected --kind dma|chain|2d beside it, not register\n" },
        { "--utilisation", "unrecognized option '--utilisation'\n" },
    };
    for (auto &[option, expected] : usage) {
        Result r = explain(std::string("two-node ") + option);

        EXPECT_EQ(2, r.status);
        EXPECT_EQ(0u, r.text.find(std::string("hubsim explain: ") + expected)) << r.text;
    }
    EXPECT_EQ("hubsim: two-node: --pitch 4: expected at least the bytes of a block, 8\n",
              explain("two-node --kind 2d --pitch 4").text);
    EXPECT_EQ("hubsim: cluster64: --to 20: no route leads from node0.hub to node20.hub\n",
              explain("cluster64 --to 20").text);
    EXPECT_EQ("hubsim: mbcf-hub: cables = 0: expected a machine with a cable between two hubs\n",
              explain("mbcf-hub").text);
    EXPECT_EQ("hubsim: two-ends: links alone: expected an experiment with workload: bare-link\n",
              explain("two-ends").text);
}

/* What hubs are called does not matter. */
TEST(ExplainCommand, CountsCablesBetweenHubsOfAnyName)
{
    const Result r = explain("./examples/hubs/rails.yaml --to 2");

    EXPECT_EQ(0u, r.text.find("./examples/hubs/rails.yaml: dma, 8 bytes, node0 cpu to node2 cpu, "
                              "2 hops: "))
        << r.text;
    EXPECT_EQ(2, explain("two-node --kind mail").status);
    EXPECT_NE(std::string::npos,
              explain("two-node --kind mail").text.find("--kind mail: expected pio|register|dma"));
}

TEST(ExplainCommand, SaysThatAListHasNoRoomForSoManyPuts)
{
    const std::string failed = "hubsim: two-node: message: rank 0 ended with status 2: ";
    const std::string why = ": expected fewer: rank 0 on node 0 at ",
                      list = ": no room for a list of ";

    for (const char *args : { "1025", "40000 --descriptors host" }) {
        const std::string text = explain(std::string("two-node --kind chain --puts ") + args).text;
        const std::string puts = std::string(args).substr(0, std::string(args).find(' '));

        EXPECT_EQ(0u, text.find(failed + "puts=" + puts + why)) << text;
        EXPECT_NE(std::string::npos, text.find(list)) << text;
    }
}

TEST(ExplainCommand, SaysWhichLimitHasEndedIt)
{
    const std::string text = explain("two-node --bytes 30000000").text;
    const std::string why = " have not ended: what happens in 20 ms is explained: expected a "
                            "message that has come by then\n";

    EXPECT_EQ(0u, text.find("hubsim: two-node: the time limit was reached at 20000.000 us: "))
        << text;
    EXPECT_TRUE(text.size() > why.size() && text.substr(text.size() - why.size()) == why) << text;
}

/* What rank 1 waits for then is no news. */
TEST(ExplainCommand, NamesTheRankThatFailedForWhichOthersWait)
{
    const Result r = explain("two-node --kind chain --puts 1100 --descriptors internal");

    EXPECT_EQ(0u, r.text.find("hubsim: two-node: message: rank 0 ended with status 2: ")) << r.text;
    EXPECT_NE(std::string::npos, r.text.find(" us: tcaDescSet: no room for a list of 1102 "
                                             "descriptors in the board's memory\n"))
        << r.text;
}

} // namespace
