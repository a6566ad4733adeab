/* Chapter 3: point-to-point communication. */
#include "check.h"

#define N 64

static int next, prev;

/* From the left neighbour while sending to the right one, which may be the rank itself. */
static void shift(const void *out, int n, MPI_Datatype type, int tag, void *in)
{
    MPI_Request rq;

    MPI_Isend(out, n, type, next, tag, MPI_COMM_WORLD, &rq);
    MPI_Recv(in, n, type, prev, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&rq, MPI_STATUS_IGNORE);
}

/* ---- 3.2 blocking ------------------------------------------------------------------------ */

static void sizes(void)
{
    static char out[200000], in[200000];
    static const int some[] = { 0,    1,    7,    8,    64,    255,   256,
                                1000, 1408, 4096, 8192, 16384, 65536, 200000 };

    for (unsigned k = 0; k < sizeof(some) / sizeof(some[0]); k++) {
        int n = some[k], bad = 0;

        for (int i = 0; i < n; i++)
            out[i] = (char)(i * 3 + check_rank);
        memset(in, -1, sizeof(in));
        shift(out, n, MPI_CHAR, 1, in);
        for (int i = 0; i < n; i++)
            bad += in[i] != (char)(i * 3 + prev);
        for (int i = n; i < (int)sizeof(in) && i < n + 16; i++)
            bad += in[i] != -1;
        CHECK(bad == 0, "3.2.4 %d bytes: %d are wrong", n, bad);
    }
}

static void status(void)
{
    int out[N] = { 0 }, in[N], n = -1;
    MPI_Request rq;
    MPI_Status st;

    MPI_Isend(out, 5, MPI_INT, next, 77, MPI_COMM_WORLD, &rq);
    MPI_Recv(in, N, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &st);
    CHECK(st.MPI_SOURCE == prev, "3.2.5 source of a wildcard");
    CHECK(st.MPI_TAG == 77, "3.2.5 tag of a wildcard");
    MPI_Get_count(&st, MPI_INT, &n);
    CHECK(n == 5, "3.2.5 count of a shorter message");
    MPI_Get_count(&st, MPI_DOUBLE, &n);
    CHECK(n == MPI_UNDEFINED, "3.2.5 count in units that do not fit");
    MPI_Wait(&rq, &st);
    MPI_Isend(out, 0, MPI_INT, next, 78, MPI_COMM_WORLD, &rq);
    MPI_Recv(NULL, 0, MPI_INT, prev, 78, MPI_COMM_WORLD, &st);
    MPI_Get_count(&st, MPI_INT, &n);
    CHECK(n == 0, "3.2.5 count of an empty message");
    MPI_Wait(&rq, MPI_STATUS_IGNORE);
}

static void null_process(void)
{
    int v = 3, n = -1, flag = 0;
    MPI_Status st;
    MPI_Request rq;

    CHECK_OK(MPI_Send(&v, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD), "3.11 send to nobody");
    CHECK_OK(MPI_Ssend(&v, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD), "3.11 ssend to nobody");
    CHECK_OK(MPI_Recv(&v, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &st), "3.11 from nobody");
    CHECK(st.MPI_SOURCE == MPI_PROC_NULL, "3.11 source of nothing");
    CHECK(st.MPI_TAG == MPI_ANY_TAG, "3.11 tag of nothing");
    MPI_Get_count(&st, MPI_INT, &n);
    CHECK(n == 0 && v == 3, "3.11 nothing has come");
    MPI_Irecv(&v, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &rq);
    MPI_Test(&rq, &flag, &st);
    CHECK(flag == 1 && rq == MPI_REQUEST_NULL, "3.11 done at once");
    MPI_Iprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &flag, &st);
    CHECK(flag == 1 && st.MPI_SOURCE == MPI_PROC_NULL, "3.11 probe of nobody");
}

/* ---- 3.4 modes ----------------------------------------------------------------------------- */

