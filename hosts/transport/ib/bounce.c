/*
 * Host memory of the program that is not registered, where the library keeps no registrations.
 * Short data go by buffers of the library, which cores copy to and from; of longer ones the memory
 * is registered for the one transfer.
 */
#include "hosts/transport/ib/region.h"

bool ibt_bounce_init(struct ibt *ib)
{
    const uint64_t bytes = (uint64_t)IBT_BOUNCE_SLOTS * IBT_BOUNCE_SLOT;

    if (ib->set.bounce_bytes == 0 || ib->set.keep_regions)
        return true;
    ib->bounce = ib->t.host->memory->alloc(ib->t.host, bytes, HOST_PAGE);
    return ib->bounce != NULL &&
           verbs_register(&ib->v, ib->bounce, bytes, IB_ACCESS_LOCAL | IB_ACCESS_WRITE,
                          &ib->bounce_region);
}

static bool is_host(struct ibt *ib, const void *p)
{
    return ib->t.host->memory->pointer(ib->t.host, p).kind != HOST_GPU;
}

const struct verbs_region *ibt_region_for(struct ibt *ib, struct ibt_op *op, const void *p,
                                          uint64_t bytes, uint64_t *offset_p)
{
    const uint32_t access = IB_ACCESS_LOCAL | IB_ACCESS_WRITE;
    const struct verbs_region *known;

    if (ib->set.keep_regions || !is_host(ib, p))
        return ibt_region(ib, p, bytes, offset_p);
    known = ibt_region_find(ib, p, bytes, offset_p);
    if (known != NULL)
        return known;
    *offset_p = 0;
    return verbs_register(&ib->v, p, bytes, access, &op->lent) ? &op->lent : NULL;
}

bool ibt_bounces(struct ibt *ib, const struct host_pointer *where, const void *p, uint64_t bytes)
{
    uint64_t at;

    return ib->bounce != NULL && bytes <= ib->set.bounce_bytes && where->kind != HOST_GPU &&
           ibt_region_find(ib, p, bytes, &at) == NULL;
}

/** Waits until what has used it is over. @return where it lies in the region. */
static uint64_t take_slot(struct ibt *ib, const struct ibt_op *op)
{
    unsigned slot = ib->bounce_next++ % IBT_BOUNCE_SLOTS;
    const struct ibt_op *last = &ib->ops[ib->bounced[slot] % IBT_OPS];

    if (last->ticket == ib->bounced[slot])
        ibt_wait_op(ib, last);
    ib->bounced[slot] = op->ticket;
    return (uint64_t)slot * IBT_BOUNCE_SLOT;
}

static uint32_t piece_of(uint64_t bytes, uint64_t done)
{
    return (uint32_t)(bytes - done < IBT_BOUNCE_SLOT ? bytes - done : IBT_BOUNCE_SLOT);
}

void ibt_bounce_out(struct ibt *ib, unsigned dest, const void *from, const struct ibt_key *key,
                    uint64_t bytes, struct ibt_op *op)
{
    for (uint64_t done = 0; done < bytes; done += IBT_BOUNCE_SLOT) {
        uint32_t n = piece_of(bytes, done);
        uint64_t at = take_slot(ib, op);

        struct verbs_send s = { .op = IB_WQE_WRITE,
                                .bytes = n,
                                .far_offset = key->offset + done,
                                .far_key = key->key,
                                .region = &ib->bounce_region,
                                .offset = at };

        transport_copy(&ib->t, ib->bounce + at, (const uint8_t *)from + done, n);
        ib->peers[dest].bare = true;
        ibt_post(ib, &ib->peers[dest].qp[0], &s, op);
    }
}

/* The slots of one transfer lie in a row, so that one copy brings all of it. */
void ibt_bounce_in(struct ibt *ib, unsigned source, void *to, const struct ibt_key *key,
                   uint64_t bytes, struct ibt_op *op)
{
    unsigned slots = (unsigned)((bytes + IBT_BOUNCE_SLOT - 1) / IBT_BOUNCE_SLOT);
    struct verbs_send s = { .op = IB_WQE_READ,
                            .bytes = (uint32_t)bytes,
                            .far_offset = key->offset,
                            .far_key = key->key,
                            .region = &ib->bounce_region };

    while (ib->bounce_next % IBT_BOUNCE_SLOTS + slots > IBT_BOUNCE_SLOTS)
        ib->bounce_next++;
    s.offset = take_slot(ib, op);
    for (unsigned i = 1; i < slots; i++)
        (void)take_slot(ib, op);
    op->to = to;
    op->from = ib->bounce + s.offset;
    op->bytes = s.bytes;
    ibt_post(ib, &ib->peers[source].qp[0], &s, op);
}
