/* Simulations, domains, their events, and the loop that gives domains their turns. */
#include "core/internal.h"
#include "core/probe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Without any crossing channel a window could last forever, and nothing could be stopped. */
#define LONGEST_WINDOW SIM_US

static char *copy_text(const char *text)
{
    size_t n = strlen(text) + 1;
    char *copy = malloc(n);

    SIM_ASSERT(copy != NULL);
    memcpy(copy, text, n);
    return copy;
}

void *sim_calloc(size_t bytes)
{
    size_t room = (bytes + SIM_CACHE_LINE - 1) / SIM_CACHE_LINE * SIM_CACHE_LINE;
    void *p = room >= bytes ? aligned_alloc(SIM_CACHE_LINE, room) : NULL;

    return p != NULL ? memset(p, 0, room) : NULL;
}

struct sim *sim_create(const struct sim_config *cfg)
{
    struct sim *sim = calloc(1, sizeof(*sim));

    if (sim == NULL)
        return NULL;
    sim->cfg = *cfg;
    sim->lookahead = LONGEST_WINDOW;
    sim_stream_init(&sim->order_stream, cfg->order.seed, "order");
    return sim;
}

static void domain_destroy(struct sim_domain *dom)
{
    for (uint32_t i = 0; i < dom->nstats; i++) {
        free(dom->stats[i].path);
        free(dom->stats[i].unit);
        free(dom->stats[i].meaning);
    }
    free(dom->stats);
    queue_fini(&dom->queue);
    free(dom->name);
    free(dom);
}

void sim_destroy(struct sim *sim)
{
    if (sim == NULL)
        return;
    channel_destroy_all(sim);
    for (uint32_t i = 0; i < sim->ndomains; i++)
        domain_destroy(sim->domains[i]);
    free(sim->domains);
    free(sim->turns);
    free(sim->next);
    group_leave(sim);
    free(sim);
}

static bool domains_grow(struct sim *sim)
{
    uint32_t room = sim->domains_room != 0 ? sim->domains_room * 2 : 8;
    struct sim_domain **domains = realloc(sim->domains, room * sizeof(struct sim_domain *));
    sim_time_t *next;
    uint32_t *turns;

    if (domains == NULL)
        return false;
    sim->domains = domains;
    turns = realloc(sim->turns, room * sizeof(*turns));
    if (turns == NULL)
        return false;
    sim->turns = turns;
    next = realloc(sim->next, room * sizeof(*next));
    if (next == NULL)
        return false;
    sim->next = next;
    sim->domains_room = room;
    return true;
}

struct sim_domain *sim_domain_create(struct sim *sim, const char *name)
{
    struct sim_domain *dom;

    SIM_ASSERT(sim->ndomains < SIM_MAX_DOMAINS - 1);
    if (sim->ndomains == sim->domains_room && !domains_grow(sim))
        return NULL;
    dom = sim_calloc(sizeof(*dom));
    if (dom == NULL)
        return NULL;
    queue_init(&dom->queue);
    dom->sim = sim;
    dom->id = sim->ndomains;
    dom->next_key = (uint64_t)dom->id << KEY_SEQ_BITS;
    dom->shuffle_ties = sim->cfg.order.shuffle_ties;
    dom->name = copy_text(name);
    sim->turns[sim->ndomains] = sim->ndomains;
    sim->domains[sim->ndomains++] = dom;
    return dom;
}

uint32_t sim_domains(const struct sim *sim)
{
    return sim->ndomains;
}

const char *sim_domain_name(const struct sim_domain *dom)
{
    return dom->name;
}
sim_time_t sim_now(const struct sim_domain *dom)
{
    return dom->now;
}
uint64_t sim_seed(const struct sim_domain *dom)
{
    return dom->sim->cfg.seed;
}

/* A bijection on 62 bits: ties get a random order, and still each key occurs once. */
static uint64_t shuffled(uint64_t x, uint64_t seed)
{
    const uint64_t mask = (UINT64_C(1) << KEY_PHASE_SHIFT) - 1;

    for (int round = 0; round < 3; round++) {
        x = ((x ^ seed) * UINT64_C(0x9e3779b97f4a7c15)) & mask;
        x ^= x >> 31;
    }
    return x;
}

uint64_t domain_key(struct sim_domain *dom, enum sim_phase phase)
{
    uint64_t low = dom->next_key++;

    if (dom->shuffle_ties)
        low = shuffled(low, dom->sim->cfg.order.seed);
    return ((uint64_t)phase << KEY_PHASE_SHIFT) | low;
}

void sim_event_init(struct sim_event *ev, sim_event_fn fn)
{
    *ev = (struct sim_event){ .fn = fn };
}

