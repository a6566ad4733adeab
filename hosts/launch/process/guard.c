#define _GNU_SOURCE /* tdestroy, twalk_r, madvise */
#include "hosts/launch/process/guard.h"

#include <inttypes.h>
#include <pthread.h>
#include <search.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE_BYTES ((size_t)4096)
#define POOL_BYTES (2 * HEAP_BYTES) /* of address space, for blocks in pages, and in zones */
#define ALIGN      16u
#define ZONE_BYTES 16u
#define ZONE_FILL  0xb7
#define FREED_FILL 0xd9
/* What was freed last stays unused for so long. */
#define FREED_MAX   10000u             /* blocks */
#define FREED_BYTES ((size_t)64 << 20) /* of those in zones */

struct block {
    char *low, *high; /* all that it takes: one in pages with the page behind */
    char *p;
    size_t bytes;
    void *twin;       /* the heap's; NULL: given back */
    uint64_t address; /* that of the twin, also later */
    bool paged, freed;
    bool admitted; /* accesses to some of the pages that should trap */
    uint32_t cls;
    struct program_calls allocated_at, freed_at;
    struct block *next;
};

/** Blocks keep what they take, and are used again for others of that class. */
struct pool {
    char *base;
    size_t used;
    struct block *free[HEAP_CLASSES];
};

struct guard {
    struct heap *heap;
    guard_fn found;
    void *arg;
    char *base;           /* of both pools */
    struct pool pools[2]; /* by block.paged */
    void *blocks;         /* a tree (tsearch), by address; none is ever taken out */
    size_t npaged, most;
    bool zoned; /* some were, as there were more */
    struct {
        struct block *first, **end; /* the oldest one first */
        size_t n, bytes;
    } freed;
    pthread_mutex_t busy; /* threads of the program's own allocate, too */
};

/* Those that overlap are equal: a byte finds its block. */
static int compare_blocks(const void *a, const void *b)
{
    const struct block *x = a, *y = b;

    return x->high <= y->low ? -1 : x->low >= y->high;
}

static struct block *find_block(const struct guard *g, const void *p)
{
    char *at = (char *)(uintptr_t)p;
    const struct block key = { .low = at, .high = at + 1 };
    struct block *const *node = guard_holds(g, p) ? tfind(&key, &g->blocks, compare_blocks) : NULL;

    return node != NULL ? *node : NULL;
}

/* ---- mistakes ---------------------------------------------------------------------------- */

static struct guard_mistake describe(const struct block *b, const void *p, enum guard_kind kind)
{
    if (b == NULL)
        return (struct guard_mistake){ .kind = kind, .p = p };
    return (struct guard_mistake){ .kind = kind,
                                   .p = p,
                                   .known = true,
                                   .freed = b->freed,
                                   .offset = (const char *)p - b->p,
                                   .bytes = b->bytes,
                                   .allocated_at = b->allocated_at,
                                   .freed_at = b->freed_at };
}

static void report(struct guard *g, const struct block *b, const void *p, enum guard_kind kind,
                   const struct program_calls *at)
{
    struct guard_mistake m = describe(b, p, kind);

    if (at != NULL)
        m.at = *at;
    g->found(g->arg, &m);
}

/** The program's bytes there are to be `fill`, and are so afterwards. */
static void check_fill(struct guard *g, const struct block *b, char *from, const char *to, int fill,
                       const struct program_calls *at)
{
    size_t n = (size_t)(to - from);
    char *p = from;

    /* Each byte equals the next one. */
    if (n == 0 || (*p == (char)fill && memcmp(from, from + 1, n - 1) == 0))
        return;
    while (*p == (char)fill)
        p++;
    report(g, b, p, GUARD_WRITTEN, at);
    memset(from, fill, n);
}

/* ---- blocks -------------------------------------------------------------------------------- */

static char *round_down(const char *p, size_t align)
{
    /* NOLINTNEXTLINE(performance-no-int-to-ptr): an address is computed */
    return (char *)((uintptr_t)p & ~(uintptr_t)(align - 1));
}

