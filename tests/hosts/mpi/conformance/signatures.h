/*
 * Random data for calls whose sides describe them differently. What must agree is the signature: a
 * unit of basic types, so many times over. Where its elements lie is drawn by each rank for itself.
 *
 *   struct unit     the basic types that repeat
 *   struct layout   a datatype of some units, with the offset of each basic element
 *   struct side     what a rank passes for one side of a call: blocks of units in memory of its
 * own, and an image of what has to be in there at the end, gaps included
 *
 * A case is made of its number and the seed alone, so that it may be repeated by itself:
 *   PROGRAM cases=1 first=NUMBER seed=SEED
 */
#ifndef SIGNATURES_H
#define SIGNATURES_H

#include "check.h"

#include <stdint.h>
#if __has_include(<cuda_runtime.h>)
#include <cuda_runtime.h>
#define HAS_GPUS 1
#else
#define HAS_GPUS 0
#endif

#define GAP        0xee
#define MARGIN     64 /* bytes before and behind a side's data that stay as they are */
#define BLOCKS_MAX 64
#define COMMS      3

static struct {
    int cases, first, seed;
    int most; /* bytes of a block */
    int gpu;  /* 1: some memory is that of a GPU */
} options = { 40, 0, 1, 300000, 0 };

struct unit {
    int n, bytes;
    MPI_Datatype types[4];
    int sizes[4];
};

struct layout {
    MPI_Datatype type;
    int units;
    long extent, low, high; /* the extent is never less than from low to high */
    int n;                  /* basic elements of one element of the type */
    long *at;
};

enum form { ALIKE, COUNTS, TYPES }; /* as in MPI_Alltoall, MPI_Alltoallv, MPI_Alltoallw */

struct side {
    enum form form;
    int n; /* blocks */
    struct layout layouts[BLOCKS_MAX];
    int nlayouts;
    int counts[BLOCKS_MAX], displs[BLOCKS_MAX];
    MPI_Aint far[BLOCKS_MAX]; /* as displs in bytes */
    MPI_Datatype types[BLOCKS_MAX];
    unsigned char *memory, *image, *device;
    size_t bytes;
    long origin; /* where the call's buffer begins in the memory */
};

/** One case on one rank. */
struct call {
    int number;
    const char *name;
    uint64_t common, own; /* random: the same on all ranks, and of this one */
    MPI_Comm comm;
    int rank, size;
    struct unit unit;
    int later;           /* the non-blocking form */
    MPI_Request request; /* of that */
};

/* ---- chance --------------------------------------------------------------------------- */

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static int below(uint64_t *state, int n)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    return (int)(mix(*state) % (unsigned)n);
}

/* Each power of two as likely as the next; 0 now and then. */
static int size_below(uint64_t *state, int most)
{
    int log2 = 1;

    while (1 << log2 < most)
        log2++;
    if (below(state, 16) == 0)
        return 0;
    return (below(state, 1 << below(state, log2 + 1)) + 1) % most + 1;
}

static int divisor(uint64_t *state, int n)
{
    int list[256], found = 0;

    for (int i = 1; i * i <= n && found < 254; i++) {
        if (n % i != 0)
            continue;
        list[found++] = i;
        list[found++] = n / i;
    }
    return list[below(state, found)];
}

/* Byte i of what one rank has for another, by a number of all that it depends on. */
static void stream(uint64_t key, unsigned char *to, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += 8) {
        uint64_t word = mix(key + i);

        memcpy(to + i, &word, bytes - i < 8 ? bytes - i : 8);
    }
}

static uint64_t key_of(const struct call *c, int from, int slot)
{
    return mix(mix((uint64_t)options.seed << 32 | (unsigned)c->number) + (uint64_t)from * 4096 +
               (uint64_t)slot);
}

static unsigned char *made(const struct call *c, int from, int slot, int units)
{
    size_t bytes = (size_t)units * (size_t)c->unit.bytes;
    unsigned char *b = malloc(bytes + 8);

    stream(key_of(c, from, slot), b, bytes);
    return b;
}

static struct unit draw_unit(uint64_t *state)
{
    static const struct {
        MPI_Datatype type;
        int bytes;
    } basics[] = { { MPI_CHAR, 1 },  { MPI_SHORT, 2 },  { MPI_INT, 4 },
                   { MPI_FLOAT, 4 }, { MPI_DOUBLE, 8 }, { MPI_LONG_LONG, 8 } };
    struct unit u = { .n = below(state, 2) ? 1 : 1 + below(state, 4) };

