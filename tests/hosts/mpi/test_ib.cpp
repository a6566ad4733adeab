// The transport over InfiniBand: host and GPU memory, each way of moving it, in every order of
// events.
#include "tests/hosts/mpi/over_ib.h"

namespace
{

using namespace test;

/* Both ways at once, from and to what `gpu` says: -1 is host memory. */
int exchange(const std::vector<int> &sizes, int gpu)
{
    Me me;
    int other = me.rank ^ 1, round = 0;

    for (int bytes : sizes) {
        static uint8_t outs[4][1 << 17], ins[4][1 << 17]; /* pages of malloc() differ by run */
        uint8_t *host_out = outs[me.rank], *host_in = ins[me.rank];
        void *out = host_out, *in = host_in;

        memset(host_out, 0, sizeof(outs[0]));
        memset(host_in, 0, sizeof(ins[0]));

        for (int i = 0; i < bytes; i++)
            host_out[i] = byte_of(round + me.rank, i);
        if (gpu >= 0) {
            cudaSetDevice(gpu);
            cudaMalloc(&out, bytes + 1);
            cudaMalloc(&in, bytes + 1);
            cudaMemcpy(out, host_out, bytes + 1, cudaMemcpyHostToDevice);
        }
        MPI_Sendrecv(out, bytes, MPI_BYTE, other, round, in, bytes, MPI_BYTE, other, round,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (gpu >= 0)
            cudaMemcpy(host_in, in, bytes + 1, cudaMemcpyDeviceToHost);
        for (int i = 0; i < bytes; i++) {
            EXPECT_EQ(byte_of(round + other, i), host_in[i]) << bytes << " bytes, at " << i;
            if (byte_of(round + other, i) != host_in[i])
                break;
        }
        if (gpu >= 0) {
            cudaFree(out);
            cudaFree(in);
        }
        round++;
    }
    return MPI_Finalize();
}

/* Several messages of GPU memory under way each way: those that are staged wait for each other. */
int exchange_many()
{
    static const int sizes[] = { 40000, 8, 300, 90000, 20000 };
    static uint8_t bytes[2][1 << 17];
    Me me;
    uint8_t *mine = bytes[me.rank];
    void *out[5], *in[5];
    MPI_Request requests[10];

    cudaSetDevice(2);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 5; i++) {
            for (int k = 0; k < sizes[i]; k++)
                mine[k] = byte_of(round + i + me.rank, k);
            cudaMalloc(&out[i], sizes[i]);
            cudaMalloc(&in[i], sizes[i]);
            cudaMemcpy(out[i], mine, sizes[i], cudaMemcpyHostToDevice);
            MPI_Irecv(in[i], sizes[i], MPI_BYTE, !me.rank, i, MPI_COMM_WORLD, &requests[i]);
        }
        for (int i = 0; i < 5; i++)
            MPI_Isend(out[i], sizes[i], MPI_BYTE, !me.rank, i, MPI_COMM_WORLD, &requests[5 + i]);
        MPI_Waitall(10, requests, MPI_STATUSES_IGNORE);
        for (int i = 0; i < 5; i++) {
            cudaMemcpy(mine, in[i], sizes[i], cudaMemcpyDeviceToHost);
            for (int k = 0; k < sizes[i]; k += 7)
                if (mine[k] != byte_of(round + i + !me.rank, k))
                    return 1;
            cudaFree(out[i]);
            cudaFree(in[i]);
        }
    }
    return MPI_Finalize();
}

void expect_many(const std::vector<Setting> &settings)
{
    MachineFile file("two-node");
    launch_software software = over_ib(settings);
    launch_config cfg = {};

    cfg.nranks = 2;
    cfg.software = &software;
    Cluster(file.cluster()).expect_run(exchange_many, cfg);
}

void expect_exchange(const std::vector<Setting> &settings, const std::vector<int> &sizes, int gpu,
                     unsigned ranks = 2)
{
    MachineFile file("two-node");
    launch_software software = over_ib(settings);
    launch_config cfg = {};

    cfg.nranks = ranks;
    cfg.software = &software;
    Cluster(file.cluster()).expect_run([&] { return exchange(sizes, gpu); }, cfg);
}

const std::vector<int> SIZES = { 0, 1, 8, 9, 16, 17, 100, 200, 1023, 4097, 16384, 40001 };

TEST(Ib, HostMemoryOfAllSizesArrives)
{
    expect_exchange({}, SIZES, -1);
    expect_exchange({ { "mpi.rails", 2, nullptr } }, { 8, 40001, 16384, 20000 }, -1);
}

