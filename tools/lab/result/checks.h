/* What `hubrun --check` looked for while a program ran, and found in it. */
#ifndef LAB_CHECKS_H
#define LAB_CHECKS_H

#include "core/sim.h"

SIM_BEGIN_DECLS

/** Loads and stores among which races were looked for. */
enum lab_accesses {
    LAB_ACCESSES_NONE,
    LAB_ACCESSES_CALLS, /* by calls of libraries: the program does not announce its own */
    LAB_ACCESSES_ALL,
    LAB_ACCESSES_KINDS
};
const char *lab_accesses_word(enum lab_accesses accesses);

struct lab_checks {
    enum lab_accesses accesses;
    uint64_t found; /* mistakes of the program */
    unsigned n;     /* lines, one for each of the first mistakes */
    const char *const *mistakes;
};

SIM_END_DECLS
#endif /* LAB_CHECKS_H */
