/* The older interface: puts at positions of tables. */
#include "tests/hosts/tca/rank.h"

#include "hosts/driver/driver.h"

namespace
{

using test::Cluster;
using test::Rank;

enum { CH = 1, SLOT = 2, TAG = 0x10 };
const size_t N = 4096;

/** Rank 0 runs `fn` and notifies rank 1, which then looks at its memory with `look`. */
void from_0_to_1(const std::function<void(tcaHandle *dst, tcaHandle *src)> &fn,
                 const std::function<void(tcaHandle *from, const uint8_t *in)> &look)
{
    Cluster c;
    c.expect_run([&] {
        Rank r;
        uint8_t *buf = r.memory(N, tcaMemoryCPU);
        auto h = r.publish(buf, N, tcaMemoryCPU);
        if (r.me == 0) {
            test::fill(buf, N, 5);
            fn(&h[1], &h[0]);
            EXPECT_EQ(TCA_SUCCESS, tcaWaitDMAC(CH));
        } else {
            look(&h[0], buf);
        }
        return MPI_Finalize();
    });
}

/** Every 64 bytes, 16 bytes of the pattern; the first `rows` of them. */
void expect_rows(const uint8_t *in, size_t first, size_t rows)
{
    size_t wrong = 0;

    for (size_t i = first; i < N; i++) {
        bool inside = (i - first) / 64 < rows && (i - first) % 64 < 16;
        wrong += in[i] != (inside ? test::pattern(5, i) : 0);
    }
    EXPECT_EQ(0u, wrong);
}

TEST(TcaTable, ContinueLinksInternalPositionsUpToTheFirstWithout)
{
    from_0_to_1(
        [](tcaHandle *dst, tcaHandle *src) {
            int pos = 7;
            EXPECT_EQ(TCA_SUCCESS, tcaDMADescInt_Init());
            for (int i = 0; i < 4; i++) { /* the last two are not of the chain */
                int more = i != 1 && i != 3 ? tcaDMAContinue : 0;
                int tell = i == 1 || i == 3 ? tcaDMANotify | tcaDMANotifySelf : 0;
                EXPECT_EQ(TCA_SUCCESS, tcaSetDMADescInt_Memcpy(pos, &pos, dst, 64 * i, src, 64 * i,
                                                               16, more | tell, SLOT, TAG));
            }
            EXPECT_EQ(11, pos);
            EXPECT_EQ(TCA_SUCCESS, tcaSetDMAChainInt(CH, 7));
            EXPECT_EQ(TCA_SUCCESS, tcaStartDMADesc(CH));
            EXPECT_EQ(TCA_SUCCESS, tcaWaitDMARecvDesc(src, SLOT, TAG));
        },
        [](tcaHandle *from, const uint8_t *in) {
            EXPECT_EQ(TCA_SUCCESS, tcaWaitDMARecvDesc(from, SLOT, TAG));
            expect_rows(in, 0, 2);
        });
}

TEST(TcaTable, TwoInternalChainsLieSideBySide)
{
    from_0_to_1(
        [](tcaHandle *dst, tcaHandle *src) {
            int pos = 0, second;
            for (int i = 0; i < 3; i++)
                EXPECT_EQ(TCA_SUCCESS,
                          tcaSetDMADescInt_Memcpy(pos, &pos, dst, 64 * i, src, 64 * i, 16,
                                                  i < 2 ? tcaDMAContinue : 0, SLOT, TAG));
            second = pos;
            EXPECT_EQ(TCA_SUCCESS, tcaSetDMADescInt_Memcpy2D(pos, &pos, dst, 192, 64, src, 192, 64,
                                                             16, 10, tcaDMANotify, SLOT, TAG));
            for (int first : { 0, second }) {
                EXPECT_EQ(TCA_SUCCESS, tcaSetDMAChainInt(CH, first));
                EXPECT_EQ(TCA_SUCCESS, tcaStartDMADesc(CH));
            }
        },
        [](tcaHandle *from, const uint8_t *in) {
            EXPECT_EQ(TCA_SUCCESS, tcaWaitDMARecvDesc(from, SLOT, TAG));
            expect_rows(in, 0, 13);
        });
}

TEST(TcaTable, AHostTableBeginsAtItsFirstPosition)
{
    from_0_to_1(
        [](tcaHandle *dst, tcaHandle *src) {
            int table = 0, other = 0, pos = 0;
            EXPECT_EQ(TCA_SUCCESS, tcaCreateDMADesc(&table, 1024));
            EXPECT_EQ(TCA_SUCCESS, tcaCreateDMADesc(&other, 1024));
            EXPECT_NE(0, table);
            EXPECT_NE(table, other);
            EXPECT_EQ(TCA_SUCCESS,
                      tcaSetDMADesc_Memcpy2D(table, pos, &pos, dst, 0, 64, src, 0, 64, 16, 4,
                                             tcaDMAUseInternal | tcaDMAContinue, SLOT, TAG));
            EXPECT_EQ(1, pos);
            EXPECT_EQ(TCA_SUCCESS,
                      tcaSetDMADesc_Memcpy2D(table, pos, &pos, dst, 256, 64, src, 256, 64, 16, 4,
                                             tcaDMANotify | tcaDMAUseInternal, SLOT, TAG));
            EXPECT_EQ(TCA_SUCCESS, tcaSetDMAChain(CH, table));
            auto *chain = driver_of(host_self())->channel[CH].installed;
            EXPECT_EQ(0u, chain->internal_count) << "the table lies in host memory";
            EXPECT_EQ(TCA_SUCCESS, tcaDestroyDMADesc(table));
            EXPECT_EQ(TCA_SUCCESS, tcaStartDMADesc(CH));
            EXPECT_EQ(TCA_ERROR_INVALID_VALUE, tcaSetDMAChain(CH, table));
        },
        [](tcaHandle *from, const uint8_t *in) {
            EXPECT_EQ(TCA_SUCCESS, tcaWaitDMARecvDesc(from, SLOT, TAG));
            expect_rows(in, 0, 8);
        });
}

TEST(TcaTable, ChangesTakeEffectWhenTheChainIsSetAgain)
{
    from_0_to_1(
        [](tcaHandle *dst, tcaHandle *src) {
            int next = 0;
            EXPECT_EQ(TCA_SUCCESS,
                      tcaSetDMADescInt_Memcpy(0, &next, dst, 0, src, 0, 16, 0, SLOT, TAG));
            EXPECT_EQ(TCA_SUCCESS, tcaSetDMAChainInt(CH, 0));
            EXPECT_EQ(TCA_SUCCESS, tcaSetDMADescInt_Memcpy(0, &next, dst, 64, src, 64, 16,
                                                           tcaDMANotify, SLOT, TAG));
            EXPECT_EQ(TCA_SUCCESS, tcaStartDMADesc(CH)); /* the old one, silent */
            EXPECT_EQ(TCA_SUCCESS, tcaSetDMAChainInt(CH, 0));
            EXPECT_EQ(TCA_SUCCESS, tcaStartDMADesc(CH));
        },
        [](tcaHandle *from, const uint8_t *in) {
            EXPECT_EQ(TCA_SUCCESS, tcaWaitDMARecvDesc(from, SLOT, TAG));
            expect_rows(in, 0, 2);
        });
}

TEST(TcaTable, WrongPositionsTablesAndChainsAreRefused)
{
    from_0_to_1(
        [](tcaHandle *dst, tcaHandle *src) {
            int next = 3, table = 0;
            auto set = [&](int pos, int flags, size_t n) {
                return tcaSetDMADescInt_Memcpy(pos, &next, dst, 0, src, 0, n, flags, SLOT, TAG);
            };
            EXPECT_EQ(TCA_ERROR_INVALID_VALUE, tcaSetDMAChainInt(CH, 0)) << "nothing set";
            EXPECT_EQ(TCA_ERROR_INVALID_VALUE, set(-1, 0, 16));
            EXPECT_EQ(TCA_ERROR_INVALID_VALUE, set(1024, 0, 16));
            EXPECT_EQ(TCA_ERROR_INVALID_VALUE, set(0, 0, 18));
            EXPECT_EQ(3, next) << "unchanged by an error";
            EXPECT_EQ(TCA_SUCCESS, set(1023, tcaDMAContinue, 16));
            EXPECT_EQ(TCA_SUCCESS, set(5, tcaDMAContinue, 16));
            for (int first : { 1023, 5, 6, -1, 1024 })
                EXPECT_EQ(TCA_ERROR_INVALID_VALUE, tcaSetDMAChainInt(CH, first)) << first;
            EXPECT_EQ(TCA_SUCCESS, set(6, 0, 16));
            EXPECT_EQ(TCA_SUCCESS, tcaSetDMAChainInt(CH, 5));
            EXPECT_EQ(TCA_ERROR_INVALID_VALUE, tcaSetDMAChainInt(4, 5)) << "no such channel";
            EXPECT_EQ(TCA_SUCCESS, tcaDMADescInt_Init());
            EXPECT_EQ(TCA_ERROR_INVALID_VALUE, tcaSetDMAChainInt(CH, 5)) << "emptied";

            EXPECT_EQ(TCA_ERROR_INVALID_VALUE, tcaCreateDMADesc(&table, 0));
            EXPECT_EQ(TCA_ERROR_INVALID_VALUE, tcaCreateDMADesc(&table, 1025));
            EXPECT_EQ(TCA_ERROR_INVALID_VALUE, tcaCreateDMADesc(nullptr, 16));
            EXPECT_EQ(TCA_SUCCESS, tcaCreateDMADesc(&table, 16));
            EXPECT_EQ(TCA_ERROR_INVALID_VALUE, tcaSetDMAChain(CH, table)) << "empty";
            for (int t : { 0, table + 1, -1 }) {
                EXPECT_EQ(TCA_ERROR_INVALID_VALUE, tcaSetDMAChain(CH, t));
                EXPECT_EQ(TCA_ERROR_INVALID_VALUE, tcaDestroyDMADesc(t));
                EXPECT_EQ(TCA_ERROR_INVALID_VALUE,
                          tcaSetDMADesc_Memcpy2D(t, 0, &next, dst, 0, 64, src, 0, 64, 16, 2, 0,
                                                 SLOT, TAG));
            }
            EXPECT_EQ(TCA_ERROR_INVALID_VALUE,
                      tcaSetDMADesc_Memcpy2D(table, 16, &next, dst, 0, 64, src, 0, 64, 16, 2, 0,
                                             SLOT, TAG));
        },
        [](tcaHandle *, const uint8_t *) {});
}

} // namespace
