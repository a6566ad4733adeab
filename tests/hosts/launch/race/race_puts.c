/* Puts of DMA: what waits for them, and what does not. */
#define _POSIX_C_SOURCE 199309L /* nanosleep */
#include <string.h>
#include <time.h>

#include "races.h"

static void put_and_notify(void)
{
    put(0, 0, WORDS, tcaDMANotify, SLOT);
}

static void loads_at_once(void)
{
    if (me == 0)
        put_and_notify();
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 1)
        load(WORDS + 5);
}

/* The run ends meanwhile. */
static void ok_waits_for_nothing(void)
{
    const size_t bytes = (size_t)32 * BYTES;
    tcaDesc *d = tcaDescNew();
    tcaHandle own, all[2];
    void *p;

    tcaMalloc(&p, bytes, tcaMemoryCPU);
    tcaCreateHandle(&own, p, bytes, tcaMemoryCPU);
    MPI_Allgather(&own, sizeof(own), MPI_BYTE, all, sizeof(own), MPI_BYTE, MPI_COMM_WORLD);
    if (me == 0) {
        tcaDescSetMemcpy(d, &all[1], 0, &all[0], 0, bytes, IN | tcaDMANotify, SLOT, TAG);
        tcaDescSet(d, 0);
        tcaStartDMADesc(0);
    }
    tcaDescFree(d);
}

static void ok_loads_after_wait(void)
{
    if (me == 0)
        put_and_notify();
    else
        arrived(SLOT);
    if (me == 1)
        load(WORDS + 5);
}

static void loads_after_senders_wait(void)
{
    if (me == 0) {
        put(0, 0, WORDS, tcaDMANotifySelf, SLOT);
        sent(SLOT);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 1)
        load(WORDS);
}

