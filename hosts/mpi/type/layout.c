/* Where the bytes of a datatype are: its pieces, and packing by them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "hosts/mpi/type/type.h"

/** A way through packed bytes. */
struct walk {
    uint64_t skip, left; /* bytes to pass over; then bytes to visit */
    mpi_run_fn fn;
    void *arg;
};

static void walk_type(struct walk *w, const struct mpi_type *t, int64_t at);

static void visit_piece(struct walk *w, int64_t at, int64_t stride, uint64_t n, uint64_t bytes)
{
    w->fn(w->arg, at, stride, n, bytes);
    w->left -= n * bytes;
}

static void walk_blocks(struct walk *w, const struct mpi_piece *p, int64_t at, uint64_t n)
{
    uint64_t whole;

    if (w->skip > 0) { /* into the first one */
        uint64_t part = p->bytes - w->skip < w->left ? p->bytes - w->skip : w->left;

        visit_piece(w, at + (int64_t)w->skip, 0, 1, part);
        w->skip = 0;
        at += p->stride;
        n--;
    }
    whole = w->left / p->bytes < n ? w->left / p->bytes : n;
    if (whole > 0)
        visit_piece(w, at, p->stride, whole, p->bytes);
    if (whole < n && w->left > 0)
        visit_piece(w, at + (int64_t)whole * p->stride, 0, 1, w->left);
}

/* `skip` is less than what the piece has. */
static void walk_piece(struct walk *w, const struct mpi_piece *p, int64_t at)
{
    uint64_t i = w->skip / p->bytes;

    w->skip -= i * p->bytes;
    at += p->offset + (int64_t)i * p->stride;
    if (p->child == NULL) {
        walk_blocks(w, p, at, p->count - i);
        return;
    }
    for (; i < p->count && w->left > 0; i++, at += p->stride)
        walk_type(w, p->child, at);
}

/* The piece with byte `skip` of the data. */
static uint64_t piece_at(const struct mpi_type *t, uint64_t skip)
{
    uint64_t first = 0, n = t->npieces;

    while (n > 1) {
        uint64_t half = n / 2;

        if (t->pieces[first + half].start <= skip) {
            first += half;
            n -= half;
        } else {
            n = half;
        }
    }
    return first;
}

static void walk_type(struct walk *w, const struct mpi_type *t, int64_t at)
{
    uint64_t k = w->skip > 0 ? piece_at(t, w->skip) : 0;

    w->skip -= w->skip > 0 ? t->pieces[k].start : 0;
    for (; k < t->npieces && w->left > 0; k++)
        walk_piece(w, &t->pieces[k], at);
}

/* Blocks that touch become one. */
static void join_blocks(struct mpi_piece *p)
{
    if (p->child != NULL || p->count < 2 || p->stride != (int64_t)p->bytes)
        return;
    p->bytes *= p->count;
    p->count = 1;
}

void mpi_type_walk(const struct mpi_type *type, uint64_t offset, uint64_t bytes, mpi_run_fn fn,
                   void *arg)
{
    struct walk w = { offset, bytes, fn, arg };
    uint64_t i;

    if (bytes == 0 || type->bytes == 0)
        return;
    if (type->npieces == 1 && type->pieces[0].count == 1) { /* all elements are one piece */
        struct mpi_piece all = type->pieces[0];

        all.count = (offset + bytes + type->bytes - 1) / type->bytes;
        all.stride = type->extent;
        join_blocks(&all);
        walk_piece(&w, &all, 0);
        return;
    }
    i = offset / type->bytes;
    w.skip -= i * type->bytes;
    for (; w.left > 0; i++)
        walk_type(&w, type, (int64_t)i * type->extent);
}

/** Packed bytes, and the buffer. */
struct copy {
    uint8_t *packed;
    uint8_t *buf;
};

/* The copies of short blocks are instructions, not calls. */
#define COPY_BLOCKS(BYTES, TO, TO_STEP, FROM, FROM_STEP)                                           \
    for (uint64_t i = 0; i < n; i++)                                                               \
    memcpy((TO) + (int64_t)i * (TO_STEP), (FROM) + (int64_t)i * (FROM_STEP), (BYTES))

static void pack_run(void *arg, int64_t offset, int64_t stride, uint64_t n, uint64_t bytes)
{
    struct copy *c = arg;
    uint8_t *to = c->packed;
    const uint8_t *from = c->buf + offset;

    c->packed += n * bytes;
    if (bytes == 8)
        COPY_BLOCKS(8, to, 8, from, stride);
    else if (bytes == 4)
        COPY_BLOCKS(4, to, 4, from, stride);
    else
        COPY_BLOCKS(bytes, to, (int64_t)bytes, from, stride);
}

