/*
 * Rank 0's message reaches every rank, by the TCA library.
 *
 *   algorithm=ring   segments travel from rank to rank, one after the other: every rank passes on
 *                    what has come while the next segment arrives. Segments that come faster than
 *                    they can go on would wait and then leave in bunches, more so at each rank.
 *                    So a rank sends them at the pace at which one can send and receive at once.
 *                    It measures that first
 *   algorithm=tree   a binomial tree: who has the message sends it to the rank whose number
 *                    differs in the next bit, the highest bit first; parts on channels of their own
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "collective.h"

HUBSIM_WORKLOAD = {
    .summary = "A message from rank 0 to all others",
    .prints = COLLECTIVE_PRINTS,
    .keys = { { "bytes", "4.. by 4", "B", "", "of the message" },
              { "algorithm", "ring|tree", "", "", "how it spreads" },
              { "segment_bytes", "0.. by 256", "B", "", "of the pieces that follow each other" },
              COLLECTIVE_KEYS },
};

struct test {
    struct collective c;
    uint64_t bytes, segment_bytes;
    const char *algorithm;
    uint8_t *buffer;
    tcaHandle *all;
    unsigned parts;
    tcaDesc **lists;         /* one for a segment or part; NULL on ranks that pass nothing on */
    double seconds_per_byte; /* of one that sends and receives */
};

/* ---- ring: segment k goes by channel and slot k % channels --------------------------------- */

/* What is timed takes its latency too: some 5 % slower than the links, room for a late start. */
enum { PACE_BYTES = 1 << 17, MANY_BYTES = 1 << 20 };

static struct part segment(const struct test *t, unsigned k)
{
    uint64_t at = k * t->segment_bytes;

    return (struct part){ at, t->bytes - at < t->segment_bytes ? t->bytes - at : t->segment_bytes };
}

static int channel_of(const struct test *t, unsigned k)
{
    return (int)(k % t->c.channels);
}

/* All ranks send to the next one at once, on all channels. */
static void ring_pace(struct test *t)
{
    uint64_t n = t->bytes < PACE_BYTES ? t->bytes : PACE_BYTES;
    int next = (t->c.me + 1) % t->c.ranks, before = (t->c.me + t->c.ranks - 1) % t->c.ranks;
    unsigned parts = collective_parts(&t->c, n);

    for (unsigned p = 0; p < parts; p++) {
        struct part part = collective_part(n, p, parts);
        tcaDesc *list = collective_list();

        collective_put(&t->c, list, &t->all[next], part.at, &t->all[t->c.me], part.at, part.n,
                       (int)p);
        collective_set(list, (int)p);
        CHECK(tcaDescFree(list), TCA_SUCCESS);
    }
    for (int i = 0; i < 2; i++) {
        double start = collective_start_together();

        for (unsigned p = 0; p < parts; p++)
            collective_start((int)p);
        for (unsigned p = 0; p < parts; p++)
            collective_wait(&t->all[before], (int)p);
        t->seconds_per_byte = (MPI_Wtime() - start) / (double)n;
    }
    CHECK(MPI_Allreduce(MPI_IN_PLACE, &t->seconds_per_byte, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD),
          MPI_SUCCESS);
    for (unsigned p = 0; p < parts; p++)
        CHECK(tcaWaitDMAC((int)p), TCA_SUCCESS);
}

static void ring_prepare(struct test *t)
{
    t->parts = (unsigned)((t->bytes + t->segment_bytes - 1) / t->segment_bytes);
    t->lists = calloc(t->parts, sizeof(tcaDesc *));
    if (t->lists == NULL)
        fail("out of memory");
    if (t->parts > 1)
        ring_pace(t);
    for (unsigned k = 0; k < t->parts && t->c.me + 1 < t->c.ranks; k++) {
        struct part s = segment(t, k);

        t->lists[k] = collective_list();
        collective_put(&t->c, t->lists[k], &t->all[t->c.me + 1], s.at, &t->all[t->c.me], s.at, s.n,
                       channel_of(t, k));
    }
}

static void ring_begin(struct test *t)
{
    for (unsigned k = 0; k < t->parts && k < t->c.channels && t->lists[k] != NULL; k++)
        collective_set(t->lists[k], channel_of(t, k));
}

/* A channel's next list is written while its last one runs. */
static void ring_play(void *arg)
{
    struct test *t = arg;
    unsigned channels = (unsigned)t->c.channels;
    double due = 0;

    for (unsigned k = 0; k < t->parts; k++) {
        if (t->c.me > 0)
            collective_wait(&t->all[t->c.me - 1], channel_of(t, k));
        if (t->lists[k] == NULL)
            continue;
        while (MPI_Wtime() < due)
            ;
        due = MPI_Wtime() + t->seconds_per_byte * (double)segment(t, k).n;
        collective_start(channel_of(t, k));
        if (k + channels < t->parts)
            collective_set(t->lists[k + channels], channel_of(t, k));
    }
}

