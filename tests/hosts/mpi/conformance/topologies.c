/* Process topologies: chapter 7 of MPI-3.1. */
#include "check.h"

#include <limits.h>

static int dims_are(int nnodes, int n, int a, int b, int c, int *dims)
{
    int code = MPI_Dims_create(nnodes, n, dims);

    return code == MPI_SUCCESS && dims[0] == a && (n < 2 || dims[1] == b) &&
           (n < 3 || dims[2] == c);
}

static void dims_create(void)
{
    int d[3] = { 0, 0, 0 };

    CHECK(dims_are(6, 2, 3, 2, 0, d), "7.5.2 6 in 2 dimensions");
    d[0] = d[1] = 0;
    CHECK(dims_are(7, 2, 7, 1, 0, d), "7.5.2 a prime");
    d[0] = 0, d[1] = 3, d[2] = 0;
    CHECK(dims_are(6, 3, 2, 3, 1, d), "7.5.2 one dimension given");
    d[0] = 0, d[1] = 3, d[2] = 0;
    CHECK_ERROR(MPI_ERR_DIMS, MPI_Dims_create(7, 3, d), "7.5.2 no multiple");
    d[0] = d[1] = d[2] = 0;
    CHECK(dims_are(16, 3, 4, 2, 2, d), "7.5.2 16 in 3 dimensions");
    d[0] = d[1] = d[2] = 0;
    CHECK(dims_are(60, 3, 5, 4, 3, d), "7.5.2 60 in 3 dimensions");
    d[0] = d[1] = d[2] = 0;
    CHECK(dims_are(19008, 3, 33, 24, 24, d), "7.5.2 closer than with the smallest largest one");
    d[0] = d[1] = d[2] = 0;
    CHECK(dims_are(2147483629, 3, 2147483629, 1, 1, d), "7.5.2 a large prime");
    d[0] = d[1] = d[2] = 0;
    CHECK(dims_are(12, 2, 4, 3, 0, d), "7.5.2 12 in 2 dimensions");
    d[0] = d[1] = d[2] = 0;
    CHECK(dims_are(1, 3, 1, 1, 1, d), "7.5.2 one node");
    d[0] = 2, d[1] = 3, d[2] = 2;
    CHECK(dims_are(12, 3, 2, 3, 2, d), "7.5.2 all given");
    d[0] = -1;
    CHECK_ERROR(MPI_ERR_DIMS, MPI_Dims_create(12, 3, d), "7.5.2 a negative one");
    d[0] = 0;
    CHECK(dims_are(97, 1, 97, 0, 0, d), "7.5.2 one dimension");
}

/* A grid of all ranks, in 2 dimensions, periodic in the second. */
static void cart_ranks(MPI_Comm c, const int *dims, const int *at)
{
    int want[2], n = -1, r, bad = 0;

    MPI_Comm_rank(c, &r);
    CHECK(at[0] == r / dims[1] && at[1] == r % dims[1], "7.2 the last dimension runs fastest");
    for (int i = 0; i < check_size; i++) {
        MPI_Cart_coords(c, i, 2, want);
        MPI_Cart_rank(c, want, &n);
        bad += n != i;
    }
    CHECK(bad == 0, "7.5.5 rank and coordinates belong together");
    want[0] = at[0];
    want[1] = at[1] + 3 * dims[1];
    CHECK_OK(MPI_Cart_rank(c, want, &n), "7.5.5 coordinates wrap where it is periodic");
    CHECK(n == r, "7.5.5 to the same rank");
    want[0] = dims[0];
    CHECK_ERROR(MPI_ERR_ARG, MPI_Cart_rank(c, want, &n), "7.5.5 outside where it is not");
}

