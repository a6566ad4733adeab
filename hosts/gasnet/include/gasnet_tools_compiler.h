/*
 * What the tools of GASNet say to the compiler: annotations of functions, predictions;
 * and arithmetic of macros. Arguments are evaluated once, and constant ones make constants.
 */
#ifndef GASNET_TOOLS_COMPILER_H
#define GASNET_TOOLS_COMPILER_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Names that programs of GASNet use. NOLINTBEGIN(bugprone-reserved-identifier) */
#ifndef _STRINGIFY
#define _STRINGIFY_HELPER(x) #x
#define _STRINGIFY(x)        _STRINGIFY_HELPER(x)
#endif
#ifndef _CONCAT
#define _CONCAT_HELPER(a, b) a##b
#define _CONCAT(a, b)        _CONCAT_HELPER(a, b)
#endif
/* NOLINTEND(bugprone-reserved-identifier) */

#define GASNETI_HERE __FILE__ ":" _STRINGIFY(__LINE__)

#ifdef __cplusplus
#define GASNETT_EXTERNC       extern "C"
#define GASNETT_BEGIN_EXTERNC extern "C" {
#define GASNETT_END_EXTERNC   }
#else
#define GASNETT_EXTERNC extern
#define GASNETT_BEGIN_EXTERNC
#define GASNETT_END_EXTERNC
#endif

/* ---- functions ---- */

#define GASNETT_PLEASE_INLINE(name)     static inline
#define GASNETT_ALWAYS_INLINE(name)     static inline __attribute__((__always_inline__))
#define GASNETT_INLINE(name)            GASNETT_ALWAYS_INLINE(name)
#define GASNETT_NEVER_INLINE(name, ...) __attribute__((__noinline__)) __VA_ARGS__
#define GASNETT_NORETURN                __attribute__((__noreturn__))
#define GASNETT_NORETURNP(name)         /* said where it is declared */
#define GASNETT_MALLOC                  __attribute__((__malloc__))
#define GASNETT_MALLOCP(name)
#define GASNETT_PURE __attribute__((__pure__))
#define GASNETT_PUREP(name)
#define GASNETT_CONST __attribute__((__const__))
#define GASNETT_CONSTP(name)
#define GASNETT_HOT                __attribute__((__hot__))
#define GASNETT_COLD               __attribute__((__cold__))
#define GASNETT_USED               __attribute__((__used__))
#define GASNETT_DEPRECATED         __attribute__((__deprecated__))
#define GASNETT_WARN_UNUSED_RESULT __attribute__((__warn_unused_result__))
#define GASNETI_UNUSED             __attribute__((__unused__)) /* what test programs say */
#define GASNETT_MAY_ALIAS          __attribute__((__may_alias__))
#define GASNETT_FORMAT_PRINTF(name, format, first, ...)                                            \
    __attribute__((__format__(__printf__, format, first))) __VA_ARGS__
#define GASNETT_FORMAT_PRINTF_FUNCPTR(name, format, first, ...)                                    \
    __attribute__((__format__(__printf__, format, first))) __VA_ARGS__
#define GASNETT_FORMAT_PRINTF_FUNCPTR_ARG(name, format, first, ...)                                \
    __attribute__((__format__(__printf__, format, first))) __VA_ARGS__
/* A text that is in the object, whether it is used or not. */
#define GASNETT_IDENT(name, text) static const char name[] __attribute__((__used__)) = text

#ifndef GASNETT_USE_RESTRICT
#define GASNETT_RESTRICT __restrict__
#else
#define GASNETT_RESTRICT GASNETT_USE_RESTRICT
#endif
/* Behind it stands no semicolon. */
#if defined(__clang__) && defined(__cplusplus)
#define GASNETT_FALLTHROUGH [[clang::fallthrough]];
#else
#define GASNETT_FALLTHROUGH __attribute__((__fallthrough__));
#endif
#define GASNETT_CURRENT_FUNCTION __func__
#ifdef __cplusplus
#define GASNETT_STATIC_ASSERT(condition) static_assert(condition, #condition)
#else
#define GASNETT_STATIC_ASSERT(condition) __extension__ _Static_assert(condition, #condition)
#endif

