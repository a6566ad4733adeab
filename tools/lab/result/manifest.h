/* Inside of tools/lab: what a result says about itself. See out.h. */
#ifndef LAB_MANIFEST_H
#define LAB_MANIFEST_H

#include "tools/lab/result/write.h"

SIM_BEGIN_DECLS

/** Of all that makes a machine: kinds, values, links, cables, routes, slots. */
uint64_t lab_machine_hash(const struct load_machine *machine);

int lab_manifest_write(const char *path, const struct lab_out *out, struct sim_error *err);

SIM_END_DECLS
#endif /* LAB_MANIFEST_H */
