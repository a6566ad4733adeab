/*
 * Stores on their way out of a core. Uncached stores wait in the store buffer
 * and leave one by one, since each has to be accepted by the uncore before the
 * next may start. Write-combining stores gather in line buffers; a buffer is
 * emptied when its line is full, when another line needs it, or when an ordered
 * operation comes, and it is free again once the uncore has accepted it. All
 * leave in the order in which they were queued.
 */
#include "node/host/internal.h"

#include <stdlib.h>
#include <string.h>

/** Queues one memory write of up to a line. */
static void queue_store(struct node_core *core, uint64_t addr, const uint8_t *bytes, uint32_t size,
                        uint32_t mark)
{
    struct node_host *host = core->host;
    struct pcie_tlp tlp = pcie_tlp_write(host->payloads, HOST_REQUESTER_ID, addr, bytes, size);
    struct node_packet *p;

    tlp.tag = (uint8_t)core->index;
    tlp.trace_id = core->mark;
    p = node_packet_get(&host->packets, &tlp, sim_now(host->dom));
    p->left = mark;
    core->stores->queued++;
    sim_list_push(&core->stores->queue, &p->link);
}

/** The head leaves the core for the root complex, or is dropped when no device claims it. */
static void send_store(struct node_core *core)
{
    struct node_host *host = core->host;
    struct store_unit *st = core->stores;
    struct node_packet *p = sim_list_pop(&st->queue);
    unsigned target = node_rc_target(&host->rc, p->tlp.addr, node_span(&p->tlp));
    sim_time_t now = sim_now(host->dom);

    if (p->left == CORE_MARK_UC) {
        st->uncached--;
        st->next_uc = now + host_cpu_of(core)->store_uc_interval_ps;
    } else {
        struct wc_buffer *wc = &st->wc[p->left];

        if (--wc->pieces == 0) {
            wc->state = WC_DRAINING;
            wc->free_at = now + host_cpu_of(core)->wc_drain_ps;
        }
    }
    if (target < HOST_PORTS) {
        st->in_flight++;
        if (host->probe != NULL)
            p->tlp.trace_id =
                host_probe_queue(host, HOST_STAGE_STORE_QUEUE, core->path, 0, HOST_PORTS, &p->tlp);
        node_rc_request(core, target, &p->tlp, HOST_STAGE_STORE_OUT,
                        now + host_cpu_of(core)->store_to_rc_ps);
    } else {
        host->dropped_stores++;
        pcie_tlp_drop(&p->tlp);
    }
    node_packet_put(&host->packets, p);
    st->left++;
    node_bells_leave(core);
}

/** For the probe: do stores wait for those in flight? Called at each change. */
static void probe_limit(struct node_core *core)
{
    struct store_unit *st = core->stores;
    bool limited = st->queue.head != NULL && st->in_flight >= host_cpu_of(core)->posted_writes;

    if (limited && !st->limited)
        st->limited_since = sim_now(core->host->dom);
    if (!limited && st->limited)
        host_probe_limited(core, st->limited_since);
    st->limited = limited;
}

/** Lets stores leave while they may; else the drain event or node_core_taken() goes on. */
static void drain_stores(struct node_core *core)
{
    struct store_unit *st = core->stores;
    sim_time_t now = sim_now(core->host->dom);

    while (st->queue.head != NULL && st->in_flight < host_cpu_of(core)->posted_writes) {
        const struct node_packet *p = st->queue.head;

        if (p->left == CORE_MARK_UC && st->next_uc > now) {
            sim_schedule_by(core->host->dom, &st->drain, st->next_uc, SIM_TASK);
            return;
        }
        send_store(core);
    }
    if (core->host->probe != NULL)
        probe_limit(core);
}

static void drain_event(struct sim_event *ev)
{
    struct node_core *core = SIM_CONTAINER_OF(ev, struct store_unit, drain)->core;

    drain_stores(core);
    node_core_advance(core);
    if (core->above != NULL)
        node_core_advance(core->above);
}

void node_core_taken(struct node_core *core)
{
    SIM_ASSERT(core->stores->in_flight > 0);
    core->stores->in_flight--;
    if (core->host->probe != NULL)
        probe_limit(core);
    if (core->stores->queue.head != NULL)
        sim_schedule_by(core->host->dom, &core->stores->drain, sim_now(core->host->dom), SIM_TASK);
}

/** Queues what a buffer holds: one write for each run of written bytes. */
static void wc_flush(struct node_core *core, struct wc_buffer *wc)
{
    uint32_t mark = (uint32_t)(wc - core->stores->wc);
    uint32_t at = 0;

    wc->state = WC_QUEUED;
    wc->pieces = 0;
    while (at < HOST_LINE) {
        uint32_t end;

        if ((wc->mask >> at & 1) == 0) {
            at++;
            continue;
        }
        for (end = at; end < HOST_LINE && (wc->mask >> end & 1) != 0;)
            end++;
        wc->pieces++;
        queue_store(core, wc->line + at, wc->data + at, end - at, mark);
        at = end;
    }
}

