/*
 * MG: V-cycles of a multigrid solver for Poisson's equation in a periodic cube. Ranks hold boxes of
 * each grid with one layer of ghosts around them; after each step the faces go to the neighbours,
 * axis after axis, so that edges and corners come along. Receives are from any rank: the tag
 * identifies them.
 */
#include "npb.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS = 6, AXES = 3, CHARGES = 10 };
#define SEED UINT64_C(314159265)

/** A grid's part: n[axis] with both ghosts; x (axis 0) runs fastest. */
struct level {
    int n[AXES];
    double *u, *r;
};

struct test {
    struct npb n;
    int top;         /* number of the finest level; level k has 2^k points along an axis */
    int shape[AXES]; /* ranks along each axis */
    int at[AXES];    /* place of this rank */
    int neighbour[AXES][2];
    struct level level[LEVELS + 1];
    double *v;       /* the right side */
    uint64_t memory; /* bytes of all grids */
    uint64_t room;   /* values of a buffer: two layers of the largest box that a rank may have */
    double *out[2], *in[2];
};

static size_t cell(const struct level *l, int x, int y, int z)
{
    return (size_t)x + (size_t)l->n[0] * ((size_t)y + (size_t)l->n[1] * (size_t)z);
}

static size_t cells(const struct level *l)
{
    return (size_t)l->n[0] * (size_t)l->n[1] * (size_t)l->n[2];
}

static unsigned long long inner(const struct level *l)
{
    return (unsigned long long)(l->n[0] - 2) * (unsigned long long)(l->n[1] - 2) *
           (unsigned long long)(l->n[2] - 2);
}

/* ---- ghosts ------------------------------------------------------------------------------ */

/** Copies the layer `at` of an axis between the grid and a buffer. @return doubles */
static int layer(const struct level *l, double *grid, int axis, int at, double *buffer, int store)
{
    int low[AXES], high[AXES], n = 0;

    for (int a = 0; a < AXES; a++) { /* ghosts of the axes before it are right already */
        low[a] = a < axis ? 0 : 1;
        high[a] = a < axis ? l->n[a] - 1 : l->n[a] - 2;
    }
    low[axis] = high[axis] = at;
    for (int z = low[2]; z <= high[2]; z++)
        for (int y = low[1]; y <= high[1]; y++)
            for (int x = low[0]; x <= high[0]; x++, n++) {
                if (store)
                    grid[cell(l, x, y, z)] = buffer[n];
                else
                    buffer[n] = grid[cell(l, x, y, z)];
            }
    return n;
}

/** A layer goes through a buffer: across x, each value has a row of its own. */
static void charge_layer(const struct test *t, int axis, int n)
{
    unsigned long long values = (unsigned long long)n, bytes = values * sizeof(double);

    if (axis == 0)
        hub_touch(values, 0, t->memory);
    else
        hub_walk(bytes, 0, t->memory);
    hub_walk(0, bytes, t->memory);
    hub_work(HUB_LOOP_STENCIL, values);
}

/** A step over a grid: values read and written a point. */
static void charge_work(const struct test *t, unsigned long long points, unsigned ops,
                        unsigned read, unsigned written)
{
    hub_work(HUB_LOOP_STENCIL, ops * points);
    hub_walk(read * points * sizeof(double), written * points * sizeof(double), t->memory);
}

/** What an exchange walks through again: the buffers, and before the first axis the step's grids.
 */
static uint64_t exchanged(const struct test *t, const struct level *l, int axis)
{
    return sizeof(double) * (4 * t->room + (axis == 0 ? 3 * cells(l) : 0));
}

/** A buffer is filled with zeros before it takes a layer: all of it on every level, so that this
 * takes as long on four ranks as on one. */
static void empty(const struct test *t, double *buffer, uint64_t set)
{
    memset(buffer, 0, t->room * sizeof(double));
    hub_walk(0, t->room * sizeof(double), set);
    hub_work(HUB_LOOP_STENCIL, t->room);
}

/** A single rank is its own neighbour on all sides. Whole buffers are copied, too. */
static void wrap(const struct test *t, const struct level *l, double *grid, int axis)
{
    uint64_t bytes = t->room * sizeof(double), set = exchanged(t, l, axis);

    for (int up = 0; up < 2; up++)
        empty(t, t->in[up], set);
    for (int up = 0; up < 2; up++)
        charge_layer(t, axis, layer(l, grid, axis, up ? l->n[axis] - 2 : 1, t->out[up], 0));
    for (int up = 0; up < 2; up++) {
        memcpy(t->in[up], t->out[up], bytes);
        hub_walk(bytes, bytes, set);
        hub_work(HUB_LOOP_STENCIL, t->room);
    }
    for (int up = 0; up < 2; up++)
        charge_layer(t, axis, layer(l, grid, axis, up ? 0 : l->n[axis] - 1, t->in[up], 1));
}

