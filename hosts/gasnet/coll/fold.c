/* Plans of sums: the left operand is always that of the images before. */
#include "hosts/gasnet/coll/plans.h"

static unsigned own_images(const struct coll_op *op)
{
    return coll_images_of(op->team, op->team->me);
}

/* The sum over this node's images. */
static uint8_t *add_own(struct gasnet_rank *gr, struct coll_op *op, const struct coll_call *call)
{
    uint8_t *sum = coll_space(gr, op, call->bytes), *next;

    coll_add_copy(gr, op, sum, call->src[0], call->bytes);
    if (own_images(op) == 1)
        return sum;
    next = coll_space(gr, op, call->bytes);
    for (unsigned i = 1; i < own_images(op); i++) {
        coll_add_copy(gr, op, next, call->src[i], call->bytes);
        coll_add_fold(gr, op, sum, sum, next, call->bytes);
    }
    return sum;
}

/* Over a tree; where the order counts it begins at rank 0, which sends the sum to the root. */
void coll_plan_reduce(struct gasnet_rank *gr, struct coll_op *op, const struct coll_call *call)
{
    unsigned n = op->team->size, me = op->team->me;
    unsigned top = (op->function.flags & GASNET_COLL_NONCOMM) != 0 ? 0 : call->root;
    struct coll_tree tree = coll_tree_of(n, (me + n - top) % n);
    uint8_t *sum;

    if (me == call->root && me != top)
        coll_add_expect(gr, op, top, 1, call->dst[0], call->bytes);
    sum = add_own(gr, op, call);
    for (unsigned d = 1; coll_tree_child(&tree, d); d *= 2) {
        unsigned child = (tree.v + d + top) % n;
        uint8_t *other = coll_space(gr, op, call->bytes);

        coll_add_expect(gr, op, child, 0, other, call->bytes);
        coll_add_wait(gr, op, child, 0);
        coll_add_fold(gr, op, sum, sum, other, call->bytes);
    }
    if (tree.v > 0)
        coll_add_send(gr, op, (coll_tree_parent(&tree) + top) % n, 0, sum, call->bytes);
    else if (me != call->root)
        coll_add_send(gr, op, call->root, 1, sum, call->bytes);
    else
        coll_add_copy(gr, op, call->dst[0], sum, call->bytes);
    if (me == call->root && me != top)
        coll_add_wait(gr, op, top, 1);
}

/* Before the round of distance d a rank knows the sum of d ranks, up to its own. */
void coll_plan_scan(struct gasnet_rank *gr, struct coll_op *op, const struct coll_call *call)
{
    unsigned n = op->team->size, me = op->team->me, tag = 0;
    uint64_t bytes = call->bytes;
    uint8_t *sum = add_own(gr, op, call), *before = coll_space(gr, op, bytes), *next;

    for (unsigned d = 1; d < n; d *= 2, tag++) {
        uint8_t *other = me >= d ? coll_space(gr, op, bytes) : NULL;

        if (me >= d)
            coll_add_expect(gr, op, me - d, tag, other, bytes);
        if (me + d < n)
            coll_add_send(gr, op, me + d, tag, sum, bytes);
        if (me < d)
            continue;
        coll_add_wait(gr, op, me - d, tag);
        coll_add_fold(gr, op, sum, other, sum, bytes);
        if (d == 1)
            coll_add_copy(gr, op, before, other, bytes);
        else
            coll_add_fold(gr, op, before, other, before, bytes);
    }
    next = coll_space(gr, op, bytes);
    for (unsigned i = 0; i < own_images(op); i++) {
        coll_add_copy(gr, op, next, call->src[i], bytes); /* which may be where the sum goes */
        if (!call->inclusive && me + i > 0)
            coll_add_copy(gr, op, call->dst[i], before, bytes);
        if (me + i > 0)
            coll_add_fold(gr, op, before, before, next, bytes);
        else
            coll_add_copy(gr, op, before, next, bytes);
        if (call->inclusive)
            coll_add_copy(gr, op, call->dst[i], before, bytes);
    }
}
