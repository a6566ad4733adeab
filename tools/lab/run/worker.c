#define _POSIX_C_SOURCE 200809L
#include "tools/lab/run/worker.h"
#include "tools/lab/format/whole.h"
#include "tools/lab/process/processes.h"
#include "tools/lab/run/stop.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORKERS_MAX 64u
#define NO_RUN      UINT32_MAX

struct worker {
    pid_t pid; /* 0: not running */
    int to, from;
    uint32_t index; /* which run it has, or NO_RUN */
};

struct answer {
    uint32_t index;
    int32_t rc;
    uint32_t bytes; /* of text, which follows */
};

struct crew {
    const struct lab_pool_config *cfg;
    const struct lab_run *const *runs;
    unsigned n, next; /* runs [0, next) are given out */
    unsigned nworkers;
    struct worker workers[WORKERS_MAX];
    lab_finished_fn finished;
    void *arg;
};

static _Noreturn void work(const struct crew *crew, int from, int to)
{
    uint32_t index;

    while (lab_read_whole(from, &index, sizeof(index))) {
        struct answer answer = { .index = index };
        char *text = NULL;
        size_t n = 0;

        answer.rc = lab_execute(crew->cfg, crew->runs[index], &text, &n);
        answer.bytes = (uint32_t)n;
        if (!lab_write_whole(to, &answer, sizeof(answer)) || !lab_write_whole(to, text, n))
            break;
        free(text);
    }
    _exit(0);
}

/** The child must not hold the pipes of its elders: they would never see their end. */
static void close_elders(const struct crew *crew)
{
    for (unsigned i = 0; i < crew->nworkers; i++) {
        if (crew->workers[i].pid != 0) {
            (void)close(crew->workers[i].to);
            (void)close(crew->workers[i].from);
        }
    }
}

/** What runs for a parent that is gone is of no use, and takes the processors of the next one. */
static void end_with(pid_t parent)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) /* it was gone before */
        _exit(0);
}

static bool start_worker(struct crew *crew, struct worker *w)
{
    pid_t self = getpid();
    int down[2], up[2];

    if (pipe(down) != 0)
        return false;
    if (pipe(up) != 0)
        goto err_close_down;
    (void)fflush(NULL);
    w->pid = fork();
    if (w->pid < 0)
        goto err_close_up;
    if (w->pid == 0) { /* a signal to all is the parent's to answer: it ends workers */
        end_with(self);
        close_elders(crew);
        (void)close(down[1]);
        (void)close(up[0]);
        work(crew, down[0], up[1]);
    }
    (void)close(down[0]);
    (void)close(up[1]);
    w->to = down[1];
    w->from = up[0];
    w->index = NO_RUN;
    return true;

err_close_up:
    w->pid = 0;
    (void)close(up[0]);
    (void)close(up[1]);
err_close_down:
    (void)close(down[0]);
    (void)close(down[1]);
    return false;
}

/** @return how it ended, in words. */
static const char *stop_worker(struct worker *w)
{
    int status = 0;

    (void)close(w->to);
    (void)close(w->from);
    while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR)
        ;
    w->pid = 0;
    if (WIFSIGNALED(status))
        return WTERMSIG(status) == SIGABRT ? "the simulation broke one of its own rules (see above)"
                                           : strsignal(WTERMSIG(status));
    return "the simulation's process ended early";
}

static void give_run(struct crew *crew, struct worker *w)
{
    const struct sigaction ignore = { .sa_handler = SIG_IGN };
    struct sigaction before;

    if (crew->next == crew->n) {
        (void)stop_worker(w);
        return;
    }
    w->index = crew->next++;
    /* A dead worker is noticed when its answer is read. */
    (void)sigaction(SIGPIPE, &ignore, &before);
    (void)lab_write_whole(w->to, &w->index, sizeof(w->index));
    (void)sigaction(SIGPIPE, &before, NULL);
}

static void report_end(struct crew *crew, const struct lab_finished *end)
{
    if (!crew->finished(crew->arg, end))
        crew->next = crew->n;
}

static void take_answer(struct crew *crew, struct worker *w)
{
    struct answer answer;
    char *text = NULL;

    if (lab_read_whole(w->from, &answer, sizeof(answer)) &&
        (text = calloc(1, (size_t)answer.bytes + 1)) != NULL &&
        lab_read_whole(w->from, text, answer.bytes)) {
        report_end(crew, &(struct lab_finished){ answer.index, answer.rc, false, text });
        give_run(crew, w);
    } else {
        uint32_t index = w->index;

        report_end(crew, &(struct lab_finished){ index, SIM_ERR_IO, true, stop_worker(w) });
        if (crew->next < crew->n && start_worker(crew, w))
            give_run(crew, w);
    }
    free(text);
}

static unsigned wait_for_answers(struct crew *crew)
{
    struct pollfd fds[WORKERS_MAX];
    struct worker *owners[WORKERS_MAX];
    nfds_t n = 0;

    for (unsigned i = 0; i < crew->nworkers; i++) {
        if (crew->workers[i].pid != 0) {
            fds[n] = (struct pollfd){ .fd = crew->workers[i].from, .events = POLLIN };
            owners[n++] = &crew->workers[i];
        }
    }
    if (n == 0)
        return 0;
    if (lab_stop_signal() != 0)
        return 0;
    if (!lab_stop_poll(fds, n))
        return 1; /* a signal; try again */
    for (nfds_t i = 0; i < n && lab_stop_signal() == 0; i++)
        if (fds[i].revents != 0)
            take_answer(crew, owners[i]);
    return 1;
}

/** Those that are at work end at once, without their results. @return how many have ended before */
static unsigned stop_all(struct crew *crew)
{
    unsigned ended = crew->next;

    for (unsigned i = 0; i < crew->nworkers; i++) {
        struct worker *w = &crew->workers[i];

        if (w->pid == 0)
            continue;
        (void)kill(w->pid, SIGKILL);
        (void)stop_worker(w);
        ended--;
    }
    return ended;
}

static void run_here(struct crew *crew)
{
    while (crew->next < crew->n) {
        unsigned index = crew->next++;
        char *text = NULL;
        size_t n = 0;
        int rc = lab_execute(crew->cfg, crew->runs[index], &text, &n);

        report_end(crew, &(struct lab_finished){ index, rc, false, text });
        free(text);
    }
}

void lab_workers_run(const struct lab_pool_config *cfg, const struct lab_run *const *runs,
                     unsigned n, lab_finished_fn finished, void *arg)
{
    struct crew crew = { .cfg = cfg, .runs = runs, .n = n, .finished = finished, .arg = arg };
    unsigned wanted = cfg->workers < n ? cfg->workers : n, ended;

    if (cfg->workers == 0 || lab_processes_several()) {
        run_here(&crew);
        return;
    }
    lab_stop_catch();
    for (; crew.nworkers < wanted && crew.nworkers < WORKERS_MAX; crew.nworkers++)
        if (!start_worker(&crew, &crew.workers[crew.nworkers]))
            break;
    for (unsigned i = 0; i < crew.nworkers; i++)
        give_run(&crew, &crew.workers[i]);
    while (wait_for_answers(&crew) != 0)
        ;
    lab_stop_leave();
    if (lab_stop_signal() != 0) {
        ended = stop_all(&crew);
        load_raise(SIM_ERR_IO, "%s: %u of %u simulations have ended, %s",
                   strsignal(lab_stop_signal()), ended, n,
                   cfg->when_stopped != NULL ? cfg->when_stopped : "nothing is kept");
    }
    if (crew.next < n)
        load_raise(SIM_ERR_IO, "no worker process could be started: %s", strerror(errno));
}
