#include "hosts/launch/race/put.h"
#include "hosts/launch/race/freed.h"
#include "hosts/launch/race/learn.h"
#include "hosts/launch/race/lent.h"
#include "hosts/launch/race/meet.h"

#include <stdlib.h>
#include <string.h>

#define NOTES_MAX 64u /* notifications of one kind that no rank has taken */

/** A notification that no rank has taken yet, and what it says. */
struct race_notice {
    TAILQ_ENTRY(race_notice) in_node;
    unsigned part, slot;
    uint32_t tag;
    unsigned stream, reads;
    uint64_t seq;
    struct race_clock *clock;
};

void race_op_part(struct host *h, unsigned subcluster, unsigned part, const uint64_t *area_bus)
{
    struct race_node *node = race_node_of(race_of(h), launch_thread_of(h));

    node->has_part = true;
    node->subcluster = subcluster;
    node->part = part;
    memcpy(node->area_bus, area_bus, sizeof(node->area_bus));
}

/** @return UINT_MAX: no rank of it has said so. */
static unsigned find_part(const struct race *race, unsigned subcluster, unsigned part)
{
    for (unsigned i = 0; i < race->run->nnodes; i++)
        if (race->nodes[i].has_part && race->nodes[i].subcluster == subcluster &&
            race->nodes[i].part == part)
            return i;
    return UINT_MAX;
}

void race_op_install(struct host *h, unsigned channel, const struct host_put *puts, unsigned n)
{
    struct race_list *list = &race_node_of(race_of(h), launch_thread_of(h))->channels[channel].list;

    free(list->puts);
    list->puts = malloc(n * sizeof(*puts));
    SIM_ASSERT(list->puts != NULL);
    memcpy(list->puts, puts, n * sizeof(*puts));
    list->n = n;
}

struct race_transfer race_transfer_of(const struct launch_thread *t, struct host_place place,
                                      struct race_clock *clock)
{
    return (struct race_transfer){ .only = RACE_ANY,
                                   .rank = t->host.rank,
                                   .place = place,
                                   .since = sim_now(t->dom),
                                   .clock = clock };
}

static void add_to_node(struct race *race, unsigned index, struct race_transfer x)
{
    if (x.rows.count == 0)
        return;
    race_freed_look_at_put(race, index, &x);
    race_look_at_others(race, index, race_transfer_add(race, index, x));
}

static void add_writes(struct race *race, struct race_transfer x, const struct host_put *put)
{
    unsigned to = race->streams[x.stream].to;
    uint64_t area_bus = race->nodes[to].area_bus[put->area];

    if (area_bus == HOST_NO_BUS)
        return;
    x.writes = true;
    x.rows = put->to;
    x.rows.at += area_bus;
    add_to_node(race, to, x);
}

static void notice_free(struct race_node *node, struct race_notice *notice)
{
    TAILQ_REMOVE(&node->notices, notice, in_node);
    race_clock_put(notice->clock);
    free(notice);
}

void race_notices_free(struct race_node *node)
{
    struct race_notice *notice = TAILQ_FIRST(&node->notices);

    while (notice != NULL) {
        struct race_notice *next = TAILQ_NEXT(notice, in_node);

        notice_free(node, notice);
        notice = next;
    }
}

/* A program need not take them. The oldest one goes: the next one says more. */
static void drop_forgotten(struct race_node *node, unsigned part, const struct host_put *put)
{
    struct race_notice *notice, *oldest = NULL;
    unsigned n = 0;

    for (notice = TAILQ_FIRST(&node->notices); notice != NULL;
         notice = TAILQ_NEXT(notice, in_node)) {
        if (notice->part != part || notice->slot != put->slot || notice->tag != put->tag)
            continue;
        oldest = oldest != NULL ? oldest : notice;
        n++;
    }
    if (n >= NOTES_MAX)
        notice_free(node, oldest);
}

static void add_notice(struct race *race, unsigned to, const struct race_transfer *x,
                       const struct host_put *put, const struct race_node *from)
{
    struct race_notice *notice = malloc(sizeof(*notice));

    SIM_ASSERT(notice != NULL);
    drop_forgotten(&race->nodes[to], from->part, put);
    *notice = (struct race_notice){ .part = from->part,
                                    .slot = put->slot,
                                    .tag = put->tag,
                                    .stream = x->stream,
                                    .reads = x->reads,
                                    .seq = x->seq,
                                    .clock = x->clock };
    x->clock->refs++;
    TAILQ_INSERT_TAIL(&race->nodes[to].notices, notice, in_node);
}

static void begin_put(struct race *race, struct launch_thread *t, unsigned lane, uint64_t seq,
                      const struct host_put *put, struct race_transfer x)
{
    unsigned own = t->node->shared.index;
    unsigned to = find_part(race, put->subcluster, put->part);

    x.seq = seq;
    x.reads = race_stream_of(race, own, lane, RACE_READS);
    x.stream = x.reads;
    x.rows = put->from;
    add_to_node(race, own, x);
    if (to == UINT_MAX)
        return;
    x.stream = race_stream_of(race, own, lane, to);
    add_writes(race, x, put);
    if (put->notifies)
        add_notice(race, to, &x, put, &race->nodes[own]);
    if (put->notifies_self) {
        if (to != own)
            x.stream = x.reads;
        add_notice(race, own, &x, put, &race->nodes[own]);
    }
}

