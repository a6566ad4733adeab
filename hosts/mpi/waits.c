/* What a rank waits for, for those who ask why a run does not end. */
#include "hosts/mpi/waits.h"

#include <stdio.h>

#include "hosts/mpi/schedule.h"

#define NO_TAG (-2) /* of host_wait: messages of collectives */

static void tell(const struct mpi_request *rq, struct host_wait *wait_p)
{
    *wait_p = (struct host_wait){ .sends = !rq->receives, .peer = -1, .tag = rq->tag };
    if (rq->peer >= 0)
        wait_p->peer = rq->comm->world[rq->peer];
    if (!rq->receives)
        wait_p->bytes = rq->count * rq->type->bytes;
    if (rq->context != rq->comm->context)
        wait_p->tag = NO_TAG;
    if (rq->comm->name[0] != '\0')
        (void)snprintf(wait_p->group, sizeof(wait_p->group), "%.63s", rq->comm->name);
    else
        (void)snprintf(wait_p->group, sizeof(wait_p->group), "communicator %d", rq->comm->handle);
}

/* The i-th of those from here on: @return true, or false and *i_p is less by how many there are. */
static bool of_schedule(const struct mpi_schedule *s, unsigned *i_p, struct host_wait *wait_p)
{
    for (unsigned k = 0; k < s->used; k++) {
        if (s->requests[k].done)
            continue;
        if ((*i_p)-- == 0) {
            tell(&s->requests[k], wait_p);
            return true;
        }
    }
    return false;
}

static bool of_request(const struct mpi_request *rq, unsigned *i_p, struct host_wait *wait_p)
{
    if (rq == NULL || rq->done || (rq->owner == NULL && !rq->active) || rq->generalized != NULL)
        return false;
    if (rq->schedule != NULL)
        return of_schedule(rq->schedule, i_p, wait_p);
    if ((*i_p)-- != 0)
        return false;
    tell(rq, wait_p);
    return true;
}

static bool waits(const void *arg, unsigned i, struct host_wait *wait_p)
{
    const struct mpi_waits *w = arg;

    for (int k = 0; k < w->count; k++)
        if (of_request(mpi_request_of(w->mr, w->handles[k]), &i, wait_p))
            return true;
    if (w->schedule != NULL)
        return of_schedule(w->schedule, &i, wait_p);
    return w->request != NULL && of_request(w->request, &i, wait_p);
}

void mpi_waits_begin(const struct mpi_waits *w, const char *call)
{
    struct host_call *c = &w->mr->host->call;

    c->name = mpi_call_name(call);
    c->waits = waits;
    c->waits_arg = w;
    c->waits_any = w->any;
}

void mpi_waits_end(const struct mpi_waits *w)
{
    w->mr->host->call.name = NULL;
    w->mr->host->call.waits = NULL;
}
