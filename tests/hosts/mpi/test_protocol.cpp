#include <mpi-hub.h>

#include <cstring>
#include <vector>

#include "tests/built.h"
#include "tests/hosts/mpi/ranks.h"

namespace
{

using test::Me;

MPIX_Hub_counts counts()
{
    MPIX_Hub_counts c;

    EXPECT_EQ(MPI_SUCCESS, MPIX_Hub_counters(&c));
    return c;
}

void pause_us(uint64_t us)
{
    struct host *h = host_self();

    h->cpu->spend(h, us * SIM_US);
}

/** The control network, with requests or not and messages of so many bytes sent eagerly. */
launch_software software(bool requests, uint64_t eager_bytes, uint64_t fifo_bytes = 0)
{
    launch_software sw = launch_software_default();
    unsigned n = 0;
    auto set = [&](const char *key, uint64_t number, const char *word) {
        sw.settings[n].key = key;
        sw.settings[n].number = number;
        snprintf(sw.settings[n++].word, sizeof(sw.settings[0].word), "%s", word);
    };

    set("mpi.transport", 0, "net");
    set("mpi.requests", requests ? 1 : 2, requests ? "on" : "off");
    set("mpi.eager_bytes", eager_bytes, "");
    set("mpi.fifo_bytes", fifo_bytes, "");
    return sw;
}

/** On two nodes, in every order of events. */
void on_two(const launch_software &sw, const std::function<int()> &fn)
{
    test::ClusterConfig cc;
    launch_config cfg = {};

    cc.hubs = false;
    cfg.software = &sw;
    test::Cluster(cc).expect_run(fn, cfg);
}

TEST(MpiProtocol, AReceiveThatIsFirstGetsItsMessageWithoutACopy)
{
    on_two(software(true, 0), [] {
        Me me;
        std::vector<char> buf(3000, static_cast<char>(me.rank));
        MPIX_Hub_counts before = counts();
        if (me.rank == 0) {
            pause_us(100);
            MPI_Send(buf.data(), 3000, MPI_CHAR, 1, 4, MPI_COMM_WORLD);
            EXPECT_EQ(before.write_bytes + 3000, counts().write_bytes);
            EXPECT_EQ(before.fifo_bytes, counts().fifo_bytes);
        } else {
            MPI_Recv(buf.data(), 3000, MPI_CHAR, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            EXPECT_EQ(std::vector<char>(3000, 0), buf);
            EXPECT_EQ(before.copies[0] + 1, counts().copies[0]);
            EXPECT_EQ(before.copied_bytes[0] + 3000, counts().copied_bytes[0]);
            EXPECT_EQ(before.asks + 1, counts().asks);
        }
        return MPI_Finalize();
    });
}

TEST(MpiProtocol, AMessageThatIsFirstIsCopiedOnceAndOneThatIsLookedAtTwice)
{
    on_two(software(true, 0), [] {
        Me me;
        int v = me.rank, flag = 0;
        MPIX_Hub_counts before = counts();
        if (me.rank == 0) {
            MPI_Send(&v, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
            pause_us(300);
            MPI_Send(&v, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
        } else {
            pause_us(100);
            MPI_Recv(&v, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            EXPECT_EQ(before.copies[1] + 1, counts().copies[1]);
            while (flag == 0)
                MPI_Iprobe(0, 2, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
            MPI_Recv(&v, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            EXPECT_EQ(before.copies[2] + 1, counts().copies[2]);
            EXPECT_EQ(before.copies[0], counts().copies[0]);
        }
        return MPI_Finalize();
    });
}

/* Both begin at one time: the request for the first message is under way as that leaves. */
TEST(MpiProtocol, ARequestThatCrossedItsMessageIsDroppedAndTheNextOneCounts)
{
    on_two(software(true, 0), [] {
        Me me;
        int v[3] = { 10, 11, 12 }, in[3] = { 0, 0, 0 };
        MPI_Request rq[3];
        MPI_Barrier(MPI_COMM_WORLD);
        MPIX_Hub_counts before = counts();
        if (me.rank == 0) {
            MPI_Send(&v[0], 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
            pause_us(200);
            MPI_Send(&v[1], 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
            MPI_Send(&v[2], 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
            EXPECT_EQ(before.stale_asks + 1, counts().stale_asks);
            EXPECT_EQ(before.write_messages + 2, counts().write_messages);
        } else {
            for (int i = 0; i < 3; i++)
                MPI_Irecv(&in[i], 1, MPI_INT, 0, i == 1 ? 0 : MPI_ANY_TAG, MPI_COMM_WORLD, &rq[i]);
            MPI_Waitall(3, rq, MPI_STATUSES_IGNORE);
            for (int i = 0; i < 3; i++)
                EXPECT_EQ(v[i], in[i]);
            EXPECT_EQ(before.asks + 3, counts().asks);
        }
        return MPI_Finalize();
    });
}

TEST(MpiProtocol, AReceiveFromAnybodyHoldsBackTheRequestsOfLaterOnes)
{
    on_two(software(true, 0), [] {
        Me me;
        int a = -1, b = -1, v = 5;
        MPI_Request rq[2];
        MPI_Barrier(MPI_COMM_WORLD);
        MPIX_Hub_counts before = counts();
        if (me.rank == 0) {
            pause_us(100);
            MPI_Send(&v, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
            pause_us(200);
            v = 6;
            MPI_Send(&v, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
            EXPECT_EQ(before.write_messages + 1, counts().write_messages);
        } else {
            MPI_Irecv(&a, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &rq[0]);
            MPI_Irecv(&b, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, &rq[1]);
            EXPECT_EQ(before.asks, counts().asks);
            MPI_Wait(&rq[0], MPI_STATUS_IGNORE);
            EXPECT_EQ(before.asks + 1, counts().asks);
            MPI_Wait(&rq[1], MPI_STATUS_IGNORE);
            EXPECT_EQ(5, a);
            EXPECT_EQ(6, b);
        }
        return MPI_Finalize();
    });
}

TEST(MpiProtocol, BlocksAtOneDistanceAreWrittenWithoutBeingPacked)
{
    on_two(software(true, 0), [] {
        Me me;
        std::vector<int> column(300), in(100, -1);
        MPI_Datatype every_third;
        MPIX_Hub_counts before = counts();
        for (int i = 0; i < 300; i++)
            column[i] = i;
        MPI_Type_vector(100, 1, 3, MPI_INT, &every_third);
        MPI_Type_commit(&every_third);
        if (me.rank == 0) {
            pause_us(100);
            MPI_Send(&column[1], 1, every_third, 1, 4, MPI_COMM_WORLD);
        } else {
            MPI_Recv(in.data(), 100, MPI_INT, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            for (int i = 0; i < 100; i++)
                EXPECT_EQ(3 * i + 1, in[i]);
            EXPECT_EQ(before.copies[0] + 1, counts().copies[0]);
        }
        MPI_Type_free(&every_third);
        return MPI_Finalize();
    });
}

TEST(MpiProtocol, AWrittenMessageThatIsTooLongIsCutOffAtTheBuffer)
{
    on_two(software(true, 0), [] {
        Me me;
        char buf[12];
        int n = -1;
        MPI_Status st;
        memset(buf, 'a' + me.rank, sizeof(buf));
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        if (me.rank == 0) {
            pause_us(100);
            MPI_Send(buf, 12, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
        } else {
            EXPECT_EQ(MPI_ERR_TRUNCATE, MPI_Recv(buf, 5, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &st));
            MPI_Get_count(&st, MPI_CHAR, &n);
            EXPECT_EQ(5, n);
            EXPECT_EQ("aaaaabbbbbbb", std::string(buf, 12));
        }
        return MPI_Finalize();
    });
}

TEST(MpiProtocol, ACancelledRequestLeavesTheMessageToTheNextReceive)
{
    for (bool requests : { true, false }) {
        on_two(software(requests, 0), [] {
            Me me;
            int a = -1, b = -1, v = 7, flag = 0;
            MPI_Request rq[2];
            MPI_Status st;
            MPI_Barrier(MPI_COMM_WORLD);
            if (me.rank == 0) {
                pause_us(100);
                MPI_Send(&v, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
            } else {
                MPI_Irecv(&a, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &rq[0]);
                MPI_Irecv(&b, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &rq[1]);
                MPI_Cancel(&rq[0]);
                MPI_Wait(&rq[0], &st);
                MPI_Test_cancelled(&st, &flag);
                MPI_Wait(&rq[1], MPI_STATUS_IGNORE);
                EXPECT_EQ(1, flag);
                EXPECT_EQ(-1, a);
                EXPECT_EQ(7, b);
            }
            return MPI_Finalize();
        });
    }
}

TEST(MpiProtocol, LongMessagesGoInPiecesOrWhenTheyAreAskedFor)
{
    for (uint64_t eager : { 0u, 1000u }) {
        for (uint64_t fifo : { 0u, 256u }) {
            on_two(software(false, eager, fifo), [] {
                Me me;
                std::vector<int> out(5000), in(5000, -1);
                MPI_Datatype every_second;
                for (int i = 0; i < 5000; i++)
                    out[i] = me.rank * 10000 + i;
                MPI_Type_vector(2500, 1, 2, MPI_INT, &every_second);
                MPI_Type_commit(&every_second);
                MPI_Sendrecv(out.data(), 1, every_second, 1 - me.rank, 0, in.data(), 2500, MPI_INT,
                             1 - me.rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                for (int i = 0; i < 2500; i++)
                    EXPECT_EQ((1 - me.rank) * 10000 + 2 * i, in[i]);
                MPI_Sendrecv(out.data(), 2500, MPI_INT, 1 - me.rank, 0, in.data(), 1, every_second,
                             1 - me.rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                for (int i = 1; i < 2500; i++)
                    EXPECT_EQ((1 - me.rank) * 10000 + i, in[2 * i]);
                MPI_Type_free(&every_second);
                return MPI_Finalize();
            });
        }
    }
}

/* A receive with gaps can announce no address. */
TEST(MpiProtocol, AMessageThroughTheFifoCountsOnceAlsoInPieces)
{
    for (uint64_t eager : { 1000u, 20000u }) {
        on_two(software(false, eager, 256), [] {
            Me me;
            std::vector<int> out(2500), in(5000);
            MPI_Datatype every_second;
            MPIX_Hub_counts before = counts();
            MPI_Type_vector(2500, 1, 2, MPI_INT, &every_second);
            MPI_Type_commit(&every_second);
            if (me.rank == 0) {
                MPI_Send(out.data(), 2500, MPI_INT, 1, 0, MPI_COMM_WORLD);
                EXPECT_EQ(before.fifo_messages + 1, counts().fifo_messages);
                EXPECT_EQ(before.fifo_bytes + 10000, counts().fifo_bytes);
                EXPECT_EQ(before.write_messages, counts().write_messages);
            } else {
                MPI_Recv(in.data(), 1, every_second, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            }
            MPI_Type_free(&every_second);
            return MPI_Finalize();
        });
    }
}

TEST(MpiProtocol, ASynchronousSendEndsWhenItsReceiveHasBegun)
{
    for (bool requests : { true, false }) {
        on_two(software(requests, 0), [] {
            Me me;
            int v = me.rank, flag = 1;
            MPI_Request rq;
            MPI_Barrier(MPI_COMM_WORLD);
            double begin = MPI_Wtime();
            if (me.rank == 0) {
                MPI_Issend(&v, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &rq);
                pause_us(50);
                MPI_Test(&rq, &flag, MPI_STATUS_IGNORE);
                EXPECT_EQ(0, flag);
                MPI_Wait(&rq, MPI_STATUS_IGNORE);
                EXPECT_GT(MPI_Wtime() - begin, 200e-6);
            } else {
                pause_us(200);
                MPI_Recv(&v, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                EXPECT_EQ(0, v);
            }
            return MPI_Finalize();
        });
    }
}

TEST(MpiProtocol, ASendThatNobodyReceivedIsTakenBack)
{
    for (uint64_t eager : { 0u, 4u }) {
        on_two(software(false, eager), [] {
            Me me;
            double v[4] = { 1, 2, 3, 4 };
            int flag = 0;
            MPI_Request rq;
            MPI_Status st;
            if (me.rank == 0) {
                MPI_Isend(v, 4, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, &rq);
                MPI_Cancel(&rq);
                MPI_Wait(&rq, &st);
                MPI_Test_cancelled(&st, &flag);
                EXPECT_EQ(1, flag);
            }
            MPI_Barrier(MPI_COMM_WORLD);
            MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
            EXPECT_EQ(me.rank == 0 ? flag : 0, flag);
            return MPI_Finalize();
        });
    }
}

TEST(MpiProtocol, BufferedSendsDoNotWaitAndTheBufferHoldsOnlySoMuch)
{
    on_two(software(false, 16), [] {
        Me me;
        std::vector<char> room(1000 + MPI_BSEND_OVERHEAD), data(1000, 'x');
        void *back = nullptr;
        int bytes = 0;
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        MPI_Buffer_attach(room.data(), static_cast<int>(room.size()));
        EXPECT_EQ(MPI_SUCCESS, MPI_Bsend(data.data(), 1000, MPI_CHAR, 1 - me.rank, 0,
                                         MPI_COMM_WORLD)); /* both at once */
        EXPECT_EQ(MPI_ERR_BUFFER,
                  MPI_Bsend(data.data(), 1, MPI_CHAR, 1 - me.rank, 0, MPI_COMM_WORLD));
        MPI_Recv(data.data(), 1000, MPI_CHAR, 1 - me.rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Buffer_detach(&back, &bytes);
        EXPECT_EQ(room.data(), back);
        EXPECT_EQ(static_cast<int>(room.size()), bytes);
        return MPI_Finalize();
    });
}

TEST(MpiProtocol, RanksThatWaitForEachOtherAreNamed)
{
    launch_software sw = software(false, 16);
    test::ClusterConfig cc;
    launch_config cfg = {};

    cc.nodes = 3;
    cc.hubs = false;
    cfg.software = &sw;
    test::Cluster c(cc);
    EXPECT_EQ(SIM_ERR_STALLED, c.run(
                                   [] {
                                       Me me;
                                       char data[100] = { 0 };
                                       MPI_Send(data, 100, MPI_CHAR, me.next(), 3, MPI_COMM_WORLD);
                                       return 0;
                                   },
                                   cfg));
    EXPECT_STREQ(
        "in MPI_Send, waiting for rank 2 to receive 100 bytes with tag 3 on MPI_COMM_WORLD",
        c.result.ranks[1].where);
    EXPECT_NE(nullptr, strstr(c.err.text, "; deadlock: rank 0 waits for rank 1, rank 1 for rank 2, "
                                          "rank 2 for rank 0"))
        << c.err.text;
}

/* One waits for a lock that another one holds, which waits in the end for the third one. */
TEST(MpiProtocol, RanksThatWaitInCallsForAWindowAreNamed)
{
    test::ClusterConfig cc;
    launch_config cfg = {};

    cc.nodes = 3;
    cc.hubs = false;
    cfg.nranks = 3;
    test::Cluster c(cc);
    EXPECT_EQ(SIM_ERR_STALLED, c.run(
                                   [] {
                                       Me me;
                                       MPI_Win win = MPI_WIN_NULL;
                                       void *p = nullptr;

                                       MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD,
                                                        static_cast<void *>(&p), &win);
                                       MPI_Barrier(MPI_COMM_WORLD);
                                       if (me.rank == 0)
                                           MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
                                       if (me.rank == 1) {
                                           MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
                                           MPI_Put(&me.rank, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
                                           MPI_Win_flush(0, win);
                                       }
                                       if (me.rank == 2)
                                           MPI_Win_fence(0, win);
                                       MPI_Finalize();
                                       return 0;
                                   },
                                   cfg));
    EXPECT_STREQ("in MPI_Finalize, waiting for a message from rank 2 on MPI_COMM_WORLD",
                 c.result.ranks[0].where);
    EXPECT_STREQ("in MPI_Win_flush, waiting for a message from rank 0 on a window",
                 c.result.ranks[1].where);
    EXPECT_STREQ("in MPI_Win_fence, waiting for a message from rank 1 on a window, and 1 more",
                 c.result.ranks[2].where);
}

/* A rank that looks for what never comes, one that waits, and one that looks at two things and at
 * the clock; until then the first one has got what it looked for. */
int look_for_ever()
{
    Me me;
    int in[2] = { 0 }, flag = 0;
    MPI_Request rq[2];

    if (me.rank == 0)
        MPI_Send(in, 1, MPI_INT, 2, 7, MPI_COMM_WORLD);
    if (me.rank == 2) {
        MPI_Send(in, 1, MPI_INT, 0, 4, MPI_COMM_WORLD);
        MPI_Recv(in, 1, MPI_INT, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Irecv(&in[0], 1, MPI_INT, me.rank == 0 ? 2 : 0, 4, MPI_COMM_WORLD, &rq[0]);
    MPI_Irecv(&in[1], 1, MPI_INT, 2, 5, MPI_COMM_WORLD, &rq[1]);
    while (me.rank == 0 && !flag)
        MPI_Test(&rq[0], &flag, MPI_STATUS_IGNORE);
    flag = 0;
    for (double start = MPI_Wtime(); !flag && MPI_Wtime() < start + 1e6;)
        if (me.rank == 0)
            MPI_Test(&rq[1], &flag, MPI_STATUS_IGNORE);
        else
            MPI_Testany(2, rq, &in[0], &flag, MPI_STATUS_IGNORE);
    return 0;
}

int run_patiently(test::Cluster &c, const std::function<int()> &fn)
{
    launch_config cfg = {};

    cfg.nranks = 3;
    cfg.patience_s = 1;
    cfg.max_time_ps = 1000000 * SIM_MS;
    return c.run(fn, cfg);
}

TEST(MpiProtocol, RanksThatOnlyLookInVainAreNamed)
{
    test::ClusterConfig cc;

    cc.nodes = 3;
    cc.hubs = false;
    test::Cluster c(cc);
    EXPECT_EQ(SIM_ERR_STALLED, run_patiently(c, look_for_ever));
    EXPECT_STREQ("polling with MPI_Test for a message from rank 2 with tag 5 on MPI_COMM_WORLD",
                 c.result.ranks[0].where);
    EXPECT_STREQ("polling with MPI_Testany for one of 2: a message from rank 0 with tag 4 on "
                 "MPI_COMM_WORLD",
                 c.result.ranks[1].where);
    EXPECT_STREQ("in MPI_Recv, waiting for a message from rank 0 with tag 6 on MPI_COMM_WORLD (one "
                 "from rank 0 with tag 7 has come)",
                 c.result.ranks[2].where);
    EXPECT_NE(nullptr, strstr(c.err.text, "nothing but polling happens at ")) << c.err.text;
    EXPECT_NE(nullptr, strstr(c.err.text, "; deadlock: rank 0 waits for rank 2, rank 2 for rank 0"))
        << c.err.text;
}

/* More than a second of the processor's time to look at. */
const uint64_t LONG = (test::SANITIZED ? 500 : 2500) * SIM_MS;

/* However long that takes: a sleeper has an event of its own. */
TEST(MpiProtocol, RanksThatLookForASleeperAreLetGoOn)
{
    test::ClusterConfig cc;

    cc.nodes = 3;
    cc.hubs = false;
    test::Cluster c(cc);
    EXPECT_EQ(SIM_OK, run_patiently(c,
                                    [] {
                                        Me me;
                                        int flag = 0;
                                        MPI_Request rq;
                                        host *h = host_self();

                                        while (me.rank == 0 && h->cpu->time_ps(h) < LONG)
                                            h->cpu->sleep(h, LONG); /* messages wake it up */
                                        MPI_Ibarrier(MPI_COMM_WORLD, &rq);
                                        while (!flag)
                                            MPI_Test(&rq, &flag, MPI_STATUS_IGNORE);
                                        MPI_Finalize();
                                        return 0;
                                    }))
        << c.err.text;
}

} // namespace
