/* What tests of sweeps begin with. */
#ifndef TESTS_SWEEP_FIXTURE_H
#define TESTS_SWEEP_FIXTURE_H

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "regs/hub_regs.h"
#include "tests/built.h"
#include "tests/folder.h"
#include "tests/tools/attempt.h"
#include "tools/lab/sweep/sweep_run.h"

namespace test
{

inline const char head[] = "workload: pingpong\n"
                           "platform: hapacs-tca\n";

class Sweep : public test::Folder
{
  protected:
    void SetUp() override
    {
        Folder::SetUp();
        lab_site_init(&site);
        site.roots = {};
        load_roots_add(&site.roots, "configs");
        snprintf(site.programs, sizeof(site.programs), "%s", test::WORKLOADS.c_str());
        site.fingerprint = true;
    }
    void TearDown() override
    {
        load_arena_fini(&arena);
        Folder::TearDown();
    }
    int read(const std::string &text)
    {
        const std::string path = write("s.yaml", text);

        err = {};
        return attempt(&err, [&] { lab_sweep_read(path.c_str(), &site, &arena, &sweep); });
    }
    /** The message without the folder, or "" when the file is good. */
    std::string refusal(const std::string &text)
    {
        if (read(text) == SIM_OK)
            return "";
        std::string message = err.text;
        size_t at = message.find(folder + "/");
        return at == 0 ? message.substr(folder.size() + 1) : message;
    }
    /** A program of this source; its path. */
    std::string built(const std::string &name, const std::string &source)
    {
        const std::string path = folder + "/" + name;

        EXPECT_EQ(0,
                  system((test::HUBCC + " -o " + path + " " + write(name + ".c", source)).c_str()));
        return path;
    }
    std::vector<std::string> values(const char *key)
    {
        std::vector<std::string> all;

        for (unsigned i = 0; i < sweep.n; i++) {
            const lab_axis *axis = lab_sweep_axis(sweep.points[i].series, key);
            all.push_back(axis != nullptr ? lab_sweep_value(&sweep.points[i], axis) : "");
        }
        return all;
    }
    lab_sweep_db *open_db(uint64_t model)
    {
        const std::string path = folder + "/sweep.db";
        lab_sweep_db *db = nullptr;

        err = {};
        (void)attempt(&err, [&] { db = lab_sweep_db_open(path.c_str(), &sweep, model); });
        return db;
    }
    int add_row(lab_sweep_db *db, const lab_sweep_row &row)
    {
        return attempt(&err, [&] { lab_sweep_db_add(db, &row); });
    }
    int run(lab_sweep_db *db, const lab_sweep_config &cfg)
    {
        return attempt(&err, [&] { lab_sweep_run(&sweep, db, &cfg); });
    }
    int collect(lab_sweep_db *db, lab_sweep_results *results)
    {
        return attempt(&err, [&] { *results = lab_sweep_collect(&sweep, db, &arena); });
    }
    int set_aside(const std::string &path)
    {
        return attempt(&err, [&] { lab_sweep_db_set_aside(path.c_str()); });
    }
    lab_site site = {};
    begun_arena arena;
    lab_sweep sweep = {};
    sim_error err = {};
};

using strings = std::vector<std::string>;

} // namespace test
#endif /* TESTS_SWEEP_FIXTURE_H */
