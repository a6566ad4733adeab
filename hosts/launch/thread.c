#include "hosts/launch/thread.h"

#include "hosts/launch/compute.h"
#include "hosts/launch/node/node.h"
#include "hosts/launch/poll.h"

/* By a signal, while it waited, or its rank's helper did. */
static bool thread_ended(const struct launch_thread *t)
{
    return t->ended || (t->above != NULL && t->above->ended);
}

void launch_say(struct launch_thread *t, const char *line)
{
    if (t->err == NULL) /* its node has no rank */
        return;
    (void)fflush(t->err);
    launch_polls_printed(t);
    output_put(t->node->run->output, t->host.rank, OUTPUT_LIBRARY, sim_now(t->dom), line);
}

void launch_resume(struct launch_thread *t)
{
    if (thread_ended(t))
        return;
    t->resumed++;
    host_set_self(t->above != NULL ? &t->above->host : &t->host);
    task_resume(t->task);
    host_set_self(NULL);
    if (t->above != NULL)
        t = t->above; /* what a helper breaks is its rank's */
    if (t->mistake.kind != GUARD_NOTHING) {
        launch_heap_report(t, &t->mistake);
        t->mistake.kind = GUARD_NOTHING;
    }
    if (t->fault != NULL) {
        char place[128], line[400];

        program_place(t->program, t->fault_at, place, sizeof(place));
        (void)snprintf(line, sizeof(line), "rank %u on node %u at %.6f us: %s%s", t->host.rank,
                       t->node->shared.index, (double)sim_now(t->dom) * 1e-6, t->fault, place);
        launch_say(t, line);
        t->fault = NULL;
    }
}

static void suspend(struct launch_thread *t, const char *what)
{
    t->waits = what;
    task_suspend(t->task);
    t->waits = NULL;
    launch_charged(t);
}

static void count_busy(struct launch_thread *t)
{
    if (t->host.looks.inside)
        return;
    t->busy++;
    t->host.looks.call.name = NULL;
}

void launch_suspend(struct launch_thread *t, const char *what)
{
    count_busy(t);
    suspend(t, what);
}

static void begin_operation(struct launch_thread *t, bool timer)
{
    if (t->polls != NULL)
        launch_polls_end(t, timer);
    if (!timer)
        count_busy(t);
}

uint64_t launch_wait(struct launch_thread *t, const char *what)
{
    begin_operation(t, false);
    suspend(t, what);
    return t->value;
}

void launch_passed(struct launch_thread *t, bool timer)
{
    begin_operation(t, timer);
    t->value = 0;
    t->resumed++;
    launch_charged(t);
}

uint64_t launch_wait_timer(struct launch_thread *t, const char *what)
{
    begin_operation(t, true);
    suspend(t, what);
    return t->value;
}

void launch_compute_pass(struct launch_thread *t, sim_time_t ps)
{
    if (ps == 0)
        return;
    node_core_spend(t->core, ps, launch_done, t);
    launch_wait(t, "computing");
}

void launch_done(void *arg, uint64_t value)
{
    struct launch_thread *t = arg;

    t->value = value;
    launch_resume(t);
}

static void wakeup_event(struct sim_event *ev)
{
    struct launch_thread *t = SIM_CONTAINER_OF(ev, struct launch_thread, wakeup);

    t->late = node_core_held(t->core);
    if (!t->late)
        launch_resume(t);
}

/* Not an operation of the core: whether a thread that looks at the very time of an arrival finds
 * it, or sleeps and is woken at once, depends on the order of events and must leave no trace. */
bool launch_sleep(struct launch_thread *t, sim_time_t deadline, const char *what)
{
    sim_time_t now = sim_now(t->dom);

    t->asleep = true;
    t->woken = false;
    if (deadline != SIM_TIME_NEVER)
        sim_schedule_at(t->dom, &t->wakeup, deadline > now ? deadline : now, SIM_TASK);
    launch_wait(t, what);
    t->asleep = false;
    return t->woken;
}

void launch_wake(struct launch_thread *t)
{
    if (t->running != NULL)
        launch_wake(t->running);
    if (!t->asleep)
        return;
    t->woken = true;
    t->late = node_core_held(t->core);
    if (t->late)
        return;
    sim_schedule_by(t->dom, &t->wakeup, sim_now(t->dom), SIM_TASK);
}

void launch_let_go(struct launch_thread *t)
{
    if (!t->late || node_core_held(t->core))
        return;
    t->late = false;
    sim_schedule_by(t->dom, &t->wakeup, sim_now(t->dom), SIM_TASK);
}

static void thread_main(void *arg)
{
    struct launch_thread *t = arg;

    t->run(t);
    t->host.process->exit(&t->host, t->exit_code);
}

int launch_thread_init(struct launch_thread *t, struct launch_node *node, struct node_core *core,
                       void (*run)(struct launch_thread *t), struct sim_error *err)
{
    t->host = launch_host;
    t->host.node = &node->shared;
    t->host.pio_mapping = (enum host_mapping)node->run->software->pio_mapping;
    t->host.size = node->run->nranks;
    t->host.settings = node->run->software->settings;
    t->node = node;
    t->dom = node->dom;
    t->core = core;
    t->run = run;
    sim_event_init(&t->wakeup, wakeup_event);
    t->task = task_create(TASK_STACK_BYTES, thread_main, t);
    if (t->task == NULL)
        return sim_error_set(err, SIM_ERR_NOMEM, "node%u: no memory for the stack of a task",
                             node->shared.index);
    return SIM_OK;
}

void launch_thread_fini(struct launch_thread *t)
{
    if (t->task != NULL)
        sim_cancel(t->dom, &t->wakeup);
    task_destroy(t->task);
    t->task = NULL; /* functions of the program that run when it is unloaded are no rank's */
    range_fini(&t->arena);
    launch_pins_fini(t);
}
