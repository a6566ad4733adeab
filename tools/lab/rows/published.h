/* Published measurements of real machines: rows of configs/published/SYSTEM.csv. */
#ifndef LAB_PUBLISHED_H
#define LAB_PUBLISHED_H

#include "tools/lab/format/csv.h"
#include "tools/lab/workload/setup.h"

SIM_BEGIN_DECLS

enum lab_relation {
    LAB_EQ,
    LAB_APPROX,
    LAB_LE,
    LAB_GE,
    LAB_BETWEEN,
    LAB_RATIO_LE,
    LAB_RATIO_GE,
    LAB_RATIO_BETWEEN,
    LAB_LESS_THAN,
    LAB_GREATER_THAN,
    LAB_PEAK_AT,
    LAB_CROSSOVER,
};

struct lab_row {
    const char *where; /* "configs/published/peach2.csv:12" */
    const char *id, *platform, *workload, *quantity, *unit, *source, *role;
    enum lab_relation relation;
    const char *relation_name;
    struct lab_setup setup;
    bool has_value, has_value2;
    double value, value2;
    double tolerance_pct, spread_pct;
};

struct lab_rows {
    unsigned n;
    struct lab_row *rows;
};

struct lab_rows lab_rows_read(const char *path, struct load_arena *arena);
struct lab_rows lab_rows_from(const struct lab_csv *csv, struct load_arena *arena);
/** Of all rows, in place of what they say. @param platform NULL: as they say */
void lab_rows_replace_platform(struct lab_rows *rows, const char *platform);
const struct lab_row *lab_rows_find(const struct lab_rows *rows, const char *id);

SIM_END_DECLS
#endif /* LAB_PUBLISHED_H */
