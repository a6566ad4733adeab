/* Commands that a benchmark runs and waits for. */
#ifndef BENCH_PROCESS_H
#define BENCH_PROCESS_H

#include <stddef.h>

struct process_use {
    double seconds;   /* from its start to its end */
    double megabytes; /* of memory at its peak */
};

/** The path of `name` in the folder of this benchmark itself: the commands of the same build. */
void process_beside(const char *name, char *path, size_t size);
/** Runs argv[0] with its output dropped; ends this process if it fails. */
struct process_use process_run(const char *const *argv);

#endif
