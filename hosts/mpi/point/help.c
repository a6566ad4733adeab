/*
 * Progress while the program computes: what comes from others, and ends of the rank's own
 * transfers, ring its helper (host_cpu_ops.set_helper), which goes on with what is pending as a
 * call of the program would. Inside of a call the ring is only noted, and the call looks before it
 * ends.
 */
#include "hosts/mpi/point/protocol.h"

/* Else what comes may wait for the call that asks for it. */
static bool is_pending(const struct mpi_rank *mr)
{
    const struct mpi_protocol *p = mr->protocol;
    const struct transport *t = mr->transport;

    return p->open > 0 || p->nposted > 0 || p->busy != NULL || !LIST_EMPTY(&mr->running) ||
           mr->follows[MPI_FOLLOWS_WINDOWS].due || (t->ops->queued != NULL && t->ops->queued(t));
}

static bool is_wanted(void *arg)
{
    struct mpi_rank *mr = arg;

    mr->rung = true; /* also for an operation that the program begins later */
    return mr->inside == 0 && mpi_help_is_due(mr);
}

bool mpi_help_is_due(const struct mpi_rank *mr)
{
    return (mr->rung || mr->transport->rung) && !mr->finalized && is_pending(mr);
}

/* Errors are those of requests and schedules, whose ends report them. */
void mpi_help(struct mpi_rank *mr)
{
    mr->rung = mr->transport->rung = false;
    mpi_advance(mr, NULL);
    mpi_poll(mr);
}

static void run_helper(void *arg)
{
    struct mpi_rank *mr = arg;

    mr->counts.helped++;
    mr->inside++;
    while (mpi_help_is_due(mr))
        mpi_help(mr);
    mr->inside--;
}

int mpi_help_init(struct mpi_rank *mr)
{
    const struct host_helper helper = { is_wanted, run_helper, mr };

    if (!transport_wants_helper(mr->transport))
        return MPI_SUCCESS;
    if (!mr->host->cpu->set_helper(mr->host, &helper))
        return mpi_error(MPI_ERR_OTHER,
                         "progress=helper: no context above the rank's core: expected a host of at "
                         "most 24 cores");
    if (mr->transport->ops->ring == NULL || !mr->transport->ops->ring(mr->transport))
        return mpi_error(MPI_ERR_OTHER, "progress=helper: transport %s has no interrupts",
                         mr->transport->ops->name);
    mr->rung = true; /* by what has come before there was a helper */
    return MPI_SUCCESS;
}
