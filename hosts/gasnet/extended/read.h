/* Gets by devices that read: no software of the far side takes part. */
#ifndef GASNET_READ_H
#define GASNET_READ_H

#include "hosts/gasnet/extended/transfer.h"

/** @param at where get->from is in the segment there; get->to NULL: the operation's value
 * @return false: the network does not read this; nothing has begun */
bool gasnet_read_start(struct gasnet_rank *gr, uint32_t op, const struct gasnet_get *get,
                       uint64_t at);

#endif /* GASNET_READ_H */
