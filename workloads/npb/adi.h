/*
 * What SP and BT share: implicit steps along one axis after the other. The grid is cut into p^3
 * boxes for p^2 ranks, and each rank has one box in each slice across each axis, so that all ranks
 * always have something to do. Along an axis a sweep goes from slice to slice and back.
 */
#ifndef WORKLOADS_NPB_ADI_H
#define WORKLOADS_NPB_ADI_H

#include "cfd.h"
#include "npb.h"

enum { ADI_SLICES = 8 }; /* p at most */

struct adi;

/** How a kernel solves along lines of a box. `p` is the first inner point of the line; what rows
 * before (or behind) the box left comes `in`, zeros at the boundary; what these rows leave, `out`.
 */
struct adi_method {
    int forward, backward; /* doubles of a line that cross to the next slice */
    int whole;             /* messages have room for a box with one layer more, used or not */
    int stored;            /* doubles that a point keeps from the pass forth to the pass back */
    enum hub_loop loop;
    struct cfd_step prepare, solve,
        substitute; /* forth: before what comes is needed, after; back */
    int box;        /* doubles a point of what the way forth walks through, box by box; 0: all */
    void (*forth)(struct adi *a, struct cfd_box *b, int axis, const int p[CFD_AXES],
                  const double *in, double *out);
    void (*back)(struct adi *a, struct cfd_box *b, int axis, const int p[CFD_AXES],
                 const double *in, double *out);
    void (*finish)(struct adi *a, struct cfd_box *b, int axis); /* a solved box; NULL: nothing */
};

struct adi {
    struct npb n;
    struct cfd c;
    const struct adi_method *method;
    int slices;
    struct cfd_box boxes[ADI_SLICES];
    double *stored[ADI_SLICES];
    unsigned long long memory;       /* bytes of all boxes */
    int slice[CFD_AXES][ADI_SLICES]; /* the box of this rank in a slice */
    int neighbour[CFD_AXES][2];      /* who has the boxes towards lower, higher coordinates */
    double *out[CFD_AXES][2], *in[CFD_AXES][2];
};

void adi_init(struct adi *a, const struct adi_method *method, int points, double dt);
/** The first guess of u, everywhere. */
void adi_begin(struct adi *a);
/** Ghosts of u of all boxes, primitives, and dt times the right side. */
void adi_right_side(struct adi *a);
/** Solves along the axis: rhs becomes the solution. */
void adi_solve(struct adi *a, int axis);
/** u += rhs */
void adi_add(struct adi *a);
/** What a point keeps. */
double *adi_stored(struct adi *a, const struct cfd_box *b, size_t at);
/** Residual over dt, and error, are the published ones. */
int adi_verify(struct adi *a, uint64_t iterations, const double right[2][CFD_VARS]);

#endif /* WORKLOADS_NPB_ADI_H */
