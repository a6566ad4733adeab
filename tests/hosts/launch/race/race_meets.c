/* Transfers that meet each other outside of the host's memory, or by other calls. */
#include "races.h"

/** The own words go to the other rank's GPU. */
static void put_to_gpu(int channel, int slot)
{
    tcaDesc *d = tcaDescNew();

    tcaDescSetMemcpy(d, &gpus[!me], 0, &handles[me], 0, BYTES, IN | tcaDMANotify, slot, TAG);
    tcaDescSet(d, channel);
    tcaStartDMADesc(channel);
    tcaDescFree(d);
}

static void puts_to_gpu_by_two_channels(void)
{
    set_up_gpus();
    if (me == 0) {
        put_to_gpu(0, SLOT);
        put_to_gpu(1, OTHER_SLOT);
    } else {
        arrived(SLOT);
        arrived(OTHER_SLOT);
    }
}

/** Rank 1 sends on what it has got, or is to get. */
static void relay_from_gpu(int waits)
{
    tcaDesc *d = tcaDescNew();

    set_up_gpus();
    if (me == 0)
        put_to_gpu(0, SLOT);
    else if (waits)
        arrived(SLOT);
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 1) {
        tcaDescSetMemcpy(d, &handles[0], BYTES, &gpus[1], 0, BYTES, IN, SLOT, TAG);
        tcaDescSet(d, 0);
        tcaStartDMADesc(0);
    }
    tcaDescFree(d);
}

static void relays_from_gpu_at_once(void)
{
    relay_from_gpu(0);
}

static void ok_relays_from_gpu_after_wait(void)
{
    relay_from_gpu(1);
}

/** Long enough for a put to come, and for its receiver to have waited for it. */
static void take_time(void)
{
    double end_at = MPI_Wtime() + 100e-6;

    while (MPI_Wtime() < end_at)
        ;
}

/* The receiver knows that the first one has come, and the rank that begins the other one does not.
 */
static void puts_by_other_channel_behind_receivers_wait(void)
{
    if (me == 0) {
        put(0, 0, WORDS, tcaDMANotify, SLOT);
        tcaWaitDMAC(0);
        take_time();
        put(1, 0, WORDS, tcaDMANotify, OTHER_SLOT);
    } else {
        arrived(SLOT);
        arrived(OTHER_SLOT);
    }
}

/* The owner knows that its words have been read, and the rank that puts there does not. */
static void puts_to_source_behind_owners_wait(void)
{
    tcaDesc *d = tcaDescNew();

    if (me == 0) {
        put(0, 0, WORDS, tcaDMANotify, SLOT);
        tcaWaitDMAC(0);
        arrived(OTHER_SLOT);
    } else {
        take_time();
        tcaDescSetMemcpy(d, &handles[0], 0, &handles[1], 0, BYTES, IN | tcaDMANotify, OTHER_SLOT,
                         TAG);
        tcaDescSet(d, 0);
        tcaStartDMADesc(0);
        arrived(SLOT);
    }
    tcaDescFree(d);
}

/** Rank 1 waits for each word, and rank 0 hears nothing of it. */
static void puts_by_other_channel_behind(size_t others)
{
    for (size_t i = 0; i <= others; i++)
        if (me == 0)
            put(0, i, 1, tcaDMANotify, SLOT);
        else
            arrived(SLOT);
    if (me == 0) {
        tcaWaitDMAC(0);
        take_time();
        put(1, 0, 1, tcaDMANotify, OTHER_SLOT);
    } else {
        arrived(OTHER_SLOT);
    }
}

static void puts_by_other_channel_behind_some(void)
{
    puts_by_other_channel_behind(200);
}

/* So many are not kept for ranks that may never hear of them. */
static void puts_by_other_channel_behind_many(void)
{
    puts_by_other_channel_behind(300);
}

static MPI_Win win;

