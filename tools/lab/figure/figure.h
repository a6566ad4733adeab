/*
 * Figures: which experiments, which axes, which published points.
 *
 *   description: Latency of a ping-pong over size
 *   experiments: [pingpong-2013]
 *   series: [...]                # names; none: all
 *   x: { label: Size [B], scale: log2 }
 *   y: { quantity: latency, label: "Latency [us]", scale: log }
 *   bounds: yes
 *                                # unit: us|ms|s where the quantity is a key in ps
 *   bars: yes                    # not lines; several quantities stand on each other in one
 *   published: peach2            # rows whose setup agrees with that of a series are its points
 */
#ifndef LAB_FIGURE_H
#define LAB_FIGURE_H

#include "tools/lab/rows/experiment.h"

SIM_BEGIN_DECLS

struct lab_figure {
    const char *name, *description;
    unsigned nexperiments;
    const char *const *experiments;
    unsigned nseries;
    const char *const *series; /* 0: all */
    const char *x_label, *x_scale, *y_label, *y_scale;
    /* "latency" [us], "bandwidth" [MB/s] or a key of the result, with "_ps" in it */
    const char *quantity;
    const struct load_tree *quantity_item, *series_item, *unit_item; /* where written; or NULL */
    double ps_per_unit;   /* what the axis counts keys in ps in */
    unsigned nquantities; /* of an experiment several: a line for each of every series */
    const char *const *quantities;
    bool bandwidth;
    const char *x_key;              /* in a sweep; else NULL */
    const struct load_tree *x_item; /* where it is written */
    const char *styles;             /* NULL, or JSON: {"line": [colour, dash], ...} */
    bool bounds;
    bool bars;             /* not lines: each has a part for each quantity */
    const char *published; /* NULL: none */
};

void lab_figure_read(const char *path, struct load_arena *arena, struct lab_figure *figure);
/** x, y and bounds. */
void lab_figure_read_axes(const struct load_tree *root, struct lab_figure *figure);
/** Its quantities are among the results of what it shows of the experiment. */
void lab_figure_check(const struct lab_figure *figure, const struct lab_experiment *exp);
/** Each of its series is in one of the experiments. */
void lab_figure_check_series(const struct lab_figure *figure, const struct lab_experiment *exps,
                             unsigned n);
bool lab_figure_shows(const struct lab_figure *figure, const struct lab_series *series);

/** Columns of its CSV: series, kind, x, y, y2, source. Kinds: simulated, bound, published,
 * level (a published largest value, at no x), own. */
void lab_figure_begin(struct lab_table *table);
void lab_figure_add(struct lab_table *table, const char *series, const char *kind, const char *x,
                    double y, const char *source);
void lab_figure_add_samples(const struct lab_figure *figure, const struct lab_samples *samples,
                            struct lab_table *table);
/** JSON for `styles` where series have several lines: a colour for each series, a dash for each
 * quantity. */
const char *lab_figure_styles(const struct lab_figure *figure, const struct lab_table *table,
                              struct load_arena *arena);
/** Points of those rows that have a value for what a series shows. */
void lab_figure_add_rows(const struct lab_figure *figure, const struct lab_experiment *exp,
                         const struct lab_rows *rows, struct lab_table *table);
/** One's own points: columns series, x, y, with rows that the axes of the figure can show. */
void lab_figure_check_points(const struct lab_figure *figure, const struct lab_csv *csv);
/** What lab_figure_check_points() found good. */
void lab_figure_add_points(const struct lab_csv *csv, struct lab_table *table);
/** What scripts/plot.py gets beside the CSV. */
void lab_figure_write_axes(const struct lab_figure *figure, FILE *out);

SIM_END_DECLS
#endif /* LAB_FIGURE_H */
