/*
 * Transaction layer of a port: class queues, credits, and by the ordering rules
 * (2.4.1) the choice of what the link sends next.
 */
#include "pcie/port/dll.h"
#include "pcie/port/tap.h"
#include "pcie/tlp/ordering.h"

static struct tx_entry *queue_head(const struct tx_class *q)
{
    return &q->ring[q->head];
}

static bool has_credits(const struct tx_class *q, const struct pcie_tlp *tlp)
{
    return q->hdr_avail != 0 && q->data_avail >= pcie_tlp_data_credits(tlp);
}

/* ---- what the link is blocked by ---- */

static void add_stall(struct pcie_port *p)
{
    sim_time_t now = sim_now(p->dom);

    if (p->stalled_since >= now) /* DLLPs have had the link since */
        return;
    p->stat.stall_ps[p->stalled_by] += now - p->stalled_since;
    if (p->tap != NULL)
        pcie_tap_stood(p, (enum tx_stall)p->stalled_by, p->stalled_since);
}

/** Nothing of what waits may be sent. A DLLP that was begun just now has the link first. */
static void begin_stall(struct pcie_port *p, unsigned why)
{
    sim_time_t now = sim_now(p->dom), since = pcie_port_not_before_free(p, now), from;

    if (p->stalled_by == why && p->phy.free_ps <= now)
        return;
    if (p->stalled_by != TX_STALLS)
        add_stall(p);
    if (pcie_port_is_lossy(p) && p->lossy_ops->stands(p, &from)) {
        why = TX_STALL_DOWN;
        since = sim_max(from, now);
    }
    p->stalled_by = (uint8_t)why;
    p->stalled_since = since;
}

void pcie_port_stand(struct pcie_port *p)
{
    if (p->waiting != 0)
        begin_stall(p, pcie_port_is_up(p) ? TX_STALL_AGAIN : TX_STALL_DOWN);
}

static inline void end_stall(struct pcie_port *p)
{
    if (p->stalled_by == TX_STALLS)
        return;
    add_stall(p);
    p->stalled_by = TX_STALLS;
}

struct pcie_stalls pcie_port_stalls(const struct pcie_port *p)
{
    const uint64_t *ps = p->stat.stall_ps;
    struct pcie_stalls s = { .replay_ps = ps[TX_STALL_REPLAY] + ps[TX_STALL_AGAIN],
                             .down_ps = ps[TX_STALL_DOWN] };
    sim_time_t now = sim_now(p->dom);

    for (unsigned i = 0; i < PCIE_CLASSES; i++)
        s.credit_ps += ps[TX_STALL_CREDIT + i];
    if (p->stalled_by == TX_STALLS || p->stalled_since >= now)
        return s;
    *(p->stalled_by < TX_STALL_REPLAY ? &s.credit_ps
      : p->stalled_by < TX_STALL_DOWN ? &s.replay_ps
                                      : &s.down_ps) += now - p->stalled_since;
    return s;
}

/* ---- the choice ---- */

/** When nothing may go, the oldest one is what lacks credits: its class. */
static unsigned oldest_class(const struct pcie_port *p)
{
    uint64_t order = UINT64_MAX;
    unsigned cls = PCIE_CLASSES;

    for (unsigned i = 0; i < PCIE_CLASSES; i++) {
        const struct tx_class *q = &p->tx[i];

        if (q->count != 0 && queue_head(q)->order < order) {
            order = queue_head(q)->order;
            cls = i;
        }
    }
    return cls;
}

/** May the head `e` of a class go before all of the other classes that came earlier? (2.4.1) */
static bool may_go_first(const struct pcie_port *p, unsigned cls, const struct tx_entry *e)
{
    for (unsigned i = 0; i < PCIE_CLASSES; i++) {
        const struct tx_class *q = &p->tx[i];
        uint32_t at = q->head;

        for (uint32_t n = i != cls ? q->count : 0; n > 0 && q->ring[at].order < e->order; n--) {
            if (!pcie_may_pass(&e->tlp, &q->ring[at].tlp))
                return false;
            at = at + 1 == p->queue_tlps ? 0 : at + 1;
        }
    }
    return true;
}

