/* Inside of tools/lab: what the files of sweeps share. */
#ifndef LAB_SWEEP_PARTS_H
#define LAB_SWEEP_PARTS_H

#include "tools/lab/sweep/sweep.h"

SIM_BEGIN_DECLS

/** "lanes = 4, bytes = 8": what distinguishes the point from others. */
const char *lab_sweep_label(const struct lab_sweep *sweep, const struct lab_sweep_point *point,
                            struct load_arena *arena);
/** The figure of the file, if it has one; series have their axes. */
void lab_sweep_read_figure(const struct load_tree *root, struct lab_sweep *sweep,
                           struct load_arena *arena);
/** Refuses a figure whose quantity, or whose x, is not in the result of a point: what a program
 * prints is known when it has run. */
void lab_sweep_check_result(const struct lab_sweep *sweep, const struct lab_sweep_point *point,
                            const struct lab_result *result);
/**
 * Hash of the machine of a point, without the values that the point itself sets: equal for all
 * points of a series on one machine, as long as the files do not change.
 */
uint64_t lab_sweep_hash_machine(const struct lab_site *site, const struct lab_run *run,
                                const struct load_machine *machine);
uint64_t lab_sweep_hash_program(const struct lab_site *site, const struct lab_run *run);

/** Hash of the files of faults; 0: there is none. */
uint64_t lab_sweep_hash_faults(const struct lab_site *site, const struct lab_run *run);

const struct lab_axis *lab_sweep_axis_of(const struct lab_sweep_series *series,
                                         enum lab_axis_kind kind);
/** "lanes.yaml:5:3" of the axis; NULL: it is in no file, so that of the series. */
const char *lab_sweep_where(const struct lab_sweep_series *series, const struct lab_axis *axis);
/** The point as workloads are planned by; it refers to `setup`. */
struct lab_point lab_sweep_setup(const struct lab_sweep_point *point, struct lab_setup *setup);
/**
 * The machine of the point, without faults. Each value of `set` is tried on it, with the point's
 * values of the other keys: a point of the sweep, too.
 */
struct load_machine *lab_sweep_build(const struct lab_site *site,
                                     const struct lab_sweep_point *point);
/** The point's faults on its machine. @param checked those that are good, and gets these */
void lab_sweep_check_faults(const struct lab_site *site, const struct lab_sweep_point *point,
                            struct lab_list *checked, struct load_arena *arena);
/** Checks every value of every axis by itself, then makes the points. */
void lab_sweep_plan(struct lab_sweep *sweep, struct load_arena *arena);
/** Loads the machines, gives the ranks their nodes and computes both hashes. */
void lab_sweep_resolve(struct lab_sweep *sweep, const struct lab_site *site,
                       struct load_arena *arena);

/** Columns that the table has beside those of keys and results. */
bool lab_sweep_is_own_column(const char *name);

/** What a program prints is not the value of the point that has its name: the table itself has
 * such a column, or an axis has another value. Its column is LAB_SWEEP_RESULT and the key. */
bool lab_sweep_is_apart(const struct lab_sweep_point *point, const struct lab_pair *pair);
#define LAB_SWEEP_RESULT "result."

/** A number as C reads it. */
bool lab_sweep_is_number(const char *text);

SIM_END_DECLS
#endif /* LAB_SWEEP_PARTS_H */
