/*
 * What a library reports of its calls and messages when a run asks for a profile. The launcher
 * makes one for each rank, the library fills it in, and hubrun reads it when the run has ended.
 */
#ifndef HOST_PROFILE_H
#define HOST_PROFILE_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define HOST_PROFILE_NUMBERED 512u                           /* calls of a library with numbers */
#define HOST_PROFILE_CALLS    (HOST_PROFILE_NUMBERED + 256u) /* and those of others */
#define HOST_PROFILE_COUNTS   64u /* a library and its transport have some 35 */

/** What is counted of one function of the library; the names live as long as the library. */
struct host_profile_call {
    const char *name; /* NULL: never called */
    uint64_t count;
    uint64_t bytes; /* that the calls named: what they send, or may receive */
    uint64_t ps;    /* of simulated time, waiting included */
};

/** What the library counts beside its calls. */
struct host_profile_count {
    const char *name;
    uint64_t messages, bytes;
};
struct host_counts {
    unsigned n;
    struct host_profile_count of[HOST_PROFILE_COUNTS];
};

/** Whose counts: a program may use both, and both the same transport. */
enum host_profile_library { HOST_PROFILE_MPI, HOST_PROFILE_GASNET, HOST_PROFILE_LIBRARIES };

struct host_profile_peer {
    uint64_t messages, bytes;
    uint64_t of_mpi, bytes_of_mpi; /* among them */
};

struct host_profile {
    bool inside; /* a call lasts: what it calls in turn does not count */
    /* Those of MPI by the number of the function, behind them those of others. */
    struct host_profile_call calls[HOST_PROFILE_CALLS];
    struct host_counts counts[HOST_PROFILE_LIBRARIES];
    unsigned npeers;
    struct host_profile_peer peers[]; /* sent to each rank */
};

/** NULL: nothing is counted by this name. */
static inline const struct host_profile_count *host_counts_find(const struct host_counts *c,
                                                                const char *name)
{
    for (unsigned i = 0; i < c->n; i++)
        if (strcmp(c->of[i].name, name) == 0)
            return &c->of[i];
    return NULL;
}

/** Sets what is counted by this name, behind what is counted already. */
static inline void host_counts_set(struct host_counts *c, const char *name, uint64_t messages,
                                   uint64_t bytes)
{
    unsigned i = 0;

    while (i < c->n && strcmp(c->of[i].name, name) != 0)
        i++;
    assert(i < HOST_PROFILE_COUNTS);
    c->of[i] = (struct host_profile_count){ name, messages, bytes };
    c->n += i == c->n;
}

#endif /* HOST_PROFILE_H */
