/*
 * What the GPU's port takes in. Writes become visible a fixed time after their
 * arrival, in order. Reads wait in the receive buffer until one of the read
 * slots is free; then each chunk of a read asks its L2 slice. Completions leave
 * in order within a read, but reads overtake each other as their data comes. A read never shows
 * memory without the writes that came before it.
 *
 * Reads overlap each other, and so do writes. But a read may not pass a write (2.4.1), so it waits
 * until memory has acknowledged the writes before it, if that takes time (write_ack_ps). Then the
 * GPU takes up both kinds in the order in which they came, one at a time as long as both are there.
 */
#include "node/gpu/internal.h"

#include <stdlib.h>

#define NOWHERE UINT64_MAX

/** Where in device memory the BAR shows [addr, addr + bytes); NOWHERE: no page is pinned there. */
static uint64_t memory_offset(const struct node_gpu *gpu, uint64_t addr, uint64_t bytes)
{
    int bar = pcie_function_claims(&gpu->fn, addr);
    uint64_t offset;
    uint32_t page;

    if (bar < 0)
        return NOWHERE;
    offset = addr - pcie_function_bar(&gpu->fn, (unsigned)bar);
    if (offset + bytes > gpu->cfg.bar_bytes)
        return NOWHERE;
    /* A request stays within 4 KiB, hence within one page (2.2.7). */
    page = gpu->bar_pages[offset >> GPU_PAGE_SHIFT];
    if (page == 0)
        return NOWHERE;
    return ((uint64_t)(page - 1) << GPU_PAGE_SHIFT) + offset % GPU_PAGE_BYTES;
}

/** Where in device memory the bytes of a write go; NOWHERE: memory does not take them. */
static uint64_t write_offset(const struct node_gpu *gpu, const struct pcie_tlp *tlp)
{
    return tlp->kind == PCIE_MWR && tlp->poisoned == 0
               ? memory_offset(gpu, tlp->addr, node_span(tlp))
               : NOWHERE;
}

static void consume_credits(struct node_gpu *gpu, const struct pcie_tlp *tlp)
{
    pcie_port_consume(gpu->port, pcie_tlp_class(tlp), pcie_tlp_data_credits(tlp));
}

/** The head of a queue waited from `from` to `to` for the memory behind it. */
static void add_stall(struct node_gpu *gpu, sim_time_t from, sim_time_t to)
{
    gpu->stat.stall_memory_ps += to - from;
    if (gpu->probe != NULL)
        sim_probe_stall(gpu->probe, pcie_port_path(gpu->port), "rx", SIM_STALL_MEMORY, from, to);
}

/** A write that could be visible at `due` is so one interval behind the write before it. */
static void add_write_stall(struct node_gpu *gpu, sim_time_t due)
{
    sim_time_t before = gpu->next_write - gpu->cfg.write_interval_ps;

    add_stall(gpu, sim_max(due, before), gpu->next_write);
}

/** May the first of one kind begin, what came before it having begun? */
static bool is_its_turn(const struct node_gpu *gpu, bool write)
{
    sim_time_t now = sim_now(gpu->dom);
    bool alone = write ? gpu->fetched <= now && gpu->requests.head == NULL
                       : gpu->acknowledged <= now && gpu->held.head == NULL;

    return alone || sim_max(gpu->fetched, gpu->acknowledged) <= now;
}

/** Memory takes a write. */
static void begin_write(struct node_gpu *gpu, struct node_packet *p)
{
    sim_time_t now = sim_now(gpu->dom), since = sim_max(p->arrived, gpu->write_since);

    gpu->write_since = now;
    gpu->writes_begun++;
    p->due = now + gpu->cfg.write_ps;
    gpu->acknowledged = now + gpu->cfg.write_ack_ps;
    if (since != now)
        add_stall(gpu, since, now);
    if (gpu->probe != NULL && p->arrived != now)
        p->tlp.trace_id = gpu_probe_mark(gpu, GPU_STAGE_WRITE_TURN, now, p->tlp.trace_id);
    if (gpu->probe != NULL)
        p->tlp.trace_id = gpu_probe_mark(gpu, GPU_STAGE_WRITE, p->due, p->tlp.trace_id);
    if (p->due < gpu->next_write) {
        add_write_stall(gpu, p->due);
        p->due = gpu->next_write;
    }
    gpu->next_write = p->due + gpu->cfg.write_interval_ps;
    gpu->write_mark = p->tlp.trace_id;
    sim_list_push(&gpu->writes, &p->link);
}

