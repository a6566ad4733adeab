/*
 * The check for races: which memory transfers use, which rank knows of their end, and what programs
 * load and store meanwhile. Two accesses without order are a race, whether or not they meet in this
 * run: docs/races.md.
 */
#ifndef LAUNCH_RACE_H
#define LAUNCH_RACE_H

#include "hosts/launch/node/node.h"

struct race;

extern const struct host_race_ops race_ops;

/** For the ranks of a run, on its nodes. NULL: out of memory. */
struct race *race_create(struct launch *run);
/** The ranks have ended or been stopped: reports what stands for several races. NULL is allowed. */
void race_end(const struct race *race);
void race_destroy(struct race *race); /* NULL is allowed */
/** What the program of a rank checks before it announces an access: all that may be a race lies
 * there. */
const struct hub_program_range *race_range(const struct race *race, unsigned rank);
/** The rank's program is about to load or store; `from`: the hook's return address. */
void race_access(struct race *race, struct launch_thread *t, const volatile void *p, uint64_t bytes,
                 enum hub_program_access access, const void *from);

#endif /* LAUNCH_RACE_H */
