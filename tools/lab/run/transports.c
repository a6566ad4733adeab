#define _POSIX_C_SOURCE 200809L
#include "tools/lab/run/transports.h"

#include "hosts/launch/launch.h"
#include "hosts/transport/transport.h"

#include <dlfcn.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>

/** Settings of all transports stand in one table, where a key has one meaning. */
static int check_settings(const char *path, const struct host_param *own, struct sim_error *err)
{
    const struct host_param *known;

    for (; own != NULL && own->key != NULL; own++) {
        if (strncmp(own->key, "mpi.", strlen("mpi.")) != 0)
            return sim_error_set(err, SIM_ERR_CONFIG, "%s: setting %s: expected mpi.%s", path,
                                 own->key, own->key);
        for (unsigned i = 0; (known = launch_param(i, NULL)) != NULL; i++)
            if (strcmp(known->key, own->key) == 0)
                return sim_error_set(err, SIM_ERR_CONFIG, "%s: setting %s: there is one already",
                                     path, own->key);
    }
    return SIM_OK;
}

static int load_transport(const char *path, struct load_arena *arena, struct sim_error *err)
{
    const char *name = load_find_stem(path, arena);
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL); /* stays until the process ends */
    const struct transport_ops *ops =
        object != NULL ? dlsym(object, load_text(arena, "transport_%s", name)) : NULL;
    int rc;

    if (ops == NULL)
        return sim_error_set(err, SIM_ERR_IO, "%s", dlerror());
    if (strcmp(ops->name, name) != 0)
        return sim_error_set(err, SIM_ERR_CONFIG, "%s: transport %s: expected %s", path, ops->name,
                             name);
    rc = check_settings(path, ops->params, err);
    if (rc == SIM_OK && !transport_add(ops))
        rc = sim_error_set(err, SIM_ERR_CONFIG,
                           "%s: expected another name of less than %u letters, and at most %u "
                           "transports in all",
                           path, TRANSPORT_NAME_BYTES, TRANSPORTS_MAX);
    return rc;
}

int lab_transports_load(const struct load_roots *roots, struct sim_error *err)
{
    struct load_arena arena = { 0 };
    int rc = SIM_OK;

    for (unsigned r = 0; r < roots->n; r++) {
        glob_t found;

        if (glob(load_text(&arena, "%s/transports/*.so", roots->paths[r]), 0, NULL, &found) != 0)
            continue;
        for (size_t i = 0; i < found.gl_pathc && rc == SIM_OK; i++)
            rc = load_transport(found.gl_pathv[i], &arena, err);
        globfree(&found);
    }
    load_arena_fini(&arena);
    return rc;
}
