#define _DEFAULT_SOURCE /* TIOCGWINSZ and its structure */
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
    unsigned first, end; /* columns, beside column 0 */
};

static unsigned next_column(struct part part, unsigned column)
{
    return column == 0 ? part.first : column + 1;
}

static unsigned total_of(const unsigned *widths, struct part part)
{
    unsigned total = widths[0];

    for (unsigned c = part.first; c < part.end; c++)
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

        for (unsigned c = part.first; c < part.end; c++)
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

/** The most columns from `first` on that fit, with `widths` as they are then; one at least. */
static unsigned end_of_part(const struct lab_table *t, unsigned *widths, unsigned first,
                            unsigned width)
{
    unsigned narrow[LAB_COLUMNS_MAX];
    struct part part = { first, t->ncolumns };

    for (;; part.end--) {
        memcpy(narrow, widths, sizeof(narrow));
        shrink(t, narrow, part, width);
        if (total_of(narrow, part) <= width || part.end <= first + 1)
            break;
    }
    memcpy(widths, narrow, sizeof(narrow));
    return part.end;
}

void lab_fit_write(const struct lab_table *t, unsigned width, FILE *out)
{
    unsigned widths[LAB_COLUMNS_MAX] = { 0 };
    struct part part = { 1, 1 };

    measure(t, widths);
    do {
        if (part.first > 1)
            fputc('\n', out);
        part.end = end_of_part(t, widths, part.first, width != 0 ? width : UINT_MAX);
        for (unsigned line = 0; line <= t->nrows; line++)
            write_line(t, widths, part, line, out);
        part.first = part.end;
    } while (part.end < t->ncolumns);
}
