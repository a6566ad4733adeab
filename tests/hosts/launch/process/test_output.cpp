#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "hosts/launch/process/output.h"

namespace
{

sim_time_t at(void *arg)
{
    return *static_cast<sim_time_t *>(arg);
}

void collect(void *arg, unsigned rank, enum output_stream, sim_time_t time, const char *line)
{
    static_cast<std::vector<std::string> *>(arg)->push_back(std::to_string(time) + " " +
                                                            std::to_string(rank) + " " + line);
}

struct OutputTest : ::testing::Test {
    std::vector<std::string> lines;
    sim_time_t now = 0;
    struct output *out = output_create(collect, &lines);
    FILE *rank0 = output_open(out, 0, OUTPUT_STDOUT, at, &now);
    FILE *rank1 = output_open(out, 1, OUTPUT_STDOUT, at, &now);
    ~OutputTest() override { output_destroy(out); }
};

TEST_F(OutputTest, LinesComeInOrderOfTimeThenRank)
{
    now = 20;
    fputs("b\n", rank1);
    fputs("c\n", rank0);
    now = 10; /* another domain that runs behind */
    fputs("a\n", rank1);
    output_flush(out, SIM_TIME_NEVER);
    EXPECT_EQ((std::vector<std::string>{ "10 1 a", "20 0 c", "20 1 b" }), lines);
}

TEST_F(OutputTest, WholeLinesComeAmongThoseOfStreams)
{
    int codes[OUTPUT_STREAMS] = {};

    output_follow(out, codes);
    now = 5;
    fputs("a\nbe", rank0);
    fflush(rank0);
    output_put(out, 0, OUTPUT_LIBRARY, 5, "b");
    fputs("gun\n", rank0);
    output_put(out, 0, OUTPUT_LIBRARY, 4, "first");
    codes[OUTPUT_LIBRARY] = 1;
    output_put(out, 0, OUTPUT_LIBRARY, 6, "lost");
    output_flush(out, SIM_TIME_NEVER);
    EXPECT_EQ((std::vector<std::string>{ "4 0 first", "5 0 a", "5 0 b", "5 0 begun" }), lines);
}

TEST_F(OutputTest, ALineBelongsToTheTimeOfItsNewline)
{
    now = 1;
    fputs("be", rank0);
    fflush(rank0);
    now = 9;
    fputs("gun\nrest", rank0);
    output_flush(out, 9);
    EXPECT_TRUE(lines.empty());
    output_flush(out, 10);
    EXPECT_EQ((std::vector<std::string>{ "9 0 begun" }), lines);
    output_flush(out, SIM_TIME_NEVER);
    EXPECT_EQ((std::vector<std::string>{ "9 0 begun", "9 0 rest" }), lines);
}

TEST_F(OutputTest, NothingComesAfterItsEnd)
{
    std::vector<char> memory(4096);

    setvbuf(rank0, memory.data(), _IOFBF, memory.size());
    fputs("a\n", rank0);
    output_flush(out, SIM_TIME_NEVER);
    fputs("b\n", rank0);
    output_end(out);
    memory.assign(memory.size(), 'x');
    EXPECT_EQ(2, fprintf(rank0, "c\n"));
    EXPECT_EQ(std::vector<char>(4096, 'x'), memory);
    output_flush(out, SIM_TIME_NEVER);
    EXPECT_EQ((std::vector<std::string>{ "0 0 a" }), lines);
}

TEST_F(OutputTest, LongAndEmptyLinesSurvive)
{
    std::string big(100000, 'y');
    fprintf(rank0, "\n%s\n", big.c_str());
    output_flush(out, SIM_TIME_NEVER);
    EXPECT_EQ((std::vector<std::string>{ "0 0 ", "0 0 " + big }), lines);
}

} // namespace
