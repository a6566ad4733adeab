/* `hubsim run --waves`, read back by the tools of gtkwave. */
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "tests/built.h"

namespace
{

int shell(const std::string &command)
{
    return system((command + " >/dev/null 2>&1").c_str());
}

/** A value change dump: the values that each signal had, and when the last one began. */
struct Dump {
    struct Signal {
        unsigned bits = 0;
        std::vector<std::pair<uint64_t, uint64_t>> changes; /* time, value */

        uint64_t last() const { return changes.back().second; }
        uint64_t most() const
        {
            uint64_t most = 0;
            for (auto [time, value] : changes)
                most = std::max(most, value);
            return most;
        }
    };
    std::map<std::string, Signal> signals;
    std::string timescale;

    explicit Dump(const std::string &path)
    {
        std::ifstream in(path);
        std::map<std::string, std::string> names;
        std::vector<std::string> scopes;
        uint64_t time = 0;

        for (std::string word; in >> word;) {
            if (word == "$timescale") {
                in >> timescale;
            } else if (word == "$scope") {
                in >> word >> word;
                scopes.push_back(word);
            } else if (word == "$upscope") {
                scopes.pop_back();
            } else if (word == "$var") {
                std::string kind, bits, id, name, path_of;
                in >> kind >> bits >> id >> name;
                for (const std::string &s : scopes)
                    path_of += s + ".";
                names[id] = path_of + name;
                signals[path_of + name].bits = (unsigned)std::stoul(bits);
            } else if (word[0] == '#') {
                time = std::stoull(word.substr(1));
            } else if (word[0] == 'b') {
                std::string id;
                in >> id;
                change(names, id, time, word.substr(1));
            } else if (word[0] == '0' || word[0] == '1') {
                change(names, word.substr(1), time, word.substr(0, 1));
            }
        }
    }

  private:
    void change(std::map<std::string, std::string> &names, const std::string &id, uint64_t time,
                const std::string &value)
    {
        if (names.count(id) != 0)
            signals[names[id]].changes.emplace_back(time, std::stoull(value, nullptr, 2));
    }
};

/** Values of the N-th run from statistics.json, whose lines hold one statistic each. */
std::map<std::string, uint64_t> statistics(const std::string &path, unsigned n)
{
    std::ifstream in(path);
    std::map<std::string, uint64_t> all;

    for (std::string line; std::getline(in, line);) {
        size_t at = line.find("\"path\": \""), values = line.find("\"values\": [");
        if (at == std::string::npos || values == std::string::npos)
            continue;
        std::stringstream list(line.substr(values + 11));
        std::string value;
        for (unsigned i = 0; i < n; i++)
            std::getline(list, value, ',');
        all[line.substr(at + 9, line.find('"', at + 9) - at - 9)] = std::stoull(value);
    }
    return all;
}

/* The third simulation: 256 KiB by DMA from the host's memory to the other host's. */
class Waves : public ::testing::Test
{
  protected:
    static void SetUpTestSuite()
    {
        char name[] = "/tmp/hubsim-waves-XXXXXX";

        if (!HUBSIM_FST || shell("command -v fst2vcd") != 0)
            return;
        ASSERT_NE(nullptr, mkdtemp(name));
        const std::string folder = name, file = folder + "/x";
        ASSERT_EQ(0,
                  shell(test::HUBSIM + " run two-node --observe 3 --out " + folder + " --waves " +
                        file + ".fst && fst2vcd " + file + ".fst -o " + file + ".vcd"));
        dump = new Dump(file + ".vcd");
        stats = statistics(folder + "/two-node/statistics.json", 3);
        (void)shell("rm -rf " + folder);
    }
    static void TearDownTestSuite()
    {
        delete dump;
        dump = nullptr;
    }
    void SetUp() override
    {
        if (dump == nullptr)
            GTEST_SKIP() << "no FST writer, or no fst2vcd: ./scripts/setup test installs them";
    }

    static Dump *dump;
    static std::map<std::string, uint64_t> stats;
};
Dump *Waves::dump;
std::map<std::string, uint64_t> Waves::stats;

TEST_F(Waves, AgreeWithStatistics)
{
    unsigned outputs = 0;

    EXPECT_EQ("1ps", dump->timescale);
    for (const auto &[path, signal] : dump->signals) {
        const size_t end = path.rfind(".tx.tlps");
        if (end == std::string::npos)
            continue;
        EXPECT_EQ(stats[path.substr(0, end) + ".forwarded_tlps"], signal.last()) << path;
        outputs += signal.last() > 0;
    }
    EXPECT_EQ(4u, outputs); /* N and E of one hub, W and N of the other */
}

TEST_F(Waves, ShowQueuesCreditsAndStates)
{
    for (const auto &[path, signal] : dump->signals) {
        if (path.find(".queue") != std::string::npos) {
            EXPECT_EQ(0u, signal.last()) << path;
        }
    }
    EXPECT_EQ(3u, dump->signals["node1.hub.w.link.state"].last()); /* up */
    EXPECT_EQ(32u, dump->signals["node0.hub.e.tx.p.hdr_credits"].most());
    EXPECT_EQ(255u, dump->signals["node0.hub.e.tx.cpl.hdr_credits"].last()); /* infinite */
    EXPECT_EQ(8u, dump->signals["node0.hub.dma0.reads"].most());  /* dma.window_bytes / 256 */
    EXPECT_EQ(4u, dump->signals["node0.hub.dma0.state"].most());  /* status */
    EXPECT_EQ(0u, dump->signals["node0.hub.dma0.state"].last());  /* idle */
    EXPECT_EQ(17u, dump->signals["node0.hub.e.tx.beats"].most()); /* 1 + 256 / 16 */
}

TEST_F(Waves, AFileThatIsCutOffIsAnError)
{
    char name[] = "/tmp/hubsim-waves-XXXXXX";

    ASSERT_NE(nullptr, mkdtemp(name));
    const std::string folder = name,
                      explain = test::HUBSIM + " explain two-node --bytes 200000 --waves ";
    EXPECT_EQ(0, shell(explain + folder + "/whole.fst"));
    EXPECT_NE(0, shell("trap '' XFSZ; ulimit -f 20; " + explain + folder + "/cut.fst"));
    /* the writer would put a file in the place of a device */
    EXPECT_EQ(0, shell("ln -s /dev/full " + folder + "/full"));
    EXPECT_NE(0, shell(explain + folder + "/full"));
    EXPECT_EQ(0, shell("test -L " + folder + "/full && rm -r " + folder));
}

/* One beat in a cycle of 4 ns. */
TEST_F(Waves, GrantsLastAsLongAsTheirBeats)
{
    const auto &beats = dump->signals["node0.hub.e.tx.beats"].changes;

    ASSERT_GT(beats.size(), 2u);
    for (size_t i = 0; i + 1 < beats.size(); i++) {
        if (beats[i].second != 0) {
            EXPECT_EQ(beats[i].second * 4000, beats[i + 1].first - beats[i].first);
        }
    }
}

} // namespace