    for (int i = 0; i < u.n; i++) {
        int which = below(state, 6);

        u.types[i] = basics[which].type;
        u.sizes[i] = basics[which].bytes;
        u.bytes += basics[which].bytes;
    }
    return u;
}

/* ---- layouts ---------------------------------------------------------------------------- */

/** Pieces of a type one of which is not on another, in any order, with gaps. */
struct pieces {
    int n, *lengths, *ints; /* lengths in elements; where, in steps */
    MPI_Aint *far;          /* where, in bytes */
};

static struct pieces draw_pieces(uint64_t *own, const int *lengths, int n, long extent, long step)
{
    struct pieces p = { n, malloc((size_t)n * sizeof(int)), malloc((size_t)n * sizeof(int)),
                        malloc((size_t)n * sizeof(MPI_Aint)) };
    int *order = malloc((size_t)n * sizeof(int)), mixed = below(own, 2);
    long at = below(own, 2) ? 0 : below(own, 9) - 4;

    for (int i = 0; i < n; i++)
        order[i] = i;
    for (int i = n - 1; mixed && i > 0; i--) {
        int j = below(own, i + 1), was = order[i];

        order[i] = order[j];
        order[j] = was;
    }
    for (int i = 0; i < n; i++) {
        p.lengths[order[i]] = lengths[order[i]];
        p.ints[order[i]] = (int)at;
        p.far[order[i]] = at * step;
        at += (lengths[order[i]] * extent + step - 1) / step;
        at += below(own, 2) ? 0 : below(own, 4);
    }
    free(order);
    return p;
}

static void free_pieces(struct pieces *p)
{
    free(p->lengths);
    free(p->ints);
    free(p->far);
}

/* `n` elements at these offsets become one of `type`; the former type goes. */
static void replace(struct layout *l, MPI_Datatype type, int n, const long *offsets)
{
    long *at = malloc((size_t)l->n * (size_t)n * sizeof(*at)), low = l->low, high = l->high;
    MPI_Aint lb, extent;

    for (int i = 0; i < n; i++) {
        for (int j = 0; j < l->n; j++)
            at[i * l->n + j] = offsets[i] + l->at[j];
        l->low = i == 0 || offsets[i] + low < l->low ? offsets[i] + low : l->low;
        l->high = i == 0 || offsets[i] + high > l->high ? offsets[i] + high : l->high;
    }
    free(l->at);
    if (l->type != MPI_DATATYPE_NULL)
        MPI_Type_free(&l->type);
    MPI_Type_get_extent(type, &lb, &extent);
    l->type = type;
    l->extent = extent;
    l->at = at;
    l->n *= n;
    l->units *= n;
}

static void resize(struct layout *l, long low, long extent)
{
    MPI_Datatype type;
    long zero = 0;

    MPI_Type_create_resized(l->type, low, extent, &type);
    replace(l, type, 1, &zero);
}

static void by_vector(struct layout *l, uint64_t *own, int f)
{
    int block = divisor(own, f), n = f / block, in_bytes = below(own, 2);
    long step = in_bytes ? 1 : l->extent, stride = in_bytes ? block * l->extent : block;
    long *at = malloc((size_t)f * sizeof(*at));
    MPI_Datatype type;

    stride = (stride + below(own, 5)) * (below(own, 4) == 0 ? -1 : 1);
    if (in_bytes)
        MPI_Type_create_hvector(n, block, stride, l->type, &type);
    else
        MPI_Type_vector(n, block, (int)stride, l->type, &type);
    for (int i = 0; i < f; i++)
        at[i] = i / block * stride * step + i % block * l->extent;
    replace(l, type, f, at);
    free(at);
}

/* Lengths of pieces that make up f; some may be 0. */
static int cut(uint64_t *own, int f, int equal, int *lengths)
{
    int n = equal ? divisor(own, f) : 0;

    for (int i = 0; i < n; i++)
        lengths[i] = f / n;
    while (!equal && f > 0) {
        lengths[n] = below(own, 8) == 0 ? 0 : 1 + below(own, f / (1 + below(own, 8)) + 1);
        lengths[n] = lengths[n] > f ? f : lengths[n];
        f -= lengths[n++];
    }
    return n;
}

