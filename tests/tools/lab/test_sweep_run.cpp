/* Sweeps: what the database holds on to, and what a run makes of it. */
#include "sweep_fixture.h"

namespace
{

using namespace test;

/* ---- the database --------------------------------------------------------------------- */

TEST_F(Sweep, ADatabaseTakesEachPointOnceAndGivesThemInOrder)
{
    ASSERT_EQ(SIM_OK, read(std::string(head) + "setup: { mode: pio, bytes: [8, 16, 32] }\n"));
    lab_sweep_db *db = open_db(sweep.model);
    ASSERT_NE(nullptr, db) << err.text;
    const lab_sweep_row rows[] = {
        { 2, "{}", "run 2", SIM_OK, "result a=1\n", { 7, UINT64_MAX, 5 } },
        { 0, "{}", "run 0", SIM_ERR_IO, "it's wrong", {} }
    };
    for (const lab_sweep_row &row : rows)
        ASSERT_EQ(SIM_OK, add_row(db, row)) << err.text;
    EXPECT_NE(SIM_OK, add_row(db, rows[0]));
    lab_sweep_db_close(db);

    db = open_db(sweep.model);
    ASSERT_NE(nullptr, db) << err.text;
    std::string all;
    lab_sweep_row_fn add = [](void *arg, const lab_sweep_row *row) {
        *static_cast<std::string *>(arg) +=
            std::to_string(row->point) + row->run + (row->rc == SIM_OK ? " done " : " failed ") +
            row->text + " " + std::to_string(row->print.visible) + " " +
            std::to_string(row->print.wire) + " " + std::to_string(row->print.edge) + "\n";
    };
    ASSERT_EQ(SIM_OK, attempt(&err, [&] { lab_sweep_db_each(db, add, &all); })) << err.text;
    EXPECT_EQ("0run 0 failed it's wrong 0 0 0\n2run 2 done result a=1\n 7 18446744073709551615 5\n",
              all);
    lab_sweep_db_close(db);
}

TEST_F(Sweep, ADatabaseOfOtherPointsOrOfAnotherModelIsRefused)
{
    const std::string good = std::string(head) + "setup: { mode: pio, bytes: [8, 16] }\n";
    const std::string path = folder + "/sweep.db", file = folder + "/s.yaml";
    auto other = [&](const char *what) {
        return path + ": its results were made by other " + what + " than " + file +
               " has now: --fresh sets them aside and begins anew, --out takes another folder";
    };

    ASSERT_EQ(SIM_OK, read(good));
    lab_sweep_db_close(open_db(sweep.model));
    EXPECT_EQ(nullptr, open_db(sweep.model + 1));
    EXPECT_EQ(other("programs or machine files"), err.text);
    lab_sweep_db *any = open_db(0);
    EXPECT_NE(nullptr, any);
    lab_sweep_db_close(any);
    ASSERT_EQ(SIM_OK, read(good + "seed: 2\n"));
    EXPECT_EQ(nullptr, open_db(sweep.model));
    EXPECT_EQ(other("points"), err.text);
    sweep.name = "t";
    EXPECT_EQ(nullptr, open_db(sweep.model));
    EXPECT_EQ(path + ": holds the sweep s: expected t", err.text);
}

TEST_F(Sweep, SettingAsideKeepsTheOldDatabases)
{
    const std::string path = folder + "/sweep.db";

    ASSERT_EQ(SIM_OK, read(std::string(head) + "setup: { mode: pio, bytes: 8 }\n"));
    EXPECT_EQ(SIM_OK, set_aside(path));
    for (int i = 0; i < 2; i++) {
        lab_sweep_db_close(open_db(sweep.model));
        EXPECT_EQ(SIM_OK, set_aside(path)) << err.text;
    }
    EXPECT_FALSE(std::filesystem::exists(path));
    EXPECT_FALSE(std::filesystem::exists(path + "-wal"));
    EXPECT_TRUE(std::filesystem::exists(path + ".1"));
    EXPECT_TRUE(std::filesystem::exists(path + ".2"));
}

TEST_F(Sweep, WhatIsNoDatabaseOfASweepIsRefused)
{
    ASSERT_EQ(SIM_OK, read(std::string(head) + "setup: { mode: pio, bytes: 8 }\n"));
    std::ofstream(folder + "/sweep.db") << std::string(4096, 'x');
    EXPECT_EQ(nullptr, open_db(sweep.model));
    EXPECT_EQ(folder + "/sweep.db: file is not a database", err.text);
}

/* A second description of the same file: POSIX locks do not exclude their own process. */
TEST_F(Sweep, TheLockNamesTheProcessThatHasIt)
{
    const std::string path = folder + "/sweep.lock";
    int fd = -1;
    auto lock = [&] { fd = lab_sweep_lock(path.c_str()); };

    ASSERT_EQ(SIM_OK, attempt(&err, lock)) << err.text;
    pid_t self = getpid(), child = fork();
    if (child == 0) {
        std::string expected = path + ": the sweep is being run by process " + std::to_string(self);
        bool right = attempt(&err, lock) == SIM_ERR_IO && expected == err.text;
        _exit(right ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(0, status);
    close(fd);
}

/* ---- running --------------------------------------------------------------------------- */

TEST_F(Sweep, OnlyWhatHasNoRowIsRunAndTheTableComesFromTheRows)
{
    ASSERT_EQ(SIM_OK, read(std::string(head) +
                           "setup: { mode: pio, bytes: [8, 16], rounds: 1, repeats: 1 }\n"));
    lab_sweep_db *db = open_db(sweep.model);
    ASSERT_NE(nullptr, db) << err.text;
    const lab_sweep_row before = {
        1, "{}", "", SIM_OK, "result latency_ps_min=5 latency_ps_median=6 verified=1\n", {}
    };
    ASSERT_EQ(SIM_OK, add_row(db, before));
    unsigned told[2] = { 0, 0 };
    lab_sweep_config cfg = {};
    cfg.site = &site;
    cfg.workers = 2;
    cfg.progress = [](void *arg, unsigned done, unsigned total) {
        static_cast<unsigned *>(arg)[0] = done;
        static_cast<unsigned *>(arg)[1] = total;
    };
    cfg.progress_arg = told;
    ASSERT_EQ(SIM_OK, run(db, cfg)) << err.text;
    EXPECT_EQ(2u, told[0]);
    EXPECT_EQ(2u, told[1]);

    lab_sweep_results results = {};
    lab_table table = {};
    ASSERT_EQ(SIM_OK, collect(db, &results)) << err.text;
    lab_sweep_table(&sweep, &results, &arena, &table);
    ASSERT_EQ(2u, table.nrows);
    EXPECT_STREQ("bytes", table.columns[0].name);
    EXPECT_STREQ("8", lab_table_get(&table, 0, 0));
    EXPECT_GT(atof(lab_table_get(&table, 0, 1)), 0.5);
    EXPECT_STREQ("0.000005", lab_table_get(&table, 1, 1)); /* the row that was there */
    lab_table_fini(&table);
    lab_sweep_db_close(db);
}

/* What is repeated of an argument needs no column; what only has its name is another thing. */
TEST_F(Sweep, AResultWithTheNameOfAnArgumentHasAColumnOfItsOwnUnlessItIsTheArgument)
{
    ASSERT_EQ(SIM_OK, read("program: pingpong\nmachine: two-node\n"
                           "args: { bytes: [8, 16], rounds: [3, 4] }\n"));
    lab_sweep_db *db = open_db(sweep.model);
    ASSERT_NE(nullptr, db) << err.text;
    for (unsigned i = 0; i < 4; i++) {
        const std::string text = std::string("result bytes=") + (i < 2 ? "8" : "16") +
                                 " rounds=" + (i % 2 == 0 ? "3" : "5") + " failure=0\n";

        ASSERT_EQ(SIM_OK, add_row(db, { i, "{}", "", SIM_OK, text.c_str(), {} })) << err.text;
    }
    lab_sweep_results results = {};
    lab_table table = {};
    ASSERT_EQ(SIM_OK, collect(db, &results)) << err.text;
    lab_sweep_table(&sweep, &results, &arena, &table);
    strings columns, last;
    for (unsigned c = 0; c < table.ncolumns; c++) {
        columns.push_back(table.columns[c].name);
        last.push_back(lab_table_get(&table, 3, c));
    }
    EXPECT_EQ((strings{ "bytes", "rounds", "result.rounds", "result.failure", "failure" }),
              columns);
    EXPECT_EQ((strings{ "16", "4", "5", "0", "" }), last);
    lab_table_fini(&table);
    lab_sweep_db_close(db);
}

/* 01 and 1KiB are the numbers that a program prints as 1 and 1024. */
TEST_F(Sweep, AResultIsTheArgumentWhenBothAreOneNumber)
{
    ASSERT_EQ(SIM_OK, read("program: pingpong\nmachine: two-node\n"
                           "args: { n: [01, 2], size: 1KiB, part: 0.50, name: [a] }\n"));
    lab_sweep_db *db = open_db(sweep.model);
    ASSERT_NE(nullptr, db) << err.text;
    for (unsigned i = 0; i < 2; i++) {
        const std::string text = std::string("result n=") + (i == 0 ? "1" : "2") +
                                 " size=1024 part=0.5 name=" + (i == 0 ? "a" : "b") + "\n";

        ASSERT_EQ(SIM_OK, add_row(db, { i, "{}", "", SIM_OK, text.c_str(), {} })) << err.text;
    }
    lab_sweep_results results = {};
    lab_table table = {};
    ASSERT_EQ(SIM_OK, collect(db, &results)) << err.text;
    lab_sweep_table(&sweep, &results, &arena, &table);
    strings columns;
    for (unsigned c = 0; c < table.ncolumns; c++)
        columns.push_back(table.columns[c].name);
    EXPECT_EQ((strings{ "n", "size", "part", "result.name", "failure" }), columns);
    lab_table_fini(&table);
    lab_sweep_db_close(db);
}

TEST_F(Sweep, AProgramThatSaysWhatItMovesHasABandwidthAndABoundFromTheMachinesLinks)
{
    ASSERT_EQ(
        SIM_OK,
        read("workload: all-to-all\n"
             "platform: hapacs-tca\n"
             "machine: [ring4, ring8]\n"
             "setup: { nodes: 4, bytes: 4096, warmup: 0, rounds: 1, repeats: 1, memory: cpu,\n"
             "         mode: dma-chain-internal }\n"));
    lab_sweep_db *db = open_db(sweep.model);
    ASSERT_NE(nullptr, db) << err.text;
    lab_sweep_config cfg = {};
    cfg.site = &site;
    cfg.workers = 2;
    ASSERT_EQ(SIM_OK, run(db, cfg)) << err.text;
    lab_sweep_results results = {};
    lab_table table = {};
    ASSERT_EQ(SIM_OK, collect(db, &results)) << err.text;
    lab_sweep_table(&sweep, &results, &arena, &table);
    ASSERT_EQ(2u, table.nrows);

    double value[2][2] = {};
    for (unsigned c = 0; c < table.ncolumns; c++)
        for (unsigned r = 0; r < 2; r++) {
            if (std::string("bandwidth_MBps") == table.columns[c].name)
                value[r][0] = atof(lab_table_get(&table, r, c));
            if (std::string("bound_MBps") == table.columns[c].name)
                value[r][1] = atof(lab_table_get(&table, r, c));
        }
    /* Three blocks leave each host: what a bus of 16 bytes at 250 MHz carries in packets of 256. */
    EXPECT_NEAR(3368.4, value[0][1], 0.1);
    for (auto &row : value) {
        EXPECT_GT(row[0], 1000.0);
        EXPECT_LT(row[0], row[1]);
    }
    lab_table_fini(&table);
    lab_sweep_db_close(db);
}

} // namespace
