/*
 * Between Fortran and C. gfortran passes the addresses of arguments, and after all of them the
 * length of each text; handles, statuses and addresses are the same in both languages. All this is
 * linked into the program, which has the common blocks whose addresses mean something.
 */
#ifndef MPI_FORTRAN_H
#define MPI_FORTRAN_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "hosts/mpi/include/mpi.h"

#define TEXT_ROOM 2048 /* more than any text that MPI hands out */

/* A program may have a function of this name, and call the one with P. */
#define FORTRAN __attribute__((weak))

/* The common blocks of mpif.h. */
extern int hub_mpi_bottom_, hub_mpi_in_place_;
extern int hub_mpi_status_ignore_[MPI_STATUS_SIZE], hub_mpi_statuses_ignore_[MPI_STATUS_SIZE];
extern int hub_mpi_errcodes_ignore_[1], hub_mpi_unweighted_[1], hub_mpi_weights_empty_[1];
extern char hub_mpi_argv_null_[1], hub_mpi_argvs_null_[1];

/** Without the blanks at its end, and those before it; free() it. */
char *text_in(const char *text, size_t room);
/** Fills up with blanks. */
void text_out(char *text, size_t room, const char *from);

static inline void *buffer_of(void *p)
{
    return p == &hub_mpi_bottom_ ? MPI_BOTTOM : p == &hub_mpi_in_place_ ? MPI_IN_PLACE : p;
}

static inline MPI_Status *status_of(MPI_Status *p)
{
    const void *at = p;

    return at == hub_mpi_status_ignore_ || at == hub_mpi_statuses_ignore_ ? MPI_STATUS_IGNORE : p;
}

static inline int *weights_of(int *p)
{
    return p == hub_mpi_unweighted_      ? MPI_UNWEIGHTED
           : p == hub_mpi_weights_empty_ ? MPI_WEIGHTS_EMPTY
                                         : p;
}

#endif /* MPI_FORTRAN_H */
