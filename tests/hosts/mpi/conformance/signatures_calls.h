/* What the chapters of collectives with unlike datatypes share: both forms of a call, sizes of
 * blocks, and an operation on elements of any datatype. */
#ifndef SIGNATURES_CALLS_H
#define SIGNATURES_CALLS_H

#include "signatures.h"

/* The blocking form, or the other one, which finish() ends. */
#define CALL(c, name, later_name, ...)                                                             \
    ((c)->later ? MPI_I##later_name(__VA_ARGS__, &(c)->request) : MPI_##name(__VA_ARGS__))

static void finish(struct call *c, int code)
{
    int flag = 0, text_bytes;
    char text[MPI_MAX_ERROR_STRING];

    for (int i = c->later ? below(&c->own, 3) : 0; code == MPI_SUCCESS && i > 0; i--)
        MPI_Test(&c->request, &flag, MPI_STATUS_IGNORE);
    if (c->later && code == MPI_SUCCESS)
        code = MPI_Wait(&c->request, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS)
        MPI_Error_string(code, text, &text_bytes);
    CHECK(code == MPI_SUCCESS, "case %d, %s: %s", c->number, c->name, text);
}

/* ---- how much there is ------------------------------------------------------------------ */

/** Units of blocks: all alike, or of each pair. */
struct sizes {
    int part, most; /* each block is a multiple of `part` */
    int alike;
    int symmetric; /* as much from one rank to another as back */
};

static struct sizes draw_sizes(struct call *c, int alike, int blocks)
{
    static const int parts[] = { 1, 1, 2, 3, 4, 6, 12, 30, 64 };
    struct sizes s = { .part = alike ? 1 : parts[below(&c->common, 9)], .alike = alike };

    s.most = size_below(&c->common, options.most / c->unit.bytes);
    s.most = s.most / blocks > 0 ? s.most / blocks : s.most % 64;
    return s;
}

static int units_of(const struct call *c, const struct sizes *s, int from, int slot)
{
    uint64_t state = s->symmetric ? key_of(c, from < slot ? from : slot, from < slot ? slot : from)
                                  : key_of(c, from, slot);

    if (s->alike)
        return s->most;
    return below(&state, 4) == 0 ? 0 : below(&state, s->most / s->part + 1) * s->part;
}

/* ---- operations ---------------------------------------------------------------------------- */

/* The operation's elements are of a datatype; here is what one holds. */
static const struct layout *op_layout;
static const struct unit *op_unit;
static int op_commutes;

/* Sums of bytes; or the last one that is not 0, for which the order of ranks counts. */
static void add(unsigned char *left, unsigned char *right)
{
    if (op_commutes)
        *right = (unsigned char)(*left + *right);
    else if (*right % 4 == 0)
        *right = *left;
}

static void operate(void *left, void *right, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int e = 0; e < *n; e++) {
        for (int i = 0; i < op_layout->n; i++) {
            long at = e * op_layout->extent + op_layout->at[i];

            for (int b = 0; b < op_unit->sizes[i % op_unit->n]; b++)
                add((unsigned char *)left + at + b, (unsigned char *)right + at + b);
        }
    }
}

/* What `n` ranks from `first` on give together. */
static unsigned char *sum_of(const struct call *c, int first, int n, int units)
{
    unsigned char *sum = made(c, first, 0, units);

    for (int r = first + 1; r < first + n; r++) {
        unsigned char *left = sum;

        sum = made(c, r, 0, units);
        for (int i = 0; i < units * c->unit.bytes; i++)
            add(&left[i], &sum[i]);
        free(left);
    }
    return sum;
}

/** Elements of some units each, which lie otherwise on each rank. */
struct sums {
    struct layout element;
    int units, count; /* of an element; of all that a rank gives */
    MPI_Op op;
    struct side out, in;
    unsigned char *own;
    int in_place;
};

static void sums_open(struct call *c, struct sums *s, int count, int in_count, int units)
{
    s->units = units;
    s->count = count;
    op_commutes = below(&c->common, 2);
    s->in_place = below(&c->common, 3) == 0;
    s->element = draw_layout(&c->own, &c->unit, units);
    op_layout = &s->element;
    op_unit = &c->unit;
    MPI_Op_create(operate, op_commutes, &s->op);
    side_open_as(&s->out, c, &s->element, count);
    side_open_as(&s->in, c, &s->element, in_count);
    s->own = made(c, c->rank, 0, count * units);
    side_put(&s->out, c, 0, s->own, count * units, 1, 1);
}

/* As many elements as there may be of a rank's share. */
static int draw_count(struct call *c, int *units_p, int shares)
{
    struct sizes s = draw_sizes(c, 1, shares);

    *units_p = 1 + below(&c->common, 6);
    return s.most / *units_p;
}

static const void *sums_from(struct sums *s, int in_place)
{
    return in_place ? MPI_IN_PLACE : side_buffer(&s->out);
}

static void sums_close(struct call *c, struct sums *s, int in_place)
{
    if (!in_place)
        side_check(&s->out, c, "given");
    side_check(&s->in, c, "result");
    MPI_Op_free(&s->op);
    side_close(&s->out);
    side_close(&s->in);
    layout_close(&s->element);
    free(s->own);
}

#endif /* SIGNATURES_CALLS_H */
