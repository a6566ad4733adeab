/* Packets out: entries of rings, and flags. */
#include "hosts/transport/peach2/ring.h"
#include "hosts/transport/tca/flag.h"
#include "hosts/transport/tca/job.h"
#include "hosts/transport/tca/packet.h"

/* Counters of 16 bits that go on where they have been. */
static uint32_t grown_counter(uint32_t from, uint32_t to)
{
    return from + (uint16_t)(to - from);
}

static void take_acks(struct tct *c, unsigned dest)
{
    struct tct_peer *peer = &c->peers[dest];
    uint64_t ack = c->acks[dest];

    c->acks_seen[dest] = ack;
    for (unsigned ring = 0; ring < TCT_RINGS; ring++)
        peer->ring[ring].freed = grown_counter(peer->ring[ring].freed, ack >> 16 * ring & 0xffff);
}

static bool has_room(struct tct *c, unsigned dest, unsigned ring, uint32_t n)
{
    struct tct_ring *r = &c->peers[dest].ring[ring];

    if (r->sent + n - r->freed >= tct_entries(c, ring))
        take_acks(c, dest);
    return r->sent + n - r->freed < tct_entries(c, ring);
}

bool tct_has_room(struct tct *c, unsigned dest, unsigned ring)
{
    bool room = has_room(c, dest, ring, 0);

    c->counts.stalls += !room;
    return room;
}

uint64_t tct_far_bus(const struct tct *c, unsigned dest, uint64_t at)
{
    return p2_bus(&c->hubs, dest, c->rings_at + at);
}

/* The same place as in the send area, in the rings that the peer has for this rank. */
static uint64_t far_at(const struct tct *c, unsigned dest, uint64_t at)
{
    return c->rings_at + at + (uint64_t)c->hubs.me * c->peer_bytes - (uint64_t)dest * c->peer_bytes;
}

/* Fills in what has to arrive before. @return bytes of the word for several channels. */
static uint32_t put_needs(const struct tct *c, unsigned dest, struct tct_flag *flag, uint8_t *entry)
{
    uint16_t need[TCT_CHANNELS];
    unsigned mask;

    tct_needs(c, dest, need, &mask);
    if (mask == 0)
        return 0;
    if ((mask & (mask - 1)) == 0) {
        flag->has = true;
        while ((mask >> flag->channel & 1) == 0)
            flag->channel++;
        flag->need = need[flag->channel];
        return 0;
    }
    flag->wide = true;
    memcpy(entry, need, sizeof(need));
    return sizeof(need);
}

static void put_flag(struct tct *c, unsigned dest, unsigned ring, struct tct_flag flag)
{
    struct tct_ring *r = &c->peers[dest].ring[ring];
    uint64_t index = tct_flag_index(c, c->hubs.me, ring, r->sent);

    flag.number = r->sent / tct_entries(c, ring) + 1;
    r->sent++;
    c->counts.packets++;
    p2_put_flag(&c->hubs, dest, c->flags_at + 8 * index, tct_flag_encode(flag));
    p2_ring(&c->hubs, dest);
}

/* Bytes of an entry, which is at `at` in the rings. Whole words: what lies behind the last byte
 * is there only in this rank's memory. */
static void store(struct tct *c, unsigned dest, uint64_t at, const uint8_t *entry, uint32_t from,
                  uint32_t to)
{
    from = from / 8 * 8;
    p2_put(&c->hubs, dest, far_at(c, dest, at) + from, entry + from, (to - from + 7) / 8 * 8);
}

bool tct_is_stored(const struct tct *c, unsigned dest, const struct tct_packet *p)
{
    return c->hubs.peers[dest].local != NULL ||
           (p->lands ? 8 : 0) + p->head_bytes + p->bytes <= c->set.pio_bytes;
}

/* What a channel moves: all of it, or data from the memory of a GPU. */
static void give_to_job(struct tct *c, unsigned dest, const struct tct_packet *p, uint64_t at,
                        uint32_t data_at)
{
    bool gpu = p->gpu_src != HOST_NO_BUS;
    uint32_t bytes = gpu ? p->bytes : data_at + p->bytes;
    uint64_t far = far_at(c, dest, at) - c->rings_at + (gpu ? data_at : 0);

    p->job->bytes = (bytes + TCT_GRAIN - 1) / TCT_GRAIN * TCT_GRAIN;
    p->job->first = p->job->bytes;
    p->job->src = gpu ? p->gpu_src : c->send_bus + at;
    p->job->dst = tct_far_bus(c, dest, far);
    tct_job_begin(c, p->job);
}

