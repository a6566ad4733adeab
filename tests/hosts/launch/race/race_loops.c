/* Loops on words that a put, or stores of the other rank, write. */
#include "races.h"

static void ok_polls_last_word(void)
{
    mine[WORDS - 1] = 7;
    if (me == 0) {
        put(0, 0, WORDS, 0, SLOT);
        return;
    }
    await(2 * WORDS - 1, 7);
    load(WORDS + 5);
}

static void ok_polls_later_put(void)
{
    mine[WORDS / 2] = 7;
    if (me == 0) {
        put_two();
        return;
    }
    await(WORDS + WORDS / 2, 7);
    load(WORDS + 5);
}

static void ok_polls_atomic(void)
{
    mine[WORDS - 1] = 7;
    if (me == 0) {
        put(0, 0, WORDS, 0, SLOT);
        return;
    }
    while (__atomic_load_n(&mine[2 * WORDS - 1], __ATOMIC_ACQUIRE) != 7)
        ;
    load(WORDS + 5);
}

/* The first bytes of a put are there before the last ones. */
static void polls_first_word(void)
{
    mine[0] = 7;
    if (me == 0) {
        put(0, 0, WORDS, tcaDMANotify, SLOT);
        return;
    }
    await(WORDS, 7);
    load(2 * WORDS - 1);
    arrived(SLOT);
}

static void ok_loads_up_to_the_word(void)
{
    mine[WORDS / 2] = 7;
    if (me == 0) {
        put(0, 0, WORDS, tcaDMANotify, SLOT);
        return;
    }
    await(WORDS + WORDS / 2, 7);
    load(WORDS + 5);
    arrived(SLOT);
}

/** Blocks of 64 words, each followed by a counter in the last word, which rank 0 does not wait for.
 */
static void count_blocks(size_t blocks)
{
    for (size_t i = 0; i < blocks; i++) {
        put(0, 64 * i, 64, 0, SLOT);
        tcaWaitDMAC(0);
        mine[WORDS - 1] = i + 1;
        put(0, WORDS - 1, 1, 0, SLOT);
        tcaWaitDMAC(0);
    }
}

static void ok_polls_counter(void)
{
    const volatile uint64_t *counter = &mine[2 * WORDS - 1];

    if (me == 0) {
        count_blocks(8);
        return;
    }
    for (size_t i = 0; i < 8; i++) {
        while (*counter < i + 1)
            ;
        load(WORDS + 64 * i + 3);
    }
}

/* The counter of the first block does not speak for the second one. */
static void loads_block_too_early(void)
{
    if (me == 0)
        count_blocks(2);
    else
        await(2 * WORDS - 1, 1);
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 1)
        load(WORDS + 64 + 3);
}

static void polls_other_channel(void)
{
    mine[WORDS - 1] = 7;
    if (me == 0) {
        put(0, 0, WORDS / 2, 0, SLOT);
        put(1, WORDS / 2, WORDS / 2, 0, SLOT);
        return;
    }
    await(2 * WORDS - 1, 7);
    load(WORDS + 5);
}

static void polls_old_value(void)
{
    mine[WORDS - 1] = mine[2 * WORDS - 1] = 7; /* since the last time */
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 0)
        put(0, 0, WORDS, tcaDMANotify, SLOT);
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 0)
        return;
    await(2 * WORDS - 1, 7);
    load(WORDS + 5);
    arrived(SLOT);
}

static void store_words(size_t from, size_t n)
{
    tcaPIOHandle pio;

    tcaSetPIORegion(&pio, &handles[!me], BYTES, BYTES);
    tcaSendPIO(&pio, from * 8, &mine[from], n * 8);
    tcaSendPIOCommit();
}

static void loads_stored(void)
{
    if (me == 0)
        store_words(0, 8);
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 1)
        load(WORDS + 5);
}

static void ok_polls_stored(void)
{
    mine[7] = 7;
    if (me == 0) {
        store_words(0, 8);
        mine[3] = 1; /* the call has copied it */
        return;
    }
    await(WORDS + 7, 7);
    load(WORDS + 5);
}

static void stores_to_stored(void)
{
    if (me == 0)
        store_words(0, 8);
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 1)
        mine[WORDS + 5] = 1;
}

const struct race_case race_loops[] = {
    CASE(ok_polls_last_word),
    CASE(ok_polls_later_put),
    CASE(ok_polls_atomic),
    CASE(polls_first_word),
    CASE(ok_loads_up_to_the_word),
    CASE(ok_polls_counter),
    CASE(loads_block_too_early),
    CASE(polls_other_channel),
    CASE(polls_old_value),
    CASE(loads_stored),
    CASE(ok_polls_stored),
    CASE(stores_to_stored),
    { NULL, NULL },
};
