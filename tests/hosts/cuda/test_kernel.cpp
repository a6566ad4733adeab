#include <cuda_runtime.h>
#include <hub-kernel.h>
#include <mpi.h>

#include <csignal>
#include <cstring>
#include <vector>

#include "core/probe.h"
#include "hosts/driver/driver.h"
#include "tests/hosts/cluster.h"

namespace
{

using test::Cluster;
using test::ClusterConfig;

/* Rates by which a microsecond is a round number. */
ClusterConfig one_node()
{
    ClusterConfig cc;

    cc.nodes = 1;
    cc.gpu = { { "kernel.launch_ps", 5000000 },
               { "kernel.peak_sp_gflops", 4000 },
               { "kernel.peak_dp_gflops", 1000 },
               { "kernel.memory_gb_per_s", 200 } };
    return cc;
}

void on_one_node(const std::function<void()> &fn)
{
    Cluster c(one_node());
    c.expect_run([&] {
        fn();
        return 0;
    });
}

template <typename T> T *device(size_t n)
{
    void *p = nullptr;

    EXPECT_EQ(cudaSuccess, cudaMalloc(&p, n * sizeof(T)));
    return static_cast<T *>(p);
}

uint64_t now()
{
    return host_self()->cpu->time_ps(host_self());
}

/** Moves as many bytes as take so long. */
hub_kernel lasting(unsigned us)
{
    hub_kernel k = {};

    k.read_bytes = us * 200000ull;
    return k;
}

float elapsed_ms(cudaEvent_t from, cudaEvent_t to)
{
    float ms = -1;

    EXPECT_EQ(cudaSuccess, cudaEventSynchronize(to));
    EXPECT_EQ(cudaSuccess, cudaEventElapsedTime(&ms, from, to));
    return ms;
}

/* The host goes on at once, and waits where it asks for that. */
TEST(Kernel, TakesItsTimeBesideTheHost)
{
    on_one_node([] {
        hub_kernel k = lasting(100);

        for (int how = 0; how < 3; how++) {
            cudaStream_t stream = nullptr;
            uint64_t start = now();
            EXPECT_EQ(cudaSuccess, cudaStreamCreate(&stream));
            EXPECT_EQ(cudaSuccess, hubKernel(&k, stream));
            EXPECT_LT(now() - start, SIM_US);
            EXPECT_EQ(cudaErrorNotReady, cudaStreamQuery(stream));
            EXPECT_EQ(cudaSuccess, how == 0   ? cudaDeviceSynchronize()
                                   : how == 1 ? cudaStreamSynchronize(stream)
                                              : cudaStreamSynchronize(nullptr));
            if (how < 2) {
                EXPECT_GT(now() - start, 105 * SIM_US);
                EXPECT_LT(now() - start, 107 * SIM_US);
                EXPECT_EQ(cudaSuccess, cudaStreamQuery(stream));
            } else {
                EXPECT_LT(now() - start, 5 * SIM_US) << "another stream has nothing";
            }
            EXPECT_EQ(cudaSuccess, cudaDeviceSynchronize());
            EXPECT_EQ(cudaSuccess, cudaStreamDestroy(stream));
        }
    });
}

TEST(Kernel, EventsTellItsTime)
{
    on_one_node([] {
        cudaEvent_t a, b, c;
        hub_kernel first = {}, second = {};

        first.sp_operations = 40000000; /* 10 us */
        first.written_bytes = 1000000;  /* 5 */
        second.dp_operations = 40000000;
        for (cudaEvent_t *e : { &a, &b, &c })
            EXPECT_EQ(cudaSuccess, cudaEventCreate(e));
        EXPECT_EQ(cudaSuccess, hubKernel(&first, nullptr));
        EXPECT_EQ(cudaSuccess, cudaEventRecord(a, nullptr));
        EXPECT_EQ(cudaSuccess, hubKernel(&first, nullptr));
        EXPECT_EQ(cudaSuccess, cudaEventRecord(b, nullptr));
        EXPECT_EQ(cudaErrorNotReady, cudaEventQuery(b));
        EXPECT_EQ(cudaSuccess, hubKernel(&second, nullptr));
        EXPECT_EQ(cudaSuccess, cudaEventRecord(c, nullptr));
        EXPECT_FLOAT_EQ(0.015f, elapsed_ms(a, b));
        EXPECT_FLOAT_EQ(0.045f, elapsed_ms(b, c));
    });
}

struct Scale {
    double *x;
    size_t n;
    double by;
    static void run(void *arg)
    {
        auto *s = static_cast<Scale *>(arg);

        for (size_t i = 0; i < s->n; i++)
            s->x[i] *= s->by;
    }
};

TEST(Kernel, ComputesBetweenTheCopiesOfItsStream)
{
    on_one_node([] {
        const size_t n = 5000;
        Scale twice = { device<double>(n), n, 2 }, thrice = { twice.x, n, 3 };
        hub_kernel k = lasting(20);
        void *pinned = nullptr;
        cudaStream_t stream;

        EXPECT_EQ(cudaSuccess, cudaMallocHost(&pinned, 2 * n * sizeof(double)));
        auto *in = static_cast<double *>(pinned), *out = in + n;
        for (size_t i = 0; i < n; i++)
            in[i] = (double)i;
        EXPECT_EQ(cudaSuccess, cudaStreamCreate(&stream));
        k.run = Scale::run;
        EXPECT_EQ(cudaSuccess,
                  cudaMemcpyAsync(twice.x, in, n * sizeof(double), cudaMemcpyHostToDevice, stream));
        k.arg = &twice;
        EXPECT_EQ(cudaSuccess, hubKernel(&k, stream));
        k.arg = &thrice;
        EXPECT_EQ(cudaSuccess, hubKernel(&k, stream));
        EXPECT_EQ(cudaSuccess, cudaMemcpyAsync(out, twice.x, n * sizeof(double),
                                               cudaMemcpyDeviceToHost, stream));
        k.arg = &twice;
        EXPECT_EQ(cudaSuccess, hubKernel(&k, stream));
        k = {}; /* it was copied */
        EXPECT_EQ(0.0, out[1]) << "nothing of it has been done yet";
        EXPECT_EQ(cudaSuccess, cudaStreamSynchronize(stream));
        for (size_t i = 0; i < n; i += 7) {
            EXPECT_EQ(6.0 * (double)i, out[i]);
            EXPECT_EQ(12.0 * (double)i, twice.x[i]);
        }
    });
}

/* A copy in another stream does not wait, one in the kernel's does. */
TEST(Kernel, LeavesTheCopyEnginesFree)
{
    on_one_node([] {
        const size_t n = 60000; /* some 10 us */
        hub_kernel k = lasting(100);
        cudaStream_t compute, copy;
        void *pinned = nullptr, *memory = device<uint8_t>(n);

        EXPECT_EQ(cudaSuccess, cudaMallocHost(&pinned, n));
        EXPECT_EQ(cudaSuccess, cudaStreamCreate(&compute));
        EXPECT_EQ(cudaSuccess, cudaStreamCreate(&copy));
        for (bool own : { false, true }) {
            cudaStream_t stream = own ? compute : copy;
            uint64_t start = now();
            EXPECT_EQ(cudaSuccess, hubKernel(&k, compute));
            EXPECT_EQ(cudaSuccess,
                      cudaMemcpyAsync(pinned, memory, n, cudaMemcpyDeviceToHost, stream));
            EXPECT_EQ(cudaSuccess, cudaStreamSynchronize(stream));
            EXPECT_EQ(own, now() - start > 105 * SIM_US);
            EXPECT_EQ(cudaSuccess, cudaDeviceSynchronize());
            EXPECT_LT(now() - start, own ? 130 * SIM_US : 108 * SIM_US);
        }
    });
}

TEST(Kernel, RunsOnTheCurrentDevice)
{
    on_one_node([] {
        hub_kernel k = lasting(100);
        cudaStream_t stream;
        uint64_t start = now();

        EXPECT_EQ(cudaSuccess, hubKernel(&k, nullptr));
        EXPECT_EQ(cudaSuccess, cudaSetDevice(1));
        EXPECT_EQ(cudaSuccess, hubKernel(&k, nullptr));
        EXPECT_EQ(cudaSuccess, cudaDeviceSynchronize());
        EXPECT_LT(now() - start, 110 * SIM_US) << "side by side";

        EXPECT_EQ(cudaSuccess, cudaStreamCreate(&stream)); /* in order over devices */
        start = now();
        EXPECT_EQ(cudaSuccess, hubKernel(&k, stream));
        EXPECT_EQ(cudaSuccess, cudaSetDevice(0));
        EXPECT_EQ(cudaSuccess, hubKernel(&k, stream));
        EXPECT_EQ(cudaSuccess, cudaStreamSynchronize(stream));
        EXPECT_GT(now() - start, 210 * SIM_US);
    });
}

TEST(Kernel, SeesWhatTheHostHasCopiedBefore)
{
    on_one_node([] {
        Scale twice = { device<double>(1), 1, 2 };
        double x = 21;
        hub_kernel k = lasting(1);

        k.run = Scale::run;
        k.arg = &twice;
        EXPECT_EQ(cudaSuccess, cudaMemcpy(twice.x, &x, sizeof(x), cudaMemcpyHostToDevice));
        EXPECT_EQ(cudaSuccess, hubKernel(&k, nullptr));
        EXPECT_EQ(cudaSuccess, cudaMemcpy(&x, twice.x, sizeof(x), cudaMemcpyDeviceToHost));
        EXPECT_EQ(42.0, x);
    });
}

TEST(Kernel, MisuseIsAnError)
{
    hub_kernel none = {};

    EXPECT_EQ(cudaErrorNoDevice, hubKernel(&none, nullptr)); /* outside of a rank */
    on_one_node([] {
        hub_kernel k = {};
        int there;

        EXPECT_EQ(cudaErrorInvalidValue, hubKernel(nullptr, nullptr));
        EXPECT_EQ(cudaErrorInvalidValue, cudaGetLastError());
        EXPECT_EQ(cudaErrorInvalidResourceHandle,
                  hubKernel(&k, reinterpret_cast<cudaStream_t>(&there)));
    });
}

/* A kernel's function is no place for calls of the host. */
TEST(Kernel, AFunctionThatCallsEndsItsRank)
{
    for (void (*calls)(void *) :
         { +[](void *) { (void)cudaDeviceSynchronize(); }, +[](void *) { (void)MPI_Wtime(); },
           +[](void *) { (void)now(); } }) {
        static void (*function)(void *);
        Cluster c(one_node());
        function = calls;
        (void)c.run([] {
            hub_kernel k = {};

            k.run = function;
            EXPECT_EQ(cudaSuccess, hubKernel(&k, nullptr));
            return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
        });
        EXPECT_FALSE(c.all_well());
        ASSERT_EQ(1u, c.lines.size());
        EXPECT_NE(std::string::npos,
                  c.lines[0].text.find("the function of a kernel has made a call that takes time: "
                                       "expected it to compute alone"))
            << c.lines[0].text;
    }
}

TEST(Kernel, ProbesSeeWhatItsEngineDoes)
{
    using States = std::vector<std::pair<sim_time_t, std::string>>;
    static States states;
    ClusterConfig cc = one_node();
    sim_probe probe = {};
    hub_kernel k = lasting(20);

    states.clear();
    probe.mark = [](void *, const sim_mark *) { return UINT64_C(1); };
    probe.hold = [](void *, const sim_hold *) {};
    probe.level = [](void *, const sim_level *level) {
        if (strcmp(level->where, "node0.gpu0") == 0 &&
            strcmp(level->signal->name, "kernel.state") == 0)
            states.emplace_back(level->from, level->signal->states[level->value]);
    };
    cc.probe = &probe;
    Cluster c(cc);
    (void)c.run([&k] {
        EXPECT_EQ(cudaSuccess, hubKernel(&k, nullptr));
        return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
    });
    EXPECT_TRUE(c.all_well());
    States changes;
    for (const auto &s : states) /* it may be said again what it is */
        if (changes.empty() || changes.back().second != s.second)
            changes.push_back(s);
    ASSERT_EQ(4u, changes.size());
    sim_time_t launch = changes[1].first;
    EXPECT_EQ((States{ { 0, "idle" },
                       { launch, "launch" },
                       { launch + 5 * SIM_US, "run" },
                       { launch + 25 * SIM_US, "idle" } }),
              changes);
}

TEST(Kernel, ARankMayEndBeforeItsKernels)
{
    on_one_node([] {
        static bool has_run;
        hub_kernel k = lasting(1000);

        has_run = false;
        k.run = [](void *arg) { *static_cast<bool *>(arg) = true; };
        k.arg = &has_run;
        for (int i = 0; i < 3; i++)
            EXPECT_EQ(cudaSuccess, hubKernel(&k, nullptr));
        EXPECT_FALSE(has_run);
    });
}

} // namespace