void tct_put_packet(struct tct *c, unsigned dest, const struct tct_packet *p)
{
    struct tct_peer *peer = &c->peers[dest];
    uint64_t at = tct_entry_at(c, dest, p->ring, peer->ring[p->ring].sent);
    /* What the core stores needs no place of its own once it is on its way. */
    uint8_t *entry = p->job == NULL ? c->stored : c->send + at;
    bool gpu = p->job != NULL && p->gpu_src != HOST_NO_BUS;
    struct tct_flag flag = { .kind = !p->lands           ? TCT_PLAIN
                                     : p->head_bytes > 0 ? TCT_LANDS
                                                         : TCT_SILENT,
                             .head_bytes = p->head_bytes,
                             .bytes = p->bytes,
                             .before = peer->landings };
    uint64_t target = tct_target_word(p->target);
    uint32_t pos;

    host_phase(tct_host(c), HOST_PHASE_PACKET);
    if (p->job != NULL)
        peer->promised[p->job->channel]++;
    pos = put_needs(c, dest, &flag, entry);
    if (p->lands)
        memcpy(entry + pos, &target, sizeof(target));
    pos += p->lands ? sizeof(target) : 0;
    if (gpu)
        flag.pad = (uint32_t)(p->gpu_src - pos - p->head_bytes) & TCT_ALIGN_LOW;
    pos += flag.pad;
    if (p->head_bytes > 0)
        memcpy(entry + pos, p->head, p->head_bytes);
    pos += p->head_bytes;
    if (p->bytes > 0 && !gpu) {
        tct_copy_bytes(c, entry + pos, p->data, p->bytes);
        c->counts.mode[TCT_BTOB].copies++;
    }
    if (p->bytes > 0) {
        c->counts.mode[gpu ? TCT_MTOB : TCT_BTOB].transfers++;
        c->counts.mode[gpu ? TCT_MTOB : TCT_BTOB].bytes += p->bytes;
    }
    peer->landings += p->lands;
    if (p->job == NULL || gpu)
        store(c, dest, at, entry, flag.wide || p->lands ? 0 : flag.pad, gpu ? pos : pos + p->bytes);
    else if (flag.wide) /* it has to be there with the flag */
        store(c, dest, at, entry, 0, sizeof(uint64_t));
    c->counts.stored += p->job == NULL;
    c->counts.moved += p->job != NULL;
    if (p->job != NULL)
        give_to_job(c, dest, p, at, pos);
    put_flag(c, dest, p->ring, flag);
}

void tct_put_note(struct tct *c, unsigned dest, const struct tct_note *note)
{
    const struct tct_packet p = { .ring = note->fifo,
                                  .head = note->head,
                                  .data = note->data,
                                  .head_bytes = note->head_bytes,
                                  .bytes = note->bytes,
                                  .lands = note->bytes > 0,
                                  .target = note->target,
                                  .gpu_src = HOST_NO_BUS };

    tct_put_packet(c, dest, &p);
}

/* ---- pieces ------------------------------------------------------------------------------- */

static uint64_t piece_at(const struct tct *c, unsigned dest, uint32_t n)
{
    return tct_entry_at(c, dest, TCT_PIECES, c->peers[dest].ring[TCT_PIECES].sent + n);
}

uint8_t *tct_piece_entry(struct tct *c, unsigned dest, uint32_t n)
{
    return c->send + piece_at(c, dest, n);
}

bool tct_has_piece_room(struct tct *c, unsigned dest, uint32_t n)
{
    return has_room(c, dest, TCT_PIECES, n);
}

void tct_put_piece_head(struct tct *c, unsigned dest, struct tct_target target, uint32_t bytes,
                        bool stored, uint32_t n)
{
    uint64_t head[TCT_PIECE_HEAD / 8] = { tct_target_word(target), bytes | (uint64_t)stored << 32 };
    uint64_t at = piece_at(c, dest, n);

    memcpy(c->send + at, head, sizeof(head));
    if (stored)
        store(c, dest, at, c->send + at, 0, sizeof(head));
}

void tct_put_piece(struct tct *c, unsigned dest, unsigned channel, uint32_t phase)
{
    struct tct_peer *peer = &c->peers[dest];
    const struct tct_flag flag = { .kind = TCT_PIECE,
                                   .has = true,
                                   .channel = channel,
                                   .need = peer->promised[channel],
                                   .pad = phase,
                                   .before = peer->landings++ };

    c->counts.moved++;
    put_flag(c, dest, TCT_PIECES, flag);
}
