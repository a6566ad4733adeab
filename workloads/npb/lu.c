/*
 * LU: symmetric successive over-relaxation. Ranks hold columns of the grid. A sweep goes from one
 * corner to the opposite one, plane after plane. What a rank computes on the edge of a plane goes
 * to the next one at once: very many short messages.
 */
#include "npb.h"

#include <stdlib.h>
#include <string.h>

#include "cfd.h"

enum { LOWER, UPPER, WAYS }; /* neighbour towards lower or higher coordinates; the sweeps */
enum { X = 0, Y = 1, Z = 2, CUT = 2 /* axes that are cut */ };
enum { TAG_SWEEP = 10, TAG_FACE = 20 };
/* A point in one sweep: the four blocks of its row, which follow from u alone, and its solution.
 * The original's loops for the two take about as long (0.8 to 1.3 here, by the compiler's options):
 * the blocks have more operations, the solution more divisions, each of which waits for others. */
enum { ROW_OPS = 300, SOLVE_OPS = 300 };
#define OMEGA 1.2

struct test {
    struct npb n;
    struct cfd c;
    struct cfd_box box;
    int neighbour[CUT][WAYS]; /* MPI_PROC_NULL: the boundary */
    double *out, *in;
    unsigned long long memory;
};

/* ---- messages ------------------------------------------------------------------------------ */

/** A tag says in which direction a message goes along which axis. */
static int tag_of(int kind, int axis, int towards)
{
    return kind + 2 * axis + towards;
}

/** The edge `at` of plane z across an axis: copied to or from a buffer. @return doubles */
static int edge(struct test *t, int axis, int at, int z, double *buffer, int store)
{
    struct cfd_box *b = &t->box;
    int along = 1 - axis, n = 0, p[CFD_AXES] = { 0, 0, z };

    p[axis] = at;
    for (p[along] = b->low[along]; p[along] <= b->high[along]; p[along]++, n += CFD_VARS) {
        double *v = b->rhs + CFD_VARS * cfd_at(b, p);

        memcpy(store ? v : buffer + n, store ? buffer + n : v, CFD_VARS * sizeof(double));
    }
    return n;
}

static void receive_edges(struct test *t, int z, int from)
{
    for (int axis = X; axis < CUT; axis++) {
        int n = CFD_VARS * (t->box.high[1 - axis] - t->box.low[1 - axis] + 1);

        if (t->neighbour[axis][from] == MPI_PROC_NULL)
            continue;
        CHECK(MPI_Recv(t->in, n, MPI_DOUBLE, t->neighbour[axis][from],
                       tag_of(TAG_SWEEP, axis, !from), MPI_COMM_WORLD, MPI_STATUS_IGNORE),
              MPI_SUCCESS);
        cfd_copied(edge(t, axis, from == LOWER ? -1 : t->box.n[axis], z, t->in, 1), t->memory);
    }
}

static void send_edges(struct test *t, int z, int towards)
{
    for (int axis = X; axis < CUT; axis++) {
        int n;

        if (t->neighbour[axis][towards] == MPI_PROC_NULL)
            continue;
        n = edge(t, axis, towards == LOWER ? 0 : t->box.n[axis] - 1, z, t->out, 0);
        CHECK(MPI_Send(t->out, n, MPI_DOUBLE, t->neighbour[axis][towards],
                       tag_of(TAG_SWEEP, axis, towards), MPI_COMM_WORLD),
              MPI_SUCCESS);
    }
}

/** Two layers of u beside a face, all along it. @return doubles */
static int face(struct test *t, int axis, int at, double *buffer, int store)
{
    struct cfd_box *b = &t->box;
    int along = 1 - axis, n = 0, p[CFD_AXES];

    for (p[Z] = 0; p[Z] < b->n[Z]; p[Z]++)
        for (p[along] = 0; p[along] < b->n[along]; p[along]++)
            for (p[axis] = at; p[axis] < at + CFD_GHOSTS; p[axis]++, n += CFD_VARS) {
                double *u = b->u + CFD_VARS * cfd_at(b, p);

                memcpy(store ? u : buffer + n, store ? buffer + n : u, CFD_VARS * sizeof(double));
            }
    cfd_copied(n, t->memory);
    return n;
}

