/*
 * Ping-pong between ranks 0 and 1: half of a round trip.
 *
 *   mode=pio                 CPU stores; the receiver polls the last word of the message
 *   mode=dma-register        one store starts the transfer; a status word comes to a host buffer
 *   mode=dma-chain-host      the TCA library, descriptors in host memory
 *   mode=dma-chain-internal  the TCA library, descriptors in the board's memory
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>
#include <peach2.h>
#include <tca-api.h>

#include "common.h"

enum { CHANNEL = 0, SLOT = 3, TAG = 0x100, SEED_FIRST = 1, SEED_TIMED = 2 };

struct test {
    int me;
    uint64_t bytes, rounds, warmup, repeats;
    int src, dst;
    const char *mode, *notify, *notify_self;
    /* one turn: send, or receive */
    void (*send)(struct test *t, uint64_t turn);
    void (*receive)(struct test *t, uint64_t turn);
    void *out, *in;
    /* pio, dma-register */
    struct peach2_buffer in_buf[2], flag_buf[2];
    uint64_t turn_base;
    unsigned expect; /* seed of the bytes that must be there when a flag is seen; 0: unchecked */
    int races;       /* flags seen before the data they announce */
    uint8_t *message;
    /* TCA */
    tcaHandle *outs, *ins;
    int wait_self;
};

/* ---- PIO: the last word of the message is the turn's number, and says that all is there ---- */

static unsigned mark_bytes(const struct test *t)
{
    return t->bytes >= 8 ? 8 : 4;
}

static uint64_t mark(const struct test *t, uint64_t turn)
{
    return t->turn_base + turn + 1;
}

static void pio_send(struct test *t, uint64_t turn)
{
    uint64_t word = mark(t, turn);

    memcpy(t->message + t->bytes - mark_bytes(t), &word, mark_bytes(t));
    peach2_store(peach2_window(&t->in_buf[!t->me], 0), t->message, t->bytes);
    peach2_commit();
}

static void pio_receive(struct test *t, uint64_t turn)
{
    size_t at = t->bytes - mark_bytes(t);

    if (t->dst == IN_HOST)
        peach2_wait_word((char *)t->in + at, mark_bytes(t), mark(t, turn));
    else
        peach2_poll(&t->in_buf[t->me], at, mark_bytes(t), mark(t, turn));
}

/* ---- register mode ------------------------------------------------------------------------ */

static void register_send(struct test *t, uint64_t turn)
{
    (void)t;
    (void)turn;
    peach2_register_start(CHANNEL);
}

static void register_receive(struct test *t, uint64_t turn)
{
    volatile uint64_t *flag = peach2_pointer(&t->flag_buf[t->me]);

    (void)turn;
    peach2_wait_word(flag, 8, 1);
    *flag = 0;
}

static void exchange(const struct peach2_buffer *own, struct peach2_buffer all[2])
{
    CHECK(MPI_Allgather(own, sizeof(*own), MPI_BYTE, all, sizeof(*own), MPI_BYTE, MPI_COMM_WORLD),
          MPI_SUCCESS);
}

static void set_up_board(struct test *t)
{
    struct peach2_buffer out, in, flag;
    int pio = strcmp(t->mode, "pio") == 0;

    CHECK(peach2_open(), 0);
    CHECK(peach2_alloc(t->dst, t->bytes, &in), 0);
    exchange(&in, t->in_buf);
    if (peach2_window(&t->in_buf[!t->me], 0) == 0)
        fail("dst: no area of the window reaches this memory");
    t->in = peach2_pointer(&in);
    if (pio) {
        if (t->bytes < 4 || (t->bytes > 4 && t->bytes % 8 != 0))
            fail("bytes=%llu: expected 4 or a multiple of 8 with mode=pio",
                 (unsigned long long)t->bytes);
        t->message = calloc(1, t->bytes);
        t->out = t->message;
        t->send = pio_send;
        t->receive = pio_receive;
        return;
    }
    CHECK(peach2_alloc(t->src, t->bytes, &out), 0);
    CHECK(peach2_alloc(PEACH2_IN_HOST, 64, &flag), 0);
    exchange(&flag, t->flag_buf);
    t->out = peach2_pointer(&out);
    CHECK(peach2_register(CHANNEL, peach2_window(&t->in_buf[!t->me], 0), out.bus,
                          (uint32_t)t->bytes,
                          (struct peach2_status){ peach2_window(&t->flag_buf[!t->me], 0), 1 }),
          0);
    t->send = register_send;
    t->receive = register_receive;
}

/* ---- the TCA library ------------------------------------------------------------------------ */

static void tca_send(struct test *t, uint64_t turn)
{
    (void)turn;
    CHECK(tcaStartDMADesc(CHANNEL), TCA_SUCCESS);
    if (t->wait_self)
        CHECK(tcaWaitDMARecvDesc(&t->outs[t->me], SLOT, TAG), TCA_SUCCESS);
}

static void tca_receive(struct test *t, uint64_t turn)
{
    (void)turn;
    CHECK(tcaWaitDMARecvDesc(&t->ins[!t->me], SLOT, TAG), TCA_SUCCESS);
}

