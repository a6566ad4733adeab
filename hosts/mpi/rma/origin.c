/* One-sided operations at their origin: the messages that they are made of. */
#include <string.h>

#include "hosts/mpi/rma/rma.h"

static void part_over(struct mpi_win_op *op)
{
    struct mpi_win *win = op->win;

    if (--op->pending > 0)
        return;
    LIST_REMOVE(op, in_list);
    LIST_INSERT_HEAD(&win->ended, op, in_list);
    win->mr->follows[MPI_FOLLOWS_WINDOWS].due = true;
}

static void part_ended(struct mpi_rank *mr, struct mpi_request *rq)
{
    (void)mr;
    part_over(rq->owner);
}

static void start_part(struct mpi_win_op *op, struct mpi_request *rq, bool receives, const void *at,
                       uint64_t count, struct mpi_type *type, int tag)
{
    *rq = (struct mpi_request){ .receives = receives,
                                .type = type,
                                .out = at,
                                .count = count,
                                .peer = op->target,
                                .tag = tag,
                                .ended = part_ended,
                                .owner = op };
    op->pending++;
    mpi_win_start(op->win, rq);
}

static struct mpi_win_op *op_new(struct mpi_win *win, int target)
{
    struct mpi_win_op *op = LIST_FIRST(&win->spare_ops);

    if (op != NULL) {
        LIST_REMOVE(op, in_list);
    } else {
        op = mpi_block_new(win->mr, sizeof(*op));
        op->more = NULL;
        op->room = 0;
    }
    op->win = win;
    op->target = target;
    op->handle = NULL;
    op->origin = op->result = NULL;
    op->expects = 0;
    op->pending = 1; /* until all parts have begun */
    LIST_INSERT_HEAD(&win->ops, op, in_list);
    win->peers[target].pending++;
    return op;
}

static void op_drop_types(struct mpi_win_op *op)
{
    if (op->origin != NULL)
        mpi_type_put(op->origin);
    if (op->result != NULL)
        mpi_type_put(op->result);
}

void mpi_win_collect(struct mpi_win *win)
{
    struct mpi_win_op *op;

    while ((op = LIST_FIRST(&win->ended)) != NULL) {
        LIST_REMOVE(op, in_list);
        win->peers[op->target].pending--;
        win->expects -= op->expects;
        if (op->handle != NULL)
            mpi_ended(win->mr, op->handle);
        op_drop_types(op);
        LIST_INSERT_HEAD(&win->spare_ops, op, in_list);
    }
}

static void ops_free(struct mpi_win_ops *ops, bool types)
{
    struct mpi_win_op *op;

    while ((op = LIST_FIRST(ops)) != NULL) {
        LIST_REMOVE(op, in_list);
        if (types)
            op_drop_types(op);
        mpi_block_free(op->more);
        mpi_block_free(op);
    }
}

void mpi_win_drop_ops(struct mpi_win *win)
{
    ops_free(&win->ops, true);
    ops_free(&win->ended, true);
    ops_free(&win->spare_ops, false);
}

/* A header and what is in it; no more parts come before op_begun. */
static void start_head(struct mpi_win_op *op, const struct mpi_win_head *head)
{
    memcpy(op->message, head, sizeof(*head));
    op->win->peers[op->target].headers++;
    start_part(op, &op->head, false, op->message, sizeof(*head) + head->inside,
               &op->win->mr->basic[0], MPI_WIN_HEAD);
}

void mpi_win_announce(struct mpi_win *win, int target, enum mpi_win_kind kind, uint64_t count,
                      bool asks)
{
    struct mpi_win_head head = { .kind = (uint32_t)kind, .op = asks, .count = count };
    struct mpi_win_op *op;

    if (target == win->comm->rank) {
        mpi_win_announced(win, target, &head);
        return;
    }
    op = op_new(win, target);
    start_head(op, &head);
    part_over(op);
}

/* ---- the header ---- */

struct runs {
    struct mpi_win_op *op;
    uint32_t n;
};

static void add_run(void *arg, int64_t offset, int64_t stride, uint64_t n, uint64_t bytes)
{
    struct runs *r = arg;
    struct mpi_win_op *op = r->op;

    if (r->n == op->room) {
        struct mpi_win_run *more;

        op->room = 2 * op->room + 2;
        more = mpi_block_new(op->win->mr, op->room * sizeof(*more));
        if (r->n > 0)
            memcpy(more, op->more, r->n * sizeof(*more));
        mpi_block_free(op->more);
        op->more = more;
    }
    op->more[r->n++] = (struct mpi_win_run){ offset, stride, n, bytes };
}

/* Runs and data go behind the header as far as they fit, the runs first. Data of a GPU the
 * transport takes better than a core does. */
static uint32_t fill_message(struct mpi_win_op *op, const struct mpi_rma_call *a,
                             struct mpi_win_head *head)
{
    uint32_t room = MPI_WIN_MESSAGE - sizeof(*head), runs;
    uint64_t data = a->origin_layout == NULL ? 0 : mpi_win_data_bytes(head);
    uint8_t *behind = op->message + sizeof(*head);

