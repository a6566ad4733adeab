/*
 * Data of GPU memory that are not in one piece. The GPU packs them into memory of its own and
 * unpacks them there, so that what travels is a message of GPU memory like any other. It takes what
 * a copy inside of the GPU does: to start it, to learn of its end, and the engine's time for all
 * bytes. Memory for packed data is kept, since networks want it registered.
 *
 * What cores do themselves, like one-sided operations and sums, is done to data that were brought
 * to host memory first, or are brought to the GPU afterwards.
 */
#include <stdlib.h>

#include "hosts/mpi/point/protocol.h"

#define FEW_BYTES   UINT64_C(512) /* that the transport brings across by itself, not by an engine */
#define STAGE_BYTES (UINT64_C(256) << 10)

struct mpi_device_block {
    struct mpi_device_block *next;
    unsigned gpu;
    uint64_t bytes, offset; /* in the GPU's memory */
    uint8_t *at;
    bool used;
};

/** The GPU that the transport takes `buf` of as it is. */
static bool on_device(const struct mpi_rank *mr, const void *buf, struct host_pointer *where_p)
{
    if (!mr->transport->caps.gpu || mr->host->gpus->number(mr->host) == 0)
        return false;
    *where_p = mr->host->memory->pointer(mr->host, buf);
    return where_p->kind == HOST_GPU;
}

static struct mpi_device_block *block_of(struct mpi_rank *mr, unsigned gpu, uint64_t bytes)
{
    struct host *h = mr->host;
    struct mpi_device_block *b = mr->device_blocks;

    while (b != NULL && (b->used || b->gpu != gpu || b->bytes < bytes))
        b = b->next;
    if (b != NULL)
        return b;
    b = mpi_need(mr, calloc(1, sizeof(*b)));
    b->gpu = gpu;
    b->bytes = HOST_GPU_PAGE;
    while (b->bytes < bytes)
        b->bytes *= 2;
    b->at = h->gpus->alloc(h, gpu, b->bytes, HOST_GPU_PAGE);
    if (b->at == NULL) {
        free(b);
        return NULL;
    }
    b->offset = h->memory->pointer(h, b->at).offset;
    b->next = mr->device_blocks;
    mr->device_blocks = b;
    return b;
}

/** The GPU moves `bytes` inside of itself; their places are of no account. */
static void move_inside(struct mpi_rank *mr, const struct mpi_device_block *b, uint64_t bytes)
{
    struct host *h = mr->host;
    struct host_copy_end place = { .device = true, .addr = b->offset };

    host_spend_cost(h, HOST_COST_CUDA_COPY);
    host_spend_cost(h, HOST_COST_CUDA_KERNEL);
    h->gpus->wait(h, b->gpu, h->gpus->copy(h, b->gpu, place, place, bytes, 0));
}

void mpi_pack_new(struct mpi_rank *mr, struct mpi_request *rq, const void *buf, uint32_t bytes)
{
    struct host_pointer where;

    rq->device = bytes > 0 && on_device(mr, buf, &where) ? block_of(mr, where.gpu, bytes) : NULL;
    if (rq->device == NULL) {
        rq->packed = mpi_block_new(mr, bytes);
        return;
    }
    rq->device->used = true;
    rq->packed = rq->device->at;
}

void mpi_pack_free(struct mpi_request *rq)
{
    if (rq->device != NULL)
        rq->device->used = false;
    else
        mpi_block_free(rq->packed);
    rq->packed = NULL;
    rq->device = NULL;
}

void mpi_pack(struct mpi_rank *mr, struct mpi_request *rq)
{
    mpi_pack_new(mr, rq, rq->out, rq->bytes);
    if (rq->device != NULL)
        move_inside(mr, rq->device, rq->bytes);
    else
        mpi_spend_copy(mr, rq->bytes);
    mpi_type_pack(rq->type, rq->out, rq->count, rq->packed);
}

void mpi_unpack(struct mpi_rank *mr, struct mpi_request *rq, const uint8_t *data, uint32_t bytes)
{
    struct host_pointer where;

    if (bytes > 0 && rq->packed == NULL && on_device(mr, rq->in, &where)) {
        mpi_pack_new(mr, rq, rq->in, bytes);
        mpi_copy(mr, rq->packed, data, bytes);
        data = rq->packed;
    }
    if (rq->device != NULL)
        move_inside(mr, rq->device, bytes);
    else
        mpi_spend_copy(mr, bytes);
    mpi_type_unpack(rq->type, rq->in, data, bytes);
}

bool mpi_on_device(const struct mpi_rank *mr, const void *p)
{
    struct host_pointer where;

    return p != NULL && on_device(mr, p, &where);
}

/** Pinned memory of the library, where an engine reads or writes; its contents are of no account.
 */
static struct host_copy_end stage_of(struct mpi_rank *mr)
{
    const struct host_memory_ops *memory = mr->host->memory;

