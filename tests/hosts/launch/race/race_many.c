/* Tens of thousands of pieces that are in use at once. */
#include <stdlib.h>

#include "races.h"

enum { MANY = 40000, APART = 4 };

static uint64_t *new_words(void)
{
    return calloc(MANY, APART * sizeof(uint64_t));
}

static void load_each(const uint64_t *words, int from)
{
    for (size_t i = 0; i < MANY; i++)
        seen += words[i * APART + (size_t)from];
}

static void ok_many_requests(void)
{
    uint64_t *words = new_words();
    MPI_Request *all = malloc(MANY * sizeof(MPI_Request));

    for (size_t i = 0; i < MANY; i++)
        if (me == 0)
            MPI_Isend(&words[i * APART], 1, MPI_UINT64_T, 1, 0, MPI_COMM_WORLD, &all[i]);
        else
            MPI_Irecv(&words[i * APART], 1, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD, &all[i]);
    load_each(words, 1);
    for (size_t i = 0; i < MANY; i++)
        MPI_Wait(&all[i], MPI_STATUS_IGNORE);
    load_each(words, 0);
    free(all);
    free(words);
}

static void ok_many_operations(void)
{
    uint64_t *words = new_words();
    MPI_Win win;

    MPI_Win_create(words, (MPI_Aint)MANY * APART * 8, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    for (int i = 0; me == 0 && i < MANY; i++)
        MPI_Put(&buffer[i % WORDS], 1, MPI_UINT64_T, 1, (MPI_Aint)i * APART, 1, MPI_UINT64_T, win);
    load_each(words, 1);
    MPI_Win_fence(0, win);
    load_each(words, 0);
    MPI_Win_free(&win);
    free(words);
}

/* Pieces of one datatype, from the last one to the first. */
static void ok_many_pieces(void)
{
    uint64_t *words = new_words();
    int *places = malloc(MANY * sizeof(int));
    MPI_Datatype type;

    for (int i = 0; i < MANY; i++)
        places[i] = (MANY - 1 - i) * APART + i % 2;
    MPI_Type_create_indexed_block(MANY, 1, places, MPI_UINT64_T, &type);
    MPI_Type_commit(&type);
    if (me == 0)
        MPI_Isend(words, 1, type, 1, 0, MPI_COMM_WORLD, &request);
    else
        MPI_Irecv(words, 1, type, 0, 0, MPI_COMM_WORLD, &request);
    load_each(words, 2);
    end();
    load_each(words, 0);
    MPI_Type_free(&type);
    free(places);
    free(words);
}

/* No rank takes the notifications, and the receiver looks at its other words. */
static void ok_many_puts(void)
{
    for (int i = 0; me == 0 && i < MANY; i++)
        put(0, (size_t)i % WORDS, 1, tcaDMANotify, i % 200);
    if (me == 0)
        tcaWaitDMAC(0);
    MPI_Barrier(MPI_COMM_WORLD);
    for (size_t i = 0; me == 1 && i < MANY; i++)
        load(i % WORDS);
}

static void wait_for(int n)
{
    for (int i = 0; i < n; i++)
        arrived(SLOT);
}

/* The word of the first put comes by another channel than the others, of the one slot. */
static void ok_waits_for_two_channels(void)
{
    enum { PUTS = 300 };

    if (me == 0) {
        put(0, 0, 1, tcaDMANotify, SLOT);
        tcaWaitDMAC(0);
    }
    for (int i = 1; me == 0 && i < PUTS; i++)
        put(1, (size_t)i, 1, tcaDMANotify, SLOT);
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 0)
        return;
    wait_for(PUTS);
    load(WORDS);
    load(WORDS + PUTS - 1);
}

static void waits_for_few_of_many(void)
{
    enum { PUTS = 200 };

    for (int i = 0; me == 0 && i < PUTS; i++)
        put(0, (size_t)i, 1, tcaDMANotify, SLOT);
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 0)
        return;
    wait_for(2);
    load(WORDS);
    load(WORDS + 2);
    wait_for(PUTS - 2);
}

const struct race_case race_many[] = {
    CASE(ok_many_requests), CASE(ok_many_operations),        CASE(ok_many_pieces),
    CASE(ok_many_puts),     CASE(ok_waits_for_two_channels), CASE(waits_for_few_of_many),
    { NULL, NULL }
};
