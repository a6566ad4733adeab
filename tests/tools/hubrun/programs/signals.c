/* What a signal does to a rank, by the name of a case. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <mpi.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t last, count;
static int rank, size;
static sigjmp_buf back;

static void seen(int sig)
{
    last = sig;
    count++;
}

static siginfo_t got;

static void seen_info(int sig, siginfo_t *info, void *context)
{
    last = info->si_signo == sig && context != NULL ? sig : -1;
    got = *info;
}

static void jump(int sig)
{
    siglongjmp(back, sig);
}

static void say(const char *what)
{
    printf("%d: %s last=%d count=%d\n", rank, what, (int)last, (int)count);
    last = 0;
}

static void expect(int code, int want, const char *what)
{
    if (code != want || (want == -1 && errno == 0))
        printf("%d: %s gives %d, errno %d\n", rank, what, code, errno);
}

static double since(double start)
{
    return MPI_Wtime() - start;
}

/* Handlers, masks and what returns early. */
static void handlers(void)
{
    struct sigaction act = { .sa_sigaction = seen_info, .sa_flags = SA_SIGINFO }, old;
    sigset_t set, none;
    int sig = 0;

    expect(signal(SIGUSR1, seen) == SIG_DFL, 1, "signal");
    expect(kill(getpid(), SIGUSR1), 0, "kill");
    say("kill");
    expect(raise(SIGUSR1), 0, "raise");
    say("raise");
    expect(sigaction(SIGUSR1, &act, &old), 0, "sigaction");
    expect(old.sa_handler == seen, 1, "old action");
    raise(SIGUSR1);
    say("sigaction");
    expect(got.si_pid == getpid() && got.si_code == SI_USER, 1, "the sender");
    sigaction(SIGALRM, &act, NULL);
    alarm(1);
    pause();
    expect(got.si_pid == 0 && got.si_code == SI_KERNEL, 1, "the kernel");
    last = 0;
    errno = 0;
    expect(sigaction(SIGKILL, &act, NULL), -1, "sigaction of SIGKILL");
    signal(SIGUSR1, seen);
    signal(SIGUSR2, SIG_IGN);
    raise(SIGUSR2);
    raise(SIGCHLD);
    sigemptyset(&none);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    raise(SIGUSR1);
    sigpending(&set);
    expect(sigismember(&set, SIGUSR1), 1, "sigpending");
    say("blocked");
    errno = 0;
    expect(sigsuspend(&none), -1, "sigsuspend");
    say("suspended");
    alarm(1);
    sigaddset(&set, SIGALRM);
    sigprocmask(SIG_BLOCK, &set, NULL);
    expect(sigwait(&set, &sig) == 0 && sig == SIGALRM, 1, "sigwait");
    sigprocmask(SIG_SETMASK, &none, NULL);
    say("waited");
}

static void timers(void)
{
    const struct itimerval every = { { 0, 100000 }, { 0, 250000 } }, off = { { 0, 0 }, { 0, 0 } };
    struct itimerval now;
    double start = MPI_Wtime();

    signal(SIGALRM, seen);
    alarm(5);
    expect((int)alarm(2), 5, "alarm");
    errno = 0;
    expect(pause(), -1, "pause");
    printf("%d: paused %.3f\n", rank, since(start));
    alarm(1);
    start = MPI_Wtime();
    expect((int)sleep(10), 9, "sleep");
    printf("%d: slept %.3f\n", rank, since(start));
    setitimer(ITIMER_REAL, &every, NULL);
    start = MPI_Wtime();
    count = 0;
    while (count < 4)
        usleep(1000000);
    printf("%d: four of them %.3f\n", rank, since(start));
    getitimer(ITIMER_REAL, &now);
    expect(now.it_interval.tv_usec, 100000, "getitimer");
    setitimer(ITIMER_REAL, &off, NULL);
    expect(usleep(500000), 0, "usleep");
    expect(count, 4, "count");
}

/* The handler runs while the rank waits for a message that comes later. */
static void in_receive(void)
{
    int value = 1;

    if (rank == 0) {
        sleep(3);
        MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        return;
    }
    if (rank != 1)
        return;
    signal(SIGALRM, jump);
    alarm(1);
    if (sigsetjmp(back, 1) == 0)
        MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("%d: left at %.1f\n", rank, MPI_Wtime());
    fflush(stdout);
    _exit(0);
}

