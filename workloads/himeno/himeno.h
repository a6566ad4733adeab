/*
 * Himeno's benchmark: Jacobi iterations of a 3-D Poisson equation with a stencil of 19 points, on
 * GPUs of several nodes. docs/himeno.md says how its time is made.
 *
 *   himeno.c   arguments, iterations, the parts of their time     grid.c    who has which points
 *   kernel.c   what a GPU computes, and how long it takes         faces over GASNet or MPI:
 *                                                                 exchange_gasnet.c, exchange_mpi.c
 */
#ifndef WORKLOADS_HIMENO_H
#define WORKLOADS_HIMENO_H

#include "../mpi-common.h"

enum { ALONG_I, ALONG_J, AXES };

/** The points of a rank. Index k is contiguous; i and j have a plane or row of others' points, or
 * of the boundary, on each side. */
struct grid {
    unsigned rank, ranks;
    unsigned parts[AXES], place[AXES]; /* ranks along an axis, and which of them this one is */
    uint64_t all[AXES], first[AXES];   /* inner points of the whole; of them, the first one here */
    uint64_t n[AXES], k;               /* inner points here; points along k, boundary included */
    int peer[AXES][2];                 /* the ranks below and above; -1: the boundary */
    uint64_t whole_i;                  /* points along i of the whole, boundary included */
};

/** Ends the program when the ranks cannot share the points. `split`: "i", "j" or "both". */
void grid_make(struct grid *g, const char *size, const char *split, unsigned rank, unsigned ranks);
/** Floats of one field of pressures. */
uint64_t grid_floats(const struct grid *g);
static inline uint64_t grid_at(const struct grid *g, uint64_t i, uint64_t j)
{
    return (i * (g->n[ALONG_J] + 2) + j) * g->k;
}

/** A face to a neighbour: `count` rows of `floats`, `pitch` floats apart. A row is one along i. */
struct face {
    uint64_t from, to; /* floats behind the beginning of a field: here, and there */
    uint64_t count, floats, pitch, far_pitch;
};
/** The face along an axis, below (0) or above (1); both fields of both ranks have the same shape
 * but for the number of points, which the neighbour's grid says. */
struct face grid_face(const struct grid *g, const struct grid *far, unsigned axis, unsigned side);

/** Memory of the GPU: two fields, of which each iteration makes the other one, and a residual. */
struct fields {
    int gpu;
    float *p[2];
    double *residual;
};

/** The pressures that the benchmark begins with. */
void kernel_start(const struct grid *g, float *p);
/** One iteration, of which the GPU makes p[1 - now]; `computes`: the numbers as well as the time.
 * Returns when the GPU has ended. */
void kernel_run(const struct grid *g, const struct fields *f, int now, int computes);
/** The residual, by a core's loads. */
/** Memory for the residual, which a core reads where it is. */
void kernel_open(struct fields *f);
double kernel_residual(void);

/** How faces and the residual get to others: a library. */
struct exchange {
    /** @return the memory for both fields, in the GPU if `gpu` is one */
    float *(*start)(int *argc, char ***argv, int gpu, const char *size, const char *split,
                    struct grid *g);
    /** Swaps the faces of field p[which] with all neighbours. */
    void (*faces)(const struct grid *g, const struct fields *f, int which);
    double (*sum)(const struct grid *g, double residual);
    void (*barrier)(void);
    double (*seconds)(void);
    void (*end)(void);
};
extern const struct exchange exchange_gasnet, exchange_mpi;

#endif /* WORKLOADS_HIMENO_H */
