/* The check for races: its beginning and end, and what libraries call. */
#include "hosts/launch/race/access.h"
#include "hosts/launch/race/freed.h"
#include "hosts/launch/race/lent.h"
#include "hosts/launch/race/message.h"
#include "hosts/launch/race/put/broken.h"
#include "hosts/launch/race/put/notice.h"
#include "hosts/launch/race/put/put.h"
#include "hosts/launch/race/report/pair.h"
#include "hosts/launch/race/report/report.h"
#include "hosts/launch/race/window.h"

#include <stdlib.h>

const struct host_race_ops race_ops = {
    .part = race_op_part,
    .install = race_op_install,
    .start = race_op_start,
    .failed = race_op_failed,
    .idle = race_op_idle,
    .notified = race_op_notified,
    .forgotten = race_op_forgotten,
    .stored = race_op_stored,
    .freed = race_op_freed,
    .given = race_op_given,
    .lend = race_op_lend,
    .take_back = race_op_take_back,
    .let_go = race_op_let_go,
    .window = race_op_window,
    .reach = race_op_reach,
    .reached = race_op_reached,
    .unlocked = race_op_unlocked,
    .locked = race_op_locked,
    .pause = race_op_pause,
    .sends = race_op_sends,
    .heard = race_op_heard,
    .answers = race_op_answers,
    .answered = race_op_answered,
    .received = race_op_received,
    .used = race_op_used,
};

struct race *race_create(struct launch *run)
{
    struct race *race = calloc(1, sizeof(*race));

    if (race == NULL)
        return NULL;
    race->run = run;
    TAILQ_INIT(&race->pairs);
    TAILQ_INIT(&race->sites);
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
        TAILQ_INIT(&race->nodes[i].streams);
        TAILQ_INIT(&race->nodes[i].notices);
    }
    for (unsigned i = 0; i < run->nranks; i++) {
        TAILQ_INIT(&race->ranks[i].lent);
        race->ranks[i].peers = calloc(run->nranks, sizeof(race->ranks[i].peers[0]));
        if (race->ranks[i].peers == NULL) {
            race_destroy(race);
            return NULL;
        }
        for (unsigned k = 0; k < run->nranks; k++)
            race_peer_init(&race->ranks[i].peers[k]);
    }
    return race;
}

static void node_fini(struct race_node *node)
{
    struct race_transfer *x;

    while ((x = TAILQ_FIRST(&node->transfers)) != NULL)
        race_transfer_free(node, x);
    race_notices_free(node);
    race_freed_fini(node);
    for (unsigned c = 0; c < HUB_DMA_CHANNELS; c++)
        free(node->channels[c].list.puts);
}

static void rank_fini(struct race_rank *r, unsigned nranks)
{
    race_lent_fini(r);
    for (unsigned k = 0; r->peers != NULL && k < nranks; k++)
        race_peer_fini(&r->peers[k]);
    if (r->clock != NULL)
        race_clock_put(r->clock);
    race_windows_free(r);
    free(r->known);
    free(r->peers);
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
    race_streams_free(race);
    race_pairs_free(race);
    free(race);
}

void race_end(const struct race *race)
{
    if (race != NULL)
        race_report_rest(race);
}

const struct hub_program_range *race_range(const struct race *race, unsigned rank)
{
    return &race->ranks[rank].range;
}
