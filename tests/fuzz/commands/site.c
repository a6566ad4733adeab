#define _XOPEN_SOURCE 700 /* mkdtemp, nftw */
#include "child.h"

#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
    (void)st;
    (void)flag;
    (void)ftw;
    (void)remove(path);
    return 0;
}

void site_remove(const char *path)
{
    (void)nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/** The shell copies: this is once a run. */
static bool copy(const struct site *site, const char *configs)
{
    char command[4096];

    (void)snprintf(command, sizeof(command),
                   "cd '%s' && mkdir -p bin share/hubsim/scripts programs && "
                   "cp '%s/bin/hubsim' '%s/bin/hubrun' bin/ && cp -r '%s' share/hubsim/configs && "
                   "ln -s /bin/true share/hubsim/scripts/python && cp -r '%s/lib' lib && "
                   "cp '%s/../tests/leaks.supp' . && cp '%s/tests/hosts/mpi/matcher' "
                   "'%s/tests/hosts/mpi/windows' programs/",
                   site->base, site->build, site->build, configs, site->build, configs, site->build,
                   site->build);
    return system(command) == 0;
}

bool site_init(struct site *site, const char *build, const char *configs)
{
    (void)strcpy(site->base, "/tmp/hubsim-fuzz-XXXXXX");
    site->build = build;
    return mkdtemp(site->base) != NULL && copy(site, configs);
}

void site_fini(const struct site *site)
{
    site_remove(site->base);
}
