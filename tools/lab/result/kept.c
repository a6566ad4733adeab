#define _POSIX_C_SOURCE 200809L
#include "tools/lab/result/kept.h"

#include "tools/lab/result/write.h"
#include "tools/load/value.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NODES_MAX 1024u /* as of a machine file */

/* ---- values of a tree ------------------------------------------------------------ */

static int need_text(const struct load_tree *map, const char *key, const char **text_p,
                     struct sim_error *err)
{
    const struct load_tree *item;
    int rc = load_tree_need(map, key, LOAD_SCALAR, &item, err);

    if (rc == SIM_OK)
        *text_p = item->text;
    return rc;
}

/** @param name of the item in messages; NULL: its key */
static int to_number(const struct load_tree *item, const char *name, uint64_t min, uint64_t max,
                     uint64_t *value_p, struct sim_error *err)
{
    if (item->type == LOAD_SCALAR && load_number(item->text, false, value_p) && *value_p >= min &&
        *value_p <= max)
        return SIM_OK;
    if (max == UINT64_MAX)
        return load_fail(err, item, name, "expected a whole number");
    return load_fail(err, item, name, "expected a whole number, %llu .. %llu",
                     (unsigned long long)min, (unsigned long long)max);
}

static int need_number(const struct load_tree *map, const char *key, uint64_t min, uint64_t max,
                       uint64_t *value_p, struct sim_error *err)
{
    const struct load_tree *item;
    int rc = load_tree_need(map, key, LOAD_SCALAR, &item, err);

    return rc == SIM_OK ? to_number(item, NULL, min, max, value_p, err) : rc;
}

static int need_unsigned(const struct load_tree *map, const char *key, uint64_t min, uint64_t max,
                         unsigned *value_p, struct sim_error *err)
{
    uint64_t value = 0;
    int rc = need_number(map, key, min, max, &value, err);

    *value_p = (unsigned)value;
    return rc;
}

static int need_hash(const struct load_tree *map, const char *key, const char **text_p,
                     uint64_t *value_p, struct sim_error *err)
{
    const struct load_tree *item;
    int rc = load_tree_need(map, key, LOAD_SCALAR, &item, err);

    if (rc != SIM_OK)
        return rc;
    if (strlen(item->text) != 16 || strspn(item->text, "0123456789abcdef") != 16)
        return load_fail(err, item, NULL, "expected 16 digits of a hash");
    *text_p = item->text;
    *value_p = strtoull(item->text, NULL, 16);
    return SIM_OK;
}

static int need_texts(const struct load_tree *map, const char *key, struct load_arena *arena,
                      const char *const **texts_p, unsigned *n_p, struct sim_error *err)
{
    const struct load_tree *list;
    const char **texts;
    int rc = load_tree_need(map, key, LOAD_LIST, &list, err);

    if (rc != SIM_OK)
        return rc;
    texts = load_alloc(arena, (list->n + 1) * sizeof(*texts));
    for (unsigned i = 0; i < list->n; i++) {
        if (list->items[i].type != LOAD_SCALAR)
            return load_fail(err, &list->items[i], key, "expected a single value");
        texts[i] = list->items[i].text;
    }
    *texts_p = texts;
    *n_p = list->n;
    return SIM_OK;
}

/** The items of a list of mappings, one by one. */
typedef int (*item_fn)(const struct load_tree *item, struct load_arena *arena,
                       struct lab_manifest *m, void *out, struct sim_error *err);
static int need_items(const struct load_tree *map, const char *key, struct load_arena *arena,
                      struct lab_manifest *m, size_t size, item_fn fn, void **items_p,
                      unsigned *n_p, struct sim_error *err)
{
    const struct load_tree *list;
    char *items;
    int rc = load_tree_need(map, key, LOAD_LIST, &list, err);

    if (rc != SIM_OK)
        return rc;
    items = load_alloc(arena, (list->n + 1) * size);
    for (unsigned i = 0; i < list->n && rc == SIM_OK; i++) {
        if (list->items[i].type != LOAD_MAP)
            return load_fail(err, &list->items[i], key, "expected a mapping");
        rc = fn(&list->items[i], arena, m, items + i * size, err);
    }
    *items_p = items;
    *n_p = list->n;
    return rc;
}

