#include "hosts/launch/race/put/broken.h"
#include "hosts/launch/race/learn.h"
#include "hosts/launch/race/put/notice.h"

/** The first put behind `after` that will not come. That is `last` if no other one: the list broke
 * off before its end. */
static uint64_t first_lost(const struct race *race, unsigned own, unsigned channel, uint64_t after,
                           uint64_t last)
{
    const struct race_transfer *x;

    for (unsigned i = 0; i < race->run->nnodes; i++)
        for (x = TAILQ_FIRST(&race->nodes[i].transfers); x != NULL; x = TAILQ_NEXT(x, in_node))
            if (x->writes && !x->arrived && race_is_of_channel(x->stream, own, channel) &&
                x->seq > after && x->seq < last)
                last = x->seq;
    return last;
}

static void drop_transfers(struct race_node *node, unsigned own, unsigned channel, uint64_t from)
{
    struct race_transfer *x = TAILQ_FIRST(&node->transfers);

    while (x != NULL) {
        struct race_transfer *next = TAILQ_NEXT(x, in_node);

        if (race_is_of_channel(x->stream, own, channel) && x->seq >= from)
            race_transfer_free(node, x);
        x = next;
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
        drop_transfers(&race->nodes[i], own, channel, lost);
        race_notices_drop(&race->nodes[i], own, channel, lost);
        race_node_changed(race, i);
    }
}
