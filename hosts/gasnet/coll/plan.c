/* Operations: what they do at each step. */
#include "hosts/gasnet/coll/plan.h"

#include <stdlib.h>
#include <string.h>

/* ---- one operation ---- */

struct coll_op *coll_op_create(struct gasnet_rank *gr, struct coll_team *team)
{
    struct coll_op *op = gasnet_need(gr, calloc(1, sizeof(*op)));

    op->number = ++gr->coll->op_number;
    op->team = team;
    op->box = coll_box_of(gr, team->number, team->sequence++);
    op->box->op = op;
    STAILQ_INIT(&op->spaces);
    LIST_INSERT_HEAD(&gr->coll->ops[op->number % COLL_BUCKETS], op, in_bucket);
    return op;
}

struct coll_op *coll_op_find(struct gasnet_rank *gr, uint64_t number)
{
    struct coll_op *op;

    LIST_FOREACH(op, &gr->coll->ops[number % COLL_BUCKETS], in_bucket)
    if (op->number == number)
        break;
    return op;
}

/* What only its steps need. */
static void free_plan(struct coll_op *op)
{
    struct coll_space *space;

    while ((space = STAILQ_FIRST(&op->spaces)) != NULL) {
        STAILQ_REMOVE_HEAD(&op->spaces, in_list);
        free(space);
    }
    free(op->steps);
    op->steps = NULL;
}

void coll_op_forget(struct coll_op *op)
{
    free_plan(op);
    LIST_REMOVE(op, in_bucket);
    free(op);
}

void coll_op_destroy(struct coll_op *op)
{
    while (op != NULL) {
        struct coll_op *before = op->before;

        coll_op_forget(op);
        op = before;
    }
}

bool coll_op_done(const struct coll_op *op)
{
    for (; op != NULL; op = op->before)
        if (!op->done)
            return false;
    return true;
}

int coll_op_peer(const struct coll_op *op)
{
    for (; op != NULL; op = op->before)
        if (!op->done)
            return (int)op->team->nodes[op->steps[op->next].peer];
    return -1;
}

/* ---- its steps ---- */

/* The program's function writes to memory of its own, as some read their operands twice. */
static void fold(struct gasnet_rank *gr, const struct coll_op *op, const struct coll_step *s)
{
    const uint8_t *left = s->from, *right = s->right;
    uint8_t *to = s->to, *sum = gasnet_need(gr, malloc(op->elem_bytes + 1));
    int flags = (int)op->function.flags;
    bool library = gasnet_program_begin(gr);

    for (uint64_t at = 0; at < s->bytes; at += op->elem_bytes) {
        op->function.fnptr(sum, 1, left + at, 1, right + at, op->elem_bytes, flags,
                           op->function_arg);
        memcpy(to + at, sum, op->elem_bytes);
    }
    gasnet_program_end(gr, library);
    free(sum);
}

static void merge(struct coll_phase *all, const struct coll_phase *other)
{
    if (other->mismatch || (all->named && other->named && all->id != other->id))
        all->mismatch = 1;
    if (other->named) {
        all->named = 1;
        all->id = other->id;
    }
}

/* @return false: it has to wait. */
static bool do_step(struct gasnet_rank *gr, struct coll_op *op, const struct coll_step *s)
{
    unsigned node = op->team->nodes[s->peer];

    switch (s->kind) {
    case COLL_SEND:
        return coll_send(gr, op->box, node, s->tag, s->from, s->bytes, s->own);
    case COLL_EXPECT:
        coll_expect(gr, op->box, node, s->tag, s->to, s->bytes);
        break;
    case COLL_WAIT:
        return coll_has_come(op->box, node, s->tag);
    case COLL_COPY:
        gasnet_copy(gr, s->to, s->from, s->bytes);
        break;
    case COLL_FOLD:
        fold(gr, op, s);
        break;
    case COLL_MERGE:
        merge(s->to, s->from);
        break;
    }
    return true;
}

static void go_on(struct gasnet_rank *gr, struct coll_op *op)
{
    while (op->next < op->step_count) {
        if (!do_step(gr, op, &op->steps[op->next]))
            return;
        op->next++;
    }
    op->done = true;
    if (op->box->has_news)
        STAILQ_REMOVE(&gr->coll->news, op->box, coll_box, in_news);
    coll_box_destroy(op->box);
    op->box = NULL;
    free_plan(op);
}

