/* How ranks agree on a new communicator. */
#include "hosts/mpi/create/create.h"

/* A collective of the library's own on ints, of an inter-communicator in the own group. */
static int own_call(struct mpi_comm *comm, enum mpi_collective kind, int root, int *ints, int n)
{
    struct mpi_comm *own = comm->local != NULL ? comm->local : comm;
    struct mpi_coll c = { .mr = own->mr,
                          .kind = kind,
                          .root = root,
                          .commutes = true,
                          .comm = own,
                          .rank = own->rank,
                          .size = own->size,
                          .bytes = (uint64_t)n * sizeof(int) };

    c.in =
        (struct mpi_blocks){ (char *)ints, (uint64_t)n, mpi_type_of(own->mr, MPI_INT), 0, 0, 0, 0 };
    c.s = mpi_schedule_get(own->mr, own, (int)(own->collectives++ & INT32_MAX));
    mpi_check_collective(c.mr, &(struct mpi_check_call){ .comm = comm,
                                                         .within = own,
                                                         .ordinal = (uint32_t)c.s->tag,
                                                         .rooted = kind == MPI_COLL_BCAST,
                                                         .root = root });
    mpi_coll_build(&c);
    return mpi_coll_run(&c, "a call that makes a communicator");
}

int mpi_comm_exchange(struct mpi_comm *comm, int *all, int n)
{
    return own_call(comm, MPI_COLL_ALLGATHER, 0, all, n);
}

int mpi_comm_broadcast(struct mpi_comm *comm, int root, int *ints, int n)
{
    return own_call(comm, MPI_COLL_BCAST, root, ints, n);
}

int mpi_comm_pass(struct mpi_comm *comm, int tag, int peer, int *own, int nown, int *theirs,
                  int ntheirs)
{
    struct mpi_coll c = { .mr = comm->mr,
                          .comm = comm,
                          .s = mpi_schedule_get(comm->mr, comm, tag) };
    struct mpi_type *type = mpi_type_of(comm->mr, MPI_INT);

    mpi_coll_receive(
        &c, peer,
        (struct mpi_data){ .at = (char *)theirs, .count = (uint64_t)ntheirs, .type = type });
    mpi_coll_send(&c, peer,
                  (struct mpi_data){ .at = (char *)own, .count = (uint64_t)nown, .type = type });
    return mpi_coll_run(&c, "a call that makes a communicator");
}

int mpi_comm_swap(struct mpi_comm *inter, int *own, int nown, int *theirs, int ntheirs)
{
    int tag = (int)(inter->collectives++ & INT32_MAX);

    if (inter->rank != 0)
        return MPI_SUCCESS;
    return mpi_comm_pass(inter, tag, 0, own, nown, theirs, ntheirs);
}
