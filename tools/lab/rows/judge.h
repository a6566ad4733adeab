/* Whether a simulated value stands in the published relation to the published one. */
#ifndef LAB_JUDGE_H
#define LAB_JUDGE_H

#include "tools/lab/rows/published.h"

SIM_BEGIN_DECLS

struct lab_judgement {
    bool pass;
    double error_pct; /* 0 inside a bound or interval; for an order, by how much it differs */
};

/** `other` is the measurement that an order compares with. */
struct lab_judgement lab_judge(const struct lab_row *row, double simulated, double other);

SIM_END_DECLS
#endif /* LAB_JUDGE_H */
