#include "hosts/launch/internal.h"

#include <stdlib.h>

void launch_resume(struct launch_thread *t)
{
    host_set_self(&t->host);
    task_resume(t->task);
    host_set_self(NULL);
}

uint64_t launch_wait(struct launch_thread *t, const char *what)
{
    t->waits = what;
    task_suspend(t->task);
    t->waits = NULL;
    return t->value;
}

void launch_done(void *arg, uint64_t value)
{
    struct launch_thread *t = arg;

    t->value = value;
    launch_resume(t);
}

bool launch_sleep(struct launch_thread *t, sim_time_t deadline, const char *what)
{
    uint64_t late;

    t->asleep = true;
    node_core_sleep(t->core, deadline, launch_done, t);
    late = launch_wait(t, what);
    t->asleep = false;
    return late == 0;
}

void launch_wake(struct launch_thread *t)
{
    if (t->asleep)
        node_core_wake(t->core);
}

static void thread_main(void *arg)
{
    struct launch_thread *t = arg;

    t->run(t);
    t->host.ops->exit(&t->host, t->exit_code);
}

int launch_thread_init(struct launch_thread *t, struct launch_node *node, unsigned core,
                       void (*run)(struct launch_thread *t), struct sim_error *err)
{
    t->host.node = &node->shared;
    t->host.ops = &launch_ops;
    t->host.pio_mapping = node->run->software->pio_mapping;
    t->host.size = node->run->nranks;
    t->node = node;
    t->core = node_host_core(node->host, core);
    t->run = run;
    t->end = &t->first;
    t->local_end = &t->local_first;
    t->task = task_create(TASK_STACK_BYTES, thread_main, t);
    if (t->task == NULL)
        return sim_error_set(err, SIM_ERR_NOMEM, "node%u: no memory for the stack of a task",
                             node->shared.index);
    return SIM_OK;
}

void launch_thread_fini(struct launch_thread *t)
{
    host_release_states(t->host.state, HOST_RANK_SLOTS);
    task_destroy(t->task);
    free(t->taken);
    while (t->first != NULL) {
        struct launch_message *msg = t->first;

        t->first = msg->next;
        free(msg);
    }
    while (t->local_first != NULL) {
        struct launch_local *msg = t->local_first;

        t->local_first = msg->next;
        free(msg);
    }
    range_fini(&t->arena);
}
