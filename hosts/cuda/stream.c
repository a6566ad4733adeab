/*
 * Streams and events. The two copy engines of a GPU take copies in order, so a
 * stream is no queue of its own: it knows the last copy that was given to an
 * engine for it, and the next one waits for that in its engine, or on the host if it
 * needs another GPU. An event is the time when the stream's last copy ended.
 */
#include "hosts/cuda/internal.h"

#include <stdlib.h>

struct CUstream_st {
    struct cuda_last last;
    struct CUstream_st *next;
};

struct CUevent_st {
    struct cuda_stamp *stamp; /* NULL: never recorded */
    struct cuda_last last;    /* of the stream then */
    struct CUevent_st *next;
};

/** The back end writes into it until the copy has ended, whatever becomes of the event. */
struct cuda_stamp {
    struct host_stamp s;
    bool used;
    struct cuda_stamp *next;
};

/* ---- copies that go on ------------------------------------------------------- */

static struct cuda_engine *engine_of(struct cuda_rank *cr, struct cuda_last last)
{
    return &cr->device[last.gpu].engine[host_copy_engine(last.number)];
}

/* The engine's own GPU first: what it wrote to a peer has then left for it, and the read from the
 * peer cannot pass it. */
static void flush(struct cuda_rank *cr, unsigned gpu, uint8_t gpus)
{
    if ((gpus & 1u << gpu) != 0)
        driver_flush_gpu(cr->h, gpu);
    for (unsigned g = 0; g < cr->d->ngpus; g++)
        if (g != gpu && (gpus & 1u << g) != 0)
            driver_flush_gpu(cr->h, g);
}

void cuda_settle(struct cuda_rank *cr, struct cuda_last last)
{
    struct cuda_device *d = &cr->device[last.gpu];
    struct cuda_engine *e = engine_of(cr, last);

    if (last.number <= e->settled)
        return;
    cr->h->gpus->wait(cr->h, last.gpu, last.number);
    flush(cr, last.gpu, d->flush);
    e->settled = last.number;
    if (d->engine[0].settled == d->engine[0].issued && d->engine[1].settled == d->engine[1].issued)
        d->flush = 0;
}

