#include <stdio.h>
#include <string.h>

#include "hosts/host/check.h"
#include "hosts/tca/internal.h"

static bool kind_ok(tcaMemoryKind kind)
{
    return kind == tcaMemoryCPU || kind == tcaMemoryGPU;
}

static tcaresult refuse_kind(const char *call, tcaMemoryKind kind)
{
    return tca_refuse(call, TCA_ERROR_INVALID_VALUE,
                      "kind = %d: expected tcaMemoryCPU or tcaMemoryGPU", (int)kind);
}

/* It is not memory of the kind that the call says. */
static tcaresult refuse_pointer(const char *call, const void *p, enum host_pointer_kind is,
                                tcaMemoryKind kind)
{
    static const char *const names[] = { [HOST_PAGEABLE] = "memory that no device reaches",
                                         [HOST_PINNED] = "host memory",
                                         [HOST_GPU] = "memory of a GPU" };

    return tca_refuse(call, TCA_ERROR_INVALID_VALUE, "p = %p: %s: expected %s", p, names[is],
                      kind == tcaMemoryCPU ? "host memory of tcaMalloc() that was not freed"
                                           : "memory of a GPU that was not freed");
}

static tcaresult refuse_size(const char *call, size_t n, tcaMemoryKind kind)
{
    return tca_refuse(call, TCA_ERROR_OUT_OF_MEMORY, "n = %zu: there is not so much memory of %s",
                      n, kind == tcaMemoryCPU ? "the host" : "the GPU");
}

tcaresult tcaMalloc(void **p, size_t n, tcaMemoryKind kind)
{
    struct tca_rank *self = tca_enter(__func__);
    uint64_t room = host_round_up(n != 0 ? n : 1, HOST_GPU_PAGE);
    void *got;
    uint64_t bus = 0;

    if (self == NULL)
        return TCA_ERROR_NOT_INITIALIZED;
    if (p == NULL)
        return tca_refuse(__func__, TCA_ERROR_INVALID_VALUE, "p = NULL: expected a place for it");
    if (!kind_ok(kind))
        return refuse_kind(__func__, kind);
    if (n > SIZE_MAX - HOST_GPU_PAGE)
        return refuse_size(__func__, n, kind);
    host_spend_cost(self->h, HOST_COST_SYSCALL);
    if (kind == tcaMemoryGPU && driver_visible(self->h)->n == 0)
        return tca_refuse(__func__, TCA_ERROR_NOT_SUPPORTED,
                          "kind = tcaMemoryGPU: this rank sees none of the node's %u GPUs",
                          self->d->ngpus);
    got = kind == tcaMemoryCPU ? self->h->memory->alloc(self->h, n != 0 ? n : 1, HOST_PAGE)
                               : self->h->gpus->alloc(self->h, self->h->gpu, room, HOST_GPU_PAGE);
    if (got == NULL)
        return refuse_size(__func__, n, kind);
    if (kind == tcaMemoryGPU) {
        uint64_t offset = self->h->memory->pointer(self->h, got).offset;

        if (driver_pin_gpu(self->h, self->h->gpu, offset, room, &bus) != DRIVER_OK) {
            self->h->gpus->free(self->h, self->h->gpu, got);
            return tca_refuse(__func__, TCA_ERROR_OUT_OF_MEMORY,
                              "n = %zu: the BAR of GPU %u has no room to pin it", n, self->h->gpu);
        }
    }
    tca_freed_remove(self, got, n != 0 ? n : 1);
    *p = got;
    return TCA_SUCCESS;
}

/* No memory begins there that could be freed. */
static tcaresult refuse_free(const char *call, const struct tca_rank *self, const void *p)
{
    const struct host_place *first = tca_freed_place(self, p);
    char place[160];

    if (first == NULL)
        return tca_refuse(call, TCA_ERROR_INVALID_VALUE,
                          "p = %p: freed before, or not where memory of tcaMalloc() begins", p);
    self->h->process->place(self->h, first->from, place, sizeof(place));
    return tca_refuse(call, TCA_ERROR_INVALID_VALUE, "p = %p: freed before, by %s%s", p,
                      first->call, place);
}

struct freeing {
    struct tca_rank *self;
    struct host_place place;
};

static void unpins(void *arg, const struct host_freed *part)
{
    const struct freeing *f = arg;

    tca_freed_unpin(f->self, part, f->place);
    tca_race_freed(f->self, part, f->place);
}

