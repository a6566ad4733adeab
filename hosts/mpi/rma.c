/* One-sided operations at their origin. */
#include <stdlib.h>
#include <string.h>

#include "hosts/mpi/op.h"
#include "hosts/mpi/win.h"

static void part_ended(struct mpi_rank *mr, struct mpi_request *rq)
{
    struct mpi_win_op *op = rq->owner;

    op->pending--;
    mr->windows_ready = true;
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
    struct mpi_win_op *op = mpi_need(win->mr, calloc(1, sizeof(*op)));

    op->win = win;
    op->target = target;
    op->next = win->ops;
    op->pending = 1; /* until all parts have begun */
    win->ops = op;
    win->peers[target].pending++;
    return op;
}

static void op_begun(struct mpi_win_op *op)
{
    op->pending--;
    op->win->mr->windows_ready = true;
}

void mpi_win_op_free(struct mpi_win_op *op)
{
    if (op->origin != NULL)
        mpi_type_put(op->origin);
    if (op->result != NULL)
        mpi_type_put(op->result);
    free(op->more);
    free(op);
}

void mpi_win_collect(struct mpi_win *win)
{
    for (struct mpi_win_op **at = &win->ops; *at != NULL;) {
        struct mpi_win_op *op = *at;

        if (op->pending > 0) {
            at = &op->next;
            continue;
        }
        *at = op->next;
        win->peers[op->target].pending--;
        if (op->handle != NULL)
            mpi_ended(win->mr, op->handle);
        mpi_win_op_free(op);
    }
}

int mpi_win_tell(struct mpi_win *win, int target, enum mpi_win_kind kind, uint64_t count)
{
    struct mpi_win_op *op = op_new(win, target);
    struct mpi_win_head head = { .kind = (uint32_t)kind, .count = count };
    int code;

    memcpy(op->message, &head, sizeof(head));
    code = start(op, &op->head, false, op->message, sizeof(head), &win->mr->basic[0], MPI_WIN_HEAD);
    op_begun(op);
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
    int64_t low, high;

    if (a->disp < 0)
        return mpi_fail(mr, MPI_ERR_DISP, "target_disp = %ld: expected 0 or more", a->disp);
    k->at = win->flavor == MPI_WIN_FLAVOR_DYNAMIC ? a->disp : a->disp * peer->disp_unit;
    if (win->flavor == MPI_WIN_FLAVOR_DYNAMIC || k->bytes == 0)
        return MPI_SUCCESS;
    low = k->at + k->target->true_low;
    high = low + k->target->true_extent + (a->target_count - 1) * k->target->extent;
    if (low < 0 || high > peer->size)
        return mpi_fail(mr, MPI_ERR_RMA_RANGE, "bytes %lld to %lld of a window of %ld",
                        (long long)low, (long long)high, peer->size);
    return MPI_SUCCESS;
}

static int check_op(struct mpi_win *win, const struct call *a, const struct checked *k)
{
    const struct mpi_op *op = mpi_op_of(win->mr, a->op);

    if (a->kind == MPI_WIN_PUT || a->kind == MPI_WIN_GET || a->kind == MPI_WIN_SWAP)
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
    struct mpi_rank *mr;
    struct mpi_win_run *runs;
    uint32_t n, room;
};

static void add_run(void *arg, int64_t offset, int64_t stride, uint64_t n, uint64_t bytes)
{
    struct runs *r = arg;

    if (r->n == r->room) {
        r->room = 2 * r->room + 2;
        r->runs = mpi_need(r->mr, realloc(r->runs, r->room * sizeof(*r->runs)));
    }
    r->runs[r->n++] = (struct mpi_win_run){ offset, stride, n, bytes };
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
    memcpy(op->message, head, sizeof(*head));
    (void)start(op, &op->head, false, op->message, sizeof(*head) + head->inside, bytes,
                MPI_WIN_HEAD);
    if (head->inside < runs)
        (void)start(op, &op->runs, false, op->more, runs, bytes, tag);
    if (k->origin != NULL && head->inside <= runs)
        (void)start(op, &op->data, false, a->origin, (uint64_t)a->origin_count, k->origin, tag);
}

static void issue(struct mpi_win *win, const struct call *a, const struct checked *k,
                  struct mpi_request *handle)
{
    struct mpi_win_op *op = op_new(win, a->target);
    struct runs runs = { win->mr, NULL, 0, 0 };
    struct mpi_win_head head = { .kind = (uint32_t)a->kind,
                                 .number = win->numbers++,
                                 .op = a->op,
                                 .at = k->at,
                                 .bytes = k->bytes };

    op->handle = handle;
    hold(op, k);
    win->peers[a->target].issued++;
    mpi_type_walk(k->target, 0, k->bytes, add_run, &runs);
    op->more = runs.runs;
    head.nruns = runs.n;
    head.basic = k->target->basic != NULL ? k->target->basic->handle : MPI_BYTE;
    send_parts(op, a, k, &head);
    op_begun(op);
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
    if (a->target != MPI_PROC_NULL && k.bytes > 0)
        issue(win, a, &k, handle);
    else if (handle != NULL)
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
