/*
 * Streams and events. The engines of a GPU, two for copies and one for kernels,
 * take their jobs in order, so a stream is no queue of its own: it knows the last
 * job that was given to an engine for it. The next one waits for that in its
 * engine, or on the host if it needs another GPU. An event is the time when the
 * stream's last job ended.
 */
#include "hosts/cuda/internal.h"

#include <stdlib.h>

/** A stream, or an event; programs hold its address. */
struct cuda_object {
    struct cuda_object *next;
    struct cuda_last last;    /* an event's: the stream's when it was recorded */
    struct cuda_stamp *stamp; /* NULL: a stream, or an event that was never recorded */
};

/** The back end writes into it until the copy has ended, whatever becomes of the event. */
struct cuda_stamp {
    struct host_stamp s;
    bool used;
    struct cuda_stamp *next;
};

/* ---- jobs that go on --------------------------------------------------------- */

static struct cuda_engine *engine_of(struct cuda_rank *cr, struct cuda_last last)
{
    return &cr->device[last.gpu].engine[host_gpu_engine(last.number)];
}

void cuda_settle(struct cuda_rank *cr, struct cuda_last last)
{
    struct cuda_device *d = &cr->device[last.gpu];
    struct cuda_engine *e = engine_of(cr, last);

    if (last.number <= e->settled)
        return;
    cr->h->gpus->wait(cr->h, last.gpu, last.number);
    if (d->flush)
        driver_flush_gpu(cr->h, last.gpu);
    e->settled = last.number;
    if (d->engine[0].settled == d->engine[0].issued && d->engine[1].settled == d->engine[1].issued)
        d->flush = false;
}

void cuda_settle_all(struct cuda_rank *cr)
{
    for (unsigned g = 0; g < cr->d->ngpus; g++)
        for (unsigned i = 0; i < HOST_GPU_ENGINES; i++)
            cuda_settle(cr, (struct cuda_last){ g, cr->device[g].engine[i].issued });
}

struct cuda_last cuda_start(struct cuda_rank *cr, const struct cuda_job *job, uint64_t after)
{
    struct cuda_last last = { job->gpu,
                              cuda_give(cr, job->gpu, job->dst, job->src, job->bytes, after) };

    engine_of(cr, last)->issued = last.number;
    cr->device[job->gpu].flush |= job->flush;
    return last;
}

cudaError_t cuda_start_kernel(struct cuda_rank *cr, struct cuda_last *last,
                              const struct host_kernel *kernel)
{
    unsigned gpu = cr->h->gpu;
    uint64_t number;

    if (last->gpu != gpu) {
        cuda_settle(cr, *last);
        last->number = 0;
    }
    number = cr->h->gpus->kernel(cr->h, gpu, kernel, last->number);
    if (number == 0)
        return cudaErrorMemoryAllocation;
    *last = (struct cuda_last){ gpu, number };
    cr->device[gpu].used = true;
    engine_of(cr, *last)->issued = number;
    return cudaSuccess;
}

static bool job_ended(struct cuda_rank *cr, struct cuda_last last)
{
    return last.number <= engine_of(cr, last)->settled ||
           cr->h->gpus->ended(cr->h, last.gpu, last.number);
}

/* ---- objects ----------------------------------------------------------------- */

static struct cuda_object *find_object(const struct cuda_rank *cr, enum cuda_kind kind,
                                       const void *handle)
{
    struct cuda_object *o = cr != NULL ? cr->objects[kind] : NULL;

    while (o != NULL && o != handle)
        o = o->next;
    return o;
}

/* `handle_p`: where the program wants the handle, which may be nowhere; its caller writes it. */
static cudaError_t create_object(enum cuda_kind kind, const void *handle_p,
                                 struct cuda_object **object_p)
{
    struct cuda_rank *cr = cuda_enter(HOST_COST_CUDA_CALL);
    struct cuda_object *o;

    if (cr == NULL || handle_p == NULL)
        return cuda_leave(cr, cudaErrorInvalidValue);
    o = calloc(1, sizeof(*o));
    if (o == NULL)
        return cuda_leave(cr, cudaErrorMemoryAllocation);
    o->next = cr->objects[kind];
    cr->objects[kind] = o;
    *object_p = o;
    return cudaSuccess;
}

/* What was given to an engine goes on. */
static cudaError_t destroy_object(enum cuda_kind kind, const void *handle)
{
    struct cuda_rank *cr = cuda_enter(HOST_COST_CUDA_CALL);
    struct cuda_object *o = find_object(cr, kind, handle), **at;

    if (o == NULL)
        return cuda_leave(cr, cudaErrorInvalidResourceHandle);
    for (at = &cr->objects[kind]; *at != o; at = &(*at)->next)
        ;
    *at = o->next;
    if (o->stamp != NULL)
        o->stamp->used = false;
    free(o);
    return cudaSuccess;
}