static int tca_flags(const struct test *t)
{
    int internal = strcmp(t->mode, "dma-chain-internal") == 0;
    int notify_internal = t->notify[0] == '\0' ? internal : strcmp(t->notify, "internal") == 0;

    return (internal ? tcaDMAUseInternal : 0) | (notify_internal ? tcaDMAUseNotifyInternal : 0) |
           tcaDMANotify | (t->wait_self ? tcaDMANotifySelf : 0);
}

static void set_up_tca(struct test *t)
{
    tcaDesc *d = tcaDescNew();

    t->wait_self = strcmp(t->notify_self, "on") == 0;
    t->out = tca_memory(t->src, t->bytes);
    t->in = tca_memory(t->dst, t->bytes);
    t->outs = tca_publish(t->out, t->bytes, t->src);
    t->ins = tca_publish(t->in, t->bytes, t->dst);
    CHECK(tcaDescSetMemcpy(d, &t->ins[!t->me], 0, &t->outs[t->me], 0, t->bytes, tca_flags(t), SLOT,
                           TAG),
          TCA_SUCCESS);
    CHECK(tcaDescSet(d, CHANNEL), TCA_SUCCESS);
    CHECK(tcaDescFree(d), TCA_SUCCESS);
    t->send = tca_send;
    t->receive = tca_receive;
}

/* ---- the test ---------------------------------------------------------------------------- */

/* The mark at the end of a PIO message is not part of the pattern. */
static size_t checked_bytes(const struct test *t)
{
    return t->message != NULL ? t->bytes - mark_bytes(t) : t->bytes;
}

/* Device memory is memory of the process: looking at it at once costs no simulated time. */
static int complete(const struct test *t)
{
    const volatile uint8_t *in = t->in;

    for (size_t i = 0; i < checked_bytes(t); i++)
        if (in[i] != byte_of(t->expect, i))
            return 0;
    return 1;
}

static void receive(struct test *t, uint64_t turn)
{
    t->receive(t, turn);
    if (t->expect != 0)
        t->races += !complete(t);
}

static void play(struct test *t, uint64_t rounds)
{
    for (uint64_t turn = 0; turn < 2 * rounds; turn++) {
        if ((int)(turn % 2) == t->me)
            t->send(t, turn);
        else
            receive(t, turn);
    }
    t->turn_base += 2 * rounds;
}

static void prepare(struct test *t, unsigned seed)
{
    if (checked_bytes(t) > 0) {
        bytes_fill(t->out, checked_bytes(t), seed);
        bytes_clear(t->in, checked_bytes(t));
    }
    CHECK(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
}

static int arrived(struct test *t, unsigned seed)
{
    int ok, all = 0;

    CHECK(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    ok = checked_bytes(t) == 0 || bytes_ok(t->in, checked_bytes(t), seed);
    CHECK(MPI_Allreduce(&ok, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD), MPI_SUCCESS);
    return all;
}

static void run(struct test *t)
{
    struct times times;
    char more[32];
    int verified, races = 0;

    times_init(&times, t->repeats);
    prepare(t, SEED_FIRST);
    t->expect = SEED_FIRST;
    play(t, 1);
    t->expect = 0;
    verified = arrived(t, SEED_FIRST);
    prepare(t, SEED_TIMED);
    for (uint64_t r = 0; r < t->repeats; r++) {
        uint64_t start;

        CHECK(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
        play(t, t->warmup);
        start = peach2_time_ps();
        play(t, t->rounds);
        times_add(&times, half_round_ps(peach2_time_ps() - start, t->rounds));
    }
    verified &= arrived(t, SEED_TIMED);
    CHECK(MPI_Allreduce(&t->races, &races, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
    snprintf(more, sizeof(more), "races=%d", races);
    if (t->me == 0)
        times_print(&times, t->bytes, verified, more);
}

int main(int argc, char **argv)
{
    struct test t = { .bytes = 8,
                      .rounds = 100,
                      .warmup = 10,
                      .repeats = 5,
                      .src = IN_HOST,
                      .dst = IN_HOST,
                      .mode = "dma-chain-internal",
                      .notify = "",
                      .notify_self = "on" };
    const struct option options[] = {
        { .key = "mode",
          .text = &t.mode,
          .choices = "pio|dma-register|dma-chain-host|dma-chain-internal" },
        { .key = "bytes", .number = &t.bytes },
        { .key = "src", .memory = &t.src },
        { .key = "dst", .memory = &t.dst },
        { .key = "rounds", .number = &t.rounds },
        { .key = "warmup", .number = &t.warmup },
        { .key = "repeats", .number = &t.repeats },
        { .key = "notify", .text = &t.notify, .choices = "internal|host" },
        { .key = "notify_self", .text = &t.notify_self, .choices = "on|off" },
        OPTIONS_END
    };

    options_read(argc, argv, options);
    if (t.bytes == 0 || t.rounds == 0)
        fail("%s=0: expected at least 1", t.bytes == 0 ? "bytes" : "rounds");
    CHECK(MPI_Init(&argc, &argv), MPI_SUCCESS);
    CHECK(MPI_Comm_rank(MPI_COMM_WORLD, &t.me), MPI_SUCCESS);
    tca_pair();
    CHECK(tcaInit(), TCA_SUCCESS);
    if (strncmp(t.mode, "dma-chain", 9) == 0)
        set_up_tca(&t);
    else
        set_up_board(&t);
    run(&t);
    CHECK(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
