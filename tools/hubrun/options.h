/* The command line of hubrun. */
#ifndef HUBRUN_OPTIONS_H
#define HUBRUN_OPTIONS_H

#include "hosts/launch/launch.h"
#include "tools/cmd/cmd.h"
#include "tools/hubrun/habits.h"

SIM_BEGIN_DECLS

#define TAKEN_BYTES 512u

struct options {
    struct cmd_common common;
    struct habits habits;
    const char *machine; /* name or path of its file */
    const char *place;   /* for place_ranks(); NULL: nothing was said, as with the others */
    const char *out;     /* folder of the result's folder */
    const char *name;    /* what the result's folder is called; NULL: as the program */
    const char *profile; /* a file, or "" */
    const char *mpi, *gasnet, *algorithm;
    const char *visible;    /* GPUs that ranks see */
    const char *variables;  /* the library whose variables are taken */
    unsigned nranks;        /* 0: one on each node */
    unsigned patience_s;    /* 0: for ever */
    sim_time_t max_time_ps; /* 0: no limit */
    enum launch_compute compute;
    sim_time_t block_ps; /* of LAUNCH_COMPUTE_COUNTED */
    unsigned checks;     /* bits of enum host_check */
    bool label, quiet, fingerprint, allow_errors;
    char shares[32]; /* `place` of -ppn */
    int argc;        /* the program and its arguments */
    char **argv;
    /* `mpi` and `algorithm` of --variables: in memory whose size depends on nothing */
    char taken_mpi[TAKEN_BYTES], taken_algorithm[TAKEN_BYTES];
};

/** Fills in *opt_p, with what hubrun does when nothing is said; ends the process on a wrong
 * argument. Texts are those of argv. */
void options_parse(int argc, char **argv, struct options *opt_p);

/** The words of the command without what changes no result, from `arena`. @return how many */
unsigned options_words(const struct options *opt, struct load_arena *arena,
                       const char *const **words_p);

SIM_END_DECLS
#endif /* HUBRUN_OPTIONS_H */
