/* What programs call: each collective, blocking or not, with one address or lists of them. */
#include "hosts/gasnet/coll/finish.h"
#include "hosts/gasnet/coll/plans.h"
#include "hosts/gasnet/extended/extended.h"

#define TAG_IN  0x40000000u /* meetings before and after a collective */
#define TAG_OUT 0x50000000u

/** Which images have data of what size. */
struct coll_kind {
    coll_plan_fn *plan;
    bool dst_at_root, src_at_root; /* else each image has some */
    bool dst_all, src_all;         /* a block for each image, else one */
    bool folds;
};
static const struct coll_kind broadcast = { coll_plan_broadcast, .src_at_root = true };
static const struct coll_kind scatter = { coll_plan_scatter, .src_at_root = true, .src_all = true };
static const struct coll_kind gather = { coll_plan_gather, .dst_at_root = true, .dst_all = true };
static const struct coll_kind gather_all = { coll_plan_gather_all, .dst_all = true };
static const struct coll_kind exchange = { coll_plan_exchange, .dst_all = true, .src_all = true };
static const struct coll_kind reduce = { coll_plan_reduce, .dst_at_root = true, .folds = true };
static const struct coll_kind scan = { coll_plan_scan, .folds = true };

/** The parameters of a call. */
struct params {
    gasnet_team_handle_t team;
    gasnet_image_t root;
    void *dst, *src;                 /* NULL where there is a list */
    void *const *dsts, *const *srcs; /* NULL where there is one address */
    size_t bytes;
    int flags;
    size_t dst_block, src_block, dst_offset, src_offset; /* of sums */
    size_t elem_bytes, elem_count;
    gasnet_coll_fn_handle_t function;
    int function_arg;
};

static bool is_one_of(int flags, int all)
{
    int of = flags & all;

    return of != 0 && (of & (of - 1)) == 0;
}

static void check_flags(struct gasnet_rank *gr, const struct coll_kind *kind, int flags, bool waits)
{
    if (!is_one_of(flags, GASNET_COLL_IN_NOSYNC | GASNET_COLL_IN_MYSYNC | GASNET_COLL_IN_ALLSYNC))
        gasnet_fail(gr, "flags 0x%x: expected one of GASNET_COLL_IN_NOSYNC, _MYSYNC and _ALLSYNC",
                    (unsigned)flags);
    if (!is_one_of(flags,
                   GASNET_COLL_OUT_NOSYNC | GASNET_COLL_OUT_MYSYNC | GASNET_COLL_OUT_ALLSYNC))
        gasnet_fail(gr, "flags 0x%x: expected one of GASNET_COLL_OUT_NOSYNC, _MYSYNC and _ALLSYNC",
                    (unsigned)flags);
    if (!is_one_of(flags, GASNET_COLL_SINGLE | GASNET_COLL_LOCAL))
        gasnet_fail(gr, "flags 0x%x: expected one of GASNET_COLL_SINGLE and GASNET_COLL_LOCAL",
                    (unsigned)flags);
    if (kind == &scan && !is_one_of(flags, GASNET_COLL_INCLUSIVE_SCAN | GASNET_COLL_EXCLUSIVE_SCAN))
        gasnet_fail(gr,
                    "flags 0x%x: expected one of GASNET_COLL_INCLUSIVE_SCAN and "
                    "GASNET_COLL_EXCLUSIVE_SCAN",
                    (unsigned)flags);
    if (waits && (flags & GASNET_COLL_AGGREGATE) != 0)
        gasnet_fail(gr, "flags 0x%x: GASNET_COLL_AGGREGATE in a call that waits: expected _nb",
                    (unsigned)flags);
}

static unsigned rank_of_image(struct gasnet_rank *gr, const struct coll_team *team,
                              gasnet_image_t image)
{
    unsigned r = 0;

    if (image >= coll_images(team))
        gasnet_fail(gr, "image %u as root: expected 0 .. %u", image, coll_images(team) - 1);
    while (image >= team->first[r + 1])
        r++;
    return r;
}

