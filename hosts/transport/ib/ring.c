/* Entries: see internal.h. Counts of bytes go on for ever; a place in a ring is one modulo its
 * size, and an entry that reaches over the end lies in the room behind it. */
#include <string.h>

#include "hosts/transport/ib/internal.h"

/* The first and the last word of an entry. */
#define VALID       (UINT64_C(1) << 63)
#define APART       (UINT64_C(1) << 44) /* the data begin behind the last word */
#define MARKS_SHIFT 46u                 /* writes by the second rail before this entry */
#define MARKS_MASK  0xfffu

static uint32_t units(uint32_t n, uint32_t unit)
{
    return (n + unit - 1) / unit * unit;
}

static uint64_t first_word(const struct ibt_peer *peer, unsigned fifo, uint32_t head_bytes,
                           uint32_t bytes, bool apart)
{
    return VALID | (apart ? APART : 0) | (peer->marks_sent & MARKS_MASK) << MARKS_SHIFT |
           (uint64_t)fifo << 40 | (uint64_t)head_bytes << 32 | bytes;
}

/** Bytes up to the last word and with it. */
static uint32_t block_bytes(uint32_t head_bytes, uint32_t bytes)
{
    return 8 + units(head_bytes + bytes, 8) + 8;
}

static uint32_t entry_bytes(uint32_t head_bytes, uint32_t bytes, bool apart)
{
    if (!apart)
        return units(block_bytes(head_bytes, bytes), IBT_UNIT);
    return units(block_bytes(head_bytes, 0), IBT_UNIT) + units(bytes, IBT_UNIT);
}

/** What the far side has given back since this was looked at is news for messages that wait. */
static void take_credits(struct ibt *ib, unsigned rank)
{
    struct ibt_peer *peer = &ib->peers[rank];

    ib->room_made |= ib->credits[rank] != peer->freed;
    peer->freed = ib->credits[rank];
}

bool ibt_has_room(struct ibt *ib, unsigned dest, uint32_t head_bytes, uint32_t bytes)
{
    struct ibt_peer *peer = &ib->peers[dest];
    uint32_t most = entry_bytes(head_bytes, bytes, true) + IBT_UNIT;

    take_credits(ib, dest);
    return peer->sent + most - peer->freed <= ib->ring_bytes;
}

static void build(uint8_t *to, uint64_t word, const void *head, uint32_t head_bytes,
                  const void *data, uint32_t bytes)
{
    uint32_t n = block_bytes(head_bytes, bytes);

    memcpy(to, &word, 8);
    memcpy(to + 8, head, head_bytes);
    if (bytes > 0 && data != to + 8 + head_bytes) /* else they are there */
        memcpy(to + 8 + head_bytes, data, bytes);
    memset(to + 8 + head_bytes + bytes, 0, n - 16 - head_bytes - bytes);
    memcpy(to + n - 8, &word, 8);
}

/** Writes `n` bytes at `at` of the far ring: those at `data`, or of the mirror. */
static void send(struct ibt *ib, unsigned dest, uint64_t at, uint32_t n, const void *data)
{
    struct ibt_peer *peer = &ib->peers[dest];
    struct verbs_send s = { .op = IB_WQE_WRITE,
                            .bytes = n,
                            .far_offset = peer->ring_there + at,
                            .far_key = peer->inbox_key,
                            .data = data };

    s.immediate = ib->set.rings;
    if (data == NULL) {
        s.region = &ib->mirror_region;
        s.offset = (uint64_t)dest * ib->ring_room + at;
    }
    ibt_post(ib, &peer->qp[0], &s, NULL);
}

/** Data of a GPU that the adapter reads itself: behind the block, and before it. */
static bool append_apart(struct ibt *ib, unsigned dest, unsigned fifo, const void *head,
                         uint32_t head_bytes, const void *data, uint32_t bytes)
{
    struct ibt_peer *peer = &ib->peers[dest];
    uint32_t block = block_bytes(head_bytes, 0);
    uint64_t at = peer->sent % ib->ring_bytes, offset;
    const struct verbs_region *region = ibt_region(ib, data, bytes, &offset);
    uint8_t built[16 + TRANSPORT_HEAD_BYTES + 8];
    struct verbs_send s = { .op = IB_WQE_WRITE,
                            .bytes = bytes,
                            .far_offset = peer->ring_there + at + units(block, IBT_UNIT),
                            .far_key = peer->inbox_key,
                            .region = region,
                            .offset = offset };
    struct ibt_op read = { .ticket = 0 };

    if (region == NULL)
        return false;
    ibt_post(ib, &peer->qp[0], &s, &read);
    build(built, first_word(peer, fifo, head_bytes, bytes, true), head, head_bytes, NULL, 0);
    /* The last word stands for the data, too: length of the block as told by the first. */
    send(ib, dest, at, block, built);
    peer->sent += entry_bytes(head_bytes, bytes, true);
    ibt_wait_op(ib, &read); /* the program may change them then */
    return true;
}

