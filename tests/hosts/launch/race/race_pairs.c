/* Races by functions that several others call, and at many places. */
#include "races.h"

#define NOINLINE __attribute__((noinline, noclone))

/* What follows a call keeps it from being a jump, after which its caller could not be seen. */
static volatile int turns;

NOINLINE static void put_half(size_t from)
{
    put(from == 0 ? 0 : 1, from, WORDS / 2, 0, SLOT);
    turns++;
}

NOINLINE static void put_low(void)
{
    put_half(0);
    turns++;
}

NOINLINE static void put_high(void)
{
    put_half(WORDS / 2);
    turns++;
}

NOINLINE static uint64_t get(size_t word)
{
    return mine[WORDS + word];
}

NOINLINE static void get_both(void)
{
    seen += get(1);
    seen += get(WORDS - 1);
}

static void gets_what_two_have_put(void)
{
    if (me == 0) {
        put_low();
        put_high();
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 1)
        get_both();
    turns++;
}

NOINLINE static void store(uint64_t *word)
{
    *word = 1;
}

NOINLINE static void store_first(void)
{
    store(buffer);
    turns++;
}

NOINLINE static void store_second(void)
{
    store(other_buffer);
    turns++;
}

/* Stores take no time: both are at one instant. */
static void stores_to_two_that_are_received(void)
{
    MPI_Irecv(buffer, 1, MPI_UINT64_T, 1 - me, 0, MPI_COMM_WORLD, &request);
    MPI_Irecv(other_buffer, 1, MPI_UINT64_T, 1 - me, 0, MPI_COMM_WORLD, &other_request);
    if (me == 0) {
        store_first();
        store_second();
    }
    MPI_Send(&seen, 1, MPI_UINT64_T, 1 - me, 0, MPI_COMM_WORLD);
    MPI_Send(&seen, 1, MPI_UINT64_T, 1 - me, 0, MPI_COMM_WORLD);
    end();
    MPI_Wait(&other_request, MPI_STATUS_IGNORE);
}

static void gets_on_both_ranks(void)
{
    put_low();
    MPI_Barrier(MPI_COMM_WORLD);
    seen += get(1);
    seen += get(2); /* no other place of the load itself */
}

#define GET(i) (mine[WORDS + (i)] == seen + (i) ? 3u : 5u)

static void loads_at_six_places(void)
{
    put_low();
    MPI_Barrier(MPI_COMM_WORLD);
    seen += GET(0);
    seen += GET(1);
    seen += GET(2);
    seen += GET(3);
    seen += GET(4);
    seen += GET(5);
}

const struct race_case race_pairs[] = { CASE(gets_what_two_have_put),
                                        CASE(stores_to_two_that_are_received),
                                        CASE(gets_on_both_ranks),
                                        CASE(loads_at_six_places),
                                        { NULL, NULL } };
