/*
 * GPU memory mapped for the core. A mapping is the memory itself, so programs may use its pointer
 * without any call; what these calls copy crosses the bus. A handle knows memory by its address and
 * has the driver find it anew for each copy: pages stay pinned until their memory is given back,
 * for whichever library wants them.
 */
#include "hosts/cuda/include/gdrapi.h"

#include <errno.h>
#include <stdlib.h>

#include "hosts/cuda/internal.h"

struct gdr_buffer {
    struct gdr_buffer *next;
    unsigned long handle;
    struct host_pointer where; /* of `va` */
    uint8_t *va;               /* whole pages */
    uint64_t bytes, mapped;    /* of these, from the first one on; 0: not mapped */
    uint64_t pin_cycles;
    bool freed; /* by the program, since */
};

struct gdr {
    struct gdr *next;
    struct gdr_buffer *buffers;
};

/** @return false: not open in this rank. Costs `cost`. */
static bool enter(const struct gdr *g, enum host_cost cost, struct cuda_rank **cr_p)
{
    struct cuda_rank *cr = cuda_enter(cost);
    const struct gdr *open = cr != NULL ? cr->gdrs : NULL;

    *cr_p = cr;
    while (open != NULL && open != g)
        open = open->next;
    return open != NULL;
}

static struct gdr_buffer *find_buffer(const struct gdr *g, gdr_mh_t handle)
{
    struct gdr_buffer *b = g->buffers;

    while (b != NULL && b->handle != handle.h)
        b = b->next;
    return b;
}

/** enter() for a system call that names a buffer. NULL: there is none. */
static struct gdr_buffer *enter_buffer(const struct gdr *g, gdr_mh_t handle)
{
    struct cuda_rank *cr;

    return enter(g, HOST_COST_SYSCALL, &cr) ? find_buffer(g, handle) : NULL;
}

static void free_buffers(struct gdr *g)
{
    while (g->buffers != NULL) {
        struct gdr_buffer *b = g->buffers;

        g->buffers = b->next;
        free(b);
    }
}

void cuda_gdr_release(struct cuda_rank *cr)
{
    while (cr->gdrs != NULL) {
        struct gdr *g = cr->gdrs;

        cr->gdrs = g->next;
        free_buffers(g);
        free(g);
    }
}

void cuda_gdr_freed(struct cuda_rank *cr, const void *p, uint64_t bytes)
{
    uintptr_t first = (uintptr_t)p, last = first + bytes;

    for (struct gdr *g = cr->gdrs; g != NULL; g = g->next)
        for (struct gdr_buffer *b = g->buffers; b != NULL; b = b->next)
            b->freed |= (uintptr_t)b->va < last && first < (uintptr_t)b->va + b->bytes;
}

gdr_t gdr_open(void)
{
    struct cuda_rank *cr = cuda_enter(HOST_COST_SYSCALL);
    struct gdr *g = cr != NULL ? calloc(1, sizeof(*g)) : NULL;

    if (g == NULL)
        return NULL;
    g->next = cr->gdrs;
    cr->gdrs = g;
    return g;
}

int gdr_close(gdr_t g)
{
    struct cuda_rank *cr;
    struct gdr **at;

    if (!enter(g, HOST_COST_SYSCALL, &cr))
        return EINVAL;
    for (at = &cr->gdrs; *at != g; at = &(*at)->next)
        ;
    *at = g->next;
    free_buffers(g);
    free(g);
    return 0;
}

/* ---- pinning and mapping ----------------------------------------------------- */

static int pin(struct cuda_rank *cr, struct gdr_buffer *b)
{
    uint64_t start = cr->h->cpu->tsc(cr->h), offset;
    struct host_bar bar;

    if (driver_map_gpu(cr->h, &b->where, b->bytes, HOST_WRITE_COMBINING, &bar, &offset) !=
        DRIVER_OK)
        return ENOMEM;
    b->pin_cycles = cr->h->cpu->tsc(cr->h) - start;
    b->handle = ++cr->gdr_handles;
    return 0;
}

