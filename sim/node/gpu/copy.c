/*
 * What the two copy engines do: one has jobs from the device to the bus, one all others. Both share
 * the port.
 * Ends on the bus are read and written with real TLPs, as the port takes them: reads with a limited
 * number of tags, writes of up to the maximum payload. Both are cut at multiples of their largest
 * size, so that an odd address never makes one double word too many. Inside the device a copy takes
 * its bytes at a fixed rate. One to a peer ends with a read that pushes its writes.
 */
#include "node/gpu/internal.h"

#include <string.h>

static void check_end(const struct node_gpu *gpu, struct node_gpu_end end, uint64_t bytes)
{
    SIM_ASSERT(end.row_bytes == 0 || (end.device && end.pitch >= end.row_bytes));
    if (end.device)
        SIM_ASSERT(mem_ram_holds(&gpu->memory, end.addr, gpu_rows_span(end, bytes)));
    else
        SIM_ASSERT(node_gpu_is_configured(gpu));
}

struct node_gpu_job *node_gpu_copy(struct node_gpu *gpu, struct node_gpu_after after,
                                   struct node_gpu_end dst, struct node_gpu_end src, uint64_t bytes,
                                   node_gpu_done_fn done, void *arg)
{
    struct gpu_copy *cp = &gpu->copy[node_gpu_copy_engine(dst, src)];
    struct node_gpu_job *job;

    check_end(gpu, dst, bytes);
    check_end(gpu, src, bytes);
    SIM_ASSERT(!dst.device || !src.device || (dst.row_bytes == 0 && src.row_bytes == 0));
    job = gpu_engine_add(&cp->engine, after, done, arg);
    job->dst = dst;
    job->src = src;
    job->bytes = bytes;
    return job;
}

static void end_job(struct gpu_copy *cp)
{
    cp->failures += cp->failed;
    cp->turn += cp->unanswered;
    cp->asked = cp->got = cp->sent = 0;
    cp->failed = cp->flushing = cp->unanswered = false;
    gpu_engine_end(&cp->engine);
}

/* ---- bytes of the job ----------------------------------------------------------------- */

/** `n` bytes of the job, from `at` on, are at hand: to memory, or on their way to the bus. */
static void put_bytes(struct gpu_copy *cp, uint64_t at, const uint8_t *bytes, uint32_t n)
{
    struct node_gpu *gpu = cp->engine.gpu;
    const struct node_gpu_job *job = cp->engine.queue.head;
    uint64_t to = job->dst.addr + at;

    cp->got += n;
    if (job->dst.device) {
        gpu_rows_put(gpu, job->dst, at, bytes, n);
        cp->sent += n;
        return;
    }
    while (n > 0) {
        uint32_t piece = pcie_split_completion(to, n, pcie_port_mps(gpu->port));
        struct pcie_tlp tlp;
        struct node_packet *p;

        tlp = pcie_tlp_write(gpu->payloads, gpu->fn.id, to, bytes, piece);
        p = node_packet_get(&gpu->packets, &tlp, sim_now(gpu->dom));
        sim_list_push(&cp->writes, &p->link);
        to += piece;
        bytes += piece;
        n -= piece;
    }
}

static void send_writes(struct gpu_copy *cp)
{
    struct node_gpu *gpu = cp->engine.gpu;

    while (cp->writes.head != NULL && pcie_port_can_send(gpu->port, PCIE_POSTED)) {
        struct node_packet *p = sim_list_pop(&cp->writes);
        uint64_t first;

        cp->sent += pcie_tlp_range(&p->tlp, &first);
        gpu_send(gpu, &p->tlp);
        node_packet_put(&gpu->packets, p);
    }
}

/** May the engine move more now? It has a rate of its own, less than the link's. */
static bool in_time(const struct gpu_copy *cp)
{
    return cp->next <= sim_now(cp->engine.gpu->dom);
}

static void set_pace(struct gpu_copy *cp, uint32_t bytes)
{
    uint64_t rate = cp->engine.gpu->cfg.copy.bus_bytes_per_us;

    if (rate != 0)
        cp->next = sim_now(cp->engine.gpu->dom) + bytes * SIM_US / rate;
}

