/* Puts and gets by the device alone: no software of the far side takes part. */
#ifndef GASNET_DIRECT_H
#define GASNET_DIRECT_H

#include "hosts/gasnet/extended/transfer.h"

/** @param at where put->to is in the segment there
 * @return false: the network does not report when its writes are in place; nothing has begun */
bool gasnet_write_start(struct gasnet_rank *gr, uint32_t op, const struct gasnet_put *put,
                        uint64_t at);
/** @param at where get->from is in the segment there; get->to NULL: the operation's value
 * @return false: the network does not read this; nothing has begun */
bool gasnet_read_start(struct gasnet_rank *gr, uint32_t op, const struct gasnet_get *get,
                       uint64_t at);

#endif /* GASNET_DIRECT_H */
