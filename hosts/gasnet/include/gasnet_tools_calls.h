/*
 * Functions of the GASNet tools: the clock, the environment, numbers and lists as text, memory with
 * statistics, the process and its end. A rank is a process here.
 */
#ifndef GASNET_TOOLS_CALLS_H
#define GASNET_TOOLS_CALLS_H

#include <stddef.h>
#include <stdint.h>

#include "gasnet_tools_compiler.h"

GASNETT_BEGIN_EXTERNC

/* ---- the clock: simulated time; reading it takes as long as the timer of a processor ---- */

typedef uint64_t gasnett_tick_t; /* ps */
#define GASNETT_TICK_MIN ((gasnett_tick_t)0)
#define GASNETT_TICK_MAX ((gasnett_tick_t)UINT64_MAX)
gasnett_tick_t gasnett_ticks_now(void);
static inline uint64_t gasnett_ticks_to_ns(gasnett_tick_t ticks)
{
    return ticks / 1000;
}
static inline uint64_t gasnett_ticks_to_us(gasnett_tick_t ticks)
{
    return ticks / 1000000;
}
double gasnett_tick_granularity(void); /* us: the period of the processor's timer, */
double gasnett_tick_overhead(void);    /* and what a look at it takes */
/* What releases of GASNet and Berkeley UPC call them. */
#define gasnett_tick_granularityus() gasnett_tick_granularity()
#define gasnett_tick_overheadus()    gasnett_tick_overhead()
/** Simulated time in us, since the run began. */
uint64_t gasnett_gettimeofday_us(void);
/** @return 0, or -1 with EINTR when a handler of a signal ran */
int gasnett_nsleep(uint64_t ns);
/** Others have their turn: a system call's time passes. */
void gasnett_sched_yield(void);

/* ---- the environment of the rank ---- */

char *gasnett_getenv(const char *name);
void gasnett_setenv(const char *name, const char *value);
void gasnett_unsetenv(const char *name);
/* Values that make no sense end all ranks with a line that says what was expected. */
char *gasnett_getenv_withdefault(const char *name, const char *otherwise);
int gasnett_getenv_yesno_withdefault(const char *name, int otherwise);
/** @param unit 0: a plain number; else of memory, and what a number without a unit counts */
int64_t gasnett_getenv_int_withdefault(const char *name, int64_t otherwise, uint64_t unit);
double gasnett_getenv_dbl_withdefault(const char *name, double otherwise);
/** GASNET_VERBOSEENV is yes, and this is rank 0: what is asked for is printed, once each. */
int gasnett_verboseenv(void);
void gasnett_envstr_display(const char *name, const char *value, int is_default);
void gasnett_envint_display(const char *name, int64_t value, int is_default, int is_memory);
void gasnett_envdbl_display(const char *name, double value, int is_default);

/* ---- numbers ---- */

/** "1536 KB", in the largest unit that leaves no fraction; without `is_memory` the number alone. */
char *gasnett_format_number(int64_t value, char *text, size_t room, int is_memory);
/** What is no number is 0; what follows one is ignored. See gasnett_getenv_int_withdefault(). */
int64_t gasnett_parse_int(const char *text, uint64_t unit);
/** A number or a fraction, as in "3/8". @return 0, or 1 when it is neither */
int gasnett_parse_dbl(const char *text, double *value_p);
int gasnett_isLittleEndian(void);
uint64_t gasnett_checksum(const void *p, size_t bytes);
/* Bytes that are zero. */
size_t gasnett_count0s(const void *p, size_t bytes);
size_t gasnett_count0s_copy(void *to, const void *from, size_t bytes);
int gasnett_count0s_uint32_t(uint32_t x);
int gasnett_count0s_uint64_t(uint64_t x);
int gasnett_count0s_uintptr_t(uintptr_t x);

/* ---- lists of the vector, indexed and strided calls as text ---- */

typedef struct {
    size_t minsz, maxsz; /* of one piece */
    uintptr_t totalsz;
    void *minaddr, *maxaddr; /* the first and the last byte */
} gasnett_memveclist_stats_t;
typedef struct {
    void *minaddr, *maxaddr;
} gasnett_addrlist_stats_t;

/* A buffer of `_bufsz` bytes is enough. Lists are those of gasnet_memvec_t. */
size_t gasnett_format_memveclist_bufsz(size_t count);
gasnett_memveclist_stats_t gasnett_format_memveclist(char *text, size_t count, const void *list);
gasnett_memveclist_stats_t gasnett_memveclist_stats(size_t count, const void *list);
uintptr_t gasnett_memveclist_totalsz(size_t count, const void *list);
size_t gasnett_format_addrlist_bufsz(size_t count);
gasnett_addrlist_stats_t gasnett_format_addrlist(char *text, size_t count, void *const *list,
                                                 size_t bytes);
