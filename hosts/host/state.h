/*
 * What libraries keep for a rank or for a node until the run ends, whichever libraries there are.
 */
#ifndef HOST_STATE_H
#define HOST_STATE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Frees what a library has kept: the structure whose first member is the host_state. */
typedef void (*host_release_fn)(void *kept);

struct host_state {
    host_release_fn release; /* the library finds its own by it */
    struct host_state *next;
};

static inline void host_state_add(struct host_state **states, struct host_state *state,
                                  host_release_fn release)
{
    *state = (struct host_state){ release, *states };
    *states = state;
}

/** What was added with this function; NULL: nothing. */
static inline void *host_state_of(struct host_state *states, host_release_fn release)
{
    while (states != NULL && states->release != release)
        states = states->next;
    return states;
}

/** Releases all, the last one first. */
void host_states_release(struct host_state **states);

#ifdef __cplusplus
}
#endif
#endif /* HOST_STATE_H */
