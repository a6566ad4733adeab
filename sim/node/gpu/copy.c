/*
 * The copy engine. Jobs run in order, one at a time, each after a set-up time.
 * Ends on the bus are read and written with real TLPs: reads with a limited
 * number of tags, writes of up to the maximum payload, both as the port takes
 * them and both cut at multiples of their largest size, so that an odd address
 * never makes one double word too many. Inside the device a copy takes its
 * bytes at a fixed rate.
 */
#include "node/gpu/internal.h"

#include <stdlib.h>
#include <string.h>

static void jobs_push(struct gpu_jobs *jobs, struct gpu_job *job)
{
    job->next = NULL;
    if (jobs->tail != NULL)
        jobs->tail->next = job;
    else
        jobs->head = job;
    jobs->tail = job;
}

static struct gpu_job *jobs_pop(struct gpu_jobs *jobs)
{
    struct gpu_job *job = jobs->head;

    if (job == NULL)
        return NULL;
    jobs->head = job->next;
    if (jobs->head == NULL)
        jobs->tail = NULL;
    return job;
}

/** The head of the queue, if there is one, begins its set-up now. */
static void begin_job(struct node_gpu *gpu)
{
    struct gpu_copy *cp = &gpu->copy;

    cp->asked = cp->got = cp->sent = 0;
    cp->failed = false;
    cp->turn += cp->unanswered;
    cp->unanswered = false;
    cp->start = sim_now(gpu->dom) + gpu->cfg.copy.setup_ps;
    if (gpu->probe != NULL)
        gpu_probe_copy(gpu, false);
    if (cp->queue.head != NULL)
        gpu_wake(gpu, cp->start);
}

static void check_end(const struct node_gpu *gpu, struct node_gpu_end end, uint64_t bytes)
{
    if (end.device)
        SIM_ASSERT(mem_ram_holds(&gpu->memory, end.addr, bytes));
    else /* before configuration a device may not issue requests (2.2.6.2) */
        SIM_ASSERT(gpu->fn.id != 0);
}

void node_gpu_copy(struct node_gpu *gpu, struct node_gpu_end dst, struct node_gpu_end src,
                   uint64_t bytes, node_gpu_done_fn done, void *arg)
{
    struct gpu_copy *cp = &gpu->copy;
    struct gpu_job *job = jobs_pop(&cp->unused);

    check_end(gpu, dst, bytes);
    check_end(gpu, src, bytes);
    if (job == NULL)
        job = malloc(sizeof(*job));
    SIM_ASSERT(job != NULL);
    *job = (struct gpu_job){ .dst = dst, .src = src, .bytes = bytes, .done = done, .arg = arg };
    jobs_push(&cp->queue, job);
    if (cp->queue.head == job)
        begin_job(gpu);
}

static void done_event(struct sim_event *ev)
{
    struct node_gpu *gpu = SIM_CONTAINER_OF(ev, struct node_gpu, copy.done);
    struct gpu_job *job;

    while ((job = jobs_pop(&gpu->copy.finished)) != NULL) {
        node_gpu_done_fn done = job->done;
        void *arg = job->arg;

        jobs_push(&gpu->copy.unused, job);
        done(arg);
    }
}

static void end_job(struct node_gpu *gpu)
{
    struct gpu_copy *cp = &gpu->copy;

    cp->failures += cp->failed;
    jobs_push(&cp->finished, jobs_pop(&cp->queue));
    sim_schedule_by(gpu->dom, &cp->done, sim_now(gpu->dom), SIM_TASK);
    begin_job(gpu);
}

/* ---- bytes of the job ----------------------------------------------------------------- */

static struct pcie_tlp request(struct node_gpu *gpu, enum pcie_tlp_kind kind)
{
    return (struct pcie_tlp){ .kind = (uint8_t)kind, .requester_id = gpu->fn.id };
}

