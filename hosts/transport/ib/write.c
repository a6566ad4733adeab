/* Remote writes and reads of memory that the far side has exposed. */
#include <string.h>

#include "hosts/transport/ib/internal.h"

bool ibt_direct(const struct ibt *ib, uint64_t bytes)
{
    return ib->set.gdr && bytes <= ib->set.gdr_limit;
}

/** Tells the far side, behind what the second rail has written, that it has arrived. */
static void mark(struct ibt *ib, unsigned dest)
{
    struct ibt_peer *peer = &ib->peers[dest];
    uint64_t words = (ib->nranks * UINT64_C(8) + IBT_UNIT - 1) / IBT_UNIT * IBT_UNIT;
    struct verbs_send s = { .op = IB_WQE_WRITE,
                            .bytes = 8,
                            .far_offset = IBT_COPIES_BYTES + 2 * words + ib->me * UINT64_C(8),
                            .far_key = peer->inbox_key,
                            .data = &peer->marks_sent };

    peer->marks_sent++;
    ibt_post(ib, &peer->qp[1], &s, NULL);
}

void ibt_write_out(struct ibt *ib, unsigned dest, const struct verbs_region *region,
                   uint64_t offset, uint32_t far_key, uint64_t far_offset, uint64_t bytes,
                   unsigned rails, struct ibt_op *op)
{
    struct ibt_peer *peer = &ib->peers[dest];
    uint64_t half = rails < 2 || ib->set.rails < 2 || bytes < ib->set.stripe_bytes
                        ? bytes
                        : (bytes / 2 + IBT_UNIT - 1) / IBT_UNIT * IBT_UNIT;
    struct verbs_send s = { .op = IB_WQE_WRITE,
                            .bytes = (uint32_t)half,
                            .far_offset = far_offset,
                            .far_key = far_key,
                            .region = region,
                            .offset = offset };

    ibt_post(ib, &peer->qp[0], &s, op);
    if (half == bytes)
        return;
    s.bytes = (uint32_t)(bytes - half);
    s.far_offset += half;
    s.offset += half;
    ibt_post(ib, &peer->qp[1], &s, op);
    mark(ib, dest);
}

bool ibt_write(struct ibt *ib, unsigned dest, const struct ibt_key *key, uint64_t offset,
               const void *from, uint64_t bytes, const void *note, uint32_t note_bytes,
               transport_ticket *ticket_p)
{
    struct host_pointer where;
    bool here = !ibt_on_gpu(ib, from, &where) || ibt_direct(ib, bytes);
    bool there = key->gpu == 0 || (key->key != 0 && ibt_direct(ib, bytes));
    const struct verbs_region *region;
    unsigned rails;
    bool looped;
    struct ibt_op *op;
    uint64_t at;

    *ticket_p = 0;
    if (!ibt_has_room(ib, dest, note_bytes, 0))
        return false;
    if (bytes == 0)
        return note_bytes == 0 ||
               ibt_append(ib, dest, TRANSPORT_MESSAGE, note, note_bytes, NULL, 0);
    if (!here || !there)
        return ibt_stage_begin(ib, dest, key, offset, from, bytes, note, note_bytes, ticket_p);
    looped = where.kind == HOST_GPU && !ib->set.gpu_gather && bytes <= ib->fifo_bytes;
    if (looped)
        ibt_gpu_get(ib, ib->mirror + ib->scratch_at, from, bytes);
    at = ib->scratch_at;
    region = looped ? &ib->mirror_region : ibt_region(ib, from, bytes, &at);
    op = region != NULL ? ibt_op_new(ib) : NULL;
    if (op == NULL)
        return false;
    rails = where.kind == HOST_GPU || key->gpu != 0 ? ib->set.gdr_rails : IBT_RAILS;
    ibt_write_out(ib, dest, region, at, key->key, key->offset + offset, bytes, rails, op);
    *ticket_p = op->ticket;
    while (!ibt_has_room(ib, dest, note_bytes, 0)) /* there was before */
        ib->t.host->bus->wait_write(ib->t.host, ib->inbox, (uint32_t)ib->inbox_bytes);
    if (note_bytes > 0)
        (void)ibt_append(ib, dest, TRANSPORT_MESSAGE, note, note_bytes, NULL, 0);
    if (looped)
        ibt_wait_op(ib, op); /* before the scratch memory is used again */
    return true;
}

bool ibt_read(struct ibt *ib, unsigned source, const struct ibt_key *key, uint64_t offset, void *to,
              uint64_t bytes, transport_ticket *ticket_p)
{
    struct ibt_peer *peer = &ib->peers[source];
    const struct verbs_region *region;
    struct verbs_send s = { .op = IB_WQE_READ,
                            .bytes = (uint32_t)bytes,
                            .far_offset = key->offset + offset,
                            .far_key = key->key };
    struct ibt_op *op;

    *ticket_p = 0;
    if (bytes == 0)
        return true;
    region = ibt_region(ib, to, bytes, &s.offset);
    op = region != NULL ? ibt_op_new(ib) : NULL;
    if (op == NULL)
        return false;
    s.region = region;
    ibt_post(ib, &peer->qp[0], &s, op);
    *ticket_p = op->ticket;
    return true;
}
