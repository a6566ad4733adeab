#include "calls.h"

#include "shadow.h"

#include <cuda_runtime.h>
#include <stdint.h>
#include <string.h>

#define GPU_ALIGN 65536u
#define CPU_ALIGN 16u

void call_init(struct world *w, unsigned rank)
{
    struct verdict v = { 0 };
    struct call c = call_begin(w, rank, "tcaInit", v, "%s", "");

    if (call_end(&c, tcaInit()))
        w->begun[rank] = true;
}

static tcaMemoryKind draw_kind(struct world *w)
{
    if (dice_one_in(&w->dice, 25))
        return (tcaMemoryKind)(dice_one_in(&w->dice, 2) ? 77 : 0);
    return dice_one_in(&w->dice, 2) ? tcaMemoryCPU : tcaMemoryGPU;
}

static size_t draw_size(struct world *w)
{
    switch (dice_below(&w->dice, 24)) {
    case 0:
        return 0;
    case 1:
        return ((size_t)1 << 40) + dice_below(&w->dice, 9);
    case 2:
        return SIZE_MAX - dice_below(&w->dice, 100000);
    case 3:
        return (size_t)1 << (41 + dice_below(&w->dice, 22));
    case 4:
    case 5:
        return 8 + dice_below(&w->dice, 100000);
    default:
        return 8 + 4 * dice_below(&w->dice, 1500);
    }
}

/** What tcaMalloc() gave. */
static void take_memory(const struct call *c, const struct mem *m)
{
    struct world *w = c->w;
    size_t align = m->kind == tcaMemoryGPU ? GPU_ALIGN : CPU_ALIGN;

    if (m->p == NULL || (uintptr_t)m->p % align != 0) {
        world_found(w, "alignment", "tcaMalloc gave %p, expected a multiple of %zu", (void *)m->p,
                    align);
        return;
    }
    for (unsigned i = 0; i < w->nmems; i++) {
        struct mem *o = &w->mems[i];
        size_t other = o->n != 0 ? o->n : 1, own = m->n != 0 ? m->n : 1;

        if (o->live && o->p < m->p + own && m->p < o->p + other)
            world_found(w, "overlap", "tcaMalloc gave %p, which lies in m%u", (void *)m->p, i);
        if (!o->live && o->p == m->p && o->rank == m->rank)
            o->reused = true;
    }
    w->mems[w->nmems++] = *m;
    shadow_begin(w, w->nmems - 1);
}

/** The hub reaches the two of its own socket. */
static void choose_gpu(struct world *w, unsigned rank)
{
    int gpu = (int)dice_below(&w->dice, 2);

    world_log(w, "%3u  rank %u: cudaSetDevice(%d)\n", w->step, rank, gpu);
    if (cudaSetDevice(gpu) != cudaSuccess)
        world_found(w, "cudaSetDevice", "there is no GPU %d", gpu);
}

void call_malloc(struct world *w, unsigned rank)
{
    const struct ask_malloc a = { dice_one_in(&w->dice, 40), draw_size(w), draw_kind(w) };
    void *p = plain_memory();
    struct call c;

    if (w->nmems == MEMS_MAX)
        return;
    if (a.kind == tcaMemoryGPU && dice_one_in(&w->dice, 2))
        choose_gpu(w, rank);
    c = call_begin(w, rank, "tcaMalloc", reference_malloc(w, rank, &a),
                   "%s, %zu, (tcaMemoryKind)%d", a.nowhere ? "NULL" : "&m", a.n, (int)a.kind);
    if (call_end(&c, tcaMalloc(a.nowhere ? NULL : &p, a.n, a.kind)))
        take_memory(&c,
                    &(struct mem){ .rank = rank, .kind = a.kind, .p = p, .n = a.n, .live = true });
    else if (p != plain_memory())
        call_changed(&c, "the pointer");
    if (w->nmems > 0 && w->mems[w->nmems - 1].p == p)
        world_log(w, "     m%u = m\n", w->nmems - 1);
}

/** Where a memory of any rank begins, mostly one's own. */
static uint8_t *draw_pointer(struct world *w, unsigned rank, tcaMemoryKind *kind_p)
{
    size_t how = dice_below(&w->dice, 24);
    unsigned of = how == 0 ? (rank + 1) % w->ranks : rank;
    const struct mem *m = pick_mem(w, of, how > 2);

    *kind_p = dice_one_in(&w->dice, 2) ? tcaMemoryCPU : tcaMemoryGPU;
    if (how == 3)
        return NULL;
    if (how == 4 || m == NULL)
        return plain_memory();
    *kind_p = m->kind;
    if (how == 5)
        *kind_p = m->kind == tcaMemoryCPU ? tcaMemoryGPU : tcaMemoryCPU;
    if (how == 6)
        *kind_p = (tcaMemoryKind)77;
    return m->p;
}

void call_free(struct world *w, unsigned rank)
{
    struct ask_memory a = { 0 };
    unsigned mem;
    struct call c;

    a.p = draw_pointer(w, rank, &a.kind);
    if (a.p != NULL && dice_one_in(&w->dice, 12))
        a.p += 1 + dice_below(&w->dice, 64);
    mem = world_mem_at(w, rank, a.p, true);
    if (mem != MEMS_MAX && world_in_use(w, mem) && !w->wild)
        return;
    c = call_begin(w, rank, "tcaFree", reference_free(w, rank, &a), "%s, (tcaMemoryKind)%d",
                   name_pointer(w, a.p), (int)a.kind);
    if (call_end(&c, tcaFree(a.p, a.kind)) && mem != MEMS_MAX && a.p == w->mems[mem].p)
        shadow_free(w, mem);
}

