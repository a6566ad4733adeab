#include "node/packet.h"

#include <stdlib.h>
#include <string.h>

#define SLAB_PACKETS 64

struct node_packet_slab {
    struct sim_link link;
    struct node_packet packets[SLAB_PACKETS];
};

static void pool_grow(struct node_packet_pool *pool)
{
    struct node_packet_slab *slab = malloc(sizeof(*slab));

    SIM_ASSERT(slab != NULL);
    sim_list_push(&pool->slabs, &slab->link);
    for (unsigned i = SLAB_PACKETS; i-- > 0;)
        node_packet_put(pool, &slab->packets[i]);
}

struct node_packet *node_packet_get(struct node_packet_pool *pool, const struct pcie_tlp *tlp,
                                    sim_time_t now)
{
    struct node_packet *p;

    if (pool->free.head == NULL)
        pool_grow(pool);
    p = sim_list_pop(&pool->free);
    *p = (struct node_packet){ .tlp = *tlp, .due = now, .arrived = now };
    return p;
}

/** Do the enables leave no gap between the first and the last enabled byte? One is enabled. */
static bool enables_contiguous(const struct pcie_tlp *tlp)
{
    unsigned enabled = tlp->first_be | (unsigned)tlp->last_be << 4;
    unsigned above = enabled + (enabled & -enabled); /* one bit, where all were in a row */

    return (above & (above - 1)) == 0;
}

static void write_gaps(struct mem_ram *ram, uint64_t addr, const struct pcie_tlp *tlp,
                       uint64_t skip, uint32_t n)
{
    uint8_t enables[PCIE_MAX_PAYLOAD];
    uint32_t bytes = tlp->length_dw * 4u;

    memset(enables, 1, bytes);
    for (unsigned i = 0; i < 4; i++)
        enables[i] = (tlp->first_be >> i) & 1;
    if (tlp->length_dw > 1) {
        for (unsigned i = 0; i < 4; i++)
            enables[bytes - 4 + i] = (tlp->last_be >> i) & 1;
    }
    mem_ram_write(ram, addr + skip, tlp->payload->data + skip, n, enables + skip);
}

void node_write_bytes(struct mem_ram *ram, uint64_t addr, const struct pcie_tlp *tlp)
{
    uint64_t first, skip;
    uint32_t n = pcie_tlp_range(tlp, &first);

    if (n == 0 || tlp->first_be == 0)
        return; /* no byte enabled: a flush, not a write (2.2.5) */
    skip = first - tlp->addr;
    if (enables_contiguous(tlp))
        mem_ram_write(ram, addr + skip, tlp->payload->data + skip, n, NULL);
    else
        write_gaps(ram, addr, tlp, skip, n);
}

struct pcie_tlp node_next_completion(struct node_packet *p, uint32_t piece, struct mem_pool *pool,
                                     const uint8_t *from)
{
    struct pcie_tlp cpl = pcie_tlp_answer(&p->tlp, PCIE_CPL_SC);
    uint32_t n = pcie_split_completion(p->addr, p->left, piece);
    uint32_t skip = (uint32_t)(p->addr & 3);

    cpl.kind = PCIE_CPLD;
    cpl.byte_count = (uint16_t)p->left;
    cpl.lower_addr = (uint8_t)(p->addr & 0x7f);
    cpl.length_dw = (uint16_t)((skip + n + 3) / 4);
    cpl.payload = pcie_payload(pool, skip, from, n);
    p->addr += n;
    p->left -= n;
    return cpl;
}
