/*
 * For programs made by hubcc --races, which also has the compiler call these functions instead of
 * making code of them: what they load and store is announced as the program's own is (poll.c).
 */
#include "hosts/launch/shim/parts.h"

#include <stdint.h>

extern const int hub_program_races;
const int hub_program_races = 1; /* by which hubrun knows such a program */

static void announce(const void *p, size_t n, enum hub_program_access access, const void *from)
{
    if (hub_is_accessed((uintptr_t)p, n))
        hub_hooks.access(p, n, access, from);
}

/* The linker's names (--wrap). NOLINTBEGIN(bugprone-reserved-identifier) */
void *__real_memcpy(void *to, const void *from, size_t n);
void *__real_memmove(void *to, const void *from, size_t n);
void *__real_memset(void *to, int value, size_t n);
void *__wrap_memcpy(void *to, const void *from, size_t n);
void *__wrap_memmove(void *to, const void *from, size_t n);
void *__wrap_memset(void *to, int value, size_t n);

void *__wrap_memcpy(void *to, const void *from, size_t n)
{
    announce(from, n, HUB_LOADS, __builtin_return_address(0));
    announce(to, n, HUB_STORES, __builtin_return_address(0));
    return __real_memcpy(to, from, n);
}

void *__wrap_memmove(void *to, const void *from, size_t n)
{
    announce(from, n, HUB_LOADS, __builtin_return_address(0));
    announce(to, n, HUB_STORES, __builtin_return_address(0));
    return __real_memmove(to, from, n);
}

void *__wrap_memset(void *to, int value, size_t n)
{
    announce(to, n, HUB_STORES, __builtin_return_address(0));
    return __real_memset(to, value, n);
}
/* NOLINTEND(bugprone-reserved-identifier) */
