/*
 * The root complex. A packet comes from a source (a root port, DRAM, a core) and
 * goes to a target (a root port, or inside: DRAM, interrupts, cores). Each pair
 * is a path with its own latency; a path keeps the order of its packets, two
 * paths have none among each other. But a port's write to memory waits until its
 * last forwarded one before it is on the link to the device (rc_behind.c).
 *
 *   root port --posted, completions------------> [path: due time] --+--> root port
 *        \----non-posted--> [receive buffer] --> [path]           --+--> DRAM, cores
 *   core  ----------------------------------->   [path]           --+
 *
 * Posted writes and completions keep their receive credits until they have left
 * their path. Reads keep them until the limit on reads in progress admits them,
 * in order: one that waits blocks those behind it.
 */
#include "node/host/internal.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- packets leave their path ------------------------------------------------------ */

/** For the probe: a packet leaves its path. */
static void probe_turn(const struct node_rc *rc, struct pcie_tlp *tlp, unsigned source,
                       unsigned target)
{
    uint32_t lane = rc_lane_bit(target, pcie_tlp_class(tlp)) * RC_SOURCES + source;

    if (rc->host->probe != NULL)
        tlp->trace_id =
            host_probe_queue(rc->host, HOST_STAGE_TURN, rc->host->path, lane, target, tlp);
}

static void interrupt_push(struct node_rc *rc, struct node_packet *p)
{
    struct node_host *host = rc->host;

    p->due = sim_now(host->dom) + host->cfg.cpu.irq_ps;
    host_mark(host, HOST_STAGE_IRQ, p->due, &p->tlp);
    p->left = p->tlp.payload->data[0] | (uint32_t)p->tlp.payload->data[1] << 8;
    pcie_tlp_drop(&p->tlp);
    sim_list_push(&rc->interrupts, &p->link);
    sim_schedule_by(host->dom, &rc->interrupt, p->due, SIM_TASK);
}

static void interrupt_fire(struct sim_event *ev)
{
    struct node_rc *rc = SIM_CONTAINER_OF(ev, struct node_rc, interrupt);
    struct node_host *host = rc->host;
    struct node_packet *p = sim_list_pop(&rc->interrupts);
    uint32_t vector = p->left;

    node_packet_put(&host->packets, p);
    if (rc->interrupts.head != NULL)
        sim_schedule_at(host->dom, &rc->interrupt, node_packets_due(&rc->interrupts), SIM_TASK);
    rc->stat.interrupts++;
    sim_visible(host->dom, host->ram_where, vector);
    if (host->irq != NULL)
        host->irq(host->irq_arg, vector);
}

/** A write, or the answer to a read, of a page that was unpinned while it was on its way. */
static bool is_unpinned(const struct node_rc *rc, uint64_t addr, uint64_t bytes)
{
    return mem_ram_at(&rc->host->ram, addr, bytes) == NULL;
}

/** What was written: the bytes beside it may be addresses, in a program's memory. */
static void see_write(struct node_host *host, const struct pcie_tlp *tlp)
{
    uint64_t first = tlp->addr;
    uint32_t n = pcie_tlp_range(tlp, &first);
    const uint8_t *bytes = mem_ram_at(&host->ram, first, 1);

    sim_visible(host->dom, host->ram_where ^ tlp->addr, sim_hash_bytes(0, bytes, n));
}

/** A posted write becomes visible. */
static void write_inside(struct node_rc *rc, struct node_packet *p)
{
    struct node_host *host = rc->host;

    node_rc_consume(rc, p->source, &p->tlp);
    if (node_rc_is_msi(&p->tlp)) {
        interrupt_push(rc, p);
        return;
    }
    host->cause = p->tlp.trace_id;
    if (is_unpinned(rc, p->tlp.addr, node_span(&p->tlp))) {
        rc->stat.unclaimed_writes++;
    } else {
        node_write_bytes(&host->ram, p->tlp.addr, &p->tlp);
        rc->stat.memory_write_bytes += pcie_tlp_data_bytes(&p->tlp);
        if (sim_fingerprint_on(host->dom))
            see_write(host, &p->tlp);
    }
    node_packet_drop(&host->packets, p);
}

