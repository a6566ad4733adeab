/*
 * Random message patterns against a simple reference matcher.  matcher [patterns=N] [seed=N]
 * [limits=A,B,...]: sizes are chosen around the limits, which are those of the transport.
 *
 * In each pattern all ranks send to and receive from each other and themselves, all of them without
 * waiting. They do so in any mode, persistent or not, with any tag, communicator and size, with
 * wildcards, datatypes with gaps, too small buffers, receives by matched probes, and sends that
 * are cancelled. Each rank knows the
 * whole pattern. When a word from each rank has come, sent after its messages, all messages have
 * come, too (here messages of a pair keep their order over all communicators); what is still
 * pending is cancelled, what was not received is drained. Requests end by any of the functions
 * that wait or test. In some patterns a ring of blocking calls follows.
 *
 * The reference: receives in the order of their posting; each must have got the first message of
 * its source that matches and that no older one has got. The library chooses the
 * source of a receive with MPI_ANY_SOURCE. A receive that was cancelled must have left nothing
 * behind that matches; a send that was cancelled is as if it had not been, and its sender's word
 * says so.
 */
#include <mpi.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define RANKS_MAX  64
#define EACH_MAX   4 /* operations of a rank: so many messages, so many receives */
#define COMMS      3
#define TAGS       3
#define LIMITS_MAX 8
#define NEAR       100 /* bytes around a limit: headers have at most 96 */
#define WORD_TAG   7
#define GAP        0xee
#define BLOCK      8 /* bytes of a block of BLOCKS, with as long gaps between them */
#define PIECE      7 /* bytes of a piece of TURNED */

enum mode { STANDARD, SYNCHRONOUS, BUFFERED, MODES };
enum layout { PLAIN, SINGLE, BLOCKS, TURNED, RESIZED, LAYOUTS };

struct message {
    int from, to, comm, tag, bytes;
    enum mode mode;
    int persistent, blocks, withdrawn; /* a blocking call; cancelled if that is still possible */
    enum layout layout;
    int pause; /* before it */
    int taken; /* by the reference */
};

struct receive {
    int source, tag, comm, room;
    enum layout layout;
    int persistent, before; /* posted before this one of the rank's messages is sent */
    int probes, absent;     /* by a matched probe, which found nothing */
    int ended;
    MPI_Request request;
    MPI_Status status;
    int code;
    unsigned char *buf;
};

static uint64_t state;
static int rank, ranks, nlimits, limits[LIMITS_MAX], longest;
static MPI_Comm comms[2][COMMS], words, ring;
static struct message messages[RANKS_MAX * EACH_MAX];
static struct receive receives[RANKS_MAX][EACH_MAX];
static int nmessages, nreceives[RANKS_MAX];
static unsigned char *out[EACH_MAX], *drain, *expected;
static long total, cancelled, drained, cut, unsent, rounds, pattern;

static unsigned below(unsigned n)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)((state >> 33) % n);
}

static int some_size(void)
{
    int at = limits[below((unsigned)nlimits)] + (int)below(2 * NEAR) - NEAR;

    return below(4) == 0 ? (int)below(17) : at < 0 ? 0 : at;
}

/* ---- the pattern ---- */

