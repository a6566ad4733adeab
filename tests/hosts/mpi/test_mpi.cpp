#include <mpi.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "tests/folder.h"
#include "tests/hosts/mpi/ranks.h"

namespace
{

using test::Me;
using test::on_ranks;

TEST(Mpi, BarrierHoldsEverybodyUntilTheLastHasCome)
{
    on_ranks([] {
        Me me;
        struct host *h = host_self();
        static uint64_t last;
        if (me.rank == 0)
            last = 0;
        MPI_Barrier(MPI_COMM_WORLD);
        h->cpu->spend(h, (uint64_t)((me.rank * 5) % 8 + 1) * 50 * SIM_US);
        last = std::max(last, h->cpu->time_ps(h));
        MPI_Barrier(MPI_COMM_WORLD);
        EXPECT_GE(h->cpu->time_ps(h), last);
        return MPI_Finalize();
    });
}

TEST(Mpi, BcastFromEachRootInSeveralSizes)
{
    on_ranks([] {
        Me me;
        for (int root = 0; root < me.size; root++) {
            for (int n : { 0, 1, 1000 }) {
                std::vector<double> v(n, me.rank == root ? root + 0.5 : -1);
                EXPECT_EQ(MPI_SUCCESS, MPI_Bcast(v.data(), n, MPI_DOUBLE, root, MPI_COMM_WORLD));
                EXPECT_EQ(std::vector<double>(n, root + 0.5), v);
            }
        }
        return MPI_Finalize();
    });
}

TEST(Mpi, AllgatherPutsEveryBlockAtItsRank)
{
    on_ranks([] {
        Me me;
        std::vector<int> own(3), all(3 * me.size, -1), want;
        for (int i = 0; i < 3; i++)
            own[i] = 10 * me.rank + i;
        for (int r = 0; r < me.size; r++)
            for (int i = 0; i < 3; i++)
                want.push_back(10 * r + i);
        EXPECT_EQ(MPI_SUCCESS,
                  MPI_Allgather(own.data(), 12, MPI_BYTE, all.data(), 3, MPI_INT, MPI_COMM_WORLD));
        EXPECT_EQ(want, all);
        std::fill(all.begin(), all.end(), -1);
        std::copy(own.begin(), own.end(), all.begin() + 3 * me.rank);
        EXPECT_EQ(MPI_SUCCESS,
                  MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, all.data(), 3, MPI_INT, MPI_COMM_WORLD));
        EXPECT_EQ(want, all);
        return MPI_Finalize();
    });
}

