#include "hosts/transport/tca/cache.h"

#include <stdlib.h>
#include <string.h>

/* There is room for all, which most ranks use little of. What is not used is not written to: it
 * costs no memory of the machine that simulates. */
bool tct_cache_init(struct tct_cache *c, enum tct_policy policy, bool promotes,
                    uint32_t promote_uses, uint32_t host_room, uint32_t internal_room)
{
    uint32_t n = host_room + internal_room, heads = 1;

    while (heads < n)
        heads *= 2;
    *c = (struct tct_cache){
        .policy = policy,
        .promotes = promotes,
        .promote_uses = promote_uses,
        .host_room = host_room,
        .internal_room = internal_room,
        .entries = malloc(n * sizeof(*c->entries)),
        .heads = calloc(heads, sizeof(*c->heads)),
        .heads_mask = heads - 1,
        .free_host = malloc(host_room * sizeof(*c->free_host)),
        .free_internal = malloc((internal_room + 1) * sizeof(*c->free_internal)),
    };
    return c->entries != NULL && c->heads != NULL && c->free_host != NULL &&
           c->free_internal != NULL;
}

void tct_cache_fini(struct tct_cache *c)
{
    free(c->entries);
    free(c->heads);
    free(c->free_host);
    free(c->free_internal);
}

void tct_cache_add_internal(struct tct_cache *c)
{
    c->free_internal[c->nfree_internal++] = c->internal_slots++;
}

static uint32_t *head_of(const struct tct_cache *c, const struct tct_pattern *p)
{
    uint64_t h = (p->src * UINT64_C(0x9e3779b97f4a7c15)) ^ (p->dst * UINT64_C(0xc2b2ae3d27d4eb4f)) ^
                 ((uint64_t)p->bytes * UINT64_C(0x165667b19e3779f9));

    return &c->heads[(h ^ h >> 32) & c->heads_mask];
}

static struct tct_cached *find(const struct tct_cache *c, const struct tct_pattern *p)
{
    uint32_t at = *head_of(c, p);

    while (at != 0 && memcmp(&c->entries[at - 1].pattern, p, sizeof(*p)) != 0)
        at = c->entries[at - 1].next;
    return at != 0 ? &c->entries[at - 1] : NULL;
}

/* ---- what makes room --------------------------------------------------------------- */

static bool used_longer_ago(const struct tct_cached *a, const struct tct_cached *b)
{
    return a->last < b->last;
}

static bool used_less(const struct tct_cached *a, const struct tct_cached *b)
{
    return a->uses < b->uses || (a->uses == b->uses && a->last < b->last);
}

/* NULL: nothing makes room. */
static bool (*const goes_first[TCT_POLICIES])(const struct tct_cached *a,
                                              const struct tct_cached *b) = {
    [TCT_LRU] = used_longer_ago,
    [TCT_LFU] = used_less,
};

static uint32_t slot_in(const struct tct_cached *e, bool internal)
{
    return internal ? e->internal : e->host;
}

/* Of those in this memory. */
static struct tct_cached *find_victim(const struct tct_cache *c, bool internal)
{
    struct tct_cached *victim = NULL;

    for (uint32_t i = 0; i < c->used_entries; i++) {
        struct tct_cached *e = &c->entries[i];

        if (e->taken && slot_in(e, internal) != TCT_NO_SLOT &&
            (victim == NULL || goes_first[c->policy](e, victim)))
            victim = e;
    }
    return victim;
}

static void forget(struct tct_cache *c, struct tct_cached *e)
{
    uint32_t number = (uint32_t)(e - c->entries) + 1, *at = head_of(c, &e->pattern);

    while (*at != number)
        at = &c->entries[*at - 1].next;
    *at = e->next;
    e->taken = false;
    if (e->host != TCT_NO_SLOT)
        c->free_host[c->nfree_host++] = e->host;
    if (e->internal != TCT_NO_SLOT)
        c->free_internal[c->nfree_internal++] = e->internal;
    e->next = c->free_entry;
    c->free_entry = number;
}

static bool has_host_slot(const struct tct_cache *c)
{
    return c->nfree_host > 0 || c->used_host < c->host_room;
}

/* @return whether a slot of this memory is free now. */
static bool make_room(struct tct_cache *c, bool internal)
{
    if (internal ? c->nfree_internal > 0 : has_host_slot(c))
        return true;
    if (goes_first[c->policy] == NULL || (internal && c->internal_slots == 0))
        return false;
    forget(c, find_victim(c, internal));
    c->counts.evicted_internal += internal;
    c->counts.evicted_host += !internal;
    return true;
}

/* ---- a use --------------------------------------------------------------------------- */

static uint32_t take_host_slot(struct tct_cache *c)
{
    return c->nfree_host > 0 ? c->free_host[--c->nfree_host] : c->used_host++;
}

/* @return its number, from 1 on. */
static uint32_t take_entry(struct tct_cache *c)
{
    uint32_t number = c->free_entry;

    if (number == 0)
        return ++c->used_entries;
    c->free_entry = c->entries[number - 1].next;
    return number;
}

static struct tct_cached *keep(struct tct_cache *c, const struct tct_pattern *p)
{
    uint32_t *head = head_of(c, p), number = take_entry(c);
    struct tct_cached *e = &c->entries[number - 1];

    *e = (struct tct_cached){ .pattern = *p,
                              .host = take_host_slot(c),
                              .internal = TCT_NO_SLOT,
                              .next = *head,
                              .taken = true };
    *head = number;
    return e;
}

/* From host memory; its own slot there makes no room. */
static bool promote(struct tct_cache *c, struct tct_cached *e)
{
    if (!make_room(c, true))
        return false;
    c->free_host[c->nfree_host++] = e->host;
    e->host = TCT_NO_SLOT;
    e->internal = c->free_internal[--c->nfree_internal];
    c->counts.made_internal++;
    return true;
}

struct tct_use tct_cache_use(struct tct_cache *c, const struct tct_pattern *pattern, bool may_move)
{
    struct tct_cached *e = find(c, pattern);
    bool made = false;

    c->time++;
    if (e == NULL) {
        made = true;
        c->counts.made_host++;
        if (!make_room(c, false)) {
            c->counts.passed++;
            return (struct tct_use){ .made = true, .slot = c->host_room };
        }
        e = keep(c, pattern);
    } else if (may_move && c->promotes && e->host != TCT_NO_SLOT && e->uses >= c->promote_uses) {
        made = promote(c, e);
        c->counts.hits += !made;
    } else {
        c->counts.hits++;
    }
    e->uses++;
    e->last = c->time;
    return (struct tct_use){ .internal = e->internal != TCT_NO_SLOT,
                             .made = made,
                             .slot = e->internal != TCT_NO_SLOT ? e->internal : e->host };
}
