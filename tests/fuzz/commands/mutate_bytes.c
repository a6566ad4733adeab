#include "mutate.h"

#include <string.h>

struct text {
    char *bytes;
    size_t n;
};

/** `cut` bytes at `at` give room to `with`. */
static struct text splice(const struct mutator *m, const char *bytes, size_t n, size_t at,
                          size_t cut, const char *with, size_t length)
{
    struct text out;

    if (at > n)
        at = n;
    if (cut > n - at)
        cut = n - at;
    out.n = n - cut + length;
    out.bytes = load_alloc(m->arena, out.n + 1);
    memcpy(out.bytes, bytes, at);
    memcpy(out.bytes + at, with, length);
    memcpy(out.bytes + at + length, bytes + at + cut, n - at - cut);
    return out;
}

/** Each line ends in CR and LF. */
static struct text crlf(const struct mutator *m, const char *bytes, size_t n)
{
    struct text out = { load_alloc(m->arena, 2 * n + 1), 0 };

    for (size_t i = 0; i < n; i++) {
        if (bytes[i] == '\n')
            out.bytes[out.n++] = '\r';
        out.bytes[out.n++] = bytes[i];
    }
    return out;
}

static struct text insert(const struct mutator *m, const char *bytes, size_t n, size_t at)
{
    static const struct {
        const char *bytes;
        size_t n;
    } strange[] = { { "\0", 1 },     { "\t", 1 },   { "\r", 1 },    { "\xff", 1 },
                    { "\xc3", 1 },   { "\x1b", 1 }, { "\"", 1 },    { "\xed\xa0\x80", 3 },
                    { "&a ", 3 },    { "*a", 2 },   { "---\n", 4 }, { "...\n", 4 },
                    { ": ", 2 },     { "\n", 1 },   { "#", 1 },     { ",", 1 },
                    { "!!int ", 6 }, { "%TAG", 4 }, { "? ", 2 },    { "- ", 2 } };
    size_t which = dice_below(m->dice, sizeof(strange) / sizeof(strange[0]));

    return splice(m, bytes, n, at, 0, strange[which].bytes, strange[which].n);
}

const char *mutate_bytes(const struct mutator *m, const char *bytes, size_t n, size_t *n_p)
{
    size_t at = dice_below(m->dice, n), length = dice_below(m->dice, n < 64 ? n : 64);
    const char *word;
    struct text out;
    char one;

    switch (dice_below(m->dice, 8)) {
    case 0:
        out = splice(m, bytes, n, at, n, "", 0); /* the end is missing */
        break;
    case 1:
        out = splice(m, bytes, n, at, length, "", 0);
        break;
    case 2:
        out = splice(m, bytes, n, dice_below(m->dice, n), 0, bytes + at,
                     length < n - at ? length : n - at);
        break;
    case 3:
        out = crlf(m, bytes, n);
        break;
    case 4:
        out = splice(m, bytes, n, 0, 0, "\xef\xbb\xbf", 3);
        break;
    case 5:
        word = mutate_word(m);
        out = splice(m, bytes, n, at, length, word, strlen(word));
        break;
    case 6:
        one = (char)dice_next(m->dice);
        out = splice(m, bytes, n, at, 1, &one, 1);
        break;
    default:
        out = insert(m, bytes, n, at);
        break;
    }
    *n_p = out.n;
    return out.bytes;
}

static const char *line_at(const char *text, size_t number)
{
    while (number-- > 0 && *text != '\0') {
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    return text;
}

/** The line with one cell in place of another's content; quoted cells are cut as they come. */
static const char *change_cell(const struct mutator *m, const char *line, size_t n)
{
    size_t at = dice_below(m->dice, n), from = at, to = at;

    while (from > 0 && strchr(",;=", line[from - 1]) == NULL)
        from--;
    while (to < n && strchr(",;=", line[to]) == NULL)
        to++;
    return load_text(m->arena, "%.*s%s%.*s", (int)from, line, mutate_word(m), (int)(n - to),
                     line + to);
}

const char *mutate_csv(const struct mutator *m, const char *bytes, unsigned times, size_t *n_p)
{
    size_t lines = 0, rows = 1 + dice_below(m->dice, 3);
    const char *out = load_text(m->arena, "%.*s", (int)strcspn(bytes, "\n"), bytes);

    for (const char *at = bytes; (at = strchr(at, '\n')) != NULL; at++)
        lines++;
    while (rows-- > 0) {
        const char *line = line_at(bytes, 1 + dice_below(m->dice, lines - 1));
        const char *row = load_text(m->arena, "%.*s", (int)strcspn(line, "\n"), line);

        for (unsigned i = 0; i < times && rows == 0; i++)
            row = change_cell(m, row, strlen(row));
        out = load_text(m->arena, "%s\n%s", out, row);
    }
    out = load_text(m->arena, "%s\n", out);
    *n_p = strlen(out);
    return out;
}
