/* malloc() of the programs on a node: the heaps of its ranks. */
#define _GNU_SOURCE /* dladdr */
#include "hosts/launch/node/node.h"
#include "hosts/launch/signal.h"

#include <dlfcn.h>
#include <malloc.h> /* malloc_usable_size */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Once, since a program that finds out how much there is has no use for more. */
static void report_full(size_t bytes)
{
    struct launch_thread *t = launch_self();

    if (t == NULL || t->heap_full)
        return;
    t->heap_full = true;
    fprintf(t->err,
            "rank %u: no memory for %llu bytes more: the heap of a rank holds %llu GiB in all\n",
            t->host.rank, (unsigned long long)bytes, (unsigned long long)(HEAP_BYTES >> 30));
}

/* On the rank's stack, static, or from tcaMalloc() or cudaMalloc(). What libc or a library has
 * allocated for the program is in the allocator of the whole process. */
static bool is_no_block(struct launch_thread *t, const void *p)
{
    uintptr_t at = (uintptr_t)p, end;
    Dl_info object;

    if (t->task == NULL)
        return false;
    end = (uintptr_t)task_stack_end(t->task);
    return (at < end && end - at <= TASK_STACK_BYTES) || dladdr(p, &object) != 0 ||
           t->host.memory->pointer(&t->host, p).kind != HOST_PAGEABLE;
}

/* The rank ends where libc would end it; a program that is unloaded has none.
 * @return is it a block? */
static bool expect_block(struct launch_thread *t, const void *p, uint64_t from)
{
    if (heap_holds(t->heap, p) ? heap_has(t->heap, p) : !is_no_block(t, p))
        return true;
    if (t->task != NULL)
        launch_killed(SIGABRT, "free of a block that was freed, or of no block of malloc", from);
    return false;
}

/* ---- hooks ---------------------------------------------------------------------------- */

/* Other memory comes from the allocator of the whole process, which libc uses, too. */
static void *hook_alloc(void *rank, size_t bytes, size_t align, int *zeroed_p, uint64_t from)
{
    struct launch_thread *t = rank;
    bool zeroed = false;
    void *p;

    (void)from;
    p = heap_alloc(t->heap, bytes, align, &zeroed);
    *zeroed_p = zeroed;
    if (p == NULL)
        report_full(bytes);
    return p;
}

static void hook_free(void *rank, void *p, uint64_t from)
{
    struct launch_thread *t = rank;

    if (!expect_block(t, p, from))
        return;
    if (heap_holds(t->heap, p))
        heap_free(t->heap, p);
    else
        free(p);
}

static size_t hook_size(void *rank, void *p)
{
    const struct launch_thread *t = rank;

    return heap_holds(t->heap, p) ? heap_size(p) : malloc_usable_size(p);
}

static void *hook_realloc(void *rank, void *p, size_t bytes, uint64_t from)
{
    struct launch_thread *t = rank;
    size_t old;
    void *more;
    int zeroed;

    if (!expect_block(t, p, from))
        return NULL;
    old = hook_size(rank, p);
    if (bytes <= old && bytes > old / 2)
        return p;
    more = hook_alloc(rank, bytes, 16, &zeroed, from);
    if (more != NULL) {
        memcpy(more, p, old < bytes ? old : bytes);
        hook_free(rank, p, from);
    }
    return more;
}

/* ---- beginning and end ------------------------------------------------------------------ */

bool launch_heap_init(struct launch_thread *t, struct hub_program_hooks *hooks)
{
    hooks->alloc = hook_alloc;
    hooks->realloc = hook_realloc;
    hooks->free = hook_free;
    hooks->size = hook_size;
    hooks->rank = t;
    t->heap = heap_create(t->host.rank);
    return t->heap != NULL;
}

void launch_heap_fini(struct launch_thread *t)
{
    heap_destroy(t->heap);
}
