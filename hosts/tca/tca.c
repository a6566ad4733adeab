#include "hosts/tca/internal.h"

#include <stdlib.h>

static void release_state(void *kept)
{
    struct tca_state *state = kept;

    tca_tables_free(state);
    tca_descs_free(state);
    free(state);
}

struct tca_state *tca_state_of(struct host *h)
{
    return host_state_of(h->states, release_state);
}

struct tca_state *tca_state_make(struct host *h)
{
    struct tca_state *state = tca_state_of(h);

    if (state == NULL && (state = calloc(1, sizeof(*state))) != NULL)
        host_state_add(&h->states, &state->kept, release_state);
    return state;
}

tcaresult tca_enter(struct tca_self *self_p)
{
    struct host *h = host_self();

    if (h == NULL || tca_state_of(h) == NULL || !tca_state_of(h)->initialized)
        return TCA_ERROR_NOT_INITIALIZED;
    *self_p = (struct tca_self){ h, driver_of(h) };
    host_spend_cost(h, HOST_COST_CALL);
    return TCA_SUCCESS;
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

    if (h == NULL || driver_of(h) == NULL || !driver_of(h)->has_hub)
        return TCA_ERROR_NOT_SUPPORTED;
    host_spend_cost(h, HOST_COST_SYSCALL);
    if (tca_state_make(h) == NULL)
        return TCA_ERROR_OUT_OF_MEMORY;
    tca_state_of(h)->initialized = true;
    return TCA_SUCCESS;
}

tcaresult tcaReset(void)
{
    struct tca_self self;
    tcaresult code = tca_enter(&self);

    if (code != TCA_SUCCESS)
        return code;
    for (unsigned c = 0; c < HUB_DMA_CHANNELS; c++)
        driver_channel_wait(self.h, self.d, c); /* what broke off is forgotten too */
    driver_ring_drain(self.h, self.d);
    notify_counts_clear(&self.d->counts);
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
