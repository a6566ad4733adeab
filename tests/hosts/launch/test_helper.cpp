/* Helpers: what a library has running above its rank, on its core. */
#include "tests/hosts/cluster.h"

#include <csignal>
#include <cstring>

#include "hosts/driver/driver.h"
#include "hosts/launch/process/task.h"
#include "tests/built.h"

namespace
{

const std::string PROGRAMS = test::BUILD + "/tests/hosts/launch";

using test::Cluster;

constexpr uint64_t HELPER = 3 * SIM_US; /* launch_software_default */

/* A rank with its helper. */
struct Above {
    struct host *h = host_self();
    unsigned asked = 0, ran = 0;
    bool wants = true;
    std::function<void()> work = [] {};

    bool set()
    {
        const host_helper helper = {
            [](void *arg) {
                static_cast<Above *>(arg)->asked++;
                return static_cast<Above *>(arg)->wants;
            },
            [](void *arg) {
                static_cast<Above *>(arg)->ran++;
                static_cast<Above *>(arg)->work();
            },
            this,
        };
        return h->cpu->set_helper(h, &helper);
    }
    uint64_t spent(uint64_t ps) const
    {
        uint64_t from = h->cpu->time_ps(h);

        h->cpu->spend(h, ps);
        return h->cpu->time_ps(h) - from;
    }
};

/* On the other node: so many messages to rank 0, which ring its helper, one each 10 us. */
int messages(unsigned n)
{
    struct host *h = host_self();

    h->cpu->spend(h, 20 * SIM_US);
    for (unsigned i = 0; i < n; i++) {
        h->cpu->spend(h, 10 * SIM_US);
        h->net->send(h, 0, 0, &i, sizeof(i));
    }
    return 0;
}

TEST(Helper, TakesItsTimeOfTheRanksCoreWhenItIsWanted)
{
    for (bool wants : { true, false }) {
        Cluster c;
        c.expect_run([wants] {
            if (host_self()->rank == 1)
                return messages(2);
            Above a;
            a.wants = wants;
            a.work = [&a] { a.h->cpu->spend(a.h, 500 * SIM_NS); };
            EXPECT_TRUE(a.set());
            EXPECT_EQ(100 * SIM_US + (wants ? 2 * (HELPER + 500 * SIM_NS) : 0),
                      a.spent(100 * SIM_US));
            EXPECT_EQ(2u, a.asked);
            EXPECT_EQ(wants ? 2u : 0u, a.ran);
            return 0;
        });
    }
}

TEST(Helper, RungWhileItRunsGoesOnAndDoesNotBeginAnew)
{
    Cluster c;
    c.expect_run([] {
        if (host_self()->rank == 1)
            return messages(3);
        Above a;
        a.work = [&a] { a.h->cpu->spend(a.h, 25 * SIM_US); };
        EXPECT_TRUE(a.set());
        /* the second and the third message come into the first run */
        EXPECT_EQ(100 * SIM_US + HELPER + 2 * 25 * SIM_US, a.spent(100 * SIM_US));
        EXPECT_EQ(2u, a.ran);
        return 0;
    });
}

TEST(Helper, RunsWhileTheRankSleepsOrWaitsAndWhatItWaitsForComes)
{
    Cluster c;
    c.expect_run([] {
        if (host_self()->rank == 1)
            return messages(2);
        Above a;
        struct host_message msg;
        uint64_t from = a.h->cpu->time_ps(a.h);
        EXPECT_TRUE(a.set());
        while (a.h->cpu->sleep(a.h, from + 35 * SIM_US)) /* the message wakes it, too */
            ;
        EXPECT_EQ(1u, a.ran);
        a.h->net->receive(a.h, 0, &msg);
        EXPECT_EQ(0, memcmp(msg.data, "\0\0\0\0", 4));
        a.h->net->receive(a.h, 0, &msg);
        EXPECT_EQ(0, memcmp(msg.data, "\1\0\0\0", 4));
        return 0;
    });
}

TEST(Helper, IsNotAskedOnceItsRankHasEnded)
{
    static unsigned asked;
    Cluster c;
    asked = 0;
    c.expect_run([] {
        if (host_self()->rank == 1)
            return messages(2);
        const host_helper helper = { [](void *) { return ++asked > 0; }, [](void *) {}, nullptr };
        EXPECT_TRUE(host_self()->cpu->set_helper(host_self(), &helper));
        return 0;
    });
    EXPECT_EQ(0u, asked);
}

TEST(Helper, EachRankHasOne)
{
    Cluster c;
    c.expect_run([] {
        Above a, b;
        EXPECT_TRUE(a.set());
        EXPECT_FALSE(b.set());
        return 0;
    });
}

TEST(Helper, WhatItBreaksIsItsRanks)
{
    if (task_sanitized())
        GTEST_SKIP() << "the sanitizer reports those itself";
    Cluster c;
    (void)c.run([] {
        if (host_self()->rank == 1)
            return messages(1);
        Above a;
        a.work = [] { *static_cast<volatile int *>(nullptr) = 1; };
        EXPECT_TRUE(a.set());
        a.h->cpu->spend(a.h, 100 * SIM_US);
        return 0;
    });
    EXPECT_EQ(128 + SIGSEGV, c.result.ranks[0].exit_code);
    ASSERT_EQ(1u, c.lines.size());
    EXPECT_EQ(0u, c.lines[0].rank);
    EXPECT_NE(std::string::npos, c.lines[0].text.find("memory access fault")) << c.lines[0].text;
}

/* By a timer, during the helper's work, which would end it once more. */
TEST(Helper, EndsWithARankThatASignalEnds)
{
    Cluster c;
    EXPECT_EQ(SIM_OK, c.run_program(PROGRAMS + "/test_helped.so", { "alarm" })) << c.err.text;
    EXPECT_EQ(SIGALRM, c.result.ranks[0].signal);
    EXPECT_EQ(128 + SIGALRM, c.result.ranks[0].exit_code);
    EXPECT_EQ(0, c.result.ranks[1].exit_code);
    ASSERT_EQ(1u, c.lines.size());
    EXPECT_EQ("after rank 0", c.lines[0].text);
}

TEST(Helper, MayEndItsRankAndLookAtSharedMemory)
{
    const std::pair<std::string, int> kinds[] = { { "exit", 3 }, { "poll", 4 } };
    launch_config cfg = {};

    cfg.compute = LAUNCH_COMPUTE_COUNTED;
    cfg.block_ps = SIM_NS;
    for (auto &kind : kinds) {
        Cluster c;
        EXPECT_EQ(SIM_OK, c.run_program(PROGRAMS + "/test_helped.so", { kind.first }, cfg))
            << c.err.text;
        EXPECT_EQ(kind.second, c.result.ranks[0].exit_code) << kind.first;
        EXPECT_EQ(1u, c.lines.size());
    }
}

} // namespace