static void modes(void)
{
    int out = check_rank, in = -1, flag = -1, size, given;
    char room[4 * (MPI_BSEND_OVERHEAD + 64)];
    void *back;
    MPI_Request rq, rr;

    MPI_Irecv(&in, 1, MPI_INT, prev, 2, MPI_COMM_WORLD, &rq);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(MPI_Rsend(&out, 1, MPI_INT, next, 2, MPI_COMM_WORLD), "3.4 ready");
    MPI_Wait(&rq, MPI_STATUS_IGNORE);
    CHECK(in == prev, "3.4 ready mode");
    MPI_Irecv(&in, 1, MPI_INT, prev, 3, MPI_COMM_WORLD, &rq);
    CHECK_OK(MPI_Ssend(&out, 1, MPI_INT, next, 3, MPI_COMM_WORLD), "3.4 synchronous");
    MPI_Wait(&rq, MPI_STATUS_IGNORE);
    MPI_Issend(&out, 1, MPI_INT, next, 4, MPI_COMM_WORLD, &rq);
    for (int i = 0; i < 5; i++)
        MPI_Test(&rq, &flag, MPI_STATUS_IGNORE);
    CHECK(flag == 0, "3.4 a synchronous send ends no sooner than its receive begins");
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Irecv(&in, 1, MPI_INT, prev, 4, MPI_COMM_WORLD, &rr);
    MPI_Wait(&rq, MPI_STATUS_IGNORE);
    MPI_Wait(&rr, MPI_STATUS_IGNORE);
    given = (int)sizeof(room);
    CHECK_OK(MPI_Buffer_attach(room, given), "3.6 attach");
    CHECK_ERROR(MPI_ERR_BUFFER, MPI_Buffer_attach(room, given), "3.6 attach twice");
    for (int i = 0; i < 3; i++)
        CHECK_OK(MPI_Bsend(&out, 1, MPI_INT, next, 10 + i, MPI_COMM_WORLD), "3.6 buffered");
    MPI_Ibsend(&out, 1, MPI_INT, next, 13, MPI_COMM_WORLD, &rq);
    MPI_Test(&rq, &flag, MPI_STATUS_IGNORE);
    CHECK(flag == 1, "3.6 a buffered send ends without its receive");
    for (int i = 3; i >= 0; i--) {
        in = -1;
        MPI_Recv(&in, 1, MPI_INT, prev, 10 + i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(in == prev, "3.6 a buffered message arrives");
    }
    CHECK_OK(MPI_Buffer_detach(&back, &size), "3.6 detach");
    CHECK(back == room && size == given, "3.6 what detach returns");
}

/* ---- 3.5 order --------------------------------------------------------------------------------
 */

static void order(void)
{
    static int out[N][600], in[N][600];
    MPI_Request rq[2 * N];
    int bad = 0;

    for (int i = 0; i < N; i++) { /* short and long ones of one tag */
        out[i][0] = out[i][599] = i;
        MPI_Irecv(in[i], 600, MPI_INT, prev, i % 3 == 0 ? MPI_ANY_TAG : 5, MPI_COMM_WORLD, &rq[i]);
    }
    for (int i = 0; i < N; i++)
        MPI_Isend(out[i], i % 2 == 0 ? 1 : 600, MPI_INT, next, 5, MPI_COMM_WORLD, &rq[N + i]);
    MPI_Waitall(2 * N, rq, MPI_STATUSES_IGNORE);
    for (int i = 0; i < N; i++)
        bad += in[i][0] != i || (i % 2 == 1 && in[i][599] != i);
    CHECK(bad == 0, "3.5 %d of %d messages overtook others", bad, N);
    for (int i = 0; i < 8; i++)
        MPI_Isend(out[i], 1, MPI_INT, next, i, MPI_COMM_WORLD, &rq[i]);
    for (int i = 7; i >= 0; i--) {
        MPI_Recv(in[i], 1, MPI_INT, prev, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(in[i][0] == i, "3.5 tags choose in any order");
    }
    MPI_Waitall(8, rq, MPI_STATUSES_IGNORE);
}

static void posted_order(void)
{
    int in[4] = { -1, -1, -1, -1 }, v[4] = { 0, 1, 2, 3 };
    static const int tags[4] = { 6, 6, 5, 7 };
    MPI_Request rq[8];

    MPI_Irecv(&in[0], 1, MPI_INT, prev, MPI_ANY_TAG, MPI_COMM_WORLD, &rq[0]);
    MPI_Irecv(&in[1], 1, MPI_INT, prev, 5, MPI_COMM_WORLD, &rq[1]);
    MPI_Irecv(&in[2], 1, MPI_INT, MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &rq[2]);
    MPI_Irecv(&in[3], 1, MPI_INT, prev, MPI_ANY_TAG, MPI_COMM_WORLD, &rq[3]);
    for (int i = 0; i < 4; i++)
        MPI_Isend(&v[i], 1, MPI_INT, next, tags[i], MPI_COMM_WORLD, &rq[4 + i]);
    MPI_Waitall(8, rq, MPI_STATUSES_IGNORE);
    CHECK(in[0] == 0, "3.5 the oldest receive with any tag takes the first message");
    CHECK(in[1] == 2, "3.5 one with a tag takes its own");
    CHECK(in[2] == 1, "3.5 one from anybody takes its own");
    CHECK(in[3] == 3, "3.5 the youngest takes the rest");
}

static void communicators(void)
{
    int a = 1, b = 2, in = -1, flag = -1;
    MPI_Comm other;
    MPI_Request rq[2];

    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    MPI_Isend(&a, 1, MPI_INT, next, 0, MPI_COMM_WORLD, &rq[0]);
    MPI_Isend(&b, 1, MPI_INT, next, 0, other, &rq[1]);
    MPI_Recv(&in, 1, MPI_INT, prev, MPI_ANY_TAG, other, MPI_STATUS_IGNORE);
    CHECK(in == 2, "3.2.3 a message stays in its communicator");
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, other, &flag, MPI_STATUS_IGNORE);
    CHECK(flag == 0, "3.8 a probe sees only its communicator");
    MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(in == 1, "3.2.3 the other one, too");
    MPI_Waitall(2, rq, MPI_STATUSES_IGNORE);
    MPI_Comm_free(&other);
}

static void anybody(void)
{
    int seen[256] = { 0 }, v = check_rank, in, bad = 0;
    MPI_Request rq;
    MPI_Status st;

    MPI_Isend(&v, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, &rq);
    for (int i = 0; check_rank == 0 && i < check_size; i++) {
        MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &st);
        bad += in != st.MPI_SOURCE || seen[in]++ != 0;
    }
    MPI_Wait(&rq, MPI_STATUS_IGNORE);
    CHECK(bad == 0, "3.2.4 from anybody: each message once, and from whom it says");
}

