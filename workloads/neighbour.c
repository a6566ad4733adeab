/*
 * Every rank exchanges a message with both neighbours in the order of ranks, all at once, by the
 * TCA library: one channel for each direction.
 */
#include <stdio.h>
#include <stdlib.h>

#include <mpi.h>

#include "collective.h"

enum { UP = 0, DOWN = 1, WAYS = 2 }; /* to the next rank, to the one before: channel and slot */

HUBSIM_WORKLOAD = {
    .summary = "Blocks to both neighbours in a ring of ranks",
    .prints = COLLECTIVE_PRINTS,
    .keys = { { "bytes", "16.. by 16", "B", "", "of each block" }, COLLECTIVE_KEYS },
};

struct test {
    struct collective c;
    uint64_t bytes;
    uint8_t *out, *in; /* the message each way */
    tcaHandle *outs, *ins;
};

static int neighbour(const struct test *t, int rank, int way)
{
    return (rank + (way == UP ? 1 : t->c.ranks - 1)) % t->c.ranks;
}

static void prepare(struct test *t)
{
    for (int way = 0; way < WAYS; way++) {
        uint64_t at = (uint64_t)way * t->bytes;
        tcaDesc *list = collective_list();

        collective_put(&t->c, list, &t->ins[neighbour(t, t->c.me, way)], at, &t->outs[t->c.me], at,
                       t->bytes, way);
        collective_set(list, way);
        CHECK(tcaDescFree(list), TCA_SUCCESS);
    }
}

static void play(void *arg)
{
    struct test *t = arg;

    for (int way = 0; way < WAYS; way++)
        collective_start(way);
    for (int way = 0; way < WAYS; way++)
        collective_wait(&t->ins[neighbour(t, t->c.me, 1 - way)], way);
}

static void traffic(const struct test *t)
{
    for (int r = 0; r < t->c.ranks; r++)
        for (int way = 0; way < WAYS; way++)
            collective_traffic(&t->c, 0, r, neighbour(t, r, way), t->bytes, 1);
}

static unsigned seed_of(unsigned number, int from, int way)
{
    return 5 * number + (unsigned)(WAYS * from + way);
}

static void fill(void *arg, unsigned number)
{
    struct test *t = arg;

    bytes_clear(t->in, WAYS * t->bytes);
    for (int way = 0; way < WAYS; way++)
        bytes_fill(t->out + (uint64_t)way * t->bytes, t->bytes, seed_of(number, t->c.me, way));
}

static int arrived(void *arg, unsigned number)
{
    struct test *t = arg;
    int ok = 1;

    for (int way = 0; way < WAYS; way++)
        ok &= bytes_ok(t->in + (uint64_t)way * t->bytes, t->bytes,
                       seed_of(number, neighbour(t, t->c.me, 1 - way), way));
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
    t.out = tca_memory(t.c.memory, WAYS * t.bytes);
    t.in = tca_memory(t.c.memory, WAYS * t.bytes);
    t.outs = tca_publish(t.out, WAYS * t.bytes, t.c.memory);
    t.ins = tca_publish(t.in, WAYS * t.bytes, t.c.memory);
    prepare(&t);
    collective_measure(&t.c, &(struct exchange){ fill, play, arrived, &t }, WAYS * t.bytes, NULL);
    traffic(&t);
    CHECK(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
