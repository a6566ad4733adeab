/*
 * races CASE: two ranks that use memory while a transfer does, or that wait before (a name that
 * begins with `ok_`). Exit status 2: no such case.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tca-api.h>

enum { WORDS = 1024, BYTES = WORDS * 8, IN = tcaDMAUseInternal | tcaDMAUseNotifyInternal };
enum { SLOT = 1, OTHER_SLOT = 2, TAG = 0x100, EVERY = 64 };

static int me;
static uint64_t *mine;       /* WORDS to be sent, then WORDS to be written by the other rank */
static tcaHandle handles[2]; /* of both ranks */
static uint64_t seen;        /* what was loaded, for its own sake */

static void need(int ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "%s failed\n", what);
    exit(3);
}

static void set_up(void)
{
    void *p;
    tcaHandle own;

    need(tcaInit() == TCA_SUCCESS, "tcaInit");
    need(tcaMalloc(&p, (size_t)2 * BYTES, tcaMemoryCPU) == TCA_SUCCESS, "tcaMalloc");
    mine = p;
    memset(mine, 0, (size_t)2 * BYTES);
    need(tcaCreateHandle(&own, mine, (size_t)2 * BYTES, tcaMemoryCPU) == TCA_SUCCESS, "handle");
    MPI_Allgather(&own, sizeof(own), MPI_BYTE, handles, sizeof(own), MPI_BYTE, MPI_COMM_WORLD);
}

/** The own words [from, from + n) go to the other rank's words WORDS + from. */
static void put(int channel, size_t from, size_t n, int flags, int slot)
{
    tcaDesc *d = tcaDescNew();

    need(tcaDescSetMemcpy(d, &handles[!me], (off_t)(BYTES + from * 8), &handles[me],
                          (off_t)(from * 8), n * 8, IN | flags, slot, TAG) == TCA_SUCCESS,
         "tcaDescSetMemcpy");
    need(tcaDescSet(d, channel) == TCA_SUCCESS, "tcaDescSet");
    need(tcaStartDMADesc(channel) == TCA_SUCCESS, "tcaStartDMADesc");
    tcaDescFree(d);
}

/** Two of them in one list. */
static void put_two(void)
{
    tcaDesc *d = tcaDescNew();

    tcaDescSetMemcpy(d, &handles[!me], BYTES, &handles[me], 0, BYTES / 2, IN, SLOT, TAG);
    tcaDescSetMemcpy(d, &handles[!me], BYTES + BYTES / 2, &handles[me], BYTES / 2, 64,
                     IN | tcaDMANotify, SLOT, TAG);
    tcaDescSet(d, 0);
    tcaStartDMADesc(0);
    tcaDescFree(d);
}

/** One word of each EVERY. */
static void put_rows(void)
{
    tcaDesc *d = tcaDescNew();

    tcaDescSetMemcpy2D(d, &handles[!me], BYTES, EVERY * 8, &handles[me], 0, EVERY * 8, 8,
                       WORDS / EVERY, IN | tcaDMANotify, SLOT, TAG);
    tcaDescSet(d, 0);
    tcaStartDMADesc(0);
    tcaDescFree(d);
}

static void arrived(int slot)
{
    tcaWaitDMARecvDesc(&handles[!me], slot, TAG);
}

static void sent(int slot)
{
    tcaWaitDMARecvDesc(&handles[me], slot, TAG);
}

static void load(size_t word)
{
    seen += mine[word];
}

static void await(size_t word, uint64_t value)
{
    const volatile uint64_t *at = &mine[word];

    while (*at != value)
        ;
}

