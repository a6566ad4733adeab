#define _POSIX_C_SOURCE 200809L
#include "tools/lab/watch/claims.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/** A file, or the folder of one that is not there yet and its name in it. */
struct place {
    dev_t device;
    ino_t inode;
    const char *name; /* "": the file is there */
};

/** False: a device, for example, which several may write to, or no place for a file. */
static bool find_place(const char *path, struct place *place_p)
{
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    char folder[4096];
    struct stat s;

    if (stat(path, &s) == 0) {
        *place_p = (struct place){ s.st_dev, s.st_ino, "" };
        return S_ISREG(s.st_mode);
    }
    if (snprintf(folder, sizeof(folder), "%.*s.", (int)(name - path), path) >=
            (int)sizeof(folder) ||
        stat(folder, &s) != 0)
        return false;
    *place_p = (struct place){ s.st_dev, s.st_ino, name };
    return true;
}

static bool same_file(const char *a, const char *b)
{
    struct place x, y;

    return find_place(a, &x) && find_place(b, &y) && x.device == y.device && x.inode == y.inode &&
           strcmp(x.name, y.name) == 0;
}

int lab_claims_spare(const struct lab_claims *claims, const char *option, const char *path,
                     struct sim_error *err)
{
    for (unsigned i = 0; i < claims->n; i++) {
        const struct lab_claim *claim = &claims->files[i];

        if (same_file(claim->path, path))
            return sim_error_set(err, SIM_ERR_CONFIG,
                                 "%s %s: the same file as %s %s: expected another", claim->option,
                                 claim->path, option, path);
    }
    return SIM_OK;
}

int lab_claims_add(struct lab_claims *claims, const char *option, const char *path,
                   struct sim_error *err)
{
    int rc = path != NULL ? lab_claims_spare(claims, option, path, err) : SIM_OK;

    if (rc != SIM_OK || path == NULL)
        return rc;
    SIM_ASSERT(claims->n < LAB_CLAIMS_MAX);
    claims->files[claims->n++] = (struct lab_claim){ option, path };
    return SIM_OK;
}

struct reading {
    const struct lab_claims *claims;
    struct sim_error *err;
    int rc;
};

static void spare_part(void *arg, const char *path)
{
    struct reading *reading = arg;

    if (reading->rc == SIM_OK)
        reading->rc = lab_claims_spare(reading->claims, "the machine's", path, reading->err);
}

int lab_claims_spare_machine(const struct lab_claims *claims, const struct load_machine *machine,
                             struct sim_error *err)
{
    struct reading reading = { .claims = claims, .err = err };

    load_machine_each_file(machine, spare_part, &reading);
    return reading.rc;
}
