#include <cstring>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "tests/tools/attempt.h"
#include "tools/lab/run/pool.h"

namespace
{

/** "Runs" a program: prints its first argument's number twice over. */
void execute(void *arg, const lab_run *run, FILE *out)
{
    unsigned n = static_cast<unsigned>(atoi(run->args[0] + 2));

    if (arg != nullptr)
        ++*static_cast<unsigned *>(arg);
    if (strcmp(run->program, "dies") == 0)
        _Exit(3);
    if (strcmp(run->program, "fails") == 0)
        load_raise(SIM_ERR_CONFIG, "a located message");
    fprintf(out, "some other line\nresult n=%u twice=%u uva=on verified=1\n", n, 2 * n);
    fprintf(out, "fingerprint visible=%u wire=9 edge=7\n", n + 1);
}

int work(lab_pool *pool, sim_error *err)
{
    return attempt(err, [&] { lab_pool_work(pool); });
}

lab_run run_of(const char *program, const char *arg)
{
    lab_run r = {};

    r.machine = "m";
    r.program = program;
    r.nargs = 1;
    r.args[0] = arg;
    return r;
}

class Pool : public testing::TestWithParam<unsigned>
{
  protected:
    void SetUp() override
    {
        lab_pool_config cfg = {};

        cfg.workers = GetParam();
        cfg.execute = execute;
        pool = lab_pool_create(&cfg);
    }
    void TearDown() override { lab_pool_destroy(pool); }
    lab_pool *pool = nullptr;
    sim_error err = {};
};

TEST_P(Pool, EachRunGetsItsOwnResult)
{
    std::vector<std::string> args;

    for (int i = 0; i < 40; i++)
        args.push_back("n=" + std::to_string(i));
    for (const std::string &arg : args) {
        lab_run r = run_of("p", arg.c_str());
        EXPECT_EQ(nullptr, lab_pool_get(pool, &r));
    }
    ASSERT_EQ(SIM_OK, work(pool, &err)) << err.text;
    for (size_t i = 0; i < args.size(); i++) {
        lab_run r = run_of("p", args[i].c_str());
        const lab_result *result = lab_pool_get(pool, &r);
        uint64_t twice = 0;

        ASSERT_NE(nullptr, result);
        ASSERT_EQ(1u, result->nlines);
        EXPECT_TRUE(lab_line_get(&result->lines[0], "twice", &twice));
        EXPECT_EQ(2 * i, twice);
        EXPECT_EQ(i + 1, result->print.visible);
        EXPECT_FALSE(lab_line_get(&result->lines[0], "thrice", &twice));
        EXPECT_FALSE(lab_line_get(&result->lines[0], "uva", &twice)); /* a word */
    }
}

TEST_P(Pool, AFailingRunIsAResult)
{
    lab_run good = run_of("p", "n=1"), bad = run_of("fails", "n=1");

    lab_pool_get(pool, &bad);
    lab_pool_get(pool, &good);
    ASSERT_EQ(SIM_OK, work(pool, &err));
    EXPECT_EQ(SIM_ERR_CONFIG, lab_pool_get(pool, &bad)->rc);
    EXPECT_STREQ("a located message", lab_pool_get(pool, &bad)->error);
    EXPECT_EQ(SIM_OK, lab_pool_get(pool, &good)->rc);
}

TEST_P(Pool, RunsDifferByEverythingThatMakesTheirResult)
{
    static const char *const sets[] = { "a=1" };
    lab_run r = run_of("p", "n=1");
    begun_arena arena;
    std::string base = lab_run_text(&r, &arena);
    lab_run other[6] = { r, r, r, r, r, r };

    other[0].machine = "m2";
    other[1].platform = "q";
    other[2].program = "p2";
    other[3].seed = 7;
    other[4].nsets = 1;
    other[4].sets = sets;
    other[5].nranks = 1;
    for (const lab_run &o : other)
        EXPECT_NE(base, lab_run_text(&o, &arena));
    load_arena_fini(&arena);
}

INSTANTIATE_TEST_SUITE_P(Workers, Pool, testing::Values(0, 1, 2, 3));

TEST(PoolWorkers, AWorkerThatDiesCostsItsRunOnly)
{
    lab_pool_config cfg = {};
    sim_error err = {};

    cfg.workers = 2;
    cfg.execute = execute;
    lab_pool *pool = lab_pool_create(&cfg);
    lab_run dies = run_of("dies", "n=1"), dies2 = run_of("dies", "n=2"), good = run_of("p", "n=3");
    lab_pool_get(pool, &dies);
    lab_pool_get(pool, &dies2);
    lab_pool_get(pool, &good);
    ASSERT_EQ(SIM_OK, work(pool, &err)) << err.text;
    EXPECT_EQ(SIM_ERR_IO, lab_pool_get(pool, &dies)->rc);
    EXPECT_STREQ("the simulation's process ended early", lab_pool_get(pool, &dies)->error);
    EXPECT_EQ(SIM_OK, lab_pool_get(pool, &good)->rc);
    lab_pool_destroy(pool);
}

TEST(PoolWorkers, EqualRunsAreMadeOnce)
{
    unsigned made = 0;
    lab_pool_config cfg = {};
    sim_error err = {};

    cfg.execute = execute;
    cfg.execute_arg = &made;
    lab_pool *pool = lab_pool_create(&cfg);
    lab_run a = run_of("p", "n=1"), same = run_of("p", "n=1");
    lab_pool_get(pool, &a);
    lab_pool_get(pool, &same);
    ASSERT_EQ(SIM_OK, work(pool, &err));
    lab_pool_get(pool, &a);
    ASSERT_EQ(SIM_OK, work(pool, &err));
    EXPECT_EQ(1u, made);
    lab_pool_destroy(pool);
}

} // namespace
