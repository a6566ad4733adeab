#include "config_test.h"

namespace
{

TEST_F(ConfigTest, ANameIsFoundInTheFirstRootThatHasIt)
{
    char path[1024];

    write("machines/ring4.yaml", "");
    EXPECT_EQ(SIM_OK, load_find(&roots, "machines", "ring4", path, sizeof(path), &err));
    EXPECT_EQ(folder + "/machines/ring4.yaml", path);
    EXPECT_EQ(SIM_ERR_IO, load_find(&roots, "machines", "rng4", path, sizeof(path), &err));
    EXPECT_EQ("rng4: not found in machines/, did you mean ring4?", tidy());
}

TEST_F(ConfigTest, AnAbsentPathIsNamed)
{
    char path[1024];

    EXPECT_EQ(SIM_ERR_IO, load_find(&roots, "machines", "./no.yaml", path, sizeof(path), &err));
    EXPECT_EQ("./no.yaml: no such file", tidy());
}

} // namespace
