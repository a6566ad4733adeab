/* Functions of all topologies, and grids. Ranks keep their order: there is nothing to gain by
 * another one that a program could not choose itself. */
#include <stdlib.h>
#include <string.h>

#include "hosts/mpi/create/create.h"

struct mpi_topology *mpi_topology_new(struct mpi_rank *mr, int kind, uint64_t numbers)
{
    struct mpi_topology *t = mpi_need(mr, calloc(1, sizeof(*t) + numbers * sizeof(int)));

    t->holders = 1;
    t->kind = kind;
    return t;
}

int mpi_topology_get(MPI_Comm comm, int kind, struct mpi_comm **c_p)
{
    int code = mpi_comm_get(comm, c_p);

    if (code != MPI_SUCCESS || ((*c_p)->topology != NULL && (*c_p)->topology->kind == kind))
        return code;
    return mpi_error(MPI_ERR_TOPOLOGY, "comm = %d: no such topology", comm);
}

int mpi_topology_attach(struct mpi_comm *old, int color, int key, struct mpi_topology *t,
                        MPI_Comm *newcomm)
{
    int code = mpi_comm_split(old, color, key, newcomm);

    if (code == MPI_SUCCESS && *newcomm != MPI_COMM_NULL)
        mpi_comm_of(old->mr, *newcomm)->topology = t;
    else
        mpi_topology_put(t);
    return code;
}

int MPI_Topo_test(MPI_Comm comm, int *status)
{
    struct mpi_comm *c;
    int code = mpi_comm_get(comm, &c);

    if (code == MPI_SUCCESS)
        *status = c->topology != NULL ? c->topology->kind : MPI_UNDEFINED;
    return code;
}

/* ---- grids ------------------------------------------------------------------------------- */

/* The last coordinate runs fastest. @return MPI_PROC_NULL off the edge. */
static int rank_at(const struct mpi_topology *t, const int *coords)
{
    int rank = 0;

    for (int d = 0; d < t->ndims; d++) {
        int at = coords[d];

        if (t->periods[d])
            at = mpi_wrap(at, t->dims[d]);
        if (at < 0 || at >= t->dims[d])
            return MPI_PROC_NULL;
        rank = rank * t->dims[d] + at;
    }
    return rank;
}

static void coords_of(const struct mpi_topology *t, int rank, int *coords)
{
    for (int d = t->ndims - 1; d >= 0; d--) {
        coords[d] = rank % t->dims[d];
        rank /= t->dims[d];
    }
}

/* Ranks `disp` away from this process; `coords` is used and restored. */
static int rank_shifted(const struct mpi_topology *t, int d, int64_t disp)
{
    int here = t->coords[d], n = t->dims[d], rank;
    int64_t at = t->periods[d] ? (here + disp % n + n) % n : here + disp;

    if (at < 0 || at >= n)
        return MPI_PROC_NULL;
    t->coords[d] = (int)at;
    rank = rank_at(t, t->coords);
    t->coords[d] = here;
    return rank;
}

static struct mpi_topology *grid_new(struct mpi_rank *mr, int ndims, const int *dims,
                                     const int *periods, int rank)
{
    struct mpi_topology *t = mpi_topology_new(mr, MPI_CART, 5 * (uint64_t)ndims);

    t->ndims = ndims;
    t->dims = t->numbers;
    t->periods = t->dims + ndims;
    t->coords = t->periods + ndims;
    t->in = t->out = t->coords + ndims;
    t->nin = t->nout = 2 * ndims;
    for (int d = 0; d < ndims; d++) {
        t->dims[d] = dims[d];
        t->periods[d] = periods[d] != 0;
    }
    coords_of(t, rank, t->coords);
    for (int d = 0; d < ndims; d++) {
        t->in[2 * d] = rank_shifted(t, d, -1);
        t->in[2 * d + 1] = rank_shifted(t, d, 1);
    }
    return t;
}

/* How many ranks a grid has. */
static int grid_size(int ndims, const int *dims, int most, int *size_p)
{
    int64_t n = 1;

    for (int d = 0; d < ndims; d++) {
        if (dims[d] <= 0)
            return mpi_error(MPI_ERR_DIMS, "dims[%d] = %d: expected 1 or more", d, dims[d]);
        n *= dims[d];
        if (n > most)
            return mpi_error(MPI_ERR_DIMS, "the grid has more than the %d ranks that there are",
                             most);
    }
    *size_p = (int)n;
    return MPI_SUCCESS;
}