static void by_index(struct layout *l, uint64_t *own, int f)
{
    int how = below(own, 5), equal = how >= 3, in_bytes = how % 3 > 0, k = 0;
    int *lengths = malloc((2 * (size_t)f + 64) * sizeof(int)), n = cut(own, f, equal, lengths);
    struct pieces p = draw_pieces(own, lengths, n, l->extent, in_bytes ? 1 : l->extent);
    long *at = malloc((size_t)f * sizeof(*at));
    MPI_Datatype type, *types = malloc((size_t)n * sizeof(MPI_Datatype));

    for (int i = 0; i < n; i++) {
        types[i] = l->type;
        for (int j = 0; j < lengths[i]; j++)
            at[k++] = (long)p.far[i] + j * l->extent;
    }
    switch (how) {
    case 0:
        MPI_Type_indexed(n, p.lengths, p.ints, l->type, &type);
        break;
    case 1:
        MPI_Type_create_hindexed(n, p.lengths, p.far, l->type, &type);
        break;
    case 2:
        MPI_Type_create_struct(n, p.lengths, p.far, types, &type);
        break;
    case 3:
        MPI_Type_create_indexed_block(n, lengths[0], p.ints, l->type, &type);
        break;
    default:
        MPI_Type_create_hindexed_block(n, lengths[0], p.far, l->type, &type);
    }
    replace(l, type, f, at);
    free(at);
    free(types);
    free(lengths);
    free_pieces(&p);
}

static void by_subarray(struct layout *l, uint64_t *own, int f)
{
    int rows = divisor(own, f), columns = f / rows, c_order = below(own, 2);
    int before[2] = { below(own, 3), below(own, 3) }, part[2] = { rows, columns };
    int whole[2] = { rows + before[0] + below(own, 2), columns + before[1] + below(own, 2) };
    int turned[3][2] = { { whole[1], whole[0] }, { part[1], part[0] }, { before[1], before[0] } };
    long *at = malloc((size_t)f * sizeof(*at));
    MPI_Datatype type;

    if (c_order)
        MPI_Type_create_subarray(2, whole, part, before, MPI_ORDER_C, l->type, &type);
    else
        MPI_Type_create_subarray(2, turned[0], turned[1], turned[2], MPI_ORDER_FORTRAN, l->type,
                                 &type);
    for (int i = 0; i < f; i++)
        at[i] = ((long)(before[0] + i / columns) * whole[1] + before[1] + i % columns) * l->extent;
    replace(l, type, f, at);
    free(at);
}

/* A matrix by its columns, which lie within each other. */
static void by_columns(struct layout *l, uint64_t *own, int f)
{
    int rows = divisor(own, f), columns = f / rows, pitch = columns + below(own, 3);
    long *at = malloc((size_t)f * sizeof(*at)), e = l->extent;
    MPI_Datatype column, thin, type;

    MPI_Type_vector(rows, 1, pitch, l->type, &column);
    MPI_Type_create_resized(column, 0, e, &thin);
    MPI_Type_contiguous(columns, thin, &type);
    for (int i = 0; i < f; i++)
        at[i] = ((long)(i % rows) * pitch + i / rows) * e;
    replace(l, type, f, at);
    resize(l, l->low, l->high - l->low + below(own, 9));
    MPI_Type_free(&column);
    MPI_Type_free(&thin);
    free(at);
}

static void by_row(struct layout *l, int f)
{
    long *at = malloc((size_t)f * sizeof(*at));
    MPI_Datatype type;

    MPI_Type_contiguous(f, l->type, &type);
    for (int i = 0; i < f; i++)
        at[i] = i * l->extent;
    replace(l, type, f, at);
    free(at);
}

/* The unit itself: its basic elements may lie in any order, too. */
static struct layout draw_base(uint64_t *own, const struct unit *u)
{
    struct layout l = {
        .type = MPI_DATATYPE_NULL, .units = 1, .n = 1, .at = calloc(1, sizeof(long))
    };
    static const int ones[4] = { 1, 1, 1, 1 };
    int lengths[4], plain = u->n == 1 || below(own, 3) == 0, at = 0;
    struct pieces p;
    long offsets[4];
    MPI_Datatype type;

    memcpy(lengths, u->sizes, sizeof(lengths));
    p = draw_pieces(own, lengths, u->n, 1, 1);
    for (int i = 0; i < u->n; i++) {
        p.far[i] = plain ? at : p.far[i];
        at += u->sizes[i];
        offsets[i] = (long)p.far[i];
    }
    MPI_Type_create_struct(u->n, ones, p.far, u->types, &type);
    for (int i = 0; i < u->n; i++) {
        l.low = i == 0 || offsets[i] < l.low ? offsets[i] : l.low;
        l.high = i == 0 || offsets[i] + u->sizes[i] > l.high ? offsets[i] + u->sizes[i] : l.high;
    }
    free(l.at);
    l.at = malloc((size_t)u->n * sizeof(long));
    memcpy(l.at, offsets, (size_t)u->n * sizeof(long));
    l.n = u->n;
    l.type = type;
    free_pieces(&p);
    resize(&l, l.low, plain ? l.high - l.low : l.high - l.low + below(own, 5));
    return l;
}

