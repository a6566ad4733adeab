#include "tools/lab/run.h"

#include "tools/load/value.h"

#include <inttypes.h>
#include <string.h>

const char *lab_run_text(const struct lab_run *run, struct load_arena *arena)
{
    const char *text = load_text(arena, "%s platform=%s %s", run->machine,
                                 run->platform != NULL ? run->platform : "-", run->program);

    for (unsigned i = 0; i < run->nargs; i++)
        text = load_text(arena, "%s %s", text, run->args[i]);
    for (unsigned i = 0; i < run->nranks; i++)
        text = load_text(arena, "%s @%u", text, run->nodes[i]);
    for (unsigned i = 0; i < run->nsets; i++)
        text = load_text(arena, "%s --set %s", text, run->sets[i]);
    return load_text(arena, "%s seed=%" PRIu64, text, run->seed);
}

/** Reads "key=value" words up to the end of the line. */
static int parse_pairs(const char *p, size_t n, struct load_arena *arena, struct lab_line *line,
                       struct sim_error *err)
{
    const char *text = load_text(arena, "%.*s", (int)n, p);

    line->pairs = load_alloc(arena, (n / 3 + 1) * sizeof(*line->pairs));
    for (p = text; *(p += strspn(p, " ")) != '\0';) {
        int len = (int)strcspn(p, " ");
        const char *word = load_text(arena, "%.*s", len, p), *eq = strchr(word, '=');
        struct lab_pair *pair = &line->pairs[line->n];

        if (eq == NULL || eq == word)
            return sim_error_set(err, SIM_ERR_CONFIG, "result %s: %s: expected key=value", text,
                                 word);
        pair->value = eq + 1;
        pair->key = load_text(arena, "%.*s", (int)(eq - word), word);
        line->n++;
        p += len;
    }
    return SIM_OK;
}

static unsigned count_newlines(const char *text)
{
    unsigned n = 1;

    for (; *text != '\0'; text++)
        n += *text == '\n';
    return n;
}

int lab_result_parse(const char *text, struct load_arena *arena, struct lab_result *result,
                     struct sim_error *err)
{
    int rc = SIM_OK;

    *result = (struct lab_result){ 0 };
    result->lines = load_alloc(arena, count_newlines(text) * sizeof(*result->lines));
    result->traffic = load_alloc(arena, count_newlines(text) * sizeof(*result->traffic));
    while (*text != '\0' && rc == SIM_OK) {
        size_t n = strcspn(text, "\n");

        if (strncmp(text, "result ", 7) == 0) {
            rc = parse_pairs(text + 7, n - 7, arena, &result->lines[result->nlines++], err);
        } else if (strncmp(text, "traffic ", 8) == 0) {
            rc = parse_pairs(text + 8, n - 8, arena, &result->traffic[result->ntraffic++], err);
        } else if (strncmp(text, "fingerprint ", 12) == 0) {
            struct lab_line line = { 0 };

            rc = parse_pairs(text + 12, n - 12, arena, &line, err);
            (void)lab_line_get(&line, "visible", &result->visible);
            (void)lab_line_get(&line, "wire", &result->wire);
        }
        text += n + (text[n] == '\n');
    }
    return rc;
}

bool lab_line_get(const struct lab_line *line, const char *key, uint64_t *value_p)
{
    for (unsigned i = 0; i < line->n; i++)
        if (strcmp(line->pairs[i].key, key) == 0)
            return load_number(line->pairs[i].value, false, value_p);
    return false;
}
