/* What the transport "tca" counts: for its tests, and for a run that asks for a profile. */
#ifndef TRANSPORT_TCA_COUNT_H
#define TRANSPORT_TCA_COUNT_H

#include <stdint.h>

#include "hosts/transport/tca/cache.h"

#ifdef __cplusplus
extern "C" {
#endif

struct host_counts;
struct transport;

/** From where to where a transfer goes: memory proper or a buffer of the library, at each side. */
enum tct_mode { TCT_BTOB, TCT_MTOM, TCT_BTOM, TCT_MTOB, TCT_MODES };

struct tct_counts {
    /* by mode: transfers and their bytes, at the sender; copies by software, each at the side that
     * does it */
    struct tct_mode_count {
        uint64_t transfers, bytes, copies;
    } mode[TCT_MODES];
    uint64_t packets, stored, moved; /* entries sent; by stores of the core, by a channel */
    uint64_t transfers;              /* of channels */
    uint64_t stalls;                 /* times that a packet found no entry free */
    uint64_t acks;                   /* acknowledgements sent */
    uint64_t looks;                  /* at a channel's counter of bytes */
    uint64_t staged;                 /* pieces that an engine has copied to host memory */
    uint64_t strided;                /* transfers with a stride of blocks */
    struct tct_cache_counts cache;
};

/** NULL: it is another transport. */
const struct tct_counts *tct_counts_of(struct transport *t);
void tct_profile(const struct transport *t, struct host_counts *to);

#ifdef __cplusplus
}
#endif
#endif /* TRANSPORT_TCA_COUNT_H */
