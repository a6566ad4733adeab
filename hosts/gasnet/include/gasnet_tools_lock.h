/*
 * Locks, conditions and data of threads of the GASNet tools. A lock knows in every mode who holds
 * it. A mistake ends all ranks with a line that names the place: locking what the caller has
 * locked, or unlocking what is not locked. Who waits for another thread lets simulated time pass.
 */
#ifndef GASNET_TOOLS_LOCK_H
#define GASNET_TOOLS_LOCK_H

#include <errno.h> /* EBUSY */
#include <stddef.h>
#include <stdint.h>

#include "gasnet_tools_compiler.h"

GASNETT_BEGIN_EXTERNC

typedef struct {
    uintptr_t owner; /* 0: it is not locked */
} gasnett_mutex_t;
#define GASNETT_MUTEX_INITIALIZER                                                                  \
    {                                                                                              \
        0                                                                                          \
    }

void gasneti_tools_mutex_init(gasnett_mutex_t *mutex);
int gasneti_tools_mutex_destroy(gasnett_mutex_t *mutex,
                                const char *at); /* NULL: EBUSY is no mistake */
void gasneti_tools_mutex_lock(gasnett_mutex_t *mutex, const char *at);
int gasneti_tools_mutex_trylock(gasnett_mutex_t *mutex); /* 0 or EBUSY */
void gasneti_tools_mutex_unlock(gasnett_mutex_t *mutex, const char *at);
void gasneti_tools_mutex_expect(const gasnett_mutex_t *mutex, int locked, const char *at);
#define gasnett_mutex_init(mutex)              gasneti_tools_mutex_init(mutex)
#define gasnett_mutex_destroy(mutex)           ((void)gasneti_tools_mutex_destroy(mutex, GASNETI_HERE))
#define gasnett_mutex_destroy_ignoreerr(mutex) gasneti_tools_mutex_destroy(mutex, NULL)
#define gasnett_mutex_lock(mutex)              gasneti_tools_mutex_lock(mutex, GASNETI_HERE)
#define gasnett_mutex_trylock(mutex)           gasneti_tools_mutex_trylock(mutex)
#define gasnett_mutex_unlock(mutex)            gasneti_tools_mutex_unlock(mutex, GASNETI_HERE)
#define gasnett_mutex_assertlocked(mutex)      gasneti_tools_mutex_expect(mutex, 1, GASNETI_HERE)
#define gasnett_mutex_assertunlocked(mutex)    gasneti_tools_mutex_expect(mutex, 0, GASNETI_HERE)

/*
 * A wait returns after others had a turn, whether the condition was signalled or not: the caller
 * looks at what it waits for again, as it has to anyway. In a program of one thread it is an error.
 */
typedef struct {
    uint32_t signals;
} gasnett_cond_t;
#define GASNETT_COND_INITIALIZER                                                                   \
    {                                                                                              \
        0                                                                                          \
    }

void gasneti_tools_cond_init(gasnett_cond_t *cond);
void gasneti_tools_cond_signal(gasnett_cond_t *cond);
void gasneti_tools_cond_wait(gasnett_cond_t *cond, gasnett_mutex_t *mutex, int alone,
                             const char *at);
#ifdef GASNETT_THREAD_SAFE
#define GASNETI_ALONE 0
#else
#define GASNETI_ALONE 1
#endif
#define gasnett_cond_init(cond)      gasneti_tools_cond_init(cond)
#define gasnett_cond_destroy(cond)   gasneti_tools_cond_init(cond)
#define gasnett_cond_signal(cond)    gasneti_tools_cond_signal(cond)
#define gasnett_cond_broadcast(cond) gasneti_tools_cond_signal(cond)
#define gasnett_cond_wait(cond, mutex)                                                             \
    gasneti_tools_cond_wait(cond, mutex, GASNETI_ALONE, GASNETI_HERE)

