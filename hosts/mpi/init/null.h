/*
 * Arguments that are NULL though the call needs what they point to: the place for a result, a
 * request, a status to read from. What c_bindings.py makes looks for them in each call of a program,
 * and ends it with MPI_ERR_ARG by the error handler of what the call is about.
 */
#ifndef MPI_NULL_H
#define MPI_NULL_H

#include "hosts/mpi/include/mpi.h"

/** `name` is the argument's in mpi.h. @return MPI_ERR_ARG, if the error is to be returned. */
int mpi_null(const char *call, const char *name);
int mpi_null_of_comm(const char *call, const char *name, MPI_Comm comm);
int mpi_null_of_win(const char *call, const char *name, MPI_Win win);
int mpi_null_of_file(const char *call, const char *name, MPI_File file);

#endif /* MPI_NULL_H */