/* Step k + r moves segment k from rank r to the next. */
static void ring_traffic(const struct test *t)
{
    unsigned hops = (unsigned)t->c.ranks - 1;

    for (unsigned step = 0; step < t->parts + hops - 1; step++)
        for (unsigned r = 0; r < hops && r <= step; r++)
            if (step - r < t->parts)
                collective_traffic(&t->c, step, (int)r, (int)r + 1, segment(t, step - r).n, 1);
}

/* ---- tree ---- */

/** The lowest bit of a rank came last: 1 << bits for rank 0. */
static int lowest_bit(const struct test *t, int rank)
{
    int bit = 1;

    while (bit < t->c.ranks && (rank & bit) == 0)
        bit *= 2;
    return bit;
}

static void tree_prepare(struct test *t)
{
    t->parts = collective_parts(&t->c, t->bytes);
    t->lists = calloc(t->parts, sizeof(tcaDesc *));
    if (t->lists == NULL)
        fail("out of memory");
    for (unsigned p = 0; p < t->parts; p++) {
        struct part part = collective_part(t->bytes, p, t->parts);

        for (int bit = lowest_bit(t, t->c.me) / 2; bit > 0; bit /= 2) {
            if (t->c.me + bit >= t->c.ranks)
                continue;
            if (t->lists[p] == NULL)
                t->lists[p] = collective_list();
            collective_put(&t->c, t->lists[p], &t->all[t->c.me + bit], part.at, &t->all[t->c.me],
                           part.at, part.n, (int)p);
        }
    }
}

static void tree_play(void *arg)
{
    struct test *t = arg;
    int parent = t->c.me - lowest_bit(t, t->c.me);

    for (unsigned p = 0; p < t->parts; p++) {
        if (t->c.me > 0)
            collective_wait(&t->all[parent], (int)p);
        if (t->lists[p] != NULL)
            collective_start((int)p);
    }
}

static void tree_begin(struct test *t)
{
    for (unsigned p = 0; p < t->parts && t->lists[p] != NULL; p++)
        collective_set(t->lists[p], (int)p);
}

static void tree_traffic(const struct test *t)
{
    unsigned step = 0;

    for (int bit = lowest_bit(t, 0) / 2; bit > 0; bit /= 2, step++)
        for (int r = 0; r + bit < t->c.ranks; r += 2 * bit)
            collective_traffic(&t->c, step, r, r + bit, t->bytes, 1);
}

/* ---- the test ---- */

static void fill(void *arg, unsigned number)
{
    struct test *t = arg;

    if (t->c.me == 0)
        bytes_fill(t->buffer, t->bytes, number + 1);
    else
        bytes_clear(t->buffer, t->bytes);
    (strcmp(t->algorithm, "ring") == 0 ? ring_begin : tree_begin)(t);
}

static int arrived(void *arg, unsigned number)
{
    struct test *t = arg;

    return bytes_ok(t->buffer, t->bytes, number + 1);
}

int main(int argc, char **argv)
{
    struct test t = {
        .c = COLLECTIVE_DEFAULTS, .bytes = 4096, .segment_bytes = 0, .algorithm = "ring"
    };
    const struct option options[] = {
        { .key = "bytes", .number = &t.bytes },
        { .key = "algorithm", .text = &t.algorithm, .choices = "ring|tree" },
        { .key = "segment_bytes", .number = &t.segment_bytes },
        COLLECTIVE_MANNERS(&t.c),
        COLLECTIVE_OPTIONS(&t.c),
        OPTIONS_END
    };
    int ring;

    options_read(argc, argv, options);
    if (t.bytes == 0 || t.bytes % 4 != 0 || t.segment_bytes % 256 != 0)
        fail("bytes=%llu segment_bytes=%llu: expected multiples of 4 and of 256",
             (unsigned long long)t.bytes, (unsigned long long)t.segment_bytes);
    if (t.segment_bytes == 0) /* short ones travel sooner, long ones cost the CPU less */
        t.segment_bytes = t.bytes < 2 * MANY_BYTES ? 4096 : 8192;
    ring = strcmp(t.algorithm, "ring") == 0;
    if (ring && strcmp(t.c.start, "barrier") == 0)
        fail("start=barrier: expected algorithm=tree, whose lists stay on their channels");
    collective_init(&t.c, &argc, &argv);
    t.buffer = tca_memory(t.c.memory, t.bytes);
    t.all = tca_publish(t.buffer, t.bytes, t.c.memory);
    (ring ? ring_prepare : tree_prepare)(&t);
    collective_measure(&t.c, &(struct exchange){ fill, ring ? ring_play : tree_play, arrived, &t },
                       t.bytes, NULL);
    (ring ? ring_traffic : tree_traffic)(&t);
    collective_free(t.lists, t.parts);
    CHECK(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
