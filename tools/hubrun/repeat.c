#define _GNU_SOURCE /* personality */
#include "tools/hubrun/repeat.h"

#include <alloca.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <unistd.h>

#define AGAIN       "HUBSIM_STARTED_AGAIN"
#define NOW         0xffffffffUL
#define STACK_BYTES ((rlim_t)64 << 20)
/* More than arguments and environment usually take of it */
#define BORDER_BYTES ((uintptr_t)4 << 20)

/* Where libraries lie depends on this limit, from 128 MB on; ranks have stacks of their own. */
static void limit_stack(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur <= STACK_BYTES)
        return;
    limit.rlim_cur = STACK_BYTES;
    (void)setrlimit(RLIMIT_STACK, &limit);
}

/* A random word, the same for all functions, that those with arrays leave on the stack. */
static void fix_guard(void)
{
#if defined(__x86_64__) && defined(__GLIBC__)
    __asm__ volatile("movq %0, %%fs:0x28" ::"r"(UINT64_C(0x48756253696d2100)) : "memory");
#endif
}

/* It would lose the process if that became another program. */
static bool under_valgrind(void)
{
    const char *preload = getenv("LD_PRELOAD");

    return preload != NULL && strstr(preload, "vgpreload") != NULL;
}

/* By its name, which ps shows; returns where that fails. */
static void become(char **argv)
{
    char path[4096];
    ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

    if (n <= 0)
        return;
    path[n] = '\0';
    (void)execv(path, argv);
}

/* @return are addresses the same in each run? */
static bool start_again(char **argv)
{
    int now = personality(NOW);
    bool again = getenv(AGAIN) != NULL;

    (void)unsetenv(AGAIN); /* ranks have our environment */
    if (now == -1 || (now & ADDR_NO_RANDOMIZE) != 0 || again || under_valgrind())
        return now != -1 && (now & ADDR_NO_RANDOMIZE) != 0;
    if (personality((unsigned long)now | ADDR_NO_RANDOMIZE) == -1 || setenv(AGAIN, "1", 1) != 0)
        return false;
    limit_stack();
    become(argv);
    (void)unsetenv(AGAIN);
    return false;
}

/* How far the next border of the stack is below, if there is room enough beyond. */
static size_t bytes_above_border(void)
{
    struct rlimit limit;
    char here = 0;

    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur < 2 * BORDER_BYTES)
        return 1;
    return ((uintptr_t)&here & (BORDER_BYTES - 1)) + 1;
}

/* Pointers to what is on this stack come to lie on those of ranks, where they are called. */
static int run_below_border(int argc, char **argv, bool repeats, repeat_fn fn)
{
    volatile char *gap = alloca(bytes_above_border());

    *gap = 0; /* taken for use, so that it is there */
    return fn(argc, argv, repeats);
}

void repeat_run(int argc, char **argv, repeat_fn fn)
{
    bool repeats = start_again(argv);

    fix_guard();
    exit(run_below_border(argc, argv, repeats, fn));
}