/* ---- expressions ---- */

#define GASNETT_PREDICT_TRUE(x)  __builtin_expect(!!(x), 1)
#define GASNETT_PREDICT_FALSE(x) __builtin_expect(!!(x), 0)
#ifndef if_pf
#define if_pf(condition) if (GASNETT_PREDICT_FALSE(condition))
#endif
#ifndef if_pt
#define if_pt(condition) if (GASNETT_PREDICT_TRUE(condition))
#endif
#define gasnett_constant_p(x)          __builtin_constant_p(x)
#define gasnett_unreachable()          __builtin_unreachable()
#define GASNETT_PREFETCH_READ_HINT(p)  __builtin_prefetch((const void *)(p), 0)
#define GASNETT_PREFETCH_WRITE_HINT(p) __builtin_prefetch((const void *)(p), 1)

#define GASNETT_UNUSED_ARGS1(a)          ((void)(a))
#define GASNETT_UNUSED_ARGS2(a, b)       ((void)(a), (void)(b))
#define GASNETT_UNUSED_ARGS3(a, b, c)    ((void)(a), (void)(b), (void)(c))
#define GASNETT_UNUSED_ARGS4(a, b, c, d) ((void)(a), (void)(b), (void)(c), (void)(d))
#define GASNETT_UNUSED_ARGS5(a, b, c, d, e)                                                        \
    (GASNETT_UNUSED_ARGS4(a, b, c, d), GASNETT_UNUSED_ARGS1(e))
#define GASNETT_UNUSED_ARGS6(a, b, c, d, e, f)                                                     \
    (GASNETT_UNUSED_ARGS4(a, b, c, d), GASNETT_UNUSED_ARGS2(e, f))
#define GASNETT_UNUSED_ARGS7(a, b, c, d, e, f, g)                                                  \
    (GASNETT_UNUSED_ARGS4(a, b, c, d), GASNETT_UNUSED_ARGS3(e, f, g))
#define GASNETT_UNUSED_ARGS8(a, b, c, d, e, f, g, h)                                               \
    (GASNETT_UNUSED_ARGS4(a, b, c, d), GASNETT_UNUSED_ARGS4(e, f, g, h))

/*
 * GASNETT_MAX(), GASNETT_MIN() of two numbers have the type of their sum; GASNETT_ALIGNUP(),
 * GASNETT_ALIGNDOWN() to a power of two are uintptr_t; GASNETT_POWEROFTWO() takes an unsigned one.
 */
#ifdef __cplusplus

template <class A, class B> constexpr decltype(A() + B()) gasneti_tools_max(A a, B b)
{
    using both = decltype(A() + B());
    return static_cast<both>(a) > static_cast<both>(b) ? static_cast<both>(a)
                                                       : static_cast<both>(b);
}
template <class A, class B> constexpr decltype(A() + B()) gasneti_tools_min(A a, B b)
{
    using both = decltype(A() + B());
    return static_cast<both>(a) < static_cast<both>(b) ? static_cast<both>(a)
                                                       : static_cast<both>(b);
}
constexpr uintptr_t gasneti_tools_align_down(uintptr_t x, uintptr_t to)
{
    return x & ~(to - 1);
}
constexpr bool gasneti_tools_is_power(uintptr_t x)
{
    return x != 0 && (x & (x - 1)) == 0;
}
constexpr uintptr_t gasneti_tools_align_up(uintptr_t x, uintptr_t to)
{
    return gasneti_tools_align_down(x + (to - 1), to);
}
#define GASNETT_MAX(x, y)        gasneti_tools_max(x, y)
#define GASNETT_MIN(x, y)        gasneti_tools_min(x, y)
#define GASNETT_ALIGNUP(x, to)   gasneti_tools_align_up((uintptr_t)(x), (uintptr_t)(to))
#define GASNETT_ALIGNDOWN(x, to) gasneti_tools_align_down((uintptr_t)(x), (uintptr_t)(to))
#define GASNETT_POWEROFTWO(x)    gasneti_tools_is_power((uintptr_t)(x))

#else

