/* Buffered sends: into the program's buffer, and on from there. */
#include "hosts/mpi/point/protocol.h"

/* The copy has left: its room in the attached buffer is free again. */
static void buffered_ended(struct mpi_rank *mr, struct mpi_request *rq)
{
    mr->protocol->attached_used -= rq->bytes + MPI_BSEND_OVERHEAD;
    mpi_block_free(rq->owner);
}

/* A copy of the message goes its own way; the program's request is done. */
int mpi_buffered_start(struct mpi_rank *mr, struct mpi_request *rq)
{
    struct mpi_protocol *p = mr->protocol;
    uint64_t bytes = rq->count * rq->type->bytes;
    struct mpi_request *copy;

    mpi_advance(mr, NULL); /* others may have left */
    if (p->attached_bytes - p->attached_used < bytes + MPI_BSEND_OVERHEAD) {
        rq->active = false;
        if (p->attached == NULL)
            return mpi_error(MPI_ERR_BUFFER,
                             "no buffer is attached: expected MPI_Buffer_attach() before, of %llu "
                             "bytes or more with MPI_BSEND_OVERHEAD",
                             (unsigned long long)bytes + MPI_BSEND_OVERHEAD);
        return mpi_error(MPI_ERR_BUFFER,
                         "%llu bytes and MPI_BSEND_OVERHEAD = %d: of the attached buffer's %llu "
                         "bytes %llu are free",
                         (unsigned long long)bytes, MPI_BSEND_OVERHEAD,
                         (unsigned long long)p->attached_bytes,
                         (unsigned long long)(p->attached_bytes - p->attached_used));
    }
    copy = mpi_request_new(mr);
    copy->mode = MPI_MODE_BUFFERED;
    copy->of_program = rq->of_program;
    copy->comm = rq->comm;
    copy->comm->holders++;
    copy->type = &mr->basic[0];
    copy->type->holders++;
    copy->count = bytes;
    copy->peer = rq->peer;
    copy->tag = rq->tag;
    copy->context = rq->context;
    copy->owner = mpi_block_new(mr, bytes);
    copy->out = copy->owner;
    copy->ended = buffered_ended;
    copy->freed = copy->active = true;
    mpi_type_pack(rq->type, rq->out, rq->count, copy->owner);
    mpi_spend_copy(mr, bytes);
    p->attached_used += bytes + MPI_BSEND_OVERHEAD;
    copy->status = rq->status;
    mpi_send_start(mr, copy);
    mpi_ended(mr, rq);
    return MPI_SUCCESS;
}

int MPI_Buffer_attach(void *buffer, int size)
{
    struct mpi_rank *mr = mpi_self();

    if (mr->protocol->attached != NULL)
        return mpi_error(MPI_ERR_BUFFER, "a buffer is attached already");
    if (size < 0)
        return mpi_error(MPI_ERR_ARG, "size = %d: expected 0 or more", size);
    mr->protocol->attached = buffer;
    mr->protocol->attached_bytes = (uint64_t)size;
    return MPI_SUCCESS;
}

int MPI_Buffer_detach(void *buffer, int *size)
{
    struct mpi_rank *mr = mpi_self();
    const struct mpi_waits w = { .mr = mr };

    mpi_advance(mr, NULL);
    mpi_waits_begin(&w, __func__);
    while (mr->protocol->attached_used > 0)
        mpi_progress(mr);
    mpi_hand_over(mr);
    mpi_waits_end(&w);
    *(void **)buffer = mr->protocol->attached;
    *size = (int)mr->protocol->attached_bytes;
    mr->protocol->attached = NULL;
    mr->protocol->attached_bytes = 0;
    return MPI_SUCCESS;
}