/** From device memory to the bus, as far as the port takes it. */
static void push_out(struct gpu_copy *cp)
{
    struct node_gpu *gpu = cp->engine.gpu;
    const struct node_gpu_job *job = cp->engine.queue.head;

    send_writes(cp);
    while (cp->got < job->bytes && cp->writes.head == NULL && in_time(cp)) {
        uint32_t n = pcie_split_completion(job->dst.addr + cp->got, job->bytes - cp->got,
                                           pcie_port_mps(gpu->port));
        uint8_t bytes[PCIE_MAX_PAYLOAD];

        gpu_rows_get(gpu, job->src, cp->got, bytes, n);
        put_bytes(cp, cp->got, bytes, n);
        set_pace(cp, n);
        send_writes(cp);
    }
}

/* ---- reads of the bus ------------------------------------------------------------------ */

static unsigned free_place(const struct gpu_copy *cp)
{
    unsigned at = 0;

    while (cp->reads[at].busy)
        at++;
    return at;
}

/** A read that was given up may still be answered: the next job uses other tags, as far as there
 * are enough. */
static uint8_t tag_of(const struct gpu_copy *cp, unsigned at)
{
    unsigned tags = (unsigned)cp->engine.gpu->cfg.copy.tags, sets = GPU_TAGS_MAX / tags;

    return (uint8_t)(cp->turn % sets * tags + at);
}

/** The read takes a place in which it waits for completions. */
static void begin_read(struct gpu_copy *cp, struct gpu_copy_read *r)
{
    struct node_gpu *gpu = cp->engine.gpu;
    sim_time_t wait = gpu->cfg.copy.completion_timeout_ps;

    r->busy = true;
    r->deadline_ps = wait != 0 ? sim_now(gpu->dom) + wait : SIM_TIME_NEVER;
    if (cp->busy_tags++ == 0 && wait != 0)
        sim_schedule_at(gpu->dom, &cp->timeout, r->deadline_ps, SIM_CLOCK);
}

static void end_read(struct gpu_copy *cp, struct gpu_copy_read *r)
{
    r->busy = false;
    if (--cp->busy_tags == 0)
        sim_cancel(cp->engine.gpu->dom, &cp->timeout);
}

/** Whether a read would be issued if there were a tag for it. */
static bool wants_tag(const struct gpu_copy *cp)
{
    const struct node_gpu_job *job = cp->engine.queue.head;

    return cp->asked < job->bytes && cp->writes.head == NULL &&
           pcie_port_can_send(cp->engine.gpu->port, PCIE_NONPOSTED);
}

/** Counts the time in which only a tag is missing; called whenever that may have changed. */
static void watch_tags(struct gpu_copy *cp, bool missing)
{
    struct node_gpu *gpu = cp->engine.gpu;
    sim_time_t now = sim_now(gpu->dom);

    if (missing == (cp->tagless_since != SIM_TIME_NEVER))
        return;
    if (!missing) {
        gpu->stat.copy_stall_tag_ps += now - cp->tagless_since;
        if (gpu->probe != NULL)
            sim_probe_stall(gpu->probe, gpu->path, "copy", SIM_STALL_TAG, cp->tagless_since, now);
    }
    cp->tagless_since = missing ? now : SIM_TIME_NEVER;
}

/** Issues reads while tags are free and nothing that was read waits to leave. */
static void ask_reads(struct gpu_copy *cp)
{
    struct node_gpu *gpu = cp->engine.gpu;
    const struct node_gpu_job *job = cp->engine.queue.head;

    while (cp->busy_tags < gpu->cfg.copy.tags && wants_tag(cp) && in_time(cp)) {
        struct pcie_tlp tlp = { .kind = PCIE_MRD, .requester_id = gpu->fn.id };
        uint64_t addr = job->src.addr + cp->asked;
        uint32_t n =
            pcie_split_completion(addr, job->bytes - cp->asked, (uint32_t)gpu->cfg.copy.read_bytes);
        unsigned at = free_place(cp);

        tlp.tag = tag_of(cp, at);
        cp->reads[at] = (struct gpu_copy_read){ .tag = tlp.tag, .at = cp->asked, .left = n };
        begin_read(cp, &cp->reads[at]);
        cp->asked += n;
        set_pace(cp, n);
        pcie_tlp_set_range(&tlp, addr, n);
        gpu_send(gpu, &tlp);
    }
    watch_tags(cp, cp->busy_tags == gpu->cfg.copy.tags && wants_tag(cp));
}

