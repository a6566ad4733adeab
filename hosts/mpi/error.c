/* Errors end the program, as MPI has it when nobody asked for their codes. */
#include <stdarg.h>
#include <stdio.h>

#include "hosts/mpi/internal.h"

struct mpi_rank *mpi_self(void)
{
    struct host *h = host_self();
    struct mpi_rank *mr = h != NULL ? h->state[HOST_RANK_MPI].data : NULL;

    return mr == NULL || mr->finalized ? NULL : mr;
}

void mpi_note(struct mpi_rank *mr, const char *format, ...)
{
    va_list args;

    if (mr == NULL)
        return;
    va_start(args, format);
    vsnprintf(mr->why, sizeof(mr->why), format, args);
    va_end(args);
}

static _Noreturn void end_rank(struct host *h, int exit_code)
{
    for (;;)
        h->ops->exit(h, exit_code); /* does not return */
}

/* All ranks end at once, as those of mpirun do. */
_Noreturn void mpi_abort(struct mpi_rank *mr, int exit_code)
{
    for (;;)
        mr->host->ops->abort(mr->host, exit_code); /* does not return */
}

static void tell(struct host *h, const char *call, const char *why)
{
    char line[512];

    (void)snprintf(line, sizeof(line), "rank %u on node %u at %.6f us: %s: %s", h->rank,
                   h->node->index, (double)h->ops->time_ps(h) * 1e-6, mpi_call_name(call), why);
    h->ops->tell(h, line);
}

int mpi_end(struct mpi_rank *mr, const char *call, int code)
{
    struct host *h = host_self();

    if (code == MPI_SUCCESS || h == NULL)
        return code;
    if (mr == NULL) {
        const struct mpi_rank *past = h->state[HOST_RANK_MPI].data;

        if (past != NULL && past->errors_return)
            return code;
        tell(h, call, past == NULL ? "before MPI_Init()" : "after MPI_Finalize()");
        end_rank(h, 1);
    }
    if (mr->errors_return)
        return code;
    tell(h, call, mr->why);
    mpi_abort(mr, 1);
}

int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler)
{
    struct mpi_rank *mr = mpi_self();
    int code = MPI_SUCCESS;

    if (mr == NULL)
        return mpi_end(mr, __func__, MPI_ERR_OTHER);
    if (mpi_comm_of(mr, comm) == NULL)
        code = MPI_ERR_COMM;
    else if (handler != MPI_ERRORS_ARE_FATAL && handler != MPI_ERRORS_RETURN)
        code = mpi_fail(mr, MPI_ERR_ARG, "errhandler = %d: no such handler", handler);
    else
        mr->errors_return = handler == MPI_ERRORS_RETURN;
    return mpi_end(mr, __func__, code);
}

int MPI_Abort(MPI_Comm comm, int exit_code)
{
    struct mpi_rank *mr = mpi_self();
    char why[32];

    (void)comm;
    if (mr == NULL)
        return mpi_end(mr, __func__, MPI_ERR_OTHER);
    snprintf(why, sizeof(why), "exit code %d", exit_code);
    tell(mr->host, __func__, why);
    mpi_abort(mr, exit_code);
}
