/* What is counted in each rank, for gasnet-hub.h and for the profile of a run. */
#ifndef GASNET_COUNT_H
#define GASNET_COUNT_H

#include "hosts/gasnet/core/message.h"

/** Data leave by a remote write that is no message. */
void gasnet_count_write(struct gasnet_rank *gr, gasnet_node_t node, uint64_t bytes);
/** A message is sent. */
void gasnet_count_sent(struct gasnet_rank *gr, const struct gasnet_am *am);
/** A put or get of so many bytes begins. */
void gasnet_count_put(struct gasnet_rank *gr, uint64_t bytes);
void gasnet_count_get(struct gasnet_rank *gr, uint64_t bytes);

/** Around a call of the program, for the profile: see gasnet_enter(). */
void gasnet_count_begin(struct gasnet_visit *v);
void gasnet_count_end(const struct gasnet_visit *v);

#endif /* GASNET_COUNT_H */
