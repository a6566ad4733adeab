/*
 * What has changed between two results, in order of importance: how they were made, parameters,
 * faults, points and values, fingerprints, statistics; in each of these the larger changes first.
 * What is alike stands in one line: a series' points, a statistic of all nodes.
 */
#ifndef LAB_CHANGES_H
#define LAB_CHANGES_H

#include "tools/lab/format/table.h"
#include "tools/lab/result/compare.h"

SIM_BEGIN_DECLS

enum lab_change_kind {
    LAB_CHANGE_MADE, /* version, commit, command, program: no change of the result */
    LAB_CHANGE_PARAMETER,
    LAB_CHANGE_FAULT, /* that was asked for */
    LAB_CHANGE_POINT, /* there in one result only */
    LAB_CHANGE_VALUE,
    LAB_CHANGE_FINGERPRINT,
    LAB_CHANGE_STATISTIC,
    LAB_CHANGE_KINDS
};

struct lab_change {
    enum lab_change_kind kind;
    const char *name;  /* "node*.hub.e.link.lanes" */
    const char *where; /* the place of the largest change, or "" */
    const char *unit;  /* a statistic's, or "" */
    unsigned n, of;    /* so many of so many differ; of 0: no count */
    const char *a, *b; /* a value where it changes most; the sums of a statistic */
    bool numbers;
    double change_pct;          /* from a to b; INFINITY: a is 0 */
    double least_pct, most_pct; /* of those that differ */
    double weight;              /* larger ones first */
};

struct lab_changes {
    const struct lab_kept *a, *b;
    const struct lab_comparison *comparison; /* the two without bands */
    struct load_arena *arena;
    unsigned n, room;
    struct lab_change *list;
    unsigned counts[LAB_CHANGE_KINDS];
};

/** `comparison` is that of the two results without bands. Lives in `arena`. */
void lab_changes_find(const struct lab_kept *a, const struct lab_kept *b,
                      const struct lab_comparison *comparison, struct load_arena *arena,
                      struct lab_changes *changes_p);
/** Does anything differ but how they were made? */
bool lab_changes_any(const struct lab_changes *changes);

/** Parameters alone, appended without order. */
void lab_changes_parameters(struct lab_changes *changes);
/** Statistics and faults, appended without order. */
void lab_changes_statistics(struct lab_changes *changes);
void lab_changes_faults(struct lab_changes *changes);
/** Texts that are NULL become "". */
struct lab_change *lab_changes_add(struct lab_changes *changes, struct lab_change change);
/** The difference in percent of `a`; INFINITY where that is 0. */
double lab_change_pct(double a, double b);

/** At most `limit` lines of each kind, 0: all. */
void lab_changes_table(const struct lab_changes *changes, unsigned limit, struct lab_table *table);
/** The same for people: fewer columns, and without how they were made, which comes first. */
void lab_changes_text(const struct lab_changes *changes, unsigned limit, struct lab_table *table);
const char *lab_change_word(enum lab_change_kind kind);

SIM_END_DECLS
#endif /* LAB_CHANGES_H */
