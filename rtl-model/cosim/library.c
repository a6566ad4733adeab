#define _XOPEN_SOURCE 700
#include "rtl-model/cosim/library.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static bool choose_folder(char *folder, size_t size)
{
    const char *own = getenv("HUBSIM_RTL"), *cache = getenv("XDG_CACHE_HOME"),
               *home = getenv("HOME");
    int n = -1;

    if (own != NULL && *own != '\0')
        n = snprintf(folder, size, "%s", own);
    else if (cache != NULL && *cache != '\0')
        n = snprintf(folder, size, "%s/hubsim/rtl", cache);
    else if (home != NULL && *home != '\0')
        n = snprintf(folder, size, "%s/.cache/hubsim/rtl", home);
    return n > 0 && (size_t)n < size;
}

/* Beside the folder of the program, where the commands find all that is shared (tools/load/find.h).
 */
static bool find_beside(const char *name, int access_mode, char *file, size_t size)
{
    ssize_t n = readlink("/proc/self/exe", file, size - 1);
    size_t room;
    char *slash;

    if (n <= 0)
        return false;
    file[n] = '\0';
    slash = strrchr(file, '/');
    room = size - (size_t)(slash - file);
    n = snprintf(slash, room, "/../%s", name);
    return n > 0 && (size_t)n < room && access(file, access_mode) == 0;
}

/* A line, without its end. @return false: none */
static bool read_line(int fd, char *line, size_t size)
{
    FILE *f = fdopen(fd, "r");
    bool got;

    if (f == NULL) {
        (void)close(fd);
        return false;
    }
    got = fgets(line, (int)size, f) != NULL;
    (void)fclose(f);
    line[got ? strcspn(line, "\n") : 0] = '\0';
    return got;
}

static bool ended_well(pid_t pid)
{
    int status;

    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return false;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* The script prints the library's path, and makes it if it is not there. It reports by itself what
 * goes wrong. */
static bool run_script(const char *script, const char *parameters, const char *folder, char *file,
                       size_t size)
{
    const char *words[] = { script, parameters, folder, NULL };
    posix_spawn_file_actions_t actions;
    int ends[2];
    bool got = false;
    pid_t pid;

    if (pipe(ends) != 0)
        return false;
    if (posix_spawn_file_actions_init(&actions) != 0) {
        (void)close(ends[0]);
        (void)close(ends[1]);
        return false;
    }
    (void)posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    (void)posix_spawn_file_actions_addclose(&actions, ends[0]);
    got = posix_spawn(&pid, script, &actions, NULL, (char *const *)(uintptr_t)words, environ) == 0;
    (void)posix_spawn_file_actions_destroy(&actions);
    (void)close(ends[1]);
    if (!got) {
        (void)close(ends[0]);
        return false;
    }
    got = read_line(ends[0], file, size);
    return ended_well(pid) && got;
}

/** @return what a library calls `symbol`; NULL, and `err` is set: none */
static const void *load(const char *path, const char *file, const char *symbol,
                        struct sim_error *err)
{
    void *object = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    const void *found = object != NULL ? dlsym(object, symbol) : NULL;

    if (found == NULL)
        (void)sim_error_set(err, SIM_ERR_IO, "%s: %s (made anew where it is removed)", path,
                            dlerror());
    return found;
}

int library_model(const char *path, const char *parameters, const struct model_ops **ops_p,
                  struct sim_error *err)
{
    char folder[PATH_MAX], script[PATH_MAX], file[PATH_MAX];

    if (!choose_folder(folder, sizeof(folder)))
        return sim_error_set(
            err, SIM_ERR_IO,
            "%s: expected a folder for hubs in SystemVerilog, HUBSIM_RTL or in HOME, with a name "
            "of less than %d characters",
            path, PATH_MAX);
    if (!find_beside("share/hubsim/rtl-model/library", X_OK, script, sizeof(script)))
        return sim_error_set(
            err, SIM_ERR_IO,
            "%s: expected share/hubsim/rtl-model beside bin, where this program is", path);
    if (!run_script(script, parameters, folder, file, sizeof(file)))
        return sim_error_set(err, SIM_ERR_IO, "%s: a hub in SystemVerilog could not be made in %s",
                             path, folder);
    *ops_p = load(path, file, MODEL_SYMBOL, err);
    if (*ops_p == NULL)
        return SIM_ERR_IO;
    if (strcmp((*ops_p)->parameters, parameters) != 0)
        return sim_error_set(err, SIM_ERR_IO, "%s: %s: has %s: expected %s", path, file,
                             (*ops_p)->parameters, parameters);
    return SIM_OK;
}

int library_processes(const char *path, const struct process_ops **ops_p, struct sim_error *err)
{
    char file[PATH_MAX];

    if (!find_beside("lib/hubsim/libhubsim_sc.so", R_OK, file, sizeof(file)))
        return sim_error_set(err, SIM_ERR_IO,
                             "%s: no lib/hubsim/libhubsim_sc.so beside bin, where this program is: "
                             "expected a build with SystemC",
                             path);
    (void)setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0); /* among a table's lines */
    *ops_p = load(path, file, PROCESS_SYMBOL, err);
    return *ops_p != NULL ? SIM_OK : SIM_ERR_IO;
}
