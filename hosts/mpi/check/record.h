/* What a check keeps of all ranks of a run. */
#ifndef MPI_RECORD_H
#define MPI_RECORD_H

#include "hosts/mpi/check/check.h"

TAILQ_HEAD(mpi_sents, mpi_sent);
TAILQ_HEAD(mpi_found, mpi_likes);

struct mpi_check {
    struct host_state kept; /* first: see host_state_of() */
    struct host_run *run;
    unsigned nranks, finalized; /* have left MPI_Finalize() */
    struct mpi_place *begins;   /* by rank: MPI_Init(); no host: not called */
    struct mpi_place *ends;     /* MPI_Finalize() */
    void *meetings;             /* tree of those that not all ranks have come to */
    uint32_t *astray; /* contexts whose ranks no longer call the same: what follows is no news */
    unsigned nastray;
    struct mpi_found found; /* mistakes, one of those that are alike, in the order of the first */
    void *likes;            /* a tree of them, which owns them */
    struct mpi_sents *sent; /* by the rank that they are for, in the order of their beginning */
};

/* found.c */
/** Reports how many there were like those that are reported. */
void mpi_found_release(struct mpi_check *ck);

/* meeting.c */
/** Reports those that a rank has left out when it ends. */
void mpi_meetings_missed(struct mpi_check *ck, const struct mpi_place *end);
/** Reports those that are not complete. */
void mpi_meetings_open(struct mpi_check *ck);
void mpi_meetings_release(struct mpi_check *ck);

/* message.c */
/** Reports what is left, once. */
void mpi_messages_left(struct mpi_check *ck);
void mpi_messages_release(struct mpi_check *ck);

#endif /* MPI_RECORD_H */
