/*
 * Any bytes as manifest.json, statistics.json and checks.json of a result: understood, or one
 * message. What is understood is compared with itself, and nothing differs.
 */
#include "fuzz.h"
#include "tools/lab/result/changes.h"
#include "tools/lab/result/compare.h"

#include <stdlib.h>
#include <string.h>

struct input {
    const uint8_t *bytes;
    size_t n;
    struct load_arena arena;
    const struct load_tree *root;
    struct lab_kept kept;
};

static void parse_bytes(void *arg)
{
    struct input *in = arg;

    in->root = load_tree_parse("input.json", (const char *)in->bytes, in->n, &in->arena);
}

static void read_manifest(void *arg)
{
    struct input *in = arg;

    in->kept.manifest = lab_manifest_from(in->root, &in->arena);
}

static void read_statistics(void *arg)
{
    struct input *in = arg;

    lab_statistics_from(in->root, 2, &in->arena, &in->kept);
}

static void read_checks(void *arg)
{
    struct input *in = arg;

    (void)lab_checks_from(in->root, &in->arena);
}

static bool is_understood(void (*read)(void *in), struct input *in)
{
    struct sim_error err = { 0 };
    int rc = load_attempt(read, in, &err);

    if ((rc == SIM_OK) != (err.text[0] == '\0') || strchr(err.text, '\n') != NULL)
        abort();
    return rc == SIM_OK;
}

/** A table with a row for each point. */
static void make_table(const struct lab_manifest *m, struct load_arena *arena, struct lab_csv *csv)
{
    size_t n = 2 * ((size_t)m->npoints + 1);
    const char **cells = load_alloc(arena, n * sizeof(*cells));
    static const char *const names[] = { "point", "value" };

    for (size_t i = 0; i < n; i++)
        cells[i] = i % 2 == 0 ? "p" : "1.5";
    *csv = (struct lab_csv){
        .file = "table.csv", .ncolumns = 2, .nrows = m->npoints, .names = names, .cells = cells
    };
}

static void compare(struct lab_kept *kept, struct load_arena *arena)
{
    const struct lab_bands exact = { 0 };
    struct lab_comparison comparison;
    struct lab_changes changes;

    kept->manifest.nkeys = 1;
    make_table(&kept->manifest, arena, &kept->table);
    lab_compare(kept, kept, &exact, arena, &comparison);
    lab_changes_find(kept, kept, &comparison, arena, &changes);
    if (!lab_compare_passes(&comparison, &exact) || lab_changes_any(&changes))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    struct input in = { .bytes = bytes, .n = n, .kept = { .dir = "result" } };

    load_arena_begin(&in.arena);
    if (is_understood(parse_bytes, &in)) {
        bool manifest = is_understood(read_manifest, &in);

        (void)is_understood(read_statistics, &in);
        (void)is_understood(read_checks, &in);
        in.kept.nstats = 0; /* none: they would be those of a manifest */
        if (manifest)
            compare(&in.kept, &in.arena);
    }
    load_arena_fini(&in.arena);
    return 0;
}
