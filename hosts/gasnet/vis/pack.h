/* Puts and gets of many pieces, as parts of an operation. */
#ifndef GASNET_PACK_H
#define GASNET_PACK_H

#include "hosts/gasnet/extended/op.h"
#include "hosts/gasnet/vis/pieces.h"

/** Both sides, of as many bytes; the far one is in the segment of `node`. */
struct vis_transfer {
    gasnet_node_t node;
    struct vis_list to, from;
};
void vis_put_start(struct gasnet_rank *gr, uint32_t op, const struct vis_transfer *t);
void vis_get_start(struct gasnet_rank *gr, uint32_t op, const struct vis_transfer *t);

#endif /* GASNET_PACK_H */
