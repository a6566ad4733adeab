/* Comparisons as JUnit XML, which CI systems show: a suite for each result, a case for each point
 * and one for races, and one for mistakes of a program that were found when it was kept. */
#ifndef LAB_JUNIT_H
#define LAB_JUNIT_H

#include <stdio.h>

#include "tools/lab/result/compare.h"

SIM_BEGIN_DECLS

struct lab_junit_suite {
    const char *name;
    const struct lab_comparison *comparison; /* NULL: it could not be run again */
    const char *error;                       /* then why */
    const struct lab_checks *checks;         /* what was looked for; or NULL */
    const struct lab_checks *earlier;        /* found when it was kept, and not now; or NULL */
};

void lab_junit_write(FILE *out, const struct lab_junit_suite *suites, unsigned n,
                     const struct lab_bands *bands);

SIM_END_DECLS
#endif /* LAB_JUNIT_H */
