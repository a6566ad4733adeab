/* One-sided operations at their target. */
#include <stdlib.h>
#include <string.h>

#include "hosts/mpi/rma/win.h"

static void message_ended(struct mpi_rank *mr, struct mpi_request *rq)
{
    *(bool *)rq->owner = true;
    mr->follows[MPI_FOLLOWS_WINDOWS].due = true;
}

void mpi_win_start(struct mpi_win *win, struct mpi_request *rq)
{
    rq->comm = win->comm;
    rq->context = win->comm->context;
    (void)mpi_start(win->mr, rq);
}

/* A message with the source of an operation; in->ended becomes true when it is over. */
static void start_message(struct mpi_win_in *in, bool receives, void *at, uint64_t count,
                          struct mpi_type *type)
{
    in->ended = false;
    in->rq = (struct mpi_request){ .receives = receives,
                                   .type = type,
                                   .in = at,
                                   .count = count,
                                   .peer = in->source,
                                   .tag = mpi_win_tag(in->head.number, !receives),
                                   .ended = message_ended,
                                   .owner = &in->ended };
    mpi_win_start(in->win, &in->rq);
}

void mpi_win_listen(struct mpi_win *win)
{
    win->came = false;
    win->head = (struct mpi_request){ .receives = true,
                                      .type = &win->mr->basic[0],
                                      .in = win->message,
                                      .count = MPI_WIN_MESSAGE,
                                      .peer = MPI_ANY_SOURCE,
                                      .tag = MPI_WIN_HEAD,
                                      .ended = message_ended,
                                      .owner = &win->came };
    mpi_win_start(win, &win->head);
}

/* ---- epochs ---- */

static void wait_for(struct mpi_win *win, struct mpi_win_waiting **list, int source,
                     const struct mpi_win_head *head)
{
    struct mpi_win_waiting *w = mpi_need(win->mr, malloc(sizeof(*w)));

    *w = (struct mpi_win_waiting){ NULL, source, (enum mpi_win_kind)head->kind, head->count,
                                   head->op != 0 };
    while (*list != NULL)
        list = &(*list)->next;
    *list = w;
}

/* Operations from there that came before their lock was granted may begin. */
static void admit_held(struct mpi_win *win, struct mpi_win_peer *peer)
{
    peer->barred = false;
    if (TAILQ_EMPTY(&peer->held))
        return;
    TAILQ_CONCAT(&win->ins, &peer->held, in_list);
    win->mr->follows[MPI_FOLLOWS_WINDOWS].due = true;
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
        admit_held(win, &win->peers[w->source]);
        if (w->answered)
            mpi_win_announce(win, w->source, MPI_WIN_GRANT, 0, false);
        free(w);
    }
}

static void answer_waiting(struct mpi_win *win)
{
    for (struct mpi_win_waiting **at = &win->waiting; *at != NULL;) {
        struct mpi_win_waiting *w = *at;

        if (win->peers[w->source].finished < w->count) {
            at = &w->next;
            continue;
        }
        *at = w->next;
        if (w->kind == MPI_WIN_UNLOCK) {
            mpi_win_race_unlocked(win, w->source);
            win->lock_holders = win->lock_holders < 0 ? 0 : win->lock_holders - 1;
            grant_locks(win);
        }
        if (w->answered)
            mpi_win_announce(win, w->source, MPI_WIN_ANSWER, 0, false);
        free(w);
    }
}

void mpi_win_announced(struct mpi_win *win, int source, const struct mpi_win_head *head)
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
        peer->barred = true;
        wait_for(win, &win->lock_queue, source, head);
        grant_locks(win);
        break;
    case MPI_WIN_GRANT:
        peer->granted = true;
        break;
    case MPI_WIN_ANSWER:
        peer->unsure = 0;
        win->owed--;
        break;
    default:
        wait_for(win, &win->waiting, source, head);
        win->mr->follows[MPI_FOLLOWS_WINDOWS].due = true;
    }
}

/* ---- data ---- */

static bool is_accumulation(const struct mpi_win_in *in)
{
    return in->head.kind >= MPI_WIN_ACCUMULATE;
}

static char *place_of(const struct mpi_win_in *in)
{
    const struct mpi_win *win = in->win;

    if (win->flavor == MPI_WIN_FLAVOR_DYNAMIC)
        return (char *)(uintptr_t)in->head.at;
    return win->peers[win->comm->rank].base + in->head.at;
}

