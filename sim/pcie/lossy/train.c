/*
 * A link that may lose packets as a whole: what its ports do at each time,
 * outages, retraining, another rate.
 *
 * Outages that are planned are known to both ends. An end asks for a retraining
 * after replays in vain or a broken framing token. It announces it by a record for
 * its training sets, and the other end answers by one. Each end is ready
 * `recovery_ps` after both have trained, so neither hears the other too early.
 */
#include "pcie/lossy/lossy_impl.h"
#include "pcie/port/aer.h"
#include "pcie/port/tap.h"

/* ---- the state of the link ---- */

static bool is_out(const struct pcie_lossy *l, sim_time_t t)
{
    return (t >= l->outage_from && t < l->outage_until) || t >= l->next_outage;
}

bool pcie_lossy_hears(const struct pcie_lossy *l, sim_time_t t)
{
    return !is_out(l, t) && !(t >= l->recovery_from && t < l->recovery_until);
}

enum pcie_link_state pcie_lossy_state(const struct pcie_port *p)
{
    if (p->lossy->stage != INIT_DONE)
        return PCIE_LINK_DOWN;
    return p->lossy->recovering ? PCIE_LINK_RETRAIN : PCIE_LINK_REPLAY;
}

bool pcie_lossy_stands(const struct pcie_port *p, sim_time_t *from_p)
{
    *from_p = p->lossy->held_from;
    return p->lossy->recovering || sim_now(p->dom) < p->lossy->held_until;
}

/** From now, or the end of what is being sent, until `until` the link carries nothing of ours. */
static void hold_link(struct pcie_port *p, sim_time_t from, sim_time_t until)
{
    p->lossy->held_from = from;
    p->lossy->held_until = until;
    pcie_phy_hold(&p->phy, until);
    pcie_port_stand(p);
    if (p->tap != NULL)
        pcie_tap_trained(p, from, until);
}

static void set_up(struct pcie_port *p)
{
    const struct pcie_lossy *l = p->lossy;

    p->up = l->stage == INIT_DONE && !l->recovering && !l->replaying;
}

void pcie_lossy_update_up(struct pcie_port *p)
{
    set_up(p);
    if (p->tap != NULL)
        (void)pcie_tap_levels(p);
}

void pcie_lossy_want_training(struct pcie_port *p, sim_time_t since)
{
    struct pcie_lossy *l = p->lossy;

    if (l->wanted_at != SIM_TIME_NEVER)
        return;
    l->wanted_at = since;
    pcie_port_work_by(p, sim_now(p->dom) + 1);
}

void pcie_lossy_receive_training(struct pcie_port *p)
{
    if (!is_out(p->lossy, sim_now(p->dom) - 1))
        p->lossy->partner_trains = true;
}

/** The replay timer stands (3.5.2.1), from `now` or the end of an earlier outage. */
static void stop_timer(struct pcie_lossy *l, sim_time_t now)
{
    sim_time_t from = sim_max(now, l->outage_end);

    if (l->recovering)
        return;
    l->replay_left = l->replay_deadline;
    if (l->replay_deadline != SIM_TIME_NEVER)
        l->replay_left = l->replay_deadline > from ? l->replay_deadline - from : 0;
    l->replay_deadline = SIM_TIME_NEVER;
}

/** The link is there from `t` on. What was announced last may have been lost. */
static void resume(struct pcie_port *p, sim_time_t t)
{
    struct pcie_lossy *l = p->lossy;

    l->recovering = l->partner_trains = false;
    l->wanted_at = SIM_TIME_NEVER;
    l->replay_deadline = l->replay_left == SIM_TIME_NEVER ? SIM_TIME_NEVER : t + l->replay_left;
    for (unsigned i = 0; i < p->classes; i++) {
        if (l->stage == INIT_DONE && (p->rx[i].hdr_total != 0 || p->rx[i].data_total != 0))
            l->fc_lost |= (uint8_t)(1u << i);
        l->fc_at[i] = t;
    }
    l->init_lost = l->init_lost || !l->partner_active;
    l->init_at = t;
    p->dllp_due = t;
    set_up(p);
    if (p->tap != NULL)
        pcie_tap_resumes(p, t);
}

