/*
 * Plans of collectives that move data. A node has a block for each of its images, in their order.
 * Short data go over binomial trees and by dissemination (Bruck), long ones directly or in a ring.
 */
#include "hosts/gasnet/coll/plans.h"

#define SHORT_BYTES                                                                                \
    8192u /* of all blocks together, that are sent more than once to save latency                  \
           */

struct coll_tree coll_tree_of(unsigned size, unsigned v)
{
    unsigned low = v == 0 ? size : v & -v;

    return (struct coll_tree){ size, v, v + low < size ? low : size - v };
}

/* The rank that is `v` behind the root. */
static unsigned rank_at(const struct coll_op *op, unsigned root, unsigned v)
{
    return (root + v) % op->team->size;
}

static unsigned behind(const struct coll_op *op, unsigned root)
{
    unsigned n = op->team->size;

    return (op->team->me + n - root) % n;
}

static unsigned own_images(const struct coll_op *op)
{
    return coll_images_of(op->team, op->team->me);
}

static uint64_t block_at(const struct coll_op *op, unsigned rank, uint64_t bytes)
{
    return op->team->first[rank] * bytes;
}

static uint64_t block_bytes(const struct coll_op *op, unsigned rank, uint64_t bytes)
{
    return coll_images_of(op->team, rank) * bytes;
}

/* All blocks of the ranks [from, from + n) behind the root. */
static uint64_t run_bytes(const struct coll_op *op, unsigned root, unsigned from, unsigned n,
                          uint64_t bytes)
{
    uint64_t sum = 0;

    for (unsigned v = from; v < from + n; v++)
        sum += block_bytes(op, rank_at(op, root, v), bytes);
    return sum;
}

/* Blocks of this node's images, one behind the other, to and from where the program has them. */
static void add_deal(struct gasnet_rank *gr, struct coll_op *op, const struct coll_call *call,
                     const uint8_t *blocks)
{
    for (unsigned i = 0; i < own_images(op); i++)
        coll_add_copy(gr, op, call->dst[i], blocks + i * call->bytes, call->bytes);
}

static void add_collect(struct gasnet_rank *gr, struct coll_op *op, const struct coll_call *call,
                        uint8_t *blocks)
{
    for (unsigned i = 0; i < own_images(op); i++)
        coll_add_copy(gr, op, blocks + i * call->bytes, call->src[i], call->bytes);
}

/* All blocks in the order of ranks from `root` on; `whole` has them from rank 0 on. */
static void add_turn(struct gasnet_rank *gr, struct coll_op *op, unsigned root, uint64_t bytes,
                     uint8_t *turned, uint8_t *whole, bool back)
{
    uint64_t before = block_at(op, root, bytes), behind_it = coll_images(op->team) * bytes - before;

    if (back) {
        coll_add_copy(gr, op, whole + before, turned, behind_it);
        coll_add_copy(gr, op, whole, turned + behind_it, before);
    } else {
        coll_add_copy(gr, op, turned, whole + before, behind_it);
        coll_add_copy(gr, op, turned + behind_it, whole, before);
    }
}

void coll_plan_broadcast(struct gasnet_rank *gr, struct coll_op *op, const struct coll_call *call)
{
    unsigned root = call->root;
    struct coll_tree tree = coll_tree_of(op->team->size, behind(op, root));
    uint8_t *from = call->dst[0];

    if (tree.v == 0) {
        from = call->src[0];
    } else {
        unsigned parent = rank_at(op, root, coll_tree_parent(&tree));

        coll_add_expect(gr, op, parent, 0, from, call->bytes);
        coll_add_wait(gr, op, parent, 0);
    }
    for (unsigned d = coll_tree_far(&tree); d > 0;
         d /= 2) /* the child with the most ranks below first */
        coll_add_send(gr, op, rank_at(op, root, tree.v + d), 0, from, call->bytes);
    for (unsigned i = 0; i < own_images(op); i++)
        coll_add_copy(gr, op, call->dst[i], from, call->bytes);
}

/* ---- scatter ---- */

