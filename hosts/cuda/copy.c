/*
 * Copies. The engine of a GPU moves the bytes; the host starts it and waits.
 * Pageable memory goes piece by piece through pinned buffers, which the CPU
 * fills or empties while the engine works on the other one.
 *
 * The engine is done when its last write has left the GPU. Before the call
 * returns, the host reads from that GPU, and after a copy to a peer from the
 * peer too: answers do not overtake writes (PCI Express 3.0, 2.4.1), so the
 * bytes are at their place then.
 */
#include "hosts/cuda/internal.h"

#include <string.h>

static struct host_copy_end device_end(struct host_pointer p)
{
    return (struct host_copy_end){ true, p.offset };
}

static struct host_copy_end bus_end(uint64_t bus)
{
    return (struct host_copy_end){ false, bus };
}

static void engine(struct cuda_rank *cr, unsigned gpu, struct host_copy_end dst,
                   struct host_copy_end src, size_t n)
{
    const struct host_ops *ops = cr->h->ops;

    ops->gpu_wait(cr->h, gpu, ops->gpu_copy(cr->h, gpu, dst, src, n));
}

static void cpu_copy(struct cuda_rank *cr, void *dst, const void *src, size_t n)
{
    struct host *h = cr->h;

    memcpy(dst, src, n);
    h->ops->spend(h, h->ops->cost_ps(h, HOST_COST_COPY_KB) * n / 1024);
}

static bool have_bounce(struct cuda_rank *cr)
{
    if (cr->bounce == NULL)
        cr->bounce = cr->h->ops->alloc(cr->h, (uint64_t)2 * CUDA_BOUNCE_BYTES, HOST_PAGE);
    return cr->bounce != NULL;
}

static uint64_t bounce_bus(struct cuda_rank *cr, unsigned which)
{
    return cr->h->ops->pointer(cr->h, cr->bounce).offset + (size_t)which * CUDA_BOUNCE_BYTES;
}

static size_t piece(size_t left)
{
    return left < CUDA_BOUNCE_BYTES ? left : CUDA_BOUNCE_BYTES;
}

static cudaError_t pageable_to_device(struct cuda_rank *cr, struct host_pointer dst,
                                      const uint8_t *src, size_t n)
{
    const struct host_ops *ops = cr->h->ops;
    uint64_t started[2] = { 0, 0 };
    unsigned which = 0;

    if (!have_bounce(cr))
        return cudaErrorMemoryAllocation;
    for (size_t at = 0; at < n; at += piece(n - at), which ^= 1) {
        ops->gpu_wait(cr->h, dst.gpu, started[which]);
        cpu_copy(cr, cr->bounce + (size_t)which * CUDA_BOUNCE_BYTES, src + at, piece(n - at));
        started[which] =
            ops->gpu_copy(cr->h, dst.gpu, (struct host_copy_end){ true, dst.offset + at },
                          bus_end(bounce_bus(cr, which)), piece(n - at));
    }
    ops->gpu_wait(cr->h, dst.gpu, started[0] > started[1] ? started[0] : started[1]);
    return cudaSuccess;
}

static cudaError_t device_to_pageable(struct cuda_rank *cr, uint8_t *dst, struct host_pointer src,
                                      size_t n)
{
    const struct host_ops *ops = cr->h->ops;
    uint64_t started[2] = { 0, 0 };
    size_t asked = 0;

    if (!have_bounce(cr))
        return cudaErrorMemoryAllocation;
    for (size_t at = 0; at < n;) {
        unsigned which = (unsigned)(at / CUDA_BOUNCE_BYTES) & 1;

        /* The engine stays one piece ahead of the CPU. */
        for (; asked < n && asked < at + 2 * (size_t)CUDA_BOUNCE_BYTES; asked += piece(n - asked)) {
            unsigned to = (unsigned)(asked / CUDA_BOUNCE_BYTES) & 1;

            started[to] =
                ops->gpu_copy(cr->h, src.gpu, bus_end(bounce_bus(cr, to)),
                              (struct host_copy_end){ true, src.offset + asked }, piece(n - asked));
        }
        ops->gpu_wait(cr->h, src.gpu, started[which]);
        driver_flush_gpu(cr->h, src.gpu);
        cpu_copy(cr, dst + at, cr->bounce + (size_t)which * CUDA_BOUNCE_BYTES, piece(n - at));
        at += piece(n - at);
    }
    return cudaSuccess;
}

/* Without access between the two: each piece to the host and from there to the other GPU. */
static void staged_peer(struct cuda_rank *cr, struct host_pointer dst, struct host_pointer src,
                        size_t n)
{
    for (size_t at = 0; at < n; at += piece(n - at)) {
        engine(cr, src.gpu, bus_end(bounce_bus(cr, 0)),
               (struct host_copy_end){ true, src.offset + at }, piece(n - at));
        driver_flush_gpu(cr->h, src.gpu);
        engine(cr, dst.gpu, (struct host_copy_end){ true, dst.offset + at },
               bus_end(bounce_bus(cr, 0)), piece(n - at));
    }
}

