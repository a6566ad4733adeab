/* Where the rank has freed memory, for a second tcaFree() of it, and for lists that read it. */
#define _GNU_SOURCE /* tdestroy, twalk_r */
#include <search.h>
#include <stdlib.h>

#include "hosts/tca/internal.h"

struct freed {
    struct host_freed memory;
    struct host_place place;
};

static int compare_freed(const void *a, const void *b)
{
    const struct freed *x = a, *y = b;

    return (x->memory.p > y->memory.p) - (x->memory.p < y->memory.p);
}

static struct freed *find_freed(const struct tca_rank *self, const void *p)
{
    const struct freed key = { .memory.p = p };
    struct freed *const *node = tfind(&key, &self->freed, compare_freed);

    return node != NULL ? *node : NULL;
}

/* Without room for it a second tcaFree() is refused as well, but not with the place. */
void tca_freed_add(struct tca_rank *self, const struct host_freed *freed, struct host_place place)
{
    struct freed *f;

    tca_freed_remove(self, freed->p);
    f = malloc(sizeof(*f));
    if (f == NULL)
        return;
    *f = (struct freed){ *freed, place };
    if (tsearch(f, &self->freed, compare_freed) == NULL)
        free(f);
}

void tca_freed_remove(struct tca_rank *self, const void *p)
{
    struct freed *f = find_freed(self, p);

    if (f == NULL)
        return;
    (void)tdelete(f, &self->freed, compare_freed);
    free(f);
}

const struct host_place *tca_freed_place(const struct tca_rank *self, const void *p)
{
    const struct freed *f = find_freed(self, p);

    return f != NULL ? &f->place : NULL;
}

void tca_freed_install(struct tca_rank *self, const tcaDesc *d, int ch)
{
    struct tca_sources *sources = &self->sources[ch];

    free(sources->at);
    sources->at = calloc(d->n, sizeof(*sources->at));
    sources->n = sources->at != NULL ? d->n : 0;
    for (size_t i = 0; i < sources->n; i++) {
        const struct tca_put *p = &d->puts[i];

        sources->at[i].at = p->src_bus;
        sources->at[i].bytes = (p->count - 1) * (p->width + p->src_gap) + p->width;
    }
}

struct search {
    const struct tca_rank *self;
    const struct tca_sources *sources;
    const struct host_place *found;
};

/* Its pages may be reached again, as another owner's. */
static bool is_reached(struct host *h, const struct host_freed *freed)
{
    struct host_pointer hp = h->memory->pointer(h, freed->p);

    return hp.kind != HOST_GPU || driver_gpu_bus(h, hp.gpu, hp.offset) == freed->bus;
}

static void look_at(const void *node, VISIT when, void *arg)
{
    const struct freed *f = *(struct freed *const *)node;
    const struct host_freed *m = &f->memory;
    struct search *s = arg;

    if ((when != postorder && when != leaf) || is_reached(s->self->h, m))
        return;
    for (size_t i = 0; i < s->sources->n; i++) {
        const struct tca_source *source = &s->sources->at[i];

        if (source->at < m->bus + m->bytes && m->bus < source->at + source->bytes)
            s->found = &f->place;
    }
}

const struct host_place *tca_freed_source(const struct tca_rank *self, int ch)
{
    struct search s = { self, &self->sources[ch], NULL };

    twalk_r(self->freed, look_at, &s);
    return s.found;
}

void tca_freed_fini(struct tca_rank *self)
{
    for (unsigned c = 0; c < HUB_DMA_CHANNELS; c++)
        free(self->sources[c].at);
    tdestroy(self->freed, free);
}
