/* Inside of tools/lab: worker processes, fed one run after the other. */
#ifndef LAB_WORKER_H
#define LAB_WORKER_H

#include "tools/lab/run/pool.h"

SIM_BEGIN_DECLS

/** Runs one here; *text_p is its output or its error, to be freed. @return SIM_OK or its code */
int lab_execute(const struct lab_pool_config *cfg, const struct lab_run *run, char **text_p,
                size_t *n_p);

/** One run has ended. `text` ends with 0 and is valid during the call. */
struct lab_finished {
    unsigned index;
    int rc;
    bool died; /* its worker did, so whether the run would do so again is not known */
    const char *text;
};
/** @return whether to go on; else no further run is begun. */
typedef bool (*lab_finished_fn)(void *arg, const struct lab_finished *end);
/** Until all that was to be run has ended; with no workers, here. Raises SIM_ERR_IO: no worker can
 * be started, or a signal of lab_stop_catch() has come. `finished` must not raise. */
void lab_workers_run(const struct lab_pool_config *cfg, const struct lab_run *const *runs,
                     unsigned n, lab_finished_fn finished, void *arg);

SIM_END_DECLS
#endif /* LAB_WORKER_H */
