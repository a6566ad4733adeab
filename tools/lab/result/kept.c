#define _POSIX_C_SOURCE 200809L
#include "tools/lab/result/kept.h"

#include "tools/lab/result/write.h"
#include "tools/load/value.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NODES_MAX 1024u /* as of a machine file */

/* ---- values of a tree ------------------------------------------------------------ */

/** After the first thing that is wrong, all that is read is empty. */
struct reader {
    struct load_arena *arena;
    struct lab_manifest m; /* as far as it has been read */
    int rc;
    struct sim_error *err;
};

static const struct load_tree *need_item(struct reader *r, const struct load_tree *map,
                                         const char *key, enum load_type type)
{
    static const struct load_tree empty = { .text = "" };
    const struct load_tree *item;

    if (r->rc == SIM_OK)
        r->rc = load_tree_need(map, key, type, &item, r->err);
    return r->rc == SIM_OK ? item : &empty;
}

/** @param name of the map in messages, which must have only these keys */
static void check_map(struct reader *r, const struct load_tree *map, const char *name,
                      const char *const *keys)
{
    if (r->rc == SIM_OK)
        r->rc = map->type == LOAD_MAP ? load_tree_only(map, keys, r->err)
                                      : load_fail(r->err, map, name, "expected a mapping");
}

static const char *need_text(struct reader *r, const struct load_tree *map, const char *key)
{
    return need_item(r, map, key, LOAD_SCALAR)->text;
}

/** @param name of the item in messages; NULL: its key */
static uint64_t to_number(struct reader *r, const struct load_tree *item, const char *name,
                          uint64_t min, uint64_t max)
{
    uint64_t value = 0;

    if (r->rc != SIM_OK || (item->type == LOAD_SCALAR && load_number(item->text, false, &value) &&
                            value >= min && value <= max))
        return value;
    r->rc = max == UINT64_MAX
                ? load_fail(r->err, item, name, "expected a whole number")
                : load_fail(r->err, item, name, "expected a whole number, %llu .. %llu",
                            (unsigned long long)min, (unsigned long long)max);
    return 0;
}

static uint64_t need_number(struct reader *r, const struct load_tree *map, const char *key,
                            uint64_t min, uint64_t max)
{
    return to_number(r, need_item(r, map, key, LOAD_SCALAR), NULL, min, max);
}

static const char *need_hash(struct reader *r, const struct load_tree *map, const char *key)
{
    const struct load_tree *item = need_item(r, map, key, LOAD_SCALAR);

    if (r->rc == SIM_OK &&
        (strlen(item->text) != 16 || strspn(item->text, "0123456789abcdef") != 16))
        r->rc = load_fail(r->err, item, NULL, "expected 16 digits of a hash");
    return item->text;
}

/** The items of a list, one by one; `name` is that of the list. */
typedef void (*item_fn)(struct reader *r, const struct load_tree *item, const char *name,
                        void *out);
static void *need_items(struct reader *r, const struct load_tree *map, const char *key, size_t size,
                        item_fn fn, unsigned *n_p)
{
    const struct load_tree *list = need_item(r, map, key, LOAD_LIST);
    char *items = load_alloc(r->arena, (list->n + 1) * size);

    for (unsigned i = 0; i < list->n && r->rc == SIM_OK; i++)
        fn(r, &list->items[i], key, items + i * size);
    *n_p = list->n;
    return items;
}

static void read_text(struct reader *r, const struct load_tree *item, const char *name, void *out)
{
    if (item->type != LOAD_SCALAR)
        r->rc = load_fail(r->err, item, name, "expected a single value");
    *(const char **)out = item->text;
}

static void check_format(struct reader *r, const struct load_tree *root, const char *expected)
{
    const struct load_tree *item = need_item(r, root, "format", LOAD_SCALAR);

    if (r->rc == SIM_OK && strcmp(item->text, expected) != 0)
        r->rc = load_fail(r->err, item, NULL,
                          "expected %s: hubsim " HUBSIM_VERSION " reads no other", expected);
}

/* ---- the manifest ---------------------------------------------------------------- */

static void read_value(struct reader *r, const struct load_tree *item, struct lab_kept_value *value)
{
    value->key = item->key;
    read_text(r, item, NULL, &value->value);
}

static void read_machine(struct reader *r, const struct load_tree *item, const char *name,
                         void *out)
{
    static const char *const keys[] = {
        "machine", "platform", "nodes", "hash", "parameters", NULL
    };
    struct lab_kept_machine *machine = out;
    const struct load_tree *params;
    struct lab_kept_value *values;

    check_map(r, item, name, keys);
    machine->name = need_text(r, item, "machine");
    if (r->rc == SIM_OK)
        r->rc = load_tree_text(item, "platform", &machine->platform, r->err);
    machine->nnodes = (unsigned)need_number(r, item, "nodes", 1, NODES_MAX);
    machine->hash = need_hash(r, item, "hash");
    params = need_item(r, item, "parameters", LOAD_MAP);
    machine->nparams = params->n;
    machine->params = values = load_alloc(r->arena, (params->n + 1) * sizeof(*values));
    for (unsigned i = 0; i < params->n && r->rc == SIM_OK; i++)
        read_value(r, &params->items[i], &values[i]);
}

