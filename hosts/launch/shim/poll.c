/*
 * Loads of the program that may poll. hubcc has the compiler announce memory accesses as it does
 * for its race detector (-fsanitize=thread), whose run-time is not there: these are its functions.
 * A volatile load and an atomic one of memory that devices write reach the simulator. A store
 * leaves a mark, which sets a loop that counts in memory apart from one that only loads. The check
 * for races gets all of them to memory that transfers use; without it plain ones do no more.
 * Objects that were compiled otherwise call none of them.
 */
#include "hosts/launch/shim/parts.h"

#include <stdint.h>

/* The compilers' names for their own calls.
 * NOLINTBEGIN(bugprone-reserved-identifier,bugprone-macro-parentheses,readability-identifier-naming)
 */
#define HOOK __attribute__((visibility("hidden")))

uintptr_t hub_poll_low, hub_poll_bytes;
HOOK unsigned char hub_poll_written;

static const struct hub_program_range no_memory;
const struct hub_program_range *hub_accessed = &no_memory; /* of constructors, too */

void hub_poll_begin(void)
{
    hub_accessed = hub_hooks.access != NULL ? hub_hooks.accessed : &no_memory;
    hub_poll_low = hub_hooks.poll_low;
    hub_poll_bytes = hub_hooks.poll != NULL ? hub_hooks.poll_bytes : 0;
}

/*
 * hub_poll(p, size, from): saves the registers that survive calls below the frame of the code that
 * loads the word, and passes on where. What it saves and the frame above are that code's state, all
 * else that it computes with being lost in a call or in memory.
 */
HOOK void hub_poll(const volatile void *p, uint32_t size, const void *from);
HOOK void hub_poll_at(const volatile void *p, uint32_t size, const void *from,
                      const uint64_t *frame);
#if defined(__x86_64__)
__asm__(
    ".text\n"
    ".hidden hub_poll\n"
    ".globl hub_poll\n"
    ".type hub_poll, @function\n"
    "hub_poll:\n"
    ".cfi_startproc\n"
    "	push %rbx\n	push %rbp\n	push %r12\n	push %r13\n	push %r14\n	push %r15\n"
    "	mov %rsp, %rcx\n"
    "	sub $8, %rsp\n"
    ".cfi_def_cfa_offset 64\n"
    "	call hub_poll_at\n"
    "	add $56, %rsp\n"
    ".cfi_def_cfa_offset 8\n"
    "	ret\n"
    ".cfi_endproc\n"
    ".size hub_poll, .-hub_poll\n");
#define FRAME_BASE 4
#elif defined(__aarch64__)
__asm__(
    ".text\n"
    ".hidden hub_poll\n"
    ".globl hub_poll\n"
    ".type hub_poll, %function\n"
    "hub_poll:\n"
    "	stp x29, x30, [sp, #-96]!\n"
    "	stp x19, x20, [sp, #16]\n	stp x21, x22, [sp, #32]\n	stp x23, x24, [sp, #48]\n"
    "	stp x25, x26, [sp, #64]\n	stp x27, x28, [sp, #80]\n"
    "	mov x3, sp\n"
    "	bl hub_poll_at\n"
    "	ldp x29, x30, [sp], #96\n"
    "	ret\n"
    ".size hub_poll, .-hub_poll\n");
#define FRAME_BASE 0
#endif

void hub_poll_at(const volatile void *p, uint32_t size, const void *from, const uint64_t *frame)
{
    struct hub_program_place place = { (uintptr_t)from, frame, frame[FRAME_BASE],
                                       hub_poll_written };

    hub_poll_written = 0;
    hub_hooks.poll(p, size, &place);
}

/* In each hook itself, whose return address is the place. */
#define POLL_IF_SHARED(p, size)                                                                    \
    do {                                                                                           \
        if ((uintptr_t)(p)-hub_poll_low < hub_poll_bytes)                                          \
            hub_poll(p, size, __builtin_return_address(0));                                        \
    } while (0)

#define CHECKED(p, n, kind)                                                                        \
    do {                                                                                           \
        if (hub_is_accessed((uintptr_t)(p), n))                                                    \
            hub_hooks.access(p, n, kind, __builtin_return_address(0));                             \
    } while (0)