/* Steps send, and senders take messages when there is no room: those come to this loop. */
void gasnet_coll_advance(struct gasnet_rank *gr)
{
    struct gasnet_coll *c = gr->coll;
    struct coll_box *box;

    if (c->advancing || STAILQ_EMPTY(&c->news))
        return;
    c->advancing = true;
    while ((box = STAILQ_FIRST(&c->news)) != NULL) {
        STAILQ_REMOVE_HEAD(&c->news, in_news);
        box->has_news = false;
        go_on(gr, box->op);
    }
    c->advancing = false;
}

void coll_op_begin(struct gasnet_rank *gr, struct coll_op *op)
{
    struct coll_box *box = op->box;

    if (!box->has_news) {
        box->has_news = true;
        STAILQ_INSERT_TAIL(&gr->coll->news, box, in_news);
    }
    gasnet_coll_advance(gr);
}

/* ---- plans ---- */

void *coll_space(struct gasnet_rank *gr, struct coll_op *op, uint64_t bytes)
{
    struct coll_space *space = gasnet_need(gr, malloc(sizeof(*space) + bytes));

    space->room = bytes;
    STAILQ_INSERT_TAIL(&op->spaces, space, in_list);
    return space->bytes;
}

static bool is_own(const struct coll_op *op, const void *p)
{
    const struct coll_space *space;
    uint64_t at = (uint64_t)(uintptr_t)p;

    STAILQ_FOREACH(space, &op->spaces, in_list)
    if (at >= (uint64_t)(uintptr_t)space->bytes &&
        at - (uint64_t)(uintptr_t)space->bytes < space->room)
        return true;
    return false;
}

static void add(struct gasnet_rank *gr, struct coll_op *op, struct coll_step step)
{
    if (op->step_count == op->step_room) {
        op->step_room = op->step_room > 0 ? 2 * op->step_room : 16;
        op->steps = gasnet_need(gr, realloc(op->steps, op->step_room * sizeof(*op->steps)));
    }
    op->steps[op->step_count++] = step;
}

void coll_add_send(struct gasnet_rank *gr, struct coll_op *op, unsigned peer, uint32_t tag,
                   const void *from, uint64_t bytes)
{
    add(gr, op,
        (struct coll_step){ .kind = COLL_SEND,
                            .own = is_own(op, from),
                            .peer = peer,
                            .tag = tag,
                            .from = from,
                            .bytes = bytes });
}

void coll_add_expect(struct gasnet_rank *gr, struct coll_op *op, unsigned peer, uint32_t tag,
                     void *to, uint64_t bytes)
{
    add(gr, op,
        (struct coll_step){
            .kind = COLL_EXPECT, .peer = peer, .tag = tag, .to = to, .bytes = bytes });
}

void coll_add_wait(struct gasnet_rank *gr, struct coll_op *op, unsigned peer, uint32_t tag)
{
    add(gr, op, (struct coll_step){ .kind = COLL_WAIT, .peer = peer, .tag = tag });
}

void coll_add_copy(struct gasnet_rank *gr, struct coll_op *op, void *to, const void *from,
                   uint64_t bytes)
{
    if (to != from && bytes > 0)
        add(gr, op,
            (struct coll_step){ .kind = COLL_COPY, .to = to, .from = from, .bytes = bytes });
}

void coll_add_fold(struct gasnet_rank *gr, struct coll_op *op, void *to, const void *left,
                   const void *right, uint64_t bytes)
{
    if (bytes > 0)
        add(gr, op,
            (struct coll_step){
                .kind = COLL_FOLD, .to = to, .from = left, .right = right, .bytes = bytes });
}

/* By dissemination: in round k each hears of 2^k more. */
static void add_rounds(struct gasnet_rank *gr, struct coll_op *op, uint32_t tag,
                       struct coll_phase *phase)
{
    unsigned n = op->team->size, me = op->team->me;
    uint64_t bytes = phase != NULL ? sizeof(*phase) : 0;

    for (unsigned d = 1; d < n; d *= 2, tag++) {
        struct coll_phase *other = phase != NULL ? coll_space(gr, op, bytes) : NULL;

        coll_add_send(gr, op, (me + d) % n, tag, phase, bytes);
        coll_add_expect(gr, op, (me + n - d) % n, tag, other, bytes);
        coll_add_wait(gr, op, (me + n - d) % n, tag);
        if (phase != NULL)
            add(gr, op, (struct coll_step){ .kind = COLL_MERGE, .to = phase, .from = other });
    }
}

void coll_add_meeting(struct gasnet_rank *gr, struct coll_op *op, uint32_t tag)
{
    add_rounds(gr, op, tag, NULL);
}

void coll_add_phase(struct gasnet_rank *gr, struct coll_op *op)
{
    add_rounds(gr, op, 0, &op->phase);
}
