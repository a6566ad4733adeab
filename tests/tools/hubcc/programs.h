/* A folder of its own for each test, and a shell that has hubcc and hubrun. */
#ifndef TESTS_HUBCC_PROGRAMS_H
#define TESTS_HUBCC_PROGRAMS_H

#include "tests/built.h"
#include "tests/folder.h"

namespace
{

using test::begins;
using test::has;

class Programs : public test::Shell
{
  protected:
    /** Runs a shell command in the folder; stdout in `out`, stderr in `errors`. */
    int sh(const std::string &command)
    {
        return Shell::sh("cd " + folder + " && PATH=" + test::BIN + ":$PATH && { " + command +
                         "; }");
    }
    /** @param option with what stands between it and a word: "--out ", "--out=" */
    void expect_no_empty_word(const std::string &option)
    {
        const std::string name = option.substr(0, option.size() - 1);

        EXPECT_EQ(2, sh("hubrun " + option + "'' ./prog"));
        EXPECT_TRUE(begins(errors, "hubrun: " + name + ": expected "));
        EXPECT_TRUE(has(errors, ", not an empty word\n"));
    }
};

} // namespace

#endif /* TESTS_HUBCC_PROGRAMS_H */