static void unpack_run(void *arg, int64_t offset, int64_t stride, uint64_t n, uint64_t bytes)
{
    struct copy *c = arg;
    uint8_t *to = c->buf + offset;
    const uint8_t *from = c->packed;

    c->packed += n * bytes;
    if (bytes == 8)
        COPY_BLOCKS(8, to, stride, from, 8);
    else if (bytes == 4)
        COPY_BLOCKS(4, to, stride, from, 4);
    else
        COPY_BLOCKS(bytes, to, stride, from, (int64_t)bytes);
}

void mpi_type_pack_range(const struct mpi_type *type, const void *buf, uint64_t offset,
                         uint64_t bytes, void *to)
{
    struct copy c = { to, (uint8_t *)(uintptr_t)buf };

    mpi_type_walk(type, offset, bytes, pack_run, &c);
}

void mpi_type_unpack_range(const struct mpi_type *type, void *buf, uint64_t offset, uint64_t bytes,
                           const void *from)
{
    struct copy c = { (uint8_t *)(uintptr_t)from, buf };

    mpi_type_walk(type, offset, bytes, unpack_run, &c);
}

void mpi_type_pack(const struct mpi_type *type, const void *buf, uint64_t count, void *to)
{
    mpi_type_pack_range(type, buf, 0, count * type->bytes, to);
}

void mpi_type_unpack(const struct mpi_type *type, void *buf, const void *from, uint64_t bytes)
{
    mpi_type_unpack_range(type, buf, 0, bytes, from);
}

bool mpi_type_is_block(const struct mpi_type *type, uint64_t count, int64_t *offset_p)
{
    const struct mpi_piece *p = type->pieces;

    if (type->bytes == 0 || count == 0) {
        *offset_p = 0;
        return true;
    }
    if (type->npieces != 1 || p->count != 1 || p->child != NULL ||
        (count > 1 && type->extent != (int64_t)type->bytes))
        return false;
    *offset_p = p->offset;
    return true;
}

int mpi_type_copy(const struct mpi_type *from_type, const void *from, uint64_t from_count,
                  const struct mpi_type *to_type, void *to, uint64_t to_count)
{
    uint64_t bytes = from_count * from_type->bytes, room = to_count * to_type->bytes;
    int64_t offset;
    uint8_t *packed;

    if (bytes > room)
        return mpi_error(MPI_ERR_TRUNCATE, "own block of %" PRIu64 " bytes, room for %" PRIu64,
                         bytes, room);
    if (bytes == 0)
        return MPI_SUCCESS;
    if (mpi_type_is_block(from_type, from_count, &offset)) {
        mpi_type_unpack(to_type, to, (const uint8_t *)from + offset, bytes);
        return MPI_SUCCESS;
    }
    packed = mpi_need(mpi_self(), malloc(bytes));
    mpi_type_pack(from_type, from, from_count, packed);
    mpi_type_unpack(to_type, to, packed, bytes);
    free(packed);
    return MPI_SUCCESS;
}

void mpi_making_begin(struct mpi_making *m)
{
    *m = (struct mpi_making){ .type = mpi_need(mpi_self(), malloc(sizeof(*m->type))) };
    *m->type = (struct mpi_type){ .holders = 1, .align = 1 };
}

/* Room for one more element than `n`. */
static void *grow_pieces(void *array, uint64_t n, uint64_t *room, size_t size)
{
    if (n < *room)
        return array;
    *room = *room * 2 + 1;
    return mpi_need(mpi_self(), realloc(array, *room * size));
}

/* Is the piece the next one of the last's blocks or strides? */
static bool joins_last(struct mpi_piece *last, const struct mpi_piece *p)
{
    if (p->count != 1 || last->child != p->child)
        return false;
    if (p->child == NULL && last->count == 1 && last->offset + (int64_t)last->bytes == p->offset) {
        last->bytes += p->bytes;
        return true;
    }
    if (last->bytes != p->bytes ||
        (last->count > 1 && last->offset + (int64_t)last->count * last->stride != p->offset))
        return false;
    if (last->count == 1)
        last->stride = p->offset - last->offset;
    last->count++;
    return true;
}

static void add_piece(struct mpi_making *m, struct mpi_piece p)
{
    struct mpi_type *t = m->type;

    join_blocks(&p);
    if (t->npieces > 0 && joins_last(&t->pieces[t->npieces - 1], &p))
        return;
    t->pieces = grow_pieces(t->pieces, t->npieces, &m->room, sizeof(p));
    if (p.child != NULL)
        p.child->holders++;
    t->pieces[t->npieces++] = p;
}