/* Where the data are; bytes in one piece need no type of their own. */
static void make_layout(struct mpi_win_in *in)
{
    struct mpi_rank *mr = in->win->mr;
    const struct mpi_win_run *first = in->runs;
    struct mpi_making m, block;

    in->at = place_of(in);
    if (in->head.nruns == 1 && (first->n == 1 || first->stride == (int64_t)first->bytes)) {
        in->at += first->offset;
        in->type = &mr->basic[0];
        in->type->holders++;
        in->count = in->head.bytes;
        return;
    }
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
    in->count = 1;
}

/* target = target op data, number by number. Pairs have gaps in memory, not in packed form. */
static void combine_packed(const struct mpi_win_in *in, uint8_t *old)
{
    struct mpi_rank *mr = in->win->mr;
    const struct mpi_type *basic = mpi_type_of(mr, in->head.basic);
    uint64_t n = in->head.bytes / basic->bytes, room = n * (uint64_t)basic->extent;
    uint8_t *left = mpi_need(mr, malloc(2 * room)), *right = left + room;

    mpi_type_unpack(basic, left, in->data, in->head.bytes);
    mpi_type_unpack(basic, right, old, in->head.bytes);
    mpi_op_apply(mpi_op_of(mr, in->head.op), left, right, n, basic);
    mpi_type_pack(basic, right, n, old);
    free(left);
}

/* target = target op data; both are in packed form, `at` perhaps where the program has it. */
static void combine_at(struct mpi_win_in *in, uint8_t *at)
{
    struct mpi_rank *mr = in->win->mr;
    const struct mpi_type *basic = mpi_type_of(mr, in->head.basic);

    if (basic->bytes == (uint64_t)basic->extent && (uintptr_t)at % basic->align == 0)
        mpi_op_apply(mpi_op_of(mr, in->head.op), in->data, at, in->head.bytes / basic->bytes,
                     basic);
    else
        combine_packed(in, at);
}

/* What is in the window goes to in->data, for an answer; what came is put there. Data in one piece
 * are changed where they are. */
static void exchange_data(struct mpi_win_in *in)
{
    struct mpi_rank *mr = in->win->mr;
    uint64_t bytes = in->head.bytes;
    bool swaps = in->head.kind == MPI_WIN_SWAP, flat;
    uint8_t *old = NULL, *at;
    int64_t offset;

    if (in->head.kind != MPI_WIN_ACCUMULATE)
        old = mpi_need(mr, malloc(bytes));
    flat = mpi_type_is_block(in->type, in->count, &offset);
    at = flat ? (uint8_t *)in->at + offset : mpi_need(mr, malloc(bytes));
    if (!flat)
        mpi_type_pack(in->type, in->at, in->count, at);
    if (old != NULL)
        memcpy(old, at, bytes);
    if (swaps ? memcmp(at, in->data + bytes, bytes) == 0 : in->head.op == MPI_REPLACE)
        memcpy(at, in->data, bytes);
    else if (!swaps)
        combine_at(in, at);
    if (old != NULL)
        memcpy(in->data, old, bytes);
    if (!flat) {
        mpi_type_unpack(in->type, in->at, at, bytes);
        free(at);
    }
    free(old);
}

void mpi_win_accumulate(struct mpi_win_in *in)
{
    mpi_spend_between(in->win->mr, in->data, in->at, in->head.bytes, false);
    if (in->head.kind != MPI_WIN_SWAP && in->head.op == MPI_NO_OP)
        mpi_type_pack(in->type, in->at, in->count, in->data);
    else
        exchange_data(in);
    mpi_spend_between(in->win->mr, in->at, in->data, in->head.bytes, false);
}

uint64_t mpi_win_data_bytes(const struct mpi_win_head *head)
{
    return head->kind == MPI_WIN_SWAP ? 2 * head->bytes : head->bytes;
}

void mpi_win_data_new(struct mpi_win_in *in)
{
    uint64_t bytes = mpi_win_data_bytes(&in->head);

    in->data = bytes <= sizeof(in->small) ? in->small : mpi_block_new(in->win->mr, bytes);
}

static void start_data(struct mpi_win_in *in)
{
    struct mpi_win *win = in->win;
    struct mpi_type *bytes = &win->mr->basic[0];

    make_layout(in);
    in->step = MPI_WIN_DATA;
    in->ended = in->data != NULL; /* they came with the header */
    if (in->head.kind == MPI_WIN_GET) {
        in->step = MPI_WIN_REPLY;
        start_message(in, false, in->at, in->count, in->type);
    } else if (in->head.kind == MPI_WIN_PUT && in->data != NULL) {
        mpi_type_unpack(in->type, in->at, in->data, in->head.bytes);
        mpi_spend_between(win->mr, in->at, in->data, in->head.bytes, false);
    } else if (in->head.kind == MPI_WIN_PUT) {
        start_message(in, true, in->at, in->count, in->type);
    } else if (in->head.op == MPI_NO_OP) { /* brings no data */
        mpi_win_data_new(in);
        in->ended = true;
    } else if (in->data == NULL) {
        mpi_win_data_new(in);
        start_message(in, true, in->data, mpi_win_data_bytes(&in->head), bytes);
    }
}

