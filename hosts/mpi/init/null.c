#include "hosts/mpi/init/null.h"

#include <stdio.h>

#include "hosts/mpi/io/io.h"
#include "hosts/mpi/rma/win.h"

int mpi_null(const char *call, const char *name, enum mpi_null_kind kind, int handle)
{
    struct mpi_rank *mr = mpi_self();
    unsigned number = (unsigned)handle - 1;
    char why[80];

    (void)snprintf(why, sizeof(why), "%s = NULL", name);
    if (mr == NULL)
        return mpi_end_outside(call, why, MPI_ERR_ARG);
    mpi_note(mr, "%s", why);
    switch (kind) {
    case MPI_NULL_WIN:
        return mpi_win_end(mpi_table_get(&mr->wins, number), call, MPI_ERR_ARG);
    case MPI_NULL_FILE:
        return mpi_file_end(mpi_table_get(&mr->files, number), call, MPI_ERR_ARG);
    default:
        return mpi_end_comm(mpi_table_get(&mr->comms, number), call, MPI_ERR_ARG);
    }
}