/** The bytes that may be written. */
static char *first_byte(const struct block *b)
{
    return b->paged ? round_down(b->p, PAGE_BYTES) : b->low;
}
static char *end_byte(const struct block *b)
{
    return b->paged ? b->high - PAGE_BYTES : b->high;
}

static bool protect(char *from, const char *to, int protection)
{
    return from == to || mprotect(from, (size_t)(to - from), protection) == 0;
}

static struct block *take_block(struct guard *g, bool paged, size_t need)
{
    struct pool *pool = &g->pools[paged];
    size_t bytes;
    uint32_t cls = heap_class(need, &bytes);
    struct block *b = pool->free[cls];

    if (b != NULL) {
        pool->free[cls] = b->next;
        return b;
    }
    b = bytes <= POOL_BYTES - pool->used ? malloc(sizeof(*b)) : NULL;
    if (b == NULL)
        return NULL;
    *b =
        (struct block){ .low = pool->base + pool->used, .paged = paged, .freed = true, .cls = cls };
    b->high = b->low + bytes;
    b->p = b->low;
    if (tsearch(b, &g->blocks, compare_blocks) == NULL) {
        free(b);
        return NULL;
    }
    pool->used += bytes;
    return b;
}

static void put_block(struct guard *g, struct block *b)
{
    struct pool *pool = &g->pools[b->paged];

    b->next = pool->free[b->cls];
    pool->free[b->cls] = b;
}

static void check_block(struct guard *g, struct block *b, const struct program_calls *at)
{
    char *end = b->p + b->bytes;

    if (b->freed && b->paged)
        return;
    check_fill(g, b, first_byte(b), b->p, ZONE_FILL, at);
    check_fill(g, b, end, end_byte(b), ZONE_FILL, at);
    if (b->freed)
        check_fill(g, b, b->p, end, FREED_FILL, at);
}

static void reuse_oldest(struct guard *g)
{
    struct block *b = g->freed.first;

    g->freed.first = b->next;
    if (g->freed.first == NULL)
        g->freed.end = &g->freed.first;
    g->freed.n--;
    g->freed.bytes -= b->paged ? 0 : b->bytes;
    check_block(g, b, NULL);
    put_block(g, b);
}

static struct block *make_block(struct guard *g, bool paged, size_t need)
{
    struct block *b = take_block(g, paged, need);

    while (b == NULL && g->freed.first != NULL) {
        reuse_oldest(g);
        b = take_block(g, paged, need);
    }
    return b;
}

/** At the end of its pages, but for the alignment. */
static struct block *make_paged(struct guard *g, size_t bytes, size_t align)
{
    size_t room = (bytes + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);
    struct block *b = make_block(g, true, room + PAGE_BYTES + (align > PAGE_BYTES ? align : 0));

    if (b == NULL)
        return NULL;
    if (b->admitted) {
        (void)madvise(b->low, (size_t)(b->high - b->low), MADV_DONTNEED);
        (void)protect(b->low, b->high, PROT_NONE);
        b->admitted = false;
    }
    b->p = round_down(end_byte(b) - bytes, align);
    if (protect(first_byte(b), end_byte(b), PROT_READ | PROT_WRITE)) {
        g->npaged++;
        return b;
    }
    put_block(g, b); /* no mapping is left */
    return NULL;
}

static struct block *make_zoned(struct guard *g, size_t bytes, size_t align)
{
    struct block *b = make_block(g, false, align + bytes + 2 * (size_t)ZONE_BYTES);

    g->zoned = true;
    if (b != NULL)
        b->p = round_down(b->low + ZONE_BYTES + align - 1, align);
    return b;
}

static char *place_block(struct guard *g, void *twin, size_t bytes, size_t align,
                         const struct program_calls *at, bool *zeroed_p)
{
    struct block *b = NULL;

    align = align > ALIGN ? align : ALIGN;
    if (g->npaged < g->most)
        b = make_paged(g, bytes, align);
    if (b == NULL)
        b = make_zoned(g, bytes, align);
    if (b == NULL)
        return NULL;
    b->bytes = bytes;
    b->twin = twin;
    b->address = (uintptr_t)twin;
    b->freed = false;
    b->allocated_at = *at;
    memset(first_byte(b), ZONE_FILL, (size_t)(b->p - first_byte(b)));
    memset(b->p + bytes, ZONE_FILL, (size_t)(end_byte(b) - (b->p + bytes)));
    *zeroed_p = b->paged;
    return b->p;
}

