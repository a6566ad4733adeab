// A library of MPI as data: its settings and its algorithms.
#include <gtest/gtest.h>
#include <string>

#include "tests/folder.h"
#include "tests/tools/attempt.h"
#include "tools/lab/run/mpi_library.h"
#include "tools/lab/run/software.h"

namespace
{

class Library : public test::Folder
{
  protected:
    void TearDown() override
    {
        load_arena_fini(&arena);
        test::Folder::TearDown();
    }
    /** A file whose algorithms are `list`, with one setting beside them. */
    std::string named(const std::string &list)
    {
        const std::string file = folder + "/library.yaml";

        std::ofstream(file) << "description: x\nsettings: { rails: 2 }\n" << list;
        return file;
    }
    std::string algorithms(const std::string &list)
    {
        launch_software software = launch_software_default();

        EXPECT_EQ(SIM_OK, attempt(&err,
                                  [&] {
                                      lab_software_mpi(&software,
                                                       ("library=" + named(list)).c_str(), nullptr,
                                                       &arena);
                                  }))
            << err.text;
        EXPECT_EQ(2u, launch_number(software, "mpi.rails"));
        for (const host_setting *s = software.settings; s->key != nullptr; s++)
            if (std::string("mpi.library_algorithms") == s->key)
                return s->text;
        return "none";
    }
    static uint64_t launch_number(const launch_software &software, const char *key)
    {
        for (const host_setting *s = software.settings; s->key != nullptr; s++)
            if (std::string(key) == s->key)
                return s->number;
        return 0;
    }
    std::string refused(const std::string &list)
    {
        launch_software software = launch_software_default();
        const std::string text = "library=" + named(list); /* nothing to leave when it raises */

        err = {};
        EXPECT_EQ(SIM_ERR_CONFIG, attempt(&err, [&] {
                      lab_software_mpi(&software, text.c_str(), nullptr, &arena);
                  }));
        return err.text;
    }
    begun_arena arena;
    sim_error err = {};
};

TEST_F(Library, AlgorithmsAreChoicesOneBehindTheOther)
{
    EXPECT_EQ("none", algorithms(""));
    EXPECT_EQ("barrier=hypercube,bcast=pieces@..384K",
              algorithms("algorithms:\n"
                         "  - { choice: barrier=hypercube, source: a page }\n"
                         "  - { choice: \"bcast=pieces@..384K\", calibrated: [a.row] }\n"));
}

TEST_F(Library, WhatIsNoListOfChoicesIsRefused)
{
    EXPECT_TRUE(test::has(refused("algorithms: barrier=hypercube\n"), "library.yaml:3"));
    EXPECT_TRUE(test::has(refused("algorithms:\n  - { source: a page }\n"), "choice"));
    EXPECT_TRUE(test::has(refused("algorithms:\n  - { choice: a=b, value: 3 }\n"), "value"));
}

} // namespace