/**
 * Host code that looks at device memory stands for a kernel, which is launched behind what the GPU
 * has taken in. So it sees the bytes of a write that waits for its turn, or is on its way to
 * memory.
 */
static void show_write(struct node_gpu *gpu, struct node_packet *p)
{
    uint64_t offset = write_offset(gpu, &p->tlp);

    if (offset == NOWHERE)
        return;
    node_write_bytes(&gpu->memory, offset, &p->tlp);
    p->shown = true;
}

/** For the probe: a write that waits for its turn is seen before. */
static void mark_shown(struct node_gpu *gpu, const struct node_packet *p)
{
    if (gpu->probe != NULL && p->shown)
        (void)gpu_probe_bytes(gpu, GPU_STAGE_VISIBLE, write_offset(gpu, &p->tlp),
                              node_span(&p->tlp), p->tlp.trace_id);
}

/** @return whether any write began. */
static bool begin_writes(struct node_gpu *gpu)
{
    bool any = false, turns = gpu->cfg.write_ack_ps != 0;

    for (const struct node_packet *p; (p = gpu->held.head) != NULL; any = true) {
        if (turns && (p->order_after > gpu->requests_begun || !is_its_turn(gpu, true)))
            break;
        begin_write(gpu, sim_list_pop(&gpu->held));
    }
    return any;
}

void gpu_received(void *user, struct pcie_tlp *tlp)
{
    struct node_gpu *gpu = user;
    struct node_packet *p = node_packet_get(&gpu->packets, tlp, sim_now(gpu->dom));

    switch (pcie_tlp_class(tlp)) {
    case PCIE_POSTED:
        gpu->posted_in++;
        node_packet_enter(p, gpu->order, &gpu->arrivals, 0);
        p->order_after = gpu->requests_in;
        sim_list_push(&gpu->held, &p->link);
        show_write(gpu, p);
        (void)begin_writes(gpu);
        if (gpu->held.head != NULL) /* this one is the last of them */
            mark_shown(gpu, p);
        break;
    case PCIE_NONPOSTED:
        gpu->requests_in++;
        p->order_after = gpu->posted_in;
        node_packet_enter(p, gpu->order, &gpu->arrivals, 0);
        sim_list_push(&gpu->requests, &p->link);
        break;
    default:
        sim_list_push(&gpu->completions, &p->link);
        break;
    }
    gpu_wake(gpu, p->due);
}

void gpu_wrote(struct node_gpu *gpu, uint64_t offset, uint64_t bytes)
{
    gpu_l2_write(&gpu->l2, offset, bytes);
    if (sim_fingerprint_on(gpu->dom))
        sim_visible(gpu->dom, gpu->where ^ offset,
                    sim_hash_bytes(bytes, gpu->memory.bytes + offset, bytes));
}

/** A write to where no page is pinned, or of poisoned data, which memory does not take. */
static void refuse_write(struct node_gpu *gpu, const struct node_packet *p)
{
    bool poisoned = p->tlp.poisoned != 0;

    *(poisoned ? &gpu->stat.poisoned_writes : &gpu->stat.unpinned_writes) += 1;
    pcie_port_error(gpu->port, poisoned ? PCIE_ERR_POISONED : PCIE_ERR_UNSUPPORTED, &p->tlp);
}

