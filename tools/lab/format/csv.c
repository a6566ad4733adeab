#include "tools/lab/format/csv.h"

#include <string.h>

struct reader {
    const char *file, *p, *end;
    unsigned line;
    struct load_arena *arena;
    unsigned nfields, room;
    const char **fields; /* of all rows so far, the header first */
};

static void add_field(struct reader *r, const char *text)
{
    r->fields = load_grow(r->arena, r->fields, r->nfields, &r->room, sizeof(*r->fields));
    r->fields[r->nfields++] = text;
}

static bool ends_field(char c)
{
    return c == ',' || c == '\r' || c == '\n';
}

/** From behind the opening quote to behind the closing one; "" stands for one quote. */
static void read_quoted(struct reader *r)
{
    char *text = load_alloc(r->arena, (size_t)(r->end - r->p) + 1);
    unsigned opened = r->line;
    size_t n = 0;

    for (; r->p < r->end; r->p++) {
        if (*r->p == '"' && r->p + 1 < r->end && r->p[1] == '"')
            r->p++;
        else if (*r->p == '"')
            break;
        r->line += *r->p == '\n';
        text[n++] = *r->p;
    }
    if (r->p == r->end)
        load_raise(SIM_ERR_CONFIG, "%s:%u: \": expected a closing quote", r->file, opened);
    r->p++;
    if (r->p < r->end && !ends_field(*r->p))
        load_raise(SIM_ERR_CONFIG, "%s:%u: \": expected a comma behind it", r->file, r->line);
    add_field(r, text);
}

static void read_plain(struct reader *r)
{
    const char *start = r->p;

    while (r->p < r->end && !ends_field(*r->p))
        r->p++;
    add_field(r, load_text(r->arena, "%.*s", (int)(r->p - start), start));
}

/** One line (longer with quoted line breaks); leaves `p` at the next one. */
static void read_row(struct reader *r)
{
    for (;;) {
        if (r->p < r->end && *r->p == '"') {
            r->p++;
            read_quoted(r);
        } else {
            read_plain(r);
        }
        if (r->p == r->end || *r->p != ',')
            break;
        r->p++;
    }
    r->p += r->p < r->end && *r->p == '\r';
    r->p += r->p < r->end && *r->p == '\n';
    r->line++;
}

/** At least the number of rows: a lone carriage return ends one too. */
static unsigned count_lines(const char *text, size_t n)
{
    unsigned lines = 1;

    for (size_t i = 0; i < n; i++)
        lines += text[i] == '\n' || text[i] == '\r';
    return lines;
}

struct lab_csv lab_csv_parse(const char *name, const char *text, size_t n, struct load_arena *arena)
{
    static const char mark[] = "\xef\xbb\xbf"; /* that the text is UTF-8, as spreadsheets write */
    bool marked = n >= strlen(mark) && memcmp(text, mark, strlen(mark)) == 0;
    struct reader r = {
        .p = text + (marked ? strlen(mark) : 0), .end = text + n, .line = 1, .arena = arena
    };
    unsigned *lines = load_alloc(arena, count_lines(text, n) * sizeof(*lines));
    struct lab_csv csv = { .row_lines = lines };

    r.file = csv.file = load_text(arena, "%s", name);
    if (n > 0 && memchr(text, '\0', n) != NULL) /* ends texts here */
        load_raise(SIM_ERR_CONFIG, "%s: has bytes of 0: expected text", name);
    read_row(&r);
    csv.ncolumns = r.nfields;
    while (r.p < r.end) {
        unsigned line = r.line, before = r.nfields;

        if (*r.p == '\n' || *r.p == '\r') { /* an empty line */
            r.p++;
            r.line += r.p[-1] == '\n';
            continue;
        }
        read_row(&r);
        if (r.nfields - before != csv.ncolumns)
            load_raise(SIM_ERR_CONFIG, "%s:%u: %u fields: expected %u as in the header", csv.file,
                       line, r.nfields - before, csv.ncolumns);
        lines[csv.nrows++] = line;
    }
    csv.names = r.fields;
    csv.cells = r.fields + csv.ncolumns;
    return csv;
}

struct lab_csv lab_csv_read(const char *path, size_t max, struct load_arena *arena)
{
    struct load_arena scratch = { 0 };
    size_t n;
    const char *text = load_file_read(path, max, &scratch, &n);
    struct lab_csv csv = lab_csv_parse(path, text, n, arena);

    load_arena_fini(&scratch);
    return csv;
}

const char *lab_csv_cell(const struct lab_csv *csv, unsigned row, const char *column)
{
    for (unsigned i = 0; i < csv->ncolumns; i++)
        if (strcmp(csv->names[i], column) == 0)
            return csv->cells[(size_t)row * csv->ncolumns + i];
    return "";
}

void lab_csv_need(const struct lab_csv *csv, const char *const *columns)
{
    for (; *columns != NULL; columns++) {
        unsigned found = 0;

        for (unsigned i = 0; i < csv->ncolumns; i++)
            found += strcmp(csv->names[i], *columns) == 0;
        if (found != 1)
            load_raise(SIM_ERR_CONFIG, "%s:1: expected %s column %s", csv->file,
                       found == 0 ? "a" : "one", *columns);
    }
}

void lab_csv_write(FILE *out, const char *text)
{
    if (strpbrk(text, ",\"\r\n") == NULL) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}