typedef struct {
    gasnett_mutex_t guard;
    uintptr_t writer;
    uintptr_t reader; /* the only one; 0: there is none, or there were several */
    uint32_t readers;
} gasnett_rwlock_t;
#define GASNETT_RWLOCK_INITIALIZER                                                                 \
    {                                                                                              \
        { 0 }, 0, 0, 0                                                                             \
    }

enum gasneti_tools_hold { GASNETI_UNLOCKED, GASNETI_LOCKED, GASNETI_READ, GASNETI_WRITTEN };
void gasneti_tools_rwlock_init(gasnett_rwlock_t *lock);
void gasneti_tools_rwlock_destroy(gasnett_rwlock_t *lock, const char *at);
void gasneti_tools_rwlock_lock(gasnett_rwlock_t *lock, int writes, const char *at);
int gasneti_tools_rwlock_trylock(gasnett_rwlock_t *lock, int writes); /* 0 or EBUSY */
void gasneti_tools_rwlock_unlock(gasnett_rwlock_t *lock, const char *at);
void gasneti_tools_rwlock_expect(gasnett_rwlock_t *lock, enum gasneti_tools_hold hold,
                                 const char *at);
#define gasnett_rwlock_init(lock)      gasneti_tools_rwlock_init(lock)
#define gasnett_rwlock_destroy(lock)   gasneti_tools_rwlock_destroy(lock, GASNETI_HERE)
#define gasnett_rwlock_rdlock(lock)    gasneti_tools_rwlock_lock(lock, 0, GASNETI_HERE)
#define gasnett_rwlock_wrlock(lock)    gasneti_tools_rwlock_lock(lock, 1, GASNETI_HERE)
#define gasnett_rwlock_tryrdlock(lock) gasneti_tools_rwlock_trylock(lock, 0)
#define gasnett_rwlock_trywrlock(lock) gasneti_tools_rwlock_trylock(lock, 1)
#define gasnett_rwlock_unlock(lock)    gasneti_tools_rwlock_unlock(lock, GASNETI_HERE)
#define gasnett_rwlock_assertlocked(lock)                                                          \
    gasneti_tools_rwlock_expect(lock, GASNETI_LOCKED, GASNETI_HERE)
#define gasnett_rwlock_assertrdlocked(lock)                                                        \
    gasneti_tools_rwlock_expect(lock, GASNETI_READ, GASNETI_HERE)
#define gasnett_rwlock_assertwrlocked(lock)                                                        \
    gasneti_tools_rwlock_expect(lock, GASNETI_WRITTEN, GASNETI_HERE)
#define gasnett_rwlock_assertunlocked(lock)                                                        \
    gasneti_tools_rwlock_expect(lock, GASNETI_UNLOCKED, GASNETI_HERE)

GASNETT_END_EXTERNC

/*
 * A pointer of each thread: defined in one source, at the top, declared in others.
 */
#ifdef GASNETT_THREAD_SAFE
#define GASNETI_THREAD_OWN __thread
#else
#define GASNETI_THREAD_OWN
#endif
/* Declarations. NOLINTBEGIN(bugprone-macro-parentheses) */
#define GASNETT_THREADKEY_DEFINE(key)  GASNETI_THREAD_OWN void *gasneti_tools_threadkey_##key = NULL
#define GASNETT_THREADKEY_DECLARE(key) extern GASNETI_THREAD_OWN void *gasneti_tools_threadkey_##key
/* NOLINTEND(bugprone-macro-parentheses) */
#define gasnett_threadkey_init(key)          ((void)gasneti_tools_threadkey_##key)
#define gasnett_threadkey_get(key)           (gasneti_tools_threadkey_##key)
#define gasnett_threadkey_set(key, v)        ((void)(gasneti_tools_threadkey_##key = (void *)(v)))
#define gasnett_threadkey_get_noinit(key)    gasnett_threadkey_get(key)
#define gasnett_threadkey_set_noinit(key, v) gasnett_threadkey_set(key, v)

#endif /* GASNET_TOOLS_LOCK_H */