bool ibt_append(struct ibt *ib, unsigned dest, unsigned fifo, const void *head, uint32_t head_bytes,
                const void *data, uint32_t bytes)
{
    struct ibt_peer *peer = &ib->peers[dest];
    uint32_t block = block_bytes(head_bytes, bytes);
    uint64_t at, word;
    uint8_t *mirror, built[IB_WQE_INLINE_MAX];
    struct host_pointer where;
    bool gpu = bytes > 0 && ibt_on_gpu(ib, data, &where);

    if (!ibt_has_room(ib, dest, head_bytes, bytes))
        return false;
    if (gpu && ibt_direct(ib, bytes) && bytes > ib->set.gpu_load_bytes && ib->set.gpu_gather)
        return append_apart(ib, dest, fifo, head, head_bytes, data, bytes);
    at = peer->sent % ib->ring_bytes;
    mirror = ib->mirror + (uint64_t)dest * ib->ring_room + at;
    word = first_word(peer, fifo, head_bytes, bytes, false);
    if (gpu) {
        ibt_gpu_get(ib, mirror + 8 + head_bytes, data, bytes);
        data = mirror + 8 + head_bytes;
    }
    if (block <= ib->set.inline_bytes && block <= sizeof(built)) {
        build(built, word, head, head_bytes, data, bytes);
        send(ib, dest, at, block, built);
    } else {
        if (!gpu)
            ib->t.host->cpu->spend(ib->t.host, ib->t.caps.copy_kb_ps * bytes / 1024);
        build(mirror, word, head, head_bytes, data, bytes);
        send(ib, dest, at, block, NULL);
    }
    peer->sent += entry_bytes(head_bytes, bytes, false);
    return true;
}

/* ---- the receiver ------------------------------------------------------------------------- */

/** The entry at the head is there as a whole. */
static bool complete(struct ibt *ib, const struct ibt_peer *peer, const uint8_t *at,
                     uint64_t *word_p)
{
    uint64_t first, last;
    uint32_t head, bytes, block, marks;

    memcpy(&first, at, 8);
    if ((first & VALID) == 0)
        return false;
    head = first >> 32 & 0xff;
    bytes = (uint32_t)first;
    block = block_bytes(head, (first & APART) != 0 ? 0 : bytes);
    memcpy(&last, at + block - 8, 8);
    marks = (uint32_t)((ib->marks[peer - ib->peers] - (first >> MARKS_SHIFT)) & MARKS_MASK);
    *word_p = first;
    return last == first && marks <= MARKS_MASK / 2;
}

static void forget(struct ibt *ib, struct ibt_peer *peer, unsigned source)
{
    uint64_t at = ib->rings_at + (uint64_t)source * ib->ring_room + peer->taken % ib->ring_bytes;

    memset(ib->inbox + at, 0, peer->size);
    peer->taken += peer->size;
    peer->seen = false;
    if (peer->taken - peer->reported >= ib->ring_bytes / 4) {
        struct verbs_send s = { .op = IB_WQE_WRITE,
                                .bytes = 8,
                                .far_offset = IBT_COPIES_BYTES + ib->me * UINT64_C(8),
                                .far_key = peer->inbox_key,
                                .immediate = ib->set.rings,
                                .data = &peer->taken };

        peer->reported = peer->taken;
        ibt_post(ib, &peer->qp[0], &s, NULL);
    }
}

/** Header and data side by side: a receiver of GPU data apart gets them so by a copy of the header,
 * since what is between them is no more than the last word. */
static const uint8_t *together(uint8_t *at, uint32_t head, bool apart)
{
    uint8_t *data = at + units(block_bytes(head, 0), IBT_UNIT);

    if (!apart)
        return at + 8;
    memmove(data - head, at + 8, head);
    return data - head;
}

bool ibt_look(struct ibt *ib, unsigned source)
{
    struct ibt_peer *peer = &ib->peers[source];

    while (!peer->seen) {
        uint8_t *at = ib->inbox + ib->rings_at + (uint64_t)source * ib->ring_room +
                      peer->taken % ib->ring_bytes;
        uint64_t word;
        uint32_t head, bytes;
        bool apart;

        if (!complete(ib, peer, at, &word))
            return false;
        head = word >> 32 & 0xff;
        bytes = (uint32_t)word;
        apart = (word & APART) != 0;
        if ((word >> 40 & 0xf) != IBT_FIFO_CHUNK && !ibt_chunks_done(peer))
            return false;
        peer->size = entry_bytes(head, bytes, apart);
        if ((word >> 40 & 0xf) == IBT_FIFO_CHUNK) {
            if (peer->chunks_in - peer->chunks_out == IBT_SLOTS_MAX)
                return false;
            ibt_chunk_came(ib, source, at + 8);
            forget(ib, peer, source);
            continue;
        }
        peer->fifo = (enum transport_fifo)(word >> 40 & 0xf);
        peer->entry = (struct transport_taken){ together(at, head, apart), head + bytes };
        peer->seen = true;
    }
    return true;
}

void ibt_release(struct ibt *ib, unsigned source)
{
    forget(ib, &ib->peers[source], source);
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
