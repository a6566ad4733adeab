/* Arguments of programs that make cases from a seed, and their clock. */
#ifndef FUZZ_ARGUMENTS_H
#define FUZZ_ARGUMENTS_H

#include <stdbool.h>
#include <stdint.h>

/** An option with a number. */
struct fuzz_option {
    const char *name; /* "--seed"; NULL ends a table */
    uint64_t min, max;
    uint64_t *to;
};

/** @return false: there is no such option, or the value is no number within its limits. */
bool fuzz_read_option(const struct fuzz_option *options, const char *name, const char *value);
/** Seconds since some time. */
double fuzz_now(void);

#endif /* FUZZ_ARGUMENTS_H */
