#include <vector>

#include "tests/hosts/mpi/ranks.h"

namespace
{

using test::Me;
using test::on_ranks;

const MPI_Request no_request = MPI_REQUEST_NULL; /* constants serve as initialisers */

void expect_empty(const MPI_Status &st)
{
    int count = -1;

    EXPECT_EQ(MPI_ANY_SOURCE, st.MPI_SOURCE);
    EXPECT_EQ(MPI_ANY_TAG, st.MPI_TAG);
    EXPECT_EQ(MPI_SUCCESS, MPI_Get_count(&st, MPI_INT, &count));
    EXPECT_EQ(0, count);
}

TEST(MpiRequest, EverybodySendsToEverybodyBeforeAnybodyReceives)
{
    on_ranks([] {
        Me me;
        std::vector<int> out(me.size), in(me.size, -1);
        std::vector<MPI_Request> rq(2 * me.size, no_request);
        std::vector<MPI_Status> st(2 * me.size);
        for (int r = 0; r < me.size; r++) {
            out[r] = 100 * me.rank + r;
            MPI_Isend(&out[r], 1, MPI_INT, r, 3, MPI_COMM_WORLD, &rq[r]);
            out[r] = -7; /* the network has its own copy */
        }
        MPI_Barrier(MPI_COMM_WORLD);
        for (int r = 0; r < me.size; r++)
            MPI_Irecv(&in[r], 1, MPI_INT, r, 3, MPI_COMM_WORLD, &rq[me.size + r]);
        EXPECT_EQ(MPI_SUCCESS, MPI_Waitall(2 * me.size, rq.data(), st.data()));
        for (int r = 0; r < me.size; r++) {
            EXPECT_EQ(100 * r + me.rank, in[r]);
            EXPECT_EQ(r, st[me.size + r].MPI_SOURCE);
            EXPECT_EQ(MPI_REQUEST_NULL, rq[r]);
            EXPECT_EQ(MPI_REQUEST_NULL, rq[me.size + r]);
        }
        return MPI_Finalize();
    });
}

TEST(MpiRequest, PostedReceivesTakeMessagesInTheOrderOfTheirCalls)
{
    on_ranks([] {
        Me me;
        int in[4] = { -1, -1, -1, -1 };
        MPI_Request rq[4];
        MPI_Irecv(&in[0], 1, MPI_INT, me.prev(), MPI_ANY_TAG, MPI_COMM_WORLD, &rq[0]);
        MPI_Irecv(&in[1], 1, MPI_INT, me.prev(), 5, MPI_COMM_WORLD, &rq[1]);
        MPI_Irecv(&in[2], 1, MPI_INT, MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &rq[2]);
        MPI_Irecv(&in[3], 1, MPI_INT, me.prev(), MPI_ANY_TAG, MPI_COMM_WORLD, &rq[3]);
        for (int tag : { 6, 6, 5, 7 }) {
            int v = 10 * me.rank + tag;
            MPI_Send(&v, 1, MPI_INT, me.next(), tag, MPI_COMM_WORLD);
        }
        MPI_Barrier(MPI_COMM_WORLD); /* other calls take messages in, too */
        EXPECT_EQ(MPI_SUCCESS, MPI_Waitall(4, rq, MPI_STATUSES_IGNORE));
        int k = 0;
        for (int tag : { 6, 5, 6, 7 })
            EXPECT_EQ(10 * me.prev() + tag, in[k++]);
        return MPI_Finalize();
    });
}

TEST(MpiRequest, WaitanyFindsEachRequestOnceAndThenNone)
{
    on_ranks([] {
        Me me;
        std::vector<int> in(me.size, -1);
        std::vector<MPI_Request> rq(me.size);
        MPI_Status st;
        int index;
        for (int r = 0; r < me.size; r++)
            MPI_Irecv(&in[r], 1, MPI_INT, r, 0, MPI_COMM_WORLD, &rq[r]);
        for (int r = 0; r < me.size; r++)
            MPI_Send(&me.rank, 1, MPI_INT, (me.rank + r) % me.size, 0, MPI_COMM_WORLD);
        for (int r = 0; r < me.size; r++) {
            EXPECT_EQ(MPI_SUCCESS, MPI_Waitany(me.size, rq.data(), &index, &st));
            EXPECT_EQ(index, st.MPI_SOURCE);
            EXPECT_EQ(index, in[index]);
            EXPECT_EQ(MPI_REQUEST_NULL, rq[index]);
        }
        EXPECT_EQ(MPI_SUCCESS, MPI_Waitany(me.size, rq.data(), &index, &st));
        EXPECT_EQ(MPI_UNDEFINED, index);
        expect_empty(st);
        return MPI_Finalize();
    });
}

TEST(MpiRequest, TestAndIprobeLoopsLetTimePassUntilTheMessageComes)
{
    on_ranks([] {
        Me me;
        struct host *h = host_self();
        int in = -1, flag = 0, looks = 0, count = 0;
        MPI_Request rq;
        MPI_Status st;
        MPI_Irecv(&in, 1, MPI_INT, me.prev(), 1, MPI_COMM_WORLD, &rq);
        h->cpu->spend(h, (uint64_t)(me.rank + 1) * 20 * SIM_US);
        MPI_Send(&me.rank, 1, MPI_INT, me.next(), 1, MPI_COMM_WORLD);
        MPI_Send(&me.rank, 1, MPI_INT, me.next(), 2, MPI_COMM_WORLD);
        while (flag == 0) {
            uint64_t before = h->cpu->time_ps(h);
            EXPECT_EQ(MPI_SUCCESS, MPI_Testall(1, &rq, &flag, &st));
            EXPECT_GT(h->cpu->time_ps(h), before);
            looks++;
        }
        EXPECT_EQ(me.prev(), in);
        EXPECT_EQ(me.prev(), st.MPI_SOURCE);
        for (flag = 0; flag == 0; looks++)
            EXPECT_EQ(MPI_SUCCESS,
                      MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &st));
        EXPECT_EQ(2, st.MPI_TAG);
        EXPECT_EQ(MPI_SUCCESS, MPI_Probe(me.prev(), 2, MPI_COMM_WORLD, &st));
        EXPECT_EQ(MPI_SUCCESS, MPI_Get_count(&st, MPI_INT, &count));
        EXPECT_EQ(1, count);
        EXPECT_EQ(MPI_SUCCESS, MPI_Recv(&in, 1, MPI_INT, st.MPI_SOURCE, 2, MPI_COMM_WORLD, &st));
        EXPECT_EQ(MPI_SUCCESS, MPI_Test(&rq, &flag, &st));
        EXPECT_EQ(1, flag);
        expect_empty(st);
        EXPECT_GT(looks, me.rank == 0 && me.size > 1 ? 4 : 1);
        return MPI_Finalize();
    });
}

