#define _POSIX_C_SOURCE 200809L
#include "tools/lab/run/transports.h"
#include "tools/lab/run/software.h"

#include "hosts/launch/launch.h"
#include "hosts/transport/transport.h"

#include <dlfcn.h>
#include <glob.h>
#include <string.h>
#include <unistd.h>

/** What a transport must have and this one has not; NULL: nothing is missing. */
static const char *find_missing(const struct transport_ops *ops)
{
    const struct {
        const char *name;
        bool has;
    } parts[] = {
        { "bytes", ops->bytes >= sizeof(struct transport) },
        { "connect", ops->connect != NULL },
        { "destroy", ops->destroy != NULL },
        { "append", ops->append != NULL },
        { "next", ops->next != NULL },
        { "take", ops->take != NULL },
        { "release", ops->release != NULL },
        { "write", ops->expose == NULL || ops->write != NULL },
        { "wait", ops->wait != NULL },
        { "poll", ops->poll != NULL },
    };

    for (size_t i = 0; i < SIM_COUNT(parts); i++)
        if (!parts[i].has)
            return parts[i].name;
    return NULL;
}

/** Settings of all transports stand in one table, where a key has one meaning. */
static void check_settings(const char *path, const struct host_param *own)
{
    const struct host_param *known;
    unsigned n = 0;

    while (launch_param(n, NULL) != NULL)
        n++;
    for (; own != NULL && own->key != NULL; own++) {
        if (n++ >= LAB_SOFTWARE_ROWS_MAX)
            load_raise(SIM_ERR_CONFIG,
                       "%s: setting %s: expected at most %u settings of all libraries", path,
                       own->key, LAB_SOFTWARE_ROWS_MAX);
        if (own->least > own->most || own->def < own->least || own->def > own->most)
            load_raise(SIM_ERR_CONFIG, "%s: setting %s: expected least <= def <= most", path,
                       own->key);
        if (strncmp(own->key, "mpi.", strlen("mpi.")) != 0)
            load_raise(SIM_ERR_CONFIG, "%s: setting %s: expected mpi.%s", path, own->key, own->key);
        for (unsigned i = 0; (known = launch_param(i, NULL)) != NULL; i++)
            if (strcmp(known->key, own->key) == 0)
                load_raise(SIM_ERR_CONFIG, "%s: setting %s: there is one already", path, own->key);
    }
}

static void load_transport(const char *path, struct load_arena *arena)
{
    const char *name = load_find_stem(path, arena);
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL); /* stays until the process ends */
    const struct transport_ops *ops =
        object != NULL ? dlsym(object, load_text(arena, "transport_%s", name)) : NULL;

    if (ops == NULL)
        load_raise(SIM_ERR_IO, "%s", dlerror());
    if (ops->name == NULL || strcmp(ops->name, name) != 0)
        load_raise(SIM_ERR_CONFIG, "%s: transport %s: expected %s", path,
                   ops->name != NULL ? ops->name : "without a name", name);
    if (find_missing(ops) != NULL)
        load_raise(SIM_ERR_CONFIG, "%s: transport %s: expected .%s", path, name, find_missing(ops));
    check_settings(path, ops->params[TRANSPORT_MPI]);
    if (!transport_add(ops))
        load_raise(SIM_ERR_CONFIG,
                   "%s: expected another name of less than %u letters, and at most %u "
                   "transports in all",
                   path, TRANSPORT_NAME_BYTES, TRANSPORTS_MAX);
}

/** Does an earlier root have one of this name? The first one counts, as it does for all files. */
static bool is_hidden(const struct load_roots *roots, unsigned r, const char *path,
                      struct load_arena *arena)
{
    const char *name = load_find_stem(path, arena);

    for (unsigned before = 0; before < r; before++)
        if (access(load_text(arena, "%s/transports/%s.so", roots->paths[before], name), F_OK) == 0)
            return true;
    return false;
}

static void free_glob(void *found)
{
    globfree(found);
}

static void load_root(const struct load_roots *roots, unsigned r)
{
    struct load_arena arena = { 0 };
    glob_t found;

    if (glob(load_text(&arena, "%s/transports/*.so", roots->paths[r]), 0, NULL, &found) == 0) {
        load_own(&arena, free_glob, &found);
        for (size_t i = 0; i < found.gl_pathc; i++)
            if (!is_hidden(roots, r, found.gl_pathv[i], &arena))
                load_transport(found.gl_pathv[i], &arena);
    }
    load_arena_fini(&arena);
}

void lab_transports_load(const struct load_roots *roots)
{
    for (unsigned r = 0; r < roots->n; r++)
        load_root(roots, r);
}
