/* The workloads as an application of its own: by its Makefile and by CMake, with hubcc alone. */
#include "tests/built.h"
#include "tests/folder.h"

namespace
{

class Build : public test::Shell
{
  protected:
    int sh(const std::string &command)
    {
        return Shell::sh("PATH=" + test::BIN + ":$PATH; { " + command + "; } 2>&1");
    }
    /** All of them are there, and one runs. */
    void expect_programs()
    {
        unsigned sources = 0;

        for (const auto &file : std::filesystem::directory_iterator("workloads")) {
            std::string name = file.path().stem().string();

            if (file.path().extension() != ".c" || name == "common" || name == "collective" ||
                name == "mpi-common")
                continue;
            EXPECT_TRUE(std::filesystem::exists(folder + "/" + name)) << name;
            sources++;
        }
        EXPECT_GE(sources, 12u);
        EXPECT_EQ(0, sh("hubrun -q -n 4 -m ring4 " + folder + "/npb-bt class=S sample=2")) << out;
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

TEST_F(Build, CMakeWithTheCompilerNamed)
{
    ASSERT_EQ(0, sh("cmake -S workloads -B " + folder +
                    " -DCMAKE_C_COMPILER=hubcc && cmake --build " + folder))
        << out;
    expect_programs();
}

} // namespace
