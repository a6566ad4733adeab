/*
 * Every rank gets the block of every other one, in place, by the TCA library.
 *
 *   algorithm=ring       each step passes on the block that came last, to the next rank
 *   algorithm=doubling   each step exchanges all that is there with the rank that differs in one
 *                        bit; order=up from the lowest bit, order=down from the highest.
 *                        own=copied: each block lies in memory of its own, and the board copies it
 *                        to its place in the first step. lists=kept: each step's list stays on a
 *                        channel of its own, and a step ends when its own data have left, too
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "collective.h"

HUBSIM_WORKLOAD = {
    .summary = "A block of each rank to all others",
    .prints = COLLECTIVE_PRINTS,
    .keys = { { "bytes", "16.. by 16", "B", "", "of each rank's block" },
              { "algorithm", "ring|doubling", "", "", "how blocks go on" },
              { "order", "up|down", "", "", "which distance comes first" },
              COLLECTIVE_KEYS },
};

struct test {
    struct collective c;
    uint64_t bytes;
    const char *algorithm, *order, *own, *lists_are;
    uint8_t *buffer, *block; /* block: the own one, if it lies elsewhere */
    tcaHandle *all, *blocks;
    unsigned steps, parts;
    tcaDesc **lists; /* [step * parts + part] */
};

static uint64_t total(const struct test *t)
{
    return t->bytes * (uint64_t)t->c.ranks;
}

/*
 * ---- ring: parts follow each other round the ring ----------------------------------------------
 *
 * Item i, part i % parts of step i / parts, goes by channel and slot i % channels: neighbouring
 * items are under way together, and what shares a slot keeps its order.
 */

static int from_me(const struct test *t, int distance)
{
    return (t->c.me + distance + t->c.ranks) % t->c.ranks;
}

static int channel_of(const struct test *t, unsigned item)
{
    return (int)(item % t->c.channels);
}

static void ring_prepare(struct test *t)
{
    tcaHandle *me = &t->all[t->c.me], *next = &t->all[from_me(t, 1)];

    t->steps = (unsigned)t->c.ranks - 1;
    t->parts = collective_parts(&t->c, t->bytes);
    for (unsigned i = 0; i < t->steps * t->parts; i++) {
        struct part part = collective_part(t->bytes, i % t->parts, t->parts);
        uint64_t at = (uint64_t)from_me(t, -(int)(i / t->parts)) * t->bytes + part.at;

        t->lists[i] = collective_list();
        collective_put(&t->c, t->lists[i], next, at, me, at, part.n, channel_of(t, i));
    }
}

static void ring_begin(struct test *t)
{
    for (unsigned i = 0; i < t->c.channels && i < t->steps * t->parts; i++)
        collective_set(t->lists[i], (int)i);
}

/* A channel's next list is written while its last one runs. */
static void ring_play(void *arg)
{
    struct test *t = arg;
    unsigned items = t->steps * t->parts, channels = (unsigned)t->c.channels;
    tcaHandle *before = &t->all[from_me(t, -1)];

    for (unsigned i = 0; i < items + t->parts; i++) {
        if (i >= t->parts)
            collective_wait(before, channel_of(t, i - t->parts));
        if (i >= items)
            continue;
        collective_start(channel_of(t, i));
        if (i + channels < items)
            collective_set(t->lists[i + channels], channel_of(t, i));
    }
}

static void ring_traffic(const struct test *t)
{
    for (unsigned step = 0; step < t->steps; step++)
        for (int r = 0; r < t->c.ranks; r++)
            collective_traffic(&t->c, step, r, (r + 1) % t->c.ranks, t->bytes, 1);
}

/* ---- recursive doubling ---------------------------------------------------------------------- */

/** What a step exchanges: rows of blocks that lie side by side or apart. */
struct doubling {
    int bit;
    uint64_t first, pitch, width, rows; /* first in blocks, pitch and width in bytes */
};

static struct doubling doubling_of(const struct test *t, int rank, unsigned step)
{
    int bits = (int)t->steps, up = strcmp(t->order, "up") == 0;
    int bit = 1 << (up ? (int)step : bits - 1 - (int)step);

    if (up)
        return (struct doubling){ bit, (uint64_t)(rank & ~(bit - 1)), 0, t->bytes << step, 1 };
    return (struct doubling){ bit, (uint64_t)(rank & (2 * bit - 1)), 2 * (uint64_t)bit * t->bytes,
                              t->bytes, UINT64_C(1) << step };
}

static int are_kept(const struct test *t)
{
    return strcmp(t->lists_are, "kept") == 0;
}

/* The copy goes first, so it is there when the rest has left. It notifies like all others, as in
 * the program that was measured: more notifications come than are waited for. */
static void put_own(const struct test *t, tcaDesc *list, int partner, uint64_t at,
                    const struct part *part, int slot)
{
    tcaHandle *own = &t->blocks[t->c.me];

    CHECK(tcaDescSetMemcpy(list, &t->all[t->c.me], (off_t)at, own, (off_t)part->at, part->n,
                           t->c.flags | tcaDMANotify, slot, TAG),
          TCA_SUCCESS);
    collective_put(&t->c, list, &t->all[partner], at, own, part->at, part->n, slot);
}

