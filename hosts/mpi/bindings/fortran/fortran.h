/*
 * Between Fortran and C. gfortran passes the addresses of arguments, and after all of them the
 * length of each text. Handles, statuses and addresses are the same in both languages. All this is
 * linked into the program, which has the common blocks whose addresses mean something.
 */
#ifndef MPI_FORTRAN_H
#define MPI_FORTRAN_H

#include <stdbool.h>
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

/** Sets IERROR, which calls with mpi_f08 may leave out. */
static inline void done(int *ierror, int code)
{
    if (ierror != NULL)
        *ierror = code;
}

/** malloc(), which ends all ranks with a line when there is no memory: not every call has an
 * IERROR. */
void *fortran_alloc(size_t bytes);

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

/** How gfortran passes an array of any type and rank to a procedure that is bound to C: CFI_cdesc_t
 * of the standard's ISO_Fortran_binding.h, which is there only where gfortran is. Distances in
 * bytes. Those of components, p%x, are their own, so that a call may leave them in use. */
struct array {
    void *base; /* its first element */
    size_t element;
    int version;
    signed char rank, attribute;
    short type;
    struct {
        ptrdiff_t lower, extent, distance; /* extent -1: the last one of an array of unknown size */
    } dim[];
};

/** How gfortran passes an array to procedures that are not bound to C; libgfortran.h has it.
 * Components may be copies; but gfortran 12 has polymorphic variables and x((/ 3, 1 /)) here alone.
 */
struct own_array {
    void *base;
    size_t offset; /* where the element with indices of 0 is */
    struct {
        size_t element;
        int version;
        signed char rank, type;
        short attribute;
    } type;
    ptrdiff_t span; /* the unit of distances, in bytes */
    struct {
        ptrdiff_t distance, lower, upper;
    } dim[15];
};
/** Describes the array for a procedure of the program; returns `own`. */
const struct own_array *own_array(struct own_array *own, const struct array *a);

/** A buffer for a call that ends before the buffer may be changed: the array itself. A section with
 * gaps is copied without them. */
void *section_copy(const struct own_array *a);
/** Ends the use of a section_copy(); one that the call may have `written` goes back to the array.
 */
void section_end(const struct own_array *a, void *copy, bool written);

/** A buffer for a call that leaves it in use: for a section with gaps, a type that has them. */
struct section {
    void *buffer;
    int count;
    MPI_Datatype type;
    bool made; /* the type: section_free() has to free it */
};
/** MPI_SUCCESS, or what the error handler of MPI_COMM_WORLD let pass because there is none. */
int section_of(struct section *s, const struct array *a, int count, MPI_Datatype type,
               const char *call);
void section_free(struct section *s);
/** Refuses an array with gaps, as section_of() does, where a buffer has more blocks than one. */
int section_whole(const struct array *a, const char *call);

#endif /* MPI_FORTRAN_H */
