/*
 * Memory barriers and atomic integers of the GASNet tools. All operations are atomic in every mode,
 * for handlers of signals as well, and are full barriers: more than any flag asks for.
 */
#ifndef GASNET_TOOLS_ATOMIC_H
#define GASNET_TOOLS_ATOMIC_H

#include <stdint.h>

/* ---- barriers ---- */

/* Functions, so that a program that has them is not taken for one that polls memory. */
static inline void gasnett_compiler_fence(void)
{
    __asm__ __volatile__("" ::: "memory");
}
static inline void gasnett_local_mb(void)
{
    __sync_synchronize();
}
static inline void gasnett_local_wmb(void)
{
    gasnett_local_mb();
}
static inline void gasnett_local_rmb(void)
{
    gasnett_local_mb();
}
/** The weak ones are nothing in a program of one thread. */
static inline void gasnett_weak_mb(void)
{
#ifdef GASNETT_THREAD_SAFE
    gasnett_local_mb();
#endif
}
static inline void gasnett_weak_wmb(void)
{
    gasnett_weak_mb();
}
static inline void gasnett_weak_rmb(void)
{
    gasnett_weak_mb();
}
static inline void gasnett_spinloop_hint(void)
{
#if defined(__x86_64__)
    __asm__ __volatile__("pause" ::: "memory");
#else
    gasnett_compiler_fence();
#endif
}

/* ---- integers ---- */

#define GASNETT_ATOMIC_NONE              0x00
#define GASNETT_ATOMIC_RMB_PRE           0x01
#define GASNETT_ATOMIC_RMB_POST          0x02
#define GASNETT_ATOMIC_RMB_POST_IF_TRUE  0x04
#define GASNETT_ATOMIC_RMB_POST_IF_FALSE 0x08
#define GASNETT_ATOMIC_WMB_PRE           0x10
#define GASNETT_ATOMIC_WMB_POST          0x20
#define GASNETT_ATOMIC_MB_PRE            (GASNETT_ATOMIC_WMB_PRE | GASNETT_ATOMIC_RMB_PRE)
#define GASNETT_ATOMIC_MB_POST           (GASNETT_ATOMIC_WMB_POST | GASNETT_ATOMIC_RMB_POST)
#define GASNETT_ATOMIC_REL               GASNETT_ATOMIC_WMB_PRE
#define GASNETT_ATOMIC_ACQ               GASNETT_ATOMIC_RMB_POST
#define GASNETT_ATOMIC_ACQ_IF_TRUE       GASNETT_ATOMIC_RMB_POST_IF_TRUE
#define GASNETT_ATOMIC_ACQ_IF_FALSE      GASNETT_ATOMIC_RMB_POST_IF_FALSE

#define GASNETT_HAVE_ATOMIC_CAS           1
#define GASNETT_HAVE_ATOMIC_ADD_SUB       1
#define GASNETT_HAVE_STRONGATOMIC_CAS     1
#define GASNETT_HAVE_STRONGATOMIC_ADD_SUB 1

/* A pointer to any number of the same width may be cast to a pointer to one of these. */
typedef struct __attribute__((__may_alias__)) {
    uint32_t value;
} gasnett_atomic32_t;
typedef struct __attribute__((__may_alias__)) {
    uint64_t value;
} gasnett_atomic64_t;

typedef gasnett_atomic32_t gasnett_atomic_t;
typedef uint32_t gasnett_atomic_val_t;
typedef int32_t gasnett_atomic_sval_t;
typedef gasnett_atomic32_t gasnett_strongatomic_t;
typedef uint32_t gasnett_strongatomic_val_t;
typedef int32_t gasnett_strongatomic_sval_t;
typedef gasnett_atomic32_t gasnett_strongatomic32_t;
typedef gasnett_atomic64_t gasnett_strongatomic64_t;

/* What a variable begins with. */
#define gasnett_atomic32_init(v)                                                                   \
    {                                                                                              \
        (uint32_t)(v)                                                                              \
    }
#define gasnett_atomic64_init(v)                                                                   \
    {                                                                                              \
        (uint64_t)(v)                                                                              \
    }
