/*
 * One remote write, or one append to a FIFO, of the Memory-Based Communication
 * Facility: from just before the call to the end of the write at the receiver.
 *
 *   op=write|fifo
 */
#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <mbcf.h>

#include "common.h"

enum { DATA, END, READY };

static uint8_t data[MBCF_PACKET_BYTES], ring[65536];
static uint64_t end_ps, ready;

static void rest(void) /* until all that is under way has come */
{
    nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
}

/** A word that the other task writes. */
static uint64_t await(volatile uint64_t *word)
{
    uint64_t value;

    while (*word == 0)
        mbcf_wait();
    value = *word;
    *word = 0;
    return value;
}

static void notify_task(unsigned task, unsigned region, uint64_t word)
{
    CHECK(mbcf_write(task, region, 0, &word, sizeof(word), NULL), MBCF_OK);
}

static uint64_t send_one(uint64_t bytes, int fifo, unsigned seed)
{
    uint64_t start, end;

    bytes_fill(data, bytes, seed);
    (void)await(&ready);
    rest();
    start = mbcf_time_ps();
    if (fifo)
        CHECK(mbcf_fifo_write(1, 0, data, bytes, NULL), MBCF_OK);
    else
        CHECK(mbcf_write(1, DATA, 0, data, bytes, NULL), MBCF_OK);
    end = await(&end_ps);
    return (end & 1) != 0 ? end / 2 - start : 0;
}

/** Answers with the time, and in its lowest bit whether all bytes were right. */
static void receive_one(uint64_t bytes, int fifo, unsigned seed)
{
    struct mbcf_counts counts;
    uint64_t before;
    int good;

    memset(data, 0, bytes);
    mbcf_count(&counts);
    before = counts.last_end_ps;
    notify_task(0, READY, 1);
    while (counts.last_end_ps == before) {
        mbcf_wait();
        mbcf_count(&counts);
    }
    if (fifo)
        CHECK(mbcf_fifo_read(0, data, bytes), (int)bytes);
    good = bytes_ok(data, bytes, seed);
    rest();
    notify_task(0, END, 2 * counts.last_end_ps + (unsigned)good);
}

int main(int argc, char **argv)
{
    uint64_t bytes = 4, rounds = 1, warmup = 1, repeats = 4;
    const char *op = "write";
    const struct option options[] = { { .key = "bytes", .number = &bytes },
                                      { .key = "op", .text = &op, .choices = "write|fifo" },
                                      { .key = "rounds", .number = &rounds }, /* each alone */
                                      { .key = "warmup", .number = &warmup },
                                      { .key = "repeats", .number = &repeats },
                                      OPTIONS_END };
    struct times times;
    int verified = 1;

    options_read(argc, argv, options);
    if (bytes == 0 || bytes > MBCF_PACKET_BYTES)
        fail("bytes=%llu: expected 1 .. %u", (unsigned long long)bytes, MBCF_PACKET_BYTES);
    times_init(&times, repeats);
    CHECK(mbcf_open(), MBCF_OK);
    if (mbcf_tasks() != 2)
        fail("%u ranks: expected 2", mbcf_tasks());
    CHECK(mbcf_expose(DATA, data, sizeof(data)), MBCF_OK);
    CHECK(mbcf_expose(END, &end_ps, sizeof(end_ps)), MBCF_OK);
    CHECK(mbcf_expose(READY, &ready, sizeof(ready)), MBCF_OK);
    CHECK(mbcf_fifo_open(0, ring, sizeof(ring)), MBCF_OK);
    for (uint64_t i = 0; i < warmup + repeats; i++) {
        uint64_t ps;

        if (mbcf_task() == 1) {
            receive_one(bytes, op[0] == 'f', (unsigned)i);
            continue;
        }
        ps = send_one(bytes, op[0] == 'f', (unsigned)i);
        verified &= ps != 0;
        if (i >= warmup)
            times_add(&times, ps);
    }
    if (mbcf_task() == 0)
        times_print(&times, bytes, verified, NULL);
    return 0;
}
