/*
 * One simulation, described by text alone: equal descriptions are equal runs, and a
 * worker process needs nothing else.
 */
#ifndef LAB_RUN_H
#define LAB_RUN_H

#include "core/sim.h"
#include "tools/lab/format/line.h"

SIM_BEGIN_DECLS

#define LAB_ARGS_MAX   24u
#define LAB_RANKS_MAX  64u
#define LAB_FAULTS_MAX 8u
#define LAB_FIXED_MAX  8u

struct lab_run {
    const char *machine;  /* a name in machines/ or a path */
    const char *platform; /* of all nodes; NULL: as the machine says */
    const char *program;  /* a name in workloads/ or a path; NULL: the machine runs by itself */
    unsigned nargs;
    const char *args[LAB_ARGS_MAX]; /* "bytes=8" */
    /* Bit i: args[i] is a memory, "src=gpu1". It may be a GPU by its place: "src=gpu@ib" is the
     * first one on the socket of that component in rank 0's node, "gpu@ib+1" the second, "gpu@!ib"
     * the first on another. */
    uint32_t memories;
    unsigned nranks;               /* 0: one rank on each node */
    unsigned nodes[LAB_RANKS_MAX]; /* where each rank runs */
    const char *mpi;               /* as of `hubrun --mpi`; NULL: as the platform says */
    const char *gasnet;            /* as of `hubrun --gasnet`; NULL: likewise */
    const char *algorithms;        /* as of `hubrun --algorithm`; NULL: as the tables say */
    unsigned nfixed, nsets;
    const char *fixed[LAB_FIXED_MAX]; /* what the setup says of the machine; as sets, before them */
    const char *const *sets;          /* "node*.hub.e.link.lanes=4" */
    unsigned nfaults;
    const char *faults[LAB_FAULTS_MAX]; /* files, or "{link: node0.hub.e, ...}" */
    uint64_t seed;
};

/** Everything that makes the result, in one line. */
const char *lab_run_text(const struct lab_run *run, struct load_arena *arena);

/** The first of them: how long the run took, in simulated time. No model has counted it. */
#define LAB_STAT_TIME "simulated_ps"

struct lab_stat {
    const char *path, *unit; /* "node0.hub.e.tx.tlps", "1" */
    uint64_t value;
};

struct lab_result {
    int rc;            /* SIM_OK, or why there are no lines */
    const char *error; /* one line, when rc is an error */
    struct sim_fingerprint print;
    unsigned nlines, ntraffic, nfaults, nusage, nstats;
    struct lab_line *lines;
    struct lab_line *traffic; /* lines `traffic key=value ...`: see bounds_traffic.h */
    struct lab_line *faults;  /* lines `fault key=value ...`: each one asked for */
    struct lab_line *usage;   /* lines `usage key=value ...`: of links, over time */
    struct lab_stat *stats;   /* lines `stat VALUE UNIT PATH`: those that are not 0 */
};

/** The two lines that are no pairs. */
void lab_result_write_stat(FILE *out, const struct lab_stat *stat);
void lab_result_write_prints(FILE *out, struct sim_fingerprint print);
/** From what an execution wrote: the lines above and one `fingerprint visible=... wire=...
 * edge=...`. */
void lab_result_parse(const char *text, struct load_arena *arena, struct lab_result *result);
/** The same where an error is no reason to stop. @return its code; its message in *err, if not NULL
 */
int lab_result_try(const char *text, struct load_arena *arena, struct lab_result *result,
                   struct sim_error *err);

SIM_END_DECLS
#endif /* LAB_RUN_H */
