/* What the algorithms of collectives over PEACH2 share. */
#ifndef MPI_CABLES_H
#define MPI_CABLES_H

#include "hosts/mpi/coll/collective.h"
#include "hosts/transport/peach2/order.h"

/** The ranks of a communicator in order. */
struct p2_order {
    int n, half; /* half: see p2_sort() */
    int place;   /* of this rank */
    int *at;     /* rank by place */
};

static inline int p2_at(const struct p2_order *o, int place)
{
    return o->at[mpi_wrap(place, o->n)];
}

/* cables.c */
struct p2 *p2_of_coll(const struct mpi_coll *c); /* NULL: over another transport */
void p2_coll_order(const struct mpi_coll *c, struct p2_order *o);
bool p2_near_and_commutes(const struct mpi_coll *c);

/* cables_reduce.c */
struct mpi_data *p2_coll_parts(const struct mpi_coll *c, int n);
/** From each rank of the order both ways around to all: the part of its place. Each of so many sets
 * has a part for each place. */
void p2_spread_both_ways(const struct mpi_coll *c, const struct p2_order *o,
                         const struct mpi_data *parts, int sets);
void p2_allreduce_both_ways(struct mpi_coll *c);
void p2_allreduce_two_rings(struct mpi_coll *c);
void p2_allreduce_two_levels(struct mpi_coll *c);
void p2_reduce_scatter_both_ways(struct mpi_coll *c);
/** All ranks, several on each of a power of two of nodes? */
bool p2_has_levels(const struct mpi_coll *c);

#endif /* MPI_CABLES_H */