static void doubling_prepare(struct test *t)
{
    for (t->steps = 0; 1 << t->steps < t->c.ranks; t->steps++)
        ;
    if (1 << t->steps != t->c.ranks)
        fail("%d ranks: expected a power of two with algorithm=doubling", t->c.ranks);
    t->parts = are_kept(t) ? 1 : collective_parts(&t->c, t->bytes);
    if (are_kept(t) && t->steps > t->c.channels)
        fail("%d ranks: expected a channel for each step with lists=kept", t->c.ranks);
    t->c.flags |= are_kept(t) ? tcaDMANotifySelf : 0;
    for (unsigned step = 0; step < t->steps; step++) {
        struct doubling d = doubling_of(t, t->c.me, step);

        for (unsigned p = 0; p < t->parts; p++) {
            struct part part = collective_part(d.width, p, t->parts);
            uint64_t at = d.first * t->bytes + part.at;
            tcaDesc *list = t->lists[step * t->parts + p] = collective_list();

            if (step == 0 && t->blocks != NULL) {
                put_own(t, list, t->c.me ^ d.bit, at, &part, (int)p);
                continue;
            }
            collective_put_rows(&t->c, list, &t->all[t->c.me ^ d.bit], at, &t->all[t->c.me], at,
                                d.rows > 1 ? d.pitch : part.n, part.n, d.rows, (int)p);
        }
    }
}

static void doubling_begin(struct test *t)
{
    for (unsigned i = 0; i < (are_kept(t) ? t->steps : t->parts); i++)
        collective_set(t->lists[i], (int)i);
}

static void doubling_play(void *arg)
{
    struct test *t = arg;

    for (unsigned step = 0; step < t->steps && are_kept(t); step++) {
        collective_start((int)step);
        collective_wait(&t->all[t->c.me], 0);
        collective_wait(&t->all[t->c.me ^ doubling_of(t, t->c.me, step).bit], 0);
    }
    for (unsigned step = 0; step < t->steps && !are_kept(t); step++) {
        tcaHandle *partner = &t->all[t->c.me ^ doubling_of(t, t->c.me, step).bit];

        for (unsigned p = 0; p < t->parts; p++)
            collective_start((int)p);
        for (unsigned p = 0; p < t->parts; p++)
            collective_set(t->lists[(step + 1) % t->steps * t->parts + p], (int)p);
        for (unsigned p = 0; p < t->parts; p++)
            collective_wait(partner, (int)p);
    }
}

static void doubling_traffic(const struct test *t)
{
    for (unsigned step = 0; step < t->steps; step++)
        for (int r = 0; r < t->c.ranks; r++) {
            struct doubling d = doubling_of(t, r, step);

            collective_traffic(&t->c, step, r, r ^ d.bit, d.width * d.rows, d.rows);
        }
}

/* ---- the test ---- */

static unsigned seed_of(const struct test *t, unsigned number, int rank)
{
    return number * (unsigned)t->c.ranks + (unsigned)rank + number;
}

static int is_ring(const struct test *t)
{
    return strcmp(t->algorithm, "ring") == 0;
}

static void fill(void *arg, unsigned number)
{
    struct test *t = arg;

    bytes_clear(t->buffer, total(t));
    bytes_fill(t->block, t->bytes, seed_of(t, number, t->c.me));
    (is_ring(t) ? ring_begin : doubling_begin)(t);
}

static int arrived(void *arg, unsigned number)
{
    struct test *t = arg;
    int ok = 1;

    for (int r = 0; r < t->c.ranks; r++)
        ok &= bytes_ok(t->buffer + (uint64_t)r * t->bytes, t->bytes, seed_of(t, number, r));
    return ok;
}

int main(int argc, char **argv)
{
    struct test t = { .c = COLLECTIVE_DEFAULTS,
                      .bytes = 4096,
                      .algorithm = "ring",
                      .order = "down",
                      .own = "there",
                      .lists_are = "rewritten" };
    const struct option options[] = {
        { .key = "bytes", .number = &t.bytes },
        { .key = "algorithm", .text = &t.algorithm, .choices = "ring|doubling" },
        { .key = "order", .text = &t.order, .choices = "up|down" },
        { .key = "own", .text = &t.own, .choices = "there|copied" },
        { .key = "lists", .text = &t.lists_are, .choices = "rewritten|kept" },
        COLLECTIVE_MANNERS(&t.c),
        COLLECTIVE_OPTIONS(&t.c),
        OPTIONS_END
    };

    options_read(argc, argv, options);
    if (is_ring(&t) &&
        (strcmp(t.c.start, "barrier") == 0 || strcmp(t.own, "copied") == 0 || are_kept(&t)))
        fail("start=%s own=%s lists=%s: expected algorithm=doubling beside barrier, copied or kept",
             t.c.start, t.own, t.lists_are);
    if (t.bytes == 0 || t.bytes % 16 != 0)
        fail("bytes=%llu: expected a multiple of 16", (unsigned long long)t.bytes);
    collective_init(&t.c, &argc, &argv);
    t.buffer = tca_memory(t.c.memory, total(&t));
    t.all = tca_publish(t.buffer, total(&t), t.c.memory);
    t.block = t.buffer + (uint64_t)t.c.me * t.bytes;
    if (strcmp(t.own, "copied") == 0) {
        t.block = tca_memory(t.c.memory, t.bytes);
        t.blocks = tca_publish(t.block, t.bytes, t.c.memory);
    }
    t.lists = calloc((size_t)t.c.ranks * CHANNELS, sizeof(tcaDesc *));
    if (t.lists == NULL)
        fail("out of memory");
    (is_ring(&t) ? ring_prepare : doubling_prepare)(&t);
    collective_measure(
        &t.c, &(struct exchange){ fill, is_ring(&t) ? ring_play : doubling_play, arrived, &t },
        total(&t) - t.bytes, NULL);
    (is_ring(&t) ? ring_traffic : doubling_traffic)(&t);
    collective_free(t.lists, t.steps * t.parts);
    CHECK(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