/* ---- the manifest ---------------------------------------------------------------- */

static int read_machine(const struct load_tree *item, struct load_arena *arena,
                        struct lab_manifest *m, void *out, struct sim_error *err)
{
    static const char *const keys[] = {
        "machine", "platform", "nodes", "hash", "parameters", NULL
    };
    struct lab_kept_machine *machine = out;
    const struct load_tree *params = NULL;
    struct lab_kept_value *values;
    uint64_t hash;
    int rc = load_tree_only(item, keys, err);

    (void)m;
    if (rc == SIM_OK)
        rc = need_text(item, "machine", &machine->name, err);
    if (rc == SIM_OK)
        rc = load_tree_text(item, "platform", &machine->platform, err);
    if (rc == SIM_OK)
        rc = need_unsigned(item, "nodes", 1, NODES_MAX, &machine->nnodes, err);
    if (rc == SIM_OK)
        rc = need_hash(item, "hash", &machine->hash, &hash, err);
    if (rc == SIM_OK)
        rc = load_tree_need(item, "parameters", LOAD_MAP, &params, err);
    if (rc != SIM_OK)
        return rc;
    values = load_alloc(arena, (params->n + 1) * sizeof(*values));
    for (unsigned i = 0; i < params->n; i++) {
        if (params->items[i].type != LOAD_SCALAR)
            return load_fail(err, &params->items[i], NULL, "expected a single value");
        values[i] = (struct lab_kept_value){ params->items[i].key, params->items[i].text };
    }
    machine->params = values;
    machine->nparams = params->n;
    return SIM_OK;
}

static int read_run(const struct load_tree *item, struct load_arena *arena, struct lab_manifest *m,
                    void *out, struct sim_error *err)
{
    static const char *const keys[] = { "run", "machine", "visible", "wire", NULL };
    struct lab_kept_run *run = out;
    const char *text;
    int rc = load_tree_only(item, keys, err);

    (void)arena;
    if (rc == SIM_OK)
        rc = need_text(item, "run", &run->text, err);
    if (rc == SIM_OK && m->nmachines == 0)
        rc = load_fail(err, item, "runs", "expected none, there are no machines");
    if (rc == SIM_OK)
        rc = need_unsigned(item, "machine", 0, m->nmachines - 1, &run->machine, err);
    if (rc == SIM_OK)
        rc = need_hash(item, "visible", &text, &run->visible, err);
    return rc == SIM_OK ? need_hash(item, "wire", &text, &run->wire, err) : rc;
}

static int read_point(const struct load_tree *item, struct load_arena *arena,
                      struct lab_manifest *m, void *out, struct sim_error *err)
{
    static const char *const keys[] = { "point", "runs", NULL };
    struct lab_kept_point *point = out;
    const struct load_tree *list = NULL;
    unsigned *runs;
    int rc = load_tree_only(item, keys, err);

    if (rc == SIM_OK)
        rc = need_text(item, "point", &point->name, err);
    if (rc == SIM_OK)
        rc = load_tree_need(item, "runs", LOAD_LIST, &list, err);
    if (rc != SIM_OK)
        return rc;
    runs = load_alloc(arena, (list->n + 1) * sizeof(*runs));
    for (unsigned i = 0; i < list->n && rc == SIM_OK; i++) {
        uint64_t value = 0;

        rc = m->nruns == 0
                 ? load_fail(err, &list->items[i], "runs", "expected none, there are no runs")
                 : to_number(&list->items[i], "runs", 0, m->nruns - 1, &value, err);
        runs[i] = (unsigned)value;
    }
    point->runs = runs;
    point->nruns = list->n;
    return rc;
}

static int read_format(const struct load_tree *root, const char *expected, struct sim_error *err)
{
    const struct load_tree *item;
    int rc = load_tree_need(root, "format", LOAD_SCALAR, &item, err);

    if (rc == SIM_OK && strcmp(item->text, expected) != 0)
        return load_fail(err, item, NULL, "expected %s: hubsim " HUBSIM_VERSION " reads no other",
                         expected);
    return rc;
}