static int tag_of(int axis, int up)
{
    return 100 * (2 + up) + 10 * (axis + 1);
}

/** Along an axis that is not shared, several ranks send messages to themselves. */
static void ghosts(const struct test *t, const struct level *l, double *grid)
{
    for (int axis = 0; axis < AXES; axis++) {
        MPI_Request requests[2];

        if (t->n.ranks == 1) {
            wrap(t, l, grid, axis);
            continue;
        }
        for (int up = 0; up < 2; up++) {
            empty(t, t->in[up], exchanged(t, l, axis));
            CHECK(MPI_Irecv(t->in[up], (int)t->room, MPI_DOUBLE, MPI_ANY_SOURCE, tag_of(axis, up),
                            MPI_COMM_WORLD, &requests[up]),
                  MPI_SUCCESS);
        }
        for (int up = 1; up >= 0; up--) { /* what goes up is the neighbour's lower ghost */
            int n = layer(l, grid, axis, up ? l->n[axis] - 2 : 1, t->out[up], 0);

            charge_layer(t, axis, n);
            CHECK(MPI_Send(t->out[up], n, MPI_DOUBLE, t->neighbour[axis][up], tag_of(axis, up),
                           MPI_COMM_WORLD),
                  MPI_SUCCESS);
        }
        for (int up = 0; up < 2; up++) {
            CHECK(MPI_Wait(&requests[up], MPI_STATUS_IGNORE), MPI_SUCCESS);
            charge_layer(t, axis, layer(l, grid, axis, up ? 0 : l->n[axis] - 1, t->in[up], 1));
        }
    }
}

/* ---- stencils ------------------------------------------------------------------------------ */

/** Sums of the 27 around a point by distance: 6 faces, 12 edges, 8 corners. */
static void around(const struct level *l, const double *g, size_t c, double sum[3])
{
    size_t y = (size_t)l->n[0], z = y * (size_t)l->n[1];

    sum[0] = g[c - 1] + g[c + 1] + g[c - y] + g[c + y] + g[c - z] + g[c + z];
    sum[1] = g[c - 1 - y] + g[c + 1 - y] + g[c - 1 + y] + g[c + 1 + y] + g[c - 1 - z] +
             g[c + 1 - z] + g[c - 1 + z] + g[c + 1 + z] + g[c - y - z] + g[c + y - z] +
             g[c - y + z] + g[c + y + z];
    sum[2] = g[c - 1 - y - z] + g[c + 1 - y - z] + g[c - 1 + y - z] + g[c + 1 + y - z] +
             g[c - 1 - y + z] + g[c + 1 - y + z] + g[c - 1 + y + z] + g[c + 1 + y + z];
}

/** What is charged for each point: sums shared along a row, as a compiler keeps them, four
 * products. */
enum { RESIDUAL_OPS = 15, SMOOTH_OPS = 15, RESTRICT_OPS = 20, INTERPOLATE_OPS = 5 };

/** r = v - A u; r may be v. */
static void residual(const struct test *t, const struct level *l, double *u, const double *v,
                     double *r)
{
    double s[3];

    for (int z = 1; z < l->n[2] - 1; z++)
        for (int y = 1; y < l->n[1] - 1; y++)
            for (int x = 1; x < l->n[0] - 1; x++) {
                size_t c = cell(l, x, y, z);

                around(l, u, c, s);
                r[c] = v[c] + 8.0 / 3 * u[c] - 1.0 / 6 * s[1] - 1.0 / 12 * s[2];
            }
    charge_work(t, inner(l), RESIDUAL_OPS, 2, 1);
    ghosts(t, l, r);
}

/** u += S r. */
static void smooth(const struct test *t, const struct level *l, double *r, double *u)
{
    double s[3];

    for (int z = 1; z < l->n[2] - 1; z++)
        for (int y = 1; y < l->n[1] - 1; y++)
            for (int x = 1; x < l->n[0] - 1; x++) {
                size_t c = cell(l, x, y, z);

                around(l, r, c, s);
                u[c] += -3.0 / 8 * r[c] + 1.0 / 32 * s[0] - 1.0 / 64 * s[1];
            }
    charge_work(t, inner(l), SMOOTH_OPS, 1, 1);
    ghosts(t, l, u);
}

