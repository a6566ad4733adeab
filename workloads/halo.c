/*
 * Halo exchange of a grid of ranks (shape=4x2x2, periodic), each with n^3 doubles and one layer of
 * ghosts around them, by the TCA library. Faces are put straight out of the cube into the
 * neighbour's ghosts. A plane across z is rows side by side, one across y rows a plane apart: one
 * put each. One across x is single doubles a row apart, so there block stride costs most. It is a
 * put for each plane, since between two of them lie ghosts that others write. The x faces have a
 * channel each; y and z have one for both directions.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime.h>
#include <mpi.h>

#include "collective.h"

enum { FACES = 6, X = 0, Y = 1, Z = 2, AXES = 3 }; /* face 2 * axis + (1: towards higher ranks) */

HUBSIM_WORKLOAD = {
    .summary = "Faces of a cube to a rank's six neighbours",
    .prints = COLLECTIVE_PRINTS,
    .keys = { { "n", "2.. by 2", "1", "", "doubles along an edge of the cube" },
              { "shape", HUBSIM_GRID, "", "", "of the ranks: 4x2x2" },
              COLLECTIVE_KEYS },
};

struct test {
    struct collective c;
    uint64_t n;
    const char *shape_text;
    int shape[AXES];
    size_t row, plane, cube; /* bytes with ghosts */
    uint8_t *cells;
    double *host; /* what they hold, or should */
    tcaHandle *all;
};

/* ---- the grid ------------------------------------------------------------------------- */

static void read_shape(struct test *t)
{
    const char *at = t->shape_text;
    char *end = NULL;
    long ranks = 1;

    if (at[0] == '\0') { /* as even as factors of two make it */
        t->shape[X] = t->shape[Y] = t->shape[Z] = 1;
        for (int axis = X; ranks * 2 <= t->c.ranks && t->c.ranks % (ranks * 2) == 0; ranks *= 2) {
            t->shape[axis] *= 2;
            axis = (axis + 1) % AXES;
        }
        t->shape[Z] *= t->c.ranks / (int)ranks;
        return;
    }
    for (int axis = X; axis < AXES; axis++, at = end + 1) {
        long n = strtol(at, &end, 10);

        if (end == at || n < 1 || n > t->c.ranks || *end != (axis < Z ? 'x' : '\0'))
            fail("shape=%s: expected three numbers such as 4x2x2", t->shape_text);
        t->shape[axis] = (int)n;
        ranks *= n;
    }
    if (ranks != t->c.ranks)
        fail("shape=%s: expected a product of %d, the ranks", t->shape_text, t->c.ranks);
}

static int neighbour(const struct test *t, int rank, int face)
{
    int axis = face / 2, stride = axis == X   ? 1
                                  : axis == Y ? t->shape[X]
                                              : t->shape[X] * t->shape[Y];
    int size = t->shape[axis], at = rank / stride % size;

    return rank + ((at + (face % 2 == 1 ? 1 : size - 1)) % size - at) * stride;
}

/* ---- faces -------------------------------------------------------------------------------- */

/** Rows of a face, in one put or more: where the first one lies in the source and in the
 * destination. */
struct face {
    size_t src, dst, width, pitch, rows;
    size_t puts, step; /* bytes from one put to the next */
};

static struct face face_of(const struct test *t, int face)
{
    size_t n = t->n, step = face / 2 == X ? sizeof(double) : face / 2 == Y ? t->row : t->plane;
    size_t inner = t->plane + t->row + sizeof(double); /* cell (1, 1, 1) */
    size_t corner = inner - step;                      /* in the layer below it */
    struct face f = { .width = n * sizeof(double), .pitch = t->row, .rows = n, .puts = 1 };

    if (face / 2 == Y)
        f.pitch = t->plane;
    if (face / 2 == X) {
        f.width = sizeof(double);
        f.puts = n;
        f.step = t->plane;
    }
    f.src = corner + (face % 2 == 1 ? n : 1) * step;
    f.dst = corner + (face % 2 == 1 ? 0 : n + 1) * step;
    return f;
}

static int channel_of(const struct test *t, int face)
{
    static const int channels[FACES] = { 0, 1, 2, 2, 3, 3 };

    return channels[face] % (int)t->c.channels;
}

static void put_face(const struct test *t, tcaDesc *list, int face)
{
    struct face f = face_of(t, face);

    for (size_t i = 0; i < f.puts; i++)
        collective_put_rows(&t->c, list, &t->all[neighbour(t, t->c.me, face)], f.dst + i * f.step,
                            &t->all[t->c.me], f.src + i * f.step, f.pitch, f.width, f.rows,
                            i + 1 < f.puts ? NO_SLOT : face);
}

