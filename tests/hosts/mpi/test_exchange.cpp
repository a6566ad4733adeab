#include <vector>

#include "tests/hosts/mpi/ranks.h"

namespace
{

using test::Me;
using test::on_ranks;

TEST(MpiExchange, GatherAndScatterAreEachOthersInverseOnEveryRoot)
{
    on_ranks([] {
        Me me;
        for (int root = 0; root < me.size; root++) {
            int own[2] = { 10 * me.rank, 10 * me.rank + 1 }, back[2] = { -1, -1 };
            std::vector<int> all(me.rank == root ? 2 * me.size : 0, -1);
            bool in_place = me.rank == root && root % 2 != 0;
            if (in_place)
                std::copy(own, own + 2, all.begin() + 2 * root);
            EXPECT_EQ(MPI_SUCCESS, MPI_Gather(in_place ? MPI_IN_PLACE : own, 8, MPI_BYTE,
                                              all.data(), 2, MPI_INT, root, MPI_COMM_WORLD));
            for (int i = 0; i < (int)all.size(); i++)
                EXPECT_EQ(10 * (i / 2) + i % 2, all[i]);
            EXPECT_EQ(MPI_SUCCESS,
                      MPI_Scatter(all.data(), 2, MPI_INT, in_place ? MPI_IN_PLACE : back, 2,
                                  MPI_INT, root, MPI_COMM_WORLD));
            for (int i = 0; !in_place && i < 2; i++)
                EXPECT_EQ(own[i], back[i]);
        }
        return MPI_Finalize();
    });
}

TEST(MpiExchange, AlltoallTransposesAlsoInPlace)
{
    on_ranks([] {
        Me me;
        std::vector<short> out(3 * me.size), in(3 * me.size, -1);
        for (int i = 0; i < 3 * me.size; i++)
            out[i] = (short)(100 * me.rank + i);
        for (bool in_place : { false, true }) {
            if (in_place)
                in = out;
            EXPECT_EQ(MPI_SUCCESS, MPI_Alltoall(in_place ? MPI_IN_PLACE : out.data(), 3, MPI_SHORT,
                                                in.data(), 3, MPI_SHORT, MPI_COMM_WORLD));
            for (int i = 0; i < 3 * me.size; i++)
                EXPECT_EQ(100 * (i / 3) + 3 * me.rank + i % 3, in[i]);
        }
        return MPI_Finalize();
    });
}

TEST(MpiComm, SplitGroupsByColourInTheOrderOfKeys)
{
    on_ranks([] {
        Me me;
        MPI_Comm comm = MPI_COMM_WORLD, twin = MPI_COMM_NULL;
        int color = me.rank == 4 ? MPI_UNDEFINED : me.rank % 2;
        EXPECT_EQ(MPI_SUCCESS, MPI_Comm_split(MPI_COMM_WORLD, color, -me.rank, &comm));
        if (color == MPI_UNDEFINED) {
            EXPECT_EQ(MPI_COMM_NULL, comm);
            return MPI_Finalize();
        }
        std::vector<int> want;
        for (int r = me.size - 1; r >= 0; r--)
            if (r != 4 && r % 2 == color)
                want.push_back(r);
        int rank = -1, size = -1, v = me.rank, got = -1;
        MPI_Comm_rank(comm, &rank);
        MPI_Comm_size(comm, &size);
        EXPECT_EQ((int)want.size(), size);
        std::vector<int> all(size, -1);
        MPI_Allgather(&me.rank, 1, MPI_INT, all.data(), 1, MPI_INT, comm);
        EXPECT_EQ(want, all);
        MPI_Comm_dup(comm, &twin);
        MPI_Status st;
        int next = (rank + 1) % size, prev = (rank + size - 1) % size;
        MPI_Send(&v, 1, MPI_INT, next, 1, comm); /* the twin's receive must not see it */
        v += 50;
        MPI_Send(&v, 1, MPI_INT, next, 1, twin);
        MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, twin, &st);
        EXPECT_EQ(want[prev] + 50, got);
        EXPECT_EQ(prev, st.MPI_SOURCE);
        MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &st);
        EXPECT_EQ(want[prev], got);
        EXPECT_EQ(MPI_SUCCESS, MPI_Comm_free(&twin));
        EXPECT_EQ(MPI_COMM_NULL, twin);
        return MPI_Finalize();
    });
}

TEST(MpiComm, AbortEndsAllRanksAtOnceWithItsCode)
{
    test::ClusterConfig cc;
    cc.hubs = false;
    test::Cluster c(cc);
    EXPECT_EQ(SIM_OK, c.run([] {
        int rank;
        MPI_File file; /* rank 0 waits in a call that has memory of its own by then */
        MPI_Init(nullptr, nullptr);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        if (rank == 1)
            MPI_Abort(MPI_COMM_WORLD, 42);
        return MPI_File_open(MPI_COMM_WORLD, "none", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
    })) << c.err.text;
    ASSERT_EQ(1u, c.lines.size());
    EXPECT_NE(std::string::npos, c.lines[0].text.find("MPI_Abort: exit code 42"));
    EXPECT_EQ(1u, c.lines[0].rank);
    EXPECT_TRUE(c.lines[0].error);
    EXPECT_TRUE(c.result.aborted);
    EXPECT_EQ(1u, c.result.abort_rank);
    EXPECT_EQ(c.result.ranks[1].end_ps, c.result.ranks[0].end_ps);
    EXPECT_EQ(42, c.result.ranks[0].exit_code);
    EXPECT_EQ(42, c.result.ranks[1].exit_code);
}

TEST(MpiPersistent, RequestsStartAgainAndAgain)
{
    on_ranks([] {
        Me me;
        int out = 0, in = -1;
        MPI_Request rq[2];
        MPI_Recv_init(&in, 1, MPI_INT, me.prev(), 1, MPI_COMM_WORLD, &rq[0]);
        MPI_Send_init(&out, 1, MPI_INT, me.next(), 1, MPI_COMM_WORLD, &rq[1]);
        EXPECT_EQ(MPI_SUCCESS, MPI_Waitall(2, rq, MPI_STATUSES_IGNORE)); /* inactive */
        for (int turn = 0; turn < 4; turn++) {
            MPI_Status st[2];
            out = 100 * turn + me.rank;
            EXPECT_EQ(MPI_SUCCESS, MPI_Startall(2, rq));
            EXPECT_EQ(MPI_SUCCESS, MPI_Waitall(2, rq, st));
            EXPECT_EQ(100 * turn + me.prev(), in);
            EXPECT_EQ(me.prev(), st[0].MPI_SOURCE);
            EXPECT_NE(MPI_REQUEST_NULL, rq[0]);
        }
        EXPECT_EQ(MPI_SUCCESS, MPI_Request_free(&rq[0]));
        EXPECT_EQ(MPI_SUCCESS, MPI_Request_free(&rq[1]));
        EXPECT_EQ(MPI_REQUEST_NULL, rq[1]);
        EXPECT_LT(0, MPI_Wtick());
        return MPI_Finalize();
    });
}

} // namespace
