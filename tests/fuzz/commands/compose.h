/* Whole commands: which, on which files, with which options. */
#ifndef COMPOSE_H
#define COMPOSE_H

#include "case.h"
#include "mutate.h"

/** The case of this number: always the same for the same seeds. */
void compose(const struct seeds *seeds, uint64_t seed, uint64_t number, struct load_arena *arena,
             struct fuzz_case *c);

#endif /* COMPOSE_H */
