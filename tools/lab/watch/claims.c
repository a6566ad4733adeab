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

void lab_claims_spare(const struct lab_claims *claims, const char *option, const char *path)
{
    for (unsigned i = 0; i < claims->n; i++) {
        const struct lab_claim *claim = &claims->files[i];

        if (same_file(claim->path, path))
            load_raise(SIM_ERR_CONFIG, "%s %s: the same file as %s %s: expected another",
                       claim->option, claim->path, option, path);
    }
}

void lab_claims_add(struct lab_claims *claims, const char *option, const char *path)
{
    if (path == NULL)
        return;
    lab_claims_spare(claims, option, path);
    SIM_ASSERT(claims->n < LAB_CLAIMS_MAX);
    claims->files[claims->n++] = (struct lab_claim){ option, path };
}

static void spare_part(void *claims, const char *path)
{
    lab_claims_spare(claims, "the machine's", path);
}

void lab_claims_spare_machine(const struct lab_claims *claims, const struct load_machine *machine)
{
    load_machine_each_file(machine, spare_part, (void *)(uintptr_t)claims);
}