/** Half, quarter, eighth, sixteenth of the point, faces, edges and corners around it. */
static void restrict_to(const struct test *t, const struct level *fine, const struct level *coarse)
{
    double s[3];

    for (int z = 1; z < coarse->n[2] - 1; z++)
        for (int y = 1; y < coarse->n[1] - 1; y++)
            for (int x = 1; x < coarse->n[0] - 1; x++) {
                size_t c = cell(fine, 2 * x, 2 * y, 2 * z);

                around(fine, fine->r, c, s);
                coarse->r[cell(coarse, x, y, z)] =
                    0.5 * fine->r[c] + 0.25 * s[0] + 0.125 * s[1] + 0.0625 * s[2];
            }
    charge_work(t, inner(coarse), RESTRICT_OPS, 8, 1);
    ghosts(t, coarse, coarse->r);
}

/** Adds the coarse grid to the fine one, means between its points; ghosts of both along with it. */
static void interpolate(const struct test *t, const struct level *coarse, const struct level *fine)
{
    for (int z = 0; z < fine->n[2]; z++)
        for (int y = 0; y < fine->n[1]; y++)
            for (int x = 0; x < fine->n[0]; x++) {
                double sum = 0;

                for (int k = 0; k < 8;
                     k++) /* an even point is a coarse one; an odd one lies between */
                    sum += coarse->u[cell(coarse, (x + (k & 1)) / 2, (y + (k >> 1 & 1)) / 2,
                                          (z + (k >> 2)) / 2)];
                fine->u[cell(fine, x, y, z)] += sum / 8;
            }
    charge_work(t, inner(fine), INTERPOLATE_OPS, 0, 1);
}

static void clear(const struct test *t, const struct level *l)
{
    memset(l->u, 0, cells(l) * sizeof(double));
    charge_work(t, cells(l), 1, 0, 1);
}

static void cycle(struct test *t)
{
    struct level *top = &t->level[t->top];

    for (int k = t->top; k > 1; k--)
        restrict_to(t, &t->level[k], &t->level[k - 1]);
    clear(t, &t->level[1]);
    smooth(t, &t->level[1], t->level[1].r, t->level[1].u);
    for (int k = 2; k < t->top; k++) {
        struct level *l = &t->level[k];

        clear(t, l);
        interpolate(t, &t->level[k - 1], l);
        residual(t, l, l->u, l->r, l->r);
        smooth(t, l, l->r, l->u);
    }
    interpolate(t, &t->level[t->top - 1], top);
    residual(t, top, top->u, t->v, top->r);
    smooth(t, top, top->r, top->u);
    residual(t, top, top->u, t->v, top->r);
}

/* ---- the right side: 1 where the ten largest random numbers are, -1 where the ten smallest -- */

struct charge {
    double value;
    int64_t at; /* in the whole grid */
};

static int by_value(const void *a, const void *b)
{
    double x = ((const struct charge *)a)->value, y = ((const struct charge *)b)->value;

    return (x > y) - (x < y);
}

/** The ten of least value of those of all ranks, found one by one, each with two reductions; sign
 * -1 makes it the largest. */
static void extremes(const struct test *t, int sign, struct charge *ten)
{
    const struct level *l = &t->level[t->top];
    int64_t size = INT64_C(1) << t->top;
    struct charge own[CHARGES];
    int n = 0;

    for (int z = 1; z < l->n[2] - 1; z++)
        for (int y = 1; y < l->n[1] - 1; y++) {
            int64_t row = (int64_t)t->at[0] * (l->n[0] - 2) +
                          size * ((int64_t)t->at[1] * (l->n[1] - 2) + y - 1 +
                                  size * ((int64_t)t->at[2] * (l->n[2] - 2) + z - 1));
            uint64_t seed = npb_skip(SEED, (uint64_t)row);

            for (int x = 1; x < l->n[0] - 1; x++) {
                struct charge c = { sign * npb_random(&seed), row + x - 1 };

                if (n == CHARGES && c.value >= ten[n - 1].value)
                    continue;
                n += n < CHARGES;
                ten[n - 1] = c;
                qsort(ten, (size_t)n, sizeof(*ten), by_value);
            }
        }
    while (n < CHARGES)
        ten[n++] = (struct charge){ 2, -1 };
    npb_charge_random(inner(l));
    charge_work(t, inner(l), 1, 1, 0);
    memcpy(own, ten, sizeof(own));
    for (int i = 0, mine = 0; i < CHARGES; i++) {
        int at[4] = { 0 }; /* of four, only one number counts here */

        ten[i].value = own[mine].value;
        CHECK(MPI_Allreduce(MPI_IN_PLACE, &ten[i].value, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD),
              MPI_SUCCESS);
        if (ten[i].value == own[mine].value)
            at[0] = (int)own[mine++].at;
        CHECK(MPI_Allreduce(MPI_IN_PLACE, at, 4, MPI_INT, MPI_MAX, MPI_COMM_WORLD), MPI_SUCCESS);
        ten[i].at = at[0];
    }
}

