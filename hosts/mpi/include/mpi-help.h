/* MPI_SAFE_CALL(call): evaluates once; prints an error on stderr, which ends the program. */
#ifndef HUBSIM_MPI_HELP_H
#define HUBSIM_MPI_HELP_H

#include <stdio.h>
#include <stdlib.h>

#include <mpi.h>

#define MPI_SAFE_CALL(...)                                                                         \
    do {                                                                                           \
        int mpi_safe_code_ = (__VA_ARGS__);                                                        \
        if (mpi_safe_code_ != MPI_SUCCESS) {                                                       \
            fprintf(stderr, "%s:%d: MPI error %d\n", __FILE__, __LINE__, mpi_safe_code_);          \
            exit(EXIT_FAILURE);                                                                    \
        }                                                                                          \
    } while (0)

#endif /* HUBSIM_MPI_HELP_H */