/** Queues `n` bytes at `at` of the job as one write to the bus. */
static void queue_write(struct node_gpu *gpu, uint64_t addr, const uint8_t *bytes, uint32_t n)
{
    struct pcie_tlp tlp = request(gpu, PCIE_MWR);

    pcie_tlp_set_range(&tlp, addr, n);
    tlp.payload = node_payload(gpu->payloads, tlp.length_dw * 4u);
    memset(tlp.payload->data, 0, 4); /* bytes that are not enabled */
    memset(tlp.payload->data + node_span(&tlp) - 4, 0, 4);
    memcpy(tlp.payload->data + (addr & 3), bytes, n);
    node_packet_push(&gpu->copy.out, node_packet_get(&gpu->packets, &tlp, sim_now(gpu->dom)));
}

/** `n` bytes of the job, from `at` on, are at hand: to memory, or on their way to the bus. */
static void put(struct node_gpu *gpu, uint64_t at, const uint8_t *bytes, uint32_t n)
{
    struct gpu_copy *cp = &gpu->copy;
    uint64_t to = cp->queue.head->dst.addr + at;

    cp->got += n;
    if (cp->queue.head->dst.device) {
        memcpy(gpu->memory.bytes + to, bytes, n);
        gpu_wrote(gpu, to, n);
        cp->sent += n;
        return;
    }
    while (n > 0) {
        uint32_t piece = pcie_split_completion(to, n, pcie_port_mps(gpu->port));

        queue_write(gpu, to, bytes, piece);
        to += piece;
        bytes += piece;
        n -= piece;
    }
}

static void send_writes(struct node_gpu *gpu)
{
    struct gpu_copy *cp = &gpu->copy;

    while (cp->out.head != NULL && pcie_port_can_send(gpu->port, PCIE_POSTED)) {
        struct node_packet *p = node_packet_pop(&cp->out);
        uint64_t first;

        cp->sent += pcie_tlp_range(&p->tlp, &first);
        gpu_send(gpu, &p->tlp);
        node_packet_put(&gpu->packets, p);
    }
}

/** May the engine move more now? It has a rate of its own, less than the link's. */
static bool in_time(const struct node_gpu *gpu)
{
    return gpu->copy.next <= sim_now(gpu->dom);
}

static void pace(struct node_gpu *gpu, uint32_t bytes)
{
    uint64_t rate = gpu->cfg.copy.bus_bytes_per_us;

    if (rate != 0)
        gpu->copy.next = sim_now(gpu->dom) + bytes * SIM_US / rate;
}

/** From device memory to the bus, as far as the port takes it. */
static void push_out(struct node_gpu *gpu)
{
    struct gpu_copy *cp = &gpu->copy;
    const struct gpu_job *job = cp->queue.head;

    send_writes(gpu);
    while (cp->got < job->bytes && cp->out.head == NULL && in_time(gpu)) {
        uint32_t n = pcie_split_completion(job->dst.addr + cp->got, job->bytes - cp->got,
                                           pcie_port_mps(gpu->port));

        put(gpu, cp->got, gpu->memory.bytes + job->src.addr + cp->got, n);
        pace(gpu, n);
        send_writes(gpu);
    }
}

/* ---- reads of the bus ------------------------------------------------------------------ */

static unsigned free_place(const struct node_gpu *gpu)
{
    unsigned at = 0;

    while (gpu->copy.reads[at].busy)
        at++;
    return at;
}

/** A read that was given up may still be answered: the next job uses other tags, as far as there
 * are enough. */
static uint8_t tag_of(const struct node_gpu *gpu, unsigned at)
{
    unsigned tags = (unsigned)gpu->cfg.copy.tags, sets = GPU_TAGS_MAX / tags;

    return (uint8_t)(gpu->copy.turn % sets * tags + at);
}

/** The read takes a place in which it waits for completions. */
static void begin_read(struct node_gpu *gpu, struct gpu_copy_read *r)
{
    struct gpu_copy *cp = &gpu->copy;
    sim_time_t wait = gpu->cfg.copy.completion_timeout_ps;

    r->busy = true;
    r->deadline_ps = wait != 0 ? sim_now(gpu->dom) + wait : SIM_TIME_NEVER;
    if (cp->busy_tags++ == 0 && wait != 0)
        sim_schedule_at(gpu->dom, &cp->timeout, r->deadline_ps, SIM_CLOCK);
}

