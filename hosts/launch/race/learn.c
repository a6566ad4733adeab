#include "hosts/launch/race/learn.h"
#include "hosts/launch/race/memory.h"

/* One change in this share of the transfers makes the range anew: so a change looks at 16 of them
 * in the mean, however many there are. */
#define CHANGES_SHARE 16u
/* Transfers of a stream that only ranks of other nodes may meet: 100 KB of memory for each stream,
 * where such ranks may never hear of any. */
#define OTHERS_MAX 256u

/* With many transfers not at each change: until then the range has more than it need. */
void race_rank_range(const struct race *race, struct race_rank *r, const struct race_node *node)
{
    uint64_t n = node->used[0].n;
    const struct race_transfer *x;
    uintptr_t low, high;

    if (++r->changes * CHANGES_SHARE < n)
        return;
    r->changes = 0;
    r->range = node->freed_range;
    for (x = TAILQ_FIRST(&node->transfers); x != NULL; x = TAILQ_NEXT(x, in_node))
        if (!x->elsewhere && race_concerns(race, r, x) && !race_knows(r, x))
            race_range_add(&r->range, x->rows.at, race_rows_end(&x->rows));
    if (r->lent_rows.n == 0)
        return;
    race_spans_bounds(&r->lent_rows, &low, &high);
    race_range_add(&r->range, low, high);
}

/* No rank can race with it any more. Those of its node load and store there, and others have puts
 * and one-sided operations. Where a stream has many it is over when those of its node know: others
 * may never hear of it. */
static bool is_over(const struct race *race, unsigned node, const struct race_stream *s,
                    const struct race_transfer *x)
{
    for (unsigned i = 0; i < race->run->nranks; i++) {
        const struct launch_thread *t = &race->run->ranks[i];

        if (t->node != NULL && !t->ended &&
            (s->kept <= OTHERS_MAX || t->node->shared.index == node) &&
            !race_knows(&race->ranks[i], x))
            return false;
    }
    return true;
}

/* Who knows the end of one knows that of those before it. */
static void drop_over(const struct race *race, unsigned index, const struct race_stream *s)
{
    struct race_transfer *x = TAILQ_FIRST(&s->transfers);

    while (x != NULL && is_over(race, index, s, x)) {
        struct race_transfer *next = TAILQ_NEXT(x, in_stream);

        race_transfer_free(&race->nodes[index], x);
        x = next;
    }
}

void race_node_changed(struct race *race, unsigned index)
{
    struct race_node *node = &race->nodes[index];
    struct race_stream *s = TAILQ_FIRST(&node->streams);

    while (s != NULL) {
        struct race_stream *next = TAILQ_NEXT(s, in_node);

        drop_over(race, index, s);
        s = next;
    }
    for (unsigned i = 0; i < race->run->nranks; i++)
        if (race->run->ranks[i].node == &race->run->nodes[index])
            race_rank_range(race, &race->ranks[i], node);
}

void race_settle(struct race *race)
{
    for (unsigned i = 0; i < race->run->nnodes; i++) {
        if (race->nodes[i].changed)
            race_node_changed(race, i);
        race->nodes[i].changed = false;
    }
}

void race_learn(struct race *race, struct launch_thread *t, const struct race_stream *stream,
                uint64_t seq, const struct race_clock *clock)
{
    struct race_rank *r = race_rank_of(race, t);
    uint64_t version = r->version;

    race_knows_more(r, stream->number, seq);
    if (clock != NULL)
        race_knows_all(r, clock->seq, clock->n);
    if (r->version != version)
        race_node_changed(race, t->node->shared.index);
}