#define gasnett_atomic_init(v)         gasnett_atomic32_init(v)
#define gasnett_strongatomic_init(v)   gasnett_atomic32_init(v)
#define gasnett_strongatomic32_init(v) gasnett_atomic32_init(v)
#define gasnett_strongatomic64_init(v) gasnett_atomic64_init(v)

#define gasnett_atomic_signed(v)        ((gasnett_atomic_sval_t)(v))
#define gasnett_strongatomic_signed(v)  ((gasnett_strongatomic_sval_t)(v))
#define GASNETT_ATOMIC_MAX              UINT32_MAX
#define GASNETT_ATOMIC_SIGNED_MIN       INT32_MIN
#define GASNETT_ATOMIC_SIGNED_MAX       INT32_MAX
#define GASNETT_STRONGATOMIC_MAX        UINT32_MAX
#define GASNETT_STRONGATOMIC_SIGNED_MIN INT32_MIN
#define GASNETT_STRONGATOMIC_SIGNED_MAX INT32_MAX

/* All operations of one type. add, subtract: @return the value after it; swap: before it;
 * compare_and_swap, decrement_and_test: 1 when it has swapped, when it has come to 0. */
#define GASNETI_ATOMICS(name, number)                                                              \
    static inline number gasnett_##name##_read(const volatile gasnett_##name##_t *p, int flags)    \
    {                                                                                              \
        (void)flags;                                                                               \
        return __atomic_load_n(&p->value, __ATOMIC_SEQ_CST);                                       \
    }                                                                                              \
    static inline void gasnett_##name##_set(volatile gasnett_##name##_t *p, number v, int flags)   \
    {                                                                                              \
        (void)flags;                                                                               \
        __atomic_store_n(&p->value, v, __ATOMIC_SEQ_CST);                                          \
    }                                                                                              \
    static inline number gasnett_##name##_add(volatile gasnett_##name##_t *p, number v, int flags) \
    {                                                                                              \
        (void)flags;                                                                               \
        return __atomic_add_fetch(&p->value, v, __ATOMIC_SEQ_CST);                                 \
    }                                                                                              \
    static inline number gasnett_##name##_subtract(volatile gasnett_##name##_t *p, number v,       \
                                                   int flags)                                      \
    {                                                                                              \
        (void)flags;                                                                               \
        return __atomic_sub_fetch(&p->value, v, __ATOMIC_SEQ_CST);                                 \
    }                                                                                              \
    static inline void gasnett_##name##_increment(volatile gasnett_##name##_t *p, int flags)       \
    {                                                                                              \
        (void)gasnett_##name##_add(p, 1, flags);                                                   \
    }                                                                                              \
    static inline void gasnett_##name##_decrement(volatile gasnett_##name##_t *p, int flags)       \
    {                                                                                              \
        (void)gasnett_##name##_subtract(p, 1, flags);                                              \
    }                                                                                              \
    static inline int gasnett_##name##_decrement_and_test(volatile gasnett_##name##_t *p,          \
                                                          int flags)                               \
    {                                                                                              \
        return gasnett_##name##_subtract(p, 1, flags) == 0;                                        \
    }                                                                                              \
    static inline number gasnett_##name##_swap(volatile gasnett_##name##_t *p, number v,           \
                                               int flags)                                          \
    {                                                                                              \
        (void)flags;                                                                               \
        return __atomic_exchange_n(&p->value, v, __ATOMIC_SEQ_CST);                                \
    }                                                                                              \
    static inline int gasnett_##name##_compare_and_swap(volatile gasnett_##name##_t *p,            \
                                                        number from, number to, int flags)         \
    {                                                                                              \
        (void)flags;                                                                               \
        return __atomic_compare_exchange_n(&p->value, &from, to, 0, __ATOMIC_SEQ_CST,              \
                                           __ATOMIC_SEQ_CST);                                      \
    }
GASNETI_ATOMICS(atomic, uint32_t)
GASNETI_ATOMICS(atomic32, uint32_t)
GASNETI_ATOMICS(atomic64, uint64_t)
GASNETI_ATOMICS(strongatomic, uint32_t)
GASNETI_ATOMICS(strongatomic32, uint32_t)
GASNETI_ATOMICS(strongatomic64, uint64_t)
#undef GASNETI_ATOMICS

#endif /* GASNET_TOOLS_ATOMIC_H */
