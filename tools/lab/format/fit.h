/* A table as text, no wider than the terminal. */
#ifndef LAB_FIT_H
#define LAB_FIT_H

#include "tools/lab/format/table.h"

SIM_BEGIN_DECLS

/** Columns that `out` has room for: COLUMNS, or what a terminal says; 0: as many as one likes. */
unsigned lab_fit_width(FILE *out);

/**
 * Cells of text are cut at spaces and go on in the next line, until the table is no wider than
 * `width`. What is still too wide comes in parts, one below the other, each with the first columns
 * by which the rows differ. With the first one only where those would take more than half.
 */
void lab_fit_write(const struct lab_table *t, unsigned width, FILE *out);

SIM_END_DECLS
#endif /* LAB_FIT_H */
