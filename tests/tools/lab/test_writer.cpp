/* A file that another thread writes holds what it was given, or reports that it does not. */
#include "tools/lab/format/writer.h"

#include "tests/tools/attempt.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <random>
#include <unistd.h>

namespace
{

std::string path_of_test()
{
    return "/tmp/hubsim-writer-" + std::to_string(getpid());
}

/** NULL: it could not be made. */
lab_writer *open(const std::string &path)
{
    lab_writer *w = nullptr;

    (void)attempt(nullptr, [&] { w = lab_writer_open(path.c_str()); });
    return w;
}

TEST(Writer, KeepsTheOrderOfPiecesOfAllSizes)
{
    const std::string path = path_of_test();
    std::mt19937 random(1);
    std::string sent;
    lab_writer *w = open(path);

    ASSERT_NE(nullptr, w);
    for (int i = 0; i < 2000; i++) {
        std::string piece(i % 200 == 0 ? random() % 3000000 : random() % 500, '\0');

        for (size_t k = 0; k < piece.size(); k += 1 + piece.size() / 64)
            piece[k] = static_cast<char>(random());
        sent += piece;
        ASSERT_TRUE(lab_writer_write(w, piece.data(), piece.size()));
    }
    ASSERT_EQ(0, lab_writer_close(w));
    std::ifstream in(path, std::ios::binary);
    const std::string held{ std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>() };
    EXPECT_TRUE(sent == held);
    EXPECT_GT(sent.size(), size_t{ 10 } << 20);
    (void)remove(path.c_str());
}

TEST(Writer, OfNothingLeavesAnEmptyFile)
{
    const std::string path = path_of_test();
    lab_writer *w = open(path);

    ASSERT_NE(nullptr, w);
    EXPECT_EQ(0, lab_writer_close(w));
    EXPECT_EQ(0, std::ifstream(path, std::ios::binary | std::ios::ate).tellg());
    (void)remove(path.c_str());
}

TEST(Writer, TellsThatTheDiskIsFull)
{
    const std::string some(100, 'x'), much(8u << 20, 'x');
    lab_writer *w = open("/dev/full");

    ASSERT_NE(nullptr, w);
    EXPECT_TRUE(lab_writer_write(w, some.data(), some.size()));
    EXPECT_EQ(ENOSPC, lab_writer_close(w));

    w = open("/dev/full");
    ASSERT_NE(nullptr, w);
    EXPECT_FALSE(lab_writer_write(w, much.data(), much.size()));
    EXPECT_EQ(ENOSPC, lab_writer_close(w));
}

TEST(Writer, SaysWhyAFileCannotBeMade)
{
    sim_error err = {};

    EXPECT_EQ(SIM_ERR_IO, attempt(&err, [] { lab_writer_open("/nowhere/x"); }));
    EXPECT_STREQ("/nowhere/x: No such file or directory: expected a writable file", err.text);
}

} // namespace
