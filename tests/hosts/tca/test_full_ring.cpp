/* A ring whose links all carry as much as they can, from all of its nodes at once. */
#include "tests/hosts/tca/rank.h"

namespace
{

using test::Cluster;
using test::ClusterConfig;
using test::Rank;

enum { NODES = 8, HOPS = 4, CH = 0, SLOT = 2, TAG = 9, TURNS = 2 };
const size_t BYTES = 64 * 1024;

/* Everybody puts to the far side of the ring. Of two ways of the same length hubs take the same
 * direction, so that each link carries the packets of four nodes. */
int exchange(double factor)
{
    Rank r;
    uint8_t *out = r.memory(BYTES, tcaMemoryCPU), *in = r.memory(BYTES, tcaMemoryCPU);
    std::vector<tcaHandle> outs = r.publish(out, BYTES, tcaMemoryCPU);
    std::vector<tcaHandle> ins = r.publish(in, BYTES, tcaMemoryCPU);
    int to = (r.me + HOPS) % r.size;
    tcaDesc *d = tcaDescNew();

    test::fill(out, BYTES, (unsigned)r.me);
    EXPECT_EQ(TCA_SUCCESS,
              tcaDescSetMemcpy(d, &ins[to], 0, &outs[r.me], 0, BYTES,
                               tcaDMAUseInternal | tcaDMAUseNotifyInternal | tcaDMANotify, SLOT,
                               TAG));
    EXPECT_EQ(TCA_SUCCESS, tcaDescSet(d, CH));
    for (int turn = 0; turn < TURNS; turn++) {
        memset(in, 0, BYTES);
        r.barrier();
        double start = MPI_Wtime();
        EXPECT_EQ(TCA_SUCCESS, tcaStartDMADesc(CH));
        EXPECT_EQ(TCA_SUCCESS, tcaWaitDMARecvDesc(&outs[to], SLOT, TAG)); /* across is mutual */
        double us = (MPI_Wtime() - start) * 1e6;
        EXPECT_EQ(0u, test::wrong_bytes(in, BYTES, (unsigned)to));
        /* 256 bytes take 280 symbols of a quarter of a nanosecond on each link. */
        double bound = HOPS * (double)BYTES * 280 / 256 / 4000;
        EXPECT_GT(us, bound);
        EXPECT_LT(us, factor * bound) << "rank " << r.me;
    }
    return 0;
}

ClusterConfig ring()
{
    ClusterConfig cfg;

    cfg.nodes = NODES;
    cfg.closed_ring = true;
    return cfg;
}

TEST(FullRing, ExchangeAcrossItKeepsTheLinksBusy)
{
    Cluster c(ring());

    c.expect_run([] { return exchange(1.2); });
}

TEST(FullRing, WithoutABubbleItStandsStill)
{
    ClusterConfig cfg = ring();

    cfg.hub["bubble_tlps"] = 1;
    cfg.hub["transit_first"] = 0;
    Cluster c(cfg);
    EXPECT_EQ(SIM_ERR_STALLED, c.run([] { return exchange(1000); }));
    EXPECT_FALSE(c.all_well());
}

/* Slowly: the last free place of the ring moves round it against the packets. */
TEST(FullRing, ABubbleAloneKeepsItMoving)
{
    ClusterConfig cfg = ring();

    cfg.hub["transit_first"] = 0;
    Cluster c(cfg);
    EXPECT_EQ(SIM_OK, c.run([] { return exchange(1000); })) << c.err.text;
    EXPECT_TRUE(c.all_well());
}

} // namespace