static void draw_range(struct world *w, unsigned rank, struct ask_memory *a)
{
    const struct mem *other;
    unsigned mem;
    size_t n;

    a->p = draw_pointer(w, rank, &a->kind);
    a->nowhere = dice_one_in(&w->dice, 40);
    mem = world_mem_at(w, rank, a->p, true);
    n = mem != MEMS_MAX ? w->mems[mem].n : 64;
    a->n = n;
    if (dice_one_in(&w->dice, 3) && a->p != NULL && n > 0) { /* inside of it */
        size_t off = dice_below(&w->dice, dice_one_in(&w->dice, 20) ? n + 1 : n);

        a->p += off;
        a->n -= off;
    }
    if (dice_one_in(&w->dice, 4))
        a->n = dice_below(&w->dice, a->n + 1);
    if (dice_one_in(&w->dice, 16))
        a->n += 1 + dice_below(&w->dice, 3 * GPU_ALIGN);
    other = dice_one_in(&w->dice, 16) ? pick_mem(w, rank, true) : NULL;
    if (other != NULL && other->p > a->p) /* up to another one */
        a->n = (size_t)(other->p - a->p) + 1 + dice_below(&w->dice, other->n + 1);
    if (dice_one_in(&w->dice, 16))
        a->n = SIZE_MAX >> dice_below(&w->dice, 24);
    if (dice_one_in(&w->dice, 40))
        a->n = SIZE_MAX - dice_below(&w->dice, 64);
}

void call_create_handle(struct world *w, unsigned rank)
{
    struct ask_memory a = { 0 };
    struct handle made = { .rank = rank, .mem = MEMS_MAX };
    tcaHandle before;
    struct call c;

    draw_range(w, rank, &a);
    if (w->nhandles == HANDLES_MAX)
        return;
    memset(&made.bytes, 0x3c, sizeof(made.bytes));
    before = made.bytes;
    c = call_begin(w, rank, "tcaCreateHandle", reference_handle(w, rank, &a),
                   "%s, %s, %zu, (tcaMemoryKind)%d", a.nowhere ? "NULL" : "&h",
                   name_pointer(w, a.p), a.n, (int)a.kind);
    if (!call_end(&c, tcaCreateHandle(a.nowhere ? NULL : &made.bytes, a.p, a.n, a.kind))) {
        if (memcmp(&before, &made.bytes, sizeof(before)) != 0)
            call_changed(&c, "the handle");
        return;
    }
    made.n = a.n;
    made.mem = world_mem_at(w, rank, a.p, true);
    made.state = c.v.open != 0 || made.mem == MEMS_MAX ? HANDLE_ODD : HANDLE_GOOD;
    if (made.mem == MEMS_MAX)
        made.mem = world_mem_at(w, rank, a.p, false);
    if (made.mem == MEMS_MAX) /* where one ends */
        made.mem = 0;
    made.off = (size_t)(a.p - w->mems[made.mem].p);
    world_log(w, "     h%u = h\n", w->nhandles);
    (void)add_handle(w, &made);
}

void call_destroy_handle(struct world *w, unsigned rank)
{
    const struct handle_wish own = { rank, HANDLE_GOOD, false, 0 };
    const struct handle_wish any = { RANKS_MAX, HANDLE_GOOD, false, 0 };
    size_t how = dice_below(&w->dice, 6);
    struct handle *h = how == 0   ? pick_bad_handle(w)
                       : how == 1 ? pick_handle(w, &any)
                                  : pick_handle(w, &own);
    struct handle before = { .state = HANDLE_COPY };
    struct call c;

    if (h == NULL && how != 0)
        return;
    if (h != NULL)
        before = *h;
    c = call_begin(w, rank, "tcaDestroyHandle", reference_destroy(w, rank, h), "%s",
                   name_handle(w, h));
    if (call_end(&c, tcaDestroyHandle(h != NULL ? &h->bytes : NULL))) {
        if (h == NULL)
            return;
        h->state = HANDLE_DESTROYED;
        if (before.state == HANDLE_GOOD && dice_one_in(&w->dice, 3) && w->nhandles < HANDLES_MAX) {
            before.state = HANDLE_COPY;
            world_log(w, "     h%u is a copy that was made before\n", w->nhandles);
            (void)add_handle(w, &before);
        }
    } else if (h != NULL && memcmp(&before.bytes, &h->bytes, sizeof(before.bytes)) != 0) {
        call_changed(&c, "the handle");
    }
}

void call_fill(struct world *w, unsigned rank)
{
    const struct mem *m = pick_mem(w, rank, true);
    size_t off, n;

    if (m == NULL || m->n == 0 ||
        (world_in_use(w, (unsigned)(m - w->mems)) && !dice_one_in(&w->dice, 6)))
        return;
    off = dice_below(&w->dice, m->n);
    n = 1 + dice_below(&w->dice, m->n - off);
    world_log(w, "%3u  rank %u: writes %zu bytes to m%u + %zu\n", w->step, rank, n,
              (unsigned)(m - w->mems), off);
    shadow_fill(w, (unsigned)(m - w->mems), off, n);
}
