#include "hosts/launch/race/message.h"
#include "hosts/launch/race/learn.h"
#include "hosts/launch/race/lent.h"
#include "hosts/launch/race/meet.h"
#include "hosts/launch/race/need.h"
#include "hosts/launch/race/window.h"

#include <stdlib.h>

/** A message on its way, and what its sender knew. */
struct race_letter {
    TAILQ_ENTRY(race_letter) in_mail;
    uint64_t number;
    struct race_clock *clock;
};

/* The operations of one rank in a window of another one: that one knows when they have ended, and
 * nothing of other windows. */
static struct race_stream *reach_stream(struct race *race, unsigned from, uint32_t window,
                                        unsigned to)
{
    return race_stream_of(race, from, HUB_DMA_CHANNELS + race->run->nranks + window, to);
}

void race_op_reach(struct host *h, const struct host_reach *reach, struct host_rows rows,
                   struct host_place place)
{
    struct launch_thread *t = launch_thread_of(h);
    struct race *race = race_of(h);
    struct race_clock *clock = race_clock_of(race_rank_of(race, t));
    struct race_transfer x = race_transfer_of(race, t, place, clock);
    const struct race_window *w = race_window_of(&race->ranks[reach->rank], reach->window);
    unsigned node = race->run->ranks[reach->rank].node->shared.index;

    SIM_ASSERT(w != NULL);
    x.stream = x.reads = reach_stream(race, h->rank, reach->window, reach->rank);
    x.seq = ++race_rank_of(race, t)->reaches;
    x.only = reach->rank;
    x.reach = *reach;
    x.rows = rows;
    x.rows.at += w->base;
    x.writes = reach->writes;
    x.arrived = true; /* as far as a loop on a word of it can know */
    race_look_at_others(race, node, &x);
    (void)race_transfer_keep(race, node, x);
    race_clock_put(clock);
    race_settle(race);
}

/* What ranks knew that have given back the lock of the window. */
static void learn_unlocked(struct race *race, struct launch_thread *t,
                           const struct race_window *there)
{
    struct race_rank *r = race_rank_of(race, t);
    uint64_t version = r->version;

    if (there->unlocked != NULL)
        race_knows_all(r, there->unlocked->seq, there->unlocked->n);
    if (r->version != version)
        race_node_changed(race, t->node->shared.index);
}

void race_op_reached(struct host *h, unsigned rank, uint32_t window, bool unlocks)
{
    struct launch_thread *t = launch_thread_of(h);
    struct race *race = race_of(h);
    struct race_rank *r = race_rank_of(race, t);
    struct race_window *there = race_window_of(&race->ranks[rank], window);

    SIM_ASSERT(there != NULL);
    race_learn(race, t, reach_stream(race, h->rank, window, rank), r->reaches, NULL);
    if (unlocks)
        learn_unlocked(race, t, there);
}

/* The next one gets the lock from here, perhaps before the rank hears that it has given it back. */
void race_op_unlocked(struct host *h, unsigned rank, uint32_t window)
{
    struct race *race = race_of(h);
    struct race_window *w = race_window_of(race_rank_of(race, launch_thread_of(h)), window);
    const struct race_rank *r = &race->ranks[rank];
    struct race_rank all = { .n = 0 };

    SIM_ASSERT(w != NULL);
    if (w->unlocked != NULL) {
        race_knows_all(&all, w->unlocked->seq, w->unlocked->n);
        race_clock_put(w->unlocked);
    }
    race_knows_all(&all, r->known, r->n);
    race_knows_more(&all, reach_stream(race, rank, window, h->rank)->number, r->reaches);
    w->unlocked = race_clock_of(&all);
    race_clock_put(all.clock);
    free(all.known);
}

void race_op_locked(struct host *h, uint32_t window, enum host_lock lock)
{
    struct launch_thread *t = launch_thread_of(h);
    struct race_window *w = race_window_of(race_rank_of(race_of(h), t), window);

    SIM_ASSERT(w != NULL);
    w->lock = lock;
    if (lock != HOST_UNLOCKED)
        learn_unlocked(race_of(h), t, w);
}

void race_op_pause(struct host *h, bool pauses)
{
    race_rank_of(race_of(h), launch_thread_of(h))->paused = pauses;
}

static void letter_free(struct race_mail *mail, struct race_letter *letter)
{
    TAILQ_REMOVE(mail, letter, in_mail);
    race_clock_put(letter->clock);
    free(letter);
}

void race_mail_free(struct race_mail *mail)
{
    struct race_letter *letter = TAILQ_FIRST(mail);

    while (letter != NULL) {
        struct race_letter *next = TAILQ_NEXT(letter, in_mail);

        letter_free(mail, letter);
        letter = next;
    }
}

void race_op_sends(struct host *h, unsigned rank, uint64_t number)
{
    struct race_rank *r = race_rank_of(race_of(h), launch_thread_of(h));
    struct race_letter *letter = TAILQ_LAST(&r->mail[rank], race_mail);

    if (rank == h->rank)
        return;
    if (letter != NULL && letter->number == number) {
        race_clock_put(letter->clock);
    } else {
        letter = race_need(malloc(sizeof(*letter)));
        letter->number = number;
        TAILQ_INSERT_TAIL(&r->mail[rank], letter, in_mail);
    }
    letter->clock = race_clock_of(r);
}

void race_op_heard(struct host *h, unsigned rank, uint64_t number)
{
    struct launch_thread *t = launch_thread_of(h);
    struct race *race = race_of(h);
    struct race_rank *r = race_rank_of(race, t);
    struct race_mail *mail = &race->ranks[rank].mail[h->rank];
    struct race_letter *letter = TAILQ_FIRST(mail);
    uint64_t version = r->version;

    race_lent_heard(h);
    while (letter != NULL && letter->number <= number) {
        struct race_letter *next = TAILQ_NEXT(letter, in_mail);

        race_knows_all(r, letter->clock->seq, letter->clock->n);
        letter_free(mail, letter);
        letter = next;
    }
    if (r->version != version)
        race_node_changed(race, t->node->shared.index);
}