static void make_pattern(void)
{
    nmessages = 0;
    for (int r = 0; r < ranks; r++)
        nreceives[r] = 0;
    for (int r = 0; r < ranks; r++) {
        int n = (int)below(EACH_MAX + 1);

        for (int i = 0; i < n; i++) {
            struct message *m = &messages[nmessages++];
            /* half of them to one rank, which has to choose */
            int to = below(2) == 0 ? (int)((unsigned)pattern % (unsigned)ranks)
                                   : (int)below((unsigned)ranks);

            *m = (struct message){ .from = r, .to = to, .comm = (int)below(COMMS) };
            m->tag = (int)below(TAGS);
            m->bytes = some_size();
            m->mode = (enum mode)below(MODES);
            m->persistent = below(4) == 0;
            m->blocks = m->mode == BUFFERED && !m->persistent && below(2) == 0;
            m->withdrawn = below(12) == 0;
            m->layout = below(3) == 0 ? (enum layout)below(LAYOUTS) : PLAIN;
            m->pause = below(3) == 0 ? (int)below(30) : 0;
        }
    }
    for (int i = 0; i < nmessages; i++) { /* for most of them a receive, more or less exact */
        const struct message *m = &messages[i];
        struct receive *rv;

        if (nreceives[m->to] == EACH_MAX || below(8) == 0)
            continue;
        rv = &receives[m->to][nreceives[m->to]++];
        rv->source = below(3) == 0 ? MPI_ANY_SOURCE : m->from;
        rv->tag = below(3) == 0 ? MPI_ANY_TAG : m->tag;
        rv->comm = m->comm;
        rv->room = below(6) == 0 ? (int)below((unsigned)m->bytes + 1) : longest;
        rv->layout = below(3) == 0 ? (enum layout)below(LAYOUTS) : PLAIN;
        rv->persistent = below(5) == 0;
        rv->before = (int)below(EACH_MAX + 1);
        rv->probes = below(8) == 0;
        rv->absent = rv->ended = 0;
    }
}

static int world_of(int comm, int r)
{
    return comm == 2 ? ranks - 1 - r : r; /* the last one is turned round */
}

/* ---- data ---- */

static unsigned char byte_of(int index, int i)
{
    return (unsigned char)(pattern * 31 + index * 7 + i + (i >> 8));
}

/* Bytes of memory that so many bytes of data take. */
static int span(enum layout layout, int bytes)
{
    static const int factor[LAYOUTS] = { 1, 2, 2, 1, 3 };

    return factor[layout] * bytes + (layout == TURNED ? PIECE : BLOCK);
}

/* Where byte i of data lies, in a buffer for `room` of them. */
static int place(enum layout layout, int room, int i)
{
    if (layout == SINGLE)
        return 2 * i;
    if (layout == BLOCKS)
        return i / BLOCK * 2 * BLOCK + i % BLOCK;
    if (layout == TURNED)
        return ((room - 1) / PIECE - i / PIECE) * PIECE + i % PIECE;
    return layout == RESIZED ? 3 * i : i;
}

static MPI_Datatype turned(int bytes)
{
    int n = (bytes + PIECE - 1) / PIECE, *lengths = malloc((size_t)(n + 1) * sizeof(*lengths));
    MPI_Aint *at = malloc((size_t)(n + 1) * sizeof(*at));
    MPI_Datatype type;

    if (lengths == NULL || at == NULL)
        exit(EXIT_FAILURE);
    for (int k = 0; k < n; k++) {
        lengths[k] = k == n - 1 ? bytes - k * PIECE : PIECE;
        at[k] = (MPI_Aint)(n - 1 - k) * PIECE;
    }
    MPI_Type_create_hindexed(n, lengths, at, MPI_BYTE, &type);
    free(lengths);
    free(at);
    return type;
}

static MPI_Datatype blocks(int bytes)
{
    int n = bytes / BLOCK, lengths[2] = { 1, bytes % BLOCK };
    MPI_Aint at[2] = { 0, (MPI_Aint)n * 2 * BLOCK };
    MPI_Datatype types[2] = { MPI_DATATYPE_NULL, MPI_BYTE }, type;

    MPI_Type_vector(n, BLOCK, 2 * BLOCK, MPI_BYTE, &types[0]);
    if (lengths[1] == 0)
        return types[0];
    MPI_Type_create_struct(2, lengths, at, types, &type);
    MPI_Type_free(&types[0]);
    return type;
}

/* Free with done_with(). */
static void type_of(enum layout layout, int bytes, int *count, MPI_Datatype *type)
{
    *count = layout == PLAIN || layout == RESIZED ? bytes : 1;
    *type = MPI_BYTE;
    if (layout == PLAIN)
        return;
    if (layout == SINGLE)
        MPI_Type_vector(bytes, 1, 2, MPI_BYTE, type);
    else if (layout == BLOCKS)
        *type = blocks(bytes);
    else if (layout == TURNED)
        *type = turned(bytes);
    else
        MPI_Type_create_resized(MPI_BYTE, 0, 3, type);
    MPI_Type_commit(type);
}

