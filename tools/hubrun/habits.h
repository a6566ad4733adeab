/* The options of mpirun and mpiexec that scripts have in them: Open MPI's, MPICH's and Intel's. */
#ifndef HUBRUN_HABITS_H
#define HUBRUN_HABITS_H

#include "tools/cmd/options.h"

/** What of it the run has to know. */
struct habits {
    const char *ranks;    /* of -np, or NULL */
    const char *per_node; /* ranks on a node, or NULL */
    bool label;
};

/** For struct habits. They set the environment and the working directory, and say on stderr what
 * has no meaning on a simulated machine. Hidden in --help. */
extern const struct cmd_option habits_options[];

/** As mpirun finds its program: where `name` says, else in a folder of PATH; behind libtool's
 * script for one that is not installed. free() it; NULL: out of memory. */
char *habits_find(const char *name);
/** @return SIM_OK, or SIM_ERR_CONFIG: there is no such file, or none to be loaded. */
int habits_examine(const char *program, struct sim_error *err);

#endif /* HUBRUN_HABITS_H */
