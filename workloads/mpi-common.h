/* What the workloads that use MPI alone share: memories of any kind, and all ranks agreeing. */
#ifndef WORKLOADS_MPI_COMMON_H
#define WORKLOADS_MPI_COMMON_H

#include "common.h"

/** Ends the program unless there are two ranks. */
void mpi_pair(void);
/** Counts of MPI are ints, and messages have 1 GiB at most: ends the program for more. */
void mpi_check_bytes(uint64_t bytes);
/** memory: IN_HOST or a GPU; at least one byte. It stays until the program ends. */
void *mpi_memory(int memory, uint64_t n);
void mpi_fill(void *p, uint64_t n, unsigned seed);
void mpi_clear(void *p, uint64_t n);
int mpi_holds(const void *p, uint64_t n, unsigned seed);
/** 1 when it is 1 on all ranks. Collective. */
int mpi_all(int good);
/** Until this value of MPI_Wtime(), by the clock of the node. */
void mpi_sleep_until(double time);
/** A barrier, and then long enough for everything under way to arrive. Collective. */
void mpi_settle(void);

#endif /* WORKLOADS_MPI_COMMON_H */
