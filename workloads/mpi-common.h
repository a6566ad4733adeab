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
/** What a kernel does that copies rows in a GPU, into one piece or out of it: there are no kernels
 * here, so it takes the time of a copy of so many bytes inside of the GPU. */
void mpi_gpu_rows(void *to, size_t to_pitch, void *from, size_t from_pitch, size_t width,
                  size_t rows);
/** Until this value of MPI_Wtime(), by the clock of the node. */
void mpi_sleep_until(double time);
/** Seconds that the slowest rank takes, as the mean of `rounds` calls behind `warmup` of them, each
 * after a barrier: the skew of ranks that leave it counts. Collective, the same on all ranks. */
double mpi_slowest(uint64_t warmup, uint64_t rounds, void (*call)(void *arg), void *arg);
/** A barrier, and then long enough for everything under way to arrive. Collective. */
void mpi_settle(void);

#endif /* WORKLOADS_MPI_COMMON_H */
