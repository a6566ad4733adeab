/* What the tests of `hubsim sweep` share. Run from the root of the source. */
#ifndef TESTS_SWEEP_COMMAND_H
#define TESTS_SWEEP_COMMAND_H

#include <chrono>
#include <fcntl.h>
#include <map>
#include <signal.h>
#include <sqlite3.h>
#include <sstream>
#include <thread>
#include <unistd.h>
#include <vector>

#include "tests/built.h"
#include "tests/folder.h"

using rows = std::map<int, std::string>; /* point -> all columns */

class SweepCommand : public test::Folder
{
  protected:
    /** In a process group of its own, as a shell starts it. */
    pid_t start(const std::string &args, int error_fd = -1)
    {
        std::istringstream words(args);
        std::vector<std::string> list = { test::HUBSIM, "sweep" };
        std::vector<char *> argv;

        for (std::string word; words >> word;)
            list.push_back(word);
        for (std::string &word : list)
            argv.push_back(word.data());
        argv.push_back(nullptr);
        pid_t pid = fork();
        if (pid == 0) {
            setpgid(0, 0);
            int out = open((folder + "/stdout").c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0666);
            int errors = error_fd >= 0 ? error_fd
                                       : open((folder + "/stderr").c_str(),
                                              O_CREAT | O_TRUNC | O_WRONLY, 0666);
            dup2(out, 1);
            dup2(errors, 2);
            execv(test::HUBSIM.c_str(), argv.data());
            _exit(127);
        }
        setpgid(pid, pid);
        return pid;
    }
    int finish(pid_t pid)
    {
        int status = 0;

        waitpid(pid, &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    }
    int run(const std::string &args) { return finish(start(args)); }
    /** Every column of every row. A file without tables yet has none. */
    rows read_rows(const std::string &db)
    {
        rows all;
        sqlite3 *sql = nullptr;
        auto add = [](void *arg, int n, char **cells, char **) {
            std::string line;
            for (int i = 0; i < n; i++)
                line += std::string(cells[i] != nullptr ? cells[i] : "(null)") + "|";
            auto [place, fresh] = static_cast<rows *>(arg)->emplace(atoi(cells[0]), line);
            return fresh ? 0 : 1;
        };

        if (!std::filesystem::exists(db))
            return all;
        EXPECT_EQ(SQLITE_OK, sqlite3_open(db.c_str(), &sql));
        sqlite3_busy_timeout(sql, 5000);
        int rc = sqlite3_exec(sql, "SELECT * FROM point", add, &all, nullptr);
        EXPECT_TRUE(rc == SQLITE_OK || std::string(sqlite3_errmsg(sql)) == "no such table: point")
            << sqlite3_errmsg(sql);
        sqlite3_close(sql);
        return all;
    }
    /** Sleeps until the database has so many rows. */
    void wait_for_rows(const std::string &db, size_t n)
    {
        for (int i = 0; i < 15000 && read_rows(db).size() < n; i++)
            std::this_thread::sleep_for(std::chrono::milliseconds(4));
    }
    /** 20 x `gens` x `seeds` cheap points. */
    std::string write_points(unsigned seeds, unsigned gens = 5)
    {
        return write("points.yaml",
                     "workload: pingpong\n"
                     "platform: hapacs-tca\n"
                     "setup: { nodes: 2, mode: pio, warmup: 0, rounds: 1, repeats: 1, bytes: [8, "
                     "64] }\n"
                     "set:\n"
                     "  \"node*.hub.*.link.lanes\": [1, 2, 4, 8, 16]\n"
                     "  \"node*.hub.*.link.gen\": 1.." +
                         std::to_string(gens) +
                         " by 1\n"
                         "  \"node*.hub.clock_khz\": [125_000, 250_000]\n"
                         "seed: 1.." +
                         std::to_string(seeds) + " by 1\n");
    }
};

#endif /* TESTS_SWEEP_COMMAND_H */