void sim_schedule_at(struct sim_domain *dom, struct sim_event *ev, sim_time_t time,
                     enum sim_phase phase)
{
    SIM_ASSERT(ev->slot == 0);
    SIM_ASSERT(time > dom->now || (time == dom->now && (uint32_t)phase >= dom->phase));
    ev->time = time;
    ev->key = domain_key(dom, phase);
    queue_push(&dom->queue, ev);
}

void sim_schedule_by(struct sim_domain *dom, struct sim_event *ev, sim_time_t time,
                     enum sim_phase phase)
{
    if (ev->slot == 0) {
        sim_schedule_at(dom, ev, time, phase);
        return;
    }
    if (ev->time <= time)
        return;
    SIM_ASSERT(time > dom->now || (time == dom->now && (uint32_t)phase >= dom->phase));
    queue_remove(&dom->queue, ev);
    ev->time = time;
    ev->key = domain_key(dom, phase);
    queue_push(&dom->queue, ev);
}

/* Counts as the event that it saves: keys and statistics are as with it. */
bool sim_pass(struct sim_domain *dom, sim_time_t delay, enum sim_phase phase)
{
    sim_time_t to = dom->now + delay;

    if (to >= dom->end || queue_next(&dom->queue) <= to)
        return false;
    dom->now = to;
    dom->phase = phase;
    dom->next_key++;
    dom->events_run++;
    return true;
}

void sim_cancel(struct sim_domain *dom, struct sim_event *ev)
{
    if (ev->slot != 0)
        queue_remove(&dom->queue, ev);
}

/* Windows are no longer than that, so no domain is further ahead, wherever this one began. */
void sim_stop(struct sim_domain *dom)
{
    struct sim *sim = dom->sim;

    sim->stop_at = sim_min(sim->stop_at, dom->now + sim->lookahead);
}

void sim_expect(struct sim *sim, uint64_t n)
{
    sim->parts = (struct sim_parts){ .expected = n };
}

void sim_part_ended(struct sim_domain *dom, sim_time_t at)
{
    struct sim_parts *parts = &dom->sim->parts;

    SIM_ASSERT(at <= dom->now);
    parts->ended++;
    parts->end = sim_max(parts->end, at);
}

uint64_t sim_parts_left(const struct sim *sim)
{
    const struct sim_parts *parts = &sim->parts;

    return parts->expected - (sim->member != NULL ? parts->ended_of_all : parts->ended);
}

void sim_keep_step(struct sim_domain *dom)
{
    dom->sim->keep_step = true;
}

static void domain_run(struct sim_domain *dom, sim_time_t end)
{
    struct queue_due due;

    dom->end = end;
    while (queue_pop(&dom->queue, end, &due)) {
        dom->now = due.time;
        dom->phase = due.phase;
        dom->events_run++;
        due.fn(due.ev);
    }
    dom->end = 0;
    /* Between windows anything at or after the present time may be scheduled. */
    dom->phase = SIM_ARRIVE;
}

static void shuffle_turns(struct sim *sim)
{
    for (uint32_t i = sim->ndomains; i > 1; i--) {
        uint32_t j = (uint32_t)sim_stream_below(&sim->order_stream, i);
        uint32_t t = sim->turns[i - 1];

        sim->turns[i - 1] = sim->turns[j];
        sim->turns[j] = t;
    }
}

static void flush_channels(struct sim_domain *dom)
{
    struct sim_channel *ch;

    while ((ch = channel_take_dirty(dom)) != NULL)
        channel_flush(ch);
}

static void send_channels(struct sim_domain *dom)
{
    struct sim_channel *ch;

    while ((ch = channel_take_dirty(dom)) != NULL)
        if (channel_leaves(ch))
            channel_export(ch);
        else
            channel_flush(ch);
}

/* One lookahead window: no record sent in it can arrive in it, so the order of turns is free, and
 * records may be handed over at once. */
static void run_window(struct sim *sim, sim_time_t end)
{
    if (sim->cfg.order.shuffle_turns)
        shuffle_turns(sim);
    for (uint32_t i = 0; i < sim->ndomains; i++) {
        uint32_t id = sim->turns[i];

        if (sim->next[id] >= end || sim->domains[id]->away)
            continue;
        domain_run(sim->domains[id], end);
        sim->next[id] = queue_next(&sim->domains[id]->queue);
        send_channels(sim->domains[id]);
    }
}

/* Between runs all domains stand at one time: a record sent by one that had long been idle would
 * arrive in the past of another. */
static void align_domains(struct sim *sim, sim_time_t now)
{
    for (uint32_t i = 0; i < sim->ndomains; i++)
        sim->domains[i]->now = now;
}

