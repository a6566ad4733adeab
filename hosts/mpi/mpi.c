#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hosts/mpi/internal.h"

static void mpi_release(void *data)
{
    struct mpi_rank *mr = data;

    mpi_match_release(mr);
    free(mr);
}

struct mpi_rank *mpi_self(void)
{
    struct host *h = host_self();
    struct mpi_rank *mr = h != NULL ? h->state[HOST_RANK_MPI].data : NULL;

    return mr == NULL || mr->finalized ? NULL : mr;
}

int mpi_check_comm(MPI_Comm comm)
{
    return comm == MPI_COMM_WORLD || comm == MPI_COMM_SELF ? MPI_SUCCESS : MPI_ERR_COMM;
}

int mpi_check_data(const void *buf, int count, MPI_Datatype type)
{
    if (count < 0)
        return MPI_ERR_COUNT;
    if (type < MPI_BYTE || type > MPI_UNSIGNED_LONG_LONG || mpi_type_bytes(type) == 0)
        return MPI_ERR_TYPE;
    if ((uint64_t)count * mpi_type_bytes(type) > UINT64_C(1) << 30)
        return MPI_ERR_COUNT; /* the network takes no more in one piece */
    return buf == NULL && count > 0 ? MPI_ERR_BUFFER : MPI_SUCCESS;
}

int mpi_comm_size(const struct mpi_rank *mr, MPI_Comm comm)
{
    return comm == MPI_COMM_SELF ? 1 : (int)mr->host->size;
}

int mpi_comm_rank(const struct mpi_rank *mr, MPI_Comm comm)
{
    return comm == MPI_COMM_SELF ? 0 : (int)mr->host->rank;
}

/* In MPI_COMM_SELF rank 0 is the caller itself. */
static int world_rank(const struct mpi_rank *mr, MPI_Comm comm, int rank)
{
    return comm == MPI_COMM_SELF && rank == 0 ? (int)mr->host->rank : rank;
}

int MPI_Init(int *argc, char ***argv)
{
    struct host *h = host_self();
    struct mpi_rank *mr;

    (void)argc;
    (void)argv;
    if (h == NULL || h->state[HOST_RANK_MPI].data != NULL)
        return MPI_ERR_OTHER;
    mr = calloc(1, sizeof(*mr));
    if (mr == NULL)
        return MPI_ERR_NO_MEM;
    mr->host = h;
    mr->end = &mr->first;
    h->state[HOST_RANK_MPI] = (struct host_state){ mr, mpi_release };
    return MPI_Barrier(MPI_COMM_WORLD);
}

int MPI_Initialized(int *flag)
{
    struct host *h = host_self();

    *flag = h != NULL && h->state[HOST_RANK_MPI].data != NULL;
    return MPI_SUCCESS;
}

int MPI_Finalize(void)
{
    struct mpi_rank *mr = mpi_self();
    int code;

    if (mr == NULL)
        return MPI_ERR_OTHER;
    code = MPI_Barrier(MPI_COMM_WORLD);
    mr->finalized = true;
    return code;
}

int MPI_Comm_rank(MPI_Comm comm, int *rank)
{
    struct mpi_rank *mr = mpi_self();

    if (mr == NULL)
        return MPI_ERR_OTHER;
    if (mpi_check_comm(comm) != MPI_SUCCESS)
        return MPI_ERR_COMM;
    *rank = mpi_comm_rank(mr, comm);
    return MPI_SUCCESS;
}

int MPI_Comm_size(MPI_Comm comm, int *size)
{
    struct mpi_rank *mr = mpi_self();

    if (mr == NULL)
        return MPI_ERR_OTHER;
    if (mpi_check_comm(comm) != MPI_SUCCESS)
        return MPI_ERR_COMM;
    *size = mpi_comm_size(mr, comm);
    return MPI_SUCCESS;
}

