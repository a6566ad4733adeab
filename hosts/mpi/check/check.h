/*
 * What `hubrun --check mpi` finds in programs. All ranks of a run share one record, a state of
 * host_run, which compares what each of them calls. Nothing of it travels or takes simulated time.
 * Without the check the functions of this header have no effect.
 *
 *   check.c     the record, and what it reports when the run has ended
 *   found.c     lines for mistakes, one for many that are alike
 *   meeting.c   collectives: do the calls of all ranks fit together?
 *   message.c   messages of the program that no receive has matched
 */
#ifndef MPI_CHECK_H
#define MPI_CHECK_H

#include "hosts/mpi/comm/comm.h"

#define MPI_CHECK_UNKNOWN UINT64_MAX /* bytes: no other rank names them */

struct mpi_sent;

/** A call of a rank, or its end. */
struct mpi_place {
    struct host *host;    /* NULL: there is none */
    struct mpi_call call; /* its name NULL: the end */
    uint64_t ps;
};

/** What a rank passes to a collective. */
struct mpi_check_call {
    struct mpi_comm *comm;   /* as the program names it */
    struct mpi_comm *within; /* whose ranks take part: that one, or the local part of it */
    uint32_t ordinal;        /* its number among the collectives of the library within that */
    bool rooted, sized;      /* `root` and `bytes` are the same on all ranks */
    int root;
    const char *op;            /* NULL: none, or the rank takes no part */
    uint64_t bytes, bytes_out; /* what a block has: one that is got, one that is given */
    uint64_t *give, *get;      /* bytes for each rank, from each; NULL: not compared. Taken over */
};

/* check.c */
/** When a rank begins: mr->check is there from now on, if it is asked for. */
void mpi_check_init(struct mpi_rank *mr);
/** MPI_Finalize() begins, and all ranks have called it. */
void mpi_check_finalize(struct mpi_rank *mr);
void mpi_check_finalized(struct mpi_rank *mr);
/** The present call of the program. */
void mpi_check_place(const struct mpi_rank *mr, struct mpi_place *place_p);
/** "MPI_Send at prog+0x123 on rank 1 at 2.5 us" */
void mpi_place_text(const struct mpi_place *p, char *text, size_t room);

/* found.c */
/** What surrounds the text of a mistake. Its line begins with rank, node, time and name of the call
 * at `at`. */
struct mpi_mistake {
    const struct mpi_place *at;
    const struct mpi_place *other; /* a second call, named behind the text; or NULL */
    uint32_t number;   /* before the text: which collective of its communicator; 0: none */
    const char *after; /* the end of the line; or NULL */
    const char *alike; /* what mistakes in the same calls share, on all ranks; NULL: the text */
};
void mpi_check_found(struct mpi_check *ck, const struct mpi_mistake *m, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* meeting.c */
void mpi_check_collective(struct mpi_rank *mr, const struct mpi_check_call *c);

/* message.c */
/** A message of the program begins. */
struct mpi_sent *mpi_check_sent(struct mpi_rank *mr, unsigned to, const struct mpi_comm *comm,
                                int tag, uint64_t bytes);
/** A receive of this rank has got the first message of such a kind. */
void mpi_check_received(struct mpi_rank *mr, unsigned from, uint32_t context, int tag);
/** It was cancelled. NULL: no effect. */
void mpi_check_taken_back(struct mpi_rank *mr, struct mpi_sent *sent);

#endif /* MPI_CHECK_H */
