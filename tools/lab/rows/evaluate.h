/*
 * Evaluates one published row against simulation. Rows are evaluated twice: first
 * to learn which simulations are wanted, then, after lab_pool_work(), for their
 * results. So nothing here may depend on results in what it asks for.
 */
#ifndef LAB_EVALUATE_H
#define LAB_EVALUATE_H

#include "tools/lab/rows/judge.h"
#include "tools/lab/run/pool.h"
#include "tools/lab/workload/plan.h"

SIM_BEGIN_DECLS

struct lab_evaluator {
    struct lab_pool *pool;
    const struct lab_rows *rows, *library; /* where versus= is looked up; library may be NULL */
    struct lab_protocol protocol;
    const char *const *sets; /* overrides of every run */
    unsigned nsets;
    const char *const *faults; /* of every run, beside its own */
    unsigned nfaults;
    uint64_t seed;
    struct load_arena *arena;
    /** NULL, or whose results (already made) choose the places of lists: so a changed machine is
     * asked at one place of each, not at all. */
    const struct lab_evaluator *base;
};

/** Not run: the row is wrong, or asks for a machine or program that cannot be built. */
enum lab_verdict { LAB_PASS, LAB_FAIL, LAB_PENDING, LAB_NOT_RUN };

struct lab_score {
    enum lab_verdict verdict;
    bool has_value;
    double simulated; /* in the row's unit */
    double error_pct;
    const char *reason; /* why a row has no value, or NULL */
};

/** measure= where it says what to form of measured quantities. In rows of programs that use MPI, or
 * the facility below it, it is a remark. */
const char *lab_row_measure(const struct lab_row *row);

/** Raises what is wrong with the row itself. */
struct lab_score lab_evaluate(const struct lab_evaluator *ev, const struct lab_row *row);

/** The run of a plan with what the evaluator gives to every run. */
struct lab_run lab_run_with(const struct lab_evaluator *ev, const struct lab_run *run);

/** What one run measured. @return NULL, or why it has no times. */
struct lab_times {
    double min_s, median_s;
};
const char *lab_read_times(const struct lab_result *result, struct lab_times *times_p);
/** That one measured time moves, by the plan or else by the result. */
uint64_t lab_read_bytes(uint64_t planned, const struct lab_result *result);

/* Measures of what a program's messages were; a row's quantity is "rate" or "share". */
#define LAB_BYTE_RATE    "byte-rate"    /* bytes per second, of all ranks */
#define LAB_MESSAGE_RATE "message-rate" /* messages per second, of all ranks */
#define LAB_WRITTEN      "written"      /* percent of the bytes that went by remote write */

/** "latency", "time", "round_trip" [s], "bandwidth" [B/s], or one of these, of a plan's runs. */
struct lab_reading {
    bool pending;
    const char *failure; /* NULL, or why there is no value */
    bool not_run;        /* the failure: what was wanted could not be built */
    double value;
};
void lab_read_plan(const struct lab_evaluator *ev, const struct lab_plan *plan,
                   const char *quantity, struct lab_reading *reading);

SIM_END_DECLS
#endif /* LAB_EVALUATE_H */
