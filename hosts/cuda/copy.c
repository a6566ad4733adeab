/*
 * Copies. The engine of a GPU moves the bytes; the host starts it and waits.
 * Pageable memory goes piece by piece through pinned buffers, which the CPU
 * fills or empties while the engine works on the other one.
 *
 * The engine is done when its last write has left the GPU. Before the call
 * returns, the host reads from that GPU: answers do not overtake writes (PCI
 * Express 3.0, 2.4.1), so the bytes are at their place then. After a copy to a
 * peer the engine itself reads from the peer.
 */
#include "hosts/cuda/internal.h"

#include <string.h>

static struct host_copy_end device_end(struct host_pointer p, uint64_t at)
{
    return (struct host_copy_end){ .device = true, .addr = p.offset + at };
}

static struct host_copy_end bus_end(uint64_t bus)
{
    return (struct host_copy_end){ .device = false, .addr = bus };
}

static void run_engine(struct cuda_rank *cr, unsigned gpu, struct host_copy_end dst,
                       struct host_copy_end src, size_t n)
{
    cr->h->gpus->wait(cr->h, gpu, cuda_give(cr, gpu, dst, src, n, 0));
}

static void spend_copy(struct host *h, size_t n)
{
    h->cpu->spend(h, h->cpu->cost_ps(h, HOST_COST_COPY_KB) * n / 1024);
}

static void cpu_copy(struct cuda_rank *cr, void *dst, const void *src, size_t n)
{
    memcpy(dst, src, n);
    spend_copy(cr->h, n);
}

static bool have_bounce(struct cuda_rank *cr)
{
    if (cr->bounce == NULL)
        cr->bounce = cr->h->memory->alloc(cr->h, (uint64_t)2 * CUDA_BOUNCE_BYTES, HOST_PAGE);
    return cr->bounce != NULL;
}

static uint64_t bounce_bus(struct cuda_rank *cr, unsigned which)
{
    return cr->h->memory->pointer(cr->h, cr->bounce).offset + (size_t)which * CUDA_BOUNCE_BYTES;
}

static size_t piece_bytes(size_t left)
{
    return left < CUDA_BOUNCE_BYTES ? left : CUDA_BOUNCE_BYTES;
}

static cudaError_t pageable_to_device(struct cuda_rank *cr, struct host_pointer dst,
                                      const uint8_t *src, size_t n)
{
    uint64_t started[2] = { 0, 0 };
    unsigned which = 0;

    if (!have_bounce(cr))
        return cudaErrorMemoryAllocation;
    for (size_t at = 0; at < n; at += piece_bytes(n - at), which ^= 1) {
        cr->h->gpus->wait(cr->h, dst.gpu, started[which]);
        cpu_copy(cr, cr->bounce + (size_t)which * CUDA_BOUNCE_BYTES, src + at, piece_bytes(n - at));
        started[which] = cuda_give(cr, dst.gpu, device_end(dst, at), bus_end(bounce_bus(cr, which)),
                                   piece_bytes(n - at), 0);
    }
    cr->h->gpus->wait(cr->h, dst.gpu, started[0] > started[1] ? started[0] : started[1]);
    return cudaSuccess;
}

static cudaError_t device_to_pageable(struct cuda_rank *cr, uint8_t *dst, struct host_pointer src,
                                      size_t n)
{
    uint64_t started[2] = { 0, 0 };
    size_t asked = 0;

    if (!have_bounce(cr))
        return cudaErrorMemoryAllocation;
    for (size_t at = 0; at < n;) {
        unsigned which = (unsigned)(at / CUDA_BOUNCE_BYTES) & 1;

        /* The engine stays one piece ahead of the CPU. */
        for (; asked < n && asked < at + 2 * (size_t)CUDA_BOUNCE_BYTES;
             asked += piece_bytes(n - asked)) {
            unsigned to = (unsigned)(asked / CUDA_BOUNCE_BYTES) & 1;

            started[to] = cuda_give(cr, src.gpu, bus_end(bounce_bus(cr, to)),
                                    device_end(src, asked), piece_bytes(n - asked), 0);
        }
        cr->h->gpus->wait(cr->h, src.gpu, started[which]);
        driver_flush_gpu(cr->h, src.gpu);
        cpu_copy(cr, dst + at, cr->bounce + (size_t)which * CUDA_BOUNCE_BYTES, piece_bytes(n - at));
        at += piece_bytes(n - at);
    }
    return cudaSuccess;
}