/* What was sent between runs may be due first. All processes have sent it. */
static void look_ahead(struct sim *sim)
{
    for (uint32_t i = 0; i < sim->ndomains; i++)
        flush_channels(sim->domains[i]);
    for (uint32_t i = 0; i < sim->ndomains; i++)
        sim->next[i] = queue_next(&sim->domains[i]->queue);
}

static sim_time_t next_of_all(const struct sim *sim)
{
    sim_time_t next = SIM_TIME_NEVER;

    for (uint32_t i = 0; i < sim->ndomains; i++)
        if (!sim->domains[i]->away)
            next = sim_min(sim->next[i], next);
    return next;
}

sim_time_t sim_next(struct sim *sim)
{
    look_ahead(sim);
    return next_of_all(sim);
}

/* All events from `next` on are run, before some time after it and none behind `until`. */
static sim_time_t window_end(const struct sim *sim, sim_time_t next, sim_time_t until)
{
    sim_time_t length = sim->keep_step ? 1 : sim->lookahead;
    sim_time_t end = until - next < length ? until + 1 : next + length;

    return sim_min(end, sim->stop_at);
}

/* Parts have ended in this window or those before, at whatever place of it: no domain is ahead of
 * the last end by more than the lookahead. */
static void stop_by_parts(struct sim *sim)
{
    const struct sim_parts *parts = &sim->parts;

    if (parts->expected != 0 && sim_parts_left(sim) == 0)
        sim->stop_at = sim_min(sim->stop_at, parts->end + sim->lookahead);
}

/* What is due next, and what has ended; in a group, of all processes. */
static int take_turn(struct sim *sim, struct group_turn *turn)
{
    *turn = (struct group_turn){ .next = next_of_all(sim),
                                 .stop_at = sim->stop_at,
                                 .ended = sim->parts.ended,
                                 .end = sim->parts.end };
    if (sim->member != NULL) {
        int code = group_turn(sim, turn);

        if (code != SIM_OK)
            return code;
        sim->stop_at = turn->stop_at;
        sim->parts.ended_of_all = turn->ended;
        sim->parts.end = turn->end;
    }
    stop_by_parts(sim);
    return SIM_OK;
}

/* Nothing is left: all stand at the time of the last event. */
static int end_at_last(struct sim *sim)
{
    uint64_t before_never = SIM_TIME_NEVER - sim_reached(sim);
    int code = sim_least(sim, &before_never, 1);

    if (code == SIM_OK)
        align_domains(sim, SIM_TIME_NEVER - before_never);
    return code;
}

int sim_run(struct sim *sim, sim_time_t until)
{
    struct group_turn turn;

    sim->stop_at = SIM_TIME_NEVER;
    if (sim->parts.expected != 0 && sim_parts_left(sim) == 0)
        sim_expect(sim, 0); /* they have ended a run before */
    look_ahead(sim);
    for (;;) {
        int code = take_turn(sim, &turn);

        if (code != SIM_OK)
            return code;
        if (turn.lazy && (turn.next > until || turn.next >= sim->stop_at))
            continue; /* now that all has come, what is due is known */
        if (sim->stop_at <= until && turn.next >= sim->stop_at) {
            align_domains(sim, sim->stop_at);
            return SIM_OK;
        }
        if (turn.next == SIM_TIME_NEVER)
            return end_at_last(sim);
        if (turn.next > until) {
            align_domains(sim, until);
            return sim->stop_at == SIM_TIME_NEVER ? SIM_ERR_LIMIT : SIM_OK;
        }
        run_window(sim, window_end(sim, turn.next, until));
    }
}

sim_time_t sim_reached(const struct sim *sim)
{
    sim_time_t last = 0;

    for (uint32_t i = 0; i < sim->ndomains; i++)
        last = sim_max(sim->domains[i]->now, last);
    return last;
}

uint64_t sim_events_run(const struct sim *sim)
{
    uint64_t n = 0;

    for (uint32_t i = 0; i < sim->ndomains; i++)
        n += sim->domains[i]->events_run;
    return n;
}

uint64_t sim_events_pending(const struct sim *sim)
{
    uint64_t n = 0;

    for (uint32_t i = 0; i < sim->ndomains; i++) {
        const struct event_queue *q = &sim->domains[i]->queue;

        n += q->count;
        for (unsigned used = q->used; used != 0; used &= used - 1)
            n++;
    }
    return n;
}

