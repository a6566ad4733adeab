// A library of MPI as data: its settings and its algorithms.
#include <gtest/gtest.h>
#include <string>

#include "tests/folder.h"
#include "tests/tools/attempt.h"
#include "tools/lab/run/mpi_library.h"
#include "tools/lab/run/simulate.h"
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
    /** A file whose algorithms are `list`, with one setting beside them, perhaps more. */
    std::string named(const std::string &list, const std::string &more = "")
    {
        const std::string file = folder + "/library.yaml";

        std::ofstream(file) << "description: x\nsettings: { rails: 2" << more << " }\n" << list;
        return file;
    }
    std::string algorithms(const std::string &list)
    {
        launch_software software = launch_software_default();

        EXPECT_EQ(SIM_OK, attempt(&err,
                                  [&] {
                                      lab_software_mpi(&software, nullptr,
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
    /** The reason; "": none. */
    std::string why_not(const std::string &text)
    {
        launch_software software = launch_software_default();

        err = {};
        if (attempt(&err, [&] {
                lab_software_mpi(&software, nullptr, text.c_str(), nullptr, &arena);
            }) == SIM_OK)
            return "";
        EXPECT_EQ(SIM_ERR_CONFIG, err.code);
        return err.text;
    }
    std::string refused(const std::string &list) { return why_not("library=" + named(list)); }
    /** The setting mpi.rails of the first node of a machine by `text`. */
    uint64_t rails(const std::vector<const char *> &sets, const std::string &text)
    {
        lab_site site = {};
        lab_run run = {};
        launch_software software = {};

        lab_site_init(&site);
        site.roots = {};
        load_roots_add(&site.roots, "configs");
        run.machine = "two-node";
        run.sets = sets.data();
        run.nsets = static_cast<unsigned>(sets.size());
        EXPECT_EQ(SIM_OK, attempt(&err,
                                  [&] {
                                      load_arena machines = {};
                                      load_machine *loaded = lab_load_run(&site, &run);
                                      sim_config cfg = {};
                                      machine *made =
                                          lab_machine(load_machine_desc(loaded), &cfg, &machines);

                                      software = lab_software(made, 0);
                                      lab_software_mpi(&software, made, text.c_str(), nullptr,
                                                       &arena);
                                      load_arena_fini(&machines);
                                      load_machine_destroy(loaded);
                                  }))
            << err.text;
        return launch_number(software, "mpi.rails");
    }
    begun_arena arena;
    sim_error err = {};
};

TEST_F(Library, WhatTheUserSaysCountsBeforeIt)
{
    const std::string library = "library=" + named("");

    EXPECT_EQ(2u, rails({}, library));
    EXPECT_EQ(1u, rails({}, library + ",rails=1"));
    EXPECT_EQ(1u, rails({}, "rails=1," + library));
    EXPECT_EQ(1u, rails({ "node*.software.mpi.rails=1" }, library));
    EXPECT_EQ(2u, rails({ "node*.software.mpi.rails=1" }, library + ",rails=2"));
}

TEST_F(Library, ServesTheTransportThatItNames)
{
    const std::string of_ib = "library=" + named("", ", transport: ib");

    EXPECT_EQ("", why_not(of_ib));
    EXPECT_EQ("", why_not("ib," + of_ib));
    for (const std::string other : { "peach2", "net", "own" }) {
        EXPECT_EQ("MPI: " + of_ib + ": its settings are for transport ib: expected ib, not " +
                      other,
                  why_not(other + "," + of_ib));
        EXPECT_EQ(why_not(other + "," + of_ib), why_not(of_ib + ",transport=" + other));
    }
    EXPECT_EQ("", why_not("own,library=" + named("")));
}

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
