/*
 * From the setup of a measurement to the simulations that repeat it: machine,
 * platform, program and arguments follow from workload and setup keys alone.
 */
#ifndef LAB_PLAN_H
#define LAB_PLAN_H

#include "tools/lab/run/run.h"
#include "tools/lab/workload/setup.h"

SIM_BEGIN_DECLS

#define LAB_PLAN_RUNS 3u /* mode=dma: one for each DMA mode */

/** One measurement: no lists are left in the setup. */
struct lab_point {
    const char *where, *platform, *workload;
    const struct lab_setup *setup;
    const char *machine; /* NULL: the smallest one that the setup fits */
};

/** How many rounds a deterministic simulation needs. */
struct lab_protocol {
    uint64_t warmup, rounds, repeats; /* at most so many; 0: as published */
    uint64_t bytes;                   /* measured at most, but once at least; 0: no limit */
};

/** Enough for the result of the published protocols: tests/tools/lab/test_protocol.cpp. */
extern const struct lab_protocol lab_protocol_short;

struct lab_plan {
    double closed_form; /* bytes per second when nruns is 0 */
    unsigned nruns;     /* the best of them counts */
    struct lab_run runs[LAB_PLAN_RUNS];
    bool median;         /* of the repeats; else the least */
    uint64_t bytes;      /* that one measured time moves; 0: as the result says */
    uint64_t rounds;     /* where the setup says nothing; 0: 100 */
    uint64_t directions; /* 2: both at once, so bounds count twice; else 0 or 1 */
    bool stores;         /* the CPU stores, so packets are small */
};

int lab_plan_make(const struct lab_point *point, const struct lab_protocol *protocol,
                  struct load_arena *arena, struct lab_plan *plan_p, struct sim_error *err);
/** The platform file of a row's nodes: rows of one cluster name its network as well. */
const char *lab_plan_platform(const char *platform, const struct lab_setup *setup);
/** The names of all workloads. NULL: there are only `i`. */
const char *lab_workload_name(unsigned i);
/** Does its result have the key, with a number as its value? So that a figure can be refused before
 * anything has run. */
bool lab_workload_has(const char *name, const char *key);
/** "bytes, repeats, ...", for messages. */
const char *lab_workload_prints(const char *name);
/** Every key of a setup must be known, also where nothing will be run. */
int lab_plan_check_keys(const char *where, const char *workload, const struct lab_setup *setup,
                        struct sim_error *err);

/** Keys and values of a point's setup. */
int lab_words_check(const struct lab_point *point, struct sim_error *err);

SIM_END_DECLS
#endif /* LAB_PLAN_H */
