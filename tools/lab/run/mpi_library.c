#include "tools/lab/run/mpi_library.h"

#include <string.h>

static const struct load_tree *read_library(const struct load_roots *roots, const char *folder,
                                            const char *name, struct load_arena *arena)
{
    static const char *const keys[] = { "description", "settings", "algorithms", NULL };
    const char *const folders[] = { folder, NULL };
    const char *path = load_find_first(roots, folder, name, arena);
    bool mpi = strcmp(folder, LAB_MPI_FOLDER) == 0;
    const struct load_tree *root;

    if (path == NULL)
        load_find_fail(roots, mpi ? "MPI: library = " : "GASNet: library = ", folders, name);
    root = load_tree_read(path, arena);
    load_tree_only(root, keys);
    return root;
}

const struct load_tree *lab_mpi_library(const struct load_roots *roots, const char *folder,
                                        const char *name, const char **algorithms_p,
                                        struct load_arena *arena)
{
    static const char *const keys[] = { "choice", "source", "calibrated", NULL };
    const struct load_tree *root = read_library(roots, folder, name, arena);
    const struct load_tree *list = load_tree_get(root, "algorithms");

    *algorithms_p = NULL;
    if (list != NULL && list->type != LOAD_LIST)
        load_fail(list, NULL, "expected a list of {choice: COLLECTIVE=NAME, source: ...}");
    for (unsigned i = 0; list != NULL && i < list->n; i++) {
        const char *choice;

        load_tree_only(&list->items[i], keys);
        choice = load_tree_need(&list->items[i], "choice", LOAD_SCALAR)->text;
        *algorithms_p = i == 0 ? choice : load_text(arena, "%s,%s", *algorithms_p, choice);
    }
    return load_tree_need(root, "settings", LOAD_MAP);
}

const char *lab_mpi_value(const struct load_tree *item)
{
    static const char *const keys[] = { "value", "source", "calibrated", NULL };
    const struct load_tree *value = item;

    if (item->type == LOAD_MAP) {
        load_tree_only(item, keys);
        value = load_tree_need(item, "value", LOAD_SCALAR);
    }
    if (value->type != LOAD_SCALAR)
        load_fail(item, NULL, "expected a value, or {value: ..., source: ...}");
    return value->text;
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

struct question {
    const struct load_roots *roots;
    const char *folder, *library, *row;
    bool yes;
};

static void ask_library(void *arg)
{
    struct question *q = arg;
    struct load_arena arena = { 0 };
    const char *algorithms;
    const struct load_tree *settings =
        lab_mpi_library(q->roots, q->folder, q->library, &algorithms, &arena);

    for (unsigned i = 0; i < settings->n; i++)
        q->yes |= is_fitted(&settings->items[i], q->row);
    load_arena_fini(&arena);
}

bool lab_mpi_library_fitted(const struct load_roots *roots, const char *folder, const char *name,
                            const char *row)
{
    struct question q = { roots, folder, name, row, false };

    (void)load_attempt(ask_library, &q, NULL);
    return q.yes;
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
        { "mvapich2-gdr-2016", "mvapich2-gdr-2016" },
    };

    for (unsigned i = 0; i < SIM_COUNT(known); i++)
        if (strcmp(known[i].api, api) == 0)
            return known[i].library;
    return NULL;
}

const struct lab_system *lab_mpi_system_of(const char *name)
{
    static const struct lab_system systems[] = {
        { "gasnet-tca", LAB_GASNET_FOLDER, "tca-2016" },
        { "gasnet-ib", LAB_GASNET_FOLDER, "ibv-2016" },
        { "mpi-ib", LAB_MPI_FOLDER, "mvapich2-gdr-2016" },
    };

    for (unsigned i = 0; i < SIM_COUNT(systems); i++)
        if (strcmp(systems[i].name, name) == 0)
            return &systems[i];
    return NULL;
}
