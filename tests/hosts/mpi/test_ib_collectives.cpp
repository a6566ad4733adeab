// Collectives over InfiniBand: of host memory, and of GPUs by way of it.
#include "tests/hosts/mpi/over_ib.h"

namespace
{

using namespace test;

/* Cores combine, whose stores to a GPU are still under way when the next data are there. */
int sum_on_gpus()
{
    Me me;
    int *out, *in, host[200], sum = me.size * (me.size + 1) / 2;

    cudaMalloc((void **)&out, sizeof(host));
    cudaMalloc((void **)&in, sizeof(host));
    for (int n : { 1, 2, 4, 50 }) {
        for (int i = 0; i < n * me.size; i++)
            host[i] = (me.rank + 1) * (i + n);
        cudaMemcpy(out, host, sizeof(host), cudaMemcpyHostToDevice);
        MPI_Allreduce(out, in, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        cudaMemcpy(host, in, sizeof(host), cudaMemcpyDeviceToHost);
        for (int i = 0; i < n; i++)
            EXPECT_EQ(sum * (i + n), host[i]) << n << " numbers, all";
        MPI_Reduce_scatter_block(out, in, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        cudaMemcpy(host, in, sizeof(host), cudaMemcpyDeviceToHost);
        for (int i = 0; i < n; i++)
            EXPECT_EQ(sum * (me.rank * n + i + n), host[i]) << n << " numbers, parts";
        MPI_Reduce(me.rank == 1 ? MPI_IN_PLACE : out, out, n, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD);
        cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
        for (int i = 0; i < n; i++)
            EXPECT_EQ((me.rank == 1 ? sum : me.rank + 1) * (i + n), host[i]) << n << " numbers";
    }
    return MPI_Finalize();
}

/* Up to a rate that a chain of short reads across the sockets would not reach. */
int tell_gpus()
{
    Me me;
    std::vector<uint8_t> host(262144, me.rank == 1 ? 7 : 0);
    void *p;
    double start;

    cudaMalloc(&p, host.size());
    cudaMemcpy(p, host.data(), host.size(), cudaMemcpyHostToDevice);
    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    MPI_Bcast(p, (int)host.size(), MPI_BYTE, 1, MPI_COMM_WORLD);
    EXPECT_GT(400e-6, MPI_Wtime() - start);
    cudaMemcpy(host.data(), p, host.size(), cudaMemcpyDeviceToHost);
    EXPECT_EQ(7, host[0] & host[99999] & host.back());
    return MPI_Finalize();
}

TEST(IbCollectives, CollectivesOfGpusGoByWayOfTheHost)
{
    launch_software software = over_ib({});
    launch_config cfg = {};
    MachineFile file("ring4");

    cfg.software = &software;
    Cluster(file.cluster()).expect_run(sum_on_gpus, cfg);
    EXPECT_EQ(SIM_OK, Cluster(file.cluster()).run(tell_gpus, cfg));
}

/* Bytes of rank 2 to all, and of each rank to all, from and to memory of GPUs. */
int collect_on_gpus()
{
    static uint8_t all[4][4 * 70000];
    Me me;
    uint8_t *host = all[me.rank], *gpu;

    cudaMalloc((void **)&gpu, sizeof(all[0]));
    for (int n : { 8, 5000, 70000 }) {
        for (int i = 0; i < n; i++)
            host[i] = byte_of(n + me.rank, (size_t)i);
        cudaMemcpy(gpu, host, (size_t)n, cudaMemcpyHostToDevice);
        MPI_Bcast(gpu, n, MPI_BYTE, 2, MPI_COMM_WORLD);
        cudaMemcpy(host, gpu, (size_t)n, cudaMemcpyDeviceToHost);
        for (int i = 0; i < n; i++)
            if (byte_of(n + 2, (size_t)i) != host[i])
                return 1;
        for (bool in_place : { false, true }) {
            uint8_t *own, *to = gpu + (in_place ? me.rank * n : 0);

            cudaMalloc((void **)&own, (size_t)n);
            for (int i = 0; i < n; i++)
                host[i] = byte_of(n + me.rank + in_place, (size_t)i);
            cudaMemset(gpu, 0, sizeof(all[0]));
            cudaMemcpy(in_place ? to : own, host, (size_t)n, cudaMemcpyHostToDevice);
            MPI_Allgather(in_place ? MPI_IN_PLACE : own, n, MPI_BYTE, gpu, n, MPI_BYTE,
                          MPI_COMM_WORLD);
            cudaMemcpy(host, gpu, sizeof(all[0]), cudaMemcpyDeviceToHost);
            for (int i = 0; i < me.size * n; i++)
                if (byte_of(n + i / n + in_place, (size_t)(i % n)) != host[i])
                    return 2;
            cudaFree(own);
        }
    }
    return MPI_Finalize();
}

TEST(IbCollectives, CollectivesOfGpusMayGoByWayOfTheHost)
{
    const std::vector<Setting> by_host = { { "mpi.gpu_bcast_host_bytes", 1 << 20, nullptr },
                                           { "mpi.gpu_allgather_host_bytes", 10000, nullptr },
                                           { "mpi.gpu_allreduce_both", 0, "on" },
                                           { "mpi.gpu_loop_bytes", 4096, nullptr },
                                           { "mpi.gpu_pinned_bytes", 65536, nullptr },
                                           { "mpi.gpu_copy_ps", 900000, nullptr } };
    const std::vector<Setting> beside = { { "mpi.gpu_allgather_host_bytes", 1 << 20, nullptr },
                                          { "mpi.gpu_pinned_bytes", 65536, nullptr },
                                          { "mpi.gpu_beside", 0, "on" } };

    for (const char *algorithms :
         { "", "allgather=ring,bcast=pieces", "bcast=knomial-4-slots", "bcast=pieces-slots" })
        for (const auto &settings : { std::vector<Setting>{}, by_host, beside })
            for (int (*program)() : { collect_on_gpus, sum_on_gpus }) {
                launch_software software = over_ib(settings);
                launch_config cfg = {};
                MachineFile file("two-node");

                launch_software_setting(&software, "mpi.algorithms")->text = algorithms;
                cfg.software = &software;
                cfg.nranks = program == sum_on_gpus ? 2 : 4;
                Cluster(file.cluster()).expect_run(program, cfg);
            }
}

/* Both ranks end within one look ahead, and the adapters write completions behind that. */
TEST(IbCollectives, TheEndOfARunDoesNotDependOnWhoseTurnIsFirst)
{
    launch_software software = over_ib({});
    launch_config cfg = {};
    MachineFile file("two-node");

    cfg.software = &software;
    Cluster(file.cluster())
        .expect_run(
            [] {
                static int all[2][8192];
                Me me;

                MPI_Allreduce(MPI_IN_PLACE, all[me.rank], 8192, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
                return MPI_Finalize();
            },
            cfg);
}

/* Pageable memory costs so much for each 1024 bytes; what counts is the length of the library's
 * memory, not of a copy, and that of an allreduce is never pinned. */
TEST(IbCollectives, CopiesOfPageableMemoryTakeLonger)
{
    auto gather = [](uint64_t pinned, uint64_t kb_ps, uint64_t each_ps = 0) {
        return ps_of({ { "mpi.gpu_allgather_host_bytes", 1 << 20, nullptr },
                       { "mpi.gpu_pinned_bytes", pinned, nullptr },
                       { "mpi.gpu_pageable_ps", each_ps, nullptr },
                       { "mpi.gpu_pageable_kb_ps", kb_ps, nullptr } },
                     2, [](const Me &, uint8_t *gpu) {
                         MPI_Allgather(MPI_IN_PLACE, 0, MPI_BYTE, gpu, 32768, MPI_BYTE,
                                       MPI_COMM_WORLD);
                     });
    };
    auto gather_apart = [](uint64_t kb_ps) {
        return ps_of({ { "mpi.gpu_allgather_host_bytes", 1 << 20, nullptr },
                       { "mpi.gpu_pinned_bytes", 65536, nullptr },
                       { "mpi.gpu_pageable_kb_ps", kb_ps, nullptr } },
                     2, [](const Me &, uint8_t *gpu) {
                         MPI_Allgather(gpu + (1 << 20), 32768, MPI_BYTE, gpu, 32768, MPI_BYTE,
                                       MPI_COMM_WORLD);
                     });
    };
    auto reduce = [](uint64_t pinned, uint64_t kb_ps) {
        return ps_of({ { "mpi.gpu_pinned_bytes", pinned, nullptr },
                       { "mpi.gpu_pageable_kb_ps", kb_ps, nullptr } },
                     2, [](const Me &, uint8_t *gpu) {
                         MPI_Allreduce(MPI_IN_PLACE, gpu, 8192, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
                     });
    };
    const uint64_t some = 1000000, more = 3000000;

    EXPECT_NEAR(96.0 * 2e6, (double)(gather(0, more) - gather(0, some)), 2e6) << "32 out, 64 in";
    EXPECT_NEAR(96.0 * 2e6, (double)(gather(65537, more) - gather(65537, some)), 2e6);
    EXPECT_EQ(gather(65536, some), gather(65536, more)) << "memory for both blocks is pinned";
    EXPECT_NEAR(2 * 5e6, (double)(gather(0, some, 5000000) - gather(0, some)), 1e5) << "out, in";
    EXPECT_EQ(gather(65536, some), gather(65536, some, 5000000));
    EXPECT_NEAR(32.0 * 2e6, (double)(gather_apart(more) - gather_apart(some)), 2e6)
        << "memory for the own block is shorter, and not pinned";
    EXPECT_NEAR(64.0 * 2e6, (double)(reduce(1, more) - reduce(1, some)), 2e6) << "out and in";
}

/* What is left behind the last block of a ring is the way of that one to the GPU. */
TEST(IbCollectives, BlocksOfARingGoOnToTheGpuBesideTheNext)
{
    auto gather = [](const char *beside, uint64_t pinned, const char *algorithms) {
        return ps_of(
            { { "mpi.gpu_allgather_host_bytes", 1 << 20, nullptr },
              { "mpi.gpu_pinned_bytes", pinned, nullptr },
              { "mpi.gpu_beside", 0, beside } },
            4,
            [](const Me &, uint8_t *gpu) {
                MPI_Allgather(MPI_IN_PLACE, 0, MPI_BYTE, gpu, 262144, MPI_BYTE, MPI_COMM_WORLD);
            },
            algorithms, "ring4");
    };
    const double block_ps = 262144 / 6.5e9 * 1e12; /* at most so fast by an engine */
    const uint64_t none = 1 << 30, all = 1 << 20;

    EXPECT_LT((double)gather("on", all, "allgather=ring") + 2 * block_ps,
              (double)gather("off", all, "allgather=ring"));
    EXPECT_EQ(gather("on", none, "allgather=ring"), gather("off", none, "allgather=ring"))
        << "not from pageable memory";
    EXPECT_EQ(gather("on", all, "allgather=recursive-doubling"),
              gather("off", all, "allgather=recursive-doubling"));
}

/* Data come to the last ranks by way of rank 4, which copies them in and out, or neither. */
TEST(IbCollectives, WhatGoesFromSlotToSlotIsNotCopiedOnTheWay)
{
    auto tell = [](const char *algorithms, int bytes) {
        return (double)ps_of(
            {}, 8,
            [bytes](const Me &me, uint8_t *) {
                static uint8_t data[8][8000];

                memset(data[me.rank], me.rank == 0 ? 5 : 0, sizeof(data[0]));
                MPI_Bcast(data[me.rank], bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
                EXPECT_EQ(5, data[me.rank][0] & data[me.rank][bytes - 1]);
                MPI_Barrier(MPI_COMM_WORLD);
            },
            algorithms, "ring8");
    };
    const double copy_ps = 8000 * 170000.0 / 1024;

    EXPECT_NEAR(2 * copy_ps, tell("bcast=knomial-4", 8000) - tell("bcast=knomial-4-slots", 8000),
                copy_ps / 4);
    EXPECT_NEAR(tell("bcast=knomial-4", 8), tell("bcast=knomial-4-slots", 8), 10000.0);
    EXPECT_LT(tell("bcast=knomial-4-slots", 128) + 500000, tell("bcast=knomial-4-slots", 136))
        << "128 bytes are in the request, more are read";
    EXPECT_LT(tell("bcast=knomial-4", 128), tell("bcast=knomial-4", 136) + 100000);
}

/* Up to the end of the last rank. */
sim_time_t time_of_alltoall(int bytes, const char *algorithms)
{
    MachineFile file("ring8");
    launch_software software = over_ib({});
    launch_config cfg = {};
    Cluster c(file.cluster());
    sim_time_t start = 0;

    if (algorithms != nullptr) {
        software.settings[1].key = "mpi.algorithms";
        software.settings[1].text = algorithms;
    }
    cfg.nranks = 8;
    cfg.software = &software;
    EXPECT_EQ(SIM_OK, c.run(
                          [&] {
                              Me me;
                              std::vector<uint8_t> out(8 * bytes), in(8 * bytes);

                              MPI_Barrier(MPI_COMM_WORLD);
                              if (me.rank == 0)
                                  start = host_self()->cpu->time_ps(host_self());
                              MPI_Alltoall(out.data(), bytes, MPI_BYTE, in.data(), bytes, MPI_BYTE,
                                           MPI_COMM_WORLD);
                              return MPI_Finalize();
                          },
                          cfg))
        << c.err.text;
    return c.result.end_ps - start;
}

/* With fewer rounds, bruck was chosen for these sizes. */
TEST(IbCollectives, SmallBlocksGoToAllAtOnce)
{
    for (int bytes : { 1, 32, 128 }) {
        const sim_time_t chosen = time_of_alltoall(bytes, nullptr);

        EXPECT_LT(chosen, time_of_alltoall(bytes, "alltoall=bruck")) << bytes;
        EXPECT_LE(chosen, time_of_alltoall(bytes, "alltoall=spread")) << bytes;
    }
}

} // namespace
