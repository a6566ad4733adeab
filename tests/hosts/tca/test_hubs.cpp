/* Nodes with two hubs: which one a rank uses, and what the two carry at once. */
#include "hosts/driver/driver.h"
#include "tests/hosts/machine_file.h"
#include "tests/hosts/tca/rank.h"

namespace
{

using test::Cluster;
using test::MachineFile;
using test::Rank;

enum { TAG = 0x55, TURNS = 4 };
const size_t BYTES = 1 << 18;

/* Hubs 0 of the four nodes are a ring, and hubs 1 are one. */
const char rails[] = "platform: ./examples/hubs/node-two.yaml\nring: 4\n";
/* All are one ring: hub 0 of node 0, of node 1, hub 1 of node 0, of node 1. */
const char one_ring[] = "platform: ./examples/hubs/node-two.yaml\nnodes: 2\nedges: |\n"
                        "  0.hub0.e 1.hub0.w\n  1.hub0.e 0.hub1.w\n"
                        "  0.hub1.e 1.hub1.w\n  1.hub1.e 0.hub0.w\n";

launch_software software_of(uint64_t rank_hub)
{
    launch_software software = launch_software_default();

    software.rank_hub = rank_hub;
    return software;
}

/** A run of ranks on these nodes. */
struct RanksOn {
    MachineFile file;
    Cluster c;
    launch_software software;
    std::vector<unsigned> nodes;
    launch_config cfg = {};
    int code;

