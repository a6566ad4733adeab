#include "cfd.h"

#include <math.h>
#include <string.h>

#include "npb.h"

/** Loops over points of a box, ends included. */
#define EACH(p, lo0, hi0, lo1, hi1, lo2, hi2)                                                      \
    for ((p)[2] = (lo2); (p)[2] <= (hi2); (p)[2]++)                                                \
        for ((p)[1] = (lo1); (p)[1] <= (hi1); (p)[1]++)                                            \
            for ((p)[0] = (lo0); (p)[0] <= (hi0); (p)[0]++)
#define EACH_INNER(p, b)                                                                           \
    EACH(p, (b)->low[0], (b)->high[0], (b)->low[1], (b)->high[1], (b)->low[2], (b)->high[2])
#define EACH_WITH_GHOSTS(p, b)                                                                     \
    EACH(p, -CFD_GHOSTS, (b)->n[0] + CFD_GHOSTS - 1, -CFD_GHOSTS, (b)->n[1] + CFD_GHOSTS - 1,      \
         -CFD_GHOSTS, (b)->n[2] + CFD_GHOSTS - 1)

void cfd_init(struct cfd *c, int n, double dt)
{
    double h1 = n - 1;

    *c = (struct cfd){ n, dt, h1 * h1, h1 / 2 };
}

double cfd_d(int axis)
{
    return axis == 2 ? 1.0 : 0.75;
}

void cfd_box_init(const struct cfd *c, struct cfd_box *b, const int first[CFD_AXES],
                  const int n[CFD_AXES])
{
    uint64_t points = 1;

    for (int a = 0; a < CFD_AXES; a++) {
        b->first[a] = first[a];
        b->n[a] = n[a];
        b->low[a] = first[a] == 0 ? 1 : 0;
        b->high[a] = first[a] + n[a] == c->n ? n[a] - 2 : n[a] - 1;
        points *= (uint64_t)n[a] + 2 * CFD_GHOSTS;
    }
    b->u = npb_alloc(points * CFD_VARS, sizeof(double));
    b->rhs = npb_alloc(points * CFD_VARS, sizeof(double));
    b->forcing = npb_alloc(points * CFD_VARS, sizeof(double));
    b->prim = npb_alloc(points * CFD_PRIMS, sizeof(double));
}

unsigned long long cfd_points(const struct cfd_box *b)
{
    unsigned long long points = 1;

    for (int a = 0; a < CFD_AXES; a++)
        points *= (unsigned long long)(b->high[a] - b->low[a] + 1);
    return points;
}

unsigned long long cfd_memory(const struct cfd_box *b, int more)
{
    return (unsigned long long)b->n[0] * (unsigned long long)b->n[1] * (unsigned long long)b->n[2] *
           (unsigned long long)(3 * CFD_VARS + CFD_PRIMS + more) * sizeof(double);
}

void cfd_charge(const struct cfd_box *b, enum hub_loop kind, struct cfd_step step,
                unsigned long long memory)
{
    unsigned long long points = cfd_points(b);

    hub_work(kind, step.ops * points);
    hub_walk(step.read * points * sizeof(double), step.written * points * sizeof(double), memory);
}

void cfd_charge_rhs(const struct cfd_box *b, enum hub_loop kind, unsigned long long memory)
{
    const struct cfd_step step = { 330, 2 * CFD_VARS + CFD_PRIMS, CFD_VARS + CFD_PRIMS };

    cfd_charge(b, kind, step, memory);
}

void cfd_charge_begin(const struct cfd_box *b, enum hub_loop kind, unsigned long long memory)
{
    /* The exact u is five polynomials of 24 operations. A point needs it at ten places: itself, six
     * faces for the guess, and along three axes for the forcing, which is a right side. */
    const struct cfd_step step = { 10 * 5 * 24, 0, 2 * CFD_VARS };

    cfd_charge(b, kind, step, memory);
    cfd_charge_rhs(b, kind, memory);
}

