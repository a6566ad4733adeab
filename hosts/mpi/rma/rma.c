/* One-sided operations, as programs call them. */
#include "hosts/mpi/rma/rma.h"

static int check_target(struct mpi_win *win, struct mpi_rma_call *a)
{
    struct mpi_rank *mr = win->mr;
    const struct mpi_win_peer *peer = &win->peers[a->target];
    int64_t low, high, unit = win->flavor == MPI_WIN_FLAVOR_DYNAMIC ? 1 : peer->disp_unit;

    if (a->disp < 0)
        return mpi_fail(mr, MPI_ERR_DISP, "target_disp = %ld: expected 0 or more", a->disp);
    if (a->disp > INT64_MAX / 2 / unit)
        return mpi_fail(mr, MPI_ERR_DISP, "target_disp = %ld: beyond any window", a->disp);
    a->at = a->disp * unit;
    if (win->flavor == MPI_WIN_FLAVOR_DYNAMIC || a->bytes == 0)
        return MPI_SUCCESS;
    low = a->at + a->target_layout->true_low;
    high = low + a->target_layout->true_extent + (a->target_count - 1) * a->target_layout->extent;
    if (low < 0 || high > peer->size)
        return mpi_fail(mr, MPI_ERR_RMA_RANGE,
                        "bytes %lld to %lld of rank %d's window, which has %ld", (long long)low,
                        (long long)high - 1, a->target, peer->size);
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

static int check_op(struct mpi_win *win, const struct mpi_rma_call *a)
{
    const struct mpi_op *op = mpi_op_of(win->mr, a->op);

    if (a->kind == MPI_WIN_SWAP)
        return check_swap(win, a->target_layout);
    if (a->kind == MPI_WIN_PUT || a->kind == MPI_WIN_GET)
        return MPI_SUCCESS;
    if (op == NULL || op->fn != NULL)
        return mpi_fail(win->mr, MPI_ERR_OP, "op = %d: expected a predefined one", a->op);
    if (a->target_layout->bytes == 0) /* nothing is combined */
        return MPI_SUCCESS;
    if (a->target_layout->basic == NULL)
        return mpi_fail(win->mr, MPI_ERR_TYPE, "target_datatype: of more than one type");
    if (a->op == MPI_REPLACE || a->op == MPI_NO_OP)
        return MPI_SUCCESS;
    return mpi_op_check(win->mr, op, a->target_layout->basic->handle);
}

static int check_operation(struct mpi_win *win, struct mpi_rma_call *a)
{
    struct mpi_rank *mr = win->mr;
    const struct mpi_win_peer *peer;
    bool gives = a->kind != MPI_WIN_GET && a->op != MPI_NO_OP;
    bool gets = a->kind != MPI_WIN_PUT && a->kind != MPI_WIN_ACCUMULATE;
    int code = MPI_SUCCESS;

    if (a->target < 0 || a->target >= win->comm->size)
        return mpi_fail(mr, MPI_ERR_RANK, "target_rank = %d: expected 0 .. %d", a->target,
                        win->comm->size - 1);
    peer = &win->peers[a->target];
    if (!win->fenced && !peer->started && !peer->locked && !win->locked_all)
        return mpi_fail(mr, MPI_ERR_RMA_SYNC,
                        "target_rank = %d: no epoch: expected MPI_Win_fence, MPI_Win_start or "
                        "MPI_Win_lock before",
                        a->target);
    code = mpi_check_data(mr, "", a->target_count, a->target_type, &a->target_layout);
    if (code == MPI_SUCCESS && gives)
        code = mpi_check_data(mr, a->origin, a->origin_count, a->origin_type, &a->origin_layout);
    if (code == MPI_SUCCESS && gets)
        code = mpi_check_data(mr, a->result, a->result_count, a->result_type, &a->result_layout);
    if (code != MPI_SUCCESS)
        return code;
    a->bytes = (uint64_t)a->target_count * a->target_layout->bytes;
    if ((gives && (uint64_t)a->origin_count * a->origin_layout->bytes != a->bytes) ||
        (a->result_layout != NULL &&
         (uint64_t)a->result_count * a->result_layout->bytes < a->bytes))
        return mpi_fail(mr, MPI_ERR_COUNT, "unlike amounts of data at origin and target");
    code = check_target(win, a);
    return code == MPI_SUCCESS ? check_op(win, a) : code;
}

/* Results that have come, and that no call takes in, need memory. */
static bool few_expected(const struct mpi_win *win, int rank)
{
    (void)rank;
    return win->expects <= MPI_WIN_RESULTS;
}

/* What the calls that have fewer arguments leave out. */
static struct mpi_rma_call whole_call(const struct mpi_rma_call *given)
{
    struct mpi_rma_call a = *given;

    if (a.kind == MPI_WIN_GET) {
        a.result = (void *)(uintptr_t)a.origin;
        a.result_count = a.origin_count;
        a.result_type = a.origin_type;
    } else if (a.type != MPI_DATATYPE_NULL) {
        a.origin_count = a.result_count = a.target_count = 1;
        a.origin_type = a.result_type = a.target_type = a.type;
    }
    return a;
}

int mpi_do_rma(struct mpi_win *win, const struct mpi_rma_call *given)
{
    struct mpi_rma_call call = whole_call(given), *a = &call;
    struct mpi_rank *mr = win->mr;
    struct mpi_request *handle = NULL;
    int code = MPI_SUCCESS;

    if (a->kind == MPI_WIN_ACCUMULATE && a->op == MPI_NO_OP && a->request == NULL)
        return code;
    host_spend_cost(mr->host, HOST_COST_CALL);
    if (a->target != MPI_PROC_NULL)
        code = check_operation(win, a);
    if (code == MPI_SUCCESS && a->request != NULL) {
        struct mpi_request rq = { .active = true, /* the rest is for reports */
                                  .receives = true,
                                  .comm = win->comm,
                                  .type = &mr->basic[0],
                                  .peer = a->target,
                                  .context = win->comm->context };

        rq.status = mpi_status(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_SUCCESS, 0);
        handle = mpi_request_add(mr, &rq, a->request);
    }
    if (code != MPI_SUCCESS)
        return code;
    if (a->target != MPI_PROC_NULL && a->bytes > 0) {
        mpi_win_race_begin(win, a, handle);
        if (a->target != win->comm->rank) {
            mpi_rma_begin(win, a, handle);
            if (!few_expected(win, 0))
                mpi_win_wait(win, few_expected, 0);
            return code;
        }
        mpi_rma_own(win, a);
    }
    if (handle != NULL)
        mpi_ended(mr, handle);
    return code;
}
