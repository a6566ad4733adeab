/*
 * MPI and GASNet in one program: in turn, at once, and each while a rank waits in a call of the
 * other.
 *
 *   hubrun --mpi=ib --gasnet=tca -n 4 mpi [mpi-first]
 */
#define _DEFAULT_SOURCE /* usleep() */
#include "../extended/common.h"

#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

enum { ON_DATA = 200, ON_ANSWER, ON_MARK };

#define RANKS_MAX 16
#define BELOW     (SEGMENT / 2)       /* what others get; in front of it, what they put */
#define SLOT      (BELOW / RANKS_MAX) /* a rank has one of these */
#define MESSAGE   300000u
#define FLOOD     200u
#define BUSY_US   300u

static volatile unsigned came, answered, marks;
static uint8_t *own, *seen;

static void fill(uint8_t *p, size_t bytes, unsigned seed)
{
    for (size_t i = 0; i < bytes; i++)
        p[i] = (uint8_t)((i * 2654435761u + seed * 40503u) >> 11);
}

static bool same(const uint8_t *p, size_t bytes, unsigned seed)
{
    for (size_t i = 0; i < bytes; i++)
        if (p[i] != (uint8_t)((i * 2654435761u + seed * 40503u) >> 11))
            return false;
    return true;
}

/* Wherever the segment lies. */
static bool segment_is(size_t at, size_t bytes, unsigned seed)
{
    gasnet_get(seen, me, segment_of(me) + at, bytes);
    return same(seen, bytes, seed);
}

static void on_data(gasnet_token_t token, void *data, size_t bytes, gasnet_handlerarg_t seed)
{
    CHECK(same(data, bytes, (unsigned)seed));
    came++;
    gasnet_AMReplyShort1(token, ON_ANSWER, seed);
}

static void on_answer(gasnet_token_t token, gasnet_handlerarg_t seed)
{
    (void)token, (void)seed;
    answered++;
}

static void on_mark(gasnet_token_t token)
{
    (void)token;
    marks++;
}

/* ---- in turn ---- */

static void put_in_turn(unsigned next, unsigned prev, size_t bytes)
{
    fill(own, bytes, me + (unsigned)bytes);
    gasnet_put(next, segment_of(next) + (size_t)me * SLOT, own, bytes);
    all_here();
    CHECK(segment_is((size_t)prev * SLOT, bytes, prev + (unsigned)bytes));
}

static void message_in_turn(unsigned next, unsigned prev, unsigned bytes)
{
    MPI_Status status;
    int got = -1;

    fill(own, bytes, me + 3 * bytes);
    MPI_Sendrecv(own, (int)bytes, MPI_BYTE, (int)prev, (int)bytes, seen, MESSAGE, MPI_BYTE,
                 (int)next, (int)bytes, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_BYTE, &got);
    CHECK(got == (int)bytes && same(seen, bytes, next + 3 * bytes));
}

