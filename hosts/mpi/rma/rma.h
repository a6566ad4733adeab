/* One-sided operations between the functions of a program and the messages that they become. */
#ifndef MPI_RMA_H
#define MPI_RMA_H

#include "hosts/mpi/rma/win.h"

/** What an MPI_ function was called with (c_bindings.py). */
struct mpi_rma_call {
    enum mpi_win_kind kind;
    const void *origin;
    int origin_count;
    MPI_Datatype origin_type;
    void *result;
    int result_count;
    MPI_Datatype result_type;
    int target;
    MPI_Aint disp;
    int target_count;
    MPI_Datatype target_type;
    MPI_Op op;
    const void *compare;
    MPI_Datatype type;    /* of all, with one element each; or MPI_DATATYPE_NULL */
    MPI_Request *request; /* or NULL */
    /* What that stands for, once it was checked; no more than the kind has. */
    struct mpi_type *origin_layout, *result_layout, *target_layout;
    int64_t at; /* bytes */
    uint64_t bytes;
};

int mpi_do_rma(struct mpi_win *win, const struct mpi_rma_call *given);

/** Arguments of the calls that create a window (c_bindings.py). */
struct mpi_win_making {
    int kind;   /* MPI_WIN_FLAVOR_CREATE and the like */
    void *base; /* the memory, or where a pointer to what is allocated goes */
    MPI_Aint size;
    int disp_unit;
    MPI_Info info;
    MPI_Win *win;
};
int mpi_do_win(const char *call, MPI_Comm comm, const struct mpi_win_making *given);

/* reach.c */
/** An operation begins, whose memory belongs to it until it is complete. */
void mpi_win_race_begin(struct mpi_win *win, const struct mpi_rma_call *a,
                        const struct mpi_request *handle);

/* origin.c; of at least one byte */
/** Sends what it takes. `handle`: ends with it, or NULL. */
void mpi_rma_begin(struct mpi_win *win, const struct mpi_rma_call *a, struct mpi_request *handle);
/** In the rank's own memory, at once. */
void mpi_rma_own(struct mpi_win *win, const struct mpi_rma_call *a);

#endif /* MPI_RMA_H */