extern int hub_program_files;
int hub_program_files; /* whose loads and stores are announced: each calls this before main() */

HOOK void __tsan_init(void)
{
    hub_program_files++;
}

/* ---- plain loads and stores ------------------------------------------------------------ */

#define POLL(name, bytes)                                                                          \
    HOOK void __tsan_##name(void *p)                                                               \
    {                                                                                              \
        POLL_IF_SHARED(p, bytes);                                                                  \
        CHECKED(p, bytes, HUB_POLLS);                                                              \
    }
#define NOTHING(name)                                                                              \
    HOOK void __tsan_##name(void) {}
#define LOAD(name, bytes)                                                                          \
    HOOK void __tsan_##name(void *p)                                                               \
    {                                                                                              \
        CHECKED(p, bytes, HUB_LOADS);                                                              \
    }
#define STORE(name, bytes)                                                                         \
    HOOK void __tsan_##name(void *p)                                                               \
    {                                                                                              \
        hub_poll_written = 1;                                                                      \
        CHECKED(p, bytes, HUB_STORES);                                                             \
    }
#define SIZES(n)                                                                                   \
    POLL(volatile_read##n, n)                                                                      \
    LOAD(read##n, n)                                                                               \
    STORE(write##n, n)                                                                             \
    STORE(read_write##n, n)                                                                        \
    STORE(volatile_write##n, n)
#define UNALIGNED(n)                                                                               \
    POLL(unaligned_volatile_read##n, n)                                                            \
    LOAD(unaligned_read##n, n)                                                                     \
    STORE(unaligned_write##n, n)                                                                   \
    STORE(unaligned_read_write##n, n)                                                              \
    STORE(unaligned_volatile_write##n, n)

/* One table. */
/* clang-format off */
SIZES(1) SIZES(2) SIZES(4) SIZES(8) SIZES(16)
UNALIGNED(2) UNALIGNED(4) UNALIGNED(8) UNALIGNED(16)
NOTHING(func_entry) NOTHING(func_exit)
NOTHING(ignore_thread_begin) NOTHING(ignore_thread_end)
LOAD(vptr_read, sizeof(void *)) STORE(vptr_update, sizeof(void *))
    /* clang-format on */

    HOOK void __tsan_read_range(void *p, size_t bytes)
{
    CHECKED(p, bytes, HUB_LOADS);
}
HOOK void __tsan_write_range(void *p, size_t bytes)
{
    hub_poll_written = 1;
    CHECKED(p, bytes, HUB_STORES);
}

/* ---- blocks, for what programs compute ------------------------------------------------------
 */

extern uint64_t hub_program_blocks;
uint64_t hub_program_blocks;

HOOK void __sanitizer_cov_trace_pc(void)
{
    hub_program_blocks++;
}

/* ---- atomics ---- */

__extension__ typedef unsigned __int128 uint128;

/* The order asked for does not matter: the strongest will do. Sixteen bytes would need a library;
 * a rank is one thread. */
#define ATOMIC_CHANGED(bits, type)                                                                 \
    static int changed##bits(volatile type *p, type *old, type v)                                  \
    {                                                                                              \
        return __atomic_compare_exchange_n(p, old, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);      \
    }                                                                                              \
    static type loaded##bits(const volatile type *p)                                               \
    {                                                                                              \
        return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                               \
    }
/* clang-format off */
ATOMIC_CHANGED(8, uint8_t) ATOMIC_CHANGED(16, uint16_t)
ATOMIC_CHANGED(32, uint32_t) ATOMIC_CHANGED(64, uint64_t)
    /* clang-format on */
    static uint128 loaded128(const volatile uint128 *p)
{
    return *p;
}
static int changed128(volatile uint128 *p, uint128 *old, uint128 v)
{
    uint128 now = *p;

    if (now != *old) {
        *old = now;
        return 0;
    }
    *p = v;
    return 1;
}

/* Instead of what the compiler would have made of them. One that leaves its word as it was is a
 * turn of a loop as a load is. */
#define ATOMIC_CHANGE(bits, type, op, next)                                                        \
    HOOK type __tsan_atomic##bits##_##op(volatile type *p, type v, int order)                      \
    {                                                                                              \
        type old = loaded##bits(p);                                                                \
                                                                                                   \
        (void)order;                                                                               \
        if ((type)(next) == old)                                                                   \
            POLL_IF_SHARED(p, sizeof(type));                                                       \
        else                                                                                       \
            hub_poll_written = 1;                                                                  \
        CHECKED(p, sizeof(type), HUB_POLLS);                                                       \
        CHECKED(p, sizeof(type), HUB_STORES);                                                      \
        while (!changed##bits(p, &old, (type)(next)))                                              \
            ;                                                                                      \
        return old;                                                                                \
    }
#define ATOMIC_COMPARE(bits, type, op)                                                             \
    HOOK int __tsan_atomic##bits##_##op(volatile type *p, type *wanted, type v, int order,         \
                                        int failed)                                                \
    {                                                                                              \
        (void)order;                                                                               \
        (void)failed;                                                                              \
        if (loaded##bits(p) != *wanted)                                                            \
            POLL_IF_SHARED(p, sizeof(type));                                                       \
        CHECKED(p, sizeof(type), HUB_POLLS);                                                       \
        if (!changed##bits(p, wanted, v))                                                          \
            return 0;                                                                              \
        hub_poll_written = 1;                                                                      \
        CHECKED(p, sizeof(type), HUB_STORES);                                                      \
        return 1;                                                                                  \
    }
#define ATOMIC(bits, type)                                                                         \
    HOOK type __tsan_atomic##bits##_load(const volatile type *p, int order)                        \
    {                                                                                              \
        (void)order;                                                                               \
        POLL_IF_SHARED(p, sizeof(type));                                                           \
        CHECKED(p, sizeof(type), HUB_POLLS);                                                       \
        return loaded##bits(p);                                                                    \
    }                                                                                              \
    HOOK void __tsan_atomic##bits##_store(volatile type *p, type v, int order)                     \
    {                                                                                              \
        type old = loaded##bits(p);                                                                \
                                                                                                   \
        (void)order;                                                                               \
        hub_poll_written = 1;                                                                      \
        CHECKED(p, sizeof(type), HUB_STORES);                                                      \
        while (!changed##bits(p, &old, v))                                                         \
            ;                                                                                      \
    }                                                                                              \
    ATOMIC_CHANGE(bits, type, exchange, v)                                                         \
    ATOMIC_CHANGE(bits, type, fetch_add, old + v)                                                  \
    ATOMIC_CHANGE(bits, type, fetch_sub, old - v)                                                  \
    ATOMIC_CHANGE(bits, type, fetch_and, old &v)                                                   \
    ATOMIC_CHANGE(bits, type, fetch_or, old | v)                                                   \
    ATOMIC_CHANGE(bits, type, fetch_xor, old ^ v)                                                  \
    ATOMIC_CHANGE(bits, type, fetch_nand, ~(old & v))                                              \
    ATOMIC_COMPARE(bits, type, compare_exchange_strong)                                            \
    ATOMIC_COMPARE(bits, type, compare_exchange_weak)                                              \
    HOOK type __tsan_atomic##bits##_compare_exchange_val(volatile type *p, type wanted, type v,    \
                                                         int order, int failed)                    \
    {                                                                                              \
        (void)order;                                                                               \
        (void)failed;                                                                              \
        if (loaded##bits(p) != wanted)                                                             \
            POLL_IF_SHARED(p, sizeof(type));                                                       \
        CHECKED(p, sizeof(type), HUB_POLLS);                                                       \
        if (changed##bits(p, &wanted, v)) {                                                        \
            hub_poll_written = 1;                                                                  \
            CHECKED(p, sizeof(type), HUB_STORES);                                                  \
        }                                                                                          \
        return wanted;                                                                             \
    }

/* clang-format off */
ATOMIC(8, uint8_t) ATOMIC(16, uint16_t) ATOMIC(32, uint32_t) ATOMIC(64, uint64_t)
ATOMIC(128, uint128)
    /* clang-format on */

    HOOK void __tsan_atomic_thread_fence(int order)
{
    (void)order;
}
HOOK void __tsan_atomic_signal_fence(int order)
{
    (void)order;
}
/* NOLINTEND(bugprone-reserved-identifier,bugprone-macro-parentheses,readability-identifier-naming)
 */
