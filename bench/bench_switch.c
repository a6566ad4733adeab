/*
 * Task switches: an event loop resumes tasks that suspend at once, one after the
 * other, as software that polls does. One operation is one switch: half of a
 * resume and its suspend. Beside it the same loop with a call through a pointer.
 */
#include "bench.h"
#include "hosts/launch/process/task.h"

#include <stdio.h>
#include <stdlib.h>

#define TASKS 16u

struct loop {
    struct task *tasks[TASKS];
    uint64_t resumes;
};

struct self {
    struct task *task;
    uint64_t turns;
};
static struct self selves[TASKS];

static void spin(void *arg)
{
    struct self *self = arg;

    for (;;) {
        self->turns++;
        task_suspend(self->task);
    }
}

static uint64_t run_tasks(void *arg)
{
    struct loop *loop = arg;

    for (uint64_t i = 0; i < loop->resumes; i++)
        task_resume(loop->tasks[i % TASKS]);
    return loop->resumes * 2;
}

static void turn(struct self *self)
{
    self->turns++;
}

static uint64_t run_calls(void *arg)
{
    const struct loop *loop = arg;
    void (*volatile call)(struct self *) = turn;

    for (uint64_t i = 0; i < loop->resumes; i++)
        call(&selves[i % TASKS]);
    return loop->resumes * 2;
}

int main(int argc, char **argv)
{
    bool smoke = bench_smoke(argc, argv);
    struct loop loop = { .resumes = smoke ? 1000 : 2000000 };
    struct bench_case cases[] = { { .name = "call", .run = run_calls, .arg = &loop },
                                  { .name = "task switch", .run = run_tasks, .arg = &loop } };

    for (unsigned i = 0; i < TASKS; i++) {
        loop.tasks[i] = task_create(TASK_STACK_BYTES, spin, &selves[i]);
        if (loop.tasks[i] == NULL)
            abort();
        selves[i].task = loop.tasks[i];
    }
    bench_compare(cases, 2, smoke ? 1 : 21);
    for (unsigned i = 0; i < TASKS; i++)
        task_destroy(loop.tasks[i]);
    printf("task switch: %.1f ns (at most 10), a call through a pointer %.1f ns\n", cases[1].ns,
           cases[0].ns * 2);
    return 0;
}
