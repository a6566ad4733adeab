/*
 * The transport "tca": which way data take and how often software copies them, what waits for what,
 * and what each of its mechanisms costs.
 */
#include <algorithm>

#include "hosts/transport/tca/settings.h"
#include "tests/hosts/transport/tca_pair.h"

namespace
{

using namespace test;

constexpr uint64_t far_away = 64; /* of an address whose low bits are chosen */

void fill(uint8_t *p, uint64_t bytes, unsigned seed)
{
    for (uint64_t i = 0; i < bytes; i++)
        p[i] = (uint8_t)(seed + i * 7 + (i >> 8) * 3);
}

bool is_filled(const uint8_t *p, uint64_t bytes, unsigned seed)
{
    for (uint64_t i = 0; i < bytes; i++)
        if (p[i] != (uint8_t)(seed + i * 7 + (i >> 8) * 3))
            return false;
    return true;
}

/* ---- modes and copies --------------------------------------------------------------------- */

struct Copy {
    const char *what;
    Kind from, to;
    uint64_t bytes;
    unsigned from_low, to_low; /* low bits of the addresses */
    tct_mode mode;
    uint64_t here, there; /* copies by software: at the sender, at the receiver */
    bool head;            /* some bytes travel in the packet */
};

class TcaModes : public testing::TestWithParam<Copy>
{
};

/* Rank 0 writes once to rank 1. */
TEST_P(TcaModes, CopyAsOftenAsTheTableSays)
{
    const Copy &copy = GetParam();

    run_pair({ { "mpi.piece_bytes", 16384 }, { "mpi.landing_bytes", 16384 } }, [&copy](TcaRank &r) {
        uint64_t room = std::max<uint64_t>(copy.bytes, 4096) + 2 * far_away;
        uint8_t *from = r.memory(copy.from, room) + copy.from_low,
                *to = r.memory(copy.to, room) + copy.to_low;
        transport_key key = r.swap(to, room - far_away);
        tct_counts before = r.counts();

        fill(from, copy.bytes, 5);
        if (r.h->rank == 0)
            r.wait_done(r.write(key, 0, from, copy.bytes, 1));
        else
            r.wait_note(1);
        tct_counts after = r.counts();
        r.settle();
        if (r.h->rank == 1)
            EXPECT_TRUE(is_filled(to, copy.bytes, 5));
        for (unsigned mode = 0; mode < TCT_MODES; mode++) {
            uint64_t copies = r.h->rank == 0 ? copy.here : copy.there;
            uint64_t head = copy.head && mode == TCT_BTOB ? 1 : 0;
            uint64_t sent = r.h->rank == 0 ? head : 0;
            if (mode != copy.mode)
                copies = 0;
            else if (r.h->rank == 0)
                sent++;
            EXPECT_EQ(copies + head, after.mode[mode].copies - before.mode[mode].copies)
                << "mode " << mode << " at rank " << r.h->rank;
            EXPECT_EQ(sent, after.mode[mode].transfers - before.mode[mode].transfers)
                << "mode " << mode << " at rank " << r.h->rank;
        }
        return 0;
    });
}

INSTANTIATE_TEST_SUITE_P(
    Ways, TcaModes,
    testing::Values(
        Copy{ "FewOfTheHost", Kind::pinned, Kind::pinned, 8, 0, 0, TCT_BTOB, 1, 1, false },
        Copy{ "FewToAGpu", Kind::program, Kind::gpu, 8, 0, 0, TCT_BTOB, 1, 1, false },
        Copy{ "OfTheProgramToItself", Kind::program, Kind::program, 16000, 0, 0, TCT_BTOB, 1, 1,
              false },
        Copy{ "GpuToGpu", Kind::gpu, Kind::gpu, 8, 0, 0, TCT_MTOM, 0, 0, false },
        Copy{ "LongGpuToGpu", Kind::gpu, Kind::gpu, 400000, 4, 4, TCT_MTOM, 0, 0, false },
        Copy{ "OddGpuToGpu", Kind::gpu, Kind::gpu, 1003, 1, 17, TCT_MTOM, 0, 0, true },
        Copy{ "PinnedToPinned", Kind::pinned, Kind::pinned, 100000, 0, 0, TCT_MTOM, 0, 0, false },
        Copy{ "ProgramToGpu", Kind::program, Kind::gpu, 16000, 0, 0, TCT_BTOM, 1, 0, false },
        Copy{ "OddProgramToGpu", Kind::program, Kind::gpu, 4097, 0, 3, TCT_BTOM, 1, 0, true },
        Copy{ "PhasesThatDiffer", Kind::gpu, Kind::gpu, 1000, 4, 8, TCT_BTOM, 1, 0, false },
        Copy{ "PiecesToAGpu", Kind::program, Kind::gpu, 5 * 16384, 0, 0, TCT_BTOM, 5, 0, false },
        Copy{ "GpuToTheProgram", Kind::gpu, Kind::program, 16000, 0, 0, TCT_MTOB, 0, 1, false },
        Copy{ "OddGpuToTheProgram", Kind::gpu, Kind::program, 9001, 3, 8, TCT_MTOB, 0, 1, false },
        Copy{ "PiecesToTheProgram", Kind::gpu, Kind::program, 5 * 16384, 0, 0, TCT_MTOB, 0, 5,
              false },
        Copy{ "StagedToAGpu", Kind::gpu, Kind::gpu, 64 * 16384, 0, 0, TCT_BTOM, 64, 0, false },
        Copy{ "StagedToTheProgram", Kind::gpu, Kind::program, 64 * 16384, 0, 0, TCT_BTOB, 64, 64,
              false }),
    [](const auto &info) { return info.param.what; });

/* A stage is as long as a piece to a target that a channel reaches. */
TEST(TcaStages, HoldPiecesThatLandToo)
{
    const uint64_t bytes = 100001;
    const Settings settings = { { "mpi.stage_bytes", 4096 },
                                { "mpi.piece_bytes", 4096 },
                                { "mpi.first_bytes", 1024 },
                                { "mpi.landing_bytes", 65536 } };

    run_pair(settings, [](TcaRank &r) {
        uint8_t *from = r.memory(Kind::gpu, bytes), *to = r.memory(Kind::program, bytes);
        transport_key key = r.swap(to, bytes);

        fill(from, bytes, 3);
        if (r.h->rank == 0)
            r.wait_done(r.write(key, 0, from, bytes, 1));
        else
            r.wait_note(1);
        EXPECT_TRUE(r.h->rank == 0 || is_filled(to, bytes, 3));
        EXPECT_TRUE(r.h->rank != 0 || r.counts().staged > bytes / 4096);
        r.sync();
        return 0;
    });
}

/* ---- blocks ------------------------------------------------------------------------------- */

struct Blocks {
    const char *what;
    Kind from, to;
    uint32_t block, nblocks;
    int64_t from_step, to_step;
    bool laid_out; /* one descriptor says it */
};

class TcaBlocks : public testing::TestWithParam<Blocks>
{
};

TEST_P(TcaBlocks, AreOneDescriptorWhereTheHubTakesThem)
{
    const Blocks &b = GetParam();

    run_pair(
        {},
        [&b](TcaRank &r) {
            uint64_t room = (uint64_t)std::max(std::abs(b.from_step), b.to_step) * b.nblocks;
            uint8_t *from = r.memory(b.from, room), *to = r.memory(b.to, room);
            transport_key key = r.swap(to, room);
            transport_strides strides = { b.block, b.nblocks, b.from_step, b.to_step };
            transport_write w = {};
            bool well = true;

            w.key = &key;
            w.from = from + (b.from_step < 0 ? room - b.block : 0);
            w.bytes = (uint64_t)b.block * b.nblocks;
            w.strides = &strides;
            EXPECT_EQ(b.laid_out, r.t->ops->lays_out(r.t, 1 - r.h->rank, &w));
            if (!b.laid_out)
                return 0;
            fill(from, room, 9);
            memset(to, 0, room);
            r.sync();
            uint64_t before = r.counts().strided;
            r.wait_done(r.write(key, 0, from, w.bytes, 1, 16, &strides));
            EXPECT_EQ(1u, r.counts().strided - before);
            r.wait_note(1);
            for (uint64_t i = 0; i < room; i++) { /* the memory of both was filled alike */
                uint64_t block = i / (uint64_t)b.to_step, in_block = i % (uint64_t)b.to_step;
                bool hit = block < b.nblocks && in_block < b.block;
                well &=
                    to[i] == (hit ? from[block * (uint64_t)b.from_step + in_block] : uint8_t{ 0 });
            }
            EXPECT_TRUE(well);
            return 0;
        },
        {}, false, "gasnet");
}

INSTANTIATE_TEST_SUITE_P(
    Ways, TcaBlocks,
    testing::Values(Blocks{ "RowsOfGpus", Kind::gpu, Kind::gpu, 512, 40, 2048, 2048, true },
                    Blocks{ "PackedRows", Kind::gpu, Kind::gpu, 512, 40, 2048, 512, true },
                    Blocks{ "SingleNumbers", Kind::gpu, Kind::gpu, 8, 100, 80, 80, true },
                    Blocks{ "PinnedRows", Kind::pinned, Kind::gpu, 32, 100, 80, 48, true },
                    Blocks{ "StepsThatDisagree", Kind::gpu, Kind::gpu, 8, 50, 32, 24, false },
                    Blocks{ "OddBlocks", Kind::gpu, Kind::gpu, 7, 33, 32, 32, false },
                    Blocks{ "RowsOfTheProgram", Kind::program, Kind::gpu, 64, 90, 256, 256, false },
                    Blocks{ "Backwards", Kind::pinned, Kind::gpu, 64, 20, -128, 128, false },
                    Blocks{ "ToTheProgram", Kind::gpu, Kind::program, 64, 60, 256, 256, false }),
    [](const auto &info) { return info.param.what; });

/* The engine of the GPU gathers blocks, a descriptor for each piece spreads them: whatever the low
 * bits of the target are, and however few blocks a piece has. */
TEST(TcaBlocks, OfALongSourceAreStaged)
{
    const Settings small = { { "gasnet.stage_bytes", 16384 },
                             { "gasnet.piece_bytes", 8192 },
                             { "gasnet.first_bytes", 1024 } };

    for (const Blocks &b : { Blocks{ "", Kind::gpu, Kind::gpu, 512, 300, 2048, 4096, true },
                             Blocks{ "", Kind::gpu, Kind::gpu, 24, 2000, 40, 56, true },
                             Blocks{ "", Kind::gpu, Kind::gpu, 8192, 5, 10000, 8192, true },
                             Blocks{ "", Kind::gpu, Kind::gpu, 6000, 7, 8196, 6016, true },
                             Blocks{ "", Kind::gpu, Kind::pinned, 24, 2000, 40, 40, true },
                             Blocks{ "", Kind::gpu, Kind::gpu, 24, 2000, 40, 48, false },
                             Blocks{ "", Kind::gpu, Kind::gpu, 8196, 5, 10000, 10000, false } }) {
        run_pair(
            small,
            [&b](TcaRank &r) {
                const uint64_t low = 4;
                uint64_t room = (uint64_t)std::max(b.from_step, b.to_step) * b.nblocks + low;
                uint8_t *from = r.memory(b.from, room), *to = r.memory(b.to, room);
                transport_key key = r.swap(to, room);
                transport_strides strides = { b.block, b.nblocks, b.from_step, b.to_step };
                transport_write w = {};
                bool well = true;

                w.key = &key;
                w.at = low;
                w.from = from;
                w.bytes = (uint64_t)b.block * b.nblocks;
                w.strides = &strides;
                EXPECT_EQ(b.laid_out, r.t->ops->lays_out(r.t, 1 - r.h->rank, &w)) << b.block;
                if (!b.laid_out)
                    return 0;
                fill(from, room, 9);
                memset(to, 0, room);
                r.sync();
                tct_counts before = r.counts();
                r.wait_done(r.write(key, low, from, w.bytes, 1, 16, &strides));
                EXPECT_EQ(w.bytes, r.counts().mode[TCT_BTOM].bytes - before.mode[TCT_BTOM].bytes);
                EXPECT_LT(2u, r.counts().staged - before.staged);
                r.wait_note(1);
                for (uint64_t i = 0; i + low < room; i++) {
                    uint64_t block = i / (uint64_t)b.to_step, in_block = i % (uint64_t)b.to_step;
                    bool hit = block < b.nblocks && in_block < b.block;
                    well &= to[low + i] ==
                            (hit ? from[block * (uint64_t)b.from_step + in_block] : uint8_t{ 0 });
                }
                EXPECT_TRUE(well) << b.block << " by " << b.nblocks;
                return 0;
            },
            {}, false, "gasnet");
    }
}

/* So few data of a GPU are loaded by the core, and their blocks are not staged, whatever the
 * setting says. */
TEST(TcaBlocks, OfAFewBytesAreNotStaged)
{
    run_pair(
        { { "gasnet.stage_bytes", 32 } },
        [](TcaRank &r) {
            const transport_strides strides = { 8, 6, 32, 48 };
            uint8_t *from = r.memory(Kind::gpu, 4096), *to = r.memory(Kind::gpu, 4096);
            transport_key key = r.swap(to, 4096);
            transport_write w = {};

            fill(from, 4096, 9);
            memset(to, 0, 4096);
            r.sync();
            w.key = &key;
            w.from = from;
            w.bytes = 48;
            w.strides = &strides;
            EXPECT_TRUE(r.t->ops->lays_out(r.t, 1 - r.h->rank, &w));
            r.wait_done(r.write(key, 0, from, 48, 1, 16, &strides));
            r.wait_note(1);
            for (unsigned i = 0; i < 6; i++)
                EXPECT_EQ(0, memcmp(to + 48 * i, from + 32 * i, 8)) << i;
            EXPECT_EQ(0u, r.counts().staged);
            return 0;
        },
        {}, false, "gasnet");
}

/* ---- times ------------------------------------------------------------------------------------
 */

/** Half a round trip, when all descriptors are made. */
uint64_t half_trip(const Settings &settings, Kind from, Kind to, uint64_t bytes)
{
    uint64_t took = 0;

    run_pair(
        settings,
        [&](TcaRank &r) {
            const unsigned warm = bytes < 100000 ? 8 : 2, rounds = bytes < 100000 ? 10 : 2;
            uint8_t *out = r.memory(from, bytes),
                    *in = r.memory(to, std::max<uint64_t>(bytes, 4096));
            transport_key key = r.swap(in, std::max<uint64_t>(bytes, 4096));
            uint64_t begin = 0;

            for (uint32_t i = 0; i < warm + rounds; i++) {
                if (i == warm)
                    begin = r.now();
                if (r.h->rank == 1)
                    r.wait_note(i);
                transport_ticket ticket = r.write(key, 0, out, bytes, i);
                if (r.h->rank == 0)
                    r.wait_note(i);
                r.wait_done(ticket);
            }
            took = (r.now() - begin) / rounds / 2;
            return 0;
        },
        {}, true);
    return took;
}

double us(uint64_t ps)
{
    return (double)ps * 1e-6;
}

TEST(TcaTimes, DescriptorsOfTheHostTakeOneMicrosecondLonger)
{
    uint64_t internal = half_trip({}, Kind::gpu, Kind::gpu, 8);
    uint64_t host = half_trip({ { "mpi.promote", 2 } }, Kind::gpu, Kind::gpu, 8);

    EXPECT_GE(us(host - internal), 0.8) << us(internal) << " and " << us(host);
    EXPECT_LE(us(host - internal), 1.2) << us(internal) << " and " << us(host);
}

/* What is left of a bare transfer's bandwidth: both ways out of memory that no channel reads, or
 * reads slowly, hide their copies. */
TEST(TcaTimes, CopiesOfLongDataHideBehindTransfers)
{
    constexpr uint64_t bytes = 4 << 20;
    double bare = us(half_trip({}, Kind::pinned, Kind::gpu, bytes));
    double program = us(half_trip({}, Kind::program, Kind::gpu, bytes));
    double gpu = us(half_trip({}, Kind::gpu, Kind::gpu, bytes));
    double unstaged =
        us(half_trip({ { "mpi.stage_bytes", 1 << 30 } }, Kind::gpu, Kind::gpu, bytes));

    EXPECT_LT(program, 1.05 * bare);
    EXPECT_LT(gpu, 1.08 * bare);
    EXPECT_GT(unstaged, 1.2 * bare);
}

/* ---- rings --------------------------------------------------------------------------------------
 */

/* Rank 1 takes nothing for a while. All that was sent comes, in order. */
TEST(TcaRings, OfTwoEntriesStallsAndLosesNothing)
{
    run_pair({ { "mpi.ring_entries", 2 } }, [](TcaRank &r) {
        constexpr uint32_t n = 40;
        uint8_t *p = r.memory(Kind::gpu, 64 * n);
        transport_key key = r.swap(p, 64 * n);
        uint8_t data[48];

        if (r.h->rank == 1)
            r.h->cpu->spend(r.h, 50 * 1000000);
        for (uint32_t i = 0; i < n; i++) {
            if (r.h->rank == 1) {
                r.wait_note(i);
                r.settle();
                EXPECT_TRUE(is_filled(p + 64 * i, 1 + i, i)) << i;
            } else {
                fill(data, 1 + i, i);
                EXPECT_EQ(0u, r.write(key, 64 * i, data, 1 + i, i));
            }
        }
        if (r.h->rank == 0)
            EXPECT_LT(0u, r.counts().stalls);
        return 0;
    });
}

/* Entries that are not taken fill the one ring, and what goes by the other one passes them. */
TEST(TcaRings, OfRepliesDoesNotWaitBehindRequests)
{
    run_pair({ { "mpi.ring_entries", 4 } }, [](TcaRank &r) {
        transport_entry e = {};
        uint32_t number = 0;

        e.head = &number;
        e.head_bytes = sizeof(number);
        for (unsigned i = 0; i < 4; i++)
            EXPECT_TRUE(r.t->ops->append(r.t, 1 - r.h->rank, &e)) << i;
        EXPECT_FALSE(r.t->ops->append(r.t, 1 - r.h->rank, &e));
        e.fifo = TRANSPORT_REQUEST;
        for (number = 1; number <= 100; number++) {
            while (!r.t->ops->append(r.t, 1 - r.h->rank, &e))
                r.rest();
            uint32_t is =
                *reinterpret_cast<const uint32_t *>(r.wait_entry(TRANSPORT_REQUEST).bytes);
            EXPECT_EQ(number, is);
            r.release(TRANSPORT_REQUEST);
        }
        return 0;
    });
}

/* Data that land in pieces need the far software, but none that takes what lies in front. */
TEST(TcaRings, OfPiecesDoesNotWaitBehindRequests)
{
    run_pair({ { "mpi.ring_entries", 2 }, { "mpi.landing_bytes", 1024 } }, [](TcaRank &r) {
        constexpr uint64_t bytes = 100000;
        uint8_t *from = r.memory(Kind::program, bytes), *to = r.memory(Kind::program, bytes);
        transport_key key = r.swap(to, bytes);
        transport_write w = {};
        transport_ticket ticket = 0;
        uint32_t number = 7;

        fill(from, bytes, r.h->rank);
        (void)r.write(key, 0, from, 8, 1); /* its note is not taken before the end */
        w.key = &key;
        w.from = from;
        w.bytes = bytes;
        w.fifo = TRANSPORT_REQUEST;
        w.note = &number;
        w.note_bytes = sizeof(number);
        EXPECT_TRUE(r.t->ops->write(r.t, 1 - r.h->rank, &w, &ticket));
        (void)r.wait_entry(TRANSPORT_REQUEST);
        EXPECT_TRUE(is_filled(to, bytes, 1 - r.h->rank));
        r.release(TRANSPORT_REQUEST);
        r.wait_note(1);
        r.wait_done(ticket);
        return 0;
    });
}

/* ---- the fault
 * ------------------------------------------------------------------------------------ */

/** What a write takes its sender, to the end, and how often it looked. */
struct Sent {
    uint64_t ps, looks, poll_ps;
};

Sent send_once(bool fault, Kind from, uint64_t bytes)
{
    Sent sent = {};

    run_pair(
        { { "mpi.fault", fault } },
        [&](TcaRank &r) {
            uint8_t *out = r.memory(from, 4096), *in = r.memory(Kind::gpu, 4096);
            transport_key key = r.swap(in, 4096);

            for (uint32_t i = 0; i < 4; i++) { /* the last one with all that is made once */
                uint64_t begin = r.now(), looks = r.counts().looks;

                if (r.h->rank == 1) {
                    r.wait_note(i);
                    continue;
                }
                r.wait_done(r.write(key, 0, out, bytes, i));
                sent = { r.now() - begin, r.counts().looks - looks, 0 };
                begin = r.now();
                (void)driver_read(r.h, driver_of(r.h), HUB_DMA(3) + HUB_DMA_BYTES);
                sent.poll_ps = r.now() - begin;
            }
            return 0;
        },
        {}, true);
    return sent;
}

TEST(TcaFault, LengthensEachTransferByWholePollsAndPacketsByNone)
{
    Sent good = send_once(false, Kind::gpu, 512), bad = send_once(true, Kind::gpu, 512);
    Sent packet = send_once(false, Kind::program, 8), same = send_once(true, Kind::program, 8);

    EXPECT_EQ(0u, good.looks);
    EXPECT_LE(2u, bad.looks);
    EXPECT_GT(bad.ps, good.ps);
    /* The last one began when the transfer had ended; what is beside them is less than one. */
    EXPECT_GE(bad.ps, bad.looks * bad.poll_ps);
    EXPECT_LT(bad.ps, (bad.looks + 1) * bad.poll_ps);
    EXPECT_EQ(0u, same.looks);
    EXPECT_EQ(packet.ps, same.ps);
}

/* ---- descriptors
 * -------------------------------------------------------------------------------------- */

/* More patterns than the hub's memory holds: the ones in use move there, others leave, and all data
 * are right. */
TEST(TcaDescriptors, OfMorePatternsThanTheHubHoldsStayRight)
{
    run_pair(
        { { "mpi.cache_entries", 512 } },
        [](TcaRank &r) {
            constexpr uint32_t patterns = 1400, step = 64;
            constexpr uint64_t bytes = patterns * step;
            uint8_t *out = r.memory(Kind::gpu, bytes), *in = r.memory(Kind::gpu, bytes);
            transport_key key = r.swap(in, bytes);

            fill(out, bytes, 3);
            for (uint32_t i = 0; i < patterns && r.h->rank == 0; i++)
                for (unsigned use = 0; use < 3; use++)
                    r.wait_done(
                        r.write(key, (uint64_t)i * step, out + (uint64_t)i * step, step, i));
            for (uint32_t i = 0; i < patterns && r.h->rank == 1; i++)
                for (unsigned use = 0; use < 3; use++)
                    r.wait_note(i);
            if (r.h->rank == 1)
                EXPECT_TRUE(is_filled(in, bytes, 3));
            else
                EXPECT_LT(300u, r.counts().cache.evicted_internal);
            return 0;
        },
        {}, true);
}

/** No descriptor is made from round `from` on. */
void expect_steady(const Settings &settings, uint32_t from)
{
    run_pair(settings, [from](TcaRank &r) {
        constexpr uint64_t bytes = 8192;
        uint8_t *out = r.memory(Kind::gpu, bytes), *in = r.memory(Kind::gpu, bytes);
        uint8_t *own = r.memory(Kind::program, bytes);
        transport_key key = r.swap(in, bytes);
        uint64_t made = 0;

        for (uint32_t round = 0; round < 10; round++) {
            const tct_cache_counts &cache = r.counts().cache;

            if (round == from)
                made = cache.made_host + cache.made_internal;
            for (uint32_t i = 0; i < 4; i++) {
                r.wait_done(r.write(key, 1024 * i, out, 512, i));
                r.wait_note(i);
                r.wait_done(r.write(key, 4096 + 1024 * i, own, 1024, i));
                r.wait_note(i);
            }
        }
        EXPECT_EQ(made, r.counts().cache.made_host + r.counts().cache.made_internal);
        return 0;
    });
}

TEST(TcaDescriptors, AreNotMadeAfterTheFirstRound)
{
    expect_steady({ { "mpi.promote", 2 } }, 1);
}

/* With their third use they are made once more, in the hub's memory. */
TEST(TcaDescriptors, AreMadeOnceMoreWhereTheyMove)
{
    expect_steady({}, 3);
    expect_steady({ { "mpi.promote_uses", 1 } }, 2);
}

} // namespace