static void put_charges(const struct test *t, double value, const struct charge *ten)
{
    const struct level *l = &t->level[t->top];
    int64_t size = INT64_C(1) << t->top;

    for (int i = 0; i < CHARGES; i++) {
        int64_t at[AXES] = { ten[i].at % size, ten[i].at / size % size, ten[i].at / size / size };
        int mine = 1;

        for (int a = 0; a < AXES; a++) {
            at[a] -= (int64_t)t->at[a] * (l->n[a] - 2);
            mine &= at[a] >= 0 && at[a] < l->n[a] - 2;
        }
        if (mine)
            t->v[cell(l, (int)at[0] + 1, (int)at[1] + 1, (int)at[2] + 1)] = value;
    }
}

static void begin(struct test *t)
{
    struct level *top = &t->level[t->top];
    struct charge least[CHARGES], largest[CHARGES];

    clear(t, top);
    memset(t->v, 0, cells(top) * sizeof(double));
    extremes(t, 1, least);
    extremes(t, -1, largest);
    put_charges(t, -1, least);
    put_charges(t, 1, largest);
    ghosts(t, top, t->v);
}

/* ---- set-up ------------------------------------------------------------------------------- */

static double norm(const struct test *t)
{
    const struct level *l = &t->level[t->top];
    double sum = 0, largest = 0;

    for (int z = 1; z < l->n[2] - 1; z++)
        for (int y = 1; y < l->n[1] - 1; y++)
            for (int x = 1; x < l->n[0] - 1; x++) {
                double r = l->r[cell(l, x, y, z)];

                sum += r * r;
                largest = fmax(largest, fabs(r));
            }
    charge_work(t, inner(l), 3, 1, 0);
    CHECK(MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD),
          MPI_SUCCESS);
    return sqrt(npb_sum(sum) / pow(8, t->top));
}

static void place(struct test *t)
{
    int log2 = npb_log2_ranks(&t->n, 8), stride = 1;

    for (int a = 0; a < AXES; a++) /* z is cut first */
        t->shape[a] = log2 >= AXES - a ? 2 : 1;
    for (int a = 0; a < AXES; stride *= t->shape[a++]) {
        t->at[a] = t->n.me / stride % t->shape[a];
        for (int up = 0; up < 2; up++)
            t->neighbour[a][up] =
                t->n.me +
                ((t->at[a] + (up ? 1 : t->shape[a] - 1)) % t->shape[a] - t->at[a]) * stride;
    }
    for (int k = 1; k <= t->top; k++) {
        struct level *l = &t->level[k];

        for (int a = 0; a < AXES; a++)
            l->n[a] = (1 << k) / t->shape[a] + 2;
        l->u = npb_alloc(cells(l), sizeof(double));
        l->r = npb_alloc(cells(l), sizeof(double));
        t->memory += (k == t->top ? 3 : 2) * cells(l) * sizeof(double);
    }
    t->v = npb_alloc(cells(&t->level[t->top]), sizeof(double));
    t->room = 2 + (UINT64_C(1) << (t->top - log2 / AXES));
    t->room *= 2 * t->room;
    for (int up = 0; up < 2; up++) {
        t->out[up] = npb_alloc(t->room, sizeof(double));
        t->in[up] = npb_alloc(t->room, sizeof(double));
    }
}

int main(int argc, char **argv)
{
    static const double right[2] = { 0.530770700573e-4, 0.250391406439e-17 };
    struct test t = { .top = 0 };
    struct level *top;
    double rest;

    npb_init(&t.n, &argc, &argv, 4, 40);
    t.top = t.n.is_w ? 6 : 5;
    top = &t.level[t.top];
    place(&t);
    begin(&t);
    residual(&t, top, top->u, t.v, top->r);
    (void)norm(&t);
    cycle(&t); /* untimed: memory is touched first */
    begin(&t);
    npb_start(&t.n);
    residual(&t, top, top->u, t.v, top->r);
    (void)norm(&t);
    do
        cycle(&t);
    while (npb_next(&t.n));
    rest = norm(&t);
    npb_stop(&t.n);
    /* In class W nothing but rounding is left: the last digits depend on the order of sums. */
    npb_end(&t.n, !npb_whole(&t.n) ||
                      fabs(rest - right[t.n.is_w]) <= (t.n.is_w ? 0.5 : 1e-6) * right[t.n.is_w]);
    return 0;
}
