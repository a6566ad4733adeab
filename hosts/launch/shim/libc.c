/*
 * Functions of libc whose hidden state, or whose notion of the process, would be
 * shared by all ranks: here for this copy. What is left to libc, environment,
 * locale, working directory, signals, is in docs/programs.md.
 */
#define _GNU_SOURCE /* vasprintf, its variant of strerror_r */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

int asprintf(char **text_p, const char *format, ...)
{
    va_list ap;
    int n;

    va_start(ap, format);
    n = vasprintf(text_p, format, ap);
    va_end(ap);
    return n;
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

/* ---- the process and its node -------------------------------------------------------------- */

pid_t getpid(void)
{
    return (pid_t)hub_shim_hooks()->pid;
}

int gethostname(char *name, size_t room)
{
    const char *host = hub_shim_hooks()->host;

    size_t n = strlen(host) + 1;

    if (n > room) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(name, host, n);
    return 0;
}

/* ---- the rank's streams -----------------------------------------------------------------------
 */

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
    n = fwrite(bytes, 1, n, stream);
    fflush(stream);
    return (ssize_t)n;
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

int dprintf(int fd, const char *format, ...)
{
    va_list ap;
    int n;

    va_start(ap, format);
    n = vdprintf(fd, format, ap);
    va_end(ap);
    return n;
}

int putchar_unlocked(int c)
{
    return fputc(c, stdout);
}

/* What -D_FORTIFY_SOURCE makes of such functions. */
int __vprintf_chk(int flag, const char *format, va_list ap);
int __vprintf_chk(int flag, const char *format, va_list ap)
{
    (void)flag;
    return vfprintf(stdout, format, ap);
}

int __printf_chk(int flag, const char *format, ...);
int __printf_chk(int flag, const char *format, ...)
{
    va_list ap;
    int n;

    (void)flag;
    va_start(ap, format);
    n = vfprintf(stdout, format, ap);
    va_end(ap);
    return n;
}
int __vdprintf_chk(int fd, int flag, const char *format, va_list ap);
int __vdprintf_chk(int fd, int flag, const char *format, va_list ap)
{
    (void)flag;
    return vdprintf(fd, format, ap);
}

int __dprintf_chk(int fd, int flag, const char *format, ...);
int __dprintf_chk(int fd, int flag, const char *format, ...)
{
    va_list ap;
    int n;

    (void)flag;
    va_start(ap, format);
    n = vdprintf(fd, format, ap);
    va_end(ap);
    return n;
}
/* NOLINTEND(readability-inconsistent-declaration-parameter-name,bugprone-reserved-identifier) */