/** First all faces towards higher coordinates, then back; the tag alone says who sends. */
static void exchange_faces(struct test *t, int axis)
{
    for (int towards = UPPER; towards >= LOWER; towards--) {
        int from = t->neighbour[axis][!towards], to = t->neighbour[axis][towards];
        int room = CFD_VARS * CFD_GHOSTS * t->box.n[1 - axis] * t->box.n[Z];
        MPI_Request request = MPI_REQUEST_NULL;

        if (from != MPI_PROC_NULL)
            CHECK(MPI_Irecv(t->in, room, MPI_DOUBLE, MPI_ANY_SOURCE,
                            tag_of(TAG_FACE, axis, towards), MPI_COMM_WORLD, &request),
                  MPI_SUCCESS);
        if (to != MPI_PROC_NULL) {
            int n = face(t, axis, towards == UPPER ? t->box.n[axis] - CFD_GHOSTS : 0, t->out, 0);

            CHECK(MPI_Send(t->out, n, MPI_DOUBLE, to, tag_of(TAG_FACE, axis, towards),
                           MPI_COMM_WORLD),
                  MPI_SUCCESS);
        }
        if (from != MPI_PROC_NULL) {
            CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
            (void)face(t, axis, towards == UPPER ? -CFD_GHOSTS : t->box.n[axis], t->in, 1);
        }
    }
}

static void right_side(struct test *t)
{
    exchange_faces(t, X);
    exchange_faces(t, Y);
    cfd_primitives(&t->box);
    cfd_rhs(&t->c, &t->box);
    cfd_charge_rhs(&t->box, HUB_LOOP_SWEEP, t->memory);
}

/* ---- sweeps --------------------------------------------------------------------------------- */

/** What a neighbour towards `way` contributes: its block times its value is taken off `x`. */
static void couple(const struct test *t, size_t at, int axis, int way, double *x)
{
    const struct cfd_box *b = &t->box;
    size_t next = way == LOWER ? at - cfd_next(b, axis) : at + cfd_next(b, axis);
    double sign = way == LOWER ? -1 : 1;
    cfd_block f, n;

    cfd_flux_jacobian(b->u + CFD_VARS * next, axis, f);
    cfd_viscous_jacobian(b->u + CFD_VARS * next, axis, n);
    for (int i = 0; i < CFD_VARS; i++) {
        for (int j = 0; j < CFD_VARS; j++)
            f[i][j] = OMEGA * t->c.dt * (sign * t->c.t2 * f[i][j] - t->c.t1 * n[i][j]);
        f[i][i] -= OMEGA * t->c.dt * t->c.t1 * cfd_d(axis);
    }
    cfd_block_subtract(f, b->rhs + CFD_VARS * next, x);
}

static void diagonal(const struct test *t, const double *u, cfd_block d)
{
    cfd_block n;

    memset(d, 0, sizeof(cfd_block));
    for (int axis = 0; axis < CFD_AXES; axis++) {
        cfd_viscous_jacobian(u, axis, n);
        for (int i = 0; i < CFD_VARS; i++) {
            for (int j = 0; j < CFD_VARS; j++)
                d[i][j] += 2 * t->c.dt * t->c.t1 * n[i][j];
            d[i][i] += 2 * t->c.dt * t->c.t1 * cfd_d(axis);
        }
    }
    for (int i = 0; i < CFD_VARS; i++)
        d[i][i] += 1;
}

/** One point: the lower sweep solves for it; the upper one corrects it. */
static void relax(struct test *t, const int p[CFD_AXES], int from)
{
    size_t at = cfd_at(&t->box, p);
    double *v = t->box.rhs + CFD_VARS * at, x[CFD_VARS] = { 0 };
    cfd_block d;

    for (int axis = CFD_AXES - 1; axis >= 0; axis--) {
        int edge_at = t->box.first[axis] + p[axis] + (from == LOWER ? -1 : 1);

        if (edge_at > 0 && edge_at < t->c.n - 1) /* values on the boundary are 0 */
            couple(t, at, axis, from, x);
    }
    diagonal(t, t->box.u + CFD_VARS * at, d);
    if (from == LOWER)
        for (int m = 0; m < CFD_VARS; m++)
            x[m] += v[m];
    cfd_block_solve(d, x, NULL);
    for (int m = 0; m < CFD_VARS; m++)
        v[m] = from == LOWER ? x[m] : v[m] + x[m];
}

static void sweep_plane(struct test *t, int z, int from)
{
    const struct cfd_box *b = &t->box;
    int nx = b->high[X] - b->low[X] + 1, ny = b->high[Y] - b->low[Y] + 1;
    unsigned long long points = (unsigned long long)nx * (unsigned long long)ny;

    hub_work(HUB_LOOP_SWEEP, ROW_OPS * points); /* before the plane's messages are asked for */
    receive_edges(t, z, from);
    for (int j = 0; j < ny; j++)
        for (int i = 0; i < nx; i++) {
            int p[CFD_AXES] = { from == LOWER ? b->low[X] + i : b->high[X] - i,
                                from == LOWER ? b->low[Y] + j : b->high[Y] - j, z };

            relax(t, p, from);
        }
    hub_work(HUB_LOOP_SWEEP, SOLVE_OPS * points);
    hub_walk(points * CFD_VARS * sizeof(double), points * CFD_VARS * sizeof(double), t->memory);
    send_edges(t, z, !from);
}