static void done_with(MPI_Datatype *type)
{
    if (*type != MPI_BYTE)
        MPI_Type_free(type);
}

static void fail(const char *why, int a, int b)
{
    printf("matcher: rank %d, pattern %ld: %s (%d, %d)\n", rank, pattern, why, a, b);
    fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* `bytes` of message `index` in a buffer for `room`, and nothing else. */
static void check_data(const unsigned char *buf, enum layout layout, int room, int index, int bytes)
{
    int n = span(layout, room);

    memset(expected, GAP, (size_t)n);
    for (int i = 0; i < bytes; i++)
        expected[place(layout, room, i)] = byte_of(index, i);
    if (memcmp(buf, expected, (size_t)n) == 0)
        return;
    for (int i = 0; i < n; i++)
        if (buf[i] != expected[i])
            fail("wrong byte at, and it is", i, buf[i]);
}

/* ---- doing it ---- */

static void post(struct receive *rv)
{
    MPI_Comm comm = comms[pattern & 1][rv->comm];
    int source = rv->source == MPI_ANY_SOURCE ? rv->source : world_of(rv->comm, rv->source), count;
    MPI_Datatype type;

    type_of(rv->layout, rv->room, &count, &type);
    memset(rv->buf, GAP, (size_t)span(rv->layout, rv->room));
    if (rv->probes) {
        MPI_Message message;
        int flag;

        MPI_Improbe(source, rv->tag, comm, &flag, &message, MPI_STATUS_IGNORE);
        rv->absent = !flag;
        rv->persistent = 0;
        if (flag)
            MPI_Imrecv(rv->buf, count, type, &message, &rv->request);
    } else if (!rv->persistent) {
        MPI_Irecv(rv->buf, count, type, source, rv->tag, comm, &rv->request);
    } else {
        MPI_Recv_init(rv->buf, count, type, source, rv->tag, comm, &rv->request);
        MPI_Start(&rv->request);
    }
    done_with(&type);
}

static void fill(unsigned char *buf, enum layout layout, int index, int bytes)
{
    for (int i = 0; i < bytes; i++)
        buf[place(layout, bytes, i)] = byte_of(index, i);
}

static void send(const struct message *m, int index, unsigned char *buf, MPI_Request *request)
{
    static int (*const sends[MODES])(const void *, int, MPI_Datatype, int, int, MPI_Comm,
                                     MPI_Request *) = { MPI_Isend, MPI_Issend, MPI_Ibsend };
    static int (*const inits[MODES])(const void *, int, MPI_Datatype, int, int, MPI_Comm,
                                     MPI_Request *) = { MPI_Send_init, MPI_Ssend_init,
                                                        MPI_Bsend_init };
    MPI_Comm comm = comms[pattern & 1][m->comm];
    int to = world_of(m->comm, m->to), count;
    MPI_Datatype type;

    type_of(m->layout, m->bytes, &count, &type);
    fill(buf, m->layout, index, m->bytes);
    if (m->pause > 0)
        nanosleep(&(struct timespec){ 0, 1000 * m->pause }, NULL);
    *request = MPI_REQUEST_NULL;
    if (m->blocks) {
        MPI_Bsend(buf, count, type, to, m->tag, comm);
    } else if (m->persistent) {
        inits[m->mode](buf, count, type, to, m->tag, comm, request);
        MPI_Startall(1, request);
    } else {
        sends[m->mode](buf, count, type, to, m->tag, comm, request);
    }
    done_with(&type);
    if (below(5) == 0) { /* a look between */
        int flag;

        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &flag, MPI_STATUS_IGNORE);
    }
}

/* Takes back what is meant to be taken back. @return which messages of this rank have not been. */
static unsigned withdraw(MPI_Request *requests)
{
    unsigned stopped = 0;

    for (int i = 0, k = 0; i < nmessages; i++) {
        MPI_Status status;
        int flag;

        if (messages[i].from != rank)
            continue;
        if (messages[i].withdrawn && requests[k] != MPI_REQUEST_NULL) {
            MPI_Cancel(&requests[k]);
            MPI_Wait(&requests[k], &status);
            MPI_Test_cancelled(&status, &flag);
            stopped |= (unsigned)flag << k;
            unsent += flag;
        }
        k++;
    }
    return stopped;
}

