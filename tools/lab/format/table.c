#include "tools/lab/format/table.h"

#include "tools/lab/format/csv.h"

#include <stdarg.h>
#include <string.h>

#define COLUMNS_MAX 64u

void lab_table_init(struct lab_table *t, const struct lab_column *columns, unsigned n)
{
    SIM_ASSERT(n <= COLUMNS_MAX);
    *t = (struct lab_table){ .ncolumns = n, .columns = columns };
}

void lab_table_fini(struct lab_table *t)
{
    load_arena_fini(&t->arena);
}

unsigned lab_table_add(struct lab_table *t)
{
    if (t->nrows == t->room) {
        const char **bigger;

        t->room = t->room * 2 + 32;
        bigger = load_alloc(&t->arena, (size_t)t->room * t->ncolumns * sizeof(*bigger));
        if (t->nrows > 0)
            memcpy(bigger, t->cells, (size_t)t->nrows * t->ncolumns * sizeof(*bigger));
        t->cells = bigger;
    }
    for (unsigned i = 0; i < t->ncolumns; i++)
        t->cells[(size_t)t->nrows * t->ncolumns + i] = "";
    return t->nrows++;
}

void lab_table_set(struct lab_table *t, unsigned row, unsigned column, const char *fmt, ...)
{
    char text[1024];
    va_list args;

    SIM_ASSERT(row < t->nrows && column < t->ncolumns);
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    t->cells[(size_t)row * t->ncolumns + column] = load_text(&t->arena, "%s", text);
}

const char *lab_table_get(const struct lab_table *t, unsigned row, unsigned column)
{
    return t->cells[(size_t)row * t->ncolumns + column];
}

void lab_json_text(FILE *out, const char *text)
{
    (void)fputc('"', out);
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;

        if (c == '"' || c == '\\')
            (void)fprintf(out, "\\%c", c);
        else if (c < 0x20)
            (void)fprintf(out, "\\u%04x", c);
        else
            (void)fputc(c, out);
    }
    (void)fputc('"', out);
}

static void write_csv(const struct lab_table *t, FILE *out)
{
    for (unsigned c = 0; c < t->ncolumns; c++)
        (void)fprintf(out, "%s%s", c > 0 ? "," : "", t->columns[c].name);
    (void)fputc('\n', out);
    for (unsigned r = 0; r < t->nrows; r++) {
        for (unsigned c = 0; c < t->ncolumns; c++) {
            if (c > 0)
                (void)fputc(',', out);
            lab_csv_write(out, lab_table_get(t, r, c));
        }
        (void)fputc('\n', out);
    }
}

static size_t digits(const char *text)
{
    return strspn(text, "0123456789");
}

/** By JSON's own grammar (RFC 8259, 6): no sign but minus, no leading zero, digits on both sides
 * of a point. */
static bool is_json_number(const char *text)
{
    text += *text == '-';
    if (digits(text) == 0 || (*text == '0' && digits(text) > 1))
        return false;
    text += digits(text);
    if (*text == '.') {
        if (digits(text + 1) == 0)
            return false;
        text += 1 + digits(text + 1);
    }
    if (*text == 'e' || *text == 'E') {
        text += 1 + (text[1] == '-' || text[1] == '+');
        if (digits(text) == 0)
            return false;
        text += digits(text);
    }
    return *text == '\0';
}

/** A column of numbers may hold a word too: the choice "uc" among the values of parameters. */
static void write_json_cell(FILE *out, const char *cell, bool number)
{
    if (!number || (cell[0] != '\0' && !is_json_number(cell)))
        lab_json_text(out, cell);
    else
        (void)fputs(cell[0] != '\0' ? cell : "null", out);
}

static void write_json(const struct lab_table *t, FILE *out)
{
    (void)fputs("[", out);
    for (unsigned r = 0; r < t->nrows; r++) {
        (void)fputs(r > 0 ? ",\n  {" : "\n  {", out);
        for (unsigned c = 0; c < t->ncolumns; c++) {
            (void)fputs(c > 0 ? ", " : "", out);
            lab_json_text(out, t->columns[c].name);
            (void)fputs(": ", out);
            write_json_cell(out, lab_table_get(t, r, c), t->columns[c].number);
        }
        (void)fputs("}", out);
    }
    (void)fputs("\n]\n", out);
}

static void write_markdown(const struct lab_table *t, FILE *out)
{
    for (unsigned c = 0; c < t->ncolumns; c++)
        (void)fprintf(out, "| %s ", t->columns[c].name);
    (void)fputs("|\n", out);
    for (unsigned c = 0; c < t->ncolumns; c++)
        (void)fputs(t->columns[c].number ? "|---:" : "|---", out);
    (void)fputs("|\n", out);
    for (unsigned r = 0; r < t->nrows; r++) {
        for (unsigned c = 0; c < t->ncolumns; c++) {
            (void)fputs("| ", out);
            for (const char *p = lab_table_get(t, r, c); *p != '\0'; p++)
                (void)fprintf(out, *p == '|' ? "\\%c" : "%c", *p);
            (void)fputc(' ', out);
        }
        (void)fputs("|\n", out);
    }
}

static void write_padded(FILE *out, const char *text, int width, bool right, bool last)
{
    if (right)
        (void)fprintf(out, "%*s", width, text);
    else if (last)
        (void)fputs(text, out);
    else
        (void)fprintf(out, "%-*s", width, text);
    (void)fputs(last ? "\n" : "  ", out);
}

static void write_text(const struct lab_table *t, FILE *out)
{
    int widths[COLUMNS_MAX];

    for (unsigned c = 0; c < t->ncolumns; c++) {
        widths[c] = (int)strlen(t->columns[c].name);
        for (unsigned r = 0; r < t->nrows; r++) {
            int n = (int)strlen(lab_table_get(t, r, c));

            if (n > widths[c])
                widths[c] = n;
        }
    }
    for (unsigned c = 0; c < t->ncolumns; c++)
        write_padded(out, t->columns[c].name, widths[c], t->columns[c].number,
                     c + 1 == t->ncolumns);
    for (unsigned r = 0; r < t->nrows; r++)
        for (unsigned c = 0; c < t->ncolumns; c++)
            write_padded(out, lab_table_get(t, r, c), widths[c], t->columns[c].number,
                         c + 1 == t->ncolumns);
}

void lab_table_write(const struct lab_table *t, enum lab_format format, FILE *out)
{
    switch (format) {
    case LAB_TEXT:
        write_text(t, out);
        return;
    case LAB_CSV:
        write_csv(t, out);
        return;
    case LAB_JSON:
        write_json(t, out);
        return;
    case LAB_MARKDOWN:
        write_markdown(t, out);
        return;
    }
}
