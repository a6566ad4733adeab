/* What hubrun takes from its environment: the GPUs that ranks see. */
#ifndef HUBRUN_ENVIRONMENT_H
#define HUBRUN_ENVIRONMENT_H

#include "tools/hubrun/options.h"

/** Into the options, as if they had been typed, so that a kept result has them. A line on stderr
 * for what is taken, and for what has no effect, unless --quiet. */
void environment_take(struct options *opt, const struct machine_desc *desc);

#endif /* HUBRUN_ENVIRONMENT_H */
