#define _POSIX_C_SOURCE 200809L /* fnmatch */
#include "tools/lab/format/table.h"

#include "tools/lab/format/csv.h"
#include "tools/lab/format/fit.h"
#include "tools/lab/format/out.h"

#include <fnmatch.h>
#include <stdarg.h>
#include <string.h>

#define CELL_MAX 1023   /* bytes */
#define BETWEEN  '\x1f' /* cells that are set together: no text has it */

void lab_table_init(struct lab_table *t, const struct lab_column *columns, unsigned n)
{
    SIM_ASSERT(n <= LAB_COLUMNS_MAX);
    *t = (struct lab_table){ .ncolumns = n, .columns = columns };
}

void lab_table_begin(struct lab_table *t, const char *columns)
{
    struct load_arena arena = { 0 };
    struct lab_column *list = NULL;
    unsigned n = 0, room = 0;

    for (size_t length; *columns != '\0'; columns += length + strspn(columns + length, "#, ")) {
        length = strcspn(columns, "#,");
        list = load_grow(&arena, list, n, &room, sizeof(*list));
        list[n++] = (struct lab_column){ load_text(&arena, "%.*s", (int)length, columns),
                                         columns[length] == '#' };
    }
    lab_table_init(t, list, n);
    t->arena = arena;
}

void lab_table_fini(struct lab_table *t)
{
    load_arena_fini(&t->arena);
}

unsigned lab_table_add(struct lab_table *t)
{
    t->cells = load_grow(&t->arena, t->cells, t->nrows, &t->room, t->ncolumns * sizeof(*t->cells));
    for (unsigned i = 0; i < t->ncolumns; i++)
        t->cells[(size_t)t->nrows * t->ncolumns + i] = "";
    return t->nrows++;
}

void lab_table_set(struct lab_table *t, unsigned row, unsigned column, const char *fmt, ...)
{
    const char between[] = { BETWEEN, '\0' };
    char format[256], text[4096];
    va_list args;

    SIM_ASSERT(row < t->nrows && strlen(fmt) < sizeof(format));
    memcpy(format, fmt, strlen(fmt) + 1);
    for (char *tab = format; (tab = strchr(tab, '\t')) != NULL;)
        *tab = BETWEEN;
    va_start(args, fmt);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    for (const char *cell = text;; cell++, column++) {
        size_t n = strcspn(cell, between);

        SIM_ASSERT(column < t->ncolumns);
        t->cells[(size_t)row * t->ncolumns + column] =
            load_text(&t->arena, "%.*s", n < CELL_MAX ? (int)n : CELL_MAX, cell);
        cell += n;
        if (*cell == '\0')
            break;
    }
}

const char *lab_table_get(const struct lab_table *t, unsigned row, unsigned column)
{
    return t->cells[(size_t)row * t->ncolumns + column];
}

void lab_table_choose(struct lab_table *t, unsigned column, const char *pattern)
{
    unsigned n = 0;

    for (unsigned r = 0; r < t->nrows; r++)
        if (fnmatch(pattern, lab_table_get(t, r, column), 0) == 0)
            memmove(&t->cells[(size_t)n++ * t->ncolumns], &t->cells[(size_t)r * t->ncolumns],
                    t->ncolumns * sizeof(*t->cells));
    t->nrows = n;
}

/** A letter of UTF-8 that YAML does not take raw, or as the end of a line: YAML 1.1, 5.1 and 5.4.
 * @return its bytes; 0: the next byte is none of these */
static unsigned find_special(const unsigned char *at, unsigned *letter_p)
{
    if (at[0] < 0x20 || at[0] == 0x7f) {
        *letter_p = at[0];
        return 1;
    }
    if (at[0] == 0xc2 && at[1] >= 0x80 && at[1] < 0xa0) { /* controls, and U+0085, next line */
        *letter_p = at[1];
        return 2;
    }
    if ((at[0] & 0xf0) != 0xe0 || (at[1] & 0xc0) != 0x80 || (at[2] & 0xc0) != 0x80)
        return 0;
    *letter_p = (at[0] & 0xfu) << 12 | (at[1] & 0x3fu) << 6 | (at[2] & 0x3fu);
    switch (*letter_p) {
    case 0x2028: /* line separator */
    case 0x2029: /* paragraph separator */
    case 0xfeff: /* byte order mark */
    case 0xfffe:
    case 0xffff:
        return 3;
    default:
        return 0;
    }
}

const char *lab_json_quote(const char *text, struct load_arena *arena)
{
    char *quoted = load_alloc(arena, 6 * strlen(text) + 3), *at = quoted;

    *at++ = '"';
    while (*text != '\0') {
        unsigned letter, n = find_special((const unsigned char *)text, &letter);

        if (n > 0)
            at += sprintf(at, "\\u%04x", letter);
        else if (*text == '"' || *text == '\\')
            at += sprintf(at, "\\%c", *text);
        else
            *at++ = *text;
        text += n > 0 ? n : 1;
    }
    *at = '"';
    return quoted;
}

void lab_json_text(FILE *out, const char *text)
{
    struct load_arena arena = { 0 };

    fputs(lab_json_quote(text, &arena), out);
    load_arena_fini(&arena);
}

const char *lab_table_text(const struct lab_table *t, unsigned line, unsigned column)
{
    return line == 0 ? t->columns[column].name : lab_table_get(t, line - 1, column);
}

static void write_csv(const struct lab_table *t, FILE *out)
{
    for (unsigned line = 0; line <= t->nrows; line++) {
        for (unsigned c = 0; c < t->ncolumns; c++) {
            fputs(c > 0 ? "," : "", out);
            lab_csv_write(out, lab_table_text(t, line, c));
        }
        fputc('\n', out);
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
        fputs(cell[0] != '\0' ? cell : "null", out);
}

static void write_json(const struct lab_table *t, FILE *out)
{
    fputs("[", out);
    for (unsigned r = 0; r < t->nrows; r++) {
        fputs(r > 0 ? ",\n  {" : "\n  {", out);
        for (unsigned c = 0; c < t->ncolumns; c++) {
            fputs(c > 0 ? ", " : "", out);
            lab_json_text(out, t->columns[c].name);
            fputs(": ", out);
            write_json_cell(out, lab_table_get(t, r, c), t->columns[c].number);
        }
        fputs("}", out);
    }
    fputs("\n]\n", out);
}

static void write_markdown(const struct lab_table *t, FILE *out)
{
    for (unsigned c = 0; c < t->ncolumns; c++)
        fprintf(out, "| %s ", t->columns[c].name);
    fputs("|\n", out);
    for (unsigned c = 0; c < t->ncolumns; c++)
        fputs(t->columns[c].number ? "|---:" : "|---", out);
    fputs("|\n", out);
    for (unsigned r = 0; r < t->nrows; r++) {
        for (unsigned c = 0; c < t->ncolumns; c++) {
            fputs("| ", out);
            for (const char *p = lab_table_get(t, r, c); *p != '\0'; p++)
                fprintf(out, *p == '|' ? "\\%c" : "%c", *p);
            fputc(' ', out);
        }
        fputs("|\n", out);
    }
}

void lab_table_write(const struct lab_table *t, enum lab_format format, FILE *out)
{
    switch (format) {
    case LAB_TEXT:
        lab_fit_write(t, lab_fit_width(out), out);
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

void lab_table_save(const struct lab_table *t, const char *path)
{
    FILE *f = lab_out_open(path);

    write_csv(t, f);
    lab_out_close(f, path);
}
