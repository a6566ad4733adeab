/* Locks and conditions: see gasnet_tools_lock.h. A thread is known by its pthread_self(). */
#define _GNU_SOURCE /* pthread_self() */
#include <pthread.h>

#include "hosts/gasnet/include/gasnet_tools.h"
#include "hosts/gasnet/tools/program/fatal.h"

static uintptr_t self(void)
{
    return (uintptr_t)pthread_self();
}

/* ---- mutexes ---- */

static uintptr_t owner_of(const gasnett_mutex_t *mutex)
{
    return __atomic_load_n(&mutex->owner, __ATOMIC_SEQ_CST);
}

static int mutex_take(gasnett_mutex_t *mutex)
{
    uintptr_t none = 0;

    return __atomic_compare_exchange_n(&mutex->owner, &none, self(), 0, __ATOMIC_SEQ_CST,
                                       __ATOMIC_SEQ_CST);
}

static void mutex_give(gasnett_mutex_t *mutex)
{
    __atomic_store_n(&mutex->owner, 0, __ATOMIC_SEQ_CST);
}

void gasneti_tools_mutex_init(gasnett_mutex_t *mutex)
{
    mutex_give(mutex);
}

int gasneti_tools_mutex_destroy(gasnett_mutex_t *mutex, const char *at)
{
    if (owner_of(mutex) == 0)
        return 0;
    if (at != NULL)
        gasneti_tools_fatal("gasnett_mutex_destroy", at, "expected a mutex that is not locked");
    return EBUSY;
}

void gasneti_tools_mutex_lock(gasnett_mutex_t *mutex, const char *at)
{
    while (!mutex_take(mutex)) {
        if (owner_of(mutex) == self())
            gasneti_tools_fatal("gasnett_mutex_lock", at,
                                "expected a mutex that the caller has not locked");
        gasnett_sched_yield();
    }
}

int gasneti_tools_mutex_trylock(gasnett_mutex_t *mutex)
{
    return mutex_take(mutex) ? 0 : EBUSY;
}

void gasneti_tools_mutex_unlock(gasnett_mutex_t *mutex, const char *at)
{
    if (owner_of(mutex) != self())
        gasneti_tools_fatal("gasnett_mutex_unlock", at,
                            "expected a mutex that the caller has locked");
    mutex_give(mutex);
}

void gasneti_tools_mutex_expect(const gasnett_mutex_t *mutex, int locked, const char *at)
{
    if ((owner_of(mutex) == self()) != (locked != 0))
        gasneti_tools_fatal(locked ? "gasnett_mutex_assertlocked" : "gasnett_mutex_assertunlocked",
                            at, "expected a mutex that the caller has %slocked",
                            locked ? "" : "not ");
}

/* ---- conditions ---- */

void gasneti_tools_cond_init(gasnett_cond_t *cond)
{
    cond->signals = 0;
}

void gasneti_tools_cond_signal(gasnett_cond_t *cond)
{
    (void)__atomic_add_fetch(&cond->signals, 1, __ATOMIC_SEQ_CST);
}

void gasneti_tools_cond_wait(gasnett_cond_t *cond, gasnett_mutex_t *mutex, int alone,
                             const char *at)
{
    (void)cond; /* who waits looks for himself */
    if (owner_of(mutex) != self())
        gasneti_tools_fatal("gasnett_cond_wait", at, "expected a mutex that the caller has locked");
    if (alone)
        gasneti_tools_fatal(
            "gasnett_cond_wait", at,
            "expected another thread that wakes this one: the program has one thread");
    mutex_give(mutex);
    gasnett_sched_yield();
    gasneti_tools_mutex_lock(mutex, at);
}

/* ---- reader/writer locks ---- */

void gasneti_tools_rwlock_init(gasnett_rwlock_t *lock)
{
    *lock = (gasnett_rwlock_t)GASNETT_RWLOCK_INITIALIZER;
}

void gasneti_tools_rwlock_destroy(gasnett_rwlock_t *lock, const char *at)
{
    if (lock->writer != 0 || lock->readers != 0)
        gasneti_tools_fatal("gasnett_rwlock_destroy", at, "expected a lock that is not locked");
}

int gasneti_tools_rwlock_trylock(gasnett_rwlock_t *lock, int writes)
{
    int code = EBUSY;

    gasneti_tools_mutex_lock(&lock->guard, GASNETI_HERE);
    if (lock->writer == 0 && (!writes || lock->readers == 0)) {
        code = 0;
        if (writes) {
            lock->writer = self();
        } else {
            lock->reader = lock->readers == 0 ? self() : 0;
            lock->readers++;
        }
    }
    mutex_give(&lock->guard);
    return code;
}

/* When there are several readers, none is known. */
static int rwlock_is_own(const gasnett_rwlock_t *lock)
{
    return lock->writer == self() || lock->reader == self();
}

void gasneti_tools_rwlock_lock(gasnett_rwlock_t *lock, int writes, const char *at)
{
    if (rwlock_is_own(lock))
        gasneti_tools_fatal(writes ? "gasnett_rwlock_wrlock" : "gasnett_rwlock_rdlock", at,
                            "expected a lock that the caller has not locked");
    while (gasneti_tools_rwlock_trylock(lock, writes) != 0)
        gasnett_sched_yield();
}

void gasneti_tools_rwlock_unlock(gasnett_rwlock_t *lock, const char *at)
{
    gasneti_tools_mutex_lock(&lock->guard, at);
    if (lock->writer == self()) {
        lock->writer = 0;
    } else if (lock->readers > 0 && (lock->reader == 0 || lock->reader == self())) {
        lock->readers--;
        lock->reader = 0;
    } else {
        gasneti_tools_fatal("gasnett_rwlock_unlock", at,
                            "expected a lock that the caller has locked");
    }
    mutex_give(&lock->guard);
}

void gasneti_tools_rwlock_expect(gasnett_rwlock_t *lock, enum gasneti_tools_hold hold,
                                 const char *at)
{
    static const struct {
        const char *call, *expected;
    } of[] = {
        [GASNETI_UNLOCKED] = { "gasnett_rwlock_assertunlocked", "not locked" },
        [GASNETI_LOCKED] = { "gasnett_rwlock_assertlocked", "locked" },
        [GASNETI_READ] = { "gasnett_rwlock_assertrdlocked", "locked for reading" },
        [GASNETI_WRITTEN] = { "gasnett_rwlock_assertwrlocked", "locked for writing" },
    };
    int writes = lock->writer == self();
    int reads = lock->reader == self() || (lock->readers > 0 && lock->reader == 0);
    int good = hold == GASNETI_LOCKED    ? writes || reads
               : hold == GASNETI_READ    ? reads
               : hold == GASNETI_WRITTEN ? writes
                                         : !rwlock_is_own(lock);

    if (!good)
        gasneti_tools_fatal(of[hold].call, at, "expected a lock that the caller has %s",
                            of[hold].expected);
}
