/* Leaves steps out of a sequence as long as the same is found. */
#ifndef FUZZ_SHRINK_H
#define FUZZ_SHRINK_H

#include "machine.h"

/** Runs it: twice, if wanted, when both must be the same. */
const struct outcome *examine(struct machine_server *m, const struct sequence *s, bool twice);
/** `kind`: what it was found by. */
void shrink(struct machine_server *m, struct sequence *s, bool twice, const char *kind);

#endif /* FUZZ_SHRINK_H */
