#define _GNU_SOURCE /* MAP_ANONYMOUS, MAP_NORESERVE, MAP_STACK */
#include "hosts/launch/process/task.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "core/sim.h" /* SIM_ASSERT */

#if defined(__SANITIZE_ADDRESS__)
#define TASK_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TASK_ASAN 1
#endif
#endif
#ifdef TASK_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

/* An array larger than the stack begins here, not on the stack of another task. */
#define TASK_GUARD_BYTES ((size_t)1 << 30)
#define PUSHED_BYTES     4096u /* what a call puts below the stack pointer, and some more */

struct task {
    void *sp;      /* the task's, while it is suspended */
    void *back_sp; /* the event loop's, while the task runs */
    task_fn fn;
    void *arg;
    char *memory; /* guard, then stack */
    size_t stack_bytes;
    uint64_t modes;      /* floating-point control of the task while it is suspended */
    uint64_t loop_modes; /* and of the event loop: that at creation */
    int errno_saved;
    bool running, ended;
#ifdef TASK_ASAN
    void *fake, *back_fake;
    const void *back_bottom;
    size_t back_size;
#endif
};

/* Rounding, exception masks: one word, so that the usual case, in which they stay as they are, is
 * one compare on leaving a task. */
#if defined(__x86_64__)
static uint64_t modes_get(void)
{
    uint32_t mxcsr = 0;
    uint16_t x87 = 0;

    __asm__ volatile("stmxcsr %0" : "=m"(mxcsr));
    __asm__ volatile("fnstcw %0" : "=m"(x87));
    return (uint64_t)x87 << 32 | (mxcsr & 0xffc0u); /* without the sticky flags */
}
static void modes_set(uint64_t modes)
{
    uint32_t mxcsr = (uint32_t)modes;
    uint16_t x87 = (uint16_t)(modes >> 32);

    __asm__ volatile("ldmxcsr %0" ::"m"(mxcsr));
    __asm__ volatile("fldcw %0" ::"m"(x87));
}
#elif defined(__aarch64__)
static uint64_t modes_get(void)
{
    uint64_t fpcr;

    __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
    return fpcr;
}
static void modes_set(uint64_t modes)
{
    __asm__ volatile("msr fpcr, %0" ::"r"(modes));
}
#else
#error "tasks are written for x86-64 and AArch64"
#endif

#ifdef TASK_ASAN
static void task_entered(struct task *t)
{
    __sanitizer_finish_switch_fiber(t->fake, &t->back_bottom, &t->back_size);
}
/* A task that exits leaves frames marked that never return; the next stack may lie there. */
static void task_unmark(const struct task *t)
{
    __asan_unpoison_memory_region(t->memory + TASK_GUARD_BYTES, t->stack_bytes);
}
#else
static void task_entered(struct task *t)
{
    (void)t;
}
static void task_unmark(const struct task *t)
{
    (void)t;
}
#endif

void task_switch(void **save_sp, void *load_sp); /* switch.S */
void task_entry(void);                           /* switch.S: calls task_run_from() */
void task_run_from(struct task *t);

/* Where a new task begins: its address comes from the stack that task_prepare() laid out, the
 * task itself from a word above it. */
void task_run_from(struct task *t)
{
    task_entered(t);
    t->fn(t->arg);
    task_exit(t);
}

/* The frame that task_switch() takes down, with the task in a callee-saved register for
 * task_entry(). */
static void task_prepare(struct task *t)
{
    uintptr_t top = ((uintptr_t)t->memory + TASK_GUARD_BYTES + t->stack_bytes) & ~(uintptr_t)15;
#if defined(__x86_64__)
    uint64_t *frame =
        (uint64_t *)(top - sizeof(uint64_t) * 9); /* six registers, address, two words of padding */

    memset(frame, 0, sizeof(uint64_t) * 9);
    frame[3] = (uintptr_t)t; /* r12 */
    frame[6] = (uintptr_t)task_entry;
#else
    uint64_t *frame = (uint64_t *)(top - 160);

    memset(frame, 0, 160);
    frame[0] = (uintptr_t)t;           /* x19 */
    frame[11] = (uintptr_t)task_entry; /* x30 */
#endif
    t->sp = frame;
}
static void task_to_task(struct task *t)
{
    task_switch(&t->back_sp, t->sp);
}
static void task_to_loop(struct task *t)
{
    task_switch(&t->sp, t->back_sp);
}

struct task *task_create(size_t stack_bytes, task_fn fn, void *arg)
{
    struct task *t = calloc(1, sizeof(*t));
    void *memory;

    if (t == NULL)
        return NULL;
    memory = mmap(NULL, stack_bytes + TASK_GUARD_BYTES, PROT_NONE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED)
        goto err_free_task;
    if (mprotect((char *)memory + TASK_GUARD_BYTES, stack_bytes, PROT_READ | PROT_WRITE) != 0)
        goto err_unmap;
    t->memory = memory;
    t->stack_bytes = stack_bytes;
    t->fn = fn;
    t->arg = arg;
    t->modes = t->loop_modes = modes_get();
    task_prepare(t);
    return t;

err_unmap:
    munmap(memory, stack_bytes + TASK_GUARD_BYTES);
err_free_task:
    free(t);
    return NULL;
}

void task_destroy(struct task *t)
{
    if (t == NULL)
        return;
    SIM_ASSERT(!t->running);
    task_unmark(t);
    munmap(t->memory, t->stack_bytes + TASK_GUARD_BYTES);
    free(t);
}

static void resuming(struct task *t)
{
    SIM_ASSERT(!t->running && !t->ended);
    t->running = true;
    errno = t->errno_saved;
    if (t->modes != t->loop_modes)
        modes_set(t->modes);
}

#ifdef TASK_ASAN
void task_resume(struct task *t)
{
    resuming(t);
    __sanitizer_start_switch_fiber(&t->back_fake, t->memory + TASK_GUARD_BYTES, t->stack_bytes);
    task_to_task(t);
    __sanitizer_finish_switch_fiber(t->back_fake, NULL, NULL);
}
static void task_leave(struct task *t)
{
    /* For the sanitizer, no place to save the fake stack means that the task is over. */
    __sanitizer_start_switch_fiber(t->ended ? NULL : &t->fake, t->back_bottom, t->back_size);
    task_to_loop(t);
    task_entered(t);
}
#else
void task_resume(struct task *t)
{
    resuming(t);
    task_to_task(t); /* nothing after: see switch.S */
}
static void task_leave(struct task *t)
{
    task_to_loop(t);
}
#endif

void task_suspend(struct task *t)
{
    SIM_ASSERT(t->running);
    t->running = false;
    t->errno_saved = errno;
    t->modes = modes_get();
    if (t->modes != t->loop_modes)
        modes_set(t->loop_modes);
    task_leave(t);
}

void task_exit(struct task *t)
{
    t->ended = true;
    task_suspend(t);
    SIM_ASSERT(false);
}

const void *task_stack_end(const struct task *t)
{
    return t->memory + TASK_GUARD_BYTES + t->stack_bytes;
}

bool task_out_of_stack(const struct task *t, uintptr_t at, uintptr_t sp)
{
    uintptr_t guard = (uintptr_t)t->memory, stack = guard + TASK_GUARD_BYTES;

    return at < stack && (at >= guard || at + PUSHED_BYTES >= sp);
}

bool task_sanitized(void)
{
#ifdef TASK_ASAN
    return true;
#else
    return false;
#endif
}
