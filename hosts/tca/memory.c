#include <string.h>

#include "hosts/tca/internal.h"

static bool kind_ok(tcaMemoryKind kind)
{
    return kind == tcaMemoryCPU || kind == tcaMemoryGPU;
}

tcaresult tcaMalloc(void **p, size_t n, tcaMemoryKind kind)
{
    struct tca_rank *self = tca_enter();
    uint64_t room = host_round_up(n != 0 ? n : 1, HOST_GPU_PAGE);
    void *got;
    uint64_t bus = 0;

    if (self == NULL)
        return TCA_ERROR_NOT_INITIALIZED;
    if (p == NULL || !kind_ok(kind))
        return TCA_ERROR_INVALID_VALUE;
    if (n > SIZE_MAX - HOST_GPU_PAGE)
        return TCA_ERROR_OUT_OF_MEMORY;
    host_spend_cost(self->h, HOST_COST_SYSCALL);
    if (kind == tcaMemoryGPU && self->h->gpu >= self->d->ngpus)
        return TCA_ERROR_NOT_SUPPORTED;
    got = kind == tcaMemoryCPU ? self->h->memory->alloc(self->h, n != 0 ? n : 1, HOST_PAGE)
                               : self->h->gpus->alloc(self->h, self->h->gpu, room, HOST_GPU_PAGE);
    if (got == NULL)
        return TCA_ERROR_OUT_OF_MEMORY;
    if (kind == tcaMemoryGPU) {
        uint64_t offset = self->h->memory->pointer(self->h, got).offset;

        if (driver_pin_gpu(self->h, self->h->gpu, offset, room, &bus) != DRIVER_OK) {
            self->h->gpus->free(self->h, self->h->gpu, got);
            return TCA_ERROR_OUT_OF_MEMORY;
        }
    }
    *p = got;
    return TCA_SUCCESS;
}

tcaresult tcaFree(void *p, tcaMemoryKind kind)
{
    struct tca_rank *self = tca_enter();
    struct host_pointer hp;

    if (self == NULL)
        return TCA_ERROR_NOT_INITIALIZED;
    if (!kind_ok(kind))
        return TCA_ERROR_INVALID_VALUE;
    if (p == NULL)
        return TCA_SUCCESS;
    hp = self->h->memory->pointer(self->h, p);
    if (hp.kind != (kind == tcaMemoryCPU ? HOST_PINNED : HOST_GPU))
        return TCA_ERROR_INVALID_VALUE;
    host_spend_cost(self->h, HOST_COST_SYSCALL);
    if (!(kind == tcaMemoryCPU ? self->h->memory->free(self->h, p) : driver_free_gpu(self->h, p)))
        return TCA_ERROR_INVALID_VALUE;
    return TCA_SUCCESS;
}

tcaresult tcaCreateHandle(tcaHandle *h, void *p, size_t n, tcaMemoryKind kind)
{
    struct tca_rank *self = tca_enter();
    enum host_pointer_kind want = kind == tcaMemoryCPU ? HOST_PINNED : HOST_GPU;
    unsigned area = DRIVER_NO_AREA;
    tcaHandle made;
    tcaresult code;

    if (self == NULL)
        return TCA_ERROR_NOT_INITIALIZED;
    if (h == NULL || p == NULL || !kind_ok(kind) ||
        self->h->memory->pointer(self->h, p).kind != want ||
        (n > 1 && self->h->memory->pointer(self->h, (char *)p + (n - 1)).kind != want))
        return TCA_ERROR_INVALID_VALUE;
    memset(&made, 0, sizeof(made)); /* handles are compared and sent as bytes */
    made.magic = TCA_HANDLE_MAGIC;
    made.subcluster = (uint16_t)self->d->subcluster;
    made.node = (uint16_t)self->d->slot;
    made.kind = (uint8_t)kind;
    made.size = n;
    code =
        tca_from_driver(driver_address(self->h, p, n != 0 ? n : 1, &made.bus, &area, &made.offset));
    made.area = (uint8_t)area;
    if (code == TCA_SUCCESS)
        *h = made;
    return code;
}

tcaresult tcaDestroyHandle(tcaHandle *h)
{
    struct tca_rank *self = tca_enter();

    if (self == NULL)
        return TCA_ERROR_NOT_INITIALIZED;
    if (!tca_handle_ok(h) || !tca_reaches(self, h) || h->node != self->d->slot)
        return TCA_ERROR_INVALID_VALUE;
    h->magic = 0;
    return TCA_SUCCESS;
}
