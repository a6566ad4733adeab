/* Lists of pieces. */
#include "hosts/gasnet/vis/pieces.h"

#include <stdlib.h>

struct piece {
    uint8_t *at;
    uint64_t bytes;
};

struct vis_list vis_vector(const gasnet_memvec_t *vector, size_t count)
{
    struct vis_list list = { .kind = VIS_VECTOR, .pieces = count, .vector = vector };

    for (size_t i = 0; i < count; i++)
        list.bytes += vector[i].len;
    return list;
}

struct vis_list vis_indexed(void *const *addresses, size_t count, size_t length)
{
    return (struct vis_list){ .kind = VIS_INDEXED,
                              .pieces = count,
                              .bytes = count * length,
                              .addresses = addresses,
                              .length = length };
}

/* What lies between the first byte of all and the last one, and how many are moved. */
static void check_sizes(struct gasnet_rank *gr, const struct vis_list *list)
{
    uint64_t extent = list->length, pieces = 1, step, bytes;
    bool fits = true;

    for (unsigned i = 0; i < list->levels; i++)
        fits = fits && !__builtin_mul_overflow(pieces, list->counts[i], &pieces) &&
               !__builtin_mul_overflow(list->counts[i] - 1, list->strides[i], &step) &&
               !__builtin_add_overflow(extent, step, &extent);
    if (!fits || __builtin_mul_overflow(pieces, list->length, &bytes))
        gasnet_fail(gr, "counts of more bytes than an address has room for: expected those of a "
                        "segment");
}

struct vis_list vis_strided(struct gasnet_rank *gr, void *base, const size_t *strides,
                            const size_t *counts, size_t levels)
{
    struct vis_list list = { .kind = VIS_STRIDED, .pieces = 1, .length = counts[0], .base = base };
    bool none = counts[0] == 0;

    for (size_t i = 0; i < levels; i++) {
        none |= counts[i + 1] == 0;
        if (counts[i + 1] == 1)
            continue;
        if (list.levels == VIS_LEVELS_MAX)
            gasnet_fail(gr, "%zu levels of strides: expected at most %u of more than one piece",
                        levels, VIS_LEVELS_MAX);
        list.counts[list.levels] = counts[i + 1];
        list.strides[list.levels++] = strides[i];
        list.pieces *= counts[i + 1];
    }
    if (none)
        list.pieces = 0;
    else
        check_sizes(gr, &list);
    list.bytes = list.pieces * list.length;
    return list;
}

static struct piece piece_of(const struct vis_list *list, uint64_t n)
{
    struct piece p = { list->base, list->length };

    switch (list->kind) {
    case VIS_VECTOR:
        return (struct piece){ list->vector[n].addr, list->vector[n].len };
    case VIS_INDEXED:
        p.at = list->addresses[n];
        break;
    case VIS_STRIDED:
        for (unsigned i = 0; i < list->levels; i++) {
            p.at += n % list->counts[i] * list->strides[i];
            n /= list->counts[i];
        }
        break;
    }
    return p;
}

bool vis_more(struct vis_cursor *c)
{
    const struct vis_list *list = c->list;

    while (c->next < list->pieces) {
        struct piece p = piece_of(list, c->next);

        if (c->left > 0 && p.bytes > 0 && p.at != c->at + c->left)
            break;
        c->next++;
        if (p.bytes == 0)
            continue;
        if (c->left == 0)
            c->at = p.at;
        c->left += p.bytes;
    }
    return c->left > 0;
}

/* ---- checks ---- */

static int by_address(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;

    return x->at < y->at ? -1 : x->at > y->at;
}

static _Noreturn void overlap(struct gasnet_rank *gr, struct piece a, struct piece b)
{
    gasnet_fail(gr,
                "pieces of the target overlap: %llu bytes at 0x%llx and %llu at 0x%llx: expected "
                "each byte once",
                (unsigned long long)a.bytes, (unsigned long long)(uintptr_t)a.at,
                (unsigned long long)b.bytes, (unsigned long long)(uintptr_t)b.at);
}

/* In the order of their strides, a level must be longer than all of those below. */
static void check_strides(struct gasnet_rank *gr, const struct vis_list *list)
{
    bool used[VIS_LEVELS_MAX] = { false };
    uint64_t extent = list->length;

    for (unsigned k = 0; k < list->levels; k++) {
        unsigned least = VIS_LEVELS_MAX;

        for (unsigned i = 0; i < list->levels; i++)
            if (!used[i] && (least == VIS_LEVELS_MAX || list->strides[i] < list->strides[least]))
                least = i;
        used[least] = true;
        if (list->strides[least] < extent)
            gasnet_fail(gr,
                        "pieces of the target overlap: a stride of %llu bytes, and %llu bytes "
                        "lie below: expected at least as many",
                        (unsigned long long)list->strides[least], (unsigned long long)extent);
        extent += (list->counts[least] - 1) * list->strides[least];
    }
}

/* Most lists rise: others are sorted. */
void vis_check_apart(struct gasnet_rank *gr, const struct vis_list *list)
{
    struct piece *all, last = { NULL, 0 };
    uint64_t n = 0;
    bool rises = true;

    if (list->kind == VIS_STRIDED) {
        check_strides(gr, list);
        return;
    }
    for (uint64_t i = 0; i < list->pieces; i++) {
        struct piece p = piece_of(list, i);

        if (p.bytes == 0)
            continue;
        rises = rises && p.at >= last.at + last.bytes;
        last = p;
    }
    if (rises)
        return;
    all = gasnet_need(gr, calloc(list->pieces, sizeof(*all)));
    for (uint64_t i = 0; i < list->pieces; i++) {
        struct piece p = piece_of(list, i);

        if (p.bytes > 0)
            all[n++] = p;
    }
    qsort(all, n, sizeof(*all), by_address);
    for (uint64_t i = 1; i < n; i++)
        if (all[i].at < all[i - 1].at + all[i - 1].bytes)
            overlap(gr, all[i - 1], all[i]);
    free(all);
}

void vis_check_segment(struct gasnet_rank *gr, const struct vis_list *list, gasnet_node_t node)
{
    uint64_t extent = list->length;

    if (list->kind == VIS_STRIDED) {
        for (unsigned i = 0; i < list->levels; i++)
            extent += (list->counts[i] - 1) * list->strides[i];
        (void)gasnet_check_segment(gr, node, list->base, extent);
        return;
    }
    for (uint64_t i = 0; i < list->pieces; i++) {
        struct piece p = piece_of(list, i);

        if (p.bytes > 0)
            (void)gasnet_check_segment(gr, node, p.at, p.bytes);
    }
}