int gdr_pin_buffer(gdr_t g, unsigned long addr, size_t size, uint64_t p2p_token, uint32_t va_space,
                   gdr_mh_t *handle)
{
    uint8_t *p = (uint8_t *)addr; // NOLINT(performance-no-int-to-ptr)
    struct cuda_rank *cr;
    struct gdr_buffer *b, buffer = { .next = NULL };
    uint64_t before;
    int code;

    (void)p2p_token;
    (void)va_space;
    if (!enter(g, HOST_COST_SYSCALL, &cr) || handle == NULL || size == 0)
        return EINVAL;
    buffer.where = cr->h->memory->pointer(cr->h, p);
    if (buffer.where.kind != HOST_GPU || size > cr->h->memory->left(cr->h, p))
        return EINVAL;
    before = buffer.where.offset & GPU_PAGE_OFFSET;
    buffer.where.offset -= before;
    buffer.va = p - before;
    buffer.bytes = host_round_up(before + size, GPU_PAGE_SIZE);
    code = pin(cr, &buffer);
    if (code != 0)
        return code;
    b = malloc(sizeof(*b));
    if (b == NULL)
        return ENOMEM;
    *b = buffer;
    b->next = g->buffers;
    g->buffers = b;
    handle->h = b->handle;
    return 0;
}

int gdr_unpin_buffer(gdr_t g, gdr_mh_t handle)
{
    struct gdr_buffer *b = enter_buffer(g, handle), **at;

    if (b == NULL)
        return EINVAL;
    for (at = &g->buffers; *at != b; at = &(*at)->next)
        ;
    *at = b->next;
    free(b);
    return 0;
}

int gdr_get_info(gdr_t g, gdr_mh_t handle, gdr_info_t *info)
{
    const struct gdr_buffer *b = enter_buffer(g, handle);
    struct host *h = host_self();

    if (b == NULL || info == NULL)
        return EINVAL;
    *info = (gdr_info_t){
        .va = (uintptr_t)b->va,
        .mapped_size = b->bytes,
        .page_size = GPU_PAGE_SIZE,
        .tm_cycles = b->pin_cycles,
        .cycles_per_ms = (uint32_t)h->cpu->tsc_khz(h),
        .mapped = b->mapped != 0,
        .wc_mapping = b->mapped != 0,
    };
    return 0;
}

int gdr_get_callback_flag(gdr_t g, gdr_mh_t handle, int *flag)
{
    const struct gdr_buffer *b = enter_buffer(g, handle);

    if (b == NULL || flag == NULL)
        return EINVAL;
    *flag = b->freed;
    return 0;
}

int gdr_map(gdr_t g, gdr_mh_t handle, void **va, size_t size)
{
    struct gdr_buffer *b = enter_buffer(g, handle);

    if (b == NULL || va == NULL || b->freed)
        return EINVAL;
    if (b->mapped != 0)
        return EAGAIN;
    if (size == 0 || size > b->bytes)
        return EINVAL;
    b->mapped = host_round_up(size, HOST_PAGE);
    *va = b->va;
    return 0;
}

int gdr_unmap(gdr_t g, gdr_mh_t handle, void *va, size_t size)
{
    struct gdr_buffer *b = enter_buffer(g, handle);

    if (b == NULL || b->mapped == 0 || va != b->va || host_round_up(size, HOST_PAGE) != b->mapped)
        return EINVAL;
    b->mapped = 0;
    return 0;
}

/* ---- copies -------------------------------------------------------------------- */