tcaresult tcaFree(void *p, tcaMemoryKind kind)
{
    struct freeing f = { .place = HOST_PLACE_OF_CALLER() };
    struct tca_rank *self = f.self = tca_enter(__func__);
    struct host_pointer hp;
    uint64_t bytes;

    if (self == NULL)
        return TCA_ERROR_NOT_INITIALIZED;
    if (!kind_ok(kind))
        return refuse_kind(__func__, kind);
    if (p == NULL)
        return TCA_SUCCESS;
    hp = self->h->memory->pointer(self->h, p);
    if (hp.kind != (kind == tcaMemoryCPU ? HOST_PINNED : HOST_GPU))
        return refuse_pointer(__func__, p, hp.kind, kind);
    host_spend_cost(self->h, HOST_COST_SYSCALL);
    bytes = kind == tcaMemoryCPU ? self->h->memory->free(self->h, p)
                                 : driver_free_gpu(self->h, p, unpins, &f);
    if (bytes == 0)
        return refuse_free(__func__, self, p);
    tca_freed_add(self, p, bytes, f.place);
    if (kind == tcaMemoryCPU)
        tca_race_freed(self, &(struct host_freed){ p, bytes, hp.offset }, f.place);
    return TCA_SUCCESS;
}

/** Do n bytes of memory begin at `p`, as far as its first and its last one show? */
static bool is_memory(struct host *h, const uint8_t *p, size_t n)
{
    struct host_pointer first = h->memory->pointer(h, p), last;

    if (n > UINTPTR_MAX - (uintptr_t)p)
        return false;
    last = h->memory->pointer(h, p + (n > 1 ? n - 1 : 0));
    return first.kind == last.kind && first.gpu == last.gpu;
}

/* The board knows handles only, and takes one that ends anywhere in memory. */
static void check_end(const struct tca_rank *self, const void *p, size_t n, struct host_place place)
{
    struct host *h = self->h;
    uint64_t left = (h->checks & HOST_CHECK_HEAP) != 0 ? h->memory->left(h, p) : 0;
    char at[160], line[400];

    if (left == 0 || n <= left) /* 0: what another rank shares, or the check is off */
        return;
    h->process->place(h, place.from, at, sizeof(at));
    (void)snprintf(line, sizeof(line),
                   "rank %u on node %u at %.6f us: %s%s: n = %zu at p = %p: expected %llu or less, "
                   "where its memory ends",
                   h->rank, h->node->index, (double)h->cpu->time_ps(h) * 1e-6, place.call, at, n, p,
                   (unsigned long long)left);
    h->process->found(h, line);
}

tcaresult tcaCreateHandle(tcaHandle *h, void *p, size_t n, tcaMemoryKind kind)
{
    struct tca_rank *self = tca_enter(__func__);
    enum host_pointer_kind want = kind == tcaMemoryCPU ? HOST_PINNED : HOST_GPU;
    enum host_pointer_kind is;
    unsigned area = DRIVER_NO_AREA;
    tcaHandle made;
    tcaresult code;

    if (self == NULL)
        return TCA_ERROR_NOT_INITIALIZED;
    if (h == NULL || p == NULL)
        return tca_refuse(__func__, TCA_ERROR_INVALID_VALUE, "%s = NULL: expected %s",
                          h == NULL ? "h" : "p", h == NULL ? "a tcaHandle" : "memory");
    if (!kind_ok(kind))
        return refuse_kind(__func__, kind);
    is = self->h->memory->pointer(self->h, p).kind;
    if (is != want)
        return refuse_pointer(__func__, p, is, kind);
    if (!is_memory(self->h, p, n))
        return tca_refuse(__func__, TCA_ERROR_INVALID_VALUE,
                          "n = %zu: the memory at p = %p ends before", n, p);
    memset(&made, 0, sizeof(made)); /* handles are compared and sent as bytes */
    made.magic = TCA_HANDLE_MAGIC;
    made.subcluster = (uint16_t)self->d->subcluster;
    made.node = (uint16_t)self->d->slot;
    made.kind = (uint8_t)kind;
    made.size = n;
    code =
        tca_from_driver(driver_address(self->h, p, n != 0 ? n : 1, &made.bus, &area, &made.offset));
    made.area = (uint8_t)area;
    if (code != TCA_SUCCESS)
        return tca_refuse(__func__, code, "n = %zu at p = %p: no device reaches all of it", n, p);
    check_end(self, p, n, HOST_PLACE_OF_CALLER());
    *h = made;
    return code;
}

tcaresult tcaDestroyHandle(tcaHandle *h)
{
    struct tca_rank *self = tca_enter(__func__);

    if (self == NULL)
        return TCA_ERROR_NOT_INITIALIZED;
    if (!tca_handle_ok(h))
        return tca_refuse_handle(__func__, "h", h);
    if (!tca_reaches(self, h) || h->node != self->d->slot)
        return tca_refuse(__func__, TCA_ERROR_INVALID_VALUE,
                          "h: memory of another node, in part %u: expected a handle of the own one",
                          h->node);
    h->magic = 0;
    return TCA_SUCCESS;
}