/* Without access between the two: each piece to the host and from there to the other GPU. */
static void staged_peer(struct cuda_rank *cr, struct host_pointer dst, struct host_pointer src,
                        size_t n)
{
    for (size_t at = 0; at < n; at += piece_bytes(n - at)) {
        run_engine(cr, src.gpu, bus_end(bounce_bus(cr, 0)), device_end(src, at),
                   piece_bytes(n - at));
        driver_flush_gpu(cr->h, src.gpu);
        run_engine(cr, dst.gpu, device_end(dst, at), bus_end(bounce_bus(cr, 0)),
                   piece_bytes(n - at));
    }
}

static bool direct_peers(const struct cuda_rank *cr, unsigned a, unsigned b)
{
    return ((cr->peers[a] >> b | cr->peers[b] >> a) & 1) != 0;
}

/* The job that does the whole copy; false when the CPU must help. */
static bool make_job(struct cuda_rank *cr, struct host_pointer to, struct host_pointer from,
                     size_t n, struct cuda_job *job_p)
{
    struct cuda_job job = {
        .gpu = to.gpu, .dst = device_end(to, 0), .src = device_end(from, 0), .bytes = n
    };

    if (to.kind == HOST_PAGEABLE || from.kind == HOST_PAGEABLE ||
        (to.kind != HOST_GPU && from.kind != HOST_GPU))
        return false;
    if (from.kind != HOST_GPU) {
        job.src = bus_end(from.offset);
    } else if (to.kind != HOST_GPU) {
        job.gpu = from.gpu;
        job.dst = bus_end(to.offset);
        job.flush = true;
    } else if (to.gpu != from.gpu) {
        uint64_t bus;

        if (!direct_peers(cr, to.gpu, from.gpu) ||
            driver_pin_gpu(cr->h, to.gpu, to.offset, n, &bus) != DRIVER_OK)
            return false;
        job.gpu = from.gpu;
        job.dst = bus_end(bus);
        job.dst.peer = true;
    }
    *job_p = job;
    return true;
}

/* Copies that the CPU takes part in; they have ended when this returns. */
static cudaError_t copy_with_cpu(struct cuda_rank *cr, void *dst, struct host_pointer to,
                                 const void *src, struct host_pointer from, size_t n)
{
    if (to.kind != HOST_GPU && from.kind != HOST_GPU) {
        cpu_copy(cr, dst, src, n);
        return cudaSuccess;
    }
    if (to.kind == HOST_PAGEABLE)
        return device_to_pageable(cr, dst, from, n);
    if (from.kind == HOST_PAGEABLE)
        return pageable_to_device(cr, to, src, n);
    if (!have_bounce(cr))
        return cudaErrorMemoryAllocation;
    host_spend_cost(cr->h, HOST_COST_CUDA_COPY); /* a copy for each of the two engines */
    staged_peer(cr, to, from, n);
    return cudaSuccess;
}

/* Gives the copy to an engine, or makes it. *last: the last copy before it in its stream. An engine
 * waits for the other one of its GPU; for that of another GPU the host does. */
static cudaError_t issue_copy(struct cuda_rank *cr, struct cuda_last *last, void *dst,
                              const void *src, size_t n)
{
    struct host_pointer to = cr->h->memory->pointer(cr->h, dst);
    struct host_pointer from = cr->h->memory->pointer(cr->h, src);
    struct cuda_job job;

    if (!make_job(cr, to, from, n, &job)) {
        cuda_settle(cr, *last);
        return copy_with_cpu(cr, dst, to, src, from, n);
    }
    if (job.src.device && job.dst.device)
        host_spend_cost(cr->h, HOST_COST_CUDA_KERNEL);
    if (job.gpu != last->gpu) {
        cuda_settle(cr, *last);
        last->number = 0;
    }
    *last = cuda_start(cr, &job, last->number);
    return cudaSuccess;
}

static cudaError_t copy_now(struct cuda_rank *cr, void *dst, const void *src, size_t n)
{
    struct cuda_last last = { 0, 0 };
    cudaError_t code;

    cuda_settle_all(cr);
    code = issue_copy(cr, &last, dst, src, n);
    cuda_settle(cr, last);
    return code;
}

