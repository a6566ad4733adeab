/* hubrun --profile with GASNet, and the same counts for a program. */
#include <iterator>
#include <sstream>

#include "tests/tools/hubcc/programs.h"

namespace
{

/* Each node sends seven Shorts, a Medium of 40 bytes and puts 5000 bytes to the next one, and gets
 * 300 from it; node 1 sends a Short more to itself. */
const char *const sends = R"(
#define GASNET_SEQ
#include <gasnet.h>
#include <gasnet-hub.h>
#include <stdio.h>
static volatile int come;
static void take(gasnet_token_t token)
{
    (void)token;
    come++;
}
static void take_data(gasnet_token_t token, void *data, size_t bytes)
{
    (void)token, (void)data, (void)bytes;
    come++;
}
int main(int argc, char **argv)
{
    gasnet_handlerentry_t table[] = { { 200, (gasneti_handler_fn)take },
                                      { 201, (gasneti_handler_fn)take_data } };
    static char buffer[5000];
    gasnet_seginfo_t s[8];
    gasnet_hub_counts c;
    uint64_t messages, bytes;

    gasnet_init(&argc, &argv);
    gasnet_attach(table, 2, 65536, 0);
    gasnet_getSegmentInfo(s, (int)gasnet_nodes());
    gasnet_node_t me = gasnet_mynode(), next = (me + 1) % gasnet_nodes();
    if (me == 1)
        gasnet_AMPoll(); /* functions come in another order there */
    for (int i = 0; i < 6; i++)
        gasnet_AMRequestShort0(next, 200);
    gasnet_AMRequestShort(next, 200, 0); /* the same function by another name */
    gasnet_AMRequestMedium0(next, 201, buffer, 40);
    gasnet_put(next, s[next].addr, buffer, sizeof(buffer));
    gasnet_get(buffer, next, s[next].addr, 300);
    if (me == 1)
        gasnet_AMRequestShort0(me, 200);
    GASNET_BLOCKUNTIL(come == 8 + (me == 1));
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_hub_counters(&c);
    gasnet_hub_sent(next, &messages, &bytes);
    printf("to %u: %lu\n", (unsigned)next, bytes >= 5040 ? 1ul : 0ul);
    gasnet_hub_sent(me, &messages, &bytes);
    if (me == 1)
        printf("%lu Shorts, %lu Medium of %lu, %lu put of %lu, %lu get of %lu, %lu handlers, %lu to "
               "itself\n", c.shorts, c.mediums, c.medium_bytes, c.puts, c.put_bytes, c.gets,
               c.get_bytes, c.handlers, messages);
    for (int i = 0; i < 3; i++) {
        static const char *const names[] = { "Medium sent", "copy for BtoM", "sent by pigeon" };
        uint64_t count = 77, size = 78;
        int known = gasnet_hub_count(names[i], &count, &size);

        if (me == 1)
            printf("%s: %d %lu %lu\n", names[i], known, count, size);
    }
    gasnet_exit(0);
}
)";

class GasnetProfile : public Programs
{
  protected:
    /** Is there a line with these words, however far apart? */
    bool has_row(const std::string &text, const std::vector<std::string> &words)
    {
        std::istringstream lines(text);

        for (std::string line; std::getline(lines, line);) {
            std::istringstream in(line);
            std::vector<std::string> is{ std::istream_iterator<std::string>(in), {} };

            is.resize(std::min(is.size(), words.size()));
            if (is == words)
                return true;
        }
        return false;
    }
};

