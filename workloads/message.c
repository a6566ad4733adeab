/*
 * One message at a time from rank 0 to rank 1, while ranks from 2 on write to
 * rank 1 without pause, each to memory of its own there: when it began and when the receiver had
 * seen it.
 *
 *   kind=pio       CPU stores; the receiver polls the last word
 *   kind=register  register mode; a status word comes to a host buffer
 *   kind=dma       the TCA library, one put and its notification
 *   kind=chain     `puts` puts of `bytes` in one chain, then the notification
 *   kind=2d        `blocks` blocks of `bytes`, one every `pitch` bytes
 */
#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <mpi.h>
#include <peach2.h>
#include <tca-api.h>

#include "common.h"

enum { SENDER, RECEIVER, OTHERS };
enum { CHANNEL = 0, CHANNEL_OTHERS = 1, SLOT = 5, TAG = 7, TAG_OWN = 8, OTHERS_BYTES = 65536 };
enum { SETTLE_NS = 20000 }; /* what the barrier and the other ranks need until all is as it stays */

struct test {
    int me, size;
    const char *kind, *descriptors;
    uint64_t bytes, puts, blocks, pitch, messages, warmup;
    int src, dst;
    size_t extent; /* how large the buffers at both ends are */
    uint8_t *out, *in, *word;
    struct peach2_buffer in_buf, word_buf; /* the receiver's */
    tcaHandle *outs, *ins;
};

static int is(const struct test *t, const char *kind)
{
    return strcmp(t->kind, kind) == 0;
}

static int by_cpu(const struct test *t)
{
    return is(t, "pio");
}

/* ---- setting up ------------------------------------------------------------- */

static void from_receiver(void *p, int bytes)
{
    CHECK(MPI_Bcast(p, bytes, MPI_BYTE, RECEIVER, MPI_COMM_WORLD), MPI_SUCCESS);
}

static int flags(const struct test *t)
{
    return strcmp(t->descriptors, "internal") == 0 ? tcaDMAUseInternal | tcaDMAUseNotifyInternal
                                                   : 0;
}

static void set_up_board(struct test *t)
{
    struct peach2_buffer out;

    CHECK(peach2_open(), 0);
    CHECK(peach2_alloc(t->dst, t->extent, &t->in_buf), 0);
    CHECK(peach2_alloc(PEACH2_IN_HOST, 64, &t->word_buf), 0);
    CHECK(peach2_alloc(by_cpu(t) ? PEACH2_IN_HOST : t->src, t->extent, &out), 0);
    t->in = peach2_pointer(&t->in_buf);
    t->word = peach2_pointer(&t->word_buf);
    t->out = peach2_pointer(&out);
    from_receiver(&t->in_buf, sizeof(t->in_buf));
    if (peach2_window(&t->in_buf, 0) == 0)
        fail("dst: no area of the window reaches this memory");
    from_receiver(&t->word_buf, sizeof(t->word_buf));
    if (t->me == SENDER && is(t, "register"))
        CHECK(peach2_register(CHANNEL, peach2_window(&t->in_buf, 0), out.bus, (uint32_t)t->bytes,
                              (struct peach2_status){ peach2_window(&t->word_buf, 0), 1 }),
              0);
}

static void set_up_tca(struct test *t)
{
    tcaDesc *d = tcaDescNew();
    uint64_t rows = is(t, "2d") ? t->blocks : 1;

    t->out = tca_memory(t->src, t->extent);
    t->in = tca_memory(t->dst, t->extent);
    t->outs = tca_publish(t->out, t->extent, t->src);
    t->ins = tca_publish(t->in, t->extent, t->dst);
    for (uint64_t i = 0; t->me == SENDER && i < t->puts; i++)
        CHECK(tcaDescSetMemcpy2D(d, &t->ins[RECEIVER], (off_t)(i * t->bytes), t->pitch,
                                 &t->outs[SENDER], (off_t)(i * t->bytes), t->pitch, t->bytes, rows,
                                 flags(t) | tcaDMAPipeline | (i + 1 == t->puts ? tcaDMANotify : 0),
                                 SLOT, TAG),
              TCA_SUCCESS);
    if (t->me == SENDER && tcaDescSet(d, CHANNEL) != TCA_SUCCESS)
        fail("puts=%llu: expected fewer", (unsigned long long)t->puts); /* TCA says why */
    CHECK(tcaDescFree(d), TCA_SUCCESS);
}

