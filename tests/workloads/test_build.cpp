/* The workloads as an application of its own: by its Makefile and by CMake, with hubcc alone. */
#include "tests/built.h"
#include "tests/folder.h"

#include <map>

namespace
{

/** How hubrun starts a workload with its defaults: those for pairs and the like need other ranks.
 */
std::string start_of(const std::string &name)
{
    static const std::map<std::string, std::string> others = {
        { "block-stride", "-n 2 -m two-node" },   { "mbcf-oneway", "-n 2 -m mbcf-switch" },
        { "mbcf-stream", "-n 2 -m mbcf-switch" }, { "mpi-bandwidth", "-n 2 -m two-node" },
        { "mpi-pingpong", "-n 2 -m two-node" },   { "pingpong", "-n 2 -m two-node" },
        { "pio-stream", "-n 2 -m two-node" },     { "staged", "-n 2 -m two-node" },
        { "stencil", "-n 5 -m ring8" },           { "streams", "-n 2 -m two-node" },
        { "gasnet-halo", "-n 2 -m two-node" },    { "gasnet-pingpong", "-n 2 -m two-node" },
    };
    auto at = others.find(name);

    return at != others.end() ? at->second : "-n 4 -m ring4";
}

class Build : public test::Shell
{
  protected:
    int sh(const std::string &command)
    {
        return Shell::sh("PATH=" + test::BIN + ":$PATH; { " + command + "; } 2>&1");
    }
    /** The programs in workloads/ itself, not in folders below. */
    static std::vector<std::string> names()
    {
        std::vector<std::string> all;

        for (const auto &file : std::filesystem::directory_iterator("workloads")) {
            std::string name = file.path().stem().string();

            if (file.path().extension() == ".c" && name != "common" && name != "collective" &&
                name != "mpi-common" && name != "gasnet-common")
                all.push_back(name);
        }
        EXPECT_GE(all.size(), 12u);
        return all;
    }
    /** All of them are there, and one runs. */
    void expect_programs()
    {
        for (const std::string &name : names())
            EXPECT_TRUE(std::filesystem::exists(folder + "/" + name)) << name;
        EXPECT_EQ(0, sh("hubrun -q -n 4 -m ring4 " + folder + "/npb-bt class=S sample=2")) << out;
        EXPECT_EQ(0, sh("hubrun -q -n 2 -m two-node --gasnet tca,segment=gpu " + folder +
                        "/gasnet-modes rounds=1"))
            << out;
        EXPECT_EQ(0, sh("hubrun -q -n 4 -m ring4 " + folder + "/allgather bytes=64")) << out;
        EXPECT_NE(std::string::npos, out.find("verified=1")) << out;
    }
};

TEST_F(Build, MakeWithTheCompilerNamed)
{
    ASSERT_EQ(0, sh("make -C workloads CC=hubcc OUT=" + folder)) << out;
    expect_programs();
    ASSERT_EQ(0, sh("make -q -C workloads CC=hubcc OUT=" + folder)) << "nothing is left to do";
}

/** With their loads and stores, with which --check races ends badly when one is out of order. */
TEST_F(Build, NoneUsesMemoryWhileATransferDoes)
{
    ASSERT_EQ(0, sh("make -C workloads CC='hubcc --races' OUT=" + folder)) << out;
    for (const std::string &name : names()) {
        EXPECT_EQ(0, sh("hubrun -q --check races " + start_of(name) + " " + folder + "/" + name))
            << name << ": " << out;
        EXPECT_FALSE(test::has(out, "races: ")) << name;
    }
    for (const char *name : { "cache", "flood kind=long bytes=4096", "modes", "staging op=get" })
        EXPECT_EQ(0, sh("hubrun -q --check races -n 2 -m two-node --gasnet tca,segment=gpu " +
                        folder + "/gasnet-" + name))
            << name << ": " << out;
    for (const char *name : { "npb-cg", "npb-is", "npb-lu", "npb-mg" })
        EXPECT_EQ(0, sh("hubrun -q --check races -n 4 -m ring4 " + folder + "/" + name +
                        " class=S sample=2"))
            << name << ": " << out;
}

TEST_F(Build, CMakeWithTheCompilerNamed)
{
    ASSERT_EQ(0, sh("cmake -S workloads -B " + folder +
                    " -DCMAKE_C_COMPILER=hubcc && cmake --build " + folder))
        << out;
    expect_programs();
}

} // namespace
