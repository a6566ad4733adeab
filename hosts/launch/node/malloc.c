/* malloc() of the programs on a node: the heaps of its ranks, and what the check of them finds. */
#define _GNU_SOURCE /* dladdr */
#include "hosts/launch/node/node.h"
#include "hosts/launch/signal.h"

#include <dlfcn.h>
#include <malloc.h> /* malloc_usable_size */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- without the check ------------------------------------------------------------ */

/* Once, since a program that finds out how much there is has no use for more. */
static void report_full(size_t bytes)
{
    struct launch_thread *t = launch_self();
    char line[160];

    if (t == NULL || t->heap_full)
        return;
    t->heap_full = true;
    (void)snprintf(
        line, sizeof(line),
        "rank %u: no memory for %llu bytes more: the heap of a rank holds %llu GiB in all",
        t->host.rank, (unsigned long long)bytes, (unsigned long long)(HEAP_BYTES >> 30));
    launch_say(t, line);
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

/* ---- with it ------------------------------------------------------------------------ */

static bool is_checked(struct launch_thread *t, const void *p)
{
    return t->guard != NULL && (guard_holds(t->guard, p) || is_no_block(t, p));
}

static struct program_calls calls_of(struct launch_thread *t, uint64_t from)
{
    struct program_calls calls;

    program_calls(t->program, from, &calls);
    return calls;
}

/** Devices that know a block which was there before know this one by the same address. */
static void *placed(struct launch_thread *t, void *p, size_t bytes)
{
    if (p != NULL)
        launch_pins_move(t, guard_address(t->guard, p), bytes, p);
    return p;
}

void launch_heap_report(struct launch_thread *t, const struct guard_mistake *m)
{
    const char *call = m->kind == GUARD_ACCESS && !m->outside ? t->host.call.name : NULL;
    sim_time_t at = t->ended ? t->host.end_ps : sim_now(t->dom);
    char text[800], line[1000];

    guard_text(m, t->program, text, sizeof(text));
    (void)snprintf(line, sizeof(line), "rank %u on node %u at %.6f us: %s%s%s", t->host.rank,
                   t->node->shared.index, (double)at * 1e-6, call != NULL ? call : "",
                   call != NULL ? ": " : "", text);
    t->host.process->found(&t->host, line);
}

static void found(void *arg, const struct guard_mistake *m)
{
    struct launch_thread *t = arg;

    if (t->task != NULL)
        launch_heap_report(t, m);
}

struct launch_thread *launch_heap_explain(struct launch *run, const void *p,
                                          struct guard_mistake *m_p)
{
    for (unsigned r = 0; r < run->nranks; r++)
        if (run->ranks[r].guard != NULL && guard_explain(run->ranks[r].guard, p, m_p))
            return &run->ranks[r];
    return NULL;
}

/* ---- hooks ---------------------------------------------------------------------------- */

/* Other memory comes from the allocator of the whole process, which libc uses, too. */
static void *hook_alloc(void *rank, size_t bytes, size_t align, int *zeroed_p, uint64_t from)
{
    struct launch_thread *t = rank;
    bool zeroed = false;
    void *p;

    if (t->guard != NULL) {
        const struct program_calls calls = calls_of(t, from);

        p = placed(t, guard_alloc(t->guard, bytes, align, &calls, &zeroed), bytes);
    } else {
        p = heap_alloc(t->heap, bytes, align, &zeroed);
    }
    *zeroed_p = zeroed;
    if (p == NULL)
        report_full(bytes);
    return p;
}

static void hook_free(void *rank, void *p, uint64_t from)
{
    struct launch_thread *t = rank;

    if (is_checked(t, p)) {
        const struct program_calls calls = calls_of(t, from);

        guard_free(t->guard, p, &calls);
        return;
    }
    if (!expect_block(t, p, from))
        return;
    if (heap_holds(t->heap, p))
        heap_free(t->heap, p);
    else
        free(p);
}

static size_t hook_size(void *rank, void *p)
{
    struct launch_thread *t = rank;

    return t->guard != NULL && guard_holds(t->guard, p) ? guard_size(t->guard, p)
           : heap_holds(t->heap, p)                     ? heap_size(p)
                                                        : malloc_usable_size(p);
}

static void *hook_realloc(void *rank, void *p, size_t bytes, uint64_t from)
{
    struct launch_thread *t = rank;
    size_t old;
    void *more;
    int zeroed;

    if (is_checked(t, p)) {
        const struct program_calls calls = calls_of(t, from);

        return placed(t, guard_realloc(t->guard, p, bytes, &calls), bytes);
    }
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

/* A block takes two mappings, of which a process has so many; half of them are for such blocks. */
static size_t blocks_in_pages(unsigned nranks)
{
    FILE *f = fopen("/proc/sys/vm/max_map_count", "re");
    char line[32] = "";
    unsigned long most = 65530; /* the kernel's default */

    if (f != NULL && fgets(line, sizeof(line), f) != NULL)
        most = strtoul(line, NULL, 10);
    if (f != NULL)
        (void)fclose(f);
    return most / 4 / nranks;
}

bool launch_heap_init(struct launch_thread *t, struct hub_program_hooks *hooks)
{
    hooks->alloc = hook_alloc;
    hooks->realloc = hook_realloc;
    hooks->free = hook_free;
    hooks->size = hook_size;
    hooks->rank = t;
    t->heap = heap_create(t->host.rank);
    if (t->heap == NULL || (t->host.checks & HOST_CHECK_HEAP) == 0)
        return t->heap != NULL;
    t->guard = guard_create(t->heap, blocks_in_pages(t->node->run->nranks), found, t);
    return t->guard != NULL;
}

void launch_heaps_end(struct launch *run)
{
    const struct launch_config *cfg = run->cfg;
    bool zoned = false;
    char line[160];

    for (unsigned r = 0; run->ranks != NULL && r < run->nranks; r++)
        if (run->ranks[r].guard != NULL)
            zoned |= guard_end(run->ranks[r].guard);
    if (!zoned || cfg->remark == NULL)
        return;
    (void)snprintf(line, sizeof(line),
                   "--check heap: a rank had more than %zu blocks of malloc at a time, and the "
                   "others were looked at when they were freed only",
                   blocks_in_pages(run->nranks));
    cfg->remark(cfg->output_arg, line);
}

void launch_heap_fini(struct launch_thread *t)
{
    guard_destroy(t->guard);
    heap_destroy(t->heap);
}