/* Out of handlers again and again: each jump restores the mask that its sigsetjmp() found. */
static void jumps(void)
{
    const struct timespec limit = { 100, 0 };
    sigset_t set;
    int value;

    signal(SIGALRM, jump);
    for (volatile int i = 0; i < 3; i++) {
        alarm(1);
        if (sigsetjmp(back, 1) == 0)
            sleep(10);
        printf("%d: left at %.1f\n", rank, MPI_Wtime());
    }
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    alarm(1);
    if (sigsetjmp(back, 1) == 0)
        sigtimedwait(&set, NULL, &limit);
    raise(SIGUSR1);
    expect((int)sleep(1), 0, "sleep, of which SIGUSR1 is no end any more,");
    printf("%d: slept until %.1f\n", rank, MPI_Wtime());
    alarm(1);
    if (sigsetjmp(back, 0) == 0)
        pause();
    sigprocmask(SIG_BLOCK, NULL, &set);
    printf("%d: masks %d%d", rank, sigismember(&set, SIGALRM), sigismember(&set, SIGUSR1));
    alarm(1);
    sleep(2);
    if (setjmp(back) == 0)
        longjmp(back, 1);
    sigemptyset(&set);
    if ((value = sigsetjmp(back, 1)) == 0) { /* what the jump lets through comes before it ends */
        sigaddset(&set, SIGALRM);
        signal(SIGALRM, seen);
        sigprocmask(SIG_UNBLOCK, &set, NULL);
        count = 0;
        siglongjmp(back, 7);
    }
    sigprocmask(SIG_BLOCK, NULL, &set);
    printf(" %d%d %d at %.1f\n", sigismember(&set, SIGALRM), value, (int)last, MPI_Wtime());
}