/* @return how many messages it has sent. */
static int act(MPI_Request *requests, unsigned *stopped_p)
{
    int sent = 0, posted = 0;

    for (int i = 0; i < nmessages; i++) {
        if (messages[i].from != rank)
            continue;
        for (; posted < nreceives[rank] && receives[rank][posted].before <= sent; posted++)
            post(&receives[rank][posted]);
        send(&messages[i], i, out[sent], &requests[sent]);
        sent++;
    }
    for (; posted < nreceives[rank]; posted++)
        post(&receives[rank][posted]);
    *stopped_p = withdraw(requests);
    return sent;
}

/* A word says which of the sender's messages have not been sent: bit k is the k-th of them. */
static void exchange_words(unsigned stopped)
{
    MPI_Request rq[2 * RANKS_MAX];
    unsigned word[RANKS_MAX];
    int n[RANKS_MAX] = { 0 };

    for (int r = 0; r < ranks; r++)
        MPI_Irecv(&word[r], 1, MPI_UNSIGNED, r, WORD_TAG, words, &rq[ranks + r]);
    for (int r = 0; r < ranks; r++)
        MPI_Isend(&stopped, 1, MPI_UNSIGNED, r, WORD_TAG, words, &rq[r]);
    MPI_Waitall(2 * ranks, rq, MPI_STATUSES_IGNORE);
    for (int i = 0; i < nmessages; i++)
        messages[i].taken = (int)(word[messages[i].from] >> n[messages[i].from]++ & 1u);
}

/* ---- the reference ---- */

/* The first message of `from` (in world; or MPI_ANY_SOURCE) that matches and is not taken. */
static int first_match(const struct receive *rv, int from)
{
    for (int i = 0; i < nmessages; i++) {
        const struct message *m = &messages[i];

        if (!m->taken && m->to == rank && m->comm == rv->comm &&
            (from == MPI_ANY_SOURCE || m->from == from) &&
            (rv->tag == MPI_ANY_TAG || rv->tag == m->tag))
            return i;
    }
    return -1;
}

static void check_receive(struct receive *rv)
{
    int stopped, index, bytes, took, count;

    MPI_Test_cancelled(&rv->status, &stopped);
    if (stopped)
        return;
    if (rv->code == MPI_ERR_IN_STATUS)
        rv->code = rv->status.MPI_ERROR;
    index = first_match(rv, world_of(rv->comm, rv->status.MPI_SOURCE));
    if (index < 0)
        fail("a message of nobody, source and tag", rv->status.MPI_SOURCE, rv->status.MPI_TAG);
    messages[index].taken = 1;
    if (rv->source != MPI_ANY_SOURCE && messages[index].from != rv->source)
        fail("wrong source", messages[index].from, rv->source);
    if (rv->status.MPI_TAG != messages[index].tag)
        fail("wrong tag", rv->status.MPI_TAG, messages[index].tag);
    bytes = messages[index].bytes;
    took = bytes < rv->room ? bytes : rv->room;
    MPI_Get_count(&rv->status, MPI_BYTE, &count);
    if (count != took)
        fail("wrong count", count, took);
    if ((rv->code == MPI_ERR_TRUNCATE) != (bytes > rv->room))
        fail("wrong code", rv->code, bytes);
    cut += bytes > rv->room;
    check_data(rv->buf, rv->layout, rv->room, index, took);
}

static void check_drained(int comm, const MPI_Status *st)
{
    struct receive rv = { .comm = comm, .tag = st->MPI_TAG };
    int index = first_match(&rv, world_of(comm, st->MPI_SOURCE)), count;

    MPI_Get_count(st, MPI_BYTE, &count);
    if (index < 0 || messages[index].bytes != count)
        fail("drained what was never sent, source and tag", st->MPI_SOURCE, st->MPI_TAG);
    messages[index].taken = 1;
    check_data(drain, PLAIN, longest, index, count);
    drained++;
}

