#include "adi.h"

#include <string.h>

enum { LOWER, UPPER, WAYS };
enum { TAG_FACE = 10, TAG_FORTH = 20, TAG_BACK = 30 };

static int tag_of(int kind, int axis, int towards)
{
    return kind + 2 * axis + towards;
}

double *adi_stored(struct adi *a, const struct cfd_box *b, size_t at)
{
    return a->stored[b - a->boxes] + (size_t)a->method->stored * at;
}

/* ---- set-up: box c is at (i + c, j - c, c) modulo p --------------------------------------- */

static void make_box(struct adi *a, int box, int i, int j)
{
    int p = a->slices, at[CFD_AXES] = { (i + box) % p, (j - box + p) % p, box };
    int first[CFD_AXES], n[CFD_AXES];
    uint64_t points = 1;

    for (int axis = 0; axis < CFD_AXES; axis++) {
        int each = a->c.n / p, larger = a->c.n % p;

        n[axis] = each + (at[axis] < larger);
        first[axis] = at[axis] * each + (at[axis] < larger ? at[axis] : larger);
        a->slice[axis][at[axis]] = box;
        points *= (uint64_t)n[axis] + 2 * CFD_GHOSTS;
    }
    if (a->c.n / p < 3)
        fail("%d ranks: expected boxes of three points at least", a->n.ranks);
    cfd_box_init(&a->c, &a->boxes[box], first, n);
    a->stored[box] = npb_alloc(points * (uint64_t)a->method->stored, sizeof(double));
    a->memory += cfd_memory(&a->boxes[box], a->method->stored);
}

void adi_init(struct adi *a, const struct adi_method *method, int points, double dt)
{
    int p = 1, i, j;
    uint64_t side, faces, lines;

    while (p * p < a->n.ranks)
        p++;
    if (p * p != a->n.ranks || p > ADI_SLICES)
        fail("%d ranks: expected a square up to %d", a->n.ranks, ADI_SLICES * ADI_SLICES);
    cfd_init(&a->c, points, dt);
    a->method = method;
    a->slices = p;
    i = a->n.me % p;
    j = a->n.me / p;
    for (int box = 0; box < p; box++)
        make_box(a, box, i, j);
    for (int up = LOWER; up < WAYS; up++) {
        int on = up ? 1 : p - 1, off = p - on;

        a->neighbour[0][up] = (i + on) % p + p * j;
        a->neighbour[1][up] = i + p * ((j + on) % p);
        a->neighbour[2][up] = (i + off) % p + p * ((j + on) % p);
    }
    side = (uint64_t)(points / p) + 1;
    faces = side * side * CFD_VARS * CFD_GHOSTS * (uint64_t)p;
    lines = side * side * (uint64_t)method->forward;
    for (int axis = 0; axis < CFD_AXES; axis++)
        for (int up = LOWER; up < WAYS; up++) {
            a->out[axis][up] = npb_alloc(faces > lines ? faces : lines, sizeof(double));
            a->in[axis][up] = npb_alloc(faces > lines ? faces : lines, sizeof(double));
        }
}

void adi_begin(struct adi *a)
{
    for (int box = 0; box < a->slices; box++) {
        cfd_begin(&a->c, &a->boxes[box]);
        cfd_charge_begin(&a->boxes[box], a->method->loop, a->memory);
    }
}

/* ---- ghosts ---------------------------------------------------------------------------------- */

/** Two layers from `at` on across an axis, of one box. @return doubles */
static int face(struct cfd_box *b, int axis, int at, double *buffer, int store)
{
    int p[CFD_AXES], end[CFD_AXES], n = 0;

    memcpy(end, b->n, sizeof(end));
    end[axis] = at + CFD_GHOSTS;
    for (p[2] = axis == 2 ? at : 0; p[2] < end[2]; p[2]++)
        for (p[1] = axis == 1 ? at : 0; p[1] < end[1]; p[1]++)
            for (p[0] = axis == 0 ? at : 0; p[0] < end[0]; p[0]++, n += CFD_VARS) {
                double *u = b->u + CFD_VARS * cfd_at(b, p);

                memcpy(store ? u : buffer + n, store ? buffer + n : u, CFD_VARS * sizeof(double));
            }
    return n;
}

