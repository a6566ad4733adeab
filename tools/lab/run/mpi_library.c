#include "tools/lab/run/mpi_library.h"

#include "tools/load/tree.h"

#include <string.h>

/** The settings of the file. */
static int read_settings(const struct load_roots *roots, const char *name, struct load_arena *arena,
                         const struct load_tree **map_p, struct sim_error *err)
{
    static const char *const keys[] = { "description", "settings", NULL };
    struct load_tree *root;
    char path[2048];
    int rc = load_find(roots, "mpi", name, path, sizeof(path), err);

    if (rc == SIM_OK)
        rc = load_tree_read(path, arena, &root, err);
    if (rc == SIM_OK)
        rc = load_tree_only(root, keys, err);
    return rc == SIM_OK ? load_tree_need(root, "settings", LOAD_MAP, map_p, err) : rc;
}

/** A plain value, or {value, source, calibrated}. */
static int value_of(const struct load_tree *item, const char **text_p, struct sim_error *err)
{
    static const char *const keys[] = { "value", "source", "calibrated", NULL };
    const struct load_tree *value = item;
    int rc = SIM_OK;

    if (item->type == LOAD_MAP) {
        rc = load_tree_only(item, keys, err);
        if (rc == SIM_OK)
            rc = load_tree_need(item, "value", LOAD_SCALAR, &value, err);
    }
    if (rc != SIM_OK)
        return rc;
    if (value->type != LOAD_SCALAR)
        return load_fail(err, item, NULL, "expected a value, or {value: ..., source: ...}");
    *text_p = value->text;
    return SIM_OK;
}

int lab_mpi_library(const struct load_roots *roots, const char *name, lab_mpi_setting_fn fn,
                    void *arg, struct sim_error *err)
{
    struct load_arena arena = { 0 };
    const struct load_tree *map = NULL;
    const char *value = NULL;
    int rc = read_settings(roots, name, &arena, &map, err);

    for (unsigned i = 0; rc == SIM_OK && i < map->n; i++) {
        struct sim_error why = { 0 };

        rc = value_of(&map->items[i], &value, err);
        if (rc != SIM_OK)
            break;
        rc = fn(arg, map->items[i].key, value, &why);
        if (rc != SIM_OK)
            (void)sim_error_set_at(err, rc, map->items[i].file, map->items[i].line, "%s", why.text);
    }
    load_arena_fini(&arena);
    return rc;
}

static bool is_fitted(const struct load_tree *item, const char *row)
{
    const struct load_tree *list =
        item->type == LOAD_MAP ? load_tree_get(item, "calibrated") : NULL;

    for (unsigned i = 0; list != NULL && i < list->n; i++)
        if (list->items[i].type == LOAD_SCALAR && strcmp(list->items[i].text, row) == 0)
            return true;
    return false;
}

bool lab_mpi_library_fitted(const struct load_roots *roots, const char *name, const char *row)
{
    struct load_arena arena = { 0 };
    const struct load_tree *map = NULL;
    bool found = false;

    if (read_settings(roots, name, &arena, &map, NULL) == SIM_OK)
        for (unsigned i = 0; i < map->n; i++)
            found |= is_fitted(&map->items[i], row);
    load_arena_fini(&arena);
    return found;
}

const char *lab_mpi_library_of(const char *api)
{
    static const struct {
        const char *api, *library;
    } known[] = {
        { "mvapich2", "mvapich2" },
        { "mvapich2-1.9", "mvapich2" },
        { "mvapich2-1.9b", "mvapich2" },
        { "mvapich2-2.0", "mvapich2" },
        { "mpi", "mvapich2" }, /* articles of 2014 name none */
        { "mpi-gdr", "mvapich2-gdr-2.0" },
        { "mvapich2-gdr-2.0", "mvapich2-gdr-2.0" },
        { "mvapich2-gdr-2.1", "mvapich2-gdr-2.0" },
        { "mvapich2-gdr", "mvapich2-gdr-2.2" },
        { "mvapich2-gdr-2.2", "mvapich2-gdr-2.2" },
    };

    for (unsigned i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strcmp(known[i].api, api) == 0)
            return known[i].library;
    return NULL;
}
