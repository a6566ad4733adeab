/* One-sided operations at their origin. */
#include <stdlib.h>
#include <string.h>

#include "hosts/mpi/op.h"
#include "hosts/mpi/win.h"

static void part_over(struct mpi_win_op *op)
{
    struct mpi_win *win = op->win;

    if (--op->pending > 0)
        return;
    *op->at = op->next;
    if (op->next != NULL)
        op->next->at = op->at;
    op->next = win->ended;
    win->ended = op;
    win->mr->windows_ready = true;
}

static void part_ended(struct mpi_rank *mr, struct mpi_request *rq)
{
    (void)mr;
    part_over(rq->owner);
}

static int start(struct mpi_win_op *op, struct mpi_request *rq, bool receives, const void *at,
                 uint64_t count, struct mpi_type *type, int tag)
{
    struct mpi_win *win = op->win;

    *rq = (struct mpi_request){ .receives = receives,
                                .comm = win->comm,
                                .type = type,
                                .out = at,
                                .in = (void *)(uintptr_t)at,
                                .count = count,
                                .peer = op->target,
                                .tag = tag,
                                .context = win->comm->context,
                                .ended = part_ended,
                                .owner = op };
    op->pending++;
    return mpi_start(win->mr, rq);
}

static struct mpi_win_op *op_new(struct mpi_win *win, int target)
{
    struct mpi_win_op *op = win->spare_ops;

