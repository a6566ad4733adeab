/* Which algorithm of a collective is the fastest at each size. */
#ifndef LAB_TUNE_H
#define LAB_TUNE_H

#include "tools/lab/rows/experiment.h"

SIM_BEGIN_DECLS

/** Whether its series name algorithms of one collective (`algorithm: bcast=chain`) over `bytes`,
 * and one leaves the choice to the library. Raises SIM_ERR_CONFIG. */
void lab_tune_check(const struct lab_experiment *exp);

/**
 * Of such an experiment: a row for each size of the first series into `table` (which the caller
 * ends), and for `hubrun --algorithm` what makes the library choose the fastest wherever its own
 * choice takes more than `margin_pct` longer; "" where it needs none.
 */
void lab_tune(const struct lab_samples *samples, double margin_pct, struct load_arena *arena,
              struct lab_table *table, const char **choices_p);

SIM_END_DECLS
#endif /* LAB_TUNE_H */
