/*
 * Any bytes as manifest.json and as statistics.json of a result: understood, or one message. What
 * is understood is compared with itself, and nothing differs.
 */
#include "fuzz.h"
#include "tools/lab/result/changes.h"
#include "tools/lab/result/compare.h"

#include <stdlib.h>
#include <string.h>

static void check(int rc, const struct sim_error *err)
{
    if ((rc == SIM_OK) != (err->text[0] == '\0') || strchr(err->text, '\n') != NULL)
        abort();
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
    struct load_arena arena = { 0 };
    struct load_tree *root;
    struct sim_error err = { 0 };
    struct lab_kept kept = { .dir = "result" };
    int rc = load_tree_parse("input.json", (const char *)bytes, n, &arena, &root, &err);

    check(rc, &err);
    if (rc == SIM_OK) {
        struct sim_error other = { 0 };
        int manifest = lab_manifest_from(root, &arena, &kept.manifest, &err);

        check(manifest, &err);
        check(lab_statistics_from(root, 2, &arena, &kept, &other), &other);
        kept.nstats = 0; /* none: they would be those of a manifest */
        if (manifest == SIM_OK)
            compare(&kept, &arena);
    }
    load_arena_fini(&arena);
    return 0;
}
