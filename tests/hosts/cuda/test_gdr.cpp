#include <cuda_runtime.h>
#include <gdrapi.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <vector>

#include "tests/hosts/machine_file.h"

namespace
{

using test::Cluster;
using test::ClusterConfig;
using test::MachineFile;

void on_one_node(const std::function<void()> &fn)
{
    ClusterConfig cc;
    cc.nodes = 1;
    Cluster c(cc);
    c.expect_run([&] {
        fn();
        return 0;
    });
}

/** One node of the production machine. */
void on_production(const std::function<void()> &fn)
{
    MachineFile file("two-node");
    Cluster c(file.cluster());
    launch_config cfg = {};

    cfg.nranks = 1;
    EXPECT_EQ(SIM_OK, c.run(
                          [&] {
                              fn();
                              return 0;
                          },
                          cfg));
    EXPECT_TRUE(c.all_well());
}

uint8_t *device(size_t n)
{
    void *p = nullptr;

    EXPECT_EQ(cudaSuccess, cudaMalloc(&p, n));
    return static_cast<uint8_t *>(p);
}

std::vector<uint8_t> bytes(size_t n, unsigned seed)
{
    std::vector<uint8_t> v(n);

    for (size_t i = 0; i < n; i++)
        v[i] = (uint8_t)(i * 31 + (i >> 9) + seed);
    return v;
}

uint64_t now()
{
    return host_self()->cpu->time_ps(host_self());
}

/** Memory of a GPU, and its mapping. */
struct Mapped {
    explicit Mapped(size_t n, size_t skip = 0)
    {
        memory = device(n + skip);
        g = gdr_open();
        EXPECT_NE(nullptr, g);
        EXPECT_EQ(0, gdr_pin_buffer(g, (unsigned long)(memory + skip), n, 0, 0, &mh));
        EXPECT_EQ(0, gdr_get_info(g, mh, &info));
        EXPECT_EQ(0, gdr_map(g, mh, &va, n));
        at = static_cast<uint8_t *>(va) + ((unsigned long)(memory + skip) - info.va);
    }
    ~Mapped()
    {
        EXPECT_EQ(0, gdr_close(g));
        EXPECT_EQ(cudaSuccess, cudaFree(memory));
    }
    Mapped(const Mapped &) = delete;
    Mapped &operator=(const Mapped &) = delete;

