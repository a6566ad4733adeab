/* What the check has found: one line for each pair of places. */
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

#endif /* LAUNCH_RACE_REPORT_H */