static void write_memory(struct node_gpu *gpu, struct node_packet *p)
{
    uint64_t bytes = node_span(&p->tlp), offset = write_offset(gpu, &p->tlp);

    gpu->posted_done++;
    node_packet_leave(p, gpu->end); /* it is visible */
    if (offset != NOWHERE) {
        if (!p->shown)
            node_write_bytes(&gpu->memory, offset, &p->tlp);
        gpu_wrote(gpu, offset, bytes);
        if (gpu->probe != NULL)
            (void)gpu_probe_bytes(gpu, GPU_STAGE_VISIBLE, offset, bytes, p->tlp.trace_id);
        gpu->stat.write_bytes += bytes;
    } else if (p->tlp.kind == PCIE_MWR) {
        refuse_write(gpu, p);
    }
    consume_credits(gpu, &p->tlp);
    node_packet_drop(&gpu->packets, p);
}

/* ---- requests ---------------------------------------------------------------------- */

/** A completion that needs no memory, after the time of a read. */
static void answer_later(struct node_gpu *gpu, struct node_packet *p, const struct pcie_tlp *answer,
                         sim_time_t late_ps)
{
    consume_credits(gpu, &p->tlp);
    pcie_tlp_drop(&p->tlp);
    p->tlp = *answer;
    p->tlp.completer_id = gpu->fn.id;
    p->due = sim_now(gpu->dom) + gpu->cfg.read_ps + late_ps;
    if (gpu->probe != NULL)
        p->tlp.trace_id = gpu_probe_mark(gpu, GPU_STAGE_ANSWER, p->due, p->tlp.trace_id);
    sim_list_push(&gpu->answers, &p->link);
}

static struct pcie_tlp answer_config(struct node_gpu *gpu, const struct pcie_tlp *request)
{
    struct pcie_tlp answer = pcie_tlp_answer(request, PCIE_CPL_SC);
    uint32_t reg = (uint32_t)request->addr;
    uint8_t value[4];

    if (request->kind == PCIE_CFGWR0 && request->poisoned) { /* changes nothing (2.7.2.2) */
        pcie_port_error(gpu->port, PCIE_ERR_POISONED, request);
        return pcie_tlp_answer(request, PCIE_CPL_UR);
    }
    if (request->kind == PCIE_CFGWR0) {
        gpu->fn.id = request->completer_id; /* 2.2.6.2 */
        pcie_function_write(&gpu->fn, reg, sim_load32(request->payload->data), request->first_be);
        return answer;
    }
    sim_store(value, pcie_function_read(&gpu->fn, reg), sizeof(value));
    answer.kind = PCIE_CPLD;
    answer.length_dw = 1;
    answer.payload = pcie_payload(gpu->payloads, 0, value, sizeof(value));
    return answer;
}

/** @return when the chunk can leave; its mark in *mark_p where a probe is attached. */
static sim_time_t ask_slice(struct node_gpu *gpu, uint64_t offset, uint64_t bytes,
                            const struct pcie_tlp *tlp, uint64_t *mark_p)
{
    uint64_t misses = gpu->l2.misses;
    sim_time_t ready = gpu_l2_read(&gpu->l2, offset, bytes, sim_now(gpu->dom));

    if (gpu->probe != NULL)
        *mark_p = gpu_probe_chunk(gpu, ready, gpu->l2.misses != misses ? gpu->cfg.l2.dram_ps : 0,
                                  tlp->trace_id);
    return ready + gpu->cfg.read_ps;
}

/** For the probe: a read begins. If it has waited for the acknowledgement of a write, that write is
 * the cause. */
static uint64_t mark_turn(const struct node_gpu *gpu, const struct node_packet *p)
{
    sim_time_t now = sim_now(gpu->dom);

    if (gpu->cfg.write_ack_ps != 0 && p->arrived < now && gpu->acknowledged == now)
        return gpu_probe_mark(gpu, GPU_STAGE_READ_TURN, now, gpu->write_mark);
    return gpu_probe_mark(gpu, GPU_STAGE_SLOT, now, p->tlp.trace_id);
}

