/* The algorithms there are, and which ones a network is best at. */
#include <string.h>

#include "hosts/mpi/coll/collective.h"

#define KB 1024u

/* For a network where all can send at once. Limits are where the transport `net`, at 7 us a message
 * and 2 ns a byte, changes its mind on 8 and 16 ranks (docs/mpi-collectives.md), rounded; another
 * network may bring its own table. */
static const struct mpi_choice usual[] = {
    { MPI_COLL_BCAST, "binomial", 0, 32 * KB, 0, 0 },
    { MPI_COLL_BCAST, "binomial", 0, 0, 0, 3 },
    { MPI_COLL_BCAST, "chain", 0, 0, 0, 9 },
    { MPI_COLL_BCAST, "scatter-allgather", 0, 128 * KB, 0, 0 },
    { MPI_COLL_BCAST, .algorithm = "chain" },
    { MPI_COLL_GATHER, "binomial", 0, 2 * KB, 0, 0 },
    { MPI_COLL_GATHER, .algorithm = "linear" },
    { MPI_COLL_SCATTER, "binomial", 0, 2 * KB, 0, 0 },
    { MPI_COLL_SCATTER, .algorithm = "linear" },
    { MPI_COLL_ALLGATHER, "recursive-doubling", 0, 8 * KB, 0, 0 },
    { MPI_COLL_ALLGATHER, "bruck", 0, 1 * KB, 0, 0 },
    { MPI_COLL_ALLGATHER, "neighbor-exchange", 0, 64 * KB, 0, 0 },
    { MPI_COLL_ALLTOALL, "bruck", 0, 256, 8, 0 },
    { MPI_COLL_ALLTOALL, "spread", 0, 128 * KB, 0, 0 },
    { MPI_COLL_ALLTOALL, .algorithm = "pairwise" },
    { MPI_COLL_REDUCE, "scatter-gather", 16 * KB, 0, 4, 0 },
    { MPI_COLL_ALLREDUCE, "recursive-doubling", 0, 8 * KB, 0, 0 },
    { MPI_COLL_ALLREDUCE, "rabenseifner", 0, 256 * KB, 0, 0 },
    { MPI_COLL_ALLREDUCE, .algorithm = "ring" },
    { MPI_COLL_REDUCE_SCATTER, "halving", 0, 128 * KB, 0, 0 },
    { 0 },
};

/* Two ranks do as the first version of the library did: programs measure the boards between calls
 * of it, and when they begin is part of what they measure. */
static const struct mpi_choice net[] = {
    { MPI_COLL_ALLREDUCE, "reduce-bcast", 0, 0, 0, 3 },
    { 0 },
};

/* What MPICH 1.1 and libraries of its time did, whatever the size. */
static const struct mpi_choice of_1999[] = {
    { MPI_COLL_BARRIER, .algorithm = "hypercube" },
    { MPI_COLL_BCAST, .algorithm = "binomial" },
    { MPI_COLL_GATHER, .algorithm = "linear" },
    { MPI_COLL_SCATTER, .algorithm = "linear" },
    { MPI_COLL_ALLGATHER, .algorithm = "ring" },
    { MPI_COLL_ALLTOALL, .algorithm = "linear" },
    { MPI_COLL_ALLTOALLV, .algorithm = "linear" },
    { MPI_COLL_REDUCE, .algorithm = "binomial" },
    { MPI_COLL_ALLREDUCE, .algorithm = "reduce-bcast" },
    { MPI_COLL_REDUCE_SCATTER, .algorithm = "reduce-scatterv" },
    { MPI_COLL_SCAN, .algorithm = "linear" },
    { 0 },
};

/* As those, but for all to all each rank begins with another one. In MPICH 1.1 all begin with rank
 * 0, each with a receive and a send by turns, and then most requests come too late: of the bytes of
 * IS 99 % went by remote write. */
static const struct mpi_choice mbcf[] = {
    { MPI_COLL_ALLTOALL, .algorithm = "pairwise" },
    { MPI_COLL_ALLTOALLV, .algorithm = "spread" },
    { 0 },
};

/* A later row is looked at before the earlier ones. */
static const struct {
    const char *network; /* NULL: any */
    const struct mpi_choice *choices;
} tables[] = {
    { NULL, usual }, { "net", net }, { "tcp", of_1999 }, { "mbcf", of_1999 }, { "mbcf", mbcf },
};

int mpi_collectives_init(struct mpi_rank *mr)
{
    static const struct mpi_algorithm *const own[] = {
        mpi_bcast_algorithms,    mpi_gather_algorithms,         mpi_allgather_algorithms,
        mpi_alltoall_algorithms, mpi_reduce_algorithms,         mpi_allreduce_algorithms,
        mpi_scan_algorithms,     mpi_reduce_scatter_algorithms,
    };
    const struct host_setting *force = host_setting_of(mr->host, "mpi.algorithms");
    const char *network = mr->transport->ops->name;
    int code = mpi_select_init(mr);

    TAILQ_INIT(&mr->ready);
    for (unsigned i = 0; code == MPI_SUCCESS && i < sizeof(own) / sizeof(own[0]); i++)
        code = mpi_algorithms_add(mr, own[i]);
    for (unsigned i = 0; code == MPI_SUCCESS && i < sizeof(tables) / sizeof(tables[0]); i++)
        if (tables[i].network == NULL || strcmp(tables[i].network, network) == 0)
            code = mpi_choices_add(mr, tables[i].choices);
    if (code == MPI_SUCCESS)
        code = p2_collectives(mr);
    if (code == MPI_SUCCESS && force != NULL &&
        mpi_algorithms_force(mr, force->text) != MPI_SUCCESS)
        return mr->host->rank == 0 ? MPI_ERR_ARG : MPI_SUCCESS; /* reported once */
    return code;
}
