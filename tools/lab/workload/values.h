/* What the value of a key may be, as hubsim-workload.h writes it. */
#ifndef LAB_VALUES_H
#define LAB_VALUES_H

#include "tools/load/arena.h"

SIM_BEGIN_DECLS

/** Is `text` one of those that `list` has, with `separator` between them? */
bool lab_values_list(const char *list, const char *separator, const char *text);
/** A value of HUBSIM_GRID. @param ranks_p the product. @return false: it is none */
bool lab_values_grid(const char *text, uint64_t *ranks_p);
/** Of the key mpi, as hubrun --mpi takes it: whoever has the libraries checks it. */
#define LAB_VALUES_MPI "NAME[,KEY=VALUE...]"
/** @param values NULL or LAB_VALUES_MPI: any text is good */
bool lab_values_allow(const char *values, const char *text);
/** For people: "a multiple of 16, at least 16, such as 4096 or 4KiB".
 * @param sizes whether they count bytes */
const char *lab_values_words(const char *values, bool sizes, struct load_arena *arena);

SIM_END_DECLS
#endif /* LAB_VALUES_H */
