/* The parts of tools.c that need nothing of it. */
#ifndef PARTS_H
#define PARTS_H

#include "check.h"

/* ---- what threads share ---- */

/* All operations of one type, whose largest value is `top`. */
#define TEST_ATOMIC(name, number, top)                                                             \
    static void test_##name(void)                                                                  \
    {                                                                                              \
        static gasnett_##name##_t a = gasnett_##name##_init(5);                                    \
                                                                                                   \
        CHECK(gasnett_##name##_read(&a, GASNETT_ATOMIC_NONE) == 5);                                \
        gasnett_##name##_increment(&a, GASNETT_ATOMIC_REL);                                        \
        CHECK(gasnett_##name##_read(&a, GASNETT_ATOMIC_RMB_PRE) == 6);                             \
        gasnett_##name##_decrement(&a, GASNETT_ATOMIC_ACQ);                                        \
        CHECK(gasnett_##name##_add(&a, 7, GASNETT_ATOMIC_MB_PRE) == 12);                           \
        CHECK(gasnett_##name##_subtract(&a, 11, GASNETT_ATOMIC_MB_POST) == 1);                     \
        CHECK(gasnett_##name##_decrement_and_test(&a, GASNETT_ATOMIC_ACQ_IF_TRUE));                \
        CHECK(!gasnett_##name##_decrement_and_test(&a, GASNETT_ATOMIC_ACQ_IF_FALSE));              \
        CHECK(gasnett_##name##_read(&a, 0) == (top));                                              \
        CHECK(gasnett_##name##_swap(&a, 3, GASNETT_ATOMIC_WMB_POST) == (top));                     \
        CHECK(!gasnett_##name##_compare_and_swap(&a, 4, 9, GASNETT_ATOMIC_RMB_POST));              \
        CHECK(gasnett_##name##_read(&a, 0) == 3);                                                  \
        CHECK(gasnett_##name##_compare_and_swap(&a, 3, 9, GASNETT_ATOMIC_WMB_PRE));                \
        CHECK(gasnett_##name##_read(&a, 0) == 9);                                                  \
        gasnett_##name##_set(&a, (number)-1, GASNETT_ATOMIC_REL | GASNETT_ATOMIC_ACQ);             \
        CHECK(gasnett_##name##_read(&a, 0) == (top));                                              \
        CHECK(gasnett_##name##_add(&a, 1, 0) == 0);                                                \
    }
TEST_ATOMIC(atomic, gasnett_atomic_val_t, GASNETT_ATOMIC_MAX)
TEST_ATOMIC(atomic32, uint32_t, UINT32_MAX)
TEST_ATOMIC(atomic64, uint64_t, UINT64_MAX)
TEST_ATOMIC(strongatomic, gasnett_strongatomic_val_t, GASNETT_STRONGATOMIC_MAX)
TEST_ATOMIC(strongatomic32, uint32_t, UINT32_MAX)
TEST_ATOMIC(strongatomic64, uint64_t, UINT64_MAX)

static int value_of_key = 7;
GASNETT_THREADKEY_DECLARE(test_key);
GASNETT_THREADKEY_DEFINE(test_key);

static void test_keys(void)
{
    CHECK(gasnett_threadkey_get(test_key) == NULL);
    gasnett_threadkey_set(test_key, &value_of_key);
    gasnett_threadkey_init(test_key);
    CHECK(gasnett_threadkey_get_noinit(test_key) == &value_of_key);
    gasnett_threadkey_set_noinit(test_key, NULL);
    CHECK(gasnett_threadkey_get(test_key) == NULL);
}

static void test_locks(void)
{
    static gasnett_mutex_t mutex = GASNETT_MUTEX_INITIALIZER;
    gasnett_cond_t cond = GASNETT_COND_INITIALIZER;
    gasnett_rwlock_t lock = GASNETT_RWLOCK_INITIALIZER;

    for (int i = 0; i < 2; i++) {
        gasnett_mutex_assertunlocked(&mutex);
        gasnett_mutex_lock(&mutex);
        gasnett_mutex_assertlocked(&mutex);
        CHECK(gasnett_mutex_trylock(&mutex) == EBUSY);
        gasnett_cond_signal(&cond);
        gasnett_cond_broadcast(&cond);
        gasnett_mutex_unlock(&mutex);
        CHECK(gasnett_mutex_trylock(&mutex) == 0);
#ifdef GASNETT_THREAD_SAFE
        gasnett_cond_wait(&cond, &mutex); /* others had a turn */
        gasnett_mutex_assertlocked(&mutex);
#endif
        CHECK(gasnett_mutex_destroy_ignoreerr(&mutex) == EBUSY);
        gasnett_mutex_unlock(&mutex);
        gasnett_mutex_destroy(&mutex);
        gasnett_mutex_init(&mutex);
        gasnett_cond_destroy(&cond);
        gasnett_cond_init(&cond);

        gasnett_rwlock_assertunlocked(&lock);
        gasnett_rwlock_rdlock(&lock);
        gasnett_rwlock_assertlocked(&lock);
        gasnett_rwlock_assertrdlocked(&lock);
        CHECK(gasnett_rwlock_trywrlock(&lock) == EBUSY);
        CHECK(gasnett_rwlock_tryrdlock(&lock) == 0);
        gasnett_rwlock_unlock(&lock);
        CHECK(gasnett_rwlock_trywrlock(&lock) == EBUSY);
        gasnett_rwlock_unlock(&lock);
        gasnett_rwlock_wrlock(&lock);
        gasnett_rwlock_assertwrlocked(&lock);
        gasnett_rwlock_assertlocked(&lock);
        CHECK(gasnett_rwlock_tryrdlock(&lock) == EBUSY);
        CHECK(gasnett_rwlock_trywrlock(&lock) == EBUSY);
        gasnett_rwlock_unlock(&lock);
        CHECK(gasnett_rwlock_trywrlock(&lock) == 0);
        gasnett_rwlock_unlock(&lock);
        gasnett_rwlock_destroy(&lock);
        gasnett_rwlock_init(&lock);
    }
}

static void test_shared(void)
{
    double real = 0;
    int64_t whole = -1;

    test_atomic();
    test_atomic32();
    test_atomic64();
    test_strongatomic();
    test_strongatomic32();
    test_strongatomic64();
    CHECK(gasnett_atomic_signed((gasnett_atomic_val_t)GASNETT_ATOMIC_SIGNED_MIN) ==
          GASNETT_ATOMIC_SIGNED_MIN);
    CHECK(GASNETT_ATOMIC_SIGNED_MAX > 0 && GASNETT_HAVE_ATOMIC_CAS && GASNETT_HAVE_ATOMIC_ADD_SUB);
    /* numbers of the same width */
    CHECK(gasnett_atomic64_add((gasnett_atomic64_t *)&whole, 1, 0) == 0 && whole == 0);
    gasnett_atomic64_set((gasnett_atomic64_t *)&real, UINT64_C(0x3ff0000000000000), 0);
    CHECK(real == 1);
    gasnett_local_mb();
    gasnett_local_wmb();
    gasnett_local_rmb();
    gasnett_weak_mb();
    gasnett_weak_wmb();
    gasnett_weak_rmb();
    gasnett_compiler_fence();
    gasnett_spinloop_hint();
    test_keys();
    test_locks();
}

/* ---- texts ---- */

static int parses(const char *text, uint64_t unit, int64_t value)
{
    return gasnett_parse_int(text, unit) == value;
}

static int formats(int64_t value, int is_memory, const char *text)
{
    char room[32];

    return strcmp(gasnett_format_number(value, room, sizeof(room), is_memory), text) == 0;
}

static void test_environment(void)
{
    CHECK(gasnett_getenv("TOOLS_STRING") == NULL);
    CHECK(strcmp(gasnett_getenv_withdefault("TOOLS_STRING", "other"), "other") == 0);
    CHECK(gasnett_getenv_withdefault("TOOLS_STRING", NULL) == NULL);
    CHECK(strcmp(gasnett_getenv_withdefault("TOOLS_GIVEN", "other"), "17 KB") == 0); /* hubrun -x */
    CHECK(gasnett_getenv_int_withdefault("TOOLS_GIVEN", 3, 1) == 17 << 10);
    CHECK(gasnett_getenv_int_withdefault("TOOLS_INT", -3, 0) == -3);
    gasnett_setenv("TOOLS_INT", "-0x10");
    CHECK(gasnett_getenv_int_withdefault("TOOLS_INT", 3, 0) == -16);
    gasnett_setenv("TOOLS_INT", "1.5");
    CHECK(gasnett_getenv_int_withdefault("TOOLS_INT", 3, 1 << 20) == 3 << 19);
    CHECK(gasnett_getenv_yesno_withdefault("TOOLS_YES", 1) == 1);
    CHECK(gasnett_getenv_yesno_withdefault("TOOLS_YES", 0) == 0);
    gasnett_setenv("TOOLS_YES", "Y");
    CHECK(gasnett_getenv_yesno_withdefault("TOOLS_YES", 0));
    gasnett_setenv("TOOLS_YES", "no");
    CHECK(!gasnett_getenv_yesno_withdefault("TOOLS_YES", 1));
    gasnett_setenv("TOOLS_DBL", "-1e4");
    CHECK(gasnett_getenv_dbl_withdefault("TOOLS_DBL", 0) == -1e4);
    gasnett_setenv("TOOLS_DBL", " 3 / 8 ");
    CHECK(gasnett_getenv_dbl_withdefault("TOOLS_DBL", 0) == 0.375);
    gasnett_unsetenv("TOOLS_DBL");
    CHECK(gasnett_getenv_dbl_withdefault("TOOLS_DBL", 2.5) == 2.5);
    CHECK(gasnett_verboseenv() == 0);
    gasnett_envstr_display("TOOLS_HIDDEN", "", 0);
}

static void test_lists(void)
{
    static char data[64];
    struct {
        void *addr;
        size_t len;
    } vec[3] = { { data + 8, 4 }, { NULL, 0 }, { data, 12 } };
    void *addrs[2] = { data + 32, data + 16 };
    const size_t to_strides[2] = { 16, 64 }, from_strides[2] = { 8, 32 }, count[3] = { 4, 2, 1 };
    char text[1024], part[64];
    gasnett_memveclist_stats_t all = gasnett_format_memveclist(text, 3, vec);
    gasnett_addrlist_stats_t bounds;

    CHECK(all.totalsz == 16 && all.minsz == 0 && all.maxsz == 12);
    CHECK(all.minaddr == data && all.maxaddr == data + 11);
    CHECK(gasnett_memveclist_totalsz(3, vec) == 16 && gasnett_memveclist_totalsz(0, NULL) == 0);
    CHECK(strlen(text) < gasnett_format_memveclist_bufsz(3));
    (void)snprintf(part, sizeof(part), "{%p,12}", (void *)data);
    CHECK(strstr(text, part) != NULL && strstr(text, "3 entries") != NULL);
    bounds = gasnett_format_addrlist(text, 2, addrs, 8);
    CHECK(bounds.minaddr == data + 16 && bounds.maxaddr == data + 39);
    CHECK(strlen(text) < gasnett_format_addrlist_bufsz(2) && strstr(text, "2 entries") != NULL);
    gasnett_format_strides(text, 2, to_strides);
    CHECK(strcmp(text, "[16, 64]") == 0 && strlen(text) < gasnett_format_strides_bufsz(2));
    gasnett_format_strides(text, 0, NULL);
    CHECK(strcmp(text, "[]") == 0);
    CHECK(gasnett_format_putvgetv(text, 5, 3, vec, 1, vec) == 16);
    CHECK(strlen(text) < gasnett_format_putvgetv_bufsz(3, 1));
    CHECK(strstr(text, "(16 data bytes) node=5\ndst: 3 entries") == text);
    CHECK(strstr(text, part) != NULL && strstr(text, "\nsrc: 1 entries") != NULL);
    CHECK(gasnett_format_putigeti(text, 6, 2, addrs, 8, 1, addrs, 16) == 16);
    CHECK(strlen(text) < gasnett_format_putigeti_bufsz(2, 1));
    CHECK(strstr(text, "(16 data bytes) node=6\ndst: 2 entries") == text);
    CHECK(strstr(text, "\nsrc: 1 entries, totalsz=16, len=16") != NULL);
    CHECK(gasnett_format_putsgets(text, NULL, 7, data, to_strides, data + 32, from_strides, count,
                                  2) == 8);
    CHECK(strlen(text) < gasnett_format_putsgets_bufsz(2));
    CHECK(strstr(text, "(8 data bytes) node=7\nstridelevels=2 count=[4, 2, 1]\ndst: ") == text);
    CHECK(strstr(text, " strides=[16, 64]\nsrc: ") != NULL &&
          strstr(text, " strides=[8, 32]") != NULL);
}

static void test_text(void)
{
    uint8_t from[100], to[100];

    CHECK(formats(0, 1, "0 B") && formats(1023, 1, "1023 B") && formats(1536 << 10, 1, "1536 KB"));
    CHECK(formats(-2048, 1, "-2 KB") && formats(INT64_C(3) << 40, 1, "3 TB"));
    CHECK(formats(4096, 0, "4096") && formats(INT64_MIN, 0, "-9223372036854775808"));
    CHECK(parses("12", 0, 12) && parses("-12", 0, -12) && parses("0x1f", 0, 31));
    CHECK(parses("12", 1, 12) && parses("12", 1024, 12 << 10) && parses("2.5", 1024, 2560));
    CHECK(parses("1B", 1024, 1) && parses("1k", 1, 1024) && parses("1 MB", 1, 1 << 20));
    CHECK(parses("1.5GB", 1, INT64_C(3) << 29) && parses("2tb", 1, INT64_C(2) << 40));
    CHECK(parses("9007199254740993", 1, INT64_C(9007199254740993))); /* no double has it */
    CHECK(parses("none", 0, 0) && parses("none", 1, 0));
    memset(from, 1, sizeof(from));
    memset(from + 10, 0, 31);
    CHECK(gasnett_count0s(from, sizeof(from)) == 31 && gasnett_count0s(from, 0) == 0);
    CHECK(gasnett_count0s_copy(to, from, sizeof(from)) == 31);
    CHECK(memcmp(from, to, sizeof(from)) == 0);
    CHECK(gasnett_checksum(from, sizeof(from)) == gasnett_checksum(to, sizeof(to)));
    to[99] ^= 1;
    CHECK(gasnett_checksum(from, sizeof(from)) != gasnett_checksum(to, sizeof(to)));
    CHECK(gasnett_count0s_uint32_t(0) == 4 && gasnett_count0s_uint32_t(0x01000100) == 2);
    CHECK(gasnett_count0s_uint64_t(0) == 8 && gasnett_count0s_uintptr_t(UINTPTR_MAX) == 0);
    test_environment();
    test_lists();
}

/* ---- memory ---- */

static void test_heap(void)
{
    gasnett_heapstats_t before, after;
    char *blocks[200], *text, *p;
    char *pages = (char *)gasnett_mmap(3 * GASNETT_PAGESIZE);

    CHECK((uintptr_t)pages % GASNETT_PAGESIZE == 0);
    pages[3 * GASNETT_PAGESIZE - 1] = 1;
    gasnett_munmap(pages, 3 * GASNETT_PAGESIZE);
    CHECK(gasnett_getheapstats(&before) == 0);
    for (int i = 0; i < 200; i++) {
        blocks[i] = (char *)gasnett_debug_malloc((size_t)i);
        memset(blocks[i], i, (size_t)i);
    }
    gasnett_debug_memcheck_all();
    gasnett_debug_memcheck(blocks[7]);
    (void)gasnett_getheapstats(&after);
    CHECK(after.live_objects == before.live_objects + 200);
    CHECK(after.live_bytes == before.live_bytes + 19900);
    CHECK(after.live_bytes_max >= after.live_bytes && after.overhead_bytes > 0);
    for (int i = 0; i < 200; i++) { /* in another order than they came */
        p = blocks[(i * 7) % 200];
        CHECK((i * 7) % 200 == 0 || (unsigned char)p[0] == (i * 7) % 200);
        gasnett_debug_free(p);
    }
    (void)gasnett_getheapstats(&after);
    CHECK(after.live_objects == before.live_objects && after.live_bytes == before.live_bytes);
    CHECK(after.freed_objects == before.freed_objects + 200);
    text = gasnett_debug_strdup("a text");
    p = gasnett_debug_strndup(text, 3);
    CHECK(strcmp(text, "a text") == 0 && strcmp(p, "a t") == 0);
    p = (char *)gasnett_debug_realloc(p, 4000);
    CHECK(strcmp(p, "a t") == 0);
    gasnett_debug_free(p);
    free(text); /* they may be mixed */
    p = (char *)gasnett_debug_calloc(5, 11);
    CHECK(gasnett_count0s(p, 55) == 55);
    gasnett_debug_free(p);
    gasnett_debug_free(malloc(3));
    gasnett_debug_free(NULL);
}

#endif /* PARTS_H */