static void jump_and_wait(void)
{
    signal(SIGALRM, jump);
    alarm(1);
    if (sigsetjmp(back, 1) == 0)
        MPI_Recv(NULL, 0, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    pause();
}

static void jump_and_send(void)
{
    int value = 0;

    signal(SIGALRM, jump);
    alarm(1);
    if (sigsetjmp(back, 1) == 0)
        MPI_Recv(&value, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Comm_size(MPI_COMM_WORLD, &value); /* asks no other rank */
    printf("%d: of %d\n", rank, value);
    MPI_Send(&value, 1, MPI_INT, 1 - rank, 8, MPI_COMM_WORLD);
}

static void look(int sig)
{
    int found;

    MPI_Iprobe(MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    last = sig + found;
}

static void give_up(int sig)
{
    printf("%d: gives up at %.1f\n", rank, MPI_Wtime());
    MPI_Abort(MPI_COMM_WORLD, sig);
}

static void in_handler(void (*handler)(int))
{
    int value;

    signal(SIGALRM, handler);
    alarm(1);
    sleep(2); /* interrupts no call of MPI */
    signal(SIGALRM, handler);
    alarm(1);
    MPI_Recv(&value, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void leave(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    siglongjmp(back, *code);
}

/* The call is over but for its handler, and the next ones are as ever. */
static void out_of_error(void)
{
    MPI_Errhandler handler;
    int value = rank, code;

    MPI_Comm_create_errhandler(leave, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    code = sigsetjmp(back, 1);
    if (code == 0)
        MPI_Send(&value, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);
    MPI_Error_class(code, &code);
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    printf("%d: %s, sum %d\n", rank, code == MPI_ERR_RANK ? "rank" : "another", value);
}

/* A handler that meets its own error during a receive. Neither its error handler nor its end may
 * change that receive. */
static void fail_in_handler(int sig)
{
    int value = sig;

    /* NOLINTNEXTLINE(bugprone-signal-handler): on purpose */
    MPI_Send(&value, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);
}

static void send_on(MPI_Comm *comm, int *code, ...)
{
    MPI_Send(code, 1, MPI_INT, 1 - rank, 8, *comm);
}

static void error_in_handler(MPI_Comm_errhandler_function *does)
{
    MPI_Errhandler handler;
    int value;

    MPI_Comm_create_errhandler(does, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    signal(SIGALRM, fail_in_handler);
    alarm(1);
    if (sigsetjmp(back, 1) == 0)
        MPI_Recv(&value, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&value, 1, MPI_INT, 1 - rank, 8, MPI_COMM_WORLD);
}

static MPI_Request cancelled;

static void give_it_up(int sig)
{
    (void)sig;
    MPI_Cancel(&cancelled); /* NOLINT(bugprone-signal-handler): on purpose */
}

static void cancel_in_handler(void)
{
    int value;

    signal(SIGALRM, give_it_up);
    alarm(1);
    MPI_Irecv(&value, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, &cancelled);
    MPI_Wait(&cancelled, MPI_STATUS_IGNORE);
}

static void seen_again(int sig)
{
    seen(sig);
    if (count < 3)
        raise(sig);
}

/* Loops that wait for a handler by calls that return at once. */
static void turns(void)
{
    const struct timespec none = { 0, 0 };
    const struct itimerval soon = { { 0, 0 }, { 0, 1000 } };
    struct sigaction act;
    struct itimerval left;
    sigset_t set;

    signal(SIGALRM, seen);
    signal(SIGUSR1, SIG_IGN);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    for (int way = 0; way < 7; way++) {
        double start = MPI_Wtime();

        count = 0;
        setitimer(ITIMER_REAL, &soon, NULL);
        while (count == 0)
            switch (way) {
            case 0:
                sigpending(&set);
                break;
            case 1:
                sigprocmask(SIG_BLOCK, NULL, &set);
                break;
            case 2:
                sigaction(SIGALRM, NULL, &act);
                break;
            case 3:
                raise(SIGUSR1);
                break;
            case 4:
                kill(getpid(), 0);
                break;
            case 5:
                sigtimedwait(&set, NULL, &none);
                break;
            case 6:
                getitimer(ITIMER_REAL, &left);
                break;
            }
        expect(since(start) > 0.001 && since(start) < 0.00101, 1, "the time of the turns");
    }
    printf("%d: turns\n", rank);
}

/* Without descriptors, with a mask that lets SIGALRM through and one that does not. */
static void polls(void)
{
    const struct timespec two = { 2, 0 }, bad = { 0, -1 };
    sigset_t set, none;
    double start;

    signal(SIGALRM, seen);
    sigemptyset(&none);
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    sigprocmask(SIG_BLOCK, &set, NULL);
    for (int way = 0; way < 2; way++) {
        for (int blocked = 0; blocked < 2; blocked++) {
            const sigset_t *mask = blocked ? &set : &none;

            count = 0;
            start = MPI_Wtime();
            alarm(1);
            expect(way == 0 ? pselect(0, NULL, NULL, NULL, &two, mask) : ppoll(NULL, 0, &two, mask),
                   blocked ? 0 : -1, "sleep with a mask");
            printf("%d: after %.1f s, %d handlers\n", rank, since(start), (int)count);
        }
        start = MPI_Wtime(); /* the signal of the last sleep */
        expect(way == 0 ? pselect(0, NULL, NULL, NULL, &two, &none) : ppoll(NULL, 0, &two, &none),
               -1, "sleep of a blocked signal");
        expect(since(start) < 0.1, 1, "its time");
    }
    expect(pselect(0, NULL, NULL, NULL, &bad, NULL) == -1 && errno == EINVAL, 1, "pselect");
    expect(ppoll(NULL, 0, &bad, &none) == -1 && errno == EINVAL, 1, "ppoll");
}

/* Times that no clock has, those that 64 bits of picoseconds do not hold, and what ends a wait. */
static void limits(void)
{
    const struct timespec bad[] = { { -1, 0 }, { 0, -1 }, { 0, 1000000000 } };
    const struct timespec ever = { INT64_MAX, 999999999 }, one = { 1, 0 };
    const struct itimerval wrong = { { 0, 0 }, { 0, 1000000 } },
                           wrong_every = { { -1, 0 }, { 1, 0 } };
    const struct itimerval rare = { { INT64_MAX / 2, 0 }, { 1, 0 } };
    struct timeval odd = { 0, 2500000 }, negative = { 0, -1 };
    struct timespec left = { 7, 7 };
    sigset_t set;
    double start = MPI_Wtime();

    signal(SIGALRM, seen);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    for (unsigned i = 0; i < 3; i++) {
        expect(nanosleep(&bad[i], NULL) == -1 && errno == EINVAL, 1, "nanosleep of no time");
        expect(sigtimedwait(&set, NULL, &bad[i]) == -1 && errno == EINVAL, 1, "sigtimedwait");
        expect(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &bad[i], NULL), EINVAL,
               "clock_nanosleep");
    }
    expect(setitimer(ITIMER_REAL, &wrong, NULL) == -1 && errno == EINVAL, 1, "setitimer");
    expect(setitimer(ITIMER_REAL, &wrong_every, NULL) == -1 && errno == EINVAL, 1, "setitimer");
    expect(select(0, NULL, NULL, NULL, &negative) == -1 && errno == EINVAL, 1, "select");
    expect(nanosleep(&one, &left) == 0 && left.tv_sec == 7, 1, "nanosleep to its end");
    expect(sigtimedwait(&set, NULL, &one) == -1 && errno == EAGAIN, 1, "sigtimedwait to its end");
    expect(select(0, NULL, NULL, NULL, &odd), 0, "select");
    printf("%d: after 1 s, 1 s and 2.5 s %.1f\n", rank, since(start));
    alarm(1);
    expect(nanosleep(&ever, &left) == -1 && errno == EINTR, 1, "nanosleep for ever");
    expect(left.tv_sec > 10000000, 1, "what is left");
    alarm(1);
    expect(sigtimedwait(&set, NULL, &ever) == -1 && errno == EINTR, 1, "sigtimedwait for ever");
    alarm(1);
    expect(sleep(UINT_MAX) > 10000000, 1, "sleep for ever");
    alarm(1);
    expect(select(0, NULL, NULL, NULL, NULL) == -1 && errno == EINTR, 1, "select for ever");
    alarm(1);
    expect(poll(NULL, 0, -1) == -1 && errno == EINTR, 1, "poll for ever");
    printf("%d: and five times 1 s %.1f, %d handlers\n", rank, since(start), (int)count);
    alarm(UINT_MAX);
    expect(sleep(1), 0, "sleep before an alarm that never comes");
    expect(alarm(0) > 10000000, 1, "alarm for ever");
    setitimer(ITIMER_REAL, &rare, NULL);
    expect(sleep(5), 4, "sleep until the first of rare ends");
    expect(sleep(5), 0, "sleep until none");
    expect(kill(INT_MIN, 0) == -1 && errno == ESRCH, 1, "kill of no group");
    expect(killpg(INT_MIN, 0) == -1 && errno == EINVAL, 1, "killpg of no group");
    count = 0;
    signal(SIGUSR2, seen_again);
    raise(SIGUSR2);
    printf("%d: raised in its handler %d\n", rank, (int)count);
}

static volatile double handled;

static void timed(int sig)
{
    (void)sig;
    handled = MPI_Wtime(); /* NOLINT(bugprone-signal-handler): as safe as clock_gettime() */
    count++;
}

static void compute(void)
{
    static volatile double x;

    for (int i = 0; i < 200000; i++)
        x += 1;
}

/* Before calls that wait, in blocks of which there are 10 or more to a microsecond. The handler
 * comes when the computing ends, not when the wait does. */
static void computing(void)
{
    sigset_t set, none;
    const struct itimerval soon = { { 0, 0 }, { 0, 1000 } }, twice = { { 5, 0 }, { 0, 1000 } };
    double start;
    int value = 1;

    signal(SIGALRM, timed);
    if (rank == 1) {
        sleep(20);
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        return;
    }
    setitimer(ITIMER_REAL, &soon, NULL);
    start = MPI_Wtime();
    compute();
    expect((int)sleep(1), 0, "sleep");
    printf("%d: before sleep %d\n", rank, handled - start < 0.5);
    setitimer(ITIMER_REAL, &twice, NULL);
    start = MPI_Wtime();
    compute();
    expect(pause(), -1, "pause");
    printf("%d: before pause, and at its end %.0f, in all %d\n", rank, handled - start, (int)count);
    setitimer(ITIMER_REAL, &soon, NULL);
    start = MPI_Wtime();
    compute();
    MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("%d: before receiving %d\n", rank, handled - start < 0.5);
    sigemptyset(&none);
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    sigprocmask(SIG_BLOCK, &set, NULL);
    setitimer(ITIMER_REAL, &soon, NULL);
    start = MPI_Wtime();
    compute();
    expect(sigsuspend(&none), -1, "sigsuspend");
    printf("%d: before sigsuspend %d\n", rank, handled - start < 0.5);
}

/* Two ranks of one node. */
static void neighbours(void)
{
    struct sigaction act = { .sa_sigaction = seen_info, .sa_flags = SA_SIGINFO };
    const struct timespec wait = { 9, 0 };
    sigset_t set;

    if (rank == 0) {
        sigaction(SIGUSR1, &act, NULL);
        sigemptyset(&set);
        sigaddset(&set, SIGUSR2);
        sigprocmask(SIG_BLOCK, &set, NULL);
        MPI_Barrier(MPI_COMM_WORLD);
        pause();
        say("from the neighbour");
        expect(got.si_pid, getpid() + 1, "the sender");
        expect(sigtimedwait(&set, &got, &wait), SIGUSR2, "sigtimedwait");
        expect(got.si_pid, getpid() + 1, "the sender of what was waited for");
        expect(getppid() == getpgrp(), 1, "getppid");
        errno = 0;
        expect(kill(getppid(), SIGTERM), -1, "kill of the launcher");
        expect(errno, EPERM, "its error");
        expect(kill(1, 0), -1, "kill of 1");
        expect(kill(99999, SIGTERM), -1, "kill of a process of the host");
        expect(errno, ESRCH, "its error");
        expect(kill(getpid() + 1, 0), 0, "kill 0");
        kill(getpid() + 1, SIGKILL);
        return;
    }
    signal(SIGUSR2, seen);
    MPI_Barrier(MPI_COMM_WORLD);
    sleep(1);
    kill(getpid() - 1, SIGUSR1);
    sleep(1);
    kill(getpid() - 1, SIGUSR2);
    for (;;)
        pause();
}

static int ends(const char *how)
{
    const struct itimerval ticks = { { 0, 100000 }, { 0, 100000 } };

    if (strcmp(how, "kill") == 0)
        kill(getpid(), SIGKILL);
    else if (strcmp(how, "alarm") == 0)
        alarm(1), sleep(10);
    else if (strcmp(how, "alarm-in-receive") == 0)
        alarm(1), MPI_Recv(NULL, 0, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else if (strcmp(how, "ticks-exit") == 0)
        setitimer(ITIMER_REAL, &ticks, NULL), signal(SIGALRM, seen), _exit(0);
    else if (strcmp(how, "ticks-kill") == 0)
        setitimer(ITIMER_REAL, &ticks, NULL), sleep(10);
    else if (strcmp(how, "group") == 0)
        kill(0, SIGTERM);
    else if (strcmp(how, "abort") == 0)
        abort();
    else if (strcmp(how, "assert") == 0)
        assert(rank != 1);
    else
        return 0;
    return 1;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == size - 1 && ends(argv[1]))
        return 1;
    if (strncmp(argv[1], "ticks", 5) == 0)
        MPI_Recv(NULL, 0, MPI_INT, size - 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (strcmp(argv[1], "handlers") == 0)
        handlers();
    else if (strcmp(argv[1], "timers") == 0)
        timers();
    else if (strcmp(argv[1], "jump-and-send") == 0)
        jump_and_send();
    else if (strcmp(argv[1], "look-in-handler") == 0)
        in_handler(look);
    else if (strcmp(argv[1], "abort-in-handler") == 0)
        in_handler(give_up);
    else if (strcmp(argv[1], "error-in-handler") == 0)
        error_in_handler(send_on);
    else if (strcmp(argv[1], "error-out-of-handler") == 0)
        error_in_handler(leave);
    else if (strcmp(argv[1], "cancel-in-handler") == 0)
        cancel_in_handler();
    else if (strcmp(argv[1], "out-of-error") == 0)
        out_of_error();
    else if (strcmp(argv[1], "in-receive") == 0)
        in_receive();
    else if (strcmp(argv[1], "jumps") == 0)
        jumps();
    else if (strcmp(argv[1], "jump-and-wait") == 0)
        jump_and_wait();
    else if (strcmp(argv[1], "polls") == 0)
        polls();
    else if (strcmp(argv[1], "turns") == 0)
        turns();
    else if (strcmp(argv[1], "limits") == 0)
        limits();
    else if (strcmp(argv[1], "computing") == 0)
        computing();
    else if (strcmp(argv[1], "neighbours") == 0)
        neighbours();
    fflush(stdout);
    _exit(0);
}
