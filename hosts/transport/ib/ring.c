/* Entries: see internal.h. Counts of bytes go on for ever; a place in a ring is one modulo its
 * size, and an entry that reaches over the end lies in the room behind it. */
#include <string.h>

#include "hosts/transport/ib/region.h"
#include "hosts/transport/ib/stage.h"

/* The first and the last word of an entry. Marks of it and of what has arrived are compared modulo
 * their range. Writes without entries may go on for as long as the receiver does not look: half of
 * the range is 2^29 of them, or 8 TiB by the rail that is counted at the default of stripe_bytes.
 */
#define VALID       (UINT64_C(1) << 63)
#define MARKS_SHIFT 33u /* writes by the second rail before this entry */
#define MARKS_MASK  0x3fffffffu
#define APART       (UINT64_C(1) << 32) /* the data begin behind the last word */
#define FIFO_SHIFT  28u
#define FIFO_MASK   0xfu
#define HEAD_SHIFT  20u /* bytes of the header, */
#define HEAD_MASK   0xffu
#define BYTES_MASK  0xfffffu /* and of the data */
_Static_assert(TRANSPORT_HEAD_BYTES <= HEAD_MASK && IBT_RING_MAX <= BYTES_MASK &&
                   IBT_FIFO_CHUNK <= FIFO_MASK,
               "an entry's parts fit in its word");

static uint64_t first_word(const struct ibt_peer *peer, const struct transport_entry *e, bool apart)
{
    return VALID | (apart ? APART : 0) | (peer->marks_sent & MARKS_MASK) << MARKS_SHIFT |
           (uint64_t)e->fifo << FIFO_SHIFT | (uint64_t)e->head_bytes << HEAD_SHIFT | e->bytes;
}

/** Bytes up to the last word and with it. */
static uint32_t block_bytes(uint32_t head_bytes, uint32_t bytes)
{
    return 8 + ibt_round_up(head_bytes + bytes, 8) + 8;
}

static uint32_t entry_bytes(uint32_t head_bytes, uint32_t bytes, bool apart)
{
    if (!apart)
        return ibt_round_up(block_bytes(head_bytes, bytes), IBT_UNIT);
    return ibt_round_up(block_bytes(head_bytes, 0), IBT_UNIT) + ibt_round_up(bytes, IBT_UNIT);
}

uint32_t ibt_longest_entry(uint32_t fifo_bytes)
{
    return entry_bytes(TRANSPORT_HEAD_BYTES, fifo_bytes - TRANSPORT_HEAD_BYTES, true) + IBT_UNIT;
}

/** What the far side has given back since this was looked at is news for messages that wait. */
static void take_credits(struct ibt *ib, unsigned rank)
{
    struct ibt_peer *peer = &ib->peers[rank];

    ib->room_made |= ib->words[IBT_CREDITS][rank] != peer->freed;
    peer->freed = ib->words[IBT_CREDITS][rank];
}

bool ibt_has_room(struct ibt *ib, unsigned dest, uint32_t head_bytes, uint32_t bytes)
{
    struct ibt_peer *peer = &ib->peers[dest];
    uint32_t most = entry_bytes(head_bytes, bytes, true) + IBT_UNIT;

    take_credits(ib, dest);
    return peer->sent + most - peer->freed <= ib->ring_bytes;
}

/** An entry whose data, `bytes` of them, stand in the block. */
static void build_block(uint8_t *to, uint64_t word, const struct transport_entry *e, uint32_t bytes)
{
    uint32_t n = block_bytes(e->head_bytes, bytes);
    uint8_t *data = to + 8 + e->head_bytes;

    memcpy(to, &word, 8);
    memcpy(to + 8, e->head, e->head_bytes);
    if (bytes > 0 && e->data != data) /* else they are there */
        memcpy(data, e->data, bytes);
    memset(data + bytes, 0, n - 16 - e->head_bytes - bytes);
    memcpy(to + n - 8, &word, 8);
}

