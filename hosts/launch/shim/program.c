/*
 * Linked into every program object with -Bsymbolic: the parts of libc that mean
 * the whole process, made to mean one rank. `stdout` and `stderr` are variables
 * of the object, so fprintf(stdout, ...) and its relatives stay libc's own; only
 * the functions that imply stdout or end the process need a stand-in here.
 */
#define _GNU_SOURCE /* CLOCK_*, usleep */
#include "hosts/launch/shim/program.h"
#include "hosts/launch/shim/parts.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* The names are libc's, those of the parameters are ours.
 * NOLINTBEGIN(readability-inconsistent-declaration-parameter-name,bugprone-reserved-identifier) */

#undef stdin
#undef stdout
#undef stderr

struct hub_program_hooks hub_hooks;

FILE *stdin, *stdout, *stderr;
static pthread_t rank_thread; /* that loads the copy, and runs all ranks */

/* Before the constructors of the program, which may allocate and open C++ streams on stdout. */
__attribute__((constructor(101))) static void program_begin(void)
{
    hub_hooks = *hub_program_loading();
    rank_thread = pthread_self();
    stdin = hub_hooks.in;
    stdout = hub_hooks.out;
    stderr = hub_hooks.err;
    hub_hooks.signals->take = hub_signals_take;
    hub_poll_begin();
}

int hub_shim_is_thread(void)
{
    return !pthread_equal(pthread_self(), rank_thread);
}

/* ---- memory --------------------------------------------------------------------------- */

/* In a function that the program calls: where it does. */
#define CALLED_AT ((uint64_t)(uintptr_t)__builtin_return_address(0) - 1)

static void *allocate(size_t n, size_t align, int zero, uint64_t from)
{
    int zeroed = 0;
    void *p;

    p = hub_hooks.alloc(hub_hooks.rank, n, align, &zeroed, from);
    if (p == NULL)
        errno = ENOMEM;
    else if (zero && !zeroed)
        memset(p, 0, n);
    return p;
}

void *malloc(size_t n)
{
    return allocate(n, 16, 0, CALLED_AT);
}

void *calloc(size_t n, size_t each)
{
    if (each != 0 && n > SIZE_MAX / each) {
        errno = ENOMEM;
        return NULL;
    }
    return allocate(n * each, 16, 1, CALLED_AT);
}

void free(void *p)
{
    if (p != NULL)
        hub_hooks.free(hub_hooks.rank, p, CALLED_AT);
}

void *realloc(void *p, size_t n)
{
    void *more;

    if (p == NULL)
        return allocate(n, 16, 0, CALLED_AT);
    more = hub_hooks.realloc(hub_hooks.rank, p, n, CALLED_AT);
    if (more == NULL)
        errno = ENOMEM;
    return more;
}

int posix_memalign(void **p, size_t align, size_t n)
{
    if (align < sizeof(void *) || (align & (align - 1)) != 0)
        return EINVAL;
    *p = allocate(n, align, 0, CALLED_AT);
    return *p != NULL ? 0 : ENOMEM;
}

void *aligned_alloc(size_t align, size_t n)
{
    return allocate(n, align, 0, CALLED_AT);
}

/* ---- streams --------------------------------------------------------------------------- */

int vprintf(const char *format, va_list ap)
{
    return vfprintf(stdout, format, ap);
}

HUB_VARIADIC(printf, (const char *format, ...), vfprintf(stdout, format, ap))

int puts(const char *s)
{
    return fputs(s, stdout) < 0 ? EOF : fputc('\n', stdout);
}

int putchar(int c)
{
    return fputc(c, stdout);
}

void perror(const char *s)
{
    int code = errno;

    if (s != NULL && *s != '\0')
        fprintf(stderr, "%s: ", s);
    fprintf(stderr, "%s\n", strerror(code));
}

/* ---- the end --------------------------------------------------------------------------- */

/* What is to be called at exit, C++ destructors of static objects among it. */
static struct at_exit {
    void (*plain)(void);
    void (*with)(void *arg);            /* when `plain` is NULL */
    void (*coded)(int code, void *arg); /* when both are */
    void *arg;
} * at_exit;
static size_t nat_exit, at_exit_room;

static int add_at_exit(struct at_exit e)
{
    if (nat_exit == at_exit_room) {
        size_t room = at_exit_room != 0 ? at_exit_room * 2 : 32;
        struct at_exit *more = realloc(at_exit, room * sizeof(*more));

        if (more == NULL)
            return -1;
        at_exit = more;
        at_exit_room = room;
    }
    at_exit[nat_exit++] = e;
    return 0;
}

int atexit(void (*fn)(void))
{
    return add_at_exit((struct at_exit){ .plain = fn });
}

int __cxa_atexit(void (*fn)(void *), void *arg, void *object)
{
    (void)object;
    return add_at_exit((struct at_exit){ .with = fn, .arg = arg });
}

int on_exit(void (*fn)(int code, void *arg), void *arg)
{
    return add_at_exit((struct at_exit){ .coded = fn, .arg = arg });
}

