/* Puts and gets, as parts of an operation. */
#ifndef GASNET_TRANSFER_H
#define GASNET_TRANSFER_H

#include "hosts/gasnet/extended/op.h"

struct gasnet_put {
    gasnet_node_t node;
    void *to; /* there */
    const void *from;
    uint64_t bytes;
    bool bulk; /* the source is free when the operation is over, not at return */
};
void gasnet_put_start(struct gasnet_rank *gr, uint32_t op, const struct gasnet_put *put);

struct gasnet_get {
    void *to;
    gasnet_node_t node;
    const void *from; /* there */
    uint64_t bytes;
};
void gasnet_get_start(struct gasnet_rank *gr, uint32_t op, const struct gasnet_get *get);

void gasnet_memset_start(struct gasnet_rank *gr, uint32_t op, gasnet_node_t node, void *to,
                         int value, uint64_t bytes);

#endif /* GASNET_TRANSFER_H */
