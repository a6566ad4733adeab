#include "reference.h"

#define FLAGS_ALL                                                                                  \
    (tcaDMAUseInternal | tcaDMAUseNotifyInternal | tcaDMANotify | tcaDMANotifySelf |               \
     tcaDMAPipeline | tcaDMAContinue)
#define TOO_MUCH ((size_t)1 << 38) /* no node has so much memory, of either kind */
/* GPUs have pages of this size, and hosts smaller ones. */
#define PAGE       ((size_t)65536)
#define SLOT_MAX   65535
#define BOARD_ROOM 1024u /* descriptors in the board's memory */

const char *const open_names[OPEN_ROWS] = {
    [OPEN_FREE_NULL] = "freeing NULL",
    [OPEN_LIST_FIRST] = "lists before tcaInit",
    [OPEN_BEYOND] = "a handle that ends behind its allocation",
    [OPEN_FREED] = "names of freed memory",
    [OPEN_COPY] = "a copy of a destroyed handle",
    [OPEN_BENT] = "a handle with changed bytes",
    [OPEN_ROOM] = "lists that fill more than half of the board",
    [OPEN_NEXT] = "next_pos = NULL",
    [OPEN_BROKEN] = "channels that have met freed memory",
};

void verdict_refuse(struct verdict *v, tcaresult code, const char *why)
{
    if (!v->refused)
        v->why = why;
    v->refused = true;
    v->codes |= 1u << code;
}

void verdict_open(struct verdict *v, enum open_row row, tcaresult code, tcaresult other)
{
    v->open |= 1u << row;
    v->codes |= 1u << code | 1u << other;
}

bool verdict_allows(const struct verdict *v, tcaresult got)
{
    if (got == TCA_SUCCESS)
        return !v->refused;
    return (v->refused || v->open != 0) && got > 0 && got < 32 && (v->codes >> got & 1) != 0;
}

struct verdict reference_call(const struct world *w, unsigned rank)
{
    struct verdict v = { 0 };

    if (!w->begun[rank])
        verdict_refuse(&v, TCA_ERROR_NOT_INITIALIZED, "tcaInit() comes first");
    return v;
}

void reference_channel(struct verdict *v, int ch)
{
    if (ch < 0 || ch >= CHANNELS)
        verdict_refuse(v, TCA_ERROR_INVALID_VALUE, "channels are 0 to 3");
}

void reference_kind(struct verdict *v, tcaMemoryKind kind)
{
    if (kind != tcaMemoryCPU && kind != tcaMemoryGPU)
        verdict_refuse(v, TCA_ERROR_INVALID_VALUE, "no such kind of memory");
}

struct verdict reference_malloc(const struct world *w, unsigned rank, const struct ask_malloc *a)
{
    struct verdict v = reference_call(w, rank);

    if (a->nowhere)
        verdict_refuse(&v, TCA_ERROR_INVALID_VALUE, "no place for the pointer");
    reference_kind(&v, a->kind);
    if (a->n >= TOO_MUCH)
        verdict_refuse(&v, TCA_ERROR_OUT_OF_MEMORY, "there is not so much memory");
    return v;
}

/** Memory of this rank that is not free, and of this kind; else the call is refused. */
static unsigned own_memory(struct verdict *v, const struct world *w, unsigned rank,
                           const struct ask_memory *a)
{
    unsigned mem = world_mem_at(w, rank, a->p, true);

    reference_kind(v, a->kind);
    if (mem != MEMS_MAX && w->mems[mem].kind != a->kind)
        verdict_refuse(v, TCA_ERROR_INVALID_VALUE, "the memory is of the other kind");
    return mem;
}

struct verdict reference_free(const struct world *w, unsigned rank, const struct ask_memory *a)
{
    struct verdict v = reference_call(w, rank);
    unsigned mem = own_memory(&v, w, rank, a);

    if (a->p == NULL)
        verdict_open(&v, OPEN_FREE_NULL, TCA_ERROR_INVALID_VALUE, TCA_ERROR_INVALID_VALUE);
    else if (mem == MEMS_MAX || w->mems[mem].p != a->p)
        verdict_refuse(&v, TCA_ERROR_INVALID_VALUE, "no memory begins there");
    return v;
}

struct verdict reference_handle(const struct world *w, unsigned rank, const struct ask_memory *a)
{
    struct verdict v = reference_call(w, rank);
    unsigned mem = own_memory(&v, w, rank, a);
    const tcaresult invalid = TCA_ERROR_INVALID_VALUE, room = TCA_ERROR_OUT_OF_MEMORY;