gasnett_addrlist_stats_t gasnett_addrlist_stats(size_t count, void *const *list, size_t bytes);
/** "[1, 2]" */
size_t gasnett_format_strides_bufsz(size_t count);
void gasnett_format_strides(char *text, size_t count, const size_t *list);

/* Whole transfers with a node. @return bytes that they move */
size_t gasnett_format_putvgetv_bufsz(size_t to_count, size_t from_count);
size_t gasnett_format_putvgetv(char *text, uint32_t node, size_t to_count, const void *to_list,
                               size_t from_count, const void *from_list);
size_t gasnett_format_putigeti_bufsz(size_t to_count, size_t from_count);
size_t gasnett_format_putigeti(char *text, uint32_t node, size_t to_count, void *const *to_list,
                               size_t to_bytes, size_t from_count, void *const *from_list,
                               size_t from_bytes);
size_t gasnett_format_putsgets_bufsz(size_t levels);
/** @param stats not used; may be NULL */
size_t gasnett_format_putsgets(char *text, void *stats, uint32_t node, void *to,
                               const size_t *to_strides, void *from, const size_t *from_strides,
                               const size_t *count, size_t levels);

/* ---- memory ---- */

/*
 * Blocks that are counted, with guards behind them: writing beyond one is found when it is freed,
 * or by a check, so the compiler may not take what is written there for nothing (no
 * GASNETT_MALLOC). A lack of memory ends all ranks. Blocks of malloc() may be given to free and
 * realloc of these, but none of these to free().
 */
void *gasneti_tools_heap_malloc(size_t bytes, const char *at);
void *gasneti_tools_heap_calloc(size_t n, size_t each, const char *at);
void *gasneti_tools_heap_realloc(void *p, size_t bytes, const char *at);
void gasneti_tools_heap_free(void *p, const char *at);
char *gasneti_tools_heap_strndup(const char *text, size_t most, const char *at);
void gasneti_tools_heap_check(void *p, const char *at); /* NULL: all of them */
#define gasnett_debug_malloc(bytes)         gasneti_tools_heap_malloc(bytes, GASNETI_HERE)
#define gasnett_debug_calloc(n, each)       gasneti_tools_heap_calloc(n, each, GASNETI_HERE)
#define gasnett_debug_realloc(p, bytes)     gasneti_tools_heap_realloc(p, bytes, GASNETI_HERE)
#define gasnett_debug_free(p)               gasneti_tools_heap_free(p, GASNETI_HERE)
#define gasnett_debug_strdup(text)          gasneti_tools_heap_strndup(text, SIZE_MAX, GASNETI_HERE)
#define gasnett_debug_strndup(text, most)   gasneti_tools_heap_strndup(text, most, GASNETI_HERE)
#define gasnett_debug_memcheck(p)           gasneti_tools_heap_check(p, GASNETI_HERE)
#define gasnett_debug_memcheck_one()        gasneti_tools_heap_check(NULL, GASNETI_HERE)
#define gasnett_debug_memcheck_all()        gasneti_tools_heap_check(NULL, GASNETI_HERE)
#define gasnett_debug_malloc_checked(n)     gasnett_debug_malloc(n)
#define gasnett_debug_calloc_checked(n, e)  gasnett_debug_calloc(n, e)
#define gasnett_debug_realloc_checked(p, n) gasnett_debug_realloc(p, n)
#define gasnett_debug_free_checked(p)       gasnett_debug_free(p)
#define gasnett_debug_strdup_checked(s)     gasnett_debug_strdup(s)
#define gasnett_debug_strndup_checked(s, n) gasnett_debug_strndup(s, n)

typedef struct {
    uint64_t allocated_bytes, freed_bytes, live_bytes, live_bytes_max;
    uint64_t allocated_objects, freed_objects, live_objects, live_objects_max;
    uint64_t overhead_bytes;
} gasnett_heapstats_t;
int gasnett_getheapstats(gasnett_heapstats_t *stats_p); /* 0: they are there */

void *gasnett_mmap(uintptr_t bytes); /* MAP_FAILED: there is no room */
void gasnett_munmap(void *p, uintptr_t bytes);

/* ---- the node, which has a core for each of its ranks ---- */

