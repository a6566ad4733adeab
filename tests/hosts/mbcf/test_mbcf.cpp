/* The facility on its platform: delivery and order, also when frames are lost, and what it costs.
 */
#include <mbcf.h>
#include <mpi-hub.h>
#include <mpi.h>

#include <cstring>

#include "hosts/host/host.h"
#include "tests/hosts/machine_file.h"
extern "C" {
#include "hosts/mbcf/internal.h"
}

namespace
{

using test::Cluster;
using test::MachineFile;

/** As many ranks as asked for, with the costs that the platform file gives, in every order. */
void expect_run(const char *machine, unsigned ranks, const std::function<int()> &fn,
                const std::vector<const char *> &sets = {})
{
    MachineFile file(machine, sets);
    Cluster cluster(file.cluster());
    launch_software software = lab_software(cluster.machine(), 0);
    launch_config cfg = {};

    cfg.nranks = ranks;
    cfg.software = &software;
    cfg.max_time_ps = 60000 * SIM_MS;
    cluster.expect_run(fn, cfg);
}

void rest(uint64_t ps)
{
    host *h = host_self();
    const uint64_t until = h->cpu->time_ps(h) + ps;

    while (h->cpu->time_ps(h) < until)
        h->cpu->sleep(h, until);
}

void await(const volatile uint32_t *left)
{
    while (*left != 0)
        mbcf_wait();
}

/** Each task appends numbers to the next one's FIFO, with data written between them. */
int play_ring(unsigned count, bool lossy = false)
{
    const unsigned me = mbcf_task(), n = mbcf_tasks(), next = (me + 1) % n;
    std::vector<uint8_t> ring(200000), in(3000), out(3000);
    volatile uint32_t left = 0;
    mbcf_counts counts = {};

    if (mbcf_open() != MBCF_OK || mbcf_fifo_open(0, ring.data(), ring.size()) != MBCF_OK ||
        mbcf_expose(0, in.data(), in.size()) != MBCF_OK)
        return 1;
    for (uint32_t i = 0; i < count; i++) {
        memset(out.data(), (int)(i + 1), out.size());
        mbcf_write(next, 0, 0, out.data(), out.size(), i + 1 == count ? &left : nullptr);
        mbcf_fifo_write(next, 0, &i, sizeof(i), nullptr);
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t got = UINT32_MAX;

        while (mbcf_fifo_read(0, &got, sizeof(got)) < 0)
            mbcf_wait();
        if (got != i)
            return 2;
    }
    await(&left);
    if (in[0] != (uint8_t)count || in[2999] != (uint8_t)count)
        return 3;
    rest(UINT64_C(1000000000000)); /* what the others still miss is sent again meanwhile */
    mbcf_count(&counts);
    return counts.retransmissions > 0 || !lossy ? 0 : 4;
}

TEST(Mbcf, DeliversInOrderThroughTheSwitch)
{
    expect_run("mbcf-switch", 3, [] { return play_ring(30); });
}

TEST(Mbcf, DeliversInOrderOnOneHalfDuplexCable)
{
    expect_run("mbcf-hub", 2, [] { return play_ring(30); });
}

TEST(Mbcf, DeliversInOrderWhenFramesAreLost)
{
    expect_run("mbcf-switch", 3, [] { return play_ring(30, true); },
               { "node*.ether.rx.loss_ppm=50000" });
    expect_run("mbcf-hub", 2, [] { return play_ring(30, true); },
               { "node*.ether.rx.loss_ppm=100000" });
}

TEST(Mbcf, SendsAgainWhatTheReceiverHasNoPlaceFor)
{
    expect_run("mbcf-hub", 2, [] {
        static uint8_t ring[2][4096], data[1000];
        const unsigned me = mbcf_task();

        if (me == 0) {
            mbcf_open();
            for (uint8_t i = 0; i < 12; i++) { /* three times what the ring holds */
                data[0] = i;
                mbcf_fifo_write(1, 3, data, sizeof(data), nullptr);
            }
            rest(UINT64_C(900000000000));
            return 0;
        }
        rest(UINT64_C(50000000000)); /* the first ones find no FIFO */
        mbcf_open();
        mbcf_fifo_open(3, ring[me], sizeof(ring[me]));
        rest(UINT64_C(50000000000)); /* the others no room */
        for (uint8_t i = 0; i < 12; i++) {
            uint8_t got[1000];

            while (mbcf_fifo_read(3, got, sizeof(got)) < 0)
                mbcf_wait();
            if (got[0] != i)
                return 1;
        }
        return 0;
    });
}

/* The one processor: what handlers take is missing from what the rank computes. */
TEST(Mbcf, HandlersStealTheTimeOfTheRank)
{
    expect_run("mbcf-hub", 2, [] {
        static uint8_t place[2][64];
        const uint64_t work = UINT64_C(5000000000);
        host *h = host_self();
        uint64_t start, alone, disturbed;

        mbcf_open();
        mbcf_expose(0, place[h->rank], sizeof(place[0]));
        start = h->cpu->time_ps(h);
        h->cpu->spend(h, work);
        alone = h->cpu->time_ps(h) - start;
        if (h->rank == 0) {
            for (int i = 0; i < 100; i++)
                mbcf_write(1, 0, 0, place[0], sizeof(place[0]), nullptr);
            return alone == work ? 0 : 1;
        }
        start = h->cpu->time_ps(h);
        h->cpu->spend(h, work);
        disturbed = h->cpu->time_ps(h) - start;
        mbcf_counts counts = {};
        mbcf_count(&counts);
        /* an entry, a switch and a copy for each of a hundred packets: some 7 us */
        return alone == work && disturbed > work + 500000000 && disturbed < work + 1200000000 ? 0
                                                                                              : 2;
    });
}

TEST(Mbcf, WrongCallsAreRefused)
{
    expect_run("mbcf-hub", 2, [] {
        uint8_t byte = 0;

        if (mbcf_write(0, 0, 0, &byte, 1, nullptr) != MBCF_ERR_ARGUMENT || mbcf_open() != MBCF_OK)
            return 1;
        return mbcf_write(2, 0, 0, &byte, 1, nullptr) == MBCF_ERR_ARGUMENT &&
                       mbcf_write(0, MBCF_REGIONS, 0, &byte, 1, nullptr) == MBCF_ERR_ARGUMENT &&
                       mbcf_fifo_write(0, 0, &byte, MBCF_PACKET_BYTES + 1, nullptr) ==
                           MBCF_ERR_ARGUMENT &&
                       mbcf_fifo_open(0, &byte, 1) == MBCF_ERR_ARGUMENT &&
                       mbcf_fifo_read(0, &byte, 1) == -1
                   ? 0
                   : 2;
    });
}

/* All that is kept for other nodes is there from the beginning, or nothing is. */
TEST(Mbcf, WindowsThatDoNotFitIntoMemoryAreRefusedAtOnce)
{
    MachineFile file("mbcf-hub");
    Cluster cluster(file.cluster());
    launch_software software = lab_software(cluster.machine(), 0);
    launch_config cfg = {};

    for (host_setting &s : software.settings)
        if (s.key != nullptr && std::string(s.key) == "kernel.window")
            s.number = UINT64_C(1) << 60;
    cfg.nranks = 2;
    cfg.software = &software;
    cluster.expect_run(
        [] {
            uint8_t byte = 0;

            return mbcf_open() == MBCF_ERR_NOMEM && mbcf_open() == MBCF_ERR_NOMEM &&
                           mbcf_write(0, 0, 0, &byte, 1, nullptr) == MBCF_ERR_ARGUMENT
                       ? 0
                       : 1;
        },
        cfg);
}

/* SR, NSR and sockets carry the same messages. */
int exchange_all()
{
    int argc = 0, me = 0, n = 0;
    char **argv = nullptr;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    for (int bytes : { 0, 1, 64, 1392, 1393, 5000, 70000 }) {
        std::vector<uint8_t> out(bytes + 1), in(bytes + 1);
        MPI_Status status;
        int got = -1;

        for (int i = 0; i < bytes; i++)
            out[i] = (uint8_t)(i * 5 + me + bytes);
        MPI_Sendrecv(out.data(), bytes, MPI_BYTE, (me + 1) % n, 4, in.data(), bytes, MPI_BYTE,
                     (me + n - 1) % n, 4, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_BYTE, &got);
        for (int i = 0; i < bytes; i++)
            if (in[i] != (uint8_t)(i * 5 + (me + n - 1) % n + bytes))
                return 1;
        if (got != bytes)
            return 2;
    }
    MPI_Finalize();
    return 0;
}

TEST(Mbcf, CarriesMpiWithRequests)
{
    expect_run("mbcf-switch", 3, exchange_all);
}

TEST(Mbcf, CarriesMpiWithoutRequests)
{
    expect_run("mbcf-switch-half", 3, exchange_all, { "node*.software.mpi.requests=off" });
}

TEST(Mbcf, CarriesMpiBySockets)
{
    expect_run("mbcf-switch", 3, exchange_all,
               { "node*.software.mpi.transport=tcp", "node*.software.kernel.ack_every=2" });
}

TEST(Mbcf, CarriesMpiWhenFramesAreLost)
{
    expect_run("mbcf-switch", 3, exchange_all, { "node*.ether.rx.loss_ppm=20000" });
}

/* Of 41 packets one way each fourth is acknowledged at once, and the last before it would be sent
 * again. Packets of the other direction acknowledge, too. */
int count_acks(bool both_ways)
{
    const unsigned me = mbcf_task(), packets = 41;
    uint8_t data[64] = {};
    static uint8_t place[2][64];
    mbcf_counts counts = {};

    if (mbcf_open() != MBCF_OK || mbcf_expose(0, place[me], sizeof(place[me])) != MBCF_OK)
        return 1;
    rest(SIM_MS);
    for (unsigned i = 0; i < packets; i++) {
        if (me == 0 || both_ways)
            mbcf_write(1 - me, 0, 0, data, sizeof(data), nullptr);
        rest(SIM_MS / 10);
    }
    rest(50 * SIM_MS);
    mbcf_count(&counts);
    if (counts.retransmissions != 0)
        return 2;
    if (both_ways)
        return counts.acks <= 1 ? 0 : 3;
    return counts.acks == (me == 1 ? packets / 4 + 1 : 0) ? 0 : 4;
}

TEST(Mbcf, AcknowledgesByCountWhatNothingElseTells)
{
    const std::vector<const char *> fourth = { "node*.software.kernel.ack_every=4" };

    expect_run(
        "mbcf-switch", 2, [] { return count_acks(false); }, fourth);
    expect_run(
        "mbcf-switch", 2, [] { return count_acks(true); }, fourth);
}

/* A frame of 1408 bytes takes 118 us of the cable. */
int write_three(bool waits)
{
    uint8_t data[MBCF_PACKET_BYTES] = {};
    static uint8_t place[MBCF_PACKET_BYTES];
    uint64_t start;

    if (mbcf_open() != MBCF_OK || mbcf_expose(0, place, sizeof(place)) != MBCF_OK)
        return 1;
    rest(SIM_MS);
    start = mbcf_time_ps();
    for (int i = 0; mbcf_task() == 0 && i < 3; i++)
        mbcf_write(1, 0, 0, data, sizeof(data), nullptr);

    start = mbcf_time_ps() - start;
    rest(10 * SIM_MS); /* both stay for what is on its way */
    return mbcf_task() == 1 || (start > 2 * 118 * SIM_US) == waits ? 0 : 2;
}

TEST(Mbcf, InHalfDuplexTheDriverSeesFramesOut)
{
    expect_run("mbcf-hub", 2, [] { return write_three(true); },
               { "node*.software.kernel.half_waits=on" });
    expect_run("mbcf-hub", 2, [] { return write_three(false); },
               { "node*.software.kernel.half_waits=off" });
    expect_run("mbcf-switch", 2, [] { return write_three(false); },
               { "node*.software.kernel.half_waits=on" });
}

/* Calls of the facility do not wait for the far side: rank 0 goes on while most of a message has
 * found no room yet. */
int write_far()
{
    const int bytes = 300000;
    int argc = 0, me = 0, done = 0;
    char **argv = nullptr;
    std::vector<uint8_t> data(bytes);
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    for (int i = 0; me == 0 && i < bytes; i++)
        data[i] = (uint8_t)(i * 7);
    if (me == 1)
        MPI_Irecv(data.data(), bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &request);
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 0) {
        const double start = MPI_Wtime();

        MPI_Isend(data.data(), bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
        if (MPI_Wtime() - start > bytes / 12.5e6 / 2)
            return 1;
    }
    if (me < 2)
        while (done == 0)
            MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    for (int i = 0; me == 1 && i < bytes; i++)
        if (data[i] != (uint8_t)(i * 7))
            return 2;
    MPI_Finalize();
    return 0;
}

TEST(Mbcf, AWriteThatFindsNoRoomKeepsNobody)
{
    expect_run("mbcf-switch", 3, write_far);
}

/* As in CG and MG: what goes to the rank itself takes the way of all messages, and counts. */
int write_here()
{
    int argc = 0;
    char **argv = nullptr;
    std::vector<uint8_t> out(5000, 3), in(5000);
    MPI_Request request;
    MPIX_Hub_counts before, after;

    MPI_Init(&argc, &argv);
    MPIX_Hub_counters(&before);
    MPI_Irecv(in.data(), 5000, MPI_BYTE, 0, 1, MPI_COMM_SELF, &request);
    MPI_Send(out.data(), 5000, MPI_BYTE, 0, 1, MPI_COMM_SELF);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPIX_Hub_counters(&after);
    if (in != out || after.write_bytes - before.write_bytes != 5000)
        return 1;
    in.assign(5000, 0);
    MPI_Send(out.data(), 5000, MPI_BYTE, 0, 2, MPI_COMM_SELF);
    MPI_Recv(in.data(), 5000, MPI_BYTE, 0, 2, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    MPIX_Hub_counters(&before);
    if (in != out || before.write_bytes != after.write_bytes)
        return 2;
    MPI_Finalize();
    return 0;
}

TEST(Mbcf, MessagesToOneselfAreWritten)
{
    expect_run("mbcf-switch", 1, write_here);
}

TEST(MbcfPacket, HeaderIsAsWrittenByHand)
{
    const mbcf_header in = {
        MBCF_OP_WRITE, MBCF_WANTS_ACK, 1408, 7, 3, 0x01020304, 0xfffffffe, 9, 0x1122334455667788
    };
    const uint8_t hand[] = { 1, 1, 0x05, 0x80, 0,    0,    0,    7,    0,    0,   0,
                             3, 1, 2,    3,    4,    0xff, 0xff, 0xff, 0xfe, 0,   0,
                             0, 9, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88 };
    uint8_t bytes[MBCF_HEADER_BYTES];
    mbcf_header out = {};

    mbcf_header_encode(&in, bytes);
    EXPECT_EQ(0, memcmp(hand, bytes, sizeof(hand)));
    mbcf_header_decode(&out, bytes);
    EXPECT_EQ(in.bytes, out.bytes);
    EXPECT_EQ(in.sequence, out.sequence);
    EXPECT_EQ(in.ack, out.ack);
    EXPECT_EQ(in.offset, out.offset);
}

TEST(Mbcf, ANodeWithoutAnAdapterHasNoNetwork)
{
    Cluster c;

    ASSERT_EQ(SIM_OK, c.run([] {
        return mbcf_open() == MBCF_ERR_NO_NETWORK && mbcf_open() == MBCF_ERR_NO_NETWORK ? 0 : 1;
    })) << c.err.text;
    EXPECT_TRUE(c.all_well());
}

/* A part of the network is a node without a host: it runs no rank, and no platform replaces it. */
TEST(MbcfMachine, PartsOfTheNetworkRunNoRank)
{
    const std::string path = std::string(CONFIGS) + "/machines/mbcf-hub.yaml";
    load_roots roots = {};
    load_options opt = {};
    load_machine *machine = nullptr;
    sim_error err = {};

    load_roots_add(&roots, CONFIGS);
    opt.roots = &roots;
    opt.kinds = lab_kinds();
    opt.platform = "mbcf-sunos";
    ASSERT_EQ(SIM_OK, attempt(&err, [&] { machine = load_machine_create(path.c_str(), &opt); }))
        << err.text;
    const machine_desc *desc = load_machine_desc(machine);
    ASSERT_EQ(3u, desc->nnodes);
    EXPECT_STREQ("mbcf-sunos", desc->nodes[1].platform);
    EXPECT_STREQ("repeater-hub", desc->nodes[2].platform);
    load_machine_destroy(machine);

    MachineFile file("mbcf-hub");
    Cluster c(file.cluster());
    EXPECT_EQ(2u, launch_hosts(c.machine()));
}

} // namespace