    if (mr->device_stage == NULL)
        mr->device_stage = memory->alloc(mr->host, STAGE_BYTES, HOST_PAGE);
    if (mr->device_stage == NULL)
        mpi_abort(mr, 1);
    return (struct host_copy_end){ .device = false,
                                   .addr = memory->pointer(mr->host, mr->device_stage).offset };
}

/* Pageable memory goes by way of pinned memory, which the driver copies from or to. */
static void by_engine(struct mpi_rank *mr, const struct mpi_device_block *b, uint64_t bytes,
                      bool in, bool pinned)
{
    struct host *h = mr->host;
    struct host_copy_end device = { .device = true, .addr = b->offset }, bus = stage_of(mr);

    for (uint64_t done = 0; done < bytes; done += STAGE_BYTES) {
        uint64_t n = bytes - done < STAGE_BYTES ? bytes - done : STAGE_BYTES;

        if (done == 0 || !pinned) /* pinned memory is one copy */
            host_spend_cost(h, HOST_COST_CUDA_COPY);
        h->gpus->wait(h, b->gpu,
                      h->gpus->copy(h, b->gpu, in ? device : bus, in ? bus : device, n, 0));
        if (!pinned)
            h->cpu->spend(h, transport_setting(h, "mpi.gpu_pageable_ps", 0) +
                                 transport_setting(h, "mpi.gpu_pageable_kb_ps",
                                                   mr->transport->caps.copy_kb_ps) *
                                     n / 1024);
    }
}

/* Into memory of ours on the GPU, or out of it, whose contents are of no account. */
static void move_across(struct mpi_rank *mr, unsigned gpu, uint64_t bytes, bool in, bool pinned)
{
    struct mpi_device_block *b = block_of(mr, gpu, bytes < STAGE_BYTES ? bytes : STAGE_BYTES);
    uint8_t *near;

    if (b == NULL) {
        mpi_spend_copy(mr, bytes);
        return;
    }
    b->used = true;
    mr->host->cpu->spend(mr->host, transport_setting(mr->host, "mpi.gpu_copy_ps", 0));
    if (bytes > transport_setting(mr->host, "mpi.gpu_loop_bytes", FEW_BYTES)) {
        by_engine(mr, b, bytes, in, pinned);
    } else {
        near = mpi_block_zero(mr, bytes);
        mpi_copy(mr, in ? b->at : near, in ? near : b->at, bytes);
        mpi_block_free(near);
    }
    b->used = false;
}

void mpi_spend_between(struct mpi_rank *mr, const void *to, const void *from, uint64_t bytes,
                       bool pinned)
{
    struct host_pointer there, here;
    struct mpi_device_block *b;
    bool in, out;

    if (bytes == 0)
        return;
    in = on_device(mr, to, &there);
    out = on_device(mr, from, &here);
    if (in && out && there.gpu == here.gpu && (b = block_of(mr, here.gpu, bytes)) != NULL) {
        move_inside(mr, b, bytes);
        return;
    }
    if (out)
        move_across(mr, here.gpu, bytes, false, pinned);
    if (in)
        move_across(mr, there.gpu, bytes, true, pinned);
    if (!in && !out)
        mpi_spend_copy(mr, bytes);
}

void mpi_begin_between(struct mpi_rank *mr, const void *to, uint64_t bytes,
                       struct mpi_engine_copy *copy)
{
    struct host *h = mr->host;
    struct host_copy_end bus = stage_of(mr), device = { .device = true };
    struct mpi_device_block *b = copy->block;
    struct host_pointer there;

    if (b == NULL && on_device(mr, to, &there))
        b = block_of(mr, there.gpu, STAGE_BYTES);
    if (b == NULL || bytes == 0) {
        mpi_spend_copy(mr, bytes);
        return;
    }
    copy->block = b;
    b->used = true;
    device.addr = b->offset;
    h->cpu->spend(h, transport_setting(h, "mpi.gpu_copy_ps", 0));
    host_spend_cost(h, HOST_COST_CUDA_COPY);
    for (uint64_t done = 0; done < bytes; done += STAGE_BYTES) {
        uint64_t n = bytes - done < STAGE_BYTES ? bytes - done : STAGE_BYTES;

        copy->number = h->gpus->copy(h, b->gpu, device, bus, n, 0);
    }
}

void mpi_end_between(struct mpi_rank *mr, struct mpi_engine_copy *copy)
{
    if (copy->block == NULL)
        return;
    mr->host->gpus->wait(mr->host, copy->block->gpu, copy->number);
    copy->block->used = false;
    copy->block = NULL;
}

void mpi_device_release(struct mpi_rank *mr)
{
    while (mr->device_blocks != NULL) {
        struct mpi_device_block *b = mr->device_blocks;

        mr->device_blocks = b->next;
        free(b);
    }
}
