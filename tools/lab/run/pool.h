/*
 * Runs many simulations, each once, in worker processes. Results depend neither on
 * the number of workers nor on their speed. A worker that dies costs its run only.
 */
#ifndef LAB_POOL_H
#define LAB_POOL_H

#include <stdio.h>

#include "tools/lab/run/run.h"

SIM_BEGIN_DECLS

/** Runs one; writes its lines (lab_result_parse) to `out`. */
typedef void (*lab_execute_fn)(void *arg, const struct lab_run *run, FILE *out);
typedef void (*lab_progress_fn)(void *arg, unsigned done, unsigned total);

struct lab_pool_config {
    unsigned workers; /* 0: in this process */
    lab_execute_fn execute;
    void *execute_arg;
    lab_progress_fn progress; /* NULL: none */
    void *progress_arg;
    const char *when_stopped; /* by a signal: what becomes of results; NULL: nothing is kept */
};

struct lab_pool;

struct lab_pool *lab_pool_create(const struct lab_pool_config *cfg);
void lab_pool_destroy(struct lab_pool *pool);

/** The result of this run, or NULL: then the next lab_pool_work() makes it. `run` is copied. */
const struct lab_result *lab_pool_get(struct lab_pool *pool, const struct lab_run *run);
/** Makes all that is wanted. A failing run is a result too; what it raises is about workers. */
void lab_pool_work(struct lab_pool *pool);
/** Calls back for each run made so far, in the order they were first wanted. */
typedef void (*lab_pool_fn)(void *arg, const struct lab_run *run, const struct lab_result *result);
void lab_pool_each(const struct lab_pool *pool, lab_pool_fn fn, void *arg);
/** And for each that the next lab_pool_work() makes; without a result. */
void lab_pool_each_wanted(const struct lab_pool *pool, lab_pool_fn fn, void *arg);

SIM_END_DECLS
#endif /* LAB_POOL_H */