static struct layout draw_layout(uint64_t *own, const struct unit *u, int units)
{
    struct layout l = draw_base(own, u);
    int size;

    while (l.units < units) {
        int f = below(own, 2) ? units / l.units : divisor(own, units / l.units);
        int wide = l.extent / l.units > 6 * u->bytes; /* more gaps would only take memory */

        switch (wide ? 0 : below(own, 8)) {
        case 0:
        case 1:
            by_row(&l, f);
            break;
        case 2:
        case 3:
            by_vector(&l, own, f);
            break;
        case 4:
            by_subarray(&l, own, f);
            break;
        case 5:
            by_columns(&l, own, f);
            break;
        default:
            by_index(&l, own, f);
        }
        if (below(own, 3) == 0)
            resize(&l, l.low + below(own, 41) - 20, l.high - l.low + below(own, 20));
    }
    MPI_Type_commit(&l.type);
    MPI_Type_size(l.type, &size);
    CHECK(size == units * u->bytes, "4.1.5 size %d, expected %d", size, units * u->bytes);
    return l;
}

/* ---- sides -------------------------------------------------------------------------------- */

static void side_allocate(struct side *s, const struct call *c, uint64_t *own)
{
    long low = 0, high = 0;
    int any = 0;

    (void)c;
    for (int i = 0; i < s->n; i++) {
        const struct layout *l = &s->layouts[s->nlayouts > 1 ? i : 0];
        long first = (long)s->far[i] + l->low;
        long end = (long)s->far[i] + (s->counts[i] - 1) * l->extent + l->high;

        if (s->counts[i] == 0)
            continue;
        low = !any || first < low ? first : low;
        high = !any || end > high ? end : high;
        any = 1;
    }
    s->origin = MARGIN + below(own, 16) - low;
    s->bytes = (size_t)(high - low) + 2 * MARGIN + 16;
    s->memory = malloc(s->bytes);
    s->image = malloc(s->bytes);
    s->device = NULL;
    memset(s->memory, GAP, s->bytes);
    memset(s->image, GAP, s->bytes);
#if HAS_GPUS
    if (options.gpu && below(own, 3) == 0)
        cudaMalloc((void **)&s->device, s->bytes);
#endif
}

/** Blocks of so many units each, all of them multiples of `common_part`. */
static void side_open(struct side *s, struct call *c, enum form form, int n, const int *units,
                      int common_part)
{
    uint64_t *own = &c->own;
    struct pieces p;

    *s = (struct side){ .form = form, .n = n, .nlayouts = form == TYPES ? n : 1 };
    for (int i = 0; i < s->nlayouts; i++) {
        int part = form == COUNTS ? common_part : n > 0 ? units[i] : 1;

        s->layouts[i] = draw_layout(own, &c->unit, part > 0 ? divisor(own, part) : 1);
    }
    for (int i = 0; i < n; i++) {
        const struct layout *l = &s->layouts[form == TYPES ? i : 0];

        s->counts[i] = units[i] / l->units;
        s->types[i] = l->type;
        s->far[i] = i * s->counts[0] * l->extent; /* ALIKE */
    }
    if (form == COUNTS && n > 0) {
        p = draw_pieces(own, s->counts, n, s->layouts[0].extent, s->layouts[0].extent);
        memcpy(s->displs, p.ints, (size_t)n * sizeof(int));
        memcpy(s->far, p.far, (size_t)n * sizeof(MPI_Aint));
        free_pieces(&p);
    }
    for (long i = 0, at = below(own, 9) - 4; form == TYPES && i < n; i++) {
        const struct layout *l = &s->layouts[i];

        s->far[i] = at - l->low;
        s->displs[i] = (int)s->far[i];
        at += s->counts[i] * l->extent + (l->high - l->low) + below(own, 9);
    }
    side_allocate(s, c, own);
}

/** One block of `count` elements of a layout that another side has, too. */
static void side_open_as(struct side *s, struct call *c, const struct layout *l, int count)
{
    *s = (struct side){ .form = ALIKE, .n = 1 };
    s->layouts[0] = *l;
    s->counts[0] = count;
    side_allocate(s, c, &c->own);
}

