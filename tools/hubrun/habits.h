/* The options of mpirun and mpiexec that scripts have in them: Open MPI's, MPICH's and Intel's. */
#ifndef HUBRUN_HABITS_H
#define HUBRUN_HABITS_H

#include "tools/cmd/options.h"
#include "tools/load/arena.h"

/** What of it the run has to know. */
struct habits {
    const char *ranks;    /* of -np, or NULL */
    const char *per_node; /* ranks on a node, or NULL */
    bool label;
};

/** For struct habits. They set the environment and the working directory, and say on stderr what
 * has no meaning on a simulated machine. Hidden in --help. */
extern const struct cmd_option habits_options[];

/** NAME=VALUE in front of the program, as mpirun_rsh has them: sets these. @return how many */
int habits_variables(int argc, char **argv);
/** As mpirun finds its program: where `name` says, else in a folder of PATH; behind libtool's
 * script for one that is not installed. @return `name`, or another path in `arena` */
const char *habits_find(const char *name, struct load_arena *arena);
/** Raises SIM_ERR_CONFIG: there is no such file, or none to be loaded. */
void habits_examine(const char *program);

#endif /* HUBRUN_HABITS_H */