static bool direction_fits(const struct cuda_rank *cr, const void *dst, const void *src,
                           enum cudaMemcpyKind kind)
{
    bool to = cr->h->memory->pointer(cr->h, dst).kind == HOST_GPU;
    bool from = cr->h->memory->pointer(cr->h, src).kind == HOST_GPU;

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

/* Memory of a GPU ends with its allocation. */
static bool lies_within(const struct cuda_rank *cr, const void *p, size_t n)
{
    return cr->h->memory->pointer(cr->h, p).kind != HOST_GPU || n <= cr->h->memory->left(cr->h, p);
}

/* The checks of each copy; n of 0 is fine and does nothing. */
static cudaError_t check_copy(const struct cuda_rank *cr, const void *dst, size_t dst_n,
                              const void *src, size_t src_n, enum cudaMemcpyKind kind)
{
    if (dst == NULL || src == NULL || !lies_within(cr, dst, dst_n) || !lies_within(cr, src, src_n))
        return cudaErrorInvalidValue;
    return direction_fits(cr, dst, src, kind) ? cudaSuccess : cudaErrorInvalidMemcpyDirection;
}

/* From the first byte of the first row to the last one of the last; SIZE_MAX: beyond all memory. */
static size_t rows_span(size_t pitch, size_t width, size_t height)
{
    size_t before;

    if (__builtin_mul_overflow(pitch, height - 1, &before) ||
        __builtin_add_overflow(before, width, &before))
        return SIZE_MAX;
    return before;
}

static struct host_rows rows_of(const void *p, size_t pitch, size_t width, size_t height)
{
    return (struct host_rows){ (uintptr_t)p, width, height, pitch };
}

static void announce_copy(const struct cuda_rank *cr, void *dst, const void *src, size_t n,
                          struct host_place place)
{
    cuda_race_used(cr, rows_of(src, n, n, 1), HOST_LOADS, place);
    cuda_race_used(cr, rows_of(dst, n, n, 1), HOST_STORES, place);
}

cudaError_t cudaMemcpy(void *dst, const void *src, size_t n, enum cudaMemcpyKind kind)
{
    const struct host_place place = HOST_PLACE_OF_CALLER();
    struct cuda_rank *cr = cuda_enter(HOST_COST_CUDA_COPY);
    cudaError_t code;

    if (cr == NULL)
        return cudaErrorNoDevice;
    if (n == 0)
        return cudaSuccess;
    code = check_copy(cr, dst, n, src, n, kind);
    if (code != cudaSuccess)
        return cuda_leave(cr, code);
    announce_copy(cr, dst, src, n, place);
    return cuda_leave(cr, copy_now(cr, dst, src, n));
}

cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t n, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    const struct host_place place = HOST_PLACE_OF_CALLER();
    struct cuda_rank *cr = cuda_enter(HOST_COST_CUDA_COPY);
    struct cuda_last *last = cuda_stream(cr, stream);
    cudaError_t code;

    if (last == NULL)
        return cuda_leave(cr, cudaErrorInvalidResourceHandle);
    if (n == 0)
        return cudaSuccess;
    code = check_copy(cr, dst, n, src, n, kind);
    if (code != cudaSuccess)
        return cuda_leave(cr, code);
    announce_copy(cr, dst, src, n, place);
    return cuda_leave(cr, issue_copy(cr, last, dst, src, n));
}

/* Row by row, each a job of the engine; without gaps in one piece. */
static cudaError_t issue_2d(struct cuda_rank *cr, struct cuda_last *last, void *dst, size_t dpitch,
                            const void *src, size_t spitch, size_t width, size_t height)
{
    cudaError_t code = cudaSuccess;

    if (dpitch == width && spitch == width)
        return issue_copy(cr, last, dst, src, width * height);
    for (size_t i = 0; i < height && code == cudaSuccess; i++)
        code =
            issue_copy(cr, last, (char *)dst + i * dpitch, (const char *)src + i * spitch, width);
    return code;
}

static cudaError_t copy_2d(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                           size_t height, enum cudaMemcpyKind kind, cudaStream_t stream,
                           struct host_place place)
{
    struct cuda_rank *cr = cuda_enter(HOST_COST_CUDA_COPY);
    struct cuda_last *last = cuda_stream(cr, stream);
    cudaError_t code;

