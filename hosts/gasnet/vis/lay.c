#include "hosts/gasnet/vis/lay.h"

#include "hosts/gasnet/extended/extended.h"

/** What lies at one distance from both cursors on. */
struct run {
    struct transport_strides s;
    const uint8_t *from;
};

/* The distance of the first two blocks, and how many follow them so; cursors are copies. */
static bool find_run(struct vis_cursor to, struct vis_cursor from, struct run *run)
{
    const uint8_t *first_to = to.at, *first_from = from.at;
    uint64_t n = to.left < from.left ? to.left : from.left, blocks = 0;

    *run = (struct run){ .from = first_from, .s = { .block = (uint32_t)n } };
    if (n > UINT32_MAX)
        return false;
    do {
        if ((to.left < from.left ? to.left : from.left) != n)
            break;
        if (blocks == 1) {
            run->s.to_step = to.at - first_to;
            run->s.from_step = from.at - first_from;
        }
        if (blocks > 1 && (to.at - first_to != (int64_t)blocks * run->s.to_step ||
                           from.at - first_from != (int64_t)blocks * run->s.from_step))
            break;
        blocks++;
        vis_skip(&to, n);
        vis_skip(&from, n);
    } while (blocks * n < TRANSPORT_BYTES_MAX && vis_more(&to) && vis_more(&from));
    run->s.nblocks = (uint32_t)blocks;
    return blocks > 1;
}

uint64_t vis_lay(struct gasnet_rank *gr, uint32_t op, const struct vis_transfer *t,
                 struct vis_cursor *to, struct vis_cursor *from)
{
    const int32_t number = (int32_t)op;
    struct gasnet_am am = { .category = GASNET_LONG,
                            .is_async = true,
                            .dest = t->node,
                            .handler = GASNET_SYS_PUT,
                            .nargs = 1,
                            .args = &number };
    struct run run;

    if (gr->transport->ops->lays_out == NULL || !find_run(*to, *from, &run))
        return 0;
    am.from = run.from;
    am.to = (uint64_t)(uintptr_t)to->at - gr->peers[t->node].segment;
    am.strides = &run.s;
    am.bytes = (uint64_t)run.s.block * run.s.nblocks;
    while (run.s.nblocks > 1 && !gasnet_lays_out(gr, &am)) {
        run.s.nblocks /= 2;
        am.bytes = (uint64_t)run.s.block * run.s.nblocks;
    }
    if (run.s.nblocks < 2)
        return 0;
    gasnet_op_begin(gr, op);
    gasnet_send(gr, &am);
    for (uint32_t i = 0; i < run.s.nblocks; i++) {
        (void)vis_more(to);
        (void)vis_more(from);
        vis_skip(to, run.s.block);
        vis_skip(from, run.s.block);
    }
    return run.s.nblocks;
}
