/*
 * Two ports, the real code, a few TLPs each way: each way in which the first packets may be lost or
 * corrupted is tried. A run that ends has no deadlock, the ports assert that no buffer overflows,
 * and what arrived is counted.
 */
#include "link_faults.h"
#include "link_fixture.h"
#include "tests/built.h"

namespace
{

using test::Faults;
using test::Pair;

struct Size {
    uint64_t replay, hdr, data; /* buffers: TLPs, credits (0: infinite) */
    uint64_t timer;             /* replay timer in symbol times; 0: that of the table */
};

const std::vector<Size> sizes =
    test::SANITIZED
        ? std::vector<Size>{ { 2, 1, 8, 60 } }
        : std::vector<Size>{ { 1, 1, 8, 0 }, { 2, 1, 8, 60 }, { 2, 2, 16, 0 }, { 4, 0, 0, 0 } };

const unsigned TLPS = 3; /* each way */

/** Digit `i` of `code` in base `base` is the fate of packet `first + i`: 0 arrives. */
void fates(Faults *f, pcie_fault_packet packet, uint64_t first, unsigned n, unsigned base,
           uint64_t code)
{
    static const pcie_fault_effect effects[] = { PCIE_FAULT_DROP, PCIE_FAULT_CORRUPT,
                                                 PCIE_FAULT_NULLIFY, PCIE_FAULT_DUPLICATE };

    for (unsigned i = 0; i < n; i++, code /= base)
        if (code % base != 0)
            f->nth.push_back({ packet, effects[code % base - 1], first + i });
}

void run(const Size &s, Faults *fa, Faults *fb)
{
    pcie_port_config c = test::wide_config(2, 8, 128);
    Pair p({}, false);

    test::set_credits(&c, s.hdr, s.data);
    c.replay_tlps = s.replay, c.tx_queue_tlps = 4, c.replay_timer_symbols = s.timer;
    c.recovery_ps = 100 * SIM_NS;
    p.join(c, c, 1000);
    fa->give(p.a.port);
    fb->give(p.b.port);
    for (test::End *e : { &p.a, &p.b }) {
        for (unsigned i = 0; i < TLPS; i++)
            e->add(i == 1 ? PCIE_CPLD : PCIE_MWR, 64);
        e->kick();
    }
    ASSERT_EQ(SIM_OK, p.run(SIM_MS * 100)) << "it goes on for ever";
    for (const test::End *e : { &p.a, &p.b }) {
        ASSERT_EQ(TLPS, e->got.size());
        for (unsigned i = 0; i < TLPS; i++)
            ASSERT_EQ(i, e->got[i].id);
        ASSERT_EQ(0u, mem_pool_in_use(e->pool));
    }
}

uint64_t power(uint64_t base, unsigned n)
{
    return n == 0 ? 1 : base * power(base, n - 1);
}

class Exhaustive : public ::testing::TestWithParam<Size>
{
};

/* Four fates (arrives, lost, corrupt, nullified) of four TLPs of one end and two of the other. */
TEST_P(Exhaustive, FatesOfTlps)
{
    for (uint64_t a = 0; a < power(4, 4); a++) {
        for (uint64_t b = 0; b < power(4, 2); b++) {
            Faults fa, fb;

            fates(&fa, PCIE_FAULT_TLP, 1, 4, 4, a);
            fates(&fb, PCIE_FAULT_TLP, 1, 2, 4, b);
            run(GetParam(), &fa, &fb);
            if (HasFatalFailure())
                FAIL() << "TLPs " << a << " and " << b;
        }
    }
}

/* Three of the first TLPs each way, and four DLLPs behind the six of the initialisation. */
TEST_P(Exhaustive, FatesOfTlpsAndOfAcknowledgements)
{
    for (uint64_t tlps = 0; tlps < power(2, 6); tlps++) {
        for (uint64_t dllps = 0; dllps < power(2, 8); dllps++) {
            Faults fa, fb;

            fates(&fa, PCIE_FAULT_TLP, 1, 3, 2, tlps % 8);
            fates(&fb, PCIE_FAULT_TLP, 1, 3, 2, tlps / 8);
            fates(&fa, PCIE_FAULT_DLLP, 7, 4, 2, dllps % 16);
            fates(&fb, PCIE_FAULT_DLLP, 7, 4, 2, dllps / 16);
            run(GetParam(), &fa, &fb);
            if (HasFatalFailure())
                FAIL() << "TLPs " << tlps << ", DLLPs " << dllps;
        }
    }
}

/* The first seven DLLPs each way, which bring the link up. */
TEST_P(Exhaustive, FatesOfTheInitialisation)
{
    for (uint64_t a = 0; a < power(2, 7); a++) {
        for (uint64_t b = 0; b < power(2, 7); b++) {
            Faults fa, fb;

            fates(&fa, PCIE_FAULT_DLLP, 1, 7, 2, a);
            fates(&fb, PCIE_FAULT_DLLP, 1, 7, 2, b);
            run(GetParam(), &fa, &fb);
            if (HasFatalFailure())
                FAIL() << "DLLPs " << a << " and " << b;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Sizes, Exhaustive, ::testing::ValuesIn(sizes));

} // namespace
