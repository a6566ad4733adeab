/* Inside of tools/lab: what the files of sweeps share. */
#ifndef LAB_SWEEP_PARTS_H
#define LAB_SWEEP_PARTS_H

#include "tools/lab/sweep/sweep.h"

SIM_BEGIN_DECLS

/** "lanes = 4, bytes = 8": what distinguishes the point from others. */
const char *lab_sweep_label(const struct lab_sweep *sweep, const struct lab_sweep_point *point,
                            struct load_arena *arena);
/** Whether the figure's quantity is in the result of a point: a program's keys are known when it
 * has run. */
int lab_sweep_check_result(const struct lab_sweep *sweep, const struct lab_sweep_point *point,
                           const struct lab_result *result, struct sim_error *err);
/**
 * Hash of the machine of a point, without the values that the point itself sets: equal for all
 * points of a series on one machine, as long as the files do not change.
 */
int lab_sweep_hash_machine(const struct lab_site *site, const struct lab_run *run,
                           const struct load_machine *machine, uint64_t *hash_p,
                           struct sim_error *err);
int lab_sweep_hash_program(const struct lab_site *site, const struct lab_run *run, uint64_t *hash_p,
                           struct sim_error *err);

/** Hash of the files of faults; 0: there is none. */
uint64_t lab_sweep_hash_faults(const struct lab_site *site, const struct lab_run *run);

/** Checks every value of every axis by itself, then makes the points. */
int lab_sweep_plan(struct lab_sweep *sweep, struct load_arena *arena, struct sim_error *err);
/** Loads the machines, gives the ranks their nodes and computes both hashes. */
int lab_sweep_resolve(struct lab_sweep *sweep, const struct lab_site *site,
                      struct load_arena *arena, struct sim_error *err);

/** A number as C reads it. */
bool lab_sweep_is_number(const char *text);

SIM_END_DECLS
#endif /* LAB_SWEEP_PARTS_H */
