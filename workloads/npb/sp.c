/*
 * SP: the systems of each axis are made diagonal first, so that scalar pentadiagonal ones are left:
 * three for the flow itself, one each for sound with and against it.
 */
#include "adi.h"

#include <math.h>
#include <string.h>

enum { FLOW, WITH, AGAINST, FACTORS }; /* which system a variable belongs to: */
static const int factor_of[CFD_VARS] = { FLOW, FLOW, FLOW, WITH, AGAINST };

/** A row that is solved: its two upper coefficients in each system, and its right side. */
struct row {
    double upper[FACTORS][2], rhs[CFD_VARS];
};
enum { ROW = sizeof(struct row) / sizeof(double) };

static const double half_root = 0.70710678118654752440; /* sqrt(1/2) */

static double sound(const double *u, const double *q)
{
    return sqrt(CFD_C1 * CFD_C2 * q[CFD_RHO_I] * (u[4] - q[CFD_SQUARE]));
}

static double largest(double a, double b)
{
    return a > b ? a : b;
}

/** The largest coefficient of diffusion at a point. */
static double diffusion(const double *q, int axis)
{
    double visc = CFD_C3C4 * q[CFD_RHO_I], d = cfd_d(axis);

    return largest(largest(d + 4.0 / 3 * visc, d + 1.96 * visc), d + visc);
}

/** The five coefficients of a row; `at` of n along the axis. */
static void coefficients(const struct adi *a, const struct cfd_box *b, int axis, int at,
                         size_t point, double row[FACTORS][5])
{
    size_t step = cfd_next(b, axis);
    const double *q = b->prim + CFD_PRIMS * point;
    double t1 = a->c.dt * a->c.t1, t2 = a->c.dt * a->c.t2, e = a->c.dt * CFD_DSSP;
    int n = a->c.n;

    for (int side = 0; side < 2; side++) { /* below, above */
        double sign = side ? 1 : -1;
        size_t next = side ? point + step : point - step;
        const double *qn = b->prim + CFD_PRIMS * next;
        double c = sound(b->u + CFD_VARS * next, qn);
        double flow = sign * t2 * qn[CFD_VEL + axis] - t1 * diffusion(qn, axis);

        row[FLOW][1 + 2 * side] = flow - ((side ? at < n - 2 : at > 1) ? 4 * e : 0);
        row[WITH][1 + 2 * side] = row[FLOW][1 + 2 * side] + sign * t2 * c;
        row[AGAINST][1 + 2 * side] = row[FLOW][1 + 2 * side] - sign * t2 * c;
    }
    row[FLOW][0] = at > 2 ? e : 0;
    row[FLOW][4] = at < n - 3 ? e : 0;
    row[FLOW][2] = 1 + 2 * t1 * diffusion(q, axis) + (at == 1 || at == n - 2 ? 5 : 6) * e;
    for (int f = WITH; f < FACTORS; f++) {
        row[f][0] = row[FLOW][0];
        row[f][2] = row[FLOW][2];
        row[f][4] = row[FLOW][4];
    }
}

/** Takes off the two rows before, `before[1]` the nearer one, and makes the diagonal 1. */
static void solve_row(double c[FACTORS][5], const struct row before[2], double *rhs,
                      struct row *solved)
{
    double near[FACTORS];

    for (int f = 0; f < FACTORS; f++) {
        double one;

        near[f] = c[f][1] - c[f][0] * before[0].upper[f][0];
        one = 1 / (c[f][2] - c[f][0] * before[0].upper[f][1] - near[f] * before[1].upper[f][0]);
        c[f][2] = one;
        solved->upper[f][0] = (c[f][3] - near[f] * before[1].upper[f][1]) * one;
        solved->upper[f][1] = c[f][4] * one;
    }
    for (int m = 0; m < CFD_VARS; m++) {
        int f = factor_of[m];

        rhs[m] = (rhs[m] - c[f][0] * before[0].rhs[m] - near[f] * before[1].rhs[m]) * c[f][2];
        solved->rhs[m] = rhs[m];
    }
}

