/* The ranks of one sequence: who calls when, and what is compared at the end. */
#ifndef FUZZ_RANKS_H
#define FUZZ_RANKS_H

#include "world.h"

/** `steps` turns that the seed decides, without those whose bit in `left_out` is set. */
void ranks_plan(struct world *w, unsigned steps, const bool *left_out);
/** main() of each rank. */
int ranks_main(struct world *w);

#endif /* FUZZ_RANKS_H */
