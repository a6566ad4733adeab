#include "hosts/launch/race/put/notice.h"
#include "hosts/launch/race/learn.h"
#include "hosts/launch/race/lent.h"
#include "hosts/launch/race/need.h"

#include <search.h>
#include <stdlib.h>

#define NOTES_MAX 256u /* notifications of one kind that no rank has taken; see drop_oldest() */

/** A notification that no rank has taken yet, and what it says. */
struct race_notice {
    TAILQ_ENTRY(race_notice) in_node, in_kind;
    struct race_kind *kind;
    struct race_stream *stream, *reads;
    uint64_t seq;
    struct race_clock *clock;
};

/** Those that one wait takes, while there are any: the oldest one comes first. */
struct race_kind {
    unsigned part, slot;
    uint32_t tag;
    unsigned n;
    TAILQ_HEAD(, race_notice) notices;
};

static int compare_kinds(const void *a, const void *b)
{
    const struct race_kind *x = a, *y = b;

    if (x->part != y->part)
        return x->part < y->part ? -1 : 1;
    if (x->slot != y->slot)
        return x->slot < y->slot ? -1 : 1;
    return (x->tag > y->tag) - (x->tag < y->tag);
}

static struct race_kind *find_kind(const struct race_node *node, const struct race_kind *like)
{
    struct race_kind *const *found = tfind(like, &node->kinds, compare_kinds);

    return found != NULL ? *found : NULL;
}

static struct race_kind *kind_of(struct race_node *node, const struct race_kind *like)
{
    struct race_kind *kind = find_kind(node, like);

    if (kind != NULL)
        return kind;
    kind = race_need(malloc(sizeof(*kind)));
    *kind = *like;
    TAILQ_INIT(&kind->notices);
    race_tree_add(&node->kinds, kind, compare_kinds);
    return kind;
}

static void notice_free(struct race_node *node, struct race_notice *notice)
{
    struct race_kind *kind = notice->kind;

    TAILQ_REMOVE(&node->notices, notice, in_node);
    TAILQ_REMOVE(&kind->notices, notice, in_kind);
    race_clock_put(notice->clock);
    free(notice);
    if (--kind->n > 0)
        return;
    (void)tdelete(kind, &node->kinds, compare_kinds);
    free(kind);
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

static bool is_last_of_stream(const struct race_notice *notice)
{
    const struct race_notice *later = TAILQ_NEXT(notice, in_kind);

    while (later != NULL && later->stream != notice->stream)
        later = TAILQ_NEXT(later, in_kind);
    return later == NULL;
}

/** A program need not take them. The oldest one goes of which the next one says more: of its own
 * stream, so that each stream keeps its last one. */
static void drop_oldest(struct race_node *node, const struct race_kind *kind)
{
    struct race_notice *notice = TAILQ_FIRST(&kind->notices);

    while (notice != NULL && is_last_of_stream(notice))
        notice = TAILQ_NEXT(notice, in_kind);
    if (notice != NULL)
        notice_free(node, notice);
}

void race_notice_add(struct race *race, unsigned to, const struct race_transfer *x,
                     const struct host_put *put, const struct race_node *from)
{
    struct race_node *node = &race->nodes[to];
    struct race_notice *notice = race_need(malloc(sizeof(*notice)));

    *notice = (struct race_notice){ .kind = kind_of(node, &(struct race_kind){ .part = from->part,
                                                                               .slot = put->slot,
                                                                               .tag = put->tag }),
                                    .stream = x->stream,
                                    .reads = x->reads,
                                    .seq = x->seq,
                                    .clock = x->clock };
    x->clock->refs++;
    TAILQ_INSERT_TAIL(&node->notices, notice, in_node);
    TAILQ_INSERT_TAIL(&notice->kind->notices, notice, in_kind);
    if (++notice->kind->n > NOTES_MAX)
        drop_oldest(node, notice->kind);
}

void race_notices_drop(struct race_node *node, unsigned own, unsigned channel, uint64_t from)
{
    struct race_notice *notice = TAILQ_FIRST(&node->notices);

    while (notice != NULL) {
        struct race_notice *next = TAILQ_NEXT(notice, in_node);

        if (race_is_of_channel(notice->stream, own, channel) && notice->seq >= from)
            notice_free(node, notice);
        notice = next;
    }
}

/** Has all come that was sent before the notification? */
static bool has_arrived(const struct race_notice *notice)
{
    const struct race_transfer *x = TAILQ_FIRST(&notice->stream->pending);

    return x == NULL || x->seq > notice->seq;
}

/* Channels have no order, so it may be that of any one whose data are there: the oldest such one.
 */
static struct race_notice *find_notice(const struct race_node *node, unsigned part, unsigned slot,
                                       uint32_t tag)
{
    const struct race_kind *kind =
        find_kind(node, &(struct race_kind){ .part = part, .slot = slot, .tag = tag });
    struct race_notice *notice;

    if (kind == NULL)
        return NULL;
    for (notice = TAILQ_FIRST(&kind->notices); notice != NULL; notice = TAILQ_NEXT(notice, in_kind))
        if (has_arrived(notice))
            return notice;
    return TAILQ_FIRST(&kind->notices);
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
