/* The helper library that needs MPI: libtcacomm of the public programs. */
#include <stdlib.h>

#include "hosts/host/host.h"
#include "hosts/mpi/include/mpi.h"
#include "hosts/tca/include/tca-help.h"

void tcaCreateHandleList(tcaHandle **list, int num_proc, double *ptr, size_t byte)
{
    struct host *h = host_self();
    tcaHandle own;
    int size = 0;

    if (h == NULL)
        return;
    *list = calloc(num_proc > 0 ? (size_t)num_proc : 1, sizeof(tcaHandle));
    if (*list == NULL || MPI_Comm_size(MPI_COMM_WORLD, &size) != MPI_SUCCESS || size != num_proc ||
        tcaCreateHandle(&own, ptr, byte, tcaMemoryGPU) != TCA_SUCCESS ||
        MPI_Allgather(&own, sizeof(own), MPI_BYTE, *list, sizeof(own), MPI_BYTE, MPI_COMM_WORLD) !=
            MPI_SUCCESS)
        h->process->exit(h, EXIT_FAILURE);
}
