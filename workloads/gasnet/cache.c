/*
 * The descriptor cache of the conduit tca: AM Longs of node 0 from its GPU into the GPU of node 1,
 * by `patterns` pairs of source and target, each of which is a descriptor of its own.
 *
 *   order=cycle    one after the other, and again: as many as the cache holds fit, more do not
 *   order=scatter  any of them, at random
 *   order=hot      an eighth of them four times in turn, then as many of the others once each
 *
 * --gasnet tca,cache_policy=,cache_entries=,internal_entries=,promote= say what the cache does.
 */
#include <stdio.h>
#include <string.h>

#include "study.h"

HUBSIM_WORKLOAD = {
    .summary = "Longs by many descriptors of the conduit tca: hits, evictions, promotions",
    .prints = "latency_ps_min, latency_ps_median, latency_ps_p99, latency_ps_max, bandwidth_kBps, "
              "bytes, repeats, verified, uses, hits, made_host, promotions, evictions, unkept",
    .directions = 1,
    .keys = { { "bytes", "16.. by 16", HUBSIM_BYTES, "64", "of each message" },
              { "order", "cycle|scatter|hot", "", "cycle", "in which patterns are used" },
              { "patterns", "1..65536", "1", "16", "pairs of source and target" },
              { "uses", "1..", "1", "512", "messages of each repeat" },
              { "nodes", "2", "1", "2", "one rank on each" },
              { "warmup", HUBSIM_NUMBER, "1", "1", "repeats before those that are measured" },
              { "repeats", "1..", "1", "2", "whose counts are added up" } },
};

enum { PATTERNS_MAX = 65536 };
enum { HOT_SHARE = 8, HOT_ROUNDS = 4 };
static struct test {
    uint64_t bytes, patterns, uses, warmup, repeats;
    const char *order;
    uint64_t next; /* of those that take turns */
    uint32_t random;
    uint8_t *out, *segment;
    uint8_t used[PATTERNS_MAX];
} t;

enum { HITS, MADE_HOST, PROMOTIONS, EVICTIONS, UNKEPT, COUNTERS };
static struct study_counter counters[COUNTERS] = {
    [HITS] = { .name = "descriptor found" },
    [MADE_HOST] = { .name = "descriptor made in host memory" },
    [PROMOTIONS] = { .name = "descriptor made in the hub" },
    [EVICTIONS] = { .name = "descriptor that made room" },
    [UNKEPT] = { .name = "descriptor made for one use" },
};

/* Of Numerical Recipes: the upper bits are good enough to scatter by. */
static uint64_t random_below(uint64_t n)
{
    t.random = t.random * UINT32_C(1664525) + UINT32_C(1013904223);
    return (t.random >> 8) % n;
}

static uint64_t choose(uint64_t use)
{
    uint64_t hot = t.patterns / HOT_SHARE;

    if (t.order[0] == 's')
        return random_below(t.patterns);
    if (t.order[0] == 'c' || hot == 0)
        return t.next++ % t.patterns;
    if (use % (2 * HOT_ROUNDS * hot) < HOT_ROUNDS * hot)
        return use % hot;
    return hot + t.next++ % (t.patterns - hot);
}

/* Node 1 chooses along, and so knows what has to come. */
static void use_all(void)
{
    for (uint64_t i = 0; i < t.uses; i++) {
        uint64_t pattern = choose(i), at = pattern * t.bytes;

        t.used[pattern] = 1;
        if (gasnet_mynode() != 0)
            continue;
        CHECK(gasnet_AMRequestLong0(1, STUDY_LONG, t.out + at, t.bytes, gasnet_segment_of(1) + at),
              GASNET_OK);
    }
}

/** @return the time of a use */
static uint64_t repeat(void)
{
    uint64_t first = study_arrived;
    double start;

    gasnet_all();
    start = gasnet_seconds();
    use_all();
    start = gasnet_seconds() - start;
    GASNET_BLOCKUNTIL(gasnet_mynode() == 0 || study_arrived == first + t.uses);
    gasnet_all();
    return study_ps(start) / t.uses;
}

/** Each pattern that was used, and nothing where none was. */
static int arrived(void)
{
    int good = 1;

    for (uint64_t i = 0; i < t.patterns && gasnet_mynode() == 1; i++)
        good &= mpi_holds(t.segment + i * t.bytes, t.bytes, (unsigned)i) == t.used[i];
    return good;
}

static void measure(void)
{
    struct times times;
    char more[256];
    uint64_t uses = t.uses * t.repeats;

    times_init(&times, t.repeats);
    for (uint64_t i = 0; i < t.warmup; i++)
        (void)repeat();
    study_count_begin(counters, COUNTERS);
    for (uint64_t i = 0; i < t.repeats; i++)
        times_add(&times, repeat());
    study_count_end(counters, COUNTERS);
    if (!arrived())
        fail("the received bytes are not those that were sent");
    gasnet_all();
    snprintf(
        more, sizeof(more),
        "uses=%llu hits=%llu made_host=%llu promotions=%llu evictions=%llu unkept=%llu",
        (unsigned long long)uses, (unsigned long long)counters[HITS].here,
        (unsigned long long)counters[MADE_HOST].here, (unsigned long long)counters[PROMOTIONS].here,
        (unsigned long long)counters[EVICTIONS].here, (unsigned long long)counters[UNKEPT].here);
    if (gasnet_mynode() == 0)
        times_print(&times, t.bytes, 1, more);
}

int main(int argc, char **argv)
{
    const struct option options[] = {
        { .key = "bytes", .number = &t.bytes },
        { .key = "order", .text = &t.order, .choices = "cycle|scatter|hot" },
        { .key = "patterns", .number = &t.patterns },
        { .key = "uses", .number = &t.uses },
        { .key = "warmup", .number = &t.warmup },
        { .key = "repeats", .number = &t.repeats },
        OPTIONS_END
    };

    t = (struct test){
        .bytes = 64, .patterns = 16, .uses = 512, .warmup = 1, .repeats = 2, .order = "cycle"
    };
    options_read(argc, argv, options);
    if (t.bytes == 0 || t.bytes % 16 != 0 || t.patterns == 0 || t.patterns > PATTERNS_MAX ||
        t.uses == 0)
        fail("bytes=%llu patterns=%llu uses=%llu: expected a multiple of 16, 1 .. 65536 and at "
             "least 1",
             (unsigned long long)t.bytes, (unsigned long long)t.patterns,
             (unsigned long long)t.uses);
    t.segment = study_start(&argc, &argv, t.patterns * t.bytes);
    gasnet_pair();
    t.out = mpi_memory(0, t.patterns * t.bytes);
    mpi_clear(t.segment, t.patterns * t.bytes);
    for (uint64_t i = 0; i < t.patterns; i++)
        mpi_fill(t.out + i * t.bytes, t.bytes, (unsigned)i);
    measure();
    gasnet_exit(0);
}
