/*
 * Transfers in pieces, by way of which buffers:
 *
 *   direct   source ----------------------------------> target, or entry
 *   copied   source --core--> send buffer ------------> target
 *   copied   source --core--> send entry -------------> entry
 *   staged   GPU --engine--> stage --core--> either of these
 *
 * Channels move a piece while the core fills the next buffer, and engines the next stage. Of two
 * transfers to one peer the first one begins all its pieces first; those to others pass it where it
 * waits.
 */
#include "hosts/transport/tca/job.h"
#include "hosts/transport/peach2/dma.h"
#include "hosts/transport/tca/packet.h"

static uint64_t buffer_room(const struct tct *c)
{
    return c->set.piece_bytes + 64u;
}

bool tct_jobs_init(struct tct *c)
{
    struct host *h = tct_host(c);

    c->buffers = h->memory->alloc(h, TCT_BUFFERS * buffer_room(c), HOST_PAGE);
    if (c->buffers == NULL)
        return false;
    c->buffers_bus = h->memory->pointer(h, c->buffers).offset;
    return true;
}

struct tct_job *tct_job_new(struct tct *c, unsigned dest)
{
    for (unsigned i = 0; i < TCT_JOBS; i++)
        if (c->jobs[i].ticket == 0) {
            c->jobs[i] = (struct tct_job){ .ticket = ++c->tickets,
                                           .dest = dest,
                                           .channel = dest % c->nchannels,
                                           .npieces = 1,
                                           .alike = 1,
                                           .promised = true };
            return &c->jobs[i];
        }
    return NULL;
}

void tct_job_begin(struct tct *c, struct tct_job *job)
{
    c->order[c->njobs++] = (unsigned)(job - c->jobs);
    if (!job->promised)
        c->peers[job->dest].held = true;
    (void)tct_run(c);
}

static unsigned piece_channel(const struct tct *c, const struct tct_job *job, uint32_t i)
{
    return (job->channel + i) % c->nchannels;
}

static struct tct_target landing_at(const struct tct_job *job, uint64_t at)
{
    return (struct tct_target){ job->target.area, job->target.offset + at };
}

/* ---- stages: an engine copies out of a GPU ----------------------------------------------------
 */

static uint64_t stage_room(const struct tct *c, uint32_t i)
{
    return (uint64_t)(i % c->set.stage_buffers) * c->set.piece_bytes;
}

static bool stages_ready(struct tct *c)
{
    struct host *h = tct_host(c);

    if (c->stages != NULL)
        return true;
    c->stages = h->memory->alloc(h, (uint64_t)c->set.stage_buffers * c->set.piece_bytes, HOST_PAGE);
    if (c->stages == NULL)
        return false;
    c->stages_bus = h->memory->pointer(h, c->stages).offset;
    return true;
}

/* Has the engine more to do for this job? */
static bool may_ask(const struct tct *c, const struct tct_job *job)
{
    return job->source == TCT_STAGED && job->asked < job->npieces &&
           job->asked - job->filled < c->set.stage_buffers &&
           (c->staged == NULL || c->staged == job);
}

static void ask(struct tct *c, struct tct_job *job)
{
    struct host *h = tct_host(c);
    uint32_t i = job->asked++;
    struct host_copy_end bus = { .device = false, .addr = c->stages_bus + stage_room(c, i) };
    struct host_copy_end device = { .device = true,
                                    .addr =
                                        job->gpu_offset + tct_source_at(job, tct_piece_at(job, i)),
                                    .row_bytes = job->block_bytes,
                                    .pitch = job->block_bytes + job->src_gap };

    c->staged = job;
    c->counts.staged++;
    host_phase(h, HOST_PHASE_STAGE);
    host_spend_cost(h, HOST_COST_CUDA_COPY);
    job->copy[i % c->set.stage_buffers] =
        h->gpus->copy(h, job->gpu, bus, device, tct_piece_bytes(job, i), 0);
}

static bool is_staged(const struct tct *c, const struct tct_job *job)
{
    uint64_t number = job->copy[job->filled % c->set.stage_buffers];

    return job->filled < job->asked &&
           c->copies[HOST_COPY_ENGINES * job->gpu + host_gpu_engine(number)] >= number;
}

/* ---- filling -----------------------------------------------------------------------------------
 */

/* Is there a buffer for the next piece, and are its data where the core finds them? */
static bool may_fill(struct tct *c, const struct tct_job *job)
{
    if (job->source == TCT_DIRECT || job->filled == job->npieces ||
        (job->source == TCT_STAGED && !is_staged(c, job)))
        return false;
    return job->landing ? tct_has_piece_room(c, job->dest, job->filled - job->started)
                        : (c->buffers_busy >> c->buffer_turn & 1) == 0;
}

