/* The check for races: accesses of programs, and what libraries call. */
#include "hosts/launch/race/internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- words that ranks poll ----------------------------------------------------------- */

/* Has the word that a rank polls been written? Bytes come in order, so all before it have, too. */
static bool is_written(const struct race_transfer *x, const struct race_use *u, uint64_t offset)
{
    uintptr_t at = x->rows.at + offset / x->rows.width * x->rows.pitch + offset % x->rows.width;
    uint64_t left = x->rows.width - offset % x->rows.width, n = u->at + u->bytes - at;

    if (x->arrived)
        return true;
    return x->ahead == 0 && memcmp((const void *)at, x->before + offset, n < left ? n : left) != 0;
}

/* Up to the end of the word in the transfer; UINT64_MAX: nothing new has come. */
static uint64_t bytes_come(const struct race_rank *r, const struct race_transfer *x,
                           const struct race_use *u)
{
    uint64_t offset = race_meets(x, u);
    uint64_t all = x->rows.width * x->rows.count;

    if (!x->writes || offset == UINT64_MAX || race_knows(r, x) || !is_written(x, u, offset))
        return UINT64_MAX;
    if (x->arrived || offset + u->bytes >= all)
        return all;
    return offset + u->bytes > x->come ? offset + u->bytes : UINT64_MAX;
}

/* @return has the rank learnt anything? Then transfers may be gone. */
static bool learn_one(struct race *race, struct launch_thread *t, struct race_transfer *x,
                      const struct race_use *u)
{
    const struct race_rank *r = race_rank_of(race, t);
    uint64_t come = bytes_come(r, x, u), seq = x->seq;
    bool whole = come == x->rows.width * x->rows.count;
    struct race_clock *clock = come != UINT64_MAX ? x->clock : x->older.clock;
    unsigned stream = x->stream, reads = x->reads;

    if (come != UINT64_MAX) {
        x->come = come;
        seq -= !whole;
    } else if (clock != NULL && race_meets(x, u) != UINT64_MAX &&
               (stream >= r->n || r->known[stream] < x->older.seq)) {
        seq = x->older.seq;
    } else {
        return false;
    }
    clock->refs++;
    race_learn(race, t, reads, seq, NULL);
    race_learn(race, t, stream, seq, clock);
    race_clock_put(clock);
    return true;
}

/* A loop that waits for a word makes order: what the transfer wrote there has come. */
static void learn_polled(struct race *race, struct launch_thread *t, const struct race_use *u)
{
    struct race_transfer *x = TAILQ_FIRST(&race_node_of(race, t)->transfers);

    while (x != NULL)
        x = race_concerns(race, race_rank_of(race, t), x) && learn_one(race, t, x, u)
                ? TAILQ_FIRST(&race_node_of(race, t)->transfers)
                : TAILQ_NEXT(x, in_node);
}

/* ---- accesses ----------------------------------------------------------------------- */

static void look_at_transfers(struct race *race, struct launch_thread *t, const struct race_use *u)
{
    const struct race_rank *r = race_rank_of(race, t);
    const struct race_transfer *x;

    for (x = TAILQ_FIRST(&race_node_of(race, t)->transfers); x != NULL;
         x = TAILQ_NEXT(x, in_node)) {
        uint64_t offset = race_meets(x, u);

        if ((x->writes || u->access == HUB_STORES) && race_concerns(race, r, x) &&
            !race_knows(r, x) && !race_lock_orders(race, r, x) && offset != UINT64_MAX &&
            offset + u->bytes > x->come)
            race_report_transfer(race, t, u, x);
    }
}

static void look_at_lent(struct race *race, struct launch_thread *t, const struct race_use *u)
{
    const struct race_lent *l;

    for (l = TAILQ_FIRST(&race_rank_of(race, t)->lent); l != NULL; l = TAILQ_NEXT(l, in_rank))
        if ((l->writes || u->access == HUB_STORES) && race_lent_overlaps(l, u->at, u->bytes))
            race_report_lent(race, t, u, l);
}

void race_look_at(struct race *race, struct launch_thread *t, const struct race_use *u)
{
    const struct hub_program_range *range = &race_rank_of(race, t)->range;

    if (u->bytes == 0 ||
        (u->bus == 0 && (u->at >= range->low + range->bytes || u->at + u->bytes <= range->low)))
        return;
    if (u->access == HUB_POLLS)
        learn_polled(race, t, u);
    else
        look_at_transfers(race, t, u);
    look_at_lent(race, t, u);
    race_freed_look_at(race, t, u);
}