static void in_turn(void)
{
    static const unsigned sizes[][2] = {
        { 1, 0 }, { 8, 8 }, { 200, 1000 }, { 4096, 20000 }, { SLOT, MESSAGE }
    };
    unsigned next = (me + 1) % nodes, prev = (me + nodes - 1) % nodes,
             long_sum = nodes * (nodes - 1) / 2, sum = 0;

    for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        put_in_turn(next, prev, sizes[i][0]);
        message_in_turn(next, prev, sizes[i][1]);
        came = answered = 0;
        all_here();
        fill(own, 300, i);
        gasnet_AMRequestMedium1(next, ON_DATA, own, 300, (gasnet_handlerarg_t)i);
        GASNET_BLOCKUNTIL(came == 1 && answered == 1);
        gasnet_barrier_notify(7, 0);
        MPI_Allreduce(&me, &sum, 1, MPI_UNSIGNED, MPI_SUM, MPI_COMM_WORLD);
        CHECK(sum == long_sum);
        CHECK(gasnet_barrier_wait(7, 0) == GASNET_OK);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

/* ---- at once ---- */

/* Both libraries have operations with each other rank that are under way; the loop ends when all
 * are over. */
static void at_once(unsigned round)
{
    MPI_Request requests[2 * RANKS_MAX];
    gasnet_handle_t handles[2 * RANKS_MAX];
    uint8_t *messages = malloc((size_t)2 * nodes * MESSAGE), *gets = malloc((size_t)nodes * SLOT);
    unsigned bytes = round % 2 == 0 ? MESSAGE : 700, others = nodes - 1;
    int over = 0, n = 0, h = 0;

    came = answered = 0;
    fill(own, SLOT, me + round);
    gasnet_put(me, segment_of(me) + BELOW, own, SLOT);
    all_here();
    for (unsigned k = 1; k < nodes; k++) {
        unsigned to = (me + k) % nodes, from = (me + nodes - k) % nodes;
        uint8_t *out = messages + (size_t)k * MESSAGE,
                *in = messages + (size_t)(nodes + k) * MESSAGE;

        fill(out, bytes, me * 17 + to + round);
        MPI_Irecv(in, MESSAGE, MPI_BYTE, (int)from, (int)round, MPI_COMM_WORLD, &requests[n++]);
        handles[h++] = gasnet_put_nb_bulk(to, segment_of(to) + (size_t)me * SLOT, own, SLOT);
        MPI_Isend(out, (int)bytes, MPI_BYTE, (int)to, (int)round, MPI_COMM_WORLD, &requests[n++]);
        handles[h++] =
            gasnet_get_nb_bulk(gets + (size_t)to * SLOT, to, segment_of(to) + BELOW, SLOT);
        gasnet_AMRequestMedium1(to, ON_DATA, own, 400, (gasnet_handlerarg_t)(me + round));
    }
    while (!over || gasnet_try_syncnb_all(handles, (size_t)h) != GASNET_OK || came < others ||
           answered < others) {
        gasnet_AMPoll();
        if (!over)
            MPI_Testall(n, requests, &over, MPI_STATUSES_IGNORE);
    }
    all_here();
    for (unsigned k = 1; k < nodes; k++) {
        unsigned to = (me + k) % nodes, from = (me + nodes - k) % nodes;

        CHECK(same(messages + (size_t)(nodes + k) * MESSAGE, bytes, from * 17 + me + round));
        CHECK(same(gets + (size_t)to * SLOT, SLOT, to + round));
        CHECK(segment_is((size_t)from * SLOT, SLOT, from + round));
    }
    CHECK(came == others && answered == others);
    free(messages);
    free(gets);
    all_here();
}

/* ---- while a rank waits in the other library ---- */

/* More requests than a ring holds come to a rank that only looks for a message of MPI. */
static void flood_of_a_receiver(void)
{
    unsigned word = 0;

    came = answered = 0;
    fill(own, 64, 9);
    all_here();
    if (me == 0) {
        MPI_Recv(&word, 1, MPI_UNSIGNED, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(word == 77);
        GASNET_BLOCKUNTIL(came == FLOOD * (nodes - 1));
    } else {
        word = 77;
        gasnet_AMRequestMedium1(0, ON_DATA, own, 64, 9);
        if (me == 1) {
            usleep(BUSY_US);
            MPI_Send(&word, 1, MPI_UNSIGNED, 0, 5, MPI_COMM_WORLD);
        }
        for (unsigned i = 1; i < FLOOD; i++)
            gasnet_AMRequestMedium1(0, ON_DATA, own, 64, 9);
        GASNET_BLOCKUNTIL(answered == FLOOD);
    }
    all_here();
}

/* Messages of MPI, short ones and long ones, come to a rank that only polls GASNet. */
static void messages_to_a_poller(void)
{
    static uint8_t out[FLOOD][8];
    MPI_Request requests[FLOOD + 1];

    marks = 0;
    all_here();
    if (me == 0) {
        GASNET_BLOCKUNTIL(marks == nodes - 1);
        for (unsigned from = 1; from < nodes; from++) {
            for (unsigned i = 0; i < FLOOD; i++) {
                MPI_Recv(seen, 8, MPI_BYTE, (int)from, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                CHECK(same(seen, 8, from + i));
            }
            MPI_Recv(seen, MESSAGE, MPI_BYTE, (int)from, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            CHECK(same(seen, MESSAGE, from));
        }
    } else {
        fill(own, MESSAGE, me);
        MPI_Isend(own, MESSAGE, MPI_BYTE, 0, 7, MPI_COMM_WORLD, &requests[FLOOD]);
        for (unsigned i = 0; i < FLOOD; i++) {
            fill(out[i], 8, me + i);
            MPI_Isend(out[i], 8, MPI_BYTE, 0, 6, MPI_COMM_WORLD, &requests[i]);
        }
        gasnet_AMRequestShort0(0, ON_MARK);
        MPI_Waitall(FLOOD + 1, requests, MPI_STATUSES_IGNORE);
    }
    all_here();
}

int main(int argc, char **argv)
{
    static const gasnet_handlerentry_t table[] = { { ON_DATA, (void (*)())on_data },
                                                   { ON_ANSWER, (void (*)())on_answer },
                                                   { ON_MARK, (void (*)())on_mark } };
    bool mpi_first = argc > 1 && strcmp(argv[1], "mpi-first") == 0;

    if (mpi_first)
        MPI_Init(&argc, &argv);
    begin(&argc, &argv, table, 3);
    if (!mpi_first)
        MPI_Init(&argc, &argv);
    own = malloc(MESSAGE);
    seen = malloc(MESSAGE);
    in_turn();
    for (unsigned round = 0; round < 4; round++)
        at_once(round);
    if (nodes > 1) {
        flood_of_a_receiver();
        messages_to_a_poller();
    }
    in_turn();
    MPI_Finalize();
    return end("mpi");
}
