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

/* It stands where the commands find all that is shared (tools/load/find.h). */
static bool find_script(char *script, size_t size)
{
    ssize_t n = readlink("/proc/self/exe", script, size - 1);
    size_t room;
    char *slash;

    if (n <= 0)
        return false;
    script[n] = '\0';
    slash = strrchr(script, '/');
    room = size - (size_t)(slash - script);
    n = snprintf(slash, room, "/../share/hubsim/rtl-model/library");
    return n > 0 && (size_t)n < room && access(script, X_OK) == 0;
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

/* The script prints the library's path, and makes it if it is not there. What goes wrong it says by
 * itself. */
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

int library_open(const char *path, const char *parameters, const struct model_ops **ops_p,
                 struct sim_error *err)
{
    char folder[PATH_MAX], script[PATH_MAX], file[PATH_MAX];
    const struct model_ops *ops;
    void *object;

    if (!choose_folder(folder, sizeof(folder)))
        return sim_error_set(
            err, SIM_ERR_IO,
            "%s: expected HUBSIM_RTL or HOME, where a hub in SystemVerilog is kept", path);
    if (!find_script(script, sizeof(script)))
        return sim_error_set(
            err, SIM_ERR_IO,
            "%s: expected share/hubsim/rtl-model beside bin, where this program is", path);
    if (!run_script(script, parameters, folder, file, sizeof(file)))
        return sim_error_set(err, SIM_ERR_IO,
                             "%s: a hub in SystemVerilog with %s could not be made", path,
                             parameters);
    object = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    ops = object != NULL ? dlsym(object, MODEL_SYMBOL) : NULL;
    if (ops == NULL)
        return sim_error_set(err, SIM_ERR_IO, "%s: %s", path, dlerror());
    *ops_p = ops;
    return SIM_OK;
}
