/*
 * Groups, communicators and their topologies.
 *
 * A context distinguishes the messages of one communicator from those of others. One process makes
 * it up, the first of the new group, of its rank in the world and a number, and sends it to the
 * others. So no two communicators have the same one, in whatever order they are created, also by
 * calls that do not block. Its maker may use it again when its own part of the communicator has
 * gone, and does so only after tens of thousands of others.
 */
#ifndef MPI_COMM_H
#define MPI_COMM_H

#include "hosts/mpi/base/rank.h"

/* A communicator's own contexts, from `context` on, two for each use: messages of the program and
 * collectives; the same of the local part of an inter-communicator; what is said under a tag of the
 * program's while another communicator is made. */
#define MPI_CONTEXTS       8u
#define MPI_CONTEXT_LOCAL  2u
#define MPI_CONTEXT_TAGGED 4u

/** Ranks of the world; constant, so holders share it. */
struct mpi_group {
    unsigned holders;
    int rank, size; /* own rank, or MPI_UNDEFINED */
    int world[];    /* rank in the world by rank in the group */
};

/** Neighbours in the order of the standard's neighbourhood collectives. */
struct mpi_topology {
    unsigned holders;
    int kind;                            /* MPI_CART, MPI_GRAPH, MPI_DIST_GRAPH */
    int ndims, *dims, *periods, *coords; /* a grid */
    int nindex, nedges, *index, *edges;  /* a graph */
    bool weighted;
    int nin, nout; /* neighbours that this process receives from, and sends to */
    int *in, *out, *in_weights, *out_weights;
    int numbers[]; /* what the pointers point to */
};

/** The groups are the same for all its life. */
struct mpi_comm {
    struct mpi_rank *mr;
    unsigned holders; /* the handle and what is pending */
    int rank, size;   /* in the local group */
    int npeers;       /* whom a message may be for: all of the local group, or of the remote one */
    const int *world; /* rank in the world by rank among those */
    uint32_t context; /* even; one more for collectives */
    uint32_t collectives; /* so far: the next one's tag */
    uint32_t called;      /* calls of the program with collectives on it, and the last of them by */
    uint64_t last_call;   /* mpi_rank.calls: counted for a check alone */
    struct mpi_group *group, *remote; /* remote: NULL unless an inter-communicator */
    struct mpi_comm *local;           /* of an inter-communicator: the local group's own */
    struct mpi_topology *topology;    /* NULL: none */
    struct mpi_attrs attrs;
    struct mpi_errhandler *errhandler; /* NULL: MPI_ERRORS_ARE_FATAL */
    struct mpi_info *info;             /* or NULL */
    MPI_Comm handle;
    char name[MPI_MAX_OBJECT_NAME];
};

/* group.c */
struct mpi_group *mpi_group_new(struct mpi_rank *mr, int size);
void mpi_group_put(struct mpi_group *g); /* NULL is none */
/** A handle for one more holder of the group. */
MPI_Group mpi_group_share(struct mpi_rank *mr, struct mpi_group *g);
int mpi_group_compare(const struct mpi_group *a, const struct mpi_group *b); /* MPI_IDENT .. */
struct mpi_group *mpi_group_of(MPI_Group group);                             /* NULL: none, noted */
void mpi_group_find_self(const struct mpi_rank *mr, struct mpi_group *g);
/** @return rank of the world's `world` in the group, or MPI_UNDEFINED. */
int mpi_group_rank_of(const struct mpi_group *g, int world);
void mpi_groups_release(struct mpi_rank *mr);

/* comm_attr.c */
/** A new communicator gets the error handler of the old one. */
void mpi_comm_inherit(const struct mpi_comm *old, struct mpi_comm *comm);
/** Takes it out of the table, and gives up what the handle held. */
void mpi_comm_drop(struct mpi_comm *comm);

/* comm.c */
void mpi_topology_put(struct mpi_topology *t); /* NULL is none */
void mpi_comm_put(struct mpi_comm *comm);
void mpi_comms_init(struct mpi_rank *mr);
void mpi_comms_release(struct mpi_rank *mr);
/** @return NULL when there is none; the reason is noted. */
struct mpi_comm *mpi_comm_of(struct mpi_rank *mr, MPI_Comm comm);
/** Holds the groups; `remote` is NULL, or an inter-communicator's. */
struct mpi_comm *mpi_comm_add(struct mpi_rank *mr, struct mpi_group *group,
                              struct mpi_group *remote, uint32_t context);
/** Without a place in the table and contexts of its own. */
struct mpi_comm *mpi_comm_new(struct mpi_rank *mr, struct mpi_group *group,
                              struct mpi_group *remote, uint32_t context);
/** Its name, or "communicator 3". */
void mpi_comm_text(const struct mpi_comm *comm, char *text, size_t room);
/** Errors of the present call are for its handler. */
void mpi_blame(const struct mpi_comm *comm);
/** Finds one for a call of the program, whose errors are for the handler of the first one that is
 * found. @return an error code, noted; *comm_p is NULL then. */
int mpi_comm_get(MPI_Comm comm, struct mpi_comm **comm_p);
/** Finds a communicator of one group. @return MPI_ERR_COMM for an inter-communicator, noted;
 * *comm_p is set. */
int mpi_comm_get_intra(MPI_Comm comm, struct mpi_comm **comm_p);

/** Ends a call of the program on a communicator as mpi_end() does, by its error handler. `c` NULL:
 * the handler of MPI_COMM_WORLD. */
int mpi_end_comm(const struct mpi_comm *c, const char *call, int code);

/* context.c */
/** Made up by this process alone. @return 0: all that it may make up are in use. */
uint32_t mpi_context_new(struct mpi_rank *mr);
/** Gives back a context that is out of use, or was not chosen. No effect on one that
 * this process has not made up. */
void mpi_context_put(struct mpi_rank *mr, uint32_t context);
/** Gives back a context unless the communicator that was `made` has it. */
void mpi_context_put_unused(struct mpi_rank *mr, uint32_t context, MPI_Comm made);
/** @return MPI_ERR_OTHER, noted, for 0. */
int mpi_context_check(struct mpi_rank *mr, uint32_t context);

#endif /* MPI_COMM_H */