static cudaError_t peer(struct cuda_rank *cr, struct host_pointer dst, struct host_pointer src,
                        size_t n)
{
    bool direct = ((cr->peers[src.gpu] >> dst.gpu | cr->peers[dst.gpu] >> src.gpu) & 1) != 0;
    uint64_t bus;

    if (direct && driver_pin_gpu(cr->h, dst.gpu, dst.offset, n, &bus) == DRIVER_OK) {
        engine(cr, src.gpu, bus_end(bus), device_end(src), n);
        driver_flush_gpu(cr->h, src.gpu);
        driver_flush_gpu(cr->h, dst.gpu);
        return cudaSuccess;
    }
    if (!have_bounce(cr))
        return cudaErrorMemoryAllocation;
    host_spend_cost(cr->h, HOST_COST_CUDA_COPY); /* a copy for each of the two engines */
    staged_peer(cr, dst, src, n);
    return cudaSuccess;
}

static cudaError_t copy(struct cuda_rank *cr, void *dst, const void *src, size_t n)
{
    struct host_pointer to = cr->h->ops->pointer(cr->h, dst);
    struct host_pointer from = cr->h->ops->pointer(cr->h, src);

    if (to.kind != HOST_GPU && from.kind != HOST_GPU) {
        cpu_copy(cr, dst, src, n);
        return cudaSuccess;
    }
    if (to.kind == HOST_GPU && from.kind == HOST_GPU) {
        if (to.gpu != from.gpu)
            return peer(cr, to, from, n);
        engine(cr, to.gpu, device_end(to), device_end(from), n);
        return cudaSuccess;
    }
    if (to.kind == HOST_PAGEABLE)
        return device_to_pageable(cr, dst, from, n);
    if (from.kind == HOST_PAGEABLE)
        return pageable_to_device(cr, to, src, n);
    if (to.kind == HOST_GPU) {
        engine(cr, to.gpu, device_end(to), bus_end(from.offset), n);
        return cudaSuccess;
    }
    engine(cr, from.gpu, bus_end(to.offset), device_end(from), n);
    driver_flush_gpu(cr->h, from.gpu);
    return cudaSuccess;
}

static bool direction_fits(const struct cuda_rank *cr, const void *dst, const void *src,
                           enum cudaMemcpyKind kind)
{
    bool to = cr->h->ops->pointer(cr->h, dst).kind == HOST_GPU;
    bool from = cr->h->ops->pointer(cr->h, src).kind == HOST_GPU;

    switch (kind) {
    case cudaMemcpyHostToHost:
        return !to && !from;
    case cudaMemcpyHostToDevice:
        return to && !from;
    case cudaMemcpyDeviceToHost:
        return !to && from;
    case cudaMemcpyDeviceToDevice:
        return to && from;
    default:
        return kind == cudaMemcpyDefault;
    }
}

cudaError_t cudaMemcpy(void *dst, const void *src, size_t n, enum cudaMemcpyKind kind)
{
    struct cuda_rank *cr = cuda_enter(HOST_COST_CUDA_COPY);

    if (cr == NULL)
        return cudaErrorNoDevice;
    if (n == 0)
        return cudaSuccess;
    if (dst == NULL || src == NULL)
        return cuda_leave(cr, cudaErrorInvalidValue);
    if (!direction_fits(cr, dst, src, kind))
        return cuda_leave(cr, cudaErrorInvalidMemcpyDirection);
    return cuda_leave(cr, copy(cr, dst, src, n));
}

cudaError_t cudaMemcpyPeer(void *dst, int dst_device, const void *src, int src_device, size_t n)
{
    struct cuda_rank *cr = cuda_enter(HOST_COST_CUDA_COPY);
    struct host_pointer to, from;

    if (cr == NULL)
        return cudaErrorNoDevice;
    to = cr->h->ops->pointer(cr->h, dst);
    from = cr->h->ops->pointer(cr->h, src);
    if (to.kind != HOST_GPU || from.kind != HOST_GPU || to.gpu != (unsigned)dst_device ||
        from.gpu != (unsigned)src_device)
        return cuda_leave(cr, cudaErrorInvalidDevicePointer);
    return cuda_leave(cr, n == 0 ? cudaSuccess : copy(cr, dst, src, n));
}

/* A kernel on real devices: its bytes appear at once, its time is that of a copy inside. */
cudaError_t cudaMemset(void *p, int value, size_t n)
{
    struct cuda_rank *cr = cuda_enter(HOST_COST_CUDA_COPY);
    struct host_pointer to;

    if (cr == NULL)
        return cudaErrorNoDevice;
    to = cr->h->ops->pointer(cr->h, p);
    if (to.kind != HOST_GPU)
        return cuda_leave(cr, cudaErrorInvalidDevicePointer);
    memset(p, value, n);
    if (n > 0)
        engine(cr, to.gpu, device_end(to), device_end(to), n);
    return cudaSuccess;
}
