#define _GNU_SOURCE /* qsort_r; TIOCGWINSZ and its structure */
#include "tools/lab/format/fit.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define BETWEEN   2u  /* spaces between columns */
#define NARROWEST 16u /* a column of text is not made narrower */

unsigned lab_fit_width(FILE *out)
{
    const char *columns = getenv("COLUMNS");
    unsigned long n = columns != NULL ? strtoul(columns, NULL, 10) : 0;
    struct winsize size;

    if (n > 0 && n <= 10000)
        return (unsigned)n;
    return isatty(fileno(out)) && ioctl(fileno(out), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

struct part {
    unsigned keys;       /* columns that each part begins with */
    unsigned first, end; /* columns beside them */
};

static unsigned next_column(struct part part, unsigned column)
{
    return column + 1 == part.keys ? part.first : column + 1;
}

static unsigned total_of(const unsigned *widths, struct part part)
{
    unsigned total = widths[0];

    for (unsigned c = next_column(part, 0); c < part.end; c = next_column(part, c))
        total += BETWEEN + widths[c];
    return total;
}

static void measure(const struct lab_table *t, unsigned *widths)
{
    for (unsigned line = 0; line <= t->nrows; line++)
        for (unsigned c = 0; c < t->ncolumns; c++) {
            unsigned n = (unsigned)strlen(lab_table_text(t, line, c));

            if (line == 0 || n > widths[c])
                widths[c] = n;
        }
}

/** The widest column of text gives way first; rows keep what they begin with. */
static void shrink(const struct lab_table *t, unsigned *widths, struct part part, unsigned width)
{
    while (total_of(widths, part) > width) {
        unsigned widest = 0;

        for (unsigned c = next_column(part, 0); c < part.end; c = next_column(part, c))
            if (!t->columns[c].number && widths[c] > NARROWEST &&
                (widest == 0 || widths[c] > widths[widest]))
                widest = c;
        if (widest == 0)
            return;
        widths[widest]--;
    }
}

/** How much of `text` goes into a line of a cell. */
static size_t piece(const char *text, unsigned width)
{
    size_t n = strlen(text), cut = width;

    if (n <= width)
        return n;
    while (cut > 0 && text[cut] != ' ')
        cut--;
    return cut > 0 ? cut : width;
}

static void write_line(const struct lab_table *t, const unsigned *widths, struct part part,
                       unsigned line, FILE *out)
{
    const char *rest[LAB_COLUMNS_MAX];
    bool more = true;

    for (unsigned c = 0; c < t->ncolumns; c++)
        rest[c] = lab_table_text(t, line, c);
    while (more) {
        unsigned gap = 0; /* spaces that wait for what is behind them */

        more = false;
        for (unsigned c = 0; c < part.end; c = next_column(part, c)) {
            size_t n = piece(rest[c], widths[c]);
            unsigned spare = widths[c] - (unsigned)n;

            if (t->columns[c].number)
                gap += spare;
            if (n > 0) {
                fprintf(out, "%*s%.*s", (int)gap, "", (int)n, rest[c]);
                gap = 0;
            }
            gap += BETWEEN + (t->columns[c].number ? 0 : spare);
            rest[c] += n + strspn(rest[c] + n, " ");
            more |= *rest[c] != '\0';
        }
        fputc('\n', out);
    }
}

/** The first column in which two rows differ; the number of columns: none. */
static unsigned differ_at(const struct lab_table *t, unsigned a, unsigned b)
{
    unsigned c = 0;

    while (c < t->ncolumns && strcmp(lab_table_get(t, a, c), lab_table_get(t, b, c)) == 0)
        c++;
    return c;
}

static int compare_rows(const void *a, const void *b, void *table)
{
    const struct lab_table *t = table;
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b, c = differ_at(t, x, y);

    return c < t->ncolumns ? strcmp(lab_table_get(t, x, c), lab_table_get(t, y, c)) : 0;
}

/** By so many of the first columns rows differ that do so at all; one at least. */
static unsigned count_keys(const struct lab_table *t)
{
    unsigned *rows = calloc(t->nrows + 1, sizeof(*rows)), keys = 1;

    if (rows == NULL)
        return keys;
    for (unsigned i = 0; i < t->nrows; i++)
        rows[i] = i;
    qsort_r(rows, t->nrows, sizeof(*rows), compare_rows, (void *)(uintptr_t)t);
    for (unsigned i = 1; i < t->nrows; i++) {
        unsigned at = differ_at(t, rows[i - 1], rows[i]);

        if (at < t->ncolumns && at + 1 > keys)
            keys = at + 1;
    }
    free(rows);
    return keys;
}

/** The most columns that fit, with `widths` as they are then; one beside the keys at least. */
static void choose_end(const struct lab_table *t, unsigned *widths, struct part *part,
                       unsigned width)
{
    unsigned narrow[LAB_COLUMNS_MAX];

    for (part->end = t->ncolumns;; part->end--) {
        memcpy(narrow, widths, sizeof(narrow));
        shrink(t, narrow, *part, width);
        if (total_of(narrow, *part) <= width || part->end <= part->first + 1)
            break;
    }
    memcpy(widths, narrow, sizeof(narrow));
}

/** Keys that leave no room for a column beside them are not repeated, but for the first one. */
static unsigned repeated_keys(const struct lab_table *t, const unsigned *widths, unsigned width)
{
    struct part keys = { .keys = count_keys(t) };
    unsigned narrow[LAB_COLUMNS_MAX];

    keys.first = keys.end = keys.keys;
    memcpy(narrow, widths, sizeof(narrow));
    shrink(t, narrow, keys, width / 2);
    return total_of(narrow, keys) <= width / 2 ? keys.keys : 1;
}

void lab_fit_write(const struct lab_table *t, unsigned width, FILE *out)
{
    unsigned widths[LAB_COLUMNS_MAX] = { 0 };
    struct part part = { 1, 1, 1 };

    width = width != 0 ? width : UINT_MAX;
    measure(t, widths);
    choose_end(t, widths, &part, width);
    if (part.end < t->ncolumns) {
        measure(t, widths);
        part.keys = part.first = repeated_keys(t, widths, width);
    }
    do {
        if (part.first > part.keys)
            fputc('\n', out);
        choose_end(t, widths, &part, width);
        for (unsigned line = 0; line <= t->nrows; line++)
            write_line(t, widths, part, line, out);
        part.first = part.end;
    } while (part.end < t->ncolumns);
}
