/*
 * What a back end for parallel runs has: one symbol, in a shared object of its own, which is
 * loaded only when other processes take part.
 */
#ifndef PARALLEL_BACK_END_H
#define PARALLEL_BACK_END_H

#include "core/group.h"

SIM_BEGIN_DECLS

struct parallel_back_end {
    /** Joins the others. @return NULL: *err says why. */
    struct sim_group *(*join)(struct sim_error *err);
    /** All processes: leaves them. */
    void (*leave)(struct sim_group *group);
};

#define PARALLEL_SYMBOL "parallel_back_end"

SIM_END_DECLS
#endif /* PARALLEL_BACK_END_H */
