/*
 * The equations behind LU, SP and BT (RNR-94-007, chapter 3): compressible flow in a cube, second-
 * order differences, fourth-order dissipation, and an exact solution that the right side is made
 * for. Each kernel solves them in its own way, on boxes of the grid with two layers of ghosts.
 */
#ifndef WORKLOADS_NPB_CFD_H
#define WORKLOADS_NPB_CFD_H

#include <hub-work.h>
#include <stddef.h>

enum { CFD_AXES = 3, CFD_VARS = 5, CFD_GHOSTS = 2 };

#define CFD_C1    1.4
#define CFD_C2    0.4
#define CFD_C3C4  0.1
#define CFD_C1345 (CFD_C1 * CFD_C3C4 * 1.4)
#define CFD_DSSP  0.25 /* dissipation: a quarter of the largest coefficient below */

/** Values for the whole grid, the same along each axis. */
struct cfd {
    int n; /* points along an axis, boundaries included */
    double dt;
    double t1, t2; /* 1/h^2, 1/(2h) */
};
void cfd_init(struct cfd *c, int n, double dt);
/** Coefficient of second-order differences along an axis. */
double cfd_d(int axis);

/** Per point beside the variables. */
enum cfd_prim { CFD_RHO_I, CFD_VEL, CFD_SQUARE = CFD_VEL + CFD_AXES, CFD_QS, CFD_PRIMS };

struct cfd_box {
    int n[CFD_AXES];                   /* own points */
    int first[CFD_AXES];               /* of them in the whole grid */
    int low[CFD_AXES], high[CFD_AXES]; /* own points that are not on the boundary: low .. high */
    double *u, *rhs, *forcing;         /* CFD_VARS a point, with ghosts */
    double *prim;                      /* CFD_PRIMS a point */
};
void cfd_box_init(const struct cfd *c, struct cfd_box *b, const int first[CFD_AXES],
                  const int n[CFD_AXES]);

/** Number of a point; ghosts are -2, -1, n, n + 1. */
static inline size_t cfd_at(const struct cfd_box *b, const int p[CFD_AXES])
{
    return (size_t)(p[0] + CFD_GHOSTS) +
           (size_t)(b->n[0] + 2 * CFD_GHOSTS) *
               ((size_t)(p[1] + CFD_GHOSTS) +
                (size_t)(b->n[1] + 2 * CFD_GHOSTS) * (size_t)(p[2] + CFD_GHOSTS));
}
/** From a point to the next one along an axis. */
static inline size_t cfd_next(const struct cfd_box *b, int axis)
{
    return axis == 0   ? 1
           : axis == 1 ? (size_t)(b->n[0] + 2 * CFD_GHOSTS)
                       : (size_t)(b->n[0] + 2 * CFD_GHOSTS) * (size_t)(b->n[1] + 2 * CFD_GHOSTS);
}
/** Own points that are not on the boundary. */
unsigned long long cfd_points(const struct cfd_box *b);

/** u: exact on the boundary, interpolated from it inside; forcing so that the exact u is steady. */
void cfd_begin(const struct cfd *c, struct cfd_box *b);
/** What it computes, as cfd_charge_rhs(). */
void cfd_charge_begin(const struct cfd_box *b, enum hub_loop kind, unsigned long long memory);
/** What follows from u, ghosts included. */
void cfd_primitives(struct cfd_box *b);
/** rhs of points that are not on the boundary; ghosts of u are right, and primitives. */
void cfd_rhs(const struct cfd *c, struct cfd_box *b);
/** What it computes, and the primitives, by the kind of the kernel's loops. `memory`: cfd_memory()
 * of all boxes. */
void cfd_charge_rhs(const struct cfd_box *b, enum hub_loop kind, unsigned long long memory);
/** Bytes of a box, and of `more` doubles a point. */
unsigned long long cfd_memory(const struct cfd_box *b, int more);
/** A loop over inner points: operations, and values read and written, a point. */
struct cfd_step {
    unsigned ops, read, written;
};
void cfd_charge(const struct cfd_box *b, enum hub_loop kind, struct cfd_step step,
                unsigned long long memory);
/** Values go between the grid and a message. */
void cfd_copied(int n, unsigned long long memory);

/** 5x5, by rows: of the flux along an axis, and of its viscous part. */
typedef double cfd_block[CFD_VARS][CFD_VARS];
void cfd_flux_jacobian(const double *u, int axis, cfd_block f);
void cfd_viscous_jacobian(const double *u, int axis, cfd_block n);
/** x = x B^-1 for a vector and, unless NULL, a block of as many columns; B is spoilt. */
void cfd_block_solve(cfd_block b, double *x, cfd_block more);
/** x -= A y */
void cfd_block_subtract(cfd_block a, const double *y, double *x);

/** Root of the mean square over the inner points of all boxes of all ranks; per variable. With
 * error: of u less the exact one, boundaries included; else of rhs. Collective. */
void cfd_norm(const struct cfd *c, const struct cfd_box *boxes, int nboxes, int error,
              double norm[CFD_VARS]);

#endif /* WORKLOADS_NPB_CFD_H */