/** What leaves a path to the inside. */
static void deliver_inside(struct node_rc *rc, struct node_packet *p)
{
    struct node_host *host = rc->host;

    probe_turn(rc, &p->tlp, p->source, RC_INSIDE);
    node_packet_leave(p, rc->end);
    if (pcie_tlp_class(&p->tlp) == PCIE_POSTED) {
        write_inside(rc, p);
        return;
    }
    node_rc_consume(rc, p->source, &p->tlp);
    if (!node_core_completed(&host->cores[p->tlp.tag % HOST_CORES_MAX], &p->tlp)) {
        rc->stat.stray_completions++;
        pcie_port_advisory(rc->port[p->source].port, PCIE_ERR_UNEXPECTED, &p->tlp);
    }
    node_packet_drop(&host->packets, p);
}

/** The next piece of DRAM could have left at `due`, but for the interval between two of them. */
static void add_memory_stall(const struct node_rc *rc, struct rc_port *rp, sim_time_t due)
{
    sim_time_t from = sim_max(due, rp->sent_from_memory);

    rp->sent_from_memory = sim_now(rc->host->dom);
    if (from >= rp->completer_free)
        return;
    rp->tx_stall_memory_ps += rp->completer_free - from;
    if (rc->host->probe != NULL)
        sim_probe_stall(rc->host->probe, pcie_port_path(rp->port), "tx", SIM_STALL_MEMORY, from,
                        rp->completer_free);
}

/** One completion piece of a read of DRAM, its data taken now. The last one ends the read. */
static void send_from_memory(struct node_rc *rc, struct rc_lane *lane, unsigned target)
{
    struct node_host *host = rc->host;
    static const uint8_t nothing[PCIE_MAX_PAYLOAD];
    struct rc_port *rp = &rc->port[target];
    struct node_packet *p = lane->queue[RC_FROM_MEMORY].head;
    struct pcie_tlp cpl = p->tlp;

    node_packet_leave(p, p->tlp.kind == PCIE_MRD ? rc->end : NULL);
    if (p->tlp.kind == PCIE_MRD) {
        uint64_t piece = sim_min(host->cfg.rc.completion_bytes, pcie_port_mps(rp->port));
        const uint8_t *from =
            is_unpinned(rc, p->addr, 1) ? nothing : mem_ram_at(&host->ram, p->addr, 1);

        cpl = node_next_completion(p, (uint32_t)piece, host->payloads, from);
        cpl.poisoned = p->poison;
        rc->stat.memory_read_bytes += pcie_tlp_data_bytes(&cpl);
    } else {
        p->left = 0;
    }
    probe_turn(rc, &cpl, RC_FROM_MEMORY, target);
    if (rc->end != NULL)
        pcie_order_begin(rc->end, &cpl);
    pcie_port_send(rp->port, &cpl);
    add_memory_stall(rc, rp, p->due);
    rp->completer_free = sim_now(host->dom) + host->cfg.rc.completion_interval_ps;
    if (p->left != 0)
        return;
    (void)sim_list_pop(&lane->queue[RC_FROM_MEMORY]);
    rp->memory_reads--;
    node_packet_put(&host->packets, p);
}

/** Does this completion end its request? (2.3.1.1; any other status ends it too) */
static bool is_last_completion(const struct pcie_tlp *cpl)
{
    uint32_t carried = cpl->length_dw * 4u - (cpl->lower_addr & 3u);

    return cpl->kind != PCIE_CPLD || cpl->status != PCIE_CPL_SC || cpl->byte_count <= carried;
}