    gdr_t g;
    gdr_mh_t mh = {};
    gdr_info_t info = {};
    void *va = nullptr;
    uint8_t *memory, *at;
};

TEST(Gdr, BytesArriveAtAnyAlignmentAndLength)
{
    on_one_node([] {
        Mapped m(20000, 100);

        for (size_t n : { 1, 2, 7, 8, 16, 63, 64, 65, 200, 4097, 9000 })
            for (size_t skew : { 0, 1, 4, 8, 13 }) {
                auto want = bytes(n, (unsigned)(n + skew));
                std::vector<uint8_t> got(n + 2, 0xee);

                EXPECT_EQ(0, gdr_copy_to_mapping(m.mh, m.at + skew, want.data(), n));
                EXPECT_EQ(0, gdr_copy_from_mapping(m.mh, got.data() + 1, m.at + skew, n));
                EXPECT_EQ(0, memcmp(want.data(), got.data() + 1, n)) << n << " at " << skew;
                EXPECT_EQ(0xee, got[0]);
                EXPECT_EQ(0xee, got[n + 1]);
                /* Loads came behind the stores, so the GPU has them. */
                EXPECT_EQ(0, memcmp(want.data(), m.memory + 100 + skew, n)) << n << " at " << skew;

                want[0] ^= 0xff;
                EXPECT_EQ(0, gdr_copy_to_bar(m.at + skew, want.data(), n));
                EXPECT_EQ(0, gdr_copy_from_bar(got.data(), m.at + skew, n));
                EXPECT_EQ(0, memcmp(want.data(), got.data(), n)) << n << " at " << skew;
            }
    });
}

TEST(Gdr, ACopyOfAnEngineSeesWhatTheCoreHasStored)
{
    on_one_node([] {
        const size_t n = 3000;
        Mapped m(n);
        auto want = bytes(n, 1);
        std::vector<uint8_t> got(n);

        EXPECT_EQ(0, gdr_copy_to_mapping(m.mh, m.at, want.data(), n));
        EXPECT_EQ(cudaSuccess, cudaMemcpy(got.data(), m.memory, n, cudaMemcpyDeviceToHost));
        EXPECT_EQ(want, got);
        want = bytes(n, 2);
        EXPECT_EQ(cudaSuccess, cudaMemcpy(m.memory, want.data(), n, cudaMemcpyHostToDevice));
        EXPECT_EQ(0, gdr_copy_from_mapping(m.mh, got.data(), m.at, n));
        EXPECT_EQ(want, got);
    });
}

uint64_t time_of(const std::function<void()> &fn)
{
    uint64_t start = now();

    fn();
    return now() - start;
}

/* gdrcopy's README: 6 to 8 GB/s to a GPU, at most some ten MB/s from it. */
TEST(Gdr, StoresAreCombinedAndEachLoadWaits)
{
    on_production([] {
        const size_t n = 256 << 10;
        Mapped m(n);
        std::vector<uint8_t> host(n);
        std::map<size_t, uint64_t> to, from;

        auto settle = [&] { gdr_copy_from_mapping(m.mh, host.data(), m.at, 1); };
        for (size_t b : { (size_t)8, (size_t)64, n }) {
            to[b] = time_of([&] { gdr_copy_to_mapping(m.mh, m.at, host.data(), b); });
            settle(); /* behind all stores */
        }
        for (size_t b : { 8, 16, 64, 1024 })
            from[b] = time_of([&] { gdr_copy_from_mapping(m.mh, host.data(), m.at, b); });
        EXPECT_GT(n * SIM_US / to[n], 5500u); /* bytes in a microsecond */
        EXPECT_LT(n * SIM_US / to[n], 8000u);
        EXPECT_LT(to[64], 2 * to[8]); /* one line */
        EXPECT_GT(from[8], SIM_US / 2);
        EXPECT_LT(from[8], 3 * SIM_US / 2);
        EXPECT_LT(from[16], from[8] + SIM_US / 10); /* one load */
        EXPECT_GE(from[64], 3 * from[16]);
        EXPECT_GT(from[1024], 60 * from[16]);
        EXPECT_LT(from[1024], 70 * from[16]);
        EXPECT_GT(from[8], 2 * to[8]);
    });
}

TEST(Gdr, InfoIsOfWholePages)
{
    on_one_node([] {
        Mapped m(70000, 5000);

        EXPECT_EQ((unsigned long)m.memory & GPU_PAGE_MASK, m.info.va);
        EXPECT_EQ(2 * GPU_PAGE_SIZE, m.info.mapped_size);
        EXPECT_EQ(GPU_PAGE_SIZE, m.info.page_size);
        EXPECT_EQ(0u, m.info.mapped);
        EXPECT_EQ(host_self()->cpu->tsc_khz(host_self()), m.info.cycles_per_ms);
        EXPECT_GT(m.info.tm_cycles, 0u);
        EXPECT_EQ(0, gdr_get_info(m.g, m.mh, &m.info));
        EXPECT_EQ(1u, m.info.mapped);
        EXPECT_EQ(1u, m.info.wc_mapping);
        EXPECT_EQ(0, gdr_unmap(m.g, m.mh, m.va, 70000));
        EXPECT_EQ(0, gdr_map(m.g, m.mh, &m.va, m.info.mapped_size));
        int major = 0, minor = -1;
        EXPECT_EQ(0, gdr_driver_get_version(m.g, &major, &minor));
        EXPECT_EQ(GDR_API_MAJOR_VERSION, major);
        EXPECT_EQ(GDR_API_MINOR_VERSION, minor);
    });
}

TEST(Gdr, WhatIsNoMemoryOfAGpuCannotBePinned)
{
    on_one_node([] {
        gdr_t g = gdr_open();
        gdr_mh_t mh;
        uint8_t *p = device(100), here[64];
        auto pin = [&](void *at, size_t n) {
            return gdr_pin_buffer(g, (unsigned long)at, n, 0, 0, &mh);
        };

        EXPECT_EQ(EINVAL, pin(here, sizeof(here)));
        EXPECT_EQ(EINVAL, pin(nullptr, 64));
        EXPECT_EQ(EINVAL, pin(p, 0));
        EXPECT_EQ(EINVAL, pin(p, GPU_PAGE_SIZE + 1));
        EXPECT_EQ(EINVAL, pin(p, SIZE_MAX));
        EXPECT_EQ(0, pin(p, GPU_PAGE_SIZE));
        EXPECT_EQ(EINVAL, gdr_pin_buffer(g, (unsigned long)p, 64, 0, 0, nullptr));
        EXPECT_EQ(EINVAL, gdr_pin_buffer(nullptr, (unsigned long)p, 64, 0, 0, &mh));
        EXPECT_EQ(cudaSuccess, cudaFree(p));
        EXPECT_EQ(EINVAL, pin(p, 64));
        EXPECT_EQ(0, gdr_close(g));
        EXPECT_EQ(EINVAL, gdr_close(g));
    });
}

TEST(Gdr, ABarWithoutRoomIsAnError)
{
    ClusterConfig cc;
    cc.nodes = 1;
    cc.gpu = { { "bar_bytes", 1 << 20 } };
    Cluster c(cc);
    c.expect_run([] {
        gdr_t g = gdr_open();
        gdr_mh_t mh = {};
        uint8_t *p = device(2 << 20);

        EXPECT_EQ(ENOMEM, gdr_pin_buffer(g, (unsigned long)p, 2 << 20, 0, 0, &mh));
        EXPECT_EQ(0, gdr_pin_buffer(g, (unsigned long)p, 1 << 16, 0, 0, &mh));
        return 0;
    });
}

TEST(Gdr, MappingsThatAreNotThereAreErrors)
{
    on_one_node([] {
        Mapped m(100);
        gdr_mh_t none = {};
        uint8_t here[256] = {};
        uint8_t *other = device(64);
        void *va = nullptr;

        EXPECT_EQ(EAGAIN, gdr_map(m.g, m.mh, &va, 100));
        EXPECT_EQ(EINVAL, gdr_map(m.g, none, &va, 100));
        EXPECT_EQ(EINVAL, gdr_unmap(m.g, none, m.va, 100));
        EXPECT_EQ(EINVAL, gdr_unmap(m.g, m.mh, m.at + 8, 100));
        EXPECT_EQ(EINVAL, gdr_unpin_buffer(m.g, none));
        EXPECT_EQ(EINVAL, gdr_get_info(m.g, none, &m.info));
        EXPECT_EQ(EINVAL, gdr_get_info(m.g, m.mh, nullptr));

        EXPECT_EQ(EINVAL, gdr_copy_to_mapping(none, m.at, here, 8));
        EXPECT_EQ(EINVAL, gdr_copy_to_mapping(m.mh, other, here, 8));
        EXPECT_EQ(EINVAL, gdr_copy_to_mapping(m.mh, m.at + 4090, here, 8)); /* of 4096 mapped */
        EXPECT_EQ(EINVAL, gdr_copy_to_mapping(m.mh, m.at, nullptr, 8));
        EXPECT_EQ(EINVAL, gdr_copy_to_mapping(m.mh, m.at, other, 8));
        EXPECT_EQ(EINVAL, gdr_copy_from_bar(here, here, 8));
        EXPECT_EQ(EINVAL, gdr_copy_to_bar(nullptr, here, 8));
        EXPECT_EQ(EINVAL, gdr_copy_to_bar(m.at, here, SIZE_MAX));
        EXPECT_EQ(0, gdr_copy_to_bar(m.at, here, 0));

        EXPECT_EQ(0, gdr_unmap(m.g, m.mh, m.va, 100));
        EXPECT_EQ(EINVAL, gdr_unmap(m.g, m.mh, m.va, 100));
        EXPECT_EQ(EINVAL, gdr_copy_to_bar(m.at, here, 8));
        EXPECT_EQ(EINVAL, gdr_map(m.g, m.mh, &va, m.info.mapped_size + 1));
        EXPECT_EQ(EINVAL, gdr_map(m.g, m.mh, &va, 0));
        EXPECT_EQ(EINVAL, gdr_map(m.g, m.mh, nullptr, 100));
        EXPECT_EQ(0, gdr_map(m.g, m.mh, &va, 100));
        EXPECT_EQ(0, gdr_copy_to_bar(m.at, here, 8));
        EXPECT_EQ(0, gdr_unpin_buffer(m.g, m.mh));
        EXPECT_EQ(EINVAL, gdr_copy_to_bar(m.at, here, 8));
    });
}

TEST(Gdr, MemoryThatWasGivenBackIsMappedNoLonger)
{
    on_one_node([] {
        Mapped m(100);
        uint8_t here[8] = {};
        int flag = -1;

        EXPECT_EQ(0, gdr_get_callback_flag(m.g, m.mh, &flag));
        EXPECT_EQ(0, flag);
        EXPECT_EQ(cudaSuccess, cudaFree(m.memory));
        EXPECT_EQ(0, gdr_get_callback_flag(m.g, m.mh, &flag));
        EXPECT_EQ(1, flag);
        EXPECT_EQ(EINVAL, gdr_copy_to_mapping(m.mh, m.at, here, 8));
        EXPECT_EQ(m.memory, device(100)); /* the same place, which the old mapping does not reach */
        EXPECT_EQ(EINVAL, gdr_copy_to_mapping(m.mh, m.at, here, 8));
    });
}

TEST(Gdr, ThereIsNoneWithoutAGpuOrOutsideOfARank)
{
    gdr_mh_t mh = {};
    char byte = 0;

    EXPECT_EQ(nullptr, gdr_open());
    EXPECT_EQ(EINVAL, gdr_close(nullptr));
    EXPECT_EQ(EINVAL, gdr_pin_buffer(nullptr, 0, 1, 0, 0, &mh));
    EXPECT_EQ(EINVAL, gdr_copy_to_bar(&byte, &byte, 1));
}

} // namespace