    if (head->nruns > room / sizeof(*op->more))
        return 0;
    runs = head->nruns * (uint32_t)sizeof(*op->more);
    memcpy(behind, op->more, runs);
    if (data == 0 || data > room - runs ||
        (a->kind != MPI_WIN_SWAP && mpi_on_device(op->win->mr, a->origin)))
        return runs;
    mpi_spend_between(op->win->mr, behind + runs, a->origin, data, false);
    mpi_type_pack(a->origin_layout, a->origin, (uint64_t)a->origin_count, behind + runs);
    if (a->kind == MPI_WIN_SWAP)
        memcpy(behind + runs + a->bytes, a->compare, a->bytes);
    return runs + (uint32_t)data;
}

static void hold_types(struct mpi_win_op *op, const struct mpi_rma_call *a)
{
    op->origin = a->origin_layout;
    op->result = a->result_layout;
    if (op->origin != NULL)
        op->origin->holders++;
    if (op->result != NULL)
        op->result->holders++;
}

static void send_parts(struct mpi_win_op *op, const struct mpi_rma_call *a,
                       struct mpi_win_head *head)
{
    struct mpi_type *bytes = &op->win->mr->basic[0];
    uint64_t runs = head->nruns * sizeof(*op->more);
    int tag = mpi_win_tag(head->number, false);

    if (a->result_layout != NULL)
        start_part(op, &op->reply, true, a->result, a->bytes / a->result_layout->bytes,
                   a->result_layout, mpi_win_tag(head->number, true));
    head->inside = fill_message(op, a, head);
    start_head(op, head);
    if (head->inside < runs)
        start_part(op, &op->runs, false, op->more, runs, bytes, tag);
    if (a->origin_layout != NULL && head->inside <= runs)
        start_part(op, &op->data, false, a->origin, (uint64_t)a->origin_count, a->origin_layout,
                   tag);
}

static struct mpi_win_head head_of(const struct mpi_rma_call *a)
{
    return (struct mpi_win_head){ .kind = (uint32_t)a->kind,
                                  .op = a->op,
                                  .basic = a->target_layout->basic != NULL
                                               ? a->target_layout->basic->handle
                                               : MPI_BYTE,
                                  .at = a->at,
                                  .bytes = a->bytes };
}

void mpi_rma_begin(struct mpi_win *win, const struct mpi_rma_call *a, struct mpi_request *handle)
{
    struct mpi_win_peer *peer = &win->peers[a->target];
    struct mpi_win_head head = head_of(a);
    struct mpi_win_op *op;
    struct runs runs = { NULL, 0 };

    if (peer->due != 0) {
        mpi_win_announce(win, a->target, MPI_WIN_LOCK, (uint64_t)peer->due, false);
        peer->due = 0;
        peer->asked = true;
    }
    op = op_new(win, a->target);
    op->handle = handle;
    hold_types(op, a);
    peer->issued++;
    peer->unsure += a->result_layout == NULL;
    runs.op = op;
    mpi_type_walk(a->target_layout, 0, a->bytes, add_run, &runs);
    head.number = win->numbers++;
    head.nruns = runs.n;
    op->expects = a->result_layout != NULL ? a->bytes : 0;
    win->expects += op->expects;
    send_parts(op, a, &head);
    part_over(op);
}

/* ---- in the rank's own memory ---- */

static void accumulate_own(struct mpi_win *win, const struct mpi_rma_call *a, char *at)
{
    struct mpi_win_in in = { .win = win,
                             .source = a->target,
                             .head = head_of(a),
                             .type = a->target_layout,
                             .count = (uint64_t)a->target_count,
                             .at = at };

    mpi_win_data_new(&in);
    if (a->origin_layout != NULL)
        mpi_type_pack(a->origin_layout, a->origin, (uint64_t)a->origin_count, in.data);
    if (a->kind == MPI_WIN_SWAP)
        memcpy(in.data + a->bytes, a->compare, a->bytes);
    mpi_win_accumulate(&in);
    if (a->result_layout != NULL)
        mpi_type_unpack(a->result_layout, a->result, in.data, a->bytes);
    if (in.data != in.small)
        mpi_block_free(in.data);
}

void mpi_rma_own(struct mpi_win *win, const struct mpi_rma_call *a)
{
    struct mpi_rank *mr = win->mr;
    char *at = win->flavor == MPI_WIN_FLAVOR_DYNAMIC ? (char *)(uintptr_t)a->at
                                                     : win->peers[a->target].base + a->at;

    if (a->kind == MPI_WIN_PUT)
        (void)mpi_type_copy(a->origin_layout, a->origin, (uint64_t)a->origin_count,
                            a->target_layout, at, (uint64_t)a->target_count);
    else if (a->kind == MPI_WIN_GET)
        (void)mpi_type_copy(a->target_layout, at, (uint64_t)a->target_count, a->result_layout,
                            a->result, a->bytes / a->result_layout->bytes);
    else
        accumulate_own(win, a, at);
    mpi_spend_copy(mr, a->bytes);
}
