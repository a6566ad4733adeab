/*
 * The root complex. A packet comes from a source (a root port, DRAM, a core) and
 * goes to a target (a root port, or inside: DRAM, interrupts, cores). Each pair
 * is a path with its own latency; a path keeps the order of its packets, two
 * paths have none among each other, so a flag in DRAM can overtake data on its
 * way to a device.
 *
 *   root port --posted, completions------------> [path: due time] --+--> root port
 *        \----non-posted--> [receive buffer] --> [path]           --+--> DRAM, cores
 *   core  ----------------------------------->   [path]           --+
 *
 * Posted writes and completions keep their receive credits until they have left
 * their path. Reads keep them until the limit on reads in progress admits them,
 * in order: one that waits holds up those behind it.
 */
#include "node/host/internal.h"

#include <stdio.h>
#include <string.h>

static struct node_packet *take_in(struct node_rc *rc, const struct pcie_tlp *tlp, unsigned source)
{
    struct node_host *host = rc->host;
    struct node_packet *p = node_packet_get(&host->packets, tlp, sim_now(host->dom));

    p->source = (uint16_t)source;
    return p;
}

static void wake(struct node_rc *rc, sim_time_t at)
{
    sim_schedule_by(rc->host->dom, &rc->arbiter, at, SIM_CLOCK);
}

/** Onto the path to `target`; `p` may not overtake what `posted_in` counts now. */
static void path_push(struct node_rc *rc, struct node_packet *p, unsigned target)
{
    enum pcie_class cls = pcie_tlp_class(&p->tlp);
    struct rc_lane *lane;

    if (cls == PCIE_NONPOSTED && target == RC_INSIDE) { /* a read of DRAM waits as its completion */
        target = p->source;
        cls = PCIE_COMPLETION;
        p->source = RC_FROM_MEMORY;
    }
    lane = &rc->lane[target][cls];
    node_packet_push(&lane->queue[p->source], p);
    lane->waiting |= UINT64_C(1) << p->source;
    rc->active |= 1u << (target * PCIE_CLASSES + cls);
    wake(rc, p->due);
}

static void order_after_posted(struct node_rc *rc, struct node_packet *p, unsigned target)
{
    p->order_done = &rc->posted_done[target][p->source];
    p->order_after = rc->posted_in[target][p->source];
}

static bool crosses(const struct node_rc *rc, unsigned a, unsigned b)
{
    return rc->host->cfg.socket[a] != rc->host->cfg.socket[b];
}

unsigned node_rc_target(const struct node_rc *rc, uint64_t addr, uint64_t bytes)
{
    if (mem_ram_holds(&rc->host->ram, addr, bytes))
        return RC_INSIDE;
    for (unsigned i = 0; i < rc->nclaims; i++) {
        const struct rc_claim *c = &rc->claims[i];

        if (addr >= c->base && addr - c->base < c->size)
            return pcie_port_connected(rc->port[c->port].port) ? c->port : RC_NOBODY;
    }
    return RC_NOBODY;
}

/* ---- arrival at a root port --------------------------------------------------- */

static void consume(struct node_rc *rc, unsigned port, const struct pcie_tlp *tlp)
{
    pcie_port_consume(rc->port[port].port, pcie_tlp_class(tlp), pcie_tlp_data_credits(tlp));
}

static bool is_msi(const struct pcie_tlp *tlp)
{
    return tlp->addr - HOST_MSI_ADDRESS < HOST_MSI_BYTES;
}

static void posted_arrived(struct node_rc *rc, struct node_packet *p)
{
    const struct host_rc_config *cfg = &rc->host->cfg.rc;
    const struct pcie_tlp *tlp = &p->tlp;
    unsigned target = RC_NOBODY;

    if (tlp->kind == PCIE_MWR)
        target = is_msi(tlp) ? RC_INSIDE : node_rc_target(rc, tlp->addr, tlp->length_dw * 4u);
    if (target == RC_NOBODY || target == p->source || tlp->poisoned) {
        rc->stat.unclaimed_writes += tlp->kind == PCIE_MWR; /* messages end here rightly */
        consume(rc, p->source, tlp);
        pcie_tlp_drop(&p->tlp);
        node_packet_put(&rc->host->packets, p);
        return;
    }
    if (target == RC_INSIDE)
        p->due += cfg->memory_write_ps;
    else
        p->due += cfg->p2p_write_ps + (crosses(rc, p->source, target) ? cfg->socket_write_ps : 0);
    rc->posted_in[target][p->source]++;
    path_push(rc, p, target);
}