/* The order in which wildcards see messages of one instant shows in the times of the ends. */
TEST(MpiRequest, WildcardsSeeTheSameSourcesInEveryOrderOfEvents)
{
    on_ranks([] {
        Me me;
        struct host *h = host_self();
        MPI_Send(&me.rank, 1, MPI_INT, 0, 4, MPI_COMM_WORLD);
        for (int k = 0; me.rank == 0 && k < me.size; k++) {
            int v = -1, flag = 0;
            while (flag == 0)
                MPI_Iprobe(MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
            MPI_Recv(&v, 1, MPI_INT, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            h->cpu->spend(h, (uint64_t)(v * v * (k + 1) + 1) * SIM_NS);
        }
        return MPI_Finalize();
    });
}

TEST(MpiRequest, NobodyIsAPartnerToo)
{
    on_ranks([] {
        Me me;
        int v = 5, flag = 0;
        MPI_Request rq;
        MPI_Status st;
        MPI_Irecv(&v, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &rq);
        EXPECT_EQ(MPI_SUCCESS, MPI_Wait(&rq, &st));
        EXPECT_EQ(MPI_PROC_NULL, st.MPI_SOURCE);
        EXPECT_EQ(MPI_ANY_TAG, st.MPI_TAG);
        EXPECT_EQ(5, v);
        EXPECT_EQ(MPI_SUCCESS, MPI_Iprobe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &flag, &st));
        EXPECT_EQ(1, flag);
        return MPI_Finalize();
    });
}

/** Runs `fn` on two ranks. @return what was printed on stderr. */
std::string told(const std::function<int()> &fn)
{
    test::ClusterConfig cc;
    cc.hubs = false;
    test::Cluster c(cc);
    std::string text;
    EXPECT_EQ(SIM_OK, c.run(fn)) << c.err.text;
    EXPECT_FALSE(c.all_well());
    for (auto &line : c.lines)
        if (line.error)
            text += line.text + "\n";
    return text;
}

TEST(MpiRequest, ATruncatedMessageEndsAllRanksAndSaysWhy)
{
    std::string text = told([] {
        int rank, v[2] = { 1, 2 };
        MPI_Init(nullptr, nullptr);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        if (rank == 0)
            MPI_Send(v, 2, MPI_INT, 1, 9, MPI_COMM_WORLD);
        else
            MPI_Recv(v, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return MPI_Finalize();
    });
    EXPECT_NE(std::string::npos, text.find("rank 1 on node 1")) << text;
    EXPECT_NE(std::string::npos, text.find("MPI_Recv: truncated: a message of 8 bytes from rank 0 "
                                           "with tag 9, room for 4"))
        << text;
}

TEST(MpiRequest, AWrongArgumentEndsAllRanksAndIsNamed)
{
    std::string text = told([] {
        int v = 0;
        MPI_Init(nullptr, nullptr);
        MPI_Send(&v, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
        return MPI_Finalize();
    });
    EXPECT_NE(std::string::npos, text.find("MPI_Send: dest = 2: expected 0 .. 1")) << text;
    text = told([] {
        double v[2] = { 0 };
        MPI_Init(nullptr, nullptr);
        return MPI_Allreduce(&v[0], &v[1], 1, MPI_DOUBLE, MPI_BAND, MPI_COMM_WORLD);
    });
    EXPECT_NE(std::string::npos, text.find("MPI_Allreduce: MPI_BAND is not for MPI_DOUBLE"))
        << text;
    text = told([] {
        int v[2] = { 0 };
        MPI_Init(nullptr, nullptr);
        return MPI_Bsend(v, 2, MPI_INT, 0, 0, MPI_COMM_WORLD);
    });
    EXPECT_NE(std::string::npos,
              text.find("no buffer is attached: expected MPI_Buffer_attach() before, of 136"))
        << text;
    text = told([] {
        int v[4] = { 0 }, rank;
        MPI_Init(nullptr, nullptr);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        return MPI_Bcast(v, rank == 0 ? 4 : 2, MPI_INT, 0, MPI_COMM_WORLD);
    });
    EXPECT_NE(std::string::npos,
              text.find("MPI_Bcast: truncated: 16 bytes from rank 0, room for 8"))
        << text;
    text = told([] { return MPI_Barrier(MPI_COMM_WORLD); });
    EXPECT_NE(std::string::npos, text.find("MPI_Barrier: before MPI_Init()")) << text;
}

TEST(MpiType, SizesOfBasicTypesAreThoseOfC)
{
    on_ranks([] {
        Me me;
        auto size = [](MPI_Datatype t) {
            int n = -1;
            EXPECT_EQ(MPI_SUCCESS, MPI_Type_size(t, &n));
            return (size_t)n;
        };
        EXPECT_EQ(sizeof(char), size(MPI_CHAR));
        EXPECT_EQ(sizeof(char), size(MPI_SIGNED_CHAR));
        EXPECT_EQ(sizeof(char), size(MPI_UNSIGNED_CHAR));
        EXPECT_EQ(sizeof(short), size(MPI_SHORT));
        EXPECT_EQ(sizeof(short), size(MPI_UNSIGNED_SHORT));
        EXPECT_EQ(sizeof(int), size(MPI_INT));
        EXPECT_EQ(sizeof(long), size(MPI_UNSIGNED_LONG));
        EXPECT_EQ(sizeof(long long), size(MPI_LONG_LONG_INT));
        EXPECT_EQ(sizeof(float), size(MPI_FLOAT));
        EXPECT_EQ(sizeof(double), size(MPI_DOUBLE));
        EXPECT_EQ(sizeof(long double), size(MPI_LONG_DOUBLE));
        return MPI_Finalize();
    });
}

TEST(MpiType, AColumnOfAMatrixArrivesAsARowOrAsAColumn)
{
    on_ranks([] {
        Me me;
        const int rows = 5, cols = 7;
        std::vector<double> m(rows * cols), row(2 * rows, -1), in(rows * cols, -1);
        MPI_Datatype column, pair;
        MPI_Request rq;
        int size = 0;
        for (int i = 0; i < rows * cols; i++)
            m[i] = 1000 * me.rank + i;
        MPI_Type_contiguous(2, MPI_DOUBLE, &pair);
        MPI_Type_vector(rows, 1, cols, MPI_DOUBLE, &column);
        MPI_Type_commit(&column);
        MPI_Type_size(column, &size);
        EXPECT_EQ(rows * 8, size);
        MPI_Type_size(pair, &size);
        EXPECT_EQ(16, size);
        MPI_Irecv(&in[3], 1, column, me.prev(), 2, MPI_COMM_WORLD, &rq);
        MPI_Send(&m[1], 1, column, me.next(), 1, MPI_COMM_WORLD);
        MPI_Send(&m[2], 1, column, me.next(), 2, MPI_COMM_WORLD);
        EXPECT_EQ(MPI_SUCCESS, MPI_Type_free(&column)); /* the receive keeps it */
        EXPECT_EQ(MPI_DATATYPE_NULL, column);
        MPI_Recv(row.data(), 2 * rows, MPI_DOUBLE, me.prev(), 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        EXPECT_EQ(MPI_SUCCESS, MPI_Wait(&rq, MPI_STATUS_IGNORE));
        for (int i = 0; i < rows * cols; i++)
            EXPECT_EQ(i % cols == 3 ? 1000 * me.prev() + i - 1 : -1, in[i]);
        for (int i = 0; i < 2 * rows; i++)
            EXPECT_EQ(i < rows ? 1000 * me.prev() + i * cols + 1 : -1, row[i]);
        return MPI_Finalize();
    });
}

void on_one_rank(const std::function<int()> &fn)
{
    test::ClusterConfig cc;
    launch_config cfg = {};

    cc.nodes = 1;
    cc.hubs = false;
    test::Cluster(cc).expect_run(fn, cfg);
}

/* Entries name a send in 32 bits, 16 of them its place: the others wait for a name. */
TEST(MpiRequest, ASynchronousSendWaitsForItsReceiveHoweverManyThereAre)
{
    on_one_rank([] {
        Me me;
        std::vector<MPI_Request> rq(70000, no_request);
        int v = 0, flag = 1;
        for (MPI_Request &r : rq)
            MPI_Issend(&v, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &r);
        MPI_Request_get_status(rq.back(), &flag, MPI_STATUS_IGNORE);
        EXPECT_EQ(0, flag);
        for (size_t i = 0; i < rq.size(); i++)
            MPI_Recv(&v, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
        EXPECT_EQ(MPI_SUCCESS, MPI_Waitall(70000, rq.data(), MPI_STATUSES_IGNORE));
        return MPI_Finalize();
    });
}

TEST(MpiRequest, ACountWhoseBytesDoNotFitIntoANumberIsAnError)
{
    on_one_rank([] {
        Me me;
        MPI_Datatype gib, tib;
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        MPI_Type_contiguous(1 << 30, MPI_BYTE, &gib);
        MPI_Type_contiguous(1 << 10, gib, &tib);
        MPI_Type_commit(&tib);
        EXPECT_EQ(MPI_ERR_COUNT, MPI_Send(&me, 1 << 24, tib, MPI_PROC_NULL, 0, MPI_COMM_WORLD));
        MPI_Type_free(&gib);
        MPI_Type_free(&tib);
        return MPI_Finalize();
    });
}

TEST(MpiReduce, EveryOperationOnEveryRoot)
{
    on_ranks([] {
        Me me;
        const MPI_Op ops[] = { MPI_SUM,  MPI_PROD, MPI_MAX, MPI_MIN,  MPI_LAND,
                               MPI_BAND, MPI_LOR,  MPI_BOR, MPI_LXOR, MPI_BXOR };
        auto apply = [](MPI_Op op, int a, int b) {
            return op == MPI_SUM    ? a + b
                   : op == MPI_PROD ? a * b
                   : op == MPI_MAX  ? std::max(a, b)
                   : op == MPI_MIN  ? std::min(a, b)
                   : op == MPI_LAND ? a && b
                   : op == MPI_BAND ? a & b
                   : op == MPI_LOR  ? a || b
                   : op == MPI_BOR  ? a | b
                   : op == MPI_LXOR ? !a != !b
                                    : a ^ b;
        };
        auto value = [](int r) { return r % 3 + 2 * (r == 4) - (r == 5); };
        for (MPI_Op op : ops) {
            int want = value(0), own = value(me.rank), all = own;
            for (int r = 1; r < me.size; r++)
                want = apply(op, want, value(r));
            MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, op, MPI_COMM_WORLD);
            EXPECT_EQ(want, all) << op;
            for (int root = 0; root < me.size; root++) {
                bool in_place = me.rank == root && root % 2 != 0;
                int got = in_place ? own : -99;
                MPI_Reduce(in_place ? MPI_IN_PLACE : &own, me.rank == root ? &got : nullptr, 1,
                           MPI_INT, op, root, MPI_COMM_WORLD);
                EXPECT_EQ(me.rank == root ? want : -99, got) << op;
            }
        }
        return MPI_Finalize();
    });
}

} // namespace
