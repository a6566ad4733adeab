/*
 * Experiments: curves in the words of published setups.
 *
 *   description: Ping-pong latency over size
 *   workload: pingpong
 *   platform: hapacs-tca                      # or none: that of the machine
 *   setup: { nodes: 2, bytes: 8..1048576, rounds: 10 }
 *   series:
 *     - { name: "PIO, CPU to CPU", mode: pio, src: cpu, dst: cpu, bytes: 8..4096 }
 *
 * A series may set every key of the setup, and workload, platform and machine. One key of a
 * series may hold a list: its points.
 */
#ifndef LAB_EXPERIMENT_H
#define LAB_EXPERIMENT_H

#include "tools/lab/bounds/bounds.h"
#include "tools/lab/format/table.h"
#include "tools/lab/rows/evaluate.h"
#include "tools/lab/run/simulate.h"

SIM_BEGIN_DECLS

struct lab_series {
    const char *where, *name, *workload, *platform, *machine;
    struct {
        const char *workload, *platform, *machine;
    } at;                /* where each is written; NULL: not in the file */
    const char *of_file; /* its platform there, of which published rows are, whatever it runs on */
    struct lab_setup setup;
    const char *key; /* the one with a list */
    struct lab_list list;
};

struct lab_experiment {
    const char *name, *description;
    unsigned n;
    struct lab_series *series;
};

/** Those of the file, NULL at the end. */
extern const char *const lab_experiment_keys[];

void lab_experiment_read(const char *path, struct load_arena *arena, struct lab_experiment *exp);

/** Another platform for all series; NULL: their own. */
void lab_experiment_replace_platform(struct lab_experiment *exp, const char *platform);

/** One point with its closed-form bound. */
struct lab_sample {
    const struct lab_series *series;
    const char *x;       /* its value of the series' key */
    const char *failure; /* NULL, or why there is no value */
    double min_s, median_s, bytes_per_s;
    uint64_t bytes;                  /* that one measured time moves */
    const struct lab_result *result; /* NULL: none yet */
    struct lab_bound bound; /* of both directions where both are used, or by bounds_traffic.h */
    unsigned nruns;         /* 0: a closed form */
    const char *runs[LAB_PLAN_RUNS]; /* as lab_run_text(); the best of them counts */
};

struct lab_samples {
    unsigned n;
    struct lab_sample *samples;
};

/** Runs what is wanted; only wrong files are errors. */
struct lab_samples lab_experiment_run(const struct lab_experiment *exp,
                                      const struct lab_evaluator *ev, const struct lab_site *site);
/** Takes only what is already made, and asks the pool for the rest. */
struct lab_samples lab_experiment_want(const struct lab_experiment *exp,
                                       const struct lab_evaluator *ev, const struct lab_site *site);
/** series, key, x, latencies [us], bandwidth and bound [MB/s], share of the bound [%]. */
void lab_samples_table(const struct lab_samples *samples, struct lab_table *table);

SIM_END_DECLS
#endif /* LAB_EXPERIMENT_H */
