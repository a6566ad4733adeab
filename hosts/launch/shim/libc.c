/*
 * Functions of libc whose hidden state, or whose notion of the process, would be
 * shared by all ranks: here for this copy. What is left to libc, the locale and
 * the working directory among it, is in docs/programs.md.
 */
#define _GNU_SOURCE /* vasprintf, its variant of strerror_r */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "hosts/launch/shim/parts.h"

/* The names are libc's, those of the parameters are ours.
 * NOLINTBEGIN(readability-inconsistent-declaration-parameter-name,bugprone-reserved-identifier) */

/* ---- texts and dates in static memory -------------------------------------------------- */

char *strerror(int code)
{
    static char text[128];

    return strerror_r(code, text, sizeof(text));
}

struct tm *localtime(const time_t *t)
{
    static struct tm tm;

    return localtime_r(t, &tm);
}

struct tm *gmtime(const time_t *t)
{
    static struct tm tm;

    return gmtime_r(t, &tm);
}

char *asctime(const struct tm *tm)
{
    static char text[64];

    return asctime_r(tm, text);
}

char *ctime(const time_t *t)
{
    struct tm tm;

    return localtime_r(t, &tm) != NULL ? asctime(&tm) : NULL;
}

/* ---- memory that libc would take from its own heap, which does not go with the rank ------- */

char *strndup(const char *s, size_t most)
{
    size_t n = strnlen(s, most);
    char *copy = malloc(n + 1);

    if (copy != NULL) {
        memcpy(copy, s, n);
        copy[n] = '\0';
    }
    return copy;
}

char *strdup(const char *s)
{
    return strndup(s, strlen(s));
}

int vasprintf(char **text_p, const char *format, va_list ap)
{
    va_list again;
    int n;

    va_copy(again, ap);
    n = vsnprintf(NULL, 0, format, again);
    va_end(again);
    *text_p = n >= 0 ? malloc((size_t)n + 1) : NULL;
    return *text_p != NULL ? vsnprintf(*text_p, (size_t)n + 1, format, ap) : -1;
}

HUB_VARIADIC(asprintf, (char **text_p, const char *format, ...), vasprintf(text_p, format, ap))

void *memalign(size_t align, size_t n)
{
    return aligned_alloc(align, n);
}

void *valloc(size_t n)
{
    return aligned_alloc((size_t)sysconf(_SC_PAGESIZE), n);
}

size_t malloc_usable_size(void *p)
{
    return p != NULL ? hub_hooks.size(hub_hooks.rank, p) : 0;
}

/* ---- simulated time --------------------------------------------------------------------- */

clock_t clock(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (clock_t)(ts.tv_sec * CLOCKS_PER_SEC + ts.tv_nsec / (1000000000 / CLOCKS_PER_SEC));
}

int timespec_get(struct timespec *ts, int base)
{
    clock_gettime(CLOCK_REALTIME, ts);
    return base;
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *ts, struct timespec *left)
{
    struct timespec now, rest = *ts;

    if (!hub_is_timespec(ts))
        return EINVAL;
    if ((flags & TIMER_ABSTIME) != 0) {
        clock_gettime(clock, &now);
        if (now.tv_sec > ts->tv_sec || (now.tv_sec == ts->tv_sec && now.tv_nsec >= ts->tv_nsec))
            return 0;
        rest.tv_sec -= now.tv_sec + (now.tv_nsec > ts->tv_nsec);
        rest.tv_nsec -= now.tv_nsec - (now.tv_nsec > ts->tv_nsec ? 1000000000 : 0);
        left = NULL;
    }
    return nanosleep(&rest, left) == 0 ? 0 : errno;
}

/* Without a descriptor to wait for, all four mean to sleep. With one they are the computer's, which
 * knows nothing of the rank's mask. */
