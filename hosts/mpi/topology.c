#include <stdlib.h>

#include "hosts/mpi/call.h"

void mpi_topology_put(struct mpi_topology *t)
{
    if (t != NULL && --t->holders == 0)
        free(t);
}
