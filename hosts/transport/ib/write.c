/* Remote writes and reads of memory that the far side has exposed. */

#include "hosts/transport/ib/region.h"
#include "hosts/transport/ib/stage.h"

bool ibt_direct_out(const struct ibt *ib, uint64_t bytes)
{
    return ib->set.gdr && bytes <= ib->set.gdr_limit;
}

bool ibt_direct_in(const struct ibt *ib, uint64_t bytes)
{
    return ib->set.gdr && bytes <= ib->set.gdr_receive_limit;
}

void ibt_write_out(struct ibt *ib, unsigned dest, const struct verbs_region *region,
                   uint64_t offset, uint32_t far_key, uint64_t far_offset, uint64_t bytes,
                   unsigned rails, struct ibt_op *op)
{
    struct ibt_peer *peer = &ib->peers[dest];
    bool whole =
        rails < 2 || ib->set.rails < 2 || bytes <= IBT_UNIT || bytes < ib->set.stripe_bytes;
    uint64_t half = whole ? bytes : ibt_round_up(bytes / 2, IBT_UNIT);
    struct verbs_send s = { .op = IB_WQE_WRITE,
                            .bytes = (uint32_t)half,
                            .far_offset = far_offset,
                            .far_key = far_key,
                            .region = region,
                            .offset = offset };

    peer->bare = true;
    ibt_post(ib, &peer->qp[0], &s, op);
    if (half == bytes)
        return;
    s.bytes = (uint32_t)(bytes - half);
    s.far_offset += half;
    s.offset += half;
    ibt_post(ib, &peer->qp[1], &s, op);
    ibt_report(ib, dest, IBT_MARKS, ++peer->marks_sent); /* behind what this rail has written */
}

/* A request for each block, since one has no strides. */
bool ibt_lays_out(struct transport *t, unsigned dest, const struct transport_write *w)
{
    struct ibt *ib = ibt_of(t);
    const struct ibt_key key = ibt_key_of(w->key, w->at);
    struct host_pointer where;

    (void)dest;
    return w->strides->from_step > 0 && key.key != 0 &&
           (!ibt_on_gpu(ib, w->from, &where) || ibt_direct_out(ib, w->bytes));
}

static bool write_blocks(struct ibt *ib, unsigned dest, const struct transport_write *w,
                         transport_ticket *ticket_p)
{
    const struct transport_strides *s = w->strides;
    const struct ibt_key key = ibt_key_of(w->key, w->at);
    const struct transport_entry note = { .fifo = w->fifo,
                                          .head = w->note,
                                          .head_bytes = w->note_bytes };
    uint64_t at = 0, span = (s->nblocks - 1) * (uint64_t)s->from_step + s->block;
    struct ibt_op *op = ibt_op_new(ib);
    const struct verbs_region *region =
        op != NULL ? ibt_region_for(ib, op, w->from, span, &at) : NULL;

    if (op != NULL && region == NULL)
        ibt_op_posted(ib, op);
    if (region == NULL)
        return false;
    for (uint32_t i = 0; i < s->nblocks; i++)
        ibt_write_out(ib, dest, region, at + (uint64_t)i * (uint64_t)s->from_step, key.key,
                      key.offset + (uint64_t)((int64_t)i * s->to_step), s->block, 1, op);
    ibt_op_posted(ib, op);
    *ticket_p = op->ticket;
    while (w->note_bytes > 0 && !ibt_append_behind(ib, dest, &note)) /* there was room before */
        ib->t.host->bus->wait_write(ib->t.host, ib->inbox, (uint32_t)ib->inbox_bytes);
    return true;
}

static bool loops(const struct ibt *ib, const struct host_pointer *where, uint64_t bytes)
{
    return where->kind == HOST_GPU && ibt_gpu_loops(ib, where->gpu, bytes) &&
           bytes <= ib->fifo_bytes;
}

