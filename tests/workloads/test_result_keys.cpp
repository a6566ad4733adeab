/* The keys that a figure may name are those that the program of each workload prints. */
#include <cstdio>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/built.h"
#include "tests/tools/attempt.h"
#include "tools/lab/rows/evaluate.h"
#include "tools/lab/run/simulate.h"
#include "tools/lab/workload/plan.h"

namespace
{

using Keys = std::set<std::string>;

class ResultKeys : public testing::Test
{
  protected:
    void SetUp() override
    {
        load_roots_add(&site.roots, "configs");
        snprintf(site.programs, sizeof(site.programs), "%s", test::WORKLOADS.c_str());
        ev.arena = &arena;
        ev.seed = 1;
    }
    void TearDown() override { load_arena_fini(&arena); }

    /** Keys with numbers in the result line of the workload, run with this setup. */
    Keys printed(const std::string &workload, const char *platform, const char *text)
    {
        lab_setup setup = {};
        lab_point point = { "test", platform, workload.c_str(), &setup, nullptr };
        lab_run run;
        lab_result result;
        char *lines = nullptr;
        size_t n = 0;
        FILE *out = open_memstream(&lines, &n);
        Keys keys;

        EXPECT_EQ(SIM_OK, attempt(&err,
                                  [&] {
                                      setup = lab_setup_parse(text, "test", &arena);
                                      lab_plan plan =
                                          lab_plan_make(&point, &lab_protocol_short, &arena);
                                      run = lab_run_with(&ev, &plan.runs[0]);
                                      lab_simulate(&site, &run, out);
                                      fflush(out);
                                      lab_result_parse(lines, &arena, &result);
                                  }))
            << err.text;
        fclose(out);
        free(lines);
        EXPECT_EQ(1u, result.nlines);
        for (unsigned i = 0; result.nlines > 0 && i < result.lines[0].n; i++) {
            const char *key = result.lines[0].pairs[i].key;
            uint64_t value;

            if (lab_line_get(&result.lines[0], key, &value))
                keys.insert(key);
        }
        return keys;
    }
    Keys listed(const char *workload)
    {
        char prints[LAB_PRINTS_MAX];

        EXPECT_FALSE(lab_workload_has(workload, "nothing", prints));
        std::istringstream in(prints);
        Keys keys;

        for (std::string key; std::getline(in >> std::ws, key, ',');)
            keys.insert(key);
        return keys;
    }
    lab_site site = {};
    begun_arena arena;
    lab_evaluator ev = {};
    sim_error err = {};
};

TEST_F(ResultKeys, AreThoseThatEachWorkloadPrints)
{
    struct Run {
        const char *platform, *setup;
    };
    const std::map<std::string, Run> runs = {
        { "pingpong", { "hapacs-tca", "bytes=8;mode=pio;src=cpu;dst=cpu" } },
        { "dma-chain",
          { "hapacs-tca", "bytes=512;count=2;mode=dma-chain-internal;src=cpu;dst=cpu" } },
        { "block-stride",
          { "hapacs-tca", "blocks=2;block_bytes=64;pitch_bytes=128;mode=dma-chain-internal;"
                          "src=cpu;dst=cpu" } },
        { "stream",
          { "hapacs-tca", "bytes=4096;channels=1;mode=dma-chain-internal;src=cpu;dst=cpu" } },
        { "halo", { "hapacs-tca", "n=8;nodes=2;memory=cpu;mode=dma-chain-internal" } },
        { "mbcf-oneway", { "mbcf-hub", "bytes=16;op=write;api=mbcf;nodes=2" } },
        { "mbcf-stream", { "mbcf-hub", "bytes=64;op=write;api=mbcf;nodes=2" } },
        { "mpi-pingpong", { "hapacs-tca", "bytes=8;src=cpu;dst=cpu" } },
        { "mpi-bandwidth", { "hapacs-tca", "bytes=4096;count=4;src=cpu;dst=cpu" } },
        { "gasnet-am-long", { "hapacs-tca", "bytes=8;system=gasnet-ib;src=cpu;dst=gpu" } },
        { "gasnet-cache", { "hapacs-tca", "patterns=4;uses=8;gasnet=tca,segment=gpu" } },
        { "gasnet-flood", { "hapacs-tca", "count=8;gasnet=tca" } },
        { "gasnet-modes", { "hapacs-tca", "bytes=64;gasnet=tca,segment=gpu" } },
        { "gasnet-staging", { "hapacs-tca", "bytes=65536;gasnet=tca,segment=gpu" } },
        { "himeno", { "hapacs-tca", "nodes=2;size=small;sample=2" } },
        { "bare-link", { "two-ends", "request=write;bytes=256;direction=both" } },
        { "mpi-collective", { "hapacs-tca", "bytes=64;op=allreduce;nodes=2" } },
        { "bcast", { "hapacs-tca", "bytes=64;nodes=4;api=tca;src=gpu;dst=gpu;gpu=peach2-side" } },
        { "allreduce", { "hapacs-tca", "bytes=64;nodes=2;api=mvapich2-gdr-2.2" } },
        { "stencil",
          { "hapacs-tca", "n=4;nodes=5;api=mvapich2-gdr-2.2 with GPU kernels packing two faces" } },
    };
    const Run kernel = { "mbcf-switch", "class=S;api=sr;nodes=4" };
    const Run group = { "hapacs-tca", "bytes=1024;nodes=4;memory=cpu;mode=dma-chain-internal" };

    std::vector<std::string> names;
    lab_workload_each(
        [](void *arg, const char *name, const char *) {
            static_cast<std::vector<std::string> *>(arg)->push_back(name);
        },
        &names);
    ASSERT_EQ(31u, names.size());
    for (const std::string &name : names) {
        const auto at = runs.find(name);
        const Run &run = at != runs.end()             ? at->second
                         : name.rfind("npb-", 0) == 0 ? kernel
                                                      : group;
        Keys keys = printed(name, run.platform, run.setup);

        char prints[LAB_PRINTS_MAX];

        EXPECT_EQ(listed(name.c_str()), keys) << name;
        for (const std::string &key : keys)
            EXPECT_TRUE(lab_workload_has(name.c_str(), key.c_str(), prints)) << name << " " << key;
    }
}

} // namespace