static void forth(struct adi *a, struct cfd_box *b, int axis, const int p[CFD_AXES],
                  const double *in, double *out)
{
    size_t at = cfd_at(b, p), step = cfd_next(b, axis);
    struct row rows[3] = { { .rhs = { 0 } } };

    if (in != NULL)
        memcpy(rows, in, 2 * sizeof(rows[0]));
    for (int i = p[axis]; i <= b->high[axis]; i++, at += step) {
        double c[FACTORS][5];

        coefficients(a, b, axis, b->first[axis] + i, at, c);
        solve_row(c, rows, b->rhs + CFD_VARS * at, &rows[2]);
        memcpy(adi_stored(a, b, at), rows[2].upper, sizeof(rows[2].upper));
        memmove(rows, rows + 1, 2 * sizeof(rows[0]));
    }
    memcpy(out, rows, 2 * sizeof(rows[0]));
}

static void back(struct adi *a, struct cfd_box *b, int axis, const int p[CFD_AXES],
                 const double *in, double *out)
{
    size_t step = cfd_next(b, axis);
    size_t at = cfd_at(b, p) + (size_t)(b->high[axis] - p[axis]) * step;
    double behind[2][CFD_VARS] = { { 0 } }; /* the nearer one first */

    if (in != NULL)
        memcpy(behind, in, sizeof(behind));
    for (int i = b->high[axis]; i >= p[axis]; i--, at -= step) {
        double *x = b->rhs + CFD_VARS * at;
        const double *upper = adi_stored(a, b, at);

        for (int m = 0; m < CFD_VARS; m++) {
            const double *u = upper + (ptrdiff_t)2 * factor_of[m];

            x[m] -= u[0] * behind[0][m] + u[1] * behind[1][m];
        }
        memcpy(behind[1], behind[0], sizeof(behind[0]));
        memcpy(behind[0], x, sizeof(behind[0]));
    }
    memcpy(out, behind, sizeof(behind));
}

/* ---- between the axes: from one set of eigenvectors to the next --------------------------- */

static void to_x(const double *u, const double *q, double *r)
{
    double c = sound(u, q), rho_i = q[CFD_RHO_I];
    double e = CFD_C2 / (c * c) *
               (q[CFD_QS] * r[0] - q[CFD_VEL] * r[1] - q[CFD_VEL + 1] * r[2] -
                q[CFD_VEL + 2] * r[3] + r[4]);
    double f = half_root * rho_i * (q[CFD_VEL] * r[0] - r[1]), g = half_root * rho_i * c * e;
    double new[CFD_VARS] = { r[0] - e, -rho_i * (q[CFD_VEL + 2] * r[0] - r[3]),
                             rho_i * (q[CFD_VEL + 1] * r[0] - r[2]), -f + g, f + g };

    memcpy(r, new, sizeof(new));
}

static void x_to_y(const double *u, const double *q, double *r)
{
    double f = half_root * r[2], g = 0.5 * (r[3] + r[4]);
    double new[CFD_VARS] = { -r[1], r[0], half_root * (r[3] - r[4]), -f + g, f + g };

    (void)u;
    (void)q;
    memcpy(r, new, sizeof(new));
}

static void y_to_z(const double *u, const double *q, double *r)
{
    double f = half_root * r[0], g = 0.5 * (r[3] + r[4]);
    double new[CFD_VARS] = { half_root * (r[3] - r[4]), -r[2], r[1], -f + g, f + g };

    (void)u;
    (void)q;
    memcpy(r, new, sizeof(new));
}