/** The oldest head that may go, by the table of order and its credits. @return its class, or
 * PCIE_CLASSES; *later_p is not after the time at which one is all there that is not yet. */
static unsigned pick_class(struct pcie_port *p, sim_time_t *later_p)
{
    uint64_t best_order = UINT64_MAX;
    unsigned best = PCIE_CLASSES;

    for (unsigned i = 0; i < PCIE_CLASSES; i++) {
        struct tx_class *q = &p->tx[i];
        const struct tx_entry *e;

        if (q->count == 0)
            continue;
        e = queue_head(q);
        if (e->order > best_order || !may_go_first(p, i, e))
            continue;
        if (e->from > sim_now(p->dom)) {
            *later_p = sim_min(*later_p, e->from);
            continue;
        }
        if (has_credits(q, &e->tlp)) {
            best = i;
            best_order = e->order;
        } else if (p->tap != NULL) {
            pcie_tap_lacks(p, &p->tap->lacks_since[i]);
        }
    }
    return best;
}

static bool replay_has_room(struct pcie_port *p)
{
    if (p->replay_count < p->replay_room)
        return true;
    if (p->tap != NULL)
        pcie_tap_lacks(p, &p->tap->replay_full_since);
    return false;
}

/** One has left the queue of a class, or all have. */
static void notify_room(struct pcie_port *p, unsigned cls, bool was_full)
{
    bool awaited = ((p->wanting | p->leaving) >> cls & 1) != 0;

    p->leaving &= (uint8_t) ~(1u << cls);
    if ((was_full || awaited) && p->user.ready != NULL)
        p->user.ready(p->user.user, (enum pcie_class)cls);
}

/** Sends one waiting TLP if one may go; *later_p: see pick_class(). */
static bool send_waiting(struct pcie_port *p, sim_time_t *later_p)
{
    struct tx_class *q;
    unsigned cls;
    bool was_full;

    if (!p->up) {
        pcie_port_stand(p);
        return false;
    }
    if (!replay_has_room(p)) {
        begin_stall(p, TX_STALL_REPLAY);
        return false;
    }
    cls = pick_class(p, later_p);
    if (cls == PCIE_CLASSES) {
        if (*later_p == SIM_TIME_NEVER)
            begin_stall(p, TX_STALL_CREDIT + oldest_class(p));
        return false;
    }
    q = &p->tx[cls];
    was_full = q->count == p->queue_tlps;
    end_stall(p);
    if (p->tap != NULL)
        pcie_tap_leaves(p, cls);
    pcie_dll_send(p, &queue_head(q)->tlp, (enum pcie_class)cls);
    if (++q->head == p->queue_tlps)
        q->head = 0;
    q->count--;
    p->waiting--;
    if (p->tap != NULL)
        pcie_tap_left(p, cls, was_full);
    notify_room(p, cls, was_full);
    return true;
}

void pcie_port_settle(struct pcie_port *p)
{
    if (p->in_dllp == NULL)
        return;
    p->deciding = true;
    sim_channel_settle(p->in_dllp);
    p->deciding = false;
}

/**
 * Sends what may go of the waiting TLPs. What is blocked listens for DLLPs; what is not waits for
 * the end of the packet just begun. @return when to look again
 */
sim_time_t pcie_port_send_next(struct pcie_port *p)
{
    sim_time_t later = SIM_TIME_NEVER;
    bool sent = send_waiting(p, &later);

    if (sent && p->waiting != 0)
        return p->phy.free_ps;
    if (!sent)
        sim_channel_listen(p->in_dllp, true);
    return later;
}

