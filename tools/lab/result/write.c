#define _POSIX_C_SOURCE 200809L
#include "tools/lab/result/write.h"

#include "tools/lab/format/csv.h"
#include "tools/lab/format/index.h"
#include "tools/lab/format/out.h"
#include "tools/lab/result/manifest.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

/* ---- statistics ------------------------------------------------------------------ */

struct counted {
    const char *unit;
    uint64_t *values; /* one for each run */
};

/** Rows in the order in which the runs report them; a run without one has 0. */
static struct counted *collect_statistics(const struct lab_out *out, struct load_arena *arena,
                                          struct lab_index *paths)
{
    struct counted *rows;

    for (unsigned r = 0; r < out->nruns; r++)
        for (unsigned i = 0; i < out->runs[r].result->nstats; i++)
            (void)lab_index_put(paths, out->runs[r].result->stats[i].path, arena);
    rows = load_alloc(arena, (paths->n + 1) * sizeof(*rows));
    for (unsigned r = 0; r < out->nruns; r++) {
        for (unsigned i = 0; i < out->runs[r].result->nstats; i++) {
            const struct lab_stat *stat = &out->runs[r].result->stats[i];
            struct counted *row = &rows[lab_index_get(paths, stat->path)];

            if (row->values == NULL)
                row->values = load_alloc(arena, out->nruns * sizeof(*row->values));
            row->unit = stat->unit;
            row->values[r] = stat->value;
        }
    }
    return rows;
}

static void write_statistics(const char *path, const struct lab_out *out)
{
    struct load_arena arena = { 0 };
    struct lab_index paths = { 0 };
    const struct counted *rows = collect_statistics(out, &arena, &paths);
    FILE *f = lab_out_open(path);

    fprintf(f, "{\n  \"format\": \"" LAB_OUT_STATISTICS "\",\n  \"runs\": %u,\n", out->nruns);
    fputs("  \"statistics\": [", f);
    for (unsigned i = 0; i < paths.n; i++) {
        fprintf(f, "%s\n    {\"path\": %s, \"unit\": %s, \"values\": [", i > 0 ? "," : "",
                lab_json_quote(paths.texts[i], &arena), lab_json_quote(rows[i].unit, &arena));
        for (unsigned r = 0; r < out->nruns; r++)
            fprintf(f, "%s%" PRIu64, r > 0 ? ", " : "", rows[i].values[r]);
        fputs("]}", f);
    }
    fputs("\n  ]\n}\n", f);
    lab_out_close(f, path);
    load_arena_fini(&arena);
}

/* ---- faults and usage: lines of key=value ---------------------------------------- */

struct lines {
    unsigned n;
    const struct lab_line *lines;
};

static struct lines faults_of(const struct lab_result *result)
{
    return (struct lines){ result->nfaults, result->faults };
}

static struct lines usage_of(const struct lab_result *result)
{
    return (struct lines){ result->nusage, result->usage };
}

static void write_line(FILE *f, unsigned run, const struct lab_line *line,
                       const struct lab_index *keys)
{
    fprintf(f, "%u", run);
    for (unsigned k = 0; k < keys->n; k++) {
        const char *value = "";

        for (unsigned i = 0; i < line->n; i++)
            if (strcmp(line->pairs[i].key, keys->texts[k]) == 0)
                value = line->pairs[i].value;
        fputc(',', f);
        lab_csv_write(f, value);
    }
    fputc('\n', f);
}

/** No lines, no file: an earlier result's is removed. */
static void write_lines(const char *path, const struct lab_out *out,
                        struct lines (*of)(const struct lab_result *))
{
    struct load_arena arena = { 0 };
    struct lab_index keys = { 0 };

    for (unsigned r = 0; r < out->nruns; r++)
        for (unsigned i = 0; i < of(out->runs[r].result).n; i++)
            for (unsigned k = 0; k < of(out->runs[r].result).lines[i].n; k++)
                (void)lab_index_put(&keys, of(out->runs[r].result).lines[i].pairs[k].key, &arena);
    (void)remove(path);
    if (keys.n > 0) {
        FILE *f = lab_out_open(path);

        fputs("run", f);
        for (unsigned k = 0; k < keys.n; k++) {
            fputc(',', f);
            lab_csv_write(f, keys.texts[k]);
        }
        fputc('\n', f);
        for (unsigned r = 0; r < out->nruns; r++)
            for (unsigned i = 0; i < of(out->runs[r].result).n; i++)
                write_line(f, r, &of(out->runs[r].result).lines[i], &keys);
        lab_out_close(f, path);
    }
    load_arena_fini(&arena);
}

/* ---- what checks have found ------------------------------------------------------ */

