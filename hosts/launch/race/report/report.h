/*
 * What the check has found. A pair of places has a line, which names the first rank that meets it,
 * and one at the end for the last rank. Where many places use what one call has begun, the first
 * ones have such lines, and one more at the end stands for the others.
 */
#ifndef LAUNCH_RACE_REPORT_H
#define LAUNCH_RACE_REPORT_H

#include "hosts/launch/race/memory.h"

struct race_lent;
struct race_freed;

/* A use of the rank's meets one of these. */
void race_report_transfer(struct race *race, struct launch_thread *t, const struct race_use *u,
                          const struct race_transfer *x);
void race_report_lent(struct race *race, struct launch_thread *t, const struct race_use *u,
                      const struct launch_thread *lender, const struct race_lent *l);
void race_report_freed(struct race *race, struct launch_thread *t, const struct race_use *u,
                       const struct race_freed *f);

/** The lines at the end: before the result of the run is made. */
void race_report_rest(const struct race *race);

#endif /* LAUNCH_RACE_REPORT_H */