/** The link is free, or DLLPs are due, or arrived while TLPs waited. */
void pcie_port_work(struct sim_event *ev)
{
    struct pcie_port *p = SIM_CONTAINER_OF(ev, struct pcie_port, work);
    sim_time_t now = sim_now(p->dom), next = SIM_TIME_NEVER;

    if (pcie_port_is_lossy(p)) {
        p->lossy_ops->work(p);
        return;
    }
    if (p->waiting != 0 || !p->up)
        pcie_port_settle(p);
    if (now < p->phy.free_ps) {
        sim_schedule_by(p->dom, ev, p->phy.free_ps, SIM_ARRIVE);
        return;
    }
    if (p->dllp_due <= now)
        pcie_dll_flush(p); /* DLLPs go before the next TLP */
    if (p->waiting != 0)
        next = pcie_port_send_next(p);
    next = sim_min(next, p->dllp_due);
    if (next != SIM_TIME_NEVER)
        pcie_port_work_by(p, next);
}

/* Who asks is about to send: what that will touch comes into the cache meanwhile. */
bool pcie_port_can_send(const struct pcie_port *p, enum pcie_class cls)
{
    __builtin_prefetch(p->in_dllp);
    __builtin_prefetch(p->out);
    __builtin_prefetch(&p->phy);
    return p->tx[cls].count < p->queue_tlps;
}

/** Is the partner's buffer for the class empty? It will never have more room. */
static bool all_free(const struct tx_class *q)
{
    return (q->hdr_total == 0 || q->hdr_avail == q->hdr_total) &&
           (q->data_total == 0 || q->data_avail == q->data_total);
}

bool pcie_port_has_room(struct pcie_port *p, enum pcie_class cls, uint32_t tlps)
{
    const struct tx_class *q = &p->tx[cls];

    if (q->count != 0) {
        p->wanting |= (uint8_t)(1u << cls);
        if (p->tap != NULL)
            pcie_tap_wants(p, cls, PCIE_WANTS_QUEUE);
        return false;
    }
    pcie_port_settle(p);
    if (!pcie_port_is_up(p) || all_free(q) ||
        (q->hdr_avail >= tlps && q->data_avail >= (uint64_t)tlps * (p->mps / 16))) {
        if (p->tap != NULL)
            pcie_tap_wants(p, cls, PCIE_WANTS_NOTHING);
        p->wanting &= (uint8_t) ~(1u << cls);
        return true;
    }
    if (p->tap != NULL)
        pcie_tap_wants(p, cls, PCIE_WANTS_CREDITS);
    p->wanting |= (uint8_t)(1u << cls);
    if (p->in_dllp != NULL)
        sim_channel_listen(p->in_dllp, true);
    return false;
}

struct pcie_credits pcie_port_credits(struct pcie_port *p, enum pcie_class cls)
{
    const struct tx_class *q = &p->tx[cls];

    pcie_port_settle(p);
    return (struct pcie_credits){
        q->hdr_avail, q->data_avail, q->hdr_total, q->data_total, q->count < p->queue_tlps,
        q->count == 0
    };
}

static void enqueue_tlp(struct pcie_port *p, const struct pcie_tlp *tlp, enum pcie_class cls,
                        sim_time_t from)
{
    struct tx_class *q = &p->tx[cls];
    uint32_t at = (uint32_t)q->head + q->count;
    struct tx_entry *e = &q->ring[at < p->queue_tlps ? at : at - p->queue_tlps];

    SIM_ASSERT(q->count < p->queue_tlps);
    e->tlp = *tlp;
    e->order = p->next_order++;
    e->from = from;
    q->count++;
    p->waiting++;
    if (p->tap != NULL)
        pcie_tap_queued(p, tlp, e->order);
}

sim_time_t pcie_port_lag(const struct pcie_port *p, const struct pcie_tlp *tlp, sim_time_t feed_ps)
{
    sim_time_t wire_ps = pcie_phy_ps(&p->phy, PCIE_TLP_FRAMING + pcie_tlp_header_bytes(tlp) +
                                                  pcie_tlp_data_bytes(tlp));

    return feed_ps > wire_ps ? feed_ps - wire_ps : 0;
}

void pcie_port_send(struct pcie_port *p, const struct pcie_tlp *tlp)
{
    pcie_port_send_lagging(p, tlp, 0);
}

