#define _POSIX_C_SOURCE 200809L
#include "tools/lab/format/out.h"

#include "tools/load/arena.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/** @param n how much of `path` names the folder that it is about */
static _Noreturn void refuse_folder(const char *path, int n, int code)
{
    load_raise(SIM_ERR_IO, "%.*s: %s: expected a folder to write to", n, path, strerror(code));
}

void lab_out_folder(const char *path)
{
    struct stat s = { 0 };
    char part[PATH_MAX];

    if (strlen(path) >= sizeof(part))
        refuse_folder(path, (int)strlen(path), ENAMETOOLONG);
    for (const char *p = path; *p != '\0';) {
        p += 1 + strcspn(p + 1, "/");
        snprintf(part, sizeof(part), "%.*s", (int)(p - path), path);
        if (mkdir(part, 0777) != 0 && errno != EEXIST)
            refuse_folder(path, (int)(p - path), errno);
    }
    if (stat(path, &s) == 0 && !S_ISDIR(s.st_mode))
        refuse_folder(path, (int)strlen(path), ENOTDIR);
    if (access(path, W_OK | X_OK) != 0)
        refuse_folder(path, (int)strlen(path), errno);
}

/** Walks up to the nearest folder that is there. @return how much of `path` names it, 0: none
 * @param first_p how much of it names the first folder to be made, or all of it
 * @param longest_p the longest name of those to be made */
static int find_nearest(const char *path, int *first_p, int *longest_p)
{
    char part[PATH_MAX];
    struct stat s;
    int n = (int)strlen(path);

    *first_p = n;
    *longest_p = 0;
    while (snprintf(part, sizeof(part), "%.*s", n, path) > 0 && lstat(part, &s) != 0) {
        int end = n;

        if (errno != ENOENT)
            refuse_folder(path, n, errno);
        for (*first_p = n; n > 0 && path[n - 1] != '/'; n--)
            ;
        *longest_p = end - n > *longest_p ? end - n : *longest_p;
        n -= n > 1;
    }
    return n;
}

/** A folder with a name of its own, in the nearest one that is there, shows it. */
void lab_out_try_folder(const char *path)
{
    static const char name[] = "/.hubsim-try-XXXXXX"; /* longer than those of a result's files */
    char probe[PATH_MAX];
    int first, longest, n;
    long limit;

    if (strlen(path) + sizeof(name) > sizeof(probe))
        refuse_folder(path, (int)strlen(path), ENAMETOOLONG);
    n = find_nearest(path, &first, &longest);
    snprintf(probe, sizeof(probe), "%.*s", n > 0 ? n : 1, n > 0 ? path : ".");
    limit = pathconf(probe, _PC_NAME_MAX);
    if (limit > 0 && longest > limit)
        refuse_folder(path, (int)strlen(path), ENAMETOOLONG);
    snprintf(probe, sizeof(probe), "%.*s%s", n > 0 ? n : 1, n > 0 ? path : ".", name);
    if (mkdtemp(probe) == NULL)
        refuse_folder(path, first, errno);
    (void)rmdir(probe);
}

static _Noreturn void refuse_file(const char *path, int code)
{
    load_raise(SIM_ERR_IO, "%s: %s: expected a writable file", path,
               code == ENXIO ? "no process reads from it" : strerror(code));
}

/** Replaces a link by what it leads to. @return false: it is none, or too long */
static bool follow_link(char path[PATH_MAX])
{
    char to[PATH_MAX];
    ssize_t n = readlink(path, to, sizeof(to));
    size_t folder = strrchr(path, '/') != NULL ? (size_t)(strrchr(path, '/') + 1 - path) : 0;

    if (n <= 0)
        return false;
    if (to[0] == '/')
        folder = 0;
    return snprintf(path + folder, PATH_MAX - folder, "%.*s", (int)n, to) < PATH_MAX - (int)folder;
}

/** A file that is not there, as it would be made: at the end of links. */
static int try_new(const char *path)
{
    char end[PATH_MAX];
    int fd;

    (void)snprintf(end, sizeof(end), "%s", path);
    do
        fd = open(end, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NONBLOCK, 0666);
    while (fd < 0 && errno == EEXIST && follow_link(end));
    if (fd >= 0)
        (void)unlink(end);
    return fd;
}

int lab_out_try(const char *path)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK);

    if (fd < 0 && errno == ENOENT)
        fd = try_new(path);
    if (fd < 0)
        refuse_file(path, errno);
    return fd;
}

int lab_out_create(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK, 0666);

    if (fd < 0)
        refuse_file(path, errno);
    (void)fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    return fd;
}

FILE *lab_out_open(const char *path)
{
    int fd = lab_out_create(path), code;
    FILE *f = fdopen(fd, "w");

    if (f == NULL) {
        code = errno;
        (void)close(fd);
        refuse_file(path, code);
    }
    return f;
}

/** @param code an error number, 0 where it is not known */
static _Noreturn void fail_written(const char *name, int code)
{
    load_raise(SIM_ERR_IO, "%s: could not be written in full%s%s", name, code != 0 ? ": " : "",
               code != 0 ? strerror(code) : "");
}

void lab_out_close(FILE *f, const char *path)
{
    int code = ferror(f) != 0 ? errno : 0; /* what comes after it has failed alike */
    bool failed = ferror(f) != 0;

    if (fclose(f) != 0) {
        code = errno;
        failed = true;
    }
    if (failed)
        fail_written(path, code);
}

void lab_out_prepare(void)
{
    (void)signal(SIGXFSZ, SIG_IGN);
    (void)signal(SIGPIPE, SIG_DFL);
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) == -1 && errno == EBADF)
            (void)open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/** `errno` of an earlier failure is gone by now; that of the last write is not. */
void lab_out_close_standard(void)
{
    bool failed = ferror(stdout) != 0;

    errno = 0;
    failed |= fclose(stdout) != 0;
    if (failed)
        fail_written("standard output", errno);
}
