/*
 * Local DMA inside one node, timed as inside the driver: the time-stamp counter
 * is read just before the store that starts, and again when the end of sending
 * was seen.
 *
 *   end=word   the board writes a status word to host memory, which is polled
 *   end=state  the channel's state register is polled over PCIe
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <peach2.h>

#include "common.h"

enum { CHANNEL = 0, SEED = 1 };

struct test {
    uint64_t bytes, count, warmup, rounds, repeats;
    int src, dst;
    const char *mode, *end;
    struct peach2_buffer from, to, flag;
    int use_word, registers;
};

static struct peach2_status status_of(const struct test *t)
{
    return t->use_word ? (struct peach2_status){ peach2_window(&t->flag, 0), 1 }
                       : (struct peach2_status){ 0, 0 };
}

static void set_chain(const struct test *t, const struct peach2_transfer *list)
{
    int internal = strcmp(t->mode, "dma-chain-internal") == 0;
    int code = peach2_chain(CHANNEL, internal, list, (unsigned)t->count, status_of(t));

    if (code == PEACH2_ERR_NOMEM)
        fail("count=%llu: expected fewer descriptors: so many have no room in the %s memory",
             (unsigned long long)t->count, internal ? "board's" : "host's");
    CHECK(code, 0);
}

static void set_up(struct test *t)
{
    struct peach2_transfer *list = calloc(t->count, sizeof(*list));
    uint64_t all = t->bytes * t->count;

    if (list == NULL)
        fail("out of memory");
    CHECK(peach2_open(), 0);
    CHECK(peach2_alloc(t->src, all, &t->from), 0);
    CHECK(peach2_alloc(t->dst, all, &t->to), 0);
    CHECK(peach2_alloc(PEACH2_IN_HOST, 64, &t->flag), 0);
    if (peach2_window(&t->to, 0) == 0)
        fail("dst: no area of the window reaches this memory");
    for (uint64_t i = 0; i < t->count; i++)
        list[i] = (struct peach2_transfer){ .dst_window = peach2_window(&t->to, i * t->bytes),
                                            .src_bus = t->from.bus + i * t->bytes,
                                            .bytes = (uint32_t)t->bytes };
    t->registers = strcmp(t->mode, "dma-register") == 0;
    t->use_word = strcmp(t->end, "word") == 0;
    if (t->registers)
        CHECK(peach2_register(CHANNEL, list[0].dst_window, list[0].src_bus, list[0].bytes,
                              status_of(t)),
              0);
    else
        set_chain(t, list);
    free(list);
}

static void transfer(struct test *t)
{
    volatile uint64_t *flag = peach2_pointer(&t->flag);

    *flag = 0;
    if (t->registers)
        peach2_register_start(CHANNEL);
    else
        peach2_chain_start(CHANNEL);
    if (t->use_word)
        peach2_wait_word(flag, 8, 1);
    else
        CHECK(peach2_wait(CHANNEL), 0);
}

static uint64_t timed(struct test *t)
{
    uint64_t start, ticks;

    start = peach2_tsc();
    transfer(t);
    ticks = peach2_tsc() - start;
    return ticks * 1000000000u / peach2_tsc_khz();
}

int main(int argc, char **argv)
{
    struct test t = { .bytes = 4096,
                      .count = 1,
                      .warmup = 1,
                      .rounds = 1,
                      .repeats = 5,
                      .src = IN_HOST,
                      .dst = IN_HOST,
                      .mode = "dma-chain-host",
                      .end = "word" };
    const struct option options[] = {
        { .key = "mode",
          .text = &t.mode,
          .choices = "dma-register|dma-chain-host|dma-chain-internal" },
        { .key = "bytes", .number = &t.bytes },
        { .key = "count", .number = &t.count },
        { .key = "src", .memory = &t.src },
        { .key = "dst", .memory = &t.dst },
        { .key = "warmup", .number = &t.warmup },
        { .key = "rounds", .number = &t.rounds }, /* each is timed alone: one is as good */
        { .key = "repeats", .number = &t.repeats },
        { .key = "end", .text = &t.end, .choices = "word|state" },
        OPTIONS_END
    };
    struct times times;
    char more[64];
    int verified;

    options_read(argc, argv, options);
    if (t.bytes == 0 || t.count == 0 || t.bytes > UINT32_MAX)
        fail("bytes=%llu, count=%llu: expected at least 1", (unsigned long long)t.bytes,
             (unsigned long long)t.count);
    if (strcmp(t.mode, "dma-register") == 0 && t.count != 1)
        fail("count=%llu: expected 1 with mode=dma-register", (unsigned long long)t.count);
    tca_alone();
    set_up(&t);
    times_init(&times, t.repeats);
    bytes_fill(peach2_pointer(&t.from), t.bytes * t.count, SEED);
    bytes_clear(peach2_pointer(&t.to), t.bytes * t.count);
    for (uint64_t i = 0; i < t.warmup; i++)
        transfer(&t);
    for (uint64_t i = 0; i < t.repeats; i++)
        times_add(&times, timed(&t));
    CHECK(peach2_wait(CHANNEL), 0);
    verified = bytes_ok(peach2_pointer(&t.to), t.bytes * t.count, SEED);
    snprintf(more, sizeof(more), "count=%llu", (unsigned long long)t.count);
    times_print(&times, t.bytes * t.count, verified, more);
    return 0;
}