/** The read takes a slot and asks the L2 for each of its chunks. */
static void begin_read(struct node_gpu *gpu, struct node_packet *p, uint64_t offset,
                       sim_time_t late_ps)
{
    struct gpu_read *r = gpu->free_reads, **link = &gpu->active;
    uint64_t end;
    unsigned n = 0;

    gpu->free_reads = r->next;
    if (gpu->probe != NULL)
        p->tlp.trace_id = mark_turn(gpu, p);
    p->left = pcie_tlp_range(&p->tlp, &p->addr);
    if (p->left == 0)
        p->left = 1; /* no byte enabled: one double word, byte count 1 (2.2.9) */
    offset += p->addr - p->tlp.addr;
    end = offset + p->left;
    r->packet = p;
    r->from = gpu->memory.bytes + offset;
    r->chunk = p->addr / GPU_CHUNK;
    /* Pages keep the low bits of an address, so chunks of the bus are chunks of memory. */
    for (uint64_t at = offset; at < end; n++) {
        uint64_t bytes = pcie_split_completion(at, end - at, GPU_CHUNK);

        r->ready[n] = late_ps + ask_slice(gpu, at, bytes, &p->tlp, &r->mark[n]);
        gpu->fetched = sim_max(gpu->fetched, r->ready[n]);
        at += bytes;
    }
    while (*link != NULL)
        link = &(*link)->next;
    r->next = NULL;
    *link = r;
    gpu->stat.read_bytes += p->left;
    consume_credits(gpu, &p->tlp);
}

/** A request that is answered well, or wrongly on purpose. */
static void begin_answer(struct node_gpu *gpu, struct node_packet *p, uint64_t offset)
{
    struct pcie_verdict v = { .late_ps = 0 };
    struct pcie_tlp answer;

    if (gpu->misdeeds != NULL)
        v = pcie_misdeeds_judge(gpu->misdeeds, sim_now(gpu->dom));
    p->poison = v.poison;
    if (v.silent || v.abort || offset == NOWHERE) /* sees no memory */
        node_packet_forget(p);
    if (v.silent) {
        consume_credits(gpu, &p->tlp);
        node_packet_drop(&gpu->packets, p);
        return;
    }
    if (v.abort) {
        pcie_port_advisory(gpu->port, PCIE_ERR_ABORT, &p->tlp);
        answer = pcie_tlp_answer(&p->tlp, PCIE_CPL_CA);
    } else if (offset != NOWHERE) {
        begin_read(gpu, p, offset, v.late_ps);
        return;
    } else if (p->tlp.kind == PCIE_CFGRD0 || p->tlp.kind == PCIE_CFGWR0) {
        answer = answer_config(gpu, &p->tlp);
    } else {
        gpu->stat.unpinned_reads++;
        pcie_port_advisory(gpu->port, PCIE_ERR_UNSUPPORTED, &p->tlp);
        answer = pcie_tlp_answer(&p->tlp, PCIE_CPL_UR);
    }
    answer.poisoned = v.poison && answer.payload != NULL;
    answer_later(gpu, p, &answer, v.late_ps);
}

/** May the oldest request begin? Requests begin in order, those for memory when a slot is free.
 * @param offset_p of its memory, or NOWHERE */
static bool request_may_begin(const struct node_gpu *gpu, uint64_t *offset_p)
{
    const struct node_packet *p = gpu->requests.head;

    *offset_p = NOWHERE;
    if (p == NULL)
        return false;
    if (p->tlp.kind == PCIE_MRD)
        *offset_p = memory_offset(gpu, p->tlp.addr, node_span(&p->tlp));
    if (*offset_p != NOWHERE && gpu->free_reads == NULL)
        return false;
    return gpu->cfg.write_ack_ps == 0 ||
           (p->order_after <= gpu->writes_begun && is_its_turn(gpu, false));
}

static bool begin_request(struct node_gpu *gpu)
{
    struct node_packet *p;
    uint64_t offset;
    sim_time_t since;

    if (!request_may_begin(gpu, &offset))
        return false;
    p = sim_list_pop(&gpu->requests);
    gpu->requests_begun++;
    since = sim_max(p->arrived, gpu->request_since);
    gpu->request_since = sim_now(gpu->dom);
    if (since != gpu->request_since)
        add_stall(gpu, since, gpu->request_since);
    begin_answer(gpu, p, offset);
    return true;
}

/* ---- completions --------------------------------------------------------------------- */

