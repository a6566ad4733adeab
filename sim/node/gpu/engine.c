/*
 * The order of jobs. An engine's jobs run one at a time, each after a set-up time, which begins
 * when its bell is rung and the job of another engine that it waits for has ended.
 */
#include "node/gpu/internal.h"

#include <stdlib.h>

static struct gpu_engine *engine_of(struct node_gpu *gpu, enum node_gpu_engine which)
{
    return which == NODE_GPU_KERNEL ? &gpu->kernels : &gpu->copy[which].engine;
}

/** The head of the queue, if there is one, begins its set-up now, or waits for its bell, or for
 * another engine. */
static void begin_job(struct gpu_engine *e)
{
    struct node_gpu *gpu = e->gpu;
    const struct node_gpu_job *job = e->queue.head;

    e->start = SIM_TIME_NEVER;
    if (job != NULL && job->rung && job->after.jobs <= engine_of(gpu, job->after.engine)->ended) {
        e->start = sim_now(gpu->dom) + e->setup_ps;
        gpu_wake(gpu, e->start);
    }
    if (gpu->probe != NULL)
        gpu_probe_engine(e, false);
}

struct node_gpu_job *gpu_engine_add(struct gpu_engine *e, struct node_gpu_after after,
                                    node_gpu_done_fn done, void *arg)
{
    struct node_gpu_job *job = sim_list_pop(&e->unused);

    if (job == NULL)
        job = malloc(sizeof(*job));
    SIM_ASSERT(job != NULL);
    *job = (struct node_gpu_job){ .engine = e, .after = after, .done = done, .arg = arg };
    sim_list_push(&e->queue, &job->link);
    if (e->queue.head == job)
        begin_job(e);
    return job;
}

void node_gpu_ring(void *arg, uint64_t posted)
{
    struct node_gpu_job *job = arg;
    struct gpu_engine *e = job->engine;

    SIM_ASSERT(!job->rung);
    job->rung = true;
    job->behind = e->gpu->lost_before + posted;
    if (e->queue.head == job)
        begin_job(e);
}

bool gpu_engine_begun(struct gpu_engine *e, sim_time_t *next_p)
{
    struct node_gpu *gpu = e->gpu;
    const struct node_gpu_job *job = e->queue.head;
    sim_time_t now = sim_now(gpu->dom);

    if (e->start > now) {
        *next_p = e->start;
        return false;
    }
    if (gpu->posted_done < job->behind) {
        e->held = true;
        *next_p = SIM_TIME_NEVER; /* the last of these writes comes here again */
        return false;
    }
    if (e->held)
        e->start = now;
    e->held = false;
    if (gpu->probe != NULL)
        gpu_probe_engine(e, true);
    return true;
}

void gpu_engine_end(struct gpu_engine *e)
{
    struct node_gpu *gpu = e->gpu;
    struct node_gpu_job *job = sim_list_pop(&e->queue);

    e->ended++;
    sim_list_push(&e->finished, &job->link);
    sim_schedule_by(gpu->dom, &e->done, sim_now(gpu->dom), SIM_TASK);
    begin_job(e);
    for (unsigned i = 0; i < NODE_GPU_ENGINES; i++) {
        struct gpu_engine *other = engine_of(gpu, (enum node_gpu_engine)i);

        if (other != e && other->queue.head != NULL && other->start == SIM_TIME_NEVER)
            begin_job(other);
    }
}

static void done_event(struct sim_event *ev)
{
    struct gpu_engine *e = SIM_CONTAINER_OF(ev, struct gpu_engine, done);
    struct node_gpu_job *job;

    while ((job = sim_list_pop(&e->finished)) != NULL) {
        node_gpu_done_fn done = job->done;
        void *arg = job->arg;

        sim_list_push(&e->unused, &job->link);
        done(arg);
    }
}

void gpu_engines_lost(struct node_gpu *gpu)
{
    gpu->lost_before = gpu->posted_in;
    for (unsigned i = 0; i < NODE_GPU_ENGINES; i++)
        for (struct node_gpu_job *job = engine_of(gpu, (enum node_gpu_engine)i)->queue.head;
             job != NULL; job = (struct node_gpu_job *)job->link.next)
            job->behind = sim_min(job->behind, gpu->posted_in);
}

void gpu_engine_init(struct gpu_engine *e, struct node_gpu *gpu, enum node_gpu_engine which,
                     sim_time_t setup_ps)
{
    e->gpu = gpu;
    e->which = which;
    e->setup_ps = setup_ps;
    e->start = SIM_TIME_NEVER;
    sim_event_init(&e->done, done_event);
    if (gpu->probe != NULL)
        gpu_probe_engine(e, false);
}

void gpu_engine_fini(struct gpu_engine *e)
{
    sim_list_free(&e->queue);
    sim_list_free(&e->finished);
    sim_list_free(&e->unused);
}
