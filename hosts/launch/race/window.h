/* Windows of one-sided operations. */
#ifndef LAUNCH_RACE_WINDOW_H
#define LAUNCH_RACE_WINDOW_H

#include "hosts/launch/race/state.h"

struct race_clock;

/** Memory of a rank that others reach. */
struct race_window {
    uint32_t number;
    uintptr_t base;
    enum host_lock lock;         /* the rank's own */
    struct race_clock *unlocked; /* what ranks knew that have unlocked it; or NULL */
};

/** @return NULL: there is none. Valid until the rank gets another window. */
struct race_window *race_window_of(const struct race_rank *r, uint32_t number);
/** Frees all windows of the rank, for its end. */
void race_windows_free(struct race_rank *r);
/** In host_race_ops: a window of the rank, in the place of one that had the number before. */
void race_op_window(struct host *h, uint32_t number, const void *base);

#endif /* LAUNCH_RACE_WINDOW_H */
