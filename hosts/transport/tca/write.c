/*
 * The data modes of remote writes. Memory M is source or target proper, buffer B the ring or a send
 * buffer:
 *
 *   BtoB  few data of host memory; what no channel reads, for what no channel reaches
 *   MtoM  a channel reads the source and reaches the target, and both agree in their low bits
 *   BtoM  it reaches only the target; or they disagree, and the send buffer agrees with the target
 *   MtoB  it only reads the source
 *
 * Blocks at one distance go by MtoM, too, as one descriptor; those of a long source in a GPU by
 * BtoM, as one for each piece.
 *
 * Of data that go to the target by a channel the first 1 to 3 bytes, where those behind them are
 * whole words, travel in the packet.
 */
#include "hosts/transport/peach2/far.h"
#include "hosts/transport/tca/job.h"
#include "hosts/transport/tca/packet.h"

/* A descriptor's size has 32 bits, a block's 30. */
#define DIRECT_MAX (UINT64_C(1) << 30)

/** What is known of a write. */
struct way {
    struct host_pointer from;
    uint64_t src; /* bus address for a channel; HOST_NO_BUS: it cannot read it */
    struct tct_target target;
    uint64_t dst; /* bus address in the window, unless only software reaches it */
    bool reached; /* by a channel */
    struct tct_note note;
};

static uint64_t source_of(struct tct *c, const void *from, uint64_t bytes)
{
    uint64_t src, offset;
    unsigned area;

    return driver_address(tct_host(c), (void *)(uintptr_t)from, bytes, &src, &area, &offset) ==
                   DRIVER_OK
               ? src
               : HOST_NO_BUS;
}

/* A packet with all of the data. */
static bool fits_packet(const struct tct *c, unsigned dest, const struct transport_write *w,
                        const struct way *way)
{
    if (way->from.kind == HOST_GPU || w->bytes > tct_landing_max(c, w->note_bytes))
        return false;
    return w->bytes <= c->set.btob_bytes || (!way->reached && c->hubs.peers[dest].local != NULL) ||
           (!way->reached && way->src == HOST_NO_BUS);
}

static bool put_all(struct tct *c, unsigned dest, const struct transport_write *w,
                    const struct way *way)
{
    struct tct_packet p = { .ring = w->fifo,
                            .head = w->note,
                            .data = w->from,
                            .head_bytes = w->note_bytes,
                            .bytes = (uint32_t)w->bytes,
                            .lands = true,
                            .target = way->target,
                            .gpu_src = HOST_NO_BUS };

    if (!tct_is_stored(c, dest, &p)) {
        p.job = tct_job_new(c, dest);
        if (p.job == NULL)
            return false;
        p.job->mode = TCT_BTOB;
    }
    tct_put_packet(c, dest, &p);
    return true;
}

/* The first bytes travel in the packet. */
static void split_head(struct tct *c, struct way *way, const uint8_t **from_p, uint64_t *bytes_p)
{
    uint32_t head = *bytes_p % TCT_GRAIN;

    if (head == 0)
        return;
    way->note.bytes = head;
    way->note.target = way->target;
    tct_copy_bytes(c, way->note.data, *from_p, head);
    way->target.offset += head;
    way->dst += head;
    way->src += way->src != HOST_NO_BUS ? head : 0;
    way->from.offset += head;
    *from_p += head;
    *bytes_p -= head;
}

static bool is_long_of_gpu(const struct tct *c, const struct host_pointer *from, uint64_t bytes)
{
    return from->kind == HOST_GPU && bytes >= c->set.stage_bytes && bytes > TCT_LOADED_MAX;
}

static void set_blocks(struct tct_job *job, const struct transport_strides *s)
{
    if (s == NULL)
        return;
    job->block_bytes = s->block;
    job->src_gap = (uint32_t)s->from_step - s->block;
    job->dst_gap = (uint32_t)s->to_step - s->block;
}

