#include "hosts/host/check.h"
#include "tests/hosts/tca/rank.h"

#include <algorithm>

namespace
{

using test::Cluster;
using test::Rank;

const int IN = tcaDMAUseInternal | tcaDMAUseNotifyInternal;

struct World {
    void *p = nullptr;
    tcaHandle *mine = nullptr, *other = nullptr;
    tcaHandle junk = {}, gone = {}, far = {}, closed = {};
    tcaDesc *d = nullptr, *freed = nullptr;
    int next = 0;
    tcaPIOHandle pio = {};
};

struct Refusal {
    const char *line; /* behind rank, node and time */
    std::function<tcaresult(World &)> call;
};

tcaresult put(World &w, off_t dst, off_t src, size_t n, int flags = IN, int slot = 0)
{
    return tcaDescSetMemcpy(w.d, w.other, dst, w.mine, src, n, flags, slot, 1);
}

tcaresult rows(World &w, size_t dst_pitch, size_t src_pitch, size_t width, size_t count)
{
    return tcaDescSetMemcpy2D(w.d, w.other, 0, dst_pitch, w.mine, 0, src_pitch, width, count, IN, 0,
                              1);
}

const Refusal kRefusals[] = {
    { "tcaDescSetMemcpy: n = 6: expected a multiple of 4, from 4 on",
      [](World &w) { return put(w, 0, 0, 6); } },
    { "tcaDescSetMemcpy: n = 0: expected a multiple of 4, from 4 on",
      [](World &w) { return put(w, 0, 0, 0); } },
    { "tcaDescSetMemcpy: dst_off = 65536, n = 4: expected an end within the 65536 bytes of the "
      "handle",
      [](World &w) { return put(w, 65536, 0, 4); } },
    { "tcaDescSetMemcpy: src_off = -16, n = 16: expected an end within the 65536 bytes of the "
      "handle",
      [](World &w) { return put(w, 0, -16, 16); } },
    { "tcaDescSetMemcpy: dst_off = 8, src_off = 16: the destination begins 8 bytes behind a "
      "multiple of 16 and the source 0: expected the same",
      [](World &w) { return put(w, 8, 16, 8); } },
    { "tcaDescSetMemcpy: flags = 0x43: 0x40 is none: expected those of tcaDMAFlag",
      [](World &w) { return put(w, 0, 0, 8, IN | 0x40); } },
    { "tcaDescSetMemcpy: slot = 65536: expected 0 .. 65535",
      [](World &w) { return put(w, 0, 0, 8, IN, 65536); } },
    { "tcaDescSetMemcpy: src: memory of another node, in part 1: expected the own one, since "
      "transfers only put",
      [](World &w) { return tcaDescSetMemcpy(w.d, w.other, 0, w.other, 0, 8, IN, 0, 1); } },
    { "tcaDescSetMemcpy: dst: no handle, or one that was destroyed: expected what "
      "tcaCreateHandle() has filled in, here or on another node",
      [](World &w) { return tcaDescSetMemcpy(w.d, &w.junk, 0, w.mine, 0, 8, IN, 0, 1); } },
    { "tcaDescSetMemcpy: src = NULL: expected a handle",
      [](World &w) { return tcaDescSetMemcpy(w.d, w.other, 0, nullptr, 0, 8, IN, 0, 1); } },
    { "tcaDescSetMemcpy: dst: memory of sub-cluster 7: expected 0, the own one; no cable leads to "
      "another",
      [](World &w) { return tcaDescSetMemcpy(w.d, &w.far, 0, w.mine, 0, 8, IN, 0, 1); } },
    { "tcaDescSetMemcpy: dst: memory that no window reaches: expected that of the host or of GPU 0 "
      ".. 1 "
      "in part 1",
      [](World &w) { return tcaDescSetMemcpy(w.d, &w.closed, 0, w.mine, 0, 8, IN, 0, 1); } },
    { "tcaDescSetMemcpy: d = NULL: expected a list",
      [](World &w) { return tcaDescSetMemcpy(nullptr, w.other, 0, w.mine, 0, 8, IN, 0, 1); } },
    { "tcaDescSetMemcpy2D: width = 30: expected a multiple of 4, from 4 on",
      [](World &w) { return rows(w, 64, 64, 30, 2); } },
    { "tcaDescSetMemcpy2D: count = 0: expected 1 or more",
      [](World &w) { return rows(w, 64, 64, 32, 0); } },
    { "tcaDescSetMemcpy2D: dst_pitch = 16: expected 32, the width, or up to 4294967295 more",
      [](World &w) { return rows(w, 16, 64, 32, 2); } },
    { "tcaDescSetMemcpy2D: dst_pitch = 64, src_pitch = 72: expected the same modulo 16",
      [](World &w) { return rows(w, 64, 72, 32, 2); } },
    { "tcaDescSetMemcpy2D: dst_off = 0, dst_pitch = 64, width = 32, count = 1025: expected an end "
      "within the 65536 bytes of the handle",
      [](World &w) { return rows(w, 64, 64, 32, 1025); } },
    { "tcaDescSet: channel = 77: expected 0 .. 3",
      [](World &w) {
          EXPECT_EQ(TCA_SUCCESS, put(w, 0, 0, 8));
          return tcaDescSet(w.d, 77);
      } },
    { "tcaStartDMADesc: channel 2 has no list: tcaDescSet() gives it one",
      [](World &) { return tcaStartDMADesc(2); } },
    { "tcaWaitDMAC: channel = -1: expected 0 .. 3", [](World &) { return tcaWaitDMAC(-1); } },
    { "tcaWaitDMARecvDesc: slot = -1: expected 0 .. 65535",
      [](World &w) { return tcaWaitDMARecvDesc(w.mine, -1, 1); } },
    { "tcaWaitDMARecvDesc: h: no handle, or one that was destroyed: expected what "
      "tcaCreateHandle() has filled in, here or on another node",
      [](World &w) { return tcaWaitDMARecvDesc(&w.gone, 0, 1); } },
    { "tcaDestroyHandle: h: memory of another node, in part 1: expected a handle of the own one",
      [](World &w) { return tcaDestroyHandle(w.other); } },
    { "tcaMalloc: kind = 9: expected tcaMemoryCPU or tcaMemoryGPU",
      [](World &w) { return tcaMalloc(&w.p, 8, (tcaMemoryKind)9); } },
    { "tcaMalloc: n = 1099511627776: there is not so much memory of the host",
      [](World &w) { return tcaMalloc(&w.p, (size_t)1 << 40, tcaMemoryCPU); } },
    { "tcaSetPIORegion: off = 65537: expected 0 .. 65536, the size of the handle",
      [](World &w) { return tcaSetPIORegion(&w.pio, w.other, 65537, 8); } },
    { "tcaSetPIORegion: remote: memory of the own node: expected that of another one",
      [](World &w) { return tcaSetPIORegion(&w.pio, w.mine, 0, 8); } },
    { "tcaSendPIO: off = 65532, n = 8: expected an end at 65536 or before, where the handle's "
      "memory ends",
      [](World &w) {
          char bytes[8] = {};
          EXPECT_EQ(TCA_SUCCESS, tcaSetPIORegion(&w.pio, w.other, 0, 8));
          return tcaSendPIO(&w.pio, 65532, bytes, sizeof(bytes));
      } },
    { "tcaSetPIORegion: remote: memory beyond the window: expected a handle of tcaCreateHandle()",
      [](World &w) {
          tcaHandle damaged = *w.other;
          damaged.size = UINT64_C(1) << 50;
          return tcaSetPIORegion(&w.pio, &damaged, off_t(1) << 45, 8);
      } },
    { "tcaSendPIO: pio leads beyond the window: expected one that tcaSetPIORegion() has set",
      [](World &) {
          char bytes[8] = {};
          tcaPIOHandle unset;
          memset(&unset, 0xa5, sizeof(unset));
          return tcaSendPIO(&unset, 0, bytes, sizeof(bytes));
      } },
    { "tcaCreateDMADesc: capacity = 1025: expected 1 .. 1024",
      [](World &w) { return tcaCreateDMADesc(&w.next, 1025); } },
    { "tcaSetDMAChain: table = 9: expected one of tcaCreateDMADesc() that was not destroyed",
      [](World &) { return tcaSetDMAChain(0, 9); } },
    { "tcaDestroyDMADesc: table = 0: expected one of tcaCreateDMADesc() that was not destroyed",
      [](World &) { return tcaDestroyDMADesc(0); } },
    { "tcaSetDMADescInt_Memcpy: pos = 1024: expected 0 .. 1023",
      [](World &w) {
          return tcaSetDMADescInt_Memcpy(1024, &w.next, w.other, 0, w.mine, 0, 8, 0, 0, 1);
      } },
    { "tcaSetDMADescInt_Memcpy: n = 2: expected a multiple of 4, from 4 on",
      [](World &w) {
          return tcaSetDMADescInt_Memcpy(0, &w.next, w.other, 0, w.mine, 0, 2, 0, 0, 1);
      } },
    { "tcaSetDMAChainInt: position 5: nothing was set there, and the chain leads to it",
      [](World &) { return tcaSetDMAChainInt(0, 5); } },
};

/* The lines that the calls of rank 0 leave, without rank, node and time, which begin each. */
std::vector<std::string> lines_of(const std::function<void(World &)> &fn)
{
    std::vector<std::string> lines;
    Cluster c;

    EXPECT_EQ(SIM_OK, c.run([&] {
        Rank r;
        World w;
        void *p = r.memory(65536, tcaMemoryCPU);
        auto h = r.publish(p, 65536, tcaMemoryCPU);

        w.mine = &h[0];
        w.other = &h[1];
        w.far = h[1];
        w.far.subcluster = 7;
        w.closed = h[1];
        w.closed.area = 0xff; /* as of a third GPU: other nodes cannot reach it */
        w.d = tcaDescNew();
        if (r.me == 0)
            fn(w);
        EXPECT_EQ(TCA_SUCCESS, tcaDescFree(w.d));
        return MPI_Finalize();
    }));
    for (const std::string &line : c.remarks) {
        if (line.rfind("rank 0 on node 0 at ", 0) != 0)
            continue;
        size_t at = line.find(" us: ");

        EXPECT_NE(std::string::npos, at) << line;
        lines.push_back(line.substr(at + 5));
    }
    return lines;
}

const size_t kMost = 20; /* lines of a rank */

TEST(TcaRefusals, EachSaysWhy)
{
    std::vector<std::string> lines;

    for (size_t from = 0; from < std::size(kRefusals); from += kMost) {
        std::vector<std::string> some = lines_of([from](World &w) {
            for (size_t i = from; i < std::size(kRefusals) && i < from + kMost; i++)
                EXPECT_NE(TCA_SUCCESS, kRefusals[i].call(w)) << kRefusals[i].line;
        });
        lines.insert(lines.end(), some.begin(), some.end());
    }

    ASSERT_EQ(std::size(kRefusals), lines.size());
    for (size_t i = 0; i < lines.size(); i++)
        EXPECT_EQ(kRefusals[i].line, lines[i]);
}

TEST(TcaRefusals, AreNotShownWithoutEnd)
{
    Cluster c;

    EXPECT_EQ(SIM_OK, c.run([] {
        Rank r;

        for (size_t i = 0; r.me == 0 && i < 3 * kMost; i++)
            EXPECT_EQ(TCA_ERROR_INVALID_VALUE, tcaWaitDMAC(-1));
        return MPI_Finalize();
    }));
    ASSERT_LT(kMost, c.remarks.size());
    EXPECT_EQ("rank 0 on node 0: 20 calls were refused; others are not shown", c.remarks.back());
    EXPECT_EQ(kMost + 1, (size_t)std::count_if(
                             c.remarks.begin(), c.remarks.end(),
                             [](const std::string &line) { return line.rfind("rank 0", 0) == 0; }));
}

/* What was freed is refused, and nothing else is touched. */
TEST(TcaRefusals, FreedTwice)
{
    std::vector<std::string> lines = lines_of([](World &w) {
        tcaDesc *d = tcaDescNew();
        void *p = nullptr;

        EXPECT_EQ(TCA_SUCCESS, tcaDescFree(d));
        EXPECT_EQ(TCA_ERROR_INVALID_VALUE, tcaDescFree(d));
        EXPECT_EQ(TCA_ERROR_INVALID_VALUE, tcaDescSet(d, 0));
        EXPECT_EQ(TCA_ERROR_INVALID_VALUE, tcaDescSetMemcpy(d, w.other, 0, w.mine, 0, 8, IN, 0, 1));
        EXPECT_EQ(TCA_SUCCESS, tcaMalloc(&p, 64, tcaMemoryCPU));
        EXPECT_EQ(TCA_SUCCESS, tcaFree(p, tcaMemoryCPU));
        EXPECT_EQ(TCA_ERROR_INVALID_VALUE, tcaFree(p, tcaMemoryCPU));
    });

    ASSERT_EQ(4u, lines.size());
    EXPECT_NE(std::string::npos, lines[0].find("tcaDescFree: d = 0x")) << lines[0];
    for (size_t i = 0; i < 3; i++)
        EXPECT_NE(std::string::npos, lines[i].find(": freed before, or no list of tcaDescNew()"))
            << lines[i];
    EXPECT_NE(std::string::npos, lines[3].find(": freed before, by tcaFree")) << lines[3];
}

/* Only of the memory that was there last. */
TEST(TcaRefusals, FreedOtherwise)
{
    std::vector<std::string> lines = lines_of([](World &) {
        void *p = nullptr, *again = nullptr;

        EXPECT_EQ(TCA_SUCCESS, tcaMalloc(&p, 64, tcaMemoryCPU));
        EXPECT_EQ(TCA_SUCCESS, tcaFree(p, tcaMemoryCPU));
        EXPECT_EQ(TCA_SUCCESS, tcaMalloc(&again, 64, tcaMemoryCPU));
        EXPECT_EQ(p, again);
        EXPECT_EQ(MPI_SUCCESS, MPI_Free_mem(again));
        EXPECT_EQ(TCA_ERROR_INVALID_VALUE, tcaFree(again, tcaMemoryCPU));
    });

    ASSERT_EQ(1u, lines.size());
    EXPECT_NE(std::string::npos,
              lines[0].find(": freed before, or not where memory of tcaMalloc() begins"))
        << lines[0];
}

/* Which argument it was, is said of the first one that is wrong. */
TEST(TcaRefusals, ACallWithSeveralWrongArgumentsLeavesOneLine)
{
    std::vector<std::string> lines = lines_of([](World &w) {
        EXPECT_EQ(TCA_ERROR_INVALID_VALUE,
                  tcaSetDMADescInt_Memcpy(1024, &w.next, w.other, 0, nullptr, 8, 2, 0x40, -1, 1));
        EXPECT_EQ(TCA_ERROR_INVALID_VALUE,
                  tcaSetDMADesc_Memcpy2D(9, -1, nullptr, w.other, 0, 8, nullptr, 8, 2, 1, 0, 0x40,
                                         -1, 1));
        EXPECT_EQ(TCA_ERROR_INVALID_VALUE, tcaSetDMAChainInt(-1, -1));
    });

    EXPECT_EQ((std::vector<std::string>{
                  "tcaSetDMADescInt_Memcpy: pos = 1024: expected 0 .. 1023",
                  "tcaSetDMADesc_Memcpy2D: table = 9: expected one of tcaCreateDMADesc() that was "
                  "not destroyed",
                  "tcaSetDMAChainInt: position -1: nothing was set there, and the chain leads to "
                  "it" }),
              lines);
}

/* Also where there would be no room even without the list that it has. */
TEST(TcaRefusals, AChannelKeepsItsListWhenAnotherOneIsRefused)
{
    for (size_t installed : { 1u, 1000u }) {
        std::vector<std::string> lines = lines_of([installed](World &w) {
            tcaDesc *longer = tcaDescNew();

            for (size_t i = 0; i < installed; i++)
                EXPECT_EQ(TCA_SUCCESS, put(w, 0, 0, 8));
            for (size_t i = 0; i < 1100; i++)
                EXPECT_EQ(TCA_SUCCESS,
                          tcaDescSetMemcpy(longer, w.other, 0, w.mine, 0, 8, IN, 0, 1));
            EXPECT_EQ(TCA_SUCCESS, tcaDescSet(w.d, 2));
            EXPECT_EQ(TCA_ERROR_OUT_OF_MEMORY, tcaDescSet(longer, 2));
            EXPECT_EQ(TCA_SUCCESS, tcaStartDMADesc(2));
            EXPECT_EQ(TCA_SUCCESS, tcaWaitDMAC(2));
            EXPECT_EQ(TCA_SUCCESS, tcaDescFree(longer));
        });

        EXPECT_EQ(std::vector<std::string>{ "tcaDescSet: no room for a list of 1101 descriptors in "
                                            "the board's memory" },
                  lines);
    }
}

/* The library's last word may lie in the host's memory, which the program need not have chosen. */
TEST(TcaRefusals, ALargeListNamesTheMemoriesThatItAsksFor)
{
    for (int flags : { (int)tcaDMAUseInternal, tcaDMAUseInternal | tcaDMANotify }) {
        const std::string host = (flags & tcaDMANotify) != 0 ? " and 2000 in the host's" : "";
        std::vector<std::string> lines = lines_of([flags](World &w) {
            for (size_t i = 0; i < 2000; i++)
                EXPECT_EQ(TCA_SUCCESS,
                          tcaDescSetMemcpy(w.d, w.other, 0, w.mine, 0, 8, flags, 0, 1));
            EXPECT_EQ(TCA_ERROR_OUT_OF_MEMORY, tcaDescSet(w.d, 2));
        });

        EXPECT_EQ(std::vector<std::string>{ "tcaDescSet: no room for a list of 2000 descriptors in "
                                            "the board's memory" +
                                            host },
                  lines);
    }
}

/* What the check for blocks finds in handles of the memory that the ranks take. */
std::vector<std::string> found_in(tcaMemoryKind kind, size_t bytes, size_t from, size_t size,
                                  unsigned checks)
{
    Cluster c;
    launch_config cfg = {};

    cfg.checks = checks;
    EXPECT_EQ(SIM_OK, c.run(
                          [=] {
                              Rank r;
                              auto *p = r.memory(bytes, kind), *behind = r.memory(bytes, kind);
                              tcaHandle h;

                              EXPECT_LT(p, behind);
                              if (r.me == 1)
                                  EXPECT_EQ(TCA_SUCCESS, tcaCreateHandle(&h, p + from, size, kind));
                              return MPI_Finalize();
                          },
                          cfg));
    EXPECT_TRUE(c.all_well());
    EXPECT_EQ(c.result.found, c.found.size());
    return c.found;
}

/* The board takes it, but its bytes behind the memory are another block's. */
TEST(TcaHandles, OneThatEndsBehindItsMemoryIsFoundByTheCheckOfBlocks)
{
    const struct {
        tcaMemoryKind kind;
        size_t bytes, from;
    } kCases[] = { { tcaMemoryCPU, 64, 0 },
                   { tcaMemoryCPU, 64, 16 },
                   { tcaMemoryGPU, 65536, 0 },
                   { tcaMemoryGPU, 65536, 4096 } };

    for (const auto &k : kCases) {
        const size_t left = k.bytes - k.from;
        auto found = found_in(k.kind, k.bytes, k.from, left + 1, HOST_CHECK_HEAP);

        ASSERT_EQ(1u, found.size());
        EXPECT_EQ(0u, found[0].find("rank 1 on node 1 at ")) << found[0];
        EXPECT_NE(std::string::npos, found[0].find(" us: tcaCreateHandle: n = " +
                                                   std::to_string(left + 1) + " at p = 0x"))
            << found[0];
        EXPECT_NE(std::string::npos, found[0].find(": expected " + std::to_string(left) +
                                                   " or less, where its memory ends"))
            << found[0];
        EXPECT_EQ(0u, found_in(k.kind, k.bytes, k.from, left, HOST_CHECK_HEAP).size());
        EXPECT_EQ(0u, found_in(k.kind, k.bytes, k.from, left + 1, 0).size());
    }
}

TEST(TcaRefusals, WithoutInit)
{
    Cluster c;

    EXPECT_EQ(SIM_OK, c.run([] {
        EXPECT_EQ(TCA_ERROR_NOT_INITIALIZED, tcaWaitDMAC(0));
        return 0;
    }));
    ASSERT_EQ(2u, c.remarks.size());
    EXPECT_NE(std::string::npos, c.remarks[0].find(": tcaWaitDMAC: tcaInit() was not called"))
        << c.remarks[0];
}

} // namespace
