#include "hosts/mpi/coll/call.h"

static bool note_code(struct mpi_coll *c, int code)
{
    c->code = code;
    return code == MPI_SUCCESS;
}

int mpi_coll_begin(struct mpi_coll *c, enum mpi_collective kind, MPI_Comm comm)
{
    struct mpi_comm *cm;

    *c = (struct mpi_coll){ .mr = mpi_self(), .kind = kind, .commutes = true };
    cm = mpi_comm_of(c->mr, comm);
    if (cm == NULL)
        return c->code = MPI_ERR_COMM;
    host_spend_cost(c->mr->host, HOST_COST_CALL);
    c->far = cm->remote != NULL ? cm : NULL;
    c->comm = cm->remote != NULL ? cm->local : cm;
    c->rank = cm->rank;
    c->size = cm->size;
    c->s = mpi_schedule_get(c->mr, cm, (int)(cm->collectives & INT32_MAX));
    cm->collectives++;
    return MPI_SUCCESS;
}

bool mpi_coll_check_intra(struct mpi_coll *c)
{
    return c->far == NULL ||
           note_code(c, mpi_fail(c->mr, MPI_ERR_COMM, "comm = %d: an inter-communicator",
                                 c->far->handle));
}

bool mpi_coll_check_root(struct mpi_coll *c, int root)
{
    int n = mpi_coll_peers(c);

    c->root = root;
    if ((root >= 0 && root < n) || (c->far != NULL && root == MPI_ROOT))
        return true;
    if (c->far == NULL || root != MPI_PROC_NULL)
        c->code = mpi_fail(c->mr, MPI_ERR_ROOT, "root = %d: expected 0 .. %d", root, n - 1);
    return false;
}

/* Without displacements one block is behind the other. */
static void make_displs(struct mpi_coll *c, struct mpi_blocks *b, int n)
{
    int *displs = mpi_schedule_memory(c->s, (uint64_t)n * sizeof(int));

    for (int r = 0, at = 0; r < n; at += b->counts[r++])
        displs[r] = at;
    b->displs = displs;
}

static int check_side(struct mpi_coll *c, struct mpi_blocks *b, const struct mpi_side *side, int n)
{
    bool no_displs = side->displs == NULL && side->far == NULL;
    int code = MPI_SUCCESS;

    *b = (struct mpi_blocks){ .at = (char *)(uintptr_t)side->buf,
                              .counts = side->counts,
                              .displs = side->displs,
                              .far = side->far,
                              .types = side->types };
    if (side->form == MPI_SIDE && side->count > 0)
        b->count = (uint64_t)side->count;
    if (side->buf == MPI_IN_PLACE)
        return mpi_fail(c->mr, MPI_ERR_BUFFER, "MPI_IN_PLACE: not for this buffer");
    if (side->form == MPI_SIDE)
        return mpi_check_data(c->mr, side->buf, side->count, side->type, &b->type);
    if (side->form == MPI_SIDE_V && n > 0 &&
        (side->counts == NULL || (no_displs && c->kind != MPI_COLL_REDUCE_SCATTER)))
        return mpi_fail(c->mr, MPI_ERR_ARG, "no %s",
                        side->counts == NULL ? "counts" : "displacements");
    if (side->form == MPI_SIDE_W && n > 0 &&
        (side->counts == NULL || side->types == NULL || no_displs))
        return mpi_fail(c->mr, MPI_ERR_ARG, "no counts, displacements or types");
    for (int r = 0; code == MPI_SUCCESS && r < n; r++)
        code = mpi_check_data(c->mr, side->buf, side->counts[r],
                              side->types != NULL ? side->types[r] : side->type, &b->type);
    if (code == MPI_SUCCESS && side->form == MPI_SIDE_V && no_displs)
        make_displs(c, b, n);
    return code;
}

bool mpi_coll_check(struct mpi_coll *c, struct mpi_blocks *b, const struct mpi_side *side, int n)
{
    return note_code(c, check_side(c, b, side, n));
}

bool mpi_coll_check_own(struct mpi_coll *c, struct mpi_data given, struct mpi_data got)
{
    if (c->far != NULL || given.at == NULL || mpi_data_bytes(given) == 0 ||
        given.at + given.type->true_low != got.at + got.type->true_low)
        return true;
    return note_code(
        c, mpi_fail(c->mr, MPI_ERR_BUFFER,
                    "what is sent and what is received are one: MPI_IN_PLACE is for that"));
}

