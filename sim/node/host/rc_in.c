/*
 * What comes into the root complex: packets at its ports, and requests of the
 * cores. Each finds its target and its path; reads are admitted in order.
 */
#include "node/host/internal.h"

static struct node_packet *take_in(struct node_rc *rc, const struct pcie_tlp *tlp, unsigned source)
{
    struct node_host *host = rc->host;
    struct node_packet *p = node_packet_get(&host->packets, tlp, sim_now(host->dom));

    p->source = (uint16_t)source;
    return p;
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
    sim_list_push(&lane->queue[p->source], &p->link);
    lane->arbiter.requests |= UINT64_C(1) << p->source;
    rc->active |= rc_lane_mask(target, cls);
    node_rc_wake(rc, p->due);
}

/** Where order is checked: packets of one source to one target have one. */
static void watch_order(struct node_rc *rc, struct node_packet *p, unsigned target)
{
    node_packet_enter(p, rc->order[p->source], &rc->arrivals, target);
}

static void order_after_posted(struct node_rc *rc, struct node_packet *p, unsigned target)
{
    p->order_done = &rc->posted_done[target][p->source];
    p->order_after = rc->posted_in[target][p->source];
}

bool node_rc_crosses(const struct node_rc *rc, unsigned a, unsigned b)
{
    return rc->host->cfg.socket[a] != rc->host->cfg.socket[b];
}

unsigned node_rc_target(const struct node_rc *rc, uint64_t addr, uint64_t bytes)
{
    if (mem_ram_at(&rc->host->ram, addr, bytes) != NULL)
        return RC_INSIDE;
    for (unsigned i = 0; i < rc->nclaims; i++) {
        const struct rc_claim *c = &rc->claims[i];

        if (addr >= c->base && addr - c->base < c->size)
            return pcie_port_connected(rc->port[c->port].port) ? c->port : RC_UNCLAIMED;
    }
    return RC_UNCLAIMED;
}

/** From one root port to another, and to another socket where they lie so. */
static void forward_packet(const struct node_rc *rc, struct node_packet *p, unsigned target,
                           uint64_t ps, uint64_t socket_ps)
{
    p->due += ps;
    host_mark(rc->host, HOST_STAGE_FORWARD, p->due, &p->tlp);
    if (!node_rc_crosses(rc, p->source, target))
        return;
    p->due += socket_ps;
    host_mark(rc->host, HOST_STAGE_SOCKET, p->due, &p->tlp);
}

/** A port's forwarded writes cross the sockets one by one. */
static void cross_in_turn(struct node_rc *rc, struct node_packet *p, unsigned target)
{
    sim_time_t *next = &rc->port[p->source].next_crossing;

    if (!node_rc_crosses(rc, p->source, target))
        return;
    if (p->due < *next) {
        p->due = *next;
        host_mark(rc->host, HOST_STAGE_SOCKET, p->due, &p->tlp);
    }
    *next = p->due + rc->host->cfg.rc.socket_write_interval_ps;
}

/* ---- arrival at a root port --------------------------------------------------- */

/** A write to an address without a device, or of poisoned data, which memory does not take. */
static void refuse_write(struct node_rc *rc, const struct node_packet *p)
{
    bool poisoned = p->tlp.poisoned != 0;

    *(poisoned ? &rc->stat.poisoned_writes : &rc->stat.unclaimed_writes) += 1;
    pcie_port_error(rc->port[p->source].port, poisoned ? PCIE_ERR_POISONED : PCIE_ERR_UNSUPPORTED,
                    &p->tlp);
}

static void posted_arrived(struct node_rc *rc, struct node_packet *p)
{
    const struct host_rc_config *cfg = &rc->host->cfg.rc;
    const struct pcie_tlp *tlp = &p->tlp;
    unsigned target = RC_UNCLAIMED;

    if (tlp->kind == PCIE_MWR)
        target = node_rc_is_msi(tlp) ? RC_INSIDE : node_rc_target(rc, tlp->addr, node_span(tlp));
    if (target == RC_UNCLAIMED || target == p->source || (tlp->poisoned && target == RC_INSIDE)) {
        if (tlp->kind == PCIE_MWR) /* messages end here rightly */
            refuse_write(rc, p);
        node_rc_consume(rc, p->source, tlp);
        node_packet_drop(&rc->host->packets, p);
        return;
    }
    if (target == RC_INSIDE) {
        p->due += cfg->memory_write_ps;
        if (!node_rc_is_msi(tlp))
            p->due += node_hop_ps(rc->host, node_memory_socket(rc->host, tlp->addr), p->source);
        host_mark(rc->host, HOST_STAGE_MEMORY_WRITE, p->due, &p->tlp);
    } else {
        forward_packet(rc, p, target, cfg->p2p_write_ps, cfg->socket_write_ps);
        cross_in_turn(rc, p, target);
        rc->port[p->source].forwarding |= 1u << target;
    }
    rc->posted_in[target][p->source]++;
    watch_order(rc, p, target);
    path_push(rc, p, target);
}