static void drain_all(void)
{
    for (int c = 0; c < COMMS; c++) {
        for (;;) {
            MPI_Status st;
            int flag;

            MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comms[pattern & 1][c], &flag, &st);
            if (!flag)
                break;
            memset(drain, GAP, (size_t)span(PLAIN, longest));
            if (below(2) == 0) {
                MPI_Message message;

                MPI_Improbe(st.MPI_SOURCE, st.MPI_TAG, comms[pattern & 1][c], &flag, &message, &st);
                MPI_Mrecv(drain, longest, MPI_BYTE, &message, &st);
            } else {
                MPI_Recv(drain, longest, MPI_BYTE, st.MPI_SOURCE, st.MPI_TAG, comms[pattern & 1][c],
                         &st);
            }
            check_drained(c, &st);
        }
    }
}

/* ---- ends ---- */

/* One of the requests of which at least one is active and will end, by any function that may do it.
 * All of them, if `n` is 1. @return how many are in at[], statuses beside them. */
static int end_some(int n, MPI_Request *rq, int *at, MPI_Status *statuses, int *code_p)
{
    int flag = 0, count = 1;

    at[0] = 0;
    switch (n == 1 ? below(7) : below(4)) {
    case 0:
        *code_p = MPI_Waitany(n, rq, at, statuses);
        return 1;
    case 1:
        *code_p = MPI_Waitsome(n, rq, &count, at, statuses);
        return count;
    case 2:
        while (!flag)
            *code_p = MPI_Testany(n, rq, at, &flag, statuses);
        return 1;
    case 3:
        for (count = 0; count == 0;)
            *code_p = MPI_Testsome(n, rq, &count, at, statuses);
        return count;
    case 4:
        *code_p = MPI_Wait(rq, statuses);
        return 1;
    case 5:
        while (!flag)
            *code_p = MPI_Test(rq, &flag, statuses);
        return 1;
    default:
        *code_p = MPI_Waitall(1, rq, statuses);
        return 1;
    }
}

/* Some of those that are over now, before it is looked at one after the other. */
static void end_early(void)
{
    MPI_Request rq[EACH_MAX];
    MPI_Status statuses[EACH_MAX];
    int at[EACH_MAX], n = nreceives[rank], count = 0, code;

    for (int i = 0; i < n; i++)
        rq[i] = receives[rank][i].absent ? MPI_REQUEST_NULL : receives[rank][i].request;
    if (below(2) == 0) {
        code = MPI_Testsome(n, rq, &count, at, statuses);
    } else {
        int flag;

        code = MPI_Testany(n, rq, at, &flag, statuses);
        count = flag && at[0] != MPI_UNDEFINED;
    }
    for (int k = 0; count != MPI_UNDEFINED && k < count; k++) {
        struct receive *rv = &receives[rank][at[k]];

        rv->ended = 1;
        rv->request = rq[at[k]];
        rv->status = statuses[k];
        rv->code = code;
    }
}

static void end_receive(struct receive *rv)
{
    int flag, at, stopped;

    MPI_Request_get_status(rv->request, &flag, MPI_STATUS_IGNORE);
    if (!flag && first_match(rv, rv->source) < 0)
        MPI_Cancel(&rv->request);
    end_some(1, &rv->request, &at, &rv->status, &rv->code);
    MPI_Test_cancelled(&rv->status, &stopped);
    cancelled += stopped;
}

static void finish_receives(void)
{
    if (below(3) == 0)
        end_early();
    for (int i = 0; i < nreceives[rank]; i++) {
        struct receive *rv = &receives[rank][i];

        if (rv->absent)
            continue;
        if (!rv->ended)
            end_receive(rv);
        check_receive(rv);
        if (rv->persistent)
            MPI_Request_free(&rv->request);
    }
    for (int i = 0; i < nreceives[rank]; i++) {
        int stopped = 0;

        if (!receives[rank][i].absent)
            MPI_Test_cancelled(&receives[rank][i].status, &stopped);
        if (stopped && first_match(&receives[rank][i], receives[rank][i].source) >= 0)
            fail("cancelled, though its message is there", i, receives[rank][i].tag);
    }
}

