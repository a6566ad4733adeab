/* Regions and FIFOs of tasks. */
#include "hosts/mbcf/internal.h"

#include <string.h>

#define ENTRY_HEAD 8u /* length, and room to keep data aligned */

uint64_t mbcf_entry_bytes(uint64_t bytes)
{
    return ENTRY_HEAD + (bytes + 7) / 8 * 8;
}

struct mbcf_task *mbcf_find(const struct mbcf_node *node, unsigned task)
{
    for (struct mbcf_task *t = node->tasks; t != NULL; t = t->next)
        if (t->host->rank == task)
            return t;
    return NULL;
}

/** Bytes that are lost at the end of the ring, since an entry lies in one piece. */
static uint64_t gap_before(const struct mbcf_fifo *fifo, uint64_t need)
{
    uint64_t at = fifo->tail % fifo->room;

    return at + need > fifo->room ? fifo->room - at : 0;
}

/** With what is lost before it. */
static uint64_t bytes_with_gap(const struct mbcf_fifo *fifo, uint64_t bytes)
{
    return gap_before(fifo, mbcf_entry_bytes(bytes)) + mbcf_entry_bytes(bytes);
}

static bool has_room(const struct mbcf_fifo *fifo, uint64_t bytes)
{
    return fifo->tail - fifo->head + bytes_with_gap(fifo, bytes) <= fifo->room;
}

bool mbcf_fits(const struct mbcf_task *t, const struct mbcf_header *hdr)
{
    if (hdr->op == MBCF_OP_WRITE) {
        const struct mbcf_region *r = &t->regions[hdr->object % MBCF_REGIONS];

        return hdr->object < MBCF_REGIONS && r->p != NULL && hdr->offset <= r->bytes &&
               hdr->bytes <= r->bytes - hdr->offset;
    }
    return hdr->object < MBCF_FIFOS && t->fifos[hdr->object].ring != NULL &&
           has_room(&t->fifos[hdr->object], hdr->bytes);
}

bool mbcf_fifo_reserve(struct mbcf_fifo *far, uint32_t bytes)
{
    if (!has_room(far, bytes))
        return false;
    far->tail += bytes_with_gap(far, bytes);
    return true;
}

static void append_entry(struct mbcf_fifo *fifo, const uint8_t *data, uint32_t bytes)
{
    uint64_t need = mbcf_entry_bytes(bytes), gap = gap_before(fifo, need);
    const uint32_t skip = UINT32_MAX;
    uint8_t *at;

    if (gap != 0)
        memcpy(fifo->ring + fifo->tail % fifo->room, &skip, sizeof(skip));
    fifo->tail += gap;
    at = fifo->ring + fifo->tail % fifo->room;
    memcpy(at, &bytes, sizeof(bytes));
    memcpy(at + ENTRY_HEAD, data, bytes);
    fifo->tail += need;
    fifo->entries++;
}

void mbcf_put(struct mbcf_task *t, const struct mbcf_header *hdr, const uint8_t *data)
{
    if (hdr->op == MBCF_OP_APPEND)
        append_entry(&t->fifos[hdr->object], data, hdr->bytes);
    else if (hdr->bytes != 0)
        memcpy(t->regions[hdr->object].p + hdr->offset, data, hdr->bytes);
}

/* Rings are small, and stay in the cache from their second round on. What a program works on
 * between two rounds is not known here, and might drive them out. */
bool mbcf_place_is_cached(const struct mbcf_task *t, const struct mbcf_header *hdr)
{
    return t->node->costs.reread != 0 && hdr->op == MBCF_OP_APPEND &&
           t->fifos[hdr->object].tail >= t->fifos[hdr->object].room;
}

/* The packet came by DMA, so it is not in the cache. A FIFO costs a second copy, word by word,
 * since each may be the last one before the ring begins again. */
uint64_t mbcf_put_ps(const struct mbcf_costs *costs, const struct mbcf_header *hdr, bool cached)
{
    uint64_t lines = mbcf_lines(MBCF_SKEW + MBCF_HEAD, hdr->bytes);
    uint64_t ps;

    if (!cached)
        lines += mbcf_lines(0, hdr->bytes);
    ps = mbcf_copy_ps(costs, hdr->bytes, lines);
    if (hdr->op == MBCF_OP_APPEND)
        ps += costs->ring + costs->ring_kb * hdr->bytes / 1024;
    return ps;
}

/** Over what was lost at the end of the ring. */
static uint64_t first_of(const struct mbcf_fifo *fifo)
{
    uint32_t bytes;
    uint64_t at = fifo->head % fifo->room;

    memcpy(&bytes, fifo->ring + at, sizeof(bytes));
    return bytes == UINT32_MAX ? 0 : at;
}

const uint8_t *mbcf_oldest(const struct mbcf_fifo *fifo, uint32_t *bytes_p)
{
    uint64_t at;

    if (fifo->entries == 0)
        return NULL;
    at = first_of(fifo);
    memcpy(bytes_p, fifo->ring + at, sizeof(*bytes_p));
    return fifo->ring + at + ENTRY_HEAD;
}

void mbcf_drop(struct mbcf_fifo *fifo)
{
    uint64_t at = first_of(fifo), was = fifo->head % fifo->room;
    uint32_t bytes;

    if (at != was)
        fifo->head += fifo->room - was;
    memcpy(&bytes, fifo->ring + at, sizeof(bytes));
    fifo->head += mbcf_entry_bytes(bytes);
    fifo->entries--;
}

uint64_t mbcf_take_ps(const struct mbcf_costs *costs, uint64_t bytes)
{
    return costs->trap_in + costs->ring + mbcf_copy_ps(costs, bytes, 0) +
           costs->reread * mbcf_lines(0, bytes) + costs->trap_out;
}