static bool write_run(struct ibt *ib, unsigned dest, const struct transport_write *w,
                      const struct host_pointer *where, struct ibt_op *op)
{
    const struct ibt_key key = ibt_key_of(w->key, w->at);
    const struct verbs_region *region = &ib->mirror_region;
    unsigned rails = where->kind == HOST_GPU || key.gpu != 0 ? ib->set.gdr_rails : IBT_RAILS;
    uint64_t at = ib->scratch_at;

    if (ibt_bounces(ib, where, w->from, w->bytes)) {
        ibt_bounce_out(ib, dest, w->from, &key, w->bytes, op);
        return true;
    }
    if (loops(ib, where, w->bytes))
        ibt_gpu_get(ib, ib->mirror + at, w->from, w->bytes);
    else
        region = ibt_region_for(ib, op, w->from, w->bytes, &at);
    if (region == NULL)
        return false;
    ibt_write_out(ib, dest, region, at, key.key, key.offset, w->bytes, rails, op);
    return true;
}

bool ibt_write(struct transport *t, unsigned dest, const struct transport_write *w,
               transport_ticket *ticket_p)
{
    struct ibt *ib = ibt_of(t);
    const struct ibt_key key = ibt_key_of(w->key, w->at);
    const struct transport_entry note = { .fifo = w->fifo,
                                          .head = w->note,
                                          .head_bytes = w->note_bytes };
    struct host_pointer where;
    bool here = !ibt_on_gpu(ib, w->from, &where) || ibt_direct_out(ib, w->bytes);
    bool there = key.gpu == 0 || (key.key != 0 && ibt_direct_in(ib, w->bytes));
    bool noted = w->note_bytes > 0, out;
    struct ibt_op *op;

    if (ibt_stage_holds(ib, dest) || (noted && !ibt_has_room(ib, dest, w->note_bytes, 0)))
        return false;
    if (w->bytes == 0)
        return !noted || ibt_append(t, dest, &note);
    if (w->strides != NULL)
        return write_blocks(ib, dest, w, ticket_p);
    if (!here || !there)
        return ibt_stage_begin(ib, dest, w, !here, !there, ticket_p);
    op = ibt_op_new(ib);
    if (op == NULL)
        return false;
    out = write_run(ib, dest, w, &where, op);
    ibt_op_posted(ib, op);
    if (!out)
        return false;
    *ticket_p = op->ticket;
    while (noted && !ibt_append_behind(ib, dest, &note)) /* there was room before */
        t->host->bus->wait_write(t->host, ib->inbox, (uint32_t)ib->inbox_bytes);
    if (loops(ib, &where, w->bytes))
        ibt_wait_op(ib, op); /* before the scratch memory is used again */
    return true;
}

bool ibt_read(struct transport *t, unsigned source, const struct transport_key *key_p, uint64_t at,
              void *to, uint64_t bytes, transport_ticket *ticket_p)
{
    struct ibt *ib = ibt_of(t);
    const struct ibt_key key = ibt_key_of(key_p, at);
    struct verbs_send s = {
        .op = IB_WQE_READ, .bytes = (uint32_t)bytes, .far_offset = key.offset, .far_key = key.key
    };
    struct host_pointer where;
    struct ibt_op *op;

    *ticket_p = 0;
    if (bytes == 0)
        return true;
    op = ibt_op_new(ib);
    if (op == NULL)
        return false;
    where = ib->t.host->memory->pointer(ib->t.host, to);
    if (ibt_bounces(ib, &where, to, bytes)) {
        ibt_bounce_in(ib, source, to, &key, bytes, op);
    } else {
        s.region = ibt_region_for(ib, op, to, bytes, &s.offset);
        if (s.region != NULL)
            ibt_post(ib, &ib->peers[source].qp[0], &s, op);
    }
    *ticket_p = op->pending > 1 ? op->ticket : 0;
    ibt_op_posted(ib, op);
    return *ticket_p != 0;
}
