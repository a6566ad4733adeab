/* One-sided operations at their target. */
#include <stdlib.h>
#include <string.h>

#include "hosts/mpi/op.h"
#include "hosts/mpi/win.h"

static void message_ended(struct mpi_rank *mr, struct mpi_request *rq)
{
    *(bool *)rq->owner = true;
    mr->windows_ready = true;
}

/* A message with `peer`; *ended becomes true when it is over. */
static int message(struct mpi_win *win, struct mpi_request *rq, bool receives, void *at,
                   uint64_t count, struct mpi_type *type, int peer, int tag, bool *ended)
{
    *ended = false;
    *rq = (struct mpi_request){ .receives = receives,
                                .comm = win->comm,
                                .type = type,
                                .out = at,
                                .in = at,
                                .count = count,
                                .peer = peer,
                                .tag = tag,
                                .context = win->comm->context,
                                .ended = message_ended,
                                .owner = ended };
    return mpi_start(win->mr, rq);
}

int mpi_win_listen(struct mpi_win *win)
{
    return message(win, &win->head, true, win->message, MPI_WIN_MESSAGE, &win->mr->basic[0],
                   MPI_ANY_SOURCE, MPI_WIN_HEAD, &win->came);
}

/* ---- epochs ---- */

static void wait_for(struct mpi_win *win, struct mpi_win_waiting **list, int source,
                     const struct mpi_win_head *head)
{
    struct mpi_win_waiting *w = mpi_need(win->mr, malloc(sizeof(*w)));

    *w = (struct mpi_win_waiting){ NULL, source, (enum mpi_win_kind)head->kind, head->count };
    while (*list != NULL)
        list = &(*list)->next;
    *list = w;
}

static void grant_locks(struct mpi_win *win)
{
    while (win->lock_queue != NULL) {
        struct mpi_win_waiting *w = win->lock_queue;
        bool exclusive = w->count == MPI_LOCK_EXCLUSIVE;

        if (win->lock_holders < 0 || (exclusive && win->lock_holders > 0))
            return;
        win->lock_holders = exclusive ? -1 : win->lock_holders + 1;
        win->lock_queue = w->next;
        (void)mpi_win_tell(win, w->source, MPI_WIN_GRANT, 0);
        free(w);
    }
}

static void unlock(struct mpi_win *win)
{
    win->lock_holders = win->lock_holders < 0 ? 0 : win->lock_holders - 1;
    grant_locks(win);
}

static void answer(struct mpi_win *win)
{
    for (struct mpi_win_waiting **at = &win->waiting; *at != NULL;) {
        struct mpi_win_waiting *w = *at;

        if (win->peers[w->source].finished < w->count) {
            at = &w->next;
            continue;
        }
        *at = w->next;
        if (w->kind == MPI_WIN_UNLOCK)
            unlock(win);
        (void)mpi_win_tell(win, w->source, MPI_WIN_ANSWER, 0);
        free(w);
    }
}

static void epoch_came(struct mpi_win *win, int source, const struct mpi_win_head *head)
{
    struct mpi_win_peer *peer = &win->peers[source];

    switch (head->kind) {
    case MPI_WIN_POST:
        peer->posts++;
        break;
    case MPI_WIN_COMPLETE:
        peer->completed = true;
        peer->complete_count = head->count;
        break;
    case MPI_WIN_LOCK:
        wait_for(win, &win->lock_queue, source, head);
        grant_locks(win);
        break;
    case MPI_WIN_GRANT:
        peer->granted = true;
        break;
    case MPI_WIN_ANSWER:
        peer->answers++;
        break;
    default:
        wait_for(win, &win->waiting, source, head);
    }
}

/* ---- data ---- */

static bool accumulates(const struct mpi_win_in *in)
{
    return in->head.kind >= MPI_WIN_ACCUMULATE;
}

static char *place(const struct mpi_win_in *in)
{
    const struct mpi_win *win = in->win;

    if (win->flavor == MPI_WIN_FLAVOR_DYNAMIC)
        return (char *)(uintptr_t)in->head.at;
    return win->peers[win->comm->rank].base + in->head.at;
}

static void make_type(struct mpi_win_in *in)
{
    struct mpi_rank *mr = in->win->mr;
    struct mpi_making m, block;

    mpi_making_begin(&m);
    for (uint32_t i = 0; i < in->head.nruns; i++) {
        const struct mpi_win_run *r = &in->runs[i];
        struct mpi_type *b;

        mpi_making_begin(&block);
        mpi_making_add(&block, &mr->basic[0], 0, r->bytes, 1);
        b = mpi_need(mr, mpi_making_end(&block));
        mpi_making_add(&m, b, r->offset, r->n, r->stride);
        mpi_type_put(b);
    }
    in->type = mpi_need(mr, mpi_making_end(&m));
    in->type->committed = true;
}

/* target = target op data, number by number. Pairs have gaps in memory, not in packed form. */
static void combine(struct mpi_win_in *in, uint8_t *old, const uint8_t *data)
{
    struct mpi_rank *mr = in->win->mr;
    const struct mpi_type *basic = mpi_type_of(mr, in->head.basic);
    uint64_t n = in->head.bytes / basic->bytes, room = n * (uint64_t)basic->extent;
    uint8_t *left = mpi_need(mr, malloc(2 * room)), *right = left + room;

    mpi_type_unpack(basic, left, data, in->head.bytes);
    mpi_type_unpack(basic, right, old, in->head.bytes);
    mpi_op_apply(mpi_op_of(mr, in->head.op), left, right, n, basic);
    mpi_type_pack(basic, right, n, old);
    free(left);
}