    if (op != NULL) {
        win->spare_ops = op->next;
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
    op->next = win->ops;
    op->at = &win->ops;
    if (op->next != NULL)
        op->next->at = &op->next;
    win->ops = op;
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
    while (win->ended != NULL) {
        struct mpi_win_op *op = win->ended;

        win->ended = op->next;
        win->peers[op->target].pending--;
        win->expects -= op->expects;
        if (op->handle != NULL)
            mpi_ended(win->mr, op->handle);
        op_drop_types(op);
        op->next = win->spare_ops;
        win->spare_ops = op;
    }
}

static void ops_free(struct mpi_win_op *op, bool types)
{
    while (op != NULL) {
        struct mpi_win_op *next = op->next;

        if (types)
            op_drop_types(op);
        mpi_block_free(op->more);
        mpi_block_free(op);
        op = next;
    }
}

void mpi_win_drop_ops(struct mpi_win *win)
{
    ops_free(win->ops, true);
    ops_free(win->ended, true);
    ops_free(win->spare_ops, false);
}

/* A header and what is in it; no more parts come before op_begun. */
static int start_head(struct mpi_win_op *op, const struct mpi_win_head *head)
{
    memcpy(op->message, head, sizeof(*head));
    op->win->peers[op->target].told++;
    return start(op, &op->head, false, op->message, sizeof(*head) + head->inside,
                 &op->win->mr->basic[0], MPI_WIN_HEAD);
}

int mpi_win_tell(struct mpi_win *win, int target, enum mpi_win_kind kind, uint64_t count, bool asks)
{
    struct mpi_win_head head = { .kind = (uint32_t)kind, .op = asks, .count = count };
    struct mpi_win_op *op;
    int code;

    if (target == win->comm->rank) {
        mpi_win_told(win, target, &head);
        return MPI_SUCCESS;
    }
    op = op_new(win, target);
    code = start_head(op, &head);
    part_over(op);
    return code;
}

/** What an MPI_ function was called with. */
struct call {
    enum mpi_win_kind kind;
    const void *origin;
    int origin_count;
    MPI_Datatype origin_type;
    void *result;
    int result_count;
    MPI_Datatype result_type;
    int target;
    MPI_Aint disp;
    int target_count;
    MPI_Datatype target_type;
    MPI_Op op;
    const void *compare;
    bool wants_request;
    MPI_Request *request;
};

/** With what its arguments stand for. */
struct checked {
    struct mpi_type *origin, *result, *target;
    int64_t at; /* bytes */
    uint64_t bytes;
};

static int check_target(struct mpi_win *win, const struct call *a, struct checked *k)
{
    struct mpi_rank *mr = win->mr;
    const struct mpi_win_peer *peer = &win->peers[a->target];
    int64_t low, high, unit = win->flavor == MPI_WIN_FLAVOR_DYNAMIC ? 1 : peer->disp_unit;

    if (a->disp < 0)
        return mpi_fail(mr, MPI_ERR_DISP, "target_disp = %ld: expected 0 or more", a->disp);
    if (a->disp > INT64_MAX / 2 / unit)
        return mpi_fail(mr, MPI_ERR_DISP, "target_disp = %ld: beyond any window", a->disp);
    k->at = a->disp * unit;
    if (win->flavor == MPI_WIN_FLAVOR_DYNAMIC || k->bytes == 0)
        return MPI_SUCCESS;
    low = k->at + k->target->true_low;
    high = low + k->target->true_extent + (a->target_count - 1) * k->target->extent;
    if (low < 0 || high > peer->size)
        return mpi_fail(mr, MPI_ERR_RMA_RANGE, "bytes %lld to %lld of rank %d's window of %ld",
                        (long long)low, (long long)high, a->target, peer->size);
    return MPI_SUCCESS;
}

/* Integers, logicals and bytes (MPI 3.1, 11.3.4). MPI_CHAR is taken for an integer, as in C. */
static int check_swap(struct mpi_win *win, const struct mpi_type *t)
{
    const struct mpi_basic *b = t->basic;

    if (t->contents == NULL && b != NULL &&
        (b->kind == MPI_NUMBER_SIGNED || b->kind == MPI_NUMBER_UNSIGNED ||
         b->kind == MPI_NUMBER_LOGICAL || b->kind == MPI_NUMBER_BYTE ||
         b->kind == MPI_NUMBER_CHARACTER))
        return MPI_SUCCESS;
    return mpi_fail(win->mr, MPI_ERR_TYPE, "datatype: expected a predefined integer or logical");
}

static int check_op(struct mpi_win *win, const struct call *a, const struct checked *k)
{
    const struct mpi_op *op = mpi_op_of(win->mr, a->op);

    if (a->kind == MPI_WIN_SWAP)
        return check_swap(win, k->target);
    if (a->kind == MPI_WIN_PUT || a->kind == MPI_WIN_GET)
        return MPI_SUCCESS;
    if (op == NULL || op->fn != NULL)
        return mpi_fail(win->mr, MPI_ERR_OP, "op = %d: expected a predefined one", a->op);
    if (k->target->bytes == 0) /* nothing is combined */
        return MPI_SUCCESS;
    if (k->target->basic == NULL)
        return mpi_fail(win->mr, MPI_ERR_TYPE, "target_datatype: of more than one type");
    if (a->op == MPI_REPLACE || a->op == MPI_NO_OP)
        return MPI_SUCCESS;
    return mpi_op_check(win->mr, op, k->target->basic->handle);
}

static int check(struct mpi_win *win, const struct call *a, struct checked *k)
{
    struct mpi_rank *mr = win->mr;
    const struct mpi_win_peer *peer;
    bool gives = a->kind != MPI_WIN_GET && a->op != MPI_NO_OP;
    int code = MPI_SUCCESS;

    if (a->target < 0 || a->target >= win->comm->size)
        return mpi_fail(mr, MPI_ERR_RANK, "target_rank = %d: expected 0 .. %d", a->target,
                        win->comm->size - 1);
    peer = &win->peers[a->target];
    if (!win->fenced && !peer->started && !peer->locked && !win->locked_all)
        return mpi_fail(mr, MPI_ERR_RMA_SYNC, "target_rank = %d: no epoch", a->target);
    code = mpi_check_data(mr, "", a->target_count, a->target_type, &k->target);
    if (code == MPI_SUCCESS && gives)
        code = mpi_check_data(mr, a->origin, a->origin_count, a->origin_type, &k->origin);
    if (code == MPI_SUCCESS && a->result_type != MPI_DATATYPE_NULL)
        code = mpi_check_data(mr, a->result, a->result_count, a->result_type, &k->result);
    if (code != MPI_SUCCESS)
        return code;
    k->bytes = (uint64_t)a->target_count * k->target->bytes;
    if ((gives && (uint64_t)a->origin_count * k->origin->bytes != k->bytes) ||
        (k->result != NULL && (uint64_t)a->result_count * k->result->bytes < k->bytes))
        return mpi_fail(mr, MPI_ERR_COUNT, "unlike amounts of data at origin and target");
    code = check_target(win, a, k);
    return code == MPI_SUCCESS ? check_op(win, a, k) : code;
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

/* Runs and data go behind the header as far as they fit, the runs first. */
static uint32_t fill(struct mpi_win_op *op, const struct call *a, const struct checked *k,
                     struct mpi_win_head *head)
{
    uint32_t room = MPI_WIN_MESSAGE - sizeof(*head), runs;
    uint64_t data = k->origin == NULL ? 0 : k->bytes * (a->kind == MPI_WIN_SWAP ? 2 : 1);
    uint8_t *behind = op->message + sizeof(*head);

    if (head->nruns > room / sizeof(*op->more))
        return 0;
    runs = head->nruns * (uint32_t)sizeof(*op->more);
    memcpy(behind, op->more, runs);
    if (data == 0 || data > room - runs)
        return runs;
    mpi_type_pack(k->origin, a->origin, (uint64_t)a->origin_count, behind + runs);
    if (a->kind == MPI_WIN_SWAP)
        memcpy(behind + runs + k->bytes, a->compare, k->bytes);
    mpi_spend_copy(op->win->mr, data);
    return runs + (uint32_t)data;
}

static void hold(struct mpi_win_op *op, const struct checked *k)
{
    op->origin = k->origin;
    op->result = k->result;
    if (op->origin != NULL)
        op->origin->holders++;
    if (op->result != NULL)
        op->result->holders++;
}

static void send_parts(struct mpi_win_op *op, const struct call *a, const struct checked *k,
                       struct mpi_win_head *head)
{
    struct mpi_type *bytes = &op->win->mr->basic[0];
    uint64_t runs = head->nruns * sizeof(*op->more);
    int tag = mpi_win_tag(head->number, false);

    if (k->result != NULL)
        (void)start(op, &op->reply, true, a->result, k->bytes / k->result->bytes, k->result,
                    mpi_win_tag(head->number, true));
    head->inside = fill(op, a, k, head);
    (void)start_head(op, head);
    if (head->inside < runs)
        (void)start(op, &op->runs, false, op->more, runs, bytes, tag);
    if (k->origin != NULL && head->inside <= runs)
        (void)start(op, &op->data, false, a->origin, (uint64_t)a->origin_count, k->origin, tag);
}

static struct mpi_win_head head_of(const struct call *a, const struct checked *k)
{
    return (struct mpi_win_head){ .kind = (uint32_t)a->kind,
                                  .op = a->op,
                                  .basic = k->target->basic != NULL ? k->target->basic->handle
                                                                    : MPI_BYTE,
                                  .at = k->at,
                                  .bytes = k->bytes };
}

static void issue(struct mpi_win *win, const struct call *a, const struct checked *k,
                  struct mpi_request *handle)
{
    struct mpi_win_peer *peer = &win->peers[a->target];
    struct mpi_win_head head = head_of(a, k);
    struct mpi_win_op *op;
    struct runs runs = { NULL, 0 };

    if (peer->due != 0) {
        (void)mpi_win_tell(win, a->target, MPI_WIN_LOCK, (uint64_t)peer->due, false);
        peer->due = 0;
        peer->asked = true;
    }
    op = op_new(win, a->target);
    op->handle = handle;
    hold(op, k);
    peer->issued++;
    peer->unsure += k->result == NULL;
    runs.op = op;
    mpi_type_walk(k->target, 0, k->bytes, add_run, &runs);
    head.number = win->numbers++;
    head.nruns = runs.n;
    op->expects = k->result != NULL ? k->bytes : 0;
    win->expects += op->expects;
    send_parts(op, a, k, &head);
    part_over(op);
}

/* Results that have come, and that nobody takes in, need memory. */
static bool few_expected(struct mpi_win *win, int rank)
{
    (void)rank;
    return win->expects <= MPI_WIN_RESULTS;
}

/* ---- in the rank's own memory ---- */

static void accumulate_own(struct mpi_win *win, const struct call *a, const struct checked *k,
                           char *at)
{
    struct mpi_win_in in = { .win = win,
                             .source = a->target,
                             .head = head_of(a, k),
                             .type = k->target,
                             .count = (uint64_t)a->target_count,
                             .at = at };
    uint64_t room = k->bytes * (a->kind == MPI_WIN_SWAP ? 2 : 1);

    in.data = room <= sizeof(in.small) ? in.small : mpi_block_new(win->mr, room);
    if (k->origin != NULL)
        mpi_type_pack(k->origin, a->origin, (uint64_t)a->origin_count, in.data);
    if (a->kind == MPI_WIN_SWAP)
        memcpy(in.data + k->bytes, a->compare, k->bytes);
    mpi_win_accumulate(&in);
    if (k->result != NULL)
        mpi_type_unpack(k->result, a->result, in.data, k->bytes);
    if (in.data != in.small)
        mpi_block_free(in.data);
}

static void issue_own(struct mpi_win *win, const struct call *a, const struct checked *k)
{
    struct mpi_rank *mr = win->mr;
    char *at = win->flavor == MPI_WIN_FLAVOR_DYNAMIC ? (char *)(uintptr_t)k->at
                                                     : win->peers[a->target].base + k->at;

    if (a->kind == MPI_WIN_PUT)
        (void)mpi_type_copy(mr, k->origin, a->origin, (uint64_t)a->origin_count, k->target, at,
                            (uint64_t)a->target_count);
    else if (a->kind == MPI_WIN_GET)
        (void)mpi_type_copy(mr, k->target, at, (uint64_t)a->target_count, k->result, a->result,
                            k->bytes / k->result->bytes);
    else
        accumulate_own(win, a, k, at);
    mpi_spend_copy(mr, k->bytes);
}

static int run(struct mpi_rank *mr, struct mpi_win *win, const struct call *a)
{
    struct checked k = { 0 };
    struct mpi_request *handle = NULL;
    int code = MPI_SUCCESS;

    host_spend_cost(mr->host, HOST_COST_CALL);
    if (a->target != MPI_PROC_NULL)
        code = check(win, a, &k);
    if (code == MPI_SUCCESS && a->wants_request) {
        struct mpi_request rq = { .active = true, /* the rest is for reports */
                                  .receives = true,
                                  .comm = win->comm,
                                  .type = &mr->basic[0],
                                  .peer = a->target,
                                  .context = win->comm->context };

        rq.status = mpi_status(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_SUCCESS, 0);
        code = mpi_request_add(mr, &rq, a->request);
        handle = code == MPI_SUCCESS ? mpi_request_of(mr, *a->request) : NULL;
    }
    if (code != MPI_SUCCESS)
        return code;
    if (a->target != MPI_PROC_NULL && k.bytes > 0) {
        if (a->target != win->comm->rank) {
            issue(win, a, &k, handle);
            return few_expected(win, 0) ? code : mpi_win_wait(win, few_expected, 0);
        }
        issue_own(win, a, &k);
    }
    if (handle != NULL)
        mpi_ended(mr, handle);
    return code;
}

static int rma(const char *name, MPI_Win win, const struct call *a)
{
    struct mpi_rank *mr = mpi_self();
    struct mpi_win *w = NULL;
    int code = mpi_win_get(mr, win, &w);

    return mpi_win_end(mr, w, name, code == MPI_SUCCESS ? run(mr, w, a) : code);
}

/* Arguments that most of the functions below share. */
#define ORIGIN .origin = origin, .origin_count = origin_count, .origin_type = origin_type
#define RESULT .result = result, .result_count = result_count, .result_type = result_type
#define TARGET                                                                                     \
    .target = target, .disp = disp, .target_count = target_count, .target_type = target_type

int MPI_Put(const void *origin, int origin_count, MPI_Datatype origin_type, int target,
            MPI_Aint disp, int target_count, MPI_Datatype target_type, MPI_Win win)
{
    struct call a = { .kind = MPI_WIN_PUT, ORIGIN, TARGET };

    return rma(__func__, win, &a);
}

int MPI_Rput(const void *origin, int origin_count, MPI_Datatype origin_type, int target,
             MPI_Aint disp, int target_count, MPI_Datatype target_type, MPI_Win win,
             MPI_Request *request)
{
    struct call a = {
        .kind = MPI_WIN_PUT, ORIGIN, TARGET, .wants_request = true, .request = request
    };

    return rma(__func__, win, &a);
}

int MPI_Get(void *origin, int origin_count, MPI_Datatype origin_type, int target, MPI_Aint disp,
            int target_count, MPI_Datatype target_type, MPI_Win win)
{
    struct call a = { .kind = MPI_WIN_GET,
                      TARGET,
                      .result = origin,
                      .result_count = origin_count,
                      .result_type = origin_type };

    return rma(__func__, win, &a);
}

int MPI_Rget(void *origin, int origin_count, MPI_Datatype origin_type, int target, MPI_Aint disp,
             int target_count, MPI_Datatype target_type, MPI_Win win, MPI_Request *request)
{
    struct call a = { .kind = MPI_WIN_GET,
                      TARGET,
                      .result = origin,
                      .result_count = origin_count,
                      .result_type = origin_type,
                      .wants_request = true,
                      .request = request };

    return rma(__func__, win, &a);
}

int MPI_Accumulate(const void *origin, int origin_count, MPI_Datatype origin_type, int target,
                   MPI_Aint disp, int target_count, MPI_Datatype target_type, MPI_Op op,
                   MPI_Win win)
{
    struct call a = { .kind = MPI_WIN_ACCUMULATE, ORIGIN, TARGET, .op = op };

    return op == MPI_NO_OP ? MPI_SUCCESS : rma(__func__, win, &a);
}

int MPI_Raccumulate(const void *origin, int origin_count, MPI_Datatype origin_type, int target,
                    MPI_Aint disp, int target_count, MPI_Datatype target_type, MPI_Op op,
                    MPI_Win win, MPI_Request *request)
{
    struct call a = { .kind = MPI_WIN_ACCUMULATE,
                      ORIGIN,
                      TARGET,
                      .op = op,
                      .wants_request = true,
                      .request = request };

    return rma(__func__, win, &a);
}

int MPI_Get_accumulate(const void *origin, int origin_count, MPI_Datatype origin_type, void *result,
                       int result_count, MPI_Datatype result_type, int target, MPI_Aint disp,
                       int target_count, MPI_Datatype target_type, MPI_Op op, MPI_Win win)
{
    struct call a = { .kind = MPI_WIN_GET_ACCUMULATE, ORIGIN, RESULT, TARGET, .op = op };

    return rma(__func__, win, &a);
}

int MPI_Rget_accumulate(const void *origin, int origin_count, MPI_Datatype origin_type,
                        void *result, int result_count, MPI_Datatype result_type, int target,
                        MPI_Aint disp, int target_count, MPI_Datatype target_type, MPI_Op op,
                        MPI_Win win, MPI_Request *request)
{
    struct call a = { .kind = MPI_WIN_GET_ACCUMULATE,
                      ORIGIN,
                      RESULT,
                      TARGET,
                      .op = op,
                      .wants_request = true,
                      .request = request };

    return rma(__func__, win, &a);
}

int MPI_Fetch_and_op(const void *origin, void *result, MPI_Datatype type, int target, MPI_Aint disp,
                     MPI_Op op, MPI_Win win)
{
    struct call a = { .kind = MPI_WIN_GET_ACCUMULATE,
                      .origin = origin,
                      .origin_count = 1,
                      .origin_type = type,
                      .result = result,
                      .result_count = 1,
                      .result_type = type,
                      .target = target,
                      .disp = disp,
                      .target_count = 1,
                      .target_type = type,
                      .op = op };

    return rma(__func__, win, &a);
}

int MPI_Compare_and_swap(const void *origin, const void *compare, void *result, MPI_Datatype type,
                         int target, MPI_Aint disp, MPI_Win win)
{
    struct call a = { .kind = MPI_WIN_SWAP,
                      .origin = origin,
                      .origin_count = 1,
                      .origin_type = type,
                      .result = result,
                      .result_count = 1,
                      .result_type = type,
                      .target = target,
                      .disp = disp,
                      .target_count = 1,
                      .target_type = type,
                      .compare = compare };

    return rma(__func__, win, &a);
}