    if (a->nowhere || a->p == NULL)
        verdict_refuse(&v, invalid, "NULL is no memory and no handle");
    if (a->n >= TOO_MUCH) {
        verdict_refuse(&v, invalid, "there is not so much memory");
        verdict_refuse(&v, room, "there is not so much memory");
    }
    if (mem != MEMS_MAX) {
        if (a->n > w->mems[mem].n - (size_t)(a->p - w->mems[mem].p))
            verdict_open(&v, OPEN_BEYOND, invalid, room);
        return v;
    }
    for (unsigned i = 0; i < w->nmems; i++) { /* freed, or behind an end, up to the next page */
        const struct mem *m = &w->mems[i];

        if (m->rank == rank && a->p >= m->p && (size_t)(a->p - m->p) <= m->n + PAGE) {
            verdict_open(&v, m->live ? OPEN_BEYOND : OPEN_FREED, invalid, room);
            return v;
        }
    }
    verdict_refuse(&v, invalid, "no memory of tcaMalloc() on this node");
    return v;
}

/** A handle, wherever it was made. */
static void some_handle(struct verdict *v, const struct world *w, const struct handle *h)
{
    const tcaresult invalid = TCA_ERROR_INVALID_VALUE, unable = TCA_ERROR_NOT_SUPPORTED;

    if (h == NULL || h->state == HANDLE_JUNK || h->state == HANDLE_DESTROYED)
        verdict_refuse(v, invalid, "no handle, or one that was destroyed");
    else if (h->state == HANDLE_BENT)
        verdict_open(v, OPEN_BENT, invalid, unable);
    else if (h->state == HANDLE_COPY)
        verdict_open(v, OPEN_COPY, invalid, invalid);
    else if (h->state == HANDLE_ODD)
        verdict_open(v, OPEN_BEYOND, invalid, unable);
    else if (!w->mems[h->mem].live)
        verdict_open(v, OPEN_FREED, invalid, unable);
}

/** Is what it names known, as far as rules look at it? */
static bool is_known(const struct handle *h)
{
    return h != NULL && (h->state == HANDLE_GOOD || h->state == HANDLE_COPY);
}

struct verdict reference_destroy(const struct world *w, unsigned rank, const struct handle *h)
{
    struct verdict v = reference_call(w, rank);

    some_handle(&v, w, h);
    if (is_known(h) && h->rank != rank)
        verdict_refuse(&v, TCA_ERROR_INVALID_VALUE, "a handle of another node");
    else if (h != NULL && h->state == HANDLE_ODD && h->rank != rank)
        verdict_refuse(&v, TCA_ERROR_INVALID_VALUE, "a handle of another node");
    return v;
}

void reference_list(struct verdict *v, unsigned rank, const struct list *l)
{
    if (l == NULL)
        verdict_refuse(v, TCA_ERROR_INVALID_VALUE, "no list");
    else if (!l->live)
        verdict_refuse(v, TCA_ERROR_INVALID_VALUE, "a list that was freed");
    else if (l->rank != rank)
        verdict_refuse(v, TCA_ERROR_INVALID_VALUE, "a list of another process");
}

/** All rows lie within the handle. */
static bool is_within(const struct handle *h, off_t off, size_t pitch, const struct ask_put *a)
{
    unsigned __int128 end = (unsigned __int128)a->width;

    if (a->count > 1)
        end += (unsigned __int128)(a->count - 1) * pitch;
    return off >= 0 && (size_t)off <= h->n && end <= h->n - (size_t)off;
}

static void check_rows(struct verdict *v, const struct ask_put *a)
{
    const tcaresult invalid = TCA_ERROR_INVALID_VALUE;

    if (a->width == 0 || a->width % 4 != 0)
        verdict_refuse(v, invalid, "sizes are multiples of 4");
    if (a->count == 0)
        verdict_refuse(v, invalid, "no row");
    if (a->count > 1 && (a->dst_pitch < a->width || a->src_pitch < a->width))
        verdict_refuse(v, invalid, "a pitch is the width or more");
    if (a->count > 1 && (a->dst_pitch ^ a->src_pitch) % 16 != 0)
        verdict_refuse(v, invalid, "pitches are the same modulo 16");
}

/** Where it begins, behind a multiple of 16: memory begins at one. */
static unsigned begins(const struct handle *h, off_t off)
{
    return (unsigned)(h->off + (size_t)off) % 16;
}

void reference_put(struct verdict *v, const struct world *w, unsigned rank, const struct ask_put *a)
{
    const tcaresult invalid = TCA_ERROR_INVALID_VALUE;

    some_handle(v, w, a->dst);
    some_handle(v, w, a->src);
    if (is_known(a->src) && a->src->rank != rank)
        verdict_refuse(v, invalid, "the source is memory of the own node");
    if ((a->flags & ~FLAGS_ALL) != 0)
        verdict_refuse(v, invalid, "no such flag");
    if (a->slot < 0 || a->slot > SLOT_MAX)
        verdict_refuse(v, invalid, "slots are 0 to 65535");
    check_rows(v, a);
    if (is_known(a->dst) && !is_within(a->dst, a->dst_off, a->dst_pitch, a))
        verdict_refuse(v, invalid, "the destination lies within its handle");
    if (is_known(a->src) && !is_within(a->src, a->src_off, a->src_pitch, a))
        verdict_refuse(v, invalid, "the source lies within its handle");
    if (is_known(a->dst) && is_known(a->src) &&
        begins(a->dst, a->dst_off) != begins(a->src, a->src_off))
        verdict_refuse(v, invalid, "both begin equally far behind a multiple of 16");
    /* What is not known of a handle may break any rule, and then comes with its code. */
}

