/* Kernels of a GPU: how long they take, and in which order. */
#include "gpu_fixture.h"

namespace
{

using namespace test;

constexpr uint64_t launch_ps = 5000000;

Builder with_kernels(Values gpu = {})
{
    gpu.insert({ { "kernel.launch_ps", launch_ps },
                 { "kernel.peak_sp_gflops", 4000 },
                 { "kernel.peak_dp_gflops", 1000 },
                 { "kernel.memory_gb_per_s", 200 },
                 { "copy.setup_ps", 1000000 } });
    return with_gpu(gpu);
}

struct Done {
    Machine *m;
    std::string order;
    Times times;
};

struct Mark {
    Done *done;
    char name;
    static void call(void *arg)
    {
        auto *mark = static_cast<Mark *>(arg);

        mark->done->order += mark->name;
        mark->done->times.push_back(mark->done->m->now());
    }
};

void start_kernel(Machine &m, node_gpu_after after, const node_gpu_work &work, Mark *mark)
{
    node_gpu_ring(node_gpu_kernel(m.gpu(), after, &work, Mark::call, mark), 0);
}

sim_time_t time_of(const node_gpu_work &work, const Values &gpu = {})
{
    Machine m(with_kernels(gpu));
    Done done = { &m, "", {} };
    Mark mark = { &done, 'k' };
    set_up(m);
    sim_time_t start = m.now();

    start_kernel(m, {}, work, &mark);
    m.run();
    EXPECT_EQ("k", done.order);
    return done.times.at(0) - start;
}

TEST(Kernel, TakesTheLongerOneOfItsOperationsAndItsBytes)
{
    EXPECT_EQ(launch_ps, time_of({ 0, 0, 0, 0 }));
    EXPECT_EQ(launch_ps + 1000 * SIM_US, time_of({ UINT64_C(4000000000), 0, 0, 0 }));
    EXPECT_EQ(launch_ps + 1000 * SIM_US, time_of({ 0, 1000000000, 0, 0 }));
    EXPECT_EQ(launch_ps + 2000 * SIM_US, time_of({ UINT64_C(4000000000), 1000000000, 0, 0 }));
    EXPECT_EQ(launch_ps + 15 * SIM_US, time_of({ 0, 0, 1000000, 2000000 }));
    EXPECT_EQ(launch_ps + 15 * SIM_US, time_of({ 59999999, 0, 1000000, 2000000 }));
    EXPECT_EQ(launch_ps + 16 * SIM_US, time_of({ 64000000, 0, 1000000, 2000000 }));
    EXPECT_EQ(launch_ps + 5, time_of({ 0, 0, 1, 0 })) << "200 bytes in a nanosecond";
}

TEST(Kernel, ARateOfZeroIsNoLimit)
{
    EXPECT_EQ(launch_ps, time_of({ 1u << 30, 0, 0, 0 }, { { "kernel.peak_sp_gflops", 0 } }));
    EXPECT_EQ(launch_ps, time_of({ 0, 1u << 30, 0, 0 }, { { "kernel.peak_dp_gflops", 0 } }));
    EXPECT_EQ(launch_ps, time_of({ 0, 0, 1u << 30, 9 }, { { "kernel.memory_gb_per_s", 0 } }));
}

TEST(Kernel, AnyNumberOfOperationsIsATime)
{
    sim_time_t most = time_of({ UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX },
                              { { "kernel.peak_sp_gflops", 1 }, { "kernel.peak_dp_gflops", 1 } });

    EXPECT_GT(most, UINT64_C(1000000) * 1000 * SIM_MS);
    EXPECT_LT(most, SIM_TIME_NEVER);
}

TEST(Kernel, OneAtATime)
{
    Machine m(with_kernels());
    Done done = { &m, "", {} };
    Mark a = { &done, 'a' }, b = { &done, 'b' };
    set_up(m);
    sim_time_t start = m.now();

    start_kernel(m, {}, { 0, 0, 200000, 0 }, &a); /* 1 us */
    start_kernel(m, {}, { 0, 0, 400000, 0 }, &b);
    m.run();
    EXPECT_EQ("ab", done.order);
    EXPECT_EQ((Times{ start + launch_ps + SIM_US, start + 2 * launch_ps + 3 * SIM_US }),
              done.times);
}

/** A kernel of 20 us and its launch, and a copy inside of some 2 us that may wait for it. */
Times beside_a_copy(bool waits)
{
    Machine m(with_kernels());
    Done done = { &m, "", {} };
    Mark kernel = { &done, 'k' }, copy = { &done, 'c' };
    set_up(m);
    sim_time_t start = m.now();

    start_kernel(m, {}, { 0, 0, 4000000, 0 }, &kernel);
    start_copy(m.gpu(), { NODE_GPU_KERNEL, waits ? 1u : 0u }, device_end(1 << 20), device_end(0),
               80000, Mark::call, &copy);
    m.run();
    EXPECT_EQ(waits ? "kc" : "ck", done.order);
    return { done.times.at(0) - start, done.times.at(1) - start };
}

TEST(Kernel, CopiesGoOnBesideItUnlessTheyWaitForIt)
{
    EXPECT_EQ((Times{ 2 * SIM_US, launch_ps + 20 * SIM_US }), beside_a_copy(false));
    EXPECT_EQ((Times{ launch_ps + 20 * SIM_US, launch_ps + 22 * SIM_US }), beside_a_copy(true));
}

TEST(Kernel, WaitsForTheCopyThatItIsBehind)
{
    Machine m(with_kernels());
    Done done = { &m, "", {} };
    Mark kernel = { &done, 'k' }, copy = { &done, 'c' };
    set_up(m);
    sim_time_t start = m.now();

    start_copy(m.gpu(), {}, device_end(1 << 20), device_end(0), 80000, Mark::call, &copy);
    start_kernel(m, { NODE_GPU_COPY, 1 }, { 0, 0, 200000, 0 }, &kernel);
    m.run();
    EXPECT_EQ("ck", done.order);
    EXPECT_EQ((Times{ start + 2 * SIM_US, start + 3 * SIM_US + launch_ps }), done.times);
}

/* Those behind it wait for that, too. */
TEST(Kernel, BeginsWithItsBell)
{
    Machine m(with_kernels());
    Done done = { &m, "", {} };
    Mark a = { &done, 'a' }, b = { &done, 'b' };
    node_gpu_work none = {};
    set_up(m);
    node_gpu_job *first = node_gpu_kernel(m.gpu(), {}, &none, Mark::call, &a);

    start_kernel(m, {}, none, &b);
    m.run();
    EXPECT_EQ("", done.order);
    sim_time_t start = m.now();
    node_gpu_ring(first, 0);
    m.run();
    EXPECT_EQ("ab", done.order);
    EXPECT_EQ((Times{ start + launch_ps, start + 2 * launch_ps }), done.times);
}

} // namespace
