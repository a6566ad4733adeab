/* Inside of tools/lab: worker processes, fed one run after the other. */
#ifndef LAB_WORKER_H
#define LAB_WORKER_H

#include "tools/lab/pool.h"

SIM_BEGIN_DECLS

/** Runs one here; *text_p is its output or its error, to be freed. */
int lab_execute(const struct lab_pool_config *cfg, const struct lab_run *run, char **text_p,
                size_t *n_p);

/** `text` ends with 0 and is valid during the call. */
typedef void (*lab_finished_fn)(void *arg, unsigned index, int rc, const char *text);
int lab_workers_run(const struct lab_pool_config *cfg, const struct lab_run *const *runs,
                    unsigned n, lab_finished_fn finished, void *arg, struct sim_error *err);

SIM_END_DECLS
#endif /* LAB_WORKER_H */