static void scatter_directly(struct gasnet_rank *gr, struct coll_op *op,
                             const struct coll_call *call)
{
    unsigned root = call->root, me = op->team->me;
    uint64_t own = block_bytes(op, me, call->bytes);
    uint8_t *to;

    if (me == root) {
        uint8_t *from = call->src[0];

        for (unsigned v = 1; v < op->team->size; v++) {
            unsigned rank = rank_at(op, root, v);

            coll_add_send(gr, op, rank, 0, from + block_at(op, rank, call->bytes),
                          block_bytes(op, rank, call->bytes));
        }
        add_deal(gr, op, call, from + block_at(op, me, call->bytes));
        return;
    }
    to = own_images(op) == 1 ? call->dst[0] : coll_space(gr, op, own);
    coll_add_expect(gr, op, root, 0, to, own);
    coll_add_wait(gr, op, root, 0);
    add_deal(gr, op, call, to);
}

/* A rank gets the blocks of its subtree, and passes on those of its children. */
static void scatter_by_tree(struct gasnet_rank *gr, struct coll_op *op,
                            const struct coll_call *call)
{
    unsigned root = call->root;
    struct coll_tree tree = coll_tree_of(op->team->size, behind(op, root));
    uint64_t bytes = call->bytes, all = run_bytes(op, root, tree.v, tree.span, bytes);
    uint8_t *blocks = tree.v == 0 && root == 0 ? call->src[0] : coll_space(gr, op, all);

    if (tree.v > 0) {
        unsigned parent = rank_at(op, root, coll_tree_parent(&tree));

        coll_add_expect(gr, op, parent, 0, blocks, all);
        coll_add_wait(gr, op, parent, 0);
    } else if (root != 0) {
        add_turn(gr, op, root, bytes, blocks, call->src[0], false);
    }
    for (unsigned d = coll_tree_far(&tree); d > 0; d /= 2) {
        struct coll_tree child = coll_tree_of(op->team->size, tree.v + d);

        coll_add_send(gr, op, rank_at(op, root, child.v), 0,
                      blocks + run_bytes(op, root, tree.v, d, bytes),
                      run_bytes(op, root, child.v, child.span, bytes));
    }
    add_deal(gr, op, call, blocks);
}

void coll_plan_scatter(struct gasnet_rank *gr, struct coll_op *op, const struct coll_call *call)
{
    if (coll_images(op->team) * call->bytes <= SHORT_BYTES)
        scatter_by_tree(gr, op, call);
    else
        scatter_directly(gr, op, call);
}

/* ---- gather ---- */

static void gather_directly(struct gasnet_rank *gr, struct coll_op *op,
                            const struct coll_call *call)
{
    unsigned root = call->root, me = op->team->me, n = op->team->size;
    uint64_t own = block_bytes(op, me, call->bytes);
    uint8_t *to;

    if (me != root) {
        uint8_t *from = call->src[0];

        if (own_images(op) > 1) {
            from = coll_space(gr, op, own);
            add_collect(gr, op, call, from);
        }
        coll_add_send(gr, op, root, 0, from, own);
        return;
    }
    to = call->dst[0];
    for (unsigned v = 1; v < n; v++) {
        unsigned rank = rank_at(op, root, v);

        coll_add_expect(gr, op, rank, 0, to + block_at(op, rank, call->bytes),
                        block_bytes(op, rank, call->bytes));
    }
    add_collect(gr, op, call, to + block_at(op, me, call->bytes));
    for (unsigned v = 1; v < n; v++)
        coll_add_wait(gr, op, rank_at(op, root, v), 0);
}

static void gather_by_tree(struct gasnet_rank *gr, struct coll_op *op, const struct coll_call *call)
{
    unsigned root = call->root, n = op->team->size;
    struct coll_tree tree = coll_tree_of(n, behind(op, root));
    uint64_t bytes = call->bytes, all = run_bytes(op, root, tree.v, tree.span, bytes);
    uint8_t *blocks = tree.v == 0 && root == 0 ? call->dst[0] : coll_space(gr, op, all);

    for (unsigned d = 1; coll_tree_child(&tree, d); d *= 2) {
        struct coll_tree child = coll_tree_of(n, tree.v + d);

        coll_add_expect(gr, op, rank_at(op, root, child.v), 0,
                        blocks + run_bytes(op, root, tree.v, d, bytes),
                        run_bytes(op, root, child.v, child.span, bytes));
    }
    add_collect(gr, op, call, blocks);
    for (unsigned d = 1; coll_tree_child(&tree, d); d *= 2)
        coll_add_wait(gr, op, rank_at(op, root, tree.v + d), 0);
    if (tree.v > 0)
        coll_add_send(gr, op, rank_at(op, root, coll_tree_parent(&tree)), 0, blocks, all);
    else if (root != 0)
        add_turn(gr, op, root, bytes, blocks, call->dst[0], true);
}

