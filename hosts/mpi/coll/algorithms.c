/* The algorithms there are, and which ones a network is best at. */
#include <string.h>

#include "hosts/mpi/coll/collective.h"

/* Choices are written as users write them. For a network where all can send at once. Limits are
 * where the transport `net`, at 7 us a message and 2 ns a byte, changes its mind on 8 and 16 ranks
 * (docs/mpi-collectives.md), rounded; another network may bring its own table. */
static const char usual[] = "bcast=chain,"
                            "bcast=scatter-allgather@..128K,"
                            "bcast=chain/..9,"
                            "bcast=binomial/..3,"
                            "bcast=binomial@..32K,"
                            "gather=linear,"
                            "gather=binomial@..2K,"
                            "scatter=linear,"
                            "scatter=binomial@..2K,"
                            "allgather=neighbor-exchange@..64K,"
                            "allgather=bruck@..1K,"
                            "allgather=recursive-doubling@..8K,"
                            "alltoall=pairwise,"
                            "alltoall=spread@..128K,"
                            "alltoall=bruck@..256/8..,"
                            "reduce=scatter-gather@16K../4..,"
                            "allreduce=ring,"
                            "allreduce=rabenseifner@..256K,"
                            "allreduce=recursive-doubling@..8K,"
                            "reduce_scatter=halving@..128K";

/* Two ranks do as the first version of the library did: programs measure the boards between calls
 * of it, and when they begin is part of what they measure. */
static const char net[] = "allreduce=reduce-bcast/..3";

/* A message costs its sender 0.1 us, so few rounds save nothing: on 8 to 32 ranks to send to all at
 * once is the quickest from 1 byte on, on 64 ranks from 4. */
static const char ib[] = "alltoall=spread@..128K";

/* What MPICH 1.1 and libraries of its time did, whatever the size. */
static const char of_1999[] = "barrier=hypercube,"
                              "bcast=binomial,"
                              "gather=linear,"
                              "scatter=linear,"
                              "allgather=ring,"
                              "alltoall=linear,"
                              "alltoallv=linear,"
                              "reduce=binomial,"
                              "allreduce=reduce-bcast,"
                              "reduce_scatter=reduce-scatterv,"
                              "scan=linear";

/* As those, but for all to all each rank begins with another one. In MPICH 1.1 all begin with rank
 * 0, each with a receive and a send by turns, and then most requests come too late: of the bytes of
 * IS 99 % went by remote write. */
static const char mbcf[] = "alltoall=pairwise,"
                           "alltoallv=spread";

/* The latest choice is looked at first, here as in each text. */
static const struct {
    const char *network; /* NULL: any */
    const char *choices;
} tables[] = {
    { NULL, usual },    { "net", net },      { "ib", ib },
    { "tcp", of_1999 }, { "mbcf", of_1999 }, { "mbcf", mbcf },
};

int mpi_collectives_init(struct mpi_rank *mr)
{
    static const struct mpi_algorithm *const own[] = {
        mpi_bcast_algorithms,    mpi_gather_algorithms,         mpi_allgather_algorithms,
        mpi_alltoall_algorithms, mpi_reduce_algorithms,         mpi_allreduce_algorithms,
        mpi_scan_algorithms,     mpi_reduce_scatter_algorithms,
    };
    const struct host_setting *library = host_setting_of(mr->host, "mpi.library_algorithms");
    const struct host_setting *force = host_setting_of(mr->host, "mpi.algorithms");
    const char *network = mr->transport->ops->name;
    int code = MPI_SUCCESS;

    mpi_select_init(mr);
    TAILQ_INIT(&mr->ready);
    for (unsigned i = 0; code == MPI_SUCCESS && i < sizeof(own) / sizeof(own[0]); i++)
        code = mpi_algorithms_add(mr, own[i]);
    for (unsigned i = 0; code == MPI_SUCCESS && i < sizeof(tables) / sizeof(tables[0]); i++)
        if (tables[i].network == NULL || strcmp(tables[i].network, network) == 0)
            code = mpi_choices_add(mr, tables[i].choices);
    if (code == MPI_SUCCESS)
        code = p2_collectives(mr);
    if (code == MPI_SUCCESS && library != NULL)
        code = mpi_choices_add(mr, library->text);
    if (code == MPI_SUCCESS && force != NULL &&
        mpi_algorithms_force(mr, force->text) != MPI_SUCCESS)
        return mr->host->rank == 0 ? MPI_ERR_ARG : MPI_SUCCESS; /* reported once */
    return code;
}