/** A check runs the command and writes to a folder of this name. */
static int check_what(const struct load_tree *root, const struct lab_manifest *m,
                      struct sim_error *err)
{
    static const char *const kinds[] = { "experiment", "machine", "program" };
    const struct load_tree *words = load_tree_get(root, "arguments");
    bool lab = strcmp(m->command, "hubsim") == 0, known = false;

    for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        known |= strcmp(m->kind, kinds[i]) == 0;
    if (!known)
        return load_fail(err, load_tree_get(root, "kind"), NULL,
                         "expected experiment, machine or program");
    if (m->name[0] == '\0' || m->name[0] == '.' || strchr(m->name, '/') != NULL)
        return load_fail(err, load_tree_get(root, "name"), NULL, "expected the name of a folder");
    if (!lab && strcmp(m->command, "hubrun") != 0)
        return load_fail(err, load_tree_get(root, "command"), NULL, "expected hubsim or hubrun");
    if (m->nwords < (lab ? 2u : 1u) || (lab && strcmp(m->words[0], "run") != 0))
        return load_fail(err, words, NULL, "expected %s", lab ? "run and a file" : "a program");
    return SIM_OK;
}

static int read_what(const struct load_tree *root, struct load_arena *arena, struct lab_manifest *m,
                     struct sim_error *err)
{
    const struct {
        const char *key, **text_p;
    } texts[] = { { "hubsim", &m->hubsim },   { "commit", &m->commit },
                  { "kind", &m->kind },       { "name", &m->name },
                  { "command", &m->command }, { "description", &m->description } };
    int rc = SIM_OK;

    for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]) && rc == SIM_OK; i++)
        rc = need_text(root, texts[i].key, texts[i].text_p, err);
    if (rc == SIM_OK)
        rc = need_texts(root, "arguments", arena, &m->words, &m->nwords, err);
    if (rc == SIM_OK)
        rc = check_what(root, m, err);
    if (rc == SIM_OK)
        rc = need_number(root, "seed", 0, UINT64_MAX, &m->seed, err);
    if (rc == SIM_OK)
        rc = need_texts(root, "set", arena, &m->sets, &m->nsets, err);
    return rc == SIM_OK ? need_unsigned(root, "keys", 1, UINT32_MAX, &m->nkeys, err) : rc;
}

int lab_manifest_from(const struct load_tree *root, struct load_arena *arena,
                      struct lab_manifest *manifest_p, struct sim_error *err)
{
    static const char *const keys[] = { "format",   "hubsim",    "commit", "kind", "name",
                                        "command",  "arguments", "seed",   "set",  "description",
                                        "machines", "runs",      "points", "keys", NULL };
    struct lab_manifest m = { 0 };
    void *machines = NULL, *runs = NULL, *points = NULL;
    int rc = read_format(root, LAB_OUT_FORMAT, err);

    if (rc == SIM_OK)
        rc = load_tree_only(root, keys, err);
    if (rc == SIM_OK)
        rc = read_what(root, arena, &m, err);
    if (rc == SIM_OK)
        rc = need_items(root, "machines", arena, &m, sizeof(*m.machines), read_machine, &machines,
                        &m.nmachines, err);
    if (rc == SIM_OK)
        rc = need_items(root, "runs", arena, &m, sizeof(*m.runs), read_run, &runs, &m.nruns, err);
    if (rc == SIM_OK)
        rc = need_items(root, "points", arena, &m, sizeof(*m.points), read_point, &points,
                        &m.npoints, err);
    if (rc != SIM_OK)
        return rc;
    m.machines = machines;
    m.runs = runs;
    m.points = points;
    *manifest_p = m;
    return SIM_OK;
}

/* ---- statistics ------------------------------------------------------------------ */

static int read_stat(const struct load_tree *item, unsigned nruns, struct load_arena *arena,
                     struct lab_kept_stat *stat, struct sim_error *err)
{
    static const char *const keys[] = { "path", "unit", "values", NULL };
    const struct load_tree *list = NULL;
    uint64_t *values;
    int rc = load_tree_only(item, keys, err);

