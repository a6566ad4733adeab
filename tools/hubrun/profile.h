/* What --profile shows and writes: calls of MPI, copies, and who sent how much to whom. */
#ifndef HUBRUN_PROFILE_H
#define HUBRUN_PROFILE_H

#include <stdio.h>

#include "hosts/launch/launch.h"
#include "tools/load/arena.h"

SIM_BEGIN_DECLS

/** Tables over all ranks. */
void profile_report(const struct launch_result *result, FILE *out);

/** The file of who sent how much to whom that goes with `path`. */
const char *profile_matrix_path(const char *path, struct load_arena *arena);

/**
 * Writes `path`: a row for each rank and call, count or message; as JSON where the name ends in
 * .json, else as CSV. And beside it, for scripts/matrix, PATH less its ending and .matrix.csv.
 * Raises SIM_ERR_IO with the file named.
 */
void profile_write(const struct launch_result *result, const char *path);

SIM_END_DECLS
#endif /* HUBRUN_PROFILE_H */