static void cart_shift(MPI_Comm c, const int *dims, const int *at)
{
    int r, from, to, row = at[0] * dims[1];

    MPI_Comm_rank(c, &r);
    CHECK_OK(MPI_Cart_shift(c, 0, 1, &from, &to), "7.5.6 shift");
    CHECK(from == (at[0] > 0 ? r - dims[1] : MPI_PROC_NULL), "7.5.6 nobody before the edge");
    CHECK(to == (at[0] + 1 < dims[0] ? r + dims[1] : MPI_PROC_NULL), "7.5.6 nobody behind it");
    CHECK_OK(MPI_Cart_shift(c, 1, -1, &from, &to), "7.5.6 shift back");
    CHECK(from == row + (at[1] + 1) % dims[1], "7.5.6 around");
    CHECK(to == row + (at[1] + dims[1] - 1) % dims[1], "7.5.6 around");
    CHECK_OK(MPI_Cart_shift(c, 0, INT_MIN, &from, &to), "7.5.6 shift as far as an int tells");
    CHECK(from == MPI_PROC_NULL && to == MPI_PROC_NULL, "7.5.6 nobody is there");
    CHECK_OK(MPI_Cart_shift(c, 1, INT_MAX, &from, &to), "7.5.6 the same around");
    CHECK(to == row + (int)((at[1] + (long)INT_MAX) % dims[1]), "7.5.6 around");
    CHECK_ERROR(MPI_ERR_ARG, MPI_Cart_shift(c, 2, 1, &from, &to), "7.5.6 no such dimension");
}

static void cart(void)
{
    int dims[2] = { 0, 0 }, periods[2] = { 0, 1 }, got[2], per[2], at[2], n = -1;
    int want[2], remain[2] = { 0, 1 };
    MPI_Comm c, row;

    MPI_Dims_create(check_size, 2, dims);
    CHECK_OK(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &c), "7.5.1 create");
    CHECK_OK(MPI_Topo_test(c, &n), "7.5.5 test");
    CHECK(n == MPI_CART, "7.5.5 a grid");
    CHECK_OK(MPI_Topo_test(MPI_COMM_WORLD, &n), "7.5.5 test of none");
    CHECK(n == MPI_UNDEFINED, "7.5.5 none");
    CHECK_OK(MPI_Cartdim_get(c, &n), "7.5.5 dimensions");
    CHECK(n == 2, "7.5.5 they are 2");
    CHECK_OK(MPI_Cart_get(c, 2, got, per, at), "7.5.5 get");
    CHECK(got[0] == dims[0] && got[1] == dims[1], "7.5.5 sizes");
    CHECK(per[0] == 0 && per[1] == 1, "7.5.5 periods");
    cart_ranks(c, dims, at);
    cart_shift(c, dims, at);
    CHECK_OK(MPI_Cart_sub(c, remain, &row), "7.5.7 rows");
    MPI_Comm_size(row, &n);
    CHECK(n == dims[1], "7.5.7 as long as the dimension");
    CHECK_OK(MPI_Cart_get(row, 1, got, per, want), "7.5.7 they are grids");
    CHECK(got[0] == dims[1] && per[0] == 1 && want[0] == at[1], "7.5.7 of that dimension");
    MPI_Comm_free(&row);
    CHECK_OK(MPI_Comm_dup(c, &row), "6.4.2 dup of a grid");
    CHECK_OK(MPI_Cart_get(row, 2, got, per, want), "6.4.2 is a grid");
    CHECK(want[0] == at[0] && want[1] == at[1], "6.4.2 the same");
    MPI_Comm_free(&row);
    CHECK_ERROR(MPI_ERR_TOPOLOGY, MPI_Graphdims_get(c, &n, &want[0]), "7.5.5 a grid is no graph");
    CHECK_ERROR(MPI_ERR_TOPOLOGY, MPI_Cartdim_get(MPI_COMM_WORLD, &n),
                "7.5.5 the world is no grid");
    MPI_Comm_free(&c);
}

