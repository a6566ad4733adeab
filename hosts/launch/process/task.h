/*
 * Tasks: threads of control that the event loop resumes and that suspend
 * themselves, each on its own stack. errno and the floating-point control words
 * belong to the task; the event loop's control words must not change while tasks
 * live, and its errno is lost. One task is left and another entered only through
 * the event loop that called task_resume().
 */
#ifndef LAUNCH_TASK_H
#define LAUNCH_TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct task;
typedef void (*task_fn)(void *arg);
typedef int (*task_main_fn)(int argc, char **argv);

/* A rank has so much, lazily committed; public programs keep 8 MB on it. */
#define TASK_STACK_MB    64
#define TASK_STACK_BYTES ((size_t)TASK_STACK_MB << 20)

/** NULL: out of memory or address space. A GiB without access lies below the stack. */
struct task *task_create(size_t stack_bytes, task_fn fn, void *arg);
/** Also of a task that has not ended: its stack goes without unwinding. NULL is allowed. */
void task_destroy(struct task *t);
/** Runs the task until it suspends or ends. Not from inside a task. */
void task_resume(struct task *t);
/** From inside the task `t` only: back to task_resume(). */
void task_suspend(struct task *t);
/** From inside the task only: ends it; never returns. */
void task_exit(struct task *t);
/**
 * From inside a task: calls `fn` with a stack that begins at a border between pages. How deep the
 * callers' frames are is another thing in each build; where in a page the arrays of `fn` lie is
 * not.
 */
int task_call_main(int argc, char **argv, task_main_fn fn);
/** One past the highest byte. */
const void *task_stack_end(const struct task *t);
/** Built with AddressSanitizer? */
bool task_sanitized(void);
/** Did the task run out of stack? It has faulted at `at`, with its stack pointer at `sp`: in the
 * guard, or where an array that is larger than the guard begins. */
bool task_out_of_stack(const struct task *t, uintptr_t at, uintptr_t sp);

#ifdef __cplusplus
}
#endif
#endif /* LAUNCH_TASK_H */
