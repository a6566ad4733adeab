/*
 * One simulation on several processes. Each builds all of it and runs some of its domains; it runs
 * no event of the others. What domains of different processes send each other goes by parcels
 * at the end of each window. Results are those of one process, to the picosecond.
 *
 * Functions that say "all processes" are called by all of them, in the same order, and return the
 * same there. Without a group they are what one process needs: nothing, or its own values.
 */
#ifndef SIM_CORE_GROUP_H
#define SIM_CORE_GROUP_H

#include "core/sim.h"

SIM_BEGIN_DECLS

/** Bytes for another process, or from it. Room is made by sim_parcel_room(). */
struct sim_parcel {
    unsigned char *bytes;
    size_t used, room;
};
/** Room for `n` bytes more, which are counted as used. Their place is aligned to 8 if all before
 * were of a multiple of 8. */
void *sim_parcel_room(struct sim_parcel *parcel, size_t n);

struct sim_group {
    uint32_t nprocesses, process; /* this one's number */
    /** Hands out[p] to each other process p, and takes in[p] from it; the `used` of those that came
     * says how long they are. Returns when all have come. @return SIM_OK, or what sim_run() then
     * returns: another process is gone. */
    int (*swap)(void *arg, struct sim_parcel *out, struct sim_parcel *in);
    void *arg;
};

/**
 * All processes, when all domains and channels are there and before the first sim_run().
 * @param group  outlives the simulation
 * @param owner  by domain, in their order: which process runs it; copied
 */
int sim_join(struct sim *sim, const struct sim_group *group, const uint32_t *owner);
/** How many processes run the simulation: 1 without a group. */
uint32_t sim_processes(const struct sim *sim);
/** Does this process run the domain? Always, without a group. */
bool sim_is_here(const struct sim_domain *dom);
/** All processes, between runs: afterwards each has fingerprints, statistics and counts of events
 * of all domains. */
int sim_gather(struct sim *sim);
/** All processes, between runs: each of `n` words becomes the sum over all, or the least. */
int sim_sum(struct sim *sim, uint64_t *words, size_t n);
int sim_least(struct sim *sim, uint64_t *words, size_t n);
/** All processes, between runs: `take` gets what each has given, this one's too, in their order. */
typedef void (*sim_allgather_fn)(void *arg, const unsigned char *bytes, size_t n);
int sim_allgather(struct sim *sim, const void *bytes, size_t n, sim_allgather_fn take, void *arg);
/** All processes, between runs: have all given the same word? */
int sim_compare(struct sim *sim, uint64_t word, bool *same_p);
/** All processes, between runs: the failure of the first one that has any is that of all. */
int sim_agree(struct sim *sim, int code, struct sim_error *err);

SIM_END_DECLS
#endif /* SIM_CORE_GROUP_H */