/* @return whether it is over. */
static bool go_on(struct mpi_win_in *in)
{
    struct mpi_win *win = in->win;
    uint64_t *turn = &win->peers[in->source].turn;

    if (in->step == MPI_WIN_RUNS && in->ended)
        start_data(in);
    if (in->step == MPI_WIN_DATA && in->ended) {
        if (!is_accumulation(in))
            return true;
        in->step = MPI_WIN_TURN;
    }
    /* Those of one source are done in their order (MPI 3.1, 11.7.1). */
    if (in->step == MPI_WIN_TURN && in->turn == *turn) {
        mpi_win_accumulate(in);
        ++*turn;
        if (in->head.kind == MPI_WIN_ACCUMULATE)
            return true;
        in->step = MPI_WIN_REPLY;
        start_message(in, false, in->data, in->head.bytes, &win->mr->basic[0]);
    }
    return in->step == MPI_WIN_REPLY && in->ended;
}

/* ---- operations that are under way ---- */

static struct mpi_win_in *in_new(struct mpi_win *win)
{
    struct mpi_win_in *in = TAILQ_FIRST(&win->spare_ins);

    if (in != NULL)
        TAILQ_REMOVE(&win->spare_ins, in, in_list);
    else
        in = mpi_block_new(win->mr, sizeof(*in));
    in->win = win;
    in->runs = NULL;
    in->type = NULL;
    in->data = NULL;
    in->ended = false;
    in->step = MPI_WIN_RUNS;
    return in;
}

static void in_clear(struct mpi_win_in *in)
{
    if (in->type != NULL)
        mpi_type_put(in->type);
    if (in->runs != in->few)
        mpi_block_free(in->runs);
    if (in->data != in->small)
        mpi_block_free(in->data);
}

static void ins_free(struct mpi_win_ins *ins, bool clear)
{
    struct mpi_win_in *in;

    while ((in = TAILQ_FIRST(ins)) != NULL) {
        TAILQ_REMOVE(ins, in, in_list);
        if (clear)
            in_clear(in);
        mpi_block_free(in);
    }
}

void mpi_win_drop_ins(struct mpi_win *win)
{
    ins_free(&win->ins, true);
    ins_free(&win->spare_ins, false);
    for (int r = 0; win->peers != NULL && r < win->comm->size; r++)
        ins_free(&win->peers[r].held, true);
}

static void operation_came(struct mpi_win *win, int source, const struct mpi_win_head *head)
{
    struct mpi_rank *mr = win->mr;
    struct mpi_win_peer *peer = &win->peers[source];
    struct mpi_win_in *in = in_new(win);
    uint64_t room = head->nruns * sizeof(*in->runs);
    const uint8_t *behind = win->message + sizeof(*head);

    in->source = source;
    in->head = *head;
    if (is_accumulation(in))
        in->turn = peer->turns++;
    in->runs = room <= sizeof(in->few) ? in->few : mpi_block_new(mr, room);
    /* behind the others; or, until it has its lock, aside */
    TAILQ_INSERT_TAIL(peer->barred ? &peer->held : &win->ins, in, in_list);
    if (head->inside >= room) {
        memcpy(in->runs, behind, room);
        in->ended = true;
    } else {
        start_message(in, true, in->runs, room, &mr->basic[0]);
    }
    if (head->inside > room) {
        in->data = in->small;
        memcpy(in->data, behind + room, head->inside - room);
    }
}

void mpi_win_advance(struct mpi_win *win)
{
    while (win->came) {
        struct mpi_win_head head;
        int source = win->head.status.MPI_SOURCE;

        win->heads++;
        memcpy(&head, win->message, sizeof(head));
        if (win->closing)
            return;
        if (head.kind >= MPI_WIN_POST)
            mpi_win_announced(win, source, &head);
        else
            operation_came(win, source, &head);
        mpi_win_listen(win);
    }
    for (struct mpi_win_in *in = TAILQ_FIRST(&win->ins), *next; in != NULL; in = next) {
        bool over = go_on(in);

        next = TAILQ_NEXT(in, in_list); /* the last one may have got a successor meanwhile */
        if (!over)
            continue;
        TAILQ_REMOVE(&win->ins, in, in_list);
        win->peers[in->source].finished++;
        in_clear(in);
        TAILQ_INSERT_HEAD(&win->spare_ins, in, in_list);
    }
    answer_waiting(win);
    mpi_win_collect(win);
}
