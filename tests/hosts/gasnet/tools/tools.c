/* What GASNet's tools do in one rank: compiled in C and in C++, in each mode, with and without
 * gasnet.h before them (WITH_GASNET). Prints how many checks there were. */
#ifdef WITH_GASNET
#include <gasnet.h>
#endif
#include <gasnet_tools.h>

#include <signal.h>
#include <string.h>

#include "check.h"
#include "parts.h"

GASNETT_IDENT(test_ident, "$ToolsTest: identified $");
GASNETT_STATIC_ASSERT(GASNETT_PAGESIZE == 1 << GASNETT_PAGESHIFT);
GASNETT_STATIC_ASSERT(sizeof(gasnett_atomic32_t) == 4 && sizeof(gasnett_atomic64_t) == 8);

/* Sizes of arrays are constants. */
struct sizes {
    char up[GASNETT_ALIGNUP(100, 64)], down[GASNETT_ALIGNDOWN(100, 64)];
    char most[GASNETT_MAX(3, 7)], least[GASNETT_MIN(3, 7)];
    int power[GASNETT_POWEROFTWO(4096) ? 2 : 1];
};
static struct sizes sizes;

GASNETT_INLINE(twice) int twice(int x)
{
    return 2 * x;
}
GASNETT_NEVER_INLINE(thrice, static int thrice(int x))
{
    return 3 * x;
}
GASNETT_PURE static int length(const char *s);
GASNETT_FORMAT_PRINTF(note, 1, 2, static void note(const char *format, ...));
GASNETT_HOT static int length(const char *s)
{
    return (int)strlen(s);
}
static char noted[64];
GASNETT_COLD static void note(const char *format, ...)
{
    (void)snprintf(noted, sizeof(noted), "%s", format);
}

static int looked;
static int look(int x)
{
    looked++;
    return x;
}

static void test_compiler(void)
{
    int n = 0;

    CHECK(twice(2) + thrice(2) + length("ab") == 12);
    note("said");
    CHECK(strcmp(noted, "said") == 0);
    CHECK(test_ident[0] == '$');
    CHECK(sizeof(sizes.up) == 128 && sizeof(sizes.down) == 64);
    CHECK(sizeof(sizes.most) == 7 && sizeof(sizes.least) == 3);
    CHECK(sizeof(sizes.power) == 2 * sizeof(int));
    if_pf(n == 1) n = 5;
    if_pt(n == 0) n = 6;
    CHECK(n == 6);
    switch (n) {
    case 6:
        n++;
        GASNETT_FALLTHROUGH
    case 7:
        n++;
    }
    CHECK(n == 8);
    CHECK(GASNETT_MAX(look(3), look(4)) == 4 && looked == 2);
    CHECK(GASNETT_MIN(look(3), look(4)) == 3 && looked == 4);
    CHECK(GASNETT_MAX(n, 2.5) == 8 && GASNETT_MIN(n, 2.5) == 2.5);
    CHECK(GASNETT_MAX((uint64_t)look(1), UINT64_MAX - (uint64_t)look(1)) == UINT64_MAX - 1);
    CHECK(GASNETT_ALIGNUP(look(65), look(64)) == 128 && looked == 8);
    CHECK(GASNETT_ALIGNDOWN(look(65), look(64)) == 64 && looked == 10);
    CHECK(GASNETT_POWEROFTWO(look(64)) && !GASNETT_POWEROFTWO(look(65)) && looked == 12);
    GASNETT_UNUSED_ARGS8(look(1), look(2), look(3), look(4), look(5), look(6), look(7), look(8));
    CHECK(looked == 20);
    GASNETT_TRACE_PRINTF("%d", look(1));
    GASNETT_STATS_PRINTF("%d", look(1));
    GASNETT_TRACE_SETMASK(look(1) ? "" : "all");
    CHECK(looked == 23 && !GASNETT_TRACE_ENABLED);
    CHECK(strcmp(GASNETT_CURRENT_FUNCTION, "test_compiler") == 0);
    CHECK(strcmp(_STRINGIFY(GASNETT_SPEC_VERSION_MAJOR), "1") == 0);
    CHECK(strstr(GASNETT_CONFIG_STRING, "SPEC=1.") != NULL);
    GASNETT_PREFETCH_READ_HINT(&sizes);
    GASNETT_PREFETCH_WRITE_HINT(&sizes);
    CHECK(gasnett_constant_p(3));
#if !(PLATFORM_OS_LINUX && PLATFORM_ARCH_64 && PLATFORM_ARCH_LITTLE_ENDIAN)
    CHECK(!"the platform is known");
#endif
#ifdef __cplusplus
    CHECK(PLATFORM_COMPILER_CXX_LANGLVL >= 201103L);
#endif
#ifdef __clang__
    CHECK(PLATFORM_COMPILER_CLANG == 1);
#else
    CHECK(PLATFORM_COMPILER_GNU == 1 && PLATFORM_COMPILER_VERSION_GE(4, 0, 0));
#endif
}

