/*
 * What the core of a hub costs in C, in a process of SystemC and in SystemVerilog (by Verilator):
 * the ring of bench_hop, made of each, without traffic and with the eastward links loaded. An
 * operation is a packet's passage through a hub, or, without traffic, a cycle of a hub's clock.
 */
#include "bench.h"
#include "hub/hub.h"
#include "rtl-model/cosim/cosim.h"
#include "sim_ring.h"

#include <stdio.h>

#define HUBS     8u
#define CYCLE_PS 4000u /* 250 MHz */
#define IDLE_PS  UINT64_C(1000000000000)

struct make {
    struct sim_ring *ring;
    uint64_t loaded_ps, span_ps; /* under load, and now; a slower one runs for a shorter time */
    uint64_t tlps, cycles;       /* so far */
};

static uint64_t run_make(void *arg)
{
    struct make *make = arg;
    uint64_t cycles = make->span_ps / CYCLE_PS * HUBS,
             tlps = sim_ring_run(make->ring, make->span_ps);

    make->tlps += tlps;
    make->cycles += cycles;
    return tlps != 0 ? tlps : cycles;
}

/* Without traffic nothing happens, and so it has no ratio. */
static void print_case(unsigned load, const struct bench_case *c, const struct make *make)
{
    if (load == 0)
        printf("%4u %%  %-8s %14s %14.7f\n", load, c->name, "", c->ns);
    else
        printf("%4u %%  %-8s %14.1f %14.1f %10.2f\n", load, c->name, c->ns,
               c->ns * (double)make->tlps / (double)make->cycles, c->ratio);
}

static void compare(unsigned load, struct bench_case *cases, unsigned ncases, unsigned rounds)
{
    const uint64_t serialise_ps = 70000, distance = 4; /* 280 bytes at 4 GB/s; hops over cables */

    for (unsigned i = 0; i < ncases; i++) {
        struct make *make = cases[i].arg;

        sim_ring_set_interval(make->ring, load != 0 ? serialise_ps * distance * 100 / load : 0);
        make->span_ps = load != 0 ? make->loaded_ps : IDLE_PS;
        make->tlps = make->cycles = 0;
    }
    bench_compare(cases, ncases, rounds);
    for (unsigned i = 0; i < ncases; i++)
        print_case(load, &cases[i], cases[i].arg);
}

int main(int argc, char **argv)
{
    const struct ring_traffic traffic = { .hubs = HUBS, .distance = 4, .payload_bytes = 256 };
    bool smoke = bench_smoke(argc, argv);
    const struct {
        const struct machine_kind *kind;
        uint64_t span_us;
    } rows[] = {
        { &hub_kind, 2000 },
#if WITH_SYSTEMC
        { cosim_hub_sc(), 1000 },
#endif
        { cosim_hub_rtl(), 20 }
    };
    const unsigned n = sizeof(rows) / sizeof(*rows) - smoke; /* a core has to be made for hub.rtl */
    const unsigned rounds = smoke ? 1 : 7;
    struct bench_case cases[sizeof(rows) / sizeof(*rows)];
    struct make makes[sizeof(rows) / sizeof(*rows)];

    for (unsigned i = 0; i < n; i++) {
        makes[i] = (struct make){ .ring = sim_ring_create(&traffic, rows[i].kind),
                                  .loaded_ps = (smoke ? 2 : rows[i].span_us) * 1000000 };
        cases[i] = (struct bench_case){ rows[i].kind->name, run_make, &makes[i], 0, 0 };
    }
    printf("a ring of 8 hubs, writes of 256 bytes\n%6s  %-8s %14s %14s %10s\n", "load", "kind",
           "ns per TLP", "ns per cycle", "to hub.c");
    for (unsigned load = 0; load <= 70; load += 35)
        compare(load, cases, n, rounds);
    for (unsigned i = 0; i < n; i++)
        sim_ring_destroy(makes[i].ring);
    return 0;
}
