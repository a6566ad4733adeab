#include "hosts/mpi/coll/schedule.h"

#include <stdlib.h>

/* A collective of a few ranks on a few bytes fits: nothing is allocated for it after the first. */
#define FIRST_STEPS 32u
#define FIRST_CHUNK 3968u /* with what is before it, a page */
#define ALIGN       16u

struct mpi_scratch {
    struct mpi_scratch *next;
    uint64_t bytes, used;
    _Alignas(ALIGN) char data[];
};

/* The first failure counts. */
static void fail_schedule(struct mpi_schedule *s, int code)
{
    if (s->code == MPI_SUCCESS)
        s->code = code;
}

struct mpi_schedule *mpi_schedule_get(struct mpi_rank *mr, struct mpi_comm *comm, int tag)
{
    struct mpi_schedule *s = LIST_FIRST(&mr->idle);

    if (s != NULL) {
        LIST_REMOVE(s, in_list);
    } else {
        s = mpi_need(mr, calloc(1, sizeof(*s)));
        s->mr = mr;
    }
    s->comm = comm;
    comm->holders++;
    s->op = NULL;
    s->tag = tag;
    s->nsteps = s->at = s->round.used = s->pending = s->in_round = s->most = 0;
    s->handle = NULL;
    s->then = NULL;
    s->running = s->ready = s->done = s->pinned = false;
    s->code = MPI_SUCCESS;
    return s;
}

static void put_objects(struct mpi_schedule *s)
{
    for (unsigned i = 0; i < s->nsteps; i++) {
        if (s->steps[i].from.type != NULL)
            mpi_type_put(s->steps[i].from.type);
        if (s->steps[i].to.type != NULL)
            mpi_type_put(s->steps[i].to.type);
    }
    mpi_op_put(s->op);
    s->op = NULL;
    s->nsteps = 0;
}

static void unlink_running(struct mpi_schedule *s)
{
    if (s->running)
        LIST_REMOVE(s, in_list);
    s->running = false;
}

static void link_ready(struct mpi_schedule *s)
{
    s->ready = true;
    TAILQ_INSERT_TAIL(&s->mr->ready, s, in_ready);
    s->mr->follows[MPI_FOLLOWS_SCHEDULES].due = true;
}

static void unlink_ready(struct mpi_schedule *s)
{
    if (!s->ready)
        return;
    s->ready = false;
    TAILQ_REMOVE(&s->mr->ready, s, in_ready);
    s->mr->follows[MPI_FOLLOWS_SCHEDULES].due = !TAILQ_EMPTY(&s->mr->ready);
}

/* The first chunk stays for the next collective. */
static void free_memory(struct mpi_schedule *s, bool all)
{
    while (s->memory != NULL &&
           (all || s->memory->next != NULL || s->memory->bytes > FIRST_CHUNK)) {
        struct mpi_scratch *c = s->memory;

        s->memory = c->next;
        mpi_block_free(c);
    }
    if (s->memory != NULL)
        s->memory->used = 0;
}

void mpi_schedule_put(struct mpi_schedule *s)
{
    if (s == NULL)
        return;
    s->round.used = 0;
    unlink_running(s);
    unlink_ready(s);
    put_objects(s);
    free_memory(s, false);
    mpi_comm_put(s->comm);
    LIST_INSERT_HEAD(&s->mr->idle, s, in_list);
}

void mpi_schedules_release(struct mpi_rank *mr)
{
    struct mpi_schedule *s;

    while ((s = LIST_FIRST(&mr->running)) != NULL)
        mpi_schedule_put(s);
    while ((s = LIST_FIRST(&mr->idle)) != NULL) {
        LIST_REMOVE(s, in_list);
        free_memory(s, true);
        free(s->steps);
        free(s->round.requests);
        free(s);
    }
}

void *mpi_schedule_memory(struct mpi_schedule *s, uint64_t bytes)
{
    struct mpi_scratch *c = s->memory;
    uint64_t take = (bytes + ALIGN - 1) / ALIGN * ALIGN;

    if (c == NULL || c->bytes - c->used < take) {
        uint64_t room = take > FIRST_CHUNK ? take : FIRST_CHUNK;

        c = mpi_block_new(s->mr, sizeof(*c) + room);
        *c = (struct mpi_scratch){ .next = s->memory, .bytes = room };
        s->memory = c;
    }
    c->used += take;
    return c->data + (c->used - take);
}

struct mpi_step *mpi_schedule_step(struct mpi_schedule *s, enum mpi_step_kind kind)
{
    if (s->nsteps == s->step_room) {
        s->step_room = s->step_room == 0 ? FIRST_STEPS : 2 * s->step_room;
        s->steps = mpi_need(s->mr, realloc(s->steps, s->step_room * sizeof(*s->steps)));
    }
    s->steps[s->nsteps] = (struct mpi_step){ .kind = kind, .pinned = s->pinned };
    return &s->steps[s->nsteps++];
}

static void message_ended(struct mpi_rank *mr, struct mpi_request *rq)
{
    struct mpi_schedule *s = rq->owner;

    (void)mr;
    if (--s->pending == 0)
        link_ready(s);
}

