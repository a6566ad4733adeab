/* Operations of reductions: those of the standard (combine.c), and the program's. */
#ifndef MPI_OP_H
#define MPI_OP_H

#include "hosts/mpi/type/type.h"

/** Held by its handle and by collectives that use it. */
struct mpi_op {
    MPI_Op handle;
    bool commutes;
    MPI_User_function *fn; /* NULL: predefined */
    unsigned holders;      /* of one of the program's */
    const char *name;      /* NULL: one of the program's */
};

const struct mpi_op *mpi_op_of(struct mpi_rank *mr, MPI_Op op); /* NULL: none */
void mpi_op_hold(const struct mpi_op *op);
void mpi_op_put(const struct mpi_op *op);
void mpi_ops_release(struct mpi_rank *mr);
/** @return MPI_ERR_OP, noted, where the operation is not for the datatype. */
int mpi_op_check(struct mpi_rank *mr, const struct mpi_op *op, MPI_Datatype type);
/** right[i] = left[i] op right[i] */
void mpi_op_apply(const struct mpi_op *op, const void *left, void *right, uint64_t count,
                  const struct mpi_type *type);

/* combine.c */
/** right[i] = left[i] op right[i] for `n` elements. */
typedef void (*mpi_combine_fn)(void *right, const void *left, uint64_t n);
/** @return NULL: not for this type. */
mpi_combine_fn mpi_combine_of(const struct mpi_basic *type, MPI_Op op);

#endif /* MPI_OP_H */