int pselect(int n, fd_set *restrict in, fd_set *restrict out, fd_set *restrict bad,
            const struct timespec *restrict wait, const sigset_t *restrict mask)
{
    struct timespec left; /* the kernel writes it */

    if (n == 0 && !hub_shim_is_thread())
        return hub_signals_sleep(wait, mask);
    if (wait != NULL)
        left = *wait;
    return (int)syscall(SYS_pselect6, n, in, out, bad, wait != NULL ? &left : NULL, NULL);
}

int select(int n, fd_set *restrict in, fd_set *restrict out, fd_set *restrict bad,
           struct timeval *restrict wait)
{
    struct timespec ts;

    if (wait == NULL)
        return pselect(n, in, out, bad, NULL, NULL);
    if (wait->tv_sec < 0 || wait->tv_usec < 0)
        return hub_fail(EINVAL);
    ts = (struct timespec){ wait->tv_sec, wait->tv_usec % 1000000 * 1000 };
    if (__builtin_add_overflow(ts.tv_sec, wait->tv_usec / 1000000, &ts.tv_sec))
        ts.tv_sec = wait->tv_sec; /* for ever, either way */
    return pselect(n, in, out, bad, &ts, NULL);
}

int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *wait, const sigset_t *mask)
{
    struct timespec left;

    if (n == 0 && !hub_shim_is_thread())
        return hub_signals_sleep(wait, mask);
    if (wait != NULL)
        left = *wait;
    return (int)syscall(SYS_ppoll, fds, n, wait != NULL ? &left : NULL, NULL, 0);
}

int poll(struct pollfd *fds, nfds_t n, int wait_ms)
{
    const struct timespec ts = { wait_ms / 1000, wait_ms % 1000 * 1000000L };

    return ppoll(fds, n, wait_ms >= 0 ? &ts : NULL, NULL);
}

/* A rank has its core for itself: all time is time of the user. */
int getrusage(__rusage_who_t who, struct rusage *usage)
{
    (void)who;
    memset(usage, 0, sizeof(*usage));
    return gettimeofday(&usage->ru_utime, NULL);
}

clock_t times(struct tms *buffer)
{
    long hz = sysconf(_SC_CLK_TCK);
    clock_t now = clock() / (CLOCKS_PER_SEC / hz);

    *buffer = (struct tms){ .tms_utime = now };
    return now;
}

/* ---- the process and its node -------------------------------------------------------------- */

pid_t getpid(void)
{
    return (pid_t)hub_hooks.pid;
}

/* The child would be the simulator with all of its ranks once more. */
pid_t fork(void)
{
    return hub_fail(ENOSYS);
}

pid_t vfork(void)
{
    return fork();
}

int gethostname(char *name, size_t room)
{
    size_t n = strlen(hub_hooks.host) + 1;

    if (n > room)
        return hub_fail(ENAMETOOLONG);
    memcpy(name, hub_hooks.host, n);
    return 0;
}

/* The seed of who asks for none, of a Fortran program for example: the same in each run. */
int getentropy(void *bytes, size_t n)
{
    static uint64_t calls;
    uint64_t x = (uint64_t)hub_hooks.pid << 32 | ++calls;

    for (size_t i = 0; i < n; i++) {
        x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9) + UINT64_C(0x9e3779b97f4a7c15);
        ((unsigned char *)bytes)[i] = (unsigned char)(x >> 56);
    }
    return 0;
}

int uname(struct utsname *name)
{
    int code = (int)syscall(SYS_uname, name);

    if (code == 0)
        (void)gethostname(name->nodename, sizeof(name->nodename));
    return code;
}

/* ---- the rank's streams ---- */

/* They have no descriptor of their own; C++ streams without stdio write to it. */
int fileno(FILE *stream)
{
    return stream == stdin    ? STDIN_FILENO
           : stream == stdout ? STDOUT_FILENO
           : stream == stderr ? STDERR_FILENO
                              : stream->_fileno;
}

extern int _IO_fclose(FILE *stream); /* libc's own name of fclose() */