struct put put_of(const struct ask_put *a)
{
    return (struct put){ .dst = { a->dst->mem, a->dst->off + (size_t)a->dst_off, a->dst_pitch },
                         .src = { a->src->mem, a->src->off + (size_t)a->src_off, a->src_pitch },
                         .width = a->width,
                         .count = a->count,
                         .flags = a->flags,
                         .slot = a->slot,
                         .tag = a->tag,
                         .odd = !is_known(a->dst) || !is_known(a->src) };
}

size_t puts_descriptors(const struct puts *puts)
{
    size_t n = 1; /* and one for the end */

    for (size_t i = 0; i < puts->n; i++)
        n += 2 + (puts->put[i].count > 1 ? 4 : 1);
    return n;
}

void reference_set(struct verdict *v, const struct world *w, unsigned rank, const struct puts *puts,
                   int ch)
{
    size_t all = puts_descriptors(puts), least = 0;
    bool odd;

    if (puts->n == 0)
        verdict_refuse(v, TCA_ERROR_INVALID_VALUE, "an empty list");
    reference_channel(v, ch);
    if (puts_stale(w, puts, &odd))
        verdict_open(v, OPEN_FREED, TCA_ERROR_INVALID_VALUE, TCA_ERROR_NOT_SUPPORTED);
    if (odd)
        verdict_open(v, OPEN_BENT, TCA_ERROR_INVALID_VALUE, TCA_ERROR_NOT_SUPPORTED);
    for (size_t i = 0; i < puts->n; i++)
        least += (puts->put[i].flags & tcaDMAUseInternal) != 0;
    for (unsigned c = 0; c < CHANNELS; c++)
        all += w->channels[rank][c].earlier + puts_descriptors(&w->channels[rank][c].puts);
    if (least > BOARD_ROOM)
        verdict_refuse(v, TCA_ERROR_OUT_OF_MEMORY, "the board has room for 1024");
    else if (all > BOARD_ROOM / 2)
        verdict_open(v, OPEN_ROOM, TCA_ERROR_OUT_OF_MEMORY, TCA_ERROR_OUT_OF_MEMORY);
}

/** Channels that have met freed memory may say so, at any time. */
static void some_channel(struct verdict *v, const struct world *w, unsigned rank, int ch)
{
    reference_channel(v, ch);
    if (ch >= 0 && ch < CHANNELS && w->channels[rank][ch].broken)
        verdict_open(v, OPEN_BROKEN, TCA_ERROR_DMA, TCA_ERROR_DMA);
}

struct verdict reference_start(const struct world *w, unsigned rank, int ch)
{
    struct verdict v = reference_call(w, rank);

    some_channel(&v, w, rank, ch);
    if (ch >= 0 && ch < CHANNELS && !w->channels[rank][ch].set)
        verdict_refuse(&v, TCA_ERROR_INVALID_VALUE, "the channel has no list");
    return v;
}

struct verdict reference_wait(const struct world *w, unsigned rank, int ch)
{
    struct verdict v = reference_call(w, rank);

    some_channel(&v, w, rank, ch);
    return v;
}

struct verdict reference_take(const struct world *w, unsigned rank, const struct handle *h,
                              int slot)
{
    struct verdict v = reference_call(w, rank);

    some_handle(&v, w, h);
    if (slot < 0 || slot > SLOT_MAX)
        verdict_refuse(&v, TCA_ERROR_INVALID_VALUE, "slots are 0 to 65535");
    return v;
}

struct verdict reference_region(const struct world *w, unsigned rank, const struct ask_region *a)
{
    struct verdict v = reference_call(w, rank);
    const struct handle *h = a->remote;

    if (a->nowhere)
        verdict_refuse(&v, TCA_ERROR_INVALID_VALUE, "no place for it");
    some_handle(&v, w, h);
    if (!is_known(h))
        return v;
    if (a->off < 0 || (size_t)a->off > h->n)
        verdict_refuse(&v, TCA_ERROR_INVALID_VALUE, "it begins within the handle");
    if (w->mems[h->mem].kind == tcaMemoryGPU)
        verdict_refuse(&v, TCA_ERROR_NOT_SUPPORTED, "host memory only");
    if (h->rank == rank)
        verdict_refuse(&v, TCA_ERROR_NOT_SUPPORTED, "memory of other nodes only");
    return v;
}

struct verdict reference_send(const struct world *w, unsigned rank, const struct pio *pio,
                              size_t off, bool no_bytes, size_t n)
{
    struct verdict v = reference_call(w, rank);

    if (pio == NULL || (no_bytes && n > 0))
        verdict_refuse(&v, TCA_ERROR_INVALID_VALUE, "no region, or no bytes");
    if (pio != NULL && (off > pio->size || n > pio->size - off))
        verdict_refuse(&v, TCA_ERROR_INVALID_VALUE, "it ends within the handle");
    return v;
}
