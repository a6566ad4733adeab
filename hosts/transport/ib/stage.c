/*
 * GPU memory beyond the limit of GPUDirect: the copy engines move chunks to and from pinned host
 * memory, while the adapters move others between the hosts.
 *
 *   GPU --copy--> chunk --RDMA write--> chunk --copy--> GPU
 *
 * The receiver keeps chunks for a message from the time when it announces its address. An entry
 * announces each one that has come, and the receiver reports to the sender how many it has copied
 * on.
 */
#include <string.h>

#include "hosts/driver/driver.h"
#include "hosts/transport/ib/region.h"
#include "hosts/transport/ib/stage.h"

/** In the entry of a chunk. */
struct chunk {
    uint64_t device; /* offset in the GPU's memory */
    uint32_t bytes;
    uint16_t gpu;
    uint8_t slot;
    bool first; /* of its message */
};

static bool copy_ended(const struct ibt *ib, unsigned gpu, uint64_t number)
{
    return ib->copies[HOST_COPY_ENGINES * gpu + host_gpu_engine(number)] >= number;
}

static uint64_t slots_at(const struct ibt *ib)
{
    return (uint64_t)ib->set.chunks * ib->set.chunk_bytes;
}

bool ibt_stage_init(struct ibt *ib)
{
    struct host *h = ib->t.host;
    uint64_t bytes;

    if (h->gpus->number(h) == 0)
        return true;
    if (ib->set.chunks > IBT_SLOTS_MAX)
        ib->set.chunks = IBT_SLOTS_MAX;
    bytes = slots_at(ib) + IBT_SLOTS_MAX * (uint64_t)ib->set.chunk_bytes;
    ib->stage = h->memory->alloc(h, bytes, HOST_PAGE);
    return ib->stage != NULL &&
           verbs_register(&ib->v, ib->stage, bytes, IB_ACCESS_LOCAL | IB_ACCESS_WRITE,
                          &ib->stage_region);
}

static uint32_t slots_of(unsigned first, unsigned n)
{
    return ((1u << n) - 1) << first;
}

bool ibt_slots_take(struct ibt *ib, struct ibt_key *key)
{
    unsigned n = ib->set.chunks, first = 0;

    while (first + n <= IBT_SLOTS_MAX && (ib->slots_taken & slots_of(first, n)) != 0)
        first += n;
    if (first + n > IBT_SLOTS_MAX)
        return false;
    ib->slots_taken |= slots_of(first, n);
    key->first_slot = (uint8_t)first;
    key->nslots = (uint8_t)n;
    return true;
}

void ibt_slots_give(struct ibt *ib, const struct ibt_key *key)
{
    ib->slots_taken &= ~slots_of(key->first_slot, key->nslots);
}

/* ---- the sender -------------------------------------------------------------------------- */

bool ibt_stage_begin(struct ibt *ib, unsigned dest, const struct transport_write *w, bool local,
                     bool far, transport_ticket *ticket_p)
{
    const struct ibt_key key = ibt_key_of(w->key, w->at);
    struct ibt_staged *s = &ib->out;
    struct host_pointer where = ib->t.host->memory->pointer(ib->t.host, w->from);
    uint32_t chunk = ib->set.chunk_bytes;
    struct ibt_op *op;

    if (s->active || (far && key.nslots == 0))
        return false;
    op = ibt_op_new(ib);
    if (op == NULL)
        return false;
    *s = (struct ibt_staged){
        .active = true,
        .dest = dest,
        .gpu = where.gpu,
        .local = local,
        .far = far,
        .from = w->from,
        .bytes = w->bytes,
        .key = key,
        .nchunks = (uint32_t)((w->bytes + chunk - 1) / chunk),
        .op = op,
        .fifo = w->fifo,
        .note_bytes = w->note_bytes,
    };
    if (w->note_bytes > 0)
        memcpy(s->note, w->note, w->note_bytes);
    op->watched = w->watched;
    op->dest = dest;
    *ticket_p = op->ticket;
    if (local)
        ib->t.host->cpu->spend(ib->t.host, ib->set.stage_ps);
    (void)ibt_stage_run(ib);
    return true;
}

static uint64_t chunk_at(const struct ibt *ib, uint32_t i)
{
    return (uint64_t)i * ib->set.chunk_bytes;
}

static uint64_t chunk_size(const struct ibt *ib, const struct ibt_staged *s, uint32_t i)
{
    uint64_t left = s->bytes - chunk_at(ib, i);

    return left < ib->set.chunk_bytes ? left : ib->set.chunk_bytes;
}

/** The write out of a slot. */
static struct ibt_op *slot_op(struct ibt *ib, unsigned slot)
{
    return &ib->ops[IBT_OP_CHUNK + slot];
}

/** Copies of chunks out of the GPU, as far as there are free places. */
static void copy_out(struct ibt *ib, struct ibt_staged *s)
{
    struct host *h = ib->t.host;

    while (s->begun < s->nchunks && s->begun - s->sent < ib->set.copies_ahead &&
           slot_op(ib, s->begun % ib->set.chunks)->pending == 0) {
        uint32_t i = s->begun++, slot = i % ib->set.chunks;
        uint8_t *to = ib->stage + chunk_at(ib, slot);
        struct host_copy_end bus = { .device = false, .addr = h->memory->pointer(h, to).offset };
        struct host_copy_end device = {
            .device = true, .addr = h->memory->pointer(h, s->from).offset + chunk_at(ib, i)
        };

        host_spend_cost(h, HOST_COST_CUDA_COPY);
        s->copy[slot] = h->gpus->copy(h, s->gpu, bus, device, chunk_size(ib, s, i), 0);
    }
}