    if (rc == SIM_OK)
        rc = need_text(item, "path", &stat->path, err);
    if (rc == SIM_OK)
        rc = need_text(item, "unit", &stat->unit, err);
    if (rc == SIM_OK)
        rc = load_tree_need(item, "values", LOAD_LIST, &list, err);
    if (rc != SIM_OK)
        return rc;
    if (list->n != nruns)
        return load_fail(err, list, NULL, "expected %u, one for each run, not %u", nruns, list->n);
    values = load_alloc(arena, (list->n + 1) * sizeof(*values));
    for (unsigned i = 0; i < list->n && rc == SIM_OK; i++)
        rc = to_number(&list->items[i], "values", 0, UINT64_MAX, &values[i], err);
    stat->values = values;
    return rc;
}

int lab_statistics_from(const struct load_tree *root, unsigned nruns, struct load_arena *arena,
                        struct lab_kept *kept, struct sim_error *err)
{
    static const char *const keys[] = { "format", "runs", "statistics", NULL };
    const struct load_tree *list = NULL;
    struct lab_kept_stat *stats;
    uint64_t runs;
    int rc = read_format(root, LAB_OUT_STATISTICS, err);

    if (rc == SIM_OK)
        rc = load_tree_only(root, keys, err);
    if (rc == SIM_OK)
        rc = need_number(root, "runs", nruns, nruns, &runs, err);
    if (rc == SIM_OK)
        rc = load_tree_need(root, "statistics", LOAD_LIST, &list, err);
    if (rc != SIM_OK)
        return rc;
    stats = load_alloc(arena, (list->n + 1) * sizeof(*stats));
    for (unsigned i = 0; i < list->n && rc == SIM_OK; i++)
        rc = list->items[i].type == LOAD_MAP
                 ? read_stat(&list->items[i], nruns, arena, &stats[i], err)
                 : load_fail(err, &list->items[i], "statistics", "expected a mapping");
    kept->stats = stats;
    kept->nstats = list->n;
    return rc;
}

/* ---- the folder ------------------------------------------------------------------ */

static int check_table(const struct lab_kept *kept, struct sim_error *err)
{
    const struct lab_csv *t = &kept->table;

    if (t->nrows != kept->manifest.npoints)
        return sim_error_set(err, SIM_ERR_CONFIG,
                             "%s:%u: %u rows: expected %u, one for each point of manifest.json",
                             t->file, t->nrows > 0 ? t->row_lines[t->nrows - 1] : 1, t->nrows,
                             kept->manifest.npoints);
    if (t->ncolumns <= kept->manifest.nkeys)
        return sim_error_set(err, SIM_ERR_CONFIG,
                             "%s:1: %u columns: expected values behind the %u that name a point",
                             t->file, t->ncolumns, kept->manifest.nkeys);
    return SIM_OK;
}

int lab_kept_read(const char *dir, struct load_arena *arena, struct lab_kept *kept_p,
                  struct sim_error *err)
{
    struct lab_kept kept = { .dir = dir };
    const char *manifest = load_text(arena, "%s/manifest.json", dir);
    const char *faults = load_text(arena, "%s/faults.csv", dir);
    struct load_tree *root;
    int rc;

    if (access(manifest, F_OK) != 0)
        return sim_error_set(err, SIM_ERR_IO,
                             "%s: no manifest.json: expected a folder that hubsim run has written",
                             dir);
    rc = load_tree_read_data(manifest, arena, &root, err);
    if (rc == SIM_OK)
        rc = lab_manifest_from(root, arena, &kept.manifest, err);
    if (rc == SIM_OK)
        rc = lab_csv_read(load_text(arena, "%s/table.csv", dir), LOAD_FILE_BY_HUBSIM, arena,
                          &kept.table, err);
    if (rc == SIM_OK)
        rc = check_table(&kept, err);
    if (rc == SIM_OK)
        rc = load_tree_read_data(load_text(arena, "%s/statistics.json", dir), arena, &root, err);
    if (rc == SIM_OK)
        rc = lab_statistics_from(root, kept.manifest.nruns, arena, &kept, err);
    if (rc == SIM_OK && access(faults, F_OK) == 0)
        rc = lab_csv_read(faults, LOAD_FILE_BY_HUBSIM, arena, &kept.faults, err);
    if (rc == SIM_OK)
        *kept_p = kept;
    return rc;
}
