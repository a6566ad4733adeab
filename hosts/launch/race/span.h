/*
 * Ranges of addresses in a tree, where one finds those that overlap another range. They may overlap
 * each other. Who has a range keeps it in a struct of its own: the tree allocates nothing.
 */
#ifndef LAUNCH_RACE_SPAN_H
#define LAUNCH_RACE_SPAN_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** [low, high), with one byte or more. Its tree writes all of it. */
struct race_span {
    uintptr_t low, high;
    uintptr_t top;   /* highest `high` of it and of what is below it in the tree */
    uint64_t number; /* in the order in which they came */
    struct race_span *left, *right;
    struct race_span *next; /* found one, see race_spans_find() */
};

/** All zero: none. */
struct race_spans {
    struct race_span *root;
    uint64_t n, added;
};

/** `s` is in no tree, and stays where it is as long as it is in this one. */
void race_spans_add(struct race_spans *spans, struct race_span *s, uintptr_t low, uintptr_t high);
/** `s` is in the tree. */
void race_spans_remove(struct race_spans *spans, struct race_span *s);
/** @return those that overlap [low, high) in the order in which they came, or NULL. They are linked
 * by `next` until somebody looks into the tree again. */
struct race_span *race_spans_find(const struct race_spans *spans, uintptr_t low, uintptr_t high);
/** The lowest and the highest address of all. There is one or more. */
void race_spans_bounds(const struct race_spans *spans, uintptr_t *low_p, uintptr_t *high_p);

#ifdef __cplusplus
}
#endif
#endif /* LAUNCH_RACE_SPAN_H */
