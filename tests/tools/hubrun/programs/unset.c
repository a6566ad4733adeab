/* Sends and prints what it never set: bytes of its stack and of its heap, and addresses. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BYTES 3000

static uint64_t hash(const volatile unsigned char *p, size_t n)
{
    uint64_t h = 1469598103934665603u;

    for (size_t i = 0; i < n; i++)
        h = (h ^ p[i]) * 1099511628211u;
    return h;
}

__attribute__((noinline)) static uint64_t hash_stack(void)
{
    volatile unsigned char unset[60000];

    return hash(unset, sizeof(unset));
}

__attribute__((noinline)) static uint64_t exchange(int rank, int size)
{
    unsigned char unset[BYTES], got[BYTES];

    MPI_Sendrecv(unset, BYTES, MPI_BYTE, (rank + 1) % size, 0, got, BYTES, MPI_BYTE,
                 (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return hash(got, BYTES);
}

int main(int argc, char **argv)
{
    unsigned char *first = malloc(BYTES), *again;
    int rank, size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    printf("stack %llx\n", (unsigned long long)hash_stack());
    printf("sent %llx\n", (unsigned long long)exchange(rank, size));
    free(first);
    again = malloc(BYTES);
    printf("heap %llx\n", (unsigned long long)hash(again, BYTES));
    printf("at %p %p %p %p %p %p\n", (void *)&rank, (void *)main, (void *)memcpy, (void *)again,
           (void *)argv, (void *)stdout);
    printf("stack %llx\n", (unsigned long long)hash_stack());
    MPI_Finalize();
    return 0;
}
