#include "hosts/tca/internal.h"

static tcaresult enter_channel(struct tca_self *self_p, int ch)
{
    tcaresult code = tca_enter(self_p);

    if (code == TCA_SUCCESS && (ch < 0 || ch >= (int)HUB_DMA_CHANNELS))
        code = TCA_ERROR_INVALID_VALUE;
    return code;
}

tcaresult tcaStartDMADesc(int ch)
{
    struct tca_self self;
    tcaresult code = enter_channel(&self, ch);

    if (code != TCA_SUCCESS)
        return code;
    self.h->call = (struct host_call){ .name = __func__, .channel = ch };
    code = tca_from_driver(driver_chain_start(self.h, self.d, (unsigned)ch));
    self.h->call.name = NULL;
    return code;
}

tcaresult tcaWaitDMAC(int ch)
{
    struct tca_self self;
    tcaresult code = enter_channel(&self, ch);

    if (code != TCA_SUCCESS)
        return code;
    self.h->call = (struct host_call){ .name = __func__, .channel = ch };
    code = tca_from_driver(driver_channel_wait(self.h, self.d, (unsigned)ch));
    self.h->call.name = NULL;
    return code;
}

tcaresult tcaWaitDMARecvDesc(tcaHandle *h, int slot, int tag)
{
    struct tca_self self;
    tcaresult code = tca_enter(&self);

    if (code != TCA_SUCCESS)
        return code;
    if (!tca_handle_ok(h) || slot < 0 || slot >= (int)NOTIFY_SLOTS)
        return TCA_ERROR_INVALID_VALUE;
    if (!tca_reaches(&self, h))
        return TCA_ERROR_NOT_SUPPORTED; /* nothing would ever come from there */
    self.h->call = (struct host_call){ .name = __func__,
                                       .part = h->node,
                                       .slot = (unsigned)slot,
                                       .tag = (unsigned)tag,
                                       .channel = -1 };
    driver_wait_notify(self.h, self.d, h->node, (unsigned)slot, (uint32_t)tag);
    self.h->call.name = NULL;
    return TCA_SUCCESS;
}