/* ---- 3.7 non-blocking
 * ------------------------------------------------------------------------------ */

static void empty_status(const MPI_Status *st, const char *where)
{
    int n = -1, stopped = -1;

    MPI_Get_count(st, MPI_INT, &n);
    MPI_Test_cancelled(st, &stopped);
    CHECK(st->MPI_SOURCE == MPI_ANY_SOURCE && st->MPI_TAG == MPI_ANY_TAG && n == 0 && !stopped,
          "3.7.3 %s: empty status", where);
}

static void completion(void)
{
    int in[4], out[4] = { 1, 2, 3, 4 }, flag = -1, index = -2, count = -2, indices[4], sum = 0;
    MPI_Request rq[4], none[2] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL }, sends[4];
    MPI_Status st[4];

    CHECK_OK(MPI_Wait(&none[0], &st[0]), "3.7.3 wait for nothing");
    empty_status(&st[0], "MPI_Wait");
    MPI_Test(&none[0], &flag, &st[0]);
    CHECK(flag == 1, "3.7.3 test of nothing");
    MPI_Waitany(2, none, &index, &st[0]);
    CHECK(index == MPI_UNDEFINED, "3.7.5 wait for any of nothing");
    empty_status(&st[0], "MPI_Waitany");
    MPI_Testany(2, none, &index, &flag, &st[0]);
    CHECK(flag == 1 && index == MPI_UNDEFINED, "3.7.5 test for any of nothing");
    MPI_Waitsome(2, none, &count, indices, st);
    CHECK(count == MPI_UNDEFINED, "3.7.5 wait for some of nothing");
    MPI_Testall(0, NULL, &flag, MPI_STATUSES_IGNORE);
    CHECK(flag == 1, "3.7.5 all of none");
    for (int i = 0; i < 4; i++)
        MPI_Irecv(&in[i], 1, MPI_INT, prev, i, MPI_COMM_WORLD, &rq[i]);
    MPI_Testany(4, rq, &index, &flag, &st[0]);
    CHECK(flag == 0, "3.7.5 none is done");
    MPI_Testsome(4, rq, &count, indices, st);
    CHECK(count == 0, "3.7.5 none of some is done");
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 3; i >= 0; i--)
        MPI_Isend(&out[i], 1, MPI_INT, next, i, MPI_COMM_WORLD, &sends[i]);
    MPI_Waitany(4, rq, &index, &st[0]);
    CHECK(index >= 0 && index < 4 && rq[index] == MPI_REQUEST_NULL && st[0].MPI_TAG == index,
          "3.7.5 one of four");
    for (int left = 3; left > 0; left -= count) {
        MPI_Waitsome(4, rq, &count, indices, st);
        for (int i = 0; i < count; i++)
            sum += indices[i] - st[i].MPI_TAG;
        if (count <= 0)
            break;
    }
    CHECK(sum == 0, "3.7.5 statuses of some are side by side");
    CHECK(in[0] == 1 && in[1] == 2 && in[2] == 3 && in[3] == 4, "3.7.5 all four have come");
    MPI_Waitall(4, sends, st);
    CHECK(sends[0] == MPI_REQUEST_NULL, "3.7.5 handles are reset");
}

