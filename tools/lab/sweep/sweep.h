/*
 * Sweeps: an experiment whose every key may hold several values; the points are their cross
 * product. The words are those of experiments and machine files.
 *
 *   description: Bandwidth over the width of the cables
 *   workload: pingpong                         # or program: a name or path, with args: and ranks:
 *   platform: hapacs-tca
 *   setup: { nodes: 2, mode: dma-chain-internal, bytes: 8..1048576 }
 *   set: { "node*.hub.*.link.lanes": [1, 2, 4, 8] }
 *   seed: 1..4 by 1
 *   faults: [none, bursts.yaml]                # see tools/load/faults.c
 *   series:                                    # optional; each is a cross product of its own
 *     - { name: short cables, machine: two-node }
 *   figure:
 *     x: { key: bytes, label: "Size [B]", scale: log2 }
 *     y: { quantity: bandwidth, label: "Bandwidth [MB/s]", scale: log }
 *     bounds: yes
 */
#ifndef LAB_SWEEP_H
#define LAB_SWEEP_H

#include "tools/lab/figure/figure.h"
#include "tools/lab/run/simulate.h"
#include "tools/lab/workload/plan.h"

SIM_BEGIN_DECLS

#define LAB_SWEEP_POINTS_MAX 100000u

enum lab_axis_kind {
    LAB_AXIS_WORKLOAD,
    LAB_AXIS_PLATFORM,
    LAB_AXIS_MACHINE,
    LAB_AXIS_PROGRAM,
    LAB_AXIS_RANKS,
    LAB_AXIS_SEED,
    LAB_AXIS_FAULTS, /* files, or single faults "{link: ..., ...}" */
    LAB_AXIS_SETUP,  /* a key of published setups */
    LAB_AXIS_ARG,    /* a program's argument */
    LAB_AXIS_SET     /* "node*.hub.e.link.lanes" */
};

struct lab_axis {
    enum lab_axis_kind kind;
    const char *key, *name;       /* name: the column's, "lanes" */
    const char *where;            /* "lanes.yaml:5:3" */
    const struct load_tree *item; /* its values, as the file has them */
    bool word;                    /* an argument without `key=`: its values are as they stand */
    const char *words; /* in the legend, with a % for the value: "Gen%"; NULL: "gen = %" */
    struct lab_list list;
    unsigned stride; /* of its digit in the number of a point within its series */
};

struct lab_sweep_series {
    const char *name, *where; /* name NULL: the file has no series */
    unsigned naxes, room;
    struct lab_axis *axes; /* the last varies fastest */
    unsigned npoints;
};

struct lab_sweep_point {
    struct lab_run run;
    const struct lab_sweep_series *series;
    unsigned number; /* within the series */
    bool planned;    /* by workload and setup; else a program as it stands */
    bool stores;
    uint64_t bytes, directions, hops; /* as in lab_plan */
    uint64_t model;                   /* hash of its program and machine */
};

struct lab_sweep {
    const char *name, *path, *description;
    unsigned nseries;
    struct lab_sweep_series *series;
    unsigned n;
    struct lab_sweep_point *points;
    uint64_t definition; /* hash of all points; words for people do not count */
    uint64_t model;      /* hash of what makes their results: this program and theirs */
    bool has_figure;
    struct lab_figure figure; /* its axes */
};

/** Those of the file, NULL at the end. */
extern const char *const lab_sweep_keys[];

/**
 * Reads the file, plans every point and builds every machine with each value of `set`, so that
 * wrong words, keys and values are found before anything runs.
 */
void lab_sweep_read(const char *path, const struct lab_site *site, struct load_arena *arena,
                    struct lab_sweep *sweep);
const char *lab_sweep_value(const struct lab_sweep_point *point, const struct lab_axis *axis);
/** The axis of the series with this column, or NULL. */
const struct lab_axis *lab_sweep_axis(const struct lab_sweep_series *series, const char *name);

SIM_END_DECLS
#endif /* LAB_SWEEP_H */
