/* What hubrun takes from its environment: the GPUs that ranks see, and what MVAPICH2 and Open MPI
 * would read there. */
#ifndef HUBRUN_ENVIRONMENT_H
#define HUBRUN_ENVIRONMENT_H

#include "tools/hubrun/options.h"

/**
 * Into the options, as if they had been typed, so that a kept result has them. A line on stderr for
 * each that is taken, and one for those that are not, unless --quiet. Raises SIM_ERR_CONFIG.
 */
void environment_take(struct options *opt, const struct machine_desc *desc);

#endif /* HUBRUN_ENVIRONMENT_H */