/** Writes `n` bytes at `at` of the far ring: those at `data`, or of the mirror. */
static void send_block(struct ibt *ib, unsigned dest, unsigned rail, uint64_t at, uint32_t n,
                       const void *data)
{
    struct ibt_peer *peer = &ib->peers[dest];
    struct verbs_send s = { .op = IB_WQE_WRITE,
                            .bytes = n,
                            .far_offset = peer->ring_there + at,
                            .far_key = peer->inbox_key,
                            .immediate = ib->set.rings,
                            .data = data };

    if (data == NULL) {
        s.region = &ib->mirror_region;
        s.offset = (uint64_t)dest * ib->ring_room + at;
    }
    ibt_post(ib, &peer->qp[rail], &s, NULL);
}

/** Data of a GPU that the adapter reads itself: behind the block, and before it. */
static bool append_apart(struct ibt *ib, unsigned dest, const struct transport_entry *e)
{
    struct ibt_peer *peer = &ib->peers[dest];
    uint32_t block = block_bytes(e->head_bytes, 0);
    uint64_t at = peer->sent % ib->ring_bytes, offset;
    const struct verbs_region *region = ibt_region(ib, e->data, e->bytes, &offset);
    uint8_t built[16 + TRANSPORT_HEAD_BYTES + 8];
    uint64_t far_at = peer->ring_there + at + ibt_round_up(block, IBT_UNIT);
    struct ibt_op *read = &ib->ops[IBT_OP_OWN];

    if (region == NULL)
        return false;
    ibt_write_out(ib, dest, region, offset, peer->inbox_key, far_at, e->bytes, 1, read);
    /* The last word stands for the data, too: the first one says how long the block is. */
    build_block(built, first_word(peer, e, true), e, 0);
    send_block(ib, dest, 0, at, block, built);
    peer->bare = false;
    peer->sent += entry_bytes(e->head_bytes, e->bytes, true);
    ibt_wait_op(ib, read); /* the program may change them then */
    return true;
}

/** The rail that an entry behind no other write takes. The receiver looks at entries in their
 * order, whichever comes first. Writes that interrupt have one rail. */
static unsigned next_rail(struct ibt *ib)
{
    return ib->set.entry_turns && !ib->set.rings ? ib->turn++ % ib->set.rails : 0;
}

static bool append(struct ibt *ib, unsigned dest, const struct transport_entry *entry, bool behind)
{
    struct transport *t = &ib->t;
    struct ibt_peer *peer = &ib->peers[dest];
    struct transport_entry e = *entry;
    uint32_t block = block_bytes(e.head_bytes, e.bytes);
    uint64_t at = peer->sent % ib->ring_bytes, word;
    uint8_t *mirror = ib->mirror + (uint64_t)dest * ib->ring_room + at, built[IB_WQE_INLINE_MAX];
    struct host_pointer where;
    bool gpu = e.bytes > 0 && ibt_on_gpu(ib, e.data, &where);
    /* A library writes a slot without a header, so its data alone count. */
    bool inlined = (e.in_slot ? e.bytes : block) <= ib->set.inline_bytes && block <= sizeof(built);

    if (!ibt_has_room(ib, dest, e.head_bytes, e.bytes))
        return false;
    if (gpu && ibt_direct_out(ib, e.bytes) && !ibt_core_loads(ib, e.bytes) &&
        !ibt_gpu_loops(ib, where.gpu, e.bytes))
        return append_apart(ib, dest, &e);
    word = first_word(peer, &e, false);
    if (gpu) {
        ibt_gpu_get(ib, mirror + 8 + e.head_bytes, e.data, e.bytes);
        e.data = mirror + 8 + e.head_bytes;
    } else if (!inlined && !e.in_slot) {
        transport_spend(t, t->caps.copy_kb_ps * e.bytes / 1024);
    }
    build_block(inlined ? built : mirror, word, &e, e.bytes);
    send_block(ib, dest, behind || peer->bare ? 0 : next_rail(ib), at, block,
               inlined ? built : NULL);
    peer->bare = false;
    peer->sent += entry_bytes(e.head_bytes, e.bytes, false);
    return true;
}

