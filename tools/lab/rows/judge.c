#include "tools/lab/rows/judge.h"

#include <math.h>

#define POINT_TOLERANCE_PCT 5.0 /* a value this near is right, whatever the row says */

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double percent_off(double simulated, double published)
{
    return published != 0 ? (simulated / published - 1) * 100 : simulated != 0 ? INFINITY : 0;
}

static struct lab_judgement judge_near(const struct lab_row *row, double simulated)
{
    double tolerance = larger(larger(row->tolerance_pct, row->spread_pct), POINT_TOLERANCE_PCT);
    double error = percent_off(simulated, row->value);

    /* A published 3.00 and a computed 3.15 are 5 % apart though binary fractions say 5.000000001.
     */
    return (struct lab_judgement){ fabs(error) <= tolerance + 1e-9, error };
}

/** Bounds are widened by the row's own tolerance only. */
static struct lab_judgement judge_within(const struct lab_row *row, double simulated, double low,
                                         double high)
{
    double widen = larger(row->tolerance_pct, row->spread_pct) / 100;
    struct lab_judgement j = { .error_pct = 0 };

    if (simulated < low)
        j.error_pct = percent_off(simulated, low);
    else if (simulated > high)
        j.error_pct = percent_off(simulated, high);
    j.pass = simulated >= low * (1 - widen) - 1e-12 && simulated <= high * (1 + widen) + 1e-12;
    return j;
}

struct lab_judgement lab_judge(const struct lab_row *row, double simulated, double other)
{
    double widen = row->tolerance_pct / 100;

    switch (row->relation) {
    case LAB_EQ:
    case LAB_APPROX:
        return judge_near(row, simulated);
    case LAB_LE:
    case LAB_RATIO_LE:
        return judge_within(row, simulated, -INFINITY, row->value);
    case LAB_GE:
    case LAB_RATIO_GE:
        return judge_within(row, simulated, row->value, INFINITY);
    case LAB_BETWEEN:
    case LAB_RATIO_BETWEEN:
        return judge_within(row, simulated, row->value, row->value2);
    case LAB_LESS_THAN:
        return (struct lab_judgement){ simulated < other * (1 + widen),
                                       percent_off(simulated, other) };
    case LAB_GREATER_THAN:
        return (struct lab_judgement){ simulated > other * (1 - widen),
                                       percent_off(simulated, other) };
    case LAB_PEAK_AT: /* a place on a grid: the 5 % of a value do not apply */
        return (struct lab_judgement){ fabs(percent_off(simulated, row->value)) <=
                                           row->tolerance_pct,
                                       percent_off(simulated, row->value) };
    case LAB_CROSSOVER: /* the last place of the first order, and the first of the reverse */
        return (struct lab_judgement){ simulated >= row->value && simulated < row->value2 &&
                                           other <= row->value2,
                                       percent_off(simulated, row->value) };
    }
    return (struct lab_judgement){ false, 0 };
}