/** The open buffer that was opened first, or NULL. */
static struct wc_buffer *wc_oldest(struct node_core *core)
{
    struct wc_buffer *oldest = NULL;

    for (unsigned i = 0; i < host_cpu_of(core)->wc_buffers; i++) {
        struct wc_buffer *wc = &core->stores->wc[i];

        if (wc->state == WC_OPEN && (oldest == NULL || wc->opened < oldest->opened))
            oldest = wc;
    }
    return oldest;
}

void node_stores_flush(struct node_core *core)
{
    core = core->stores->core;
    for (struct wc_buffer *wc = wc_oldest(core); wc != NULL; wc = wc_oldest(core))
        wc_flush(core, wc);
    drain_stores(core);
}

/** The buffer that gathers `line`, opened if need be; NULL when all are on their way out. */
static struct wc_buffer *wc_for(struct node_core *core, uint64_t line)
{
    struct store_unit *st = core->stores;
    sim_time_t now = sim_now(core->host->dom);
    struct wc_buffer *unused = NULL;

    for (unsigned i = 0; i < host_cpu_of(core)->wc_buffers; i++) {
        struct wc_buffer *wc = &st->wc[i];

        if (wc->state == WC_OPEN && wc->line == line)
            return wc;
        if (wc->state == WC_DRAINING && wc->free_at <= now)
            wc->state = WC_FREE;
        if (wc->state == WC_FREE && unused == NULL)
            unused = wc;
    }
    if (unused != NULL) {
        unused->state = WC_OPEN;
        unused->line = line;
        unused->mask = 0;
        unused->opened = st->opened++;
    }
    return unused;
}

/** All buffers are in use: unless one is on its way out, sends the oldest away; then waits. */
static void wc_make_room(struct node_core *core)
{
    struct store_unit *st = core->stores;
    bool leaving = false;
    sim_time_t soonest = SIM_TIME_NEVER;

    for (unsigned i = 0; i < host_cpu_of(core)->wc_buffers; i++)
        leaving |= st->wc[i].state != WC_OPEN;
    if (!leaving)
        wc_flush(core, wc_oldest(core));
    drain_stores(core);
    for (unsigned i = 0; i < host_cpu_of(core)->wc_buffers; i++)
        if (st->wc[i].state == WC_DRAINING)
            soonest = sim_min(soonest, st->wc[i].free_at);
    if (soonest != SIM_TIME_NEVER)
        sim_schedule_by(core->host->dom, &st->drain, soonest, SIM_TASK);
}

static bool add_combining(struct node_core *core, uint64_t addr, const uint8_t *bytes,
                          uint32_t size)
{
    uint32_t at = (uint32_t)(addr % HOST_LINE);
    uint64_t ones = size == HOST_LINE ? UINT64_MAX : (UINT64_C(1) << size) - 1;
    struct wc_buffer *wc = wc_for(core, addr - at);

    SIM_ASSERT(at + size <= HOST_LINE);
    if (wc == NULL) {
        wc_make_room(core);
        return false;
    }
    memcpy(wc->data + at, bytes, size);
    wc->mask |= ones << at;
    if (wc->mask == UINT64_MAX) {
        wc_flush(core, wc);
        drain_stores(core);
    }
    return true;
}

void node_stores_fence(struct node_core *core)
{
    struct store_unit *st = core->stores;

    for (unsigned i = 0; i < host_cpu_of(core)->wc_buffers; i++)
        if (st->wc[i].state == WC_DRAINING)
            st->fenced_until = sim_max(st->fenced_until, st->wc[i].free_at);
}

bool node_stores_add(struct node_core *core, uint64_t addr, const uint8_t *bytes, uint32_t size,
                     enum node_mapping mapping)
{
    struct store_unit *st = core->stores;

    core = st->core;
    if (st->fenced_until > sim_now(core->host->dom)) {
        sim_schedule_by(core->host->dom, &st->drain, st->fenced_until, SIM_TASK);
        return false;
    }
    if (mapping == NODE_WRITE_COMBINING)
        return add_combining(core, addr, bytes, size);
    if (st->uncached >= host_cpu_of(core)->store_buffers)
        return false;
    /* An uncached store is ordered after all earlier ones, so the buffers go first. */
    node_stores_flush(core);
    st->uncached++;
    queue_store(core, addr, bytes, size, CORE_MARK_UC);
    drain_stores(core);
    return true;
}

int node_stores_init(struct node_core *core)
{
    core->stores = &core->own_stores;
    core->stores->core = core;
    sim_event_init(&core->stores->drain, drain_event);
    core->stores->wc = calloc(host_cpu_of(core)->wc_buffers, sizeof(*core->stores->wc));
    return core->stores->wc != NULL ? SIM_OK : SIM_ERR_NOMEM;
}

void node_stores_fini(struct node_core *core)
{
    free(core->own_stores.wc);
    sim_list_free(&core->own_stores.bells);
}