int MPI_Cart_create(MPI_Comm comm, int ndims, const int dims[], const int periods[], int reorder,
                    MPI_Comm *newcomm)
{
    struct mpi_comm *old;
    int code = mpi_comm_get_intra(comm, &old), n;

    (void)reorder;
    if (code != MPI_SUCCESS)
        return code;
    if (ndims < 0)
        return mpi_error(MPI_ERR_DIMS, "ndims = %d: expected 0 or more", ndims);
    code = grid_size(ndims, dims, old->size, &n);
    if (code != MPI_SUCCESS)
        return code;
    return mpi_topology_attach(old, old->rank < n ? 0 : MPI_UNDEFINED, old->rank,
                               grid_new(old->mr, ndims, dims, periods, old->rank), newcomm);
}

int MPI_Cart_map(MPI_Comm comm, int ndims, const int dims[], const int periods[], int *newrank)
{
    struct mpi_comm *c;
    int code = mpi_comm_get_intra(comm, &c), n;

    (void)periods;
    if (code == MPI_SUCCESS)
        code = grid_size(ndims, dims, c->size, &n);
    if (code == MPI_SUCCESS)
        *newrank = c->rank < n ? c->rank : MPI_UNDEFINED;
    return code;
}

int MPI_Cartdim_get(MPI_Comm comm, int *ndims)
{
    struct mpi_comm *c;
    int code = mpi_topology_get(comm, MPI_CART, &c);

    if (code == MPI_SUCCESS)
        *ndims = c->topology->ndims;
    return code;
}

static int check_room(int maxdims, const struct mpi_topology *t)
{
    if (maxdims >= t->ndims)
        return MPI_SUCCESS;
    return mpi_error(MPI_ERR_ARG, "maxdims = %d: the grid has %d", maxdims, t->ndims);
}

int MPI_Cart_get(MPI_Comm comm, int maxdims, int dims[], int periods[], int coords[])
{
    struct mpi_comm *c;
    int code = mpi_topology_get(comm, MPI_CART, &c);

    if (code == MPI_SUCCESS)
        code = check_room(maxdims, c->topology);
    for (int d = 0; code == MPI_SUCCESS && d < c->topology->ndims; d++) {
        dims[d] = c->topology->dims[d];
        periods[d] = c->topology->periods[d];
        coords[d] = c->topology->coords[d];
    }
    return code;
}

int MPI_Cart_rank(MPI_Comm comm, const int coords[], int *rank)
{
    struct mpi_comm *c;
    int code = mpi_topology_get(comm, MPI_CART, &c), at;

    if (code != MPI_SUCCESS)
        return code;
    at = rank_at(c->topology, coords);
    if (at == MPI_PROC_NULL)
        return mpi_error(MPI_ERR_ARG, "coords: outside of a grid that is not periodic");
    *rank = at;
    return MPI_SUCCESS;
}

int MPI_Cart_coords(MPI_Comm comm, int rank, int maxdims, int coords[])
{
    struct mpi_comm *c;
    int code = mpi_topology_get(comm, MPI_CART, &c);

    if (code != MPI_SUCCESS)
        return code;
    if (rank < 0 || rank >= c->size)
        return mpi_error(MPI_ERR_RANK, "rank = %d: expected 0 .. %d", rank, c->size - 1);
    code = check_room(maxdims, c->topology);
    if (code == MPI_SUCCESS)
        coords_of(c->topology, rank, coords);
    return code;
}

int MPI_Cart_shift(MPI_Comm comm, int direction, int disp, int *source, int *dest)
{
    struct mpi_comm *c;
    int code = mpi_topology_get(comm, MPI_CART, &c);

    if (code != MPI_SUCCESS)
        return code;
    if (direction < 0 || direction >= c->topology->ndims)
        return mpi_error(MPI_ERR_ARG, "direction = %d: expected 0 .. %d", direction,
                         c->topology->ndims - 1);
    *source = rank_shifted(c->topology, direction, -(int64_t)disp);
    *dest = rank_shifted(c->topology, direction, disp);
    return MPI_SUCCESS;
}

/* One grid for each place in the dimensions that are dropped. */
static int create_subgrid(struct mpi_comm *old, const int *remain, MPI_Comm *newcomm)
{
    const struct mpi_topology *t = old->topology;
    int *kept = mpi_need(old->mr, calloc(2 * (size_t)t->ndims + 1, sizeof(int)));
    int *periods = kept + t->ndims, color = 0, key = 0, n = 0;
    struct mpi_topology *part;

    for (int d = 0; d < t->ndims; d++) {
        int *number = remain[d] ? &key : &color;

        *number = *number * t->dims[d] + t->coords[d];
        if (remain[d]) {
            kept[n] = t->dims[d];
            periods[n++] = t->periods[d];
        }
    }
    part = grid_new(old->mr, n, kept, periods, key);
    free(kept);
    return mpi_topology_attach(old, color, key, part, newcomm);
}