/* @return where in a buffer the piece goes. */
static uint8_t *take_buffer(struct tct *c, struct tct_job *job, uint32_t i)
{
    struct tct_filled *filled = &job->filled_in[i % TCT_BUFFERS];
    uint64_t dst = job->dst + tct_target_at(job, tct_piece_at(job, i));
    uint64_t at = c->buffer_turn * buffer_room(c) + (dst & TCT_ALIGN_LOW);

    *filled = (struct tct_filled){ c->buffers_bus + at, (int)c->buffer_turn };
    c->buffers_busy |= 1u << c->buffer_turn;
    c->buffer_turn = (c->buffer_turn + 1) % TCT_BUFFERS;
    return c->buffers + at;
}

static void fill(struct tct *c, struct tct_job *job)
{
    uint32_t i = job->filled, n = tct_piece_bytes(job, i), ahead = i - job->started;
    const uint8_t *from = job->from + tct_piece_at(job, i);
    uint8_t *to;

    host_phase(tct_host(c), HOST_PHASE_COPY);
    if (job->landing) {
        tct_put_piece_head(c, job->dest, landing_at(job, tct_piece_at(job, i)), n, false, ahead);
        to = tct_piece_entry(c, job->dest, ahead) + TCT_PIECE_HEAD;
    } else {
        to = take_buffer(c, job, i);
    }
    if (job->source == TCT_STAGED) {
        driver_flush_gpu(tct_host(c), job->gpu); /* what its engine has sent has arrived */
        from = c->stages + stage_room(c, i);
    }
    tct_copy_bytes(c, to, from, n);
    c->counts.mode[job->mode].copies++;
    job->filled++;
    if (c->staged == job && job->filled == job->npieces)
        c->staged = NULL;
}

static bool fill_one(struct tct *c)
{
    for (unsigned i = 0; i < c->njobs; i++) {
        struct tct_job *job = &c->jobs[c->order[i]];

        if (may_ask(c, job) && stages_ready(c)) {
            ask(c, job);
            return true;
        }
        if (may_fill(c, job)) {
            fill(c, job);
            return true;
        }
    }
    return false;
}

/* ---- starting -----------------------------------------------------------------------------------
 */

/* Has an older one pieces for the same peer that were not begun? */
static bool has_older(const struct tct *c, unsigned at)
{
    for (unsigned i = 0; i < at; i++) {
        const struct tct_job *job = &c->jobs[c->order[i]];

        if (job->dest == c->jobs[c->order[at]].dest && job->started < job->npieces)
            return true;
    }
    return false;
}

static bool may_start(struct tct *c, unsigned at, unsigned channel)
{
    struct tct_job *job = &c->jobs[c->order[at]];

    return job->started < job->npieces && piece_channel(c, job, job->started) == channel &&
           (job->source == TCT_DIRECT || job->filled > job->started) && !has_older(c, at) &&
           (job->source != TCT_DIRECT || !job->landing || tct_has_piece_room(c, job->dest, 0));
}

static uint64_t far_entry(const struct tct *c, unsigned dest)
{
    return tct_far_bus(
        c, dest, tct_entry_at(c, c->hubs.me, TCT_PIECES, c->peers[dest].ring[TCT_PIECES].sent));
}

/* Into an entry: with its header, or only the data, whose header the core stores. */
static uint32_t land_piece(struct tct *c, struct tct_job *job, uint32_t i, struct tct_pattern *p)
{
    uint32_t phase = 0, n = tct_piece_bytes(job, i);

    p->dst = far_entry(c, job->dest);
    if (job->source == TCT_DIRECT) {
        p->src = job->src + tct_piece_at(job, i);
        phase = (uint32_t)p->src & TCT_ALIGN_LOW;
        p->dst += TCT_PIECE_HEAD + phase;
        tct_put_piece_head(c, job->dest, landing_at(job, tct_piece_at(job, i)), n, true, 0);
    } else {
        p->src = c->send_bus + (uint64_t)(tct_piece_entry(c, job->dest, 0) - c->send);
        n += TCT_PIECE_HEAD;
    }
    p->bytes = (n + TCT_GRAIN - 1) / TCT_GRAIN * TCT_GRAIN;
    return phase;
}

static void move_piece(const struct tct_job *job, uint32_t i, struct tct_transfer *t)
{
    uint64_t at = tct_piece_at(job, i);

    t->pattern.dst = job->dst + tct_target_at(job, at);
    t->pattern.bytes = tct_piece_bytes(job, i);
    t->pattern.block_bytes = job->block_bytes;
    t->pattern.src_gap = job->src_gap;
    t->pattern.dst_gap = job->dst_gap;
    t->pattern.src = job->src + tct_source_at(job, at);
    if (job->source != TCT_DIRECT) { /* blocks follow each other there */
        t->pattern.src_gap = 0;
        t->pattern.src = job->filled_in[i % TCT_BUFFERS].bus;
        t->buffer = job->filled_in[i % TCT_BUFFERS].buffer;
    }
}