int MPI_Get_processor_name(char *name, int *length)
{
    struct host *h = host_self();

    if (h == NULL)
        return MPI_ERR_OTHER;
    *length = snprintf(name, MPI_MAX_PROCESSOR_NAME, "node%u", h->node->index);
    return MPI_SUCCESS;
}

double MPI_Wtime(void)
{
    struct host *h = host_self();

    if (h == NULL)
        return 0;
    h->ops->tsc(h); /* what reading the timer costs */
    return (double)h->ops->time_ps(h) * 1e-12;
}

int mpi_send_bytes(struct mpi_rank *mr, const void *buf, uint64_t bytes, int dest, int tag,
                   uint32_t context)
{
    struct mpi_envelope env = { (int32_t)mr->host->rank, tag, context, (uint32_t)bytes };

    return mpi_transport_send(mr, dest, &env, buf);
}

static int check_peer(const struct mpi_rank *mr, MPI_Comm comm, int rank, int tag, bool receives)
{
    if (mpi_check_comm(comm) != MPI_SUCCESS)
        return MPI_ERR_COMM;
    if ((rank < 0 || rank >= mpi_comm_size(mr, comm)) && rank != MPI_PROC_NULL &&
        !(receives && rank == MPI_ANY_SOURCE))
        return MPI_ERR_RANK;
    return tag < 0 && !(receives && tag == MPI_ANY_TAG) ? MPI_ERR_TAG : MPI_SUCCESS;
}

int MPI_Send(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm)
{
    struct mpi_rank *mr = mpi_self();
    int code = mr == NULL ? MPI_ERR_OTHER : mpi_check_data(buf, count, type);

    if (code == MPI_SUCCESS)
        code = check_peer(mr, comm, dest, tag, false);
    if (code != MPI_SUCCESS || dest == MPI_PROC_NULL)
        return code;
    host_spend_cost(mr->host, HOST_COST_CALL);
    return mpi_send_bytes(mr, buf, (uint64_t)count * mpi_type_bytes(type),
                          world_rank(mr, comm, dest), tag, mpi_context(comm, false));
}

int MPI_Recv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
             MPI_Status *status)
{
    struct mpi_rank *mr = mpi_self();
    struct mpi_wanted want;
    int code = mr == NULL ? MPI_ERR_OTHER : mpi_check_data(buf, count, type);

    if (code == MPI_SUCCESS)
        code = check_peer(mr, comm, source, tag, true);
    if (code != MPI_SUCCESS)
        return code;
    if (source == MPI_PROC_NULL) {
        if (status != MPI_STATUS_IGNORE)
            *status = (MPI_Status){ MPI_PROC_NULL, MPI_ANY_TAG, MPI_SUCCESS, 0 };
        return MPI_SUCCESS;
    }
    want = (struct mpi_wanted){ source == MPI_ANY_SOURCE ? source : world_rank(mr, comm, source),
                                tag, mpi_context(comm, false), buf,
                                (uint64_t)count * mpi_type_bytes(type) };
    host_spend_cost(mr->host, HOST_COST_CALL);
    code = mpi_match_receive(mr, &want, status);
    if (comm == MPI_COMM_SELF && status != MPI_STATUS_IGNORE)
        status->MPI_SOURCE = 0;
    return code;
}

/* Sends never wait for their receives (the network buffers), so one after the other will do. */
int MPI_Sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                 void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag,
                 MPI_Comm comm, MPI_Status *status)
{
    int code = MPI_Send(sendbuf, sendcount, sendtype, dest, sendtag, comm);

    if (code != MPI_SUCCESS)
        return code;
    return MPI_Recv(recvbuf, recvcount, recvtype, source, recvtag, comm, status);
}

int MPI_Get_count(const MPI_Status *status, MPI_Datatype type, int *count)
{
    if (mpi_check_data("", 1, type) != MPI_SUCCESS)
        return MPI_ERR_TYPE;
    *count = (int)(status->hub_bytes / mpi_type_bytes(type));
    return MPI_SUCCESS;
}
