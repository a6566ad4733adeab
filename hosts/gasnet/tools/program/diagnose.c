/* The tools test themselves: each section tries a part of them against what it must do. */
#define _GNU_SOURCE /* POSIX beside C11 */
#include <stdio.h>
#include <string.h>

#include "hosts/gasnet/include/gasnet_tools.h"

static int failed;

static void check(int good, const char *what, const char *at)
{
    if (good)
        return;
    failed++;
    fprintf(stderr, "gasnett_run_diagnostics at %s: %s: it does not hold\n", at, what);
}
#define CHECK(condition) check(condition, #condition, GASNETI_HERE)

static void test_clock(void)
{
    gasnett_tick_t before = gasnett_ticks_now(), after;

    CHECK(gasnett_nsleep(1500) == 0);
    after = gasnett_ticks_now();
    CHECK(gasnett_ticks_to_ns(after - before) >= 1500);
    CHECK(gasnett_ticks_to_us(after - before) == gasnett_ticks_to_ns(after - before) / 1000);
    CHECK(gasnett_tick_granularity() > 0 && gasnett_tick_overhead() > 0);
    before = gasnett_ticks_now();
    gasnett_sched_yield();
    CHECK(gasnett_ticks_now() - before > gasnett_ticks_to_ns(0));
}

