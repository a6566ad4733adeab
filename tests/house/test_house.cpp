/* The rules of the house that a reader cannot see in one file. Runs from the root of the source. */
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace fs = std::filesystem;

namespace
{

using strings = std::set<std::string>;

/* The arrows of docs/architecture.md: what the sources of a folder may include besides their own. A
 * folder named in full may be included as a whole, a file only itself. `public` stands for the
 * headers that programs include, hosts/<library>/include/. Longest matching folder rules. */
const std::map<std::string, strings> arrows = {
    { "regs", {} },
    { "sim/core", {} },
    { "sim/parallel", { "sim/core" } },
    { "sim/memory", { "sim/core" } },
    { "sim/pcie/tlp", { "sim/core", "sim/memory" } },
    { "sim/pcie/port", { "sim/core", "sim/memory", "sim/pcie/tlp" } },
    { "sim/pcie/lossy", { "sim/core", "sim/memory", "sim/pcie/tlp", "sim/pcie/port" } },
    { "sim/machine", { "sim/core" } },
    { "sim/hub", { "sim/core", "sim/memory", "sim/pcie", "sim/machine/kind.h", "regs" } },
    { "sim/ib", { "sim/core", "sim/memory", "sim/pcie", "sim/machine/kind.h", "regs" } },
    { "sim/node", { "sim/core", "sim/memory", "sim/pcie", "sim/machine/kind.h" } },
    { "sim/traffic", { "sim/core", "sim/memory", "sim/pcie", "sim/machine/kind.h" } },
    { "sim/ether", { "sim/core", "sim/memory", "sim/machine/kind.h" } },
    { "sim/observe", { "sim/core", "sim/memory", "sim/pcie" } },
    { "sim", { "sim" } }, /* sim/kinds.c, the one list of kinds */
    { "hosts/host", {} },
    { "hosts/driver", { "hosts/host", "regs", "public" } },
    { "hosts/loops", { "hosts/host", "public" } },
    { "hosts/tca", { "hosts/host", "hosts/driver", "regs", "public" } },
    { "hosts/cuda", { "hosts/host", "hosts/driver", "public" } },
    { "hosts/verbs", { "hosts/host", "hosts/driver", "regs", "public" } },
    { "hosts/mbcf", { "hosts/host", "public" } },
    { "hosts/transport", { "hosts/host", "hosts/driver", "hosts/verbs", "hosts/mbcf", "public" } },
    { "hosts/mpi/base", { "hosts/transport", "public" } },
    { "hosts/mpi/type", { "hosts/mpi/base", "public" } },
    { "hosts/mpi/comm", { "hosts/mpi/base", "public" } },
    { "hosts/mpi/check", { "hosts/mpi/base", "hosts/mpi/comm", "public" } },
    { "hosts/mpi/point",
      { "hosts/mpi/base", "hosts/mpi/type", "hosts/mpi/comm", "hosts/mpi/check", "public" } },
    { "hosts/mpi/coll",
      { "hosts/transport/peach2/order.h", "hosts/mpi/base", "hosts/mpi/type", "hosts/mpi/point",
        "public" } },
    { "hosts/mpi/create", { "hosts/mpi/coll", "public" } },
    { "hosts/mpi/rma", { "hosts/mpi/type", "hosts/mpi/point", "hosts/mpi/create", "public" } },
    { "hosts/mpi/io", { "hosts/mpi/rma", "public" } },
    { "hosts/mpi/init",
      { "hosts/host/profile.h", "hosts/mpi/base", "hosts/mpi/type", "hosts/mpi/comm",
        "hosts/mpi/point", "hosts/mpi/coll", "hosts/mpi/rma", "hosts/mpi/io", "public" } },
    { "hosts/mpi", { "public" } }, /* what programs are compiled with */
    { "hosts/gasnet/core",
      { "hosts/host/param.h", "hosts/host/profile.h", "hosts/transport", "hosts/driver",
        "hosts/gasnet/extended/extended.h", "hosts/gasnet/vis/vis.h", "hosts/gasnet/coll/coll.h",
        "public" } },
    { "hosts/gasnet/extended", { "hosts/gasnet/core", "public" } },
    { "hosts/gasnet/vis", { "hosts/gasnet/core", "hosts/gasnet/extended", "public" } },
    { "hosts/gasnet/coll", { "hosts/gasnet/core", "hosts/gasnet/extended", "public" } },
    { "hosts/gasnet/tools", { "hosts/host", "public" } },
    { "hosts/gasnet", { "public" } }, /* what programs are compiled with */
    { "hosts/launch", { "sim", "hosts", "public", "regs" } },
    { "workloads", { "public" } },
    { "examples", { "public" } },
    { "tools/load", { "sim/core", "sim/machine" } },
    { "tools/lab", {} }, /* each room says for itself */
    { "tools/lab/format", { "sim/core", "tools/load" } },
    { "tools/lab/watch", { "sim", "tools/load", "tools/lab/format" } },
    { "tools/lab/process", { "sim", "tools/load", "tools/lab/format" } },
    { "rtl-model/cosim", { "sim/core", "sim/pcie", "sim/hub", "sim/machine/kind.h" } },
    { "tools/lab/run",
      { "sim", "rtl-model/cosim/cosim.h", "hosts/launch", "hosts/transport/transport.h", "public",
        "tools/load", "tools/lab/format", "tools/lab/watch", "tools/lab/process" } },
    { "tools/lab/topology", { "sim", "tools/lab/format", "tools/lab/run" } },
    { "tools/lab/bounds", { "sim", "tools/lab/run", "tools/lab/topology" } },
    { "tools/lab/workload",
      { "regs", "public", "tools/load", "tools/lab/format", "tools/lab/run", "tools/lab/bounds" } },
    { "tools/lab/rows",
      { "sim", "tools/load", "tools/lab/format", "tools/lab/run", "tools/lab/bounds",
        "tools/lab/workload" } },
    { "tools/lab/result",
      { "sim", "tools/load", "tools/lab/format", "tools/lab/run", "tools/lab/topology",
        "tools/lab/bounds", "tools/lab/rows" } },
    { "tools/lab/explain", { "sim", "tools/load", "tools/lab/format", "tools/lab/run" } },
    { "tools/lab/figure",
      { "tools/load", "tools/lab/format", "tools/lab/workload", "tools/lab/rows" } },
    { "tools/lab/sweep",
      { "tools/load", "tools/lab/format", "tools/lab/run", "tools/lab/bounds", "tools/lab/workload",
        "tools/lab/rows", "tools/lab/result", "tools/lab/figure" } },
    { "tools/cmd", { "sim", "hosts/launch", "tools/load", "tools/lab", "regs", "public" } },
    { "tools/hubrun", { "sim", "hosts/launch", "tools/load", "tools/lab", "tools/cmd" } },
    { "tools", { "tools", "sim" } },
};

bool below(const std::string &path, const std::string &folder)
{
    return path.compare(0, folder.size(), folder) == 0 &&
           (path.size() == folder.size() || path[folder.size()] == '/');
}

bool is_public(const std::string &path)
{
    static const std::regex header("hosts/[^/]+/include/.*");
    return std::regex_match(path, header);
}

std::string folder_of(const std::string &path)
{
    std::string best;
    for (const auto &[folder, allowed] : arrows)
        if (below(path, folder) && folder.size() > best.size())
            best = folder;
    return best;
}

bool may_include(const std::string &from, const std::string &to)
{
    const std::string folder = folder_of(from);
    if (folder.empty())
        return false;
    if (folder_of(to) == folder)
        return true;
    const strings &allowed = arrows.at(folder);
    return std::any_of(allowed.begin(), allowed.end(), [&](const std::string &a) {
        return a == "public" ? is_public(to) : below(to, a);
    });
}

std::vector<std::string> files(const std::vector<std::string> &roots, const strings &endings)
{
    std::vector<std::string> found;
    for (const std::string &root : roots) {
        if (!fs::exists(root))
            continue;
        for (const auto &entry : fs::recursive_directory_iterator(root))
            if (entry.is_regular_file() && endings.count(entry.path().extension().string()) != 0)
                found.push_back(entry.path().generic_string());
    }
    std::sort(found.begin(), found.end());
    return found;
}

std::vector<std::string> lines(const std::string &path)
{
    std::ifstream in(path);
    std::vector<std::string> all;
    for (std::string line; std::getline(in, line);)
        all.push_back(line);
    return all;
}

/* Where the compiler would find "name": beside the file, in sim/, at the root, in a public folder.
 */
std::string resolve(const std::string &from, const std::string &name)
{
    std::vector<std::string> places = { fs::path(from).parent_path().generic_string(), "sim", "." };
    if (fs::exists("hosts"))
        for (const auto &library : fs::directory_iterator("hosts"))
            places.push_back(library.path().generic_string() + "/include");
    for (const std::string &place : places) {
        const fs::path path = (fs::path(place) / name).lexically_normal();
        if (fs::exists(path))
            return path.generic_string();
    }
    return "";
}

TEST(Arrows, RejectWhatTheDesignForbids)
{
    EXPECT_TRUE(may_include("sim/hub/dma/dma.c", "sim/pcie/port/port.h"));
    EXPECT_TRUE(may_include("sim/hub/dma/dma.c", "sim/hub/hub.h"));
    EXPECT_FALSE(may_include("sim/hub/dma/dma.c", "sim/node/host.h"));
    EXPECT_FALSE(may_include("sim/pcie/port/dll.c", "sim/pcie/lossy/fault.h"));
    EXPECT_FALSE(may_include("sim/hub/dma/dma.c", "sim/machine/machine.h"));
    EXPECT_FALSE(may_include("sim/core/sim.c", "sim/memory/ram.h"));
    EXPECT_FALSE(may_include("hosts/tca/tca.c", "sim/core/sim.h"));
    EXPECT_FALSE(may_include("workloads/pingpong.c", "hosts/host/host.h"));
    EXPECT_FALSE(may_include("hosts/transport/net/net.c", "hosts/mpi/base/rank.h"));
    EXPECT_FALSE(may_include("hosts/mpi/point/send.c", "hosts/mpi/coll/schedule.h"));
    EXPECT_TRUE(may_include("workloads/pingpong.c", "hosts/tca/include/tca-api.h"));
    EXPECT_FALSE(may_include("tools/lab/format/csv.c", "tools/lab/run/run.h"));
    EXPECT_FALSE(may_include("somewhere/new.c", "sim/core/sim.h"));
}

TEST(Arrows, HoldForEachInclude)
{
    static const std::regex include("\\s*#\\s*include\\s*\"([^\"]+)\".*");
    size_t seen = 0;

    for (const std::string &file :
         files({ "sim", "hosts", "regs", "rtl-model/cosim", "tools", "workloads", "examples" },
               { ".c", ".h" })) {
        for (const std::string &line : lines(file)) {
            std::smatch match;
            if (line.find("include") == std::string::npos ||
                !std::regex_match(line, match, include))
                continue;
            const std::string target = resolve(file, match[1]);
            EXPECT_NE("", target) << file << ": \"" << match[1] << "\" is in none of the folders";
            EXPECT_TRUE(target.empty() || may_include(file, target))
                << file << " includes " << target;
            seen++;
        }
    }
    EXPECT_GT(seen, 10u);
}

TEST(Core, PublicHeaderStaysShort)
{
    EXPECT_LE(lines("sim/core/sim.h").size(), 400u);
}

TEST(Core, ExampleHasFortyLines)
{
    EXPECT_LE(lines("docs/example-core.c").size(), 40u);
}

/* The model may not know what it will be compared with. A platform file names the rows that a
 * calibrated value was fitted to, and nothing else may. */
TEST(Published, NoRowIsNamedOutsideTheMeasurements)
{
    std::vector<std::string> ids;
    for (const std::string &csv : files({ "configs/published" }, { ".csv" })) {
        const auto rows = lines(csv);
        if (rows.empty() || rows[0].compare(0, 3, "id,") != 0)
            continue;
        for (size_t i = 1; i < rows.size(); i++)
            ids.push_back(rows[i].substr(0, rows[i].find(',')));
    }
    ASSERT_GT(ids.size(), 100u);
    std::set<std::string> systems; /* few lines name one at all */
    for (const std::string &id : ids)
        systems.insert(id.substr(0, id.find('.') + 1));
    auto names_a_system = [&](const std::string &line) {
        return std::any_of(systems.begin(), systems.end(), [&](const std::string &system) {
            return line.find(system) != std::string::npos;
        });
    };

    for (const std::string &file :
         files({ "sim", "hosts", "regs", "tools", "workloads", "examples", "configs", "scripts" },
               { ".c", ".h", ".yaml", ".py", ".sh", "" })) {
        if (below(file, "configs/published"))
            continue;
        bool calibrated = false;
        for (const std::string &line : lines(file)) {
            if (below(file, "configs/platforms") || below(file, "configs/hubs") ||
                below(file, "configs/hosts") || below(file, "configs/adapters") ||
                below(file, "configs/mpi") || below(file, "configs/gasnet"))
                calibrated = line.find("calibrated:") != std::string::npos ||
                             (calibrated && line.find(':') == std::string::npos);
            if (calibrated || !names_a_system(line))
                continue;
            for (const std::string &id : ids)
                EXPECT_EQ(std::string::npos, line.find(id)) << file << ": " << line;
        }
    }
}

/** Is the word there, as a word? */
bool has_word(const std::string &line, const std::string &word)
{
    auto letter = [&](size_t at) {
        return at < line.size() && (isalnum((unsigned char)line[at]) != 0 || line[at] == '_');
    };

    for (size_t at = line.find(word); at != std::string::npos; at = line.find(word, at + 1))
        if ((at == 0 || !letter(at - 1)) && !letter(at + word.size()))
            return true;
    return false;
}

TEST(Texts, HoldNoMarksOfUnfinishedWork)
{
    const std::string marks[] = { "TO"
                                  "DO",
                                  "FIX"
                                  "ME",
                                  "XX"
                                  "X",
                                  "HA"
                                  "CK" };

    for (const std::string &file : files({ "sim", "hosts", "regs", "tools", "workloads", "examples",
                                           "configs", "scripts", "docs" },
                                         { ".c", ".h", ".cpp", ".md", ".yaml", ".py", "" }))
        for (const std::string &line : lines(file))
            for (const std::string &mark : marks)
                EXPECT_FALSE(has_word(line, mark)) << file << ": " << line;
}

} // namespace
