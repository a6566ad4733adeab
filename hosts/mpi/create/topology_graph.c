/* Graphs, as a whole on every rank or by edges. */
#include <string.h>

#include "hosts/mpi/create/create.h"

/* ---- a whole graph on every rank ------------------------------------------------------- */

/* Node r's neighbours are edges[index[r - 1] .. index[r]). */
static int check_graph(int nnodes, const int *index, const int *edges, int size)
{
    if (nnodes < 0 || nnodes > size)
        return mpi_error(MPI_ERR_ARG, "nnodes = %d: expected 0 .. %d", nnodes, size);
    for (int r = 0; r < nnodes; r++)
        if (index[r] < (r > 0 ? index[r - 1] : 0))
            return mpi_error(MPI_ERR_ARG, "index[%d] = %d: below the one before", r, index[r]);
    for (int i = 0; nnodes > 0 && i < index[nnodes - 1]; i++)
        if (edges[i] < 0 || edges[i] >= nnodes)
            return mpi_error(MPI_ERR_ARG, "edges[%d] = %d: expected 0 .. %d", i, edges[i],
                             nnodes - 1);
    return MPI_SUCCESS;
}

static int first_edge(const struct mpi_topology *t, int rank)
{
    return rank > 0 ? t->index[rank - 1] : 0;
}

static int graph_create(struct mpi_comm *old, int nnodes, const int *index, const int *edges,
                        MPI_Comm *newcomm)
{
    int nedges = nnodes > 0 ? index[nnodes - 1] : 0;
    struct mpi_topology *t =
        mpi_topology_new(old->mr, MPI_GRAPH, (uint64_t)nnodes + (uint64_t)nedges);

    t->nindex = nnodes;
    t->nedges = nedges;
    t->index = t->numbers;
    t->edges = t->index + nnodes;
    if (nnodes > 0)
        memcpy(t->index, index, (size_t)nnodes * sizeof(int));
    if (nedges > 0)
        memcpy(t->edges, edges, (size_t)nedges * sizeof(int));
    if (old->rank < nnodes) {
        t->in = t->out = t->edges + first_edge(t, old->rank);
        t->nin = t->nout = t->index[old->rank] - first_edge(t, old->rank);
    }
    return mpi_topology_attach(old, old->rank < nnodes ? 0 : MPI_UNDEFINED, old->rank, t, newcomm);
}

int MPI_Graph_create(MPI_Comm comm, int nnodes, const int index[], const int edges[], int reorder,
                     MPI_Comm *newcomm)
{
    struct mpi_comm *old;
    int code = mpi_comm_get_intra(comm, &old);

    (void)reorder;
    if (code == MPI_SUCCESS)
        code = check_graph(nnodes, index, edges, old->size);
    if (code == MPI_SUCCESS)
        code = graph_create(old, nnodes, index, edges, newcomm);
    return code;
}

int MPI_Graph_map(MPI_Comm comm, int nnodes, const int index[], const int edges[], int *newrank)
{
    struct mpi_comm *c;
    int code = mpi_comm_get_intra(comm, &c);

    if (code == MPI_SUCCESS)
        code = check_graph(nnodes, index, edges, c->size);
    if (code == MPI_SUCCESS)
        *newrank = c->rank < nnodes ? c->rank : MPI_UNDEFINED;
    return code;
}

int MPI_Graphdims_get(MPI_Comm comm, int *nnodes, int *nedges)
{
    struct mpi_comm *c;
    int code = mpi_topology_get(comm, MPI_GRAPH, &c);

    if (code == MPI_SUCCESS) {
        *nnodes = c->topology->nindex;
        *nedges = c->topology->nedges;
    }
    return code;
}

int MPI_Graph_get(MPI_Comm comm, int maxindex, int maxedges, int index[], int edges[])
{
    struct mpi_comm *c;
    int code = mpi_topology_get(comm, MPI_GRAPH, &c);

    if (code != MPI_SUCCESS)
        return code;
    for (int i = 0; i < maxindex && i < c->topology->nindex; i++)
        index[i] = c->topology->index[i];
    for (int i = 0; i < maxedges && i < c->topology->nedges; i++)
        edges[i] = c->topology->edges[i];
    return MPI_SUCCESS;
}

