/*
 * Time for one hop of a 256-byte posted write in a ring of eight hubs at 30 and
 * 70 % load of the eastward links. The simulator with the whole link protocol is
 * compared with a bare event loop that moves the same bytes over links of the same
 * rate, latency and credits (bare_ring.c). That loop may take at most 0.8 times
 * one zlib crc32 of 280 bytes, which every machine has.
 */
#include "bare_ring.h"
#include "bench.h"
#include "hub/hub.h"
#include "sim_ring.h"

#include <stdio.h>
#include <zlib.h>

static const struct ring_traffic ring8 = {
    .hubs = 8,
    .distance = 4,
    .serialise_ps = 70000, /* 280 bytes at 4 GB/s (Gen2 x8) */
    .latency_ps = 250000,  /* two hard blocks, cable, and the stages of a hub */
    .credits = 32,         /* of 256 bytes: 64 headers, 512 units of 16 bytes */
    .payload_bytes = 256,
};

static uint64_t span_ps;

static uint64_t run_sim(void *arg)
{
    return sim_ring_run(arg, span_ps);
}

static uint64_t run_bare(void *arg)
{
    return bare_ring_run(arg, span_ps);
}

static uint64_t run_crc(void *arg)
{
    const uint64_t packets = span_ps / 10000;
    const uint8_t *bytes = arg;
    uint64_t sum = 0;

    for (uint64_t i = 0; i < packets; i++)
        sum += crc32(0, bytes + i * 280 % 65536, 280);
    bench_use(sum);
    return packets;
}

static void compare(unsigned load, unsigned rounds)
{
    static uint8_t bytes[65536 + 280];
    struct ring_traffic traffic = ring8;
    struct sim_ring *sim;
    struct bare_ring *bare;
    uint64_t delivered, events;

    traffic.interval_ps = traffic.serialise_ps * traffic.distance * 100 / load;
    sim = sim_ring_create(&traffic, &hub_kind);
    bare = bare_ring_create(&traffic);
    {
        struct bench_case cases[] = { { .name = "bare", .run = run_bare, .arg = bare },
                                      { .name = "sim", .run = run_sim, .arg = sim },
                                      { .name = "crc32", .run = run_crc, .arg = bytes } };

        delivered = sim_ring_delivered(sim);
        events = sim_ring_events(sim);
        bench_compare(cases, 3, rounds);
        delivered = sim_ring_delivered(sim) - delivered;
        events = sim_ring_events(sim) - events;
        printf("%4u %% %10.1f ns %10.1f ns %10.2f %10.2f %14.2f %12llu\n", load, cases[1].ns,
               cases[0].ns, cases[1].ratio, 1 / cases[2].ratio,
               (double)events / (double)(delivered * (traffic.distance + 1)),
               (unsigned long long)delivered);
    }
    sim_ring_destroy(sim);
    bare_ring_destroy(bare);
}

int main(int argc, char **argv)
{
    bool smoke = bench_smoke(argc, argv);

    span_ps = smoke ? 20000000 : UINT64_C(2000000000);
    printf("time per hop of a 256-byte write, ring of 8 hubs\n%6s %13s %13s %10s %10s %14s %12s\n",
           "load", "simulator", "bare loop", "sim/bare", "bare/crc", "events/hop", "packets");
    compare(30, smoke ? 1 : 15);
    compare(70, smoke ? 1 : 15);
    return 0;
}