/* Two ranks of each node: pairs (0, 1) and (2, 3) are of one node only if ranks go so; here they
 * cross, and each adapter also talks to itself. */
TEST(Ib, RanksOfOneNodeMeetInItsAdapter)
{
    expect_exchange({}, { 8, 5000, 20000 }, -1, 4);
}

TEST(Ib, GpuMemoryIsLoadedReadByTheAdapterOrStaged)
{
    const std::vector<int> sizes = { 1, 8, 16, 17, 100, 4097, 9000, 70001 };

    expect_exchange({ { "mpi.chunk_bytes", 16384, nullptr } }, sizes, 2);
    expect_exchange({ { "mpi.rails", 2, nullptr }, { "mpi.gdr_limit", 1 << 20, nullptr } },
                    { 8, 9000, 70001 }, 2);
    expect_exchange({ { "mpi.gdr", 0, "off" }, { "mpi.chunk_bytes", 16384, nullptr } },
                    { 8, 300, 9000, 70001 }, 2);
    expect_exchange({ { "mpi.gpu_gather", 0, "off" } }, { 8, 300, 9000 }, 2);
    expect_exchange({ { "mpi.gpu_gather", 0, "off" },
                      { "mpi.gpu_eager_bytes", 1, nullptr },
                      { "mpi.gpu_load_bytes", 1, nullptr },
                      { "mpi.gpu_store_bytes", 1, nullptr } },
                    { 8, 3000, 20000 }, 0);
}

/* Blocks of 24 bytes, one every 64, both ways at once; `one` side has them in one piece. What is
 * between them stays. */
