/*
 * Every rank sends a block of its own to each other one, by the TCA library: first to the next
 * rank, then to the one after it, so that a rank is never the target of all others at once. Each
 * channel has one list with every `channels`th of these puts; all are under way together.
 */
#include <stdio.h>
#include <stdlib.h>

#include <mpi.h>

#include "collective.h"

enum { SLOT = 0 };

HUBSIM_WORKLOAD = {
    .summary = "A block from each rank to each other",
    .prints = COLLECTIVE_PRINTS,
    .keys = { { "bytes", "16.. by 16", "B", "", "of each block" }, COLLECTIVE_KEYS },
};

struct test {
    struct collective c;
    uint64_t bytes;
    uint8_t *out, *in; /* a block for, and one from, each rank */
    tcaHandle *outs, *ins;
};

static uint64_t total(const struct test *t)
{
    return t->bytes * (uint64_t)t->c.ranks;
}

static uint64_t block(const struct test *t, int rank)
{
    return t->bytes * (uint64_t)rank;
}

static unsigned used_channels(const struct test *t)
{
    unsigned others = (unsigned)t->c.ranks - 1, channels = (unsigned)t->c.channels;

    return others < channels ? others : channels;
}

static void prepare(struct test *t)
{
    for (unsigned channel = 0; channel < used_channels(t); channel++) {
        tcaDesc *list = collective_list();

        for (int i = 1 + (int)channel; i < t->c.ranks; i += (int)t->c.channels) {
            int to = (t->c.me + i) % t->c.ranks;

            collective_put(&t->c, list, &t->ins[to], block(t, t->c.me), &t->outs[t->c.me],
                           block(t, to), t->bytes, SLOT);
        }
        collective_set(list, (int)channel);
        CHECK(tcaDescFree(list), TCA_SUCCESS);
    }
}

static void play(void *arg)
{
    struct test *t = arg;

    for (unsigned channel = 0; channel < used_channels(t); channel++)
        collective_start((int)channel);
    for (int i = 1; i < t->c.ranks; i++)
        collective_wait(&t->ins[(t->c.me + t->c.ranks - i) % t->c.ranks], SLOT);
}

/* Nothing waits for anything: one step. */
static void traffic(const struct test *t)
{
    for (int from = 0; from < t->c.ranks; from++)
        for (int to = 0; to < t->c.ranks; to++)
            if (to != from)
                collective_traffic(&t->c, 0, from, to, t->bytes, 1);
}

static unsigned seed_of(const struct test *t, unsigned number, int from, int to)
{
    return (unsigned)(from * t->c.ranks + to) + 3 * number;
}

/* The own block stays at home; it is in its place from the beginning. */
static void fill(void *arg, unsigned number)
{
    struct test *t = arg;

    bytes_clear(t->in, total(t));
    for (int r = 0; r < t->c.ranks; r++)
        bytes_fill(t->out + block(t, r), t->bytes, seed_of(t, number, t->c.me, r));
    bytes_fill(t->in + block(t, t->c.me), t->bytes, seed_of(t, number, t->c.me, t->c.me));
}

static int arrived(void *arg, unsigned number)
{
    struct test *t = arg;
    int ok = 1;

    for (int r = 0; r < t->c.ranks; r++)
        ok &= bytes_ok(t->in + block(t, r), t->bytes, seed_of(t, number, r, t->c.me));
    return ok;
}

int main(int argc, char **argv)
{
    struct test t = { .c = COLLECTIVE_DEFAULTS, .bytes = 4096 };
    const struct option options[] = { { .key = "bytes", .number = &t.bytes },
                                      COLLECTIVE_OPTIONS(&t.c),
                                      OPTIONS_END };

    options_read(argc, argv, options);
    if (t.bytes == 0 || t.bytes % 16 != 0)
        fail("bytes=%llu: expected a multiple of 16", (unsigned long long)t.bytes);
    collective_init(&t.c, &argc, &argv);
    t.out = tca_memory(t.c.memory, total(&t));
    t.in = tca_memory(t.c.memory, total(&t));
    t.outs = tca_publish(t.out, total(&t), t.c.memory);
    t.ins = tca_publish(t.in, total(&t), t.c.memory);
    prepare(&t);
    collective_measure(&t.c, &(struct exchange){ fill, play, arrived, &t }, total(&t) - t.bytes,
                       NULL);
    traffic(&t);
    CHECK(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