static void small_cart(void)
{
    int dims[1] = { 1 }, periods[1] = { 0 }, n = -5;
    MPI_Comm c;

    if (check_size > 1)
        dims[0] = check_size - 1;
    CHECK_OK(MPI_Cart_map(MPI_COMM_WORLD, 1, dims, periods, &n), "7.5.8 map");
    CHECK(n == (check_rank < dims[0] ? check_rank : MPI_UNDEFINED), "7.5.8 keeps the order");
    CHECK_OK(MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 1, &c),
             "7.5.1 fewer than there are");
    CHECK((c == MPI_COMM_NULL) == (check_rank >= dims[0]), "7.5.1 null for the others");
    if (c != MPI_COMM_NULL)
        MPI_Comm_free(&c);
    dims[0] = check_size + 1;
    CHECK_ERROR(MPI_ERR_DIMS, MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &c),
                "7.5.1 more than there are");
    CHECK_OK(MPI_Cart_create(MPI_COMM_WORLD, 0, dims, periods, 0, &c), "7.5.1 no dimension");
    CHECK((c == MPI_COMM_NULL) == (check_rank > 0), "7.5.1 is of one rank");
    if (c != MPI_COMM_NULL) {
        CHECK_OK(MPI_Cartdim_get(c, &n), "7.5.5 dimensions of it");
        CHECK(n == 0, "7.5.5 there are none");
        MPI_Comm_free(&c);
    }
}

/* A star: rank 0 and each of the others. */
static void graph(void)
{
    int index[64], edges[128], n = 0, m = -1, got[128], star = check_rank == 0 ? check_size - 1 : 1;
    MPI_Comm c;

    for (int r = 1; r < check_size; r++)
        edges[n++] = r;
    index[0] = n;
    for (int r = 1; r < check_size; r++) {
        edges[n++] = 0;
        index[r] = n;
    }
    CHECK_OK(MPI_Graph_map(MPI_COMM_WORLD, check_size, index, edges, &m), "7.5.8 map");
    CHECK(m == check_rank, "7.5.8 keeps the order");
    CHECK_OK(MPI_Graph_create(MPI_COMM_WORLD, check_size, index, edges, 0, &c), "7.5.3 create");
    CHECK_OK(MPI_Topo_test(c, &m), "7.5.5 test");
    CHECK(m == MPI_GRAPH, "7.5.5 a graph");
    CHECK_OK(MPI_Graphdims_get(c, &m, &got[0]), "7.5.5 sizes");
    CHECK(m == check_size && got[0] == n, "7.5.5 nodes and edges");
    CHECK_OK(MPI_Graph_get(c, 64, 128, got, got + 64), "7.5.5 get");
    CHECK(memcmp(got, index, (size_t)check_size * sizeof(int)) == 0, "7.5.5 the index");
    CHECK_OK(MPI_Graph_neighbors_count(c, check_rank, &m), "7.5.5 neighbours");
    CHECK(m == star, "7.5.5 of the middle all, of the others one");
    CHECK_OK(MPI_Graph_neighbors(c, check_rank, 128, got), "7.5.5 who");
    CHECK(star == 0 || got[0] == (check_rank == 0 ? 1 : 0), "7.5.5 in their order");
    m = 10 + check_rank;
    CHECK_OK(MPI_Neighbor_allgather(&m, 1, MPI_INT, got, 1, MPI_INT, c), "7.6.1 allgather");
    for (int i = 0; i < star; i++)
        CHECK(got[i] == (check_rank == 0 ? 11 + i : 10), "7.6.1 the neighbours' values");
    CHECK_ERROR(MPI_ERR_RANK, MPI_Graph_neighbors_count(c, check_size, &m), "7.5.5 no such node");
    MPI_Comm_free(&c);
    index[0] = 1;
    edges[0] = check_size;
    CHECK_ERROR(MPI_ERR_ARG, MPI_Graph_create(MPI_COMM_WORLD, 1, index, edges, 0, &c),
                "7.5.3 an edge to nobody");
    index[0] = 0;
    CHECK_OK(MPI_Graph_create(MPI_COMM_WORLD, 1, index, edges, 0, &c),
             "7.5.3 fewer than there are");
    CHECK((c == MPI_COMM_NULL) == (check_rank > 0), "7.5.3 null for the others");
    if (c != MPI_COMM_NULL)
        MPI_Comm_free(&c);
}