/** It has all words, whichever calls use them. */
static void open_window(void)
{
    MPI_Win_create(mine, (MPI_Aint)2 * BYTES, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
}

static void close_window(void)
{
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
}

/** MPI writes some of the words that the put of a channel does. */
static void mpi_put(void)
{
    MPI_Put(buffer, 8, MPI_UINT64_T, 1, WORDS + 8, 8, MPI_UINT64_T, win);
}

static void mpi_puts_behind_put(void)
{
    open_window();
    if (me == 0) {
        put(0, 0, WORDS, tcaDMANotify, SLOT);
        mpi_put();
    } else {
        arrived(SLOT);
    }
    close_window();
}

static void mpi_puts_behind_receivers_wait(void)
{
    open_window();
    if (me == 0) {
        put(0, 0, WORDS, tcaDMANotify, SLOT);
        take_time();
        mpi_put();
    } else {
        arrived(SLOT);
    }
    close_window();
}

static void puts_behind_mpi_put(void)
{
    open_window();
    if (me == 0) {
        mpi_put();
        put(0, 0, WORDS, tcaDMANotify, SLOT);
    } else {
        arrived(SLOT);
    }
    close_window();
}

static void ok_puts_in_turn(void)
{
    open_window();
    if (me == 0)
        mpi_put();
    MPI_Win_fence(0, win);
    if (me == 0)
        put(0, 0, WORDS, tcaDMANotify, SLOT);
    else
        arrived(SLOT);
    MPI_Win_fence(0, win);
    if (me == 0)
        mpi_put();
    close_window();
}

static void receive_words(void)
{
    MPI_Irecv(&mine[WORDS], WORDS, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD, &request);
}

static void send_words(void)
{
    MPI_Send(buffer, WORDS, MPI_UINT64_T, 1, 0, MPI_COMM_WORLD);
}

static void puts_to_received(void)
{
    if (me == 1)
        receive_words();
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 0) {
        put(0, 0, WORDS, tcaDMANotify, SLOT);
        send_words();
    } else {
        arrived(SLOT);
        end();
    }
}

static void puts_from_received(void)
{
    if (me == 0) {
        MPI_Irecv(mine, WORDS, MPI_UINT64_T, 1, 0, MPI_COMM_WORLD, &request);
        put(0, 0, WORDS, tcaDMANotify, SLOT);
        end();
    } else {
        MPI_Send(buffer, WORDS, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD);
        arrived(SLOT);
    }
}

static void mpi_puts_to_received(void)
{
    open_window();
    if (me == 1)
        receive_words();
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 0) {
        mpi_put();
        send_words();
    } else {
        end();
    }
    close_window();
}

static void ok_puts_from_sent(void)
{
    if (me == 0) {
        MPI_Isend(mine, WORDS, MPI_UINT64_T, 1, 0, MPI_COMM_WORLD, &request);
        put(0, 0, WORDS, tcaDMANotify, SLOT);
        end();
    } else {
        MPI_Recv(buffer, WORDS, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        arrived(SLOT);
    }
}

/* Rank 0 has received it, though rank 1 has not waited yet. */
static void ok_puts_to_what_was_sent(void)
{
    if (me == 0) {
        MPI_Recv(buffer, WORDS, MPI_UINT64_T, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        put(0, 0, WORDS, tcaDMANotify, SLOT);
    } else {
        MPI_Isend(&mine[WORDS], WORDS, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD, &request);
        arrived(SLOT);
        end();
    }
}

/** The put of rank 0 is to its own node. */
static void puts_to_own_sent(void)
{
    tcaDesc *d = tcaDescNew();

    if (me == 0) {
        MPI_Isend(&mine[WORDS], WORDS, MPI_UINT64_T, 1, 0, MPI_COMM_WORLD, &request);
        tcaDescSetMemcpy(d, &handles[0], BYTES, &handles[0], 0, BYTES, IN, SLOT, TAG);
        tcaDescSet(d, 0);
        tcaStartDMADesc(0);
        end();
    } else {
        MPI_Recv(buffer, WORDS, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    tcaDescFree(d);
}

static void ok_puts_to_what_was_received(void)
{
    if (me == 0) {
        send_words();
    } else {
        receive_words();
        end();
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 0)
        put(0, 0, WORDS, tcaDMANotify, SLOT);
    else
        arrived(SLOT);
}

const struct race_case race_meets[] = {
    CASE(puts_to_gpu_by_two_channels),
    CASE(relays_from_gpu_at_once),
    CASE(ok_relays_from_gpu_after_wait),
    CASE(puts_by_other_channel_behind_receivers_wait),
    CASE(puts_to_source_behind_owners_wait),
    CASE(puts_by_other_channel_behind_some),
    CASE(puts_by_other_channel_behind_many),
    CASE(mpi_puts_behind_put),
    CASE(mpi_puts_behind_receivers_wait),
    CASE(puts_behind_mpi_put),
    CASE(ok_puts_in_turn),
    CASE(puts_to_received),
    CASE(puts_from_received),
    CASE(mpi_puts_to_received),
    CASE(ok_puts_from_sent),
    CASE(ok_puts_to_what_was_received),
    CASE(ok_puts_to_what_was_sent),
    CASE(puts_to_own_sent),
    { NULL, NULL },
};