static void end_read(struct node_gpu *gpu, struct gpu_copy_read *r)
{
    r->busy = false;
    if (--gpu->copy.busy_tags == 0)
        sim_cancel(gpu->dom, &gpu->copy.timeout);
}

/** Whether a read would be issued if there were a tag for it. */
static bool wants_tag(const struct node_gpu *gpu)
{
    const struct gpu_copy *cp = &gpu->copy;

    return cp->asked < cp->queue.head->bytes && cp->out.head == NULL &&
           pcie_port_can_send(gpu->port, PCIE_NONPOSTED);
}

/** Counts the time in which only a tag is missing; called whenever that may have changed. */
static void watch_tags(struct node_gpu *gpu, bool missing)
{
    struct gpu_copy *cp = &gpu->copy;
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

/** Issues reads while tags are free and what was read is not held up on its way out. */
static void ask(struct node_gpu *gpu)
{
    struct gpu_copy *cp = &gpu->copy;
    const struct gpu_job *job = cp->queue.head;

    while (cp->busy_tags < gpu->cfg.copy.tags && wants_tag(gpu) && in_time(gpu)) {
        struct pcie_tlp tlp = request(gpu, PCIE_MRD);
        uint64_t addr = job->src.addr + cp->asked;
        uint32_t n =
            pcie_split_completion(addr, job->bytes - cp->asked, (uint32_t)gpu->cfg.copy.read_bytes);
        unsigned at = free_place(gpu);

        tlp.tag = tag_of(gpu, at);
        cp->reads[at] = (struct gpu_copy_read){ .tag = tlp.tag, .at = cp->asked, .left = n };
        begin_read(gpu, &cp->reads[at]);
        cp->asked += n;
        pace(gpu, n);
        pcie_tlp_set_range(&tlp, addr, n);
        gpu_send(gpu, &tlp);
    }
    watch_tags(gpu, cp->busy_tags == gpu->cfg.copy.tags && wants_tag(gpu));
}

/** The next `n` bytes of a read have come. */
static void advance(struct node_gpu *gpu, struct gpu_copy_read *r, const uint8_t *bytes, uint32_t n)
{
    put(gpu, r->at, bytes, n);
    r->at += n;
    r->left -= n;
}

/** `n` bytes of a read that failed are all ones, as a host would see them. */
static void fail_read(struct node_gpu *gpu, struct gpu_copy_read *r, uint32_t n)
{
    uint8_t ones[GPU_CHUNK];

    memset(ones, 0xff, sizeof(ones));
    gpu->stat.copy_errors++;
    gpu->copy.failed = true;
    while (n > 0) {
        uint32_t some = n < sizeof(ones) ? n : (uint32_t)sizeof(ones);

        advance(gpu, r, ones, some);
        n -= some;
    }
}

/** The read that a completion answers, or NULL. */
static struct gpu_copy_read *read_of(struct node_gpu *gpu, uint8_t tag)
{
    for (unsigned at = 0; at < gpu->cfg.copy.tags; at++) {
        struct gpu_copy_read *r = &gpu->copy.reads[at];

        if (r->busy && r->tag == tag)
            return r;
    }
    return NULL;
}

static void completed(struct node_gpu *gpu, const struct pcie_tlp *cpl)
{
    struct gpu_copy_read *r = read_of(gpu, cpl->tag);
    bool data = cpl->payload != NULL && cpl->status == PCIE_CPL_SC;
    uint32_t skip = cpl->lower_addr & 3u, n = cpl->length_dw * 4u - skip;

    if (r == NULL || cpl->requester_id != gpu->fn.id) {
        gpu->stat.copy_errors++;
        pcie_port_advisory(gpu->port, PCIE_ERR_UNEXPECTED, cpl);
        return;
    }
    pcie_port_answered(gpu->port, cpl);
    n = data && n < r->left ? n : r->left;
    if (data && cpl->poisoned == 0)
        advance(gpu, r, cpl->payload->data + skip, n);
    else
        fail_read(gpu, r, n);
    if (r->left == 0)
        end_read(gpu, r);
}

/** Reads that were not answered in time (2.8). */
static void timeout_event(struct sim_event *ev)
{
    struct node_gpu *gpu = SIM_CONTAINER_OF(ev, struct node_gpu, copy.timeout);
    struct gpu_copy *cp = &gpu->copy;
    sim_time_t now = sim_now(gpu->dom), next = SIM_TIME_NEVER;

    for (unsigned at = 0; at < gpu->cfg.copy.tags; at++) {
        struct gpu_copy_read *r = &cp->reads[at];

        if (r->busy && r->deadline_ps <= now) {
            pcie_port_error(gpu->port, PCIE_ERR_TIMEOUT, NULL);
            cp->unanswered = true;
            fail_read(gpu, r, r->left);
            end_read(gpu, r);
        } else if (r->busy && r->deadline_ps < next) {
            next = r->deadline_ps;
        }
    }
    if (next != SIM_TIME_NEVER)
        sim_schedule_by(gpu->dom, &cp->timeout, next, SIM_CLOCK);
    gpu_wake(gpu, now);
}

static void take_completions(struct node_gpu *gpu)
{
    while (gpu->completions.head != NULL) {
        struct node_packet *p = node_packet_pop(&gpu->completions);

        pcie_port_consume(gpu->port, PCIE_COMPLETION, pcie_tlp_data_credits(&p->tlp));
        completed(gpu, &p->tlp);
        pcie_tlp_drop(&p->tlp);
        node_packet_put(&gpu->packets, p);
    }
}

/* ---- the engine ---------------------------------------------------------------------------- */

static sim_time_t local_end(const struct node_gpu *gpu)
{
    uint64_t rate = gpu->cfg.copy.local_bytes_per_us, bytes = gpu->copy.queue.head->bytes;

    if (rate == 0)
        return gpu->copy.start;
    return gpu->copy.start + bytes / rate * SIM_US + bytes % rate * SIM_US / rate;
}

static void copy_inside(struct node_gpu *gpu)
{
    const struct gpu_job *job = gpu->copy.queue.head;

    memmove(gpu->memory.bytes + job->dst.addr, gpu->memory.bytes + job->src.addr, job->bytes);
    if (sim_fingerprint_on(gpu->dom))
        sim_visible(gpu->dom, gpu->where ^ job->dst.addr,
                    sim_hash_bytes(job->bytes, gpu->memory.bytes + job->dst.addr, job->bytes));
}

sim_time_t gpu_copy_run(struct node_gpu *gpu)
{
    struct gpu_copy *cp = &gpu->copy;
    sim_time_t now = sim_now(gpu->dom);

    take_completions(gpu);
    while (cp->queue.head != NULL) {
        const struct gpu_job *job = cp->queue.head;

        if (cp->start > now)
            return cp->start;
        if (gpu->probe != NULL)
            gpu_probe_copy(gpu, true);
        if (job->src.device && job->dst.device) {
            if (local_end(gpu) > now)
                return local_end(gpu);
            copy_inside(gpu);
            end_job(gpu);
            continue;
        }
        if (job->src.device) {
            push_out(gpu);
        } else {
            send_writes(gpu);
            ask(gpu);
        }
        if (cp->sent < job->bytes) /* completions or gpu_ready() will come */
            return in_time(gpu) ? SIM_TIME_NEVER : cp->next;
        end_job(gpu);
    }
    return SIM_TIME_NEVER;
}

void gpu_copy_init(struct node_gpu *gpu)
{
    sim_event_init(&gpu->copy.done, done_event);
    gpu->copy.tagless_since = SIM_TIME_NEVER;
    sim_event_init(&gpu->copy.timeout, timeout_event);
    if (gpu->probe != NULL)
        gpu_probe_copy(gpu, false);
}

static void jobs_free(struct gpu_jobs *jobs)
{
    struct gpu_job *job;

    while ((job = jobs_pop(jobs)) != NULL)
        free(job);
}

void gpu_copy_fini(struct node_gpu *gpu)
{
    jobs_free(&gpu->copy.queue);
    jobs_free(&gpu->copy.finished);
    jobs_free(&gpu->copy.unused);
}
