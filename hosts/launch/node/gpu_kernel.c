/*
 * Kernels of GPUs. The GPU knows how long one takes. What it does to memory is a function of the
 * program, which runs when the kernel ends. It has a stack of its own, so one that crashes ends its
 * rank. It has no core, so it may call nothing that takes time.
 */
#include "hosts/launch/node/node.h"
#include "hosts/launch/signal.h"
#include "hosts/launch/worker.h"

#include <stdlib.h>

struct launch_kernel {
    struct sim_link link;
    struct launch_gpu *gpu;
    struct launch_thread *rank;
    struct host_kernel what;
};

/** What a rank has for its kernels' functions. */
struct launch_worker {
    struct launch_thread thread;
    struct host_kernel what; /* runs next, or now */
};

static void worker_run(struct launch_thread *t)
{
    const struct launch_worker *w = SIM_CONTAINER_OF(t, struct launch_worker, thread);

    for (;;) {
        w->what.run(w->what.arg);
        task_suspend(t->task);
    }
}

static bool have_worker(struct launch_thread *rank)
{
    struct launch_worker *w;

    if (rank->worker != NULL)
        return true;
    w = calloc(1, sizeof(*w));
    if (w == NULL)
        return false;
    if (launch_thread_init(&w->thread, rank->node, NULL, worker_run, NULL) != SIM_OK) {
        launch_thread_fini(&w->thread);
        free(w);
        return false;
    }
    w->thread.above = rank;
    w->thread.works = true;
    rank->worker = w;
    return true;
}

void launch_worker_fini(struct launch_thread *rank)
{
    if (rank->worker == NULL)
        return;
    launch_thread_fini(&rank->worker->thread);
    free(rank->worker);
    rank->worker = NULL;
}

void launch_worker_refuse(struct launch_thread *t)
{
    struct host *h = &t->above->host;
    char line[160];

    (void)snprintf(line, sizeof(line),
                   "rank %u on node %u at %.6f us: the function of a kernel has made a call that "
                   "takes time: expected it to compute alone",
                   h->rank, h->node->index, (double)sim_now(t->dom) * 1e-6);
    h->process->print(h, line);
    h->process->abort(h, 1);
    SIM_ASSERT(false);
}

static void kernel_ended(void *arg)
{
    struct launch_kernel *k = arg;
    struct launch_gpu *g = k->gpu;
    struct launch_thread *rank = k->rank, *running = rank->running;

    sim_list_pop(&g->kernels);
    if (!rank->ended) {
        rank->worker->what = k->what;
        rank->running = &rank->worker->thread;
        launch_resume(&rank->worker->thread);
        rank->running = running;
    }
    free(k);
    launch_gpu_ended(&g->engines[HOST_KERNEL_ENGINE]);
}

uint64_t launch_kernel(struct host *h, unsigned gpu, const struct host_kernel *what, uint64_t after)
{
    struct launch_gpu *g = launch_gpu_of(h, gpu);
    struct launch_engine *e = &g->engines[HOST_KERNEL_ENGINE];
    struct launch_thread *t = launch_begin(h);
    const struct node_gpu_work work = { what->sp_operations, what->dp_operations, what->read_bytes,
                                        what->written_bytes };
    struct launch_kernel *k = NULL;
    struct node_gpu_job *job;

    if (what->run != NULL) {
        k = have_worker(launch_thread_of(h)) ? malloc(sizeof(*k)) : NULL;
        if (k == NULL)
            return 0;
        *k = (struct launch_kernel){ .gpu = g, .rank = launch_thread_of(h), .what = *what };
        sim_list_push(&g->kernels, &k->link);
    }
    job = node_gpu_kernel(g->gpu, launch_gpu_after(after), &work,
                          k != NULL ? kernel_ended : launch_gpu_ended,
                          k != NULL ? (void *)k : (void *)e);
    node_core_ring(t->core, g->port, node_gpu_ring, job);
    return e->started += e->step;
}