#define GASNETI_PICKS(type, name)                                                                  \
    static inline type gasneti_tools_max_##name(type x, type y)                                    \
    {                                                                                              \
        return x > y ? x : y;                                                                      \
    }                                                                                              \
    static inline type gasneti_tools_min_##name(type x, type y)                                    \
    {                                                                                              \
        return x < y ? x : y;                                                                      \
    }
GASNETI_PICKS(int, i)
GASNETI_PICKS(unsigned, u)
GASNETI_PICKS(long, l)
GASNETI_PICKS(unsigned long, ul)
GASNETI_PICKS(long long, ll)
GASNETI_PICKS(unsigned long long, ull)
GASNETI_PICKS(float, f)
GASNETI_PICKS(double, d)
#undef GASNETI_PICKS
#define GASNETI_PICK(which, x, y)                                                                  \
    __extension__ _Generic((x) + (y), int                                                          \
                           : gasneti_tools_##which##_i, unsigned                                   \
                           : gasneti_tools_##which##_u, long                                       \
                           : gasneti_tools_##which##_l, unsigned long                              \
                           : gasneti_tools_##which##_ul, long long                                 \
                           : gasneti_tools_##which##_ll, unsigned long long                        \
                           : gasneti_tools_##which##_ull, float                                    \
                           : gasneti_tools_##which##_f, default                                    \
                           : gasneti_tools_##which##_d)(x, y)
static inline uintptr_t gasneti_tools_align_up(uintptr_t x, uintptr_t to)
{
    return (x + (to - 1)) & ~(to - 1);
}
static inline uintptr_t gasneti_tools_align_down(uintptr_t x, uintptr_t to)
{
    return x & ~(to - 1);
}
static inline int gasneti_tools_is_power(uintptr_t x)
{
    return x != 0 && (x & (x - 1)) == 0;
}
/* Of constants the constant, else the call; what is not chosen is not evaluated. */
#define GASNETI_FOLD(x, y, constant, call)                                                         \
    __builtin_choose_expr(__builtin_constant_p(x) && __builtin_constant_p(y), constant, call)
#define GASNETT_MAX(x, y) GASNETI_FOLD(x, y, (x) > (y) ? (x) : (y), GASNETI_PICK(max, x, y))
#define GASNETT_MIN(x, y) GASNETI_FOLD(x, y, (x) < (y) ? (x) : (y), GASNETI_PICK(min, x, y))
#define GASNETT_ALIGNUP(x, to)                                                                     \
    GASNETI_FOLD(x, to, ((uintptr_t)(x) + ((uintptr_t)(to)-1)) & ~((uintptr_t)(to)-1),             \
                 gasneti_tools_align_up((uintptr_t)(x), (uintptr_t)(to)))
#define GASNETT_ALIGNDOWN(x, to)                                                                   \
    GASNETI_FOLD(x, to, (uintptr_t)(x) & ~((uintptr_t)(to)-1),                                     \
                 gasneti_tools_align_down((uintptr_t)(x), (uintptr_t)(to)))
#define GASNETT_POWEROFTWO(x)                                                                      \
    GASNETI_FOLD(x, 0, (x) != 0 && ((uintptr_t)(x) & ((uintptr_t)(x)-1)) == 0,                     \
                 gasneti_tools_is_power((uintptr_t)(x)))

#endif

/* ---- memory; values are the low bytes of a word ---- */

#define GASNETT_FAST_ALIGNED_MEMCPY(to, from, bytes)   ((void)memcpy(to, from, bytes))
#define GASNETT_FAST_UNALIGNED_MEMCPY(to, from, bytes) ((void)memcpy(to, from, bytes))
#define GASNETT_VALUE_ASSIGN(to, value, bytes)                                                     \
    do {                                                                                           \
        const uint64_t gasneti_value = (uint64_t)(value);                                          \
        (void)memcpy(to, &gasneti_value, bytes);                                                   \
    } while (0)
/* Ends the function. */
#define GASNETT_VALUE_RETURN(from, bytes)                                                          \
    do {                                                                                           \
        uint64_t gasneti_value = 0;                                                                \
        (void)memcpy(&gasneti_value, from, bytes);                                                 \
        return gasneti_value;                                                                      \
    } while (0)

#endif /* GASNET_TOOLS_COMPILER_H */
