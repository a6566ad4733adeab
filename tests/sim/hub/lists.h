/* Descriptors, and how a test starts a channel of the rig. */
#ifndef TESTS_HUB_LISTS_H
#define TESTS_HUB_LISTS_H

#include "rig.h"

#include <array>

/* Eight words of a descriptor (regs/hub_regs.h). */
struct Desc {
    uint64_t src, dst;
    uint32_t size, next, burst = 0, src_gap = 0, dst_gap = 0;

    std::array<uint32_t, 8> words() const
    {
        return { static_cast<uint32_t>(src),
                 static_cast<uint32_t>(src >> 32) | static_cast<uint32_t>(dst >> 32) << 16,
                 static_cast<uint32_t>(dst),
                 size,
                 next,
                 burst,
                 src_gap,
                 dst_gap };
    }
};

/** A rig whose channels are started. */
class Lists : public HubRig
{
  protected:
    void start_register(unsigned i, unsigned ch, uint64_t src, uint64_t dst, uint64_t n,
                        uint64_t status_addr = 0, uint64_t status = 0)
    {
        FakeHost &h = hosts[i];
        uint64_t base = reg(i, HUB_DMA(ch));

        h.write64(base + HUB_DMA_SRC, src);
        h.write64(base + HUB_DMA_DST, dst);
        h.write64(base + HUB_DMA_LENGTH, n);
        h.write64(base + HUB_DMA_STATUS_ADDR, status_addr);
        h.write64(base + HUB_DMA_STATUS_DATA, status);
        h.write64(base + HUB_DMA_CONTROL, HUB_DMA_START_REG);
    }
    /** Writes a list into host or internal memory, and starts it. */
    void start_chain(unsigned i, unsigned ch, const std::vector<Desc> &list, bool internal)
    {
        FakeHost &h = hosts[i];

        for (size_t k = 0; k < list.size(); k++) {
            auto w = list[k].words();

            if (internal)
                h.write(reg(i, HUB_INTERNAL_OFFSET + k * HUB_DESC_BYTES), w.data(), 32);
            else
                memcpy(&h.ram[0x100000 + k * HUB_DESC_BYTES], w.data(), 32);
        }
        h.write64(reg(i, HUB_DMA(ch) + HUB_DMA_TABLE), kRam + 0x100000);
        h.write64(reg(i, HUB_DMA(ch) + HUB_DMA_HEAD), internal ? HUB_DESC_INTERNAL : 0);
    }
    /** How the last list ended: HUB_DMA_ERR_*, or 0. */
    uint64_t error_of(unsigned i, unsigned ch)
    {
        return load(i, reg(i, HUB_DMA(ch) + HUB_DMA_STATE)) >> HUB_DMA_ERROR_SHIFT & 0xf;
    }
};

#endif
