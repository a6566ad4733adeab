/* A table of texts, written for people, as CSV, as JSON or as Markdown. */
#ifndef LAB_TABLE_H
#define LAB_TABLE_H

#include <stdio.h>

#include "tools/load/arena.h"

SIM_BEGIN_DECLS

#define LAB_COLUMNS_MAX 64u

enum lab_format { LAB_TEXT, LAB_CSV, LAB_JSON, LAB_MARKDOWN };

struct lab_column {
    const char *name;
    bool number; /* right-aligned; bare in JSON, null when empty */
};

struct lab_table {
    unsigned ncolumns, nrows, room;
    const struct lab_column *columns; /* not copied */
    const char **cells;
    struct load_arena arena;
};

void lab_table_init(struct lab_table *t, const struct lab_column *columns, unsigned n);
/** Columns by name, those of numbers with a #: "name, size#". */
void lab_table_begin(struct lab_table *t, const char *columns);
void lab_table_fini(struct lab_table *t);
/** A new row of empty cells. */
unsigned lab_table_add(struct lab_table *t);
/** One cell, or with tabs in `fmt` several, from `column` on. */
void lab_table_set(struct lab_table *t, unsigned row, unsigned column, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
const char *lab_table_get(const struct lab_table *t, unsigned row, unsigned column);
/** Only the rows stay whose cell in `column` is like `pattern`, as fnmatch(3) says. */
void lab_table_choose(struct lab_table *t, unsigned column, const char *pattern);
/** The names of the columns are line 0, above row 0. */
const char *lab_table_text(const struct lab_table *t, unsigned line, unsigned column);
void lab_table_write(const struct lab_table *t, enum lab_format format, FILE *out);

/** As CSV, into a file. */
void lab_table_save(const struct lab_table *t, const char *path);

/** A JSON string with its quotes, from `arena` or to a stream. */
const char *lab_json_quote(const char *text, struct load_arena *arena);
void lab_json_text(FILE *out, const char *text);

SIM_END_DECLS
#endif /* LAB_TABLE_H */