/** Its twin is another block's, or was given back. */
static void retire_block(struct guard *g, struct block *b, const struct program_calls *at)
{
    check_block(g, b, at);
    b->twin = NULL;
    b->freed = true;
    b->freed_at = *at;
    if (b->paged) {
        (void)madvise(first_byte(b), (size_t)(end_byte(b) - first_byte(b)), MADV_DONTNEED);
        (void)protect(first_byte(b), end_byte(b), PROT_NONE);
        g->npaged--;
    } else {
        memset(b->p, FREED_FILL, b->bytes);
        g->freed.bytes += b->bytes;
    }
    b->next = NULL;
    *g->freed.end = b;
    g->freed.end = &b->next;
    g->freed.n++;
    while (g->freed.n > FREED_MAX || g->freed.bytes > FREED_BYTES)
        reuse_oldest(g);
}

static struct block *find_live(struct guard *g, const void *p, const struct program_calls *at)
{
    struct block *b = find_block(g, p);

    if (b != NULL && b->p == p && !b->freed)
        return b;
    report(g, b, p, GUARD_FREE, at);
    return NULL;
}

static char *alloc_block(struct guard *g, size_t bytes, size_t align,
                         const struct program_calls *at, bool *zeroed_p)
{
    void *twin = heap_alloc(g->heap, bytes, align, NULL);
    char *p = twin != NULL ? place_block(g, twin, bytes, align, at, zeroed_p) : NULL;

    if (p == NULL && twin != NULL)
        heap_free(g->heap, twin);
    return p;
}

static void free_block(struct guard *g, struct block *b, const struct program_calls *at)
{
    heap_free(g->heap, b->twin);
    retire_block(g, b, at);
}

/* The heap's block stays as that of realloc() would without the check. */
static char *realloc_block(struct guard *g, struct block *b, size_t bytes,
                           const struct program_calls *at)
{
    size_t room = heap_size(b->twin);
    bool stays = bytes <= room && bytes > room / 2, zeroed;
    char *p = stays ? place_block(g, b->twin, bytes, ALIGN, at, &zeroed)
                    : alloc_block(g, bytes, ALIGN, at, &zeroed);

    if (p == NULL)
        return NULL;
    memcpy(p, b->p, bytes < b->bytes ? bytes : b->bytes);
    if (stays)
        retire_block(g, b, at);
    else
        free_block(g, b, at);
    return p;
}

/* ---- what the rank asks for ------------------------------------------------------------------ */

void *guard_alloc(struct guard *g, size_t bytes, size_t align, const struct program_calls *at,
                  bool *zeroed_p)
{
    void *p;

    pthread_mutex_lock(&g->busy);
    p = alloc_block(g, bytes, align, at, zeroed_p);
    pthread_mutex_unlock(&g->busy);
    return p;
}

void *guard_realloc(struct guard *g, void *p, size_t bytes, const struct program_calls *at)
{
    struct block *b;
    void *more = NULL;

    pthread_mutex_lock(&g->busy);
    b = find_live(g, p, at);
    if (b != NULL)
        more = realloc_block(g, b, bytes, at);
    pthread_mutex_unlock(&g->busy);
    return more;
}

void guard_free(struct guard *g, void *p, const struct program_calls *at)
{
    struct block *b;

    pthread_mutex_lock(&g->busy);
    b = find_live(g, p, at);
    if (b != NULL)
        free_block(g, b, at);
    pthread_mutex_unlock(&g->busy);
}

size_t guard_size(struct guard *g, const void *p)
{
    const struct block *b;
    size_t bytes;

    pthread_mutex_lock(&g->busy);
    b = find_block(g, p);
    bytes = b != NULL ? b->bytes : 0;
    pthread_mutex_unlock(&g->busy);
    return bytes;
}

uint64_t guard_address(struct guard *g, const void *p)
{
    uint64_t address = (uintptr_t)p;
    const struct block *b;

    pthread_mutex_lock(&g->busy);
    b = find_block(g, p);
    if (b != NULL)
        address = b->address + (address - (uintptr_t)b->p);
    pthread_mutex_unlock(&g->busy);
    return address;
}

