/* A shell for `hubsim` and its commands. */
#ifndef TESTS_COMMAND_H
#define TESTS_COMMAND_H

#include "tests/built.h"
#include "tests/folder.h"

namespace test
{

class Command : public Shell
{
  protected:
    /** Runs `hubsim ARGS`; stdout in `out`, stderr in `errors`. */
    int run(const std::string &args, const std::string &before = "")
    {
        return sh(before + " " + HUBSIM + " " + args);
    }
};

} // namespace test
#endif /* TESTS_COMMAND_H */