/* ---- puts ---------------------------------------------------------------------------- */

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

    if (me == 0) {
        put_and_notify();
        MPI_Recv(&word, 8, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(&mine[WORDS], 8, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    }
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

/* ---- loops on a word ------------------------------------------------------------------ */

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
    if (me == 0) {
        put(0, 0, WORDS, tcaDMANotify, SLOT);
        return;
    }
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

/* ---- messages -------------------------------------------------------------------------- */

static MPI_Request request, other_request;
static uint64_t buffer[WORDS], other_buffer[WORDS];

static void peer_sends(void)
{
    MPI_Send(buffer, WORDS, MPI_UINT64_T, 1, 0, MPI_COMM_WORLD);
}

static void peer_receives(void)
{
    MPI_Recv(buffer, WORDS, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void begin_send(void)
{
    MPI_Isend(buffer, WORDS, MPI_UINT64_T, 1, 0, MPI_COMM_WORLD, &request);
}

static void begin_receive(void)
{
    MPI_Irecv(buffer, WORDS, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD, &request);
}

static void end(void)
{
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void stores_while_sent(void)
{
    if (me == 1) {
        peer_receives();
        return;
    }
    begin_send();
    buffer[3] = 1;
    end();
}

static void copies_while_sent(void)
{
    if (me == 1) {
        peer_receives();
        return;
    }
    begin_send();
    memcpy(buffer, other_buffer, sizeof(buffer));
    end();
}

static void ok_loads_while_sent(void)
{
    if (me == 1) {
        peer_receives();
        return;
    }
    begin_send();
    seen += buffer[3];
    end();
    buffer[3] = 1;
}

static void ok_sends_twice(void)
{
    if (me == 1) {
        peer_receives();
        peer_receives();
        return;
    }
    begin_send();
    MPI_Send(buffer, WORDS, MPI_UINT64_T, 1, 0, MPI_COMM_WORLD);
    end();
}

static void loads_while_received(void)
{
    if (me == 0) {
        peer_sends();
        return;
    }
    begin_receive();
    seen += buffer[3];
    end();
}

static void stores_while_received(void)
{
    if (me == 0) {
        peer_sends();
        return;
    }
    begin_receive();
    buffer[3] = 1;
    end();
}

static void ok_loads_received(void)
{
    if (me == 0) {
        peer_sends();
        return;
    }
    begin_receive();
    end();
    seen += buffer[3];
    buffer[3] = 1;
}

static void sends_while_received(void)
{
    if (me == 0) {
        peer_sends();
        MPI_Recv(other_buffer, WORDS, MPI_UINT64_T, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return;
    }
    begin_receive();
    MPI_Send(buffer, WORDS, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD);
    end();
}

static void receives_twice(void)
{
    if (me == 0) {
        peer_sends();
        peer_sends();
        return;
    }
    begin_receive();
    MPI_Irecv(buffer, WORDS, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD, &other_request);
    end();
    MPI_Wait(&other_request, MPI_STATUS_IGNORE);
}

static void receives_while_sent(void)
{
    if (me == 1) {
        peer_receives();
        MPI_Send(other_buffer, WORDS, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD);
        return;
    }
    begin_send();
    MPI_Recv(buffer, WORDS, MPI_UINT64_T, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    end();
}

static void stores_while_persistent(void)
{
    if (me == 1) {
        peer_receives();
        return;
    }
    MPI_Send_init(buffer, WORDS, MPI_UINT64_T, 1, 0, MPI_COMM_WORLD, &request);
    buffer[3] = 1;
    MPI_Start(&request);
    buffer[4] = 1;
    end();
    MPI_Request_free(&request);
}

static void ok_persistent(void)
{
    for (int i = 0; me == 1 && i < 3; i++)
        peer_receives();
    if (me == 1)
        return;
    MPI_Send_init(buffer, WORDS, MPI_UINT64_T, 1, 0, MPI_COMM_WORLD, &request);
    for (int i = 0; i < 3; i++) {
        MPI_Start(&request);
        end();
        buffer[4] = (uint64_t)i;
    }
    MPI_Request_free(&request);
}

static void receive_column(void)
{
    MPI_Datatype column;

    MPI_Type_vector(WORDS / EVERY, 1, EVERY, MPI_UINT64_T, &column);
    MPI_Type_commit(&column);
    MPI_Irecv(buffer, 1, column, 0, 0, MPI_COMM_WORLD, &request);
    MPI_Type_free(&column);
}

static void loads_column(void)
{
    if (me == 0) {
        MPI_Send(buffer, WORDS / EVERY, MPI_UINT64_T, 1, 0, MPI_COMM_WORLD);
        return;
    }
    receive_column();
    seen += buffer[2 * EVERY];
    end();
}

static void ok_beside_column(void)
{
    if (me == 0) {
        MPI_Send(buffer, WORDS / EVERY, MPI_UINT64_T, 1, 0, MPI_COMM_WORLD);
        return;
    }
    receive_column();
    seen += buffer[2 * EVERY + 1];
    buffer[EVERY + 1] = 1;
    end();
}

static void loads_after_test(void)
{
    int flag;

    if (me == 0) {
        MPI_Barrier(MPI_COMM_WORLD);
        peer_sends();
        return;
    }
    begin_receive();
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    seen += buffer[3];
    MPI_Barrier(MPI_COMM_WORLD);
    end();
}

static void ok_loads_after_test(void)
{
    int flag = 0;

    if (me == 0) {
        peer_sends();
        return;
    }
    begin_receive();
    while (!flag)
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    seen += buffer[3];
}

static void loads_while_probed_message_comes(void)
{
    MPI_Message message;

    if (me == 0) {
        peer_sends();
        return;
    }
    MPI_Mprobe(0, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Imrecv(buffer, WORDS, MPI_UINT64_T, &message, &request);
    seen += buffer[3];
    end();
}

static void loads_other_of_any(void)
{
    MPI_Request both[2];
    int index;

    if (me == 0) {
        peer_sends();
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Send(other_buffer, WORDS, MPI_UINT64_T, 1, 1, MPI_COMM_WORLD);
        return;
    }
    MPI_Irecv(buffer, WORDS, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD, &both[0]);
    MPI_Irecv(other_buffer, WORDS, MPI_UINT64_T, 0, 1, MPI_COMM_WORLD, &both[1]);
    MPI_Waitany(2, both, &index, MPI_STATUS_IGNORE);
    seen += other_buffer[1];
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Wait(&both[1], MPI_STATUS_IGNORE);
}

/* ---- non-blocking collectives ---------------------------------------------------------- */

static void stores_while_broadcast(void)
{
    MPI_Ibcast(buffer, WORDS, MPI_UINT64_T, 0, MPI_COMM_WORLD, &request);
    if (me == 0)
        buffer[3] = 1;
    end();
}

static void loads_while_broadcast(void)
{
    MPI_Ibcast(buffer, WORDS, MPI_UINT64_T, 0, MPI_COMM_WORLD, &request);
    if (me == 1)
        seen += buffer[3];
    end();
}

static void loads_while_summed(void)
{
    MPI_Iallreduce(buffer, other_buffer, WORDS, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD, &request);
    if (me == 1)
        seen += other_buffer[3];
    end();
}

static void stores_while_gathered(void)
{
    MPI_Igather(buffer, 8, MPI_UINT64_T, other_buffer, 8, MPI_UINT64_T, 0, MPI_COMM_WORLD,
                &request);
    if (me == 1)
        buffer[7] = 1;
    end();
}

static void loads_block_while_exchanged(void)
{
    MPI_Ialltoall(buffer, 8, MPI_UINT64_T, other_buffer, 8, MPI_UINT64_T, MPI_COMM_WORLD, &request);
    if (me == 1)
        seen += other_buffer[15];
    end();
}

static void ok_loads_beside_collectives(void)
{
    MPI_Iallreduce(buffer, other_buffer, 8, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD, &request);
    seen += buffer[3] + other_buffer[8];
    other_buffer[9] = 1;
    end();
    seen += other_buffer[3];
    MPI_Igather(buffer, 8, MPI_UINT64_T, other_buffer, 8, MPI_UINT64_T, 0, MPI_COMM_WORLD,
                &request);
    if (me == 1)
        other_buffer[3] = 1; /* of no meaning but at the root */
    end();
    if (me == 0)
        seen += other_buffer[3];
}

/* ---- one-sided ------------------------------------------------------------------------- */

static MPI_Win win;

static void open_window(void)
{
    MPI_Win_create(buffer, sizeof(buffer), 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
}

static void fence(void)
{
    MPI_Win_fence(0, win);
}

/** The other buffer goes to words [at, at + 8) of the other rank. */
static void put_words(int at)
{
    MPI_Put(other_buffer, 8, MPI_UINT64_T, !me, at, 8, MPI_UINT64_T, win);
}

static void get_words(int at)
{
    MPI_Get(other_buffer, 8, MPI_UINT64_T, !me, at, 8, MPI_UINT64_T, win);
}

static void add_words(int at)
{
    MPI_Accumulate(other_buffer, 8, MPI_UINT64_T, !me, at, 8, MPI_UINT64_T, MPI_SUM, win);
}

static void ok_flush_completes_requests(void)
{
    open_window();
    if (me == 0) {
        MPI_Win_lock_all(0, win);
        MPI_Rput(other_buffer, 8, MPI_UINT64_T, 1, 40, 8, MPI_UINT64_T, win, &request);
        MPI_Win_flush(1, win);
        other_buffer[3] = 1;
        end();
        MPI_Win_unlock_all(win);
    }
    MPI_Win_free(&win);
}

/** An epoch between fences, in which `rank` does something; its beginning orders all before. */
static void between_fences(void (*zero)(void), void (*one)(void))
{
    open_window();
    fence();
    (me == 0 ? zero : one)();
    fence();
    MPI_Win_free(&win);
}

static void nothing(void) {}

static void load_42(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    seen += buffer[42];
}

static void store_42(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    buffer[42] = 1;
}

static void put_40_then_barrier(void)
{
    put_words(40);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void get_40_then_barrier(void)
{
    get_words(40);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void loads_in_epoch(void)
{
    between_fences(put_40_then_barrier, load_42);
}

static void stores_in_epoch(void)
{
    between_fences(put_40_then_barrier, store_42);
}

static void stores_to_got(void)
{
    between_fences(get_40_then_barrier, store_42);
}

static void ok_loads_got(void)
{
    between_fences(get_40_then_barrier, load_42);
}

static void put_40_then_store(void)
{
    put_words(40);
    other_buffer[3] = 1;
}

static void stores_to_origin(void)
{
    between_fences(put_40_then_store, nothing);
}

static void get_40_then_load(void)
{
    get_words(40);
    seen += other_buffer[3];
}

static void loads_result_in_epoch(void)
{
    between_fences(get_40_then_load, nothing);
}

static void ok_fences(void)
{
    open_window();
    fence();
    for (int i = 0; i < 3; i++) {
        if (me == 0)
            put_words(40);
        fence();
        other_buffer[3] = (uint64_t)i;
        seen += buffer[42];
        buffer[43] = 1;
        fence();
    }
    if (me == 0)
        get_words(40);
    fence();
    seen += other_buffer[3];
    MPI_Win_free(&win);
}

static void put_own(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Put(other_buffer, 8, MPI_UINT64_T, me, 44, 8, MPI_UINT64_T, win);
}

static void puts_from_both(void)
{
    between_fences(put_40_then_barrier, put_own);
}

static void add_own(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Accumulate(other_buffer, 8, MPI_UINT64_T, me, 44, 8, MPI_UINT64_T, MPI_SUM, win);
}

static void add_40_then_barrier(void)
{
    add_words(40);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void put_meets_accumulate(void)
{
    between_fences(put_40_then_barrier, add_own);
}

static void ok_accumulates_from_both(void)
{
    between_fences(add_40_then_barrier, add_own);
}

/** Rank 0 puts within a lock, ends or flushes it, and sends a message; rank 1 then loads. */
static void lock_and_send(void (*before)(void), void (*after)(void))
{
    uint64_t word = 0;

    open_window();
    if (me == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
        put_words(40);
        before();
        MPI_Send(&word, 8, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        after();
    } else {
        MPI_Recv(&word, 8, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        seen += buffer[42];
    }
    MPI_Win_free(&win);
}

static void unlock(void)
{
    MPI_Win_unlock(1, win);
}

static void flush(void)
{
    MPI_Win_flush(1, win);
}

static void flush_local(void)
{
    MPI_Win_flush_local(1, win);
    other_buffer[3] = 1;
}

static void loads_after_local_flush(void)
{
    lock_and_send(flush_local, unlock);
}

static void ok_loads_after_flush(void)
{
    lock_and_send(flush, unlock);
}

static void ok_loads_after_unlock(void)
{
    lock_and_send(unlock, nothing);
}

static void request_put(int waits)
{
    open_window();
    if (me == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
        MPI_Rput(other_buffer, 8, MPI_UINT64_T, 1, 40, 8, MPI_UINT64_T, win, &request);
        if (waits)
            end();
        other_buffer[3] = 1;
        if (!waits)
            end();
        MPI_Win_unlock(1, win);
    }
    MPI_Win_free(&win);
}

static void stores_while_put_requested(void)
{
    request_put(0);
}

static void ok_stores_after_put_requested(void)
{
    request_put(1);
}

static void loads_while_fetched(void)
{
    open_window();
    if (me == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
        MPI_Fetch_and_op(buffer, other_buffer, MPI_UINT64_T, 1, 40, MPI_SUM, win);
        seen += other_buffer[0];
        MPI_Win_unlock(1, win);
    }
    MPI_Win_free(&win);
}

static void ok_post_and_wait(void)
{
    MPI_Group world, other;
    int peer = !me;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &peer, &other);
    open_window();
    if (me == 0) {
        MPI_Win_start(other, 0, win);
        put_words(40);
        MPI_Win_complete(win);
        other_buffer[3] = 1;
    } else {
        MPI_Win_post(other, 0, win);
        MPI_Win_wait(win);
        seen += buffer[42];
    }
    MPI_Win_free(&win);
    MPI_Group_free(&world);
    MPI_Group_free(&other);
}

static void loads_while_exposed(void)
{
    MPI_Group world, other;
    int peer = !me;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &peer, &other);
    open_window();
    if (me == 0) {
        MPI_Win_start(other, 0, win);
        put_words(40);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Win_complete(win);
    } else {
        MPI_Win_post(other, 0, win);
        MPI_Barrier(MPI_COMM_WORLD);
        seen += buffer[42];
        MPI_Win_wait(win);
    }
    MPI_Win_free(&win);
    MPI_Group_free(&world);
    MPI_Group_free(&other);
}

#define CASE(name)                                                                                 \
    {                                                                                              \
#name, name                                                                                \
    }
static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {
    CASE(loads_at_once),
    CASE(ok_loads_after_wait),
    CASE(loads_after_senders_wait),
    CASE(loads_after_idle),
    CASE(waits_for_other_slot),
    CASE(ok_both_slots),
    CASE(second_put_without_wait),
    CASE(ok_again_and_again),
    CASE(copies_at_once),
    CASE(sends_at_once),
    CASE(stores_to_destination),
    CASE(stores_to_source),
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
    CASE(stores_while_sent),
    CASE(copies_while_sent),
    CASE(ok_loads_while_sent),
    CASE(ok_sends_twice),
    CASE(loads_while_received),
    CASE(stores_while_received),
    CASE(ok_loads_received),
    CASE(sends_while_received),
    CASE(receives_twice),
    CASE(receives_while_sent),
    CASE(stores_while_persistent),
    CASE(ok_persistent),
    CASE(loads_column),
    CASE(ok_beside_column),
    CASE(loads_after_test),
    CASE(ok_loads_after_test),
    CASE(loads_while_probed_message_comes),
    CASE(loads_other_of_any),
    CASE(stores_while_broadcast),
    CASE(loads_while_broadcast),
    CASE(loads_while_summed),
    CASE(stores_while_gathered),
    CASE(loads_block_while_exchanged),
    CASE(ok_loads_beside_collectives),
    CASE(loads_in_epoch),
    CASE(stores_in_epoch),
    CASE(stores_to_got),
    CASE(ok_loads_got),
    CASE(stores_to_origin),
    CASE(loads_result_in_epoch),
    CASE(ok_flush_completes_requests),
    CASE(ok_fences),
    CASE(puts_from_both),
    CASE(put_meets_accumulate),
    CASE(ok_accumulates_from_both),
    CASE(loads_after_local_flush),
    CASE(ok_loads_after_flush),
    CASE(ok_loads_after_unlock),
    CASE(stores_while_put_requested),
    CASE(ok_stores_after_put_requested),
    CASE(loads_while_fetched),
    CASE(ok_post_and_wait),
    CASE(loads_while_exposed),
};

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    int code = 2;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    set_up();
    MPI_Barrier(MPI_COMM_WORLD);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (strcmp(cases[i].name, name) != 0)
            continue;
        cases[i].run();
        code = 0;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return code;
}
