#include "hosts/mpi/type/op.h"

#include <limits.h>
#include <stdlib.h>

#define FIRST_OP 64 /* handles below are predefined */

#define OP(OP, COMMUTES) [OP] = { OP, COMMUTES, NULL, 1, #OP }
/* Operations by their handles. */
static const struct mpi_op predefined[] = {
    OP(MPI_MAX, true),      OP(MPI_MIN, true),    OP(MPI_SUM, true),    OP(MPI_PROD, true),
    OP(MPI_LAND, true),     OP(MPI_BAND, true),   OP(MPI_LOR, true),    OP(MPI_BOR, true),
    OP(MPI_LXOR, true),     OP(MPI_BXOR, true),   OP(MPI_MAXLOC, true), OP(MPI_MINLOC, true),
    OP(MPI_REPLACE, false), OP(MPI_NO_OP, false),
};

const struct mpi_op *mpi_op_of(struct mpi_rank *mr, MPI_Op op)
{
    if (op > MPI_OP_NULL && op <= MPI_NO_OP)
        return &predefined[op];
    return mpi_table_get(&mr->ops, (unsigned)op - FIRST_OP);
}

/* Only the program's own are counted, and those are not constant. */
void mpi_op_hold(const struct mpi_op *op)
{
    if (op->fn != NULL)
        ((struct mpi_op *)(uintptr_t)op)->holders++;
}

void mpi_op_put(const struct mpi_op *op)
{
    struct mpi_op *own = (struct mpi_op *)(uintptr_t)op;

    if (op != NULL && op->fn != NULL && --own->holders == 0)
        free(own);
}

void mpi_ops_release(struct mpi_rank *mr)
{
    for (unsigned i = 0; i < mr->ops.n; i++)
        mpi_op_put(mr->ops.at[i]);
    mpi_table_release(&mr->ops);
}

int mpi_op_check(struct mpi_rank *mr, const struct mpi_op *op, MPI_Datatype type)
{
    const struct mpi_type *t = mpi_type_of(mr, type);

    if (op->fn != NULL)
        return MPI_SUCCESS;
    if (t != NULL && t->contents == NULL && mpi_combine_of(t->basic, op->handle) != NULL)
        return MPI_SUCCESS;
    if (t != NULL && t->contents != NULL && t->nparts == 1 && t->parts[0].count == 1 &&
        t->extent == t->parts[0].type->extent) /* a duplicate */
        return mpi_op_check(mr, op, t->parts[0].type->handle);
    return mpi_error(MPI_ERR_OP, "%s is not for %s", op->name,
                     t == NULL             ? "what is no datatype"
                     : t->contents != NULL ? "a derived datatype"
                                           : t->basic->name);
}

static void call_user(const struct mpi_op *op, const void *left, void *right, int n,
                      MPI_Datatype handle)
{
    struct host *h = host_self();

    mpi_library(h, false);
    if (h->race != NULL)
        h->race->pause(h, true);
    op->fn((void *)(uintptr_t)left, right, &n, &handle);
    if (h->race != NULL)
        h->race->pause(h, false);
    mpi_library(h, true);
}

void mpi_op_apply(const struct mpi_op *op, const void *left, void *right, uint64_t count,
                  const struct mpi_type *type)
{
    if (count == 0 || type->bytes == 0)
        return;
    if (op->fn == NULL) {
        mpi_combine_of(type->basic, op->handle)(right, left, count);
        return;
    }
    while (count > 0) {
        int n = count < INT_MAX ? (int)count : INT_MAX;

        call_user(op, left, right, n, type->handle);
        count -= (uint64_t)n;
        left = (const char *)left + n * type->extent;
        right = (char *)right + n * type->extent;
    }
}

int MPI_Op_create(MPI_User_function *fn, int commute, MPI_Op *op)
{
    struct mpi_rank *mr = mpi_self();
    struct mpi_op *own;

    if (fn == NULL)
        return mpi_error(MPI_ERR_ARG, "no function");
    own = mpi_need(mr, malloc(sizeof(*own)));
    *op = FIRST_OP + mpi_table_add(mr, &mr->ops, own);
    *own = (struct mpi_op){ *op, commute != 0, fn, 1, NULL };
    return MPI_SUCCESS;
}

static int bad_op(MPI_Op op)
{
    return mpi_error(MPI_ERR_OP, "op = %d: no operation of the program's", op);
}

int MPI_Op_free(MPI_Op *op)
{
    struct mpi_rank *mr = mpi_self();

    if (*op < FIRST_OP || mpi_op_of(mr, *op) == NULL)
        return bad_op(*op);
    mpi_op_put(mr->ops.at[*op - FIRST_OP]);
    mpi_table_remove(&mr->ops, (unsigned)(*op - FIRST_OP));
    *op = MPI_OP_NULL;
    return MPI_SUCCESS;
}

int MPI_Op_commutative(MPI_Op op, int *commute)
{
    struct mpi_rank *mr = mpi_self();
    const struct mpi_op *o = mpi_op_of(mr, op);

    if (o == NULL)
        return bad_op(op);
    *commute = o->commutes;
    return MPI_SUCCESS;
}

int MPI_Reduce_local(const void *inbuf, void *inoutbuf, int count, MPI_Datatype type, MPI_Op op)
{
    struct mpi_rank *mr = mpi_self();
    const struct mpi_op *o = mpi_op_of(mr, op);
    struct mpi_type *t;
    int code = mpi_check_data(mr, inbuf, count, type, &t);

    if (code != MPI_SUCCESS)
        return code;
    if (count > 0 && (inbuf == MPI_IN_PLACE || inoutbuf == MPI_IN_PLACE || inbuf == inoutbuf))
        return mpi_error(MPI_ERR_BUFFER, "inbuf, inoutbuf: expected two places");
    if (o == NULL)
        return mpi_error(MPI_ERR_OP, "op = %d: no operation, or one that was freed", op);
    code = mpi_op_check(mr, o, type);
    if (code == MPI_SUCCESS)
        mpi_op_apply(o, inbuf, inoutbuf, (uint64_t)count, t);
    return code;
}