void sim_stat_register(struct sim_domain *dom, const uint64_t *value, const char *path,
                       const char *unit, const char *meaning)
{
    if (dom->nstats == dom->stats_room) {
        uint32_t room = dom->stats_room != 0 ? dom->stats_room * 2 : 16;
        struct stat_entry *stats = realloc(dom->stats, room * sizeof(*stats));

        SIM_ASSERT(stats != NULL);
        dom->stats = stats;
        dom->stats_room = room;
    }
    dom->stats[dom->nstats++] =
        (struct stat_entry){ value, copy_text(path), copy_text(unit), copy_text(meaning), 0 };
}

void sim_stats_register(struct sim_domain *dom, const char *path, const struct sim_stat_row *rows,
                        size_t n)
{
    char whole[256];

    for (const struct sim_stat_row *row = rows; row < rows + n; row++) {
        (void)snprintf(whole, sizeof(whole), "%s.%s", path, row->name);
        sim_stat_register(dom, row->value, whole, row->unit, row->meaning);
    }
}

void sim_stat_each(const struct sim *sim, sim_stat_fn fn, void *arg)
{
    for (uint32_t i = 0; i < sim->ndomains; i++) {
        const struct sim_domain *dom = sim->domains[i];

        for (uint32_t k = 0; k < dom->nstats; k++) {
            const struct stat_entry *s = &dom->stats[k];

            fn(arg, s->path, s->unit, s->meaning, dom->away ? s->gathered : *s->value);
        }
    }
}

const struct sim_probe *sim_probe_of(const struct sim_domain *dom)
{
    const struct sim_probe *probe = dom->sim->cfg.probe;

    return probe != NULL && probe->mark != NULL ? probe : NULL;
}

const struct sim_probe *sim_packet_probe_of(const struct sim_domain *dom)
{
    const struct sim_probe *probe = dom->sim->cfg.probe;

    return probe != NULL && probe->packet != NULL ? probe : NULL;
}

const char *sim_stage_kind_name(enum sim_stage_kind kind)
{
    static const char *const names[SIM_KINDS] = {
        [SIM_KIND_SOFTWARE] = "software",
        [SIM_KIND_CPU] = "CPU",
        [SIM_KIND_POLL] = "poll",
        [SIM_KIND_ROOT_COMPLEX] = "root complex",
        [SIM_KIND_MEMORY] = "memory",
        [SIM_KIND_READ_LIMIT] = "read limit",
        [SIM_KIND_GPU] = "GPU",
        [SIM_KIND_HUB] = "hub core",
        [SIM_KIND_BUFFER] = "packet buffer",
        [SIM_KIND_BUS] = "internal bus",
        [SIM_KIND_ARBITER] = "arbiter wait",
        [SIM_KIND_DMA] = "DMA engine",
        [SIM_KIND_NOTIFICATION] = "notification",
        [SIM_KIND_LINK_BUSY] = "link busy",
        [SIM_KIND_CREDIT] = "credit wait",
        [SIM_KIND_REPLAY] = "replay",
        [SIM_KIND_SERIALISATION] = "serialisation",
        [SIM_KIND_HARD_IP] = "hard IP",
        [SIM_KIND_CABLE] = "cable",
        [SIM_KIND_UNTRACED] = "not traced",
    };

    return names[kind];
}

uint64_t sim_probe_mark(const struct sim_probe *probe, const struct sim_stage *stage,
                        const char *where, sim_time_t time, uint64_t cause)
{
    const struct sim_mark mark = {
        .stage = stage, .where = where, .time = time, .cause = { cause }
    };

    return probe->mark(probe->arg, &mark);
}

void sim_probe_hold(const struct sim_probe *probe, const struct sim_stage *stage, const char *where,
                    uint32_t queue, sim_time_t from, sim_time_t to)
{
    const struct sim_hold hold = { stage, where, queue, from, to };

    probe->hold(probe->arg, &hold);
}

#ifdef SIM_CHECK_ORDER
static const bool always_check_order = true;
#else
static const bool always_check_order = false;
#endif

bool sim_order_checked(const struct sim_domain *dom)
{
    return always_check_order || dom->sim->cfg.check_order;
}

uint32_t sim_number(struct sim_domain *dom)
{
    const uint32_t room = UINT32_C(1) << (24 - KEY_DOMAIN_BITS);

    SIM_ASSERT(dom->numbers + 1 < room);
    return dom->id * room + ++dom->numbers;
}

void sim_probe_stall(const struct sim_probe *probe, const char *where, const char *side,
                     enum sim_stall_cause cause, sim_time_t from, sim_time_t to)
{
    const struct sim_stall stall = { where, side, cause, from, to };

    if (probe->stall != NULL && from != to)
        probe->stall(probe->arg, &stall);
}

bool sim_fingerprint_on(const struct sim_domain *dom)
{
    return dom->sim->cfg.fingerprint;
}
