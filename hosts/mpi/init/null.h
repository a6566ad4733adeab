/*
 * Arguments that are NULL though the call needs what they point to: the place for a result, a
 * request, a status to read from. What c_bindings.py makes looks for them in each call of a
 * program, and ends it with MPI_ERR_ARG by the error handler of what the call is about.
 */
#ifndef MPI_NULL_H
#define MPI_NULL_H

#include "hosts/mpi/include/mpi.h"

/** Whose error handler ends the call. */
enum mpi_null_kind { MPI_NULL_COMM, MPI_NULL_WIN, MPI_NULL_FILE };

/** `name` is the argument's in mpi.h; a null `handle` stands for the default handler of its kind.
 * @return MPI_ERR_ARG, if the error is to be returned. */
int mpi_null(const char *call, const char *name, enum mpi_null_kind kind, int handle);

#endif /* MPI_NULL_H */
