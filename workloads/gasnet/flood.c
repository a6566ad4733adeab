/*
 * How many requests a second come through: every node but the first sends `count` active messages
 * to node 0 as fast as its ring there takes them.
 *
 *   kind=short   no data          kind=medium   `bytes` that land with the packet
 *   kind=long    `bytes` from host memory into the segment of node 0
 *
 * --gasnet tca,ring_entries= is the room that a receiver has for each sender. A sender that finds
 * none stalls until an acknowledgement comes; half a ring is acknowledged at once.
 */
#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include <stdio.h>
#include <time.h>

#include "study.h"

HUBSIM_WORKLOAD = {
    .summary = "Active messages to one node as fast as its rings take them",
    .prints = "latency_ps_min, latency_ps_median, latency_ps_p99, latency_ps_max, bandwidth_kBps, "
              "bytes, repeats, verified, messages, requests_per_s, stalls, acks",
    .directions = 1,
    .keys = { { "bytes", "0..", HUBSIM_BYTES, "0", "of each message with data" },
              { "kind", "short|medium|long", "", "short", "of active message" },
              { "count", "1..", "1", "512", "messages of each sender in a repeat" },
              { "work_ns", HUBSIM_NUMBER, "ns", "0", "that node 0 works behind each look" },
              { "nodes", "2..16", "1", "2", "one rank on each; the first one receives" },
              { "warmup", HUBSIM_NUMBER, "1", "1", "repeats before those that are measured" },
              { "repeats", "1..", "1", "2", "whose counts are added up" } },
};

static struct test {
    uint64_t bytes, count, work_ns, warmup, repeats;
    const char *kind;
    uint8_t *out, *segment;
} t;

enum { STALLS, ACKS, COUNTERS };
static struct study_counter counters[COUNTERS] = {
    [STALLS] = { .name = "found no entry free" },
    [ACKS] = { .name = "acknowledgement sent" },
};

static void send(void)
{
    unsigned me = gasnet_mynode();

    switch (t.kind[0]) {
    case 's':
        CHECK(gasnet_AMRequestShort0(0, STUDY_SHORT), GASNET_OK);
        break;
    case 'm':
        CHECK(gasnet_AMRequestMedium0(0, STUDY_MEDIUM, t.out, t.bytes), GASNET_OK);
        break;
    default: /* each sender has its part */
        CHECK(gasnet_AMRequestLong0(0, STUDY_LONG, t.out, t.bytes,
                                    gasnet_segment_of(0) + (me - 1) * t.bytes),
              GASNET_OK);
        break;
    }
}

/** Looks without pause, or between two pieces of work. */
static void receive_until(uint64_t arrived)
{
    const struct timespec work = { .tv_sec = (time_t)(t.work_ns / 1000000000u),
                                   .tv_nsec = (long)(t.work_ns % 1000000000u) };

    if (t.work_ns == 0)
        GASNET_BLOCKUNTIL(study_arrived == arrived);
    while (study_arrived != arrived) {
        nanosleep(&work, NULL);
        CHECK(gasnet_AMPoll(), GASNET_OK);
    }
}

/** @return the time of all messages, at node 0 */
static uint64_t repeat(void)
{
    uint64_t until = study_arrived + t.count * (gasnet_nodes() - 1);
    double start;

    gasnet_all();
    start = gasnet_seconds();
    if (gasnet_mynode() == 0)
        receive_until(until);
    for (uint64_t i = 0; i < t.count && gasnet_mynode() != 0; i++)
        send();
    start = gasnet_seconds() - start;
    gasnet_all();
    return study_ps(start);
}

/** As many as were sent, and the data of each sender in its part. Those of Mediums were compared
 * when they came; a Short has none. */
static int arrived(void)
{
    uint64_t sent = t.count * (gasnet_nodes() - 1) * (t.warmup + t.repeats);
    int good = gasnet_mynode() != 0 || study_arrived == sent;

    for (unsigned from = 1; t.kind[0] == 'l' && gasnet_mynode() == 0 && from < gasnet_nodes();
         from++)
        good &= mpi_holds(t.segment + (from - 1) * t.bytes, t.bytes, from);
    return good;
}

static void measure(void)
{
    struct times times;
    char more[160];
    uint64_t messages = t.count * (gasnet_nodes() - 1), all = messages * t.repeats;
    uint64_t least = UINT64_MAX;
    int good;

    times_init(&times, t.repeats);
    for (uint64_t i = 0; i < t.warmup; i++)
        (void)repeat();
    study_count_begin(counters, COUNTERS);
    for (uint64_t i = 0; i < t.repeats; i++) {
        uint64_t ps = repeat();

        least = ps < least ? ps : least;
        times_add(&times, ps / messages);
    }
    study_count_end(counters, COUNTERS);
    good = arrived();
    if (!good)
        fail("the received bytes are not those that were sent");
    gasnet_all();
    snprintf(more, sizeof(more), "messages=%llu requests_per_s=%.0f stalls=%llu acks=%llu",
             (unsigned long long)all, 1e12 * (double)messages / (double)least,
             (unsigned long long)counters[STALLS].there, (unsigned long long)counters[ACKS].here);
    if (gasnet_mynode() == 0)
        times_print(&times, t.kind[0] == 's' ? 0 : t.bytes, good, more);
}

static void check(void)
{
    if (t.count == 0)
        fail("count=0: expected at least 1");
    if (gasnet_nodes() < 2)
        fail("%u ranks: expected at least 2", gasnet_nodes());
    if (t.kind[0] == 'm' && t.bytes > gasnet_AMMaxMedium())
        fail("bytes=%llu: expected at most %zu with kind=medium", (unsigned long long)t.bytes,
             gasnet_AMMaxMedium());
}

int main(int argc, char **argv)
{
    const struct option options[] = {
        { .key = "bytes", .number = &t.bytes },
        { .key = "kind", .text = &t.kind, .choices = "short|medium|long" },
        { .key = "count", .number = &t.count },
        { .key = "work_ns", .number = &t.work_ns },
        { .key = "warmup", .number = &t.warmup },
        { .key = "repeats", .number = &t.repeats },
        OPTIONS_END
    };

    t = (struct test){ .count = 512, .warmup = 1, .repeats = 2, .kind = "short" };
    options_read(argc, argv, options);
    gasnet_open(&argc, &argv);
    t.segment = study_start(&argc, &argv, t.bytes * gasnet_nodes() + 1);
    check();
    study_medium_bytes = t.bytes;
    t.out = mpi_memory(IN_HOST, t.bytes);
    mpi_fill(t.out, t.bytes, gasnet_mynode());
    measure();
    gasnet_exit(0);
}
