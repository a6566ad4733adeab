/* A result that was kept, read again: see out.h for what is in its folder. */
#ifndef LAB_KEPT_H
#define LAB_KEPT_H

#include "core/sim.h"
#include "tools/lab/format/csv.h"
#include "tools/lab/result/checks.h"
#include "tools/load/tree.h"

SIM_BEGIN_DECLS

struct lab_kept_value {
    const char *key, *value;
};

struct lab_kept_machine {
    const char *name, *platform; /* platform NULL: as the machine's file says */
    const char *hash;
    unsigned nnodes, nparams;
    const struct lab_kept_value *params; /* "node*.hub.clock_khz" stands for all nodes */
};

struct lab_kept_run {
    const char *text; /* names it */
    unsigned machine;
    struct sim_fingerprint print;
};

struct lab_kept_point {
    const char *name;
    unsigned nruns;
    const unsigned *runs;
};

struct lab_manifest {
    const char *hubsim, *commit, *kind, *name, *description, *command;
    const char *folder;  /* `name` to the byte */
    const char *program; /* a hash of its file; "": none, or not known */
    unsigned nwords, nsets, nkeys, nmachines, nruns, npoints;
    const char *const *words; /* the command's arguments, to the byte */
    const char *const *sets;
    uint64_t seed;
    const struct lab_kept_machine *machines;
    const struct lab_kept_run *runs;
    const struct lab_kept_point *points;
};

/** Whether a result may be called so: the name of one folder. */
bool lab_manifest_is_name(const char *text);

/** @param root the tree of a manifest.json; all messages name a line of it. Lives in `arena`. */
struct lab_manifest lab_manifest_from(const struct load_tree *root, struct load_arena *arena);

struct lab_kept_stat {
    const char *path, *unit;
    const uint64_t *values; /* one for each run */
};

struct lab_kept {
    const char *dir;
    struct lab_manifest manifest;
    struct lab_csv table; /* a row for each point */
    unsigned nstats;
    const struct lab_kept_stat *stats;
    struct lab_csv faults;           /* no rows: no fault was injected */
    const struct lab_checks *checks; /* NULL: nothing was looked for */
};

/** @param runs that each statistic has a value for */
void lab_statistics_from(const struct load_tree *root, unsigned runs, struct load_arena *arena,
                         struct lab_kept *kept);

/** @param root the tree of a checks.json. Lives in `arena`. */
struct lab_checks lab_checks_from(const struct load_tree *root, struct load_arena *arena);

/** Lives in `arena`. Raises SIM_ERR_IO or SIM_ERR_CONFIG. */
struct lab_kept lab_kept_read(const char *dir, struct load_arena *arena);

/** The command with its words, as a shell would take it; lives in `arena`. */
const char *lab_kept_command(const char *command, const char *const *words, unsigned nwords,
                             struct load_arena *arena);

struct lab_out;
/**
 * The command whose result is in `dir`, where `out` is to be written; lives in `arena`.
 * @return NULL: no result is there, or one of the command of `out`
 */
const char *lab_kept_other(const char *dir, const struct lab_out *out, struct load_arena *arena);

SIM_END_DECLS
#endif /* LAB_KEPT_H */
