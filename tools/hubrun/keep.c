#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "tools/hubrun/keep.h"

#include "tools/lab/format/index.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct line { /* that a rank printed as its result */
    unsigned rank;
    struct lab_line pairs;
    struct line *next;
};

struct rank {
    uint64_t output; /* hash of all its lines */
    unsigned nlines, exit_code, node, nresults;
    sim_time_t end_ps;
};

struct keep {
    struct load_arena *arena;
    const char *program; /* the hash of its file */
    unsigned nranks, room;
    struct rank *ranks;
    struct line *first, **last_p;
    bool checked;
    struct lab_checks checks;
    const char *mistakes[LAUNCH_FOUND_MAX];
    FILE *stream;
    char *text; /* what was written to `stream` */
    size_t n;
};

static void close_stream(void *arg)
{
    struct keep *keep = arg;

    (void)fclose(keep->stream);
    free(keep->text);
}

struct keep *keep_create(struct load_arena *arena, const char *program)
{
    struct keep *keep = load_alloc(arena, sizeof(*keep));

    keep->arena = arena;
    keep->program = load_text(arena, "%016" PRIx64, lab_hash_file(0, program));
    keep->last_p = &keep->first;
    keep->checks.mistakes = keep->mistakes;
    keep->stream = open_memstream(&keep->text, &keep->n);
    SIM_ASSERT(keep->stream != NULL);
    return load_own(arena, close_stream, keep);
}

FILE *keep_stream(struct keep *keep)
{
    return keep->stream;
}

static struct rank *rank_of(struct keep *keep, unsigned rank)
{
    if (rank >= keep->room) {
        struct rank *bigger;
        unsigned room = 2 * rank + 16;

        bigger = load_alloc(keep->arena, room * sizeof(*bigger));
        if (keep->room > 0)
            memcpy(bigger, keep->ranks, keep->room * sizeof(*bigger));
        keep->ranks = bigger;
        keep->room = room;
    }
    if (rank >= keep->nranks)
        keep->nranks = rank + 1;
    return &keep->ranks[rank];
}

void keep_line(struct keep *keep, unsigned rank, bool is_stdout, const char *text)
{
    struct rank *r = rank_of(keep, rank);
    struct lab_result result;
    struct line *line;

    r->nlines++;
    r->output = sim_hash_bytes(r->output, &is_stdout, sizeof(is_stdout));
    r->output = sim_hash_bytes(r->output, text, strlen(text) + 1);
    if (!is_stdout || lab_line_body(text, LAB_LINE_RESULT) == NULL ||
        lab_result_try(text, keep->arena, &result, NULL) != SIM_OK)
        return;
    line = load_alloc(keep->arena, sizeof(*line));
    *line = (struct line){ .rank = rank, .pairs = result.lines[0] };
    r->nresults++;
    *keep->last_p = line;
    keep->last_p = &line->next;
}

void keep_mistake(struct keep *keep, const char *line)
{
    if (keep->checks.n < LAUNCH_FOUND_MAX)
        keep->mistakes[keep->checks.n++] = load_text(keep->arena, "%s", line);
}

void keep_ranks(struct keep *keep, const struct launch_result *result, unsigned checks)
{
    keep->checked = checks != 0;
    keep->checks.found = result->found;
    if ((checks & HOST_CHECK_RACES) != 0)
        keep->checks.accesses = result->announces ? LAB_ACCESSES_ALL : LAB_ACCESSES_CALLS;
    for (unsigned i = 0; i < result->nranks; i++) {
        struct rank *r = rank_of(keep, i);

        r->node = result->ranks[i].node;
        r->end_ps = result->ranks[i].end_ps;
        r->exit_code = (unsigned)result->ranks[i].exit_code;
    }
}

/* ---- the table ------------------------------------------------------------------- */

enum { RANK, RESULT, NODE, END, STATUS, LINES, OUTPUT, FIXED };

/** Keys of result lines that have a column: a table has 64 of them. */
#define KEYS_MAX 48u

