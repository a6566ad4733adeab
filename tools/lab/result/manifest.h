/* Inside of tools/lab: what a result says about itself. See out.h. */
#ifndef LAB_MANIFEST_H
#define LAB_MANIFEST_H

#include "tools/lab/result/write.h"

SIM_BEGIN_DECLS

int lab_manifest_write(const char *path, const struct lab_out *out, struct sim_error *err);

SIM_END_DECLS
#endif /* LAB_MANIFEST_H */