/* Pieces that go by buffers: whole blocks, where there are blocks. */
static void cut_by_buffers(const struct tct *c, struct tct_job *job)
{
    uint64_t block = job->block_bytes == 0 ? 1 : job->block_bytes;
    uint64_t most = job->landing ? c->set.landing_bytes : c->set.piece_bytes;

    if (job->source == TCT_STAGED && most > c->set.piece_bytes) /* what a stage holds */
        most = c->set.piece_bytes;
    tct_job_cut(job, (c->set.first_bytes + block - 1) / block * block,
                job->source == TCT_STAGED ? c->set.staged_alike : 1, most / block * block);
}

/* How the data come to leave, and where to. */
static void choose(struct tct *c, struct tct_job *job, const struct way *way)
{
    bool direct = way->src != HOST_NO_BUS && !is_long_of_gpu(c, &way->from, job->bytes) &&
                  (!way->reached || ((way->src ^ way->dst) & TCT_ALIGN_LOW) == 0);

    job->landing = !way->reached;
    if (direct) {
        job->mode = way->reached ? TCT_MTOM : TCT_MTOB;
        job->source = TCT_DIRECT;
    } else {
        job->mode = way->reached ? TCT_BTOM : TCT_BTOB;
        job->source =
            way->from.kind == HOST_GPU && job->bytes > TCT_LOADED_MAX ? TCT_STAGED : TCT_COPIED;
    }
    job->internal = way->reached;
    job->gpu = way->from.gpu;
    job->gpu_offset = way->from.offset;
    job->src = way->src;
    job->dst = way->dst;
    job->target = way->target;
    if (job->mode == TCT_MTOM)
        tct_job_cut(job, DIRECT_MAX, 1, DIRECT_MAX);
    else
        cut_by_buffers(c, job);
}

/* A descriptor says it: whole words at both sides, in steps that keep their alignment. Blocks of a
 * long GPU source follow each other in a send buffer, from where one takes each to its place. */
bool tct_lays_out(struct transport *t, unsigned dest, const struct transport_write *w)
{
    struct tct *c = tct_of(t);
    const struct transport_strides *s = w->strides;
    uint64_t src, dst;
    struct host_pointer where = tct_host(c)->memory->pointer(tct_host(c), w->from);
    bool staged = is_long_of_gpu(c, &where, w->bytes);
    int64_t step = staged ? s->block : s->from_step;
    struct tct_key key;

    memcpy(&key, w->key, sizeof(key));
    if (where.kind == HOST_PAGEABLE || key.area == TCT_BY_COPY || c->hubs.peers[dest].far ||
        c->hubs.peers[dest].local != NULL || s->from_step < s->block || s->to_step < s->block ||
        s->block % TCT_GRAIN != 0 || ((step ^ s->to_step) & TCT_ALIGN_LOW) != 0 ||
        (step | s->to_step) % TCT_GRAIN != 0 || w->bytes > DIRECT_MAX ||
        (staged && s->block > c->set.piece_bytes) || (uint64_t)s->from_step > UINT32_MAX ||
        (uint64_t)s->to_step > UINT32_MAX)
        return false;
    src = source_of(c, w->from, (s->nblocks - 1) * (uint64_t)s->from_step + s->block);
    dst = driver_window(c->hubs.d, key.slot, key.area, key.offset + w->at);
    return src != HOST_NO_BUS && dst % TCT_GRAIN == 0 &&
           (staged || ((src ^ dst) & TCT_ALIGN_LOW) == 0);
}

static bool put_in_job(struct tct *c, unsigned dest, const struct transport_write *w,
                       struct way *way, transport_ticket *ticket_p)
{
    const uint8_t *from = w->from;
    uint64_t bytes = w->bytes;
    struct tct_job *job = tct_job_new(c, dest);
    bool beside;