/** A mapping that these bytes lie in: that of the handle, NULL: any. @return NULL: none */
static const struct gdr_buffer *find_mapping(const struct cuda_rank *cr, const gdr_mh_t *handle,
                                             const void *p, uint64_t bytes)
{
    for (const struct gdr *g = cr->gdrs; g != NULL; g = g->next)
        for (const struct gdr_buffer *b = g->buffers; b != NULL; b = b->next) {
            uint64_t offset = (uintptr_t)p - (uintptr_t)b->va;

            if ((handle == NULL || handle->h == b->handle) && !b->freed && offset < b->mapped &&
                bytes <= b->mapped - offset && cr->h->memory->left(cr->h, b->va) != 0)
                return b;
        }
    return NULL;
}

/* A page that is not there ends the program here, as on a real host, and not in the middle of the
 * stores. */
static void touch(const volatile uint8_t *p, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += HOST_PAGE)
        (void)p[at];
    (void)p[bytes - 1];
}

static void announce(const struct cuda_rank *cr, const void *to, const void *from, size_t bytes,
                     struct host_place place)
{
    cuda_race_used(cr, (struct host_rows){ (uintptr_t)from, bytes, 1, bytes }, HOST_LOADS, place);
    cuda_race_used(cr, (struct host_rows){ (uintptr_t)to, bytes, 1, bytes }, HOST_STORES, place);
}

/** Between a mapping and the host: from `in`, or to `out` where that is NULL. */
static int copy(const gdr_mh_t *handle, const uint8_t *device, uint8_t *out, const uint8_t *in,
                size_t bytes, struct host_place place)
{
    struct cuda_rank *cr = cuda_enter(HOST_COST_CALL);
    const uint8_t *near = in != NULL ? in : out;
    struct host_pointer where;
    struct host_bar bar;
    uint64_t offset;

    if (cr == NULL || find_mapping(cr, handle, device, bytes) == NULL)
        return EINVAL;
    if (bytes == 0)
        return 0;
    if (near == NULL || cr->h->memory->pointer(cr->h, near).kind == HOST_GPU)
        return EINVAL;
    where = cr->h->memory->pointer(cr->h, device);
    if (driver_map_gpu(cr->h, &where, bytes, HOST_WRITE_COMBINING, &bar, &offset) != DRIVER_OK)
        return ENOMEM;
    announce(cr, in != NULL ? device : out, in != NULL ? in : device, bytes, place);
    touch(near, bytes);
    if (in == NULL) {
        cr->h->bus->load_block(cr->h, &bar, offset, out, bytes);
        return 0;
    }
    cr->h->bus->store_block(cr->h, &bar, offset, in, bytes);
    cr->h->bus->fence(cr->h);
    return 0;
}

int gdr_copy_to_mapping(gdr_mh_t handle, void *map_d_ptr, const void *h_ptr, size_t size)
{
    return copy(&handle, map_d_ptr, NULL, h_ptr, size, HOST_PLACE_OF_CALLER());
}

int gdr_copy_from_mapping(gdr_mh_t handle, void *h_ptr, const void *map_d_ptr, size_t size)
{
    return copy(&handle, map_d_ptr, h_ptr, NULL, size, HOST_PLACE_OF_CALLER());
}

int gdr_copy_to_bar(void *map_d_ptr, const void *h_ptr, size_t size)
{
    return copy(NULL, map_d_ptr, NULL, h_ptr, size, HOST_PLACE_OF_CALLER());
}

int gdr_copy_from_bar(void *h_ptr, const void *map_d_ptr, size_t size)
{
    return copy(NULL, map_d_ptr, h_ptr, NULL, size, HOST_PLACE_OF_CALLER());
}

/* ---- versions -------------------------------------------------------------------- */

void gdr_runtime_get_version(int *major, int *minor)
{
    if (major != NULL)
        *major = GDR_API_MAJOR_VERSION;
    if (minor != NULL)
        *minor = GDR_API_MINOR_VERSION;
}

int gdr_driver_get_version(gdr_t g, int *major, int *minor)
{
    struct cuda_rank *cr;

    if (!enter(g, HOST_COST_SYSCALL, &cr))
        return EINVAL;
    gdr_runtime_get_version(major, minor);
    return 0;
}
