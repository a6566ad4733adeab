/* Loops of a program's own that poll memory: they let time pass, and end as on hardware. */
#include "tests/tools/hubcc/programs.h"

#include <vector>

namespace
{

TEST_F(Programs, TheExamplesOfTheInterfacePageRunAsTheyStand)
{
    std::vector<std::string> compilers = { "hubcc -std=c99 -O0",
                                           "hubcc -std=gnu11 -O2 -Wall -Werror",
                                           "hubcc -O3 -flto" };

    if (sh("command -v clang-14") == 0)
        compilers.push_back("HUBCC_CC=clang-14 hubcc -O2 -Wall -Werror -Wno-empty-body");
    for (auto &how : compilers) {
        ASSERT_EQ(0, sh(how + " " PROGRAMS "/examples.c -o prog")) << errors;
        EXPECT_EQ(0, sh("hubrun -q -n 2 ./prog")) << how << ": " << errors;
        EXPECT_EQ("rank 0: all well\nrank 1: all well\n", out) << how;
        EXPECT_EQ("", errors);
    }
}

TEST_F(Programs, ALoopOfTheProgramWaitsAsLongAsTheLibrary)
{
    for (const char *how : { "-O0", "-O2" }) {
        ASSERT_EQ(0, sh(std::string("hubcc -std=gnu11 ") + how + " " PROGRAMS "/poll.c -o prog"))
            << errors;
        ASSERT_EQ(0, sh("hubrun -q -n 2 ./prog library")) << errors;
        double library = std::stod(out);
        EXPECT_LT(500, library);
        for (const char *loop : { "volatile", "low-byte", "counter", "flags", "unrolled", "atomic",
                                  "builtin", "compare", "add" }) {
            ASSERT_EQ(0, sh(std::string("hubrun -q -n 2 ./prog ") + loop)) << loop << errors;
            EXPECT_NEAR(library, std::stod(out), 1.0) << loop << how; /* one turn of a loop */
        }
        /* A timer between the waits is no part of them. */
        ASSERT_EQ(0, sh("hubrun -q -n 2 ./prog library timed")) << errors;
        double timed = std::stod(out);
        ASSERT_EQ(0, sh("hubrun -q -n 2 ./prog volatile timed")) << errors;
        EXPECT_NEAR(timed, std::stod(out), 1.0);
        /* It looks at the word once in the time that its timer takes. */
        ASSERT_EQ(0, sh("hubrun -q -n 2 ./prog timer")) << errors;
        EXPECT_LE(library, std::stod(out));
        EXPECT_GE(library + 10, std::stod(out));
    }
}

TEST_F(Programs, LoopsEndByCounterAndByClock)
{
    ASSERT_EQ(0, sh("hubcc -O2 " PROGRAMS "/loops.c -o prog")) << errors;
    const struct {
        const char *how;
        unsigned long long turns;
        double us, part; /* the time and how much of it may be too much */
    } loops[] = { { "short", 10, 0, 0 },
                  { "counter", 1000000, 1000, 0.03 },
                  { "memory", 1000000, 1000, 0.03 },
                  { "nested", 100000, 100, 0.03 },
                  { "own", 100000, 0, 0 },
                  { "wtime", 0, 500, 0.001 },
                  { "gettimeofday", 0, 500, 0.003 } };

    for (auto &loop : loops) {
        unsigned long long n = 1;
        double us = -1;

        EXPECT_EQ(0, sh(std::string("hubrun -q -n 1 -m one-node ./prog ") + loop.how)) << errors;
        ASSERT_EQ(2, sscanf(out.c_str(), "%*s %llu %lf", &n, &us)) << out;
        EXPECT_EQ(loop.turns, n) << loop.how;
        EXPECT_NEAR(loop.us, us, loop.part * loop.us) << loop.how;
    }
    EXPECT_EQ(0, sh("hubrun -q -n 1 -m one-node ./prog scan")) << errors;
    EXPECT_NE("scan 512 0\n", out);
}

TEST_F(Programs, AFileThatPollsNothingIsCompiledAsItIs)
{
    write("plain.c", "#include <peach2.h>\n#include <stdio.h>\n"
                     "double sum(const double *v, int n)\n"
                     "{\n    double s = 0;\n    for (int i = 0; i < n; i++)\n        s += v[i];\n"
                     "    __asm__ volatile(\"\");\n    return s;\n}\n");
    write("polls.c", "int get(volatile int *p)\n{\n    return *p;\n}\n");
    ASSERT_EQ(0, sh("hubcc -O2 -c plain.c && hubcc -O2 -c polls.c && nm plain.o && ! nm plain.o | "
                    "grep __tsan && "
                    "nm polls.o | grep __tsan_volatile_read4"))
        << out << errors;
    ASSERT_EQ(0, sh("hubcc --no-poll -O2 -c polls.c && nm polls.o && ! nm polls.o | grep __tsan"))
        << out << errors;
}

TEST_F(Programs, ObjectsOfThePlainCompilerLinkToo)
{
    write("main.c",
          "#include <stdio.h>\nint get(volatile int *p);\nstatic volatile int x = 7;\n"
          "int main(void)\n{\n    x++;\n    printf(\"%d\\n\", get(&x));\n    return 0;\n}\n");
    write("get.c", "int get(volatile int *p)\n{\n    return *p;\n}\n");
    ASSERT_EQ(0, sh("gcc -fPIC -O2 -c get.c && hubcc -O2 main.c get.o -o prog")) << errors;
    EXPECT_EQ(0, sh("hubrun -q -n 1 -m one-node ./prog")) << errors;
    EXPECT_EQ("8\n", out);
}

TEST_F(Programs, AllAtomicsOfAllSizesDoTheirWork)
{
    write("atomics.cpp", R"(
#include <atomic>
#include <cstdio>
#include <cstdint>
template <class T> static bool works()
{
    static std::atomic<T> a{ T(5) };
    T old = 7;
    bool ok = a.load() == 5 && a.exchange(7) == 5 && a.fetch_add(3) == 7 && a.fetch_sub(1) == 10 &&
              a.fetch_and(8) == 9 && a.fetch_or(3) == 8 && a.fetch_xor(1) == 11 && a == 10;
    a = 6;
    ok = ok && !a.compare_exchange_strong(old, 9) && old == 6 && a.compare_exchange_strong(old, 9);
    ok = ok && __atomic_fetch_nand((T *)&a, T(1), __ATOMIC_RELAXED) == 9 && a == T(~T(1));
    return ok && __sync_val_compare_and_swap((T *)&a, T(~T(1)), T(3)) == T(~T(1)) && a == 3;
}
int main()
{
    alignas(16) unsigned __int128 wide = 1, was = (unsigned __int128)1 << 100;
    std::atomic_thread_fence(std::memory_order_seq_cst);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    bool ok = works<uint8_t>() && works<uint16_t>() && works<uint32_t>() && works<uint64_t>();
    __atomic_store_n(&wide, was, __ATOMIC_SEQ_CST);
    ok = ok && __atomic_load_n(&wide, __ATOMIC_SEQ_CST) == was &&
         __atomic_exchange_n(&wide, 9, __ATOMIC_SEQ_CST) == was && wide == 9;
    std::puts(ok ? "right" : "wrong");
}
)");
    ASSERT_EQ(0, sh("hubc++ -O1 atomics.cpp -o prog")) << errors;
    EXPECT_EQ(0, sh("hubrun -q -n 1 -m one-node ./prog")) << errors;
    EXPECT_EQ("right\n", out);
}

TEST_F(Programs, ASanitizerThatCannotWorkIsRefusedAndOneThatCanWorks)
{
    write("main.c", "#include <stdio.h>\nint main(int argc, char **argv)\n{\n    (void)argv;\n"
                    "    volatile int x = 0x7fffffff;\n    x += argc;\n    puts(\"end\");\n"
                    "    return 0;\n}\n");
    EXPECT_EQ(2, sh("hubcc -fsanitize=address,undefined main.c -o prog"));
    EXPECT_EQ(0u, errors.find("hubcc: -fsanitize=address,undefined: ")) << errors;
    ASSERT_EQ(0, sh("hubcc -fsanitize=undefined -fsanitize-undefined-trap-on-error main.c -o prog"))
        << errors;
    EXPECT_NE(0, sh("hubrun -q -n 1 -m one-node ./prog"));
}

} // namespace
