/* Measures the calls of the program when a run asks for it; see c_bindings.py. */
#ifndef MPI_PROFILE_H
#define MPI_PROFILE_H

#include "hosts/host/profile.h"
#include "hosts/mpi/include/mpi.h"

/** @return false: no profile is wanted, or another call of MPI is going on. */
bool mpi_profile_begin(uint64_t *start_ps_p);
/** `call` numbers the function. */
void mpi_profile_end(uint64_t start_ps, unsigned call, const char *name, uint64_t bytes);
/** Before MPI_Finalize(): what the library has counted. */
void mpi_profile_collect(void);

/* Bytes that a call's arguments name. Wrong ones count as nothing. */
uint64_t mpi_profile_bytes(int64_t count, MPI_Datatype type);
uint64_t mpi_profile_bytes_all(const int *counts, MPI_Datatype type, MPI_Comm comm);
unsigned mpi_profile_size(MPI_Comm comm);

#endif /* MPI_PROFILE_H */