static void loads_after_idle(void)
{
    if (me == 0) {
        put(0, 0, WORDS, 0, SLOT);
        tcaWaitDMAC(0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 1)
        load(WORDS);
}

static void waits_for_other_slot(void)
{
    if (me == 0) {
        put(0, 0, WORDS / 2, tcaDMANotify, SLOT);
        put(1, WORDS / 2, WORDS / 2, tcaDMANotify, OTHER_SLOT);
        return;
    }
    arrived(OTHER_SLOT);
    load(WORDS + 5);
}

static void ok_both_slots(void)
{
    if (me == 0) {
        put(0, 0, WORDS / 2, tcaDMANotify, SLOT);
        put(1, WORDS / 2, WORDS / 2, tcaDMANotify, OTHER_SLOT);
        return;
    }
    arrived(OTHER_SLOT);
    arrived(SLOT);
    load(WORDS + 5);
    load(WORDS + WORDS / 2);
}

static void second_put_without_wait(void)
{
    for (int i = 0; i < 2; i++) {
        if (me == 0)
            put_and_notify();
        else if (i == 0)
            arrived(SLOT);
        MPI_Barrier(MPI_COMM_WORLD);
        if (me == 1)
            load(WORDS + 5);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

static void ok_again_and_again(void)
{
    for (int i = 0; i < 5; i++) {
        if (me == 0) {
            put(0, 0, WORDS, tcaDMANotify | tcaDMANotifySelf, SLOT);
            sent(SLOT);
            mine[0] = (uint64_t)i;
        } else {
            arrived(SLOT);
            load(WORDS);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

/* What the channel sent before has come as well. */
static void ok_loads_after_reset(void)
{
    if (me == 0) {
        put_and_notify();
        put(0, 0, 8, tcaDMANotify, OTHER_SLOT);
    } else {
        arrived(OTHER_SLOT);
        tcaReset();
    }
    MPI_Barrier(MPI_COMM_WORLD);
    ok_loads_after_wait();
}

/** Words come, and are notified by the first put of a list. What the others are to send is read
 * where nothing is. */
static void break_off(void)
{
    tcaDesc *d = tcaDescNew();
    tcaHandle nowhere = handles[me];

    nowhere.bus += (uint64_t)1 << 40;
    put(0, 8, WORDS / 2 - 8, 0, SLOT);
    tcaDescSetMemcpy(d, &handles[!me], BYTES, &handles[me], 0, 64, IN | tcaDMANotify, SLOT, TAG);
    tcaDescSetMemcpy(d, &handles[!me], BYTES + BYTES / 2, &nowhere, 0, BYTES / 4, IN | tcaDMANotify,
                     OTHER_SLOT, TAG);
    tcaDescSetMemcpy(d, &handles[!me], BYTES + BYTES * 3 / 4, &nowhere, 0, BYTES / 4, IN, SLOT,
                     TAG);
    tcaDescSet(d, 0);
    tcaStartDMADesc(0);
    tcaDescFree(d);
}

/* The notification that has come before the failure counts. */
static void ok_loads_after_failure(void)
{
    if (me == 0) {
        break_off();
        if (tcaWaitDMAC(0) == TCA_ERROR_DMA)
            put(0, WORDS / 2, WORDS / 2, tcaDMANotify, OTHER_SLOT);
        MPI_Barrier(MPI_COMM_WORLD);
    } else {
        MPI_Barrier(MPI_COMM_WORLD);
        arrived(SLOT);
        load(WORDS + 9);
        arrived(OTHER_SLOT);
        load(2 * WORDS - 5);
    }
}

static void ok_loads_after_failed_start(void)
{
    tcaDesc *d = tcaDescNew();

    if (me == 0) {
        break_off();
        tcaDescSetMemcpy(d, &handles[1], BYTES + BYTES / 2, &handles[0], 0, BYTES / 2,
                         IN | tcaDMANotify, OTHER_SLOT, TAG);
        tcaDescSet(d, 0);
        if (tcaStartDMADesc(0) == TCA_ERROR_DMA)
            tcaStartDMADesc(0);
    } else {
        arrived(OTHER_SLOT);
        load(2 * WORDS - 5);
    }
    tcaDescFree(d);
}

static void copies_at_once(void)
{
    static uint64_t copy[WORDS];

    if (me == 0)
        put_and_notify();
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 1)
        memcpy(copy, &mine[WORDS], sizeof(copy));
    seen += copy[3];
}

static void sends_at_once(void)
{
    uint64_t word = 0;

    if (me == 0)
        put_and_notify();
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 0)
        MPI_Recv(&word, 8, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        MPI_Send(&mine[WORDS], 8, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
}

static void stores_to_destination(void)
{
    if (me == 0)
        put_and_notify();
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 1)
        mine[WORDS + 7] = 1;
}

static void stores_to_source(void)
{
    if (me == 0) {
        put_and_notify();
        mine[3] = 1;
    } else {
        arrived(SLOT);
    }
}

/** The source of one list, once another one has begun. */
static void begin_other(int channel)
{
    if (me == 0) {
        put(0, 0, WORDS / 2, tcaDMANotify, SLOT);
        put(channel, WORDS / 2, 8, tcaDMANotify, OTHER_SLOT);
        mine[3] = 1;
    } else {
        arrived(SLOT);
        arrived(OTHER_SLOT);
    }
}

static void stores_after_other_channel(void)
{
    begin_other(1);
}

static void ok_stores_after_next_list(void)
{
    begin_other(0);
}

static void stores_to_next_source(void)
{
    if (me == 0) {
        put(0, 0, WORDS / 2, tcaDMANotify, SLOT);
        put(0, WORDS / 2, 8, tcaDMANotify, OTHER_SLOT);
        mine[WORDS / 2] = 1;
    } else {
        arrived(SLOT);
        arrived(OTHER_SLOT);
    }
}

/** Rank 1 sends back what rank 0 puts there. */
static void relay(int waits)
{
    tcaDesc *d = tcaDescNew();

    if (me == 0)
        put_and_notify();
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 1) {
        if (waits)
            arrived(SLOT);
        tcaDescSetMemcpy(d, &handles[0], BYTES, &handles[1], BYTES, BYTES, IN, SLOT, TAG);
        tcaDescSet(d, 0);
        tcaStartDMADesc(0);
        tcaWaitDMAC(0);
    }
    tcaDescFree(d);
}

static void relays_at_once(void)
{
    relay(0);
}

static void ok_relays_after_wait(void)
{
    relay(1);
}

/** Two channels write the same words. */
static void put_by_two(int waits)
{
    uint64_t word = 0;

    if (me == 0) {
        put_and_notify();
        if (waits)
            MPI_Recv(&word, 8, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        put(1, 8, 8, tcaDMANotify, OTHER_SLOT);
    } else {
        arrived(SLOT);
        if (waits)
            MPI_Send(&word, 8, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        arrived(OTHER_SLOT);
    }
}

static void puts_by_two_channels(void)
{
    put_by_two(0);
}

static void ok_puts_by_two_after_answer(void)
{
    put_by_two(1);
}

static void clears_source(void)
{
    if (me == 0) {
        put_and_notify();
        memset(mine, 0, 64);
    } else {
        arrived(SLOT);
    }
}

static void receives_to_source(void)
{
    uint64_t word = 1;

    if (me == 0) {
        put_and_notify();
        MPI_Recv(mine, 8, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(&word, 8, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        arrived(SLOT);
    }
}

static void ok_loads_source(void)
{
    if (me == 0) {
        put_and_notify();
        load(3);
    } else {
        arrived(SLOT);
    }
}

static void ok_stores_when_idle(void)
{
    if (me == 0) {
        put_and_notify();
        tcaWaitDMAC(0);
        mine[3] = 1;
    } else {
        arrived(SLOT);
    }
}

static void ok_stores_after_own_notification(void)
{
    if (me == 0) {
        put(0, 0, WORDS, tcaDMANotify | tcaDMANotifySelf, SLOT);
        sent(SLOT);
        mine[3] = 1;
    } else {
        arrived(SLOT);
    }
}

/* The answer comes after the data, so the source has been read. */
static void ok_stores_after_answer(void)
{
    if (me == 0) {
        put(0, 0, WORDS / 2, tcaDMANotify, SLOT);
        arrived(OTHER_SLOT);
        mine[3] = 1;
        load(WORDS + WORDS / 2);
    } else {
        arrived(SLOT);
        put(1, WORDS / 2, WORDS / 2, tcaDMANotify, OTHER_SLOT);
    }
}

static void ok_stores_after_message(void)
{
    uint64_t word = 0;

    if (me == 0) {
        put_and_notify();
        MPI_Recv(&word, 8, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        mine[3] = 1;
    } else {
        arrived(SLOT);
        MPI_Send(&word, 8, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    }
}

static void loads_rows(void)
{
    if (me == 0)
        put_rows();
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 1)
        load(WORDS + (size_t)3 * EVERY);
}

static void stores_to_rows(void)
{
    if (me == 0) {
        put_rows();
        mine[2 * EVERY] = 1;
    } else {
        arrived(SLOT);
    }
}

static void ok_between_rows(void)
{
    if (me == 0)
        put_rows();
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 1)
        load(WORDS + (size_t)3 * EVERY + 1);
    else
        mine[2 * EVERY + 1] = 1;
}

static void sleep_until(double us)
{
    const struct timespec left = { 0, (long)((us - 1e6 * MPI_Wtime()) * 1e3 + 0.5) };

    nanosleep(&left, NULL);
}

/** From round to round rank 0 loads later, from before the start of rank 1's put on. */
static void loads_ever_later(void)
{
    tcaDesc *d = tcaDescNew();
    double start = 1e6 * MPI_Wtime() + 100;

    MPI_Bcast(&start, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    tcaDescSetMemcpy(d, &handles[!me], BYTES, &handles[me], 0, 64, IN | tcaDMANotify, SLOT, TAG);
    tcaDescSet(d, 0);
    for (int round = 0; round < 40; round++) {
        sleep_until(start + 20 * round + (me == 0 ? 0.02 * round - 0.41 : 0));
        if (me == 1)
            tcaStartDMADesc(0);
        else
            load(WORDS);
        if (me == 0)
            arrived(SLOT);
    }
    tcaDescFree(d);
}

const struct race_case race_puts[] = {
    CASE(loads_at_once),
    CASE(loads_ever_later),
    CASE(ok_waits_for_nothing),
    CASE(ok_loads_after_wait),
    CASE(loads_after_senders_wait),
    CASE(loads_after_idle),
    CASE(waits_for_other_slot),
    CASE(ok_both_slots),
    CASE(second_put_without_wait),
    CASE(ok_again_and_again),
    CASE(ok_loads_after_reset),
    CASE(ok_loads_after_failure),
    CASE(ok_loads_after_failed_start),
    CASE(copies_at_once),
    CASE(sends_at_once),
    CASE(stores_to_destination),
    CASE(stores_to_source),
    CASE(stores_after_other_channel),
    CASE(ok_stores_after_next_list),
    CASE(stores_to_next_source),
    CASE(relays_at_once),
    CASE(ok_relays_after_wait),
    CASE(puts_by_two_channels),
    CASE(ok_puts_by_two_after_answer),
    CASE(clears_source),
    CASE(receives_to_source),
    CASE(ok_loads_source),
    CASE(ok_stores_when_idle),
    CASE(ok_stores_after_own_notification),
    CASE(ok_stores_after_answer),
    CASE(ok_stores_after_message),
    CASE(loads_rows),
    CASE(stores_to_rows),
    CASE(ok_between_rows),
    { NULL, NULL },
};
