/* Options for a library that the program has not used. */
#ifndef HUBRUN_UNUSED_H
#define HUBRUN_UNUSED_H

#include "hosts/launch/launch.h"
#include "tools/hubrun/options.h"

/** A line on stderr for each of them. A run that has failed may have done so before its
 * MPI_Init(): it is no case of this. */
void unused_remark(const struct options *opt, const struct launch_result *result);

#endif /* HUBRUN_UNUSED_H */