static void end_start(struct tct *c, struct tct_job *job)
{
    if (job->started < job->npieces || job->promised)
        return;
    c->peers[job->dest].held = false;
    if (tct_has_note(&job->note))
        tct_put_note(c, job->dest, &job->note);
}

static void start(struct tct *c, struct tct_job *job, unsigned channel)
{
    struct tct_transfer t = { .dest = job->dest,
                              .may_move = job->internal,
                              .to_gpu = !job->landing && job->target.area != HUB_AREA_HOST,
                              .gpu = job->target.area - HUB_AREA_GPU0,
                              .job = job,
                              .buffer = -1 };
    uint32_t i = job->started, phase = 0;

    if (!job->promised)
        c->peers[job->dest].promised[channel]++;
    if (job->landing)
        phase = land_piece(c, job, i, &t.pattern);
    else
        move_piece(job, i, &t);
    tct_channel_start(c, channel, t);
    if (job->landing)
        tct_put_piece(c, job->dest, channel, phase);
    job->started++;
    end_start(c, job);
}

/* Others use the channel, too: it is had until the chain has ended. */
static void start_shared(struct tct *c, struct tct_job *job)
{
    p2_turn_take(&c->hubs);
    start(c, job, 0);
    while (!tct_channel_end(c, 0))
        if (c->set.fault == 0)
            tct_host(c)->bus->wait_write(tct_host(c), c->ended, 8 * TCT_CHANNELS);
    p2_turn_give(&c->hubs);
}

static bool start_on(struct tct *c, unsigned channel)
{
    if (c->channel[channel].busy)
        return false;
    for (unsigned i = 0; i < c->njobs; i++) {
        struct tct_job *job = &c->jobs[c->order[i]];

        if (!may_start(c, i, channel))
            continue;
        if (c->hubs.nsharers > 0) {
            start_shared(c, job);
            return true;
        }
        if (!tct_channel_idle(c, channel))
            return false;
        start(c, job, channel);
        return true;
    }
    return false;
}

/* ---- progress
 * ------------------------------------------------------------------------------------- */

/* Those that have ended leave the list. */
static bool end_jobs(struct tct *c)
{
    unsigned n = 0;
    bool any;

    for (unsigned i = 0; i < c->njobs; i++) {
        struct tct_job *job = &c->jobs[c->order[i]];

        if (job->ended < job->npieces)
            c->order[n++] = c->order[i];
        else
            job->ticket = 0;
    }
    any = n != c->njobs;
    c->njobs = n;
    c->has_ended |= any;
    return any;
}

bool tct_run(struct tct *c)
{
    bool ended = false, again = c->njobs > 0;

    while (again) {
        again = false;
        for (unsigned ch = 0; ch < c->nchannels; ch++)
            again |= tct_channel_end(c, ch);
        ended |= end_jobs(c);
        for (unsigned ch = 0; ch < c->nchannels; ch++)
            again |= start_on(c, ch);
        again |= fill_one(c);
    }
    ended |= end_jobs(c);
    return ended;
}

/* A piece that is to land waits for the software of the far side, where there is no room. */
bool tct_to_do(struct tct *c)
{
    for (unsigned i = 0; i < c->njobs; i++) {
        const struct tct_job *job = &c->jobs[c->order[i]];

        if (job->started < job->npieces && (!job->landing || tct_has_piece_room(c, job->dest, 0)))
            return true;
    }
    return false;
}

void tct_run_wait(struct tct *c)
{
    struct host *h = tct_host(c);
    bool busy = false;

    for (unsigned ch = 0; ch < c->nchannels; ch++)
        busy |= c->channel[ch].busy;
    if (busy && c->set.fault != 0)
        return; /* looks take their time */
    for (unsigned ch = 0; !busy && c->njobs > 0 && ch < c->nchannels; ch++)
        if (!driver_channel_idle(h, c->hubs.d, c->channel[ch].number)) {
            (void)driver_channel_wait(h, c->hubs.d, c->channel[ch].number);
            return;
        }
    h->bus->wait_write(h, c->hubs.inbox, (uint32_t)c->rings_at);
}

void tct_job_wait(struct tct *c, const struct tct_job *job, transport_ticket ticket)
{
    (void)tct_run(c);
    while (job->ticket == ticket) {
        tct_run_wait(c);
        (void)tct_run(c);
    }
}
