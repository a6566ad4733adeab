#include "config_test.h"

namespace
{

class Find : public ConfigTest
{
  protected:
    void TearDown() override
    {
        load_arena_fini(&arena);
        ConfigTest::TearDown();
    }
    int find(const char *name)
    {
        err = {};
        return attempt(&err, [&] { path = load_find(&roots, "machines", name, &arena); });
    }
    begun_arena arena;
    const char *path = nullptr;
};

TEST_F(Find, ANameIsFoundInTheFirstRootThatHasIt)
{
    write("machines/ring4.yaml", "");
    EXPECT_EQ(SIM_OK, find("ring4"));
    EXPECT_EQ(folder + "/machines/ring4.yaml", path);
    EXPECT_EQ(SIM_ERR_IO, find("rng4"));
    EXPECT_EQ("rng4: not found in machines/, did you mean ring4?", tidy());
    write("machines/lib-2.400.yaml", "");
    EXPECT_EQ(SIM_ERR_IO, find("400"));
    EXPECT_EQ("400: not found in machines/: `hubsim list` names what is there", tidy())
        << "a name has no parts";
}

TEST_F(Find, AnAbsentPathIsNamed)
{
    EXPECT_EQ(SIM_ERR_IO, find("./no.yaml"));
    EXPECT_EQ("./no.yaml: no such file", tidy());
}

TEST_F(Find, APathThatCannotBeReadSaysWhy)
{
    std::filesystem::create_symlink("loop.yaml", folder + "/loop.yaml");
    EXPECT_EQ(SIM_ERR_IO, find((folder + "/loop.yaml").c_str()));
    EXPECT_EQ("loop.yaml: Too many levels of symbolic links", tidy());
}

TEST_F(Find, WhatNeedNotBeThereIsNoError)
{
    write("machines/ring4.yaml", "");
    for (const char *name : { "rng4", "./no.yaml" })
        EXPECT_EQ(nullptr, load_find_first(&roots, "machines", name, &arena));
    EXPECT_EQ(folder + "/machines/ring4.yaml",
              load_find_first(&roots, "machines", "ring4", &arena));
}

} // namespace
