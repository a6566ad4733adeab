#include <gtest/gtest.h>

#include <cerrno>
#include <cfenv>
#include <chrono>
#include <vector>

#include "hosts/launch/process/task.h"

namespace
{

struct Steps {
    struct task *t = nullptr;
    std::vector<int> seen;
    int id = 0;
    int rounds = 0;
    bool ended = false;
};

void steps_run(void *arg)
{
    auto *s = static_cast<Steps *>(arg);
    for (int i = 0; i < s->rounds; i++) {
        s->seen.push_back(s->id * 100 + i);
        task_suspend(s->t);
    }
    s->ended = true;
}

TEST(Task, RunsInTurnsAndEnds)
{
    Steps a, b;
    a.id = 1;
    a.rounds = 2;
    b.id = 2;
    b.rounds = 3;
    a.t = task_create(TASK_STACK_BYTES, steps_run, &a);
    b.t = task_create(TASK_STACK_BYTES, steps_run, &b);
    for (int i = 0; i < 3; i++) {
        task_resume(a.t);
        task_resume(b.t);
    }
    EXPECT_TRUE(a.ended);
    EXPECT_FALSE(b.ended);
    task_resume(b.t);
    EXPECT_TRUE(b.ended);
    EXPECT_EQ((std::vector<int>{ 100, 101 }), a.seen);
    EXPECT_EQ((std::vector<int>{ 200, 201, 202 }), b.seen);
    task_destroy(a.t);
    task_destroy(b.t);
}

void keep_modes(void *arg)
{
    auto *s = static_cast<Steps *>(arg);
    errno = s->id;
    fesetround(s->id == 1 ? FE_UPWARD : FE_DOWNWARD);
    task_suspend(s->t);
    s->seen.push_back(errno);
    s->seen.push_back(fegetround());
}

TEST(Task, ErrnoAndRoundingBelongToTheTask)
{
    Steps a, b;
    a.id = 1;
    b.id = 2;
    a.t = task_create(TASK_STACK_BYTES, keep_modes, &a);
    b.t = task_create(TASK_STACK_BYTES, keep_modes, &b);
    task_resume(a.t);
    task_resume(b.t);
    EXPECT_EQ(FE_TONEAREST, fegetround());
    task_resume(a.t);
    task_resume(b.t);
    EXPECT_EQ((std::vector<int>{ 1, FE_UPWARD }), a.seen);
    EXPECT_EQ((std::vector<int>{ 2, FE_DOWNWARD }), b.seen);
    task_destroy(a.t);
    task_destroy(b.t);
}

void use_stack(void *arg)
{
    auto *s = static_cast<Steps *>(arg);
    volatile char big[8 << 20]; /* as public programs keep there */
    big[0] = 1;
    big[sizeof(big) - 1] = 2;
    s->seen.push_back(big[0] + big[sizeof(big) - 1]);
}

TEST(Task, EightMegabytesFitOnTheStack)
{
    Steps a;
    a.t = task_create(TASK_STACK_BYTES, use_stack, &a);
    task_resume(a.t);
    EXPECT_EQ((std::vector<int>{ 3 }), a.seen);
    task_destroy(a.t);
}

void spin(void *arg)
{
    auto *s = static_cast<Steps *>(arg);
    for (;;)
        task_suspend(s->t);
}

TEST(Task, AnUnfinishedTaskCanBeDestroyed)
{
    Steps a;
    a.t = task_create(TASK_STACK_BYTES, spin, &a);
    task_resume(a.t);
    task_destroy(a.t);
}

/* Reported, not judged: the bench does that. */
TEST(Task, SwitchTimeIsReported)
{
    Steps a;
    a.t = task_create(TASK_STACK_BYTES, spin, &a);
    const int rounds = 1000000;
    task_resume(a.t);
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < rounds; i++)
        task_resume(a.t);
    double ns =
        std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
    RecordProperty("switch_ps", static_cast<int>(ns * 1000 / rounds / 2));
    printf("one switch: %.2f ns\n", ns / rounds / 2);
    task_destroy(a.t);
}

} // namespace