/* Addresses of this node's images: all of a list in a call with GASNET_COLL_LOCAL, else the node's
 * part of it. */
static void *const *addresses(struct gasnet_rank *gr, const struct coll_team *team,
                              void *const *list, void *const *one, int flags)
{
    if (list != NULL)
        return (flags & GASNET_COLL_SINGLE) != 0 ? list + team->first[team->me] : list;
    if (coll_images_of(team, team->me) != 1)
        gasnet_fail(gr, "one address, but node %u has %u images: expected the form with lists, M",
                    gr->host->rank, coll_images_of(team, team->me));
    return one;
}

static void check_in_segment(struct gasnet_rank *gr, void *const *list, unsigned n, uint64_t bytes)
{
    for (unsigned i = 0; i < n && bytes > 0; i++)
        (void)gasnet_check_segment(gr, gr->host->rank, list[i], bytes);
}

/* Both sides as the plans have them. */
static struct coll_call call_of(struct gasnet_rank *gr, const struct coll_team *team,
                                const struct coll_kind *kind, const struct params *p)
{
    struct coll_call call = { .bytes = p->bytes,
                              .inclusive = (p->flags & GASNET_COLL_INCLUSIVE_SCAN) != 0 };
    unsigned own = coll_images_of(team, team->me), all = coll_images(team);
    bool at_root;

    if (kind->dst_at_root || kind->src_at_root)
        call.root = rank_of_image(gr, team, p->root);
    at_root = call.root == team->me;
    call.dst = kind->dst_at_root ? &p->dst : addresses(gr, team, p->dsts, &p->dst, p->flags);
    call.src = kind->src_at_root ? &p->src : addresses(gr, team, p->srcs, &p->src, p->flags);
    if ((p->flags & GASNET_COLL_DST_IN_SEGMENT) != 0 && (!kind->dst_at_root || at_root))
        check_in_segment(gr, call.dst, kind->dst_at_root ? 1 : own,
                         kind->dst_all ? all * call.bytes : call.bytes);
    if ((p->flags & GASNET_COLL_SRC_IN_SEGMENT) != 0 && (!kind->src_at_root || at_root))
        check_in_segment(gr, call.src, kind->src_at_root ? 1 : own,
                         kind->src_all ? all * call.bytes : call.bytes);
    return call;
}

static void set_function(struct gasnet_rank *gr, struct coll_op *op, const struct params *p)
{
    const struct gasnet_coll *c = gr->coll;

    if (p->function < 0 || (size_t)p->function >= c->function_count)
        gasnet_fail(gr, "func = %d: expected an index of the %zu functions of gasnet_coll_init()",
                    p->function, c->function_count);
    if (p->elem_bytes == 0)
        gasnet_fail(gr, "elem_size = 0: expected at least 1");
    if (p->dst_block != 0 || p->src_block != 0)
        gasnet_fail(gr, "blocks of %zu elements: expected 0, as each image has its elements",
                    p->src_block != 0 ? p->src_block : p->dst_block);
    op->function = c->functions[p->function];
    op->function_arg = p->function_arg;
    op->elem_bytes = p->elem_bytes;
}

static struct coll_op *op_of(struct gasnet_rank *gr, const struct coll_kind *kind, struct params *p,
                             bool waits)
{
    struct coll_team *team = coll_team_of(gr, p->team);
    struct coll_call call;
    struct coll_op *op;

    if (team->barrier != NULL || gasnet_barrier_is_open(gr))
        gasnet_fail(gr, "between notify and wait of a barrier: expected the wait before");
    check_flags(gr, kind, p->flags, waits);
    if (kind->folds)
        p->bytes = p->elem_bytes * p->elem_count;
    call = call_of(gr, team, kind, p);
    op = coll_op_create(gr, team);
    if (kind->folds)
        set_function(gr, op, p);
    if ((p->flags & GASNET_COLL_IN_ALLSYNC) != 0)
        coll_add_meeting(gr, op, TAG_IN);
    kind->plan(gr, op, &call);
    if ((p->flags & GASNET_COLL_OUT_ALLSYNC) != 0)
        coll_add_meeting(gr, op, TAG_OUT);
    op->before = team->aggregate;
    team->aggregate = (p->flags & GASNET_COLL_AGGREGATE) != 0 ? op : NULL;
    return op;
}

