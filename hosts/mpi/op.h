/* Operations of reductions. */
#ifndef MPI_OP_H
#define MPI_OP_H

#include "hosts/mpi/internal.h"

struct mpi_op {
    MPI_Op handle;
    bool commutes;
};

const struct mpi_op *mpi_op_of(struct mpi_rank *mr, MPI_Op op); /* NULL: none */
/** @return MPI_ERR_OP, noted, where the operation is not for the datatype. */
int mpi_op_check(struct mpi_rank *mr, const struct mpi_op *op, MPI_Datatype type);
/** right[i] = left[i] op right[i] */
void mpi_op_apply(struct mpi_rank *mr, const struct mpi_op *op, const void *left, void *right,
                  uint64_t count, const struct mpi_type *type);

#endif /* MPI_OP_H */
