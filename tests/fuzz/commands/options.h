/* The options of each command, and values for them. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "case.h"
#include "mutate.h"

/** Options that are there for this command, each with a chance. */
void options_add(const struct mutator *m, struct fuzz_case *c, const char *command);
/** The words themselves are changed: missing, twice, swapped, other ones. */
void options_spoil(const struct mutator *m, struct fuzz_case *c);

#endif /* OPTIONS_H */
