/* Published rows against simulation: how well each is met, and how much each parameter of the model
 * changes that. */
#ifndef LAB_SCORE_H
#define LAB_SCORE_H

#include "tools/lab/format/table.h"
#include "tools/lab/rows/evaluate.h"
#include "tools/lab/run/simulate.h"

SIM_BEGIN_DECLS

/** A row, and what the simulation makes of it. */
struct lab_scored {
    const struct lab_row *row;
    struct lab_score score;
    bool calibrated; /* a value of its platform was fitted to this row, so it proves nothing */
};

struct lab_scores {
    unsigned n;
    struct lab_scored *rows;
    unsigned passed, failed, not_run; /* primary rows only */
};

/** Evaluates all rows of ev->rows. `site` says where the platforms are that name the rows they were
 * fitted to; NULL: no row is marked as calibrated. Raises SIM_ERR_CONFIG, too, where an override
 * fits no machine of any row. */
struct lab_scores lab_score_all(const struct lab_evaluator *ev, const struct lab_site *site);
/** For programs: id, published, simulated, error_pct, verdict, role, calibrated, reason. */
void lab_score_table(const struct lab_scores *scores, struct lab_table *table);
#define LAB_SCORE_KEYS 2u /* id, published: what a row claims */
/** For a result that is kept: what a row claims, then the simulated value to the digit, error_pct,
 * verdict, role, calibrated. */
void lab_score_kept(const struct lab_scores *scores, struct lab_table *table);
/** For people: verdict first, with relation and unit. */
void lab_score_report(const struct lab_scores *scores, struct lab_table *table);

/**
 * Lowers and raises each parameter whose path matches `pattern` (NULL: all) by 10 %, and lists by
 * how much the value of each primary row changes. A parameter that changes none by 0.1 % is left
 * out. Parameters that components of one kind, or ports of one component, have alike are changed
 * together (keys_alike).
 */
void lab_sensitivity(const struct lab_evaluator *ev, const struct lab_site *site,
                     const char *pattern, struct lab_table *table);

SIM_END_DECLS
#endif /* LAB_SCORE_H */