/* Each rank sends to the next and to the one after it. */
static void dist_graph(void)
{
    int n = check_size, next[2] = { (check_rank + 1) % n, (check_rank + 2) % n };
    int last[2] = { (check_rank + n - 1) % n, (check_rank + 2 * n - 2) % n };
    int w[2] = { 5, 6 }, in[4], out[4], in_w[4] = { 0 }, out_w[4] = { 0 }, nin, nout, weighted,
        two = 2;
    MPI_Comm c;

    CHECK_OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, last, w, 2, next, w, MPI_INFO_NULL,
                                            0, &c),
             "7.5.4 create, adjacent");
    CHECK_OK(MPI_Topo_test(c, &nin), "7.5.5 test");
    CHECK(nin == MPI_DIST_GRAPH, "7.5.5 a graph by edges");
    CHECK_OK(MPI_Dist_graph_neighbors_count(c, &nin, &nout, &weighted), "7.5.5 count");
    CHECK(nin == 2 && nout == 2 && weighted, "7.5.5 two each, weighted");
    CHECK_OK(MPI_Dist_graph_neighbors(c, 2, in, in_w, 2, out, out_w), "7.5.5 who");
    CHECK(memcmp(in, last, sizeof(last)) == 0 && memcmp(out, next, sizeof(next)) == 0,
          "7.5.5 those");
    CHECK(in_w[1] == 6 && out_w[0] == 5, "7.5.5 with their weights");
    out[0] = 100 * check_rank;
    out[1] = 100 * check_rank + 1;
    CHECK_OK(MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, c), "7.6.2 all to all");
    if (n > 2) {
        CHECK(in[0] == 100 * last[0], "7.6.2 from the one before");
        CHECK(in[1] == 100 * last[1] + 1, "7.6.2 from the one before that");
    }
    MPI_Comm_free(&c);
    CHECK_OK(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &check_rank, &two, next, MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &c),
             "7.5.4 create, each rank its own edges");
    CHECK_OK(MPI_Dist_graph_neighbors_count(c, &nin, &nout, &weighted), "7.5.5 count");
    CHECK(nin == 2 && nout == 2 && !weighted, "7.5.5 two each, no weights");
    MPI_Comm_free(&c);
    /* rank 0 gives a ring backwards, for all */
    int sources[64], degrees[64], dests[64];
    for (int r = 0; r < n; r++) {
        sources[r] = r;
        degrees[r] = 1;
        dests[r] = (r + n - 1) % n;
    }
    CHECK_OK(MPI_Dist_graph_create(MPI_COMM_WORLD, check_rank == 0 ? n : 0, sources, degrees, dests,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &c),
             "7.5.4 create, one rank tells all");
    CHECK_OK(MPI_Dist_graph_neighbors_count(c, &nin, &nout, &weighted), "7.5.5 count");
    CHECK(nin == 1 && nout == 1, "7.5.5 one each");
    CHECK_OK(MPI_Dist_graph_neighbors(c, 1, in, in_w, 1, out, out_w), "7.5.5 who");
    CHECK(in[0] == next[0] && out[0] == last[0], "7.5.5 the ring backwards");
    CHECK_OK(MPI_Neighbor_allgather(&check_rank, 1, MPI_INT, in, 1, MPI_INT, c), "7.6.1 allgather");
    CHECK(in[0] == next[0], "7.6.1 from the next one");
    MPI_Comm_free(&c);
    CHECK_OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, NULL, MPI_WEIGHTS_EMPTY, 0, NULL,
                                            MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, 0, &c),
             "7.5.4 no edges");
    CHECK_OK(MPI_Neighbor_allgather(&two, 1, MPI_INT, in, 1, MPI_INT, c), "7.6.1 no neighbours");
    MPI_Comm_free(&c);
}