/** Memory reads only; anything else has no target and is answered with Unsupported Request. */
static void nonposted_arrived(struct node_rc *rc, struct node_packet *p)
{
    const struct pcie_tlp *tlp = &p->tlp;

    p->target = RC_NOBODY;
    if (tlp->kind == PCIE_MRD)
        p->target = (uint16_t)node_rc_target(rc, tlp->addr, tlp->length_dw * 4u);
    if (p->target == p->source)
        p->target = RC_NOBODY;
    order_after_posted(rc, p, p->target == RC_NOBODY ? RC_INSIDE : p->target);
    node_packet_push(&rc->port[p->source].requests, p);
    wake(rc, p->arrived);
}

/** The target of a completion: the bus of its requester tells. Bus 0 is the CPU. */
static unsigned completion_target(const struct node_rc *rc, const struct node_packet *p)
{
    unsigned bus = p->tlp.requester_id >> 8;

    if (bus == 0)
        return p->tlp.tag < rc->host->cfg.cores ? RC_INSIDE : RC_NOBODY;
    if (bus > HOST_PORTS || bus == p->source + 1u || !pcie_port_connected(rc->port[bus - 1].port))
        return RC_NOBODY;
    return bus - 1;
}

static void completion_arrived(struct node_rc *rc, struct node_packet *p)
{
    const struct host_config *cfg = &rc->host->cfg;
    unsigned target = completion_target(rc, p);

    if (target == RC_NOBODY) {
        rc->stat.stray_completions++;
        consume(rc, p->source, &p->tlp);
        pcie_tlp_drop(&p->tlp);
        node_packet_put(&rc->host->packets, p);
        return;
    }
    if (target == RC_INSIDE)
        p->due += cfg->cpu.load_from_rc_ps;
    else
        p->due +=
            cfg->rc.p2p_read_ps + (crosses(rc, p->source, target) ? cfg->rc.socket_read_ps : 0);
    order_after_posted(rc, p, target);
    path_push(rc, p, target);
}

static void port_received(void *user, struct pcie_tlp *tlp)
{
    struct rc_port *rp = user;
    struct node_packet *p = take_in(rp->rc, tlp, rp->index);

    switch (pcie_tlp_class(tlp)) {
    case PCIE_POSTED:
        posted_arrived(rp->rc, p);
        break;
    case PCIE_NONPOSTED:
        nonposted_arrived(rp->rc, p);
        break;
    default:
        completion_arrived(rp->rc, p);
        break;
    }
}

static void port_ready(void *user, enum pcie_class cls)
{
    struct rc_port *rp = user;

    if (rp->rc->lane[rp->index][cls].waiting != 0)
        wake(rp->rc, sim_now(rp->rc->host->dom));
}

void node_rc_request(struct node_rc *rc, unsigned core, unsigned target, const struct pcie_tlp *tlp,
                     uint32_t mark, sim_time_t due)
{
    struct node_packet *p = take_in(rc, tlp, RC_FROM_CORE + core);

    p->due = due;
    p->left = mark;
    if (pcie_tlp_class(tlp) == PCIE_POSTED)
        rc->posted_in[target][p->source]++;
    else
        order_after_posted(rc, p, target);
    path_push(rc, p, target);
}

/* ---- reads leave the receive buffer --------------------------------------------- */

/** Counter and limit of the forwarded reads that one from `source` to `target` belongs to. */
static unsigned *forwarded(struct node_rc *rc, unsigned source, unsigned target, uint64_t *limit_p)
{
    const struct host_config *cfg = &rc->host->cfg;
    uint64_t socket = cfg->socket[source];

    if (crosses(rc, source, target)) {
        *limit_p = cfg->rc.socket_reads;
        return &rc->socket_reads[socket];
    }
    *limit_p = cfg->rc.p2p_reads;
    return &rc->p2p_reads[socket];
}

static bool admit_forward(struct node_rc *rc, struct node_packet *p)
{
    const struct host_rc_config *cfg = &rc->host->cfg.rc;
    uint64_t limit;
    unsigned *count = forwarded(rc, p->source, p->target, &limit);

    if (*count >= limit)
        return false;
    ++*count;
    rc->stat.p2p_reads++;
    rc->stat.p2p_wait_ps += sim_now(rc->host->dom) - p->arrived;
    p->due = sim_now(rc->host->dom) + cfg->p2p_read_ps +
             (crosses(rc, p->source, p->target) ? cfg->socket_read_ps : 0);
    return true;
}

