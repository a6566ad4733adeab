/*
 * Which transfers have a descriptor, and in which memory. A pattern that is new gets one in host
 * memory; after a number of uses it is made again in the hub's memory, which is quicker to fetch
 * from and holds few. What makes room for others is a row of a table.
 *
 * Nothing of the hub is in here: slots are numbers, and the caller writes descriptors.
 */
#ifndef TRANSPORT_TCA_CACHE_H
#define TRANSPORT_TCA_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TCT_NO_SLOT UINT32_MAX

enum tct_policy {
    TCT_LRU,   /* that used longest ago makes room */
    TCT_LFU,   /* that used least, of several the one used longest ago */
    TCT_FIRST, /* none does: who comes later is not kept */
    TCT_POLICIES
};

/** What a descriptor says. Patterns are compared by their bytes. */
struct tct_pattern {
    uint64_t src, dst;
    uint32_t bytes, block_bytes, src_gap, dst_gap;
    uint32_t channel, dest;
};

struct tct_cached {
    struct tct_pattern pattern;
    uint64_t uses, last;     /* last: number of the use */
    uint32_t host, internal; /* slots, or TCT_NO_SLOT; one of them at most */
    uint32_t next;           /* with the same hash, or free as well; entry + 1, 0: none */
    bool taken;
};

struct tct_cache_counts {
    uint64_t hits, made_host, made_internal, evicted_host, evicted_internal, passed;
};

struct tct_cache {
    enum tct_policy policy;
    bool promotes;
    uint32_t promote_uses;
    uint32_t host_room, internal_room;
    uint32_t internal_slots;          /* of them that tct_cache_add_internal() has added */
    struct tct_cached *entries;       /* host_room + internal_room */
    uint32_t used_entries, used_host; /* so many of them, and slots in host memory, ever were */
    uint32_t free_entry;              /* that was forgotten last; entry + 1, 0: none */
    uint32_t *heads;                  /* by hash: entry + 1 */
    uint32_t heads_mask;
    uint32_t *free_host, *free_internal; /* host memory: that were given back */
    uint32_t nfree_host, nfree_internal;
    uint64_t time;
    struct tct_cache_counts counts;
};

/** What is to be done for a use. */
struct tct_use {
    bool internal; /* the memory that its slot is in */
    bool made;     /* its descriptor has to be written there now */
    uint32_t slot; /* host_room: the slot beside all others, for a pattern that is not kept */
};

/** @return false: out of memory; tct_cache_fini() all the same. */
bool tct_cache_init(struct tct_cache *c, enum tct_policy policy, bool promotes,
                    uint32_t promote_uses, uint32_t host_room, uint32_t internal_room);
void tct_cache_fini(struct tct_cache *c);
/** One more descriptor of the hub's memory is there, up to `internal_room` in all: that with the
 * next number. */
void tct_cache_add_internal(struct tct_cache *c);
/** `may_move`: it is of a kind that may live in the hub's memory. A slot that makes room may be
 * that of a transfer which goes on: the caller waits for its end before it writes there. */
struct tct_use tct_cache_use(struct tct_cache *c, const struct tct_pattern *pattern, bool may_move);

#ifdef __cplusplus
}
#endif
#endif /* TRANSPORT_TCA_CACHE_H */