static void scale(struct test *t, double *to, double factor, int add)
{
    struct cfd_box *b = &t->box;
    int p[CFD_AXES];

    for (p[2] = b->low[2]; p[2] <= b->high[2]; p[2]++)
        for (p[1] = b->low[1]; p[1] <= b->high[1]; p[1]++)
            for (p[0] = b->low[0]; p[0] <= b->high[0]; p[0]++) {
                size_t at = CFD_VARS * cfd_at(b, p);

                for (size_t m = at; m < at + CFD_VARS; m++)
                    to[m] = (add ? to[m] : 0) + factor * b->rhs[m];
            }
}

static void iterate(struct test *t)
{
    struct cfd_box *b = &t->box;

    scale(t, b->rhs, t->c.dt, 0);
    for (int z = b->low[Z]; z <= b->high[Z]; z++)
        sweep_plane(t, z, LOWER);
    for (int z = b->high[Z]; z >= b->low[Z]; z--)
        sweep_plane(t, z, UPPER);
    scale(t, b->u, 1 / (OMEGA * (2 - OMEGA)), 1);
    cfd_charge(b, HUB_LOOP_SWEEP, (struct cfd_step){ 3 * CFD_VARS, 2 * CFD_VARS, 2 * CFD_VARS },
               t->memory);
    right_side(t);
}

/* ---- set-up ---------------------------------------------------------------------------------- */

/** As square as it goes, or twice as many ranks along x. */
static void place(struct test *t)
{
    int log2 = npb_log2_ranks(&t->n, 64), stride = 1;
    int shape[CUT] = { 1 << (log2 + 1) / 2, 1 << log2 / 2 };
    int first[CFD_AXES] = { 0 }, n[CFD_AXES] = { 0, 0, t->c.n };
    uint64_t room;

    for (int axis = X; axis < CUT; stride *= shape[axis++]) {
        int at = t->n.me / stride % shape[axis], larger = t->c.n % shape[axis];

        n[axis] = t->c.n / shape[axis] + (at < larger);
        first[axis] = at * (t->c.n / shape[axis]) + (at < larger ? at : larger);
        t->neighbour[axis][LOWER] = at > 0 ? t->n.me - stride : MPI_PROC_NULL;
        t->neighbour[axis][UPPER] = at + 1 < shape[axis] ? t->n.me + stride : MPI_PROC_NULL;
    }
    if (n[X] < CFD_GHOSTS || n[Y] < CFD_GHOSTS)
        fail("%d ranks: expected at least two points of each along an axis", t->n.ranks);
    cfd_box_init(&t->c, &t->box, first, n);
    t->memory = cfd_memory(&t->box, 0);
    room = (uint64_t)(CFD_VARS * CFD_GHOSTS) * (uint64_t)(n[X] + n[Y]) * (uint64_t)n[Z];
    t->out = npb_alloc(room, sizeof(double));
    t->in = npb_alloc(room, sizeof(double));
}

/** Residuals and errors of the whole run, as published. */
static int verify(const struct test *t)
{
    static const double right[2][2][CFD_VARS] = {
        { { 1.6196343210976702e-02, 2.1976745164821318e-03, 1.5179927653399185e-03,
            1.5029584435994323e-03, 3.4264073155896461e-02 },
          { 6.4223319957960924e-04, 8.4144342047347926e-05, 5.8588269616485186e-05,
            5.8474222595157350e-05, 1.3103347914111294e-03 } },
        { { 0.1236511638192e+02, 0.1317228477799e+01, 0.2550120713095e+01, 0.2326187750252e+01,
            0.2826799444189e+02 },
          { 0.4867877144216e+00, 0.5064652880982e-01, 0.9281818101960e-01, 0.8570126542733e-01,
            0.1084277417792e+01 } }
    };
    double norms[2][CFD_VARS];

    cfd_norm(&t->c, &t->box, 1, 0, norms[0]);
    cfd_norm(&t->c, &t->box, 1, 1, norms[1]);
    return !npb_whole(&t->n) || t->n.iterations != (t->n.is_w ? 300 : 50) ||
           (npb_near(CFD_VARS, norms[0], right[t->n.is_w][0]) &&
            npb_near(CFD_VARS, norms[1], right[t->n.is_w][1]));
}

int main(int argc, char **argv)
{
    struct test t = { .out = NULL };

    npb_init(&t.n, &argc, &argv, 50, 300);
    cfd_init(&t.c, t.n.is_w ? 33 : 12, t.n.is_w ? 1.5e-3 : 0.5);
    place(&t);
    cfd_begin(&t.c, &t.box);
    cfd_charge_begin(&t.box, HUB_LOOP_SWEEP, t.memory);
    for (int axis = X; axis < CUT; axis++) /* the exact values, which the forcing is made from */
        exchange_faces(&t, axis);
    right_side(&t);
    npb_start(&t.n);
    do
        iterate(&t);
    while (npb_next(&t.n));
    npb_stop(&t.n);
    npb_end(&t.n, verify(&t));
    return 0;
}
