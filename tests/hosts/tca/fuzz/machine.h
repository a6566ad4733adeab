/*
 * A machine whose drivers have set up all, as often as wanted: each sequence of calls runs in a
 * copy of the process that has just come so far. So nothing is left of the one before, and what
 * crashes or hangs ends nothing else.
 */
#ifndef FUZZ_MACHINE_H
#define FUZZ_MACHINE_H

#include "world.h"

struct sequence {
    uint64_t seed, number;
    unsigned steps;
    bool left_out[STEPS_MAX];
    enum lie lie;
    bool again; /* it ran before */
    bool quiet; /* what libraries print to stderr is dropped */
};

struct machine_server;
typedef void (*machine_work_fn)(struct machine_server *m, void *arg);

/** Starts a process with this machine, which calls `work` and ends. @return it ended well */
bool machine_serve(unsigned ranks, uint64_t seed, machine_work_fn work, void *arg);
/** For `work`. What was found is in the outcome, until the next call. */
struct outcome *machine_run(struct machine_server *m, const struct sequence *s);
unsigned machine_ranks(const struct machine_server *m);

#endif /* FUZZ_MACHINE_H */
