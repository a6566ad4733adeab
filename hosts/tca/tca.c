#include "hosts/tca/internal.h"

#include <stdlib.h>

static void release_rank(void *kept)
{
    struct tca_rank *self = kept;

    tca_tables_free(self);
    tca_descs_free(self);
    tca_freed_fini(self);
    free(self);
}

static struct tca_rank *find_rank(void)
{
    struct host *h = host_self();

    return h != NULL ? host_state_of(h->states, release_rank) : NULL;
}

struct tca_rank *tca_rank_make(void)
{
    struct tca_rank *self = find_rank();

    if (self == NULL && host_self() != NULL && (self = calloc(1, sizeof(*self))) != NULL) {
        self->h = host_self();
        host_state_add(&self->h->states, &self->kept, release_rank);
    }
    return self;
}

struct tca_rank *tca_enter(const char *call)
{
    struct tca_rank *self = find_rank();

    if (self == NULL || self->d == NULL) {
        (void)tca_refuse(call, TCA_ERROR_NOT_INITIALIZED, "tcaInit() was not called");
        return NULL;
    }
    host_spend_cost(self->h, HOST_COST_CALL);
    return self;
}

tcaresult tca_from_driver(int driver_status)
{
    switch (driver_status) {
    case DRIVER_OK:
        return TCA_SUCCESS;
    case DRIVER_ERR_NOMEM:
        return TCA_ERROR_OUT_OF_MEMORY;
    case DRIVER_ERR_DMA:
        return TCA_ERROR_DMA;
    default:
        return TCA_ERROR_INVALID_VALUE;
    }
}

tcaresult tcaInit(void)
{
    struct host *h = host_self();
    struct tca_rank *self;

    if (h == NULL || driver_of(h) == NULL || !driver_of(h)->has_hub)
        return tca_refuse(__func__, TCA_ERROR_NOT_SUPPORTED, "this node has no hub");
    host_spend_cost(h, HOST_COST_SYSCALL);
    self = tca_rank_make();
    if (self == NULL || (self->ntables == 0 && tca_table_make(self, TCA_TABLE_CAPACITY) < 0))
        return tca_refuse(__func__, TCA_ERROR_OUT_OF_MEMORY, "out of memory");
    self->d = driver_of(h);
    tca_race_part(self);
    return TCA_SUCCESS;
}

tcaresult tcaReset(void)
{
    struct tca_rank *self = tca_enter(__func__);

    if (self == NULL)
        return TCA_ERROR_NOT_INITIALIZED;
    for (unsigned c = 0; c < HUB_DMA_CHANNELS; c++) {
        int code = driver_channel_wait(self->h, self->d, c); /* what broke off is forgotten too */

        if (self->h->race != NULL && code != DRIVER_OK)
            self->h->race->failed(self->h, c, true);
        if (self->h->race != NULL)
            self->h->race->idle(self->h, c);
    }
    driver_ring_drain(self->h, self->d);
    tca_race_forgotten(self);
    notify_counts_clear(&self->d->counts);
    return TCA_SUCCESS;
}

const char *tcaGetErrorString(tcaresult r)
{
    switch (r) {
    case TCA_SUCCESS:
        return "no error";
    case TCA_ERROR_INVALID_VALUE:
        return "invalid value";
    case TCA_ERROR_OUT_OF_MEMORY:
        return "out of memory or descriptors";
    case TCA_ERROR_NOT_SUPPORTED:
        return "not supported";
    case TCA_ERROR_NOT_INITIALIZED:
        return "tcaInit() was not called";
    case TCA_ERROR_DMA:
        return "a transfer broke off";
    default:
        return "unknown error";
    }
}