int exchange_blocks(const std::vector<int> &counts, int gpu, bool one)
{
    Me me;
    int other = me.rank ^ 1;

    for (int blocks : counts) {
        static uint8_t all[2][1 << 20];
        uint8_t *host = all[me.rank];
        int extent = blocks * 64, bytes = blocks * 24;
        void *out, *in;
        MPI_Datatype type;

        cudaSetDevice(gpu);
        cudaMalloc(&out, extent);
        cudaMalloc(&in, extent);
        for (int i = 0; i < extent; i++)
            host[i] = byte_of(me.rank, i);
        cudaMemcpy(out, host, extent, cudaMemcpyHostToDevice);
        memset(host, 0xee, extent);
        cudaMemcpy(in, host, extent, cudaMemcpyHostToDevice);
        MPI_Type_vector(blocks, 24, 64, MPI_BYTE, &type);
        MPI_Type_commit(&type);
        if (one) /* as bytes, so the first 24 * blocks of what the other side has */
            MPI_Sendrecv(out, bytes, MPI_BYTE, other, 0, in, 1, type, other, 0, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
        else
            MPI_Sendrecv(out, 1, type, other, 0, in, 1, type, other, 0, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
        cudaMemcpy(host, in, extent, cudaMemcpyDeviceToHost);
        for (int i = 0; i < extent; i++) {
            int at = i / 64 * 24 + i % 64; /* in the packed bytes */
            uint8_t want = i % 64 >= 24 ? 0xee : byte_of(other, one ? at : i);

            EXPECT_EQ(want, host[i]) << blocks << " blocks, at " << i;
            if (want != host[i])
                break;
        }
        MPI_Type_free(&type);
        cudaFree(out);
        cudaFree(in);
    }
    return MPI_Finalize();
}

TEST(Ib, BlocksOfAGpuArePackedThere)
{
    for (bool one : { false, true })
        for (uint64_t limit : { UINT64_C(8192), UINT64_C(1) << 20 }) {
            launch_software software = over_ib(
                { { "mpi.gdr_limit", limit, nullptr }, { "mpi.chunk_bytes", 16384, nullptr } });
            launch_config cfg = {};
            MachineFile file("two-node");

            cfg.software = &software;
            Cluster(file.cluster())
                .expect_run(
                    [&] {
                        return exchange_blocks({ 2, 100, 300, 3000 }, 2, one);
                    },
                    cfg);
        }
}

/* @return the time of a put, an accumulation and what they wait for. */
double access(void *window, void *data)
{
    MPI_Win win;
    double start;

    MPI_Win_create(window, 64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    MPI_Put(data, 2, MPI_INT, 1, 0, 2, MPI_INT, win);
    MPI_Win_flush(1, win);
    MPI_Accumulate(data, 2, MPI_INT, 1, 0, 2, MPI_INT, MPI_SUM, win);
    MPI_Win_flush(1, win);
    start = MPI_Wtime() - start;
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    return start;
}

TEST(Ib, WhatACoreDoesToAGpuTakesTheWayThere)
{
    launch_software software = over_ib({});
    launch_config cfg = {};
    MachineFile file("two-node");

    cfg.software = &software;
    Cluster(file.cluster())
        .expect_run(
            [&] {
                Me me;
                static int windows[2][16], datas[2][16];
                int *window = windows[me.rank], *data = datas[me.rank], *gpu;

                data[0] = window[0] = 3;
                double there = access(window, data);
                cudaMalloc((void **)&gpu, 64);
                cudaMemcpy(gpu, window, 64, cudaMemcpyHostToDevice);
                double on_gpu = access(gpu, data);
                if (me.rank == 0) {
                    EXPECT_LT(there + 0.5e-6, on_gpu);
                }
                cudaMemcpy(window, gpu, 64, cudaMemcpyDeviceToHost);
                EXPECT_EQ(me.rank == 1 ? 6 : 3, window[0]);
                return MPI_Finalize();
            },
            cfg);
}

/* Six eager messages to one rank: with two rails, half of them are on the wire at once. */
TEST(Ib, EntriesGoByTheRailsInTurn)
{
    auto six = [](uint64_t rails, const char *turns) {
        return ps_of({ { "mpi.rails", rails, nullptr }, { "mpi.entry_turns", 0, turns } }, 2,
                     [](const Me &me, uint8_t *) {
                         static uint8_t data[2][6 * 8000];
                         MPI_Request all[6];

                         for (int i = 0; i < 6; i++)
                             if (me.rank == 0)
                                 MPI_Isend(data[0] + 8000 * i, 8000, MPI_BYTE, 1, i, MPI_COMM_WORLD,
                                           &all[i]);
                             else
                                 MPI_Irecv(data[1] + 8000 * i, 8000, MPI_BYTE, 0, i, MPI_COMM_WORLD,
                                           &all[i]);
                         MPI_Waitall(6, all, MPI_STATUSES_IGNORE);
                         MPI_Barrier(MPI_COMM_WORLD);
                     });
    };

    EXPECT_LT(six(2, nullptr) + 2000000, six(2, "off"));
    EXPECT_EQ(six(1, nullptr), six(1, "off"));
    expect_exchange({ { "mpi.rails", 2, nullptr } }, { 8, 5000, 20000 }, -1);
}

TEST(Ib, SeveralStagedMessagesTakeTurns)
{
    expect_many({ { "mpi.chunk_bytes", 16384, nullptr } });
    expect_many({ { "mpi.gdr", 0, "off" },
                  { "mpi.chunk_bytes", 4096, nullptr },
                  { "mpi.chunks", 2, nullptr },
                  { "mpi.copies_ahead", 2, nullptr } });
}

/* Half a round trip of GPU memory, picoseconds. */
uint64_t pingpong_ps(int bytes, uint64_t eager_bytes, uint64_t limit = 8192,
                     const char *gdr = nullptr, const char *beside = "ib", int gpu = 2,
                     uint64_t receive_limit = 0, uint64_t stage_ps = 0, uint64_t across_bytes = 0,
                     const char *gdrcopy = nullptr)
{
    launch_software software = over_ib({ { "mpi.gpu_eager_bytes", eager_bytes, nullptr },
                                         { "mpi.gdr_limit", limit, nullptr },
                                         { "mpi.gdr_receive_limit", receive_limit, nullptr },
                                         { "mpi.stage_ps", stage_ps, nullptr },
                                         { "mpi.gpu_across_bytes", across_bytes, nullptr },
                                         { "mpi.gdrcopy", 0, gdrcopy },
                                         { "mpi.gdr", 0, gdr } });
    launch_config cfg = {};
    MachineFile file("two-node");
    Cluster c(file.cluster());
    uint64_t ps = 0;

    cfg.software = &software;
    cfg.beside = beside;
    EXPECT_EQ(SIM_OK, c.run(
                          [&] {
                              Me me;
                              void *p;
                              uint64_t start = 0;

                              cudaSetDevice(gpu);
                              cudaMalloc(&p, bytes);
                              for (int i = 0; i < 12; i++) {
                                  if (i == 4)
                                      start = host_self()->cpu->time_ps(host_self());
                                  if (i % 2 == me.rank)
                                      MPI_Send(p, bytes, MPI_BYTE, !me.rank, 0, MPI_COMM_WORLD);
                                  else
                                      MPI_Recv(p, bytes, MPI_BYTE, !me.rank, 0, MPI_COMM_WORLD,
                                               MPI_STATUS_IGNORE);
                              }
                              if (me.rank == 0)
                                  ps = (host_self()->cpu->time_ps(host_self()) - start) / 8;
                              return MPI_Finalize();
                          },
                          cfg))
        << c.err.text;
    return ps;
}

TEST(Ib, OneSideMayStageWhileTheOtherDoesNot)
{
    const uint64_t small = 8192, large = 1 << 20;

    for (int bytes : { 8192, 16384, 120001 })
        for (uint64_t in : { small, large }) {
            SCOPED_TRACE(testing::Message() << bytes << " bytes, receives up to " << in);
            expect_exchange({ { "mpi.gdr_limit", in == small ? large : small, nullptr },
                              { "mpi.gdr_receive_limit", in, nullptr },
                              { "mpi.chunk_bytes", 16384, nullptr } },
                            { bytes }, 2);
        }
}

/* A copy of 64 KiB takes 5 us and 64 KiB at 6.2 GB/s, the adapter's reads 64 KiB at 2.9. */
TEST(Ib, TheReceiversLimitIsItsOwn)
{
    const uint64_t small = 8192, large = 1 << 20;
    auto ps = [](uint64_t out, uint64_t in) {
        return pingpong_ps(65536, 4096, out, nullptr, "ib", 2, in);
    };
    double direct = ps(large, large), staged = ps(small, small);
    double staged_in = ps(large, small), staged_out = ps(small, large);
    double copy = 15.6e6;

    EXPECT_EQ(direct, ps(large, 0)) << "0 is the sender's";
    EXPECT_EQ(staged, ps(small, 0));
    EXPECT_NEAR(direct + copy, staged_in, 2e6);
    EXPECT_NEAR(staged - copy, staged_out, 2e6);
}

/* Each side that stages does so much more. */
TEST(Ib, StagingTakesItsTimeOnEachSide)
{
    const uint64_t small = 8192, large = 1 << 20;
    const double stage = 7e6, polls = 5e4;
    auto extra = [&](uint64_t out, uint64_t in) {
        return (double)pingpong_ps(65536, 4096, out, nullptr, "ib", 2, in, (uint64_t)stage) -
               (double)pingpong_ps(65536, 4096, out, nullptr, "ib", 2, in);
    };

    EXPECT_EQ(0, extra(large, large));
    EXPECT_NEAR(stage, extra(small, large), polls);
    EXPECT_NEAR(stage, extra(large, small), polls);
    EXPECT_NEAR(2 * stage, extra(small, small), polls);
}

/* A core sends no more short messages than lines leave it, and takes in the end of each request. */
TEST(Ib, AMessageOfAFewBytesTakesItsLineAndItsCompletion)
{
    const int window = 48, rounds = 4;
    launch_software software = over_ib({});
    launch_config cfg = {};
    MachineFile file("two-node");
    Cluster c(file.cluster());
    uint64_t ps = 0;

    cfg.software = &software;
    cfg.beside = "ib";
    EXPECT_EQ(SIM_OK,
              c.run(
                  [&] {
                      Me me;
                      uint64_t v[window] = {}, start;
                      MPI_Request requests[window];

                      MPI_Barrier(MPI_COMM_WORLD);
                      start = host_self()->cpu->time_ps(host_self());
                      for (int round = 0; round < rounds; round++) {
                          for (int i = 0; i < window; i++)
                              if (me.rank == 0)
                                  MPI_Isend(&v[i], 8, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &requests[i]);
                              else
                                  MPI_Irecv(&v[i], 8, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &requests[i]);
                          MPI_Waitall(window, requests, MPI_STATUSES_IGNORE);
                      }
                      if (me.rank == 0)
                          ps = host_self()->cpu->time_ps(host_self()) - start;
                      return MPI_Finalize();
                  },
                  cfg))
        << c.err.text;
    EXPECT_GT(ps, (uint64_t)window * rounds * (80000 + 20000));
    EXPECT_LT(ps, (uint64_t)window * rounds * 150000);
}

/* configs/mpi has 4096 for mvapich2-gdr-2.2 for no other reason. */
TEST(Ib, EagerDataOfAGpuAreFasterUpTo4096BytesAndSlowerFrom8192)
{
    const uint64_t none = 1, all = 16384;

    EXPECT_LT(pingpong_ps(4096, all), pingpong_ps(4096, none));
    EXPECT_GT(pingpong_ps(8192, all), pingpong_ps(8192, none));
}

/* Eager or not: beyond the limit the adapter leaves GPUs alone, as without GPUDirect. */
TEST(Ib, BeyondItsLimitGpuDirectIsAsOff)
{
    for (int bytes : { 2000, 6000 }) {
        uint64_t off = pingpong_ps(bytes, 4096, 8192, "off");

        EXPECT_NEAR((double)off, (double)pingpong_ps(bytes, 4096, 1024), 10e3) << bytes;
        EXPECT_LT(2 * pingpong_ps(bytes, 4096), off) << bytes;
    }
}

/* Ranks run beside the adapter if they are placed there; GPU 0 and what a core of socket 0 does are
 * farther from it. */
TEST(Ib, WhatCrossesTheSocketsTakesLonger)
{
    uint64_t beside = pingpong_ps(8, 4096);

    EXPECT_GT(pingpong_ps(8, 4096, 8192, nullptr, nullptr), beside + 100 * SIM_NS);
    EXPECT_GT(pingpong_ps(8, 4096, 8192, nullptr, "ib", 0), beside + 50 * SIM_NS);
    EXPECT_GT(pingpong_ps(32, 4096, 8192, nullptr, "ib", 0), pingpong_ps(32, 4096) + 600 * SIM_NS);
}

/* GPU 0 is on the other socket than the adapter, GPU 2 is not. The adapter writes 256 bytes across
 * in 0.83 us. */
TEST(Ib, TheCoreStoresWhatIsForAGpuAcrossTheSockets)
{
    auto ps = [](int bytes, int gpu, uint64_t across) {
        return pingpong_ps(bytes, 0, 8192, nullptr, gpu == 0 ? "hub" : "ib", gpu, 0, 0, across);
    };

    for (int bytes : { 2048, 8192 }) {
        uint64_t by_adapter = ps(bytes, 0, 0), by_core = ps(bytes, 0, 8192);

        EXPECT_NEAR((double)by_adapter, 830000.0 * bytes / 256 + 5e6, 2.5e6) << bytes;
        EXPECT_LT(by_core, by_adapter - 830000u * (bytes / 256 - 2) / 2) << bytes;
        EXPECT_EQ(ps(bytes, 2, 0), ps(bytes, 2, 8192)) << bytes;
    }
    EXPECT_EQ(ps(8200, 0, 0), ps(8200, 0, 8192)) << "longer ones go as before";
    /* Without cores that copy, the adapter writes to the GPU, 256 bytes in 0.83 us. */
    EXPECT_GT(pingpong_ps(2048, 0, 8192, nullptr, "hub", 0, 0, 0, 8192, "off"),
              ps(2048, 0, 8192) + 830000 * 6);
    for (const char *gdrcopy : { "on", "off" })
        expect_exchange(
            { { "mpi.gpu_across_bytes", 8192, nullptr }, { "mpi.gdrcopy", 0, gdrcopy } },
            { 8, 17, 300, 8192, 9000 }, 0);
}

TEST(Ib, SocketsOfPortsTellWhichGpuIsBesideTheAdapter)
{
    auto gpu = [](const MachineFile &file, const char *component, bool beside, unsigned skip) {
        unsigned number = 99;

        (void)launch_gpu_by(file.desc(), 1, component, beside, skip, &number);
        return number;
    };
    MachineFile own("two-node"), moved("two-node", { "node1.host.p3.socket=0" });
    MachineFile single("nodes: 2\nplatform: hapacs-tca-sandybridge\n");

    EXPECT_EQ(2u, gpu(own, "ib", true, 0));
    EXPECT_EQ(3u, gpu(own, "ib", true, 1));
    EXPECT_EQ(0u, gpu(own, "ib", false, 0));
    EXPECT_EQ(0u, gpu(own, "hub", true, 0));
    EXPECT_EQ(99u, gpu(own, "ib", true, 2)) << "there are two";
    EXPECT_EQ(3u, gpu(moved, "ib", true, 0));
    EXPECT_EQ(0u, gpu(single, "ib", true, 0));
    EXPECT_EQ(99u, gpu(single, "ib", false, 0));
}

TEST(Ib, MoreRailsThanPortsAreRefused)
{
    launch_software software = over_ib({ { "mpi.rails", 2, nullptr } });
    launch_config cfg = {};
    MachineFile file("nodes: 2\nplatform: hapacs-tca-sandybridge\n");
    Cluster c(file.cluster());

    cfg.software = &software;
    EXPECT_EQ(SIM_OK, c.run(
                          [] {
                              Me me;
                              return MPI_Finalize();
                          },
                          cfg));
    EXPECT_TRUE(c.result.aborted);
    ASSERT_FALSE(c.lines.empty());
    EXPECT_NE(std::string::npos,
              c.lines[0].text.find("rails = 2: the adapter of node 0 has 1 port in use"))
        << c.lines[0].text;
}

} // namespace
