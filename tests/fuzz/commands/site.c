#define _XOPEN_SOURCE 700 /* mkdtemp, nftw */
#include "child.h"

#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
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

/** With all that is in it. */
static bool copy(const char *from, const char *to)
{
    int status = -1;
    pid_t pid = fork();

    if (pid == 0) {
        (void)execlp("cp", "cp", "-r", from, to, (char *)NULL);
        _exit(127);
    }
    return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

static bool make_folders(const struct site *site)
{
    static const char *const folders[] = { "bin", "share", "share/hubsim", "share/hubsim/scripts",
                                           "programs" };
    char path[256];
    bool made = true;

    for (size_t i = 0; made && i < sizeof(folders) / sizeof(folders[0]); i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", site->base, folders[i]);
        made = mkdir(path, 0777) == 0;
    }
    return made;
}

static bool fill(const struct site *site, const char *configs)
{
    const struct {
        const char *folder, *path, *to;
    } parts[] = {
        { site->build, "bin/hubsim", "bin/" },
        { site->build, "bin/hubrun", "bin/" },
        { site->build, "lib", "lib" },
        { site->build, "tests/hosts/mpi/matcher", "programs/" },
        { site->build, "tests/hosts/mpi/windows", "programs/" },
        { configs, ".", "share/hubsim/configs" },
        { configs, "../tests/leaks.supp", "." },
    };
    char from[4096], to[256];
    bool copied = true;

    for (size_t i = 0; copied && i < sizeof(parts) / sizeof(parts[0]); i++) {
        (void)snprintf(from, sizeof(from), "%s/%s", parts[i].folder, parts[i].path);
        (void)snprintf(to, sizeof(to), "%s/%s", site->base, parts[i].to);
        copied = copy(from, to);
    }
    (void)snprintf(to, sizeof(to), "%s/share/hubsim/scripts/python", site->base);
    return copied && symlink("/bin/true", to) == 0; /* nothing is drawn */
}

bool site_init(struct site *site, const char *build, const char *configs)
{
    (void)strcpy(site->base, "/tmp/hubsim-fuzz-XXXXXX");
    site->build = build;
    return mkdtemp(site->base) != NULL && make_folders(site) && fill(site, configs);
}

void site_fini(const struct site *site)
{
    site_remove(site->base);
}
