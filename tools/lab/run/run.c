#include "tools/lab/run/run.h"

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
    if (run->mpi != NULL)
        text = load_text(arena, "%s --mpi %s", text, run->mpi);
    if (run->algorithms != NULL)
        text = load_text(arena, "%s --algorithm %s", text, run->algorithms);
    for (unsigned i = 0; i < run->nfixed; i++)
        text = load_text(arena, "%s --set %s", text, run->fixed[i]);
    for (unsigned i = 0; i < run->nsets; i++)
        text = load_text(arena, "%s --set %s", text, run->sets[i]);
    for (unsigned i = 0; i < run->nfaults; i++)
        text = load_text(arena, "%s --faults %s", text, run->faults[i]);
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

/** Those that begin with `head`. */
static unsigned count_lines(const char *text, const char *head)
{
    size_t length = strlen(head);
    unsigned n = 0;

    for (; *text != '\0'; text += strcspn(text, "\n"), text += *text == '\n')
        n += strncmp(text, head, length) == 0;
    return n;
}

/** "VALUE UNIT PATH" */
static int parse_stat(const char *p, size_t n, struct load_arena *arena, struct lab_stat *stat,
                      struct sim_error *err)
{
    const char *text = load_text(arena, "%.*s", (int)n, p);
    int value = (int)strcspn(text, " ");
    int unit = text[value] != '\0' ? (int)strcspn(text + value + 1, " ") : 0;

    if (unit == 0 || text[value + 1 + unit] == '\0' ||
        !load_number(load_text(arena, "%.*s", value, text), false, &stat->value))
        return sim_error_set(err, SIM_ERR_CONFIG, "stat %s: expected a number, a unit and a path",
                             text);
    stat->unit = load_text(arena, "%.*s", unit, text + value + 1);
    stat->path = text + value + 1 + unit + 1;
    return SIM_OK;
}

static int parse_fingerprint(const char *p, size_t n, struct load_arena *arena,
                             struct lab_result *result, struct sim_error *err)
{
    struct lab_line line = { 0 };
    int rc = parse_pairs(p, n, arena, &line, err);

    (void)lab_line_get(&line, "visible", &result->visible);
    (void)lab_line_get(&line, "wire", &result->wire);
    return rc;
}

int lab_result_parse(const char *text, struct load_arena *arena, struct lab_result *result,
                     struct sim_error *err)
{
    const struct {
        const char *head;
        struct lab_line **lines;
        unsigned *n;
    } kinds[] = { { "result ", &result->lines, &result->nlines },
                  { "traffic ", &result->traffic, &result->ntraffic },
                  { "fault ", &result->faults, &result->nfaults },
                  { "usage ", &result->usage, &result->nusage } };
    enum { NKINDS = sizeof(kinds) / sizeof(kinds[0]) };
    int rc = SIM_OK;

    *result = (struct lab_result){ 0 };
    for (unsigned k = 0; k < NKINDS; k++)
        *kinds[k].lines =
            load_alloc(arena, count_lines(text, kinds[k].head) * sizeof(struct lab_line));
    result->stats = load_alloc(arena, count_lines(text, "stat ") * sizeof(*result->stats));
    while (*text != '\0' && rc == SIM_OK) {
        size_t n = strcspn(text, "\n"), head;

        for (unsigned k = 0; k < NKINDS && rc == SIM_OK; k++) {
            head = strlen(kinds[k].head);
            if (strncmp(text, kinds[k].head, head) == 0)
                rc = parse_pairs(text + head, n - head, arena, &(*kinds[k].lines)[(*kinds[k].n)++],
                                 err);
        }
        if (strncmp(text, "stat ", 5) == 0)
            rc = parse_stat(text + 5, n - 5, arena, &result->stats[result->nstats++], err);
        else if (strncmp(text, "fingerprint ", 12) == 0)
            rc = parse_fingerprint(text + 12, n - 12, arena, result, err);
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
