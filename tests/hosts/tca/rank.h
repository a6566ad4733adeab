/* What a rank of a TCA test has: its number and the handles of all ranks. */
#ifndef TESTS_HOSTS_TCA_RANK_H
#define TESTS_HOSTS_TCA_RANK_H

#include <mpi.h>
#include <tca-api.h>

#include <cstring>
#include <vector>

#include "tests/hosts/cluster.h"

namespace test
{

struct Rank {
    int me = 0, size = 0;

    Rank()
    {
        EXPECT_EQ(MPI_SUCCESS, MPI_Init(nullptr, nullptr));
        MPI_Comm_rank(MPI_COMM_WORLD, &me);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        EXPECT_EQ(TCA_SUCCESS, tcaInit());
    }
    std::vector<tcaHandle> publish(void *p, size_t n, tcaMemoryKind kind)
    {
        std::vector<tcaHandle> all(size);
        tcaHandle own;

        EXPECT_EQ(TCA_SUCCESS, tcaCreateHandle(&own, p, n, kind));
        MPI_Allgather(&own, sizeof(own), MPI_BYTE, all.data(), sizeof(own), MPI_BYTE,
                      MPI_COMM_WORLD);
        return all;
    }
    template <typename T = uint8_t> T *memory(size_t n, tcaMemoryKind kind)
    {
        void *p = nullptr;

        EXPECT_EQ(TCA_SUCCESS, tcaMalloc(&p, n * sizeof(T), kind));
        return static_cast<T *>(p);
    }
    void barrier() { MPI_Barrier(MPI_COMM_WORLD); }
};

/** Bytes that differ between positions, ranks and rounds. */
inline uint8_t pattern(unsigned seed, size_t i)
{
    return (uint8_t)(i * 7 + (i >> 8) * 13 + seed * 101 + 1);
}
inline void fill(uint8_t *p, size_t n, unsigned seed)
{
    for (size_t i = 0; i < n; i++)
        p[i] = pattern(seed, i);
}
inline size_t wrong_bytes(const uint8_t *p, size_t n, unsigned seed)
{
    size_t wrong = 0;

    for (size_t i = 0; i < n; i++)
        wrong += p[i] != pattern(seed, i);
    return wrong;
}

} // namespace test
#endif