/** The next `n` bytes of a read have come. */
static void advance_read(struct gpu_copy *cp, struct gpu_copy_read *r, const uint8_t *bytes,
                         uint32_t n)
{
    put_bytes(cp, r->at, bytes, n);
    r->at += n;
    r->left -= n;
}

/** `n` bytes of a read that failed are all ones, as a host would see them. */
static void fail_read(struct gpu_copy *cp, struct gpu_copy_read *r, uint32_t n)
{
    uint8_t ones[GPU_CHUNK];

    memset(ones, 0xff, sizeof(ones));
    cp->engine.gpu->stat.copy_errors++;
    cp->failed = true;
    while (n > 0) {
        uint32_t some = (uint32_t)sim_min(n, sizeof(ones));

        advance_read(cp, r, ones, some);
        n -= some;
    }
}

/**
 * A read from where the last byte went, behind all writes to a peer. It passes none of them
 * (2.4.1), as one by a core could, where they wait between the two. @return whether it has been
 * answered.
 */
static bool flush_peer(struct gpu_copy *cp)
{
    struct node_gpu *gpu = cp->engine.gpu;
    const struct node_gpu_job *job = cp->engine.queue.head;
    struct pcie_tlp tlp = { .kind = PCIE_MRD, .requester_id = gpu->fn.id };

    if (cp->flushing)
        return !cp->reads[0].busy;
    if (!pcie_port_can_send(gpu->port, PCIE_NONPOSTED))
        return false; /* gpu_ready() will come */
    tlp.tag = (uint8_t)(GPU_TAGS_MAX + cp->turn % GPU_FLUSH_TAGS);
    cp->flushing = true;
    cp->reads[0] = (struct gpu_copy_read){ .tag = tlp.tag };
    begin_read(cp, &cp->reads[0]);
    pcie_tlp_set_range(&tlp, job->dst.addr + job->bytes - 1, 1);
    gpu_send(gpu, &tlp);
    return false;
}

/** The read that a completion answers, or NULL. */
static struct gpu_copy_read *read_of(struct gpu_copy *cp, uint8_t tag)
{
    for (unsigned at = 0; at < cp->engine.gpu->cfg.copy.tags; at++) {
        struct gpu_copy_read *r = &cp->reads[at];

        if (r->busy && r->tag == tag)
            return r;
    }
    return NULL;
}

static void completion_arrived(struct gpu_copy *cp, const struct pcie_tlp *cpl)
{
    struct node_gpu *gpu = cp->engine.gpu;
    struct gpu_copy_read *r = read_of(cp, cpl->tag);
    bool data = cpl->payload != NULL && cpl->status == PCIE_CPL_SC;
    uint32_t skip = cpl->lower_addr & 3u, n = cpl->length_dw * 4u - skip;

    if (r == NULL || cpl->requester_id != gpu->fn.id) {
        gpu->stat.copy_errors++;
        pcie_port_advisory(gpu->port, PCIE_ERR_UNEXPECTED, cpl);
        return;
    }
    pcie_port_answered(gpu->port, cpl);
    n = data ? (uint32_t)sim_min(n, r->left) : r->left;
    if (data && cpl->poisoned == 0)
        advance_read(cp, r, cpl->payload->data + skip, n);
    else
        fail_read(cp, r, n);
    if (r->left == 0)
        end_read(cp, r);
}