static const struct lab_column *make_columns(struct keep *keep, struct lab_index *keys)
{
    static const struct lab_column fixed[FIXED] = {
        { "rank", true },   { "result", true }, { "node", true },    { "end_us", true },
        { "status", true }, { "lines", true },  { "output", false },
    };
    struct lab_column *columns;

    for (const struct line *line = keep->first; line != NULL; line = line->next)
        for (unsigned i = 0; i < line->pairs.n && keys->n < KEYS_MAX; i++)
            (void)lab_index_put(keys, line->pairs.pairs[i].key, keep->arena);
    columns = load_alloc(keep->arena, (FIXED + keys->n) * sizeof(*columns));
    memcpy(columns, fixed, sizeof(fixed));
    for (unsigned k = 0; k < keys->n; k++)
        columns[FIXED + k] = (struct lab_column){ keys->texts[k], false };
    return columns;
}

static void add_row(const struct keep *keep, unsigned rank, unsigned nth, const struct line *line,
                    const struct lab_index *keys, struct lab_table *table)
{
    const struct rank *r = &keep->ranks[rank];
    unsigned row = lab_table_add(table);

    lab_table_set(table, row, RANK, "%u\t%u\t%u\t%" PRIu64 ".%06" PRIu64 "\t%u\t%u\tx%016" PRIx64,
                  rank, nth, r->node, r->end_ps / SIM_US, r->end_ps % SIM_US, r->exit_code,
                  r->nlines, r->output);
    for (unsigned i = 0; line != NULL && i < line->pairs.n; i++) {
        unsigned k = lab_index_get(keys, line->pairs.pairs[i].key);

        if (k != LAB_INDEX_NONE)
            lab_table_set(table, row, FIXED + k, "%s", line->pairs.pairs[i].value);
    }
}

/** By rank, then in the order of its lines. */
static void fill_table(const struct keep *keep, const struct lab_index *keys,
                       struct lab_table *table)
{
    for (unsigned rank = 0; rank < keep->nranks; rank++) {
        unsigned nth = 0;

        if (keep->ranks[rank].nresults == 0)
            add_row(keep, rank, 0, NULL, keys, table);
        for (const struct line *line = keep->first; line != NULL; line = line->next)
            if (line->rank == rank)
                add_row(keep, rank, nth++, line, keys, table);
    }
}

static void make_points(struct keep *keep, const struct lab_table *table, const char *run,
                        struct lab_out *out)
{
    struct lab_out_point *points = load_alloc(keep->arena, (table->nrows + 1) * sizeof(*points));

    for (unsigned i = 0; i < table->nrows; i++) {
        const char *rank = lab_table_get(table, i, RANK), *nth = lab_table_get(table, i, RESULT);

        points[i].name = strcmp(nth, "0") == 0
                             ? load_text(keep->arena, "rank %s", rank)
                             : load_text(keep->arena, "rank %s, result %s", rank, nth);
        points[i].nruns = 1;
        points[i].runs[0] = run;
    }
    out->npoints = table->nrows;
    out->points = points;
}

void keep_write(struct keep *keep, const char *dir, struct lab_out *out)
{
    struct lab_out_run run = { .text = out->command };
    struct lab_index keys = { 0 };
    struct lab_result result;
    const struct lab_column *columns;
    struct lab_table table;

    fflush(keep->stream);
    lab_result_parse(keep->text, keep->arena, &result);
    for (unsigned i = 0; i < out->nwords; i++)
        run.text = load_text(keep->arena, "%s %s", run.text, out->words[i]);
    run.result = &result;
    out->runs = &run;
    out->nruns = 1;
    out->program = keep->program;
    out->nkeys = NODE;
    columns = make_columns(keep, &keys);
    lab_table_init(&table, columns, FIXED + keys.n);
    fill_table(keep, &keys, &table);
    make_points(keep, &table, run.text, out);
    out->table = &table;
    out->checks = keep->checked ? &keep->checks : NULL;
    lab_out_write(dir, out);
    lab_table_fini(&table);
}
