/*
 * Where the rank has freed memory, for a second tcaFree() of it, and for lists that read what has
 * left the bus. Both are kept in trees of ranges that do not overlap. For these, two ranges are
 * equal when they overlap, so a tree finds the one that a range meets.
 */
#define _GNU_SOURCE /* tdestroy */
#include <search.h>
#include <stdlib.h>

#include "hosts/tca/internal.h"

struct freed {
    uint64_t at, bytes; /* an address of the process, or of the bus */
    struct host_place place;
};

static int compare_freed(const void *a, const void *b)
{
    const struct freed *x = a, *y = b;

    return (x->at >= y->at + y->bytes) - (y->at >= x->at + x->bytes);
}

static struct freed *find_freed(void *const *tree, uint64_t at, uint64_t bytes)
{
    const struct freed key = { .at = at, .bytes = bytes };
    struct freed *const *node = tfind(&key, tree, compare_freed);

    return node != NULL ? *node : NULL;
}

/* What the range meets in part goes as a whole: then a call fails without a place, not with a wrong
 * one. */
static void remove_freed(void **tree, uint64_t at, uint64_t bytes)
{
    struct freed *f;

    while ((f = find_freed(tree, at, bytes)) != NULL) {
        (void)tdelete(f, tree, compare_freed);
        free(f);
    }
}

/* Without room for it calls fail as well, but without the place. */
static void add_freed(void **tree, uint64_t at, uint64_t bytes, struct host_place place)
{
    struct freed *f = malloc(sizeof(*f));

    remove_freed(tree, at, bytes);
    if (f == NULL)
        return;
    *f = (struct freed){ at, bytes, place };
    if (tsearch(f, tree, compare_freed) == NULL)
        free(f);
}

void tca_freed_add(struct tca_rank *self, const void *p, uint64_t bytes, struct host_place place)
{
    add_freed(&self->freed, (uintptr_t)p, bytes, place);
}

void tca_freed_unpin(struct tca_rank *self, const struct host_freed *part, struct host_place place)
{
    add_freed(&self->unpinned, part->bus, part->bytes, place);
}

void tca_freed_remove(struct tca_rank *self, const void *p, uint64_t bytes)
{
    remove_freed(&self->freed, (uintptr_t)p, bytes);
}

const struct host_place *tca_freed_place(const struct tca_rank *self, const void *p)
{
    const struct freed *f = find_freed(&self->freed, (uintptr_t)p, 1);

    return f != NULL ? &f->place : NULL;
}

void tca_freed_install(struct tca_rank *self, const tcaDesc *d, int ch)
{
    struct tca_sources *sources = &self->sources[ch];

    free(sources->puts);
    sources->puts = calloc(d->n, sizeof(*sources->puts));
    sources->n = sources->puts != NULL ? d->n : 0;
    for (size_t i = 0; i < sources->n; i++)
        sources->puts[i] = tca_put_rows(&d->puts[i], d->puts[i].src_bus, d->puts[i].src_gap);
}

/* Others may have the pages by now, or pages may never have been there: only the first byte that
 * a row does not find is asked for. */
static const struct freed *find_unpinned(const struct tca_rank *self, const struct host_rows *rows)
{
    for (uint64_t i = 0; i < rows->count; i++) {
        uint64_t bus = driver_gpu_unpinned(self->h, rows->at + i * rows->pitch, rows->width);

        if (bus != HOST_NO_BUS)
            return find_freed(&self->unpinned, bus, 1);
    }
    return NULL;
}

const struct host_place *tca_freed_source(const struct tca_rank *self, int ch)
{
    const struct tca_sources *sources = &self->sources[ch];

    for (size_t i = 0; i < sources->n; i++) {
        const struct freed *f = find_unpinned(self, &sources->puts[i]);

        if (f != NULL)
            return &f->place;
    }
    return NULL;
}

void tca_freed_fini(struct tca_rank *self)
{
    for (unsigned c = 0; c < HUB_DMA_CHANNELS; c++)
        free(self->sources[c].puts);
    tdestroy(self->freed, free);
    tdestroy(self->unpinned, free);
}