/** What leaves a path to a root port. */
static void send_out(struct node_rc *rc, struct node_packet *p, unsigned target)
{
    enum pcie_class cls = pcie_tlp_class(&p->tlp);

    probe_turn(rc, &p->tlp, p->source, target);
    node_packet_leave(p, NULL);
    if (rc->end != NULL && p->source >= RC_FROM_CORE) {
        pcie_order_begin(rc->end, &p->tlp);
        pcie_order_by(&p->tlp, target);
    }
    if (cls == PCIE_POSTED)
        node_rc_handed(rc, p, target);
    pcie_port_send(rc->port[target].port, &p->tlp);
    if (p->source >= RC_FROM_CORE) {
        if (cls == PCIE_POSTED) {
            node_core_taken(&rc->host->cores[p->source - RC_FROM_CORE]);
            node_bells_handed(rc, target);
        }
    } else if (cls != PCIE_NONPOSTED) {
        node_rc_consume(rc, p->source, &p->tlp);
        if (cls == PCIE_POSTED) {
            rc->stat.p2p_write_bytes += pcie_tlp_data_bytes(&p->tlp);
        } else if (is_last_completion(&p->tlp)) {
            node_rc_answered(rc, target, p->source, &p->tlp);
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
    if (target == RC_INSIDE && source < HOST_PORTS && pcie_tlp_class(&p->tlp) == PCIE_POSTED &&
        node_rc_is_behind(rc, p))
        return SIM_TIME_NEVER;
    if (source == RC_FROM_MEMORY)
        return sim_max(t, rc->port[target].completer_free);
    return source < HOST_PORTS ? sim_max(t, rc->stopped_until) : t;
}

/** The next source in turn whose head may move now; RC_SOURCES: none, and *next_p the time. */
static unsigned lane_pick(const struct node_rc *rc, const struct rc_lane *lane, unsigned target,
                          sim_time_t *next_p)
{
    sim_time_t now = sim_now(rc->host->dom);

    for (uint64_t left = lane->arbiter.requests; left != 0;) {
        unsigned source = sim_arbiter_pick(&lane->arbiter, left);
        sim_time_t t = head_time(rc, lane, target, source);

        if (t <= now)
            return source;
        *next_p = sim_min(*next_p, t);
        left &= ~(UINT64_C(1) << source);
    }
    return RC_SOURCES;
}

/** Moves what can move of one lane. @return whether anything did. */
static bool lane_run(struct node_rc *rc, unsigned target, enum pcie_class cls, sim_time_t *next_p)
{
    struct rc_lane *lane = &rc->lane[target][cls];
    bool any = false, inside = target == RC_INSIDE && cls == PCIE_POSTED;

    while (lane->arbiter.requests != 0) {
        unsigned source;
        struct sim_list *queue;

        if (target < HOST_PORTS && !pcie_port_can_send(rc->port[target].port, cls))
            return any; /* port_ready() will come */
        source = lane_pick(rc, lane, target, next_p);
        if (source == RC_SOURCES && inside)
            node_rc_await_ports(rc);
        if (source == RC_SOURCES)
            return any;
        any = true;
        queue = &lane->queue[source];
        lane->arbiter.turn = (source + 1) % RC_SOURCES;
        if (cls == PCIE_POSTED)
            rc->posted_done[target][source]++;
        if (source == RC_FROM_MEMORY)
            send_from_memory(rc, lane, target);
        else if (target == RC_INSIDE)
            deliver_inside(rc, sim_list_pop(queue));
        else
            send_out(rc, sim_list_pop(queue), target);
        if (queue->head == NULL)
            lane->arbiter.requests &= ~(UINT64_C(1) << source);
    }
    rc->active &= ~rc_lane_mask(target, cls);
    return any;
}

/** All moves of one instant. A lane becomes active only by what comes in, and writes to memory may
 * move because forwarded ones have, whose lanes come before: so one pass sees all. */
_Static_assert(RC_INSIDE == RC_TARGETS - 1, "the last one among the lanes of a class");
static bool lanes_run(struct node_rc *rc, sim_time_t *next_p)
{
    bool any = false;

    for (uint64_t left = rc->active; left != 0; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);

        any |= lane_run(rc, lane % RC_TARGETS, (enum pcie_class)(lane / RC_TARGETS), next_p);
    }
    return any;
}

static void arbitrate_lanes(struct sim_event *ev)
{
    struct node_rc *rc = SIM_CONTAINER_OF(ev, struct node_rc, arbiter);
    sim_time_t next;
    bool moved;

    if (rc->misdeeds != NULL)
        rc->stopped_until = pcie_misdeeds_stopped_until(rc->misdeeds, sim_now(rc->host->dom));
    (void)node_rc_admit(rc);
    do { /* what moves may end a read, and so admit another */
        next = SIM_TIME_NEVER;
        moved = lanes_run(rc, &next);
    } while (moved && node_rc_admit(rc));
    if (next != SIM_TIME_NEVER)
        node_rc_wake(rc, next);
}

static void port_ready(void *user, enum pcie_class cls)
{
    struct rc_port *rp = user;

    if (rp->rc->lane[rp->index][cls].arbiter.requests != 0 ||
        (cls == PCIE_POSTED && rp->rc->lane[RC_INSIDE][cls].arbiter.requests != 0))
        node_rc_wake(rp->rc, sim_now(rp->rc->host->dom));
}

/* ---- creation -------------------------------------------------------------------------- */

static void register_stats(struct node_rc *rc)
{
#define ROW(field, unit, meaning)                                                                  \
    {                                                                                              \
        &rc->stat.field, "rc." #field, unit, meaning                                               \
    }
    const struct sim_stat_row rows[] = {
        ROW(memory_write_bytes, "bytes", "written to DRAM by devices"),
        ROW(memory_read_bytes, "bytes", "read from DRAM by devices"),
        ROW(p2p_write_bytes, "bytes", "forwarded from one root port to another"),
        ROW(p2p_reads, "1", "reads forwarded from one root port to another"),
        ROW(p2p_wait_ps, "ps", "forwarded reads waited so long in the receive buffer, in all"),
        ROW(unclaimed_writes, "1", "writes of devices dropped, since no device claims the address"),
        ROW(unclaimed_reads, "1", "requests of devices answered with Unsupported Request"),
        ROW(stray_completions, "1", "completions that no request waits for"),
        ROW(interrupts, "1", "message-signalled interrupts delivered"),
        ROW(poisoned_writes, "1",
            "writes of devices to DRAM dropped, since their data is poisoned"),
        ROW(p2p_timeouts, "1", "forwarded reads that were not answered in time"),
    };
#undef ROW

    sim_stats_register(rc->host->dom, rc->host->path, rows, SIM_COUNT(rows));
}

static void register_stalls(struct sim_domain *dom, const struct rc_port *rp)
{
    const struct sim_stat_row rows[] = {
        { &rp->rx_stall_memory_ps, "rx.stall_memory_ps", "ps",
          "the first read of DRAM waited for one in progress to end" },
        { &rp->rx_stall_tag_ps, "rx.stall_tag_ps", "ps",
          "the first read of a device waited for a place among those that are forwarded" },
        { &rp->tx_stall_memory_ps, "tx.stall_memory_ps", "ps",
          "data of DRAM that were read could not leave so soon after those before them" },
    };

    sim_stats_register(dom, pcie_port_path(rp->port), rows, SIM_COUNT(rows));
}

static void link_changed(void *user, bool up)
{
    struct rc_port *rp = user;

    rp->down = !up;
    rp->posted = 0;
}

/* A Xeon E5 v2 has these. */
#define ROOT_PORT_VENDOR 0x8086u
#define ROOT_PORT_DEVICE 0x0e02u

int node_rc_init(struct node_rc *rc, struct node_host *host, struct sim_error *err)
{
    rc->host = host;
    sim_event_init(&rc->arbiter, arbitrate_lanes);
    sim_event_init(&rc->interrupt, interrupt_fire);
    register_stats(rc);
    for (unsigned i = 0; i < HOST_PORTS; i++) {
        struct rc_port *rp = &rc->port[i];
        struct pcie_port_user user = {
            .received = node_rc_received, .ready = port_ready, .link = link_changed, .user = rp
        };
        struct pcie_port_config cfg = host->cfg.own[i];
        char path[160];
        int code;

        pcie_port_config_complete(&cfg, &host->cfg.port);
        rp->rc = rc;
        rp->index = i;
        rp->sent_room = (uint32_t)cfg.tx_queue_tlps;
        rp->sent = calloc(rp->sent_room, sizeof(*rp->sent));
        if (rp->sent == NULL)
            return sim_error_set(err, SIM_ERR_NOMEM, "%s: out of memory", host->path);
        (void)snprintf(path, sizeof(path), "%s.p%u", host->path, i);
        code = pcie_port_create(host->dom, host->payloads, path, &cfg, &user, &rp->port, err);
        if (code != SIM_OK)
            return code;
        pcie_function_init_root(&rp->function, ROOT_PORT_VENDOR, ROOT_PORT_DEVICE,
                                (uint8_t)(i + 1));
        rp->function.words[PCIE_CFG_COMMAND / 4] |= PCIE_COMMAND_MEMORY | PCIE_COMMAND_MASTER;
        pcie_port_set_function(rp->port, &rp->function);
        rc->order[i] = pcie_order_watch_create(host->dom, pcie_port_path(rp->port), "root complex");
        register_stalls(host->dom, rp);
    }
    for (unsigned i = 0; i < node_host_contexts(host); i++)
        rc->order[RC_FROM_CORE + i] =
            pcie_order_watch_create(host->dom, host->path, "root complex");
    rc->end = pcie_order_end_create(host->dom, host->path);
    return node_rc_forwards_init(rc);
}

void node_rc_fini(struct node_rc *rc)
{
    free(rc->misdeeds);
    free(rc->forwards);
    sim_list_free(&rc->unused_bells);
    pcie_order_end_destroy(rc->end);
    for (unsigned i = 0; i < RC_SOURCES; i++)
        pcie_order_watch_destroy(rc->order[i]);
    for (unsigned i = 0; i < HOST_PORTS; i++) {
        free(rc->port[i].sent);
        sim_list_free(&rc->port[i].bells);
        if (rc->port[i].port != NULL)
            pcie_port_destroy(rc->port[i].port);
    }
}