/** Memory reads only; anything else has no target and is answered with Unsupported Request. */
static void nonposted_arrived(struct node_rc *rc, struct node_packet *p)
{
    const struct pcie_tlp *tlp = &p->tlp;

    p->target = RC_UNCLAIMED;
    if (tlp->kind == PCIE_MRD)
        p->target = (uint16_t)node_rc_target(rc, tlp->addr, node_span(tlp));
    if (p->target == p->source)
        p->target = RC_UNCLAIMED;
    order_after_posted(rc, p, p->target == RC_UNCLAIMED ? RC_INSIDE : p->target);
    watch_order(rc, p, p->target == RC_UNCLAIMED ? RC_INSIDE : p->target);
    sim_list_push(&rc->port[p->source].requests, &p->link);
    rc->requesting |= 1u << p->source;
    node_rc_wake(rc, p->arrived);
}

/** The target of a completion, by the bus of its requester. Bus 0 is the CPU. */
static unsigned completion_target(const struct node_rc *rc, const struct node_packet *p)
{
    unsigned bus = p->tlp.requester_id >> 8;

    if (bus == 0)
        return p->tlp.tag % HOST_CORES_MAX < node_host_contexts(rc->host) ? RC_INSIDE
                                                                          : RC_UNCLAIMED;
    if (bus > HOST_PORTS || bus == p->source + 1u || !pcie_port_connected(rc->port[bus - 1].port))
        return RC_UNCLAIMED;
    return bus - 1;
}

static void completion_arrived(struct node_rc *rc, struct node_packet *p)
{
    const struct host_config *cfg = &rc->host->cfg;
    unsigned target = completion_target(rc, p);

    if (target == RC_UNCLAIMED) {
        rc->stat.stray_completions++;
        pcie_port_advisory(rc->port[p->source].port, PCIE_ERR_UNEXPECTED, &p->tlp);
        node_rc_consume(rc, p->source, &p->tlp);
        node_packet_drop(&rc->host->packets, p);
        return;
    }
    if (target == RC_INSIDE) {
        p->due +=
            cfg->cpu.load_from_rc_ps +
            node_hop_ps(rc->host, rc->host->cores[p->tlp.tag % HOST_CORES_MAX].socket, p->source);
        host_mark(rc->host, HOST_STAGE_LOAD_IN, p->due, &p->tlp);
    } else {
        forward_packet(rc, p, target, cfg->rc.p2p_read_ps, cfg->rc.socket_read_ps);
    }
    order_after_posted(rc, p, target);
    watch_order(rc, p, target);
    path_push(rc, p, target);
}

