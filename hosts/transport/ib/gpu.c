/*
 * Between an entry, which is in host memory, and GPU memory. A few bytes the core loads or stores
 * through the BAR; more of them the adapter writes from one to the other by a connection to
 * itself; without GPUDirect the copy engine of the GPU does it.
 */
#include <string.h>

#include "hosts/driver/driver.h"
#include "hosts/transport/ib/region.h"

bool ibt_on_gpu(struct ibt *ib, const void *p, struct host_pointer *where_p)
{
    struct host *h = ib->t.host;

    if (ib->set.gpu_query_ps != 0 && h->gpus->number(h) > 0)
        h->cpu->spend(h, ib->set.gpu_query_ps);
    *where_p = h->memory->pointer(h, p);
    return where_p->kind == HOST_GPU;
}

/** Up to which size data of a GPU go as those across the sockets do; 0: it is on the adapter's. */
static uint32_t across_bytes(const struct ibt *ib, unsigned gpu)
{
    const struct driver *d = driver_of(ib->t.host);

    return ib->set.gdr && d->gpus[gpu].socket != ib->v.socket ? ib->set.gpu_across_bytes : 0;
}

uint32_t ibt_gpu_eager_bytes(const struct transport *t, unsigned gpu)
{
    const struct ibt *ib = (const struct ibt *)t;
    uint32_t across = across_bytes(ib, gpu);

    return across > ib->set.gpu_eager_bytes ? across : ib->set.gpu_eager_bytes;
}

bool ibt_gpu_loops(const struct ibt *ib, unsigned gpu, uint64_t bytes)
{
    return !ib->set.gpu_gather || bytes <= across_bytes(ib, gpu);
}

bool ibt_core_loads(const struct ibt *ib, uint64_t bytes)
{
    return ib->set.gdr && ib->set.gdrcopy && bytes <= ib->set.gpu_load_bytes;
}

static bool core_stores(const struct ibt *ib, unsigned gpu, uint64_t bytes)
{
    return ib->set.gdr && ib->set.gdrcopy &&
           (bytes <= ib->set.gpu_store_bytes || bytes <= across_bytes(ib, gpu));
}

/** Where the core finds GPU memory. */
static bool map_gpu(struct host *h, const struct host_pointer *where, uint64_t bytes,
                    struct host_bar *bar_p, uint64_t *offset_p)
{
    return driver_map_gpu(h, where, bytes, HOST_WRITE_COMBINING, bar_p, offset_p) == DRIVER_OK;
}

/** In one load where an aligned one holds all bytes, as far as a load reaches. */
static void load_bytes(struct host *h, const struct host_bar *bar, uint64_t offset, uint8_t *to,
                       uint64_t bytes)
{
    uint8_t line[16];
    uint64_t size = 1, skip;

    while (size < sizeof(line) && offset / size != (offset + bytes - 1) / size)
        size *= 2;
    skip = offset % size;
    if (skip + bytes > size) {
        h->bus->load_block(h, bar, offset, to, bytes);
        return;
    }
    h->bus->load_block(h, bar, offset - skip, line, size);
    memcpy(to, line + skip, bytes);
}

/** The adapter writes to itself. */
static void write_to_self(struct ibt *ib, const struct verbs_region *to, uint64_t to_offset,
                          const struct verbs_region *from, uint64_t from_offset, uint64_t bytes)
{
    struct ibt_op *op = &ib->ops[IBT_OP_OWN];
    struct verbs_send s = { .op = IB_WQE_WRITE,
                            .bytes = (uint32_t)bytes,
                            .far_offset = to_offset,
                            .far_key = to->key,
                            .region = from,
                            .offset = from_offset };

    ibt_post(ib, &ib->loop, &s, op);
    ibt_wait_op(ib, op);
}

void ibt_gpu_get(struct ibt *ib, void *to, const void *from, uint64_t bytes)
{
    struct host *h = ib->t.host;
    struct host_pointer where = h->memory->pointer(h, from);
    const struct verbs_region *region;
    struct host_bar bar;
    uint64_t offset;

    if (ibt_core_loads(ib, bytes) && map_gpu(h, &where, bytes, &bar, &offset)) {
        load_bytes(h, &bar, offset, to, bytes);
        return;
    }
    region = ibt_direct_out(ib, bytes) ? ibt_region(ib, from, bytes, &offset) : NULL;
    if (region != NULL)
        write_to_self(ib, &ib->mirror_region, (uint64_t)((uint8_t *)to - ib->mirror), region,
                      offset, bytes);
    else
        transport_copy_gpu(&ib->t, &where, h->memory->pointer(h, to).offset, false, bytes);
}

/** From host memory of the library; at most what the scratch memory holds. */
static void put_bytes(struct ibt *ib, const struct host_pointer *where, void *to,
                      const uint8_t *from, uint64_t bytes)
{
    struct host *h = ib->t.host;
    bool inbox = from >= ib->inbox && from < ib->inbox + ib->inbox_bytes;
    const struct verbs_region *region;
    struct host_bar bar;
    uint64_t offset;

    if (core_stores(ib, where->gpu, bytes) && map_gpu(h, where, bytes, &bar, &offset)) {
        h->bus->store_block(h, &bar, offset, from, bytes);
        h->bus->fence(h);
        return;
    }
    if (!inbox) {
        transport_copy(&ib->t, ib->mirror + ib->scratch_at, from, bytes);
        from = ib->mirror + ib->scratch_at;
    }
    region = ibt_direct_in(ib, bytes) ? ibt_region(ib, to, bytes, &offset) : NULL;
    if (region == NULL)
        transport_copy_gpu(&ib->t, where, h->memory->pointer(h, from).offset, true, bytes);
    else
        write_to_self(ib, region, offset, inbox ? &ib->inbox_region : &ib->mirror_region,
                      (uint64_t)(from - (inbox ? ib->inbox : ib->mirror)), bytes);
}

void ibt_copy(struct transport *t, void *to, const void *from, uint64_t bytes)
{
    struct ibt *ib = ibt_of(t);
    struct host_pointer here, there;
    bool out = ibt_on_gpu(ib, from, &here), in = ibt_on_gpu(ib, to, &there);

    if (!out && !in) {
        transport_copy(t, to, from, bytes);
        return;
    }
    for (uint64_t done = 0; done < bytes;) {
        uint64_t n = bytes - done < ib->fifo_bytes ? bytes - done : ib->fifo_bytes;
        uint8_t *scratch = ib->mirror + ib->scratch_at;
        const uint8_t *piece = (const uint8_t *)from + done;

        if (out) {
            ibt_gpu_get(ib, scratch, piece, n);
            piece = scratch;
        }
        if (in) {
            there.offset += done == 0 ? 0 : ib->fifo_bytes;
            put_bytes(ib, &there, (uint8_t *)to + done, piece, n);
        } else {
            memcpy((uint8_t *)to + done, piece, n);
        }
        done += n;
    }
}
