#include "hosts/tca/internal.h"

/* A handle that was never set, or is damaged, leads anywhere; the mapped window has an end. */
static bool is_in_window(const struct tca_rank *self, uint64_t offset, uint64_t size)
{
    return offset <= self->d->window.bytes && size <= self->d->window.bytes - offset;
}

tcaresult tcaSetPIORegion(tcaPIOHandle *pio, tcaHandle *remote, off_t off, size_t n)
{
    struct tca_rank *self = tca_enter(__func__);
    uint64_t offset, size;

    (void)n; /* callers pass less than they use later; the handle is the bound */
    if (self == NULL)
        return TCA_ERROR_NOT_INITIALIZED;
    if (pio == NULL)
        return tca_refuse(__func__, TCA_ERROR_INVALID_VALUE, "pio = NULL: expected a tcaPIOHandle");
    if (!tca_handle_ok(remote))
        return tca_refuse_handle(__func__, "remote", remote);
    if (!tca_within(remote->size, off, 0))
        return tca_refuse(__func__, TCA_ERROR_INVALID_VALUE,
                          "off = %lld: expected 0 .. %llu, the size of the handle", (long long)off,
                          (unsigned long long)remote->size);
    if (remote->node >= self->d->slots)
        return tca_refuse(__func__, TCA_ERROR_INVALID_VALUE,
                          "remote: memory of part %u of the window: it has %u", remote->node,
                          self->d->slots);
    if (!tca_reaches(self, remote)) /* only the control network leads there */
        return tca_refuse_reach(__func__, "remote", remote, self);
    if (remote->area != HUB_AREA_HOST) /* the library offers host memory only, peach2.h both */
        return tca_refuse(__func__, TCA_ERROR_NOT_SUPPORTED,
                          "remote: memory of a GPU: expected host memory");
    if (remote->node == self->d->slot) /* the hub sends nothing back to where it came from */
        return tca_refuse(__func__, TCA_ERROR_NOT_SUPPORTED,
                          "remote: memory of the own node: expected that of another one");
    offset = driver_window(self->d, remote->node, remote->area, remote->offset) + (uint64_t)off -
             self->d->window_bus;
    size = remote->size - (uint64_t)off;
    if (!is_in_window(self, offset, size))
        return tca_refuse(
            __func__, TCA_ERROR_INVALID_VALUE,
            "remote: memory beyond the window: expected a handle of tcaCreateHandle()");
    pio->offset = offset;
    pio->size = size;
    return TCA_SUCCESS;
}

tcaresult tcaSendPIO(tcaPIOHandle *pio, size_t off, void *buf, size_t n)
{
    struct tca_rank *self = tca_enter(__func__);

    if (self == NULL)
        return TCA_ERROR_NOT_INITIALIZED;
    if (pio == NULL || (buf == NULL && n > 0))
        return tca_refuse(__func__, TCA_ERROR_INVALID_VALUE, "%s = NULL: expected %s",
                          pio == NULL ? "pio" : "buf", pio == NULL ? "a tcaPIOHandle" : "bytes");
    if (!is_in_window(self, pio->offset, pio->size))
        return tca_refuse(
            __func__, TCA_ERROR_INVALID_VALUE,
            "pio leads beyond the window: expected one that tcaSetPIORegion() has set");
    if (off > pio->size || n > pio->size - off)
        return tca_refuse(__func__, TCA_ERROR_INVALID_VALUE,
                          "off = %zu, n = %zu: expected an end at %llu or before, where the "
                          "handle's memory ends",
                          off, n, (unsigned long long)pio->size);
    if (n > 0) {
        tca_race_stored(self, pio->offset + off, buf, n, HOST_PLACE_OF_CALLER());
        self->h->bus->store_block(self->h, &self->d->window, pio->offset + off, buf, n);
    }
    return TCA_SUCCESS;
}

tcaresult tcaSendPIOCommit(void)
{
    struct tca_rank *self = tca_enter(__func__);

    if (self == NULL)
        return TCA_ERROR_NOT_INITIALIZED;
    self->h->bus->fence(self->h);
    return TCA_SUCCESS;
}
