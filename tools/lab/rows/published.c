#include "tools/lab/rows/published.h"

#include "tools/lab/workload/plan.h"

#include <stdlib.h>
#include <string.h>

static const char *const columns[] = { "id",       "platform",      "workload", "setup",
                                       "quantity", "relation",      "value",    "value2",
                                       "unit",     "tolerance_pct", "source",   NULL };

static const char *const relations[] = {
    [LAB_EQ] = "eq",
    [LAB_APPROX] = "approx",
    [LAB_LE] = "le",
    [LAB_GE] = "ge",
    [LAB_BETWEEN] = "between",
    [LAB_RATIO_LE] = "ratio_le",
    [LAB_RATIO_GE] = "ratio_ge",
    [LAB_RATIO_BETWEEN] = "ratio_between",
    [LAB_LESS_THAN] = "less_than",
    [LAB_GREATER_THAN] = "greater_than",
    [LAB_PEAK_AT] = "peak_at",
    [LAB_CROSSOVER] = "crossover",
};

/** Messages are one line, and quote cells. */
static const char *one_line(struct load_arena *arena, const char *text)
{
    size_t n = strlen(text);
    char *copy = load_alloc(arena, n + 1);

    for (size_t i = 0; i < n; i++)
        copy[i] = (char)((unsigned char)text[i] < 0x20 ? ' ' : text[i]);
    return copy;
}

/** A decimal number of the whole text. */
static bool parse_real(const char *text, double *value_p)
{
    char *end;

    *value_p = strtod(text, &end);
    return end != text && *end == '\0' && strspn(text, "+-.0123456789eE") == strlen(text);
}

static void read_real(const struct lab_csv *csv, unsigned i, const char *column, const char *where,
                      bool *given_p, double *value_p)
{
    const char *text = lab_csv_cell(csv, i, column);

    *given_p = text[0] != '\0';
    if (*given_p && !parse_real(text, value_p))
        load_raise(SIM_ERR_CONFIG, "%s: %s = %s: expected a number", where, column, text);
}

static void read_relation(const char *text, struct lab_row *row)
{
    const unsigned n = SIM_COUNT(relations);

    for (unsigned i = 0; i < n; i++) {
        if (strcmp(relations[i], text) == 0) {
            row->relation = (enum lab_relation)i;
            row->relation_name = relations[i];
            return;
        }
    }
    load_raise(SIM_ERR_CONFIG, "%s: relation = %s: expected eq, approx, le, ge, ...", row->where,
               text);
}

/** Which of the values a relation needs. */
static void check_values(const struct lab_row *row)
{
    bool order = row->relation == LAB_LESS_THAN || row->relation == LAB_GREATER_THAN;
    bool two = row->relation == LAB_BETWEEN || row->relation == LAB_RATIO_BETWEEN ||
               row->relation == LAB_CROSSOVER;

    if (row->has_value == order || row->has_value2 != two)
        load_raise(SIM_ERR_CONFIG, "%s: relation = %s: expected %s", row->where, row->relation_name,
                   order ? "no value"
                   : two ? "value and value2"
                         : "value and no value2");
}

static void read_row(const struct lab_csv *csv, unsigned i, struct load_arena *arena,
                     struct lab_row *row)
{
    const char *needs = lab_csv_cell(csv, i, "needs"), *spread;
    bool given;

    row->where = load_text(arena, "%s:%u", csv->file, csv->row_lines[i]);
    row->id = lab_csv_cell(csv, i, "id");
    row->platform = lab_csv_cell(csv, i, "platform");
    row->workload = lab_csv_cell(csv, i, "workload");
    row->quantity = lab_csv_cell(csv, i, "quantity");
    row->unit = lab_csv_cell(csv, i, "unit");
    row->source = lab_csv_cell(csv, i, "source");
    row->role = lab_csv_cell(csv, i, "role");
    if (strcmp(needs, "") != 0 && strcmp(needs, "ib-mpi") != 0)
        load_raise(SIM_ERR_CONFIG, "%s: needs = %s: expected ib-mpi or nothing", row->where, needs);
    read_relation(lab_csv_cell(csv, i, "relation"), row);
    read_real(csv, i, "value", row->where, &row->has_value, &row->value);
    read_real(csv, i, "value2", row->where, &row->has_value2, &row->value2);
    read_real(csv, i, "tolerance_pct", row->where, &given, &row->tolerance_pct);
    check_values(row);
    row->setup = lab_setup_parse(lab_csv_cell(csv, i, "setup"), row->where, arena);
    lab_words_values(row->workload, &row->setup, arena);
    spread = lab_setup_get(&row->setup, "spread_pct");
    if (spread != NULL && !parse_real(spread, &row->spread_pct))
        load_raise(SIM_ERR_CONFIG, "%s: setup spread_pct=%s: expected a number", row->where,
                   spread);
}

struct lab_rows lab_rows_from(const struct lab_csv *csv, struct load_arena *arena)
{
    struct lab_rows rows = { .n = csv->nrows };
    struct lab_csv tidy = *csv;
    size_t ncells = (size_t)csv->ncolumns * csv->nrows;
    const char **cells = load_alloc(arena, (ncells + 1) * sizeof(*cells));

    lab_csv_need(csv, columns);
    rows.rows = load_alloc(arena, rows.n * sizeof(*rows.rows));
    for (size_t i = 0; i < ncells; i++)
        cells[i] = one_line(arena, csv->cells[i]);
    tidy.cells = cells;
    for (unsigned i = 0; i < rows.n; i++) {
        struct lab_rows before = { i, rows.rows };
        const struct lab_row *same;

        read_row(&tidy, i, arena, &rows.rows[i]);
        same = lab_rows_find(&before, rows.rows[i].id);
        if (same != NULL)
            load_raise(SIM_ERR_CONFIG, "%s: id = %s: expected each id once; also at %s",
                       rows.rows[i].where, same->id, same->where);
    }
    return rows;
}

struct lab_rows lab_rows_read(const char *path, struct load_arena *arena)
{
    struct lab_csv csv = lab_csv_read(path, LOAD_FILE_BY_HAND, arena);

    return lab_rows_from(&csv, arena);
}

void lab_rows_replace_platform(struct lab_rows *rows, const char *platform)
{
    for (unsigned i = 0; platform != NULL && i < rows->n; i++)
        rows->rows[i].platform = platform;
}

const struct lab_row *lab_rows_find(const struct lab_rows *rows, const char *id)
{
    for (unsigned i = 0; i < rows->n; i++)
        if (strcmp(rows->rows[i].id, id) == 0)
            return &rows->rows[i];
    return NULL;
}
