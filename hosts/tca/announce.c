/* What the library says to the check for races. */
#include <stdlib.h>

#include "hosts/tca/internal.h"

void tca_race_part(const struct tca_rank *self)
{
    const struct driver *d = self->d;

    if (self->h->race != NULL)
        self->h->race->part(self->h, d->subcluster, d->slot, d->area_base);
}

static struct host_put put_of(const struct tca_rank *self, const struct tca_put *p)
{
    return (struct host_put){ .from = tca_put_rows(p, p->src_bus, p->src_gap),
                              .to = tca_put_rows(p, p->dst.offset + p->dst_off, p->dst_gap),
                              .subcluster = self->d->subcluster,
                              .part = p->dst.node,
                              .area = p->dst.area,
                              .notifies = (p->flags & tcaDMANotify) != 0,
                              .notifies_self = (p->flags & tcaDMANotifySelf) != 0,
                              .slot = p->slot,
                              .tag = p->tag };
}

void tca_race_install(const struct tca_rank *self, const tcaDesc *d, int ch)
{
    struct host_put *puts;

    if (self->h->race == NULL)
        return;
    puts = calloc(d->n, sizeof(*puts));
    for (size_t i = 0; puts != NULL && i < d->n; i++)
        puts[i] = put_of(self, &d->puts[i]);
    if (puts != NULL)
        self->h->race->install(self->h, (unsigned)ch, puts, (unsigned)d->n);
    free(puts);
}

void tca_race_forgotten(const struct tca_rank *self)
{
    struct notify_counts *counts = &self->d->counts;
    uint8_t flush;
    uint64_t key;

    if (self->h->race == NULL)
        return;
    for (unsigned part = 0; part < NOTIFY_SOURCES; part++)
        while (notify_count_least(counts, part, &key) && notify_count_take(counts, key, &flush))
            self->h->race->forgotten(self->h, part, (unsigned)(key >> 32 & (NOTIFY_SLOTS - 1)),
                                     (uint32_t)key);
}

void tca_race_stored(const struct tca_rank *self, uint64_t offset, const void *from, uint64_t bytes,
                     struct host_place place)
{
    const struct driver *d = self->d;
    struct host_put put = { .subcluster = d->subcluster,
                            .part = (unsigned)(offset / d->part_bytes),
                            .area = HUB_AREA_HOST };

    if (self->h->race == NULL)
        return;
    put.to = (struct host_rows){ .at = offset % d->part_bytes - HUB_AREA_HOST * d->area_bytes,
                                 .width = bytes,
                                 .count = 1 };
    self->h->race->used(self->h, (struct host_rows){ (uintptr_t)from, bytes, 1, bytes }, 0,
                        HOST_LOADS, place);
    self->h->race->stored(self->h, &put, place);
}

void tca_race_freed(const struct tca_rank *self, const struct host_freed *freed,
                    struct host_place place)
{
    if (self->h->race != NULL)
        self->h->race->freed(self->h, freed, place);
}
