/*
 * Payload buffers by size class, each class a stack of free buffers that grows by
 * slabs. A buffer goes back to the top, so a busy pool works on few, warm cache
 * lines; and taking one waits for nothing that lies in the buffer.
 */
#include "memory/payload.h"

#include "core/list.h"

#define MIN_SHIFT 6 /* the smallest class holds 64 bytes, most status and PIO writes */
#define CLASSES   7 /* 64 << 6 = 4096, the largest payload of PCI Express */

/* One allocation feeds many buffers; small enough that an idle component costs little. */
#define SLAB_BYTES 16384

struct mem_class {
    struct mem_payload **free; /* stack, with room for all buffers: the last one used is warm */
    uint32_t nfree;
    uint32_t nbuffers;
    uint32_t buffer_bytes; /* of one buffer with its header */
    uint32_t data_bytes;
    struct sim_list slabs;
};

struct mem_slab {
    struct sim_link link;
    alignas(SIM_CACHE_LINE) uint8_t buffers[];
};

struct mem_pool {
    struct mem_class classes[CLASSES];
};

struct mem_pool *mem_pool_create(void)
{
    struct mem_pool *pool = sim_calloc(sizeof(*pool));

    if (pool == NULL)
        return NULL;
    for (unsigned i = 0; i < CLASSES; i++) {
        struct mem_class *c = &pool->classes[i];

        c->data_bytes = 1u << (MIN_SHIFT + i);
        c->buffer_bytes = (uint32_t)(sizeof(struct mem_payload) + c->data_bytes);
    }
    return pool;
}

void mem_pool_destroy(struct mem_pool *pool)
{
    if (pool == NULL)
        return;
    for (unsigned i = 0; i < CLASSES; i++) {
        sim_list_free(&pool->classes[i].slabs);
        free(pool->classes[i].free);
    }
    free(pool);
}

uint64_t mem_pool_in_use(const struct mem_pool *pool)
{
    uint64_t n = 0;

    for (unsigned i = 0; i < CLASSES; i++)
        n += pool->classes[i].nbuffers - pool->classes[i].nfree;
    return n;
}

static __attribute__((noinline)) bool class_grow(struct mem_class *c)
{
    uint32_t n = c->buffer_bytes < SLAB_BYTES / 4 ? SLAB_BYTES / c->buffer_bytes : 4;
    struct mem_payload **free_p =
        realloc(c->free, (c->nbuffers + n) * sizeof(struct mem_payload *));
    struct mem_slab *slab = sim_calloc(sizeof(*slab) + (size_t)n * c->buffer_bytes);

    if (free_p != NULL)
        c->free = free_p;
    if (slab == NULL || free_p == NULL) {
        free(slab);
        return false;
    }
    sim_list_push(&c->slabs, &slab->link);
    for (uint32_t i = n; i-- > 0;) {
        struct mem_payload *p = (void *)(slab->buffers + (size_t)i * c->buffer_bytes);

        p->home = c;
        c->free[c->nfree++] = p;
    }
    c->nbuffers += n;
    return true;
}

/** The class whose buffers are the smallest that hold `bytes`. */
static unsigned class_of(uint32_t bytes)
{
    uint32_t rest = (bytes - 1) >> MIN_SHIFT;

    return rest == 0 ? 0 : 32 - (unsigned)__builtin_clz(rest);
}

struct mem_payload *mem_payload_alloc(struct mem_pool *pool, uint32_t bytes)
{
    struct mem_class *c;
    struct mem_payload *p;

    SIM_ASSERT(bytes >= 1 && bytes <= 1u << (MIN_SHIFT + CLASSES - 1));
    c = &pool->classes[class_of(bytes)];
    if (c->nfree == 0 && !class_grow(c))
        return NULL;
    p = c->free[--c->nfree];
    p->bytes = bytes;
    p->late = false;
    return p;
}

void mem_payload_free(struct mem_payload *p)
{
    if (p == NULL)
        return;
    SIM_ASSERT(p->bytes != 0);
    p->bytes = 0;
    p->home->free[p->home->nfree++] = p;
}
