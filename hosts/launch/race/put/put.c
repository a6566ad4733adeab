#include "hosts/launch/race/put/put.h"
#include "hosts/launch/race/freed.h"
#include "hosts/launch/race/learn.h"
#include "hosts/launch/race/meet.h"
#include "hosts/launch/race/need.h"
#include "hosts/launch/race/put/notice.h"

#include <stdlib.h>
#include <string.h>

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
    struct host_put *copy = race_need(malloc(n * sizeof(*puts)));

    memcpy(copy, puts, n * sizeof(*puts));
    free(list->puts);
    list->puts = copy;
    list->n = n;
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
    unsigned to = x.stream->to;
    uint64_t area_bus = race->nodes[to].area_bus[put->area];

    if (area_bus == HOST_NO_BUS)
        return;
    x.writes = true;
    x.rows = put->to;
    x.rows.at += area_bus;
    add_to_node(race, to, x);
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
        race_notice_add(race, to, &x, put, &race->nodes[own]);
    if (put->notifies_self) {
        if (to != own)
            x.stream = x.reads;
        race_notice_add(race, own, &x, put, &race->nodes[own]);
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

void race_op_start(struct host *h, unsigned channel, struct host_place place)
{
    struct launch_thread *t = launch_thread_of(h);
    struct race *race = race_of(h);
    struct race_channel *ch = &race_node_of(race, t)->channels[channel];
    struct race_transfer x;

    race_op_idle(h, channel);
    x = race_transfer_of(race, t, place, race_clock_of(race_rank_of(race, t)));
    ch->before = ch->begun;
    ch->begun = ch->seq;
    for (unsigned i = 0; i < ch->list.n; i++)
        begin_put(race, t, channel, ++ch->seq, &ch->list.puts[i], x);
    race_clock_put(x.clock);
    race_settle(race);
}

void race_op_stored(struct host *h, const struct host_put *put, struct host_place place)
{
    struct launch_thread *t = launch_thread_of(h);
    struct race *race = race_of(h);
    struct race_clock *clock = race_clock_of(race_rank_of(race, t));

    begin_put(race, t, HUB_DMA_CHANNELS + h->rank, ++race_rank_of(race, t)->stores, put,
              race_transfer_of(race, t, place, clock));
    race_clock_put(clock);
    race_settle(race);
}
