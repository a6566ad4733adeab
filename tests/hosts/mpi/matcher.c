/*
 * Random message patterns against a simple reference matcher.  matcher [patterns=N] [seed=N]
 * [limits=A,B,...]: sizes are chosen around the limits, which are those of the transport.
 *
 * In each pattern all ranks send to and receive from each other, all of them without waiting: any
 * mode, tag, communicator, size, wildcards, datatypes with gaps, too small buffers. Each rank knows
 * the whole pattern. When a word from each rank has come, sent after its messages, all messages
 * have come, too (here messages of a pair keep their order over all communicators), and what is
 * still pending is cancelled, what was not received is drained.
 *
 * The reference: receives in the order of their posting; each must have got the first message of
 * its source that matches and that no older one has got. Of a receive from anybody the library
 * chooses the source. One that was cancelled must have left nothing behind that matches.
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
#define NEAR       40 /* bytes around a limit */
#define WORD_TAG   7

enum mode { STANDARD, SYNCHRONOUS, BUFFERED, PERSISTENT, MODES };

struct message {
    int from, to, comm, tag, bytes;
    enum mode mode;
    int gaps, pause; /* datatype with gaps; a pause before it */
    int taken;       /* by the reference */
};

struct receive {
    int source, tag, comm, room;
    int gaps, persistent, before; /* posted before this one of the rank's messages is sent */
    MPI_Request request;
    MPI_Status status;
    int code;
    unsigned char *buf;
};

static uint64_t state;
static int rank, ranks, nlimits, limits[LIMITS_MAX], longest;
static MPI_Comm comms[2][COMMS], words;
static struct message messages[RANKS_MAX * EACH_MAX];
static struct receive receives[RANKS_MAX][EACH_MAX];
static int nmessages, nreceives[RANKS_MAX];
static unsigned char *out[EACH_MAX], *drain;
static long total, cancelled, drained, cut, pattern;

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

/* ---- the pattern -------------------------------------------------------------------------- */

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
            m->gaps = below(4) == 0;
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
        rv->gaps = below(4) == 0;
        rv->persistent = below(5) == 0;
        rv->before = (int)below(EACH_MAX + 1);
    }
}

static int world_of(int comm, int r)
{
    return comm == 2 ? ranks - 1 - r : r; /* the last one is turned round */
}

/* ---- data ------------------------------------------------------------------------------------ */

static unsigned char byte_of(int index, int i)
{
    return (unsigned char)(pattern * 31 + index * 7 + i + (i >> 8));
}

/* With gaps, each byte is followed by one that is not of the message. Free with done_with(). */
static void type_of(int gaps, int bytes, int *count, MPI_Datatype *type)
{
    *count = gaps ? 1 : bytes;
    *type = MPI_BYTE;
    if (!gaps)
        return;
    MPI_Type_vector(bytes, 1, 2, MPI_BYTE, type);
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

static void check_data(const unsigned char *buf, int gaps, int index, int bytes)
{
    for (int i = 0; i < bytes; i++)
        if (buf[gaps ? 2 * i : i] != byte_of(index, i))
            fail("wrong data at", i, buf[gaps ? 2 * i : i]);
    for (int i = 0; gaps && i < bytes - 1; i++)
        if (buf[2 * i + 1] != 0xee)
            fail("written into a gap at", i, buf[2 * i + 1]);
    if (buf[gaps ? 2 * bytes : bytes] != 0xee)
        fail("written behind the end at", bytes, buf[gaps ? 2 * bytes : bytes]);
}

/* ---- doing it ---------------------------------------------------------------------------------
 */

static void post(struct receive *rv)
{
    MPI_Comm comm = comms[pattern & 1][rv->comm];
    int source = rv->source == MPI_ANY_SOURCE ? rv->source : world_of(rv->comm, rv->source), count;
    MPI_Datatype type;

    type_of(rv->gaps, rv->room, &count, &type);
    memset(rv->buf, 0xee, (size_t)(rv->gaps ? 2 : 1) * (size_t)rv->room + 2);
    if (!rv->persistent) {
        MPI_Irecv(rv->buf, count, type, source, rv->tag, comm, &rv->request);
    } else {
        MPI_Recv_init(rv->buf, count, type, source, rv->tag, comm, &rv->request);
        MPI_Start(&rv->request);
    }
    done_with(&type);
}

static void send(const struct message *m, int index, unsigned char *buf, MPI_Request *request)
{
    MPI_Comm comm = comms[pattern & 1][m->comm];
    int to = world_of(m->comm, m->to), count;
    MPI_Datatype type;

    type_of(m->gaps, m->bytes, &count, &type);
    for (int i = 0; i < m->bytes; i++)
        buf[m->gaps ? 2 * i : i] = byte_of(index, i);
    if (m->pause > 0)
        nanosleep(&(struct timespec){ 0, 1000 * m->pause }, NULL);
    if (m->mode == STANDARD)
        MPI_Isend(buf, count, type, to, m->tag, comm, request);
    else if (m->mode == SYNCHRONOUS)
        MPI_Issend(buf, count, type, to, m->tag, comm, request);
    else if (m->mode == BUFFERED)
        MPI_Ibsend(buf, count, type, to, m->tag, comm, request);
    else {
        MPI_Send_init(buf, count, type, to, m->tag, comm, request);
        MPI_Start(request);
    }
    done_with(&type);
    if (below(5) == 0) { /* a look between */
        int flag;

        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &flag, MPI_STATUS_IGNORE);
    }
}

