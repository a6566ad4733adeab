/* Registered memory. Unless it is lent to one transfer (bounce.c) it stays so: registering takes
 * far longer than a message. */
#include <stdlib.h>

#include "hosts/driver/driver.h"
#include "hosts/transport/ib/region.h"

/** GPU memory that was freed and is another allocation now lies elsewhere in the BAR. */
static bool still_there(struct ibt *ib, const struct ibt_region *r)
{
    struct host_pointer where;
    uint64_t bus;

    if (!r->gpu)
        return true;
    where = ib->t.host->memory->pointer(ib->t.host, r->at);
    return where.kind == HOST_GPU &&
           driver_pin_gpu(ib->t.host, where.gpu, where.offset, r->bytes, &bus) == DRIVER_OK &&
           bus == r->region.bus;
}

static const struct verbs_region *find_region(struct ibt *ib, uint64_t address, uint64_t bytes,
                                              uint64_t *offset_p)
{
    uint32_t i;

    while (ibt_cover_find(&ib->cover, address, bytes, &i)) {
        struct ibt_region *r = &ib->regions[i];

        if (still_there(ib, r)) {
            *offset_p = address - r->address;
            return &r->region;
        }
        verbs_deregister(&ib->v, &r->region);
        ibt_cover_drop(&ib->cover, i);
        *r = ib->regions[--ib->nregions];
    }
    return NULL;
}

static bool make_room(struct ibt *ib)
{
    unsigned n = ib->regions_room * 2 + 16;
    struct ibt_region *more;

    if (ib->nregions < ib->regions_room)
        return true;
    more = realloc(ib->regions, n * sizeof(*more));
    if (more == NULL)
        return false;
    ib->regions = more;
    ib->regions_room = n;
    return true;
}

const struct verbs_region *ibt_region_find(struct ibt *ib, const void *p, uint64_t bytes,
                                           uint64_t *offset_p)
{
    return find_region(ib, ib->t.host->memory->address(ib->t.host, p), bytes, offset_p);
}

const struct verbs_region *ibt_region(struct ibt *ib, const void *p, uint64_t bytes,
                                      uint64_t *offset_p)
{
    uint64_t address = ib->t.host->memory->address(ib->t.host, p);
    const struct verbs_region *known = find_region(ib, address, bytes, offset_p);
    const uint32_t access = IB_ACCESS_LOCAL | IB_ACCESS_WRITE | IB_ACCESS_READ;
    struct ibt_region r = { .at = p, .address = address, .bytes = bytes };

    if (known != NULL)
        return known;
    r.gpu = ib->t.host->memory->pointer(ib->t.host, p).kind == HOST_GPU;
    if (!make_room(ib) || !verbs_register(&ib->v, p, bytes, access, &r.region) ||
        !ibt_cover_add(&ib->cover, address, bytes))
        return NULL;
    *offset_p = 0;
    ib->regions[ib->nregions] = r;
    return &ib->regions[ib->nregions++].region;
}
