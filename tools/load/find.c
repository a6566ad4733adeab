#define _XOPEN_SOURCE 700 /* realpath, readlink, strdup */
#include "tools/load/find.h"

#include "tools/load/nearest.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAMES_MAX 256u

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
    unsigned n;
    char *names[NAMES_MAX];
};

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void read_folder(const char *folder, struct names *list)
{
    DIR *dir = opendir(folder);
    struct dirent *entry;

    if (dir == NULL)
        return;
    while ((entry = readdir(dir)) != NULL && list->n < NAMES_MAX) {
        size_t n = strlen(entry->d_name);

        if (n <= 5 || strcmp(entry->d_name + n - 5, ".yaml") != 0)
            continue;
        list->names[list->n] = strdup(entry->d_name);
        SIM_ASSERT(list->names[list->n] != NULL);
        list->names[list->n++][n - 5] = '\0';
    }
    (void)closedir(dir);
}

void load_find_each(const struct load_roots *roots, const char *folder, load_found_fn fn, void *arg)
{
    struct names list = { 0 };
    char path[2048];

    for (unsigned r = 0; r < roots->n; r++) {
        snprintf(path, sizeof(path), "%s/%s", roots->paths[r], folder);
        read_folder(path, &list);
    }
    qsort(list.names, list.n, sizeof(list.names[0]), by_name);
    for (unsigned i = 0; i < list.n; i++) {
        bool again = i > 0 && strcmp(list.names[i], list.names[i - 1]) == 0;

        if (!again && load_find(roots, folder, list.names[i], path, sizeof(path), NULL) == SIM_OK)
            fn(arg, list.names[i], path);
    }
    for (unsigned i = 0; i < list.n; i++)
        free(list.names[i]);
}

static void offer_name(void *arg, const char *name, const char *path)
{
    struct load_nearest *near = arg;

    (void)path;
    load_nearest_offer(near, name);
}

int load_find(const struct load_roots *roots, const char *folder, const char *name, char *path,
              size_t size, struct sim_error *err)
{
    size_t n = strlen(name);
    struct load_nearest near;

    if (strchr(name, '/') != NULL || (n > 5 && strcmp(name + n - 5, ".yaml") == 0)) {
        snprintf(path, size, "%s", name);
        if (access(path, R_OK) == 0)
            return SIM_OK;
        return sim_error_set(err, SIM_ERR_IO, "%s: no such file", name);
    }
    for (unsigned r = 0; r < roots->n; r++) {
        snprintf(path, size, "%s/%s/%s.yaml", roots->paths[r], folder, name);
        if (access(path, R_OK) == 0)
            return SIM_OK;
    }
    if (err == NULL)
        return SIM_ERR_IO;
    load_nearest_init(&near, name);
    load_find_each(roots, folder, offer_name, &near);
    return sim_error_set(err, SIM_ERR_IO, "%s: not found in %s/%s", name, folder,
                         near.hint[0] != '\0' ? near.hint : ": `hubsim list` names what is there");
}
