/* Running what a sweep lacks, and what it has as a table and as lines of a figure. */
#ifndef LAB_SWEEP_RUN_H
#define LAB_SWEEP_RUN_H

#include "tools/lab/sweep/sweep_db.h"

SIM_BEGIN_DECLS

struct lab_sweep_config {
    unsigned workers; /* 0: in this process */
    const struct lab_site *site;
    lab_progress_fn progress; /* of all points, also those that had rows before; NULL: none */
    void *progress_arg;
};

/**
 * Runs each point without a row and stores its row as soon as it ends, a failure too. A point
 * whose worker was killed has none and becomes the error, after all others have been run.
 */
void lab_sweep_run(const struct lab_sweep *sweep, struct lab_sweep_db *db,
                   const struct lab_sweep_config *cfg);

/** What the rows say, in the order of points. */
struct lab_sweep_results {
    unsigned n, failed;
    const char *failure; /* the first one, with its point; NULL: none */
    struct lab_sweep_result {
        const struct lab_sweep_point *point;
        const char *failure; /* NULL, or why there is no value */
        struct lab_result result;
        struct lab_times times;
        uint64_t bytes; /* that one measured time moves */
        struct lab_bound bound;
    } * results;
};
struct lab_sweep_results lab_sweep_collect(const struct lab_sweep *sweep, struct lab_sweep_db *db,
                                           struct load_arena *arena);
/** series, keys with several values, what was measured; `arena` holds the columns. */
void lab_sweep_table(const struct lab_sweep *sweep, const struct lab_sweep_results *results,
                     struct load_arena *arena, struct lab_table *table);
/** A line for each combination of keys beside x; of several seeds the median. Fills the styles.
 * Raises SIM_ERR_CONFIG where a result has no such quantity. */
void lab_sweep_figure(struct lab_sweep *sweep, const struct lab_sweep_results *results,
                      struct load_arena *arena, struct lab_table *table);

SIM_END_DECLS
#endif /* LAB_SWEEP_RUN_H */
