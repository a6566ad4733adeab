/*
 * Data in the memory of GPUs: packed there, and copied between them and the host.
 */
#ifndef MPI_DEVICE_H
#define MPI_DEVICE_H

#include "hosts/mpi/point/request.h"

/** Memory for all data of a request in one piece: of the GPU that `buf` is of, if it is of one. */
void mpi_pack_new(struct mpi_rank *mr, struct mpi_request *rq, const void *buf, uint32_t bytes);
void mpi_pack_free(struct mpi_request *rq);
/** What is to be sent, into such memory; takes the time of that. */
void mpi_pack(struct mpi_rank *mr, struct mpi_request *rq);
/** `bytes` of packed data, wherever they are, to where they are received; takes its time. */
void mpi_unpack(struct mpi_rank *mr, struct mpi_request *rq, const uint8_t *data, uint32_t bytes);
/** Is it memory of a GPU that the transport takes as it is? */
bool mpi_on_device(const struct mpi_rank *mr, const void *p);
/** The time in which a core of the host, or an engine for it, copies between these places, of which
 * host memory is `pinned` or not; the caller moves the data. What has been stored to a GPU before
 * has arrived when it is read. */
void mpi_spend_between(struct mpi_rank *mr, const void *to, const void *from, uint64_t bytes,
                       bool pinned);
/** The last of some copies to one GPU, which end in their order. */
struct mpi_engine_copy {
    struct mpi_device_block *block; /* NULL: there is none */
    uint64_t number;
};
/** An engine starts a copy from pinned host memory to `to`, which is of the GPU that *copy has
 * copied to before, if it has; does not wait for it. The caller moves the data. */
void mpi_begin_between(struct mpi_rank *mr, const void *to, uint64_t bytes,
                       struct mpi_engine_copy *copy);
void mpi_end_between(struct mpi_rank *mr, struct mpi_engine_copy *copy);
void mpi_device_release(struct mpi_rank *mr);

#endif /* MPI_DEVICE_H */
