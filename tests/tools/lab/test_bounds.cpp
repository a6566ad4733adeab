#include <gtest/gtest.h>

#include "tools/lab/bounds/bounds.h"
#include "tools/lab/bounds/bounds_errors.h"
#include "tools/lab/bounds/hops.h"

namespace
{

TEST(Bounds, LinkRatesAreThoseOfTheSpecification)
{
    EXPECT_DOUBLE_EQ(250e6, lab_link_rate(1, 1));
    EXPECT_DOUBLE_EQ(4e9, lab_link_rate(2, 8));
    EXPECT_NEAR(15.754e9, lab_link_rate(3, 16), 1e6);
    EXPECT_NEAR(31.508e9, lab_link_rate(5, 8), 1e6);
    EXPECT_EQ(0, lab_link_rate(6, 8));
    EXPECT_NEAR(3.657e9, lab_link_payload_rate(2, 8, 256, 24), 1e6);
}

/** A machine of one node with one component: only what bounds read. */
struct Alone {
    machine_param params[7] = {};
    machine_value values[7] = {};
    machine_kind kind = {};
    machine_component_desc component = {};
    machine_node_desc node = {};
    machine_desc desc = {};

    Alone(const char *name, const char *const (&keys)[6], const uint64_t (&own)[6])
    {
        for (unsigned i = 0; i < 6; i++) {
            params[i].key = keys[i];
            values[i].param = &params[i];
            values[i].value = own[i];
        }
        kind.params = params;
        component.name = name;
        component.kind = &kind;
        component.values = values;
        node.ncomponents = 1;
        node.components = &component;
        desc.nnodes = 1;
        desc.nodes = &node;
    }
};

/** A hub with the host's port and a bus; only what the bound reads. Routes between nodes are in
 * reference/. */
TEST(LocalBound, IsTheLeastOfLinkAndBus)
{
    static const char *const keys[] = { "n.link.gen", "n.link.lanes", "n.link.mps_bytes",
                                        "bus_bytes",  "clock_khz",    "bus_gap_cycles" };
    const uint64_t own[] = { 2, 8, 256, 16, 250000, 1 };
    Alone alone("hub", keys, own);
    machine_desc &desc = alone.desc;
    auto &values = alone.values;
    lab_bound b = lab_local_bound(&desc, 0, false);

    EXPECT_STREQ("bus", b.name); /* 18 cycles of 4 ns for 256 bytes */
    EXPECT_NEAR(256 / 72e-9, b.bytes_per_s, 1);
    /* A header beat, a data beat and the gap; on the link it would be 4e9 * 8 / 32. */
    EXPECT_NEAR(8 / 12e-9, lab_local_bound(&desc, 0, true).bytes_per_s, 1);
    values[1].value = 4; /* lanes */
    b = lab_local_bound(&desc, 0, false);
    EXPECT_STREQ("link", b.name);
    EXPECT_NEAR(2e9 * 256 / 280, b.bytes_per_s, 1);
}

/** An adapter: only what the bound reads. */
TEST(IbBound, IsThatOfTheLinksOrOfTheBus)
{
    static const char *const keys[] = { "link.speed", "link.lanes", "link.mtu_bytes",
                                        "port.gen",   "port.lanes", "port.mps_bytes" };
    const uint64_t own[] = { 2, 4, 2048, 3, 8, 256 }; /* QDR */
    lab_run run = {};
    Alone alone("ib", keys, own);
    machine_desc &desc = alone.desc;
    auto &values = alone.values;
    run.mpi = "library=mvapich2-gdr-2.2,rails=1";
    lab_bound b = lab_run_bound(&desc, &run, false);
    EXPECT_STREQ("link", b.name);
    EXPECT_NEAR(4e9 * 2048 / 2076, b.bytes_per_s, 1);
    run.mpi = "ib,rails=2";
    b = lab_run_bound(&desc, &run, false);
    EXPECT_STREQ("bus", b.name);
    EXPECT_NEAR(8e9 * 128 / 130 * 256 / 280, b.bytes_per_s, 1);
    values[0].value = 3; /* FDR10 */
    EXPECT_NEAR(5e9 * 2048 / 2076, lab_ib_bound(&desc, 1).bytes_per_s, 1);
    run.mpi = NULL;
    EXPECT_EQ(nullptr, lab_run_bound(&desc, &run, false).name) << "there is no hub";
}

TEST(Hops, AreCountedAlongTheShortestWay)
{
    machine_link_desc cables[4] = {};
    machine_desc ring = {};

    for (unsigned i = 0; i < 4; i++) {
        cables[i].node_a = i;
        cables[i].node_b = (i + 1) % 4;
    }
    ring.nnodes = 5;
    ring.ncables = 4;
    ring.cables = cables;
    EXPECT_EQ(0u, lab_hops(&ring, 0, 0));
    EXPECT_EQ(2u, lab_hops(&ring, 0, 2));
    EXPECT_EQ(1u, lab_hops(&ring, 0, 3));
    EXPECT_EQ(UINT32_MAX, lab_hops(&ring, 0, 4));
}

TEST(Hops, AreOneToAllWhereThereAreNoCables)
{
    machine_desc apart = {};

    apart.nnodes = 3;
    EXPECT_EQ(1u, lab_hops_first(&apart, 1));
    EXPECT_EQ(3u, lab_hops_first(&apart, 0)) << "there is none";
    EXPECT_EQ(3u, lab_hops_first(&apart, 2)) << "there is none";
}

TEST(Bounds, BitErrorsLeaveLessOfALinkTheMoreOfThemThereAre)
{
    lab_lossy_link link = {};

    link.gen = 2, link.lanes = 8, link.mps_bytes = 256, link.tlp_symbols = 280;
    link.there_ps = link.back_ps = 166000;
    EXPECT_EQ(1, lab_lossy_share(&link));
    link.bit_error_rate = 1e-6; /* 2.8 of 1000 TLPs are hit, each costs six */
    EXPECT_NEAR(1 / (1 + 0.0028 * 6), lab_lossy_share(&link), 0.0005);
    link.bit_error_rate = 1e-5;
    EXPECT_NEAR(0.8465, lab_lossy_share(&link), 0.0002);
    link.back_bit_error_rate = 1e-3; /* 8 of 100 NAKs do not come */
    EXPECT_NEAR(0.8257, lab_lossy_share(&link), 0.0002);
}

} // namespace