/* NULL: there is no such object, or no rank. */
static struct cuda_last *find_last(struct cuda_rank *cr, enum cuda_kind kind, const void *handle)
{
    struct cuda_object *o = find_object(cr, kind, handle);

    if (cr != NULL && kind == CUDA_STREAM && handle == NULL)
        return &cr->null_stream[cr->h->gpu];
    return o != NULL ? &o->last : NULL;
}

static cudaError_t settle_last(struct cuda_rank *cr, const struct cuda_last *last)
{
    if (last == NULL)
        return cuda_leave(cr, cudaErrorInvalidResourceHandle);
    cuda_settle(cr, *last);
    return cudaSuccess;
}

/* Waits for what the object stands for. */
static cudaError_t synchronize(enum cuda_kind kind, const void *handle)
{
    struct cuda_rank *cr = cuda_enter(HOST_COST_CUDA_CALL);

    return settle_last(cr, find_last(cr, kind, handle));
}

/* Has it ended? Not ready is an answer, not an error to remember. */
static cudaError_t query(enum cuda_kind kind, const void *handle)
{
    struct cuda_rank *cr = cuda_enter(HOST_COST_CUDA_CALL);
    const struct cuda_last *last = find_last(cr, kind, handle);

    if (last != NULL && !job_ended(cr, *last))
        return cudaErrorNotReady;
    return settle_last(cr, last);
}

/* ---- streams ----------------------------------------------------------------- */

struct cuda_last *cuda_stream(struct cuda_rank *cr, cudaStream_t stream)
{
    return find_last(cr, CUDA_STREAM, stream);
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    struct cuda_object *o = NULL;
    cudaError_t code = create_object(CUDA_STREAM, stream, &o);

    if (code == cudaSuccess)
        *stream = (cudaStream_t)o;
    return code;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    return destroy_object(CUDA_STREAM, stream);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    return synchronize(CUDA_STREAM, stream);
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    return query(CUDA_STREAM, stream);
}

/* ---- events ------------------------------------------------------------------ */

static struct cuda_stamp *take_stamp(struct cuda_rank *cr)
{
    struct cuda_stamp *st = cr->stamps;

    while (st != NULL && (st->used || !st->s.ended))
        st = st->next;
    if (st == NULL) {
        st = calloc(1, sizeof(*st));
        if (st == NULL)
            return NULL;
        st->next = cr->stamps;
        cr->stamps = st;
    }
    st->used = true;
    st->s.ended = false;
    return st;
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    struct cuda_object *o = NULL;
    cudaError_t code = create_object(CUDA_EVENT, event, &o);

    if (code == cudaSuccess)
        *event = (cudaEvent_t)o;
    return code;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    return destroy_object(CUDA_EVENT, event);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    struct cuda_rank *cr = cuda_enter(HOST_COST_CUDA_CALL);
    struct cuda_object *e = find_object(cr, CUDA_EVENT, event);
    const struct cuda_last *last = cuda_stream(cr, stream);
    struct cuda_stamp *stamp;

    if (e == NULL || last == NULL)
        return cuda_leave(cr, cudaErrorInvalidResourceHandle);
    stamp = take_stamp(cr);
    if (stamp == NULL)
        return cuda_leave(cr, cudaErrorMemoryAllocation);
    if (e->stamp != NULL)
        e->stamp->used = false;
    e->stamp = stamp;
    e->last = *last;
    cr->h->gpus->stamp(cr->h, last->gpu, last->number, &stamp->s);
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    return synchronize(CUDA_EVENT, event);
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    return query(CUDA_EVENT, event);
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    struct cuda_rank *cr = cuda_enter(HOST_COST_CUDA_CALL);
    const struct cuda_object *a = find_object(cr, CUDA_EVENT, start);
    const struct cuda_object *b = find_object(cr, CUDA_EVENT, end);

    if (ms == NULL)
        return cuda_leave(cr, cudaErrorInvalidValue);
    if (a == NULL || b == NULL || a->stamp == NULL || b->stamp == NULL)
        return cuda_leave(cr, cudaErrorInvalidResourceHandle);
    if (!a->stamp->s.ended || !b->stamp->s.ended)
        return cudaErrorNotReady;
    /* 10^9 ps in a millisecond; signed, for the ends may be in either order */
    *ms = (float)((double)(int64_t)(b->stamp->s.time_ps - a->stamp->s.time_ps) / 1e9);
    return cudaSuccess;
}

void cuda_streams_free(struct cuda_rank *cr)
{
    for (unsigned kind = 0; kind < CUDA_KINDS; kind++)
        for (struct cuda_object *o = cr->objects[kind], *next; o != NULL; o = next) {
            next = o->next;
            free(o);
        }
    for (struct cuda_stamp *st = cr->stamps, *next; st != NULL; st = next) {
        next = st->next;
        free(st);
    }
}
