/* What the library says to the check for races: calls use memory of the program at once. */
#include "hosts/cuda/internal.h"

struct announce {
    struct host *h;
    enum host_use use;
    struct host_place place;
};

static void announce_part(void *arg, const struct host_freed *part)
{
    const struct announce *a = arg;
    const struct host_rows row = { (uintptr_t)part->p, part->bytes, 1, part->bytes };

    a->h->race->used(a->h, row, part->bus, a->use, a->place);
}

/* Libraries know memory of a GPU by its address, the board by that of the bus. */
void cuda_race_used(const struct cuda_rank *cr, struct host_rows rows, enum host_use use,
                    struct host_place place)
{
    struct announce a = { cr->h, use, place };

    if (cr->h->race == NULL || rows.width == 0)
        return;
    cr->h->race->used(cr->h, rows, 0, use, place);
    for (uint64_t i = 0; i < rows.count; i++)
        driver_pinned_gpu(cr->h, (const void *)(uintptr_t)(rows.at + i * rows.pitch), // NOLINT
                          rows.width, announce_part, &a);
}

static void announce_freed(void *arg, const struct host_freed *part)
{
    const struct announce *a = arg;

    if (a->h->race != NULL)
        a->h->race->freed(a->h, part, a->place);
}

uint64_t cuda_free(struct cuda_rank *cr, void *p, struct host_place place)
{
    struct announce a = { cr->h, HOST_FREES, place };
    struct host_pointer hp = cr->h->memory->pointer(cr->h, p);
    uint64_t bytes;

    if (hp.kind == HOST_PINNED) {
        bytes = cr->h->memory->free(cr->h, p);
        if (bytes != 0)
            announce_freed(&a, &(struct host_freed){ p, bytes, hp.offset });
        return bytes;
    }
    bytes = driver_free_gpu(cr->h, p, announce_freed, &a);
    cuda_gdr_freed(cr, p, bytes);
    /* What is not pinned has no place on the bus: its present uses are all that can be seen. */
    if (cr->h->race != NULL && bytes != 0)
        cr->h->race->used(cr->h, (struct host_rows){ (uintptr_t)p, bytes, 1, bytes }, 0, a.use,
                          place);
    return bytes;
}
