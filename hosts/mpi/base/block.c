/*
 * Memory of the library that messages lie in: whole pages, which a rank uses again in an order of
 * its own. What an adapter pins of it, what it has pinned before, and how long that takes is then
 * the same in each run and build; malloc() hands out other pages in each.
 */
#define _DEFAULT_SOURCE /* madvise */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "hosts/mpi/base/rank.h"

#define LEAST_LOG2 12u /* a page */
#define LARGE_LOG2 20u /* from here on the pages of free ones go back to the system, but for */
#define KEPT_BYTES ((uint64_t)16 << 20) /* so much of a rank's: new pages cost more than a copy */

struct mpi_block {
    struct mpi_block *next, *next_all; /* next: free one of its size */
    struct mpi_pool *pool;
    unsigned log2;
    bool kept; /* a large one that is free and has its pages */
    uint8_t *pages;
};

/** At the begin of the first page. */
union head {
    struct mpi_block *block;
    _Alignas(64) uint8_t room[64];
};

static unsigned log2_of(uint64_t bytes)
{
    unsigned log2 = LEAST_LOG2;

    while (bytes > UINT64_C(1) << log2)
        log2++;
    return log2;
}

/* Large blocks get new pages at the next access, so they are not touched here. */
static void clear_block(struct mpi_block *b)
{
    size_t bytes = (size_t)1 << b->log2;

    if (b->log2 < LARGE_LOG2 || madvise(b->pages, bytes, MADV_DONTNEED) != 0)
        memset(b->pages, 0, bytes);
}

static void keep_or_clear(struct mpi_block *b)
{
    uint64_t bytes = UINT64_C(1) << b->log2;

    b->kept = b->pool->kept + bytes <= KEPT_BYTES;
    if (b->kept)
        b->pool->kept += bytes;
    else
        clear_block(b);
}

static struct mpi_block *make_block(struct mpi_rank *mr, unsigned log2)
{
    struct mpi_pool *pool = &mr->pool;
    struct mpi_block *b = mpi_need(mr, malloc(sizeof(*b)));

    *b = (struct mpi_block){ .next_all = pool->all, .pool = pool, .log2 = log2 };
    pool->all = b;
    b->pages = mpi_need(mr, aligned_alloc(HOST_PAGE, (size_t)1 << log2));
    clear_block(b); /* gaps in what is sent have no other bytes in another run */
    return b;
}

void *mpi_block_new(struct mpi_rank *mr, uint64_t bytes)
{
    struct mpi_pool *pool = &mr->pool;
    unsigned log2 = log2_of(bytes + sizeof(union head));
    struct mpi_block *b = pool->free[log2 - LEAST_LOG2];

    if (b != NULL)
        pool->free[log2 - LEAST_LOG2] = b->next;
    else
        b = make_block(mr, log2);
    if (b->kept)
        pool->kept -= UINT64_C(1) << log2;
    b->kept = false;
    ((union head *)(void *)b->pages)->block = b;
    return b->pages + sizeof(union head);
}

void *mpi_block_zero(struct mpi_rank *mr, uint64_t bytes)
{
    return memset(mpi_block_new(mr, bytes), 0, bytes);
}

void mpi_block_free(void *bytes)
{
    struct mpi_block *b;

    if (bytes == NULL)
        return;
    b = ((union head *)bytes - 1)->block;
    if (b->log2 >= LARGE_LOG2)
        keep_or_clear(b);
    b->next = b->pool->free[b->log2 - LEAST_LOG2];
    b->pool->free[b->log2 - LEAST_LOG2] = b;
}

void mpi_pool_release(struct mpi_rank *mr)
{
    struct mpi_block *b = mr->pool.all;

    while (b != NULL) {
        struct mpi_block *next = b->next_all;

        free(b->pages);
        free(b);
        b = next;
    }
}

void mpi_spend_copy(struct mpi_rank *mr, uint64_t bytes)
{
    uint64_t kb_ps = mr->transport->caps.copy_kb_ps;

    if (kb_ps != 0 && bytes != 0)
        mr->host->cpu->spend(mr->host, kb_ps * bytes / 1024);
}

void mpi_copy(struct mpi_rank *mr, void *to, const void *from, uint64_t bytes)
{
    struct transport *t = mr->transport;

    if (bytes == 0)
        return;
    if (t->ops->copy != NULL) {
        t->ops->copy(t, to, from, bytes);
        return;
    }
    memcpy(to, from, bytes);
    mpi_spend_copy(mr, bytes);
}