/* What is in the window goes to in->data, for the answer; what came is put there. */
static void accumulate(struct mpi_win_in *in)
{
    struct mpi_rank *mr = in->win->mr;
    uint64_t bytes = in->head.bytes;
    uint8_t *old = mpi_need(mr, malloc(2 * bytes)), *new = old + bytes;
    char *at = place(in);

    mpi_type_pack(in->type, at, 1, old);
    memcpy(new, old, bytes);
    if (in->head.kind == MPI_WIN_SWAP) {
        if (memcmp(old, in->data + bytes, bytes) == 0)
            memcpy(new, in->data, bytes);
    } else if (in->head.op == MPI_REPLACE) {
        memcpy(new, in->data, bytes);
    } else if (in->head.op != MPI_NO_OP) {
        combine(in, new, in->data);
    }
    mpi_type_unpack(in->type, at, new, bytes);
    mpi_spend_copy(mr, 2 * bytes);
    memcpy(in->data, old, bytes);
    free(old);
}

/* Those of one source are done in their order (MPI 3.1, 11.7.1). */
static bool is_first(const struct mpi_win_in *in)
{
    for (const struct mpi_win_in *k = in->win->ins; k != in; k = k->next)
        if (k->source == in->source && accumulates(k))
            return false;
    return true;
}

static uint64_t data_bytes(const struct mpi_win_in *in)
{
    return in->head.kind == MPI_WIN_SWAP ? 2 * in->head.bytes : in->head.bytes;
}

static int tag_of(const struct mpi_win_in *in, bool answers)
{
    return mpi_win_tag(in->head.number, answers);
}

static void start_data(struct mpi_win_in *in)
{
    struct mpi_win *win = in->win;
    struct mpi_type *bytes = &win->mr->basic[0];

    make_type(in);
    in->step = MPI_WIN_DATA;
    in->ended = in->data != NULL; /* they came with the header */
    if (in->head.kind == MPI_WIN_GET) {
        in->step = MPI_WIN_REPLY;
        (void)message(win, &in->rq, false, place(in), 1, in->type, in->source, tag_of(in, true),
                      &in->ended);
    } else if (in->head.kind == MPI_WIN_PUT && in->data != NULL) {
        mpi_type_unpack(in->type, place(in), in->data, in->head.bytes);
        mpi_spend_copy(win->mr, in->head.bytes);
    } else if (in->head.kind == MPI_WIN_PUT) {
        (void)message(win, &in->rq, true, place(in), 1, in->type, in->source, tag_of(in, false),
                      &in->ended);
    } else if (in->head.op == MPI_NO_OP) { /* brings no data */
        in->data = mpi_need(win->mr, malloc(in->head.bytes));
        in->ended = true;
    } else if (in->data == NULL) {
        in->data = mpi_need(win->mr, malloc(data_bytes(in)));
        (void)message(win, &in->rq, true, in->data, data_bytes(in), bytes, in->source,
                      tag_of(in, false), &in->ended);
    }
}

/* @return whether it is over. */
static bool go_on(struct mpi_win_in *in)
{
    struct mpi_win *win = in->win;

    if (in->step == MPI_WIN_RUNS && in->ended)
        start_data(in);
    if (in->step == MPI_WIN_DATA && in->ended) {
        if (!accumulates(in))
            return true;
        in->step = MPI_WIN_TURN;
    }
    if (in->step == MPI_WIN_TURN && is_first(in)) {
        accumulate(in);
        if (in->head.kind == MPI_WIN_ACCUMULATE)
            return true;
        in->step = MPI_WIN_REPLY;
        (void)message(win, &in->rq, false, in->data, in->head.bytes, &win->mr->basic[0], in->source,
                      tag_of(in, true), &in->ended);
    }
    return in->step == MPI_WIN_REPLY && in->ended;
}

void mpi_win_in_free(struct mpi_win_in *in)
{
    if (in->type != NULL)
        mpi_type_put(in->type);
    free(in->runs);
    free(in->data);
    free(in);
}

static void operation_came(struct mpi_win *win, int source, const struct mpi_win_head *head)
{
    struct mpi_rank *mr = win->mr;
    struct mpi_win_in *in = mpi_need(mr, calloc(1, sizeof(*in)));
    uint64_t room = head->nruns * sizeof(*in->runs);
    const uint8_t *behind = win->message + sizeof(*head);

    in->win = win;
    in->source = source;
    in->head = *head;
    in->runs = mpi_need(mr, malloc(room));
    *win->ins_end = in;
    win->ins_end = &in->next;
    if (head->inside >= room) {
        memcpy(in->runs, behind, room);
        in->ended = true;
    } else {
        (void)message(win, &in->rq, true, in->runs, room, &mr->basic[0], source, tag_of(in, false),
                      &in->ended);
    }
    if (head->inside > room) {
        in->data = mpi_need(mr, malloc(head->inside - room));
        memcpy(in->data, behind + room, head->inside - room);
    }
}

void mpi_win_advance(struct mpi_win *win)
{
    while (win->came) {
        struct mpi_win_head head;
        int source = win->head.status.MPI_SOURCE;

        memcpy(&head, win->message, sizeof(head));
        if (win->closing)
            return;
        if (head.kind >= MPI_WIN_POST)
            epoch_came(win, source, &head);
        else
            operation_came(win, source, &head);
        (void)mpi_win_listen(win);
    }
    for (struct mpi_win_in **at = &win->ins; *at != NULL;) {
        struct mpi_win_in *in = *at;

        if (!go_on(in)) {
            at = &in->next;
            continue;
        }
        *at = in->next;
        if (in->next == NULL)
            win->ins_end = at;
        win->peers[in->source].finished++;
        mpi_win_in_free(in);
    }
    answer(win);
    mpi_win_collect(win);
}
