/* Results as they are written: all that a run reported is in the file where it belongs. */
#include "tests/tools/attempt.h"
#include "tools/lab/format/index.h"
#include "tools/lab/format/out.h"
#include "tools/lab/result/write.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace
{

TEST(Index, NumbersFollowTheFirstMeeting)
{
    begun_arena arena;
    struct lab_index index = {};

    EXPECT_EQ(LAB_INDEX_NONE, lab_index_get(&index, "a"));
    for (int round = 0; round < 2; round++)
        for (unsigned i = 0; i < 1000; i++)
            EXPECT_EQ(i, lab_index_put(&index, load_text(&arena, "text %u", i), &arena));
    EXPECT_EQ(1000u, index.n);
    EXPECT_EQ(7u, lab_index_get(&index, "text 7"));
    EXPECT_EQ(LAB_INDEX_NONE, lab_index_get(&index, "text 1000"));
    load_arena_fini(&arena);
}

class Out : public testing::Test
{
  protected:
    void SetUp() override
    {
        char name[] = "/tmp/hubsim-out-XXXXXX";

        ASSERT_NE(nullptr, mkdtemp(name));
        folder = name;
    }
    void TearDown() override
    {
        std::filesystem::remove_all(folder);
        load_arena_fini(&arena);
    }
    int parse(const std::string &text)
    {
        return lab_result_try(text.c_str(), &arena, &result, &err);
    }
    int write(const lab_checks *checks = nullptr)
    {
        struct lab_out_run run = { "a run", 0, &result };
        struct lab_out_point point = { "a point", 1, { "a run" } };
        struct lab_table table;
        static const struct lab_column column = { "x", true };
        struct lab_out out = {};

        lab_table_init(&table, &column, 1);
        lab_table_set(&table, lab_table_add(&table), 0, "1");
        out.kind = "experiment";
        out.name = "small";
        out.description = "a \"small\" one";
        out.command = "hubsim";
        out.table = &table;
        out.nkeys = out.npoints = out.nruns = 1;
        out.points = &point;
        out.runs = &run;
        out.checks = checks;
        int rc = attempt(&err, [&] { lab_out_write(folder.c_str(), &out); });
        lab_table_fini(&table);
        return rc;
    }
    std::string text(const std::string &name)
    {
        std::ifstream in(folder + "/" + name);
        return std::string(std::istreambuf_iterator<char>(in), {});
    }
    std::string folder;
    begun_arena arena;
    struct lab_result result = {};
    struct sim_error err = {};
};

TEST_F(Out, EachKindOfLineGoesToItsFile)
{
    ASSERT_EQ(SIM_OK, parse("result latency_ps_min=7\n"
                            "fault time_ps=12 where=node0.hub.e kind=drop\n"
                            "fault time_ps=15 where=node1.hub.w tlp=3\n"
                            "stat 4 1 node0.hub.e.tx.tlps\n"
                            "stat 99 ps node0.hub.e.tx.stall credit\n"
                            "usage link=node0.hub.e from_ps=0 busy_ps=40\n"
                            "fingerprint visible=0x1f wire=0x2 edge=0x3\n"))
        << err.text;
    EXPECT_EQ(1u, result.nlines);
    EXPECT_EQ(0x1fu, result.print.visible);
    ASSERT_EQ(SIM_OK, write()) << err.text;
    EXPECT_EQ("run,time_ps,where,kind,tlp\n0,12,node0.hub.e,drop,\n0,15,node1.hub.w,,3\n",
              text("faults.csv"));
    EXPECT_EQ("run,link,from_ps,busy_ps\n0,node0.hub.e,0,40\n", text("usage.csv"));
    EXPECT_NE(std::string::npos, text("statistics.json")
                                     .find("{\"path\": \"node0.hub.e.tx.stall credit\", \"unit\": "
                                           "\"ps\", \"values\": [99]}"));
    EXPECT_NE(std::string::npos, text("manifest.json").find("\"visible\": \"000000000000001f\""));
    EXPECT_NE(std::string::npos, text("manifest.json").find("a \\\"small\\\" one"));
}

/* A folder is used again: nothing of the last run may stay in it. */
TEST_F(Out, ListsOfAnEarlierRunGoAway)
{
    ASSERT_EQ(SIM_OK, parse("fault time_ps=12\n"));
    ASSERT_EQ(SIM_OK, write()) << err.text;
    EXPECT_TRUE(std::filesystem::exists(folder + "/faults.csv"));
    ASSERT_EQ(SIM_OK, parse(""));
    ASSERT_EQ(SIM_OK, write()) << err.text;
    EXPECT_FALSE(std::filesystem::exists(folder + "/faults.csv"));
}

TEST_F(Out, WhatChecksHaveFoundHasAFileOnlyAfterThem)
{
    const char *mistakes[] = { "rank 0: \"loads\"", "rank 1: stores" };
    const lab_checks checks = { LAB_ACCESSES_ALL, 7, 2, mistakes };
    const lab_checks none = { LAB_ACCESSES_CALLS, 0, 0, nullptr };

    ASSERT_EQ(SIM_OK, write(&checks)) << err.text;
    EXPECT_EQ("{\n  \"format\": \"hubsim checks 1\",\n  \"accesses\": \"all\",\n  \"found\": 7,\n"
              "  \"mistakes\": [\n    \"rank 0: \\\"loads\\\"\",\n    \"rank 1: stores\"\n  ]\n}\n",
              text("checks.json"));
    ASSERT_EQ(SIM_OK, write(&none)) << err.text;
    EXPECT_EQ("{\n  \"format\": \"hubsim checks 1\",\n  \"accesses\": \"calls\",\n"
              "  \"found\": 0,\n  \"mistakes\": []\n}\n",
              text("checks.json"));
    ASSERT_EQ(SIM_OK, write()) << err.text;
    EXPECT_FALSE(std::filesystem::exists(folder + "/checks.json"));
}

TEST_F(Out, FoldersThatAreThereStayAsTheyAre)
{
    const std::string own = folder + "/own", below = own + "/a/b";
    struct stat before, after;

    ASSERT_EQ(0, mkdir(own.c_str(), 0700));
    ASSERT_EQ(0, chmod(own.c_str(), 02770));
    ASSERT_EQ(0, stat(own.c_str(), &before));
    for (const std::string &path : { own, below })
        ASSERT_EQ(SIM_OK, attempt(&err, [&] { lab_out_try_folder(path.c_str()); })) << err.text;
    EXPECT_TRUE(std::filesystem::is_empty(own));
    for (const std::string &path : { own, below, below })
        ASSERT_EQ(SIM_OK, attempt(&err, [&] { lab_out_folder(path.c_str()); })) << err.text;
    ASSERT_EQ(0, stat(own.c_str(), &after));
    EXPECT_EQ(before.st_ino, after.st_ino);
    EXPECT_EQ(before.st_mode, after.st_mode);
    EXPECT_TRUE(std::filesystem::is_directory(below));
}

/* The name is too long in a folder that is there, or in one that is to be made before. */
TEST_F(Out, NamesThatNoFolderCanHaveAreRefusedBeforeTheyAreMade)
{
    const std::string name(300, 'n'), deep = std::string(2500, '/') + "x";
    std::string path;

    for (const std::string &tail : { name, "new/" + name, "new/" + name + "/below" }) {
        path = folder + "/" + tail;
        EXPECT_EQ(SIM_ERR_IO, attempt(&err, [&] { lab_out_try_folder(path.c_str()); })) << tail;
        EXPECT_NE(nullptr, strstr(err.text, ": File name too long: expected a folder to write to"))
            << err.text;
    }
    path = folder + deep;
    ASSERT_EQ(SIM_OK, attempt(&err, [&] { lab_out_folder(path.c_str()); })) << err.text;
    EXPECT_TRUE(std::filesystem::is_directory(folder + "/x"));
    path = folder + deep + deep;
    EXPECT_EQ(SIM_ERR_IO, attempt(&err, [&] { lab_out_try_folder(path.c_str()); }));
    EXPECT_EQ(SIM_ERR_IO, attempt(&err, [&] { lab_out_folder(path.c_str()); }));
}

/* The link is in the way of the folder that is to be made. */
TEST_F(Out, ALinkToNothingIsRefusedBeforeTheRun)
{
    const std::string path = folder + "/link/below";

    std::filesystem::create_symlink("nowhere", folder + "/link");
    EXPECT_EQ(SIM_ERR_IO, attempt(&err, [&] { lab_out_try_folder(path.c_str()); }));
    EXPECT_NE(nullptr, strstr(err.text, ": No such file or directory: expected a folder"))
        << err.text;
}

/* A link may lead to a file that is not there yet, and to one in another folder. */
TEST_F(Out, AFileIsTriedAsItWouldBeMade)
{
    const std::string link = folder + "/link";
    auto attempt_it = [&](const std::string &path) {
        return attempt(&err, [&] { close(lab_out_try(path.c_str())); });
    };

    ASSERT_EQ(0, mkdir((folder + "/below").c_str(), 0755));
    for (const std::string &target : { std::string("below/again"), folder + "/new" }) {
        std::filesystem::remove(link);
        std::filesystem::remove(folder + "/below/again");
        std::filesystem::create_symlink(target, link);
        std::filesystem::create_symlink("file", folder + "/below/again");
        EXPECT_EQ(SIM_OK, attempt_it(link)) << err.text;
        EXPECT_TRUE(std::filesystem::is_symlink(link));
        EXPECT_FALSE(std::filesystem::exists(link)) << "nothing stays";
        lab_out_close(lab_out_open(link.c_str()), link.c_str());
        EXPECT_TRUE(std::filesystem::exists(link));
        EXPECT_EQ(SIM_OK, attempt_it(link)) << err.text;
        EXPECT_TRUE(std::filesystem::exists(link)) << "what is there stays";
    }
    EXPECT_TRUE(std::filesystem::exists(folder + "/below/file"));
    for (const char *target : { "nowhere/new", "link" }) {
        std::filesystem::remove(link);
        std::filesystem::create_symlink(target, link);
        EXPECT_EQ(SIM_ERR_IO, attempt_it(link));
        EXPECT_NE(nullptr, strstr(err.text, ": expected a writable file")) << err.text;
    }
}

/* Root may write to it: this is another user's process. */
TEST_F(Out, AFolderThatTakesNoFilesIsRefused)
{
    const std::string own = folder + "/own";
    auto refused = [&] {
        int code = getuid() == 0 ? setuid(65534) : 0;

        if (code == 0)
            code = attempt(&err, [&] { lab_out_folder(own.c_str()); });
        fprintf(stderr, "%s\n", err.text);
        _exit(code == SIM_ERR_IO ? 0 : 1);
    };

    ASSERT_EQ(0, chmod(folder.c_str(), 0755));
    ASSERT_EQ(0, mkdir(own.c_str(), 0555));
    EXPECT_EXIT(refused(), testing::ExitedWithCode(0),
                "/own: Permission denied: expected a folder to write to\n");
}

TEST_F(Out, AStatisticNeedsNumberUnitAndPath)
{
    for (const char *line : { "stat 4 1", "stat x 1 a.b", "stat 4", "stat 4  a.b", "stat " })
        EXPECT_EQ(SIM_ERR_CONFIG, parse(line)) << line;
}

} // namespace
