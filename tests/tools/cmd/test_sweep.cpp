/* `hubsim sweep` as its users meet it; test_sweep_kill.cpp has the long part. */
#include <algorithm>
#include <cstring>

#include "tests/built.h"
#include "tests/tools/cmd/sweep_command.h"

namespace
{

TEST_F(SweepCommand, TheTableIsTheSameForAnyNumberOfJobs)
{
    const std::string file = write_points(1, 2);
    std::string first;

    for (const char *jobs : { "0", "1", "2", "5" }) {
        const std::string out = folder + "/jobs" + jobs;
        ASSERT_EQ(0, run(file + " --csv --jobs " + jobs + " --out " + out)) << text("stderr");
        EXPECT_EQ("", text("stderr"));
        EXPECT_EQ(text("stdout"), text("jobs" + std::string(jobs) + "/points/table.csv"));
        if (first.empty())
            first = text("stdout");
        EXPECT_EQ(first, text("stdout"));
    }
    EXPECT_EQ(0u, first.find("bytes,lanes,gen,clock_khz,latency_us_min,"));
    EXPECT_EQ(41, std::count(first.begin(), first.end(), '\n'));
}

TEST_F(SweepCommand, WhatIsDoneIsNotRunAgain)
{
    const std::string file = write_points(1, 2), args = file + " --csv --out " + folder + "/out";

    ASSERT_EQ(0, run(args)) << text("stderr");
    const std::string csv = text("stdout"), db = text("out/points/sweep.db");
    ASSERT_EQ(0, run(args)) << text("stderr");
    EXPECT_EQ(csv, text("stdout"));
    EXPECT_EQ(db, text("out/points/sweep.db"));
}

/** Child processes of `pid`: its workers. */
std::vector<pid_t> children_of(pid_t pid)
{
    std::vector<pid_t> found;

    for (const auto &entry : std::filesystem::directory_iterator("/proc")) {
        if (atoi(entry.path().filename().c_str()) == 0)
            continue;
        std::ifstream in(entry.path() / "stat");
        std::string stat(std::istreambuf_iterator<char>(in), {});
        size_t end = stat.rfind(')');
        int parent = 0;

        if (end != std::string::npos && sscanf(stat.c_str() + end + 1, " %*c %d", &parent) == 1 &&
            parent == pid)
            found.push_back(atoi(stat.c_str()));
    }
    return found;
}

/** What has ended may wait for ever for a process that takes its status. */
bool is_at_work(pid_t pid)
{
    std::ifstream in("/proc/" + std::to_string(pid) + "/stat");
    std::string stat(std::istreambuf_iterator<char>(in), {});
    size_t end = stat.rfind(')');

    return end != std::string::npos && strchr("ZX", stat[end + 2]) == nullptr;
}

class KilledSweep : public SweepCommand
{
  protected:
    void SetUp() override
    {
        SweepCommand::SetUp();
        if (test::SANITIZED)
            GTEST_SKIP() << "sanitizers see no more of a process that is killed";
    }
};

TEST_F(KilledSweep, AKilledWorkerLeavesNoRowAndTheNextRunMakesIt)
{
    const std::string file = write_points(2), args = file + " --csv --out " + folder + "/out";
    const std::string db = folder + "/out/points/sweep.db";

    pid_t pid = start(args);
    wait_for_rows(db, 1);
    const std::vector<pid_t> workers = children_of(pid);
    ASSERT_FALSE(workers.empty());
    kill(workers[0], SIGKILL);
    EXPECT_EQ(1, finish(pid));
    EXPECT_EQ(199u, read_rows(db).size());
    EXPECT_EQ(0u, text("stderr").find("hubsim: 1 of 200 points have no result, the same command "
                                      "runs them again: bytes = "))
        << text("stderr");
    EXPECT_NE(std::string::npos, text("stderr").find(": Killed\n"));
    EXPECT_EQ(0, run(args)) << text("stderr");
    EXPECT_EQ(200u, read_rows(db).size());
}

TEST_F(KilledSweep, WorkersOfAKilledParentDoNoHarm)
{
    const std::string file = write_points(1);

    ASSERT_EQ(0, run(file + " --csv --out " + folder + "/whole")) << text("stderr");
    pid_t pid = start(file + " --csv --out " + folder + "/killed");
    wait_for_rows(folder + "/killed/points/sweep.db", 10);
    kill(pid, SIGKILL);
    EXPECT_EQ(-SIGKILL, finish(pid));
    ASSERT_EQ(0, run(file + " --csv --out " + folder + "/killed")) << text("stderr");
    EXPECT_EQ(read_rows(folder + "/whole/points/sweep.db"),
              read_rows(folder + "/killed/points/sweep.db"));
}

/* A simulation of minutes would go on without a reader. */
TEST_F(KilledSweep, WorkersEndWithTheirParent)
{
    pid_t pid = start(write("long.yaml", "workload: pingpong\nplatform: hapacs-tca\n"
                                         "setup: {mode: pio, bytes: [8, 16], rounds: 1000000, "
                                         "repeats: 1}\n") +
                      " --jobs 2 --out " + folder + "/out");
    std::vector<pid_t> workers;

    for (int i = 0; i < 2500 && (workers = children_of(pid)).size() < 2; i++)
        std::this_thread::sleep_for(std::chrono::milliseconds(4));
    ASSERT_EQ(2u, workers.size()) << text("stderr");
    kill(pid, SIGKILL);
    EXPECT_EQ(-SIGKILL, finish(pid));
    for (int i = 0; i < 250 && (is_at_work(workers[0]) || is_at_work(workers[1])); i++)
        std::this_thread::sleep_for(std::chrono::milliseconds(4));
    for (pid_t worker : workers)
        EXPECT_FALSE(is_at_work(worker));
}

/* The terminal sends one signal to all, `kill` another to the command alone. */
TEST_F(KilledSweep, ASignalIsAnsweredWithWhatIsDone)
{
    const std::string args = write_points(2) + " --csv --out " + folder + "/out";
    const std::string db = folder + "/out/points/sweep.db";

    for (int number : { SIGINT, SIGTERM, SIGHUP }) {
        (void)signal(number, SIG_DFL); /* a shell may have it ignored for all below */
        const size_t before = number == SIGINT ? 0 : read_rows(db).size();
        pid_t pid = start(args);

        wait_for_rows(db, static_cast<unsigned>(before) + 3);
        const std::vector<pid_t> workers = children_of(pid);
        kill(number == SIGINT ? -pid : pid, number);
        EXPECT_EQ(-number, finish(pid));
        for (pid_t worker : workers)
            EXPECT_NE(0, kill(worker, 0)) << "a worker goes on";
        EXPECT_EQ("hubsim: " + std::string(strsignal(number)) + ": " +
                      std::to_string(read_rows(db).size() - before) + " of " +
                      std::to_string(200 - before) +
                      " simulations have ended, the same command goes on with the others\n",
                  text("stderr"));
    }
    EXPECT_EQ(0, run(args)) << text("stderr");
    EXPECT_EQ(200u, read_rows(db).size());
}

/* Before the folder is there, while the database is made, at the first rows. */
TEST_F(KilledSweep, AKillAtTheVeryBeginningIsOneAtAnyMoment)
{
    const std::string args = write_points(1, 2) + " --csv --out " + folder + "/out";

    for (int ms = 0; ms < 24; ms++) {
        pid_t pid = start(args);
        std::this_thread::sleep_for(std::chrono::milliseconds(ms));
        kill(-pid, SIGKILL);
        (void)finish(pid);
    }
    ASSERT_EQ(0, run(args)) << text("stderr");
    EXPECT_EQ(40u, read_rows(folder + "/out/points/sweep.db").size());
    const std::string csv = text("stdout");
    ASSERT_EQ(0, run(args + "/whole")) << text("stderr");
    EXPECT_EQ(csv, text("stdout"));
}

TEST_F(SweepCommand, ASecondProcessIsToldWhoRunsTheSweepAndMayLook)
{
    const std::string file = write_points(10), args = file + " --csv --out " + folder + "/out";

    pid_t pid = start(args);
    wait_for_rows(folder + "/out/points/sweep.db", 1);
    EXPECT_EQ(1, run(args));
    EXPECT_EQ("hubsim: " + folder + "/out/points/sweep.lock: the sweep is being run by process " +
                  std::to_string(pid) + "\n",
              text("stderr"));
    EXPECT_EQ(1, run(args + " --fresh"));
    EXPECT_FALSE(std::filesystem::exists(folder + "/out/points/sweep.db.1"));
    EXPECT_EQ(0, run(args + " --show")) << text("stderr");
    EXPECT_EQ(0u, text("stdout").find("bytes,lanes,"));
    kill(-pid, SIGKILL);
    EXPECT_EQ(-SIGKILL, finish(pid));
}

TEST_F(SweepCommand, WithoutALockItDoesNotRun)
{
    const std::string link = folder + "/out/points/sweep.lock";

    std::filesystem::create_directories(folder + "/out/points");
    std::filesystem::create_symlink("nowhere/file", link);
    EXPECT_EQ(1, run(write_points(1) + " --csv --out " + folder + "/out"));
    EXPECT_EQ("hubsim: " + link + ": No such file or directory: expected a writable file\n",
              text("stderr"));
    EXPECT_FALSE(std::filesystem::exists(folder + "/out/points/sweep.db"));
}

TEST_F(SweepCommand, AChangedFileIsRefusedUntilItsResultsAreSetAside)
{
    const std::string head = "workload: pingpong\nplatform: hapacs-tca\n"
                             "setup: { mode: pio, rounds: 1, repeats: 1, bytes: ";
    const std::string file = write("s.yaml", head + "[8, 16] }\n"),
                      args = file + " --csv --out " + folder + "/out";

    EXPECT_EQ(1, run(args + " --show"));
    EXPECT_EQ("hubsim: " + folder + "/out/s/sweep.db: no results yet\n", text("stderr"));
    ASSERT_EQ(0, run(args)) << text("stderr");
    write("s.yaml", head + "[8, 16, 32] }\n");
    EXPECT_EQ(1, run(args));
    EXPECT_EQ("hubsim: " + folder + "/out/s/sweep.db: its results were made by other points than " +
                  file +
                  " has now: --fresh sets them aside and begins anew, --out takes another folder\n",
              text("stderr"));
    EXPECT_EQ("", text("stdout"));
    EXPECT_EQ(0, run(args + " --fresh")) << text("stderr");
    EXPECT_EQ(3u, read_rows(folder + "/out/s/sweep.db").size());
    EXPECT_EQ(2u, read_rows(folder + "/out/s/sweep.db.1").size());
}

/* The same device of another make has the same times. */
TEST_F(SweepCommand, PointsMayDifferInTheMakeOfADevice)
{
    const std::string args = write("s.yaml", "workload: pingpong\nplatform: hapacs-tca\n"
                                             "setup: { mode: pio, bytes: 8, repeats: 1 }\n"
                                             "set: { \"node*.hub.kind\": [hub.c, hub.sc] }\n") +
                             " --csv --out " + folder + "/out";
    int status = run(args);

    if (text("stderr").find("expected a build with SystemC") != std::string::npos)
        GTEST_SKIP() << text("stderr");
    ASSERT_EQ(0, status) << text("stderr");
    std::string table = text("stdout");
    size_t c = table.find("\nhub.c,"), sc = table.find("\nhub.sc,");
    ASSERT_TRUE(c != std::string::npos && sc != std::string::npos) << table;
    EXPECT_EQ(table.substr(c + 7, sc - c - 7) + "\n", table.substr(sc + 8));
}

/* Some of these words set a value of the machine, and others leave it as it is. */
TEST_F(SweepCommand, PointsMayDifferInWhatTheirSetupSaysOfTheMachine)
{
    const std::string pingpong = "workload: mpi-pingpong\n"
                                 "platform: hapacs-tca\n"
                                 "setup: { bytes: 8, api: mvapich2-gdr-2.2, ";

    for (const char *setup :
         { "net: [ib-fdr, ib-qdr, ib-fdr-dual, ib] }\n",
           "net: ib-fdr, memory: gpu, gpu: [ib-side, across-qpi], gdr: [\"on\", \"off\"] }\n" }) {
        ASSERT_EQ(
            0, run(write("s.yaml", pingpong + setup) + " --csv --fresh --out " + folder + "/out"))
            << text("stderr");
        const std::string table = text("stdout");
        EXPECT_EQ(5, std::count(table.begin(), table.end(), '\n')) << table;
    }
}

/* The file is right; that no node has so much memory, the program finds. */
TEST_F(SweepCommand, APointThatFailsIsARowAndAnErrorInTheEnd)
{
    const std::string args = write("s.yaml", "program: all-to-all\nmachine: two-node\n"
                                             "args: { repeats: 1, bytes: [16, 1TiB, 32] }\n") +
                             " --csv --out " + folder + "/out";

    for (int i = 0; i < 2; i++) { /* the second time from the rows alone */
        EXPECT_EQ(1, run(args));
        EXPECT_EQ(0u, text("stderr").find("hubsim: 1 of 3 points failed: bytes = 1099511627776: "))
            << text("stderr");
        EXPECT_NE(std::string::npos, text("stderr").find(": tcaMalloc("));
        EXPECT_NE(std::string::npos, text("stdout").find("\n1099511627776,1,,,,,,,"));
        EXPECT_NE(std::string::npos, text("stdout").find("\n32,"));
    }
}

TEST_F(SweepCommand, AProgramsResultsBecomeColumnsAndLines)
{
    const std::string args =
        write("s.yaml", "description: a program\nprogram: pingpong\nmachine: two-node\nranks: 2\n"
                        "args: { mode: pio, warmup: 0, rounds: 1, repeats: 1, bytes: [16, 8] }\n"
                        "set: { \"node*.hub.e.link.lanes\": [4, 8] }\n"
                        "seed: [1, 2, 3]\n"
                        "figure:\n"
                        "  x: { key: bytes, scale: log2 }\n"
                        "  y: { quantity: latency_ps_min, label: ps }\n"
                        "  lines: { lanes: \"x% cables\" }\n") +
        " --csv --out " + folder + "/out";

    ASSERT_EQ(0, run(args)) << text("stderr");
    EXPECT_EQ(0u, text("stdout").find("bytes,lanes,seed,races,")) << text("stdout");
    const std::string csv = text("out/s/figure.csv");
    EXPECT_EQ(5, std::count(csv.begin(), csv.end(), '\n')) << csv; /* the seeds are one point */
    EXPECT_NE(std::string::npos, csv.find("\nx4 cables,simulated,8,"));
    EXPECT_LT(csv.find("\nx4 cables,simulated,8,"), csv.find("\nx4 cables,simulated,16,"));
    EXPECT_NE(std::string::npos, csv.find("\nx8 cables,simulated,8,"));
    EXPECT_TRUE(std::filesystem::exists(folder + "/out/s/figure.png"));
    EXPECT_TRUE(std::filesystem::exists(folder + "/out/s/figure.svg"));
}

/* What a program prints is known when it has run once. */
TEST_F(SweepCommand, AQuantityThatAProgramDoesNotPrintEndsTheSweepAtItsFirstResult)
{
    const std::string file =
        write("s.yaml", "program: pingpong\nmachine: two-node\nranks: 2\n"
                        "args: { mode: pio, warmup: 0, rounds: 1, repeats: 1, bytes: 8..1024 }\n"
                        "figure: { x: { key: bytes }, y: { quantity: latenzy } }\n");

    for (int again = 0; again < 2; again++) { /* then from the row that it has */
        EXPECT_EQ(1, run(file + " --jobs 1 --out " + folder + "/out"));
        EXPECT_EQ(
            "hubsim: " + file +
                ":5:35: quantity = latenzy: expected a number of the result of pingpong: bytes, "
                "races, repeats, latency_ps_min, latency_ps_median, latency_ps_p99, "
                "latency_ps_max, bandwidth_kBps, verified\n",
            text("stderr"));
        EXPECT_FALSE(std::filesystem::exists(folder + "/out/s/figure.csv"));
    }
    EXPECT_GE(2u, read_rows(folder + "/out/s/sweep.db").size());
}

TEST_F(SweepCommand, AProgramOfOnesOwnIsSwept)
{
    const std::string source =
        write("own.c", "#include <mpi.h>\n#include <stdio.h>\n"
                       "int main(int argc, char **argv)\n"
                       "{\n"
                       "    int me, n;\n"
                       "    MPI_Init(&argc, &argv);\n"
                       "    MPI_Comm_rank(MPI_COMM_WORLD, &me);\n"
                       "    MPI_Comm_size(MPI_COMM_WORLD, &n);\n"
                       "    if (me == 0)\n"
                       "        printf(\"result ranks=%d said=%s\\n\", n, argv[1]);\n"
                       "    MPI_Finalize();\n"
                       "    return 0;\n"
                       "}\n");
    ASSERT_EQ(0, system((test::HUBCC + " -o " + folder + "/own " + source).c_str()));
    const std::string args = write("s.yaml", "program: " + folder +
                                                 "/own\nmachine: ring4\n"
                                                 "ranks: [2, 4]\nargs: { word: [a, b] }\n") +
                             " --csv --out " + folder + "/out";
    ASSERT_EQ(0, run(args)) << text("stderr");
    EXPECT_EQ("ranks,word,said,failure\n2,a,word=a,\n2,b,word=b,\n4,a,word=a,\n4,b,word=b,\n",
              text("stdout"));
}

/* Its lines are places of the figure when x is a key that differs in them. */
TEST_F(SweepCommand, AProgramThatPrintsSeveralResultsHasAFigureByAKeyOfTheirs)
{
    const std::string source =
        write("own.c", "#include <mpi.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
                       "int main(int argc, char **argv)\n"
                       "{\n"
                       "    int me;\n"
                       "    MPI_Init(&argc, &argv);\n"
                       "    MPI_Comm_rank(MPI_COMM_WORLD, &me);\n"
                       "    for (int n = 4; me == 0 && n > 0; n /= 2)\n"
                       "        printf(\"result size=%d us=%d\\n\", n, n * atoi(argv[1] + 6));\n"
                       "    if (me == 0)\n"
                       "        puts(\"result total=3\");\n"
                       "    MPI_Finalize();\n"
                       "    return 0;\n"
                       "}\n");
    const std::string head = "program: " + folder +
                             "/own\nmachine: two-node\nargs: { times: [10, 20] }\n"
                             "figure: { x: { key: ";
    const std::string tail = " }, y: { quantity: us } }\n", file = folder + "/s.yaml";
    const std::string args = file + " --csv --out " + folder + "/out";
    const std::string at = "hubsim: " + file + ":4:16: key = ", keys = ": size, us, total\n";

    ASSERT_EQ(0, system((test::HUBCC + " -o " + folder + "/own " + source).c_str()));
    write("s.yaml", head + "size" + tail);
    ASSERT_EQ(0, run(args)) << text("stderr");
    EXPECT_EQ("series,kind,x,y,y2,source\n"
              "times = 10,simulated,1,10,,\ntimes = 10,simulated,2,20,,\n"
              "times = 10,simulated,4,40,,\ntimes = 20,simulated,1,20,,\n"
              "times = 20,simulated,2,40,,\ntimes = 20,simulated,4,80,,\n",
              text("out/s/figure.csv"));
    write("s.yaml", head + "times" + tail);
    EXPECT_EQ(1, run(args));
    EXPECT_EQ(at + "times: a run of " + folder +
                  "/own has printed several lines with us at 10: "
                  "expected a key that differs in them" +
                  keys,
              text("stderr"));
    write("s.yaml", head + "sice" + tail);
    EXPECT_EQ(1, run(args));
    EXPECT_EQ(at + "sice: expected a key of the series, or a number beside us in the result of " +
                  folder + "/own" + keys,
              text("stderr"));
}

class PrintedSweep : public SweepCommand
{
  protected:
    /** A program that prints `us` as its argument t says, swept over these. @param y of the figure
     */
    int run_printed(const std::string &times, const std::string &y = "")
    {
        const std::string source = write("own.c", "#include <mpi.h>\n#include <stdio.h>\n"
                                                  "int main(int argc, char **argv)\n"
                                                  "{\n"
                                                  "    MPI_Init(&argc, &argv);\n"
                                                  "    printf(\"result us=%s\\n\", argv[1] + 2);\n"
                                                  "    MPI_Finalize();\n"
                                                  "    return 0;\n"
                                                  "}\n");

        file = write("s.yaml", "program: " + folder +
                                   "/own\nmachine: two-node\nranks: 1\nargs: { t: [" + times +
                                   "] }\nset: { \"node*.hub.route_cycles\": [3, 4] }\n"
                                   "figure: { x: { key: route_cycles }, y: { quantity: us" +
                                   y + " } }\n");
        EXPECT_EQ(0, system((test::HUBCC + " -o " + folder + "/own " + source).c_str()));
        return run(file + " --csv --fresh --out " + folder + "/out");
    }
    std::string at() const { return "hubsim: " + file + ":6:42: quantity = us: "; }
    std::string file;
};

TEST_F(PrintedSweep, AValueThatIsNotFiniteHasNoPlaceInAFigure)
{
    EXPECT_EQ(1, run_printed("8, inf"));
    EXPECT_EQ(at() + "inf in the point t = inf, route_cycles = 3: expected a finite number\n",
              text("stderr"));
    const std::string table = text("stdout");
    EXPECT_EQ(5, std::count(table.begin(), table.end(), '\n')) << table;
}

/* Python has a warning of its own for it, and draws an empty picture. */
TEST_F(PrintedSweep, ALineThatALogarithmicAxisCannotShowIsAnError)
{
    EXPECT_EQ(1, run_printed("8, 0"));
    EXPECT_EQ(at() + "no point of the line t = 0 is above 0: expected one that a logarithmic axis "
                     "can show, or scale: linear\n",
              text("stderr"));
    EXPECT_EQ(0, run_printed("8, 0", ", scale: linear")) << text("stderr");
    EXPECT_EQ("", text("stderr"));
}

TEST_F(SweepCommand, ALineNeedsAPointThatIsAboveZeroOnBothLogarithmicAxes)
{
    const std::string source = write("own.c", "#include <mpi.h>\n#include <stdio.h>\n"
                                              "int main(int argc, char **argv)\n"
                                              "{\n"
                                              "    MPI_Init(&argc, &argv);\n"
                                              "    printf(\"result size=1 us=0\\n\");\n"
                                              "    printf(\"result size=0 us=1\\n\");\n"
                                              "    MPI_Finalize();\n"
                                              "    return 0;\n"
                                              "}\n");
    auto sweep = [&](const std::string &x, const std::string &y) {
        return write("s.yaml", "program: " + folder +
                                   "/own\nmachine: one-node\nargs: { t: [1, 2] }\nfigure:\n"
                                   "  x: { key: size" +
                                   x + " }\n  y: { quantity: us" + y + " }\n") +
               " --csv --out " + folder + "/out";
    };

    ASSERT_EQ(0, system((test::HUBCC + " -o " + folder + "/own " + source).c_str()));
    EXPECT_EQ(1, run(sweep("", "")));
    EXPECT_EQ("hubsim: " + folder +
                  "/s.yaml:5:8: key = size: no point of the line t = 1 is above 0 on both axes: "
                  "expected one that a logarithmic axis can show, or scale: linear\n",
              text("stderr"));
    EXPECT_EQ(0, run(sweep(", scale: linear", ""))) << text("stderr");
    EXPECT_EQ(0, run(sweep("", ", scale: linear"))) << text("stderr");
}

TEST_F(PrintedSweep, AResultWithoutNumbersIsSaidToHaveNone)
{
    EXPECT_EQ(1, run_printed("'1,5'"));
    EXPECT_EQ(at() + "expected a number of the result of " + folder + "/own: there is none\n",
              text("stderr"));
}

/* As the column of the table that has it. */
TEST_F(SweepCommand, AFiguresKeyMayBeWhatAProgramPrintsUnderTheNameOfAnArgument)
{
    const std::string source =
        write("own.c", "#include <mpi.h>\n#include <stdio.h>\n"
                       "int main(int argc, char **argv)\n"
                       "{\n"
                       "    MPI_Init(&argc, &argv);\n"
                       "    for (int n = 1; n < 3; n++)\n"
                       "        printf(\"result size=%d us=%d\\n\", n, n * n);\n"
                       "    MPI_Finalize();\n"
                       "    return 0;\n"
                       "}\n");
    const std::string head = "program: " + folder +
                             "/own\nmachine: one-node\nranks: 1\n"
                             "args: { size: [5, 6] }\n"
                             "figure: { x: { key: ";
    const std::string tail = " }, y: { quantity: us } }\n", file = folder + "/s.yaml";
    const std::string args = file + " --csv --jobs 1 --out " + folder + "/out";

    ASSERT_EQ(0, system((test::HUBCC + " -o " + folder + "/own " + source).c_str()));
    write("s.yaml", head + "size" + tail);
    EXPECT_EQ(1, run(args));
    EXPECT_EQ("hubsim: " + file + ":5:16: key = size: a run of " + folder +
                  "/own has printed several lines with us at 5: expected a key that differs in "
                  "them: result.size, us\n",
              text("stderr"));
    write("s.yaml", head + "result.us" + tail);
    EXPECT_EQ(1, run(args)) << "its column is us";
    EXPECT_EQ("hubsim: " + file +
                  ":5:16: key = result.us: expected a key of the series, or a number beside us in "
                  "the result of " +
                  folder + "/own: result.size, us\n",
              text("stderr"));
    write("s.yaml", head + "result.size" + tail);
    EXPECT_EQ(0, run(args)) << text("stderr");
    EXPECT_EQ("series,kind,x,y,y2,source\nsize = 5,simulated,1,1,,\nsize = 5,simulated,2,4,,\n"
              "size = 6,simulated,1,1,,\nsize = 6,simulated,2,4,,\n",
              text("out/s/figure.csv"));
}

/* It is the rank that ended all others that failed, and points that fail alike say so once. */
TEST_F(SweepCommand, APointThatFailsNamesTheRankThatDid)
{
    std::string source =
        write("bad.c", "#include <mpi.h>\n"
                       "int main(int argc, char **argv)\n"
                       "{\n"
                       "    int me;\n"
                       "    MPI_Init(&argc, &argv);\n"
                       "    MPI_Comm_rank(MPI_COMM_WORLD, &me);\n"
                       "    if (me == 2)\n"
                       "        MPI_Send(&me, -1, MPI_INT, 0, 0, MPI_COMM_WORLD);\n"
                       "    MPI_Barrier(MPI_COMM_WORLD);\n"
                       "    MPI_Finalize();\n"
                       "    return 0;\n"
                       "}\n");
    ASSERT_EQ(0, system((test::HUBCC + " -o " + folder + "/bad " + source).c_str()));
    const std::string args = write("s.yaml", "program: " + folder +
                                                 "/bad\nmachine: ring4\n"
                                                 "ranks: 3\nargs: { word: [a, b] }\n") +
                             " --out " + folder + "/out";
    EXPECT_EQ(1, run(args));
    const std::string table = text("stdout"), csv = text("out/s/table.csv");
    const std::string why = "/bad: rank 2 ended with status 1: rank 2 on node 2 at ";
    EXPECT_NE(std::string::npos, table.find(why)) << table;
    EXPECT_NE(std::string::npos, table.find("\nb     as above")) << table;
    EXPECT_NE(std::string::npos, csv.find(why, csv.find("\nb,"))) << csv;
}

/* What ranks say that end well, or are refused, is no reason. Of those that fail, one that says why
 * is named. */
TEST_F(SweepCommand, ARankThatFailsHasNoReasonOfAnotherOnes)
{
    const std::string source =
        write("bad.c", "#include <mpi.h>\n"
                       "#include <stdio.h>\n"
                       "#include <string.h>\n"
                       "#include <tca-api.h>\n"
                       "int main(int argc, char **argv)\n"
                       "{\n"
                       "    int me;\n"
                       "    MPI_Init(&argc, &argv);\n"
                       "    MPI_Comm_rank(MPI_COMM_WORLD, &me);\n"
                       "    tcaInit();\n"
                       "    if (strchr(argv[1], 'A' + me) != NULL)\n"
                       "        fprintf(stderr, \"no luck\\n\");\n"
                       "    if (strchr(argv[1], 'a' + me) != NULL)\n"
                       "        tcaDescSetMemcpy(NULL, 0, 0, 0, 0, 8, 0, 0, 0);\n"
                       "    MPI_Barrier(MPI_COMM_WORLD);\n"
                       "    MPI_Finalize();\n"
                       "    return strchr(argv[1], '0' + me) != NULL ? 3 : 0;\n"
                       "}\n");
    const std::pair<const char *, const char *> cases[] = {
        { "B2", "rank 2 ended with status 3\n" },
        { "b2", "rank 2 ended with status 3\n" },
        { "bc2", "rank 2 ended with status 3: rank 2 on node 2 at " },
        { "BD023", "rank 3 ended with status 3: no luck\n" },
        { "023", "rank 0 ended with status 3\n" },
    };

    ASSERT_EQ(0, system((test::HUBCC + " -o " + folder + "/bad " + source).c_str()));
    for (const auto &[ranks, why] : cases) {
        const std::string args =
            write("s.yaml",
                  "program: " + folder + "/bad\nmachine: ring4\nargs: [_" + ranks + "]\n") +
            " --csv --fresh --out " + folder + "/out";

        EXPECT_EQ(1, run(args));
        EXPECT_NE(std::string::npos, text("stderr").find(std::string("/bad: ") + why))
            << ranks << ": " << text("stderr");
    }
}

TEST_F(SweepCommand, APointThatFailsSaysAllThatItsLibraryExpected)
{
    const std::string name = std::string(90, 'x');

    EXPECT_EQ(1, run(write("s.yaml", "workload: mpi-collective\nplatform: hapacs-tca\n"
                                     "setup: { op: broadcast, nodes: 4, bytes: 8, mpi: peach2, "
                                     "algorithm: bcast=" +
                                         name + " }\n") +
                     " --csv --fresh --out " + folder + "/out"));
    EXPECT_NE(std::string::npos, text("stderr").find(name + "': expected binomial, "));
    EXPECT_NE(std::string::npos, text("stderr").find(", both-ways, pipeline\n")) << text("stderr");
}

TEST_F(SweepCommand, AGpuIsBesideAComponentThatIsThere)
{
    auto sweep = [&](const std::string &memory) {
        return run(write("s.yaml", "program: pingpong\nmachine: two-node\n"
                                   "args: { src: " +
                                       memory + ", bytes: [8], rounds: 1, repeats: 1 }\n") +
                   " --csv --fresh --out " + folder + "/out");
    };

    EXPECT_EQ(0, sweep("gpu@ib")) << text("stderr");
    for (auto [memory, message] :
         { std::pair("gpu@nothing", "src=gpu@nothing: node0: no component nothing: expected one at "
                                    "a root port of the node"),
           std::pair("gpu@host",
                     "src=gpu@host: node0: expected a component at a root port of the node"),
           std::pair("gpu@!ib+4", "src=gpu@!ib+4: node0: expected a GPU beyond the socket of ib, "
                                  "and 4 before it") }) {
        EXPECT_EQ(1, sweep(memory));
        EXPECT_EQ("hubsim: " + folder + "/s.yaml:3:9: args " + message + "\n", text("stderr"));
        EXPECT_EQ("", text("stdout")) << "nothing has run";
    }
}

TEST_F(SweepCommand, AProgramGetsItsWordsAsTheyStand)
{
    const std::string source =
        write("own.c", "#include <stdio.h>\n"
                       "int main(int argc, char **argv)\n"
                       "{\n"
                       "    printf(\"result n=%d word=%s\\n\", argc, argv[argc - 1]);\n"
                       "    return 0;\n"
                       "}\n");

    ASSERT_EQ(0, system((test::HUBCC + " -o " + folder + "/own " + source).c_str()));
    for (auto [args, word] : { std::pair("{ note: 'gpu@hub' }", "note=gpu@hub"),
                               std::pair("{ src: 'gpu@hub' }", "src=gpu@hub"),
                               std::pair("['mail=gpu@nothing']", "mail=gpu@nothing") }) {
        EXPECT_EQ(0, run(write("s.yaml", "program: " + folder +
                                             "/own\nmachine: two-node\nargs: " + args + "\n") +
                         " --csv --fresh --out " + folder + "/out"))
            << text("stderr");
        EXPECT_NE(std::string::npos, text("stdout").find(word)) << text("stdout");
    }
}

TEST_F(SweepCommand, ATerminalIsToldOfProgressAndTimeLeft)
{
    int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    ASSERT_GE(terminal, 0);
    ASSERT_EQ(0, grantpt(terminal));
    ASSERT_EQ(0, unlockpt(terminal));
    int slave = open(ptsname(terminal), O_RDWR | O_NOCTTY);
    ASSERT_GE(slave, 0);
    const std::string file = write_points(1, 2);
    pid_t pid = start(file + " --csv --out " + folder + "/out", slave);
    close(slave);
    std::string seen;
    char buffer[1024];
    for (ssize_t n; (n = read(terminal, buffer, sizeof(buffer))) > 0;)
        seen.append(buffer, static_cast<size_t>(n));
    EXPECT_EQ(0, finish(pid));
    close(terminal);
    EXPECT_NE(std::string::npos, seen.find("\r0 of 40 points"));
    EXPECT_NE(std::string::npos, seen.find("\r20 of 40 points, 0:0"));
    EXPECT_NE(std::string::npos, seen.find(" left\r"));
    EXPECT_EQ(std::string::npos, seen.find('\033')); /* as NO_COLOR asks for, and old terminals */
    EXPECT_EQ(" \r", seen.substr(seen.size() - 2));  /* nothing stays */
}

TEST_F(SweepCommand, TheSweepsThatShipCanBeRun)
{
    for (const auto &file : std::filesystem::directory_iterator("configs/sweeps")) {
        const std::string name = file.path().stem();

        EXPECT_EQ(1, run(name + " --show --out " + folder));
        EXPECT_EQ("hubsim: " + folder + "/" + name + "/sweep.db: no results yet\n", text("stderr"));
    }
}

} // namespace
