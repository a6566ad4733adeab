#include "tools/lab/run/run.h"

#include "tools/load/value.h"

#include <inttypes.h>
#include <string.h>

const char *lab_run_text(const struct lab_run *run, struct load_arena *arena)
{
    const char *text = load_text(arena, "%s platform=%s %s", run->machine,
                                 run->platform != NULL ? run->platform : "-",
                                 run->program != NULL ? run->program : "-");

    for (unsigned i = 0; i < run->nargs; i++)
        text = load_text(arena, "%s %s", text, run->args[i]);
    for (unsigned i = 0; i < run->nranks; i++)
        text = load_text(arena, "%s @%u", text, run->nodes[i]);
    if (run->mpi != NULL)
        text = load_text(arena, "%s --mpi %s", text, run->mpi);
    if (run->gasnet != NULL)
        text = load_text(arena, "%s --gasnet %s", text, run->gasnet);
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

void lab_result_write_stat(FILE *out, const struct lab_stat *stat)
{
    lab_line_write(out, LAB_LINE_STAT, "%" PRIu64 " %s %s\n", stat->value, stat->unit, stat->path);
}

void lab_result_write_prints(FILE *out, struct sim_fingerprint print)
{
    lab_line_write(out, LAB_LINE_FINGERPRINT,
                   "visible=0x%" PRIx64 " wire=0x%" PRIx64 " edge=0x%" PRIx64 "\n", print.visible,
                   print.wire, print.edge);
}

/** "VALUE UNIT PATH" */
static void parse_stat(const char *p, size_t n, struct load_arena *arena, struct lab_stat *stat)
{
    const char *text = load_text(arena, "%.*s", (int)n, p);
    int value = (int)strcspn(text, " ");
    int unit = text[value] != '\0' ? (int)strcspn(text + value + 1, " ") : 0;

    if (unit == 0 || text[value + 1 + unit] == '\0' ||
        !load_number(load_text(arena, "%.*s", value, text), false, &stat->value))
        load_raise(SIM_ERR_CONFIG, "stat %s: expected a number, a unit and a path", text);
    stat->unit = load_text(arena, "%.*s", unit, text + value + 1);
    stat->path = text + value + 1 + unit + 1;
}

static void parse_fingerprint(const char *p, size_t n, struct load_arena *arena,
                              struct lab_result *result)
{
    struct lab_line line = lab_line_parse(p, n, arena);

    (void)lab_line_get(&line, "visible", &result->print.visible);
    (void)lab_line_get(&line, "wire", &result->print.wire);
    (void)lab_line_get(&line, "edge", &result->print.edge);
}

void lab_result_parse(const char *text, struct load_arena *arena, struct lab_result *result)
{
    const struct {
        struct lab_line **lines;
        unsigned *n;
    } pairs[] = { [LAB_LINE_RESULT] = { &result->lines, &result->nlines },
                  [LAB_LINE_TRAFFIC] = { &result->traffic, &result->ntraffic },
                  [LAB_LINE_FAULT] = { &result->faults, &result->nfaults },
                  [LAB_LINE_USAGE] = { &result->usage, &result->nusage } };
    enum { NPAIRS = SIM_COUNT(pairs) };

    *result = (struct lab_result){ 0 };
    for (unsigned k = 0; k < NPAIRS; k++)
        *pairs[k].lines = load_alloc(arena, lab_line_count(text, k) * sizeof(struct lab_line));
    result->stats = load_alloc(arena, lab_line_count(text, LAB_LINE_STAT) * sizeof(*result->stats));
    while (*text != '\0') {
        const char *end = text + strcspn(text, "\n"), *body;

        for (unsigned k = 0; k < NPAIRS; k++)
            if ((body = lab_line_body(text, k)) != NULL)
                (*pairs[k].lines)[(*pairs[k].n)++] =
                    lab_line_parse(body, (size_t)(end - body), arena);
        if ((body = lab_line_body(text, LAB_LINE_STAT)) != NULL)
            parse_stat(body, (size_t)(end - body), arena, &result->stats[result->nstats++]);
        else if ((body = lab_line_body(text, LAB_LINE_FINGERPRINT)) != NULL)
            parse_fingerprint(body, (size_t)(end - body), arena, result);
        text = end + (*end == '\n');
    }
}

struct parsing {
    const char *text;
    struct load_arena *arena;
    struct lab_result *result;
};

static void parse(void *arg)
{
    const struct parsing *parsing = arg;

    lab_result_parse(parsing->text, parsing->arena, parsing->result);
}

int lab_result_try(const char *text, struct load_arena *arena, struct lab_result *result,
                   struct sim_error *err)
{
    return load_attempt(parse, &(struct parsing){ text, arena, result }, err);
}