static bool admit_inside(struct node_rc *rc, struct node_packet *p)
{
    struct rc_port *rp = &rc->port[p->source];

    if (rp->memory_reads >= rc->host->cfg.rc.memory_reads)
        return false;
    rp->memory_reads++;
    p->left = pcie_tlp_range(&p->tlp, &p->addr);
    if (p->target == RC_NOBODY) {
        rc->stat.unclaimed_reads++;
    } else if (p->left == 0) { /* no byte enabled: one double word, byte count 1 (2.2.9) */
        p->left = 1;
    }
    p->due = sim_now(rc->host->dom) + rc->host->cfg.rc.memory_read_ps;
    return true;
}

/** Lets the oldest read of one port go on its path, if its limit allows. */
static bool admit(struct node_rc *rc, unsigned port)
{
    struct node_packet_list *requests = &rc->port[port].requests;
    struct node_packet *p = requests->head;
    unsigned target;

    if (p == NULL)
        return false;
    if (p->target < HOST_PORTS ? !admit_forward(rc, p) : !admit_inside(rc, p))
        return false;
    (void)node_packet_pop(requests);
    consume(rc, port, &p->tlp);
    target = p->target;
    if (target == RC_NOBODY) {
        struct pcie_tlp answer = node_answer(&p->tlp, PCIE_CPL_UR);

        pcie_tlp_drop(&p->tlp);
        p->tlp = answer;
        p->source = RC_FROM_MEMORY;
        target = port;
    }
    path_push(rc, p, target);
    return true;
}

/** One read of each port in turn, while any may go: ports compete for forwarded reads. */
static bool admit_all(struct node_rc *rc)
{
    bool any = false, again;

    do {
        unsigned first = rc->read_turn;

        again = false;
        for (unsigned i = 0; i < HOST_PORTS; i++) {
            unsigned port = (first + i) % HOST_PORTS;

            if (!admit(rc, port))
                continue;
            rc->read_turn = (port + 1) % HOST_PORTS;
            again = true;
        }
        any |= again;
    } while (again);
    return any;
}

/* ---- packets leave their path ------------------------------------------------------ */

static void interrupt_push(struct node_rc *rc, struct node_packet *p)
{
    struct node_host *host = rc->host;

    p->due = sim_now(host->dom) + host->cfg.cpu.irq_ps;
    p->left = p->tlp.payload->data[0] | (uint32_t)p->tlp.payload->data[1] << 8;
    pcie_tlp_drop(&p->tlp);
    node_packet_push(&rc->interrupts, p);
    sim_schedule_by(host->dom, &rc->interrupt, p->due, SIM_TASK);
}

static void interrupt_fire(struct sim_event *ev)
{
    struct node_rc *rc = SIM_CONTAINER_OF(ev, struct node_rc, interrupt);
    struct node_host *host = rc->host;
    struct node_packet *p = node_packet_pop(&rc->interrupts);
    uint32_t vector = p->left;

    node_packet_put(&host->packets, p);
    if (rc->interrupts.head != NULL)
        sim_schedule_at(host->dom, &rc->interrupt, rc->interrupts.head->due, SIM_TASK);
    rc->stat.interrupts++;
    sim_visible(host->dom, host->ram_where, vector);
    if (host->irq != NULL)
        host->irq(host->irq_arg, vector);
}

/** A posted write becomes visible. */
static void write_inside(struct node_rc *rc, struct node_packet *p)
{
    struct node_host *host = rc->host;

    consume(rc, p->source, &p->tlp);
    if (is_msi(&p->tlp)) {
        interrupt_push(rc, p);
        return;
    }
    node_write_bytes(&host->ram, p->tlp.addr, &p->tlp);
    rc->stat.memory_write_bytes += pcie_tlp_data_bytes(&p->tlp);
    if (sim_fingerprint_on(host->dom))
        sim_visible(host->dom, host->ram_where ^ p->tlp.addr,
                    sim_hash_bytes(0, host->ram.bytes + (p->tlp.addr - host->ram.base),
                                   p->tlp.length_dw * 4u));
    pcie_tlp_drop(&p->tlp);
    node_packet_put(&host->packets, p);
}

