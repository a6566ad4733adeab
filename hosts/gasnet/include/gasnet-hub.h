/* What the library counts in each rank, for programs that measure it. It is no part of GASNet. */
#ifndef HUBSIM_GASNET_HUB_H
#define HUBSIM_GASNET_HUB_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Since gasnet_init(). Messages are requests and replies of the program; what the library sends
 * for puts, gets, barriers and collectives is counted apart. */
typedef struct gasnet_hub_counts {
    uint64_t shorts, mediums, longs;   /* sent */
    uint64_t medium_bytes, long_bytes; /* their data */
    uint64_t replies;                  /* of all three */
    uint64_t own, own_bytes;           /* messages of the library */
    uint64_t puts, gets;               /* begun, each piece of a vector as one */
    uint64_t put_bytes, get_bytes;
    uint64_t handlers; /* run, of the program */
    uint64_t stalls;   /* messages that had to wait for room */
    uint64_t polls;    /* looks for news */
} gasnet_hub_counts;

/** Those of the own node, from gasnet_init() on. */
void gasnet_hub_counters(gasnet_hub_counts *counts);
/** What the rank has sent to a node, which may be itself, messages of the library among it. */
void gasnet_hub_sent(uint32_t node, uint64_t *messages, uint64_t *bytes);
/** One number that `hubrun --profile` shows, by its name there: "copy for BtoB". Those of the
 * conduit are among them, and count from gasnet_init() on, too. Takes no time.
 * @return 1; 0: nothing here is counted by that name, and nothing is written. Either pointer may be
 * NULL. */
int gasnet_hub_count(const char *name, uint64_t *count, uint64_t *bytes);

#ifdef __cplusplus
}
#endif
#endif /* HUBSIM_GASNET_HUB_H */