void pcie_port_send_lagging(struct pcie_port *p, const struct pcie_tlp *tlp, sim_time_t lag_ps)
{
    enum pcie_class cls = pcie_tlp_class(tlp);
    bool free_now = sim_now(p->dom) >= p->phy.free_ps;
    sim_time_t next, since;

    pcie_port_settle(p);
    SIM_ASSERT(pcie_tlp_data_bytes(tlp) <= p->mps);
    if (p->waiting == 0 && free_now && lag_ps == 0 && p->up && p->replay_count < p->replay_room &&
        has_credits(&p->tx[cls], tlp)) {
        pcie_dll_send(p, tlp, cls);
        if (p->tap != NULL)
            (void)pcie_tap_levels(p);
        return;
    }
    if (!p->up && pcie_port_is_lossy(p) && p->lossy_ops->discards(p, tlp))
        return;
    enqueue_tlp(p, tlp, cls, sim_now(p->dom) + lag_ps);
    if (!p->up) {
        pcie_port_stand(p);
        return;
    }
    if (pcie_port_is_lossy(p) && p->lossy_ops->stands(p, &since))
        pcie_port_stand(p);
    next = free_now ? pcie_port_send_next(p) : p->phy.free_ps;
    if (next != SIM_TIME_NEVER)
        sim_schedule_by(p->dom, &p->work, next, SIM_ARRIVE);
}

void pcie_port_discard(struct pcie_port *p)
{
    end_stall(p);
    if (p->tap != NULL)
        pcie_tap_dropped(p);
    p->waiting = 0;
    for (unsigned i = 0; i < PCIE_CLASSES; i++) {
        struct tx_class *q = &p->tx[i];
        bool was_full = q->count == p->queue_tlps;

        for (; q->count > 0; q->count--) {
            pcie_tlp_drop(&queue_head(q)->tlp);
            if (++q->head == p->queue_tlps)
                q->head = 0;
        }
        if (p->tap != NULL)
            pcie_tap_left(p, i, was_full);
        notify_room(p, i, was_full);
    }
}

const char *pcie_port_lacks(const struct pcie_port *p, enum pcie_class cls)
{
    static const char *const headers[PCIE_CLASSES] = { "posted header credits",
                                                       "non-posted header credits",
                                                       "completion header credits",
                                                       "posted header credits (VC1)" };
    static const char *const data[PCIE_CLASSES] = { "posted data credits",
                                                    "non-posted data credits",
                                                    "completion data credits",
                                                    "posted data credits (VC1)" };
    const struct tx_class *q = &p->tx[cls];

    if (q->count == 0)
        return NULL;
    if (!p->up)
        return pcie_port_is_up(p) ? "the end of a replay or retraining" : "a link that is up";
    if (p->replay_count == p->replay_room)
        return "acknowledgements";
    if (q->hdr_avail == 0)
        return headers[cls];
    return has_credits(q, &queue_head(q)->tlp) ? NULL : data[cls];
}

uint32_t pcie_port_queued(const struct pcie_port *p, enum pcie_class cls)
{
    return p->tx[cls].count;
}

void pcie_port_notify_left(struct pcie_port *p, enum pcie_class cls)
{
    p->leaving |= (uint8_t)(1u << cls);
}

uint32_t pcie_port_held(const struct pcie_port *p, enum pcie_class cls)
{
    return p->rx[cls].hdr_held + (pcie_port_is_lossy(p) ? p->lossy_ops->stale(p, cls) : 0);
}

bool pcie_port_is_up(const struct pcie_port *p)
{
    return pcie_port_is_lossy(p) ? p->lossy_ops->state(p) != PCIE_LINK_DOWN : p->up;
}

const char *pcie_port_path(const struct pcie_port *p)
{
    return p->path;
}

bool pcie_port_connected(const struct pcie_port *p)
{
    return p->out != NULL;
}

bool pcie_port_has_vc1(const struct pcie_port *p)
{
    return p->classes == PCIE_CLASSES;
}

uint32_t pcie_port_mps(const struct pcie_port *p)
{
    return p->mps;
}