/* ---- other traffic ------------------------------------------------------------- */

/* Two of them on one node would have one channel, and each other's notifications. All ranks look,
 * so that all of them end. */
static void expect_apart(const struct test *t, const tcaHandle *all)
{
    for (int a = OTHERS; a < t->size; a++)
        for (int b = a + 1; b < t->size; b++)
            if (all[a].subcluster == all[b].subcluster && all[a].node == all[b].node)
                fail("ranks %d and %d on one node: expected one on each, from rank %d on", a, b,
                     OTHERS);
}

static void write_without_pause(const struct test *t)
{
    tcaDesc *d = tcaDescNew();
    size_t bytes = (size_t)(t->size - OTHERS) * OTHERS_BYTES;
    tcaHandle *all = tca_publish(tca_memory(IN_HOST, bytes), bytes, IN_HOST);
    off_t at = (off_t)(t->me - OTHERS) * OTHERS_BYTES; /* at the receiver */
    int stop = 0;

    expect_apart(t, all);
    if (t->me >= OTHERS) {
        CHECK(tcaDescSetMemcpy(d, &all[RECEIVER], at, &all[t->me], 0, OTHERS_BYTES,
                               tcaDMAUseInternal | tcaDMAUseNotifyInternal | tcaDMANotifySelf, SLOT,
                               TAG_OWN),
              TCA_SUCCESS);
        CHECK(tcaDescSet(d, CHANNEL_OTHERS), TCA_SUCCESS);
        while (!stop) {
            CHECK(tcaStartDMADesc(CHANNEL_OTHERS), TCA_SUCCESS);
            CHECK(tcaWaitDMARecvDesc(&all[t->me], SLOT, TAG_OWN), TCA_SUCCESS);
            CHECK(MPI_Iprobe(SENDER, TAG, MPI_COMM_WORLD, &stop, MPI_STATUS_IGNORE), MPI_SUCCESS);
        }
        CHECK(MPI_Recv(&stop, 1, MPI_INT, SENDER, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
              MPI_SUCCESS);
    }
    CHECK(tcaDescFree(d), TCA_SUCCESS);
}

static void stop_others(const struct test *t)
{
    int stop = 1;

    for (int r = OTHERS; r < t->size; r++)
        CHECK(MPI_Send(&stop, 1, MPI_INT, r, TAG, MPI_COMM_WORLD), MPI_SUCCESS);
}

/* ---- a message ------------------------------------------------------------------ */

static size_t mark_bytes(const struct test *t)
{
    return t->bytes >= 8 ? 8 : 4;
}

static void send(struct test *t)
{
    if (by_cpu(t)) {
        peach2_store(peach2_window(&t->in_buf, 0), t->out, t->bytes);
        peach2_commit();
    } else if (is(t, "register")) {
        peach2_register_start(CHANNEL);
    } else {
        CHECK(tcaStartDMADesc(CHANNEL), TCA_SUCCESS);
    }
}

static void receive(struct test *t)
{
    size_t at = t->bytes - mark_bytes(t);
    uint64_t last = 0;

    for (size_t i = 0; i < mark_bytes(t); i++)
        last |= (uint64_t)byte_of(TAG, at + i) << (8 * i);
    if (by_cpu(t) && t->dst == IN_HOST)
        peach2_wait_word(t->in + at, (unsigned)mark_bytes(t), last);
    else if (by_cpu(t))
        peach2_poll(&t->in_buf, at, (unsigned)mark_bytes(t), last);
    else if (is(t, "register"))
        peach2_wait_word(t->word, 8, 1);
    else
        CHECK(tcaWaitDMARecvDesc(&t->outs[SENDER], SLOT, TAG), TCA_SUCCESS);
}

/* Bytes of the message are those of the source; what lies between blocks is still zero. */
static int arrived(const struct test *t)
{
    uint8_t *host = malloc(t->extent);
    int ok = 1;

    if (host == NULL)
        fail("out of memory");
    bytes_copy(host, t->in, t->extent);
    for (size_t i = 0; i < t->extent; i++)
        ok &= host[i] == (!is(t, "2d") || i % t->pitch < t->bytes ? byte_of(TAG, i) : 0);
    free(host);
    return ok;
}

static void one(struct test *t, int counts)
{
    uint64_t times[2] = { 0, 0 };
    int ok = 1;

    if (t->me == RECEIVER)
        bytes_clear(t->in, t->extent);
    if (t->me == RECEIVER && t->word != NULL)
        memset(t->word, 0, 8);
    CHECK(MPI_Sendrecv(&ok, 1, MPI_INT, !t->me, TAG, &ok, 1, MPI_INT, !t->me, TAG, MPI_COMM_WORLD,
                       MPI_STATUS_IGNORE),
          MPI_SUCCESS);
    if (t->me == SENDER) {
        nanosleep(&(struct timespec){ .tv_nsec = SETTLE_NS }, NULL);
        times[0] = peach2_time_ps();
        send(t);
        CHECK(MPI_Recv(times + 1, 8, MPI_BYTE, RECEIVER, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
              MPI_SUCCESS);
        CHECK(MPI_Recv(&ok, 1, MPI_INT, RECEIVER, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
              MPI_SUCCESS);
        if (counts)
            printf("result start_ps=%llu end_ps=%llu verified=%d\n", (unsigned long long)times[0],
                   (unsigned long long)times[1], ok);
    } else {
        receive(t);
        times[1] = peach2_time_ps();
        ok = arrived(t);
        CHECK(MPI_Send(times + 1, 8, MPI_BYTE, SENDER, TAG, MPI_COMM_WORLD), MPI_SUCCESS);
        CHECK(MPI_Send(&ok, 1, MPI_INT, SENDER, TAG, MPI_COMM_WORLD), MPI_SUCCESS);
    }
}

static void run(struct test *t)
{
    if (by_cpu(t) || is(t, "register"))
        set_up_board(t);
    else
        set_up_tca(t);
    if (t->me == SENDER)
        bytes_fill(t->out, t->extent, TAG);
    CHECK(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    if (t->size > OTHERS)
        write_without_pause(t);
    for (uint64_t i = 0; t->me < OTHERS && i < t->warmup + t->messages; i++)
        one(t, i >= t->warmup);
    if (t->me == SENDER)
        stop_others(t);
}

static void check(struct test *t)
{
    if (!is(t, "chain"))
        t->puts = 1;
    if (!is(t, "2d")) {
        t->blocks = 1;
        t->pitch = t->bytes;
    }
    if (t->bytes == 0 || t->puts == 0 || t->blocks == 0 || t->messages == 0 || t->pitch < t->bytes)
        fail("expected bytes, puts, blocks and messages of at least 1, and a pitch of at least "
             "bytes");
    if (t->bytes % 4 != 0 || (by_cpu(t) && t->bytes > 4 && t->bytes % 8 != 0))
        fail("bytes=%llu: expected a multiple of 4, of 8 for stores", (unsigned long long)t->bytes);
    if (t->size < OTHERS)
        fail("%d ranks: expected at least 2", t->size);
    t->extent = (is(t, "chain") ? t->puts * t->bytes : (t->blocks - 1) * t->pitch + t->bytes);
}

int main(int argc, char **argv)
{
    struct test t = { .kind = "dma",
                      .descriptors = "internal",
                      .bytes = 8,
                      .puts = 4,
                      .blocks = 4,
                      .pitch = 4096,
                      .messages = 1,
                      .warmup = 1,
                      .src = IN_HOST,
                      .dst = IN_HOST };
    const struct option options[] = {
        { .key = "kind", .text = &t.kind, .choices = "pio|register|dma|chain|2d" },
        { .key = "descriptors", .text = &t.descriptors, .choices = "internal|host" },
        { .key = "bytes", .number = &t.bytes },
        { .key = "puts", .number = &t.puts },
        { .key = "blocks", .number = &t.blocks },
        { .key = "pitch", .number = &t.pitch },
        { .key = "messages", .number = &t.messages },
        { .key = "warmup", .number = &t.warmup },
        { .key = "src", .memory = &t.src },
        { .key = "dst", .memory = &t.dst },
        OPTIONS_END
    };

    options_read(argc, argv, options);
    CHECK(MPI_Init(&argc, &argv), MPI_SUCCESS);
    CHECK(MPI_Comm_rank(MPI_COMM_WORLD, &t.me), MPI_SUCCESS);
    CHECK(MPI_Comm_size(MPI_COMM_WORLD, &t.size), MPI_SUCCESS);
    check(&t);
    CHECK(tcaInit(), TCA_SUCCESS);
    run(&t);
    CHECK(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