static void free_and_get_status(void)
{
    static int out; /* nothing here says when it has been read */
    int in = -1, flag = 0;
    MPI_Request rq, send;
    MPI_Status st;

    out = 5 + check_rank;
    MPI_Irecv(&in, 1, MPI_INT, prev, 3, MPI_COMM_WORLD, &rq);
    MPI_Isend(&out, 1, MPI_INT, next, 3, MPI_COMM_WORLD, &send);
    CHECK_OK(MPI_Request_free(&send), "3.7.3 free of an active send");
    CHECK(send == MPI_REQUEST_NULL, "3.7.3 the handle is reset");
    while (!flag)
        MPI_Request_get_status(rq, &flag, &st);
    CHECK(rq != MPI_REQUEST_NULL && st.MPI_TAG == 3, "3.7.6 a look leaves the request");
    MPI_Wait(&rq, &st);
    CHECK(in == 5 + prev && st.MPI_SOURCE == prev, "3.7.6 and it ends as usual");
}

/* ---- 3.8 probe and cancel
 * ------------------------------------------------------------------------------ */

static void probes(void)
{
    int out[3] = { 1, 2, 3 }, in[3] = { 0 }, n = -1, flag = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Request rq, send[3];
    MPI_Status st;

    MPI_Isend(out, 3, MPI_INT, next, 21, MPI_COMM_WORLD, &send[0]);
    st.MPI_ERROR = MPI_ERR_DIMS;
    MPI_Probe(MPI_ANY_SOURCE, 21, MPI_COMM_WORLD, &st);
    MPI_Get_count(&st, MPI_INT, &n);
    CHECK(n == 3 && st.MPI_SOURCE == prev && st.MPI_TAG == 21, "3.8.1 what a probe tells");
    MPI_Recv(in, n, MPI_INT, st.MPI_SOURCE, st.MPI_TAG, MPI_COMM_WORLD, &st);
    CHECK(in[2] == 3, "3.8.1 the message is the one probed");
    CHECK(st.MPI_ERROR == MPI_ERR_DIMS, "3.2.5 calls for one operation leave MPI_ERROR alone");
    for (int i = 0; i < 2; i++)
        MPI_Isend(&out[i], 1, MPI_INT, next, 22, MPI_COMM_WORLD, &send[1 + i]);
    MPI_Mprobe(prev, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &st);
    MPI_Recv(&in[1], 1, MPI_INT, prev, 22, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(in[1] == 2, "3.8.2 a matched message is for nobody else");
    MPI_Mrecv(&in[0], 1, MPI_INT, &message, &st);
    CHECK(in[0] == 1 && message == MPI_MESSAGE_NULL && st.MPI_TAG == 22,
          "3.8.2 and comes by Mrecv");
    MPI_Waitall(3, send, MPI_STATUSES_IGNORE);
    MPI_Isend(out, 2, MPI_INT, next, 23, MPI_COMM_WORLD, &send[0]);
    while (!flag)
        MPI_Improbe(prev, 23, MPI_COMM_WORLD, &flag, &message, &st);
    MPI_Imrecv(in, 2, MPI_INT, &message, &rq);
    MPI_Wait(&rq, &st);
    MPI_Get_count(&st, MPI_INT, &n);
    CHECK(n == 2 && in[1] == 2, "3.8.3 Improbe and Imrecv");
    MPI_Wait(&send[0], MPI_STATUS_IGNORE);
    MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &message, &st);
    CHECK(message == MPI_MESSAGE_NO_PROC, "3.8.2 of nobody");
    CHECK_OK(MPI_Mrecv(in, 1, MPI_INT, &message, &st), "3.8.2 received from nobody");
    CHECK(st.MPI_SOURCE == MPI_PROC_NULL, "3.8.2 its status");
}

