#include "hosts/launch/race/put/notice.h"
#include "hosts/launch/race/learn.h"
#include "hosts/launch/race/lent.h"

#include <stdlib.h>

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

void race_notice_add(struct race *race, unsigned to, const struct race_transfer *x,
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

void race_notices_drop(const struct race *race, struct race_node *node, unsigned own,
                       unsigned channel, uint64_t from)
{
    struct race_notice *notice = TAILQ_FIRST(&node->notices);

    while (notice != NULL) {
        struct race_notice *next = TAILQ_NEXT(notice, in_node);

        if (race_is_of_channel(race, notice->stream, own, channel) && notice->seq >= from)
            notice_free(node, notice);
        notice = next;
    }
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
