/* Transports of MPI that are not part of hubsim; docs/architects.md has one. */
#ifndef LAB_TRANSPORTS_H
#define LAB_TRANSPORTS_H

#include "tools/load/find.h"

SIM_BEGIN_DECLS

/** Loads transports/NAME.so of each root and adds its transport_NAME. Once, before anything asks
 * for lab_kinds(). Raises what is wrong with one. */
void lab_transports_load(const struct load_roots *roots);

SIM_END_DECLS
#endif /* LAB_TRANSPORTS_H */
