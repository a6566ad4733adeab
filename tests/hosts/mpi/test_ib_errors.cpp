// What ranks print over InfiniBand when a device does not answer its adapters.
#include "tests/hosts/mpi/over_ib.h"

namespace
{

using namespace test;

/* Rank 0 sends from GPU 2; without GDRCOPY and gathering the adapter reads it for the entry. */
int send_from_gpu()
{
    Me me;
    static uint8_t host[2][2048];
    void *p = host[me.rank];

    if (me.rank == 0) {
        cudaSetDevice(2);
        cudaMalloc(&p, 2048);
        MPI_Send(p, 2048, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv(p, 2048, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    return MPI_Finalize();
}

/* The long message from the host is on its way when that of the GPU fails. */
int send_from_host_and_gpu()
{
    Me me;
    static uint8_t host[2][1 << 20], small[2048];
    void *gpu = nullptr;
    MPI_Request request[2];
    double begun;
    int done = 0;

    if (me.rank == 0) {
        cudaSetDevice(2);
        cudaMalloc(&gpu, 2048);
        MPI_Isend(host[0], 1 << 20, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request[0]);
        for (begun = MPI_Wtime(); MPI_Wtime() < begun + 100e-6;)
            MPI_Test(&request[0], &done, MPI_STATUS_IGNORE);
        MPI_Isend(gpu, 2048, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request[1]);
    } else {
        MPI_Irecv(host[1], 1 << 20, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request[0]);
        MPI_Irecv(small, 2048, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &request[1]);
    }
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    return MPI_Finalize();
}

struct Sending {
    MachineFile file;
    Cluster cluster;
    launch_software software;
    int code;

    Sending(const std::vector<const char *> &sets, const std::vector<Setting> &settings,
            int program() = send_from_gpu,
            const char *fault = "{component: node0.gpu2, silent: {at: 200us, count: 1}}")
        : file("two-node", sets, { fault }), cluster(file.cluster()), software(over_ib(settings))
    {
        launch_config cfg = {};

        cfg.nranks = 2;
        cfg.software = &software;
        code = cluster.run(program, cfg);
    }
};

void expect_line(const std::vector<Setting> &settings, const std::string &request)
{
    Sending s({}, settings);
    std::vector<std::string> said;

    for (const Cluster::Line &line : s.cluster.lines)
        said.push_back(line.text);
    ASSERT_EQ(1u, said.size());
    EXPECT_EQ(0u, said[0].find("rank 0 on node 0 at 50")) << said[0];
    EXPECT_NE(std::string::npos,
              said[0].find(" us: MPI_Send: a write of 2048 bytes " + request +
                           " over InfiniBand failed: the adapter could not read the memory of this "
                           "node"))
        << said[0];
    EXPECT_EQ(1, s.cluster.result.ranks[0].exit_code);
}

TEST(IbErrors, ARequestThatFailsIsNamedWithRankTimeCallAndPeer)
{
    expect_line({ { "mpi.gpu_gather", 0, "off" } }, "within node 0");
    expect_line({ { "mpi.gpu_gather", 0, "on" } }, "to rank 1");
}

TEST(IbErrors, ARequestThatWasFlushedDoesNotHideTheReason)
{
    Sending s({}, { { "mpi.gpu_gather", 0, "on" } }, send_from_host_and_gpu,
              "{component: node0.gpu2, abort: {at: 200us, count: 1}}");

    ASSERT_EQ(1u, s.cluster.lines.size());
    EXPECT_NE(std::string::npos, s.cluster.lines[0].text.find(
                                     "a write of 2048 bytes to rank 1 over InfiniBand failed: "
                                     "the adapter could not read the memory of this node"))
        << s.cluster.lines[0].text;
}

TEST(IbErrors, ARankThatWaitsForItsAdapterIsNamedWithItsCall)
{
    Sending s({ "node*.ib.completion_timeout_ps=0" }, { { "mpi.gpu_gather", 0, "off" } });

    EXPECT_EQ(SIM_ERR_STALLED, s.code);
    EXPECT_NE(
        std::string::npos,
        std::string(s.cluster.err.text).find("rank 0 on node 0 is in MPI_Send, polling memory"))
        << s.cluster.err.text;
}

} // namespace