void cfd_copied(int n, unsigned long long memory)
{
    unsigned long long bytes = (unsigned long long)n * sizeof(double);

    hub_walk(bytes, bytes, memory);
}

/* ---- the exact solution and the first guess ---------------------------------------------- */

/** Polynomials of degree four along each axis (RNR-94-007, table 3.1). */
static void exact(const double x[CFD_AXES], double u[CFD_VARS])
{
    static const double ce[CFD_VARS][13] = {
        { 2.0, 0.0, 0.0, 4.0, 5.0, 3.0, 0.5, 0.02, 0.01, 0.03, 0.5, 0.4, 0.3 },
        { 1.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 0.01, 0.03, 0.02, 0.4, 0.3, 0.5 },
        { 2.0, 2.0, 0.0, 0.0, 0.0, 2.0, 3.0, 0.04, 0.03, 0.05, 0.3, 0.5, 0.4 },
        { 2.0, 2.0, 0.0, 0.0, 0.0, 2.0, 3.0, 0.03, 0.05, 0.04, 0.2, 0.1, 0.3 },
        { 5.0, 4.0, 3.0, 2.0, 0.1, 0.4, 0.3, 0.05, 0.04, 0.03, 0.1, 0.3, 0.2 },
    };

    for (int m = 0; m < CFD_VARS; m++) {
        u[m] = ce[m][0];
        for (int a = 0; a < CFD_AXES; a++)
            u[m] += x[a] * (ce[m][1 + a] +
                            x[a] * (ce[m][4 + a] + x[a] * (ce[m][7 + a] + x[a] * ce[m][10 + a])));
    }
}

static void place_of(const struct cfd *c, const struct cfd_box *b, const int p[CFD_AXES],
                     double x[CFD_AXES])
{
    for (int a = 0; a < CFD_AXES; a++)
        x[a] = (double)(b->first[a] + p[a]) / (c->n - 1);
}

/** Between the exact solution on opposite faces; on the faces themselves that is the solution. */
static void guess(const double x[CFD_AXES], double u[CFD_VARS])
{
    double face[CFD_AXES][CFD_VARS];

    for (int a = 0; a < CFD_AXES; a++) {
        double at[CFD_AXES] = { x[0], x[1], x[2] }, lower[CFD_VARS], upper[CFD_VARS];

        at[a] = 0;
        exact(at, lower);
        at[a] = 1;
        exact(at, upper);
        for (int m = 0; m < CFD_VARS; m++)
            face[a][m] = (1 - x[a]) * lower[m] + x[a] * upper[m];
    }
    for (int m = 0; m < CFD_VARS; m++) {
        double p = face[0][m], q = face[1][m], r = face[2][m];

        u[m] = p + q + r - p * q - q * r - r * p + p * q * r;
    }
}

void cfd_begin(const struct cfd *c, struct cfd_box *b)
{
    double x[CFD_AXES];
    int p[CFD_AXES];

    EACH_WITH_GHOSTS(p, b)
    {
        size_t at = CFD_VARS * cfd_at(b, p);

        place_of(c, b, p, x);
        exact(x, b->u + at);
        memset(b->forcing + at, 0, CFD_VARS * sizeof(double));
    }
    cfd_primitives(b);
    cfd_rhs(c, b);
    EACH_INNER(p, b)
    {
        size_t at = CFD_VARS * cfd_at(b, p);

        for (int m = 0; m < CFD_VARS; m++)
            b->forcing[at + (size_t)m] = -b->rhs[at + (size_t)m];
        place_of(c, b, p, x);
        guess(x, b->u + at);
    }
}

/* ---- the right side ------------------------------------------------------------------------ */