/* ---- down and up ---- */

static void forget_credits(struct pcie_port *p)
{
    struct pcie_lossy *l = p->lossy;

    for (unsigned i = 0; i < PCIE_CLASSES; i++) {
        struct rx_class *r = &p->rx[i];
        struct tx_class *q = &p->tx[i];

        l->stale_hdr[i] += r->hdr_held;
        l->stale_data[i] += r->data_held;
        r->hdr_held = r->data_held = 0;
        r->hdr_freed = r->data_freed = r->hdr_fresh = r->data_fresh = 0;
        r->hdr_alloc = r->hdr_total;
        r->data_alloc = r->data_total;
        q->hdr_avail = q->data_avail = 0;
        q->hdr_used = q->data_used = 0;
    }
    p->rx_freed = 0;
}

/**
 * DL_Down (2.9.1, 3.2.1): all of the data-link layer begins anew, and what was to be sent is lost.
 * What has been received stays with the user, but its place in the buffer counts as free: the
 * partner is promised the whole buffer again.
 */
static void go_down(struct pcie_port *p)
{
    struct pcie_lossy *l = p->lossy;

    l->stage = INIT_FC1;
    l->got_init = 0;
    l->init_lost = true;
    l->partner_active = false;
    l->seen_active = SIM_TIME_NEVER;
    l->fc_lost = 0;
    l->replaying = false;
    l->resent = 0;
    l->replay_num = 0;
    l->replay_left = SIM_TIME_NEVER;
    l->nak_scheduled = false;
    l->nak_since = l->dup_since = SIM_TIME_NEVER;
    l->stat.discarded += p->replay_count;
    (void)pcie_dll_take_ack(p, p->tx_seq - 1u);
    p->tx_seq = p->rx_seq = 0;
    p->unacked = 0;
    forget_credits(p);
    if (!l->known_down)
        pcie_port_error(p, PCIE_ERR_SURPRISE_DOWN, NULL);
    l->known_down = true;
    pcie_lossy_update_up(p);
    l->stat.discarded += p->waiting;
    pcie_port_discard(p);
    if (p->user.link != NULL)
        p->user.link(p->user.user, false);
}

bool pcie_lossy_discards(struct pcie_port *p, const struct pcie_tlp *tlp)
{
    struct pcie_tlp lost = *tlp;

    if (!p->lossy->known_down)
        return false;
    pcie_tlp_drop(&lost);
    p->lossy->stat.discarded++;
    return true;
}

uint32_t pcie_lossy_stale(const struct pcie_port *p, enum pcie_class cls)
{
    return p->lossy->stale_hdr[cls];
}

static uint32_t take_part(uint32_t *from, uint32_t n)
{
    uint32_t part = (uint32_t)sim_min(*from, n);

    *from -= part;
    return n - part;
}

void pcie_lossy_take_stale(struct pcie_port *p, enum pcie_class cls, uint32_t *hdr_p,
                           uint32_t *data_p)
{
    /* Which of those held is consumed does not matter: only sums count. */
    *hdr_p = take_part(&p->lossy->stale_hdr[cls], *hdr_p);
    *data_p = take_part(&p->lossy->stale_data[cls], *data_p);
}

/* ---- outages and retraining ---- */

static void begin_outage(struct pcie_port *p, sim_time_t now)
{
    struct pcie_lossy *l = p->lossy;
    const struct plan_entry *e = &l->plan[l->plan_next++];
    sim_time_t end = sim_max(e->end, l->outage_end);

    l->next_outage = l->plan_next < l->plan_count ? l->plan[l->plan_next].at : SIM_TIME_NEVER;
    l->stat.outages++;
    stop_timer(l, now);
    l->outage_from = e->at;
    l->outage_until = end + p->in_ps; /* what arrives until then was sent before the end */
    l->outage_end = end;
    l->recovery_from = l->recovery_until = 0;
    if (e->gen != 0 || e->lanes != 0)
        pcie_link_set_rate(p, e->gen != 0 && e->gen < p->gen ? e->gen : p->gen,
                           e->lanes != 0 && e->lanes < p->phy.lanes ? e->lanes : p->phy.lanes);
    hold_link(p, pcie_port_not_before_free(p, now), end);
    if (e->down)
        go_down(p);
    resume(p, end);
}

