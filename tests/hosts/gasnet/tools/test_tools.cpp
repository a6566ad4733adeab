/* GASNet's tools in programs that hubcc compiles and hubrun runs. */
#include <algorithm>
#include <regex>

#include "tests/tools/hubcc/programs.h"

namespace
{

class GasnetTools : public Programs
{
  protected:
    const std::string sources = TOOLS "/";
    const std::string strict = " -Wall -Wextra -Werror ";
};

/* No warning, and all checks hold. */
class GasnetToolsIn : public GasnetTools
{
  protected:
    void expect_checks(const std::string &how)
    {
        ASSERT_EQ(0, sh(how + strict + sources + "tools.c -o prog")) << errors;
        EXPECT_EQ("", errors) << how;
        EXPECT_EQ(0, sh("hubrun -q -n 1 -x TOOLS_GIVEN='17 KB' ./prog")) << out << errors;
        EXPECT_TRUE(has(out, " checks, 0 failed\n")) << how;
        EXPECT_GT(std::stoi(out), 400);
    }
};

TEST_F(GasnetToolsIn, EachModeDoWhatTheyMust)
{
    for (const char *mode :
         { "", "-DGASNET_SEQ", "-DGASNET_SEQ -DWITH_GASNET", "-DGASNET_PARSYNC -DWITH_GASNET",
           "-DGASNET_PAR -DWITH_GASNET", "-DGASNETT_THREAD_SAFE=1 -DWANT_THREADS" })
        for (const char *how : { "hubcc -std=c99 ", "hubc++ -std=c++11 -O2 " })
            expect_checks(std::string(how) + mode);
}

TEST_F(GasnetToolsIn, EachLanguageDoWhatTheyMust)
{
    for (const char *how : { "hubcc -std=c11 -O2", "hubcc -std=gnu11 -O3", "hubc++ -std=c++17",
                             "hubcc -cc=clang-14 -O2", "hubc++ -cxx=clang++-14 -O2 -x c++" })
        expect_checks(std::string(how) + " -DGASNET_PAR");
}

/* Libraries and their order on the line are those of other installations. */
TEST_F(GasnetTools, LibrariesMayBeNamed)
{
    EXPECT_EQ(0, sh("hubcc" + strict + sources + "tools.c -lgasnet_tools-seq -o prog")) << errors;
    EXPECT_EQ(0, sh("hubcc -DGASNET_PAR" + strict + sources + "tools.c -lgasnet_tools-par -o prog"))
        << errors;
}

/* Several sources, a library of the program's own, and a linker that others call: one state. */
TEST_F(GasnetTools, PartsOfAProgramShareThem)
{
    write("main.c", R"(
#include <gasnet_tools.h>
GASNETT_THREADKEY_DECLARE(key);
int part(void);
int main(void)
{
    gasnett_threadkey_set(key, gasnett_debug_malloc(3));
    return part();
}
)");
    write("part.c", R"(
#include <gasnet_tools.h>
GASNETT_THREADKEY_DEFINE(key);
int part(void)
{
    gasnett_heapstats_t stats;

    (void)gasnett_getheapstats(&stats);
    return stats.live_bytes != 3 || gasnett_threadkey_get(key) == NULL;
}
)");
    for (const char *mode : { "-DGASNET_SEQ ", "-DGASNET_PAR " })
        for (const char *link :
             { "hubcc main.c part.c -o prog",
               "hubcc -shared part.c -o libpart.so; hubcc main.c -L. -lpart -o prog",
               "gcc $(hubcc -showme:compile) main.c part.c -o prog $(hubcc -showme:link)" }) {
            const std::string command =
                std::regex_replace(link, std::regex("(main|part).c"), std::string(mode) + "$&");

            ASSERT_EQ(0, sh(command)) << errors;
            EXPECT_EQ(0, sh("hubrun -q -n 4 --ppn 2 ./prog")) << command << errors;
        }
}

/* A thread of the program's own is not simulated, but what is locked stays locked. */
TEST_F(GasnetTools, LocksKeepThreadsApart)
{
    write("prog.c", R"(
#include <gasnet_tools.h>
#include <pthread.h>
#include <stdio.h>
static gasnett_mutex_t mutex = GASNETT_MUTEX_INITIALIZER;
static gasnett_cond_t cond = GASNETT_COND_INITIALIZER;
static gasnett_rwlock_t lock = GASNETT_RWLOCK_INITIALIZER;
static long counted;
static int pair[2], torn, ready;
GASNETT_THREADKEY_DEFINE(key);
static void count(void)
{
    for (int i = 0; i < 20000; i++) {
        gasnett_mutex_lock(&mutex);
        counted++;
        gasnett_mutex_unlock(&mutex);
    }
}
static void *work(void *arg)
{
    torn |= gasnett_threadkey_get(key) != NULL; /* this thread has set none */
    count();
    for (int i = 0; i < 2000; i++) {
        gasnett_rwlock_wrlock(&lock);
        pair[0]++;
        pair[1]++;
        gasnett_rwlock_unlock(&lock);
    }
    gasnett_mutex_lock(&mutex);
    ready = 1;
    gasnett_cond_signal(&cond);
    gasnett_mutex_unlock(&mutex);
    return arg;
}
int main(void)
{
    pthread_t thread;

    gasnett_threadkey_set(key, &counted);
    if (pthread_create(&thread, NULL, work, NULL) != 0)
        return 1;
    count();
    for (int i = 0; i < 2000; i++) {
        gasnett_rwlock_rdlock(&lock);
        torn |= pair[0] != pair[1];
        gasnett_rwlock_unlock(&lock);
    }
    gasnett_mutex_lock(&mutex);
    while (!ready)
        gasnett_cond_wait(&cond, &mutex);
    gasnett_mutex_unlock(&mutex);
    (void)pthread_join(thread, NULL);
    printf("%ld %d %d\n", counted, pair[0], torn);
    return 0;
}
)");
    ASSERT_EQ(0, sh("hubcc -O2 -DGASNET_PAR" + strict + "prog.c -o prog")) << errors;
    EXPECT_EQ(0, sh("hubrun -q -n 2 ./prog")) << errors;
    EXPECT_EQ("40000 2000 0\n40000 2000 0\n", out);
}

TEST_F(GasnetTools, GasnetItselfHasPredictionsAndTexts)
{
    write("prog.c", R"(
#include <gasnet.h>
int main(void)
{
    int n = 0;

    if_pf (n > 0)
        n++;
    if_pt (n == 0)
        n += 2;
    puts(_STRINGIFY(GASNET_SPEC_VERSION_MAJOR));
    return n != 2;
}
)");
    for (const char *how : { "hubcc -std=c99", "hubc++ -std=c++11" }) {
        ASSERT_EQ(0, sh(how + strict + "-DGASNET_SEQ prog.c -o prog")) << errors;
        EXPECT_EQ(0, sh("hubrun -q -n 1 ./prog")) << errors;
        EXPECT_EQ("1\n", out);
    }
}

TEST_F(GasnetTools, LiteModeLeavesOutWhatThreadsShare)
{
    write("lite.c", R"(
#define GASNETT_LITE_MODE 1
#include <gasnet_tools.h>
#include <stdio.h>
typedef int gasnett_atomic_t, gasnett_mutex_t; /* these names are the program's */
int main(void)
{
    char text[32];
    gasnett_atomic_t n = 1;

    printf("%s %d\n", gasnett_format_number(4096 * n, text, sizeof(text), 1),
           gasnett_ticks_now() > 0);
    return 0;
}
)");
    ASSERT_EQ(0, sh("hubcc" + strict + "lite.c -o prog")) << errors;
    EXPECT_EQ(0, sh("hubrun -q -n 1 ./prog")) << errors;
    EXPECT_EQ("4 KB 1\n", out);
}

TEST_F(GasnetTools, ModesThatContradictEachOtherDoNotCompile)
{
    for (const char *modes :
         { "-DGASNETT_THREAD_SAFE=1 -DGASNETT_THREAD_SINGLE=1", "-DGASNET_SEQ -DGASNET_PAR",
           "-DGASNET_PAR -DGASNETT_THREAD_SINGLE" }) {
        EXPECT_NE(0, sh("hubcc " + std::string(modes) + " " + sources + "mistakes.c -o prog"));
        EXPECT_TRUE(has(errors, "#error \"gasnet_tools.h: ")) << errors;
    }
}

/* One line, with the rank, the time, the call and where it is; nothing that was printed is lost. */
TEST_F(GasnetTools, MistakesEndAllRanksWithOneLine)
{
    const char *const lines[] = {
        "gasnett_mutex_lock at mistakes.c:N: expected a mutex that the caller has not locked",
        "gasnett_mutex_unlock at mistakes.c:N: expected a mutex that the caller has locked",
        "gasnett_mutex_destroy at mistakes.c:N: expected a mutex that is not locked",
        "gasnett_mutex_assertlocked at mistakes.c:N: expected a mutex that the caller has locked",
        "gasnett_mutex_assertunlocked at mistakes.c:N: expected a mutex that the caller has not "
        "locked",
        "gasnett_cond_wait at mistakes.c:N: expected another thread that wakes this one: the "
        "program has one thread",
        "gasnett_cond_wait at mistakes.c:N: expected a mutex that the caller has locked",
        "gasnett_rwlock_wrlock at mistakes.c:N: expected a lock that the caller has not locked",
        "gasnett_rwlock_rdlock at mistakes.c:N: expected a lock that the caller has not locked",
        "gasnett_rwlock_unlock at mistakes.c:N: expected a lock that the caller has locked",
        "gasnett_rwlock_assertwrlocked at mistakes.c:N: expected a lock that the caller has "
        "locked for writing",
        "gasnett_rwlock_destroy at mistakes.c:N: expected a lock that is not locked",
        "gasnett_debug_free at mistakes.c:N: the program has written beyond the 5 bytes at P, "
        "which it got at mistakes.c:N",
        "gasnett_debug_memcheck at mistakes.c:N: the program has written beyond the 5 bytes at P, "
        "which it got at mistakes.c:N",
        "TOOLS_NUMBER: 12Q: expected a size, as in 4096, 1.5MB or 2 GB",
        "TOOLS_NUMBER: 0x: expected a whole number, decimal or from 0x",
        "TOOLS_NUMBER: perhaps: expected YES or NO, y or n, 1 or 0",
        "TOOLS_NUMBER: 1/0: expected a number or a fraction, as in 1.5 or 3/8",
        "gasnett_setenv: : expected the name of a variable",
        "gasnett_reghandler: signal = 0: expected one that can be handled",
        "gasnett_debug_calloc at mistakes.c:N: n = 18446744073709551615 of 3 bytes: out of memory",
        "FATAL ERROR in main at mistakes.c:N: 3 of four",
        "FATAL ERROR: no place",
    };
    int mistake = 0;

    ASSERT_EQ(0, sh("cp " + sources + "mistakes.c . && hubcc -O1 mistakes.c -o prog")) << errors;
    for (const char *line : lines) {
        EXPECT_EQ(1, sh("hubrun -q -n 1 ./prog " + std::to_string(++mistake))) << line;
        EXPECT_EQ("before\n", out) << mistake;
        errors = std::regex_replace(errors, std::regex("mistakes.c:[0-9]+"), "mistakes.c:N");
        errors = std::regex_replace(errors, std::regex("bytes at 0x[0-9a-f]+"), "bytes at P");
        EXPECT_TRUE(
            begins(errors, "rank 0 on node 0 at 200.000000 us: " + std::string(line) + "\n"));
    }
    EXPECT_EQ(0, sh("hubrun -q -n 1 ./prog " + std::to_string(++mistake))) << "one for each line";
}

/* All others end, too, though they do nothing wrong and would never end. */
TEST_F(GasnetTools, AFatalErrorEndsTheOthers)
{
    write("prog.c", R"(
#include <gasnet_tools.h>
#include <stdlib.h>
int main(void)
{
    if (atoi(getenv("PMI_RANK")) == 1)
        gasnett_fatalerror("enough of %s", "it");
    for (;;)
        gasnett_sched_yield();
}
)");
    ASSERT_EQ(0, sh("hubcc" + strict + "prog.c -o prog")) << errors;
    EXPECT_EQ(1, sh("hubrun -q -n 3 ./prog"));
    EXPECT_TRUE(
        has(errors,
            "rank 1 on node 1 at 200.000000 us: FATAL ERROR in main at prog.c:7: enough of it\n"))
        << errors;
}

/* Rank 0 alone says what was asked for, and each name once. */
TEST_F(GasnetTools, TheEnvironmentIsShownToWhoeverAsks)
{
    write("prog.c", R"(
#include <gasnet_tools.h>
int main(void)
{
    for (int i = 0; i < 2; i++) {
        (void)gasnett_getenv_int_withdefault("TOOLS_SIZE", 65536, 1);
        (void)gasnett_getenv_int_withdefault("TOOLS_COUNT", 65536, 0);
        (void)gasnett_getenv_yesno_withdefault("TOOLS_WISH", 0);
        (void)gasnett_getenv_dbl_withdefault("TOOLS_SHARE", 0.5);
        (void)gasnett_getenv_withdefault("TOOLS_NAME", NULL);
    }
    return 0;
}
)");
    ASSERT_EQ(0, sh("hubcc" + strict + "prog.c -o prog")) << errors;
    EXPECT_EQ(0, sh("hubrun -q -n 2 -x TOOLS_WISH=y ./prog"));
    EXPECT_EQ("", errors);
    EXPECT_EQ(0,
              sh("hubrun -q -n 2 -x GASNET_VERBOSEENV=1 -x TOOLS_WISH=y -x TOOLS_NAME=b ./prog"));
    EXPECT_EQ("ENV parameter: TOOLS_SIZE = 64 KB   (default)\n"
              "ENV parameter: TOOLS_COUNT = 65536   (default)\n"
              "ENV parameter: TOOLS_WISH = YES\n"
              "ENV parameter: TOOLS_SHARE = 0.5   (default)\n"
              "ENV parameter: TOOLS_NAME = b\n",
              errors);
}

/* The calls of the program, the innermost first, or what the program puts in their place. */
TEST_F(GasnetTools, ABacktraceNamesTheCalls)
{
    write("prog.c", R"(
#include <gasnet_tools.h>
#include <unistd.h>
#ifdef OWN
static int print_own(int fd) { return write(fd, "own\n", 4) != 4; }
gasnett_backtrace_type_t gasnett_backtrace_user = { "OWN", print_own, 1 };
#endif
static int other(int fd) { return write(fd, "other\n", 6) != 6; }
static int failed;
__attribute__((noinline)) int inner(void) { failed += gasnett_print_backtrace(1); return failed; }
__attribute__((noinline)) int outer(void) { failed += inner(); return failed; }
int main(void)
{
    gasnett_backtrace_init("prog");
    if (outer() != 0 || gasnett_print_backtrace_ifenabled(1) == 0)
        return 1;
    gasnett_setenv("GASNET_BACKTRACE", "y");
    gasnett_print_backtrace_ifenabled = other;
    return gasnett_print_backtrace_ifenabled(1);
}
)");
    ASSERT_EQ(0, sh("hubcc -O1" + strict + "prog.c -o prog")) << errors;
    EXPECT_EQ(0, sh("hubrun -q -n 1 ./prog")) << errors;
    EXPECT_TRUE(begins(out, "backtrace: at prog+0x")) << out;
    EXPECT_GE(std::count(out.begin(), out.end(), '\n'), 4 + 1) << out; /* it, inner, outer, main */
    EXPECT_TRUE(has(out, "\nother\n")) << out;
    ASSERT_EQ(0, sh("hubcc -DOWN -O1" + strict + "prog.c -o prog")) << errors;
    EXPECT_EQ(0, sh("hubrun -q -n 1 ./prog")) << errors;
    EXPECT_EQ("own\nother\n", out);
}

/* Ranks of a node have a core each, and the name of their node. */
TEST_F(GasnetTools, RanksKnowTheirNode)
{
    write("prog.c", R"(
#include <gasnet_tools.h>
#include <stdio.h>
int main(void)
{
    printf("%s %d\n", gasnett_gethostname(), gasnett_cpu_count());
    return 0;
}
)");
    ASSERT_EQ(0, sh("hubcc" + strict + "prog.c -o prog")) << errors;
    EXPECT_EQ(0, sh("hubrun -q --label -n 4 --ppn 2 ./prog")) << errors;
    EXPECT_EQ("0: node0 2\n1: node0 2\n2: node1 2\n3: node1 2\n", out);
}

/* The same times, whatever the computer does. */
TEST_F(GasnetTools, TicksAreSimulatedTime)
{
    std::string first;

    write("prog.c", R"(
#include <gasnet_tools.h>
#include <stdio.h>
int main(void)
{
    gasnett_tick_t t = gasnett_ticks_now();

    for (int i = 0; i < 1000; i++)
        gasnett_sched_yield();
    (void)gasnett_nsleep(1234567);
    printf("%llu %g %g\n", (unsigned long long)(gasnett_ticks_now() - t),
           gasnett_tick_granularity(), gasnett_tick_overhead());
    return 0;
}
)");
    ASSERT_EQ(0, sh("hubcc" + strict + "prog.c -o prog")) << errors;
    for (int i = 0; i < 3; i++) {
        EXPECT_EQ(0, sh("hubrun -q -n 1 ./prog")) << errors;
        if (first.empty())
            first = out;
        EXPECT_EQ(first, out);
    }
    EXPECT_GE(std::stoull(first), UINT64_C(1234567000));
}

} // namespace
