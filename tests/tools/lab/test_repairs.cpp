#include <cstdlib>
#include <gtest/gtest.h>
#include <string>

#include "tools/lab/rows/repairs.h"

namespace
{

std::string written(const lab_repairs &repairs)
{
    char *text = nullptr;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);
    std::string all;

    lab_repairs_write(&repairs, "> ", f);
    fclose(f);
    all = text;
    free(text);
    return all;
}

TEST(Repairs, CountsAreSummedOverPortsAndWhatWasLostIsAlwaysTold)
{
    lab_repairs repairs = {};

    EXPECT_EQ("> nothing that a link had to repair\n", written(repairs));
    lab_repairs_add(&repairs, "node0.hub.e.tx.naks", 3);
    EXPECT_EQ(">            3  NAKs sent\n>            0  TLPs lost with a link that went down\n",
              written(repairs));
    lab_repairs_add(&repairs, "node1.hub.w.tx.naks", 4);
    lab_repairs_add(&repairs, "node1.hub.w.tx.tlps", 5);
    lab_repairs_add(&repairs, "node1.hub.w.tx.discarded_tlps", 6);
    EXPECT_EQ(">            7  NAKs sent\n>            6  TLPs lost with a link that went down\n",
              written(repairs));
}

} // namespace
