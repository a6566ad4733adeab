/* Memory that the adapter reads and writes: registered, or buffers in its place. */
#ifndef TRANSPORT_IB_REGION_H
#define TRANSPORT_IB_REGION_H

#include "hosts/transport/ib/internal.h"

/* region.c */
/** The region that holds [p, p + bytes), registered if need be. NULL: cannot. */
const struct verbs_region *ibt_region(struct ibt *ib, const void *p, uint64_t bytes,
                                      uint64_t *offset_p);

/** The region that holds [p, p + bytes). NULL: none is registered. */
const struct verbs_region *ibt_region_find(struct ibt *ib, const void *p, uint64_t bytes,
                                           uint64_t *offset_p);

/* bounce.c */
/** The buffers, where the settings want some. @return false: no memory */
bool ibt_bounce_init(struct ibt *ib);
/** Memory of the program for a transfer: kept registered, or lent to `op` until it ends. */
const struct verbs_region *ibt_region_for(struct ibt *ib, struct ibt_op *op, const void *p,
                                          uint64_t bytes, uint64_t *offset_p);
/** Do data of this memory go by the buffers? */
bool ibt_bounces(struct ibt *ib, const struct host_pointer *where, const void *p, uint64_t bytes);
/** Data leave by the buffers; the source is free at return. */
void ibt_bounce_out(struct ibt *ib, unsigned dest, const void *from, const struct ibt_key *key,
                    uint64_t bytes, struct ibt_op *op);
/** Data come into the buffers and are copied to `to` when all are there. */
void ibt_bounce_in(struct ibt *ib, unsigned source, void *to, const struct ibt_key *key,
                   uint64_t bytes, struct ibt_op *op);

#endif /* TRANSPORT_IB_REGION_H */
