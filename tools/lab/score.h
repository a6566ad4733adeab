/* Published rows against simulation: the whole table, and how it moves with each parameter. */
#ifndef LAB_SCORE_H
#define LAB_SCORE_H

#include "tools/lab/evaluate.h"
#include "tools/lab/simulate.h"
#include "tools/lab/table.h"

SIM_BEGIN_DECLS

struct lab_scored {
    const struct lab_row *row;
    struct lab_score score;
    bool calibrated; /* a value of its platform was fitted to this row, so it proves nothing */
};

struct lab_scores {
    unsigned n;
    struct lab_scored *rows;
    unsigned passed, failed, not_run; /* of the primary rows */
};

/** Evaluates all rows of ev->rows. `site` tells where platforms are; NULL: none is looked at. */
int lab_score_all(const struct lab_evaluator *ev, const struct lab_site *site,
                  struct lab_scores *scores_p, struct sim_error *err);
/** id, published, simulated, error_pct, verdict, role, calibrated, reason. */
void lab_score_table(const struct lab_scores *scores, struct lab_table *table);
/** The same for people: with relation and unit. */
void lab_score_report(const struct lab_scores *scores, struct lab_table *table);

/**
 * Every parameter whose path matches `pattern` (NULL: all) by 10 % down and up: change of each
 * primary row's value. Parameters that move nothing by 0.1 % have no row; those that components of
 * one kind, or ports of one component, have alike are moved together (keys_alike).
 */
int lab_sensitivity(const struct lab_evaluator *ev, const struct lab_site *site,
                    const char *pattern, struct lab_table *table, struct sim_error *err);

SIM_END_DECLS
#endif /* LAB_SCORE_H */
