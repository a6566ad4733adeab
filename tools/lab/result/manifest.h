/* Inside of tools/lab: what a result says about itself. See out.h. */
#ifndef LAB_MANIFEST_H
#define LAB_MANIFEST_H

#include "tools/lab/result/write.h"

SIM_BEGIN_DECLS

/** All that makes a machine, in one number: kinds, values, links, cables, routes, slots. @param
 * sets also values and kinds of --set */
uint64_t lab_hash_machine(const struct load_machine *machine, bool sets);
void lab_manifest_write(const char *path, const struct lab_out *out);

SIM_END_DECLS
#endif /* LAB_MANIFEST_H */
