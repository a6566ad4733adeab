/*
 * The commands repeat less than the programs of the papers did. That is allowed
 * where the result is the same: here, for each way to transfer and sizes from the
 * smallest to where the budget of bytes leaves few rounds.
 */
#include <cmath>
#include <gtest/gtest.h>
#include <string>

#include "tests/built.h"
#include "tests/tools/attempt.h"
#include "tools/lab/rows/evaluate.h"
#include "tools/lab/run/simulate.h"

namespace
{

struct Way {
    const char *setup, *workload = "pingpong";
    double margin = 0.002;
};

class Protocol : public testing::TestWithParam<Way>
{
  protected:
    void SetUp() override
    {
        lab_pool_config cfg = {};

        load_roots_add(&site.roots, "configs");
        snprintf(site.programs, sizeof(site.programs), "%s", test::WORKLOADS.c_str());
        cfg.workers = 2;
        cfg.execute = lab_simulate;
        cfg.execute_arg = &site;
        ev.pool = lab_pool_create(&cfg);
        ev.arena = &arena;
        ev.seed = 1;
    }
    void TearDown() override
    {
        lab_pool_destroy(ev.pool);
        load_arena_fini(&arena);
    }
    double latency(const lab_protocol &protocol)
    {
        lab_reading reading = {};

        EXPECT_EQ(SIM_OK, attempt(&err,
                                  [&] {
                                      lab_setup setup =
                                          lab_setup_parse(GetParam().setup, "test", &arena);
                                      lab_point point = { "test", "hapacs-tca", GetParam().workload,
                                                          &setup, nullptr };
                                      lab_plan plan = lab_plan_make(&point, &protocol, &arena);

                                      for (int walk = 0; walk < 2; walk++) {
                                          reading = {};
                                          lab_read_plan(&ev, &plan, "latency", &reading);
                                          lab_pool_work(ev.pool);
                                      }
                                  }))
            << err.text;
        EXPECT_EQ(nullptr, reading.failure) << reading.failure;
        return reading.value;
    }
    lab_site site = {};
    begun_arena arena;
    lab_evaluator ev = {};
    sim_error err = {};
};

TEST_P(Protocol, FewRoundsTellTheSame)
{
    double many = latency({ 0, 0, 0, 0 }); /* as the setup says */
    double few = latency(lab_protocol_short);

    EXPECT_LT(std::fabs(few / many - 1), GetParam().margin) << few << " s for " << many << " s";
}

INSTANTIATE_TEST_SUITE_P(
    Ways, Protocol,
    testing::Values(
        Way{ "bytes=8;mode=pio;warmup=10;rounds=100;repeats=10" },
        Way{ "bytes=8;mode=dma-register;warmup=10;rounds=100;repeats=10" },
        Way{ "bytes=8;mode=dma-chain-internal;src=gpu;dst=gpu;warmup=10;rounds=100;repeats=10" },
        Way{ "bytes=4096;mode=dma-chain-host;src=gpu;dst=gpu;warmup=10;rounds=50;repeats=10" },
        Way{ "bytes=65536;mode=dma-chain-internal;src=gpu;dst=gpu;warmup=10;rounds=10;repeats=4" },
        Way{ "bytes=1048576;mode=dma-chain-internal;src=gpu;dst=gpu;warmup=4;rounds=2;repeats=2" },
        Way{ "bytes=8;nodes=4;src=gpu;dst=gpu;gpu=peach2-side;api=tca;barrier=before-each;warmup="
             "20;rounds=100;"
             "repeats=4",
             "bcast", 0.02 },
        Way{ "bytes_per_rank=16;nodes=4;src=gpu;dst=gpu;gpu=peach2-side;api=tca;barrier=before-"
             "each;warmup=20;"
             "rounds=50;repeats=4",
             "allgather", 0.02 },
        Way{ "bytes=8;nodes=4;src=gpu;dst=gpu;api=mvapich2-gdr-2.2;barrier=before-each;warmup=20;"
             "rounds=50;repeats=4",
             "allreduce", 0.02 },
        Way{ "n=8;nodes=5;api=mvapich2-gdr-2.2 with GPU kernels packing two faces;gpu=ib-side;"
             "warmup=10;rounds=100;repeats=4",
             "stencil", 0.02 }));

} // namespace