/** What leaves a path to the inside. */
static void deliver_inside(struct node_rc *rc, struct node_packet *p)
{
    struct node_host *host = rc->host;

    if (pcie_tlp_class(&p->tlp) == PCIE_POSTED) {
        write_inside(rc, p);
        return;
    }
    consume(rc, p->source, &p->tlp);
    node_core_completed(&host->cores[p->tlp.tag], &p->tlp);
    pcie_tlp_drop(&p->tlp);
    node_packet_put(&host->packets, p);
}

/** One completion piece of a read of DRAM, its data taken now. The last one ends the read. */
static void send_from_memory(struct node_rc *rc, struct rc_lane *lane, unsigned target)
{
    struct node_host *host = rc->host;
    struct rc_port *rp = &rc->port[target];
    struct node_packet *p = lane->queue[RC_FROM_MEMORY].head;
    struct pcie_tlp cpl = p->tlp;

    if (p->tlp.kind == PCIE_MRD) {
        uint32_t piece = (uint32_t)host->cfg.rc.completion_bytes, mps = pcie_port_mps(rp->port);

        cpl = node_next_completion(p, piece < mps ? piece : mps, host->payloads,
                                   host->ram.bytes + (p->addr - host->ram.base));
        rc->stat.memory_read_bytes += pcie_tlp_data_bytes(&cpl);
    } else {
        p->left = 0;
    }
    pcie_port_send(rp->port, &cpl);
    rp->completer_free = sim_now(host->dom) + host->cfg.rc.completion_interval_ps;
    if (p->left != 0)
        return;
    (void)node_packet_pop(&lane->queue[RC_FROM_MEMORY]);
    rp->memory_reads--;
    node_packet_put(&host->packets, p);
}

/** Does this completion end its request? (2.3.1.1; any other status ends it too) */
static bool completes(const struct pcie_tlp *cpl)
{
    uint32_t carried = cpl->length_dw * 4u - (cpl->lower_addr & 3u);

    return cpl->kind != PCIE_CPLD || cpl->status != PCIE_CPL_SC || cpl->byte_count <= carried;
}

/** What leaves a path to a root port. */
static void send_out(struct node_rc *rc, struct node_packet *p, unsigned target)
{
    enum pcie_class cls = pcie_tlp_class(&p->tlp);
    uint64_t limit;

    pcie_port_send(rc->port[target].port, &p->tlp);
    if (p->source >= RC_FROM_CORE) {
        if (cls == PCIE_POSTED)
            node_core_taken(&rc->host->cores[p->source - RC_FROM_CORE]);
    } else if (cls != PCIE_NONPOSTED) {
        consume(rc, p->source, &p->tlp);
        if (cls == PCIE_POSTED) {
            rc->stat.p2p_write_bytes += pcie_tlp_data_bytes(&p->tlp);
        } else if (completes(&p->tlp)) {
            unsigned *count = forwarded(rc, target, p->source, &limit);

            if (*count > 0)
                --*count;
            else
                rc->stat.stray_completions++;
        }
    }
    node_packet_put(&rc->host->packets, p);
}

/* ---- the arbiter --------------------------------------------------------------------- */

/** The time from which the head of a queue may move; never when an order rule holds it. */
static sim_time_t head_time(const struct node_rc *rc, const struct rc_lane *lane, unsigned target,
                            unsigned source)
{
    const struct node_packet *p = lane->queue[source].head;
    sim_time_t t = p->due;

    if (p->order_done != NULL && *p->order_done < p->order_after)
        return SIM_TIME_NEVER;
    if (source == RC_FROM_MEMORY && rc->port[target].completer_free > t)
        t = rc->port[target].completer_free;
    return t;
}

/** The next source in turn whose head may move now; RC_SOURCES: none, and *next_p the time. */
static unsigned lane_pick(const struct node_rc *rc, const struct rc_lane *lane, unsigned target,
                          sim_time_t *next_p)
{
    sim_time_t now = sim_now(rc->host->dom);
    uint64_t before = (UINT64_C(1) << lane->turn) - 1;
    uint64_t halves[2] = { lane->waiting & ~before, lane->waiting & before };

    for (unsigned half = 0; half < 2; half++) {
        for (uint64_t left = halves[half]; left != 0; left &= left - 1) {
            unsigned source = (unsigned)__builtin_ctzll(left);
            sim_time_t t = head_time(rc, lane, target, source);

            if (t <= now)
                return source;
            if (t < *next_p)
                *next_p = t;
        }
    }
    return RC_SOURCES;
}