#define GASNETT_CACHE_LINE_BYTES     64
#define GASNETT_PAGESIZE             4096
#define GASNETT_PAGESHIFT            12
#define GASNETT_SET_AFFINITY_SUPPORT 1
int gasnett_cpu_count(void);
int gasnett_set_affinity(int core); /* 0: a rank has its own already */
const char *gasnett_gethostname(void);
uint64_t gasnett_getPhysMemSz(int failure_is_fatal);
/* Simulated ranks have no limits: 1. */
int gasnett_maximize_rlimits(void);
int gasnett_maximize_rlimit(int resource, const char *name);
const char *gasnett_performance_warning_str(void);
const char *gasnett_release_version_str(void);
uint64_t gasnett_release_version(void);
/** Where files for a short time may lie: GASNET_TMPDIR, TMPDIR, /tmp. */
const char *gasnett_tmpdir(void);
/** A new file there, open for reading and writing. @return its descriptor, or -1; *name_p is for
 * gasnett_debug_free() */
int gasnett_mkstemp(const char *prefix, char **name_p);

/* ---- the process ---- */

typedef void (*gasnett_sighandlerfn_t)(int);
gasnett_sighandlerfn_t gasnett_reghandler(int signal, gasnett_sighandlerfn_t handler);
int gasnett_blocksig(int signal);
int gasnett_unblocksig(int signal);
typedef struct {
    int signum;
    const char *signame; /* "SIGINT" */
    const char *desc;
} gasnett_siginfo_t;
const gasnett_siginfo_t *gasnett_siginfo_fromval(int signal); /* NULL: there is none */
const gasnett_siginfo_t *gasnett_siginfo_fromstr(const char *name);

void gasnett_flush_streams(void);
void gasnett_close_streams(void);
/** Ends this rank without its functions for exit(). */
void gasnett_killmyprocess(int code) GASNETT_NORETURN;
/* A line on stderr with rank, node, time and place, and the end of all ranks. */
GASNETT_FORMAT_PRINTF(gasneti_tools_fatalerror, 3, 4,
                      void gasneti_tools_fatalerror(const char *function, const char *at,
                                                    const char *format, ...))
GASNETT_NORETURN;
#define gasnett_fatalerror(...)                                                                    \
    gasneti_tools_fatalerror(GASNETT_CURRENT_FUNCTION, GASNETI_HERE, __VA_ARGS__)
#define gasnett_fatalerror_nopos(...) gasneti_tools_fatalerror(NULL, NULL, __VA_ARGS__)

/** "main at prog.c:12", which gasnett_debug_free() or free() takes. */
char *gasneti_tools_place(const char *function, const char *at);
#define gasnett_build_loc_str(function, file, line) gasneti_tools_place_of(function, file, line)
char *gasneti_tools_place_of(const char *function, const char *file, int line);
#define gasnett_current_loc gasneti_tools_place(GASNETT_CURRENT_FUNCTION, GASNETI_HERE)

/** The calls of the program that last, the innermost first. @return 0 */
int gasnett_print_backtrace(int fd);
/** With GASNET_BACKTRACE=1 the same; a program may put another function here. */
extern int (*gasnett_print_backtrace_ifenabled)(int fd);
void gasnett_backtrace_init(const char *program);
/** A program may define this: a way of its own, which is taken instead. It returns 0 if it worked.
 */
typedef struct {
    const char *name;
    int (*fnp)(int fd);
    int threadsupport;
} gasnett_backtrace_type_t;
extern gasnett_backtrace_type_t gasnett_backtrace_user __attribute__((__weak__));
/* No debugger waits for a simulated rank: they say so and go on. */
void gasnett_freezeForDebuggerNow(volatile int *flag, const char *name);
void gasnett_freezeForDebuggerErr(void);

/* ---- the library tests itself ---- */

/**
 * @param iterations how often each part is tried; sections: letters from A on, NULL or "": all.
 * @return how many checks have failed, each with a line on stderr
 */
int gasneti_tools_diagnostics(int iterations, int threads, const char *sections,
                              const void *segments);
/** Handlers that it needs registered, at *table_p: none. */
void gasneti_tools_diagnostics_handlers(void *table_p, int *n_p);
/* Older programs leave out what stands behind the threads. */
#define GASNETI_DIAGNOSTICS(iterations, threads, sections, segments, ...)                          \
    gasneti_tools_diagnostics(iterations, threads, sections, segments)
#define gasnett_run_diagnostics(...) GASNETI_DIAGNOSTICS(__VA_ARGS__, NULL, NULL, 0)
#define gasnett_diagnostic_gethandlers(table_p, n_p)                                               \
    gasneti_tools_diagnostics_handlers(table_p, n_p)

GASNETT_END_EXTERNC

#endif /* GASNET_TOOLS_CALLS_H */
