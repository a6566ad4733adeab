/*
 * What faults did to the links of a machine and what the links did about them, in
 * sums over all ports: the foot of a table, and the last lines of hubrun.
 */
#ifndef LAB_REPAIRS_H
#define LAB_REPAIRS_H

#include <stdio.h>

#include "tools/lab/run/pool.h"
#include "tools/load/machine.h"

SIM_BEGIN_DECLS

#define LAB_REPAIRS_MAX 32u

struct lab_repairs {
    uint64_t counts[LAB_REPAIRS_MAX];
};

/** A statistic by its path; others than those of faults do not count. */
void lab_repairs_add(struct lab_repairs *r, const char *path, uint64_t value);
/** A line for each count that is not 0, and then one for what was lost, each behind `head`. */
void lab_repairs_write(const struct lab_repairs *r, const char *head, FILE *out);
/** Each fault once and the sums over all runs of the pool; nothing where no run has a fault. */
void lab_repairs_write_all(const struct lab_pool *pool, FILE *out);
/** The faults of a machine, each behind `head`. */
void lab_repairs_write_faults(const struct load_machine *machine, const char *head, FILE *out);

SIM_END_DECLS
#endif /* LAB_REPAIRS_H */
