/* Calls of GASNet that no rank makes: such a thread has no core of the machine. */
#include "tests/tools/hubcc/programs.h"

#include <regex>

namespace
{

class GasnetThreads : public Programs
{
  protected:
    void program(const std::string &text)
    {
        write("prog.c", "#define GASNET_PAR\n#include <gasnet.h>\n#include <gasnet_tools.h>\n"
                        "#include <pthread.h>\n" +
                            text);
        ASSERT_EQ(0, sh("hubcc -O1 -Wall -Werror prog.c -o prog -pthread")) << errors;
    }
    void expect_line(const std::string &line)
    {
        EXPECT_EQ(1, sh("ulimit -c 0; hubrun -n 2 ./prog")) << errors;
        EXPECT_EQ(line, std::regex_replace(errors, std::regex("prog\\+0x[0-9a-f]+"), "prog+0x"));
    }
    void expect_thread(const std::string &call, const std::string &words)
    {
        program("static void *work(void *arg)\n{\n    " + words + R"(;
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t thread;

    gasnet_init(&argc, &argv);
    gasnet_attach(NULL, 0, GASNET_PAGESIZE, 0);
    if (gasnet_mynode() == 1)
        return pthread_create(&thread, NULL, work, NULL) || pthread_join(thread, NULL);
    GASNET_BLOCKUNTIL(0);
}
)");
        expect_line("rank 1 on node 1: " + call +
                    " at prog+0x: called by a thread that the program started, or while it was "
                    "loaded: expected calls of GASNet in main() and what that calls\n");
    }
};

TEST_F(GasnetThreads, AThreadOfTheProgramsOwnEndsTheRunWithALine)
{
    expect_thread("gasnet_AMPoll", "gasnet_AMPoll()");
    expect_thread("gasnet_init", "(void)gasnet_init(NULL, NULL)");
    expect_thread("gasnet_put_val", "gasnet_put_val(0, NULL, 1, 8)");
    expect_thread("GASNET_BLOCKUNTIL", "GASNET_BLOCKUNTIL(arg != NULL)");
    expect_thread("gasnet_exit", "gasnet_exit(0)");
}

/* The copies are loaded before there are ranks. */
TEST_F(GasnetThreads, AConstructorDoesSo)
{
    program(R"(
__attribute__((constructor)) static void begins(void)
{
    (void)gasnet_init(NULL, NULL);
}
int main(void)
{
    return 0;
}
)");
    expect_line("gasnet_init: called by a thread that the program started, or while it was loaded: "
                "expected calls of GASNet in main() and what that calls\n");
}

TEST_F(GasnetThreads, AFatalErrorInAThreadIsSaid)
{
    program(R"(
static void *work(void *arg)
{
    gasnett_fatalerror("%d is too many", 7);
    return arg;
}
int main(void)
{
    pthread_t thread;

    return pthread_create(&thread, NULL, work, NULL) || pthread_join(thread, NULL);
}
)");
    expect_line("FATAL ERROR in work at prog.c:8: 7 is too many\n");
}

} // namespace
