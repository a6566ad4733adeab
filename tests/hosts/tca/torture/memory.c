#include "torture.h"

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CUDA(t, call)                                                                              \
    do {                                                                                           \
        cudaError_t result_ = (call);                                                              \
        if (result_ != cudaSuccess)                                                                \
            fail(t, "%s: %s", #call, cudaGetErrorString(result_));                                 \
    } while (0)

static const char *const names[BUFFERS] = { "CPU source", "GPU source", "CPU destination",
                                            "GPU destination", "PIO buffer" };

size_t memory_length(enum buffer b)
{
    switch (b) {
    case SRC_CPU:
    case SRC_GPU:
        return 512 * 1024;
    case PIO_BUF:
        return (size_t)RANKS_MAX * PIO_SECTION;
    default:
        return 768 * 1024;
    }
}

bool memory_on_gpu(enum buffer b)
{
    return b == SRC_GPU || b == DST_GPU;
}

static int kind(enum buffer b)
{
    return memory_on_gpu(b) ? tcaMemoryGPU : tcaMemoryCPU;
}

tcaHandle *memory_handle(struct torture *t, int rank, enum buffer b)
{
    return &t->handle[rank][b];
}

static size_t allocated(const struct torture *t, enum buffer b)
{
    return t->shift[t->me][b] + memory_length(b) + GUARD;
}

/* What stands in bytes off to off + n - 1 of a buffer that was filled. */
static void pattern(const struct torture *t, int rank, enum buffer b, uint64_t generation,
                    size_t off, size_t n, unsigned char *bytes)
{
    uint64_t key = random_mix(t->seed ^ (generation << 16) ^ ((uint64_t)rank << 8) ^ b);
    uint64_t word = 0;

    for (size_t i = 0; i < n; i++) {
        if (i == 0 || (off + i) % 8 == 0)
            word = random_mix(key + (off + i) / 8);
        bytes[i] = (unsigned char)(word >> 8 * ((off + i) % 8));
    }
}

static void upload(struct torture *t, enum buffer b)
{
    if (memory_on_gpu(b))
        CUDA(t, cudaMemcpy(t->base[b], t->model[b], allocated(t, b), cudaMemcpyDefault));
    else
        memcpy(t->base[b], t->model[b], allocated(t, b));
}

void memory_refill(struct torture *t, enum buffer b, uint64_t generation)
{
    size_t before = t->shift[t->me][b];

    t->generation[b] = generation;
    memset(t->model[b], 0x11 + (int)b, before);
    pattern(t, t->me, b, generation, 0, memory_length(b), t->model[b] + before);
    memset(t->model[b] + before + memory_length(b), 0x77 + (int)b, GUARD);
    upload(t, b);
}

static void give_back(struct torture *t, enum buffer b)
{
    doing(t, "freeing the %s", names[b]);
    if (t->base[b] == NULL)
        return;
    if (t->by_cuda[b])
        CUDA(t, cudaFree(t->base[b]));
    else
        TCA(t, tcaFree(t->base[b], kind(b)));
    free(t->model[b]);
}

static void allocate(struct torture *t, enum buffer b, bool by_cuda)
{
    void *p = NULL;

    doing(t, "allocating the %s", names[b]);
    t->by_cuda[b] = by_cuda && memory_on_gpu(b);
    if (t->by_cuda[b])
        CUDA(t, cudaMalloc(&p, allocated(t, b)));
    else
        TCA(t, tcaMalloc(&p, allocated(t, b), kind(b)));
    if (p == NULL || (uintptr_t)p % 16 != 0)
        fail(t, "the address is not aligned to 16 bytes");
    t->base[b] = p;
    t->model[b] = malloc(allocated(t, b));
    if (t->model[b] == NULL)
        fail(t, "out of memory");
}

/* Empty allocations, and handles that are not destroyed. */
static void litter(struct torture *t, struct random *r)
{
    for (int k = 0; k < 2; k++) {
        int memory = k == 0 ? tcaMemoryCPU : tcaMemoryGPU;
        void *none = NULL, *spacer = NULL;
        tcaHandle handle;

        doing(t, "empty allocation of kind %d", memory);
        TCA(t, tcaMalloc(&none, 0, memory));
        TCA(t, tcaCreateHandle(&handle, none, 0, memory));
        TCA(t, tcaFree(none, memory));
        doing(t, "many handles of kind %d", memory);
        TCA(t, tcaMalloc(&spacer, 8 + random_below(r, 100000), memory));
        for (int i = 0; i < 200; i++)
            TCA(t, tcaCreateHandle(&handle, spacer, 8, memory));
        TCA(t, tcaFree(spacer, memory));
    }
}

/* As bytes, by one of the ways that programs use. */
static void exchange(struct torture *t, struct random *r)
{
    tcaHandle own[BUFFERS];
    int n = sizeof(own);

    memcpy(own, t->handle[t->me], sizeof(own));
    doing(t, "exchanging handles");
    if (random_one_in(r, 2)) {
        MPI_Allgather(own, n, MPI_BYTE, t->handle, n, MPI_BYTE, MPI_COMM_WORLD);
        return;
    }
    for (int i = 1; i < t->ranks; i++) {
        int to = (t->me + i) % t->ranks, from = (t->me + t->ranks - i) % t->ranks;

        MPI_Sendrecv(own, n, MPI_BYTE, to, i, t->handle[from], n, MPI_BYTE, from, i, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

void memory_renew(struct torture *t)
{
    struct random r = random_key(t->seed, (uint64_t)t->phase, 2);
    bool by_cuda = random_one_in(&r, 4), destroy = random_one_in(&r, 2);

    for (enum buffer b = 0; b < BUFFERS; b++) {
        if (destroy && t->base[b] != NULL)
            TCA(t, tcaDestroyHandle(memory_handle(t, t->me, b)));
        give_back(t, b);
    }
    plan_shifts(t, &r);
    litter(t, &r);
    for (enum buffer b = 0; b < BUFFERS; b++) {
        allocate(t, b, by_cuda);
        memory_refill(t, b, (uint64_t)t->phase * 8);
        doing(t, "describing the %s", names[b]);
        TCA(t, tcaCreateHandle(memory_handle(t, t->me, b), t->base[b] + t->shift[t->me][b],
                               memory_length(b), kind(b)));
    }
    exchange(t, &r);
}

static void expect_put(struct torture *t, int src, int channel, const struct put *p, void *arg)
{
    enum buffer from = p->relay ? p->origin : p->from;
    size_t off = p->relay ? p->origin_off : p->src_off;

    (void)channel;
    (void)arg;
    if (p->dst != t->me)
        return;
    for (size_t i = 0; i < p->count; i++)
        pattern(t, src, from, t->generation[from], off + i * p->src_pitch, p->width,
                t->model[p->to] + t->shift[t->me][p->to] + p->dst_off + i * p->dst_pitch);
}

uint64_t memory_pio_mark(const struct torture *t, int src)
{
    return random_mix(t->seed ^ ((uint64_t)(t->phase + 1) << 8) ^ (uint64_t)src) | 1;
}

void memory_pio_data(const struct torture *t, int src, const struct pio_call *call, bool last,
                     unsigned char *bytes)
{
    uint64_t mark = memory_pio_mark(t, src);

    pattern(t, src, PIO_BUF, (uint64_t)t->phase * 64 + call->off % 61, call->off, call->n, bytes);
    if (last)
        memcpy(bytes + call->n - 8, &mark, 8);
}

void memory_expect(struct torture *t)
{
    plan_walk(t, expect_put, NULL);
    for (int src = 0; src < t->ranks && t->round == 0; src++) {
        const struct pio *pio = &t->plan.pio[src];
        unsigned char *at = t->model[PIO_BUF] + t->shift[t->me][PIO_BUF] + src * PIO_SECTION;

        for (int i = 0; pio->dst == t->me && i < pio->ncalls; i++)
            memory_pio_data(t, src, &pio->call[i], i == pio->ncalls - 1, at + pio->call[i].off);
    }
}

struct culprit {
    enum buffer b;
    size_t off;
    char text[160];
};

static void find_culprit(struct torture *t, int src, int channel, const struct put *p, void *arg)
{
    struct culprit *c = arg;
    size_t at = c->off - p->dst_off;
    size_t row = p->rows ? at / p->dst_pitch : 0;

    if (p->dst != t->me || p->to != c->b || c->off < p->dst_off || row >= p->count ||
        at - row * p->dst_pitch >= p->width)
        return;
    (void)snprintf(c->text, sizeof(c->text),
                   "put by rank %d channel %d, %zu x %zu bytes to %zu, pitch %zu, from %s %zu, "
                   "pitch %zu, flags 0x%x",
                   src, channel, p->count, p->width, p->dst_off, p->dst_pitch, names[p->from],
                   p->src_off, p->src_pitch, (unsigned)p->flags);
}

static void check(struct torture *t, enum buffer b)
{
    const unsigned char *is = t->base[b];
    size_t n = allocated(t, b), bad = 0, first = n;
    struct culprit c = { .b = b, .text = "no put of this round" };

    doing(t, "checking the %s", names[b]);
    if (memory_on_gpu(b)) {
        CUDA(t, cudaMemcpy(t->scratch, t->base[b], n, cudaMemcpyDefault));
        is = t->scratch;
    }
    if (memcmp(is, t->model[b], n) == 0)
        return;
    for (size_t i = 0; i < n; i++) {
        if (is[i] == t->model[b][i])
            continue;
        first = i < first ? i : first;
        bad++;
    }
    c.off = first - t->shift[t->me][b]; /* wraps before the handle's range: no put is there */
    plan_walk(t, find_culprit, &c);
    fail(t, "%zu bytes differ, first at %ld of the handle: 0x%02x instead of 0x%02x (%s)", bad,
         (long)c.off, is[first], t->model[b][first], c.text);
}

void memory_check(struct torture *t)
{
    for (enum buffer b = 0; b < BUFFERS; b++)
        check(t, b);
}
