// The transport over hubs: entries, remote writes, rings that are full, several ranks on a node.
#include <cuda_runtime.h>
#include <mpi.h>
#include <tca-api.h>

#include <cstring>

#include "tests/hosts/machine_file.h"
#include "tests/hosts/mpi/ranks.h"

namespace
{

using test::Cluster;
using test::ClusterConfig;
using test::Me;

launch_software over_peach2(const char *algorithms = nullptr)
{
    launch_software software = launch_software_default();

    software.settings[0].key = "mpi.transport";
    strcpy(software.settings[0].word, "peach2");
    if (algorithms != nullptr) {
        software.settings[1].key = "mpi.algorithms";
        software.settings[1].text = algorithms;
    }
    return software;
}

uint8_t byte_of(int round, size_t i)
{
    return (uint8_t)(i * 7 + (i >> 8) * 3 + (size_t)round * 31);
}

/** In every order of events and domains. */
void expect_run(unsigned nodes, unsigned ranks, const std::function<int()> &fn)
{
    launch_software software = over_peach2();
    launch_config cfg = {};
    ClusterConfig cc;

    cc.nodes = nodes;
    cc.closed_ring = nodes > 2;
    cfg.nranks = ranks;
    cfg.software = &software;
    Cluster(cc).expect_run(fn, cfg);
}

int ping_pong(const std::vector<int> &sizes)
{
    Me me;
    int other = me.rank ^ 1, round = 0;

    for (int bytes : sizes) {
        std::vector<uint8_t> out(bytes + 1), in(bytes + 1);

        for (int i = 0; i < bytes; i++)
            out[i] = byte_of(round + me.rank, i);
        if (me.rank % 2 == 0)
            MPI_Send(out.data(), bytes, MPI_BYTE, other, round, MPI_COMM_WORLD);
        MPI_Recv(in.data(), bytes, MPI_BYTE, other, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (me.rank % 2 == 1)
            MPI_Send(out.data(), bytes, MPI_BYTE, other, round, MPI_COMM_WORLD);
        for (int i = 0; i < bytes; i++)
            EXPECT_EQ(byte_of(round + other, i), in[i]);
        round++;
    }
    return MPI_Finalize();
}

const std::vector<int> SIZES = { 0,   1,   3,    8,    9,    63,   64,   127,   128,
                                 129, 200, 1000, 1023, 4096, 8001, 8193, 16384, 16385 };

TEST(Peach2, MessagesOfAllSizesArriveAsTheyAreBetweenTwoNodes)
{
    expect_run(2, 2, [] { return ping_pong(SIZES); });
}

TEST(Peach2, RanksOfOneNodeMeetInItsMemory)
{
    expect_run(1, 2, [] { return ping_pong(SIZES); });
}

TEST(Peach2, RanksOfANodeShareItsChannels)
{
    expect_run(2, 10, [] { return ping_pong({ 8, 100, 5000 }); });
}

/* The last rank's memory is of one kind, that of the one before it of another: at all alignments
 * and sizes. */
int between(const tcaMemoryKind kinds[2], bool pageable)
{
    Me me;
    int first = me.size - 2;

    if (me.rank < first)
        return MPI_Finalize();
    uint8_t *b = nullptr;
    std::vector<uint8_t> heap(90000);
    int round = 0;

    EXPECT_EQ(TCA_SUCCESS, tcaInit());
    EXPECT_EQ(TCA_SUCCESS, tcaMalloc((void **)&b, 90000, kinds[me.rank % 2]));
    if (pageable && me.rank % 2 == 1)
        b = heap.data();
    for (int bytes : { 1, 8, 130, 4100, 20001, 70000 })
        for (int shift : { 0, 1, 16 }) {
            uint8_t *at = b + (me.rank == first ? 0 : shift);

            for (int way = 0; way < 2; way++) {
                if (me.rank == first + way) {
                    for (int i = 0; i < bytes; i++)
                        at[i] = byte_of(round, i);
                    MPI_Send(at, bytes, MPI_BYTE, first + !way, round, MPI_COMM_WORLD);
                } else {
                    memset(b, 0, 90000);
                    MPI_Recv(at, bytes, MPI_BYTE, first + way, round, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
                    int wrong = 0;
                    for (int i = 0; i < bytes; i++)
                        wrong += at[i] != byte_of(round, i);
                    EXPECT_EQ(0, wrong) << bytes << " bytes, shift " << shift << ", to " << me.rank;
                    EXPECT_EQ(0, at[bytes]);
                }
                round++;
            }
        }
    return MPI_Finalize();
}

TEST(Peach2, MemoryOfAllKindsIsSentAndReceivedWhereItIs)
{
    static tcaMemoryKind kinds[3][2] = { { tcaMemoryCPU, tcaMemoryCPU },
                                         { tcaMemoryGPU, tcaMemoryGPU },
                                         { tcaMemoryGPU, tcaMemoryCPU } };

    for (auto &k : kinds)
        for (unsigned nodes : { 1, 2 })
            for (bool pageable : { false, true }) {
                SCOPED_TRACE(testing::Message() << k[0] << k[1] << nodes << pageable);
                expect_run(nodes, 2, [&] { return between(k, pageable); });
            }
}

/* Half of a round trip, after one that takes what the first message needs. */
double one_way_into(void *to, const void *from, int bytes, int other)
{
    int me;
    double start = 0;

    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    for (int round = 0; round < 3; round++) {
        if (round == 1)
            start = MPI_Wtime();
        if (me < other)
            MPI_Send(from, bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD);
        MPI_Recv(to, bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (me > other)
            MPI_Send(from, bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD);
    }
    return (MPI_Wtime() - start) / 4;
}

double one_way(int other, int bytes)
{
    std::vector<uint8_t> b(bytes);

    return one_way_into(b.data(), b.data(), bytes, other);
}

/* The fifth rank of a node has no channel of its own. */
TEST(Peach2, RanksThatShareAChannelSendAndReceiveMemoryOfGpus)
{
    static const tcaMemoryKind kinds[2] = { tcaMemoryGPU, tcaMemoryGPU };

    expect_run(2, 9, [&] { return between(kinds, true); });
    expect_run(2, 10, [&] { return between(kinds, false); });
}

/* Three want each channel at one instant, which they have from a barrier. */
TEST(Peach2, RanksThatShareAChannelTakeTurnsWhateverTheOrderOfEvents)
{
    expect_run(2, 18, [] {
        Me me;
        std::vector<int> a(700 * me.size), b(a.size());
        int wrong = 0;

        for (int bytes : { 100, 200, 2800 }) {
            int k = bytes / (int)sizeof(int);

            for (int i = 0; i < k * me.size; i++)
                a[i] = me.rank * 100 + i / k + i % k;
            MPI_Barrier(MPI_COMM_WORLD);
            MPI_Alltoall(a.data(), k, MPI_INT, b.data(), k, MPI_INT, MPI_COMM_WORLD);
            for (int i = 0; i < k * me.size; i++)
                wrong += b[i] != i / k * 100 + me.rank + i % k;
        }
        EXPECT_EQ(0, wrong);
        if (me.rank >= 16) {
            EXPECT_LT(one_way(me.rank ^ 1, 4096), 6e-6); /* a core would take 42 us */
        }
        return MPI_Finalize();
    });
}

/* Five ranks of a node share four channels. What is staged for a long write is copied while the
 * piece before it travels: a kilobyte takes 0.64 us, not 0.83. */
TEST(Peach2, ARankThatSharesAChannelCopiesPiecesOfAWriteWhileOthersTravel)
{
    launch_software software = over_peach2();
    launch_config cfg = {};
    ClusterConfig cc;
    Cluster c(cc);
    uint64_t ps[2] = {};

    cfg.nranks = 10;
    cfg.software = &software;
    EXPECT_EQ(SIM_OK,
              c.run(
                  [&] {
                      Me me;
                      static uint8_t from[65536];
                      void *to;

                      cudaMalloc(&to, sizeof(from));
                      for (int n : { 16384, 65536 }) {
                          MPI_Barrier(MPI_COMM_WORLD);
                          uint64_t start = host_self()->cpu->time_ps(host_self());
                          if (me.rank == 0)
                              MPI_Send(from, n, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
                          if (me.rank == 1) {
                              MPI_Recv(to, n, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                              ps[n > 16384] = host_self()->cpu->time_ps(host_self()) - start;
                          }
                      }
                      return MPI_Finalize();
                  },
                  cfg))
        << c.err.text;
    EXPECT_LT(ps[1] - ps[0], (65536 - 16384) / 1024 * 720000);
}

/* Copies overlap with transfers from two pieces on, and no receiver is asked before 16 KB. */
TEST(Peach2, TwiceTheBytesTakeLessThanTwiceTheTime)
{
    expect_run(2, 2, [] {
        Me me;
        double before = one_way(me.rank ^ 1, 256);

        for (int bytes = 512; bytes <= 65536; bytes *= 2) {
            double now = one_way(me.rank ^ 1, bytes);

            EXPECT_LT(now, (bytes == 16384 ? 1.5 : 1.8) * before) << bytes;
            before = now;
        }
        return MPI_Finalize();
    });
}

TEST(Peach2, ManyMessagesOfOneWayReuseTheRing)
{
    expect_run(2, 2, [] {
        Me me;
        std::vector<uint8_t> b(3000);

        for (int i = 0; i < 150; i++) {
            int bytes = i * 37 % 3000;

            if (me.rank == 0) {
                for (int k = 0; k < bytes; k++)
                    b[k] = byte_of(i, k);
                MPI_Send(b.data(), bytes, MPI_BYTE, 1, 7, MPI_COMM_WORLD);
                continue;
            }
            MPI_Recv(b.data(), bytes, MPI_BYTE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            for (int k = 0; k < bytes; k++)
                EXPECT_EQ(byte_of(i, k), b[k]);
        }
        return MPI_Finalize();
    });
}

/* A copy before the transfer is not much worse than copies before and after it. */
TEST(Peach2, AnAddressSavesACopyAndCostsNoOverlap)
{
    expect_run(2, 2, [] {
        Me me;
        std::vector<uint8_t> from(65536), to(65536);
        void *pinned = nullptr;

        MPI_Alloc_mem(65536, MPI_INFO_NULL, &pinned);
        double heap = one_way_into(to.data(), from.data(), 65536, me.rank ^ 1);

        EXPECT_LT(one_way_into(pinned, from.data(), 65536, me.rank ^ 1), 1.1 * heap);
        MPI_Free_mem(pinned);
        return MPI_Finalize();
    });
}

/* Words of a GPU are read across PCIe at once, and a message without data leaves it alone. */
TEST(Peach2, AFewBytesOfAGpuTakeNoLongerForBeingFew)
{
    expect_run(2, 2, [] {
        Me me;
        uint8_t *b = nullptr;

        EXPECT_EQ(TCA_SUCCESS, tcaInit());
        EXPECT_EQ(TCA_SUCCESS, tcaMalloc((void **)&b, 64, tcaMemoryGPU));
        double none = one_way_into(b, b, 0, me.rank ^ 1);
        double host = one_way(me.rank ^ 1, 0);
        double one = one_way_into(b, b, 1, me.rank ^ 1);

        EXPECT_LT(none, host + 0.2e-6);
        for (int bytes : { 2, 3 })
            EXPECT_LT(one_way_into(b, b, bytes, me.rank ^ 1), one + 0.1e-6) << bytes;
        /* a channel does not take what is not aligned alike */
        EXPECT_LT(one_way_into(b + 4, b + 8, 4, me.rank ^ 1), one + 2e-6);
        return MPI_Finalize();
    });
}

/* What has been copied for the channels has been given to them when a blocking send returns. */
TEST(Peach2, ComputingAfterASendHoldsUpNoneOfIt)
{
    expect_run(2, 2, [] {
        Me me;
        std::vector<uint8_t> b(262144);

        MPI_Barrier(MPI_COMM_WORLD);
        double start = MPI_Wtime();
        if (me.rank == 0) {
            MPI_Send(b.data(), (int)b.size(), MPI_BYTE, 1, 0, MPI_COMM_WORLD);
            host_self()->cpu->spend(host_self(), 1000000000); /* 1 ms */
        } else {
            MPI_Recv(b.data(), (int)b.size(), MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            EXPECT_LT(MPI_Wtime() - start, 120e-6);
        }
        return MPI_Finalize();
    });
}

TEST(Peach2, CollectivesOnARing)
{
    expect_run(4, 8, [] {
        Me me;

        for (int round = 0; round < 3; round++) {
            int sum = 0, own = me.rank + round;
            std::vector<int> all(me.size);

            MPI_Allreduce(&own, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
            EXPECT_EQ(me.size * (me.size - 1) / 2 + round * me.size, sum);
            MPI_Allgather(&own, 1, MPI_INT, all.data(), 1, MPI_INT, MPI_COMM_WORLD);
            for (int r = 0; r < me.size; r++)
                EXPECT_EQ(r + round, all[r]);
        }
        return MPI_Finalize();
    });
}

int all_collectives()
{
    Me me;
    int n = me.size, wrong = 0;

    for (int k : { 1, 10, 700 }) {
        std::vector<int> a(k * n), b(k * n, -1);

        for (int i = 0; i < k; i++)
            a[i] = me.rank * 1000 + i;
        MPI_Allgather(a.data(), k, MPI_INT, b.data(), k, MPI_INT, MPI_COMM_WORLD);
        for (int i = 0; i < k * n; i++)
            wrong += b[i] != i / k * 1000 + i % k;
        for (int i = 0; i < k; i++)
            b[i] = me.rank == n / 2 ? i * 3 : -1;
        MPI_Bcast(b.data(), k, MPI_INT, n / 2, MPI_COMM_WORLD);
        for (int i = 0; i < k; i++)
            wrong += b[i] != i * 3;
        MPI_Allreduce(a.data(), b.data(), k, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        for (int i = 0; i < k; i++)
            wrong += b[i] != n * (n - 1) / 2 * 1000 + i * n;
        for (int i = 0; i < k * n; i++)
            a[i] = me.rank * 100 + i / k + i % k;
        MPI_Alltoall(a.data(), k, MPI_INT, b.data(), k, MPI_INT, MPI_COMM_WORLD);
        for (int i = 0; i < k * n; i++)
            wrong += b[i] != i / k * 100 + me.rank + i % k;
        MPI_Reduce_scatter_block(a.data(), b.data(), k, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        for (int i = 0; i < k; i++)
            wrong += b[i] != n * (n - 1) / 2 * 100 + n * me.rank + n * i;
    }
    EXPECT_EQ(0, wrong);
    return MPI_Finalize();
}

/* Two rings of four; of six and of seven ranks, one ring is not whole and there is but one. */
TEST(Peach2, CollectivesAlongRingsGiveWhatOthersGive)
{
    test::MachineFile file("dual-ring8");

    for (const char *algorithms :
         { "allgather=both-ways,bcast=both-ways,allreduce=both-ways,alltoall=both-ways,"
           "reduce_scatter=both-ways",
           "allgather=two-rings,bcast=pipeline,allreduce=two-rings", "allreduce=two-levels" })
        for (unsigned ranks : { 6, 7, 8, 16 }) {
            launch_software software = over_peach2(algorithms);
            launch_config cfg = {};
            Cluster c(file.cluster());

            SCOPED_TRACE(testing::Message() << algorithms << " on " << ranks);
            cfg.nranks = ranks;
            cfg.software = &software;
            EXPECT_EQ(SIM_OK, c.run(all_collectives, cfg)) << c.err.text;
            EXPECT_TRUE(c.all_well());
        }
}

/* What a rank broadcasts as one block is ints with gaps on the next one. */
int broadcasts_of_unlike_types()
{
    Me me;
    int wrong = 0;

    for (int ints : { 2, 2502, 9002, 30002 }) {
        bool gaps = me.rank % 2 == 1;
        std::vector<int> b(ints * 3 / 2, -1);
        MPI_Datatype type;

        MPI_Type_vector(2, 1, 2, MPI_INT, &type); /* two of each three */
        MPI_Type_commit(&type);
        for (int i = 0; i < ints && me.rank == 1; i++)
            b[i / 2 * 3 + i % 2 * 2] = i * 3;
        wrong += MPI_Bcast(b.data(), gaps ? ints / 2 : ints, gaps ? type : MPI_INT, 1,
                           MPI_COMM_WORLD) != MPI_SUCCESS;
        for (int i = 0; i < ints; i++)
            wrong += b[gaps ? i / 2 * 3 + i % 2 * 2 : i] != i * 3;
        for (int i = 1; i < ints * 3 / 2 && gaps; i += 3)
            wrong += b[i] != -1;
        MPI_Type_free(&type);
    }
    EXPECT_EQ(0, wrong);
    return MPI_Finalize();
}

TEST(Peach2, BroadcastsAgreeOnBytesWhereRanksDescribeThemByUnlikeTypes)
{
    test::MachineFile file("ring4");

    for (const char *algorithm : { "bcast=pipeline", "bcast=both-ways" }) {
        launch_software software = over_peach2(algorithm);
        launch_config cfg = {};
        Cluster c(file.cluster());

        SCOPED_TRACE(algorithm);
        cfg.nranks = 4;
        cfg.software = &software;
        EXPECT_EQ(SIM_OK, c.run(broadcasts_of_unlike_types, cfg)) << c.err.text;
        EXPECT_TRUE(c.all_well());
    }
}

/* What is quickest with cables at S is no choice where only some ranks have one. */
TEST(Peach2, RanksWithAndWithoutACableAtSChooseAlike)
{
    test::MachineFile file("platform: hapacs-tca\n"
                           "nodes: 6\n"
                           "cables:\n"
                           "  - { from: node0.hub.e, to: node1.hub.w }\n"
                           "  - { from: node1.hub.e, to: node2.hub.w }\n"
                           "  - { from: node2.hub.e, to: node3.hub.w }\n"
                           "  - { from: node3.hub.e, to: node4.hub.w }\n"
                           "  - { from: node4.hub.e, to: node5.hub.w }\n"
                           "  - { from: node5.hub.e, to: node0.hub.w }\n"
                           "  - { from: node0.hub.s, to: node3.hub.s }\n"
                           "set: { node3.hub.s.role: root }\n");
    launch_software software = over_peach2();
    launch_config cfg = {};
    Cluster c(file.cluster());

    cfg.nranks = 6;
    cfg.software = &software;
    EXPECT_EQ(SIM_OK, c.run(all_collectives, cfg)) << c.err.text;
    EXPECT_TRUE(c.all_well());
}

/* Many packets meet in hubs from all sides. */
TEST(Peach2, WhatTwoRanksOfEachNodeSendToAllDoesNotHangOnTheOrderOfEvents)
{
    test::MachineFile file("dual-ring8");
    launch_software software = over_peach2();
    launch_config cfg = {};

    cfg.nranks = 16;
    cfg.software = &software;
    Cluster(file.cluster())
        .expect_run(
            [] {
                Me me;
                std::vector<int> a(2000 * me.size), b(a.size());

                MPI_Allreduce(a.data(), b.data(), 3000, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
                MPI_Alltoall(a.data(), 2000, MPI_INT, b.data(), 2000, MPI_INT, MPI_COMM_WORLD);
                return MPI_Finalize();
            },
            cfg);
}

/* What it takes in all, up to the end of the last rank, on `machine`. */
sim_time_t time_of(const char *machine, const char *algorithms, unsigned ranks,
                   const std::function<void(std::vector<uint8_t> &, std::vector<uint8_t> &)> &fn)
{
    test::MachineFile file(machine);
    launch_software software = over_peach2(algorithms);
    launch_config cfg = {};
    Cluster c(file.cluster());
    sim_time_t start = 0;

    cfg.nranks = ranks;
    cfg.software = &software;
    EXPECT_EQ(SIM_OK, c.run(
                          [&fn, &start] {
                              Me me;
                              std::vector<uint8_t> a(1 << 18), b(1 << 18);

                              MPI_Barrier(MPI_COMM_WORLD);
                              if (me.rank == 0)
                                  start = host_self()->cpu->time_ps(host_self());
                              fn(a, b);
                              return MPI_Finalize();
                          },
                          cfg));
    return c.result.end_ps - start;
}

/* Rows in which other algorithms were quicker before. */
TEST(Peach2, TheTableOfCollectivesTakesWhatIsQuicker)
{
    using Bytes = std::vector<uint8_t>;
    for (int n : { 32, 64, 192 }) {
        auto alltoall = [n](Bytes &a, Bytes &b) {
            MPI_Alltoall(a.data(), n, MPI_BYTE, b.data(), n, MPI_BYTE, MPI_COMM_WORLD);
        };
        EXPECT_LT(time_of("dual-ring8", nullptr, 8, alltoall),
                  time_of("dual-ring8", "alltoall=bruck", 8, alltoall))
            << n;
    }
    for (const char *machine : { "ring8", "dual-ring8" }) {
        auto allgather = [](Bytes &a, Bytes &b) {
            MPI_Allgather(a.data(), 2048, MPI_BYTE, b.data(), 2048, MPI_BYTE, MPI_COMM_WORLD);
        };
        auto bcast = [](Bytes &a, Bytes &) {
            MPI_Bcast(a.data(), 1 << 18, MPI_BYTE, 0, MPI_COMM_WORLD);
        };
        auto sum = [](Bytes &a, Bytes &b) {
            MPI_Reduce_scatter_block(a.data(), b.data(), 256, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        };
        EXPECT_LT(time_of(machine, nullptr, 8, allgather) * 11 / 10,
                  time_of(machine, "allgather=two-rings", 8, allgather));
        EXPECT_LT(time_of(machine, nullptr, 8, bcast) * 11 / 10,
                  time_of(machine, "bcast=both-ways", 8, bcast));
        EXPECT_LT(time_of(machine, nullptr, 8, sum) * 11 / 10,
                  time_of(machine, "reduce_scatter=halving", 8, sum));
    }
}

/* From one moment on all ranks, long after the barrier, to the last one. */
TEST(Peach2, ABroadcastOfFewerBytesTakesNoLonger)
{
    const int sizes[] = { 8, 16, 32, 64 };
    double longest[4] = {};

    (void)time_of("ring16", nullptr, 16,
                  [&sizes, &longest](std::vector<uint8_t> &a, std::vector<uint8_t> &) {
                      for (int k = 0; k < 8; k++) { /* the first time does not count */
                          double start = (10 + k) * 50e-6, now;

                          MPI_Barrier(MPI_COMM_WORLD);
                          do
                              now = MPI_Wtime();
                          while (now < start);
                          MPI_Bcast(a.data(), sizes[k % 4], MPI_BYTE, 0, MPI_COMM_WORLD);
                          now = MPI_Wtime() - now;
                          if (k >= 4 && longest[k % 4] < now)
                              longest[k % 4] = now;
                      }
                  });
    for (int k = 0; k < 3; k++)
        EXPECT_LT(longest[k], longest[k + 1]) << sizes[k];
    EXPECT_GT(5e-6, longest[0]);
}

/* What leads to another sub-cluster starts at the host: memory of a GPU costs a copy to it first,
 * whose start alone takes 5 us, and each byte its way through the engine. */
TEST(Peach2, MemoryOfAGpuGoesToAnotherSubClusterByWayOfTheHost)
{
    launch_software software = over_peach2();
    launch_config cfg = {};
    test::MachineFile file("description: no cable\nplatform: hapacs-tca\nnodes: 2\n");
    Cluster c(file.cluster());
    static const int sizes[] = { 8, 8192, 200000 };
    uint64_t ps[3][2] = {};

    cfg.software = &software;
    EXPECT_EQ(SIM_OK,
              c.run(
                  [&] {
                      Me me;
                      uint8_t *p[2], back[8];

                      cudaSetDevice(0);
                      for (int i = 0; i < 6; i++) {
                          int n = sizes[i / 2];
                          uint64_t start;

                          p[0] = new uint8_t[n];
                          cudaMalloc((void **)&p[1], n);
                          memset(p[0], me.rank + 1, n);
                          cudaMemcpy(p[1], p[0], n, cudaMemcpyHostToDevice);
                          MPI_Barrier(MPI_COMM_WORLD);
                          start = host_self()->cpu->time_ps(host_self());
                          if (me.rank == 0)
                              MPI_Send(p[i % 2], n, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
                          else
                              MPI_Recv(p[0], n, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                          if (me.rank == 1) {
                              ps[i / 2][i % 2] = host_self()->cpu->time_ps(host_self()) - start;
                              memcpy(back, p[0] + n - 8, 8);
                              EXPECT_EQ(1, back[0]);
                              EXPECT_EQ(1, back[7]);
                          }
                          cudaFree(p[1]);
                          delete[] p[0];
                      }
                      return MPI_Finalize();
                  },
                  cfg))
        << c.err.text;
    for (int i = 0; i < 3; i++)
        EXPECT_GT(ps[i][1], ps[i][0] + 6 * SIM_US + (uint64_t)sizes[i] * 1000000 / 10000) << i;
}

TEST(Peach2, ANodeWithoutAHubIsTold)
{
    launch_software software = over_peach2();
    launch_config cfg = {};
    ClusterConfig cc;
    Cluster *c;

    cc.hubs = false;
    cfg.nranks = 2;
    cfg.software = &software;
    c = new Cluster(cc);
    c->run([] { return MPI_Init(nullptr, nullptr); }, cfg);
    EXPECT_FALSE(c->all_well());
    ASSERT_FALSE(c->lines.empty());
    EXPECT_NE(std::string::npos, c->lines[0].text.find("has no hub")) << c->lines[0].text;
    delete c;
}

} // namespace
