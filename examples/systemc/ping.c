/*
 * Ping-pong between nodes 0 and `hops` of a ring, by the board's driver alone: half of each round
 * trip. The other nodes do nothing. The same file is a program for `hubrun` and `hubsim run`, and
 * part of the SystemC program ring8, whose hosts call main() with the same arguments.
 *
 *   by=pio    CPU stores; the receiver polls the last word of the message
 *   by=dma    one store starts the board's DMA, which writes a status word behind the data
 *   by=chain  the same with a descriptor in the board's memory
 *   by=irq    one store to a register of the other board, which interrupts its host
 *
 *   hubcc --no-tca ping.c -o ping
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hosts/driver/driver.h>
#include <hubsim-workload.h>
#include <peach2.h>

HUBSIM_WORKLOAD = {
    .summary = "A message to and fro between node 0 and another one",
    .prints = "latency_ps_min, latency_ps_median, bytes, verified",
    .keys = { { "nodes", "2..16", "1", "8", "ranks, one on each" },
              { "hops", "1..15", "1", "4", "the node that answers node 0" },
              { "by", "pio|dma|chain|irq", "", "pio", "who writes, and how the other one sees it" },
              { "bytes", "8..4096", "B", "8", "of the message, a multiple of 8" } },
};

enum { ROUNDS = 16, CHANNEL = 0, MOST = 4096, RUNG = 0x10 };
#define PAUSE_PS UINT64_C(20000000)

struct side {
    struct peach2_buffer in, out, flag;
    uint64_t there, flag_there, rings; /* the other one's, in the window */
    uint32_t bytes;
    enum { PIO, DMA, CHAIN, IRQ } by;
};

/* Both have allocated the same, each in its own part. */
static uint64_t window_of(struct peach2_buffer buffer, unsigned slot)
{
    buffer.slot = (uint16_t)slot;
    return peach2_window(&buffer, 0);
}

static volatile uint64_t *last_word(const struct side *s, const struct peach2_buffer *buffer)
{
    return (volatile uint64_t *)peach2_pointer(buffer) + s->bytes / 8 - 1;
}

static void send(const struct side *s, uint64_t turn)
{
    const uint64_t bit = RUNG;

    *last_word(s, &s->out) = turn;
    switch (s->by) {
    case DMA:
        peach2_register_start(CHANNEL);
        break;
    case CHAIN:
        (void)peach2_wait(CHANNEL);
        peach2_chain_start(CHANNEL);
        break;
    default: /* the interrupt does not pass the data */
        peach2_store(s->there, peach2_pointer(&s->out), s->bytes);
        if (s->by == IRQ)
            peach2_store(s->rings, &bit, sizeof(bit));
        peach2_commit();
    }
}

static void receive(const struct side *s, uint64_t turn)
{
    volatile uint64_t *flag = peach2_pointer(&s->flag);

    if (s->by == PIO) {
        peach2_wait_word(last_word(s, &s->in), 8, turn);
    } else if (s->by == IRQ) {
        (void)driver_wait_irq(host_self(), driver_of(host_self()), RUNG);
    } else {
        peach2_wait_word(flag, 8, 1);
        *flag = 0;
    }
}

/* What is sent each time. */
static int prepare(const struct side *s)
{
    const struct peach2_status status = { s->flag_there, 1 };
    const struct peach2_transfer transfer = { s->there, s->out.bus, s->bytes, 0, 0, 0 };

    if (s->by == DMA)
        return peach2_register(CHANNEL, s->there, s->out.bus, s->bytes, status);
    return s->by == CHAIN ? peach2_chain(CHANNEL, 1, &transfer, 1, status) : 0;
}

static int set_up(struct side *s, unsigned other)
{
    uint64_t *words;
    int code = peach2_open();

    if (code == 0)
        code = peach2_alloc(PEACH2_IN_HOST, MOST, &s->in);
    if (code == 0)
        code = peach2_alloc(PEACH2_IN_HOST, MOST, &s->out);
    if (code == 0)
        code = peach2_alloc(PEACH2_IN_HOST, 8, &s->flag);
    if (code != 0)
        return code;
    s->there = window_of(s->in, other);
    s->flag_there = window_of(s->flag, other);
    s->rings = driver_window(driver_of(host_self()), other, HUB_AREA_SELF, HUB_IRQ_RAISE);
    words = peach2_pointer(&s->out);
    for (uint32_t i = 0; i < s->bytes / 8; i++)
        words[i] = i;
    return prepare(s);
}

static void pause_after(uint64_t start)
{
    while (peach2_time_ps() - start < PAUSE_PS)
        (void)peach2_tsc(); /* which takes time */
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static int complete(const struct side *s)
{
    const uint64_t *words = peach2_pointer(&s->in);
    int good = *last_word(s, &s->in) == (uint64_t)2 * ROUNDS;

    for (uint32_t i = 0; i + 1 < s->bytes / 8; i++)
        good &= words[i] == i;
    return good;
}

/* The place of a word among those of "pio|dma"; 0 where there is none. */
static unsigned choice(const char *words, const char *word)
{
    size_t n = strlen(word);
    unsigned i = 0;

    for (const char *w = words; w != NULL; w = strchr(w, '|'), i++) {
        w += *w == '|';
        if (strncmp(w, word, n) == 0 && (w[n] == '|' || w[n] == '\0'))
            return i;
    }
    return 0;
}

/* "bytes=64" -> "64" */
static const char *argument(int argc, char **argv, const char *key, const char *absent)
{
    size_t n = strlen(key);

    for (int i = 1; i < argc; i++)
        if (strncmp(argv[i], key, n) == 0 && argv[i][n] == '=')
            return argv[i] + n + 1;
    return absent;
}

int main(int argc, char **argv)
{
    unsigned hops = (unsigned)atoi(argument(argc, argv, "hops", "4"));
    struct side s = { .bytes = (uint32_t)atoi(argument(argc, argv, "bytes", "8")),
                      .by = choice("pio|dma|chain|irq", argument(argc, argv, "by", "pio")) };
    uint64_t latency[ROUNDS], start = peach2_time_ps();
    unsigned me = peach2_slot();
    int code;

    if (me != 0 && me != hops)
        return 0;
    if (s.bytes < 8 || s.bytes > MOST || s.bytes % 8 != 0 || hops == 0 || hops >= peach2_slots()) {
        fprintf(stderr, "ping: expected hops of 1 or more, and 8 to %d bytes, a multiple of 8\n",
                MOST);
        return 2;
    }
    code = set_up(&s, me == 0 ? hops : 0);
    if (code != 0) {
        fprintf(stderr, "ping: node %u: the board gives %d\n", me, code);
        return 1;
    }
    pause_after(start); /* the other one has its memory then, too */
    for (uint64_t turn = 1; turn <= 2 * ROUNDS; turn++) {
        if ((turn % 2 == 1) == (me == 0)) {
            start = peach2_time_ps();
            send(&s, turn);
        } else {
            receive(&s, turn);
            latency[(turn - 1) / 2] = (peach2_time_ps() - start) / 2;
        }
    }
    pause_after(peach2_time_ps()); /* and all that is under way has arrived */
    if (me != 0)
        return 0;
    qsort(latency, ROUNDS, sizeof(latency[0]), compare);
    printf("result bytes=%u latency_ps_min=%llu latency_ps_median=%llu verified=%d\n", s.bytes,
           (unsigned long long)latency[0], (unsigned long long)latency[ROUNDS / 2], complete(&s));
    return 0;
}
