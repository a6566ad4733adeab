/* NULL where a call needs memory: the program's calls are checked before they begin (calls.sh). */
#include "hosts/mpi/init/null.h"

#include <stdio.h>

#include "hosts/mpi/io/io.h"
#include "hosts/mpi/rma/win.h"

static int end_outside(const char *call, const char *name)
{
    char why[80];

    (void)snprintf(why, sizeof(why), "%s = NULL", name);
    return mpi_end_outside(call, why, MPI_ERR_ARG);
}

int mpi_null(const char *call, const char *name)
{
    return mpi_null_of_comm(call, name, MPI_COMM_NULL);
}

int mpi_null_of_comm(const char *call, const char *name, MPI_Comm comm)
{
    struct mpi_rank *mr = mpi_self();

    if (mr == NULL)
        return end_outside(call, name);
    return mpi_end_comm(mr, mpi_table_get(&mr->comms, (unsigned)comm - 1), call,
                        mpi_check_out(mr, NULL, name));
}

int mpi_null_of_win(const char *call, const char *name, MPI_Win win)
{
    struct mpi_rank *mr = mpi_self();

    if (mr == NULL)
        return end_outside(call, name);
    return mpi_win_end(mpi_table_get(&mr->wins, (unsigned)win - 1), call,
                       mpi_check_out(mr, NULL, name));
}

int mpi_null_of_file(const char *call, const char *name, MPI_File file)
{
    struct mpi_rank *mr = mpi_self();

    if (mr == NULL)
        return end_outside(call, name);
    return mpi_file_end(mpi_table_get(&mr->files, (unsigned)file - 1), call,
                        mpi_check_out(mr, NULL, name));
}