void node_rc_received(void *user, struct pcie_tlp *tlp)
{
    struct rc_port *rp = user;
    struct node_packet *p;

    if (rp->rc->end != NULL)
        pcie_order_by(tlp, rp->index);
    p = take_in(rp->rc, tlp, rp->index);
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

void node_rc_request(struct node_core *core, unsigned target, struct pcie_tlp *tlp,
                     enum host_stage stage, sim_time_t at)
{
    struct node_host *host = core->host;
    struct node_rc *rc = &host->rc;
    struct node_packet *p;

    at += node_hop_ps(host, core->socket, target);
    host_mark(host, stage, at, tlp);
    at += host->cfg.rc.egress_ps;
    host_mark(host, HOST_STAGE_EGRESS, at, tlp);
    p = take_in(rc, tlp, RC_FROM_CORE + core->index);
    p->due = at;
    if (pcie_tlp_class(tlp) == PCIE_POSTED)
        rc->posted_in[target][p->source]++;
    else
        order_after_posted(rc, p, target);
    watch_order(rc, p, target);
    path_push(rc, p, target);
}

/* ---- reads leave the receive buffer --------------------------------------------- */

static bool admit_forward(struct node_rc *rc, struct node_packet *p)
{
    const struct host_rc_config *cfg = &rc->host->cfg.rc;

    if (!node_rc_forward(rc, p))
        return false;
    rc->stat.p2p_reads++;
    rc->stat.p2p_wait_ps += sim_now(rc->host->dom) - p->arrived;
    p->due = sim_now(rc->host->dom);
    host_mark(rc->host, HOST_STAGE_READ_LIMIT, p->due, &p->tlp);
    forward_packet(rc, p, p->target, cfg->p2p_read_ps, cfg->socket_read_ps);
    return true;
}

/** What a read of DRAM that is answered wrongly on purpose becomes. @return false: nothing. */
static bool misbehave_read(struct node_rc *rc, struct node_packet *p)
{
    struct pcie_verdict v = pcie_misdeeds_judge(rc->misdeeds, sim_now(rc->host->dom));

    p->poison = v.poison;
    p->due += v.late_ps;
    if (v.abort && p->target != RC_UNCLAIMED) {
        p->target = RC_UNCLAIMED;
        p->status = PCIE_CPL_CA;
    }
    return !v.silent;
}

static bool admit_inside(struct node_rc *rc, struct node_packet *p)
{
    struct rc_port *rp = &rc->port[p->source];

    if (rp->memory_reads >= rc->host->cfg.rc.memory_reads)
        return false;
    p->due = sim_now(rc->host->dom) + rc->host->cfg.rc.memory_read_ps;
    if (p->target != RC_UNCLAIMED) /* there and back */
        p->due += 2 * node_hop_ps(rc->host, node_memory_socket(rc->host, p->tlp.addr), p->source);
    p->status = PCIE_CPL_UR;
    rc->stat.unclaimed_reads += p->target == RC_UNCLAIMED;
    p->silent = rc->misdeeds != NULL && !misbehave_read(rc, p);
    if (p->silent)
        return true;
    rp->memory_reads++;
    p->left = pcie_tlp_range(&p->tlp, &p->addr);
    if (p->target != RC_UNCLAIMED && p->left == 0)
        p->left = 1; /* no byte enabled: one double word, byte count 1 (2.2.9) */
    host_mark(rc->host, HOST_STAGE_READ_LIMIT, sim_now(rc->host->dom), &p->tlp);
    host_mark(rc->host, HOST_STAGE_MEMORY_READ, p->due, &p->tlp);
    return true;
}

/** The oldest read of a port goes on; up to now its limit has held it. */
static void add_stall(struct node_rc *rc, struct rc_port *rp, const struct node_packet *p)
{
    const struct sim_probe *probe = rc->host->probe;
    sim_time_t now = sim_now(rc->host->dom);
    sim_time_t since = sim_max(p->arrived, rp->request_since);
    bool forwarded = p->target < HOST_PORTS;

    rp->request_since = now;
    if (since == now)
        return;
    *(forwarded ? &rp->rx_stall_tag_ps : &rp->rx_stall_memory_ps) += now - since;
    if (probe != NULL)
        sim_probe_stall(probe, pcie_port_path(rp->port), "rx",
                        forwarded ? SIM_STALL_TAG : SIM_STALL_MEMORY, since, now);
}

/** Lets the oldest read of one port go on its path, if its limit allows. */
static bool admit_read(struct node_rc *rc, unsigned port)
{
    struct sim_list *requests = &rc->port[port].requests;
    struct node_packet *p = requests->head;
    unsigned target;

    if (p->target < HOST_PORTS ? !admit_forward(rc, p) : !admit_inside(rc, p))
        return false;
    (void)sim_list_pop(requests);
    add_stall(rc, &rc->port[port], p);
    if (requests->head == NULL)
        rc->requesting &= ~(1u << port);
    node_rc_consume(rc, port, &p->tlp);
    target = p->target;
    if (p->silent) {
        node_packet_forget(p);
        node_packet_drop(&rc->host->packets, p);
        return true;
    }
    if (target == RC_UNCLAIMED) {
        struct pcie_tlp answer = pcie_tlp_answer(&p->tlp, (enum pcie_cpl_status)p->status);

        pcie_port_advisory(rc->port[port].port,
                           p->status == PCIE_CPL_CA ? PCIE_ERR_ABORT : PCIE_ERR_UNSUPPORTED,
                           &p->tlp);
        pcie_tlp_drop(&p->tlp);
        p->tlp = answer;
        p->source = RC_FROM_MEMORY;
        target = port;
    }
    path_push(rc, p, target);
    return true;
}

/** One read of each port in turn, while any may go: ports compete for forwarded reads. */
bool node_rc_admit(struct node_rc *rc)
{
    bool any = false, again = rc->stopped_until <= sim_now(rc->host->dom);

    if (!again && rc->requesting != 0)
        node_rc_wake(rc, rc->stopped_until);
    while (again && rc->requesting != 0) {
        unsigned first = rc->read_turn;

        again = false;
        for (unsigned i = 0; i < HOST_PORTS; i++) {
            unsigned port = (first + i) % HOST_PORTS;

            if ((rc->requesting >> port & 1) == 0 || !admit_read(rc, port))
                continue;
            rc->read_turn = (port + 1) % HOST_PORTS;
            again = any = true;
        }
    }
    return any;
}