/** When the next completion of a read may leave; never while earlier writes are on their way. */
static sim_time_t read_time(const struct node_gpu *gpu, const struct gpu_read *r)
{
    const struct node_packet *p = r->packet;
    uint32_t n = pcie_split_completion(p->addr, p->left, (uint32_t)gpu->cfg.completion_bytes);
    sim_time_t t = 0;

    if (gpu->posted_done < p->order_after)
        return SIM_TIME_NEVER;
    for (uint64_t c = p->addr / GPU_CHUNK; c <= (p->addr + n - 1) / GPU_CHUNK; c++)
        t = sim_max(t, r->ready[c - r->chunk]);
    return t;
}

/** The link to the read whose next completion is ready first, the oldest of equal ones. */
static struct gpu_read **first_ready(struct node_gpu *gpu, sim_time_t *time_p)
{
    struct gpu_read **best = NULL;

    *time_p = SIM_TIME_NEVER;
    for (struct gpu_read **link = &gpu->active; *link != NULL; link = &(*link)->next) {
        sim_time_t t = read_time(gpu, *link);

        if (t < *time_p) {
            *time_p = t;
            best = link;
        }
    }
    return best;
}

static void send_piece(struct node_gpu *gpu, struct gpu_read **link)
{
    struct gpu_read *r = *link;
    struct node_packet *p = r->packet;
    uint32_t before = p->left;
    struct pcie_tlp cpl;

    node_packet_leave(p, gpu->end); /* it sees memory */
    cpl = node_next_completion(p, (uint32_t)gpu->cfg.completion_bytes, gpu->payloads, r->from);
    cpl.completer_id = gpu->fn.id;
    cpl.poisoned = p->poison;
    if (gpu->probe != NULL)
        cpl.trace_id = gpu_probe_send(gpu, r, &cpl, before - p->left);
    r->from += before - p->left;
    gpu_send(gpu, &cpl);
    if (p->left != 0)
        return;
    *link = r->next;
    r->next = gpu->free_reads;
    gpu->free_reads = r;
    node_packet_put(&gpu->packets, p);
}

/** @return when the next completion is ready; never when gpu_ready() will come. */
static sim_time_t send_completions(struct node_gpu *gpu)
{
    sim_time_t now = sim_now(gpu->dom), ready;
    struct gpu_read **link;

    while (pcie_port_can_send(gpu->port, PCIE_COMPLETION)) {
        if (node_packets_due(&gpu->answers) <= now) {
            struct node_packet *p = sim_list_pop(&gpu->answers);

            gpu_send(gpu, &p->tlp);
            node_packet_put(&gpu->packets, p);
            continue;
        }
        link = first_ready(gpu, &ready);
        if (ready > now)
            return sim_min(node_packets_due(&gpu->answers), ready);
        send_piece(gpu, link);
    }
    return SIM_TIME_NEVER;
}

sim_time_t gpu_serve(struct node_gpu *gpu)
{
    sim_time_t now = sim_now(gpu->dom), next, turn;
    uint64_t offset;

    while (node_packets_due(&gpu->writes) <= now)
        write_memory(gpu, sim_list_pop(&gpu->writes));
    do {
        while (begin_request(gpu) || begin_writes(gpu))
            continue;
        next = send_completions(gpu);
    } while (request_may_begin(gpu, &offset));
    turn = sim_max(gpu->fetched, gpu->acknowledged);
    if (turn > now && (gpu->requests.head != NULL || gpu->held.head != NULL))
        next = sim_min(next, turn);
    return sim_min(node_packets_due(&gpu->writes), next);
}

int gpu_reads_init(struct node_gpu *gpu)
{
    gpu->read_slots = calloc(gpu->cfg.reads, sizeof(*gpu->read_slots));
    if (gpu->read_slots == NULL)
        return SIM_ERR_NOMEM;
    for (uint64_t i = 0; i < gpu->cfg.reads; i++) {
        gpu->read_slots[i].next = gpu->free_reads;
        gpu->free_reads = &gpu->read_slots[i];
    }
    return SIM_OK;
}
