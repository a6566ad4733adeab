#include "tools/load/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

struct chunk {
    SLIST_ENTRY(chunk) link;
    void (*undo)(void *thing); /* NULL: bytes */
    union {
        void *thing;
        max_align_t bytes[1];
    };
};

LIST_HEAD(blocks, load_block);

struct load_block {
    LIST_ENTRY(load_block) link;
    SLIST_HEAD(, chunk) chunks; /* the newest first */
};

struct attempt {
    struct attempt *outer;
    struct sim_error *err;
    struct blocks blocks; /* of arenas that have begun since */
    jmp_buf out;
};

static _Thread_local struct attempt *innermost;
static _Thread_local struct blocks outside; /* of all attempts */

/* ---- arenas ------------------------------------------------------------------------ */

void load_arena_begin(struct load_arena *arena)
{
    arena->block = calloc(1, sizeof(*arena->block));
    SIM_ASSERT(arena->block != NULL);
    LIST_INSERT_HEAD(innermost != NULL ? &innermost->blocks : &outside, arena->block, link);
}

static struct chunk *add_chunk(struct load_arena *arena, size_t bytes)
{
    struct chunk *chunk = calloc(1, sizeof(*chunk) + bytes);

    SIM_ASSERT(chunk != NULL);
    if (arena->block == NULL)
        load_arena_begin(arena);
    SLIST_INSERT_HEAD(&arena->block->chunks, chunk, link);
    return chunk;
}

void *load_alloc(struct load_arena *arena, size_t bytes)
{
    return add_chunk(arena, bytes)->bytes;
}

void *load_own(struct load_arena *arena, void (*undo)(void *thing), void *thing)
{
    struct chunk *chunk = add_chunk(arena, 0);

    chunk->undo = undo;
    chunk->thing = thing;
    return thing;
}

void *load_grow(struct load_arena *arena, const void *items, unsigned n, unsigned *room,
                size_t size)
{
    void *more;

    if (n < *room)
        return (void *)(uintptr_t)items;
    *room = *room * 2 + 16;
    more = load_alloc(arena, *room * size);
    if (n > 0)
        memcpy(more, items, n * size);
    return more;
}

const char *load_text(struct load_arena *arena, const char *fmt, ...)
{
    va_list args;
    char *text;
    int n;

    va_start(args, fmt);
    n = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    SIM_ASSERT(n >= 0);
    text = load_alloc(arena, (size_t)n + 1);
    va_start(args, fmt);
    vsnprintf(text, (size_t)n + 1, fmt, args);
    va_end(args);
    return text;
}

static void empty_block(struct load_block *block)
{
    struct chunk *chunk;

    while ((chunk = SLIST_FIRST(&block->chunks)) != NULL) {
        SLIST_REMOVE_HEAD(&block->chunks, link);
        if (chunk->undo != NULL)
            chunk->undo(chunk->thing);
        free(chunk);
    }
}

void load_arena_fini(struct load_arena *arena)
{
    struct load_block *block = arena->block;

    arena->block = NULL; /* the structure may lie in its own memory */
    if (block == NULL)
        return;
    empty_block(block);
    LIST_REMOVE(block, link);
    free(block);
}

static void move_block(struct load_block *block, struct blocks *to)
{
    LIST_REMOVE(block, link);
    LIST_INSERT_HEAD(to, block, link);
}

/* ---- errors ------------------------------------------------------------------------ */

int load_attempt(void (*fn)(void *arg), void *arg, struct sim_error *err)
{
    struct sim_error own = { 0 };
    struct attempt attempt = { .outer = innermost, .err = err != NULL ? err : &own };

    innermost = &attempt;
    if (setjmp(attempt.out) != 0) {
        innermost = attempt.outer;
        return attempt.err->code;
    }
    fn(arg);
    innermost = attempt.outer;
    while (!LIST_EMPTY(&attempt.blocks))
        move_block(LIST_FIRST(&attempt.blocks),
                   attempt.outer != NULL ? &attempt.outer->blocks : &outside);
    return SIM_OK;
}

/** The arenas end while the frames that they were begun in are still there. An empty block stays
 * until all are: what one arena owns may end another. */
static _Noreturn void leave_attempt(void)
{
    struct attempt *attempt = innermost;
    struct blocks empty = LIST_HEAD_INITIALIZER(empty);

    while (!LIST_EMPTY(&attempt->blocks)) {
        struct load_block *block = LIST_FIRST(&attempt->blocks);

        move_block(block, &empty);
        empty_block(block);
    }
    while (!LIST_EMPTY(&empty))
        load_arena_fini(&(struct load_arena){ LIST_FIRST(&empty) });
    longjmp(attempt->out, 1);
}

void load_raise(int code, const char *fmt, ...)
{
    char text[sizeof(innermost->err->text)];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    (void)sim_error_set(load_error(), code, "%s", text);
    leave_attempt();
}

void load_raise_behind(int code, const char *head, const char *fmt, ...)
{
    char text[sizeof(innermost->err->text)];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    (void)sim_error_set_behind(load_error(), code, head, "%s", text);
    leave_attempt();
}

struct sim_error *load_error(void)
{
    SIM_ASSERT(innermost != NULL);
    return innermost->err;
}

void load_check(int code)
{
    if (code == SIM_OK)
        return;
    (void)sim_error_set(load_error(), code, "the simulator gave no reason for its error %d", code);
    leave_attempt();
}