static int get_node(MPI_Comm comm, int rank, struct mpi_topology **t_p)
{
    struct mpi_comm *c;
    int code = mpi_topology_get(comm, MPI_GRAPH, &c);

    if (code != MPI_SUCCESS)
        return code;
    if (rank < 0 || rank >= c->size)
        return mpi_error(MPI_ERR_RANK, "rank = %d: expected 0 .. %d", rank, c->size - 1);
    *t_p = c->topology;
    return MPI_SUCCESS;
}

int MPI_Graph_neighbors_count(MPI_Comm comm, int rank, int *nneighbors)
{
    struct mpi_topology *t;
    int code = get_node(comm, rank, &t);

    if (code == MPI_SUCCESS)
        *nneighbors = t->index[rank] - first_edge(t, rank);
    return code;
}

int MPI_Graph_neighbors(MPI_Comm comm, int rank, int maxneighbors, int neighbors[])
{
    struct mpi_topology *t;
    int code = get_node(comm, rank, &t);

    for (int i = 0; code == MPI_SUCCESS && i < maxneighbors; i++) {
        if (first_edge(t, rank) + i >= t->index[rank])
            break;
        neighbors[i] = t->edges[first_edge(t, rank) + i];
    }
    return code;
}

/* ---- edges, each given by any rank ------------------------------------------------------- */

/** One edge as a rank gives it. */
struct edge {
    int from, to, weight;
};
#define EDGE_INTS ((int)(sizeof(struct edge) / sizeof(int)))

static struct mpi_topology *edges_new(struct mpi_rank *mr, int nin, int nout, bool weighted)
{
    uint64_t n = (uint64_t)nin + (uint64_t)nout;
    struct mpi_topology *t = mpi_topology_new(mr, MPI_DIST_GRAPH, 2 * n);

    t->weighted = weighted;
    t->nin = nin;
    t->nout = nout;
    t->in = t->numbers;
    t->out = t->in + nin;
    t->in_weights = t->out + nout;
    t->out_weights = t->in_weights + nin;
    return t;
}

static int check_ranks(const struct mpi_comm *c, int n, const int *ranks)
{
    if (n < 0)
        return mpi_error(MPI_ERR_ARG, "%d neighbours: expected 0 or more", n);
    for (int i = 0; i < n; i++)
        if (ranks[i] < 0 || ranks[i] >= c->size)
            return mpi_error(MPI_ERR_RANK, "rank %d: expected 0 .. %d", ranks[i], c->size - 1);
    return MPI_SUCCESS;
}

/* Edges on one side of a process, each of weight 1 where they have none. */
static void copy_edges(int n, const int *ranks, const int *weights, int *to, int *to_weights)
{
    for (int i = 0; i < n; i++) {
        to[i] = ranks[i];
        if (to_weights != MPI_UNWEIGHTED)
            to_weights[i] = weights != MPI_UNWEIGHTED ? weights[i] : 1;
    }
}

int MPI_Dist_graph_create_adjacent(MPI_Comm comm, int indegree, const int sources[],
                                   const int sourceweights[], int outdegree,
                                   const int destinations[], const int destweights[], MPI_Info info,
                                   int reorder, MPI_Comm *newcomm)
{
    struct mpi_comm *old;
    struct mpi_topology *t;
    int code = mpi_comm_get_intra(comm, &old);
    bool weighted = sourceweights != MPI_UNWEIGHTED;

    (void)info;
    (void)reorder;
    if (code != MPI_SUCCESS)
        return code;
    if (weighted != (destweights != MPI_UNWEIGHTED))
        return mpi_error(MPI_ERR_ARG, "weights of one side only");
    code = check_ranks(old, indegree, sources);
    if (code == MPI_SUCCESS)
        code = check_ranks(old, outdegree, destinations);
    if (code != MPI_SUCCESS)
        return code;
    t = edges_new(old->mr, indegree, outdegree, weighted);
    copy_edges(indegree, sources, sourceweights, t->in, t->in_weights);
    copy_edges(outdegree, destinations, destweights, t->out, t->out_weights);
    return mpi_topology_attach(old, 0, old->rank, t, newcomm);
}

/* Those edges of `n` that begin or end here, in the order in which they were given. A place that no
 * edge fills has from = -1. */