static void finish_sends(int n, MPI_Request *rq)
{
    MPI_Status statuses[EACH_MAX];
    int at[EACH_MAX] = { 0 }, flag = 0, code = MPI_SUCCESS, count = 1;

    if (below(3) == 0) {
        while (!flag)
            code = MPI_Testall(n, rq, &flag, MPI_STATUSES_IGNORE);
    } else if (below(2) == 0) {
        code = MPI_Waitall(n, rq, MPI_STATUSES_IGNORE);
    } else {
        while (n > 0 && count != MPI_UNDEFINED && at[0] != MPI_UNDEFINED && code == MPI_SUCCESS)
            count = end_some(n == 1 ? 2 : n, rq, at, statuses, &code);
    }
    if (code != MPI_SUCCESS)
        fail("a send has failed", code, n);
    for (int i = 0, k = 0; i < nmessages; i++)
        if (messages[i].from == rank && rq[k++] != MPI_REQUEST_NULL)
            MPI_Request_free(&rq[k - 1]);
}

/* ---- a ring of blocking calls ---- */

enum way { SENDRECV, REPLACE, READY, READY_PERSISTENT, TURNS, SYNCHRONOUS_TURNS, WAYS };

static void ring_receive(unsigned char *buf, int left, int tag, MPI_Status *status)
{
    int any = below(2) == 0;
    unsigned how = below(3);
    MPI_Message message;

    if (how == 0)
        MPI_Probe(any ? MPI_ANY_SOURCE : left, any ? MPI_ANY_TAG : tag, ring, status);
    if (how == 1) {
        MPI_Mprobe(any ? MPI_ANY_SOURCE : left, tag, ring, &message, status);
        MPI_Mrecv(buf, longest, MPI_BYTE, &message, status);
    } else {
        MPI_Recv(buf, longest, MPI_BYTE, any ? MPI_ANY_SOURCE : left, tag, ring, status);
    }
}

static void ring_ready(enum way way, unsigned char *from, int bytes, int right, MPI_Request *rq)
{
    exchange_words(0); /* the receives are there */
    if (way == READY_PERSISTENT) {
        MPI_Rsend_init(from, bytes, MPI_BYTE, right, 1, ring, rq);
        MPI_Start(rq);
    } else if (below(2) == 0) {
        MPI_Irsend(from, bytes, MPI_BYTE, right, 1, ring, rq);
    } else {
        MPI_Rsend(from, bytes, MPI_BYTE, right, 1, ring);
        *rq = MPI_REQUEST_NULL;
    }
}

static void in_turns(enum way way, unsigned char *from, int bytes, int right, int left,
                     MPI_Status *status)
{
    int (*send_it)(const void *, int, MPI_Datatype, int, int, MPI_Comm) =
        way == TURNS ? MPI_Send : MPI_Ssend;

    if (rank % 2 == 0)
        send_it(from, bytes, MPI_BYTE, right, 1, ring);
    ring_receive(drain, left, 1, status);
    if (rank % 2 != 0)
        send_it(from, bytes, MPI_BYTE, right, 1, ring);
}

/* Each rank sends `bytes` to the right; all choose the same. */
static void one_round(enum way way, int bytes)
{
    int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks, count;
    MPI_Request rq[2];
    MPI_Status status[2];

    if (ranks == 1 && way >= TURNS)
        way = SENDRECV;
    fill(out[0], PLAIN, rank, bytes);
    memset(drain, GAP, (size_t)span(PLAIN, longest));
    if (way == SENDRECV) {
        MPI_Sendrecv(out[0], bytes, MPI_BYTE, right, 1, drain, longest, MPI_BYTE, left, MPI_ANY_TAG,
                     ring, status);
    } else if (way == REPLACE) {
        fill(drain, PLAIN, rank, bytes);
        MPI_Sendrecv_replace(drain, bytes, MPI_BYTE, right, 1, left, 1, ring, status);
    } else if (way == READY || way == READY_PERSISTENT) {
        MPI_Irecv(drain, longest, MPI_BYTE, left, 1, ring, &rq[0]);
        ring_ready(way, out[0], bytes, right, &rq[1]);
        MPI_Waitall(2, rq, status);
        if (way == READY_PERSISTENT)
            MPI_Request_free(&rq[1]);
    } else {
        in_turns(way, out[0], bytes, right, left, status);
    }
    MPI_Get_count(status, MPI_BYTE, &count);
    if (status->MPI_SOURCE != left || status->MPI_TAG != 1 || count != bytes)
        fail("in the ring: wrong source or count", status->MPI_SOURCE, count);
    check_data(drain, PLAIN, longest, left, bytes);
    rounds++;
}