/** No checks, no file: an earlier result's is removed. */
void lab_checks_write(const char *dir, const struct lab_checks *checks)
{
    struct load_arena arena = { 0 };
    const char *path = load_text(&arena, "%s/checks.json", dir);
    FILE *f;

    (void)remove(path);
    if (checks == NULL) {
        load_arena_fini(&arena);
        return;
    }
    f = lab_out_open(path);
    fprintf(f, "{\n  \"format\": \"" LAB_OUT_CHECKS "\",\n  \"accesses\": \"%s\",\n",
            lab_accesses_word(checks->accesses));
    fprintf(f, "  \"found\": %" PRIu64 ",\n  \"mistakes\": [", checks->found);
    for (unsigned i = 0; i < checks->n; i++)
        fprintf(f, "%s\n    %s", i > 0 ? "," : "", lab_json_quote(checks->mistakes[i], &arena));
    fprintf(f, "%s]\n}\n", checks->n > 0 ? "\n  " : "");
    lab_out_close(f, path);
    load_arena_fini(&arena);
}

/* ---- the folder ------------------------------------------------------------------ */

static void close_file(void *file)
{
    (void)fclose(file);
}

/** A result may be made again from its own copy, which must not be emptied first. */
static void copy_file(const char *from, const char *to, struct load_arena *arena)
{
    struct stat a, b;
    char bytes[65536];
    FILE *in, *copy;
    size_t n;

    if (stat(from, &a) == 0 && stat(to, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino)
        return;
    in = fopen(from, "rb");
    if (in == NULL)
        load_raise(SIM_ERR_IO, "%s: %s: expected a readable file", from, strerror(errno));
    (void)load_own(arena, close_file, in);
    copy = lab_out_open(to);
    while ((n = fread(bytes, 1, sizeof(bytes), in)) > 0)
        fwrite(bytes, 1, n, copy);
    lab_out_close(copy, to);
}

void lab_out_write(const char *dir, const struct lab_out *out)
{
    struct load_arena arena = { 0 };
    const char *manifest = load_text(&arena, "%s/manifest.json", dir);

    lab_out_folder(dir);
    (void)remove(manifest); /* written last: a folder that has one is whole */
    lab_table_save(out->table, load_text(&arena, "%s/table.csv", dir));
    write_statistics(load_text(&arena, "%s/statistics.json", dir), out);
    write_lines(load_text(&arena, "%s/faults.csv", dir), out, faults_of);
    write_lines(load_text(&arena, "%s/usage.csv", dir), out, usage_of);
    lab_checks_write(dir, out->checks);
    if (out->file != NULL)
        copy_file(out->file, load_text(&arena, "%s/%s.yaml", dir, out->name), &arena);
    lab_manifest_write(manifest, out);
    load_arena_fini(&arena);
}

/* ---- what the pool has run ------------------------------------------------------- */

struct gathering {
    struct load_arena *arena;
    struct lab_index machines; /* "ring8 hapacs-tca" */
    struct lab_out_run *runs;  /* NULL: count only */
    const struct lab_run **first;
    unsigned n;
};

static void gather_run(void *arg, const struct lab_run *run, const struct lab_result *result)
{
    struct gathering *g = arg;
    unsigned known = g->machines.n;
    unsigned machine = lab_index_put(
        &g->machines,
        load_text(g->arena, "%s %s", run->machine, run->platform != NULL ? run->platform : ""),
        g->arena);

    if (g->runs != NULL) {
        if (machine == known)
            g->first[machine] = run;
        g->runs[g->n] = (struct lab_out_run){ lab_run_text(run, g->arena), machine, result };
    }
    g->n++;
}

void lab_out_gather(const struct lab_evaluator *ev, const struct lab_site *site,
                    struct lab_out *out)
{
    struct gathering count = { .arena = ev->arena }, g = { .arena = ev->arena };
    struct lab_out_machine *machines;

    lab_pool_each(ev->pool, gather_run, &count);
    g.runs = load_alloc(ev->arena, (count.n + 1) * sizeof(*g.runs));
    g.first = load_alloc(ev->arena, (count.n + 1) * sizeof(*g.first));
    lab_pool_each(ev->pool, gather_run, &g);
    machines = load_alloc(ev->arena, (g.machines.n + 1) * sizeof(*machines));
    out->loaded = load_alloc(ev->arena, (g.machines.n + 1) * sizeof(*out->loaded));
    out->seed = ev->seed;
    out->nsets = ev->nsets;
    out->sets = ev->sets;
    out->nruns = g.n;
    out->runs = g.runs;
    out->machines = machines;
    out->nmachines = 0;
    for (unsigned i = 0; i < g.machines.n; i++) {
        out->loaded[i] = lab_load_run(site, g.first[i]);
        machines[i] =
            (struct lab_out_machine){ g.first[i]->machine, g.first[i]->platform, out->loaded[i] };
        out->nmachines++;
    }
}

void lab_out_drop(struct lab_out *out)
{
    for (unsigned i = 0; i < out->nmachines; i++)
        load_machine_destroy(out->loaded[i]);
    out->nmachines = 0;
}

const struct lab_out_point *lab_out_points(const struct lab_samples *samples,
                                           struct load_arena *arena)
{
    struct lab_out_point *points = load_alloc(arena, (samples->n + 1) * sizeof(*points));

    for (unsigned i = 0; i < samples->n; i++) {
        const struct lab_sample *s = &samples->samples[i];

        points[i].name = load_text(arena, "%s, %s = %s", s->series->name, s->series->key, s->x);
        points[i].nruns = s->nruns;
        memcpy(points[i].runs, s->runs, sizeof(points[i].runs));
    }
    return points;
}