static struct mpi_topology *own_edges(const struct mpi_comm *c, const struct edge *all, uint64_t n,
                                      bool weighted)
{
    struct mpi_topology *t;
    int nin = 0, nout = 0;

    for (uint64_t i = 0; i < n; i++) {
        nin += all[i].from >= 0 && all[i].to == c->rank;
        nout += all[i].from == c->rank;
    }
    t = edges_new(c->mr, nin, nout, weighted);
    nin = nout = 0;
    for (uint64_t i = 0; i < n; i++) {
        if (all[i].from < 0)
            continue;
        if (all[i].to == c->rank) {
            t->in[nin] = all[i].from;
            t->in_weights[nin++] = all[i].weight;
        }
        if (all[i].from == c->rank) {
            t->out[nout] = all[i].to;
            t->out_weights[nout++] = all[i].weight;
        }
    }
    return t;
}

/* All ranks learn all edges: as many places for each rank as the one with most edges needs. */
static int dist_graph(struct mpi_comm *old, int n, const int *sources, const int *degrees,
                      const int *destinations, const int *weights, MPI_Comm *newcomm)
{
    int *counts = mpi_block_zero(old->mr, (size_t)old->size * sizeof(int)), code;
    uint64_t size = (uint64_t)old->size, most = 0, at;
    bool weighted = weights != MPI_UNWEIGHTED;
    struct edge *all;

    for (int i = 0; i < n; i++)
        counts[old->rank] += degrees[i];
    code = mpi_comm_exchange(old, counts, 1);
    for (uint64_t r = 0; code == MPI_SUCCESS && r < size; r++)
        most = (uint64_t)counts[r] > most ? (uint64_t)counts[r] : most;
    mpi_block_free(counts);
    if (code != MPI_SUCCESS)
        return code;
    all = mpi_block_new(old->mr, (size * most + 1) * sizeof(*all));
    at = (uint64_t)old->rank * most;
    for (uint64_t i = 0; i < most; i++)
        all[at + i] = (struct edge){ -1, -1, 0 };
    for (int i = 0, k = 0; i < n; i++)
        for (int j = 0; j < degrees[i]; j++, k++)
            all[at++] = (struct edge){ sources[i], destinations[k], weighted ? weights[k] : 1 };
    if (most > 0)
        code = mpi_comm_exchange(old, &all[0].from, (int)most * EDGE_INTS);
    if (code == MPI_SUCCESS)
        code = mpi_topology_attach(old, 0, old->rank, own_edges(old, all, size * most, weighted),
                                   newcomm);
    mpi_block_free(all);
    return code;
}

int MPI_Dist_graph_create(MPI_Comm comm, int n, const int sources[], const int degrees[],
                          const int destinations[], const int weights[], MPI_Info info, int reorder,
                          MPI_Comm *newcomm)
{
    struct mpi_comm *old;
    int code = mpi_comm_get_intra(comm, &old), edges = 0;

    (void)info;
    (void)reorder;
    if (code == MPI_SUCCESS)
        code = check_ranks(old, n, sources);
    if (code != MPI_SUCCESS)
        return code;
    for (int i = 0; i < n; i++) {
        if (degrees[i] < 0)
            return mpi_error(MPI_ERR_ARG, "degrees[%d] = %d: expected 0 or more", i, degrees[i]);
        edges += degrees[i];
    }
    code = check_ranks(old, edges, destinations);
    if (code == MPI_SUCCESS)
        code = dist_graph(old, n, sources, degrees, destinations, weights, newcomm);
    return code;
}

int MPI_Dist_graph_neighbors_count(MPI_Comm comm, int *indegree, int *outdegree, int *weighted)
{
    struct mpi_comm *c;
    int code = mpi_topology_get(comm, MPI_DIST_GRAPH, &c);

    if (code == MPI_SUCCESS) {
        *indegree = c->topology->nin;
        *outdegree = c->topology->nout;
        *weighted = c->topology->weighted;
    }
    return code;
}

int MPI_Dist_graph_neighbors(MPI_Comm comm, int maxindegree, int sources[], int sourceweights[],
                             int maxoutdegree, int destinations[], int destweights[])
{
    const struct mpi_topology *t;
    struct mpi_comm *c;
    int code = mpi_topology_get(comm, MPI_DIST_GRAPH, &c);

    if (code != MPI_SUCCESS)
        return code;
    t = c->topology;
    copy_edges(maxindegree < t->nin ? maxindegree : t->nin, t->in, t->in_weights, sources,
               t->weighted ? sourceweights : MPI_UNWEIGHTED);
    copy_edges(maxoutdegree < t->nout ? maxoutdegree : t->nout, t->out, t->out_weights,
               destinations, t->weighted ? destweights : MPI_UNWEIGHTED);
    return MPI_SUCCESS;
}
