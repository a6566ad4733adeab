/*
 * Channels that several ranks of a hub take turns at, when it has more than four.
 *
 * A rank that wants the channel writes since when into its inbox, where all ranks of the node can
 * look. The one that has wanted it longest has it; of two since one instant, the lower rank. That
 * depends on times only, never on the order in which cores come to look: stores to memory are there
 * before software of the same time, and take as long from each core, so an earlier wish is seen.
 *
 * The channel is given back by erasing the own wish, and then by a word to the rank that is next.
 * None is forgotten: a wish that began before the erased word was there is seen after it, and a
 * rank that began later finds the word.
 */
#include <stdlib.h>

#include "hosts/transport/peach2/dma.h"
#include "hosts/transport/peach2/ring.h"

/** Transports of a rank that take turns, by user. */
struct users {
    struct host_state kept;
    struct p2 *by[HOST_USERS];
};

static void release_users(void *users)
{
    free(users);
}

static bool note_user(struct p2 *p2)
{
    struct host *h = p2->t.host;
    struct users *users = host_state_of(h->states, release_users);

    if (users == NULL) {
        users = calloc(1, sizeof(*users));
        if (users == NULL)
            return false;
        host_state_add(&h->states, &users->kept, release_users);
    }
    users->by[p2->t.user] = p2;
    return true;
}

/* The words of a rank stand in one inbox, that of its first user. All ranks choose alike, for all
 * of them connect a user before one of them goes on, and have no turn meanwhile. */
static struct p2 *find_words(const struct p2 *p2)
{
    const struct users *users = host_state_of(p2->t.host->states, release_users);
    unsigned user = 0;

    while (users->by[user] == NULL)
        user++;
    return users->by[user];
}

bool p2_share_init(struct p2 *p2, unsigned local_index, unsigned local_ranks)
{
    unsigned local = 0;

    if (local_ranks <= HUB_DMA_CHANNELS)
        return true;
    p2->sharers = calloc(local_ranks, sizeof(*p2->sharers));
    if (p2->sharers == NULL)
        return false;
    for (unsigned r = 0; r < p2->nranks; r++) {
        if (!p2_same_hub(&p2->peers[r], &p2->peers[p2->me]))
            continue;
        if (r != p2->me && local % HUB_DMA_CHANNELS == local_index % HUB_DMA_CHANNELS)
            p2->sharers[p2->nsharers++] = r;
        local++;
    }
    return note_user(p2);
}

static uint64_t wanted_since(const struct p2 *p2, unsigned rank)
{
    const uint8_t *inbox = p2->peers[rank].local;

    return *(const volatile uint64_t *)(const void *)(inbox + P2_WANT_AT);
}

/* Does `a` want the channel, and longer than `b`? */
static bool has_waited_longer(const struct p2 *p2, unsigned a, unsigned b)
{
    uint64_t of_a = wanted_since(p2, a), of_b = wanted_since(p2, b);

    return of_a != 0 && (of_b == 0 || of_a < of_b || (of_a == of_b && a < b));
}

static bool is_first(const struct p2 *p2)
{
    for (unsigned i = 0; i < p2->nsharers; i++)
        if (has_waited_longer(p2, p2->sharers[i], p2->me))
            return false;
    return true;
}

void p2_turn_take(struct p2 *p2)
{
    struct p2 *words = find_words(p2);
    struct host *h = p2->t.host;

    p2_put_flag(words, p2->me, P2_WANT_AT, h->cpu->time_ps(h) + 1);
    while (!is_first(words))
        h->bus->wait_write(h, words->inbox + P2_TURN_AT, 8);
    p2->has_turn = true;
}

void p2_turn_give(struct p2 *p2)
{
    struct p2 *words = find_words(p2);
    struct host *h = p2->t.host;
    unsigned next = p2->me; /* that wants nothing now */

    p2->has_turn = false;
    p2_put_flag(words, p2->me, P2_WANT_AT, 0);
    for (unsigned i = 0; i < p2->nsharers; i++)
        if (has_waited_longer(words, p2->sharers[i], next))
            next = p2->sharers[i];
    if (next != p2->me)
        p2_put_flag(words, next, P2_TURN_AT, h->cpu->time_ps(h));
}