/** All boxes of this rank that have a neighbour in that direction. `store`: their ghosts there come
 * from the buffer; else their layers there go into it. @return doubles */
static int faces(struct adi *a, int axis, int up, double *buffer, int store)
{
    int n = 0;

    for (int slice = 0; slice < a->slices; slice++) {
        struct cfd_box *b = &a->boxes[a->slice[axis][slice]];
        int at = store ? (up ? b->n[axis] : -CFD_GHOSTS) : (up ? b->n[axis] - CFD_GHOSTS : 0);

        if (slice != (up ? a->slices - 1 : 0))
            n += face(b, axis, at, buffer + n, store);
    }
    cfd_copied(n, a->memory);
    return n;
}

/** All buffers are filled before the first receive is posted, as the original does. */
static void ghosts(struct adi *a)
{
    MPI_Request requests[2 * CFD_AXES * WAYS];
    int n = 0, size[CFD_AXES][WAYS];

    if (a->slices == 1)
        return;
    for (int axis = 0; axis < CFD_AXES; axis++)
        for (int up = WAYS - 1; up >= LOWER; up--)
            size[axis][up] = faces(a, axis, up, a->out[axis][up], 0);
    for (int axis = 0; axis < CFD_AXES; axis++)
        for (int up = WAYS - 1; up >= LOWER; up--)
            CHECK(MPI_Irecv(a->in[axis][up], size[axis][up], MPI_DOUBLE, a->neighbour[axis][up],
                            tag_of(TAG_FACE, axis, !up), MPI_COMM_WORLD, &requests[n++]),
                  MPI_SUCCESS);
    for (int axis = 0; axis < CFD_AXES; axis++)
        for (int up = WAYS - 1; up >= LOWER; up--)
            CHECK(MPI_Isend(a->out[axis][up], size[axis][up], MPI_DOUBLE, a->neighbour[axis][up],
                            tag_of(TAG_FACE, axis, up), MPI_COMM_WORLD, &requests[n++]),
                  MPI_SUCCESS);
    CHECK(MPI_Waitall(n, requests, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    for (int axis = 0; axis < CFD_AXES; axis++)
        for (int up = LOWER; up < WAYS; up++)
            (void)faces(a, axis, up, a->in[axis][up], 1);
}

static void each_inner(struct adi *a, void (*change)(double *u, double *rhs, double factor),
                       double factor)
{
    for (struct cfd_box *b = a->boxes; b < a->boxes + a->slices; b++) {
        int p[CFD_AXES];

        for (p[2] = b->low[2]; p[2] <= b->high[2]; p[2]++)
            for (p[1] = b->low[1]; p[1] <= b->high[1]; p[1]++)
                for (p[0] = b->low[0]; p[0] <= b->high[0]; p[0]++) {
                    size_t at = CFD_VARS * cfd_at(b, p);

                    for (size_t m = at; m < at + CFD_VARS; m++)
                        change(&b->u[m], &b->rhs[m], factor);
                }
    }
}

static void multiply(double *u, double *rhs, double factor)
{
    (void)u;
    *rhs *= factor;
}

static void add(double *u, double *rhs, double factor)
{
    *u += factor * *rhs;
}

static void right_side(struct adi *a, double factor)
{
    ghosts(a);
    for (int i = 0; i < a->slices; i++) {
        cfd_primitives(&a->boxes[i]);
        cfd_rhs(&a->c, &a->boxes[i]);
    }
    each_inner(a, multiply, factor);
    for (int i = 0; i < a->slices; i++)
        cfd_charge_rhs(&a->boxes[i], a->method->loop, a->memory);
}

void adi_right_side(struct adi *a)
{
    right_side(a, a->c.dt);
}

void adi_add(struct adi *a)
{
    each_inner(a, add, 1);
    for (int i = 0; i < a->slices; i++)
        cfd_charge(&a->boxes[i], a->method->loop, (struct cfd_step){ CFD_VARS, CFD_VARS, CFD_VARS },
                   a->memory);
}

/* ---- along an axis ---- */

/** Lines of a box, each from (forth) or to (back) its first inner point. @return doubles that cross
 */
static int lines(struct adi *a, struct cfd_box *b, int axis, int forth, const double *in,
                 double *out)
{
    const struct adi_method *m = a->method;
    int y = (axis + 1) % 3, z = (axis + 2) % 3, p[CFD_AXES], n = 0;
    int width = forth ? m->forward : m->backward;

    p[axis] = b->low[axis];
    for (p[z] = b->low[z]; p[z] <= b->high[z]; p[z]++)
        for (p[y] = b->low[y]; p[y] <= b->high[y]; p[y]++, n += width)
            (forth ? m->forth : m->back)(a, b, axis, p, in != NULL ? in + n : NULL, out + n);
    return n;
}

static int message_size(const struct adi *a, const struct cfd_box *b, int axis, int forth)
{
    const struct adi_method *m = a->method;
    int width = forth ? m->forward : m->backward, y = (axis + 1) % 3, z = (axis + 2) % 3;
    int side = a->c.n / a->slices + 1;

    if (m->whole)
        return width * side * side;
    return width * (b->high[y] - b->low[y] + 1) * (b->high[z] - b->low[z] + 1);
}

static unsigned long long walked(const struct adi *a, const struct cfd_box *b, int forth)
{
    if (!forth || a->method->box == 0)
        return a->memory;
    return cfd_points(b) * (unsigned long long)a->method->box * sizeof(double);
}

/** BT waits for one after the other, SP for both at once. */
static void wait_for(const struct adi_method *m, MPI_Request *sent, MPI_Request *come)
{
    MPI_Request both[2] = { *come, *sent };

    if (m->whole) {
        CHECK(MPI_Wait(sent, MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK(MPI_Wait(come, MPI_STATUS_IGNORE), MPI_SUCCESS);
        return;
    }
    CHECK(MPI_Waitall(2, both, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    *sent = *come = MPI_REQUEST_NULL;
}

/** One way: from the first slice to the last one, or back. What comes is received while the box's
 * own coefficients are computed, or the box that is solved already is finished. */
static void sweep(struct adi *a, int axis, int forth)
{
    const struct adi_method *m = a->method;
    int towards = forth ? UPPER : LOWER, tag = tag_of(forth ? TAG_FORTH : TAG_BACK, axis, 0);
    double *in = a->in[axis][0], *out = a->out[axis][0];
    MPI_Request sent = MPI_REQUEST_NULL;

    for (int stage = 0; stage < a->slices; stage++) {
        int slice = forth ? stage : a->slices - 1 - stage;
        struct cfd_box *b = &a->boxes[a->slice[axis][slice]];
        int size = message_size(a, b, axis, forth);
        unsigned long long set = walked(a, b, forth);
        MPI_Request come = MPI_REQUEST_NULL;

        if (stage > 0)
            CHECK(MPI_Irecv(in, size, MPI_DOUBLE, a->neighbour[axis][!towards], tag, MPI_COMM_WORLD,
                            &come),
                  MPI_SUCCESS);
        if (forth)
            cfd_charge(b, m->loop, m->prepare, set);
        else if (stage > 0 && m->finish != NULL)
            m->finish(a, &a->boxes[a->slice[axis][slice + 1]], axis);
        wait_for(m, &sent, &come);
        if (stage > 0)
            cfd_copied(size, set);
        (void)lines(a, b, axis, forth, stage > 0 ? in : NULL, out);
        cfd_charge(b, m->loop, forth ? m->solve : m->substitute, set);
        if (stage + 1 < a->slices) {
            cfd_copied(size, set);
            CHECK(MPI_Isend(out, size, MPI_DOUBLE, a->neighbour[axis][towards], tag, MPI_COMM_WORLD,
                            &sent),
                  MPI_SUCCESS);
        }
    }
    if (!forth && m->finish != NULL)
        m->finish(a, &a->boxes[a->slice[axis][0]], axis);
}

void adi_solve(struct adi *a, int axis)
{
    sweep(a, axis, 1);
    sweep(a, axis, 0);
}

int adi_verify(struct adi *a, uint64_t iterations, const double right[2][CFD_VARS])
{
    double norms[2][CFD_VARS];

    right_side(a, 1);
    cfd_norm(&a->c, a->boxes, a->slices, 0, norms[0]);
    cfd_norm(&a->c, a->boxes, a->slices, 1, norms[1]);
    return !npb_whole(&a->n) || a->n.iterations != iterations ||
           (npb_near(CFD_VARS, norms[0], right[0]) && npb_near(CFD_VARS, norms[1], right[1]));
}
