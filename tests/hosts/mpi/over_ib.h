/* What tests of the transport over InfiniBand begin with. */
#ifndef TESTS_HOSTS_MPI_OVER_IB_H
#define TESTS_HOSTS_MPI_OVER_IB_H

#include <cuda_runtime.h>
#include <mpi.h>

#include <cstring>

#include "tests/hosts/machine_file.h"
#include "tests/hosts/mpi/ranks.h"

namespace test
{

struct Setting {
    const char *key;
    uint64_t number;
    const char *word;
};

inline launch_software over_ib(const std::vector<Setting> &settings)
{
    launch_software software = launch_software_default();
    host_setting *s = software.settings;

    s->key = "mpi.transport";
    strcpy(s->word, "ib");
    for (const Setting &set : settings) {
        s++;
        s->key = set.key;
        s->number = set.number;
        if (set.word != nullptr)
            strcpy(s->word, set.word);
    }
    return software;
}

inline uint8_t byte_of(int round, size_t i)
{
    return (uint8_t)(i * 7 + (i >> 8) * 3 + (size_t)round * 31);
}

/* What a call takes rank 0, which has found all others in it. */
template <typename Call>
uint64_t ps_of(const std::vector<Setting> &settings, unsigned ranks, Call call,
               const char *algorithms = "", const char *machine = "two-node")
{
    launch_software software = over_ib(settings);
    launch_config cfg = {};
    MachineFile file(machine);
    Cluster c(file.cluster());
    uint64_t ps = 0;

    launch_software_setting(&software, "mpi.algorithms")->text = algorithms;
    cfg.software = &software;
    cfg.nranks = ranks;
    EXPECT_EQ(SIM_OK, c.run(
                          [&] {
                              Me me;
                              uint8_t *gpu;

                              cudaMalloc((void **)&gpu, 4 << 20);
                              for (int i = 0; i < 3; i++) {
                                  MPI_Barrier(MPI_COMM_WORLD);
                                  uint64_t start = host_self()->cpu->time_ps(host_self());
                                  call(me, gpu);
                                  if (me.rank == 0)
                                      ps = host_self()->cpu->time_ps(host_self()) - start;
                              }
                              return MPI_Finalize();
                          },
                          cfg))
        << c.err.text;
    return ps;
}

} // namespace test
#endif /* TESTS_HOSTS_MPI_OVER_IB_H */
