/* A folder of its own for each test, and a shell that has hubcc and hubrun. */
#ifndef TESTS_HUBCC_PROGRAMS_H
#define TESTS_HUBCC_PROGRAMS_H

#include "tests/built.h"
#include "tests/folder.h"

namespace
{

class Programs : public test::Shell
{
  protected:
    /** Runs a shell command in the folder; stdout in `out`, stderr in `errors`. */
    int sh(const std::string &command)
    {
        return Shell::sh("cd " + folder + " && PATH=" + test::BIN + ":$PATH && { " + command +
                         "; }");
    }
};

} // namespace

#endif /* TESTS_HUBCC_PROGRAMS_H */
