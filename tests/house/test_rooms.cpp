/* A folder is a room with one way through it: how far that holds. Runs from the root of the source.
 */
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/built.h"

namespace fs = std::filesystem;

namespace
{

using strings = std::set<std::string>;
using graph =
    std::map<std::string, strings>; /* file -> files of its folder whose functions it names */

/* What a folder makes begins here: such a file names the functions of all others for tables of
 * operations and for parameters, which is not a way through the room. */
const strings creating = {
    "sim/hub/hub.c",
    "sim/node/host/host.c",
};

const size_t CIRCLE = 4;   /* files that may call each other in a circle */
const size_t SOURCES = 25; /* in one folder */
const size_t HEADER = 300; /* lines; what programs include is as long as its standard */

/** Source of an object: build/sim/hub/CMakeFiles/hubsim_hub.dir/dma.c.o is sim/hub/dma.c. */
std::string source_of(const std::string &object)
{
    static const std::regex parts("(.*)/CMakeFiles/[^/]*\\.dir/(.*)\\.o");
    std::smatch match;

    if (!std::regex_match(object, match, parts))
        return "";
    return fs::path(match[1].str() + "/" + match[2].str()).lexically_normal().generic_string();
}

/** Who names whose functions, by what the linker sees: calls and callbacks, not what is compiled
 * into its callers. */
graph calls()
{
    const std::string command =
        "cd " + test::BUILD +
        " && find sim hosts tools -name '*.c.o' -not -path '*/shim/*' -print0 | xargs -0 nm -A";
    std::map<std::string, std::map<std::string, strings>> defined; /* folder, function, files */
    std::map<std::string, strings> named;
    FILE *p = popen(command.c_str(), "r");
    char line[4096];
    graph found;

    while (fgets(line, sizeof(line), p) != nullptr) {
        const std::string text = line;
        const std::string file = source_of(text.substr(0, text.find(':')));
        std::istringstream words(text.substr(text.find(':') + 1));
        std::string kind, name;

        if (text.find(':') + 1 < text.size() && text[text.find(':') + 1] != ' ')
            words >> name;
        words >> kind >> name;
        if (!fs::exists(file))
            continue;
        if (kind == "T")
            defined[fs::path(file).parent_path()][name].insert(file);
        else if (kind == "U")
            named[file].insert(name);
    }
    EXPECT_EQ(0, pclose(p));
    for (const auto &[file, names] : named) {
        const auto &here = defined[fs::path(file).parent_path()];
        if (creating.count(file) != 0)
            continue;
        for (const std::string &name : names)
            if (here.count(name) != 0)
                found[file].insert(here.at(name).begin(), here.at(name).end());
    }
    return found;
}

/** Groups of files from each of which each other one can be reached (Tarjan, "Depth-first search
 * and linear graph algorithms", 1972). */
std::vector<strings> groups(const graph &of)
{
    struct Visit {
        unsigned number, low;
        bool open;
    };
    std::map<std::string, Visit> seen;
    std::vector<std::string> path;
    std::vector<strings> found;
    std::function<void(const std::string &)> visit = [&](const std::string &file) {
        const unsigned number = static_cast<unsigned>(seen.size());

        seen[file] = { number, number, true };
        path.push_back(file);
        if (of.count(file) != 0)
            for (const std::string &other : of.at(file)) {
                if (seen.count(other) == 0)
                    visit(other);
                if (seen[other].open)
                    seen[file].low = std::min(seen[file].low, seen[other].low);
            }
        if (seen[file].low != number)
            return;
        strings group;
        std::string last;
        do {
            last = path.back();
            path.pop_back();
            seen[last].open = false;
            group.insert(last);
        } while (last != file);
        found.push_back(group);
    };

    for (const auto &[file, others] : of)
        if (seen.count(file) == 0)
            visit(file);
    return found;
}

std::string list(const strings &files)
{
    std::string text;
    for (const std::string &file : files)
        text += " " + fs::path(file).filename().string();
    return text;
}

TEST(Rooms, GroupsAreFound)
{
    const graph of = { { "a", { "b" } },
                       { "b", { "c", "d" } },
                       { "c", { "a" } },
                       { "d", { "e" } },
                       { "e", { "e" } } };
    std::set<strings> found;

    for (const strings &group : groups(of))
        found.insert(group);
    EXPECT_EQ((std::set<strings>{ { "a", "b", "c" }, { "d" }, { "e" } }), found);
}

TEST(Rooms, FewFilesCallEachOtherInACircle)
{
    const graph of = calls();
    std::map<std::string, strings> largest;

    ASSERT_GT(of.size(), 200u);
    for (const strings &group : groups(of)) {
        strings &most = largest[fs::path(*group.begin()).parent_path()];
        if (group.size() > most.size())
            most = group;
    }
    for (const auto &[folder, group] : largest) {
        EXPECT_LE(group.size(), CIRCLE) << folder << ":" << list(group);
    }
}

TEST(Rooms, AreNotCrowded)
{
    std::map<std::string, size_t> sources;

    for (const char *root : { "regs", "sim", "hosts", "tools" })
        for (const auto &entry : fs::recursive_directory_iterator(root)) {
            const fs::path &path = entry.path();
            if (path.extension() == ".c" || path.extension() == ".h")
                sources[path.parent_path()]++;
            if (path.extension() != ".h" || path.string().find("/include/") != std::string::npos)
                continue;
            std::ifstream in(path);
            const auto length =
                static_cast<size_t>(std::count(std::istreambuf_iterator<char>(in), {}, '\n'));
            EXPECT_LE(length, HEADER) << path;
        }
    for (const auto &[folder, count] : sources)
        EXPECT_LE(count, SOURCES) << folder;
}

} // namespace
