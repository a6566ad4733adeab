/*
 * How a program describes itself, so that experiments and sweeps take it for a workload:
 *
 *   HUBSIM_WORKLOAD = {
 *       .summary = "Messages round a ring",
 *       .prints = "latency_ps_min, latency_ps_median, bytes, verified",
 *       .keys = { { "bytes", "1..65536", "B", "8", "of each message" } },
 *   };
 *
 * A key of the experiment becomes an argument `key=value` of the program. The program prints one
 * line `result latency_ps_min=... latency_ps_median=... bytes=... verified=1`. Lines `traffic
 * step=0 src=0 dst=1 bytes=8` before it say what moves between ranks, and link loads then give the
 * bound.
 *
 * All of this is data without pointers, in a section of its own: tools read it from the file, and
 * nothing of the program runs for that.
 */
#ifndef HUBSIM_WORKLOAD_H
#define HUBSIM_WORKLOAD_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HUBSIM_NUMBER "a whole number"
#define HUBSIM_GRID   "XxYxZ" /* three numbers, of which the product is that of the ranks */
#define HUBSIM_KEYS   24
#define HUBSIM_MEMORY "memory" /* a unit: cpu and gpu arrive as cpu and gpu0 */
#define HUBSIM_BYTES  "B"      /* a unit: 4KiB is a number, too, and arrives as 4096 */

/**
 * Some keys have a meaning here: `nodes` is the number of ranks, one on each node, and no argument.
 * warmup, rounds and repeats get what the protocol of the command allows.
 */
struct hubsim_key {
    char key[24];
    char values[80]; /**< HUBSIM_NUMBER, HUBSIM_GRID, "1..64", "1..", "16.. by 16", one of "a|b|c",
                      * "": any text
                      */
    char unit[12];
    char value[24]; /**< where an experiment says nothing; "": then the program decides */
    char meaning[84];
};

struct hubsim_workload {
    char summary[80];
    char prints[192];    /**< the numbers of its result: "a, b, c" */
    uint32_t directions; /**< of one path that its bytes take, for a bound; 0: no path bounds it */
    struct hubsim_key keys[HUBSIM_KEYS]; /**< the last one is empty */
};

extern const struct hubsim_workload hubsim_workload;
#define HUBSIM_WORKLOAD_SECTION "hubsim.workload"
#define HUBSIM_WORKLOAD                                                                            \
    const struct hubsim_workload hubsim_workload __attribute__((section(HUBSIM_WORKLOAD_SECTION)))

#ifdef __cplusplus
}
#endif

#endif /* HUBSIM_WORKLOAD_H */