static void send_training(struct pcie_port *p, sim_time_t now)
{
    struct wire_damaged *rec = sim_channel_reserve(p->out_dllp, sizeof(*rec));

    *rec = (struct wire_damaged){ .init = WIRE_TRAINING };
    sim_channel_send(p->out_dllp, now);
}

/** The link is free: this end trains, and is done when the partner trains too. */
static void train_link(struct pcie_port *p, sim_time_t now)
{
    struct pcie_lossy *l = p->lossy;

    if (!l->recovering) {
        stop_timer(l, now);
        l->recovering = true;
        l->stat.retrains++;
        l->recovery_from = now + 1; /* what arrives now may be received before or after this */
        l->recovery_until = SIM_TIME_NEVER;
        send_training(p, now);
        pcie_lossy_update_up(p);
        l->held_from = now;
        pcie_port_stand(p);
    }
    if (l->partner_trains) {
        l->recovery_until = now + p->cfg.recovery_ps;
        hold_link(p, l->held_from, l->recovery_until);
        resume(p, l->recovery_until);
    }
}

/* ---- what to do now ---- */

static void time_out(struct pcie_port *p)
{
    p->lossy->stat.timeouts++;
    pcie_port_error(p, PCIE_ERR_REPLAY_TIMER, NULL);
    pcie_replay_start(p, false);
}

/** The link is free. @return when to look again for what is to be sent, at once when it is free
 * again
 */
static sim_time_t send_something(struct pcie_port *p, sim_time_t now)
{
    struct pcie_lossy *l = p->lossy;

    if (l->replay_deadline <= now)
        time_out(p);
    if (l->partner_trains || l->wanted_at < now)
        train_link(p, now);
    if (l->recovering || now < p->phy.free_ps)
        return SIM_TIME_NEVER;
    if (p->dllp_due <= now)
        pcie_lossy_flush(p);
    if (l->replaying) {
        pcie_replay_next(p);
        pcie_port_stand(p);
        return l->replaying || p->waiting != 0 ? now + 1 : SIM_TIME_NEVER;
    }
    return p->waiting != 0 ? pcie_port_send_next(p) : SIM_TIME_NEVER;
}

static sim_time_t next_look(const struct pcie_port *p, sim_time_t now, sim_time_t again)
{
    const struct pcie_lossy *l = p->lossy;
    sim_time_t next = sim_min(sim_min(p->dllp_due, l->replay_deadline), again);

    if (l->recovering)
        return l->next_outage; /* the partner's record calls */
    if (l->wanted_at != SIM_TIME_NEVER || l->seen_active != SIM_TIME_NEVER || next <= now)
        next = now + 1;
    next = pcie_port_not_before_free(p, next);
    return sim_min(next, l->next_outage);
}

void pcie_lossy_work(struct pcie_port *p)
{
    struct pcie_lossy *l = p->lossy;
    sim_time_t now = sim_now(p->dom), next;
    sim_time_t again = p->waiting != 0 || l->replaying ? now + 1 : SIM_TIME_NEVER;

    pcie_port_settle(p);
    while (now >= l->next_outage)
        begin_outage(p, now);
    if (l->seen_active < now) {
        l->seen_active = SIM_TIME_NEVER;
        pcie_init_partner_active(p);
    }
    if (now >= p->phy.free_ps)
        again = send_something(p, now);
    next = next_look(p, now, again);
    if (next != SIM_TIME_NEVER)
        sim_schedule_by(p->dom, &p->work, next, SIM_ARRIVE);
}
