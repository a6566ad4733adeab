/* What a rank waits for, for those who ask why a run does not end. */
#include <stdio.h>

#include "hosts/mpi/point/protocol.h"

static struct mpi_sought sought_of(const struct mpi_request *rq)
{
    bool own = rq->context == rq->comm->context;

    return (struct mpi_sought){ .sends = !rq->receives,
                                .peer = rq->peer,
                                .tag = own ? rq->tag : MPI_WAITS_NO_TAG,
                                .comm = rq->comm->handle,
                                .bytes = rq->receives ? 0 : rq->count * rq->type->bytes };
}

/* `comm` NULL: it has been freed. */
static void describe_wait(const struct mpi_sought *s, const struct mpi_comm *comm,
                          struct host_wait *wait_p)
{
    *wait_p = (struct host_wait){ .sends = s->sends, .peer = -1, .tag = s->tag, .bytes = s->bytes };
    if (s->peer >= 0 && comm != NULL)
        wait_p->peer = comm->world[s->peer];
    if (comm != NULL)
        mpi_comm_text(comm, wait_p->group, sizeof(wait_p->group));
    else
        (void)snprintf(wait_p->group, sizeof(wait_p->group), "communicator %d", s->comm);
}

/* The i-th of those from here on; or NULL, and *i_p is less by how many there are. */
static const struct mpi_request *of_round(const struct mpi_round *r, unsigned *i_p)
{
    for (unsigned k = 0; k < r->used; k++)
        if (!r->requests[k].done && (*i_p)-- == 0)
            return &r->requests[k];
    return NULL;
}

static const struct mpi_request *of_request(const struct mpi_request *rq, unsigned *i_p)
{
    if (rq == NULL || rq->done || (rq->owner == NULL && !rq->active) || rq->generalized != NULL)
        return NULL;
    if (rq->collective != NULL)
        return of_round(rq->collective, i_p);
    return (*i_p)-- == 0 ? rq : NULL;
}

static const struct mpi_request *find_request(const struct mpi_waits *w, unsigned i)
{
    const struct mpi_request *rq = NULL;

    for (int k = 0; rq == NULL && k < w->count; k++)
        rq = of_request(mpi_request_of(w->mr, w->handles[k]), &i);
    if (rq == NULL && w->round != NULL)
        return of_round(w->round, &i);
    return rq == NULL && w->request != NULL ? of_request(w->request, &i) : rq;
}

/* The first message of its communicator that has not been received, rather one of its source. */
static void describe_other(const struct mpi_rank *mr, const struct mpi_request *rq,
                           struct host_wait *wait_p)
{
    const struct mpi_arrived *a = TAILQ_FIRST(&mr->protocol->arrived), *other = NULL;

    if (!rq->receives || rq->matched || rq->context != rq->comm->context)
        return;
    for (; a != NULL && (other == NULL || other->from != rq->far); a = TAILQ_NEXT(a, in_all))
        if (a->e.id == rq->context && (other == NULL || a->from == rq->far))
            other = a;
    if (other == NULL)
        return;
    wait_p->other = true;
    wait_p->other_peer = (int)other->from->rank;
    wait_p->other_tag = other->e.tag;
}

static bool describe_request(const void *arg, unsigned i, struct host_wait *wait_p)
{
    const struct mpi_waits *w = arg;
    const struct mpi_request *rq = find_request(w, i);
    struct mpi_sought s;

    if (rq == NULL)
        return false;
    s = sought_of(rq);
    describe_wait(&s, rq->comm, wait_p);
    describe_other(w->mr, rq, wait_p);
    return true;
}

void mpi_waits_begin(const struct mpi_waits *w, const char *call)
{
    struct host_call *c = &w->mr->host->call;

    c->name = mpi_call_name(w->mr->outer != NULL ? w->mr->outer : call);
    c->waits = describe_request;
    c->waits_arg = w;
    c->waits_any = w->any;
}

void mpi_waits_end(const struct mpi_waits *w)
{
    w->mr->host->call.name = NULL;
    w->mr->host->call.waits = NULL;
}

/* ---- calls that do not wait ---- */

static bool describe_look(const void *arg, unsigned i, struct host_wait *wait_p)
{
    const struct mpi_rank *mr = arg;
    const struct mpi_sought *s = &mr->look.sought[i % 2];

    if (i >= mr->look.n)
        return false;
    describe_wait(s, mpi_table_get(&mr->comms, (unsigned)s->comm - 1), wait_p);
    return true;
}

static bool is_same(const struct mpi_sought *a, const struct mpi_sought *b)
{
    return a->sends == b->sends && a->peer == b->peer && a->tag == b->tag && a->comm == b->comm;
}

static void note_sought(struct mpi_look *look, const struct mpi_request *rq)
{
    struct mpi_sought s;

    if (rq == NULL)
        return;
    s = sought_of(rq);
    if (look->n > 0 && is_same(&s, &look->sought[0]))
        return;
    look->n = look->n == 0 ? 1 : 2;
    look->sought[look->n - 1] = s;
}

void mpi_look_begin(struct mpi_rank *mr)
{
    mr->host->looks.inside = true;
}

void mpi_look_end(const struct mpi_waits *w, const char *call, bool found)
{
    struct mpi_rank *mr = w->mr;
    struct host_looks *looks = &mr->host->looks;

    looks->inside = false;
    if (found) {
        looks->found++;
        looks->call.name = NULL;
        return;
    }
    looks->vain++;
    if (looks->call.name == NULL)
        mr->look.n = 0;
    note_sought(&mr->look, find_request(w, 0));
    if (w->any)
        note_sought(&mr->look, find_request(w, 1));
    looks->call = (struct host_call){ .name = mpi_call_name(call),
                                      .waits = describe_look,
                                      .waits_arg = mr,
                                      .waits_any = mr->look.n > 1 };
}