/* @return how many messages it has sent. */
static int act(MPI_Request *requests)
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
    return sent;
}

static void exchange_words(void)
{
    MPI_Request rq[2 * RANKS_MAX];
    int word[RANKS_MAX];

    for (int r = 0; r < ranks; r++)
        MPI_Irecv(&word[r], 1, MPI_INT, r, WORD_TAG, words, &rq[ranks + r]);
    for (int r = 0; r < ranks; r++)
        MPI_Isend(&ranks, 1, MPI_INT, r, WORD_TAG, words, &rq[r]);
    MPI_Waitall(2 * ranks, rq, MPI_STATUSES_IGNORE);
}

/* ---- the reference
 * --------------------------------------------------------------------------------- */

/* The first message of `from` (world; or anybody) that matches and is not taken. */
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
    check_data(rv->buf, rv->gaps, index, took);
}

static void check_drained(int comm, const MPI_Status *st)
{
    struct receive rv = { .comm = comm, .tag = st->MPI_TAG };
    int index = first_match(&rv, world_of(comm, st->MPI_SOURCE)), count;

    MPI_Get_count(st, MPI_BYTE, &count);
    if (index < 0 || messages[index].bytes != count)
        fail("drained what was never sent, source and tag", st->MPI_SOURCE, st->MPI_TAG);
    messages[index].taken = 1;
    check_data(drain, 0, index, count);
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
            memset(drain, 0xee, (size_t)longest + 2);
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

static void finish_receives(void)
{
    for (int i = 0; i < nreceives[rank]; i++) {
        struct receive *rv = &receives[rank][i];
        MPI_Request *rq = &rv->request;
        int flag, stopped;

        MPI_Request_get_status(*rq, &flag, MPI_STATUS_IGNORE);
        if (!flag && first_match(rv, rv->source) < 0)
            MPI_Cancel(rq);
        rv->code = MPI_Wait(rq, &rv->status);
        MPI_Test_cancelled(&rv->status, &stopped);
        cancelled += stopped;
        check_receive(rv);
        if (rv->persistent)
            MPI_Request_free(rq);
    }
    for (int i = 0; i < nreceives[rank]; i++) {
        int stopped;

        MPI_Test_cancelled(&receives[rank][i].status, &stopped);
        if (stopped && first_match(&receives[rank][i], receives[rank][i].source) >= 0)
            fail("cancelled, though its message is there", i, receives[rank][i].tag);
    }
}

static void one_pattern(void)
{
    MPI_Request requests[EACH_MAX];
    int sent, mine;

    make_pattern();
    mine = (int)(state >> 40);
    state += (uint64_t)rank; /* own choices from here on */
    sent = act(requests);
    exchange_words();
    finish_receives();
    drain_all();
    for (int i = 0; i < nmessages; i++)
        if (messages[i].to == rank && !messages[i].taken)
            fail("a message is lost, from and tag", messages[i].from, messages[i].tag);
    MPI_Waitall(sent, requests, MPI_STATUSES_IGNORE);
    for (int i = 0, k = 0; i < nmessages; i++)
        if (messages[i].from == rank && messages[i].mode == PERSISTENT)
            MPI_Request_free(&requests[k++]);
        else
            k += messages[i].from == rank;
    total += sent;
    (void)mine;
}

/* ---- around it
 * ------------------------------------------------------------------------------------- */

static unsigned char *room_for(size_t bytes)
{
    unsigned char *p = malloc(bytes);

    if (p == NULL)
        exit(EXIT_FAILURE);
    return p;
}

static void begin(uint64_t seed)
{
    size_t bytes;
    int size;
    void *buffer;

    (void)seed;
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
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    bytes = 2 * (size_t)longest + 4;
    for (int i = 0; i < EACH_MAX; i++) {
        out[i] = room_for(bytes);
        receives[rank][i].buf = room_for(bytes);
    }
    drain = room_for(bytes);
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
    long patterns = (long)number(argc, argv, "patterns", 1000), sums[4], all[4];
    uint64_t seed = number(argc, argv, "seed", 1);

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    read_limits(argc, argv);
    begin(seed);
    for (pattern = 0; pattern < patterns; pattern++) {
        state = (seed << 32) + (uint64_t)pattern * UINT64_C(0x9e3779b97f4a7c15);
        (void)below(1);
        one_pattern();
    }
    sums[0] = total;
    sums[1] = cancelled;
    sums[2] = drained;
    sums[3] = cut;
    MPI_Reduce(sums, all, 4, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("matcher: %ld patterns on %d ranks, %ld messages, %ld cut off, %ld drained, %ld "
               "receives cancelled: no mismatch\n",
               patterns, ranks, all[0], all[3], all[2], all[1]);
    MPI_Finalize();
    return 0;
}