void race_access(struct race *race, struct launch_thread *t, const volatile void *p, uint64_t bytes,
                 enum hub_program_access access, const void *from)
{
    const struct race_use use = {
        .at = (uintptr_t)p, .bytes = bytes, .access = access, .place = { NULL, from }
    };

    if (!race_rank_of(race, t)->paused)
        race_look_at(race, t, &use);
}

/* For transfers that may not have ended it is as if the rank stored to all of it. */
static void op_freed(struct host *h, const struct host_freed *freed, struct host_place place)
{
    struct launch_thread *t = launch_thread_of(h);
    const struct race_use use = { .at = (uintptr_t)freed->p,
                                  .bytes = freed->bytes,
                                  .access = HUB_STORES,
                                  .verb = "frees",
                                  .place = place,
                                  .bus = freed->bus };

    race_look_at(race_of(h), t, &use);
    race_freed_add(race_of(h), t, &use);
}

const struct hub_program_range *race_range(const struct race *race, unsigned rank)
{
    return &race->ranks[rank].range;
}

const struct host_race_ops race_ops = {
    .part = race_op_part,
    .install = race_op_install,
    .start = race_op_start,
    .failed = race_op_failed,
    .idle = race_op_idle,
    .notified = race_op_notified,
    .stored = race_op_stored,
    .freed = op_freed,
    .given = race_op_given,
    .lend = race_op_lend,
    .take_back = race_op_take_back,
    .window = race_op_window,
    .reach = race_op_reach,
    .reached = race_op_reached,
    .locked = race_op_locked,
    .pause = race_op_pause,
    .sends = race_op_sends,
    .heard = race_op_heard,
    .used = race_op_used,
};

/* ---- beginning and end --------------------------------------------------------------- */

struct race *race_create(struct launch *run)
{
    struct race *race = calloc(1, sizeof(*race));

    if (race == NULL)
        return NULL;
    race->run = run;
    race->ranks = calloc(run->nranks, sizeof(*race->ranks));
    race->nodes = calloc(run->nnodes, sizeof(*race->nodes));
    if (race->ranks == NULL || race->nodes == NULL) {
        race_destroy(race);
        return NULL;
    }
    /* Else a rank may run before another one that is earlier, and what it loads would come before a
     * transfer that has begun. */
    sim_keep_step(run->nodes[0].dom);
    for (unsigned i = 0; i < run->nnodes; i++) {
        TAILQ_INIT(&race->nodes[i].transfers);
        TAILQ_INIT(&race->nodes[i].notices);
    }
    for (unsigned i = 0; i < run->nranks; i++) {
        TAILQ_INIT(&race->ranks[i].lent);
        race->ranks[i].mail = calloc(run->nranks, sizeof(race->ranks[i].mail[0]));
        SIM_ASSERT(race->ranks[i].mail != NULL);
        for (unsigned to = 0; to < run->nranks; to++)
            TAILQ_INIT(&race->ranks[i].mail[to]);
    }
    return race;
}

static void node_fini(struct race_node *node)
{
    struct race_transfer *x;
    struct race_notice *notice;

    while ((x = TAILQ_FIRST(&node->transfers)) != NULL)
        race_transfer_free(node, x);
    while ((notice = TAILQ_FIRST(&node->notices)) != NULL) {
        TAILQ_REMOVE(&node->notices, notice, in_node);
        race_clock_put(notice->clock);
        free(notice);
    }
    race_freed_fini(node);
    for (unsigned c = 0; c < HUB_DMA_CHANNELS; c++)
        free(node->channels[c].list.puts);
}

static void rank_fini(struct race_rank *r, unsigned nranks)
{
    struct race_lent *l;
    struct race_letter *letter;

    while ((l = TAILQ_FIRST(&r->lent)) != NULL)
        race_lent_free(r, l);
    for (unsigned to = 0; r->mail != NULL && to < nranks; to++)
        while ((letter = TAILQ_FIRST(&r->mail[to])) != NULL)
            race_letter_free(&r->mail[to], letter);
    if (r->clock != NULL)
        race_clock_put(r->clock);
    if (r->unlocked != NULL)
        race_clock_put(r->unlocked);
    free(r->known);
    free(r->mail);
    free(r->windows);
}

void race_destroy(struct race *race)
{
    if (race == NULL)
        return;
    for (unsigned i = 0; race->nodes != NULL && i < race->run->nnodes; i++)
        if (race->nodes[i].transfers.tqh_last != NULL)
            node_fini(&race->nodes[i]);
    for (unsigned i = 0; race->ranks != NULL && i < race->run->nranks; i++)
        if (race->ranks[i].lent.tqh_last != NULL)
            rank_fini(&race->ranks[i], race->run->nranks);
    free(race->nodes);
    free(race->ranks);
    free(race->streams);
    free(race);
}
