/*
 * Two results, point by point. Fingerprints show whether the model did the same; values, whether
 * that matters to the reader of the table.
 */
#ifndef LAB_COMPARE_H
#define LAB_COMPARE_H

#include "tools/lab/result/kept.h"

SIM_BEGIN_DECLS

#define LAB_BANDS_MAX 32u

/** By how much values may differ. */
struct lab_band {
    const char *column; /* a pattern, "latency_*"; NULL: all */
    double width;       /* INFINITY: any value may stand there, a text as well */
    bool percent;       /* relative to the kept value; else in the unit of the column */
};
struct lab_bands {
    unsigned n;                           /* 0: nothing may differ, fingerprints neither */
    struct lab_band bands[LAB_BANDS_MAX]; /* the last one that matches a column counts */
};
/** "1%", "latency_us_min=0.5%", "latency_us_min=0.01" or "output=any". Texts live in `arena`. */
void lab_bands_add(struct lab_bands *bands, const char *text, struct load_arena *arena);

/** Marks the bands that match a column of values of this result. */
void lab_bands_use(const struct lab_bands *bands, const struct lab_kept *kept,
                   bool used[LAB_BANDS_MAX]);

enum lab_point_verdict {
    LAB_POINT_EQUAL,
    LAB_POINT_MODEL,  /* other fingerprints or values, all values in their bands */
    LAB_POINT_VALUES, /* a value out of its band */
    LAB_POINT_GONE,   /* only in the kept result */
    LAB_POINT_NEW,    /* only in the other one */
};
const char *lab_point_word(enum lab_point_verdict verdict);

struct lab_cell {
    unsigned column; /* in the kept result's table */
    const char *name;
    const char *a, *b; /* b NULL: the other table has no such column */
    bool numbers, within;
    double change;               /* b - a, of numbers */
    const struct lab_band *band; /* NULL: none */
};

struct lab_point_pair {
    const char *name;
    enum lab_point_verdict verdict;
    const struct lab_kept_point *a, *b; /* NULL: has none */
    unsigned row_a, row_b;              /* in their tables */
    bool visible, wire, edge;           /* fingerprints that differ */
    unsigned ncells;                    /* values whose texts differ */
    const struct lab_cell *cells;
};

/** "visible, edge": the fingerprints that differ; "" if none does. */
const char *lab_point_prints(const struct lab_point_pair *pair);

struct lab_comparison {
    unsigned npoints;
    struct lab_point_pair *points; /* as kept, then the new ones */
    unsigned counts[LAB_POINT_NEW + 1];
};

/** Lives in `arena`, as long as both results do. */
void lab_compare(const struct lab_kept *a, const struct lab_kept *b, const struct lab_bands *bands,
                 struct load_arena *arena, struct lab_comparison *comparison_p);
/** Forgets all points but those whose names match. @return how many are left */
unsigned lab_compare_only(struct lab_comparison *comparison, const char *pattern);
/** Whether a check of this point succeeds: with bands the model may have changed. */
bool lab_compare_point_passes(const struct lab_point_pair *pair, const struct lab_bands *bands);
bool lab_compare_passes(const struct lab_comparison *comparison, const struct lab_bands *bands);

/** Relative to the larger of both, -1 .. 1. */
double lab_relative(double a, double b);
/** One unit of a value's last digit: what "2.5" and "2.6" may differ by for nothing. */
double lab_resolution(const char *text);
bool lab_is_number(const char *text, double *value_p);

SIM_END_DECLS
#endif /* LAB_COMPARE_H */