bool guard_explain(const struct guard *g, const void *p, struct guard_mistake *m_p)
{
    const struct block *b = find_block(g, p);

    if (b == NULL)
        return false;
    *m_p = describe(b, p, GUARD_ACCESS);
    return true;
}

void guard_admit(struct guard *g, const void *p)
{
    struct block *b = find_block(g, p);
    char *page = round_down(p, PAGE_BYTES);

    b->admitted = true;
    (void)protect(page, page + PAGE_BYTES, PROT_READ | PROT_WRITE);
}

/* ---- beginning and end ------------------------------------------------------------------------
 */

static void check_node(const void *node, VISIT when, void *arg)
{
    if (when == postorder || when == leaf)
        check_block(arg, *(struct block *const *)node, NULL);
}

bool guard_end(struct guard *g)
{
    pthread_mutex_lock(&g->busy);
    twalk_r(g->blocks, check_node, g);
    pthread_mutex_unlock(&g->busy);
    return g->zoned;
}

bool guard_holds(const struct guard *g, const void *p)
{
    return (uintptr_t)p - (uintptr_t)g->base < 2 * POOL_BYTES;
}

struct guard *guard_create(struct heap *heap, size_t most, guard_fn found, void *arg)
{
    struct guard *g = calloc(1, sizeof(*g));

    if (g == NULL)
        return NULL;
    g->base = heap_map(0, 2 * POOL_BYTES, PROT_NONE);
    if (g->base == NULL || !protect(g->base, g->base + POOL_BYTES, PROT_READ | PROT_WRITE)) {
        if (g->base != NULL)
            munmap(g->base, 2 * POOL_BYTES);
        free(g);
        return NULL;
    }
    g->pools[false].base = g->base;
    g->pools[true].base = g->base + POOL_BYTES;
    g->heap = heap;
    g->most = most;
    g->found = found;
    g->arg = arg;
    g->freed.end = &g->freed.first;
    (void)pthread_mutex_init(&g->busy, NULL);
    return g;
}

void guard_destroy(struct guard *g)
{
    if (g == NULL)
        return;
    tdestroy(g->blocks, free);
    munmap(g->base, 2 * POOL_BYTES);
    (void)pthread_mutex_destroy(&g->busy);
    free(g);
}

/* ---- in words ------------------------------------------------------------------------------ */

__attribute__((format(printf, 3, 4))) static void append(char *text, size_t room,
                                                         const char *format, ...)
{
    size_t n = strlen(text);
    va_list ap;

    va_start(ap, format);
    (void)vsnprintf(text + n, room - n, format, ap);
    va_end(ap);
}

static void append_place(char *text, size_t room, const char *what,
                         const struct program_calls *calls, const struct program *p)
{
    char place[200];

    program_calls_place(p, calls, place, sizeof(place));
    if (place[0] != '\0')
        append(text, room, "%s%s", what, place);
}

void guard_text(const struct guard_mistake *m, const struct program *p, char *text, size_t room)
{
    static const char *const kinds[] = {
        [GUARD_ACCESS] = "access to ", [GUARD_WRITTEN] = "a write to ", [GUARD_FREE] = "free of "
    };

    const char *state = m->freed ? "freed " : "";

    text[0] = '\0';
    append(text, room, "%s", m->outside ? "access by a device or a thread to " : kinds[m->kind]);
    if (!m->known)
        append(text, room, "%p, which is no block of malloc", m->p);
    else if (m->kind == GUARD_FREE && m->offset == 0)
        append(text, room, "a %sblock of %zu bytes", state, m->bytes);
    else
        append(text, room, "offset %" PRId64 " of a %sblock of %zu bytes", m->offset, state,
               m->bytes);
    if (m->kind == GUARD_WRITTEN)
        append(text, room, ", found%s", m->at.at[0] == 0 ? " later" : "");
    append_place(text, room, "", &m->at, p);
    append_place(text, room, "; allocated", &m->allocated_at, p);
    append_place(text, room, "; freed", &m->freed_at, p);
}
