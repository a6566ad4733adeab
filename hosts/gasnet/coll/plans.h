/* The plan of each collective. */
#ifndef GASNET_PLANS_H
#define GASNET_PLANS_H

#include "hosts/gasnet/coll/plan.h"

/** What a call says; addresses are those of this node's images, in their order. */
struct coll_call {
    unsigned root;    /* rank of the root's node */
    void *const *dst; /* a gather or reduction has one, at the root */
    void *const *src; /* a broadcast or scatter has one, at the root */
    uint64_t bytes;   /* a block; all elements of one image */
    bool inclusive;   /* a scan: with the own element */
};

typedef void coll_plan_fn(struct gasnet_rank *gr, struct coll_op *op, const struct coll_call *call);
coll_plan_fn coll_plan_broadcast, coll_plan_scatter, coll_plan_gather, coll_plan_gather_all,
    coll_plan_exchange;                        /* data.c */
coll_plan_fn coll_plan_reduce, coll_plan_scan; /* fold.c */

/** A tree over all ranks: those of the subtree of rank v, counted from its root, follow it. */
struct coll_tree {
    unsigned size, v;
    unsigned span; /* ranks of the subtree of v, itself included */
};
struct coll_tree coll_tree_of(unsigned size, unsigned v);
static inline unsigned coll_tree_parent(const struct coll_tree *t)
{
    return t->v & (t->v - 1); /* v > 0 */
}
/** The child at distance d = 1, 2, 4, ... of v is v + d, while d < lowest bit of v. */
static inline bool coll_tree_child(const struct coll_tree *t, unsigned d)
{
    return (t->v == 0 || d < (t->v & -t->v)) && t->v + d < t->size;
}
/** The distance of its farthest child, the others of which are at halves of it. 0: it has none. */
static inline unsigned coll_tree_far(const struct coll_tree *t)
{
    unsigned d = 1;

    while (coll_tree_child(t, d))
        d *= 2;
    return d / 2;
}

#endif /* GASNET_PLANS_H */