static void cancel(void)
{
    int in = -1, out = check_rank, flag = 0, later = -1;
    MPI_Request rq, send;
    MPI_Status st;

    MPI_Irecv(&in, 1, MPI_INT, prev, 31, MPI_COMM_WORLD, &rq);
    CHECK_OK(MPI_Cancel(&rq), "3.8.4 cancel of a receive");
    MPI_Wait(&rq, &st);
    MPI_Test_cancelled(&st, &flag);
    CHECK(flag == 1 && rq == MPI_REQUEST_NULL, "3.8.4 it is cancelled");
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Isend(&out, 1, MPI_INT, next, 31, MPI_COMM_WORLD, &send);
    MPI_Recv(&later, 1, MPI_INT, prev, 31, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&send, &st);
    CHECK(later == prev && in == -1, "3.8.4 the message is the next receive's");
    MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &rq);
    MPI_Cancel(&rq);
    MPI_Wait(&rq, &st);
    MPI_Test_cancelled(&st, &flag);
    CHECK(flag == 1, "3.8.4 from anybody");
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Isend(&out, 1, MPI_INT, next, 32, MPI_COMM_WORLD, &send);
    MPI_Cancel(&send);
    MPI_Wait(&send, &st);
    MPI_Test_cancelled(&st, &flag);
    MPI_Sendrecv(&flag, 1, MPI_INT, next, 33, &later, 1, MPI_INT, prev, 33, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Iprobe(prev, 32, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    CHECK(flag == !later, "3.8.4 a send is cancelled, or its message comes");
    if (flag)
        MPI_Recv(&in, 1, MPI_INT, prev, 32, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* No receive is there, or will be: the wait for a synchronous send ends all the same, so it must
 * have been cancelled. The other one would delay none, but holds memory. */
static void cancel_sends(void)
{
    static char data[300000];

    for (int bytes = 0; bytes <= (int)sizeof(data); bytes = bytes * 6 + 3) {
        MPI_Request rq[2];
        MPI_Status st[2];
        int flag = 0;

        MPI_Issend(data, bytes, MPI_CHAR, next, 34, MPI_COMM_WORLD, &rq[0]);
        MPI_Isend(data, bytes, MPI_CHAR, next, 34, MPI_COMM_WORLD, &rq[1]);
        MPI_Cancel(&rq[0]);
        MPI_Cancel(&rq[1]);
        MPI_Waitall(2, rq, st);
        MPI_Test_cancelled(&st[0], &flag);
        CHECK(flag == 1, "3.8.4 a synchronous send of %d bytes is cancelled", bytes);
        MPI_Test_cancelled(&st[1], &flag);
        CHECK(flag == 1, "3.8.4 a send of %d bytes is cancelled", bytes);
    }
}

/* ---- 3.9 persistent
 * ---------------------------------------------------------------------------------- */

static void persistent(void)
{
    int out = 0, in = -1, flag = 0, bad = 0;
    MPI_Request rq[2], other;
    MPI_Status st;

    MPI_Recv_init(&in, 1, MPI_INT, prev, 41, MPI_COMM_WORLD, &rq[0]);
    MPI_Send_init(&out, 1, MPI_INT, next, 41, MPI_COMM_WORLD, &rq[1]);
    MPI_Test(&rq[0], &flag, &st);
    CHECK(flag == 1 && rq[0] != MPI_REQUEST_NULL, "3.9 an inactive one is done");
    empty_status(&st, "inactive");
    for (int i = 0; i < 10; i++) {
        out = 100 * check_rank + i;
        MPI_Startall(2, rq);
        MPI_Waitall(2, rq, MPI_STATUSES_IGNORE);
        bad += in != 100 * prev + i;
    }
    CHECK(bad == 0, "3.9 ten times");
    CHECK_ERROR(MPI_ERR_REQUEST, (MPI_Start(&rq[0]), MPI_Start(&rq[0])),
                "3.9 start of an active one");
    MPI_Cancel(&rq[0]);
    MPI_Wait(&rq[0], &st);
    MPI_Test_cancelled(&st, &flag);
    CHECK(flag == 1 && rq[0] != MPI_REQUEST_NULL, "3.9 cancelled, and still there");
    MPI_Request_free(&rq[0]);
    MPI_Request_free(&rq[1]);
    CHECK(rq[0] == MPI_REQUEST_NULL && rq[1] == MPI_REQUEST_NULL, "3.9 freed");
    MPI_Ssend_init(&out, 1, MPI_INT, next, 42, MPI_COMM_WORLD, &other);
    MPI_Start(&other);
    MPI_Recv(&in, 1, MPI_INT, prev, 42, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&other, MPI_STATUS_IGNORE);
    MPI_Request_free(&other);
    CHECK(in == 100 * prev + 9, "3.9 synchronous");
}

/* ---- 3.10 and errors
 * ---------------------------------------------------------------------------------- */

static void send_receive(void)
{
    int a[8], b = -1;
    MPI_Status st;

    for (int i = 0; i < 8; i++)
        a[i] = 10 * check_rank + i;
    MPI_Sendrecv(&a[0], 1, MPI_INT, next, 51, &b, 1, MPI_INT, prev, 51, MPI_COMM_WORLD, &st);
    CHECK(b == 10 * prev && st.MPI_SOURCE == prev, "3.10 both ways");
    MPI_Sendrecv_replace(a, 8, MPI_INT, next, 52, prev, 52, MPI_COMM_WORLD, &st);
    CHECK(a[0] == 10 * prev && a[7] == 10 * prev + 7, "3.10 in place");
    MPI_Sendrecv(&check_rank, 1, MPI_INT,
                 check_rank + 1 < check_size ? check_rank + 1 : MPI_PROC_NULL, 53, &b, 1, MPI_INT,
                 check_rank > 0 ? check_rank - 1 : MPI_PROC_NULL, 53, MPI_COMM_WORLD, &st);
    CHECK(check_rank == 0 ? b == 10 * prev && st.MPI_SOURCE == MPI_PROC_NULL : b == check_rank - 1,
          "3.10 along a line with open ends");
}

static void truncation(void)
{
    static char out[20000], in[20000];
    static const int sent[] = { 10, 3000, 20000 };
    int n = -1;
    MPI_Comm comm;
    MPI_Request rq[2];
    MPI_Status st[2];

    for (int k = 0; k < 3; k++) {
        memset(in, 'x', sizeof(in));
        MPI_Isend(out, sent[k], MPI_CHAR, next, 61, MPI_COMM_WORLD, &rq[0]);
        CHECK_ERROR(MPI_ERR_TRUNCATE, MPI_Recv(in, 5, MPI_CHAR, prev, 61, MPI_COMM_WORLD, &st[0]),
                    "3.2.2 too long");
        CHECK(in[5] == 'x', "3.2.2 nothing behind the buffer is touched");
        MPI_Wait(&rq[0], MPI_STATUS_IGNORE);
    }
    MPI_Irecv(in, 5, MPI_CHAR, prev, 62, MPI_COMM_WORLD, &rq[0]);
    MPI_Isend(out, 6, MPI_CHAR, next, 62, MPI_COMM_WORLD, &rq[1]);
    CHECK_ERROR(MPI_ERR_IN_STATUS, MPI_Waitall(2, rq, st), "3.7.5 an error in one of two");
    CHECK(st[0].MPI_ERROR == MPI_ERR_TRUNCATE && st[1].MPI_ERROR == MPI_SUCCESS,
          "3.7.5 statuses tell which");
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int k = 0; k < 2; k++)
        MPI_Irecv(in + 10 * k, 5 + k, MPI_CHAR, prev, k, comm, &rq[k]);
    for (int k = 0; k < 2; k++)
        MPI_Send(out, 6, MPI_CHAR, next, k, comm);
    MPI_Comm_free(&comm);
    CHECK_ERROR(MPI_ERR_IN_STATUS, MPI_Waitall(2, rq, st),
                "6.4.3 an error of a communicator that ends within the call");
    CHECK(st[0].MPI_ERROR == MPI_ERR_TRUNCATE && st[1].MPI_ERROR == MPI_SUCCESS,
          "6.4.3 statuses tell which");
    MPI_Isend(out, 4, MPI_CHAR, next, 63, MPI_COMM_WORLD, &rq[0]);
    MPI_Recv(in, 20000, MPI_CHAR, prev, 63, MPI_COMM_WORLD, &st[0]);
    MPI_Get_count(&st[0], MPI_CHAR, &n);
    CHECK(n == 4, "3.2.2 communication goes on after it");
    MPI_Wait(&rq[0], MPI_STATUS_IGNORE);
}

static void errors(void)
{
    int v = 0;
    MPI_Request rq = 0x7fff, two[2] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL };
    MPI_Status st;
    MPI_Comm w = MPI_COMM_WORLD;

    CHECK_ERROR(MPI_ERR_COUNT, MPI_Send(&v, -1, MPI_INT, 0, 0, w), "3.2.2 negative count");
    CHECK_ERROR(MPI_ERR_TYPE, MPI_Send(&v, 1, MPI_DATATYPE_NULL, 0, 0, w), "3.2.2 no datatype");
    CHECK_ERROR(MPI_ERR_RANK, MPI_Send(&v, 1, MPI_INT, check_size, 0, w), "3.2.3 rank too high");
    CHECK_ERROR(MPI_ERR_RANK, MPI_Send(&v, 1, MPI_INT, MPI_ANY_SOURCE, 0, w), "3.2.3 to anybody");
    CHECK_ERROR(MPI_ERR_TAG, MPI_Send(&v, 1, MPI_INT, 0, -5, w), "3.2.3 negative tag");
    CHECK_ERROR(MPI_ERR_TAG, MPI_Send(&v, 1, MPI_INT, 0, MPI_ANY_TAG, w), "3.2.3 any tag");
    CHECK_ERROR(MPI_ERR_RANK, MPI_Recv(&v, 1, MPI_INT, -7, 0, w, &st), "3.2.4 source");
    CHECK_ERROR(MPI_ERR_COMM, MPI_Send(&v, 1, MPI_INT, 0, 0, MPI_COMM_NULL), "3.2.3 communicator");
    CHECK_ERROR(MPI_ERR_REQUEST, MPI_Wait(&rq, &st), "3.7.3 no such request");
    CHECK_ERROR(MPI_ERR_REQUEST, MPI_Start(&two[0]), "3.9 start of nothing");
    CHECK_ERROR(MPI_ERR_REQUEST, MPI_Request_free(&two[0]), "3.7.3 free of nothing");
    CHECK_ERROR(MPI_ERR_REQUEST, MPI_Cancel(&two[0]), "3.8.4 cancel of nothing");
    CHECK_ERROR(MPI_ERR_BUFFER, MPI_Bsend(&v, 1, MPI_INT, next, 0, w), "3.6 no buffer");
}

/* ---- 12.2 generalized requests
 * ------------------------------------------------------------------- */

static int queried, released, stopped;

static int on_query(void *extra, MPI_Status *st)
{
    queried++;
    MPI_Status_set_elements(st, MPI_INT, *(int *)extra);
    MPI_Status_set_cancelled(st, stopped);
    st->MPI_SOURCE = 3;
    st->MPI_TAG = 4;
    return MPI_SUCCESS;
}

static int on_free(void *extra)
{
    (void)extra;
    released++;
    return MPI_SUCCESS;
}

static int on_cancel(void *extra, int complete)
{
    (void)extra;
    stopped = !complete;
    return MPI_SUCCESS;
}

static void generalized(void)
{
    int extra = 7, flag = 1, n = -1;
    MPI_Request rq;
    MPI_Status st;

    CHECK_OK(MPI_Grequest_start(on_query, on_free, on_cancel, &extra, &rq), "12.2 start");
    MPI_Test(&rq, &flag, &st);
    CHECK(flag == 0 && queried == 0, "12.2 not complete");
    MPI_Cancel(&rq);
    CHECK(stopped == 1, "12.2 cancel function");
    CHECK_OK(MPI_Grequest_complete(rq), "12.2 complete");
    CHECK_OK(MPI_Wait(&rq, &st), "12.2 wait");
    MPI_Get_count(&st, MPI_INT, &n);
    MPI_Test_cancelled(&st, &flag);
    CHECK(n == 7 && st.MPI_SOURCE == 3 && st.MPI_TAG == 4 && flag == 1, "12.2 status of the query");
    CHECK(queried == 1 && released == 1 && rq == MPI_REQUEST_NULL, "12.2 freed");
    CHECK_ERROR(MPI_ERR_REQUEST, MPI_Grequest_complete(rq), "12.2 complete of nothing");
}

static int handled;

static void on_error(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
    handled++;
}

struct swap {
    MPI_Comm ends, begins;
};

/* The one that begins may get the memory of the other. */
static int on_query_swap(void *extra, MPI_Status *st)
{
    struct swap *s = extra;
    MPI_Errhandler handler;

    MPI_Comm_free(&s->ends);
    MPI_Comm_dup(MPI_COMM_SELF, &s->begins);
    MPI_Comm_create_errhandler(on_error, &handler);
    MPI_Comm_set_errhandler(s->begins, handler);
    MPI_Errhandler_free(&handler);
    MPI_Status_set_elements(st, MPI_INT, 0);
    MPI_Status_set_cancelled(st, 0);
    return MPI_SUCCESS;
}

static void swap_in_query(void)
{
    int out[2] = { 1, 2 }, in = 0;
    struct swap s;
    MPI_Request rq[2];
    MPI_Status st[2];

    MPI_Comm_dup(MPI_COMM_WORLD, &s.ends);
    MPI_Irecv(&in, 1, MPI_INT, prev, 0, s.ends, &rq[0]);
    MPI_Send(out, 2, MPI_INT, next, 0, s.ends);
    MPI_Grequest_start(on_query_swap, on_free, on_cancel, &s, &rq[1]);
    MPI_Grequest_complete(rq[1]);
    CHECK_ERROR(MPI_ERR_IN_STATUS, MPI_Waitall(2, rq, st),
                "6.4.3 an error of a communicator that a query function frees");
    CHECK(st[0].MPI_ERROR == MPI_ERR_TRUNCATE && st[1].MPI_ERROR == MPI_SUCCESS,
          "6.4.3 statuses tell which");
    CHECK(handled == 0, "6.4.3 no other communicator's handler is called");
    MPI_Comm_free(&s.begins);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv, "point");
    next = (check_rank + 1) % check_size;
    prev = (check_rank + check_size - 1) % check_size;
    sizes();
    status();
    null_process();
    modes();
    order();
    posted_order();
    communicators();
    anybody();
    completion();
    free_and_get_status();
    probes();
    cancel();
    cancel_sends();
    persistent();
    send_receive();
    truncation();
    errors();
    generalized();
    swap_in_query();
    return check_end();
}