TEST(Mpi, AllreduceSumMinMaxAndInPlace)
{
    on_ranks([] {
        Me me;
        int n = me.size;
        int in[2] = { me.rank + 1, -me.rank }, out[2];
        double d = me.rank + 0.25;
        long l = me.rank;
        EXPECT_EQ(MPI_SUCCESS, MPI_Allreduce(in, out, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
        EXPECT_EQ(n * (n + 1) / 2, out[0]);
        EXPECT_EQ(-n * (n - 1) / 2, out[1]);
        EXPECT_EQ(MPI_SUCCESS, MPI_Allreduce(in, out, 2, MPI_INT, MPI_MIN, MPI_COMM_WORLD));
        EXPECT_EQ(1, out[0]);
        EXPECT_EQ(1 - n, out[1]);
        EXPECT_EQ(MPI_SUCCESS,
                  MPI_Allreduce(MPI_IN_PLACE, &d, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD));
        EXPECT_EQ(n - 0.75, d);
        EXPECT_EQ(MPI_SUCCESS,
                  MPI_Allreduce(MPI_IN_PLACE, &l, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD));
        EXPECT_EQ(n * (n - 1) / 2, l);
        return MPI_Finalize();
    });
}

TEST(Mpi, ReceivesMatchBySourceAndTagNotByArrival)
{
    on_ranks([] {
        Me me;
        int next = (me.rank + 1) % me.size, prev = (me.rank + me.size - 1) % me.size;
        MPI_Status st;
        for (int tag = 1; tag <= 4; tag++) {
            int v = 100 * me.rank + tag;
            EXPECT_EQ(MPI_SUCCESS, MPI_Send(&v, 1, MPI_INT, next, tag, MPI_COMM_WORLD));
        }
        for (int tag = 4; tag >= 1; tag--) {
            int v = 0, count = 0;
            EXPECT_EQ(MPI_SUCCESS, MPI_Recv(&v, 1, MPI_INT, prev, tag, MPI_COMM_WORLD, &st));
            EXPECT_EQ(100 * prev + tag, v);
            EXPECT_EQ(prev, st.MPI_SOURCE);
            EXPECT_EQ(tag, st.MPI_TAG);
            EXPECT_EQ(MPI_SUCCESS, MPI_Get_count(&st, MPI_INT, &count));
            EXPECT_EQ(1, count);
        }
        return MPI_Finalize();
    });
}

TEST(Mpi, MessagesOfOneTagKeepTheirOrderAndWildcardsTakeThem)
{
    on_ranks([] {
        Me me;
        if (me.rank != 0) {
            for (int i = 0; i < 5; i++)
                MPI_Send(&i, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
        } else {
            std::vector<int> next(me.size, 0);
            for (int k = 0; k < 5 * (me.size - 1); k++) {
                MPI_Status st;
                int v = -1;
                EXPECT_EQ(MPI_SUCCESS, MPI_Recv(&v, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG,
                                                MPI_COMM_WORLD, &st));
                EXPECT_EQ(next[st.MPI_SOURCE]++, v);
            }
        }
        return MPI_Finalize();
    });
}

TEST(Mpi, SendrecvShiftsAroundARingAndLargeMessagesArriveWhole)
{
    on_ranks([] {
        Me me;
        std::vector<int> out(100000), in(100000);
        int next = (me.rank + 1) % me.size, prev = (me.rank + me.size - 1) % me.size;
        for (size_t i = 0; i < out.size(); i++)
            out[i] = (int)i * (me.rank + 1);
        EXPECT_EQ(MPI_SUCCESS, MPI_Sendrecv(out.data(), (int)out.size(), MPI_INT, next, 1,
                                            in.data(), (int)in.size(), MPI_INT, prev, 1,
                                            MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        size_t wrong = 0;
        for (size_t i = 0; i < in.size(); i++)
            wrong += in[i] != (int)i * (prev + 1);
        EXPECT_EQ(0u, wrong);
        return MPI_Finalize();
    });
}

TEST(Mpi, CollectivesDoNotMeetMessagesOfTheUser)
{
    on_ranks([] {
        Me me;
        int v = me.rank, got = -1;
        if (me.rank == 0)
            for (int r = 1; r < me.size; r++)
                MPI_Send(&r, 1, MPI_INT, r, 1, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
        EXPECT_EQ(MPI_SUCCESS, MPI_Bcast(&v, 1, MPI_INT, 0, MPI_COMM_WORLD));
        EXPECT_EQ(0, v);
        for (int once = 0; me.rank != 0 && once < 1; once++)
            EXPECT_EQ(MPI_SUCCESS, MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG,
                                            MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        EXPECT_EQ(me.rank == 0 ? -1 : me.rank, got);
        return MPI_Finalize();
    });
}

TEST(Mpi, SelfIsAWorldOfOne)
{
    on_ranks([] {
        Me me;
        int rank = -1, size = -1, v = me.rank + 5, got = 0;
        MPI_Comm_rank(MPI_COMM_SELF, &rank);
        MPI_Comm_size(MPI_COMM_SELF, &size);
        EXPECT_EQ(0, rank);
        EXPECT_EQ(1, size);
        EXPECT_EQ(MPI_SUCCESS, MPI_Send(&v, 1, MPI_INT, 0, 2, MPI_COMM_SELF));
        EXPECT_EQ(MPI_SUCCESS, MPI_Recv(&got, 1, MPI_INT, 0, 2, MPI_COMM_SELF, MPI_STATUS_IGNORE));
        EXPECT_EQ(v, got);
        EXPECT_EQ(MPI_SUCCESS, MPI_Barrier(MPI_COMM_SELF));
        return MPI_Finalize();
    });
}

TEST(Mpi, WrongArgumentsGiveErrorCodesWhenAskedFor)
{
    on_ranks([] {
        int v = 0, out = 0, flag = 1, size = 0;
        EXPECT_EQ(MPI_SUCCESS, MPI_Initialized(&flag));
        EXPECT_EQ(0, flag);
        Me me;
        EXPECT_EQ(MPI_SUCCESS, MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
        EXPECT_EQ(MPI_SUCCESS, MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
        size = me.size;
        EXPECT_EQ(MPI_ERR_OTHER, MPI_Init(nullptr, nullptr));
        EXPECT_EQ(MPI_ERR_RANK, MPI_Send(&v, 1, MPI_INT, size, 0, MPI_COMM_WORLD));
        EXPECT_EQ(MPI_ERR_RANK, MPI_Send(&v, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD));
        EXPECT_EQ(MPI_ERR_TAG, MPI_Send(&v, 1, MPI_INT, 0, -3, MPI_COMM_WORLD));
        EXPECT_EQ(MPI_ERR_COUNT, MPI_Send(&v, -1, MPI_INT, 0, 0, MPI_COMM_WORLD));
        EXPECT_EQ(MPI_ERR_TYPE, MPI_Send(&v, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD));
        EXPECT_EQ(MPI_ERR_BUFFER, MPI_Send(nullptr, 1, MPI_INT, 0, 0, MPI_COMM_WORLD));
        EXPECT_EQ(MPI_ERR_COMM, MPI_Send(&v, 1, MPI_INT, 0, 0, (MPI_Comm)77));
        EXPECT_EQ(MPI_ERR_ROOT, MPI_Bcast(&v, 1, MPI_INT, size, MPI_COMM_WORLD));
        EXPECT_EQ(MPI_ERR_OP, MPI_Allreduce(&v, &out, 1, MPI_INT, MPI_OP_NULL, MPI_COMM_WORLD));
        EXPECT_EQ(MPI_ERR_OP, MPI_Allreduce(&v, &out, 1, MPI_BYTE, MPI_SUM, MPI_COMM_WORLD));
        EXPECT_EQ(MPI_SUCCESS, MPI_Send(&v, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD));
        int big[2] = { 1, 2 };
        EXPECT_EQ(MPI_SUCCESS, MPI_Send(big, 2, MPI_INT, 0, 9, MPI_COMM_SELF));
        EXPECT_EQ(MPI_ERR_TRUNCATE,
                  MPI_Recv(&out, 1, MPI_INT, 0, 9, MPI_COMM_SELF, MPI_STATUS_IGNORE));
        EXPECT_EQ(1, out);
        EXPECT_EQ(MPI_SUCCESS, MPI_Finalize());
        EXPECT_EQ(MPI_ERR_OTHER, MPI_Barrier(MPI_COMM_WORLD));
        return 0;
    });
}

int blamed_comm = 0, blamed_code = 0;

void on_error(MPI_Comm *comm, int *code, ...)
{
    blamed_comm = *comm;
    blamed_code = *code;
}

TEST(Mpi, AWindowThatCannotBeMadeIsAnErrorOfItsCommunicator)
{
    test::ClusterConfig cc;
    cc.nodes = 1;
    cc.hubs = false;
    test::Cluster c(cc);
    c.expect_run([] {
        Me me;
        int v = 0;
        MPI_Comm comm;
        MPI_Errhandler handler;
        MPI_Win win;
        EXPECT_EQ(MPI_SUCCESS, MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Comm_create_errhandler(on_error, &handler);
        MPI_Comm_set_errhandler(comm, handler);
        MPI_Errhandler_free(&handler);
        blamed_comm = blamed_code = 0;
        EXPECT_EQ(MPI_ERR_SIZE, MPI_Win_create(&v, -1, 1, MPI_INFO_NULL, comm, &win));
        EXPECT_EQ(comm, blamed_comm);
        EXPECT_EQ(MPI_ERR_SIZE, blamed_code);
        MPI_Comm_free(&comm);
        return MPI_Finalize();
    });
}

class MpiFile : public test::Folder
{
};

/* Rank 1 gets more than its call is for, as no two ranks call the same function. */
TEST_F(MpiFile, AFailedExchangeReturnsItsOwnCode)
{
    std::string name = folder + "/file";
    test::ClusterConfig cc;
    cc.nodes = 2;
    cc.hubs = false;
    test::Cluster c(cc);
    launch_config cfg = {};
    cfg.nranks = 2;
    c.expect_run(
        [&] {
            Me me;
            MPI_File file;
            EXPECT_EQ(MPI_SUCCESS,
                      MPI_File_open(MPI_COMM_WORLD, name.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR,
                                    MPI_INFO_NULL, &file));
            if (me.rank == 0)
                EXPECT_NE(MPI_SUCCESS, MPI_File_set_size(file, 7));
            else
                EXPECT_EQ(MPI_ERR_TRUNCATE, MPI_File_set_atomicity(file, 1));
            EXPECT_EQ(MPI_SUCCESS, MPI_File_close(&file));
            return MPI_Finalize();
        },
        cfg);
}

TEST(Mpi, WtimeIsSimulatedTime)
{
    on_ranks([] {
        Me me;
        struct host *h = host_self();
        double before = MPI_Wtime();
        h->cpu->spend(h, 123 * SIM_US);
        EXPECT_NEAR(123e-6, MPI_Wtime() - before, 0.1e-6);
        return MPI_Finalize();
    });
}

} // namespace