int MPI_Cart_sub(MPI_Comm comm, const int remain_dims[], MPI_Comm *newcomm)
{
    struct mpi_comm *c;
    int code = mpi_topology_get(comm, MPI_CART, &c);

    return code == MPI_SUCCESS ? create_subgrid(c, remain_dims, newcomm) : code;
}

/** The divisors of a number, in their order. */
struct divisors {
    int n;
    int d[1536]; /* no int has more */
};

static void find_divisors(struct divisors *d, int n)
{
    int high[sizeof(d->d) / sizeof(d->d[0]) / 2 + 1], nhigh = 0;

    d->n = 0;
    for (int f = 1; f <= n / f; f++) {
        if (n % f != 0)
            continue;
        d->d[d->n++] = f;
        if (f != n / f)
            high[nhigh++] = n / f;
    }
    while (nhigh > 0)
        d->d[d->n++] = high[--nhigh];
}

/* f^k, or more than any int */
static int64_t power_of(int64_t f, int k)
{
    int64_t p = 1;

    while (k-- > 0 && p <= INT32_MAX)
        p *= f;
    return p;
}

/* `k` factors of n from low to high, the smallest as large as can be, then the next, and the
 * largest of them first. @return false: there are none. */
static bool factors_within(const struct divisors *d, int n, int k, int low, int high, int *out)
{
    if (k == 0)
        return n == 1;
    if (power_of(high, k) < n)
        return false;
    for (int i = d->n; i-- > 0 && d->d[i] >= low;) {
        int f = d->d[i];

        if (f > high || n % f != 0 || power_of(f, k) > n) /* the others are not smaller */
            continue;
        out[k - 1] = f;
        if (factors_within(d, n / f, k - 1, f, high, out))
            return true;
    }
    return false;
}

/* The `k` factors of n that are as close to each other as can be (MPI 3.1, 7.5.2): the largest and
 * the smallest. Of equally close ones those with the larger smallest. */
static void find_factors(const struct divisors *d, int n, int k, int *out, int *trial)
{
    int best = INT32_MAX;

    if (k == 1)
        out[0] = n;
    for (int i = 0; k > 1 && i < d->n; i++) {
        int f = d->d[i], least = best < f ? f - best : 1;

        if (power_of(f, k) < n || !factors_within(d, n / f, k - 1, least, f, trial + 1))
            continue;
        trial[0] = f;
        best = f - trial[k - 1];
        memcpy(out, trial, (size_t)k * sizeof(int));
    }
}

static int choose_dims(int nnodes, int ndims, int *dims)
{
    int *chosen, nfree = 0, left = nnodes;
    struct divisors all;

    for (int d = 0; d < ndims; d++) {
        if (dims[d] < 0)
            return mpi_error(MPI_ERR_DIMS, "dims[%d] = %d: expected 0 or more", d, dims[d]);
        nfree += dims[d] == 0;
        if (dims[d] > 0 && left % dims[d] != 0)
            return mpi_error(MPI_ERR_DIMS, "nnodes = %d: no multiple of dims[%d] = %d", nnodes, d,
                             dims[d]);
        left /= dims[d] > 0 ? dims[d] : 1;
    }
    if (nfree == 0)
        return left == 1 || ndims == 0
                   ? MPI_SUCCESS
                   : mpi_error(MPI_ERR_DIMS, "nnodes = %d: not the product of dims", nnodes);
    chosen = mpi_need(mpi_self(), calloc(2 * (size_t)nfree, sizeof(int)));
    find_divisors(&all, left);
    find_factors(&all, left, nfree, chosen, chosen + nfree);
    for (int d = 0, i = 0; d < ndims; d++)
        if (dims[d] == 0)
            dims[d] = chosen[i++];
    free(chosen);
    return MPI_SUCCESS;
}

int MPI_Dims_create(int nnodes, int ndims, int dims[])
{
    if (nnodes < 1)
        return mpi_error(MPI_ERR_ARG, "nnodes = %d: expected 1 or more", nnodes);
    if (ndims < 0)
        return mpi_error(MPI_ERR_DIMS, "ndims = %d: expected 0 or more", ndims);
    return choose_dims(nnodes, ndims, dims);
}
