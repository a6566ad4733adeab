#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "tests/fuzz/arguments.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

bool fuzz_read_option(const struct fuzz_option *options, const char *name, const char *value)
{
    const struct fuzz_option *o = options;
    uint64_t number;
    char *end;

    while (o->name != NULL && strcmp(o->name, name) != 0)
        o++;
    errno = 0;
    number = strtoull(value, &end, 10);
    if (o->name == NULL || value[0] < '0' || value[0] > '9' || *end != '\0' || errno != 0 ||
        number < o->min || number > o->max)
        return false;
    *o->to = number;
    return true;
}

double fuzz_now(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}
