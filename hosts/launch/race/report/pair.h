/* Pairs of places that race, which may be those of many ranks. */
#ifndef LAUNCH_RACE_PAIR_H
#define LAUNCH_RACE_PAIR_H

#include "hosts/launch/race/memory.h"

/** What a use meets: the call that has begun it, what it does and what should have been before. */
struct race_other {
    const struct launch_thread *thread;
    const char *call, *does, *expected;
    struct program_calls calls;
    sim_time_t since;
};

/** All pairs with one call that has begun something, by the offsets in the program that led there.
 */
struct race_site {
    TAILQ_ENTRY(race_site) in_race;
    uint64_t other[PROGRAM_CALLS];
    uint64_t npairs;
    struct race_pair *last; /* has no line of its own, where there are many */
};

/** A place that uses what such a call has begun. */
struct race_pair {
    TAILQ_ENTRY(race_pair) in_race;
    enum hub_program_access access;
    uint64_t at; /* offset in the program */
    struct race_site *site;
    /* The last rank that met it, and when it did so for the first time. */
    struct launch_thread *thread;
    sim_time_t since;
    struct race_use use;
    struct race_other other;
    bool shown; /* has lines of its own */
    uint64_t nranks;
    uint64_t ranks[]; /* a bit for each one that has */
};

/** @return the pair, if the rank meets it for the first time; else NULL. The check owns it. */
struct race_pair *race_pair_met(struct race *race, struct launch_thread *t,
                                const struct race_use *u, const struct race_other *o);
/** For the end of the check. */
void race_pairs_free(struct race *race);

#endif /* LAUNCH_RACE_PAIR_H */
