/* New communicators and their topologies, and what ranks say to each other for that. */
#ifndef MPI_CREATE_H
#define MPI_CREATE_H

#include "hosts/mpi/coll/call.h"

/* agree.c */
/** All ranks of `comm` (an inter-communicator: of the own group) give `n` ints, in place in `all`.
 */
int mpi_comm_exchange(struct mpi_comm *comm, int *all, int n);
/** Sends the ints of one rank to all. */
int mpi_comm_broadcast(struct mpi_comm *comm, int root, int *ints, int n);
/** Ranks 0 of both groups of an inter-communicator swap ints. Others do nothing. */
int mpi_comm_swap(struct mpi_comm *inter, int *own, int nown, int *theirs, int ntheirs);
/** This rank and a peer swap ints under a tag of the communicator's collectives. */
int mpi_comm_pass(struct mpi_comm *comm, int tag, int peer, int *own, int nown, int *theirs,
                  int ntheirs);

/* comm_create.c */
/** As mpi_comm_add(), for the program: with what is inherited from `old`. A context of 0 is an
 * error. */
int mpi_comm_make(const struct mpi_comm *old, struct mpi_group *group, struct mpi_group *remote,
                  uint32_t context, MPI_Comm *newcomm);
int mpi_comm_split(struct mpi_comm *old, int color, int key, MPI_Comm *newcomm);

/* topology.c */
struct mpi_topology *mpi_topology_new(struct mpi_rank *mr, int kind, uint64_t numbers);
/** A communicator of the processes that give colour 0 (or the same colour), with the topology,
 * which it takes over, also on an error. */
int mpi_topology_attach(struct mpi_comm *old, int color, int key, struct mpi_topology *t,
                        MPI_Comm *newcomm);
/** A communicator that has a topology of this kind. */
int mpi_topology_get(MPI_Comm comm, int kind, struct mpi_comm **c_p);

#endif /* MPI_CREATE_H */
