/* Which algorithms a network is best at, where it is not the usual ones (select.c). */
#include <string.h>

#include "hosts/mpi/collective.h"

/* Two ranks do as the first version of the library did: programs measure the boards between calls
 * of it, and when they begin is part of what they measure. */
static const struct mpi_choice net[] = {
    { MPI_COLL_ALLREDUCE, "reduce-bcast", 0, 0, 0, 3 },
    { 0 },
};

/* What MPICH 1.1 and libraries of its time did, whatever the size. */
static const struct mpi_choice of_1999[] = {
    { MPI_COLL_BARRIER, "hypercube", 0, 0, 0, 0 },
    { MPI_COLL_BCAST, "binomial", 0, 0, 0, 0 },
    { MPI_COLL_GATHER, "linear", 0, 0, 0, 0 },
    { MPI_COLL_SCATTER, "linear", 0, 0, 0, 0 },
    { MPI_COLL_ALLGATHER, "ring", 0, 0, 0, 0 },
    { MPI_COLL_ALLTOALL, "linear", 0, 0, 0, 0 },
    { MPI_COLL_ALLTOALLV, "linear", 0, 0, 0, 0 },
    { MPI_COLL_REDUCE, "binomial", 0, 0, 0, 0 },
    { MPI_COLL_ALLREDUCE, "reduce-bcast", 0, 0, 0, 0 },
    { MPI_COLL_REDUCE_SCATTER, "reduce-scatterv", 0, 0, 0, 0 },
    { MPI_COLL_SCAN, "linear", 0, 0, 0, 0 },
    { 0 },
};

/* As those, but for all to all each rank begins with another one. In MPICH 1.1 all begin with rank
 * 0, each with a receive and a send by turns, and then most requests come too late: of the bytes of
 * IS 99 % went by remote write. */
static const struct mpi_choice mbcf[] = {
    { MPI_COLL_ALLTOALL, "pairwise", 0, 0, 0, 0 },
    { MPI_COLL_ALLTOALLV, "spread", 0, 0, 0, 0 },
    { 0 },
};

/* A later row of a network is looked at before the earlier ones. */
static const struct {
    const char *network;
    const struct mpi_choice *choices; /* up to a row without an algorithm */
} tables[] = { { "net", net }, { "tcp", of_1999 }, { "mbcf", of_1999 }, { "mbcf", mbcf } };

static unsigned count_rows(const struct mpi_choice *rows)
{
    unsigned n = 0;

    while (rows[n].algorithm != NULL)
        n++;
    return n;
}

int mpi_select_for_network(struct mpi_rank *mr)
{
    const char *network = mr->transport->ops->name;
    int code = p2_collectives(mr);

    for (unsigned i = 0; code == MPI_SUCCESS && i < sizeof(tables) / sizeof(tables[0]); i++)
        if (strcmp(tables[i].network, network) == 0)
            code = mpi_choices_add(mr, tables[i].choices, count_rows(tables[i].choices));
    return code;
}
