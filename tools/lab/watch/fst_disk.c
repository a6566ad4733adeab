#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "tools/lab/watch/fst_disk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/* The writer hands nothing on to these calls that could hold it. */
static _Thread_local int first_error;

int fst_disk_error(void)
{
    int code = first_error;

    first_error = 0;
    return code;
}

/* errno, unless `rc` is 0. */
static int note_failure(int rc)
{
    if (rc != 0 && first_error == 0)
        first_error = errno;
    return rc;
}

int fst_disk_fclose(FILE *f)
{
    return note_failure(fclose(f));
}

int fst_disk_fflush(FILE *f)
{
    return note_failure(fflush(f));
}

int fst_disk_fputc(int c, FILE *f)
{
    int rc = fputc(c, f);

    (void)note_failure(rc == EOF);
    return rc;
}

int fst_disk_fseeko(FILE *f, off_t offset, int whence)
{
    return note_failure(fseeko(f, offset, whence)); /* of what it has written first */
}

size_t fst_disk_fwrite(const void *bytes, size_t size, size_t n, FILE *f)
{
    size_t written;

    if (size == 0 || n == 0) /* then it hands on no place either */
        return n;
    written = fwrite(bytes, size, n, f);
    (void)note_failure(written != n);
    return written;
}

static void *copy_of(int fd, size_t bytes, int access, off_t offset)
{
    uint8_t *copy = mmap(NULL, bytes, access | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ssize_t n = 1;

    if (copy == MAP_FAILED)
        return copy;
    for (size_t at = 0; n > 0 && at < bytes; at += (size_t)n)
        n = pread(fd, copy + at, bytes - at, offset + (off_t)at);
    return copy;
}

void *fst_disk_mmap(void *at, size_t bytes, int access, int flags, int fd, off_t offset)
{
    int code = 0;

    do
        code = bytes != 0 ? posix_fallocate(fd, offset, (off_t)bytes) : 0;
    while (code == EINTR); /* by the timer that watches ranks */
    if (code == 0)
        return mmap(at, bytes, access, flags, fd, offset);
    errno = code;
    (void)note_failure(code);
    return copy_of(fd, bytes, access, offset);
}
