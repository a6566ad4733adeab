#define _GNU_SOURCE /* tdestroy */
#include "hosts/launch/race/report/pair.h"
#include "hosts/launch/race/need.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

static int compare_sites(const void *a, const void *b)
{
    const struct race_site *x = a, *y = b;

    return memcmp(x->other, y->other, sizeof(x->other));
}

static int compare_pairs(const void *a, const void *b)
{
    const struct race_pair *x = a, *y = b;

    if (x->site != y->site)
        return compare_sites(x->site, y->site);
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return (x->access > y->access) - (x->access < y->access);
}

/* Copies of one program have other addresses. What is not in it has an address of its own. */
static uint64_t offset_of(const struct launch_thread *t, uint64_t address)
{
    uint64_t offset = address;

    (void)program_offset(t->program, address, &offset);
    return offset;
}

static struct race_site *site_of(struct race *race, const struct race_other *o)
{
    struct race_site key = { .npairs = 0 }, *site, **found;

    for (unsigned i = 0; i < PROGRAM_CALLS; i++)
        key.other[i] = offset_of(o->thread, o->calls.at[i]);
    found = tfind(&key, &race->site_tree, compare_sites);
    if (found != NULL)
        return *found;
    site = race_need(malloc(sizeof(*site)));
    *site = key;
    race_tree_add(&race->site_tree, site, compare_sites);
    TAILQ_INSERT_TAIL(&race->sites, site, in_race);
    return site;
}

static struct race_pair *pair_of(struct race *race, const struct race_pair *key)
{
    struct race_pair **found = tfind(key, &race->pair_tree, compare_pairs), *pair;

    if (found != NULL)
        return *found;
    pair = race_need(
        calloc(1, sizeof(*pair) + (race->run->nranks + 63) / 64 * sizeof(pair->ranks[0])));
    pair->site = key->site;
    pair->at = key->at;
    pair->access = key->access;
    race_tree_add(&race->pair_tree, pair, compare_pairs);
    TAILQ_INSERT_TAIL(&race->pairs, pair, in_race);
    pair->site->npairs++;
    pair->site->last = pair;
    return pair;
}

struct race_pair *race_pair_met(struct race *race, struct launch_thread *t,
                                const struct race_use *u, const struct race_other *o)
{
    const struct race_pair key = { .access = u->access,
                                   .at = offset_of(t, (uintptr_t)u->place.from),
                                   .site = site_of(race, o) };
    struct race_pair *pair = pair_of(race, &key);
    uint64_t *word = &pair->ranks[t->host.rank / 64], bit = UINT64_C(1) << t->host.rank % 64;

    if ((*word & bit) != 0)
        return NULL;
    *word |= bit;
    pair->nranks++;
    pair->thread = t;
    pair->since = sim_now(t->dom);
    pair->use = *u;
    pair->other = *o;
    return pair;
}

void race_pairs_free(struct race *race)
{
    tdestroy(race->pair_tree, free);
    tdestroy(race->site_tree, free);
}
