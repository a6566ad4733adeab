#define _POSIX_C_SOURCE 200809L
#include "tools/lab/format/whole.h"

#include <errno.h>
#include <unistd.h>

bool lab_write_whole(int fd, const void *bytes, size_t n)
{
    const char *p = bytes;

    while (n > 0) {
        ssize_t k = write(fd, p, n);

        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0)
            return false;
        p += k;
        n -= (size_t)k;
    }
    return true;
}

bool lab_read_whole(int fd, void *bytes, size_t n)
{
    char *p = bytes;

    while (n > 0) {
        ssize_t k = read(fd, p, n);

        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0)
            return false;
        p += k;
        n -= (size_t)k;
    }
    return true;
}
