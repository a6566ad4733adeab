/* The check for races: a program of many small cases (races.c), each of which uses memory while a
 * transfer does, or waits before. */
#include "tests/hosts/launch/race/run_case.h"
#include "tests/hosts/machine_file.h"

namespace
{
using test::run_case;
using test::Seen;

/** Who does what at which place, and what at which other place does it meet? */
struct Expected {
    const char *name, *rank, *use, *transfer;
};

class Race : public testing::TestWithParam<Expected>
{
};

TEST_P(Race, IsFoundWithBothPlaces)
{
    const Expected &e = GetParam();
    Seen seen = run_case(e.name, HOST_CHECK_RACES);

    ASSERT_EQ(1u, seen.found.size()) << testing::PrintToString(seen.found);
    EXPECT_EQ(1u, seen.mistakes);
    const std::string &line = seen.found[0];
    EXPECT_EQ(0u, line.find(std::string(e.rank) + " on node ")) << line;
    size_t use = line.find(std::string(": ") + e.use + " ");
    size_t place = line.find(" at test_races.so+0x", use);
    size_t transfer = line.find(std::string(", which ") + e.transfer, place);
    EXPECT_NE(std::string::npos, use) << line;
    EXPECT_NE(std::string::npos, place) << line;
    EXPECT_NE(std::string::npos, transfer) << line;
    EXPECT_NE(std::string::npos, line.find(" at test_races.so+0x", transfer)) << line;
}
INSTANTIATE_TEST_SUITE_P(
    Puts, Race,
    testing::Values(
        Expected{ "loads_at_once", "rank 1", "loads", "tcaStartDMADesc of rank 0" },
        Expected{ "loads_after_senders_wait", "rank 1", "loads", "tcaStartDMADesc of rank 0" },
        Expected{ "loads_after_idle", "rank 1", "loads", "tcaStartDMADesc of rank 0" },
        Expected{ "waits_for_few_of_many", "rank 1", "loads", "tcaStartDMADesc of rank 0" },
        Expected{ "waits_for_other_slot", "rank 1", "loads", "tcaStartDMADesc of rank 0" },
        Expected{ "second_put_without_wait", "rank 1", "loads", "tcaStartDMADesc of rank 0" },
        Expected{ "copies_at_once", "rank 1", "loads", "tcaStartDMADesc of rank 0" },
        Expected{ "sends_at_once", "rank 1", "MPI_Send: loads", "tcaStartDMADesc of rank 0" },
        Expected{ "stores_to_destination", "rank 1", "stores", "tcaStartDMADesc of rank 0" },
        Expected{ "stores_to_source", "rank 0", "stores", "tcaStartDMADesc of rank 0" },
        Expected{ "stores_after_other_channel", "rank 0", "stores", "tcaStartDMADesc of rank 0" },
        Expected{ "stores_to_next_source", "rank 0", "stores", "tcaStartDMADesc of rank 0" },
        Expected{ "relays_at_once", "rank 1", "tcaStartDMADesc: loads",
                  "tcaStartDMADesc of rank 0" },
        Expected{ "puts_by_two_channels", "rank 0", "tcaStartDMADesc: stores",
                  "tcaStartDMADesc of rank 0" },
        Expected{ "clears_source", "rank 0", "stores", "tcaStartDMADesc of rank 0" },
        Expected{ "receives_to_source", "rank 0", "MPI_Recv: stores", "tcaStartDMADesc of rank 0" },
        Expected{ "loads_rows", "rank 1", "loads", "tcaStartDMADesc of rank 0" },
        Expected{ "stores_to_rows", "rank 0", "stores", "tcaStartDMADesc of rank 0" },
        Expected{ "polls_first_word", "rank 1", "loads", "tcaStartDMADesc of rank 0" },
        Expected{ "loads_block_too_early", "rank 1", "loads", "tcaStartDMADesc of rank 0" },
        Expected{ "polls_other_channel", "rank 1", "loads", "tcaStartDMADesc of rank 0" },
        Expected{ "polls_old_value", "rank 1", "loads", "tcaStartDMADesc of rank 0" },
        Expected{ "loads_stored", "rank 1", "loads", "tcaSendPIO of rank 0" },
        Expected{ "stores_to_stored", "rank 1", "stores", "tcaSendPIO of rank 0" }));

/* Who has waited for one may have done all that is right, and the sender is too early. */
TEST(RaceExpects, ASenderThatWaitsWhereAnEarlierPutIsKnown)
{
    const std::string sender = "a sender that waits until that has been used";

    for (bool known : { false, true }) {
        Seen seen = run_case(known ? "second_put_without_wait" : "loads_at_once", HOST_CHECK_RACES);

        ASSERT_EQ(1u, seen.found.size());
        EXPECT_EQ(known, seen.found[0].find(sender) != std::string::npos) << seen.found[0];
    }
}

INSTANTIATE_TEST_SUITE_P(
    Messages, Race,
    testing::Values(Expected{ "stores_while_sent", "rank 0", "stores", "MPI_Isend" },
                    Expected{ "copies_while_sent", "rank 0", "stores", "MPI_Isend" },
                    Expected{ "loads_while_received", "rank 1", "loads", "MPI_Irecv" },
                    Expected{ "stores_while_received", "rank 1", "stores", "MPI_Irecv" },
                    Expected{ "sends_while_received", "rank 1", "MPI_Send: loads", "MPI_Irecv" },
                    Expected{ "receives_twice", "rank 1", "MPI_Irecv: stores", "MPI_Irecv" },
                    Expected{ "receives_while_sent", "rank 0", "MPI_Recv: stores", "MPI_Isend" },
                    Expected{ "stores_while_persistent", "rank 0", "stores", "MPI_Start" },
                    Expected{ "loads_column", "rank 1", "loads", "MPI_Irecv" },
                    Expected{ "loads_piece", "rank 1", "loads", "MPI_Irecv" },
                    Expected{ "loads_piece_out_of_order", "rank 1", "loads", "MPI_Irecv" },
                    Expected{ "loads_after_test", "rank 1", "loads", "MPI_Irecv" },
                    Expected{ "loads_after_status", "rank 1", "loads", "MPI_Irecv" },
                    Expected{ "loads_while_probed_message_comes", "rank 1", "loads", "MPI_Imrecv" },
                    Expected{ "loads_other_of_any", "rank 1", "loads", "MPI_Irecv" },
                    Expected{ "stores_after_request_freed", "rank 0", "stores", "MPI_Isend" },
                    Expected{ "stores_after_persistent_freed", "rank 0", "stores", "MPI_Start" },
                    Expected{ "loads_after_request_freed", "rank 1", "loads", "MPI_Irecv" },
                    Expected{ "puts_after_short_send", "rank 0", "tcaStartDMADesc: stores",
                              "tcaStartDMADesc of rank 0" },
                    Expected{ "puts_after_long_send", "rank 0", "tcaStartDMADesc: stores",
                              "tcaStartDMADesc of rank 0" }));

INSTANTIATE_TEST_SUITE_P(
    Collectives, Race,
    testing::Values(Expected{ "stores_while_broadcast", "rank 0", "stores", "MPI_Ibcast" },
                    Expected{ "loads_while_broadcast", "rank 1", "loads", "MPI_Ibcast" },
                    Expected{ "loads_while_summed", "rank 1", "loads", "MPI_Iallreduce" },
                    Expected{ "stores_while_gathered", "rank 1", "stores", "MPI_Igather" },
                    Expected{ "loads_block_while_exchanged", "rank 1", "loads", "MPI_Ialltoall" }));

INSTANTIATE_TEST_SUITE_P(
    OneSided, Race,
    testing::Values(
        Expected{ "loads_in_epoch", "rank 1", "loads", "MPI_Put of rank 0" },
        Expected{ "stores_in_epoch", "rank 1", "stores", "MPI_Put of rank 0" },
        Expected{ "stores_to_got", "rank 1", "stores", "MPI_Get of rank 0" },
        Expected{ "stores_to_fetched_by_no_op", "rank 1", "stores",
                  "MPI_Get_accumulate of rank 0" },
        Expected{ "stores_to_origin", "rank 0", "stores", "MPI_Put" },
        Expected{ "loads_result_in_epoch", "rank 0", "loads", "MPI_Get" },
        Expected{ "puts_from_both", "rank 1", "MPI_Put: stores", "MPI_Put of rank 0" },
        Expected{ "put_meets_accumulate", "rank 1", "MPI_Accumulate: stores", "MPI_Put of rank 0" },
        Expected{ "loads_after_local_flush", "rank 1", "loads", "MPI_Put of rank 0" },
        Expected{ "puts_twice", "rank 0", "MPI_Put: stores", "MPI_Put of rank 0" },
        Expected{ "gets_what_it_puts", "rank 0", "MPI_Get: loads", "MPI_Put of rank 0" },
        Expected{ "puts_to_added", "rank 0", "MPI_Put: stores", "MPI_Accumulate of rank 0" },
        Expected{ "puts_twice_exclusively", "rank 0", "MPI_Put: stores", "MPI_Put of rank 0" },
        Expected{ "stores_before_own_lock", "rank 1", "stores", "MPI_Put of rank 0" },
        Expected{ "puts_with_locks_of_two_windows", "rank 1", "MPI_Put: stores",
                  "MPI_Put of rank 0" },
        Expected{ "loads_with_lock_of_other_window", "rank 1", "loads", "MPI_Put of rank 0" },
        Expected{ "loads_after_flush_of_other_window", "rank 1", "loads", "MPI_Put of rank 0" },
        Expected{ "puts_to_itself", "rank 0", "loads", "MPI_Put of rank 0" },
        Expected{ "stores_while_put_requested", "rank 0", "stores", "MPI_Rput" },
        Expected{ "loads_while_fetched", "rank 0", "loads", "MPI_Fetch_and_op" },
        Expected{ "loads_while_exposed", "rank 1", "loads", "MPI_Put of rank 0" }));

INSTANTIATE_TEST_SUITE_P(
    Meetings, Race,
    testing::Values(
        Expected{ "puts_to_gpu_by_two_channels", "rank 0", "tcaStartDMADesc: stores",
                  "tcaStartDMADesc of rank 0" },
        Expected{ "relays_from_gpu_at_once", "rank 1", "tcaStartDMADesc: loads",
                  "tcaStartDMADesc of rank 0" },
        Expected{ "puts_by_other_channel_behind_receivers_wait", "rank 0",
                  "tcaStartDMADesc: stores", "tcaStartDMADesc of rank 0" },
        Expected{ "puts_to_source_behind_owners_wait", "rank 1", "tcaStartDMADesc: stores",
                  "tcaStartDMADesc of rank 0" },
        Expected{ "puts_by_other_channel_behind_some", "rank 0", "tcaStartDMADesc: stores",
                  "tcaStartDMADesc of rank 0" },
        Expected{ "mpi_puts_behind_put", "rank 0", "MPI_Put: stores", "tcaStartDMADesc of rank 0" },
        Expected{ "mpi_puts_behind_receivers_wait", "rank 0", "MPI_Put: stores",
                  "tcaStartDMADesc of rank 0" },
        Expected{ "puts_behind_mpi_put", "rank 0", "tcaStartDMADesc: stores", "MPI_Put of rank 0" },
        Expected{ "puts_to_received", "rank 0", "tcaStartDMADesc: stores", "MPI_Irecv of rank 1" },
        Expected{ "puts_from_received", "rank 0", "tcaStartDMADesc: loads", "MPI_Irecv of rank 0" },
        Expected{ "puts_to_own_sent", "rank 0", "tcaStartDMADesc: stores", "MPI_Isend of rank 0" },
        Expected{ "mpi_puts_to_received", "rank 0", "MPI_Put: stores", "MPI_Irecv of rank 1" }));

/* A rank may be run before another one though it is later: such a window is as long as the fastest
 * cable delays, 100 mm here. */
TEST(RaceOfTimes, IsFoundInWhicheverOrderNodesAreRun)
{
    Seen first = run_case("loads_ever_later", HOST_CHECK_RACES);

    ASSERT_EQ(1u, first.found.size()) << testing::PrintToString(first.found);
    for (const sim_order &order : test::all_orders())
        EXPECT_EQ(first.found, run_case("loads_ever_later", HOST_CHECK_RACES, order).found);
    for (uint64_t seed = 4; seed < 12; seed++)
        EXPECT_EQ(first.found,
                  run_case("loads_ever_later", HOST_CHECK_RACES, { false, true, seed }).found);
}

/* A race, but an older put whose end only ranks of its node know is kept among the last 256 of its
 * channel alone: puts_by_other_channel_behind_some, above, is seen. */
TEST(RaceWithAnOldPut, IsNotSeenBehindManyOfItsChannel)
{
    const Seen seen = run_case("puts_by_other_channel_behind_many", HOST_CHECK_RACES);

    EXPECT_EQ(std::vector<std::string>(), seen.found);
    EXPECT_EQ(0u, seen.mistakes);
}

class Order : public testing::TestWithParam<const char *>
{
};

/* The check looks on: neither times nor packets change by it. */
TEST_P(Order, IsNoRaceAndTakesNoTime)
{
    Seen with = run_case(GetParam(), HOST_CHECK_RACES), without = run_case(GetParam(), 0);

    EXPECT_EQ(std::vector<std::string>(), with.found);
    EXPECT_EQ(0u, with.mistakes);
    EXPECT_EQ(without.visible, with.visible);
    EXPECT_EQ(without.wire, with.wire);
    EXPECT_EQ(without.end, with.end);
}

/* The check keeps ranks in step, which decides whose turn is the last one. */
TEST(EndOfRun, IsTheSameWithPacketsOnTheirWay)
{
    test::MachineFile file("two-node");
    const char *const name = "ok_waits_for_nothing";
    Seen with = test::run_case_on(file.cluster(), name, HOST_CHECK_RACES);
    Seen without = test::run_case_on(file.cluster(), name, 0);

    EXPECT_EQ(without.end, with.end);
    EXPECT_EQ(without.visible, with.visible);
    EXPECT_EQ(without.wire, with.wire);
}

INSTANTIATE_TEST_SUITE_P(
    All, Order,
    testing::Values(
        "ok_loads_after_wait", "ok_both_slots", "ok_again_and_again", "ok_loads_after_reset",
        "ok_loads_after_failure", "ok_loads_after_failed_start", "ok_loads_source",
        "ok_stores_when_idle", "ok_relays_after_wait", "ok_puts_by_two_after_answer",
        "ok_adds_twice", "ok_puts_after_flush", "ok_stores_after_next_list",
        "ok_stores_after_own_notification", "ok_stores_after_answer", "ok_stores_after_message",
        "ok_between_rows", "ok_polls_last_word", "ok_polls_later_put", "ok_loads_up_to_the_word",
        "ok_polls_counter", "ok_flush_completes_requests", "ok_polls_atomic", "ok_polls_stored",
        "ok_loads_while_sent", "ok_sends_twice", "ok_loads_received", "ok_persistent",
        "ok_beside_column", "ok_between_pieces", "ok_between_pieces_out_of_order",
        "ok_loads_after_test", "ok_loads_after_status", "ok_stores_after_answer_to_freed",
        "ok_frees_after_answer", "ok_stores_after_put_to_freed", "ok_stores_after_word_to_freed",
        "ok_stores_to_cancelled", "ok_loads_beside_collectives", "ok_loads_got",
        "ok_loads_fetched_by_no_op", "ok_fences", "ok_accumulates_from_both",
        "ok_loads_after_flush", "ok_loads_after_unlock", "ok_puts_in_two_epochs", "ok_both_exclude",
        "ok_one_excludes", "ok_loads_with_later_lock", "ok_loads_after_own_lock",
        "ok_stores_after_put_requested", "ok_post_and_wait", "ok_relays_from_gpu_after_wait",
        "ok_puts_in_turn", "ok_puts_from_sent", "ok_puts_to_what_was_received",
        "ok_puts_to_what_was_sent", "ok_puts_after_short_ssend", "ok_puts_after_middle_ssend",
        "ok_puts_after_long_ssend", "ok_puts_after_short_issend", "ok_puts_after_long_issend",
        "ok_waits_for_two_channels"));
} // namespace
