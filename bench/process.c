#define _GNU_SOURCE /* wait4, environ */
#include "process.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

void process_beside(const char *name, char *path, size_t size)
{
    ssize_t n = readlink("/proc/self/exe", path, size - 1);
    char *slash;

    if (n <= 0)
        abort();
    path[n] = '\0';
    slash = strrchr(path, '/');
    if ((size_t)snprintf(slash + 1, size - (size_t)(slash + 1 - path), "%s", name) >=
        size - (size_t)(slash + 1 - path))
        abort();
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

struct process_use process_run(const char *const *argv)
{
    struct process_use use;
    posix_spawn_file_actions_t quiet;
    struct rusage usage;
    char *args[16]; /* what posix_spawn() does not write to, though its type does not say so */
    size_t n = 0;
    double start = now();
    int status;
    pid_t pid;

    while (argv[n] != NULL && n < 15)
        n++;
    if (n == 0)
        abort();
    memcpy(args, argv, (n + 1) * sizeof(*args));
    (void)posix_spawn_file_actions_init(&quiet);
    (void)posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0);
    if (posix_spawn(&pid, args[0], &quiet, NULL, args, environ) != 0 ||
        wait4(pid, &status, 0, &usage) != pid || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        fprintf(stderr, "%s: did not run or failed\n", argv[0]);
        exit(1);
    }
    (void)posix_spawn_file_actions_destroy(&quiet);
    use.seconds = now() - start;
    use.megabytes = (double)usage.ru_maxrss / 1024;
    return use;
}
