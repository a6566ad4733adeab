#include "tools/lab/format/line.h"

#include "tools/load/value.h"

#include <stdarg.h>
#include <string.h>

static const char *const kinds[LAB_LINE_KINDS] = {
    [LAB_LINE_RESULT] = "result ", [LAB_LINE_TRAFFIC] = "traffic ",
    [LAB_LINE_FAULT] = "fault ",   [LAB_LINE_USAGE] = "usage ",
    [LAB_LINE_STAT] = "stat ",     [LAB_LINE_FINGERPRINT] = "fingerprint ",
    [LAB_LINE_BOUND] = "bound ",
};

void lab_line_write(FILE *out, enum lab_line_kind kind, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    fputs(kinds[kind], out);
    vfprintf(out, fmt, args);
    va_end(args);
}

const char *lab_line_body(const char *text, enum lab_line_kind kind)
{
    size_t n = strlen(kinds[kind]);

    return strncmp(text, kinds[kind], n) == 0 ? text + n : NULL;
}

unsigned lab_line_count(const char *text, enum lab_line_kind kind)
{
    unsigned n = 0;

    for (; *text != '\0'; text += strcspn(text, "\n"), text += *text == '\n')
        n += lab_line_body(text, kind) != NULL;
    return n;
}

struct lab_line lab_line_parse(const char *body, size_t n, struct load_arena *arena)
{
    const char *text = load_text(arena, "%.*s", (int)n, body);
    struct lab_line line = { .pairs = load_alloc(arena, (n / 3 + 1) * sizeof(*line.pairs)) };

    for (const char *p = text; *(p += strspn(p, " ")) != '\0';) {
        int len = (int)strcspn(p, " ");
        const char *word = load_text(arena, "%.*s", len, p), *eq = strchr(word, '=');

        if (eq == NULL || eq == word)
            load_raise(SIM_ERR_CONFIG, "result %s: %s: expected key=value", text, word);
        line.pairs[line.n++] =
            (struct lab_pair){ load_text(arena, "%.*s", (int)(eq - word), word), eq + 1 };
        p += len;
    }
    return line;
}

bool lab_line_get(const struct lab_line *line, const char *key, uint64_t *value_p)
{
    for (unsigned i = 0; i < line->n; i++)
        if (strcmp(line->pairs[i].key, key) == 0)
            return load_number(line->pairs[i].value, false, value_p);
    return false;
}
