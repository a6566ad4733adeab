/* Result folders: out/NAME/ with a table and what made it. */
#ifndef LAB_OUT_H
#define LAB_OUT_H

#include "tools/lab/experiment.h"

SIM_BEGIN_DECLS

/** Makes `path` and the folders above it. */
int lab_out_folder(const char *path, struct sim_error *err);
int lab_out_open(const char *path, FILE **file_p, struct sim_error *err);
/** An error when not all of it could be written. */
int lab_out_close(FILE *file, const char *path, struct sim_error *err);

/**
 * DIR/table.csv and DIR/manifest.json: version, seed, overrides, each run with its fingerprints,
 * and the parameters in force of each machine.
 */
int lab_out_write(const char *dir, const struct lab_experiment *exp,
                  const struct lab_samples *samples, const struct lab_evaluator *ev,
                  const struct lab_site *site, struct sim_error *err);

SIM_END_DECLS
#endif /* LAB_OUT_H */
