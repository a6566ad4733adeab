/*
 * Eight hubs in a ring, each with a source and sink of writes in place of a host.
 * Every source keeps its link full with writes to all others, of random length
 * and alignment, and reads back what it writes into its hub's memory. A write
 * carries who sent it and its number among those for the same destination; all
 * else in it follows from these. So a sink knows the next write of every source
 * to the last bit, and sees each that is lost, repeated, overtaken or changed.
 */
#ifndef TESTS_SOAK_H
#define TESTS_SOAK_H

#include "core/sim.h"

SIM_BEGIN_DECLS

struct soak_config {
    const char *folder;        /* of ring8.yaml */
    const char *const *faults; /* as hubsim --faults */
    unsigned nfaults;
    uint64_t seed;
    struct sim_order order;
    uint64_t tlps; /* packets on all links together, replays with them, before sources stop */
};

struct soak_result {
    uint64_t tlps;                 /* on all links */
    uint64_t writes, bytes, reads; /* that reached their end, each checked */
    sim_time_t end_ps;
    struct sim_fingerprint print;
};

/** Called with each statistic of the machine that is not 0. */
typedef void (*soak_stat_fn)(void *arg, const char *path, uint64_t value);

/** @return SIM_OK: every write and read came once, in order and unchanged; else what did not. */
int soak_run(const struct soak_config *cfg, struct soak_result *result, soak_stat_fn stat,
             void *stat_arg, struct sim_error *err);

SIM_END_DECLS
#endif /* TESTS_SOAK_H */
