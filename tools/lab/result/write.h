/*
 * A result that can be kept: one folder for each run of a command, the same bytes on every
 * machine, in every build and for any number of processes.
 *
 *   manifest.json    what was run, by which hubsim, parameters in force, points, fingerprints
 *   table.csv        a row for each point; the first columns name it, the others are values
 *   statistics.json  what each run has counted
 *   faults.csv       what went wrong by wish, from lines `fault key=value ...` of the runs, and
 *   usage.csv        use of links over time, from lines `usage key=value ...`, where there are any:
 *                    a column `run`, an index into the manifest's runs, and one for each key
 *   checks.json      what `hubrun --check` has found, where it looked
 *   NAME.yaml        the experiment, so that it can be run again when its own file has changed
 */
#ifndef LAB_WRITE_H
#define LAB_WRITE_H

#include "tools/lab/result/checks.h"
#include "tools/lab/rows/experiment.h"

SIM_BEGIN_DECLS

#define LAB_OUT_FORMAT     "hubsim result 2" /* the manifest's; another number: other keys */
#define LAB_OUT_STATISTICS "hubsim statistics 1"
#define LAB_OUT_CHECKS     "hubsim checks 1"

struct lab_out_machine {
    const char *name, *platform; /* as in struct lab_run */
    const struct load_machine *machine;
};

struct lab_out_run {
    const char *text; /* as lab_run_text(): names the run */
    unsigned machine; /* its index */
    const struct lab_result *result;
};

/** A row of the table and what made it. */
struct lab_out_point {
    const char *name;
    unsigned nruns;
    const char *runs[LAB_PLAN_RUNS]; /* their texts */
};

struct lab_out {
    const char *kind; /* "experiment", "machine", "program" or "score" */
    const char *name, *description;
    const char *file;    /* of an experiment, which is kept with the result; else NULL */
    const char *program; /* of hubrun: the hash of its file, in 16 digits; else NULL */
    const char *command; /* "hubsim" or "hubrun" */
    unsigned nwords;     /* its arguments, as far as they change the result; the first is "run", */
    const char *const *words; /* "score" or the first option */
    uint64_t seed;
    unsigned nsets;
    const char *const *sets;
    const struct lab_table *table;
    const struct lab_checks *checks; /* NULL: nothing was looked for */
    unsigned nkeys;                  /* columns that name a point */
    unsigned npoints, nruns, nmachines;
    const struct lab_out_point *points;
    const struct lab_out_run *runs;
    const struct lab_out_machine *machines;
    struct load_machine **loaded; /* [nmachines], by lab_out_gather() */
};

/** Before the work is done. Raises SIM_ERR_CONFIG: a manifest cannot hold one of these arguments.
 */
void lab_out_try_words(const char *const *words, unsigned n);
void lab_out_write(const char *dir, const struct lab_out *out);
/** Raises SIM_ERR_IO. @return `hash` with all bytes of a file added */
uint64_t lab_hash_file(uint64_t hash, const char *path);

/**
 * All that the pool has run, with the machines loaded again: `runs`, `machines`, seed and sets of
 * the result. Free the machines with lab_out_drop().
 */
void lab_out_gather(const struct lab_evaluator *ev, const struct lab_site *site,
                    struct lab_out *out);
void lab_out_drop(struct lab_out *out);

/** The points of an experiment's table. */
const struct lab_out_point *lab_out_points(const struct lab_samples *samples,
                                           struct load_arena *arena);

/** Into the folder of a result, in the place of what was there. NULL: none. */
void lab_checks_write(const char *dir, const struct lab_checks *checks);

SIM_END_DECLS
#endif /* LAB_WRITE_H */
