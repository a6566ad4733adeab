/* How ranks agree on a new communicator. */
#include "hosts/mpi/create/create.h"

/* A collective of the library's own on ints, of an inter-communicator in the own group. */
static int own_call(struct mpi_rank *mr, struct mpi_comm *comm, enum mpi_collective kind, int root,
                    int *ints, int n)
{
    struct mpi_coll c = { .mr = mr, .kind = kind, .root = root, .commutes = true };

    comm = comm->local != NULL ? comm->local : comm;
    c.comm = comm;
    c.rank = comm->rank;
    c.size = comm->size;
    c.in = (struct mpi_blocks){ (char *)ints, (uint64_t)n, mpi_type_of(mr, MPI_INT), 0, 0, 0, 0 };
    c.bytes = (uint64_t)n * sizeof(int);
    c.s = mpi_schedule_get(mr, comm, (int)(comm->collectives++ & INT32_MAX));
    if (c.s == NULL)
        return MPI_ERR_NO_MEM;
    mpi_coll_build(&c);
    return mpi_coll_run(&c, "a call that makes a communicator");
}

int mpi_comm_exchange(struct mpi_rank *mr, struct mpi_comm *comm, int *all, int n)
{
    return own_call(mr, comm, MPI_COLL_ALLGATHER, 0, all, n);
}

int mpi_comm_broadcast(struct mpi_rank *mr, struct mpi_comm *comm, int root, int *ints, int n)
{
    return own_call(mr, comm, MPI_COLL_BCAST, root, ints, n);
}

int mpi_comm_pass(struct mpi_rank *mr, struct mpi_comm *comm, int tag, int peer, int *own, int nown,
                  int *theirs, int ntheirs)
{
    struct mpi_coll c = { .mr = mr, .comm = comm, .s = mpi_schedule_get(mr, comm, tag) };
    struct mpi_type *type = mpi_type_of(mr, MPI_INT);

    if (c.s == NULL)
        return MPI_ERR_NO_MEM;
    mpi_coll_receive(&c, peer, (struct mpi_data){ (char *)theirs, (uint64_t)ntheirs, type });
    mpi_coll_send(&c, peer, (struct mpi_data){ (char *)own, (uint64_t)nown, type });
    return mpi_coll_run(&c, "a call that makes a communicator");
}

int mpi_comm_swap(struct mpi_rank *mr, struct mpi_comm *inter, int *own, int nown, int *theirs,
                  int ntheirs)
{
    int tag = (int)(inter->collectives++ & INT32_MAX);

    if (inter->rank != 0)
        return MPI_SUCCESS;
    return mpi_comm_pass(mr, inter, tag, 0, own, nown, theirs, ntheirs);
}