/** Reads that were not answered in time (2.8). */
static void timeout_event(struct sim_event *ev)
{
    struct gpu_copy *cp = SIM_CONTAINER_OF(ev, struct gpu_copy, timeout);
    struct node_gpu *gpu = cp->engine.gpu;
    sim_time_t now = sim_now(gpu->dom), next = SIM_TIME_NEVER;

    for (unsigned at = 0; at < gpu->cfg.copy.tags; at++) {
        struct gpu_copy_read *r = &cp->reads[at];

        if (r->busy && r->deadline_ps <= now) {
            pcie_port_error(gpu->port, PCIE_ERR_TIMEOUT, NULL);
            cp->unanswered = true;
            fail_read(cp, r, r->left);
            end_read(cp, r);
        } else if (r->busy) {
            next = sim_min(next, r->deadline_ps);
        }
    }
    if (next != SIM_TIME_NEVER)
        sim_schedule_by(gpu->dom, &cp->timeout, next, SIM_CLOCK);
    gpu_wake(gpu, now);
}

static void take_completions(struct node_gpu *gpu)
{
    while (gpu->completions.head != NULL) {
        struct node_packet *p = sim_list_pop(&gpu->completions);

        pcie_port_consume(gpu->port, PCIE_COMPLETION, pcie_tlp_data_credits(&p->tlp));
        completion_arrived(&gpu->copy[p->tlp.tag >= GPU_TAGS_MAX], &p->tlp);
        node_packet_drop(&gpu->packets, p);
    }
}

/* ---- the engines --------------------------------------------------------------------------- */

static sim_time_t local_end(const struct gpu_copy *cp, uint64_t bytes)
{
    uint64_t rate = cp->engine.gpu->cfg.copy.local_bytes_per_us;

    if (rate == 0)
        return cp->engine.start;
    return cp->engine.start + bytes / rate * SIM_US + bytes % rate * SIM_US / rate;
}

static void copy_inside(struct node_gpu *gpu, const struct node_gpu_job *job)
{
    memmove(gpu->memory.bytes + job->dst.addr, gpu->memory.bytes + job->src.addr, job->bytes);
    if (sim_fingerprint_on(gpu->dom))
        sim_visible(gpu->dom, gpu->where ^ job->dst.addr,
                    sim_hash_bytes(job->bytes, gpu->memory.bytes + job->dst.addr, job->bytes));
}

/** @return when to look again. */
static sim_time_t run_engine(struct gpu_copy *cp)
{
    struct node_gpu *gpu = cp->engine.gpu;
    sim_time_t now = sim_now(gpu->dom);

    while (cp->engine.queue.head != NULL) {
        const struct node_gpu_job *job = cp->engine.queue.head;
        sim_time_t next;

        if (!gpu_engine_begun(&cp->engine, &next))
            return next;
        if (job->src.device && job->dst.device) {
            sim_time_t end = local_end(cp, job->bytes);

            if (end > now)
                return end;
            copy_inside(gpu, job);
            end_job(cp);
            continue;
        }
        if (job->src.device) {
            push_out(cp);
        } else {
            send_writes(cp);
            ask_reads(cp);
        }
        if (cp->sent < job->bytes) /* completions or gpu_ready() will come */
            return in_time(cp) ? SIM_TIME_NEVER : cp->next;
        if (job->dst.peer && !flush_peer(cp))
            return SIM_TIME_NEVER;
        end_job(cp);
    }
    return SIM_TIME_NEVER;
}

sim_time_t gpu_copy_run(struct node_gpu *gpu)
{
    sim_time_t next[GPU_COPIES];

    take_completions(gpu);
    for (unsigned i = 0; i < GPU_COPIES; i++) /* one that ends wakes the other, if that waits */
        next[i] = run_engine(&gpu->copy[i]);
    return sim_min(next[0], next[1]);
}

void gpu_copy_init(struct node_gpu *gpu)
{
    for (unsigned i = 0; i < GPU_COPIES; i++) {
        struct gpu_copy *cp = &gpu->copy[i];

        gpu_engine_init(&cp->engine, gpu, (enum node_gpu_engine)i, gpu->cfg.copy.setup_ps);
        cp->tagless_since = SIM_TIME_NEVER;
        sim_event_init(&cp->timeout, timeout_event);
    }
}

void gpu_copy_fini(struct node_gpu *gpu)
{
    for (unsigned i = 0; i < GPU_COPIES; i++)
        gpu_engine_fini(&gpu->copy[i].engine);
}