bool ibt_append(struct transport *t, unsigned dest, const struct transport_entry *entry)
{
    return !ibt_stage_holds(ibt_of(t), dest) && append(ibt_of(t), dest, entry, false);
}

bool ibt_append_behind(struct ibt *ib, unsigned dest, const struct transport_entry *entry)
{
    return append(ib, dest, entry, true);
}

/* ---- the receiver ------------------------------------------------------------------------- */

static uint8_t *head_of_ring(const struct ibt *ib, unsigned source)
{
    return ib->inbox + ib->rings_at + (uint64_t)source * ib->ring_room +
           ib->peers[source].taken % ib->ring_bytes;
}

/** What the first word of an entry says of it. */
struct parts {
    unsigned fifo;
    uint32_t head, bytes;
    bool apart;
};

/** @return whether the entry at the head of a ring is there as a whole. */
static bool read_parts(const struct ibt *ib, unsigned source, struct parts *parts_p)
{
    const uint8_t *at = head_of_ring(ib, source);
    uint64_t first, last;
    uint32_t block, marks;

    memcpy(&first, at, 8);
    if ((first & VALID) == 0)
        return false;
    *parts_p = (struct parts){ first >> FIFO_SHIFT & FIFO_MASK, first >> HEAD_SHIFT & HEAD_MASK,
                               first & BYTES_MASK, (first & APART) != 0 };
    block = block_bytes(parts_p->head, parts_p->apart ? 0 : parts_p->bytes);
    memcpy(&last, at + block - 8, 8);
    marks = (uint32_t)((ib->words[IBT_MARKS][source] - (first >> MARKS_SHIFT)) & MARKS_MASK);
    return last == first && marks <= MARKS_MASK / 2;
}

void ibt_release(struct transport *t, enum transport_fifo fifo, unsigned source)
{
    struct ibt *ib = ibt_of(t);
    struct ibt_peer *peer = &ib->peers[source];

    (void)fifo;
    memset(head_of_ring(ib, source), 0, peer->size);
    peer->taken += peer->size;
    peer->seen = false;
    if (peer->taken - peer->reported < ib->ring_bytes / 4)
        return;
    peer->reported = peer->taken;
    ibt_report(ib, source, IBT_CREDITS, peer->taken);
}

/** Header and data side by side: a receiver of GPU data apart gets them so by a copy of the header,
 * since what is between them is no more than the last word. */
static const uint8_t *join_parts(uint8_t *at, const struct parts *parts)
{
    uint8_t *data = at + ibt_round_up(block_bytes(parts->head, 0), IBT_UNIT);

    if (!parts->apart)
        return at + 8;
    memmove(data - parts->head, at + 8, parts->head);
    return data - parts->head;
}

bool ibt_look(struct ibt *ib, unsigned source)
{
    struct ibt_peer *peer = &ib->peers[source];
    struct parts parts;

    while (!peer->seen) {
        uint8_t *at = head_of_ring(ib, source);

        if (!read_parts(ib, source, &parts))
            return false;
        peer->size = entry_bytes(parts.head, parts.bytes, parts.apart);
        if (parts.fifo == IBT_FIFO_CHUNK) {
            if (peer->chunks_in - peer->chunks_out == IBT_SLOTS_MAX)
                return false;
            ibt_chunk_came(ib, source, at + 8);
            ibt_release(&ib->t, TRANSPORT_MESSAGE, source);
            continue;
        }
        if (!ibt_chunks_done(peer))
            return false;
        peer->fifo = (enum transport_fifo)parts.fifo;
        peer->entry = (struct transport_taken){ join_parts(at, &parts), parts.head + parts.bytes };
        peer->seen = true;
    }
    return true;
}

bool ibt_news(struct ibt *ib)
{
    bool any = false;

    for (unsigned r = 0; r < ib->nranks; r++) {
        if (r == ib->me)
            continue;
        any |= ibt_look(ib, r);
        take_credits(ib, r);
    }
    return any || ib->room_made;
}
