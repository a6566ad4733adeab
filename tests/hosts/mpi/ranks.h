/* What tests of MPI begin with. */
#ifndef TESTS_HOSTS_MPI_RANKS_H
#define TESTS_HOSTS_MPI_RANKS_H

#include <mpi.h>

#include "tests/hosts/cluster.h"

namespace test
{

struct Me {
    int rank = -1, size = 0;

    Me()
    {
        EXPECT_EQ(MPI_SUCCESS, MPI_Init(nullptr, nullptr));
        EXPECT_EQ(MPI_SUCCESS, MPI_Comm_rank(MPI_COMM_WORLD, &rank));
        EXPECT_EQ(MPI_SUCCESS, MPI_Comm_size(MPI_COMM_WORLD, &size));
    }
    int next() const { return (rank + 1) % size; }
    int prev() const { return (rank + size - 1) % size; }
};

/** Runs on 1 to 9 ranks, up to three of them on a node, in every order of events and domains. */
inline void on_ranks(const std::function<int()> &fn)
{
    for (unsigned n = 1; n <= 9; n++) {
        ClusterConfig cc;
        cc.nodes = 3;
        cc.hubs = false;
        Cluster c(cc);
        launch_config cfg = {};
        cfg.nranks = n;
        c.expect_run(fn, cfg);
    }
}

} // namespace test
#endif /* TESTS_HOSTS_MPI_RANKS_H */
