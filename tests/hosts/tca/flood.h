/* Traffic that fills the buffers of a machine, and the deadlock that it runs into. */
#ifndef TESTS_HOSTS_TCA_FLOOD_H
#define TESTS_HOSTS_TCA_FLOOD_H

#include "tests/hosts/machine_file.h"
#include "tests/hosts/tca/rank.h"

#include <algorithm>

namespace test
{

/** What ranks hold that never end; never destroyed. */
struct Kept {
    std::deque<std::vector<tcaHandle>> handles;
    std::vector<tcaDesc *> lists;
};
inline Kept &kept = *new Kept;

/** Each rank puts a block to each other one, nearest first on one channel, furthest on another. */
inline int flood()
{
    enum { CHANNELS = 4, SLOT = 3, TAG = 0x55 };
    const size_t BLOCK = 8192;
    Rank r;
    auto *mem = r.memory(BLOCK * r.size, tcaMemoryCPU);

    kept.handles.push_back(r.publish(mem, BLOCK * r.size, tcaMemoryCPU));
    auto &all = kept.handles.back();
    for (int ch = 0; ch < CHANNELS; ch++) {
        tcaDesc *d = tcaDescNew();

        kept.lists.push_back(d);
        for (int k = 1; k < r.size; k++) {
            int to = (r.me + (ch % 2 == 0 ? k : r.size - k)) % r.size;

            EXPECT_EQ(TCA_SUCCESS,
                      tcaDescSetMemcpy(d, &all[to], r.me * BLOCK, &all[r.me], r.me * BLOCK, BLOCK,
                                       tcaDMAUseInternal | tcaDMANotify, SLOT, TAG + ch));
        }
        EXPECT_EQ(TCA_SUCCESS, tcaDescSet(d, ch));
    }
    r.barrier();
    for (int ch = 0; ch < CHANNELS; ch++)
        EXPECT_EQ(TCA_SUCCESS, tcaStartDMADesc(ch));
    for (int ch = 0; ch < CHANNELS; ch++)
        for (int k = 1; k < r.size; k++)
            EXPECT_EQ(TCA_SUCCESS, tcaWaitDMARecvDesc(&all[(r.me + k) % r.size], SLOT, TAG + ch));
    r.barrier();
    return 0;
}

/** The links of a circle, in their order from the first one by name on. */
using Circle = std::vector<std::string>;

inline Circle turned(Circle c)
{
    std::rotate(c.begin(), std::min_element(c.begin(), c.end()), c.end());
    return c;
}

/** Empty: all ranks ended. */
inline Circle happened(const MachineFile &file)
{
    Cluster c(file.cluster());
    const std::string arrow = " -> ";
    Circle names;

    if (c.run(flood) == SIM_OK)
        return names;
    std::string text = c.err.text;
    size_t at = text.find("; deadlock: ");
    EXPECT_NE(std::string::npos, at) << text;
    for (at = text.find(' ', at + 3) + 1; at != std::string::npos;) {
        size_t end = text.find(arrow, at);

        names.push_back(text.substr(at, end == std::string::npos ? end : end - at));
        at = end == std::string::npos ? end : end + arrow.size();
    }
    EXPECT_EQ(names.front(), names.back());
    names.pop_back();
    return turned(names);
}

} // namespace test
#endif /* TESTS_HOSTS_TCA_FLOOD_H */
