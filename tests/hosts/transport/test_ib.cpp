/* The transport "ib": what registered memory costs, and what stands for it. */
#include "tests/hosts/transport/tca_pair.h"

namespace
{

using namespace test;

constexpr uint64_t most = 1 << 20;

/** The second write of so many bytes from memory of the program, until it is done: its source was
 * registered before, if it stays so. */
uint64_t time_write(const Settings &settings, uint64_t bytes)
{
    static uint64_t ps;

    run_pair(
        settings,
        [bytes](TcaRank &r) {
            uint8_t *from = r.memory(Kind::program, most), *to = r.memory(Kind::pinned, most);
            transport_key key = r.swap(to, most);

            for (unsigned i = 0; i < 2; i++) {
                uint64_t start = r.now();

                memset(from, (int)i + 1, most);
                if (r.h->rank == 0)
                    r.wait_done(r.write(key, 0, from, bytes, i));
                else
                    r.wait_note(i);
                ps = r.h->rank == 0 ? r.now() - start : ps;
                EXPECT_TRUE(r.h->rank == 0 || (to[0] == i + 1 && to[bytes - 1] == i + 1));
                r.sync();
            }
            return 0;
        },
        {}, true, "mpi", "ib");
    return ps;
}

TEST(IbRegions, ThatAreNotKeptCostEachTransferItsPages)
{
    const uint64_t page_ps = 250000, call_ps = 500000, few_ps = 4000000;
    const Settings kept = {}, lent = { { "mpi.keep_regions", 2 } };

    for (uint64_t bytes : { most, most / 4 }) {
        uint64_t more = time_write(lent, bytes) - time_write(kept, bytes);
        /* a page more where they do not begin at one; calls to register and to end that,
         * and the commands of the adapter in them */
        uint64_t least = bytes / HOST_PAGE * page_ps + 2 * call_ps;

        EXPECT_LE(least, more) << bytes;
        EXPECT_GE(least + page_ps + few_ps, more) << bytes;
    }
}

/* 170 ns for each KiB, of which all but the first piece's travel beside the network. */
TEST(IbRegions, AreNotNeededForDataThatBounce)
{
    const Settings kept = {},
                   bounced = { { "mpi.keep_regions", 2 }, { "mpi.bounce_bytes", 65536 } };
    const uint64_t piece_ps = 4 * 170000;

    for (uint64_t bytes : { 4096, 65536 }) {
        uint64_t more = time_write(bounced, bytes) - time_write(kept, bytes);

        EXPECT_LE(piece_ps / 2, more) << bytes;
        EXPECT_GE(2 * piece_ps, more) << bytes;
    }
    EXPECT_EQ(time_write(bounced, most), time_write({ { "mpi.keep_regions", 2 } }, most));
}

/* An entry names how many writes by the second rail have to be there. A receiver that looks late
 * finds many more of them, and takes it all the same. */
TEST(IbRails, AnEntryIsTakenHoweverManyWritesHaveComeBehindIt)
{
    const uint64_t second_ps = 1000000000000, late_ps = second_ps / 10;
    const unsigned writes = 3000;
    const Settings striped = { { "mpi.rails", 2 }, { "mpi.stripe_bytes", 128 } };

    run_pair(
        striped,
        [=](TcaRank &r) {
            uint8_t *from = r.memory(Kind::pinned, 128), *to = r.memory(Kind::pinned, 128);
            transport_key key = r.swap(to, 128);
            transport_ticket last = 0;

            memset(from, 7, 128);
            if (r.h->rank == 0)
                (void)r.write(key, 0, from, 128, 1);
            for (unsigned i = 0; r.h->rank == 0 && i < writes; i++)
                last = r.write(key, 0, from, 128, 0, 0);
            r.wait_done(last);
            EXPECT_GT(late_ps, r.now());
            if (r.h->rank == 1) {
                r.h->cpu->sleep(r.h, late_ps);
                r.wait_note(1);
                EXPECT_TRUE(to[0] == 7 && to[127] == 7);
            }
            r.sync();
            return 0;
        },
        {}, false, "mpi", "ib");
}

} // namespace