void cfd_primitives(struct cfd_box *b)
{
    int p[CFD_AXES];

    EACH_WITH_GHOSTS(p, b)
    {
        const double *u = b->u + CFD_VARS * cfd_at(b, p);
        double *q = b->prim + CFD_PRIMS * cfd_at(b, p);

        q[CFD_RHO_I] = 1 / u[0];
        for (int a = 0; a < CFD_AXES; a++)
            q[CFD_VEL + a] = u[1 + a] * q[CFD_RHO_I];
        q[CFD_SQUARE] = 0.5 * (u[1] * u[1] + u[2] * u[2] + u[3] * u[3]) * q[CFD_RHO_I];
        q[CFD_QS] = q[CFD_SQUARE] * q[CFD_RHO_I];
    }
}

static double second(double before, double here, double after)
{
    return after - 2 * here + before;
}

/** Fluxes and viscosity along one axis; u, q: of the point; s, k: to the next one in each. */
static void add_axis(const struct cfd *c, int axis, const double *u, size_t s, const double *q,
                     size_t k, double *rhs)
{
    const double *ub = u - s, *ua = u + s, *qb = q - k, *qa = q + k;
    double visc = CFD_C3C4 * c->t1, vb = qb[CFD_VEL + axis], v = q[CFD_VEL + axis],
           va = qa[CFD_VEL + axis];

    for (int m = 0; m < CFD_VARS; m++)
        rhs[m] += cfd_d(axis) * c->t1 * second(ub[m], u[m], ua[m]);
    rhs[0] -= c->t2 * (ua[1 + axis] - ub[1 + axis]);
    for (int m = 0; m < CFD_AXES; m++)
        rhs[1 + m] += visc * (m == axis ? 4.0 / 3 : 1) *
                          second(qb[CFD_VEL + m], q[CFD_VEL + m], qa[CFD_VEL + m]) -
                      c->t2 * (ua[1 + m] * va - ub[1 + m] * vb);
    rhs[1 + axis] -= c->t2 * CFD_C2 * (ua[4] - qa[CFD_SQUARE] - ub[4] + qb[CFD_SQUARE]);
    rhs[4] +=
        visc * ((1 - 1.96) * second(qb[CFD_QS], q[CFD_QS], qa[CFD_QS]) +
                1.0 / 6 * second(vb * vb, v * v, va * va) +
                1.96 * second(ub[4] * qb[CFD_RHO_I], u[4] * q[CFD_RHO_I], ua[4] * qa[CFD_RHO_I])) -
        c->t2 * ((CFD_C1 * ua[4] - CFD_C2 * qa[CFD_SQUARE]) * va -
                 (CFD_C1 * ub[4] - CFD_C2 * qb[CFD_SQUARE]) * vb);
}

/** Fourth differences; one-sided beside the boundaries. `at`: of n points along the axis. */
static void dissipate(int at, int n, const double *u, size_t s, double *rhs)
{
    for (int m = 0; m < CFD_VARS; m++, u++) {
        double sum = (at == 1 || at == n - 2 ? 5 : 6) * u[0];

        if (at > 1)
            sum -= 4 * u[-(ptrdiff_t)s];
        if (at > 2)
            sum += u[-2 * (ptrdiff_t)s];
        if (at < n - 2)
            sum -= 4 * u[s];
        if (at < n - 3)
            sum += u[2 * s];
        rhs[m] -= CFD_DSSP * sum;
    }
}

void cfd_rhs(const struct cfd *c, struct cfd_box *b)
{
    int p[CFD_AXES];

    EACH_INNER(p, b)
    {
        size_t at = cfd_at(b, p);
        double *rhs = b->rhs + CFD_VARS * at;

        memcpy(rhs, b->forcing + CFD_VARS * at, CFD_VARS * sizeof(double));
        for (int a = 0; a < CFD_AXES; a++) {
            size_t step = cfd_next(b, a);

            add_axis(c, a, b->u + CFD_VARS * at, CFD_VARS * step, b->prim + CFD_PRIMS * at,
                     CFD_PRIMS * step, rhs);
            dissipate(b->first[a] + p[a], c->n, b->u + CFD_VARS * at, CFD_VARS * step, rhs);
        }
    }
}

/* ---- blocks --------------------------------------------------------------------------------- */