    if (job == NULL)
        return false;
    *ticket_p = job->ticket;
    if (way->reached)
        split_head(c, way, &from, &bytes);
    job->from = from;
    job->bytes = bytes;
    if (bytes == 0) {
        job->ticket = *ticket_p = 0;
        tct_put_note(c, dest, &way->note);
        return true;
    }
    set_blocks(job, w->strides);
    choose(c, job, way);
    c->counts.mode[job->mode].transfers++;
    c->counts.mode[job->mode].bytes += bytes;
    beside = job->npieces == 1 && !job->landing;
    job->promised = beside;
    if (!beside)
        job->note = way->note;
    else
        c->peers[dest].promised[job->channel]++;
    tct_job_begin(c, job);
    if (beside && tct_has_note(&way->note))
        tct_put_note(c, dest, &way->note);
    return true;
}

/* Both share the memory, and it takes one copy. */
static bool is_local(const struct tct *c, unsigned dest, const struct way *way)
{
    return c->hubs.peers[dest].local != NULL && way->target.area == HUB_AREA_HOST &&
           way->from.kind != HOST_GPU;
}

static uint64_t span_of(const struct transport_write *w)
{
    const struct transport_strides *s = w->strides;

    return s == NULL ? w->bytes : (s->nblocks - 1) * (uint64_t)s->from_step + s->block;
}

bool tct_write(struct transport *t, unsigned dest, const struct transport_write *w,
               transport_ticket *ticket_p)
{
    struct tct *c = tct_of(t);
    struct way way = { .src = HOST_NO_BUS, .note = { .fifo = w->fifo } };
    struct tct_key key;

    memcpy(&key, w->key, sizeof(key));
    way.target = (struct tct_target){ key.area, key.offset + w->at };
    if (c->hubs.peers[dest].far)
        return p2_far_write(&c->hubs, dest, way.target.area, way.target.offset, w);
    (void)tct_run(c);
    if (c->peers[dest].held || !tct_has_room(c, dest, w->fifo))
        return false;
    way.note.head_bytes = w->note_bytes;
    if (w->note_bytes > 0)
        memcpy(way.note.head, w->note, w->note_bytes);
    if (w->bytes == 0) {
        if (w->note_bytes > 0)
            tct_put_note(c, dest, &way.note);
        return true;
    }
    way.from = tct_host(c)->memory->pointer(tct_host(c), w->from);
    if (way.from.kind != HOST_PAGEABLE)
        way.src = source_of(c, w->from, span_of(w));
    way.reached = key.area != TCT_BY_COPY;
    if (way.reached)
        way.dst = driver_window(c->hubs.d, key.slot, key.area, way.target.offset);
    if (is_local(c, dest, &way)) {
        tct_land(c, way.target, w->from, w->bytes);
        if (w->note_bytes > 0)
            tct_put_note(c, dest, &way.note);
        return true;
    }
    if (w->strides == NULL && fits_packet(c, dest, w, &way))
        return put_all(c, dest, w, &way);
    return put_in_job(c, dest, w, &way, ticket_p);
}

/* ---- entries ------------------------------------------------------------------------------------
 */

bool tct_append(struct transport *t, unsigned dest, const struct transport_entry *e)
{
    struct tct *c = tct_of(t);
    struct tct_packet p = { .ring = e->fifo,
                            .head = e->head,
                            .data = e->data,
                            .head_bytes = e->head_bytes,
                            .bytes = e->bytes,
                            .gpu_src = HOST_NO_BUS };
    bool gpu = e->bytes > 0 && t->host->memory->pointer(t->host, e->data).kind == HOST_GPU;
    transport_ticket ticket = 0;

    if (c->hubs.peers[dest].far)
        return p2_far_append(&c->hubs, dest, e);
    (void)tct_run(c);
    if (c->peers[dest].held || !tct_has_room(c, dest, p.ring))
        return false;
    if (gpu)
        p.gpu_src = source_of(c, e->data, e->bytes);
    gpu = p.gpu_src != HOST_NO_BUS;
    if (gpu || !tct_is_stored(c, dest, &p)) {
        p.job = tct_job_new(c, dest);
        if (p.job == NULL)
            return false;
        p.job->mode = gpu ? TCT_MTOB : TCT_BTOB;
        ticket = p.job->ticket;
    }
    tct_put_packet(c, dest, &p);
    if (gpu) /* its bytes may be reused at return */
        tct_job_wait(c, p.job, ticket);
    return true;
}