void cuda_settle_all(struct cuda_rank *cr)
{
    for (unsigned g = 0; g < cr->d->ngpus; g++)
        for (unsigned i = 0; i < HOST_COPY_ENGINES; i++)
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

static bool ended(struct cuda_rank *cr, struct cuda_last last)
{
    return last.number <= engine_of(cr, last)->settled ||
           cr->h->gpus->ended(cr->h, last.gpu, last.number);
}

/* ---- streams ----------------------------------------------------------------- */

struct cuda_last *cuda_stream(struct cuda_rank *cr, cudaStream_t stream)
{
    if (stream == NULL)
        return &cr->null_stream[cr->h->gpu];
    for (struct CUstream_st *s = cr->streams; s != NULL; s = s->next)
        if (s == stream)
            return &s->last;
    return NULL;
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    struct cuda_rank *cr = cuda_enter(HOST_COST_CUDA_CALL);
    struct CUstream_st *s;

    if (cr == NULL)
        return cudaErrorNoDevice;
    if (stream == NULL)
        return cuda_leave(cr, cudaErrorInvalidValue);
    s = calloc(1, sizeof(*s));
    if (s == NULL)
        return cuda_leave(cr, cudaErrorMemoryAllocation);
    s->next = cr->streams;
    cr->streams = s;
    *stream = s;
    return cudaSuccess;
}

/* What was given to the engine goes on. */
cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    struct cuda_rank *cr = cuda_enter(HOST_COST_CUDA_CALL);

    if (cr == NULL)
        return cudaErrorNoDevice;
    for (struct CUstream_st **at = &cr->streams; *at != NULL; at = &(*at)->next)
        if (*at == stream) {
            *at = stream->next;
            free(stream);
            return cudaSuccess;
        }
    return cuda_leave(cr, cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    struct cuda_rank *cr = cuda_enter(HOST_COST_CUDA_CALL);
    struct cuda_last *last;

    if (cr == NULL)
        return cudaErrorNoDevice;
    last = cuda_stream(cr, stream);
    if (last == NULL)
        return cuda_leave(cr, cudaErrorInvalidResourceHandle);
    cuda_settle(cr, *last);
    return cudaSuccess;
}

/* Not ready is an answer, not an error to remember. */
static cudaError_t query(struct cuda_rank *cr, struct cuda_last last)
{
    if (!ended(cr, last))
        return cudaErrorNotReady;
    cuda_settle(cr, last);
    return cudaSuccess;
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    struct cuda_rank *cr = cuda_enter(HOST_COST_CUDA_CALL);
    struct cuda_last *last;

    if (cr == NULL)
        return cudaErrorNoDevice;
    last = cuda_stream(cr, stream);
    return last != NULL ? query(cr, *last) : cuda_leave(cr, cudaErrorInvalidResourceHandle);
}

/* ---- events ------------------------------------------------------------------ */

static struct CUevent_st *find_event(struct cuda_rank *cr, cudaEvent_t event)
{
    struct CUevent_st *e = cr->events;

    while (e != NULL && e != event)
        e = e->next;
    return e;
}

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
    struct cuda_rank *cr = cuda_enter(HOST_COST_CUDA_CALL);
    struct CUevent_st *e;

    if (cr == NULL)
        return cudaErrorNoDevice;
    if (event == NULL)
        return cuda_leave(cr, cudaErrorInvalidValue);
    e = calloc(1, sizeof(*e));
    if (e == NULL)
        return cuda_leave(cr, cudaErrorMemoryAllocation);
    e->next = cr->events;
    cr->events = e;
    *event = e;
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    struct cuda_rank *cr = cuda_enter(HOST_COST_CUDA_CALL);

    if (cr == NULL)
        return cudaErrorNoDevice;
    for (struct CUevent_st **at = &cr->events; *at != NULL; at = &(*at)->next)
        if (*at == event) {
            *at = event->next;
            if (event->stamp != NULL)
                event->stamp->used = false;
            free(event);
            return cudaSuccess;
        }
    return cuda_leave(cr, cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    struct cuda_rank *cr = cuda_enter(HOST_COST_CUDA_CALL);
    struct CUevent_st *e;
    struct cuda_last *last;
    struct cuda_stamp *stamp;

    if (cr == NULL)
        return cudaErrorNoDevice;
    e = find_event(cr, event);
    last = cuda_stream(cr, stream);
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
    struct cuda_rank *cr = cuda_enter(HOST_COST_CUDA_CALL);
    struct CUevent_st *e;

    if (cr == NULL)
        return cudaErrorNoDevice;
    e = find_event(cr, event);
    if (e == NULL)
        return cuda_leave(cr, cudaErrorInvalidResourceHandle);
    cuda_settle(cr, e->last);
    return cudaSuccess;
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    struct cuda_rank *cr = cuda_enter(HOST_COST_CUDA_CALL);
    struct CUevent_st *e;

    if (cr == NULL)
        return cudaErrorNoDevice;
    e = find_event(cr, event);
    return e != NULL ? query(cr, e->last) : cuda_leave(cr, cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    struct cuda_rank *cr = cuda_enter(HOST_COST_CUDA_CALL);
    struct CUevent_st *a, *b;

    if (cr == NULL)
        return cudaErrorNoDevice;
    a = find_event(cr, start);
    b = find_event(cr, end);
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
    while (cr->streams != NULL) {
        struct CUstream_st *s = cr->streams;

        cr->streams = s->next;
        free(s);
    }
    while (cr->events != NULL) {
        struct CUevent_st *e = cr->events;

        cr->events = e->next;
        free(e);
    }
    while (cr->stamps != NULL) {
        struct cuda_stamp *st = cr->stamps;

        cr->stamps = st->next;
        free(st);
    }
}
