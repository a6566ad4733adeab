/*
 * AM Longs from node 0 to node 1 by one data mode of the conduit tca, which memory and settings
 * have to bring about:
 *
 *   data_mode   source   --gasnet tca,
 *   BtoB        host     segment=gpu2
 *   MtoM        gpu      segment=gpu,stage_bytes=1GiB
 *   BtoM        host     segment=gpu,btob_bytes=1
 *   MtoB        gpu      segment=gpu2,stage_bytes=1GiB
 *
 * GPU 2 is behind the other socket, where no channel reads or writes it. First `count` Longs one
 * way, for copies and descriptors of one pattern; then a ping-pong.
 */
#include <stdio.h>
#include <string.h>

#include "study.h"

HUBSIM_WORKLOAD = {
    .summary = "AM Longs by one data mode of the conduit tca",
    .prints = "latency_ps_min, latency_ps_median, latency_ps_p99, latency_ps_max, bandwidth_kBps, "
              "bytes, repeats, verified, messages, copies_here, copies_there, chains, made_host, "
              "made_hub",
    .directions = 1,
    .keys = { { "bytes", "4.. by 4", HUBSIM_BYTES, "8", "of each message" },
              { "data_mode", "BtoB|MtoM|BtoM|MtoB", "", "MtoM", "that they have to go by" },
              { "count", "1..", "1", "64", "messages one way that are counted" },
              { "nodes", "2", "1", "2", "one rank on each" },
              { "warmup", HUBSIM_NUMBER, "1", "1", "repeats before those that are measured" },
              { "rounds", "1..", "1", "10", "messages each way of a repeat" },
              { "repeats", "1..", "1", "3", "of which the least counts" } },
};

static struct test {
    uint64_t bytes, count, rounds, warmup, repeats;
    const char *data_mode;
    uint8_t *out, *segment;
} t;

enum { SENT, COPIES, CHAINS, MADE_HOST, MADE_HUB, COUNTERS };
static const struct way {
    const char *name, *sent, *copies;
    int from_gpu;
} ways[] = {
    { "BtoB", "sent by way of both buffers (BtoB)", "copy for BtoB", 0 },
    { "MtoM", "sent from source to target (MtoM)", "copy for MtoM", 1 },
    { "BtoM", "sent from a send buffer (BtoM)", "copy for BtoM", 0 },
    { "MtoB", "sent into the far ring (MtoB)", "copy for MtoB", 1 },
};

static const struct way *find_way(void)
{
    const struct way *way = ways;

    while (strcmp(way->name, t.data_mode) != 0)
        way++;
    return way;
}

static void count_messages(const struct way *way, struct study_counter *counters)
{
    uint64_t first = study_arrived;

    counters[SENT].name = way->sent;
    counters[COPIES].name = way->copies;
    counters[CHAINS].name = "chain of a channel";
    counters[MADE_HOST].name = "descriptor made in host memory";
    counters[MADE_HUB].name = "descriptor made in the hub";
    gasnet_all();
    study_count_begin(counters, COUNTERS);
    for (uint64_t i = 0; i < t.count && gasnet_mynode() == 0; i++)
        study_send(t.out, t.bytes);
    GASNET_BLOCKUNTIL(gasnet_mynode() == 0 || study_arrived == first + t.count);
    gasnet_all();
    study_count_end(counters, COUNTERS);
    if (gasnet_mynode() == 0 && counters[SENT].here != t.count)
        fail("data_mode=%s: %llu of %llu messages went by it: expected the settings of --gasnet "
             "that workloads/gasnet/modes.c has for it",
             t.data_mode, (unsigned long long)counters[SENT].here, (unsigned long long)t.count);
}

static int repeat(struct times *times, int counts, unsigned seed)
{
    uint64_t ps;
    int good;

    mpi_clear(t.segment, t.bytes);
    mpi_fill(t.out, t.bytes, seed + gasnet_mynode());
    ps = study_pingpong_ps(t.rounds, t.out, t.bytes);
    gasnet_all();
    good = mpi_holds(t.segment, t.bytes, seed + !gasnet_mynode());
    if (counts)
        times_add(times, half_round_ps(ps, t.rounds));
    return good;
}

static void measure(const struct study_counter *c)
{
    struct times times;
    char more[256];
    int good = 1;

    times_init(&times, t.repeats);
    for (uint64_t i = 0; i < t.warmup + t.repeats; i++)
        good &= repeat(&times, i >= t.warmup, 2 * (unsigned)i);
    if (!good)
        fail("the received bytes are not those that were sent");
    snprintf(more, sizeof(more),
             "messages=%llu copies_here=%llu copies_there=%llu chains=%llu made_host=%llu "
             "made_hub=%llu",
             (unsigned long long)t.count, (unsigned long long)c[COPIES].here,
             (unsigned long long)c[COPIES].there, (unsigned long long)c[CHAINS].here,
             (unsigned long long)c[MADE_HOST].here, (unsigned long long)c[MADE_HUB].here);
    gasnet_all();
    if (gasnet_mynode() == 0)
        times_print(&times, t.bytes, good, more);
}

int main(int argc, char **argv)
{
    struct study_counter counters[COUNTERS];
    const struct option options[] = {
        { .key = "bytes", .number = &t.bytes },
        { .key = "data_mode", .text = &t.data_mode, .choices = "BtoB|MtoM|BtoM|MtoB" },
        { .key = "count", .number = &t.count },
        { .key = "rounds", .number = &t.rounds },
        { .key = "warmup", .number = &t.warmup },
        { .key = "repeats", .number = &t.repeats },
        OPTIONS_END
    };

    t = (struct test){
        .bytes = 8, .count = 64, .rounds = 10, .warmup = 1, .repeats = 3, .data_mode = "MtoM"
    };
    options_read(argc, argv, options);
    if (t.count == 0)
        fail("count=0: expected at least 1");
    if (t.bytes == 0 || t.bytes % 4 != 0 || t.rounds == 0)
        fail("bytes=%llu rounds=%llu: expected whole words of 4 bytes, and at least one round",
             (unsigned long long)t.bytes, (unsigned long long)t.rounds);
    t.segment = study_start(&argc, &argv, t.bytes);
    gasnet_pair();
    t.out = mpi_memory(find_way()->from_gpu ? 0 : IN_HOST, t.bytes);
    count_messages(find_way(), counters);
    measure(counters);
    gasnet_exit(0);
}