static void one_pattern(void)
{
    MPI_Request requests[EACH_MAX];
    enum way way;
    unsigned stopped;
    int sent, bytes, turns;

    for (int i = 0; i < EACH_MAX; i++)
        requests[i] = MPI_REQUEST_NULL;
    make_pattern();
    turns = below(4) == 0;
    way = (enum way)below(WAYS);
    bytes = some_size();
    state += (uint64_t)rank; /* own choices from here on */
    sent = act(requests, &stopped);
    exchange_words(stopped);
    finish_receives();
    drain_all();
    for (int i = 0; i < nmessages; i++)
        if (messages[i].to == rank && !messages[i].taken)
            fail("a message is lost, from and tag", messages[i].from, messages[i].tag);
    finish_sends(sent, requests);
    total += sent;
    if (turns)
        one_round(way, bytes);
}

/* ---- around it ---- */

static unsigned char *room_for(size_t bytes)
{
    unsigned char *p = malloc(bytes);

    if (p == NULL)
        exit(EXIT_FAILURE);
    return p;
}

static void begin(void)
{
    size_t bytes;
    int size;
    void *buffer;

    for (int i = 0; i < nlimits; i++)
        longest = limits[i] + NEAR > longest ? limits[i] + NEAR : longest;
    for (int set = 0; set < 2; set++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[set][0]);
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[set][1]);
        MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comms[set][2]);
        for (int c = 0; c < COMMS; c++)
            MPI_Comm_set_errhandler(comms[set][c], MPI_ERRORS_RETURN);
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &words);
    MPI_Comm_dup(MPI_COMM_WORLD, &ring);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    bytes = (size_t)span(RESIZED, longest);
    for (int i = 0; i < EACH_MAX; i++) {
        out[i] = room_for(bytes);
        receives[rank][i].buf = room_for(bytes);
    }
    drain = room_for(bytes);
    expected = room_for(bytes);
    size = 2 * EACH_MAX * (longest + MPI_BSEND_OVERHEAD);
    buffer = room_for((size_t)size);
    MPI_Buffer_attach(buffer, size);
}

static uint64_t number(int argc, char **argv, const char *key, uint64_t own)
{
    size_t n = strlen(key);

    for (int i = 1; i < argc; i++)
        if (strncmp(argv[i], key, n) == 0 && argv[i][n] == '=')
            return strtoull(argv[i] + n + 1, NULL, 0);
    return own;
}

static void read_limits(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "limits=", 7) != 0)
            continue;
        for (char *at = argv[i] + 7; *at != '\0' && nlimits < LIMITS_MAX; at += *at == ',')
            limits[nlimits++] = (int)strtol(at, &at, 0);
    }
    if (nlimits == 0)
        limits[nlimits++] = 256;
}

int main(int argc, char **argv)
{
    long patterns = (long)number(argc, argv, "patterns", 1000);
    uint64_t seed = number(argc, argv, "seed", 1);

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    read_limits(argc, argv);
    begin();
    for (pattern = 0; pattern < patterns; pattern++) {
        state = (seed << 32) + (uint64_t)pattern * UINT64_C(0x9e3779b97f4a7c15);
        (void)below(1);
        one_pattern();
    }
    const long sums[6] = { total, cancelled, drained, cut, unsent, rounds };
    long all[6];

    MPI_Reduce(sums, all, 6, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf(
            "matcher: %ld patterns on %d ranks, %ld messages, %ld cut off, %ld drained; cancelled: "
            "%ld receives, %ld sends; %ld in rings: no mismatch\n",
            patterns, ranks, all[0], all[3], all[2], all[1], all[4], all[5]);
    MPI_Finalize();
    return 0;
}
