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

/* ---- messages, and answers to them ---------------------------------------------------------- */

static void letter_free(struct race_mail *mail, struct race_letter *letter)
{
    TAILQ_REMOVE(mail, letter, in_mail);
    race_clock_put(letter->clock);
    free(letter);
}

/** Frees those up to this number. @return a reference to what the last of them says; NULL: there is
 * none */
static struct race_clock *take_letters(struct race_mail *mail, uint64_t number)
{
    struct race_letter *letter = TAILQ_FIRST(mail);
    struct race_clock *last = NULL;

    while (letter != NULL && letter->number <= number) {
        struct race_letter *next = TAILQ_NEXT(letter, in_mail);

        if (last != NULL)
            race_clock_put(last);
        last = letter->clock;
        last->refs++;
        letter_free(mail, letter);
        letter = next;
    }
    return last;
}

/** What the rank knows goes with the letter of this number, which may be there already. */
static void post_letter(struct race_mail *mail, uint64_t number, struct race_rank *r)
{
    struct race_letter *letter = TAILQ_LAST(mail, race_mail);
    struct race_clock *clock = race_clock_of(r);

    if (letter != NULL && letter->number == number) {
        race_clock_put(letter->clock);
    } else {
        letter = race_need(malloc(sizeof(*letter)));
        letter->number = number;
        TAILQ_INSERT_TAIL(mail, letter, in_mail);
    }
    letter->clock = clock;
}

/** The rank has heard of another one, which knew this (or NULL: no more than before). */
static void learn_clock(struct host *h, const struct race_clock *clock)
{
    struct launch_thread *t = launch_thread_of(h);
    struct race *race = race_of(h);
    struct race_rank *r = race_rank_of(race, t);
    uint64_t version = r->version;

    race_lent_heard(h);
    if (clock != NULL)
        race_knows_all(r, clock->seq, clock->n);
    if (r->version != version)
        race_node_changed(race, t->node->shared.index);
}

static struct race_peer *peer_of(struct host *h, unsigned rank)
{
    return &race_rank_of(race_of(h), launch_thread_of(h))->peers[rank];
}

/** What that rank has sent to this one. */
static struct race_peer *from_peer(struct host *h, unsigned rank)
{
    return &race_of(h)->ranks[rank].peers[h->rank];
}

void race_peer_init(struct race_peer *peer)
{
    TAILQ_INIT(&peer->messages);
    TAILQ_INIT(&peer->answers);
}

void race_peer_fini(struct race_peer *peer)
{
    struct race_clock *const clocks[] = { take_letters(&peer->messages, UINT64_MAX),
                                          take_letters(&peer->answers, UINT64_MAX),
                                          peer->answered };

    for (unsigned i = 0; i < SIM_COUNT(clocks); i++)
        if (clocks[i] != NULL)
            race_clock_put(clocks[i]);
}

void race_op_sends(struct host *h, unsigned rank, uint64_t number)
{
    if (rank != h->rank)
        post_letter(&peer_of(h, rank)->messages, number,
                    race_rank_of(race_of(h), launch_thread_of(h)));
}

void race_op_heard(struct host *h, unsigned rank, uint64_t number)
{
    struct race_clock *clock = take_letters(&from_peer(h, rank)->messages, number);

    learn_clock(h, clock);
    if (clock != NULL)
        race_clock_put(clock);
}

void race_op_answers(struct host *h, unsigned rank, uint64_t number)
{
    post_letter(&peer_of(h, rank)->answers, number, race_rank_of(race_of(h), launch_thread_of(h)));
}

void race_op_answered(struct host *h, unsigned rank, uint64_t number)
{
    struct race_clock *clock = take_letters(&from_peer(h, rank)->answers, number);
    struct race_peer *peer = peer_of(h, rank);

    if (clock == NULL)
        return;
    if (peer->answered != NULL)
        race_clock_put(peer->answered);
    peer->answered = clock;
}

void race_op_received(struct host *h, unsigned rank)
{
    learn_clock(h, peer_of(h, rank)->answered);
}