TEST_F(GasnetProfile, HasCallsMessagesAndWhatTheTransportCounts)
{
    write("prog.c", sends);
    ASSERT_EQ(0, sh("hubcc -O1 prog.c -o prog")) << errors;
    for (const char *conduit : { "net", "tca", "ib", "peach2" }) {
        ASSERT_EQ(0, sh(std::string("hubrun -q -n 3 -m ring4 --platform hapacs-tca --profile=p.csv "
                                    "--gasnet ") +
                        conduit + " ./prog"))
            << errors;
        EXPECT_TRUE(has(out, "8 Shorts, 1 Medium of 40, 1 put of 5000, 1 get of 300, 9 handlers, "
                             "1 to itself\n"))
            << conduit << out;
        for (const char *line : { "to 0: 1\n", "to 1: 1\n", "to 2: 1\n" })
            EXPECT_TRUE(has(out, line)) << conduit << out;
        EXPECT_TRUE(has(out, "Medium sent: 1 1 40\n")) << conduit << out;
        EXPECT_TRUE(has(out, strcmp(conduit, "tca") == 0 ? "copy for BtoM: 1 1 0\n"
                                                         : "copy for BtoM: 0 77 78\n"))
            << conduit << out;
        EXPECT_TRUE(has(out, "sent by pigeon: 0 77 78\n")) << conduit << out;
        EXPECT_TRUE(has_row(errors, { "gasnet_AMRequestShort0", "22", "0" })) << errors;
        EXPECT_FALSE(has(errors, "gasnet_AMRequestShort ")) << errors;
        EXPECT_TRUE(has_row(errors, { "gasnet_AMRequestMedium0", "3", "120" })) << errors;
        EXPECT_TRUE(has_row(errors, { "gasnet_AMPoll", "1", "0" })) << errors;
        EXPECT_TRUE(has_row(errors, { "gasnet_put", "3", "15000" })) << errors;
        EXPECT_TRUE(has_row(errors, { "gasnet_get", "3", "900" })) << errors;
        EXPECT_TRUE(has_row(errors, { "Short", "sent", "22" })) << errors;
        EXPECT_TRUE(has_row(errors, { "Medium", "sent", "3", "120" })) << errors;
        EXPECT_TRUE(has_row(errors, { "handler", "run", "25" })) << errors;
        if (strcmp(conduit, "tca") == 0) {
            EXPECT_TRUE(
                has_row(errors, { "sent", "from", "a", "send", "buffer", "(BtoM)", "3", "15000" }))
                << errors;
        }
        ASSERT_EQ(0, sh("awk -F, '$1 == 0 && $2 == 1 { print ($NF >= 5040) }' p.matrix.csv"));
        EXPECT_EQ("1\n", out) << "what node 0 sent to node 1";
    }
}

/* A hundred messages of MPI, and some of GASNet: transports of both count by the same names. */
TEST_F(GasnetProfile, HasEachLibrarysCountsWhereAProgramUsesBoth)
{
    write("prog.c", R"(
#define GASNET_SEQ
#include <gasnet.h>
#include <mpi.h>
int main(int argc, char **argv)
{
    char c = 0;

    gasnet_init(&argc, &argv);
    gasnet_attach(NULL, 0, 0, 0);
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 100; i++)
        if (gasnet_mynode() == 0)
            MPI_Send(&c, 1, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        else
            MPI_Recv(&c, 1, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_exit(0);
}
)");
    ASSERT_EQ(0, sh("hubcc -O1 prog.c -o prog")) << errors;
    ASSERT_EQ(0, sh("hubrun -q -n 2 -m ring4 --platform hapacs-tca --profile=p.csv --gasnet tca "
                    "--mpi tca ./prog"))
        << errors;
    EXPECT_TRUE(has_row(errors, { "MPI:", "entry", "of", "a", "FIFO", "written" })) << errors;
    EXPECT_TRUE(has_row(errors, { "GASNet:", "message", "of", "GASNet", "itself" })) << errors;
    ASSERT_EQ(0, sh("awk -F, '$1 == 0 && $2 ~ /packet stored/ { print $2, ($3 >= 100) }' p.csv"));
    EXPECT_EQ("MPI: packet stored by the core 1\nGASNet: packet stored by the core 0\n", out);
}

} // namespace