/* Halos on a periodic grid: what goes up comes in from below, also with one or two ranks around. */
static void halos(void)
{
    int dims[2] = { 0, 0 }, periods[2] = { 1, 1 }, at[2], near[4], bad = 0;
    int out[8], in[8], counts[4] = { 1, 2, 0, 1 }, back[4] = { 2, 1, 1, 0 },
                       displs[4] = { 0, 2, 4, 6 };
    MPI_Aint far[4];
    MPI_Datatype types[4];
    MPI_Comm c;
    MPI_Request rq;

    MPI_Dims_create(check_size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &c);
    MPI_Comm_set_errhandler(c, MPI_ERRORS_RETURN);
    MPI_Cart_coords(c, check_rank, 2, at);
    for (int d = 0; d < 2; d++)
        MPI_Cart_shift(c, d, 1, &near[2 * d], &near[2 * d + 1]);
    for (int i = 0; i < 8; i++)
        out[i] = 100 * check_rank + i;
    CHECK_OK(MPI_Neighbor_alltoall(out, 2, MPI_INT, in, 2, MPI_INT, c), "7.6.2 all to all");
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 2; k++)
            bad += in[2 * i + k] != 100 * near[i] + 2 * (i ^ 1) + k;
    CHECK(bad == 0, "7.6.2 each side has what its neighbour sent towards it");
    memset(in, -1, sizeof(in));
    CHECK_OK(
        MPI_Ineighbor_alltoallv(out, counts, displs, MPI_INT, in, back, displs, MPI_INT, c, &rq),
        "7.7.4 with counts, non-blocking");
    CHECK_OK(MPI_Wait(&rq, MPI_STATUS_IGNORE), "7.7.4 it ends");
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < back[i]; k++)
            bad += in[2 * i + k] != 100 * near[i] + 2 * (i ^ 1) + k;
    CHECK(bad == 0, "7.7.4 each has its count");
    for (int i = 0; i < 4; i++) {
        far[i] = (MPI_Aint)(2 * (size_t)i * sizeof(int));
        types[i] = MPI_INT;
        counts[i] = 2;
    }
    memset(in, -1, sizeof(in));
    CHECK_OK(MPI_Neighbor_alltoallw(out, counts, far, types, in, counts, far, types, c),
             "7.6.2 with types");
    for (int i = 0; i < 8; i++)
        bad += in[i] != 100 * near[i / 2] + (i ^ 2);
    CHECK(bad == 0, "7.6.2 the same");
    CHECK_OK(
        MPI_Neighbor_allgatherv(out, 1, MPI_INT, in, (int[]){ 1, 1, 1, 1 }, displs, MPI_INT, c),
        "7.6.1 gather with places");
    for (int i = 0; i < 4; i++)
        bad += in[2 * i] != 100 * near[i];
    CHECK(bad == 0, "7.6.1 one from each side");
    CHECK_ERROR(MPI_ERR_TOPOLOGY,
                MPI_Neighbor_allgather(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD),
                "7.6 no topology");
    MPI_Comm_free(&c);
}

/* At the edges of a grid that is not periodic nothing comes and nothing is touched. */
static void edges(void)
{
    int dims[1] = { check_size }, periods[1] = { 0 }, out[2], in[2] = { -1, -1 };
    MPI_Comm c;
    MPI_Request rq;

    MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &c);
    out[0] = out[1] = check_rank;
    CHECK_OK(MPI_Ineighbor_allgather(out, 1, MPI_INT, in, 1, MPI_INT, c, &rq), "7.7.1 allgather");
    CHECK_OK(MPI_Wait(&rq, MPI_STATUS_IGNORE), "7.7.1 it ends");
    CHECK(in[0] == (check_rank > 0 ? check_rank - 1 : -1), "7.6 nothing from beyond the edge");
    CHECK(in[1] == (check_rank + 1 < check_size ? check_rank + 1 : -1), "7.6 nor the other one");
    MPI_Comm_free(&c);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv, "topologies");
    dims_create();
    cart();
    small_cart();
    graph();
    dist_graph();
    halos();
    edges();
    return check_end();
}