void coll_plan_gather(struct gasnet_rank *gr, struct coll_op *op, const struct coll_call *call)
{
    if (coll_images(op->team) * call->bytes <= SHORT_BYTES)
        gather_by_tree(gr, op, call);
    else
        gather_directly(gr, op, call);
}

/* ---- gather to all ---- */

/* After the round of distance d, a rank has the blocks of 2 d ranks, from its own on. */
static void gather_all_by_dissemination(struct gasnet_rank *gr, struct coll_op *op,
                                        const struct coll_call *call)
{
    unsigned me = op->team->me, n = op->team->size, tag = 0;
    uint64_t bytes = call->bytes;
    uint8_t *blocks = coll_space(gr, op, coll_images(op->team) * bytes);

    add_collect(gr, op, call, blocks);
    for (unsigned d = 1; d < n; d *= 2, tag++) {
        unsigned more = d < n - d ? d : n - d, from = (me + d) % n;

        coll_add_send(gr, op, (me + n - d) % n, tag, blocks, run_bytes(op, me, 0, more, bytes));
        coll_add_expect(gr, op, from, tag, blocks + run_bytes(op, me, 0, d, bytes),
                        run_bytes(op, me, d, more, bytes));
        coll_add_wait(gr, op, from, tag);
    }
    add_turn(gr, op, me, bytes, blocks, call->dst[0], true);
}

/* In each step the block that came last goes to the next rank. */
static void gather_all_in_ring(struct gasnet_rank *gr, struct coll_op *op,
                               const struct coll_call *call)
{
    unsigned me = op->team->me, n = op->team->size, left = (me + n - 1) % n;
    uint64_t bytes = call->bytes;
    uint8_t *to = call->dst[0];

    for (unsigned i = 1; i < n; i++) {
        unsigned rank = (me + n - i) % n;

        coll_add_expect(gr, op, left, i, to + block_at(op, rank, bytes),
                        block_bytes(op, rank, bytes));
    }
    add_collect(gr, op, call, to + block_at(op, me, bytes));
    for (unsigned i = 1; i < n; i++) {
        unsigned rank = (me + n - i + 1) % n;

        coll_add_send(gr, op, (me + 1) % n, i, to + block_at(op, rank, bytes),
                      block_bytes(op, rank, bytes));
        coll_add_wait(gr, op, left, i);
    }
}

void coll_plan_gather_all(struct gasnet_rank *gr, struct coll_op *op, const struct coll_call *call)
{
    uint64_t all = coll_images(op->team) * call->bytes;

    if (all <= SHORT_BYTES)
        gather_all_by_dissemination(gr, op, call);
    else
        gather_all_in_ring(gr, op, call);
    for (unsigned i = 1; i < own_images(op); i++)
        coll_add_copy(gr, op, call->dst[i], call->dst[0], all);
}

/* ---- exchange ---- */

/* Blocks of one image for those of another rank lie side by side; each goes to an image there. */
void coll_plan_exchange(struct gasnet_rank *gr, struct coll_op *op, const struct coll_call *call)
{
    struct coll_team *team = op->team;
    unsigned me = team->me, n = team->size, own = own_images(op);
    uint64_t bytes = call->bytes;

    for (unsigned v = 1; v < n; v++) {
        unsigned from = (me + n - v) % n, images = coll_images_of(team, from);

        for (unsigned i = 0; i < images * own; i++)
            coll_add_expect(
                gr, op, from, i,
                (uint8_t *)call->dst[i % own] + block_at(op, from, bytes) + i / own * bytes, bytes);
    }
    for (unsigned v = 1; v < n; v++) {
        unsigned to = (me + v) % n, images = coll_images_of(team, to);

        for (unsigned i = 0; i < own * images; i++)
            coll_add_send(gr, op, to, i,
                          (uint8_t *)call->src[i / images] + block_at(op, to, bytes) +
                              i % images * bytes,
                          bytes);
    }
    for (unsigned i = 0; i < own * own; i++)
        coll_add_copy(
            gr, op, (uint8_t *)call->dst[i % own] + block_at(op, me, bytes) + i / own * bytes,
            (uint8_t *)call->src[i / own] + block_at(op, me, bytes) + i % own * bytes, bytes);
    for (unsigned v = 1; v < n; v++) {
        unsigned from = (me + n - v) % n;

        for (unsigned i = 0; i < coll_images_of(team, from) * own; i++)
            coll_add_wait(gr, op, from, i);
    }
}
