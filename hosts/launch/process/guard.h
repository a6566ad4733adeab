/*
 * The check of a rank's heap. A block lies at the end of pages of its own, and the page behind
 * them traps; so do all of its pages after free(). A process has so many mappings only: blocks
 * beyond a number lie between red zones instead, bytes that are looked at when the block is freed.
 * Either way the heap has a block of that size, too, which nothing uses. By its address, at which
 * the program would run without the check, devices know the memory, so that no time depends on it.
 */
#ifndef LAUNCH_GUARD_H
#define LAUNCH_GUARD_H

#include "hosts/launch/process/heap.h"
#include "hosts/launch/process/program.h"

SIM_BEGIN_DECLS

struct guard;

enum guard_kind {
    GUARD_NOTHING,
    GUARD_ACCESS,  /* outside of the block, or after free() */
    GUARD_WRITTEN, /* as before, found later in the bytes that are there */
    GUARD_FREE     /* of what was freed, of the inside of a block, or of no block */
};

struct guard_mistake {
    enum guard_kind kind;
    bool outside;            /* not by the rank: by a device, or a thread of the program's own */
    struct program_calls at; /* where it was found; nowhere: at the end, or by a device */
    const void *p;           /* what was accessed or freed */
    /* the block */
    bool known, freed;
    int64_t offset; /* of `p` in it */
    size_t bytes;
    struct program_calls allocated_at, freed_at;
};

typedef void (*guard_fn)(void *arg, const struct guard_mistake *m);

/** For `heap`, whose blocks are no longer used themselves. `most`: blocks at a time with pages of
 * their own. NULL: out of memory. */
struct guard *guard_create(struct heap *heap, size_t most, guard_fn found, void *arg);
void guard_destroy(struct guard *g);
bool guard_holds(const struct guard *g, const void *p);
/** As heap_alloc(). */
void *guard_alloc(struct guard *g, size_t bytes, size_t align, const struct program_calls *at,
                  bool *zeroed_p);
/** As realloc(), also of a pointer that is no block. */
void *guard_realloc(struct guard *g, void *p, size_t bytes, const struct program_calls *at);
/** Any pointer may be given. */
void guard_free(struct guard *g, void *p, const struct program_calls *at);
/** `p` lies in the guard. */
size_t guard_size(struct guard *g, const void *p);
/** Where `p` would lie without the check, if it lies in the guard. */
uint64_t guard_address(struct guard *g, const void *p);
/** What an access that has trapped was. @return false: nothing of the guard's. Safe in a signal
 * handler, as is guard_admit(). */
bool guard_explain(const struct guard *g, const void *p, struct guard_mistake *m_p);
/** Accesses to the page of `p`, which guard_explain() knows, trap no more. */
void guard_admit(struct guard *g, const void *p);
/** Looks at all blocks that are there. @return had some no pages of their own? */
bool guard_end(struct guard *g);
/** "free of a freed block of 40 bytes at PROGRAM+0x123; allocated at ..." */
void guard_text(const struct guard_mistake *m, const struct program *p, char *text, size_t room);

SIM_END_DECLS
#endif /* LAUNCH_GUARD_H */