/* The old type's one piece becomes a piece of the new one where it can, else the type does. */
static void add_pieces(struct mpi_making *m, struct mpi_type *old, int64_t offset, uint64_t count,
                       int64_t stride)
{
    struct mpi_piece p = old->pieces[0];

    if (count == 1 && old->npieces <= 8) {
        for (uint64_t k = 0; k < old->npieces; k++) {
            p = old->pieces[k];
            p.offset += offset;
            add_piece(m, p);
        }
        return;
    }
    if (old->npieces == 1 && (p.count == 1 || p.stride * (int64_t)p.count == stride)) {
        p.stride = p.count == 1 ? stride : p.stride;
        p.count *= count;
        p.offset += offset;
        add_piece(m, p);
        return;
    }
    add_piece(m, (struct mpi_piece){ offset, stride, count, old->bytes, 0, old });
}

static void add_part(struct mpi_making *m, struct mpi_type *old, uint64_t count)
{
    struct mpi_type *t = m->type;

    t->basic = t->elements == 0 || t->basic == old->basic ? old->basic : NULL;
    t->elements += count * old->elements;
    t->bytes += count * old->bytes;
    if (t->nparts > 0 && t->parts[t->nparts - 1].type == old) {
        t->parts[t->nparts - 1].count += count;
        return;
    }
    t->parts = grow_pieces(t->parts, t->nparts, &m->parts_room, sizeof(*t->parts));
    old->holders++;
    t->parts[t->nparts++] = (struct mpi_part){ old, count };
}

/* Widens [low, high) to where `count` copies of [from, to) lie. */
static void widen_bounds(bool *any, int64_t *low, int64_t *high, int64_t from, int64_t to,
                         int64_t last)
{
    int64_t first = last < 0 ? from + last : from, end = last > 0 ? to + last : to;

    *low = *any && *low < first ? *low : first;
    *high = *any && *high > end ? *high : end;
    *any = true;
}

/* A bound of its own. */
static void mark_low(struct mpi_making *m, int64_t low)
{
    m->marked_low = m->any_low && m->marked_low < low ? m->marked_low : low;
    m->any_low = true;
}

static void mark_high(struct mpi_making *m, int64_t high)
{
    m->marked_high = m->any_high && m->marked_high > high ? m->marked_high : high;
    m->any_high = true;
}

void mpi_making_add(struct mpi_making *m, struct mpi_type *old, int64_t offset, uint64_t count,
                    int64_t stride)
{
    int64_t low = offset + old->low, high = low + old->extent;
    int64_t last = ((int64_t)count - 1) * stride;

    if (count == 0)
        return;
    if (old->marked_low)
        mark_low(m, last < 0 ? low + last : low);
    if (old->marked_high)
        mark_high(m, last > 0 ? high + last : high);
    if (old->bytes == 0)
        return;
    widen_bounds(&m->any, &m->low, &m->high, low, high, last);
    low = offset + old->true_low;
    widen_bounds(&m->any_true, &m->true_low, &m->true_high, low, low + old->true_extent, last);
    m->type->align = m->type->align > old->align ? m->type->align : old->align;
    add_pieces(m, old, offset, count, stride);
    add_part(m, old, count);
}

/* Marked bounds come first (MPI 3.1, 4.1.6); without them the extent is rounded up. */
static void set_bounds(const struct mpi_making *m, struct mpi_type *t)
{
    int64_t low = m->any_low ? m->marked_low : m->low;
    int64_t high = m->any_high ? m->marked_high : m->high;
    int64_t align = t->align, gap;

    if (!m->any && !m->any_low)
        low = m->any_high ? high : 0;
    if (!m->any && !m->any_high) /* a lower bound alone ends where the type begins, as in MPICH */
        high = 0;
    gap = (high - low) % align;
    if (!m->any_high && gap != 0)
        high += gap > 0 ? align - gap : -gap;
    t->low = low;
    t->extent = high - low;
    t->true_low = m->true_low;
    t->true_extent = m->true_high - m->true_low;
    t->marked_low = m->any_low;
    t->marked_high = m->any_high;
}

struct mpi_type *mpi_making_end(struct mpi_making *m)
{
    struct mpi_type *t = m->type;
    uint64_t start = 0;

    set_bounds(m, t);
    for (uint64_t k = 0; k < t->npieces; k++) {
        t->pieces[k].start = start;
        start += t->pieces[k].count * t->pieces[k].bytes;
    }
    return t;
}

struct mpi_type *mpi_making_repeat(struct mpi_type *old, uint64_t count, int64_t stride)
{
    struct mpi_making m;

    mpi_making_begin(&m);
    mpi_making_add(&m, old, 0, count, stride);
    return mpi_making_end(&m);
}
