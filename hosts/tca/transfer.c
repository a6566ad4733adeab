#include <stdio.h>

#include "hosts/tca/internal.h"

static tcaresult refuse_broken(const char *call, const struct tca_rank *self, int ch)
{
    const struct host_place *freed = tca_freed_source(self, ch);
    char place[160];

    if (freed == NULL)
        return tca_refuse(call, TCA_ERROR_DMA, "a transfer of channel %d broke off", ch);
    self->h->process->place(self->h, freed->from, place, sizeof(place));
    return tca_refuse(
        call, TCA_ERROR_DMA,
        "a transfer of channel %d broke off: its list reads memory that %s%s has freed", ch,
        freed->call, place);
}

static bool has_set_list(const struct tca_rank *self, int ch)
{
    return self->sources[ch].n != 0;
}

/* Has another rank of the node put its list in the place of that of this one? Who has set none may
 * mean the other's. A line for each channel is enough. */
static void look_at_list(struct tca_rank *self, struct host_place start, int ch)
{
    const struct driver_chain *list = self->d->channel[ch].installed;
    struct host *h = self->h, *by = list->by;
    char at[160], set_at[160], line[600];

    if (by == h || !has_set_list(self, ch) || (self->strangers >> ch & 1) != 0)
        return;
    self->strangers |= 1u << ch;
    h->process->place(h, start.from, at, sizeof(at));
    by->process->place(by, list->place.from, set_at, sizeof(set_at));
    (void)snprintf(line, sizeof(line),
                   "rank %u on node %u at %.6f us: %s%s: channel %d has the list of rank %u by "
                   "%s%s, and no longer that of this rank: expected other channels for each rank "
                   "of a node",
                   h->rank, h->node->index, (double)h->cpu->time_ps(h) * 1e-6, start.call, at, ch,
                   by->rank, list->place.call, set_at);
    if (h->race != NULL)
        h->process->found(h, line);
    else
        h->process->remark(h, line);
}

/* What the driver does with a channel, with the call that does so known to reports. */
static tcaresult call_channel(struct host_place place, int ch,
                              int (*fn)(struct host *h, struct driver *d, unsigned channel))
{
    const char *name = place.call;
    struct tca_rank *self = tca_enter(name);
    tcaresult code;

    if (self == NULL)
        return TCA_ERROR_NOT_INITIALIZED;
    if (ch < 0 || ch >= (int)HUB_DMA_CHANNELS)
        return tca_refuse_channel(name, ch);
    if (fn == driver_chain_start && self->d->channel[ch].installed == NULL)
        return tca_refuse(name, TCA_ERROR_INVALID_VALUE,
                          "channel %d has no list: tcaDescSet() gives it one", ch);
    if (fn == driver_chain_start)
        look_at_list(self, place, ch);
    if (self->h->race != NULL && fn == driver_chain_start)
        self->h->race->start(self->h, (unsigned)ch, place);
    self->h->call = (struct host_call){ .name = name, .channel = ch };
    code = tca_from_driver(fn(self->h, self->d, (unsigned)ch));
    self->h->call.name = NULL;
    if (self->h->race != NULL && code != TCA_SUCCESS)
        self->h->race->failed(self->h, (unsigned)ch, fn != driver_chain_start);
    if (self->h->race != NULL && fn == driver_channel_wait)
        self->h->race->idle(self->h, (unsigned)ch);
    return code == TCA_ERROR_DMA ? refuse_broken(name, self, ch) : code;
}

tcaresult tcaStartDMADesc(int ch)
{
    return call_channel(HOST_PLACE_OF_CALLER(), ch, driver_chain_start);
}

tcaresult tcaWaitDMAC(int ch)
{
    return call_channel(HOST_PLACE_OF_CALLER(), ch, driver_channel_wait);
}

static bool other_notice(const void *arg, const struct host_notice *notice,
                         struct host_notice *other_p)
{
    const struct driver *d = arg;
    uint64_t key;

    if (!notify_count_least(&d->counts, notice->part, &key) &&
        !notify_count_alike(&d->counts, notice->slot, notice->tag, &key))
        return false;
    *other_p = (struct host_notice){ (unsigned)(key >> 48),
                                     (unsigned)(key >> 32 & (NOTIFY_SLOTS - 1)), (uint32_t)key };
    return true;
}

tcaresult tcaWaitDMARecvDesc(tcaHandle *h, int slot, int tag)
{
    struct tca_rank *self = tca_enter(__func__);

    if (self == NULL)
        return TCA_ERROR_NOT_INITIALIZED;
    if (!tca_handle_ok(h))
        return tca_refuse_handle(__func__, "h", h);
    if (slot < 0 || slot >= (int)NOTIFY_SLOTS)
        return tca_refuse(__func__, TCA_ERROR_INVALID_VALUE, "slot = %d: expected 0 .. %u", slot,
                          NOTIFY_SLOTS - 1);
    if (!tca_reaches(self, h)) /* nothing would ever come from there */
        return tca_refuse_reach(__func__, "h", h, self);
    self->h->call = (struct host_call){ .name = __func__,
                                        .notice = { h->node, (unsigned)slot, (unsigned)tag },
                                        .channel = -1,
                                        .own = h->node == self->d->slot,
                                        .other = other_notice,
                                        .other_arg = self->d };
    driver_wait_notify(self->h, self->d, h->node, (unsigned)slot, (uint32_t)tag);
    self->h->call.name = NULL;
    if (self->h->race != NULL)
        self->h->race->notified(self->h, h->node, (unsigned)slot, (uint32_t)tag);
    return TCA_SUCCESS;
}
