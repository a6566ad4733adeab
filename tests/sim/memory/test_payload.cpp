#include "memory/payload.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace
{

class Payload : public ::testing::Test
{
  protected:
    mem_pool *pool = mem_pool_create();
    ~Payload() override { mem_pool_destroy(pool); }
};

TEST_F(Payload, HoldsEverySizeUpToTheLargestPayloadWithoutOverlap)
{
    std::vector<mem_payload *> all;

    for (uint32_t bytes = 1; bytes <= 4096; bytes += bytes < 300 ? 1 : 97) {
        mem_payload *p = mem_payload_alloc(pool, bytes);
        ASSERT_NE(nullptr, p);
        EXPECT_EQ(bytes, p->bytes);
        memset(p->data, (int)(all.size() & 0xff), bytes);
        all.push_back(p);
    }
    EXPECT_EQ(all.size(), mem_pool_in_use(pool));
    for (size_t i = 0; i < all.size(); i++) {
        for (uint32_t k = 0; k < all[i]->bytes; k++)
            ASSERT_EQ(i & 0xff, all[i]->data[k]);
        mem_payload_free(all[i]);
    }
    EXPECT_EQ(0u, mem_pool_in_use(pool));
}

TEST_F(Payload, ReturnsToThePool)
{
    mem_payload *p = mem_payload_alloc(pool, 256);

    EXPECT_EQ(1u, mem_pool_in_use(pool));
    mem_payload_free(p);
    EXPECT_EQ(0u, mem_pool_in_use(pool));
    mem_payload_free(nullptr);
}

TEST_F(Payload, TheBufferLastFreedIsTheNextOneUsed)
{
    mem_payload *p = mem_payload_alloc(pool, 200);

    mem_payload_free(p);
    EXPECT_EQ(p, mem_payload_alloc(pool, 130)); /* same class: 129 .. 256 bytes */
}

TEST_F(Payload, DataIsAlignedForWordAccess)
{
    for (uint32_t bytes : { 1u, 64u, 65u, 4096u })
        EXPECT_EQ(0u, (uintptr_t)mem_payload_alloc(pool, bytes)->data % 8);
}

TEST_F(Payload, ASecondFreeIsCaught)
{
    mem_payload *p = mem_payload_alloc(pool, 8);

    mem_payload_free(p);
    EXPECT_DEATH(mem_payload_free(p), "bytes");
}

} // namespace
