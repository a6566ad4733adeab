/*
 * Remote writes, or appends to a FIFO, back to back: from before the first call
 * to the acknowledgement of the last packet.
 *
 *   op=write|fifo
 */
#include <stdio.h>
#include <stdlib.h>

#include <mbcf.h>

#include "common.h"

enum { DATA, WORD };

static uint8_t data[MBCF_PACKET_BYTES], copy[MBCF_PACKET_BYTES];
static uint64_t word;

static void notify_task(unsigned task, uint64_t value)
{
    CHECK(mbcf_write(task, WORD, 0, &value, sizeof(value), NULL), MBCF_OK);
}

static uint64_t await(void)
{
    volatile uint64_t *at = &word;
    uint64_t value;

    while (*at == 0)
        mbcf_wait();
    value = *at;
    *at = 0;
    return value;
}

static uint64_t send_all(uint64_t bytes, uint64_t count, int fifo, unsigned seed)
{
    volatile uint32_t left = 0;
    uint64_t start;

    bytes_fill(data, bytes, seed);
    start = mbcf_time_ps();
    for (uint64_t i = 0; i < count; i++) {
        volatile uint32_t *ack = i + 1 == count ? &left : NULL;

        if (fifo)
            CHECK(mbcf_fifo_write(1, 0, data, bytes, ack), MBCF_OK);
        else
            CHECK(mbcf_write(1, DATA, 0, data, bytes, ack), MBCF_OK);
    }
    while (left != 0)
        mbcf_wait();
    start = mbcf_time_ps() - start;
    notify_task(1, 1);
    return await() == 2 ? start : 0; /* 2: what came was right */
}

/** The ring holds all, and is emptied afterwards. */
static void receive_all(uint64_t bytes, uint64_t count, int fifo, unsigned seed)
{
    int good = 1;

    (void)await();
    for (uint64_t i = 0; fifo && i < count; i++)
        good &= mbcf_fifo_read(0, copy, sizeof(copy)) == (long)bytes && bytes_ok(copy, bytes, seed);
    if (!fifo)
        good = bytes_ok(data, bytes, seed);
    notify_task(0, good ? 2 : 1);
}

/** All packets of a stream may be in the ring at once. */
static uint8_t *open_memory(uint64_t count)
{
    size_t room = (size_t)(count + 4) * (MBCF_PACKET_BYTES + 16);
    uint8_t *ring = malloc(room);

    if (ring == NULL)
        fail("out of memory");
    CHECK(mbcf_open(), MBCF_OK);
    if (mbcf_tasks() != 2)
        fail("%u ranks: expected 2", mbcf_tasks());
    CHECK(mbcf_expose(DATA, data, sizeof(data)), MBCF_OK);
    CHECK(mbcf_expose(WORD, &word, sizeof(word)), MBCF_OK);
    CHECK(mbcf_fifo_open(0, ring, room), MBCF_OK);
    return ring;
}

int main(int argc, char **argv)
{
    uint64_t bytes = 4, count = 1024, rounds = 1, warmup = 1, repeats = 1;
    const char *op = "write";
    const struct option options[] = { { .key = "bytes", .number = &bytes },
                                      { .key = "count", .number = &count },
                                      { .key = "op", .text = &op, .choices = "write|fifo" },
                                      { .key = "rounds", .number = &rounds }, /* each alone */
                                      { .key = "warmup", .number = &warmup },
                                      { .key = "repeats", .number = &repeats },
                                      OPTIONS_END };
    struct times times;
    uint8_t *ring;
    int verified = 1;

    options_read(argc, argv, options);
    if (bytes == 0 || bytes > MBCF_PACKET_BYTES || count == 0)
        fail("bytes=%llu: expected 1 .. %u, and count at least 1", (unsigned long long)bytes,
             MBCF_PACKET_BYTES);
    times_init(&times, repeats);
    ring = open_memory(count);
    if (mbcf_task() == 0)
        (void)await(); /* the other one has set up its memory */
    else
        notify_task(0, 1);
    for (uint64_t i = 0; i < warmup + repeats; i++) {
        uint64_t ps;

        if (mbcf_task() == 1) {
            receive_all(bytes, count, op[0] == 'f', (unsigned)i);
            continue;
        }
        ps = send_all(bytes, count, op[0] == 'f', (unsigned)i);
        verified &= ps != 0;
        if (i >= warmup)
            times_add(&times, ps);
    }
    free(ring);
    if (mbcf_task() == 0)
        times_print(&times, bytes * count, verified, NULL);
    return 0;
}