    RanksOn(const char *machine, uint64_t rank_hub, const std::vector<unsigned> &on,
            const std::function<int()> &fn, unsigned checks = 0,
            const std::vector<const char *> &sets = {})
        : file(machine, sets), c(file.cluster()), software(software_of(rank_hub)), nodes(on)
    {
        cfg.nranks = (unsigned)nodes.size();
        cfg.nodes = nodes.data();
        cfg.software = &software;
        cfg.checks = checks;
        code = c.run(fn, cfg);
    }
    bool well() { return code == SIM_OK && c.all_well(); }
    uint64_t sent(const std::string &port)
    {
        std::pair<std::string, uint64_t> found = { port + ".tx.payload_bytes", UINT64_MAX };

        sim_stat_each(
            machine_sim(c.machine()),
            [](void *arg, const char *path, const char *, const char *, uint64_t value) {
                auto *f = static_cast<std::pair<std::string, uint64_t> *>(arg);
                if (f->first == path)
                    f->second = value;
            },
            &found);
        EXPECT_NE(UINT64_MAX, found.second) << port;
        return found.second;
    }
};

/** By rank of the first half, what its puts took. */
struct Times {
    std::vector<double> s = std::vector<double>(64);
};
Times times;

/** Each rank of the first half puts into the memory of one of the second half, all at once, by a
 * channel of its own. */
int put_pairs()
{
    Rank r;
    int half = r.size / 2, pair = r.me % half, channel = pair % 4;
    auto *out = r.memory(BYTES, tcaMemoryCPU), *in = r.memory(BYTES, tcaMemoryCPU);
    auto outs = r.publish(out, BYTES, tcaMemoryCPU), ins = r.publish(in, BYTES, tcaMemoryCPU);
    tcaDesc *d = tcaDescNew();

    if (r.me >= half) {
        for (int i = 0; i < TURNS; i++)
            EXPECT_EQ(TCA_SUCCESS, tcaWaitDMARecvDesc(&ins[pair], pair, TAG));
        return test::wrong_bytes(in, BYTES, pair) != 0;
    }
    test::fill(out, BYTES, r.me);
    EXPECT_EQ(TCA_SUCCESS, tcaDescSetMemcpy(d, &ins[r.me + half], 0, &outs[r.me], 0, BYTES,
                                            tcaDMAUseInternal | tcaDMAUseNotifyInternal |
                                                tcaDMANotify | tcaDMANotifySelf,
                                            pair, TAG));
    EXPECT_EQ(TCA_SUCCESS, tcaDescSet(d, channel));
    double start = MPI_Wtime();
    for (int i = 0; i < TURNS; i++) {
        EXPECT_EQ(TCA_SUCCESS, tcaStartDMADesc(channel));
        EXPECT_EQ(TCA_SUCCESS, tcaWaitDMARecvDesc(&outs[r.me], pair, TAG));
    }
    times.s[r.me] = MPI_Wtime() - start;
    tcaDescFree(d);
    return 0;
}

TEST(Hubs, TwoRingsCarryTwiceAsMuch)
{
    ASSERT_TRUE(RanksOn(rails, 0, { 0, 1 }, put_pairs).well());
    double alone = times.s[0], payload = 256, cycles = 18 * 4e-9; /* a packet on a hub's bus */

    EXPECT_GT(payload / cycles, TURNS * BYTES / alone);
    EXPECT_LT(0.95 * payload / cycles, TURNS * BYTES / alone);
    ASSERT_TRUE(RanksOn(rails, 0, { 0, 0, 1, 1 }, put_pairs).well());
    for (int r = 0; r < 2; r++) /* the bus of one hub bounds both */
        EXPECT_GT(payload / cycles / 2 * 1.05, TURNS * BYTES / times.s[r]);
    ASSERT_TRUE(RanksOn(rails, LAUNCH_HUB_TURN, { 0, 0, 1, 1 }, put_pairs).well());
    for (int r = 0; r < 2; r++)
        EXPECT_NEAR(alone, times.s[r], 0.005 * alone);
}

TEST(Hubs, ARankUsesTheOneThatIsChosen)
{
    struct {
        uint64_t rank_hub, packets_of_0, packets_of_1;
    } const cases[] = { { 0, 2, 0 }, { 1, 0, 2 }, { LAUNCH_HUB_TURN, 1, 1 } };

    for (const auto &k : cases) {
        RanksOn run(rails, k.rank_hub, { 0, 0, 1, 1 }, put_pairs);

        ASSERT_TRUE(run.well()) << run.c.err.text;
        EXPECT_EQ(k.packets_of_0, run.sent("node0.hub0.e") / (TURNS * BYTES));
        EXPECT_EQ(k.packets_of_1, run.sent("node0.hub1.e") / (TURNS * BYTES));
    }
}

TEST(Hubs, NoOrderOfEventsChangesWhatTwoCarry)
{
    MachineFile file(rails);
    launch_software software = software_of(LAUNCH_HUB_TURN);
    const unsigned nodes[] = { 0, 0, 2, 2 };
    launch_config cfg = {};

    cfg.nranks = 4;
    cfg.nodes = nodes;
    cfg.software = &software;
    Cluster(file.cluster()).expect_run(put_pairs, cfg);
}

/** Each rank puts a block into the memory of each other one, the one on its own node, too. */
int put_to_all()
{
    Rank r;
    const size_t n = 4096;
    auto *out = r.memory(n, tcaMemoryCPU), *in = r.memory(n * r.size, tcaMemoryCPU);
    auto outs = r.publish(out, n, tcaMemoryCPU), ins = r.publish(in, n * r.size, tcaMemoryCPU);
    tcaDesc *d = tcaDescNew();
    size_t wrong = 0;

    test::fill(out, n, r.me);
    for (int k = 1; k < r.size; k++)
        EXPECT_EQ(TCA_SUCCESS, tcaDescSetMemcpy(d, &ins[(r.me + k) % r.size], n * r.me, &outs[r.me],
                                                0, n, tcaDMANotify, r.me, TAG));
    EXPECT_EQ(TCA_SUCCESS, tcaDescSet(d, 0));
    EXPECT_EQ(TCA_SUCCESS, tcaStartDMADesc(0));
    for (int from = 0; from < r.size; from++) {
        if (from == r.me)
            continue;
        EXPECT_EQ(TCA_SUCCESS, tcaWaitDMARecvDesc(&ins[from], from, TAG));
        wrong += test::wrong_bytes(in + n * from, n, from);
    }
    EXPECT_EQ(TCA_SUCCESS, tcaWaitDMAC(0));
    tcaDescFree(d);
    r.barrier();
    return wrong != 0;
}

TEST(Hubs, TwoOfANodeMayBePartsOfOneNetwork)
{
    RanksOn run(one_ring, LAUNCH_HUB_TURN, { 0, 0, 1, 1 }, put_to_all);

    EXPECT_TRUE(run.well()) << run.c.err.text;
}

TEST(Hubs, MemoryByTheOtherRingIsRefused)
{
    RanksOn run(rails, LAUNCH_HUB_TURN, { 0, 0, 1, 1 }, []() -> int {
        Rank r;
        auto *mem = r.memory(64, tcaMemoryCPU);
        auto all = r.publish(mem, 64, tcaMemoryCPU);
        tcaDesc *d = tcaDescNew();
        int other = r.me ^ 3; /* on the other node, by the other hub */

        EXPECT_EQ(TCA_ERROR_NOT_SUPPORTED,
                  tcaDescSetMemcpy(d, &all[other], 0, &all[r.me], 0, 64, tcaDMANotify, 0, TAG));
        EXPECT_EQ(TCA_SUCCESS,
                  tcaDescSetMemcpy(d, &all[r.me ^ 2], 0, &all[r.me], 0, 64, tcaDMANotify, 0, TAG));
        tcaDescFree(d);
        return 0;
    });

    EXPECT_TRUE(run.well()) << run.c.err.text;
}

/** Each rank sends to the next one, some by cable, some by the other hub of its node. */
int send_round()
{
    const int n = 20000;
    std::vector<int> out(n), in(n);
    int me, size, wrong = 0;

    MPI_Init(nullptr, nullptr);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < n; i++)
        out[i] = me * n + i;
    MPI_Sendrecv(out.data(), n, MPI_INT, (me + 1) % size, 0, in.data(), n, MPI_INT,
                 (me + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < n; i++)
        wrong += in[i] != (me + size - 1) % size * n + i;
    MPI_Finalize();
    return wrong != 0;
}

/* Twelve ranks of a node, so that six share the channels of a hub. */
TEST(Hubs, MessagesOfMpiGoByThoseThatRanksUse)
{
    for (const char *machine : { rails, one_ring }) {
        MachineFile file(machine, { "node*.host.cores=16" });
        launch_software software = software_of(LAUNCH_HUB_TURN);
        std::vector<unsigned> nodes(24);
        launch_config cfg = {};
        begun_arena arena;

        for (unsigned r = 0; r < nodes.size(); r++)
            nodes[r] = r / 12;
        lab_software_mpi(&software, nullptr, "peach2", nullptr, &arena);
        cfg.nranks = (unsigned)nodes.size();
        cfg.nodes = nodes.data();
        cfg.software = &software;
        Cluster c(file.cluster());
        EXPECT_EQ(SIM_OK, c.run(send_round, cfg)) << c.err.text;
        EXPECT_TRUE(c.all_well());
        load_arena_fini(&arena);
    }
}

TEST(Hubs, OneThatIsNotThereIsRefused)
{
    RanksOn run(rails, 2, { 0, 1 }, put_pairs);

    EXPECT_EQ(SIM_ERR_CONFIG, run.code);
    EXPECT_STREQ("rank 0 on node 0: software.rank_hub = 2: expected turn, or a hub of the 2 that "
                 "the node has",
                 run.c.err.text);
    EXPECT_EQ(SIM_ERR_CONFIG, RanksOn("two-node", 1, { 0, 1 }, put_pairs).code);
    EXPECT_TRUE(RanksOn("two-node", LAUNCH_HUB_TURN, { 0, 0, 1, 1 }, put_pairs).well());
}

TEST(Hubs, TheCheckForRacesKnowsOne)
{
    EXPECT_TRUE(RanksOn(rails, 1, { 0, 0, 1, 1 }, put_pairs, HOST_CHECK_RACES).well());
    RanksOn run(rails, LAUNCH_HUB_TURN, { 0, 0, 1, 1 }, put_pairs, HOST_CHECK_RACES);

    EXPECT_EQ(SIM_ERR_CONFIG, run.code);
    EXPECT_STREQ("rank 1 on node 0: the check for races knows one hub of a node: expected "
                 "software.rank_hub = 0, not turn",
                 run.c.err.text);
}

TEST(Hubs, OneThatNoRankUsesIsRemarked)
{
    auto remarks = [](const char *machine, uint64_t rank_hub) {
        RanksOn run(machine, rank_hub, { 0, 0, 1, 1 }, put_pairs);
        std::string all;

        for (const std::string &line : run.c.remarks)
            all += line + "\n";
        return all;
    };

    EXPECT_NE(std::string::npos,
              remarks(rails, 0).find("node0.hub1: no rank uses it: software.rank_hub = turn"));
    for (uint64_t rank_hub : { 1u, LAUNCH_HUB_TURN })
        EXPECT_EQ(std::string::npos, remarks(rails, rank_hub).find("no rank uses it"));
    EXPECT_EQ(std::string::npos, remarks("two-node", 0).find("no rank uses it"));
}

TEST(Hubs, OneThatNobodyMissesIsNotRemarked)
{
    RanksOn chosen(rails, 0, { 0, 0, 1, 1 }, put_pairs, 0, { "node*.software.rank_hub=0" });

    EXPECT_TRUE(chosen.well());
    for (const std::string &line : chosen.c.remarks)
        EXPECT_EQ(std::string::npos, line.find("no rank uses it")) << line;
}

/* Rank 1 opens an area of its hub 0 that leads to its hub 1, by a handle that it has made itself,
 * and so does rank 0 to store there. No order is broken, for there is no such route. */
TEST(Hubs, AWriteMayBeSentOnByAThirdRootPort)
{
    RanksOn run(rails, 0, { 0, 1, 2 }, [] {
        Rank r;
        const struct driver *d = driver_of(host_self());
        auto *p = r.memory<uint64_t>(8, tcaMemoryCPU);
        std::vector<tcaHandle> all = r.publish(p, 64, tcaMemoryCPU);
        uint64_t word = 77;

        p[0] = 0;
        if (r.me == 1) {
            tcaHandle area = all[1];
            tcaDesc *list = tcaDescNew();

            p[1] = d[1].window_bus + 2 * d[1].part_bytes;
            area.offset = HUB_AREA_SELF * d->area_bytes + HUB_AREA_BASE(HUB_AREA_GPU0);
            EXPECT_EQ(TCA_SUCCESS,
                      tcaDescSetMemcpy(list, &area, 0, &all[1], 8, 8,
                                       tcaDMAUseInternal | tcaDMAUseNotifyInternal, 0, TAG));
            EXPECT_EQ(TCA_SUCCESS, tcaDescSet(list, 0));
            EXPECT_EQ(TCA_SUCCESS, tcaStartDMADesc(0));
            EXPECT_EQ(TCA_SUCCESS, tcaWaitDMAC(0));
            tcaDescFree(list);
        }
        r.barrier();
        if (r.me == 0) {
            tcaHandle by_1 = all[2];
            tcaPIOHandle pio;

            by_1.node = 1;
            by_1.offset += d->area_bytes;
            EXPECT_EQ(TCA_SUCCESS, tcaSetPIORegion(&pio, &by_1, 0, 64));
            EXPECT_EQ(TCA_SUCCESS, tcaSendPIO(&pio, 0, &word, sizeof(word)));
            EXPECT_EQ(TCA_SUCCESS, tcaSendPIOCommit());
        }
        for (double end = MPI_Wtime() + 20e-6; MPI_Wtime() < end;)
            ;
        EXPECT_EQ(r.me == 2 ? 77u : 0u, p[0]);
        return 0;
    });

    EXPECT_TRUE(run.well()) << run.c.err.text;
}
} // namespace
