/* Tables of comma-separated values with a header line (RFC 4180). */
#ifndef LAB_CSV_H
#define LAB_CSV_H

#include <stdio.h>

#include "tools/load/arena.h"
#include "tools/load/file.h"

SIM_BEGIN_DECLS

struct lab_csv {
    const char *file;
    unsigned ncolumns, nrows; /* rows without the header */
    const char *const *names;
    const char *const *cells;  /* row by row */
    const unsigned *row_lines; /* where each row begins in the file */
};

/** Every row must have as many fields as the header; a UTF-8 mark may stand before it. Lives in
 * `arena`.
 * @param max bytes of the file: LOAD_FILE_BY_HAND or LOAD_FILE_BY_HUBSIM */
struct lab_csv lab_csv_read(const char *path, size_t max, struct load_arena *arena);
struct lab_csv lab_csv_parse(const char *name, const char *text, size_t n,
                             struct load_arena *arena);
/** "" when there is no such column. */
const char *lab_csv_cell(const struct lab_csv *csv, unsigned row, const char *column);

/** Raises unless each of the columns (NULL at their end) is there once. */
void lab_csv_need(const struct lab_csv *csv, const char *const *columns);

/** One field, quoted where it must be. */
void lab_csv_write(FILE *out, const char *text);

SIM_END_DECLS
#endif /* LAB_CSV_H */