static void test_clock(void)
{
    gasnett_tick_t before = gasnett_ticks_now(), after = gasnett_ticks_now();
    const double us = gasnett_tick_overhead();

    CHECK(after > before && GASNETT_TICK_MIN == 0 && GASNETT_TICK_MAX > after);
    CHECK((double)gasnett_ticks_to_ns(after - before) <= us * 1000);
    CHECK(us > 0 && us < 1 && gasnett_tick_granularity() > 0 && gasnett_tick_granularity() < us);
    before = gasnett_ticks_now();
    CHECK(gasnett_nsleep(2000123) == 0);
    after = gasnett_ticks_now();
    CHECK(gasnett_ticks_to_ns(after - before) >= 2000123);
    CHECK(gasnett_ticks_to_us(after - before) == 2000);
    before = gasnett_ticks_now();
    CHECK(gasnett_nsleep(0) == 0);
    CHECK(gasnett_ticks_to_us(gasnett_ticks_now() - before) == 0);
    before = gasnett_ticks_now();
    for (int i = 0; i < 100; i++)
        gasnett_sched_yield();
    CHECK(gasnett_ticks_to_us(gasnett_ticks_now() - before) >= 10);
}

#ifdef GASNETT_THREAD_SAFE
#define THREADS 1
#else
#define THREADS 0
#endif

static void test_modes(void)
{
#if defined(GASNET_PAR) || defined(GASNET_PARSYNC) || defined(WANT_THREADS)
    CHECK(THREADS == 1);
#else
    CHECK(THREADS == 0);
#endif
    CHECK((strstr(GASNETT_CONFIG_STRING, "THREADMODEL=PAR") != NULL) == THREADS);
}

static volatile sig_atomic_t caught;
static void handler(int sig)
{
    caught = sig;
}

static void test_signals(void)
{
    gasnett_sighandlerfn_t old = gasnett_reghandler(SIGUSR1, handler);

    CHECK(old == SIG_DFL);
    CHECK(raise(SIGUSR1) == 0 && caught == SIGUSR1);
    caught = 0;
    CHECK(gasnett_blocksig(SIGUSR1) == 0 && raise(SIGUSR1) == 0 && caught == 0);
    CHECK(gasnett_unblocksig(SIGUSR1) == 0 && caught == SIGUSR1);
    CHECK(gasnett_reghandler(SIGUSR1, SIG_IGN) == handler);
    CHECK(gasnett_siginfo_fromval(SIGINT)->signum == SIGINT);
    CHECK(strcmp(gasnett_siginfo_fromval(SIGINT)->signame, "SIGINT") == 0);
    CHECK(gasnett_siginfo_fromstr("SIGTERM")->signum == SIGTERM);
    CHECK(gasnett_siginfo_fromstr("term")->signum == SIGTERM);
    CHECK(gasnett_siginfo_fromstr("11")->signum == SIGSEGV);
    CHECK(gasnett_siginfo_fromstr("SIGNOTHING") == NULL && gasnett_siginfo_fromval(0) == NULL);
}

static void test_node(void)
{
    char *name;
    char *place = gasnett_current_loc;
    int fd = gasnett_mkstemp("tools", &name);

    CHECK(strcmp(gasnett_gethostname(), "node0") == 0);
    CHECK(gasnett_cpu_count() == 1);
    CHECK(gasnett_getPhysMemSz(1) > 1 << 20 && gasnett_isLittleEndian());
    CHECK(gasnett_maximize_rlimits() && gasnett_maximize_rlimit(0, "RLIMIT_CPU"));
    CHECK(gasnett_set_affinity(3) == 0);
    CHECK(gasnett_performance_warning_str()[0] == '\0');
    CHECK(gasnett_release_version() > 1000000 && gasnett_release_version_str()[0] == '1');
    CHECK(strncmp(place, "test_node at ", 13) == 0 && strstr(place, "tools.c:") != NULL);
    gasnett_debug_free(place);
    place = gasnett_build_loc_str("f", "g.c", 12);
    CHECK(strcmp(place, "f at g.c:12") == 0);
    gasnett_debug_free(place);
    CHECK(fd >= 0 && strncmp(name, gasnett_tmpdir(), strlen(gasnett_tmpdir())) == 0);
    CHECK(remove(name) == 0);
    gasnett_debug_free(name);
    gasnett_flush_streams();
}

static void test_diagnostics(void)
{
    int n = -1;
#ifdef WITH_GASNET
    gasnet_handlerentry_t *table;
    gasnet_seginfo_t segment = { NULL, 0 };

    CHECK(gasnett_run_diagnostics(2, 1, "ABC", &segment) == 0);
#else
    void *table;
#endif

    gasnett_diagnostic_gethandlers(&table, &n);
    CHECK(n == 0);
    CHECK(gasnett_run_diagnostics(3, 1) == 0);
    CHECK(gasnett_run_diagnostics(1, 1, "", NULL) == 0);
}

int main(void)
{
    test_compiler();
    test_modes();
    test_clock();
    test_signals();
    test_node();
    test_diagnostics();
    test_shared();
    test_text();
    test_heap();
    printf("%d checks, %d failed\n", checks, failures);
    gasnett_close_streams();
    gasnett_killmyprocess(failures != 0);
}