static void from_z(const double *u, const double *q, double *r)
{
    double c = sound(u, q), b = half_root * u[0];
    double e = b / c * (r[3] + r[4]), f = r[2] + e, g = b * (r[3] - r[4]);
    double new[CFD_VARS] = { f, -u[0] * r[1] + q[CFD_VEL] * f, u[0] * r[0] + q[CFD_VEL + 1] * f,
                             q[CFD_VEL + 2] * f + g,
                             u[0] * (-q[CFD_VEL] * r[1] + q[CFD_VEL + 1] * r[0]) + q[CFD_QS] * f +
                                 c * c * e / CFD_C2 + q[CFD_VEL + 2] * g };

    memcpy(r, new, sizeof(new));
}

typedef void change_t(const double *u, const double *q, double *r);

static void change(struct adi *a, struct cfd_box *b, change_t *one, unsigned ops)
{
    int p[CFD_AXES];

    for (p[2] = b->low[2]; p[2] <= b->high[2]; p[2]++)
        for (p[1] = b->low[1]; p[1] <= b->high[1]; p[1]++)
            for (p[0] = b->low[0]; p[0] <= b->high[0]; p[0]++) {
                size_t at = cfd_at(b, p);

                one(b->u + CFD_VARS * at, b->prim + CFD_PRIMS * at, b->rhs + CFD_VARS * at);
            }
    cfd_charge(b, HUB_LOOP_LINES, (struct cfd_step){ ops, CFD_VARS + CFD_PRIMS, CFD_VARS },
               a->memory);
}

static void finish(struct adi *a, struct cfd_box *b, int axis)
{
    static change_t *const to_next[CFD_AXES] = { x_to_y, y_to_z, from_z };
    static const unsigned ops[CFD_AXES] = { 8, 8, 35 };

    change(a, b, to_next[axis], ops[axis]);
}

static const struct adi_method method = {
    .forward = 2 * ROW,
    .backward = 2 * CFD_VARS,
    .stored = 2 * FACTORS,
    .loop = HUB_LOOP_LINES,
    .prepare = { 45, CFD_VARS + CFD_PRIMS, 0 },
    .solve = { 75, 0, 2 * FACTORS + CFD_VARS },
    .substitute = { 25, 2 * FACTORS, CFD_VARS },
    .forth = forth,
    .back = back,
    .finish = finish,
};

static void iterate(struct adi *a)
{
    adi_right_side(a);
    for (int box = 0; box < a->slices; box++)
        change(a, &a->boxes[box], to_x, 35);
    for (int axis = 0; axis < CFD_AXES; axis++)
        adi_solve(a, axis);
    adi_add(a);
}

int main(int argc, char **argv)
{
    static const double right[2][2][CFD_VARS] = {
        { { 2.7470315451339479e-02, 1.0360746705285417e-02, 1.6235745065095532e-02,
            1.5840557224455615e-02, 3.4849040609362460e-02 },
          { 2.7289258557377227e-05, 1.0364446640837285e-05, 1.6154798287166471e-05,
            1.5750704994480102e-05, 3.4177666183390531e-05 } },
        { { 0.1893253733584e-02, 0.1717075447775e-03, 0.2778153350936e-03, 0.2887475409984e-03,
            0.3143611161242e-02 },
          { 0.7542088599534e-04, 0.6512852253086e-05, 0.1049092285688e-04, 0.1128838671535e-04,
            0.1212845639773e-03 } }
    };
    struct adi a = { .slices = 0 };
    uint64_t iterations;

    npb_init(&a.n, &argc, &argv, 100, 400);
    iterations = a.n.is_w ? 400 : 100;
    adi_init(&a, &method, a.n.is_w ? 36 : 12, a.n.is_w ? 0.0015 : 0.015);
    adi_begin(&a);
    iterate(&a); /* untimed: memory is touched first */
    adi_begin(&a);
    npb_start(&a.n);
    do
        iterate(&a);
    while (npb_next(&a.n));
    npb_stop(&a.n);
    npb_end(&a.n, adi_verify(&a, iterations, right[a.n.is_w]));
    return 0;
}
