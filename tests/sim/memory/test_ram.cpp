#include "memory/ram.h"

#include <gtest/gtest.h>

#include <vector>

namespace
{

struct Watch {
    mem_watch w;
    int fired = 0;
    mem_ram *again = nullptr; /* watch this once more from inside the callback */

    Watch(uint64_t addr, uint64_t size) : w{ addr, size, on_write, false, nullptr } {}
    static void on_write(mem_watch *w)
    {
        Watch *self = reinterpret_cast<Watch *>(w);

        self->fired++;
        if (self->again != nullptr)
            mem_ram_watch(self->again, w);
    }
};

class Ram : public ::testing::Test
{
  protected:
    uint8_t bytes[64] = {};
    mem_ram ram;
    Ram() { mem_ram_init(&ram, 0x1000, sizeof(bytes), bytes); }
    void write(uint64_t addr, std::vector<uint8_t> data)
    {
        mem_ram_write(&ram, addr, data.data(), data.size(), nullptr);
    }
};

TEST_F(Ram, HoldsExactlyItsRange)
{
    EXPECT_TRUE(mem_ram_holds(&ram, 0x1000, 64));
    EXPECT_FALSE(mem_ram_holds(&ram, 0x1000, 65));
    EXPECT_FALSE(mem_ram_holds(&ram, 0x0fff, 1));
    EXPECT_FALSE(mem_ram_holds(&ram, 0x1040, 1));
    EXPECT_FALSE(mem_ram_holds(&ram, 0x103f, UINT64_MAX));
}

TEST_F(Ram, ReadsWhatWasWritten)
{
    write(0x1005, { 1, 2, 3 });
    EXPECT_EQ(1, mem_ram_at(&ram, 0x1005, 3)[0]);
    EXPECT_EQ(3, mem_ram_at(&ram, 0x1005, 3)[2]);
    EXPECT_EQ(2, bytes[6]);
}

TEST_F(Ram, LeavesDisabledBytesAlone)
{
    uint8_t data[4] = { 1, 2, 3, 4 }, enables[4] = { 0, 1, 0, 1 };

    mem_ram_write(&ram, 0x1000, data, 4, enables);
    EXPECT_EQ(0, bytes[0]);
    EXPECT_EQ(2, bytes[1]);
    EXPECT_EQ(0, bytes[2]);
    EXPECT_EQ(4, bytes[3]);
}

TEST_F(Ram, AWatchFiresOnceAtTheFirstTouch)
{
    Watch w(0x1008, 8);

    mem_ram_watch(&ram, &w.w);
    write(0x1007, { 1 });
    write(0x1010, { 1 });
    EXPECT_EQ(0, w.fired);
    write(0x1000, std::vector<uint8_t>(9, 1)); /* its last byte is the first one watched */
    EXPECT_EQ(1, w.fired);
    EXPECT_FALSE(w.w.armed);
    write(0x1008, { 1 });
    EXPECT_EQ(1, w.fired);
}

TEST_F(Ram, DisabledBytesFireNoWatch)
{
    Watch w(0x1001, 1);
    uint8_t data[2] = { 1, 2 }, first[2] = { 1, 0 }, second[2] = { 0, 1 };

    mem_ram_watch(&ram, &w.w);
    mem_ram_write(&ram, 0x1000, data, 2, first);
    EXPECT_EQ(0, w.fired);
    mem_ram_write(&ram, 0x1000, data, 2, second);
    EXPECT_EQ(1, w.fired);
}

TEST_F(Ram, AWatchMayBePutOnAgainByItsCallback)
{
    Watch w(0x1000, 4), other(0x1000, 4);

    w.again = &ram;
    mem_ram_watch(&ram, &w.w);
    mem_ram_watch(&ram, &other.w);
    write(0x1000, { 1 });
    write(0x1001, { 1 });
    EXPECT_EQ(2, w.fired);
    EXPECT_EQ(1, other.fired);
}

TEST_F(Ram, AnUnwatchedWatchStaysSilent)
{
    Watch a(0x1000, 4), b(0x1000, 4), c(0x1000, 4);

    for (Watch *w : { &a, &b, &c })
        mem_ram_watch(&ram, &w->w);
    mem_ram_unwatch(&ram, &b.w);
    mem_ram_unwatch(&ram, &b.w);
    write(0x1000, { 1 });
    EXPECT_EQ(1, a.fired);
    EXPECT_EQ(0, b.fired);
    EXPECT_EQ(1, c.fired);
}

TEST_F(Ram, AccessOutsideIsCaught)
{
    EXPECT_DEATH(write(0x103f, { 1, 2 }), "broken rule: to != NULL");
}

} // namespace