static void block(const char *name, const void *from, const struct coll_kind *kind, struct params p)
{
    struct gasnet_visit v = gasnet_enter(name, from, GASNET_NEEDS_OUTSIDE);
    struct coll_op *op = op_of(v.gr, kind, &p, true);

    coll_op_begin(v.gr, op);
    coll_complete(v.gr, op);
    gasnet_leave(&v);
}

static gasnet_coll_handle_t start(const char *name, const void *from, const struct coll_kind *kind,
                                  struct params p)
{
    struct gasnet_visit v = gasnet_enter(name, from, GASNET_NEEDS_OUTSIDE);
    struct coll_op *op = op_of(v.gr, kind, &p, false);
    gasnet_coll_handle_t handle = GASNET_COLL_INVALID_HANDLE;

    if ((p.flags & GASNET_COLL_AGGREGATE) == 0)
        handle = coll_handle(op);
    coll_op_begin(v.gr, op);
    gasnet_take(v.gr);
    gasnet_leave(&v);
    return handle;
}

/* ---- the functions ---- */

#define ALL .team = team, .flags = flags
#define SUMS                                                                                       \
    .elem_bytes = elem_size, .elem_count = elem_count, .function = func, .function_arg = func_arg, \
    .src_block = src_blksz, .src_offset = src_offset
#define ONE_DST  .dst = dst
#define ONE_SRC  .src = src
#define LIST_DST .dsts = dstlist
#define LIST_SRC .srcs = srclist

/* What the parameters of each are in struct params: of the form with one address, and with lists */
#define ONE_broadcast    ONE_DST, ONE_SRC, .root = srcimage, .bytes = nbytes
#define LISTS_broadcast  LIST_DST, ONE_SRC, .root = srcimage, .bytes = nbytes
#define ONE_scatter      ONE_broadcast
#define LISTS_scatter    LISTS_broadcast
#define ONE_gather       ONE_DST, ONE_SRC, .root = dstimage, .bytes = nbytes
#define LISTS_gather     ONE_DST, LIST_SRC, .root = dstimage, .bytes = nbytes
#define ONE_gather_all   ONE_DST, ONE_SRC, .bytes = nbytes
#define LISTS_gather_all LIST_DST, LIST_SRC, .bytes = nbytes
#define ONE_exchange     ONE_gather_all
#define LISTS_exchange   LISTS_gather_all
#define ONE_reduce       ONE_DST, ONE_SRC, .root = dstimage, SUMS
#define LISTS_reduce     ONE_DST, LIST_SRC, .root = dstimage, SUMS
#define ONE_scan         ONE_DST, ONE_SRC, .dst_block = dst_blksz, .dst_offset = dst_offset, SUMS
#define LISTS_scan       LIST_DST, LIST_SRC, .dst_block = dst_blksz, .dst_offset = dst_offset, SUMS

/* Parameters of these have their own parentheses. NOLINTBEGIN(bugprone-macro-parentheses) */
#define DEFINE_PAIR(kind, suffix, form, parameters)                                                \
    void gasnet_coll_##kind##suffix parameters                                                     \
    {                                                                                              \
        block(__func__, __builtin_return_address(0), &kind,                                        \
              (struct params){ ALL, form##_##kind });                                              \
    }                                                                                              \
    gasnet_coll_handle_t gasnet_coll_##kind##suffix##_nb parameters                                \
    {                                                                                              \
        return start(__func__, __builtin_return_address(0), &kind,                                 \
                     (struct params){ ALL, form##_##kind });                                       \
    }
/* NOLINTEND(bugprone-macro-parentheses) */
#define DEFINE(kind, one, lists)                                                                   \
    DEFINE_PAIR(kind, , ONE, one)                                                                  \
    DEFINE_PAIR(kind, M, LISTS, lists)
GASNETI_COLLECTIVES(DEFINE)
