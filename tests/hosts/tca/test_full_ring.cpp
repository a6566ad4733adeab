/* A ring whose links all carry as much as they can, from all of its nodes at once. */
#include "tests/hosts/tca/rank.h"

namespace
{

using test::Cluster;
using test::ClusterConfig;
using test::Rank;

enum { NODES = 8, HOPS = 4, CH = 0, SLOT = 2, TAG = 9, TURNS = 2 };
const size_t BYTES = 64 * 1024;

double slowest_us; /* of an exchange */

/* Each rank puts to the far side of the ring. Of two ways of the same length hubs take the same
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
        slowest_us = std::max(slowest_us, us);
    }
    EXPECT_EQ(TCA_SUCCESS, tcaDescFree(d));
    return 0;
}

ClusterConfig ring(uint64_t ddr_bytes)
{
    ClusterConfig cfg;

    cfg.nodes = NODES;
    cfg.closed_ring = true;
    cfg.hub["ddr.bytes"] = ddr_bytes;
    for (const char *port : { "e", "w" }) /* as PEACH2: what waits, waits in the core */
        cfg.hub[port + std::string(".link.tx_queue_tlps")] = 1;
    return cfg;
}

TEST(FullRing, ExchangeAcrossItKeepsTheLinksBusy)
{
    Cluster c(ring(1 << 30));

    c.expect_run([] { return exchange(1.35); });
}

/* Slowly: the last free place of the ring moves round it against the packets. */
TEST(FullRing, ABubbleAloneKeepsItMoving)
{
    for (uint64_t ddr : { 0, 4096 }) { /* none, and one that is full at once */
        Cluster c(ring(ddr));

        EXPECT_EQ(SIM_OK, c.run([] { return exchange(1000); })) << c.err.text;
        EXPECT_TRUE(c.all_well());
    }
}

/** Three nodes write to one node for long, two of them through the third one, whose small messages
 * take so many microseconds. */
double one_on_the_way(const ClusterConfig &ring)
{
    enum { WRITERS = 3, FLOOD = 65536, TURNS_OF_ONE = 20 };
    static double us;
    ClusterConfig cfg = ring;

    cfg.nodes = 4;
    us = 0;
    Cluster c(cfg);
    EXPECT_EQ(SIM_OK, c.run([] {
        Rank r;
        size_t n = (size_t)FLOOD * WRITERS;
        uint8_t *mem = r.memory(n, tcaMemoryCPU);
        std::vector<tcaHandle> all = r.publish(mem, n, tcaMemoryCPU);
        tcaDesc *d = tcaDescNew();
        int turns = r.me == 1 ? TURNS_OF_ONE : 4 * TURNS_OF_ONE;

        EXPECT_EQ(TCA_SUCCESS,
                  tcaDescSetMemcpy(d, &all[0], 0, &all[r.me], 0, r.me == 1 ? 64 : FLOOD,
                                   tcaDMAUseInternal | tcaDMAUseNotifyInternal | tcaDMANotify, SLOT,
                                   TAG + r.me));
        EXPECT_EQ(TCA_SUCCESS, r.me == 0 ? TCA_SUCCESS : tcaDescSet(d, CH));
        r.barrier();
        double start = MPI_Wtime();
        for (int i = 0; r.me != 0 && i < turns; i++)
            EXPECT_EQ(TCA_SUCCESS, tcaStartDMADesc(CH));
        for (int i = 0; r.me == 0 && i < TURNS_OF_ONE; i++) {
            EXPECT_EQ(TCA_SUCCESS, tcaWaitDMARecvDesc(&all[1], SLOT, TAG + 1));
        }
        if (r.me == 0)
            us = (MPI_Wtime() - start) * 1e6;
        for (int from = 2; r.me == 0 && from < r.size; from++)
            for (int i = 0; i < 4 * TURNS_OF_ONE; i++)
                EXPECT_EQ(TCA_SUCCESS, tcaWaitDMARecvDesc(&all[from], SLOT, TAG + from));
        r.barrier();
        EXPECT_EQ(TCA_SUCCESS, tcaDescFree(d));
        return 0;
    })) << c.err.text;
    return us;
}

TEST(FullRing, WhoLiesOnTheWayOfOthersIsNotKeptOut)
{
    ClusterConfig line = ring(0);

    line.hub["bubble_tlps"] = 1; /* all ways end at one node and close no circle */
    EXPECT_LT(one_on_the_way(ring(1 << 30)), 1.5 * one_on_the_way(line));
}

/* The price of a free place: where DDR3 takes what waits, links carry what they can. */
TEST(FullRing, AFreePlaceAloneCostsTime)
{
    double us[2];

    for (int i = 0; i < 2; i++) {
        Cluster c(ring(i == 0 ? 0 : 1 << 30));

        slowest_us = 0;
        EXPECT_EQ(SIM_OK, c.run([] { return exchange(1000); })) << c.err.text;
        us[i] = slowest_us;
    }
    EXPECT_GT(us[0], 1.2 * us[1]);
}

} // namespace