static void read_run(struct reader *r, const struct load_tree *item, const char *name, void *out)
{
    static const char *const keys[] = { "run", "machine", "visible", "wire", NULL };
    struct lab_kept_run *run = out;

    check_map(r, item, name, keys);
    run->text = need_text(r, item, "run");
    if (r->rc == SIM_OK && r->m.nmachines == 0)
        r->rc = load_fail(r->err, item, name, "expected none, there are no machines");
    run->machine = (unsigned)need_number(r, item, "machine", 0, r->m.nmachines - 1);
    run->visible = strtoull(need_hash(r, item, "visible"), NULL, 16);
    run->wire = strtoull(need_hash(r, item, "wire"), NULL, 16);
}

static void read_run_number(struct reader *r, const struct load_tree *item, const char *name,
                            void *out)
{
    if (r->m.nruns == 0)
        r->rc = load_fail(r->err, item, name, "expected none, there are no runs");
    *(unsigned *)out = (unsigned)to_number(r, item, name, 0, r->m.nruns - 1);
}

static void read_point(struct reader *r, const struct load_tree *item, const char *name, void *out)
{
    static const char *const keys[] = { "point", "runs", NULL };
    struct lab_kept_point *point = out;

    check_map(r, item, name, keys);
    point->name = need_text(r, item, "point");
    point->runs = need_items(r, item, "runs", sizeof(unsigned), read_run_number, &point->nruns);
}

/** A check runs the command and writes to a folder of this name. */
static int check_what(const struct load_tree *root, const struct lab_manifest *m,
                      struct sim_error *err)
{
    static const char *const kinds[] = { "experiment", "machine", "program" };
    const struct load_tree *words = load_tree_get(root, "arguments");
    bool lab = strcmp(m->command, "hubsim") == 0, known = false;

    for (unsigned i = 0; i < LOAD_COUNT(kinds); i++)
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

int lab_manifest_from(const struct load_tree *root, struct load_arena *arena,
                      struct lab_manifest *manifest_p, struct sim_error *err)
{
    static const char *const keys[] = { "format",   "hubsim",    "commit", "kind", "name",
                                        "command",  "arguments", "seed",   "set",  "description",
                                        "machines", "runs",      "points", "keys", NULL };
    struct reader r = { .arena = arena, .err = err };
    struct lab_manifest *m = &r.m;
    const struct {
        const char *key, **text_p;
    } texts[] = { { "hubsim", &m->hubsim },   { "commit", &m->commit },
                  { "kind", &m->kind },       { "name", &m->name },
                  { "command", &m->command }, { "description", &m->description } };

    check_format(&r, root, LAB_OUT_FORMAT);
    check_map(&r, root, NULL, keys);
    for (unsigned i = 0; i < LOAD_COUNT(texts); i++)
        *texts[i].text_p = need_text(&r, root, texts[i].key);
    m->words = need_items(&r, root, "arguments", sizeof(*m->words), read_text, &m->nwords);
    if (r.rc == SIM_OK)
        r.rc = check_what(root, m, err);
    m->seed = need_number(&r, root, "seed", 0, UINT64_MAX);
    m->sets = need_items(&r, root, "set", sizeof(*m->sets), read_text, &m->nsets);
    m->nkeys = (unsigned)need_number(&r, root, "keys", 1, UINT32_MAX);
    m->machines =
        need_items(&r, root, "machines", sizeof(*m->machines), read_machine, &m->nmachines);
    m->runs = need_items(&r, root, "runs", sizeof(*m->runs), read_run, &m->nruns);
    m->points = need_items(&r, root, "points", sizeof(*m->points), read_point, &m->npoints);
    if (r.rc == SIM_OK)
        *manifest_p = *m;
    return r.rc;
}

/* ---- statistics ------------------------------------------------------------------ */

static void read_number(struct reader *r, const struct load_tree *item, const char *name, void *out)
{
    *(uint64_t *)out = to_number(r, item, name, 0, UINT64_MAX);
}

static void read_stat(struct reader *r, const struct load_tree *item, const char *name, void *out)
{
    static const char *const keys[] = { "path", "unit", "values", NULL };
    struct lab_kept_stat *stat = out;
    const struct load_tree *list;
    unsigned n;

    check_map(r, item, name, keys);
    stat->path = need_text(r, item, "path");
    stat->unit = need_text(r, item, "unit");
    list = need_item(r, item, "values", LOAD_LIST);
    if (r->rc == SIM_OK && list->n != r->m.nruns)
        r->rc = load_fail(r->err, list, NULL, "expected %u, one for each run, not %u", r->m.nruns,
                          list->n);
    stat->values = need_items(r, item, "values", sizeof(uint64_t), read_number, &n);
}

int lab_statistics_from(const struct load_tree *root, unsigned nruns, struct load_arena *arena,
                        struct lab_kept *kept, struct sim_error *err)
{
    static const char *const keys[] = { "format", "runs", "statistics", NULL };
    struct reader r = { .arena = arena, .m.nruns = nruns, .err = err };

    check_format(&r, root, LAB_OUT_STATISTICS);
    check_map(&r, root, NULL, keys);
    (void)need_number(&r, root, "runs", nruns, nruns);
    kept->stats =
        need_items(&r, root, "statistics", sizeof(*kept->stats), read_stat, &kept->nstats);
    return r.rc;
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
