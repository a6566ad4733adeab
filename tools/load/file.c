#define _POSIX_C_SOURCE 200809L
#include "tools/load/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *load_file_why(const char *path)
{
    struct stat s;

    if (stat(path, &s) != 0)
        return errno == ENOENT ? "no such file" : strerror(errno);
    if (S_ISDIR(s.st_mode))
        return "a folder";
    return access(path, R_OK) != 0 ? strerror(errno) : "not a regular file";
}

int load_file_open(const char *path)
{
    struct stat s;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

    if (fd < 0)
        load_raise(SIM_ERR_IO, "%s: %s: expected a readable file", path, strerror(errno));
    if (fstat(fd, &s) != 0 || !S_ISREG(s.st_mode)) {
        (void)close(fd);
        load_raise(SIM_ERR_IO, "%s: not a regular file: expected a readable file", path);
    }
    return fd;
}

/** What may grow while it is read, so not what fstat() says. @return bytes, above `max` if there
 * are more; -1: an error */
static ssize_t read_up_to(int fd, size_t max, char **bytes_p)
{
    size_t n = 0, room = 1u << 16;
    ssize_t k = 0;

    do {
        if (n == room || *bytes_p == NULL) {
            char *bigger = realloc(*bytes_p, room *= 2);

            SIM_ASSERT(bigger != NULL);
            *bytes_p = bigger;
        }
        k = read(fd, *bytes_p + n, room - n);
        n += k > 0 ? (size_t)k : 0;
    } while ((k > 0 && n <= max) || (k < 0 && errno == EINTR));
    return k < 0 ? k : (ssize_t)n;
}

char *load_file_read(const char *path, size_t max, struct load_arena *arena, size_t *n_p)
{
    char *bytes = NULL;
    int fd = load_file_open(path);
    ssize_t n = read_up_to(fd, max, &bytes);
    int error = errno;

    (void)close(fd);
    load_own(arena, free, bytes);
    if (n < 0)
        load_raise(SIM_ERR_IO, "%s: %s: expected a readable file", path, strerror(error));
    if ((size_t)n > max)
        load_raise(SIM_ERR_CONFIG, "%s: too large: expected at most %zu bytes", path, max);
    *n_p = (size_t)n;
    return bytes;
}
