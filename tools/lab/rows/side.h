/* Inside of tools/lab: one of the two things that a published row compares. */
#ifndef LAB_SIDE_H
#define LAB_SIDE_H

#include "tools/lab/rows/evaluate.h"

SIM_BEGIN_DECLS

struct lab_side {
    const struct lab_row *row; /* platform, workload, where */
    struct lab_setup setup;    /* without the rows' own grammar */
    const char *take, *measure;
};

/** While one row is evaluated. */
struct lab_context {
    const struct lab_evaluator *ev;
    const struct lab_row *row;
    bool pending;        /* some run has no result yet */
    const char *failure; /* of some run, or NULL */
    bool not_run;        /* that run could not be built */
};

/** Raises "FILE:LINE: setup key=value: expected ..." */
_Noreturn void lab_side_fail(const struct lab_context *c, const char *key, const char *expected);
/** latency or bandwidth (or time): what `measure` may be without operators. */
bool lab_side_is_basic(const char *quantity);
/** @return the one key of the setup whose value is a list, *list_p; NULL: there is none. */
const char *lab_side_list(const struct lab_context *c, const struct lab_setup *setup,
                          struct lab_list *list_p);
struct lab_side lab_side_with(const struct lab_context *c, const struct lab_side *side,
                              const char *key, const char *value);
/** The measure of a setup without lists. */
double lab_side_measure(struct lab_context *c, const struct lab_side *side);
/** One number: the measure, or its largest or smallest over the list. */
double lab_side_value(struct lab_context *c, const struct lab_side *side);

SIM_END_DECLS
#endif /* LAB_SIDE_H */
