/* The options of mpirun and mpiexec that scripts have in them: Open MPI's, MPICH's and Intel's. */
#ifndef HUBRUN_HABITS_H
#define HUBRUN_HABITS_H

#include "tools/cmd/options.h"
#include "tools/load/arena.h"

#define HABITS_SETTINGS_MAX 64u
#define HABITS_WORDS_MAX    (3 * HABITS_SETTINGS_MAX)

/** A variable or the working directory: words of the command line. */
struct habits_setting {
    const char *option, *name, *value; /* value NULL: it has one word */
};

/** What of it the run has to know. */
struct habits {
    const char *ranks;    /* of -np, or NULL */
    const char *per_node; /* ranks on a node, or NULL */
    bool label;
    unsigned nsettings;
    struct habits_setting settings[HABITS_SETTINGS_MAX]; /* in their order, with their effect */
};

/** For struct habits. They set the environment and the working directory, and say on stderr what
 * has no meaning on a simulated machine. Hidden in --help. */
extern const struct cmd_option habits_options[];

/** Appends the settings, as hubrun takes them, at most HABITS_WORDS_MAX words. @return how many
 * words then */
unsigned habits_words(const struct habits *habits, const char **words, unsigned n);

/** NAME=VALUE in front of the program, as mpirun_rsh has them: sets these. @return how many.
 * Raises SIM_ERR_CONFIG: too many. */
int habits_variables(int argc, char **argv, struct habits *habits);
/** As mpirun finds its program: where `name` says, else in a folder of PATH; behind libtool's
 * script for one that is not installed. @return `name`, or another path in `arena` */
const char *habits_find(const char *name, struct load_arena *arena);
/** Raises SIM_ERR_CONFIG: there is no such file, or none to be loaded. */
void habits_examine(const char *program);

#endif /* HUBRUN_HABITS_H */
