/*
 * Memory that is given back all at once, and errors that leave at once: what tools stand on that
 * read what people have written.
 *
 * Who finds an error raises it, with the one line that says what was expected. It leaves the
 * innermost load_attempt(): nothing between has to pass it on, and what is still open there, files
 * and machines too, belongs to arenas, which end on that way. So functions of tools return what
 * they were asked for. A file that is written (lab_out_open()) belongs to none: nothing raises
 * until it is closed. A tool that finds no memory has nothing better to do than to stop, so
 * load_alloc() does not fail.
 */
#ifndef LOAD_ARENA_H
#define LOAD_ARENA_H

#include "core/sim.h"

SIM_BEGIN_DECLS

/** All zero is an empty one, which begins with its first memory, in the innermost attempt. Once it
 * has begun, a copy of the structure is the same arena. */
struct load_arena {
    struct load_block *block;
};

/** For one that outlives an attempt, and has no memory yet when that begins. */
void load_arena_begin(struct load_arena *arena);
void *load_alloc(struct load_arena *arena, size_t bytes); /* zeroed */
/** Room for one more than the `n` items of `size` bytes: they themselves, or copied to where there
 * is more. */
void *load_grow(struct load_arena *arena, const void *items, unsigned n, unsigned *room,
                size_t size);
const char *load_text(struct load_arena *arena, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/** The arena ends with undo(thing), the last one first. @return `thing` */
void *load_own(struct load_arena *arena, void (*undo)(void *thing), void *thing);
/** It is empty then, as at first. */
void load_arena_fini(struct load_arena *arena);

/** Runs `fn(arg)`. @return SIM_OK, or the code of the error that has left it, with its message in
 * *err (which may be NULL). Arenas that began inside have ended then, and their structures are of
 * no use. One thread's errors stay there. */
int load_attempt(void (*fn)(void *arg), void *arg, struct sim_error *err);
/** Leaves the innermost attempt of this thread; there must be one. */
_Noreturn void load_raise(int code, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/** Behind `head` and ": ", as sim_error_set_behind(). */
_Noreturn void load_raise_behind(int code, const char *head, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/** For functions of the simulator: where they leave their message, and what they return. Any code
 * but SIM_OK leaves the attempt as load_raise() does. */
struct sim_error *load_error(void);
void load_check(int code);

SIM_END_DECLS
#endif /* LOAD_ARENA_H */