/** Moves what can move of one lane. @return whether anything did. */
static bool lane_run(struct node_rc *rc, unsigned target, enum pcie_class cls, sim_time_t *next_p)
{
    struct rc_lane *lane = &rc->lane[target][cls];
    bool any = false;

    while (lane->waiting != 0) {
        unsigned source;
        struct node_packet_list *queue;

        if (target < HOST_PORTS && !pcie_port_can_send(rc->port[target].port, cls))
            return any; /* port_ready() will come */
        source = lane_pick(rc, lane, target, next_p);
        if (source == RC_SOURCES)
            return any;
        any = true;
        queue = &lane->queue[source];
        lane->turn = (source + 1) % RC_SOURCES;
        if (cls == PCIE_POSTED)
            rc->posted_done[target][source]++;
        if (source == RC_FROM_MEMORY)
            send_from_memory(rc, lane, target);
        else if (target == RC_INSIDE)
            deliver_inside(rc, node_packet_pop(queue));
        else
            send_out(rc, node_packet_pop(queue), target);
        if (queue->head == NULL)
            lane->waiting &= ~(UINT64_C(1) << source);
    }
    rc->active &= ~(1u << (target * PCIE_CLASSES + cls));
    return any;
}

/** All moves of one instant: posted first, since they free what waits behind them. */
static bool lanes_run(struct node_rc *rc, sim_time_t *next_p)
{
    bool any = false;

    for (unsigned cls = 0; cls < PCIE_CLASSES; cls++) {
        for (unsigned target = 0; target < RC_TARGETS; target++) {
            if ((rc->active >> (target * PCIE_CLASSES + cls) & 1) != 0)
                any |= lane_run(rc, target, (enum pcie_class)cls, next_p);
        }
    }
    return any;
}

static void arbitrate(struct sim_event *ev)
{
    struct node_rc *rc = SIM_CONTAINER_OF(ev, struct node_rc, arbiter);
    sim_time_t next;

    do {
        next = SIM_TIME_NEVER;
        (void)admit_all(rc);
    } while (lanes_run(rc, &next));
    if (next != SIM_TIME_NEVER)
        wake(rc, next);
}

/* ---- creation -------------------------------------------------------------------------- */

static void register_stats(struct node_rc *rc)
{
    static const struct {
        size_t offset;
        const char *name, *unit, *meaning;
    } rows[] = {
#define ROW(field, unit, meaning) { offsetof(struct node_rc, stat.field), #field, unit, meaning }
        ROW(memory_write_bytes, "bytes", "written to DRAM by devices"),
        ROW(memory_read_bytes, "bytes", "read from DRAM by devices"),
        ROW(p2p_write_bytes, "bytes", "forwarded from one root port to another"),
        ROW(p2p_reads, "1", "reads forwarded from one root port to another"),
        ROW(p2p_wait_ps, "ps", "forwarded reads waited so long in the receive buffer, in all"),
        ROW(unclaimed_writes, "1", "writes of devices dropped, since nobody claims the address"),
        ROW(unclaimed_reads, "1", "requests of devices answered with Unsupported Request"),
        ROW(stray_completions, "1", "completions that nobody waits for"),
        ROW(interrupts, "1", "message-signalled interrupts delivered"),
#undef ROW
    };
    char path[160];

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        (void)snprintf(path, sizeof(path), "%s.rc.%s", rc->host->path, rows[i].name);
        sim_stat_register(rc->host->dom, (uint64_t *)(void *)((char *)rc + rows[i].offset), path,
                          rows[i].unit, rows[i].meaning);
    }
}

int node_rc_init(struct node_rc *rc, struct node_host *host, struct sim_error *err)
{
    rc->host = host;
    sim_event_init(&rc->arbiter, arbitrate);
    sim_event_init(&rc->interrupt, interrupt_fire);
    register_stats(rc);
    for (unsigned i = 0; i < HOST_PORTS; i++) {
        struct rc_port *rp = &rc->port[i];
        struct pcie_port_user user = { .received = port_received, .ready = port_ready, .user = rp };
        char path[160];
        int code;

        rp->rc = rc;
        rp->index = i;
        (void)snprintf(path, sizeof(path), "%s.p%u", host->path, i);
        code = pcie_port_create(host->dom, host->payloads, path, &host->cfg.port, &user, &rp->port,
                                err);
        if (code != SIM_OK)
            return code;
    }
    return SIM_OK;
}

void node_rc_fini(struct node_rc *rc)
{
    for (unsigned i = 0; i < HOST_PORTS; i++) {
        if (rc->port[i].port != NULL)
            pcie_port_destroy(rc->port[i].port);
    }
}