bool mpi_coll_check_op(struct mpi_coll *c, MPI_Op op, MPI_Datatype type)
{
    c->op = mpi_op_of(c->mr, op);
    if (c->op == NULL)
        return note_code(
            c, mpi_fail(c->mr, MPI_ERR_OP, "op = %d: no operation, or one that was freed", op));
    mpi_op_hold(c->op);
    c->s->op = c->op;
    c->commutes = c->op->commutes;
    return note_code(c, mpi_op_check(c->mr, c->op, type));
}

static int start_with_request(struct mpi_coll *c, MPI_Request *request)
{
    struct mpi_request rq = { .active = true, .comm = c->s->comm, .collective = &c->s->round };

    c->s->handle = mpi_request_add(c->mr, &rq, request);
    mpi_schedule_start(c->s);
    return MPI_SUCCESS;
}

int mpi_coll_run(struct mpi_coll *c, const char *call)
{
    int code;

    mpi_schedule_start(c->s);
    code = mpi_schedule_wait(c->s, call);
    mpi_schedule_put(c->s);
    c->s = NULL;
    return code;
}

int mpi_coll_end(struct mpi_coll *c, const char *call, int code, MPI_Request *request)
{
    if (code != MPI_SUCCESS) {
        if (c->s != NULL) /* it has not begun, and may be tried again */
            (c->far != NULL ? c->far : c->comm)->collectives--;
        mpi_schedule_put(c->s);
    } else if (request != NULL) {
        code = start_with_request(c, request);
    } else {
        code = mpi_coll_run(c, call);
    }
    return mpi_end_comm(c->far != NULL ? c->far : c->comm, call, code);
}

static void lend_blocks(const struct mpi_coll *c, struct mpi_race_use *use,
                        const struct mpi_blocks *b, bool all)
{
    for (int r = 0; r < (all ? mpi_coll_peers(c) : 1); r++) {
        struct mpi_data d = all ? mpi_block(c, b, r) : mpi_block_range(b, 0, 1);

        use->at = d.at;
        mpi_race_lend(use, d.type, d.count);
    }
}

/* Has this rank data on one side, by the meaning of the collective? A root alone has them on the
 * side of all blocks; on an inter-communicator it has no others. */
static bool has_side(const struct mpi_coll *c, const struct mpi_side *side, bool of_root)
{
    if (side->buf == MPI_IN_PLACE || (c->far != NULL && c->root == MPI_PROC_NULL))
        return false;
    if (!mpi_coll_kinds[c->kind].rooted || c->kind == MPI_COLL_BCAST)
        return true;
    return of_root ? mpi_coll_is_root(c) : c->far == NULL || !mpi_coll_is_root(c);
}

/* What the program may not touch until the request is complete. */
static void lend_sides(const struct mpi_coll *c, const struct mpi_sides *a)
{
    const struct mpi_coll_kind *kind = &mpi_coll_kinds[c->kind];
    struct mpi_race_use use = { .mr = c->mr, .owner = mpi_request_of(c->mr, *a->request) };

    if (c->mr->host->race == NULL)
        return;
    if (kind->lends_out && has_side(c, &a->out, kind->gives_all))
        lend_blocks(c, &use, &c->out, kind->gives_all);
    use.writes = c->kind != MPI_COLL_BCAST || !mpi_coll_is_root(c);
    if (kind->lends_in && has_side(c, &a->in, !kind->gives_all))
        lend_blocks(c, &use, &c->in, kind->gets_all);
}

int mpi_do_coll(const char *call, MPI_Comm comm, const struct mpi_sides *a)
{
    struct mpi_coll c;
    int code;

    if (mpi_coll_begin(&c, a->kind, comm) == MPI_SUCCESS && a->prepare != NULL)
        a->prepare(&c, a);
    if (c.code == MPI_SUCCESS)
        mpi_coll_compare(&c);
    if (c.code == MPI_SUCCESS && c.far != NULL && c.root != MPI_PROC_NULL)
        mpi_inter_build(&c);
    else if (c.code == MPI_SUCCESS && c.far == NULL &&
             (c.bytes > 0 || mpi_coll_kinds[a->kind].needs_others))
        mpi_coll_build(&c);
    code = mpi_coll_end(&c, call, c.code, a->request);
    if (code == MPI_SUCCESS && a->request != NULL)
        lend_sides(&c, a);
    return code;
}