static void put_units(const struct side *s, const struct call *c, unsigned char *to, int block,
                      const unsigned char *from, int units)
{
    const struct layout *l = &s->layouts[s->nlayouts > 1 ? block : 0];
    unsigned char *base = to + s->origin + s->far[block];
    int elements = units * c->unit.n;

    for (int i = 0; i < elements; i++) {
        int bytes = c->unit.sizes[i % c->unit.n];

        memcpy(base + i / l->n * l->extent + l->at[i % l->n], from, (size_t)bytes);
        from += bytes;
    }
}

/** Data of a block that are there before the call, after it, or both. */
static void side_put(struct side *s, const struct call *c, int block, const unsigned char *from,
                     int units, int before, int after)
{
    if (before)
        put_units(s, c, s->memory, block, from, units);
    if (after)
        put_units(s, c, s->image, block, from, units);
}

static void side_make(struct side *s, const struct call *c, int block, int from, int slot,
                      int units, int before, int after)
{
    unsigned char *b = made(c, from, slot, units);

    side_put(s, c, block, b, units, before, after);
    free(b);
}

/** The call's buffer; what has been put so far is in it. */
static void *side_buffer(struct side *s)
{
#if HAS_GPUS
    if (s->device != NULL) {
        cudaMemcpy(s->device, s->memory, s->bytes, cudaMemcpyHostToDevice);
        return s->device + s->origin;
    }
#endif
    return s->memory + s->origin;
}

static void side_check(struct side *s, const struct call *c, const char *which)
{
    size_t at = 0;

#if HAS_GPUS
    if (s->device != NULL)
        cudaMemcpy(s->memory, s->device, s->bytes, cudaMemcpyDeviceToHost);
#endif
    while (at < s->bytes && s->memory[at] == s->image[at])
        at++;
    CHECK(at == s->bytes, "case %d, %s%s: %s%s: byte %zu of %zu is %02x, expected %02x", c->number,
          c->name, c->later ? ", non-blocking" : "", which, s->device != NULL ? " in a GPU" : "",
          at, s->bytes, at < s->bytes ? s->memory[at] : 0, at < s->bytes ? s->image[at] : 0);
}

static void layout_close(struct layout *l)
{
    MPI_Type_free(&l->type);
    free(l->at);
}

static void side_close(struct side *s)
{
    for (int i = 0; i < s->nlayouts; i++)
        layout_close(&s->layouts[i]);
#if HAS_GPUS
    if (s->device != NULL)
        cudaFree(s->device);
#endif
    free(s->memory);
    free(s->image);
}

/* ---- cases ---------------------------------------------------------------------------------- */

/** A row of a chapter. */
struct kind {
    const char *name;
    void (*run)(struct call *c);
};

static void read_options(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        (void)sscanf(argv[i], "cases=%d", &options.cases);
        (void)sscanf(argv[i], "first=%d", &options.first);
        (void)sscanf(argv[i], "seed=%d", &options.seed);
        (void)sscanf(argv[i], "most=%d", &options.most);
        (void)sscanf(argv[i], "gpu=%d", &options.gpu);
    }
}

static void run_cases(const struct kind *kinds, int n)
{
    MPI_Comm comms[COMMS];

    for (int i = 0; i < COMMS; i++) /* in order, backwards, mixed */
        MPI_Comm_split(MPI_COMM_WORLD, 0,
                       i == 0   ? check_rank
                       : i == 1 ? -check_rank
                                : (int)(mix((uint64_t)check_rank) >> 40),
                       &comms[i]);
    for (int k = options.first; k < options.first + options.cases; k++) {
        struct call c = { .number = k, .request = MPI_REQUEST_NULL };
        int which;

        c.common = mix((uint64_t)options.seed << 32 | (unsigned)k);
        c.own = mix(c.common + 1 + (unsigned)check_rank);
        which = below(&c.common, n);
        c.name = kinds[which].name;
        c.comm = comms[below(&c.common, COMMS)];
        c.unit = draw_unit(&c.common);
        c.later = below(&c.common, 2);
        MPI_Comm_rank(c.comm, &c.rank);
        MPI_Comm_size(c.comm, &c.size);
        kinds[which].run(&c);
    }
    for (int i = 0; i < COMMS; i++)
        MPI_Comm_free(&comms[i]);
}

#endif /* SIGNATURES_H */
