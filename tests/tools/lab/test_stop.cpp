/* Each in a process of its own: a signal that has been noted is not forgotten. */
#include <csignal>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/lab/run/stop.h"

namespace
{

void nothing(int) {}

/** A child that ends by itself, or stays until it is killed. */
pid_t begin_child(bool stays)
{
    const pid_t parent = getpid();
    const pid_t pid = fork();

    if (pid == 0) {
        if (!stays)
            _exit(7);
        usleep(20000);
        kill(parent, SIGTERM);
        sleep(30);
        _exit(8);
    }
    return pid;
}

/** @return its status; -1: a signal */
int end_of(pid_t pid)
{
    int status = 0;

    return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/** @param work returns 0, or another number for each thing that can go wrong */
void expect_well(int (*work)())
{
    EXPECT_EXIT(_exit(work()), testing::ExitedWithCode(0), "");
}

TEST(Stop, WhatASignalDidBeforeIsWhole)
{
    expect_well([] {
        struct sigaction own = {}, ignored = {}, now = {};

        own.sa_handler = nothing;
        own.sa_flags = SA_RESETHAND;
        sigaddset(&own.sa_mask, SIGUSR1);
        sigaction(SIGTERM, &own, nullptr);
        ignored.sa_handler = SIG_IGN;
        sigaction(SIGINT, &ignored, nullptr);
        lab_stop_catch();
        raise(SIGINT);
        if (lab_stop_signal() != 0)
            return 1;
        raise(SIGTERM);
        if (lab_stop_signal() != SIGTERM)
            return 2;
        lab_stop_leave();
        sigaction(SIGTERM, nullptr, &now);
        if (now.sa_handler != nothing || (now.sa_flags & SA_RESETHAND) == 0 ||
            sigismember(&now.sa_mask, SIGUSR1) == 0)
            return 3;
        sigaction(SIGINT, nullptr, &now);
        return now.sa_handler == SIG_IGN ? 0 : 4;
    });
}

/* What was before the first one would be lost. */
TEST(Stop, SignalsAreCaughtOnceUntilTheyAreLeft)
{
    const auto twice = [] {
        lab_stop_catch();
        lab_stop_leave();
        lab_stop_catch();
        lab_stop_catch();
    };

    EXPECT_DEATH(twice(), "broken rule: !catches");
    EXPECT_DEATH(lab_stop_leave(), "broken rule: catches");
}

TEST(Stop, ASignalThatHasComeEndsEachWait)
{
    expect_well([] {
        int ends[2];

        if (pipe(ends) != 0)
            return 1;
        pollfd fd = { ends[0], POLLIN, 0 };
        lab_stop_catch();
        const pid_t child = begin_child(true);
        for (unsigned i = 0; i < 2; i++) /* the first comes meanwhile */
            if (lab_stop_poll(&fd, 1) || lab_stop_signal() != SIGTERM)
                return 2;
        lab_stop_wait(child);
        kill(child, SIGKILL);
        return end_of(child) == -1 ? 0 : 3;
    });
}

TEST(Stop, ASignalEndsTheWaitForAChild)
{
    expect_well([] {
        lab_stop_catch();
        const pid_t child = begin_child(true);
        lab_stop_wait(child);
        kill(child, SIGKILL);
        return lab_stop_signal() == SIGTERM && end_of(child) == -1 ? 0 : 1;
    });
}

TEST(Stop, AChildThatEndsIsStillToBeWaitedFor)
{
    expect_well([] {
        struct sigaction now = {};

        lab_stop_catch();
        for (unsigned i = 0; i < 50; i++) {
            const pid_t child = begin_child(false);

            lab_stop_wait(child);
            if (end_of(child) != 7)
                return 1;
        }
        sigaction(SIGCHLD, nullptr, &now);
        return lab_stop_signal() == 0 && now.sa_handler == SIG_DFL ? 0 : 2;
    });
}

TEST(Stop, WhatIsReadyIsFound)
{
    expect_well([] {
        int ends[2];

        if (pipe(ends) != 0 || write(ends[1], "x", 1) != 1)
            return 1;
        pollfd fd = { ends[0], POLLIN, 0 };
        return lab_stop_poll(&fd, 1) && fd.revents == POLLIN ? 0 : 2;
    });
}

} // namespace