static void run_at_exit(int code)
{
    while (nat_exit > 0) { /* one may add another */
        struct at_exit e = at_exit[--nat_exit];

        if (e.plain != NULL)
            e.plain();
        else if (e.with != NULL)
            e.with(e.arg);
        else
            e.coded(code, e.arg);
    }
}

_Noreturn static void program_end(int code)
{
    fflush(stdout);
    fflush(stderr);
    hub_hooks.exit(code);
    __builtin_unreachable();
}

_Noreturn void exit(int code)
{
    run_at_exit(code);
    program_end(code);
}

_Noreturn void _Exit(int code)
{
    program_end(code);
}

_Noreturn void _exit(int code)
{
    program_end(code);
}

_Noreturn void hub_shim_killed(int sig, uint64_t from)
{
    fflush(stdout);
    fflush(stderr);
    hub_hooks.killed(sig, from);
    __builtin_unreachable();
}

/* A handler may leave it, but not return from it. */
_Noreturn static void abort_at(const void *return_address)
{
    struct hub_program_signals *s = hub_hooks.signals;
    uint64_t from = (uint64_t)(uintptr_t)return_address - 1;

    s->blocked &= ~hub_signal_bit(SIGABRT);
    (void)hub_signal_raise(SIGABRT, from);
    hub_shim_killed(SIGABRT, from);
}

_Noreturn void abort(void)
{
    abort_at(__builtin_return_address(0));
}

_Noreturn void __assert_fail(const char *text, const char *file, unsigned line,
                             const char *function)
{
    fprintf(stderr, "%s: %s:%u: %s: Assertion `%s' failed.\n", hub_hooks.name, file, line, function,
            text);
    abort_at(__builtin_return_address(0));
}

int clock_gettime(clockid_t clock, struct timespec *ts)
{
    uint64_t ns;

    if (hub_shim_is_thread())
        return (int)syscall(SYS_clock_gettime, clock, ts);
    ns = hub_hooks.time_ps() / HUB_NS_PS;
    ts->tv_sec = (time_t)(ns / 1000000000);
    ts->tv_nsec = (long)(ns % 1000000000);
    return 0;
}

int gettimeofday(struct timeval *restrict tv, void *restrict zone)
{
    struct timespec ts;

    (void)zone;
    clock_gettime(CLOCK_REALTIME, &ts);
    *tv = (struct timeval){ ts.tv_sec, ts.tv_nsec / 1000 };
    return 0;
}

time_t time(time_t *t_p)
{
    struct timespec ts;

    clock_gettime(CLOCK_REALTIME, &ts);
    if (t_p != NULL)
        *t_p = ts.tv_sec;
    return ts.tv_sec;
}

int nanosleep(const struct timespec *ts, struct timespec *left)
{
    uint64_t ps;

    if (hub_shim_is_thread())
        return (int)syscall(SYS_nanosleep, ts, left);
    if (!hub_is_timespec(ts))
        return hub_fail(EINVAL);
    ps = hub_hooks.sleep_ps(hub_time_ps((uint64_t)ts->tv_sec, (uint64_t)ts->tv_nsec * HUB_NS_PS),
                            NULL);
    if (ps == 0)
        return 0;
    if (left != NULL)
        *left = (struct timespec){ (time_t)(ps / HUB_S_PS), (long)(ps % HUB_S_PS / HUB_NS_PS) };
    return hub_fail(EINTR);
}

int usleep(useconds_t us)
{
    const struct timespec ts = { us / 1000000, us % 1000000 * 1000L };

    return nanosleep(&ts, NULL);
}

unsigned sleep(unsigned s)
{
    struct timespec ts = { (time_t)s, 0 };

    return nanosleep(&ts, &ts) == 0 ? 0 : (unsigned)(ts.tv_sec + (ts.tv_nsec >= 500000000));
}

/* ---- state that libc keeps for the whole process: here for this copy, with libc's sequences -- */

char *strtok(char *restrict s, const char *restrict delimiters)
{
    static char *rest;

    return strtok_r(s, delimiters, &rest);
}

static struct random_data random_data;
static char random_state[128]; /* as large as libc's own */
static struct drand48_data drand48_data;

void srandom(unsigned seed)
{
    if (random_data.state == NULL)
        initstate_r(seed, random_state, sizeof(random_state), &random_data);
    else
        srandom_r(seed, &random_data);
}

long random(void)
{
    int32_t value;

    if (random_data.state == NULL)
        srandom(1); /* what a program gets that sets none */
    random_r(&random_data, &value);
    return value;
}

void srand(unsigned seed)
{
    srandom(seed);
}

int rand(void)
{
    return (int)random();
}

void srand48(long seed)
{
    srand48_r(seed, &drand48_data);
}

double drand48(void)
{
    double value;

    drand48_r(&drand48_data, &value);
    return value;
}

long lrand48(void)
{
    long value;

    lrand48_r(&drand48_data, &value);
    return value;
}
/* NOLINTEND(readability-inconsistent-declaration-parameter-name,bugprone-reserved-identifier) */