    if (last == NULL)
        return cuda_leave(cr, cudaErrorInvalidResourceHandle);
    if (width == 0 || height == 0)
        return cudaSuccess;
    if (width > dpitch || width > spitch)
        return cuda_leave(cr, cudaErrorInvalidPitchValue);
    code = check_copy(cr, dst, rows_span(dpitch, width, height), src,
                      rows_span(spitch, width, height), kind);
    if (code != cudaSuccess)
        return cuda_leave(cr, code);
    cuda_race_used(cr, rows_of(src, spitch, width, height), HOST_LOADS, place);
    cuda_race_used(cr, rows_of(dst, dpitch, width, height), HOST_STORES, place);
    return cuda_leave(cr, issue_2d(cr, last, dst, dpitch, src, spitch, width, height));
}

cudaError_t cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream)
{
    return copy_2d(dst, dpitch, src, spitch, width, height, kind, stream, HOST_PLACE_OF_CALLER());
}

cudaError_t cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                         size_t height, enum cudaMemcpyKind kind)
{
    struct cuda_rank *cr = cuda_enter(HOST_COST_CALL);
    cudaError_t code;

    if (cr == NULL)
        return cudaErrorNoDevice;
    cuda_settle_all(cr);
    code = copy_2d(dst, dpitch, src, spitch, width, height, kind, NULL, HOST_PLACE_OF_CALLER());
    cuda_settle_all(cr);
    return code;
}

static bool on_device(const struct cuda_rank *cr, const void *p, int device)
{
    struct host_pointer hp = cr->h->memory->pointer(cr->h, p);
    unsigned gpu;

    return hp.kind == HOST_GPU && cuda_gpu_of(cr, device, &gpu) && hp.gpu == gpu;
}

cudaError_t cudaMemcpyPeer(void *dst, int dst_device, const void *src, int src_device, size_t n)
{
    const struct host_place place = HOST_PLACE_OF_CALLER();
    struct cuda_rank *cr = cuda_enter(HOST_COST_CUDA_COPY);

    if (cr == NULL)
        return cudaErrorNoDevice;
    if (!on_device(cr, dst, dst_device) || !on_device(cr, src, src_device))
        return cuda_leave(cr, cudaErrorInvalidDevicePointer);
    if (!lies_within(cr, dst, n) || !lies_within(cr, src, n))
        return cuda_leave(cr, cudaErrorInvalidValue);
    announce_copy(cr, dst, src, n, place);
    return cuda_leave(cr, n == 0 ? cudaSuccess : copy_now(cr, dst, src, n));
}

cudaError_t cudaMemcpyPeerAsync(void *dst, int dst_device, const void *src, int src_device,
                                size_t n, cudaStream_t stream)
{
    const struct host_place place = HOST_PLACE_OF_CALLER();
    struct cuda_rank *cr = cuda_enter(HOST_COST_CUDA_COPY);
    struct cuda_last *last = cuda_stream(cr, stream);

    if (last == NULL)
        return cuda_leave(cr, cudaErrorInvalidResourceHandle);
    if (!on_device(cr, dst, dst_device) || !on_device(cr, src, src_device))
        return cuda_leave(cr, cudaErrorInvalidDevicePointer);
    if (!lies_within(cr, dst, n) || !lies_within(cr, src, n))
        return cuda_leave(cr, cudaErrorInvalidValue);
    announce_copy(cr, dst, src, n, place);
    return cuda_leave(cr, n == 0 ? cudaSuccess : issue_copy(cr, last, dst, src, n));
}

/* A kernel on real devices: its bytes appear at once, its time is that of a copy inside. */
cudaError_t cudaMemset(void *p, int value, size_t n)
{
    const struct host_place place = HOST_PLACE_OF_CALLER();
    struct cuda_rank *cr = cuda_enter(HOST_COST_CUDA_COPY);
    struct host_pointer to;

    if (cr == NULL)
        return cudaErrorNoDevice;
    to = cr->h->memory->pointer(cr->h, p);
    if (to.kind == HOST_PAGEABLE)
        return cuda_leave(cr, cudaErrorInvalidDevicePointer);
    if (!lies_within(cr, p, n))
        return cuda_leave(cr, cudaErrorInvalidValue);
    cuda_race_used(cr, rows_of(p, n, n, 1), HOST_STORES, place);
    cuda_settle_all(cr);
    memset(p, value, n);
    if (to.kind ==
        HOST_PINNED) /* the device would write it over the bus: at the least the CPU's time */
        spend_copy(cr->h, n);
    else if (n > 0)
        run_engine(cr, to.gpu, device_end(to, 0), device_end(to, 0), n);
    return cudaSuccess;
}