static void prepare(struct test *t)
{
    for (int channel = 0; channel < (int)t->c.channels; channel++) {
        tcaDesc *list = collective_list();

        for (int face = 0; face < FACES; face++)
            if (channel_of(t, face) == channel)
                put_face(t, list, face);
        collective_set(list, channel);
        CHECK(tcaDescFree(list), TCA_SUCCESS);
    }
}

static void play(void *arg)
{
    struct test *t = arg;

    for (int channel = 0; channel < (int)t->c.channels; channel++)
        collective_start(channel);
    for (int face = 0; face < FACES; face++)
        collective_wait(&t->all[neighbour(t, t->c.me, face ^ 1)], face);
}

static void traffic(const struct test *t)
{
    for (int r = 0; r < t->c.ranks; r++)
        for (int face = 0; face < FACES; face++) {
            struct face f = face_of(t, face);

            collective_traffic(&t->c, 0, r, neighbour(t, r, face), f.width * f.rows * f.puts,
                               f.rows * f.puts);
        }
}

/* ---- the test ---- */

static double value_of(unsigned number, int rank, size_t x, size_t y, size_t z)
{
    return ((double)(number * 64 + (unsigned)rank) * 1000 + (double)x) * 1e6 + (double)y * 1000 +
           (double)z;
}

static double *cell(const struct test *t, size_t x, size_t y, size_t z)
{
    size_t side = t->n + 2;

    return &t->host[(z * side + y) * side + x];
}

static void fill(void *arg, unsigned number)
{
    struct test *t = arg;

    memset(t->host, 0, t->cube);
    for (size_t z = 1; z <= t->n; z++)
        for (size_t y = 1; y <= t->n; y++)
            for (size_t x = 1; x <= t->n; x++)
                *cell(t, x, y, z) = value_of(number, t->c.me, x, y, z);
    CHECK(cudaMemcpy(t->cells, t->host, t->cube, cudaMemcpyDefault), cudaSuccess);
}

/* The layer of ghosts that the neighbour of `face` filled, as that one's cells across. */
static int ghosts_ok(const struct test *t, unsigned number, int face)
{
    int from = neighbour(t, t->c.me, face), axis = face / 2, ok = 1;
    size_t ghost = face % 2 == 1 ? t->n + 1 : 0, theirs = face % 2 == 1 ? 1 : t->n;

    for (size_t a = 1; a <= t->n; a++)
        for (size_t b = 1; b <= t->n; b++) {
            double is = axis == X   ? *cell(t, ghost, a, b)
                        : axis == Y ? *cell(t, a, ghost, b)
                                    : *cell(t, a, b, ghost);
            double be = axis == X   ? value_of(number, from, theirs, a, b)
                        : axis == Y ? value_of(number, from, a, theirs, b)
                                    : value_of(number, from, a, b, theirs);

            ok &= is == be;
        }
    return ok;
}

static int arrived(void *arg, unsigned number)
{
    struct test *t = arg;
    int ok = 1;

    CHECK(cudaMemcpy(t->host, t->cells, t->cube, cudaMemcpyDefault), cudaSuccess);
    for (int face = 0; face < FACES; face++)
        ok &= ghosts_ok(t, number, face);
    for (size_t z = 1; z <= t->n; z++)
        for (size_t y = 1; y <= t->n; y++)
            for (size_t x = 1; x <= t->n; x++)
                ok &= *cell(t, x, y, z) == value_of(number, t->c.me, x, y, z);
    return ok;
}

int main(int argc, char **argv)
{
    struct test t = { .c = COLLECTIVE_DEFAULTS, .n = 32, .shape_text = "" };
    const struct option options[] = { { .key = "n", .number = &t.n },
                                      { .key = "shape", .text = &t.shape_text },
                                      COLLECTIVE_OPTIONS(&t.c),
                                      OPTIONS_END };
    uint64_t bytes = 0;

    options_read(argc, argv, options);
    if (t.n < 2 || t.n % 2 != 0)
        fail("n=%llu: expected an even number: rows of ghosts and cells lie 16 bytes apart",
             (unsigned long long)t.n);
    collective_init(&t.c, &argc, &argv);
    read_shape(&t);
    t.row = (t.n + 2) * sizeof(double);
    t.plane = (t.n + 2) * t.row;
    t.cube = (t.n + 2) * t.plane;
    t.host = calloc(1, t.cube);
    if (t.host == NULL)
        fail("out of memory");
    t.cells = tca_memory(t.c.memory, t.cube);
    t.all = tca_publish(t.cells, t.cube, t.c.memory);
    prepare(&t);
    for (int face = 0; face < FACES; face++)
        bytes += t.n * t.n * sizeof(double);
    collective_measure(&t.c, &(struct exchange){ fill, play, arrived, &t }, bytes, NULL);
    traffic(&t);
    free(t.host);
    CHECK(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