void race_op_start(struct host *h, unsigned channel, struct host_place place)
{
    struct launch_thread *t = launch_thread_of(h);
    struct race *race = race_of(h);
    struct race_channel *ch = &race_node_of(race, t)->channels[channel];
    struct race_clock *clock;

    race_op_idle(h, channel);
    clock = race_clock_of(race_rank_of(race, t));
    ch->before = ch->begun;
    ch->begun = ch->seq;
    for (unsigned i = 0; i < ch->list.n; i++)
        begin_put(race, t, channel, ++ch->seq, &ch->list.puts[i],
                  race_transfer_of(t, place, clock));
    race_clock_put(clock);
    race_settle(race);
}

static bool is_of_channel(const struct race *race, unsigned stream, unsigned node, unsigned channel)
{
    return race->streams[stream].node == node && race->streams[stream].lane == channel;
}

/** The first put behind `after` that will not come. That is `last` if no other one: the list broke
 * off before its end. */
static uint64_t first_lost(const struct race *race, unsigned own, unsigned channel, uint64_t after,
                           uint64_t last)
{
    const struct race_transfer *x;

    for (unsigned i = 0; i < race->run->nnodes; i++)
        for (x = TAILQ_FIRST(&race->nodes[i].transfers); x != NULL; x = TAILQ_NEXT(x, in_node))
            if (x->writes && !x->arrived && is_of_channel(race, x->stream, own, channel) &&
                x->seq > after && x->seq < last)
                last = x->seq;
    return last;
}

static void drop_transfers(struct race *race, struct race_node *node, unsigned own,
                           unsigned channel, uint64_t from)
{
    struct race_transfer *x = TAILQ_FIRST(&node->transfers);

    while (x != NULL) {
        struct race_transfer *next = TAILQ_NEXT(x, in_node);

        if (is_of_channel(race, x->stream, own, channel) && x->seq >= from)
            race_transfer_free(node, x);
        x = next;
    }
}

static void drop_notices(const struct race *race, struct race_node *node, unsigned own,
                         unsigned channel, uint64_t from)
{
    struct race_notice *notice = TAILQ_FIRST(&node->notices);

    while (notice != NULL) {
        struct race_notice *next = TAILQ_NEXT(notice, in_node);

        if (is_of_channel(race, notice->stream, own, channel) && notice->seq >= from)
            notice_free(node, notice);
        notice = next;
    }
}

void race_op_failed(struct host *h, unsigned channel, bool begun)
{
    struct launch_thread *t = launch_thread_of(h);
    struct race *race = race_of(h);
    unsigned own = t->node->shared.index;
    const struct race_channel *ch = &race_node_of(race, t)->channels[channel];
    uint64_t lost = begun ? first_lost(race, own, channel, ch->begun, ch->seq)
                          : first_lost(race, own, channel, ch->before, ch->begun);

    for (unsigned i = 0; i < race->run->nnodes; i++) {
        drop_transfers(race, &race->nodes[i], own, channel, lost);
        drop_notices(race, &race->nodes[i], own, channel, lost);
        race_node_changed(race, i);
    }
}

void race_op_idle(struct host *h, unsigned channel)
{
    struct launch_thread *t = launch_thread_of(h);
    struct race *race = race_of(h);
    unsigned own = t->node->shared.index;
    uint64_t seq = race_node_of(race, t)->channels[channel].seq;

    race_learn(race, t, race_stream_of(race, own, channel, RACE_READS), seq, NULL);
    race_learn(race, t, race_stream_of(race, own, channel, own), seq, NULL);
}

/** Has all come that was sent before the notification? */
static bool has_arrived(const struct race_node *node, const struct race_notice *notice)
{
    const struct race_transfer *x;

    for (x = TAILQ_FIRST(&node->transfers); x != NULL; x = TAILQ_NEXT(x, in_node))
        if (x->writes && x->stream == notice->stream && x->seq <= notice->seq && !x->arrived)
            return false;
    return true;
}

/* Channels have no order, so it may be that of any one whose data are there: the oldest such one.
 */
static struct race_notice *find_notice(const struct race_node *node, unsigned part, unsigned slot,
                                       uint32_t tag)
{
    struct race_notice *notice, *oldest = NULL;

    for (notice = TAILQ_FIRST(&node->notices); notice != NULL;
         notice = TAILQ_NEXT(notice, in_node)) {
        if (notice->part != part || notice->slot != slot || notice->tag != tag)
            continue;
        if (has_arrived(node, notice))
            return notice;
        if (oldest == NULL)
            oldest = notice;
    }
    return oldest;
}

void race_op_notified(struct host *h, unsigned part, unsigned slot, uint32_t tag)
{
    struct launch_thread *t = launch_thread_of(h);
    struct race *race = race_of(h);
    struct race_node *node = race_node_of(race, t);
    struct race_notice *notice = find_notice(node, part, slot, tag);

    race_lent_heard(h);
    if (notice == NULL)
        return;
    race_learn(race, t, notice->reads, notice->seq, NULL);
    race_learn(race, t, notice->stream, notice->seq, notice->clock);
    notice_free(node, notice);
}

void race_op_forgotten(struct host *h, unsigned part, unsigned slot, uint32_t tag)
{
    struct race_node *node = race_node_of(race_of(h), launch_thread_of(h));
    struct race_notice *notice = find_notice(node, part, slot, tag);

    if (notice != NULL)
        notice_free(node, notice);
}

void race_op_stored(struct host *h, const struct host_put *put, struct host_place place)
{
    struct launch_thread *t = launch_thread_of(h);
    struct race *race = race_of(h);
    struct race_clock *clock = race_clock_of(race_rank_of(race, t));

    begin_put(race, t, HUB_DMA_CHANNELS + h->rank, ++race_rank_of(race, t)->stores, put,
              race_transfer_of(t, place, clock));
    race_clock_put(clock);
    race_settle(race);
}
