#include "hosts/tca/internal.h"

tcaresult tcaSetPIORegion(tcaPIOHandle *pio, tcaHandle *remote, off_t off, size_t n)
{
    struct tca_rank *self = tca_enter();

    (void)n; /* callers pass less than they use later; the handle is the bound */
    if (self == NULL)
        return TCA_ERROR_NOT_INITIALIZED;
    if (pio == NULL || !tca_handle_ok(remote) || !tca_within(remote->size, off, 0) ||
        remote->node >= self->d->slots)
        return TCA_ERROR_INVALID_VALUE;
    if (!tca_reaches(self, remote))
        return TCA_ERROR_NOT_SUPPORTED; /* only the control network leads there */
    if (remote->area != HUB_AREA_HOST)
        return TCA_ERROR_NOT_SUPPORTED; /* the library offers host memory only, peach2.h both */
    pio->offset = driver_window(self->d, remote->node, remote->area, remote->offset) +
                  (uint64_t)off - self->d->window_bus;
    pio->size = remote->size - (uint64_t)off;
    return TCA_SUCCESS;
}

tcaresult tcaSendPIO(tcaPIOHandle *pio, size_t off, void *buf, size_t n)
{
    struct tca_rank *self = tca_enter();

    if (self == NULL)
        return TCA_ERROR_NOT_INITIALIZED;
    if (pio == NULL || (buf == NULL && n > 0) || off > pio->size || n > pio->size - off)
        return TCA_ERROR_INVALID_VALUE;
    if (n > 0)
        self->h->bus->store_block(self->h, &self->d->window, pio->offset + off, buf, n);
    return TCA_SUCCESS;
}

tcaresult tcaSendPIOCommit(void)
{
    struct tca_rank *self = tca_enter();

    if (self == NULL)
        return TCA_ERROR_NOT_INITIALIZED;
    self->h->bus->fence(self->h);
    return TCA_SUCCESS;
}