void cfd_flux_jacobian(const double *u, int axis, cfd_block f)
{
    double r = 1 / u[0], v[CFD_AXES] = { u[1] * r, u[2] * r, u[3] * r }, w = v[axis];
    double qs = 0.5 * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    double e = CFD_C1 * u[4] * r;

    memset(f, 0, sizeof(cfd_block));
    f[0][1 + axis] = 1;
    for (int m = 0; m < CFD_AXES; m++) {
        f[1 + m][0] = -v[m] * w;
        f[1 + m][1 + axis] = v[m];
        f[1 + m][1 + m] += w;
        f[4][1 + m] = -CFD_C2 * v[m] * w;
    }
    f[1 + axis][0] += CFD_C2 * qs;
    for (int m = 0; m < CFD_AXES; m++)
        f[1 + axis][1 + m] -= CFD_C2 * v[m];
    f[1 + axis][4] = CFD_C2;
    f[4][0] = (CFD_C2 * 2 * qs - e) * w;
    f[4][1 + axis] += e - CFD_C2 * qs;
    f[4][4] = CFD_C1 * w;
}

void cfd_viscous_jacobian(const double *u, int axis, cfd_block n)
{
    double r = 1 / u[0];

    memset(n, 0, sizeof(cfd_block));
    n[4][0] = -CFD_C1345 * u[4] * r * r;
    n[4][4] = CFD_C1345 * r;
    for (int m = 0; m < CFD_AXES; m++) {
        double visc = CFD_C3C4 * (m == axis ? 4.0 / 3 : 1), v = u[1 + m] * r;

        n[1 + m][0] = -visc * v * r;
        n[1 + m][1 + m] = visc * r;
        n[4][0] -= (visc - CFD_C1345) * v * v * r;
        n[4][1 + m] = (visc - CFD_C1345) * v * r;
    }
}

void cfd_block_solve(cfd_block b, double *x, cfd_block more)
{
    for (int i = 0; i < CFD_VARS; i++) {
        double pivot = 1 / b[i][i];

        for (int j = i + 1; j < CFD_VARS; j++)
            b[i][j] *= pivot;
        x[i] *= pivot;
        for (int j = 0; more != NULL && j < CFD_VARS; j++)
            more[i][j] *= pivot;
        for (int k = 0; k < CFD_VARS; k++) {
            double factor = b[k][i];

            if (k == i)
                continue;
            for (int j = i + 1; j < CFD_VARS; j++)
                b[k][j] -= factor * b[i][j];
            x[k] -= factor * x[i];
            for (int j = 0; more != NULL && j < CFD_VARS; j++)
                more[k][j] -= factor * more[i][j];
        }
    }
}

void cfd_block_subtract(cfd_block a, const double *y, double *x)
{
    for (int i = 0; i < CFD_VARS; i++)
        for (int j = 0; j < CFD_VARS; j++)
            x[i] -= a[i][j] * y[j];
}

/* ---- norms ----------------------------------------------------------------------------------- */

void cfd_norm(const struct cfd *c, const struct cfd_box *boxes, int nboxes, int error,
              double norm[CFD_VARS])
{
    double sums[CFD_VARS] = { 0 }, inner = c->n - 2, x[CFD_AXES];
    int p[CFD_AXES];

    for (const struct cfd_box *b = boxes; b < boxes + nboxes; b++) {
        EACH_INNER(p, b)
        {
            size_t at = CFD_VARS * cfd_at(b, p);
            double right[CFD_VARS];

            place_of(c, b, p, x);
            exact(x, right);
            for (int m = 0; m < CFD_VARS; m++) {
                double d = error ? b->u[at + (size_t)m] - right[m] : b->rhs[at + (size_t)m];

                sums[m] += d * d;
            }
        }
    }
    CHECK(MPI_Allreduce(sums, norm, CFD_VARS, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
    for (int m = 0; m < CFD_VARS; m++)
        norm[m] = sqrt(norm[m] / (inner * inner * inner));
}
