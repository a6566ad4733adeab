#define _XOPEN_SOURCE 700 /* realpath, readlink */
#include "tools/load/find.h"

#include "tools/load/file.h"
#include "tools/load/nearest.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void load_roots_add(struct load_roots *roots, const char *path)
{
    if (roots->n < sizeof(roots->paths) / sizeof(roots->paths[0]) && strlen(path) < 512)
        snprintf(roots->paths[roots->n++], sizeof(roots->paths[0]), "%s", path);
}

/** Below the working directory a path is shown without it. */
static void add_shortened(struct load_roots *roots, const char *path)
{
    char full[4096], here[4096];
    size_t n;

    if (realpath(path, full) == NULL)
        return;
    if (getcwd(here, sizeof(here)) != NULL && (n = strlen(here)) > 1 &&
        strncmp(full, here, n) == 0 && full[n] == '/')
        load_roots_add(roots, full + n + 1);
    else
        load_roots_add(roots, full);
}

bool load_find_self(char *folder, size_t size)
{
    ssize_t n = readlink("/proc/self/exe", folder, size - 1);

    if (n <= 0)
        return false;
    folder[n] = '\0';
    *strrchr(folder, '/') = '\0';
    return true;
}

const char *load_find_stem(const char *path, struct load_arena *arena)
{
    const char *slash = strrchr(path, '/'), *base = slash != NULL ? slash + 1 : path;

    return load_text(arena, "%.*s", (int)strcspn(base, "."), base);
}

void load_roots_init(struct load_roots *roots)
{
    char exe[4096], path[4200];
    const char *env = getenv("HUBSIM_PATH");

    roots->n = 0;
    if (load_find_self(exe, sizeof(exe))) {
        snprintf(path, sizeof(path), "%s/../share/hubsim/configs", exe);
        add_shortened(roots, path);
    }
    while (env != NULL && *env != '\0') {
        size_t len = strcspn(env, ":");

        snprintf(path, sizeof(path), "%.*s", (int)len, env);
        add_shortened(roots, path);
        env += len + (env[len] == ':');
    }
}

struct names {
    struct load_arena arena;
    unsigned n, room;
    const char **names;
};

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void read_folder(const char *folder, struct names *list)
{
    DIR *dir = opendir(folder);
    struct dirent *entry;

    while (dir != NULL && (entry = readdir(dir)) != NULL) {
        size_t n = strlen(entry->d_name);

        if (n <= 5 || strcmp(entry->d_name + n - 5, ".yaml") != 0)
            continue;
        list->names =
            load_grow(&list->arena, list->names, list->n, &list->room, sizeof(*list->names));
        list->names[list->n++] = load_text(&list->arena, "%.*s", (int)n - 5, entry->d_name);
    }
    if (dir != NULL)
        (void)closedir(dir);
}

void load_find_each(const struct load_roots *roots, const char *folder, load_found_fn fn, void *arg)
{
    struct names list = { 0 };

    for (unsigned r = 0; r < roots->n; r++)
        read_folder(load_text(&list.arena, "%s/%s", roots->paths[r], folder), &list);
    if (list.n > 0)
        qsort(list.names, list.n, sizeof(*list.names), by_name);
    for (unsigned i = 0; i < list.n; i++) {
        bool again = i > 0 && strcmp(list.names[i], list.names[i - 1]) == 0;
        const char *path =
            again ? NULL : load_find_first(roots, folder, list.names[i], &list.arena);

        if (path != NULL)
            fn(arg, list.names[i], path);
    }
    load_arena_fini(&list.arena);
}

static void offer_name(void *arg, const char *name, const char *path)
{
    struct load_nearest *near = arg;

    (void)path;
    load_nearest_offer(near, name);
}

bool load_find_is_path(const char *name)
{
    size_t n = strlen(name);

    return strchr(name, '/') != NULL || (n > 5 && strcmp(name + n - 5, ".yaml") == 0);
}

const char *load_find_first(const struct load_roots *roots, const char *folder, const char *name,
                            struct load_arena *arena)
{
    if (load_find_is_path(name))
        return access(name, R_OK) == 0 ? load_text(arena, "%s", name) : NULL;
    for (unsigned r = 0; r < roots->n; r++) {
        const char *path = load_text(arena, "%s/%s/%s.yaml", roots->paths[r], folder, name);

        if (access(path, R_OK) == 0)
            return path;
    }
    return NULL;
}

const char *load_find(const struct load_roots *roots, const char *folder, const char *name,
                      struct load_arena *arena)
{
    const char *folders[] = { folder, NULL };
    const char *path = load_find_first(roots, folder, name, arena);

    if (path == NULL)
        load_find_fail(roots, "", folders, name);
    return path;
}

/** Where a name has a file all the same: in the current folder, or as the file of another command.
 * @return how the message goes on, or "" */
static const char *find_elsewhere(const struct load_roots *roots, const char *name,
                                  struct load_arena *arena)
{
    static const struct {
        const char *folder, *command;
    } rows[] = { { "experiments", "run" },
                 { "machines", "run" },
                 { "sweeps", "sweep" },
                 { "figures", "figure" } };
    const char *file = load_text(arena, "%s.yaml", name);

    if (access(file, R_OK) == 0)
        return load_text(arena, ", did you mean %s?", file);
    for (size_t i = 0; i < SIM_COUNT(rows); i++)
        if (load_find_first(roots, rows[i].folder, name, arena) != NULL)
            return load_text(arena, ", but in %s/: `hubsim %s` takes it", rows[i].folder,
                             rows[i].command);
    return "";
}

const char *load_find_here(const char *name, struct load_arena *arena)
{
    char here[4096];

    return name[0] != '/' && getcwd(here, sizeof(here)) != NULL
               ? load_text(arena, " in %s, the current folder", here)
               : "";
}

void load_find_fail(const struct load_roots *roots, const char *head, const char *const *folders,
                    const char *name)
{
    struct load_nearest near;
    struct load_arena arena = { 0 };
    char list[128] = "", hint[160];

    if (load_find_is_path(name))
        load_raise(SIM_ERR_IO, "%s%s: %s%s", head, name, load_file_why(name),
                   head[0] != '\0' && access(name, F_OK) != 0 ? load_find_here(name, &arena) : "");
    load_nearest_init(&near, name, false);
    for (unsigned i = 0; folders[i] != NULL; i++) {
        size_t n = strlen(list);

        (void)snprintf(list + n, sizeof(list) - n, "%s%s/", i > 0 ? " or " : "", folders[i]);
        load_find_each(roots, folders[i], offer_name, &near);
    }
    (void)snprintf(hint, sizeof(hint), "%s",
                   head[0] == '\0' ? find_elsewhere(roots, name, &arena) : "");
    load_arena_fini(&arena);
    load_raise(SIM_ERR_IO, "%s%s: not found in %s%s", head, name, list,
               hint[0] != '\0'        ? hint
               : near.hint[0] != '\0' ? near.hint
                                      : ": `hubsim list` names what is there");
}