/* One type of atomic integers; `top` is its largest value. */
#define TEST_ATOMIC(name, number, top)                                                             \
    static void test_##name(void)                                                                  \
    {                                                                                              \
        gasnett_##name##_t a = gasnett_##name##_init(5);                                           \
                                                                                                   \
        CHECK(gasnett_##name##_read(&a, 0) == 5);                                                  \
        gasnett_##name##_increment(&a, GASNETT_ATOMIC_REL);                                        \
        gasnett_##name##_decrement(&a, GASNETT_ATOMIC_ACQ);                                        \
        CHECK(gasnett_##name##_add(&a, 7, GASNETT_ATOMIC_MB_PRE) == 12);                           \
        CHECK(gasnett_##name##_subtract(&a, 11, GASNETT_ATOMIC_MB_POST) == 1);                     \
        CHECK(gasnett_##name##_decrement_and_test(&a, 0) != 0);                                    \
        CHECK(gasnett_##name##_decrement_and_test(&a, 0) == 0);                                    \
        CHECK(gasnett_##name##_read(&a, 0) == (number)(top));                                      \
        CHECK(gasnett_##name##_swap(&a, 3, 0) == (number)(top));                                   \
        CHECK(gasnett_##name##_compare_and_swap(&a, 4, 9, 0) == 0);                                \
        CHECK(gasnett_##name##_compare_and_swap(&a, 3, 9, 0) != 0);                                \
        CHECK(gasnett_##name##_read(&a, 0) == 9);                                                  \
        gasnett_##name##_set(&a, (number)(top), 0);                                                \
        CHECK(gasnett_##name##_add(&a, 1, 0) == 0);                                                \
    }
TEST_ATOMIC(atomic, gasnett_atomic_val_t, GASNETT_ATOMIC_MAX)
TEST_ATOMIC(atomic32, uint32_t, UINT32_MAX)
TEST_ATOMIC(atomic64, uint64_t, UINT64_MAX)
TEST_ATOMIC(strongatomic, gasnett_strongatomic_val_t, GASNETT_STRONGATOMIC_MAX)
TEST_ATOMIC(strongatomic32, uint32_t, UINT32_MAX)
TEST_ATOMIC(strongatomic64, uint64_t, UINT64_MAX)

static void test_atomics(void)
{
    test_atomic();
    test_atomic32();
    test_atomic64();
    test_strongatomic();
    test_strongatomic32();
    test_strongatomic64();
    CHECK(gasnett_atomic_signed((gasnett_atomic_val_t)-1) == -1);
}

static void test_locks(void)
{
    static gasnett_mutex_t mutex = GASNETT_MUTEX_INITIALIZER;
    gasnett_rwlock_t lock = GASNETT_RWLOCK_INITIALIZER;

    gasnett_mutex_lock(&mutex);
    gasnett_mutex_assertlocked(&mutex);
    CHECK(gasnett_mutex_trylock(&mutex) == EBUSY);
    gasnett_mutex_unlock(&mutex);
    gasnett_mutex_assertunlocked(&mutex);
    CHECK(gasnett_mutex_trylock(&mutex) == 0);
    CHECK(gasnett_mutex_destroy_ignoreerr(&mutex) == EBUSY);
    gasnett_mutex_unlock(&mutex);
    CHECK(gasnett_rwlock_tryrdlock(&lock) == 0);
    CHECK(gasnett_rwlock_tryrdlock(&lock) == 0); /* any number */
    CHECK(gasnett_rwlock_trywrlock(&lock) == EBUSY);
    gasnett_rwlock_unlock(&lock);
    gasnett_rwlock_unlock(&lock);
    gasnett_rwlock_wrlock(&lock);
    CHECK(gasnett_rwlock_tryrdlock(&lock) == EBUSY);
    gasnett_rwlock_unlock(&lock);
    gasnett_rwlock_destroy(&lock);
}

static void test_environment(void)
{
    static const char name[] = "GASNET_DIAGNOSTICS_VARIABLE";

    gasnett_unsetenv(name);
    CHECK(gasnett_getenv(name) == NULL);
    CHECK(strcmp(gasnett_getenv_withdefault(name, "else"), "else") == 0);
    gasnett_setenv(name, "3/8");
    CHECK(strcmp(gasnett_getenv_withdefault(name, "else"), "3/8") == 0);
    CHECK(gasnett_getenv_dbl_withdefault(name, 0) == 0.375);
    gasnett_setenv(name, "2 KB");
    CHECK(gasnett_getenv_int_withdefault(name, 0, 1) == 2048);
    gasnett_setenv(name, "n");
    CHECK(!gasnett_getenv_yesno_withdefault(name, 1));
    gasnett_unsetenv(name);
    CHECK(gasnett_getenv_yesno_withdefault(name, 1));
}

/* Each number comes back from its text. */
static void test_numbers(void)
{
    static const int64_t values[] = {
        0, 1, -1, 1023, 1024, 4096, 1536 * 1024, INT64_MAX, INT64_MIN
    };
    char text[64];

    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
        for (int memory = 0; memory < 2; memory++)
            CHECK(gasnett_parse_int(gasnett_format_number(values[i], text, sizeof(text), memory),
                                    (uint64_t)memory) == values[i]);
    CHECK(gasnett_parse_int("0x10", 0) == 16);
    CHECK(gasnett_parse_int("1.5", 1024) == 1536);
}

static void test_bytes(void)
{
    uint8_t from[67], to[67] = { 0 };

    for (size_t i = 0; i < sizeof(from); i++)
        from[i] = (uint8_t)(i % 3);
    CHECK(gasnett_count0s(from, sizeof(from)) == 23);
    CHECK(gasnett_count0s_copy(to, from, sizeof(to)) == 23 && memcmp(to, from, sizeof(to)) == 0);
    CHECK(gasnett_checksum(to, sizeof(to)) == gasnett_checksum(from, sizeof(from)));
    to[66]++;
    CHECK(gasnett_checksum(to, sizeof(to)) != gasnett_checksum(from, sizeof(from)));
    CHECK(gasnett_count0s_uint32_t(UINT32_C(0xff00ff00)) == 2);
    CHECK(gasnett_count0s_uint64_t(1) == 7);
}

static void test_heap(void)
{
    gasnett_heapstats_t before, after;
    char *p;

    (void)gasnett_getheapstats(&before);
    p = gasnett_debug_calloc(3, 5);
    CHECK(gasnett_count0s(p, 15) == 15);
    (void)gasnett_getheapstats(&after);
    CHECK(after.live_bytes == before.live_bytes + 15);
    CHECK(after.live_objects == before.live_objects + 1);
    p = gasnett_debug_realloc(p, 1000);
    CHECK(gasnett_count0s(p, 15) == 15);
    gasnett_debug_memcheck_all();
    gasnett_debug_free(p);
    (void)gasnett_getheapstats(&after);
    CHECK(after.live_bytes == before.live_bytes && after.freed_bytes == before.freed_bytes + 1015);
}

static void (*const sections_of[])(void) = { test_clock,       test_atomics, test_locks,
                                             test_environment, test_numbers, test_bytes,
                                             test_heap };

int gasneti_tools_diagnostics(int iterations, int threads, const char *sections,
                              const void *segments)
{
    (void)threads; /* a rank is one */
    (void)segments;
    failed = 0;
    for (int i = 0; i < (int)(sizeof(sections_of) / sizeof(sections_of[0])); i++)
        for (int n = 0; n < (iterations < 1 ? 1 : iterations); n++)
            if (sections == NULL || sections[0] == '\0' || strchr(sections, 'A' + i) != NULL)
                sections_of[i]();
    return failed;
}

void gasneti_tools_diagnostics_handlers(void *table_p, int *n_p)
{
    const void *none = NULL;

    memcpy(table_p, &none, sizeof(none));
    *n_p = 0;
}