static bool send_chunk(struct ibt *ib, struct ibt_staged *s)
{
    uint32_t i = s->sent, slot = i % ib->set.chunks;
    uint64_t bytes = chunk_size(ib, s, i), at = chunk_at(ib, slot);
    struct ibt_peer *peer = &ib->peers[s->dest];
    const struct verbs_region *region = &ib->stage_region;
    struct chunk c = { s->key.device + chunk_at(ib, i), (uint32_t)bytes, (uint16_t)(s->key.gpu - 1),
                       0, i == 0 };
    const struct transport_entry e = { .fifo = IBT_FIFO_CHUNK,
                                       .head = &c,
                                       .head_bytes = sizeof(c) };
    uint64_t far_at = s->key.offset + chunk_at(ib, i);
    uint32_t far_key = s->key.key;

    if (s->local && !copy_ended(ib, s->gpu, s->copy[slot]))
        return false;
    /* Chunks are copied on in order, those of earlier messages first. */
    if (s->far && peer->chunks_sent - ib->words[IBT_SLOTS][s->dest] >= s->key.nslots)
        return false;
    if (!ibt_has_room(ib, s->dest, sizeof(c), 0))
        return false;
    if (s->local)
        driver_flush_gpu(ib->t.host, s->gpu); /* what it has sent has arrived */
    else
        region = ibt_region(ib, s->from + chunk_at(ib, i), bytes, &at);
    if (region == NULL)
        return false;
    if (s->far) {
        /* In turn over all messages: those that are still there are the last ones. */
        c.slot = (uint8_t)(s->key.first_slot + peer->chunks_sent % s->key.nslots);
        far_at = slots_at(ib) + chunk_at(ib, c.slot);
        far_key = peer->stage_key;
    }
    ibt_write_out(ib, s->dest, region, at, far_key, far_at, bytes, IBT_RAILS, slot_op(ib, slot));
    if (s->far) {
        (void)ibt_append_behind(ib, s->dest, &e);
        peer->chunks_sent++;
    }
    s->sent++;
    return true;
}

static bool all_out(struct ibt *ib)
{
    for (unsigned i = 0; i < ib->set.chunks; i++)
        if (slot_op(ib, i)->pending != 0)
            return false;
    return true;
}

/** @return whether it is over. */
static bool run_out(struct ibt *ib)
{
    struct ibt_staged *s = &ib->out;
    const struct transport_entry note = { .fifo = s->fifo,
                                          .head = s->note,
                                          .head_bytes = s->note_bytes };

    do {
        if (s->local)
            copy_out(ib, s);
        else
            s->begun = s->nchunks;
    } while (s->sent < s->begun && send_chunk(ib, s));
    if (s->sent < s->nchunks)
        return false;
    if (s->note_bytes != 0 && !ibt_append_behind(ib, s->dest, &note))
        return false;
    s->note_bytes = 0;
    if (!all_out(ib))
        return false;
    s->active = false;
    s->op->chunks = s->far ? ib->peers[s->dest].chunks_sent : 0;
    ibt_op_posted(ib, s->op);
    return true;
}

/* ---- the receiver ---------------------------------------------------------------------------- */

void ibt_chunk_came(struct ibt *ib, unsigned source, const uint8_t *head)
{
    struct ibt_peer *peer = &ib->peers[source];
    struct host *h = ib->t.host;
    struct chunk c;
    struct host_copy_end bus = { .device = false }, device = { .device = true };
    struct ibt_chunk_copy *copy = &peer->chunk[peer->chunks_in % IBT_SLOTS_MAX];

    memcpy(&c, head, sizeof(c));
    bus.addr = h->memory->pointer(h, ib->stage + slots_at(ib) + chunk_at(ib, c.slot)).offset;
    device.addr = c.device;
    peer->chunks_in++; /* before time passes */
    ib->coming++;
    copy->gpu = c.gpu;
    copy->number = UINT64_MAX; /* not begun */
    if (c.first)
        h->cpu->spend(h, ib->set.stage_ps);
    host_spend_cost(h, HOST_COST_CUDA_COPY);
    copy->number = h->gpus->copy(h, c.gpu, device, bus, c.bytes, 0);
}

static bool run_in(struct ibt *ib, unsigned source)
{
    struct ibt_peer *peer = &ib->peers[source];
    bool any = false;

    while (peer->chunks_out != peer->chunks_in) {
        const struct ibt_chunk_copy *copy = &peer->chunk[peer->chunks_out % IBT_SLOTS_MAX];

        if (!copy_ended(ib, copy->gpu, copy->number))
            break;
        peer->chunks_out++;
        ib->coming--;
        any = true;
    }
    if (any)
        ibt_report(ib, source, IBT_SLOTS, peer->chunks_out);
    return any;
}

bool ibt_stage_run(struct ibt *ib)
{
    bool any = false;

    if (ib->staging)
        return false; /* further up */
    ib->staging = true;
    for (unsigned r = 0; r < ib->nranks && ib->coming > 0; r++)
        any |= run_in(ib, r);
    if (ib->out.active)
        any |= run_out(ib);
    ib->staging = false;
    return any;
}
