/*
 * Large data out of a GPU over the conduit tca, with and without staging in host memory:
 *
 *   op=am-long   ping-pong of AM Longs from GPU to GPU: MtoM, or BtoM where they are staged
 *   op=get       node 0 gets from the GPU of node 1 into host memory: MtoB, or BtoB
 *
 * --gasnet tca,segment=gpu,stage_bytes= says from which size on; 1GiB: never.
 */
#include <stdio.h>

#include "study.h"

HUBSIM_WORKLOAD = {
    .summary = "Large data out of a GPU over the conduit tca, staged or not",
    .prints = "latency_ps_min, latency_ps_median, latency_ps_p99, latency_ps_max, bandwidth_kBps, "
              "bytes, repeats, verified, messages, staged, copies, chains",
    .directions = 1,
    .keys = { { "bytes", "4.. by 4", HUBSIM_BYTES, "1048576", "of each message" },
              { "op", "am-long|get", "", "am-long", "what is timed" },
              { "nodes", "2", "1", "2", "one rank on each" },
              { "warmup", HUBSIM_NUMBER, "1", "1", "repeats before those that are measured" },
              { "rounds", "1..", "1", "2", "messages each way of a repeat, or gets" },
              { "repeats", "1..", "1", "2", "whose counts are added up" } },
};

static struct test {
    uint64_t bytes, rounds, warmup, repeats;
    const char *op;
    uint8_t *out, *in, *segment;
} t;

enum { STAGED, BTOB, BTOM, MTOB, CHAINS, COUNTERS };
static struct study_counter counters[COUNTERS] = {
    [STAGED] = { .name = "piece staged by an engine" },
    [BTOB] = { .name = "copy for BtoB" },
    [BTOM] = { .name = "copy for BtoM" },
    [MTOB] = { .name = "copy for MtoB" },
    [CHAINS] = { .name = "chain of a channel" },
};

static int gets(void)
{
    return t.op[0] == 'g';
}

/** @return the time of a message */
static uint64_t get_all(void)
{
    double start;

    gasnet_all();
    start = gasnet_seconds();
    for (uint64_t i = 0; i < t.rounds && gasnet_mynode() == 0; i++)
        gasnet_get_bulk(t.in, 1, gasnet_segment_of(1), t.bytes);
    start = gasnet_seconds() - start;
    gasnet_all();
    return study_ps(start) / t.rounds;
}

static uint64_t play(void)
{
    return gets() ? get_all()
                  : half_round_ps(study_pingpong_ps(t.rounds, t.out, t.bytes), t.rounds);
}

static void prepare(void)
{
    unsigned me = gasnet_mynode();

    if (gets()) {
        mpi_fill(t.segment, t.bytes, me);
        mpi_clear(t.in, t.bytes);
    } else {
        mpi_clear(t.segment, t.bytes);
        mpi_fill(t.out, t.bytes, me);
    }
}

static int arrived(void)
{
    unsigned me = gasnet_mynode();

    return gets() ? me == 1 || mpi_holds(t.in, t.bytes, 1) : mpi_holds(t.segment, t.bytes, !me);
}

static unsigned long long both(unsigned counter)
{
    return counters[counter].here + counters[counter].there;
}

static void measure(void)
{
    struct times times;
    char more[160];
    uint64_t messages = t.rounds * t.repeats * (gets() ? 1 : 2);

    prepare();
    times_init(&times, t.repeats);
    for (uint64_t i = 0; i < t.warmup; i++)
        (void)play();
    gasnet_all();
    study_count_begin(counters, COUNTERS);
    for (uint64_t i = 0; i < t.repeats; i++)
        times_add(&times, play());
    gasnet_all();
    study_count_end(counters, COUNTERS);
    if (!arrived())
        fail("the received bytes are not those that were sent");
    snprintf(more, sizeof(more), "messages=%llu staged=%llu copies=%llu chains=%llu",
             (unsigned long long)messages, both(STAGED), both(BTOB) + both(BTOM) + both(MTOB),
             both(CHAINS));
    gasnet_all();
    if (gasnet_mynode() == 0)
        times_print(&times, t.bytes, 1, more);
}

int main(int argc, char **argv)
{
    const struct option options[] = { { .key = "bytes", .number = &t.bytes },
                                      { .key = "op", .text = &t.op, .choices = "am-long|get" },
                                      { .key = "rounds", .number = &t.rounds },
                                      { .key = "warmup", .number = &t.warmup },
                                      { .key = "repeats", .number = &t.repeats },
                                      OPTIONS_END };

    t = (struct test){ .bytes = 1u << 20, .rounds = 2, .warmup = 1, .repeats = 2, .op = "am-long" };
    options_read(argc, argv, options);
    if (t.bytes == 0 || t.bytes % 4 != 0 || t.rounds == 0)
        fail("bytes=%llu rounds=%llu: expected whole words of 4 bytes, and at least one round",
             (unsigned long long)t.bytes, (unsigned long long)t.rounds);
    t.segment = study_start(&argc, &argv, t.bytes);
    gasnet_pair();
    t.out = mpi_memory(0, t.bytes);
    t.in = mpi_memory(IN_HOST, t.bytes);
    measure();
    gasnet_exit(0);
}