static void start_message(struct mpi_schedule *s, const struct mpi_step *st)
{
    struct mpi_request *rq = &s->round.requests[s->round.used++];

    *rq = (struct mpi_request){ .receives = st->kind == MPI_STEP_RECEIVE,
                                .comm = st->comm,
                                .in = st->from.at,
                                .type = st->from.type,
                                .count = st->from.count,
                                .peer = st->peer,
                                .tag = s->tag,
                                .in_slot = st->from.in_slot,
                                .context = st->comm->context + 1, /* no user's receive matches */
                                .ended = message_ended,
                                .owner = s };
    s->pending++;
    (void)mpi_start(s->mr, rq);
}

static int start_step(struct mpi_schedule *s, const struct mpi_step *st)
{
    switch (st->kind) {
    case MPI_STEP_SEND:
    case MPI_STEP_RECEIVE:
        start_message(s, st);
        break;
    case MPI_STEP_COPY:
        mpi_spend_between(s->mr, st->to.at, st->from.at, st->from.count * st->from.type->bytes,
                          st->pinned);
        return mpi_type_copy(st->from.type, st->from.at, st->from.count, st->to.type, st->to.at,
                             st->to.count);
    case MPI_STEP_BESIDE:
        mpi_begin_between(s->mr, st->to.at, st->from.count * st->from.type->bytes, &s->beside);
        return mpi_type_copy(st->from.type, st->from.at, st->from.count, st->to.type, st->to.at,
                             st->to.count);
    case MPI_STEP_COMBINE: /* reads and writes as much as a copy, with arithmetic beside it */
        mpi_spend_copy(s->mr, st->to.count * st->to.type->bytes);
        mpi_op_apply(s->op, st->from.at, st->to.at, st->to.count, st->to.type);
        break;
    case MPI_STEP_FENCE:
        break;
    }
    return MPI_SUCCESS;
}

/* Every round has its requests in the same memory. */
static void make_room(struct mpi_schedule *s)
{
    struct mpi_request *all = s->round.requests;

    if (s->most <= s->request_room)
        return;
    s->round.requests = mpi_need(s->mr, realloc(all, s->most * sizeof(*all)));
    s->request_room = s->most;
}

static void check_round(struct mpi_schedule *s)
{
    for (unsigned i = 0; i < s->round.used; i++)
        fail_schedule(s, mpi_finish(s->mr, &s->round.requests[i], MPI_STATUS_IGNORE));
    s->round.used = 0;
}

/* A non-blocking one leaves nothing but its handle behind. */
static void finish_schedule(struct mpi_schedule *s)
{
    struct mpi_request *rq = s->handle;

    mpi_end_between(s->mr, &s->beside);
    s->done = true;
    unlink_running(s);
    if (s->then != NULL && s->code == MPI_SUCCESS)
        s->code = s->then(s->then_arg);
    if (rq == NULL)
        return;
    rq->status = mpi_status(MPI_ANY_SOURCE, MPI_ANY_TAG, s->code, 0);
    mpi_ended(s->mr, rq);
    mpi_schedule_put(s);
}

/* Starts steps up to a fence that has something to wait for. */
static void start_round(struct mpi_schedule *s)
{
    int code = MPI_SUCCESS;

    s->pending++; /* so that a message that ends at once is no reason to go on */
    while (code == MPI_SUCCESS && s->at < s->nsteps) {
        const struct mpi_step *st = &s->steps[s->at++];

        if (st->kind == MPI_STEP_FENCE && s->round.used > 0)
            break;
        code = start_step(s, st);
    }
    s->pending--;
    if (code != MPI_SUCCESS)
        s->at = s->nsteps;
    fail_schedule(s, code);
}

/* A message that was too long is an error in the end, but others wait for what comes behind it. */
static void run_rounds(struct mpi_schedule *s)
{
    s->mr->moves++;
    while (s->pending == 0) {
        check_round(s);
        if (s->at == s->nsteps) {
            finish_schedule(s);
            return;
        }
        start_round(s);
    }
}

void mpi_schedule_start(struct mpi_schedule *s)
{
    make_room(s);
    s->running = true;
    LIST_INSERT_HEAD(&s->mr->running, s, in_list);
    link_ready(s);
    mpi_schedules_advance(s->mr);
}

/* A step may make progress itself: only the outermost call goes on. */
void mpi_schedules_advance(struct mpi_rank *mr)
{
    struct mpi_schedule *s;

    if (mr->advancing)
        return;
    mr->advancing = true;
    while ((s = TAILQ_FIRST(&mr->ready)) != NULL) {
        unlink_ready(s);
        run_rounds(s);
    }
    mr->advancing = false;
}

/* Takes in no more than a round needs, so only when no schedule has moved, this one or another, is
 * there nothing left to take, and it may sleep. */
int mpi_schedule_wait(struct mpi_schedule *s, const char *call)
{
    struct mpi_rank *mr = s->mr;
    const struct mpi_waits w = { .mr = mr, .round = &s->round };

    mpi_waits_begin(&w, call);
    while (!s->done) {
        unsigned moves = mr->moves;

        mpi_advance(mr, &mr->follows[MPI_FOLLOWS_SCHEDULES].due);
        if (moves == mr->moves && !s->done)
            mr->transport->ops->wait(mr->transport);
    }
    mpi_hand_over(mr);
    mpi_waits_end(&w);
    return s->code;
}