/* The rank's streams are closed with it: its end flushes them, its launcher writes to them, too. */
int fclose(FILE *stream)
{
    if (stream == stdin)
        return 0;
    return stream == stdout || stream == stderr ? fflush(stream) : _IO_fclose(stream);
}

static FILE *stream_of(int fd)
{
    return fd == STDOUT_FILENO ? stdout : fd == STDERR_FILENO ? stderr : NULL;
}

extern ssize_t __write(int fd, const void *bytes, size_t n); /* libc's own name of write() */

ssize_t write(int fd, const void *bytes, size_t n)
{
    FILE *stream = stream_of(fd);

    if (stream == NULL)
        return __write(fd, bytes, n);
    if (fwrite(bytes, 1, n, stream) < n || fflush(stream) != 0 || ferror(stream))
        return -1;
    return (ssize_t)n;
}

ssize_t writev(int fd, const struct iovec *parts, int n)
{
    ssize_t all = 0;

    for (int i = 0; i < n; i++) {
        ssize_t wrote = write(fd, parts[i].iov_base, parts[i].iov_len);

        if (wrote < 0)
            return all > 0 ? all : wrote;
        all += wrote;
    }
    return all;
}

extern ssize_t __read(int fd, void *bytes, size_t n);

ssize_t read(int fd, void *bytes, size_t n)
{
    return __read(fd == STDIN_FILENO ? stdin->_fileno : fd, bytes, n);
}

/* A rank's three streams are pipes, whatever those of hubrun are: libraries choose their buffers by
 * that, and what a rank prints would come at other times. */
int fstat(int fd, struct stat *st)
{
    int code = fstatat(fd, "", st, AT_EMPTY_PATH);

    if (fd <= STDERR_FILENO && code == 0) {
        st->st_mode = (st->st_mode & ~(mode_t)S_IFMT) | S_IFIFO;
        st->st_size = 0;
    }
    return code;
}

int fstat64(int fd, struct stat64 *st)
{
    _Static_assert(sizeof(struct stat) == sizeof(struct stat64), "one layout for both");
    return fstat(fd, (struct stat *)st);
}

int isatty(int fd)
{
    struct termios settings;

    if (fd > STDERR_FILENO)
        return tcgetattr(fd, &settings) == 0;
    errno = ENOTTY;
    return 0;
}

int vdprintf(int fd, const char *format, va_list ap)
{
    FILE *stream = stream_of(fd);
    char *text = NULL;
    int n;

    if (stream != NULL)
        return vfprintf(stream, format, ap);
    n = vasprintf(&text, format, ap);
    if (n >= 0)
        n = (int)__write(fd, text, (size_t)n);
    free(text);
    return n;
}

HUB_VARIADIC(dprintf, (int fd, const char *format, ...), vdprintf(fd, format, ap))

int vscanf(const char *format, va_list ap)
{
    return vfscanf(stdin, format, ap);
}

HUB_VARIADIC(scanf, (const char *format, ...), vfscanf(stdin, format, ap))

int getchar(void)
{
    return fgetc(stdin);
}

int putchar_unlocked(int c)
{
    return fputc(c, stdout);
}

/* What -D_FORTIFY_SOURCE makes of such functions. */
int __vprintf_chk(int flag, const char *format, va_list ap)
{
    (void)flag;
    return vfprintf(stdout, format, ap);
}

HUB_VARIADIC(__printf_chk, (int flag, const char *format, ...), __vprintf_chk(flag, format, ap))

int __vdprintf_chk(int fd, int flag, const char *format, va_list ap)
{
    (void)flag;
    return vdprintf(fd, format, ap);
}

HUB_VARIADIC(__dprintf_chk, (int fd, int flag, const char *format, ...),
             __vdprintf_chk(fd, flag, format, ap))
/* NOLINTEND(readability-inconsistent-declaration-parameter-name,bugprone-reserved-identifier) */
